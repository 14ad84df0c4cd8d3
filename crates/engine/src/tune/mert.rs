//! Minimum error rate training: exact line searches along many directions, from many starts (Och 2003).

use rayon::prelude::*;

use super::envelope::{Line, Piece, Step, envelope, sweep};
use super::{NBestLists, Tuned, check_metric, free, score};
use crate::metric::Metric;
use crate::random::Random;
use crate::{Error, Result};

/// How the search goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Starts: the given weights, and random points around them.
    pub restarts: usize,
    /// Random directions per round, besides the axes.
    pub directions: usize,
    /// Rounds over all directions, at most.
    pub rounds: usize,
    /// A round that gains less than this many points is the last.
    pub tolerance: f64,
    /// Of the random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { restarts: 20, directions: 10, rounds: 50, tolerance: 1e-4, seed: 1 }
    }
}

/// What line searches go over: lists, or forests.
pub trait Space: Sync {
    /// Weights that may move: the dense features.
    fn dense(&self) -> usize;

    /// Features there are weights for.
    fn features(&self) -> usize;

    /// How good what weights choose is, higher being better.
    fn gain(&self, metric: &dyn Metric, weights: &[f64]) -> f64;

    /// The best step from weights along a direction of the dense features.
    fn search(&self, metric: &dyn Metric, weights: &[f64], direction: &[f64]) -> Step;
}

impl Space for NBestLists {
    fn dense(&self) -> usize {
        self.shape().dense
    }

    fn features(&self) -> usize {
        self.features()
    }

    fn gain(&self, metric: &dyn Metric, weights: &[f64]) -> f64 {
        self.gain(metric, weights)
    }

    fn search(&self, metric: &dyn Metric, weights: &[f64], direction: &[f64]) -> Step {
        let axis = one_axis(direction);
        let envelopes: Vec<Vec<Piece>> = (0..self.sentences())
            .into_par_iter()
            .with_min_len(16)
            .map_init(Vec::new, |lines: &mut Vec<Line>, sentence| {
                lines.clear();
                lines.extend(self.of(sentence).map(|hypothesis| {
                    let row = self.dense(hypothesis);
                    let slope = match axis {
                        Some(axis) => f64::from(row[axis]) * direction[axis],
                        None => row.iter().zip(direction).map(|(&value, along)| f64::from(value) * along).sum(),
                    };
                    Line { slope, height: self.dot(hypothesis, weights), item: hypothesis as u32 }
                }));
                envelope(lines)
            })
            .collect();
        sweep(metric, &envelopes, |_, hypothesis| self.stats(hypothesis as usize))
    }
}

/// The one feature a direction has, if it has one.
fn one_axis(direction: &[f64]) -> Option<usize> {
    let mut axes = direction.iter().enumerate().filter(|(_, along)| **along != 0.0);
    let first = axes.next()?;
    axes.next().is_none().then_some(first.0)
}

/// Tunes the dense weights that are not frozen; sparse weights stay as they are.
///
/// # Errors
/// Weights or settings that make no sense.
pub fn mert(
    lists: &NBestLists,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
) -> Result<Tuned> {
    check_metric(metric, lists.shape().stats)?;
    // Hypotheses are numbered with 32 bits.
    if u32::try_from(lists.hypotheses()).is_err() {
        return Err(Error::limit("there are more than 4 billion hypotheses").hint("use shorter lists"));
    }
    climb(lists, metric, start, frozen, settings)
}

/// Tunes over any space.
///
/// # Errors
/// Weights or settings that make no sense.
pub fn climb(
    space: &impl Space,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
) -> Result<Tuned> {
    let mut free = free(start, space.features(), frozen)?;
    free.truncate(space.dense());
    if settings.restarts == 0 || !settings.tolerance.is_finite() || settings.tolerance < 0.0 {
        return Err(Error::settings("MERT needs at least one start, and a tolerance of at least 0"));
    }
    let runs: Vec<(f64, Vec<f64>, Vec<f64>)> = (0..settings.restarts)
        .into_par_iter()
        .map(|restart| one_climb(space, metric, start, &free, settings, restart as u64))
        .collect();
    // Of equally good ends the first start's.
    let mut best = 0;
    for (at, run) in runs.iter().enumerate() {
        if run.0 > runs[best].0 {
            best = at;
        }
    }
    let (gain, weights, history) = runs.into_iter().nth(best).unwrap_or_default();
    let history = history.into_iter().map(|gain| score(metric, gain)).collect();
    Ok(Tuned { weights, score: score(metric, gain), history })
}

fn one_climb(
    space: &impl Space,
    metric: &dyn Metric,
    start: &[f64],
    free: &[bool],
    settings: &Settings,
    restart: u64,
) -> (f64, Vec<f64>, Vec<f64>) {
    let mut random = Random::new([settings.seed, 0x6d65_7274, restart]);
    let mut weights = start.to_vec();
    let axes: Vec<usize> = (0..free.len()).filter(|&axis| free[axis]).collect();
    if restart > 0 {
        let largest = axes.iter().map(|&axis| start[axis].abs()).fold(0.0, f64::max);
        let reach = if largest > 0.0 { largest } else { 1.0 };
        for &axis in &axes {
            weights[axis] += reach * signed(&mut random);
        }
    }
    let mut gain = space.gain(metric, &weights);
    let mut history = vec![gain];
    let mut direction = vec![0.0; free.len()];
    for _ in 0..settings.rounds {
        let (before, from) = (gain, weights.clone());
        let mut order = axes.clone();
        shuffle(&mut order, &mut random);
        let moves = order.len() + if order.len() > 1 { settings.directions + 1 } else { 0 };
        for number in 0..moves {
            direction.fill(0.0);
            if let Some(&axis) = order.get(number) {
                direction[axis] = 1.0;
            } else if number + 1 < moves {
                axes.iter().for_each(|&axis| direction[axis] = signed(&mut random));
            } else {
                // Where the whole round went (Powell 1964).
                axes.iter().for_each(|&axis| direction[axis] = weights[axis] - from[axis]);
            }
            let found = space.search(metric, &weights, &direction);
            if found.gain <= gain || !found.step.is_finite() {
                continue;
            }
            let mut there = weights.clone();
            for (weight, along) in there.iter_mut().zip(&direction) {
                *weight += found.step * along;
            }
            // What counts is what the weights really choose, after rounding.
            let real = space.gain(metric, &there);
            if real > gain && there.iter().all(|weight| weight.abs() <= super::MOST_WEIGHT) {
                (weights, gain) = (there, real);
                history.push(gain);
            }
        }
        if gain - before <= settings.tolerance {
            break;
        }
    }
    (gain, weights, history)
}

fn signed(random: &mut Random) -> f64 {
    2.0 * f64::from(random.uniform()) - 1.0
}

/// Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}
