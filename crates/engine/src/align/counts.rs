//! How often words are linked, for pairs of words that are linked at all.
//!
//! A sampler asks for the count of every word pair of a sentence at every draw, and most counts are zero: a few hundred
//! thousand pairs are linked where tens of millions share a sentence. So only counts above zero are kept. Each generated
//! word has a row of its own, by open addressing, behind a filter of single bits that says no to most questions; one
//! draw asks one row only, which is a cache line or two unless the word is frequent, and then it is in the cache anyway.

/// A slot that holds nothing.
const EMPTY: u32 = u32::MAX;
/// log₂ of the bits of a filter for each slot of its row.
const FILTER_BITS: u32 = 3;
/// log₂ of the slots of the smallest row: its filter is one number.
const LEAST_BITS: u32 = 3;

#[derive(Debug, Clone, Copy)]
struct Slot {
    given: u32,
    count: u32,
}

/// The partners of one generated word.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// Where its slots and its filter start.
    slots: usize,
    filter: usize,
    /// log₂ of the number of slots; 0 for no row.
    bits: u32,
    /// Slots in use, those whose count has fallen to zero included.
    used: u32,
}

/// Counts of pairs of a generating and a generated word.
#[derive(Debug)]
pub struct PairCounts {
    rows: Vec<Row>,
    slots: Vec<Slot>,
    filters: Vec<u64>,
}

/// Scatters generating words over a row.
#[inline]
pub fn hash(given: u32) -> u64 {
    u64::from(given).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// One row, for many questions about the same generated word.
#[derive(Debug, Clone, Copy)]
pub struct Partners<'a> {
    slots: &'a [Slot],
    filter: &'a [u64],
    bits: u32,
}

impl Partners<'_> {
    /// Whether the word with this hash may have a count above zero; false is certain.
    #[inline]
    pub fn maybe(self, hash: u64) -> bool {
        let bit = hash >> (64 - self.bits - FILTER_BITS);
        self.filter[(bit >> 6) as usize] >> (bit & 63) & 1 != 0
    }

    /// The count of a word for which [`Self::maybe`] holds.
    #[inline]
    pub fn count(self, hash: u64, given: u32) -> u32 {
        let slot = self.slots[find(self.slots, self.bits, hash, given)];
        slot.count
    }
}

/// The slot of a word in a row, or the empty one where it would go.
#[inline]
fn find(slots: &[Slot], bits: u32, hash: u64, given: u32) -> usize {
    let mask = slots.len() - 1;
    let mut at = (hash >> (64 - bits)) as usize;
    loop {
        let slot = slots[at & mask];
        if slot.given == given || slot.given == EMPTY {
            return at & mask;
        }
        at += 1;
    }
}

/// log₂ of the slots for this many partners, never more than three quarters full.
fn bits_for(partners: usize) -> u32 {
    (partners * 3 / 2 + 1).next_power_of_two().trailing_zeros().max(LEAST_BITS)
}

impl PairCounts {
    /// No counts, with room for so many partners of each generated word.
    pub fn new(room: impl IntoIterator<Item = usize>) -> Self {
        let mut counts = Self { rows: Vec::new(), slots: Vec::new(), filters: Vec::new() };
        let room: Vec<u32> =
            room.into_iter().map(|partners| if partners > 0 { bits_for(partners) } else { 0 }).collect();
        let total = room.iter().filter(|&&bits| bits > 0).map(|&bits| 1usize << bits).sum::<usize>();
        counts.slots.reserve_exact(total);
        counts.filters.reserve_exact(total >> (6 - FILTER_BITS));
        for bits in room {
            let row = if bits > 0 { counts.room(bits) } else { Row::default() };
            counts.rows.push(row);
        }
        counts
    }

    /// A new empty row at the end.
    fn room(&mut self, bits: u32) -> Row {
        let row = Row { slots: self.slots.len(), filter: self.filters.len(), bits, used: 0 };
        self.slots.resize(row.slots + (1 << bits), Slot { given: EMPTY, count: 0 });
        self.filters.resize(row.filter + (1 << (bits + FILTER_BITS - 6)), 0);
        row
    }

