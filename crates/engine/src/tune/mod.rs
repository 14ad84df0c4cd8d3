//! Weights of features, learned from lists of translations or from forests, so that a metric of the best one rises.
//!
//! Three ways for lists: exact line searches ([`mert`]), ranking of pairs ([`pro`]) and margins between hope and fear
//! ([`mira`]). Two for forests: line searches over all derivations ([`forest_mert`]) and hope and fear found in the
//! forest ([`forest_mira`]). A vector of weights has the dense features first, then the sparse ones.

pub mod envelope;
pub mod forest_mert;
pub mod forest_mira;
pub mod forests;
pub mod lists;
pub mod logistic;
pub mod mert;
pub mod mira;
pub mod pro;
#[cfg(test)]
mod tests;

use crate::metric::Metric;
use crate::{Error, Result};

pub use lists::{NBestLists, Parts, Shape};

/// What a tuner found.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The weights, all finite.
    pub weights: Vec<f64>,
    /// The metric of what these weights choose.
    pub score: f64,
    /// The metric from one step of the tuner to the next; the first is that of the start.
    pub history: Vec<f64>,
}

/// Weights larger than this are a mistake, and their sums might overflow.
pub const MOST_WEIGHT: f64 = 1e100;

/// The column of a row of statistics that has the length of the reference: words in BLEU and TER, characters in chrF.
pub const REFERENCE_LENGTH: usize = 1;

/// The score of summed statistics, turned so that higher is better.
pub(crate) fn gain(metric: &dyn Metric, sum: &[f64]) -> f64 {
    let score = metric.score(sum);
    let score = if score.is_finite() { score } else { 0.0 };
    if metric.higher_is_better() { score } else { -score }
}

/// The score that a gain stands for.
pub(crate) fn score(metric: &dyn Metric, gain: f64) -> f64 {
    if metric.higher_is_better() { gain } else { -gain }
}

/// Checks the start of a tuner and says which weights it may change.
pub(crate) fn free(start: &[f64], features: usize, frozen: &[usize]) -> Result<Vec<bool>> {
    check(start, features)?;
    let mut free = vec![true; features];
    for &feature in frozen {
        *free.get_mut(feature).ok_or_else(|| Error::settings(format!("there is no feature {feature} to freeze")))? =
            false;
    }
    Ok(free)
}

/// Refuses weights that are not finite, or not as many as features.
pub(crate) fn check(weights: &[f64], features: usize) -> Result<()> {
    if weights.len() != features {
        return Err(Error::input(format!("{} weights for {features} features", weights.len())));
    }
    match weights.iter().position(|weight| !weight.is_finite() || weight.abs() > MOST_WEIGHT) {
        None => Ok(()),
        Some(at) => Err(Error::input(format!("weight {at} is {}, not a finite number", weights[at]))
            .hint("start from finite weights")),
    }
}

/// Refuses a metric whose rows are not those of the lists.
pub(crate) fn check_metric(metric: &dyn Metric, width: usize) -> Result<()> {
    if metric.width() == width {
        return Ok(());
    }
    Err(Error::input(format!("the metric has rows of {} numbers, the lists of {width}", metric.width())))
}
