//! One pass over the examples: the policy's own path, another that one forced action leads to, and what follows from it
//! (Gesmundo & Henderson 2014, algorithm 2).

use super::explore::{Explorer, Lesson, gathered};
use super::{Episode, Features, Learner, Step, Weights};
use crate::random::Random;
use crate::{Error, Result};

/// What of the two paths counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Span {
    /// All that follows.
    #[default]
    Path,
    /// The two actions at the state alone, which the authors found worse.
    Action,
}

/// What is learnt from how ends compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Towards ends that are better than the policy's own (Gesmundo & Henderson 2014).
    #[default]
    Better,
    /// Towards the better of two ends, whosever it is, the more so the less the weights say so (logistic, as PRO has it:
    /// Hopkins & May 2011; with steps that know margins, until it is ahead by one).
    Pairwise,
    /// Towards more reward on average over several ends (minimum risk; Shen et al. 2016).
    Risk,
    /// Towards an expert's action wherever the policy takes another (guided learning; Shen, Satta & Joshi 2007).
    Guided,
}

/// How a policy learns.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How far weights move.
    pub step: Step,
    /// What is learnt.
    pub method: Method,
    /// What counts.
    pub span: Span,
    /// The share of roll-outs that follow an expert where it knows what to do (LOLS; Chang et al. 2015).
    pub expert: f64,
    /// The exponent of Zipf's law by which competitors are drawn, the best likeliest.
    pub zipf: f64,
    /// States of an example at which another action is forced.
    pub samples: usize,
    /// How much better the end must be.
    pub gap: f64,
    /// Examples that are tried with the same weights; what is learnt does not depend on how many threads try them.
    pub batch: usize,
    /// What draws are made by.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: Step::Perceptron { rate: 1.0 },
            method: Method::default(),
            span: Span::default(),
            expert: 0.0,
            zipf: 1.0,
            samples: 1,
            gap: 0.0,
            batch: 1,
            seed: 1,
        }
    }
}

impl Settings {
    /// Looks for values that make no sense.
    ///
    /// # Errors
    /// No sample, no batch, an exponent or a rate that is not a finite number above or at 0.
    pub fn check(&self) -> Result<()> {
        let (Step::Perceptron { rate }
        | Step::AdaGrad { rate }
        | Step::Passive { cap: rate }
        | Step::Mira { cap: rate }) = self.step;
        let numbers = [self.zipf, self.gap, rate];
        if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) {
            return Err(Error::settings("rates, gaps and exponents are finite numbers that are not negative"));
        }
        if !(0.0..=1.0).contains(&self.expert) {
            return Err(Error::settings("the share of roll-outs by an expert is not between 0 and 1"));
        }
        if self.method == Method::Risk && matches!(self.step, Step::Passive { .. } | Step::Mira { .. }) {
            return Err(Error::settings("minimum risk has a gradient and no margin").hint("use perceptron or adagrad"));
        }
        if self.samples == 0 || self.batch == 0 {
            return Err(Error::settings("nothing is learnt from no samples or empty batches").hint("use 1 or more"));
        }
        Ok(())
    }
}

/// What came of a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Report {
    /// Examples, and those from which something was learnt.
    pub examples: u64,
    /// Forced actions that were followed to the end.
    pub tried: u64,
    /// Those that ended better.
    pub better: u64,
    /// The sum of the rewards of the policy's own ends.
    pub reward: f64,
}

/// A competitor's place among those that the policy did not choose, drawn by Zipf's law: the first is likeliest.
pub fn draw_rank(count: usize, exponent: f64, random: &mut Random) -> usize {
    let mass = |rank: usize| ((rank + 1) as f64).powf(-exponent);
    let total: f64 = (0..count).map(mass).sum();
    let mut left = random.uniform_f64() * total;
    for rank in 0..count {
        left -= mass(rank);
        if left < 0.0 {
            return rank;
        }
    }
    count.saturating_sub(1)
}

