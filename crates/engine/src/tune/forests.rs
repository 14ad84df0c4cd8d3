//! The forests of a corpus, as tuners see them.

use rayon::prelude::*;

use crate::forest::kbest::Edges;
use crate::forest::{Edge, Forest};
use crate::metric::{Metric, Scratch, TokenTable};
use crate::{Error, Result};

/// A sentence's forest, with what its words and sparse features are called outside of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tunable {
    /// The forest; its dense features are those of all.
    pub forest: Forest,
    /// Per word of the forest, the metric's token.
    pub tokens: Vec<u32>,
    /// Per sparse feature of the forest, its number among the sparse features of all.
    pub sparse: Vec<u32>,
}

/// A forest per sentence, over the same features.
#[derive(Debug, Clone, PartialEq)]
pub struct Forests {
    dense: usize,
    sparse: usize,
    all: Vec<Tunable>,
}

impl Forests {
    /// Forests over so many dense and sparse features.
    ///
    /// # Errors
    /// A forest with other features, or with words or features that nobody named.
    pub fn new(dense: usize, sparse: usize, all: Vec<Tunable>) -> Result<Self> {
        for (sentence, Tunable { forest, tokens, sparse: names }) in all.iter().enumerate() {
            let fits = forest.feature_names().len() == dense
                && tokens.len() == forest.words().len()
                && names.len() == forest.sparse_names().len()
                && names.iter().all(|&name| (name as usize) < sparse);
            if !fits {
                return Err(Error::input(format!(
                    "the forest of sentence {} has other features or words",
                    sentence + 1
                )));
            }
        }
        Ok(Self { dense, sparse, all })
    }

    /// These derivations together with others, sentence by sentence; words and sparse features get numbers from tables.
    ///
    /// # Errors
    /// Another number of sentences, or forests with other features.
    pub fn merge(&self, others: &[&Forest], tokens: &mut TokenTable, sparse: &mut TokenTable) -> Result<Self> {
        if !self.all.is_empty() && self.all.len() != others.len() {
            let what = format!("{} forests for {} sentences", others.len(), self.all.len());
            return Err(Error::input(what).hint("give a forest for every sentence"));
        }
        let join = |(sentence, other): (usize, &&Forest)| match self.all.get(sentence) {
            Some(known) => known.forest.union(other),
            None => Ok((*other).clone()),
        };
        let joined: Result<Vec<Forest>> = others.par_iter().enumerate().map(join).collect();
        let number = |names: &[String], table: &mut TokenTable| names.iter().map(|name| table.id(name)).collect();
        let mut all = Vec::with_capacity(others.len());
        for forest in joined? {
            let (tokens, sparse) = (number(forest.words(), tokens), number(forest.sparse_names(), sparse));
            all.push(Tunable { forest, tokens, sparse });
        }
        Self::new(self.dense, sparse.tokens().len(), all)
    }

    /// Edges of all forests.
    pub fn edges(&self) -> usize {
        self.all.iter().map(|tunable| tunable.forest.edges()).sum()
    }

    /// Dense features.
    pub fn dense(&self) -> usize {
        self.dense
    }

    /// Weights that these forests need.
    pub fn features(&self) -> usize {
        self.dense + self.sparse
    }

    /// Per sentence, its forest.
    pub fn all(&self) -> &[Tunable] {
        &self.all
    }
}

impl Tunable {
    /// The score of an edge under the weights of all features.
    pub(crate) fn dot(&self, edge: &Edge<'_>, weights: &[f64]) -> f64 {
        let (dense, sparse) = weights.split_at(edge.features.len());
        let sum: f64 = edge.features.iter().zip(dense).map(|(&value, weight)| f64::from(value) * weight).sum();
        let value = |&(name, value): &(u32, f32)| f64::from(value) * sparse[self.sparse[name as usize] as usize];
        edge.sparse.iter().fold(sum, |sum, cell| sum + value(cell))
    }

    /// The metric's tokens of a derivation.
    pub(crate) fn spell(&self, edges: &Edges) -> Vec<u32> {
        self.forest.spell(edges).into_iter().map(|word| self.tokens[word as usize]).collect()
    }

    /// The statistics of a derivation.
    pub(crate) fn stats(&self, metric: &dyn Metric, sentence: usize, edges: &Edges, scratch: &mut Scratch) -> Vec<f64> {
        let mut row = vec![0.0; metric.width()];
        metric.stats(sentence, &self.spell(edges), scratch, &mut row);
        row
    }
}

/// Refuses a metric with other sentences than there are forests.
pub(crate) fn check_sentences(forests: &Forests, metric: &dyn Metric) -> Result<()> {
    if forests.all.len() == metric.sentences() {
        return Ok(());
    }
    let what = format!("{} forests for {} references", forests.all.len(), metric.sentences());
    Err(Error::input(what).hint("give a forest for every sentence"))
}
