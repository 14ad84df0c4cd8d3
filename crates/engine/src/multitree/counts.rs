//! Raw counts of target n-grams up to three words (Galron 2012, section 4.5.5.2): no smoothing, no cut-off.

use super::language::Language;
use crate::files::{Container, ContainerWriter, Section};
use crate::{Error, Result};

/// Bits of a word in a key; words with larger numbers are never counted.
const BITS: u32 = 21;
/// A place that is free.
const FREE: u64 = 0;
/// Words that the shorter n-gram's probability is worth.
const PRIOR: f32 = 5.0;

/// How often n-grams of up to three words were seen, in one open-addressed table.
#[derive(Debug, Clone)]
pub struct Counts {
    keys: Section<u64>,
    counts: Section<u32>,
    words: u64,
    types: u64,
    /// A language model that texts are scored by besides.
    pub language: Option<Language>,
}

/// The key of an n-gram; words are numbered from 1, so a shorter one has zeros where no word is. [`FREE`] if a word is too
/// new to have been counted.
#[inline]
fn key(words: &[u32]) -> u64 {
    let mut key = 0;
    for &word in words {
        if word == 0 || word >> BITS != 0 {
            return FREE;
        }
        key = key << BITS | u64::from(word);
    }
    key
}

#[inline]
fn start(key: u64, mask: usize) -> usize {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)) as usize & mask
}

impl Counts {
    /// Counts all n-grams of sentences.
    pub fn of<'a>(sentences: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut all: Vec<u64> = Vec::new();
        for sentence in sentences {
            for order in 1..=3 {
                all.extend(sentence.windows(order).map(key).filter(|&key| key != FREE));
            }
        }
        all.sort_unstable();
        let distinct = all.chunk_by(|a, b| a == b).count();
        let capacity = (distinct * 2).next_power_of_two().max(2);
        let (mut keys, mut counts) = (vec![FREE; capacity], vec![0_u32; capacity]);
        for same in all.chunk_by(|a, b| a == b) {
            let mut at = start(same[0], capacity - 1);
            while keys[at] != FREE {
                at = (at + 1) & (capacity - 1);
            }
            keys[at] = same[0];
            counts[at] = u32::try_from(same.len()).unwrap_or(u32::MAX);
        }
        Self::with_totals(keys.into(), counts.into())
    }

    fn with_totals(keys: Section<u64>, counts: Section<u32>) -> Self {
        let single = keys.iter().zip(&counts[..]).filter(|(key, _)| **key != FREE && **key >> BITS == 0);
        let (words, types) = single.fold((0, 0), |sums, (_, &count)| (sums.0 + u64::from(count), sums.1 + 1));
        Self { keys, counts, words, types, language: None }
    }

    /// How often an n-gram of one to three words was seen.
    #[inline]
    pub fn get(&self, words: &[u32]) -> u32 {
        let (key, mask) = (key(words), self.keys.len() - 1);
        if key == FREE {
            return 0;
        }
        let mut at = start(key, mask);
        loop {
            match self.keys[at] {
                found if found == key => return self.counts[at],
                FREE => return 0,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The probability of the last of one to three words by those before it: relative frequencies, each smoothed by that of
    /// one word less (Dirichlet's prior of [`PRIOR`] words; MacKay & Peto 1995).
    pub fn probability(&self, words: &[u32]) -> f32 {
        let last = &words[words.len() - 1..];
        let mut probability = (self.get(last) as f32 + 1.0) / (self.words as f32 + self.types as f32 + 1.0);
        for order in 2..=words.len() {
            let gram = &words[words.len() - order..];
            let context = self.get(&gram[..order - 1]) as f32;
            probability = (self.get(gram) as f32 + PRIOR * probability) / (context + PRIOR);
        }
        probability
    }

    /// How predictable an n-gram's parts make it: its count by that of its rarer part, in the better of two divisions
    /// (formula 4.10); 0 if the parts were never seen.
    pub fn informativeness(&self, words: &[u32]) -> f32 {
        let (first, last) = (&words[..1], &words[words.len() - 1..]);
        let front = self.get(&words[..words.len() - 1]).min(self.get(last));
        let back = self.get(first).min(self.get(&words[1..]));
        match front.max(back) {
            0 => 0.0,
            parts => self.get(words) as f32 / parts as f32,
        }
    }

    /// Adds the sections to a file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&self, file: &mut ContainerWriter) -> Result<()> {
        file.section("counts.keys", &self.keys)?;
        file.section("counts.counts", &self.counts)
    }

    /// Reads them.
    ///
    /// # Errors
    /// A table that is not sound.
    pub fn read(file: &Container) -> Result<Self> {
        let (keys, counts) = (file.section::<u64>("counts.keys")?, file.section::<u32>("counts.counts")?);
        // A free place ends every search.
        let sound = keys.len().is_power_of_two() && keys.len() == counts.len() && keys.contains(&FREE);
        if sound { Ok(Self::with_totals(keys, counts)) } else { Err(unsound(file, "counts.keys")) }
    }
}

/// A section is not what it should be.
pub(super) fn unsound(file: &Container, name: &str) -> Error {
    file.error(format!("section {name} is not sound")).hint("train the model again")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_n_gram_is_counted(text in prop::collection::vec(prop::collection::vec(1_u32..6, 0..9), 0..12)) {
            let counts = Counts::of(text.iter().map(Vec::as_slice));
            let mut naive: HashMap<Vec<u32>, u32> = HashMap::new();
            for sentence in &text {
                for order in 1..=3 {
                    for gram in sentence.windows(order) {
                        *naive.entry(gram.to_vec()).or_default() += 1;
                    }
                }
            }
            for (gram, count) in &naive {
                prop_assert_eq!(counts.get(gram), *count);
            }
            prop_assert_eq!(counts.get(&[7]), 0);
            prop_assert_eq!(counts.get(&[1, 7, 1]), naive.get(&vec![1, 7, 1]).copied().unwrap_or(0));
        }
    }

    /// "colonne vertébrale" 6, "colonne" 7, "vertébrale" 6.
    #[test]
    fn a_fixed_expression_is_informative() {
        let text: Vec<Vec<u32>> = (0..7).map(|place| if place < 6 { vec![1, 2] } else { vec![1] }).collect();
        let counts = Counts::of(text.iter().map(Vec::as_slice));
        assert_eq!((counts.get(&[1, 2]), counts.get(&[1]), counts.get(&[2])), (6, 7, 6));
        assert_eq!(counts.informativeness(&[1, 2]), 1.0);
        assert_eq!(counts.informativeness(&[8, 9]), 0.0);
        assert_eq!(counts.get(&[1 << BITS]), 0);
        assert_eq!(counts.get(&[0, 1]), 0);
    }
}
