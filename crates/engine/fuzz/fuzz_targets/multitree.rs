//! A lexicon or counts of multitrees with damaged sections: translated with.

#![no_main]
// Each target uses one of the readers.
#![allow(dead_code)]

#[path = "../../tests/readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::searches::multitree(data));
