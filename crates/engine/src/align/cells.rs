//! Which words meet: one cell for every pair of a source and a target word that share a sentence pair.
//!
//! Cells of one source word are contiguous, and every (source token, target token) of the corpus knows its cell by
//! number, found once. Training then is array arithmetic: no hashing, no searching, one table for both directions.

use super::bitext::Bitext;
use crate::{Error, Result};

/// The cells of a corpus, and the cell of every token pair of the sentence pairs that take part.
#[derive(Debug)]
pub struct Cells {
    /// Cells of source word s: `rows[s]..rows[s + 1]`.
    rows: Vec<u32>,
    /// The target word of each cell.
    columns: Vec<u32>,
    /// Cell numbers of sentence pair k: `starts[k]..starts[k + 1]`, source-major.
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl Cells {
    /// Numbers the cells of the sentence pairs `pairs`, in order.
    ///
    /// # Errors
    /// If there are more cells than 32 bits can number.
    pub fn new(bitext: &Bitext, pairs: &[u32]) -> Result<Self> {
        let (source, target) = (&bitext.source, &bitext.target);
        let mut starts = Vec::with_capacity(bitext.len() + 1);
        starts.push(0);
        let mut total = 0;
        let mut next = pairs.iter().peekable();
        for k in 0..bitext.len() {
            if next.next_if_eq(&&(k as u32)).is_some() {
                total += bitext.shape(k).cells();
            }
            starts.push(total);
        }
        let occurrences = Occurrences::new(bitext, &starts);
        let mut rows = Vec::with_capacity(source.vocabulary() + 1);
        let mut columns = Vec::new();
        let mut numbers = vec![0u32; total];
        // For the row at hand: how often each target word was met, and then its cell.
        let mut met = vec![0u32; target.vocabulary()];
        let mut order = Vec::new();
        for word in 0..source.vocabulary() {
            rows.push(u32::try_from(columns.len()).unwrap_or(u32::MAX));
            for &(k, _) in occurrences.of(word) {
                for &other in target.sentence(k as usize) {
                    if met[other as usize] == 0 {
                        order.push(other);
                    }
                    met[other as usize] += 1;
                }
            }
            for &other in &order {
                met[other as usize] = columns.len() as u32;
                columns.push(other);
            }
            for &(k, i) in occurrences.of(word) {
                let sentence = target.sentence(k as usize);
                let first = starts[k as usize] + i as usize * sentence.len();
                for (number, &other) in numbers[first..first + sentence.len()].iter_mut().zip(sentence) {
                    *number = met[other as usize];
                }
            }
            for other in order.drain(..) {
                met[other as usize] = 0;
            }
            if columns.len() >= u32::MAX as usize {
                return Err(Error::limit("the corpus has more than four thousand million different word pairs")
                    .hint("lower the memory setting, so that it is trained in shards"));
            }
        }
        rows.push(columns.len() as u32);
        Ok(Self { rows, columns, starts, numbers })
    }

    /// The cells alone, when training is over and their numbers can go.
    #[must_use]
    pub fn into_rows(self) -> Self {
        Self { starts: Vec::new(), numbers: Vec::new(), ..self }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether no words meet.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The cells of a source word.
    pub fn row(&self, word: usize) -> std::ops::Range<usize> {
        self.rows[word] as usize..self.rows[word + 1] as usize
    }

    /// The target word of every cell.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The cells of all token pairs of sentence pair `k`, source-major; empty if it takes no part.
    pub fn of(&self, k: usize) -> &[u32] {
        &self.numbers[self.starts[k]..self.starts[k + 1]]
    }

    /// All token pairs of the corpus.
    pub fn token_pairs(&self) -> usize {
        self.numbers.len()
    }

    /// Whether sentence pair `k` takes part in training.
    pub fn takes_part(&self, k: usize) -> bool {
        self.starts[k + 1] > self.starts[k]
    }
}

/// Where each source word occurs: (sentence pair, position), by counting sort.
struct Occurrences {
    starts: Vec<usize>,
    places: Vec<(u32, u16)>,
}

impl Occurrences {
    fn new(bitext: &Bitext, token_pairs: &[usize]) -> Self {
        let side = &bitext.source;
        let taking_part = || (0..side.len()).filter(|&k| token_pairs[k + 1] > token_pairs[k]);
        let mut starts = vec![0usize; side.vocabulary() + 1];
        for k in taking_part() {
            for &word in side.sentence(k) {
                starts[word as usize + 1] += 1;
            }
        }
        for word in 0..side.vocabulary() {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, 0); starts[side.vocabulary()]];
        for k in taking_part() {
            for (i, &word) in side.sentence(k).iter().enumerate() {
                places[next[word as usize]] = (k as u32, i as u16);
                next[word as usize] += 1;
            }
        }
        Self { starts, places }
    }

    fn of(&self, word: usize) -> &[(u32, u16)] {
        &self.places[self.starts[word]..self.starts[word + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitext::{Bitext, Side};
    use super::*;

    fn bitext() -> Bitext {
        let source = Side::new([&[0u32, 1][..], &[0, 0], &[]], 2);
        let target = Side::new([&[2u32, 0][..], &[2], &[1]], 3);
        Bitext::new(source, target).unwrap()
    }

    #[test]
    fn numbers_every_token_pair() {
        let bitext = bitext();
        let cells = Cells::new(&bitext, &[0, 1, 2]).unwrap();
        assert_eq!(cells.len(), 4);
        for k in 0..bitext.len() {
            let (source, target) = (bitext.source.sentence(k), bitext.target.sentence(k));
            for (i, &s) in source.iter().enumerate() {
                for (j, &t) in target.iter().enumerate() {
                    let cell = cells.of(k)[i * target.len() + j] as usize;
                    assert!(cells.row(s as usize).contains(&cell));
                    assert_eq!(cells.columns()[cell], t);
                }
            }
        }
    }

    #[test]
    fn leaves_out_what_takes_no_part() {
        let cells = Cells::new(&bitext(), &[1]).unwrap();
        assert_eq!((cells.len(), cells.token_pairs()), (1, 2));
        assert!(!cells.takes_part(0) && cells.takes_part(1));
    }
}
