//! Tuning as ranking (Hopkins and May 2011): a classifier learns which of two translations is the better one.

use rayon::prelude::*;

use super::logistic::Rows;
use super::{NBestLists, Tuned, check_metric, free, score};
use crate::metric::Metric;
use crate::random::Random;
use crate::{Error, Result};

/// How pairs are sampled and learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Pairs drawn per sentence.
    pub candidates: usize,
    /// Pairs kept per sentence: those that differ most.
    pub kept: usize,
    /// Pairs must differ at least so much in the metric of a sentence, from 0 to 1.
    pub threshold: f64,
    /// Half of this times the squared weights is added to the loss, which is a sum over pairs.
    pub penalty: f64,
    /// The share of the learned weights in the result; the rest is the start's.
    pub interpolation: f64,
    /// Iterations of the optimiser.
    pub iterations: usize,
    /// Of the pairs.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { candidates: 5000, kept: 50, threshold: 0.05, penalty: 1.0, interpolation: 0.1, iterations: 200, seed: 1 }
    }
}

/// Tunes all weights that are not frozen.
///
/// # Errors
/// Weights or settings that make no sense.
pub fn pro(
    lists: &NBestLists,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
) -> Result<Tuned> {
    check_metric(metric, lists.shape().stats)?;
    let free = free(start, lists.features(), frozen)?;
    let shares = (0.0..=1.0).contains(&settings.interpolation) && (0.0..=1.0).contains(&settings.threshold);
    if !shares || !settings.penalty.is_finite() || settings.penalty < 0.0 {
        let what = "PRO needs an interpolation and a threshold from 0 to 1 and a penalty of at least 0";
        return Err(Error::settings(what));
    }
    let pairs: Vec<Vec<(usize, usize)>> =
        (0..lists.sentences()).into_par_iter().map(|sentence| sample(lists, metric, sentence, settings)).collect();
    let mut rows = Rows::default();
    let mut difference = vec![0.0; lists.features()];
    let all = vec![true; lists.features()];
    for &(better, worse) in pairs.iter().flatten() {
        lists.add_to(better, 1.0, &all, &mut difference);
        lists.add_to(worse, -1.0, &all, &mut difference);
        let sparse = [better, worse].map(|hypothesis| lists.sparse(hypothesis).iter());
        let sparse = sparse.into_iter().flatten().map(|&(name, _)| lists.shape().dense + name as usize);
        let (mut cells, mut offset) = (Vec::new(), 0.0);
        for at in (0..lists.shape().dense).chain(sparse) {
            // Taken out, so that a feature of both counts once.
            let value = std::mem::take(&mut difference[at]);
            if value != 0.0 && free[at] {
                cells.push((at as u32, value));
            } else {
                offset += value * start[at];
            }
        }
        rows.push(cells, offset);
    }
    let before = lists.gain(metric, start);
    if rows.ends.is_empty() {
        // Nothing to learn from: no two translations of a sentence differ enough.
        let score = score(metric, before);
        return Ok(Tuned { weights: start.to_vec(), score, history: vec![score] });
    }
    // Frozen weights speak through the offsets only, and are no part of the penalty.
    let from: Vec<f64> = start.iter().zip(&free).map(|(&weight, &free)| if free { weight } else { 0.0 }).collect();
    let learned = rows.fit(&from, settings.penalty, settings.iterations);
    let share = settings.interpolation;
    let mix = |at: usize| if free[at] { share * learned[at] + (1.0 - share) * start[at] } else { start[at] };
    let weights: Vec<f64> = (0..start.len()).map(mix).collect();
    let after = lists.gain(metric, &weights);
    let history = vec![score(metric, before), score(metric, after)];
    Ok(Tuned { weights, score: score(metric, after), history })
}

/// Pairs of a sentence, the better one first.
fn sample(lists: &NBestLists, metric: &dyn Metric, sentence: usize, settings: &Settings) -> Vec<(usize, usize)> {
    let all = lists.of(sentence);
    if all.len() < 2 {
        return Vec::new();
    }
    let sign = if metric.higher_is_better() { 0.01 } else { -0.01 };
    let scores: Vec<f64> = all.clone().map(|at| sign * metric.sentence_score(lists.stats(at))).collect();
    let mut random = Random::new([settings.seed, 0x0070_726f, sentence as u64]);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for _ in 0..settings.candidates {
        let (one, two) = (random.below(scores.len()), random.below(scores.len()));
        let difference = scores[one] - scores[two];
        if difference != 0.0 && difference.abs() >= settings.threshold {
            let (better, worse) = if difference > 0.0 { (one, two) } else { (two, one) };
            pairs.push((difference.abs(), better, worse));
        }
    }
    // Stable: of pairs that differ as much, those drawn first are kept.
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs.truncate(settings.kept);
    pairs.into_iter().map(|(_, better, worse)| (all.start + better, all.start + worse)).collect()
}
