//! The fast form: one hash table per order, keyed by 64-bit hashes of n-grams (Heafield 2011, section 3.1).
//!
//! A bucket is one line of the cache. Keys lie in ascending order through the whole table, and where a key belongs grows
//! with it, so a search ends at the first key that is not smaller (Amble & Knuth 1974): n-grams that are not there,
//! the common case, cost as little as those that are, and one line of memory in most cases.

use bytemuck::{Pod, Zeroable, cast_mut, cast_ref};
use rayon::prelude::*;

use super::flags::{Values, values};
use super::ngrams::{MOST_ORDER, Ngrams};
use super::search::{Found, Search};
use super::state::State;
use crate::corpus::vocabulary::UNK;
use crate::files::{Container, ContainerWriter, Section, prefetch};
use crate::{Error, Result};

/// A line of the cache, whatever is in it.
type Line = [u64; 8];

/// Values of eight words. The sign of a probability says whether longer n-grams end in this one: probabilities have none.
type Unigrams = [[u32; 2]; 8];

/// A bucket of n-grams.
trait Bucket: Pod {
    /// How many it holds.
    const SLOTS: usize;
    /// Buckets for this many n-grams.
    fn buckets(count: usize) -> usize;
    fn keys(&self) -> &[u64];
    fn put(&mut self, slot: usize, key: u64, prob: u32, backoff: u32);
}

/// N-grams of a middle order.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Middle {
    keys: [u64; 4],
    /// Probability and back-off.
    values: [[u32; 2]; 4],
}

impl Bucket for Middle {
    const SLOTS: usize = 4;

    /// Three quarters full.
    fn buckets(count: usize) -> usize {
        count / 3 + 1
    }

    #[inline]
    fn keys(&self) -> &[u64] {
        &self.keys
    }

    fn put(&mut self, slot: usize, key: u64, prob: u32, backoff: u32) {
        self.keys[slot] = key;
        self.values[slot] = [prob, backoff];
    }
}

/// N-grams of the highest order.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Longest {
    keys: [u64; 5],
    probs: [u32; 5],
    unused: u32,
}

impl Bucket for Longest {
    const SLOTS: usize = 5;

    /// Four fifths full.
    fn buckets(count: usize) -> usize {
        count / 4 + 1
    }

    #[inline]
    fn keys(&self) -> &[u64] {
        &self.keys
    }

    fn put(&mut self, slot: usize, key: u64, prob: u32, _: u32) {
        self.keys[slot] = key;
        self.probs[slot] = prob;
    }
}

/// The key of a slot that is empty; no n-gram has it.
const EMPTY: u64 = u64::MAX;
const SIGN: u32 = 1 << 31;
/// Buckets behind those where keys belong, for what the last of these cannot hold.
const SPARE: usize = 16;

/// Where the table of an order lies.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    start: usize,
    /// Buckets in which keys belong; [`SPARE`] more follow.
    buckets: usize,
}

/// A model of hash tables.
#[derive(Debug, Clone)]
pub struct Fast {
    seed: u64,
    order: usize,
    types: usize,
    /// All tables in one array, the unigrams first.
    lines: Section<Line>,
    /// The tables of the orders from 2 on.
    parts: [Part; MOST_ORDER],
}

