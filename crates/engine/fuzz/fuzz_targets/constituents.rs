//! A grammar of constituents with damaged sections: parsed with, from coarse to fine and best first.

#![no_main]
// Each target uses one of the readers.
#![allow(dead_code)]

#[path = "../../tests/readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::searches::constituents(data));
