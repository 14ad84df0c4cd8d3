//! Lists of translations with features and statistics, in flat arrays.

use hashbrown::HashSet;
use rayon::prelude::*;

use super::{check, gain};
use crate::metric::{Metric, add};
use crate::{Error, Result};

/// How wide the rows of lists are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Dense features.
    pub dense: usize,
    /// Sparse features there are names for.
    pub sparse: usize,
    /// Numbers in a row of the metric's statistics.
    pub stats: usize,
}

/// The arrays of lists: hypotheses of the first sentence, then of the second, and so on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parts {
    /// Per sentence its first hypothesis, and an end.
    pub begins: Vec<usize>,
    /// A row of dense features per hypothesis.
    pub dense: Vec<f32>,
    /// Per hypothesis its first sparse feature, and an end.
    pub sparse_begins: Vec<usize>,
    /// Sparse features with values, by rising number within a hypothesis.
    pub sparse: Vec<(u32, f32)>,
    /// A row of statistics per hypothesis.
    pub stats: Vec<f64>,
    /// Per hypothesis a hash of its words.
    pub words: Vec<u64>,
}

/// For each sentence, translations.
#[derive(Debug, Clone, PartialEq)]
pub struct NBestLists {
    shape: Shape,
    parts: Parts,
}

impl NBestLists {
    /// No hypotheses, for so many sentences.
    pub fn new(shape: Shape, sentences: usize) -> Self {
        let parts = Parts { begins: vec![0; sentences + 1], sparse_begins: vec![0], ..Parts::default() };
        Self { shape, parts }
    }

    /// From arrays.
    ///
    /// # Errors
    /// Arrays that do not fit each other, or numbers that are not finite.
    pub fn from_parts(shape: Shape, mut parts: Parts) -> Result<Self> {
        let count = parts.words.len();
        let ends = |begins: &[usize], end: usize| {
            begins.first() == Some(&0) && begins.last() == Some(&end) && begins.is_sorted()
        };
        if !ends(&parts.begins, count)
            || !ends(&parts.sparse_begins, parts.sparse.len())
            || parts.sparse_begins.len() != count + 1
            || parts.dense.len() != count * shape.dense
            || parts.stats.len() != count * shape.stats
        {
            return Err(Error::input("the arrays of n-best lists do not fit each other"));
        }
        let finite = |value: &f32| value.is_finite();
        if !parts.dense.iter().all(finite) || !parts.sparse.iter().all(|(_, value)| value.is_finite()) {
            let what = "a feature of a hypothesis is not a finite number";
            return Err(Error::input(what).hint("look for probabilities of 0 whose logarithm was taken"));
        }
        if !parts.stats.iter().all(|value| value.is_finite()) {
            return Err(Error::input("the statistics of a hypothesis are not finite numbers"));
        }
        for row in parts.sparse_begins.windows(2).map(|pair| &parts.sparse[pair[0]..pair[1]]) {
            if !row.is_sorted_by(|a, b| a.0 < b.0) || row.last().is_some_and(|last| last.0 as usize >= shape.sparse) {
                return Err(Error::input("the sparse features of a hypothesis do not rise, or have no name"));
            }
        }
        // -0 is 0: duplicates are found by bits.
        parts.dense.iter_mut().for_each(|value| *value += 0.0);
        parts.sparse.iter_mut().for_each(|(_, value)| *value += 0.0);
        Ok(Self { shape, parts })
    }

    /// How wide the rows are.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Weights that these lists need: dense and sparse features.
    pub fn features(&self) -> usize {
        self.shape.dense + self.shape.sparse
    }

    /// Sentences.
    pub fn sentences(&self) -> usize {
        self.parts.begins.len() - 1
    }

    /// Hypotheses of all sentences.
    pub fn hypotheses(&self) -> usize {
        self.parts.words.len()
    }

    /// The hypotheses of a sentence.
    pub fn of(&self, sentence: usize) -> std::ops::Range<usize> {
        self.parts.begins[sentence]..self.parts.begins[sentence + 1]
    }

    /// The dense features of a hypothesis.
    pub fn dense(&self, hypothesis: usize) -> &[f32] {
        &self.parts.dense[hypothesis * self.shape.dense..][..self.shape.dense]
    }

    /// The sparse features of a hypothesis.
    pub fn sparse(&self, hypothesis: usize) -> &[(u32, f32)] {
        &self.parts.sparse[self.parts.sparse_begins[hypothesis]..self.parts.sparse_begins[hypothesis + 1]]
    }

