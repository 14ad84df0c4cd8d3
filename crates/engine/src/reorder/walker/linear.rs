//! Linear classifiers with L2 regularisation, by dual coordinate descent: logistic regression, and support vector
//! machines with a plain or squared hinge.
//!
//! Minimises ½‖w‖² + C Σ loss(y w·x). Each step minimises the dual in one variable. For logistic loss (Yu, Huang and Lin
//! 2011) that is the root of a·(Cσ(t) - α) + y w·x + t in the logit t of the variable, whose slope is at least 1, so that
//! Newton's method, kept within a bracket, finds it without logarithms of small numbers. For hinges it has a closed form
//! (Hsieh et al. 2008).

use crate::error::{Error, Result};

/// What is minimised beside the norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// log(1 + exp(-margin)).
    Logistic,
    /// max(0, 1 - margin).
    Hinge,
    /// max(0, 1 - margin)².
    SquaredHinge,
}

impl Loss {
    /// The loss of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "logistic" => Self::Logistic,
            "hinge" => Self::Hinge,
            "squared-hinge" => Self::SquaredHinge,
            _ => {
                let what = format!("there is no loss {name:?}");
                return Err(Error::settings(what).hint("choose from logistic, hinge, squared-hinge"));
            }
        })
    }
}

/// Examples as lists of features that are 1; a feature that is listed twice is 2.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    offsets: Vec<usize>,
    features: Vec<u32>,
}

impl Examples {
    /// Adds one.
    pub fn push(&mut self, features: &[u32]) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.features.extend_from_slice(features);
        self.offsets.push(self.features.len());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features of one.
    #[must_use]
    pub fn get(&self, at: usize) -> &[u32] {
        &self.features[self.offsets[at]..self.offsets[at + 1]]
    }

    /// ‖x‖² of one.
    fn square(&self, at: usize, sorted: &mut Vec<u32>) -> f64 {
        sorted.clear();
        sorted.extend_from_slice(self.get(at));
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|same| (same.len() * same.len()) as f64).sum()
    }
}

/// How to train.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The loss.
    pub loss: Loss,
    /// The weight of the loss.
    pub cost: f64,
    /// Passes over the examples at most.
    pub passes: usize,
    /// The largest step of a pass, in the margin, at which training stops.
    pub tolerance: f64,
    /// Of the order of examples.
    pub seed: u64,
}

/// w·x.
#[must_use]
pub fn dot(weights: &[f64], features: &[u32]) -> f64 {
    features.iter().map(|&feature| weights[feature as usize]).sum()
}

/// Weights for examples among `which`, whose labels are true for the positive class.
#[must_use]
pub fn train(
    examples: &Examples,
    which: &[u32],
    label: impl Fn(u32) -> bool,
    width: usize,
    set: &Settings,
) -> Vec<f64> {
    let mut weights = vec![0.0; width];
    let mut sorted = Vec::new();
    let squares: Vec<f64> = which.iter().map(|&at| examples.square(at as usize, &mut sorted)).collect();
    // For logistic loss the dual variable is strictly between 0 and C; most end near 0.
    let begin = if set.loss == Loss::Logistic { set.cost * 1e-3 } else { 0.0 };
    let mut dual = vec![begin; which.len()];
    if begin > 0.0 {
        for &at in which {
            let step = if label(at) { begin } else { -begin };
            examples.get(at as usize).iter().for_each(|&feature| weights[feature as usize] += step);
        }
    }
    let mut order: Vec<usize> = (0..which.len()).collect();
    let mut random = Random(set.seed);
    for _ in 0..set.passes {
        random.shuffle(&mut order);
        let mut largest = 0.0_f64;
        for &i in &order {
            if squares[i] == 0.0 {
                continue;
            }
            let features = examples.get(which[i] as usize);
            let sign = if label(which[i]) { 1.0 } else { -1.0 };
            let margin = sign * dot(&weights, features);
            let old = dual[i];
            let new = match set.loss {
                Loss::Logistic => logistic(squares[i], margin, old, set.cost),
                Loss::Hinge => (old - (margin - 1.0) / squares[i]).clamp(0.0, set.cost),
                Loss::SquaredHinge => {
                    let ridge = 0.5 / set.cost;
                    (old - (margin - 1.0 + ridge * old) / (squares[i] + ridge)).max(0.0)
                }
            };
            let step = new - old;
            if step != 0.0 {
                dual[i] = new;
                largest = largest.max(step.abs() * squares[i]);
                features.iter().for_each(|&feature| weights[feature as usize] += sign * step);
            }
        }
        if largest < set.tolerance {
            break;
        }
    }
    weights
}

/// The dual variable that minimises logistic loss in one coordinate.
fn logistic(square: f64, margin: f64, old: f64, cost: f64) -> f64 {
    let sigmoid = |t: f64| 1.0 / (1.0 + (-t).exp());
    let share = (old / cost).clamp(1e-12, 1.0 - 1e-12);
    let mut t = (share / (1.0 - share)).ln();
    // The root has |t| ≤ |margin| + a C.
    let far = margin.abs() + square * cost + 1.0;
    let (mut low, mut high) = (-far, far);
    t = t.clamp(low, high);
    for _ in 0..50 {
        let at = sigmoid(t);
        let value = square * (cost * at - old) + margin + t;
        if value.abs() < 1e-10 {
            break;
        }
        if value > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let next = t - value / (square * cost * at * (1.0 - at) + 1.0);
        t = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    cost * sigmoid(t)
}

/// A small generator of random numbers (splitmix64).
#[derive(Debug, Clone, Copy)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
