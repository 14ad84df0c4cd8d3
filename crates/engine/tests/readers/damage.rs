//! Damages containers so that everything the container itself checks stays right: its structure and its checksums.

use std::path::PathBuf;

use tolka_engine::files::{Container, ContainerWriter, Element, Verify};

/// Bytes that decide what happens; 0 when they are used up.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// The next two bytes, below a number.
    pub fn below(&mut self, most: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % most.max(1)
    }

    /// A number that is likely to do harm: small, at an end, or any.
    pub fn number(&mut self) -> u64 {
        const ENDS: [u64; 12] = [
            0,
            1,
            u64::MAX,
            u64::MAX - 1,
            u32::MAX as u64,
            1 << 31,
            1 << 32,
            1 << 63,
            0x7fc0_0000,           // NaN
            0xff80_0000,           // minus infinity
            0x7ff8_0000_0000_0000, // NaN of 64 bits
            1 << 48,
        ];
        match self.byte() % 8 {
            0..3 => u64::from(self.byte() % 8),
            3 => u64::from(self.byte()),
            4 => ENDS[usize::from(self.byte()) % ENDS.len()],
            5 => u64::from(u16::from_le_bytes([self.byte(), self.byte()])),
            _ => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    /// A finite number, or now and then one that is not.
    pub fn value(&mut self) -> f32 {
        match self.byte() {
            0 => f32::NAN,
            1 => f32::INFINITY,
            byte => (f32::from(byte) - 128.0) / 16.0,
        }
    }
}

/// Changes to one file at most: more are found out sooner.
const MOST_CHANGES: usize = 4;

/// The file with some elements of its sections changed, moved, left out or repeated.
pub fn damaged(file: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let opened = Container::from_bytes(file, None, Verify::Full).unwrap();
    let section = |name: &str| opened.bytes(name).unwrap().to_vec();
    let mut sections: Vec<(&str, Element, Vec<u8>)> =
        opened.sections().iter().map(|info| (&*info.name, info.element, section(&info.name))).collect();
    for _ in 0..1 + choices.below(MOST_CHANGES) {
        let mut which = choices.below(sections.len());
        // Words in a file are a reader of their own, which finds out nearly everything.
        if sections[which].0.contains("-word-") && choices.byte() > 16 {
            which = choices.below(sections.len());
        }
        let (_, element, bytes) = &mut sections[which];
        change(bytes, *element, choices);
    }
    let mut out = ContainerWriter::in_memory(opened.kind(), opened.kind_version()).unwrap();
    for (name, element, bytes) in &sections {
        out.section_of(name, *element, bytes).unwrap();
    }
    out.into_bytes().unwrap()
}

fn change(bytes: &mut Vec<u8>, element: Element, choices: &mut Choices<'_>) {
    let size = element.size() as usize;
    // Records are of numbers of four bytes.
    let unit = if matches!(element, Element::Record(_)) && size.is_multiple_of(4) { 4 } else { size.min(8) };
    let count = bytes.len() / unit;
    let change = choices.byte() % 8;
    let at = choices.below(count) * unit;
    match change {
        _ if count == 0 => bytes.extend(std::iter::repeat_n(choices.byte(), size)),
        0..4 => bytes[at..at + unit].copy_from_slice(&choices.number().to_le_bytes()[..unit]),
        4 => {
            let from = choices.below(count) * unit;
            bytes.copy_within(from..from + unit, at);
        }
        5 => {
            let mut number = [0; 8];
            number[..unit].copy_from_slice(&bytes[at..at + unit]);
            let near = u64::from_le_bytes(number).wrapping_add_signed(i64::from(choices.byte() as i8) / 16);
            bytes[at..at + unit].copy_from_slice(&near.to_le_bytes()[..unit]);
        }
        6 => {
            let at = at / size * size;
            bytes.drain(at..bytes.len().min(at + size * (1 + choices.below(4))));
        }
        _ => {
            let at = at / size * size;
            let again = bytes[at..at + size].repeat(1 + choices.below(3));
            bytes.splice(at..at, again);
        }
    }
}

/// A file that lasts as long as the directory it is in.
pub struct OnDisk {
    directory: tempfile::TempDir,
}

impl OnDisk {
    /// An empty directory.
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Puts bytes into a file in it.
    pub fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}
