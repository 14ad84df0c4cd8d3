//! A table of several voices with damaged sections: read, filtered, taken apart, translated with.

#![no_main]
// Each target uses one of the readers.
#![allow(dead_code)]

#[path = "../../tests/readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::grammars::voices(data));
