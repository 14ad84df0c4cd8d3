//! Weights that learn: steps of several kinds, and their average over time.

use super::{Features, Weights};

/// How far weights move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// As far as the rate says (perceptron; Collins 2002).
    Perceptron {
        /// How far.
        rate: f64,
    },
    /// As far as it takes for the better path to be ahead by 1, at most as the cap says (passive-aggressive; Crammer et al.
    /// 2006).
    Passive {
        /// The farthest.
        cap: f64,
    },
    /// As far as it takes to be ahead by what it is better, at most as the cap says (MIRA; Crammer & Singer 2003).
    Mira {
        /// The farthest.
        cap: f64,
    },
    /// Less far for features that moved before (AdaGrad; Duchi et al. 2011).
    AdaGrad {
        /// How far the first time.
        rate: f64,
    },
}

/// Weights and what is remembered of how they came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Learner {
    /// The weights now.
    pub weights: Vec<f64>,
    /// The sum of all moves, each times when it was made: from it comes the average (Daumé III 2006, section 2.1.1).
    pub moved: Vec<f64>,
    /// Examples seen, and one.
    pub count: f64,
    /// The sum of squares of what features moved by.
    pub squares: Vec<f64>,
    /// By how much each feature moves: less where its values are large.
    pub rates: Vec<f64>,
    /// How often the weights were changed.
    pub version: u64,
}

impl Learner {
    /// Begins with these weights.
    pub fn new(weights: Vec<f64>) -> Self {
        let none = vec![0.0; weights.len()];
        Self { moved: none.clone(), squares: none, rates: vec![1.0; weights.len()], weights, count: 1.0, version: 1 }
    }

    /// Makes room for this many features; those that are new weigh nothing, as if they had been there all along.
    pub fn grow(&mut self, count: usize) {
        let count = count.max(self.weights.len());
        [&mut self.weights, &mut self.moved, &mut self.squares].into_iter().for_each(|each| each.resize(count, 0.0));
        self.rates.resize(count, 1.0);
    }

    /// The weights as they are.
    pub fn view(&self) -> Weights<'_> {
        Weights { values: &self.weights, version: self.version }
    }

    /// The average over all examples.
    pub fn average(&self) -> Vec<f64> {
        self.weights.iter().zip(&self.moved).map(|(weight, moved)| weight - moved / self.count).collect()
    }

    /// Moves towards what was better by `gap`: the difference of the features of both paths, each feature once.
    pub fn update(&mut self, difference: &Features, step: Step, gap: f64) {
        let far = match step {
            Step::Perceptron { rate } | Step::AdaGrad { rate } => rate,
            Step::Passive { cap } => self.needed(difference, 1.0).min(cap),
            Step::Mira { cap } => self.needed(difference, gap).min(cap),
        };
        for &(feature, value) in difference {
            let at = feature as usize;
            let mut by = far * value * self.rates[at];
            if let Step::AdaGrad { .. } = step {
                self.squares[at] += value * value * self.rates[at];
                by /= (self.squares[at] + 1e-12).sqrt();
            }
            self.weights[at] += by;
            self.moved[at] += self.count * by;
        }
        self.version += 1;
    }

    /// How likely it is by the weights that what is better is not: a logistic function of how far it is ahead.
    pub fn doubt(&self, difference: &Features) -> f64 {
        let ahead: f64 = difference.iter().map(|&(feature, value)| self.weights[feature as usize] * value).sum();
        1.0 / (1.0 + ahead.exp())
    }

    /// How far to go for the better path to be ahead by a margin.
    fn needed(&self, difference: &Features, margin: f64) -> f64 {
        let ahead: f64 = difference.iter().map(|&(feature, value)| self.weights[feature as usize] * value).sum();
        let length: f64 = difference.iter().map(|&(feature, value)| value * value * self.rates[feature as usize]).sum();
        if length > 0.0 { ((margin - ahead) / length).max(0.0) } else { 0.0 }
    }
}