    /// The row of a generated word, if it was ever linked.
    #[inline]
    pub fn partners(&self, made: u32) -> Option<Partners<'_>> {
        let row = &self.rows[made as usize];
        (row.bits > 0).then(|| Partners {
            slots: &self.slots[row.slots..row.slots + (1 << row.bits)],
            filter: &self.filters[row.filter..row.filter + (1 << (row.bits + FILTER_BITS - 6))],
            bits: row.bits,
        })
    }

    /// Counts one more.
    #[inline]
    pub fn add(&mut self, given: u32, made: u32) {
        let row = self.rows[made as usize];
        if row.bits > 0 {
            let slots = &mut self.slots[row.slots..row.slots + (1 << row.bits)];
            let at = find(slots, row.bits, hash(given), given);
            if slots[at].given == given {
                slots[at].count += 1;
                return;
            }
        }
        self.insert(made, Slot { given, count: 1 });
    }

    /// Counts one less; the pair must have been added before.
    #[inline]
    pub fn subtract(&mut self, given: u32, made: u32) {
        let row = self.rows[made as usize];
        let slots = &mut self.slots[row.slots..row.slots + (1 << row.bits)];
        let at = find(slots, row.bits, hash(given), given);
        slots[at].count -= 1;
    }

    /// Adds a word that its row does not have, in a larger row if need be.
    fn insert(&mut self, made: u32, slot: Slot) {
        let row = self.rows[made as usize];
        if row.bits == 0 || 4 * (row.used + 1) > 3 << row.bits {
            let old = row.slots..row.slots + if row.bits > 0 { 1 << row.bits } else { 0 };
            let alive = self.slots[old.clone()].iter().filter(|slot| slot.count > 0).count();
            self.rows[made as usize] = self.room(bits_for(alive + 1));
            for at in old {
                if self.slots[at].count > 0 {
                    self.place(made, self.slots[at]);
                }
            }
        }
        self.place(made, slot);
    }

    fn place(&mut self, made: u32, slot: Slot) {
        let row = &mut self.rows[made as usize];
        let hash = hash(slot.given);
        let slots = &mut self.slots[row.slots..row.slots + (1 << row.bits)];
        slots[find(slots, row.bits, hash, slot.given)] = slot;
        row.used += 1;
        let bit = hash >> (64 - row.bits - FILTER_BITS);
        self.filters[row.filter + (bit >> 6) as usize] |= 1 << (bit & 63);
    }

    /// Forgets the pairs whose count has fallen to zero, and gives back room not needed.
    pub fn compact(&mut self) {
        let row = |row: &Row| &self.slots[row.slots..row.slots + if row.bits > 0 { 1 << row.bits } else { 0 }];
        let alive = |slots: &[Slot]| slots.iter().filter(|slot| slot.count > 0).count();
        let mut next = Self::new(self.rows.iter().map(|r| alive(row(r))));
        for (made, r) in self.rows.iter().enumerate() {
            for &slot in row(r).iter().filter(|slot| slot.count > 0) {
                next.place(made as u32, slot);
            }
        }
        *self = next;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::Random;

    #[test]
    fn counts_like_a_map() {
        let mut random = Random::new([1, 2, 3]);
        let mut counts = PairCounts::new((0..400).map(|made| made % 3));
        let mut wanted: HashMap<(u32, u32), u32> = HashMap::new();
        let mut added = Vec::new();
        for step in 0..60_000 {
            if random.below(3) > 0 || added.is_empty() {
                let pair = (random.below(90) as u32, random.below(400) as u32);
                counts.add(pair.0, pair.1);
                *wanted.entry(pair).or_default() += 1;
                added.push(pair);
            } else {
                let pair = added.swap_remove(random.below(added.len()));
                counts.subtract(pair.0, pair.1);
                *wanted.get_mut(&pair).unwrap() -= 1;
            }
            if step % 9_000 == 0 {
                counts.compact();
            }
        }
        for made in 0..400 {
            for given in 0..90 {
                let wanted = wanted.get(&(given, made)).copied().unwrap_or(0);
                let got = counts.partners(made).filter(|row| row.maybe(hash(given)));
                assert_eq!(got.map_or(0, |row| row.count(hash(given), given)), wanted);
            }
        }
    }
}
