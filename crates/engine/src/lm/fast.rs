//! The fast form: one hash table per order, keyed by 64-bit hashes of n-grams, with linear probing (Heafield 2011,
//! section 3.1).

use bytemuck::{Pod, Zeroable};

use super::flags::{Values, values};
use super::ngrams::{MOST_ORDER, Ngrams};
use super::search::{Found, Search};
use super::state::State;
use crate::corpus::vocabulary::UNK;
use crate::files::{Container, ContainerWriter, Section};
use crate::{Error, Result};

/// An n-gram of a middle order. The sign of `prob` says whether longer n-grams end in it: probabilities have none.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Middle {
    key: u64,
    prob: u32,
    backoff: u32,
}

/// An n-gram of the highest order; the key is in two halves to need no padding.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Longest {
    key: [u32; 2],
    prob: u32,
}

/// No n-gram has this key.
const EMPTY: u64 = 0;
const SIGN: u32 = 1 << 31;

/// A model of hash tables.
#[derive(Debug, Clone)]
pub struct Fast {
    seed: u64,
    unigrams: Section<[u32; 2]>,
    middle: Vec<Section<Middle>>,
    longest: Section<Longest>,
}

/// The key of the n-gram with `word` before the n-gram with `key`. For one `key`, different words give different keys.
#[inline]
fn step(key: u64, word: u32) -> u64 {
    // The finaliser of MurmurHash3 (Appleby 2011) spreads every bit of its input over all of its output.
    let mut x = key ^ u64::from(word).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// Where the search for a key begins.
#[inline]
fn slot(key: u64, slots: usize) -> usize {
    ((u128::from(key) * slots as u128) >> 64) as usize
}

/// Slots for this many n-grams: four for three keep the runs short and the file below 21 bytes an n-gram.
fn slots(count: usize) -> usize {
    count + count / 3 + 1
}

impl Fast {
    /// Builds the tables.
    ///
    /// # Errors
    /// A model that lacks the context of one of its n-grams.
    pub fn build(ngrams: &Ngrams) -> Result<Self> {
        let values = values(ngrams)?;
        // Two n-grams of one order with the same hash are a matter of luck, one chance in 10^6 for 10^6.5 n-grams.
        (1..=16).find_map(|seed| Self::with_seed(ngrams, &values, seed)).ok_or_else(|| Error::limit("n-grams collide"))
    }

    fn with_seed(ngrams: &Ngrams, values: &Values, seed: u64) -> Option<Self> {
        let order = ngrams.order();
        let unigrams: Vec<[u32; 2]> = values.prob[0]
            .iter()
            .copied()
            .zip(values.backoff[0].iter().copied())
            .map(|(prob, backoff)| [prob, backoff])
            .collect();
        let mut middle = Vec::new();
        let mut longest = Section::default();
        let mut keys: Vec<u64> = (0..ngrams.levels[0].len() as u32).map(|word| step(seed, word)).collect();
        for n in 2..=order {
            let (lower, level) = (&ngrams.levels[n - 2], &ngrams.levels[n - 1]);
            let mut next = Vec::with_capacity(level.len());
            for (index, &key) in (0..).zip(&keys) {
                next.extend(lower.children(index).map(|child| step(key, level.words[child]).max(1)));
            }
            keys = next;
            let probs = &values.prob[n - 1];
            if n < order {
                let mut table = vec![Middle { key: EMPTY, prob: 0, backoff: 0 }; slots(level.len())];
                for (index, &key) in keys.iter().enumerate() {
                    let at = free(key, table.len(), |at| table[at].key)?;
                    table[at] = Middle { key, prob: probs[index], backoff: values.backoff[n - 1][index] };
                }
                middle.push(table.into());
            } else {
                let mut table = vec![Longest { key: [0; 2], prob: 0 }; slots(level.len())];
                for (index, &key) in keys.iter().enumerate() {
                    let at = free(key, table.len(), |at| join(table[at].key))?;
                    table[at] = Longest { key: [key as u32, (key >> 32) as u32], prob: probs[index] };
                }
                longest = table.into();
            }
        }
        Some(Self { seed, unigrams: unigrams.into(), middle, longest })
    }

    /// Adds the tables to a file.
    pub(super) fn write(&self, out: &mut ContainerWriter) -> Result<()> {
        out.section("seed", &[self.seed])?;
        out.section("unigrams", &self.unigrams)?;
        for (n, table) in (2..).zip(&self.middle) {
            out.section(&format!("{n}-grams"), table)?;
        }
        out.section("longest", &self.longest)
    }

    /// Takes the tables from a file.
    pub(super) fn open(file: &Container, order: usize, types: usize) -> Result<Self> {
        let seed = match file.slice::<u64>("seed")? {
            [seed] => *seed,
            _ => return Err(file.error("the seed is not one number")),
        };
        let unigrams: Section<[u32; 2]> = file.section("unigrams")?;
        if unigrams.len() != types {
            return Err(file.error("there are not as many unigrams as words"));
        }
        let middle: Vec<Section<Middle>> =
            (2..order).map(|n| file.section(&format!("{n}-grams"))).collect::<Result<_>>()?;
        let longest: Section<Longest> = file.section("longest")?;
        if middle.iter().any(|table| table.is_empty()) || (order > 1 && longest.is_empty()) {
            return Err(file.error("a table has no slots"));
        }
        Ok(Self { seed, unigrams, middle, longest })
    }
}

#[inline]
fn join([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The slot where `key` belongs; None if it is there already.
fn free(key: u64, slots: usize, key_at: impl Fn(usize) -> u64) -> Option<usize> {
    let mut at = slot(key, slots);
    loop {
        match key_at(at) {
            EMPTY => return Some(at),
            other if other == key => return None,
            _ => at = if at + 1 == slots { 0 } else { at + 1 },
        }
    }
}

/// Finds a key in a table that is not empty.
#[inline]
fn find<T>(table: &[T], key: u64, key_of: impl Fn(&T) -> u64) -> Option<&T> {
    let mut at = slot(key, table.len());
    // The bound ends the search in a damaged table without empty slots.
    for _ in 0..table.len() {
        let entry = &table[at];
        let found = key_of(entry);
        if found == key {
            return Some(entry);
        }
        if found == EMPTY {
            return None;
        }
        at = if at + 1 == table.len() { 0 } else { at + 1 };
    }
    None
}

#[inline]
fn prob(stored: u32) -> f32 {
    -f32::from_bits(stored & !SIGN)
}

/// The tables as slices: finding a section in its file takes a few instructions, which this does once for many queries.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    seed: u64,
    order: usize,
    unigrams: &'a [[u32; 2]],
    middle: [&'a [Middle]; MOST_ORDER],
    longest: &'a [Longest],
}

impl Fast {
    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        let mut middle: [&[Middle]; MOST_ORDER] = [&[]; MOST_ORDER];
        for (place, table) in middle.iter_mut().zip(&self.middle) {
            *place = table;
        }
        let longest: &[Longest] = &self.longest;
        // One table of unigrams, those between, and the longest, which is empty in a unigram model.
        let order = if longest.is_empty() { 1 } else { self.middle.len() + 2 };
        View { seed: self.seed, order, unigrams: &self.unigrams, middle, longest }
    }
}

impl Search for View<'_> {
    #[inline]
    fn order(&self) -> usize {
        self.order
    }

    #[inline]
    fn unigram(&self, word: u32) -> Found {
        let word = if (word as usize) < self.unigrams.len() { word } else { UNK };
        let [stored, backoff] = self.unigrams[word as usize];
        Found {
            prob: prob(stored),
            backoff: f32::from_bits(backoff),
            extends_left: stored & SIGN != 0,
            node: step(self.seed, word),
        }
    }

    #[inline]
    fn extend(&self, length: usize, node: u64, word: u32) -> Option<Found> {
        let key = step(node, word).max(1);
        if length + 1 < self.order {
            let found = find(self.middle[length - 1], key, |entry| entry.key)?;
            return Some(Found {
                prob: prob(found.prob),
                backoff: f32::from_bits(found.backoff),
                extends_left: found.prob & SIGN != 0,
                node: key,
            });
        }
        if length + 1 > self.order {
            return None;
        }
        let found = find(self.longest, key, |entry| join(entry.key))?;
        Some(Found { prob: prob(found.prob), backoff: 0.0, extends_left: false, node: key })
    }

    #[inline]
    fn touch(&self, state: &State, word: u32) -> u64 {
        let mut key = step(self.seed, word);
        let mut read = u64::from(self.unigrams.get(word as usize).map_or(0, |values| values[0]));
        for (n, &word) in (2..).zip(state.words()) {
            key = step(key, word).max(1);
            if n < self.order {
                let table = self.middle[n - 2];
                read ^= table[slot(key, table.len())].key;
            } else if n == self.order {
                read ^= u64::from(self.longest[slot(key, self.longest.len())].key[0]);
            }
        }
        read
    }
}