/// How much each feature varies over the actions that a policy takes: its variance, 1 for one that does not.
///
/// # Errors
/// An example that cannot be read.
pub fn variances<E: Episode>(worker: &mut E, examples: &[usize], weights: Weights<'_>) -> Result<Vec<f64>> {
    let width = weights.values.len();
    let (mut sums, mut squares, mut count) = (vec![0.0; width], vec![0.0; width], 0.0_f64);
    let mut features = Features::new();
    for &example in examples {
        worker.begin(example, weights)?;
        while let Some(action) = worker.best() {
            features.clear();
            worker.features(action, &mut features);
            count += 1.0;
            for (feature, value) in gathered(std::mem::take(&mut features)) {
                sums[feature as usize] += value;
                squares[feature as usize] += value * value;
            }
            worker.step(action);
        }
    }
    let count = count.max(1.0);
    let variance = |(sum, square): (&f64, &f64)| square / count - (sum / count).powi(2);
    let found = sums.iter().zip(&squares).map(variance);
    Ok(found.map(|variance| if variance > 1e-12 { variance } else { 1.0 }).collect())
}

/// Learns from examples in an order, a worker for each thread. An example belongs to a worker, so that it can keep what it
/// knows of it.
///
/// # Errors
/// Settings that make no sense, an example that cannot be read.
pub fn epoch<E: Episode + Send>(
    workers: &mut [E],
    order: &[usize],
    learner: &mut Learner,
    settings: &Settings,
    number: u64,
) -> Result<Report> {
    settings.check()?;
    let mut report = Report::default();
    workers.iter_mut().for_each(E::forget);
    let mut explorers: Vec<Explorer<E::Action>> = workers.iter().map(|_| Explorer::new()).collect();
    for batch in order.chunks(settings.batch) {
        let weights = learner.view();
        let count = workers.len();
        let run =
            |worker: usize, episode: &mut E, explorer: &mut Explorer<E::Action>| -> Vec<(usize, Result<Lesson>)> {
                let own = batch.iter().enumerate().filter(|(_, example)| **example % count == worker);
                own.map(|(at, &example)| {
                    let mut random = Random::new([settings.seed, number, example as u64]);
                    (at, explorer.explore(episode, example, weights, settings, &mut random))
                })
                .collect()
            };
        let pairs = workers.iter_mut().zip(&mut explorers).enumerate();
        let mut lessons: Vec<(usize, Result<Lesson>)> = if count == 1 || batch.len() == 1 {
            pairs.flat_map(|(worker, (episode, explorer))| run(worker, episode, explorer)).collect()
        } else {
            std::thread::scope(|scope| {
                let started: Vec<_> = pairs
                    .map(|(worker, (episode, explorer))| {
                        let run = &run;
                        scope.spawn(move || run(worker, episode, explorer))
                    })
                    .collect();
                let ended = started.into_iter().map(|handle| match handle.join() {
                    Ok(lessons) => lessons,
                    Err(panic) => std::panic::resume_unwind(panic),
                });
                ended.flatten().collect()
            })
        };
        lessons.sort_by_key(|&(at, _)| at);
        for (_, lesson) in lessons {
            let lesson = lesson?;
            report.examples += 1;
            report.tried += lesson.tried;
            report.reward += lesson.reward;
            report.better += lesson.better;
            for (gap, difference) in &lesson.moves {
                // They are in order.
                learner.grow(difference.last().map_or(0, |&(feature, _)| feature as usize + 1));
                let gradient = matches!(settings.step, Step::Perceptron { .. } | Step::AdaGrad { .. });
                if settings.method == Method::Pairwise && gradient {
                    let pull = gap * learner.doubt(difference);
                    let scaled = difference.iter().map(|&(at, value)| (at, value * pull)).collect();
                    learner.update(&scaled, settings.step, *gap);
                } else {
                    learner.update(difference, settings.step, *gap);
                }
            }
            learner.count += 1.0;
            workers.iter_mut().for_each(|worker| worker.remember(&lesson.outcome));
        }
    }
    Ok(report)
}
