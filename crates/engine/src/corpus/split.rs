//! Train, development and test sets chosen by content, so that a growing corpus keeps its old test set.
//!
//! A pair's place follows from its own hash, never from its position. One half of the 128-bit key orders pairs for the
//! test set, the other half for the development set: what leaves one held-out set when others push in therefore goes
//! back to training and not into the other held-out set (except with the small chance any pair has).

use hashbrown::HashSet;
use rayon::prelude::*;

use super::pair_key::SameBy;
use crate::{Error, Result};

/// How large a held-out set is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// So many pairs.
    Exact(u64),
    /// About this share of the different pairs, from 0 to 1.
    Share(f64),
}

/// Where a pair goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// The training set.
    Train = 0,
    /// The development set.
    Dev = 1,
    /// The test set.
    Test = 2,
    /// Nowhere: it repeats a pair of a held-out set.
    Repeat = 3,
}

/// Collects the keys of pairs, then says where each goes.
#[derive(Debug, Clone)]
pub struct Splitter {
    seed: u64,
    by: SameBy,
    keys: Vec<u128>,
}

impl Splitter {
    /// A splitter that takes pairs to be the same as `by` says.
    pub fn new(seed: u64, by: SameBy) -> Self {
        Self { seed, by, keys: Vec::new() }
    }

    /// Takes in the next pairs; `sources` and `targets` are of equal length.
    pub fn add<S: AsRef<str> + Sync>(&mut self, sources: &[S], targets: &[S]) {
        let Self { seed, by, keys } = self;
        keys.par_extend(
            sources.par_iter().zip(targets).map_init(Vec::new, |scratch, (source, target)| {
                by.key(source.as_ref(), target.as_ref(), *seed, scratch)
            }),
        );
    }

    /// The part of each pair, in the order in which they were added.
    ///
    /// # Errors
    /// More pairs wanted than there are different ones, or none left to train on; shares outside of 0 to 1.
    pub fn parts(&self, dev: Size, test: Size) -> Result<Vec<Part>> {
        let mut different = self.keys.clone();
        different.par_sort_unstable();
        different.dedup();
        let total = different.len() as u64;

        let in_test = chosen(&different, test)?;
        let mut rest: Vec<u128> = different.into_iter().filter(|&key| !in_test(key)).map(swapped).collect();
        rest.par_sort_unstable();
        let in_dev = chosen(&rest, dev)?;
        let left = rest.iter().filter(|&&key| !in_dev(key)).count();
        let wanted = [dev, test].map(|size| if let Size::Exact(pairs) = size { pairs } else { 0 });
        if left == 0 || wanted[0].saturating_add(wanted[1]) > total {
            let what = format!("the corpus has {total} different pairs, which leaves none to train on");
            return Err(Error::input(what).hint("ask for smaller dev and test sets"));
        }

        let mut held_out = HashSet::new();
        let part = |&key: &u128| {
            let part = match () {
                () if in_test(key) => Part::Test,
                () if in_dev(swapped(key)) => Part::Dev,
                () => return Part::Train,
            };
            if held_out.insert(key) { part } else { Part::Repeat }
        };
        Ok(self.keys.iter().map(part).collect())
    }
}

/// The key with its halves exchanged: the order of the development set.
fn swapped(key: u128) -> u128 {
    key.rotate_left(64)
}

/// Whether a key is among the first of these, which are sorted and different.
fn chosen(sorted: &[u128], size: Size) -> Result<impl Fn(u128) -> bool + use<>> {
    let bound = match size {
        Size::Exact(0) => None,
        Size::Exact(pairs) => {
            usize::try_from(pairs).ok().and_then(|pairs| sorted.get(pairs - 1)).or(sorted.last()).copied()
        }
        Size::Share(share) if (0.0..=1.0).contains(&share) => {
            // The upper half of the key decides, as a fraction with 53 exact bits: the same for any corpus.
            let last = sorted.partition_point(|&key| ((key >> 75) as u64 as f64) < share * (1u64 << 53) as f64);
            last.checked_sub(1).map(|last| sorted[last])
        }
        Size::Share(share) => {
            return Err(Error::settings(format!("a share must be between 0 and 1, not {share}")));
        }
    };
    Ok(move |key| bound.is_some_and(|bound| key <= bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(lines: &[String], dev: Size, test: Size) -> Vec<Part> {
        let mut splitter = Splitter::new(1, SameBy::Pair);
        splitter.add(lines, lines);
        splitter.parts(dev, test).unwrap()
    }

    fn numbered(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("line {number}")).collect()
    }

    fn count(parts: &[Part], wanted: Part) -> usize {
        parts.iter().filter(|&&part| part == wanted).count()
    }

    #[test]
    fn sizes_are_exact_and_repeats_are_left_out() {
        let lines: Vec<String> = numbered(100).into_iter().chain(numbered(100)).collect();
        let parts = split(&lines, Size::Exact(10), Size::Exact(20));
        assert_eq!(count(&parts, Part::Dev), 10);
        assert_eq!(count(&parts, Part::Test), 20);
        assert_eq!(count(&parts, Part::Repeat), 30);
        assert_eq!(count(&parts, Part::Train), 140);
    }

    #[test]
    fn growth_takes_nothing_from_training() {
        let lines = numbered(2000);
        let before = split(&lines[..1000], Size::Exact(100), Size::Exact(100));
        let after = split(&lines, Size::Exact(100), Size::Exact(100));
        for (old, new) in before.iter().zip(&after) {
            assert!(*old != Part::Train || *new == Part::Train);
        }
        let before = split(&lines[..1000], Size::Share(0.1), Size::Share(0.1));
        let after = split(&lines, Size::Share(0.1), Size::Share(0.1));
        assert_eq!(before, after[..1000]);
        assert!((120..280).contains(&count(&after, Part::Test)));
    }

    #[test]
    fn refuses_to_leave_nothing_to_train_on() {
        let mut splitter = Splitter::new(1, SameBy::Source);
        splitter.add(&["a", "b", "a"], &["x", "y", "z"]);
        assert!(splitter.parts(Size::Exact(1), Size::Exact(1)).is_err());
        assert!(splitter.parts(Size::Exact(u64::MAX), Size::Exact(5)).is_err());
        assert!(splitter.parts(Size::Share(f64::NAN), Size::Exact(0)).is_err());
        assert!(splitter.parts(Size::Exact(1), Size::Exact(0)).is_ok());
    }
}
