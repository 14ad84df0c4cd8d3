//! Adding up the counts of keys in memory, and giving them back sorted.

use rayon::slice::ParallelSliceMut;
use xxhash_rust::xxh3::xxh3_64;

use super::tape::Run;
use crate::Result;

const EMPTY: u64 = u64::MAX;
const TAG: u64 = 0xffff_ffff_0000_0000;
/// Bytes of a count and of a key's length before each key.
const HEAD: usize = 10;

/// A multiset of keys. Each slot of its open-addressing table holds half of a key's hash and where the key lies, and
/// the count lies beside the key, so that adding to a key touches two places of memory.
pub struct Tally {
    slots: Vec<u64>,
    used: usize,
    arena: Vec<u8>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { slots: vec![EMPTY; 1 << 10], used: 0, arena: Vec::new() }
    }
}

impl Tally {
    /// Adds to the count of a key, which has fewer than 2^16 bytes.
    #[inline]
    pub fn add(&mut self, key: &[u8], count: u64) {
        let hash = xxh3_64(key);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                break;
            }
            if slot & TAG == hash & TAG {
                let start = (slot & !TAG) as usize;
                if self.key(start) == key {
                    let total = self.count(start) + count;
                    self.arena[start..start + 8].copy_from_slice(&total.to_le_bytes());
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = hash & TAG | self.arena.len() as u64;
        self.used += 1;
        self.arena.extend_from_slice(&count.to_le_bytes());
        self.arena.extend_from_slice(&(key.len() as u16).to_le_bytes());
        self.arena.extend_from_slice(key);
        if self.used * 3 > self.slots.len() * 2 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        let mut slots = vec![EMPTY; size];
        for &slot in self.slots.iter().filter(|&&slot| slot != EMPTY) {
            let mut at = xxh3_64(self.key((slot & !TAG) as usize)) as usize & (size - 1);
            while slots[at] != EMPTY {
                at = (at + 1) & (size - 1);
            }
            slots[at] = slot;
        }
        self.slots = slots;
    }

    #[inline]
    fn count(&self, start: usize) -> u64 {
        u64::from_le_bytes(self.arena[start..start + 8].try_into().expect("eight bytes"))
    }

    #[inline]
    fn key(&self, start: usize) -> &[u8] {
        let length = u16::from_le_bytes([self.arena[start + 8], self.arena[start + 9]]) as usize;
        &self.arena[start + HEAD..start + HEAD + length]
    }

    /// Bytes in use, with what sorting will need.
    pub fn bytes(&self) -> usize {
        self.arena.len() + 8 * self.slots.len() + 16 * self.used
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The keys with their counts, sorted, and the part of the text that they are of; the tally is empty afterwards.
    pub fn drain(&mut self, on_disk: bool, part: Option<u8>) -> Result<Run> {
        let mut order: Vec<(u64, u32)> = self
            .slots
            .iter()
            .filter(|&&slot| slot != EMPTY)
            .map(|&slot| (prefix(self.key((slot & !TAG) as usize)), slot as u32))
            .collect();
        let by_key = |a: &(u64, u32), b: &(u64, u32)| {
            a.0.cmp(&b.0).then_with(|| self.key(a.1 as usize).cmp(self.key(b.1 as usize)))
        };
        order.par_sort_unstable_by(by_key);
        let mut run = Run::new(on_disk)?;
        let mut payload = Vec::new();
        for (_, start) in order {
            payload.clear();
            payload.extend(part);
            super::code::put_number(&mut payload, self.count(start as usize));
            run.push(self.key(start as usize), &payload)?;
        }
        self.slots.fill(EMPTY);
        self.used = 0;
        self.arena.clear();
        Ok(run)
    }
}

/// The first bytes of a key as a number that is compared instead of them.
#[inline]
pub fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = key.len().min(8);
    first[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(first)
}
