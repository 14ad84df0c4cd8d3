//! Numbers of any width up to 57 bits, packed without gaps.

use super::super::files::Section;

/// Bytes beyond the last number, so that eight can be read wherever one begins.
const SLACK: usize = 8;

/// Writes packed numbers.
#[derive(Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u128,
    held: u32,
}

impl BitWriter {
    /// Appends the lowest `width` bits of `value`, at most 57.
    pub fn push(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 57 && (width == 57 || value >> width == 0));
        self.pending |= u128::from(value) << self.held;
        self.held += width;
        while self.held >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.held -= 8;
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Section<u8> {
        if self.held > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes.extend_from_slice(&[0; SLACK]);
        self.bytes.into()
    }
}

/// The number of `width` bits at a bit offset; 0 beyond the end.
#[inline]
pub fn read(bytes: &[u8], offset: u64, width: u32) -> u64 {
    let start = (offset / 8) as usize;
    let Some(window) = bytes.get(start..).and_then(|rest| rest.first_chunk::<8>()) else {
        return 0;
    };
    let mask = (1_u64 << width) - 1;
    u64::from_le_bytes(*window) >> (offset % 8) & mask
}

/// Bytes that `count` records of `width` bits take.
pub fn size(count: u64, width: u32) -> Option<u64> {
    Some(count.checked_mul(u64::from(width))?.div_ceil(8) + SLACK as u64)
}

/// Bits needed for the numbers 0 to `most`.
pub fn width(most: u64) -> u32 {
    (64 - most.leading_zeros()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(values in prop::collection::vec((any::<u64>(), 1_u32..=57), 0..200)) {
            let mut writer = BitWriter::default();
            let mut expected = Vec::new();
            let mut offset = 0;
            for (value, width) in values {
                let value = value & ((1 << width) - 1);
                writer.push(value, width);
                expected.push((value, offset, width));
                offset += u64::from(width);
            }
            let bytes = writer.finish();
            prop_assert_eq!(bytes.len() as u64, offset.div_ceil(8) + 8);
            for (value, offset, width) in expected {
                prop_assert_eq!(read(&bytes, offset, width), value);
            }
        }
    }
}
