//! No damage to a file makes the engine panic, hang or ask for much memory: see `readers`.

use std::panic::catch_unwind;
use std::path::Path;

mod readers;

use readers::{READERS, Reader};

/// Draws for each reader; they take a few seconds together.
const DRAWS: u64 = 600;

fn check(name: &str, read: Reader, what: &str, bytes: &[u8]) {
    if catch_unwind(|| read(bytes)).is_err() {
        panic!("{name} does not survive {what}: {bytes:?}");
    }
}

/// Bytes that once did harm, or that show the fuzzer what there is.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect();
    found.sort();
    found
}

fn survives(name: &str) {
    let &(_, read) = READERS.iter().find(|(known, _)| *known == name).unwrap();
    let seeds = seeds(name);
    for (path, bytes) in &seeds {
        check(name, read, path, bytes);
    }
    let texts: Vec<&[u8]> = seeds.iter().map(|(_, bytes)| &bytes[..]).filter(|bytes| bytes.is_ascii()).collect();
    for draw in 0..DRAWS {
        let mut state = draw;
        let mut below = |most: usize| {
            // SplitMix64 (Steele, Lea and Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) as usize % most
        };
        let length = 4 + below(60) * (1 + draw as usize % 4);
        let mut bytes: Vec<u8> = (0..length).map(|_| below(256) as u8).collect();
        // Half of the draws change a seed that is text instead.
        if draw % 2 == 0 && !texts.is_empty() {
            let mut text = texts[below(texts.len())].to_vec();
            for &byte in bytes.iter().take(1 + draw as usize % 6) {
                text.push(byte);
                let at = below(text.len());
                match byte % 4 {
                    0 => text[at] = byte,
                    1 => drop(text.drain(at..text.len().min(at + usize::from(byte % 32)))),
                    2 => text.insert(at, b" |\n\t0-]\\"[usize::from(byte / 4) % 8]),
                    _ => text.extend_from_within(at..text.len().min(at + 40)),
                }
            }
            bytes = text;
        }
        check(name, read, &format!("draw {draw}"), &bytes);
    }
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            survives(stringify!($name));
        })*

        #[test]
        fn every_reader_has_a_test_and_a_fuzz_target() {
            let names = [$(stringify!($name)),*];
            assert_eq!(READERS.map(|(name, _)| name), names);
            let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/fuzz_targets");
            for name in names {
                assert!(targets.join(format!("{name}.rs")).exists(), "{name}");
            }
        }
    };
}

tests! {
    grammar voices segment import lm arpa vocabulary truecaser compounds aligner classifiers constituents multitree
    labeller forest walker recurrent reservoir lines words metric
}