    /// The statistics of a hypothesis.
    pub fn stats(&self, hypothesis: usize) -> &[f64] {
        &self.parts.stats[hypothesis * self.shape.stats..][..self.shape.stats]
    }

    /// The score of a hypothesis under weights.
    pub fn dot(&self, hypothesis: usize, weights: &[f64]) -> f64 {
        let (dense, sparse) = weights.split_at(self.shape.dense);
        let sum: f64 = self.dense(hypothesis).iter().zip(dense).map(|(&value, weight)| f64::from(value) * weight).sum();
        self.sparse(hypothesis).iter().fold(sum, |sum, &(name, value)| sum + f64::from(value) * sparse[name as usize])
    }

    /// Adds `factor` times the features of a hypothesis to a vector, where `free`.
    pub(crate) fn add_to(&self, hypothesis: usize, factor: f64, free: &[bool], vector: &mut [f64]) {
        for (at, &value) in self.dense(hypothesis).iter().enumerate() {
            if free[at] {
                vector[at] += factor * f64::from(value);
            }
        }
        for &(name, value) in self.sparse(hypothesis) {
            let at = self.shape.dense + name as usize;
            if free[at] {
                vector[at] += factor * f64::from(value);
            }
        }
    }

    /// The best hypothesis of each sentence, the first of equals; none for sentences without any.
    ///
    /// # Errors
    /// Weights that do not fit.
    pub fn best(&self, weights: &[f64]) -> Result<Vec<Option<usize>>> {
        check(weights, self.features())?;
        Ok(self.choose(weights))
    }

    pub(crate) fn choose(&self, weights: &[f64]) -> Vec<Option<usize>> {
        let best = |sentence| {
            let mut best: Option<(f64, usize)> = None;
            for hypothesis in self.of(sentence) {
                let score = self.dot(hypothesis, weights);
                if best.is_none_or(|(top, _)| score > top) {
                    best = Some((score, hypothesis));
                }
            }
            best.map(|(_, hypothesis)| hypothesis)
        };
        (0..self.sentences()).into_par_iter().with_min_len(16).map(best).collect()
    }

    /// The summed statistics of what weights choose.
    pub(crate) fn chosen_sum(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.shape.stats];
        for hypothesis in self.choose(weights).into_iter().flatten() {
            add(&mut sum, self.stats(hypothesis));
        }
        sum
    }

    /// How good what weights choose is, higher being better.
    pub(crate) fn gain(&self, metric: &dyn Metric, weights: &[f64]) -> f64 {
        gain(metric, &self.chosen_sum(weights))
    }

    /// These lists and others' of the same sentences, without duplicates: hypotheses with the same words and features.
    /// What stood here first stays first.
    ///
    /// # Errors
    /// The lists are of different shapes.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let (mine, theirs) = (self.shape, other.shape);
        if (mine.dense, mine.stats, self.sentences()) != (theirs.dense, theirs.stats, other.sentences()) {
            return Err(Error::input("lists with other sentences, features or statistics cannot be merged"));
        }
        let mut merged = Self::new(Shape { sparse: mine.sparse.max(theirs.sparse), ..mine }, 0);
        let mut seen = HashSet::new();
        for sentence in 0..self.sentences() {
            seen.clear();
            for (lists, hypothesis) in
                self.of(sentence).map(|at| (self, at)).chain(other.of(sentence).map(|at| (other, at)))
            {
                if seen.insert(lists.key(hypothesis)) {
                    merged.push(lists, hypothesis);
                }
            }
            merged.parts.begins.push(merged.parts.words.len());
        }
        Ok(merged)
    }

    /// What two hypotheses share only if they are the same.
    fn key(&self, hypothesis: usize) -> (u64, Vec<u32>) {
        let mut bits: Vec<u32> = self.dense(hypothesis).iter().map(|value| value.to_bits()).collect();
        bits.extend(self.sparse(hypothesis).iter().flat_map(|&(name, value)| [name, value.to_bits()]));
        (self.parts.words[hypothesis], bits)
    }

    fn push(&mut self, lists: &Self, hypothesis: usize) {
        self.parts.dense.extend_from_slice(lists.dense(hypothesis));
        self.parts.sparse.extend_from_slice(lists.sparse(hypothesis));
        self.parts.sparse_begins.push(self.parts.sparse.len());
        self.parts.stats.extend_from_slice(lists.stats(hypothesis));
        self.parts.words.push(lists.parts.words[hypothesis]);
    }
}

/// A hash of words, for [`Parts::words`].
pub fn hash_words(words: &[u32]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(words))
}
