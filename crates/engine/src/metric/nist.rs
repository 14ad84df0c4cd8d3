//! NIST (Doddington 2002): matches weighted by how much a word tells after the words before it.

use super::texts::Texts;
use super::tries::{Merge, Tries};
use super::{Metric, Scratch};
use crate::{Error, Result};

/// The longest n-grams NIST may count.
pub const MOST_ORDER: usize = 16;

/// NIST with its references.
///
/// A row: hypothesis length, mean reference length, information of the matches per order, n-grams per order.
#[derive(Debug, Clone)]
pub struct Nist {
    order: usize,
    tries: Tries,
    /// Per node of the tries, the information of its n-gram in bits.
    information: Vec<f64>,
    lengths: Vec<f64>,
}

impl Nist {
    /// Prepares references: each a whole text, all of as many sentences.
    ///
    /// # Errors
    /// The order is 0 or too large.
    ///
    /// # Panics
    /// If the texts differ in length.
    pub fn new(references: &[&Texts], order: usize) -> Result<Self> {
        if order == 0 || order > MOST_ORDER {
            return Err(Error::settings(format!("NIST counts n-grams of 1 to {MOST_ORDER} words")));
        }
        let sentences = references.first().map_or(0, |text| text.len());
        // Sentences stay apart: no n-gram runs from one into the next.
        let all: Vec<&[u32]> =
            references.iter().flat_map(|text| (0..sentences).map(move |sentence| text.get(sentence))).collect();
        let mut corpus = Tries::new(order);
        corpus.push(&all, Merge::Sum);
        let words: usize = all.iter().map(|words| words.len()).sum();

        let mut tries = Tries::new(order);
        let mut lengths = Vec::with_capacity(sentences);
        for sentence in 0..sentences {
            let here: Vec<&[u32]> = references.iter().map(|text| text.get(sentence)).collect();
            tries.push(&here, Merge::Max);
            lengths.push(here.iter().map(|words| words.len() as f64).sum::<f64>() / here.len() as f64);
        }
        let mut information = vec![0.0; tries.all_nodes()];
        for sentence in 0..sentences {
            let base = tries.base(sentence);
            tries.each_ngram(sentence, |node, ngram| {
                let (before, _) = ngram.split_at(ngram.len() - 1);
                // Equation 2: log2 of the occurrences of the first words over those of all.
                let first = if before.is_empty() { words as f64 } else { f64::from(corpus.count(0, before)) };
                information[base + node] = (first / f64::from(corpus.count(0, ngram))).log2();
            });
        }
        Ok(Self { order, tries, information, lengths })
    }
}

impl Metric for Nist {
    fn width(&self) -> usize {
        2 + 2 * self.order
    }

    fn sentences(&self) -> usize {
        self.lengths.len()
    }

    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]) {
        row.fill(0.0);
        row[0] = hypothesis.len() as f64;
        row[1] = self.lengths[sentence];
        let (gained, totals) = row[2..].split_at_mut(self.order);
        let information = &self.information[self.tries.base(sentence)..];
        let used = &mut scratch.used;
        self.tries.matches(sentence, hypothesis, used, |level, node| gained[level] += information[node]);
        for (n, total) in totals.iter_mut().enumerate() {
            *total = hypothesis.len().saturating_sub(n) as f64;
        }
    }

    fn score(&self, sum: &[f64]) -> f64 {
        let (gained, totals) = sum[2..].split_at(self.order);
        let mean: f64 = gained.iter().zip(totals).map(|(g, t)| if *t > 0.0 { g / t } else { 0.0 }).sum();
        mean * brevity(sum[0], sum[1])
    }
}

/// Half the score for an output two thirds as long as the references (Equation 3).
fn brevity(hypothesis: f64, reference: f64) -> f64 {
    if hypothesis >= reference {
        return 1.0;
    }
    let beta = 0.5_f64.ln() / 1.5_f64.ln().powi(2);
    if hypothesis > 0.0 { (beta * (hypothesis / reference).ln().powi(2)).exp() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // References "a b a" and "c": a occurs 2 times in 4 words, b once; "a b" and "b a" are sure after their first.
        let references: Texts = [vec![0, 1, 0], vec![2]].into_iter().collect();
        let nist = Nist::new(&[&references], 2).unwrap();
        let mut row = vec![0.0; nist.width()];
        nist.stats(0, &[0, 1], &mut Scratch::default(), &mut row);
        // Information of a: log2(4/2) = 1; of b: log2(4/1) = 2; of "a b": log2(2/1) = 1.
        assert_eq!(row, [2.0, 3.0, 3.0, 1.0, 2.0, 1.0]);
        assert!((nist.score(&row) - 2.5 * 0.5).abs() < 1e-12);
    }
}
