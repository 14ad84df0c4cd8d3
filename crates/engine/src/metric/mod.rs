//! How good translations are, given references: counts that add up over sentences, and scores of their sums.
//!
//! Every metric here turns a hypothesis into a row of numbers, its *sufficient statistics*. Rows of sentences are
//! summed, and a score is a function of the sum; so a corpus, a resample of it ([`resample`]) and a pseudo-document of
//! past decisions ([`background`]) are scored alike. Tuners ask for a row per entry of an n-best list: hypotheses are
//! token ids, references are prepared once, and [`Metric::stats`] allocates nothing once its [`Scratch`] has grown.

pub mod background;
pub mod bleu;
pub mod chrf;
pub mod edits;
pub mod gtm;
pub mod nist;
pub mod rates;
pub mod resample;
pub mod ter;
pub mod texts;
pub mod tokenise;
pub mod tries;

use rayon::prelude::*;

pub use texts::{Spelling, Texts, TokenTable};

/// A metric with its references prepared.
pub trait Metric: Send + Sync {
    /// Numbers in a row of statistics.
    fn width(&self) -> usize;

    /// Sentences there are references for.
    fn sentences(&self) -> usize;

    /// Whether a higher score is better; error rates answer no.
    fn higher_is_better(&self) -> bool {
        true
    }

    /// Writes the statistics of a hypothesis for a sentence into a row of [`Metric::width`] numbers.
    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]);

    /// The score of summed statistics.
    fn score(&self, sum: &[f64]) -> f64;

    /// The score of a single sentence; some metrics smooth it differently.
    fn sentence_score(&self, row: &[f64]) -> f64 {
        self.score(row)
    }
}

/// Memory that [`Metric::stats`] works in; keep one per thread and hand it in again.
#[derive(Default)]
pub struct Scratch {
    used: Vec<u32>,
    symbols: Vec<u32>,
    pieces: Vec<u32>,
    row: Vec<f64>,
    edits: edits::Scratch,
}

/// The rows of many hypotheses, one after the other; the i-th is for sentence `sentences(i)`.
pub fn all_stats(metric: &dyn Metric, hypotheses: &Texts, sentence: impl Fn(usize) -> usize + Sync) -> Vec<f64> {
    let width = metric.width();
    let mut rows = vec![0.0; width * hypotheses.len()];
    rows.par_chunks_mut(width).enumerate().with_min_len(16).for_each_init(Scratch::default, |scratch, (i, row)| {
        metric.stats(sentence(i), hypotheses.get(i), scratch, row);
    });
    rows
}

/// The sum of rows.
pub fn sum(rows: &[f64], width: usize) -> Vec<f64> {
    let mut total = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        add(&mut total, row);
    }
    total
}

/// Adds a row to a sum.
pub fn add(sum: &mut [f64], row: &[f64]) {
    for (total, value) in sum.iter_mut().zip(row) {
        *total += value;
    }
}
