//! Words in a row that patterns are made of, each looked up in the suffix arrays once.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::index::Index;

/// Sequences of words of one side, by number.
#[derive(Debug)]
pub struct Chunks {
    side: usize,
    segments: usize,
    numbers: HashMap<Box<[u32]>, u32>,
    words: Vec<u32>,
    ends: Vec<u32>,
    /// For each sequence and each segment where its occurrences are in the suffix array, as begin and end.
    ranges: Vec<[u32; 2]>,
    totals: Vec<u64>,
}

impl Chunks {
    /// None yet, of the source (0) or the target side (1).
    pub fn new(index: &Index, side: usize) -> Self {
        Self {
            side,
            segments: index.segments.len(),
            numbers: HashMap::new(),
            words: Vec::new(),
            ends: Vec::new(),
            ranges: Vec::new(),
            totals: Vec::new(),
        }
    }

    /// The number of a sequence, new if it was not there.
    pub fn add(&mut self, words: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(words) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.numbers.insert(words.into(), number);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        number
    }

    /// The number of a sequence that is there.
    pub fn number(&self, words: &[u32]) -> Option<u32> {
        self.numbers.get(words).copied()
    }

    /// Looks all up.
    pub fn resolve(&mut self, index: &Index) {
        let found: Vec<Vec<[u32; 2]>> = (0..self.ends.len() as u32)
            .into_par_iter()
            .map(|number| {
                let find = |range: std::ops::Range<u32>| [range.start, range.end];
                index.segments.iter().map(|part| find(part.sides[self.side].find(self.words(number)))).collect()
            })
            .collect();
        self.totals = found.iter().map(|own| own.iter().map(|[begin, end]| u64::from(end - begin)).sum()).collect();
        self.ranges = found.concat();
    }

    /// The side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// A sequence.
    #[inline]
    pub fn words(&self, number: u32) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] as usize };
        &self.words[start..self.ends[number as usize] as usize]
    }

    /// How often it occurs.
    #[inline]
    pub fn total(&self, number: u32) -> u64 {
        self.totals[number as usize]
    }

    /// Where it occurs in each segment.
    #[inline]
    pub fn ranges(&self, number: u32) -> &[[u32; 2]] {
        &self.ranges[number as usize * self.segments..][..self.segments]
    }
}
