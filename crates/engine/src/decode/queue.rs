//! What searches keep in their priority queues.

/// A place in a queue, as one number: higher keys first, then whoever came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u64);

impl Entry {
    /// A key and who has it.
    #[inline]
    pub fn new(key: f32, number: u32) -> Self {
        // The order of floating-point numbers is that of their bits, those of negative ones turned around.
        let bits = key.to_bits();
        let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        Self(u64::from(ordered) << 32 | u64::from(!number))
    }

    /// Who has the key.
    #[inline]
    pub fn number(self) -> usize {
        !(self.0 as u32) as usize
    }
}
