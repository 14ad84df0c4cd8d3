//! The weights of a walker.

use super::features::Hasher;
use crate::error::{Error, Result};

/// EMIT, UP, DOWN.
pub const CLASSES: usize = 3;

/// Weights of both stages, in hash buckets.
#[derive(Debug, Clone)]
pub struct Model {
    bits: u32,
    /// Stage 1: the weights of the three classes side by side.
    pub first: Vec<f32>,
    /// Stage 2: positive for the left child.
    pub second: Vec<f32>,
}

/// Fewer buckets hold nothing, more are a slip.
pub const BITS: std::ops::RangeInclusive<u32> = 8..=26;

impl Model {
    /// A model that knows nothing.
    ///
    /// # Errors
    /// There are too few or too many buckets.
    pub fn new(bits: u32) -> Result<Self> {
        if !BITS.contains(&bits) {
            let what = format!("a walker has 2^8 to 2^26 buckets for features, not 2^{bits}");
            return Err(Error::settings(what));
        }
        let buckets = 1 << bits;
        Ok(Self { bits, first: vec![0.0; buckets * CLASSES], second: vec![0.0; buckets] })
    }

    /// A model with given weights.
    ///
    /// # Errors
    /// Their number is wrong, or one is not a number.
    pub fn from_weights(bits: u32, first: Vec<f32>, second: Vec<f32>) -> Result<Self> {
        let empty = Self::new(bits)?;
        if first.len() != empty.first.len() || second.len() != empty.second.len() {
            return Err(Error::format("the walker has another number of weights than its settings say"));
        }
        if first.iter().chain(&second).any(|weight| !weight.is_finite()) {
            return Err(Error::format("a weight of the walker is not a finite number"));
        }
        Ok(Self { bits, first, second })
    }

    /// How features become buckets.
    #[must_use]
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self.bits)
    }

    /// Adds the scores of the three classes.
    pub fn add_scores(&self, features: &[u32], scores: &mut [f32; CLASSES]) {
        for &feature in features {
            let at = feature as usize * CLASSES;
            for (score, weight) in scores.iter_mut().zip(&self.first[at..at + CLASSES]) {
                *score += weight;
            }
        }
    }

    /// How much the left child is preferred.
    #[must_use]
    pub fn margin(&self, features: &[u32]) -> f32 {
        features.iter().map(|&feature| self.second[feature as usize]).sum()
    }
}
