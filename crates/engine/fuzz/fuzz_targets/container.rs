//! Opens what the fuzzer makes as a container, with and without making its checksums fit first.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tolka_engine::Kind;
use tolka_engine::files::{Container, Element, Verify};

#[path = "../../src/files/reseal.rs"]
mod reseal;

fuzz_target!(|data: &[u8]| {
    open(data);
    let mut sealed = data.to_vec();
    if sealed.len() >= 12 {
        // The fuzzer need not find the magic and version by itself.
        sealed[..12].copy_from_slice(b"\x89TLK\r\n\x1a\n\x01\0\0\0");
    }
    reseal::reseal(&mut sealed);
    open(&sealed);
    if sealed.len() >= 64 {
        // Nor the length of its input, which changes with every mutation.
        let length = sealed.len() as u64;
        sealed[48..56].copy_from_slice(&length.to_le_bytes());
        reseal::reseal(&mut sealed);
        open(&sealed);
    }
});

fn open(bytes: &[u8]) {
    let structure = Container::from_bytes(bytes, None, Verify::Structure);
    match Container::from_bytes(bytes, None, Verify::Full) {
        Ok(container) => {
            assert!(structure.is_ok(), "the full check accepts what the partial one refuses");
            use_all(&container);
        }
        Err(error) => {
            assert!(matches!(error.kind, Kind::Format | Kind::Limit), "{error:?}");
            if let Ok(container) = structure {
                assert!(container.verify().is_err());
                use_all(&container);
            }
        }
    }
}

/// Touches every byte of every section through every view.
fn use_all(container: &Container) {
    for info in container.sections() {
        let name = &info.name;
        let sum: u64 = container.bytes(name).unwrap().iter().map(|&byte| u64::from(byte)).sum();
        std::hint::black_box(sum);
        assert_eq!(container.slice::<u8>(name).is_ok(), info.element == Element::U8);
        assert_eq!(container.slice::<u32>(name).is_ok(), info.element == Element::U32);
        assert_eq!(container.slice::<f64>(name).is_ok(), info.element == Element::F64);
        if let Ok(records) = container.section::<[u32; 3]>(name) {
            assert_eq!(records.len() as u64, info.len());
        }
    }
}