/// The key of the n-gram with `word` before the n-gram with `key`. For one `key`, different words give different keys.
#[inline]
fn step(key: u64, word: u32) -> u64 {
    // Multiplying mixes upwards, shifting brings what it mixed down again for the next step. Buckets are chosen by the
    // upper bits. The odd constants are 2^64 divided by the golden ratio, and that of MurmurHash3 (Appleby 2011).
    let x = key ^ (u64::from(word) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// The key under which an n-gram is stored.
#[inline]
fn stored(key: u64) -> u64 {
    key.min(EMPTY - 1)
}

/// The bucket where a key belongs.
#[inline]
fn home(key: u64, buckets: usize) -> usize {
    ((u128::from(key) * buckets as u128) >> 64) as usize
}

/// The parts of a model with these numbers of buckets, and how many lines it has; None if there are too many.
fn layout(types: usize, buckets: &[u64]) -> Option<([Part; MOST_ORDER], usize)> {
    let mut parts = [Part::default(); MOST_ORDER];
    let mut start = types.div_ceil(8);
    for (part, &buckets) in parts.iter_mut().zip(buckets) {
        let buckets = usize::try_from(buckets).ok().filter(|&buckets| buckets > 0)?;
        *part = Part { start, buckets };
        start = start.checked_add(buckets)?.checked_add(SPARE)?;
    }
    Some((parts, start))
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
        let (order, types) = (ngrams.order(), ngrams.levels[0].len());
        let sizes: Vec<u64> = (2..=order)
            .map(|n| {
                let count = ngrams.levels[n - 1].len();
                (if n < order { Middle::buckets(count) } else { Longest::buckets(count) }) as u64
            })
            .collect();
        let (parts, length) = layout(types, &sizes)?;
        let mut lines = vec![[0; 8]; length];
        for word in 0..types {
            let unigrams: &mut Unigrams = cast_mut(&mut lines[word / 8]);
            unigrams[word % 8] = [values.prob[0][word], values.backoff[0][word]];
        }
        let mut keys: Vec<u64> = (0..types as u32).map(|word| step(seed, word)).collect();
        for n in 2..=order {
            let (lower, level) = (&ngrams.levels[n - 2], &ngrams.levels[n - 1]);
            let mut next = Vec::with_capacity(level.len());
            for (index, &key) in (0..).zip(&keys) {
                next.extend(lower.children(index).map(|child| step(key, level.words[child])));
            }
            keys = next;
            let Part { start, buckets } = parts[n - 2];
            let table = &mut lines[start..start + buckets + SPARE];
            let (prob, backoff) = (&values.prob[n - 1], &values.backoff[n - 1]);
            if n < order {
                fill::<Middle>(table, &keys, prob, backoff)?;
            } else {
                fill::<Longest>(table, &keys, prob, backoff)?;
            }
        }
        Some(Self { seed, order, types, lines: lines.into(), parts })
    }

    /// Adds the tables to a file.
    pub(super) fn write(&self, out: &mut ContainerWriter) -> Result<()> {
        let buckets: Vec<u64> = self.parts[..self.order - 1].iter().map(|part| part.buckets as u64).collect();
        out.section("seed", &[self.seed])?;
        out.section("buckets", &buckets)?;
        out.section("tables", &self.lines)
    }

    /// Takes the tables from a file.
    pub(super) fn open(file: &Container, order: usize, types: usize) -> Result<Self> {
        let seed = match file.slice::<u64>("seed")? {
            [seed] => *seed,
            _ => return Err(file.error("the seed is not one number")),
        };
        let buckets = file.slice::<u64>("buckets")?;
        let lines: Section<Line> = file.section("tables")?;
        let layout = layout(types, buckets).filter(|&(_, length)| buckets.len() + 1 == order && length == lines.len());
        let Some((parts, _)) = layout else {
            return Err(file.error("the tables have not the size that the file says"));
        };
        Ok(Self { seed, order, types, lines, parts })
    }

    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        View { lines: &self.lines, model: self }
    }
}

/// Fills a table; None if two keys are the same, or the spare buckets do not suffice.
fn fill<B: Bucket>(table: &mut [Line], keys: &[u64], prob: &[u32], backoff: &[u32]) -> Option<()> {
    let mut order: Vec<(u64, u32)> = keys.iter().map(|&key| stored(key)).zip(0..).collect();
    order.par_sort_unstable();
    if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let buckets = table.len() - SPARE;
    for line in table.iter_mut() {
        let bucket: &mut B = cast_mut(line);
        (0..B::SLOTS).for_each(|slot| bucket.put(slot, EMPTY, 0, 0));
    }
    let mut next = 0;
    for (key, index) in order {
        let at = next.max(home(key, buckets) * B::SLOTS);
        let bucket: &mut B = cast_mut(table.get_mut(at / B::SLOTS)?);
        bucket.put(at % B::SLOTS, key, prob[index as usize], backoff.get(index as usize).copied().unwrap_or(0));
        next = at + 1;
    }
    Some(())
}

#[inline]
fn prob(stored: u32) -> f32 {
    -f32::from_bits(stored & !SIGN)
}

/// The tables as one slice: finding a section in its file takes a few instructions, which this does once for many
/// queries.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    lines: &'a [Line],
    model: &'a Fast,
}

impl<'a> View<'a> {
    /// The bucket and slot of a key.
    #[inline]
    fn find<B: Bucket>(&self, part: Part, key: u64) -> Option<(&'a B, usize)> {
        let first = part.start + home(key, part.buckets);
        // More than two rounds are rare; the end of the lines ends the search in a damaged table.
        for line in &self.lines[first..] {
            let bucket: &B = cast_ref(line);
            let keys = bucket.keys();
            // Without branches, which would be hard to foretell.
            let below = keys.iter().map(|&other| usize::from(other < key)).sum::<usize>();
            if let Some(&other) = keys.get(below) {
                return (other == key).then_some((bucket, below));
            }
        }
        None
    }
}

