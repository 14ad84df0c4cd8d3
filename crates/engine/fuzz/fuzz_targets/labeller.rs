//! A labeller of words with damaged sections: labelled with.

#![no_main]
// Each target uses one of the readers.
#![allow(dead_code)]

#[path = "../../tests/readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::searches::labeller(data));
