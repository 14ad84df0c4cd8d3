//! Scoring a sentence in the company of those before it (Chiang, Marton and Resnik 2008, section 3).
//!
//! BLEU of one sentence is coarse, and summed over sentences it is not the BLEU of their text. Instead a sentence is
//! scored together with a decaying sum of the statistics of past decisions, times the length of what was translated.

use super::{Metric, add};

/// The decaying sum of past statistics, and of the lengths of the sources they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    sum: Vec<f64>,
    source: f64,
    decay: f64,
    joined: Vec<f64>,
}

impl Background {
    /// An empty past; `decay` is what remains of it after each sentence (0.9 in the paper).
    pub fn new(width: usize, decay: f64) -> Self {
        Self { sum: vec![0.0; width], source: 0.0, decay, joined: Vec::with_capacity(width) }
    }

    /// What a row would add to the score of the past, scaled by the words translated so far and now.
    pub fn score(&mut self, metric: &dyn Metric, row: &[f64], source_words: usize) -> f64 {
        self.joined.clone_from(&self.sum);
        add(&mut self.joined, row);
        (self.source + source_words as f64) * metric.score(&self.joined)
    }

    /// Takes the row of a decision into the past.
    pub fn update(&mut self, row: &[f64], source_words: usize) {
        add(&mut self.sum, row);
        self.sum.iter_mut().for_each(|value| *value *= self.decay);
        self.source = self.decay * (self.source + source_words as f64);
    }

    /// The statistics of the past.
    pub fn sum(&self) -> &[f64] {
        &self.sum
    }

    /// The decayed number of source words.
    pub fn source(&self) -> f64 {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use super::super::bleu::{Bleu, Settings, Smoothing, score};
    use super::*;

    #[test]
    fn the_past_decays() {
        let bleu = Bleu::new(&[], Settings { smoothing: Smoothing::None, ..Settings::default() }).unwrap();
        let good = [5.0, 5.0, 5.0, 4.0, 3.0, 2.0, 5.0, 4.0, 3.0, 2.0];
        let bad = [5.0, 5.0, 1.0, 0.0, 0.0, 0.0, 5.0, 4.0, 3.0, 2.0];
        let mut past = Background::new(10, 0.9);
        assert_eq!(past.score(&bleu, &bad, 6), 0.0);
        past.update(&good, 6);
        assert!((past.source() - 5.4).abs() < 1e-12);
        let joined: Vec<f64> = good.iter().zip(&bad).map(|(past, now)| 0.9 * past + now).collect();
        let expected = 11.4 * score(&joined, Smoothing::None, false);
        assert!(expected > 0.0);
        assert!((past.score(&bleu, &bad, 6) - expected).abs() < 1e-9);
    }
}