impl Search for View<'_> {
    #[inline]
    fn order(&self) -> usize {
        self.model.order
    }

    #[inline]
    fn unigram(&self, word: u32) -> Found {
        let word = if (word as usize) < self.model.types { word } else { UNK };
        let unigrams: &Unigrams = cast_ref(&self.lines[word as usize / 8]);
        let [stored, backoff] = unigrams[word as usize % 8];
        Found {
            prob: prob(stored),
            backoff: f32::from_bits(backoff),
            extends_left: stored & SIGN != 0,
            node: step(self.model.seed, word),
        }
    }

    #[inline]
    fn extend(&self, length: usize, node: u64, word: u32) -> Option<Found> {
        let key = step(node, word);
        let part = self.model.parts[length - 1];
        if length + 1 < self.model.order {
            let (bucket, slot) = self.find::<Middle>(part, stored(key))?;
            let [stored, backoff] = bucket.values[slot];
            return Some(Found {
                prob: prob(stored),
                backoff: f32::from_bits(backoff),
                extends_left: stored & SIGN != 0,
                node: key,
            });
        }
        if length + 1 > self.model.order {
            return None;
        }
        let (bucket, slot) = self.find::<Longest>(part, stored(key))?;
        Some(Found { prob: prob(bucket.probs[slot]), backoff: 0.0, extends_left: false, node: key })
    }

    #[inline]
    fn prefetch(&self, state: &State, word: u32) {
        prefetch(self.lines, word as usize / 8);
        let mut key = step(self.model.seed, word);
        for (part, &word) in self.model.parts.iter().zip(state.words()) {
            key = step(key, word);
            prefetch(self.lines, part.start + home(stored(key), part.buckets));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A model that has but one table, of bigrams.
    fn of(lines: Vec<Line>, buckets: usize) -> Fast {
        let mut parts = [Part::default(); MOST_ORDER];
        parts[0] = Part { start: 0, buckets };
        Fast { seed: 1, order: 2, types: 0, lines: lines.into(), parts }
    }

    /// Keys that crowd into a few buckets, the least and the greatest among them.
    fn keys() -> impl Strategy<Value = Vec<u64>> {
        let key = prop_oneof![4 => any::<u64>(), 2 => 0_u64..40, 1 => (EMPTY - 20)..EMPTY];
        prop::collection::btree_set(key, 0..60).prop_map(|keys| keys.into_iter().rev().collect())
    }

    fn finds_all_and_nothing_else<B: Bucket>(
        keys: &[u64],
        others: &[u64],
        value: impl Fn(&B, usize) -> u32,
    ) -> std::result::Result<(), TestCaseError> {
        let buckets = B::buckets(keys.len());
        let mut lines = vec![[0; 8]; buckets + SPARE];
        let numbers: Vec<u32> = (0..keys.len() as u32).collect();
        prop_assert_eq!(fill::<B>(&mut lines, keys, &numbers, &[]), Some(()));
        let model = of(lines, buckets);
        let part = model.parts[0];
        for (&key, &number) in keys.iter().zip(&numbers) {
            let found = model.view().find::<B>(part, key).map(|(bucket, slot)| value(bucket, slot));
            prop_assert_eq!(found, Some(number));
        }
        for &other in others.iter().filter(|other| !keys.contains(other)) {
            prop_assert!(model.view().find::<B>(part, other).is_none());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_table_holds_its_keys_and_no_others(keys in keys(), others in keys()) {
            finds_all_and_nothing_else::<Middle>(&keys, &others, |bucket, slot| bucket.values[slot][0])?;
            finds_all_and_nothing_else::<Longest>(&keys, &others, |bucket, slot| bucket.probs[slot])?;
        }

        #[test]
        fn a_damaged_table_is_searched_to_its_end_at_most(
            words in prop::collection::vec(any::<u64>(), 8 * 20),
            key in 0..EMPTY,
        ) {
            let lines: Vec<Line> = words.chunks_exact(8).map(|line| line.try_into().unwrap()).collect();
            let model = of(lines, 4);
            if let Some((bucket, slot)) = model.view().find::<Middle>(model.parts[0], key) {
                prop_assert_eq!(bucket.keys[slot], key);
            }
        }
    }

    #[test]
    fn keys_that_collide_or_overflow_are_noticed() {
        let mut lines = vec![[0; 8]; 2 + SPARE];
        assert_eq!(fill::<Middle>(&mut lines, &[5, 9, 5], &[0; 3], &[]), None);
        let crowd: Vec<u64> = (0..4 * (1 + SPARE as u64) + 1).map(|low| EMPTY - 1000 + low).collect();
        assert_eq!(fill::<Middle>(&mut lines, &crowd, &vec![0; crowd.len()], &[]), None);
        assert_eq!(fill::<Middle>(&mut lines, &crowd[1..], &vec![0; crowd.len()], &[]), Some(()));
    }

    #[test]
    fn parts_follow_each_other() {
        let (parts, lines) = layout(17, &[2, 3]).unwrap();
        assert_eq!((parts[0].start, parts[1].start, lines), (3, 3 + 2 + SPARE, 3 + 5 + 2 * SPARE));
        assert!(layout(17, &[2, 0]).is_none());
        assert!(layout(17, &[u64::MAX - 1, u64::MAX - 1]).is_none());
    }
}
