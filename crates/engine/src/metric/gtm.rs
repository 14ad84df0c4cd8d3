//! The General Text Matcher (Melamed, Green and Turian 2003; Turian, Shen and Melamed 2003): F of a maximum matching
//! that prefers words in runs.

use super::texts::Texts;
use super::{Metric, Scratch};
use crate::{Error, Result};

/// GTM with its references. A row: size of the matching with the reference of the highest F, length of the hypothesis,
/// length of that reference.
#[derive(Debug, Clone)]
pub struct Gtm {
    exponent: f64,
    references: Vec<Texts>,
}

impl Gtm {
    /// Takes references: each a whole text, all of as many sentences. A run of n words counts n^exponent.
    ///
    /// # Errors
    /// The exponent is below 1 or not a number.
    pub fn new(references: Vec<Texts>, exponent: f64) -> Result<Self> {
        if !(1.0..=100.0).contains(&exponent) {
            return Err(Error::settings("the exponent of GTM must be a number from 1 to 100"));
        }
        Ok(Self { exponent, references })
    }
}

impl Metric for Gtm {
    fn width(&self) -> usize {
        3
    }

    fn sentences(&self) -> usize {
        self.references.first().map_or(0, Texts::len)
    }

    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]) {
        let mut best = -1.0;
        for text in &self.references {
            let reference = text.get(sentence);
            let size = matching(hypothesis, reference, self.exponent, scratch);
            let found = [size, hypothesis.len() as f64, reference.len() as f64];
            let score = self.score(&found);
            if score > best {
                best = score;
                row.copy_from_slice(&found);
            }
        }
    }

    fn score(&self, sum: &[f64]) -> f64 {
        // F of size/hypothesis and size/reference.
        let length = sum[1] + sum[2];
        if length > 0.0 { 100.0 * (2.0 * sum[0] / length) } else { 0.0 }
    }
}

/// The size of a matching found greedily: the longest run of words not yet matched, again and again; of runs as long,
/// the one that begins first in `a`, then in `b`.
///
/// A matching of maximum size is hard to find for exponents above 1; taking the longest run is the approximation of
/// Turian, Shen and Melamed. For an exponent of 1 it is exact.
pub fn matching(a: &[u32], b: &[u32], exponent: f64, scratch: &mut Scratch) -> f64 {
    let Scratch { used, symbols, pieces, .. } = scratch;
    // What is matched, in a and in b; and, per end in b, the run that ends there and in the current word of a.
    for (taken, length) in [(&mut *symbols, a.len()), (&mut *pieces, b.len())] {
        taken.clear();
        taken.resize(length, 0);
    }
    let mut size = 0.0;
    loop {
        used.clear();
        used.resize(b.len() + 1, 0);
        // Length, end in a, end in b.
        let mut longest = (0, 0, 0);
        for (i, word) in a.iter().enumerate() {
            // From the right, so that the run one word earlier in both is still there.
            for j in (0..b.len()).rev() {
                let free = symbols[i] == 0 && pieces[j] == 0 && *word == b[j];
                used[j + 1] = if free { used[j] + 1 } else { 0 };
            }
            for (end, &length) in used.iter().enumerate() {
                if length > longest.0 {
                    longest = (length, i + 1, end);
                }
            }
        }
        let (length, end_a, end_b) = (longest.0 as usize, longest.1, longest.2);
        if length == 0 {
            return f64::powf(size, 1.0 / exponent);
        }
        size += (length as f64).powf(exponent);
        symbols[end_a - length..end_a].fill(1);
        pieces[end_b - length..end_b].fill(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_count_more() {
        let size = |exponent| matching(&[1, 2, 3, 9, 4], &[4, 1, 2, 3], exponent, &mut Scratch::default());
        assert!((size(1.0) - 4.0).abs() < 1e-12);
        assert!((size(2.0) - 10.0_f64.sqrt()).abs() < 1e-12);
        assert!(Gtm::new(Vec::new(), 0.5).is_err());
        assert!(Gtm::new(Vec::new(), f64::NAN).is_err());
    }
}
