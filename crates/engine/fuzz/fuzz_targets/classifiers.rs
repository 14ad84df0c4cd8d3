//! Boosted trees with damaged sections.

#![no_main]
// Each target uses one of the readers.
#![allow(dead_code)]

#[path = "../../tests/readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::models::classifiers(data));
