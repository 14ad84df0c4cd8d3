//! Short runs of words with numbers.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::counts::unsound;
use crate::Result;
use crate::files::{Container, ContainerWriter, Section};

/// Phrases while they are collected: each gets a number when it is first seen.
#[derive(Debug, Clone, Default)]
pub struct PhraseBook {
    numbers: HashMap<Box<[u32]>, u32>,
    words: Vec<Box<[u32]>>,
}

impl PhraseBook {
    /// The number of a phrase.
    pub fn number(&mut self, words: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(words) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(words.into());
        self.numbers.insert(words.into(), number);
        number
    }

    /// The words of a phrase.
    pub fn words(&self, number: u32) -> &[u32] {
        &self.words[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The phrases in order of their words, and the number in there of each number here.
    pub fn freeze(&self) -> (Phrases, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.words.len() as u32).collect();
        order.sort_by_key(|&number| &self.words[number as usize]);
        let mut renumbered = vec![0; order.len()];
        let (mut ends, mut words) = (Vec::with_capacity(order.len()), Vec::new());
        for (new, &old) in order.iter().enumerate() {
            renumbered[old as usize] = new as u32;
            words.extend_from_slice(&self.words[old as usize]);
            ends.push(words.len() as u32);
        }
        let mut hashes: Vec<(u64, u32)> =
            order.iter().enumerate().map(|(new, &old)| (hash(&self.words[old as usize]), new as u32)).collect();
        hashes.sort_unstable();
        let (hashes, numbers): (Vec<u64>, Vec<u32>) = hashes.into_iter().unzip();
        let phrases =
            Phrases { ends: ends.into(), words: words.into(), hashes: hashes.into(), numbers: numbers.into() };
        (phrases, renumbered)
    }
}

/// Phrases that stay as they are.
#[derive(Debug, Clone, Default)]
pub struct Phrases {
    ends: Section<u32>,
    words: Section<u32>,
    /// Of all phrases, sorted.
    hashes: Section<u64>,
    /// Whose.
    numbers: Section<u32>,
}

fn hash(words: &[u32]) -> u64 {
    xxh3_64(bytemuck::cast_slice(words))
}

impl Phrases {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words of a phrase.
    pub fn words(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.words[start as usize..self.ends[number] as usize]
    }

    /// The words of all phrases.
    pub fn all_words(&self) -> &[u32] {
        &self.words
    }

    /// The number of a phrase.
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        let (wanted, hashes) = (hash(words), &self.hashes[..]);
        let first = hashes.partition_point(|&hash| hash < wanted);
        let same = hashes[first..].iter().take_while(|&&hash| hash == wanted).count();
        self.numbers[first..first + same].iter().copied().find(|&number| self.words(number) == words)
    }

    /// Adds the sections to a file.
    pub(super) fn write(&self, file: &mut ContainerWriter, name: &str) -> Result<()> {
        file.section(&format!("{name}.ends"), &self.ends)?;
        file.section(&format!("{name}.words"), &self.words)?;
        file.section(&format!("{name}.hashes"), &self.hashes)?;
        file.section(&format!("{name}.numbers"), &self.numbers)
    }

    /// Reads them.
    pub(super) fn read(file: &Container, name: &str) -> Result<Self> {
        let phrases = Self {
            ends: file.section(&format!("{name}.ends"))?,
            words: file.section(&format!("{name}.words"))?,
            hashes: file.section(&format!("{name}.hashes"))?,
            numbers: file.section(&format!("{name}.numbers"))?,
        };
        let (ends, count) = (&phrases.ends[..], phrases.ends.len());
        let sound = ends.first().is_none_or(|&end| end > 0)
            && ends.windows(2).all(|pair| pair[0] < pair[1])
            && ends.last().map_or(0, |&end| end as usize) == phrases.words.len()
            && phrases.hashes.len() == count
            && phrases.numbers.len() == count
            && phrases.numbers.iter().all(|&number| (number as usize) < count);
        if sound { Ok(phrases) } else { Err(unsound(file, &format!("{name}.ends"))) }
    }
}
