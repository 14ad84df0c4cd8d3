//! k-best batch MIRA (Cherry and Foster 2012): margins between hope and fear translations of one sentence at a time.

use super::mert::shuffle;
use super::{NBestLists, REFERENCE_LENGTH, Tuned, check_metric, free, gain, score};
use crate::metric::{Metric, add};
use crate::random::Random;
use crate::{Error, Result};

/// How MIRA goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The longest step, C.
    pub aggressiveness: f64,
    /// Passes over the sentences.
    pub epochs: usize,
    /// What remains of the background after each sentence.
    pub decay: f64,
    /// The statistics the background begins with; none means zeros. See [`bleu_background`].
    pub background: Vec<f64>,
    /// Whether hope is chosen with less of the model's score where that has much more to say than the metric.
    pub safe_hope: bool,
    /// Of the order of sentences.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { aggressiveness: 0.01, epochs: 60, decay: 0.999, background: Vec::new(), safe_hope: false, seed: 1 }
    }
}

impl Settings {
    pub(crate) fn check(&self, width: usize) -> Result<()> {
        let fits = self.background.is_empty() || self.background.len() == width;
        if !fits || !self.background.iter().all(|value| value.is_finite()) {
            return Err(Error::settings("the background of MIRA does not fit the metric"));
        }
        let sound = self.aggressiveness.is_finite() && self.aggressiveness > 0.0 && (0.0..=1.0).contains(&self.decay);
        if !sound || self.epochs == 0 {
            let what = "MIRA needs an aggressiveness above 0, a decay from 0 to 1 and at least one epoch";
            return Err(Error::settings(what));
        }
        Ok(())
    }
}

/// The background BLEU begins with: one perfect sentence of as many words as the longest n-grams.
pub fn bleu_background(order: usize) -> Vec<f64> {
    let lengths = [order as f64; 2];
    let counts = (1..=order).rev().map(|count| count as f64);
    lengths.into_iter().chain(counts.clone()).chain(counts).collect()
}

/// A translation to learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub place: usize,
    /// Its score under the weights.
    pub model: f64,
    /// How good it is together with the background.
    pub gain: f64,
}

/// The metric in the company of past hopes.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub sum: Vec<f64>,
    decay: f64,
    joined: Vec<f64>,
}

impl Past {
    pub fn new(settings: &Settings, width: usize) -> Self {
        let sum = if settings.background.is_empty() { vec![0.0; width] } else { settings.background.clone() };
        Self { sum, decay: settings.decay, joined: Vec::with_capacity(width) }
    }

    /// The metric of a row and the past, from 0 to 1, times the length of their references.
    pub fn gain(&mut self, metric: &dyn Metric, row: &[f64]) -> f64 {
        self.joined.clone_from(&self.sum);
        add(&mut self.joined, row);
        gain(metric, &self.joined) / 100.0 * self.joined[REFERENCE_LENGTH]
    }

    pub fn update(&mut self, row: &[f64]) {
        for (sum, value) in self.sum.iter_mut().zip(row) {
            *sum = self.decay * *sum + value;
        }
    }
}

/// Hope is good and likely, fear is bad and likely; the first of equals.
pub(crate) fn hope_and_fear(choices: &[Choice], safe: bool) -> Option<(Choice, Choice)> {
    let top = |value: &dyn Fn(&Choice) -> f64| {
        let mut best = *choices.first()?;
        for choice in choices {
            if value(choice) > value(&best) {
                best = *choice;
            }
        }
        Some(best)
    };
    let fear = top(&|choice| choice.model - choice.gain)?;
    let mut scale = 1.0;
    let mut hope = top(&|choice| choice.model + choice.gain)?;
    // The scale falls with every new hope, so each is met once.
    while safe && hope.model.abs() > 1e-8 {
        let ratio = MODEL_SHARE * hope.gain.abs() / hope.model.abs();
        if ratio >= scale {
            break;
        }
        scale = ratio;
        hope = top(&|choice| scale * choice.model + choice.gain)?;
    }
    Some((hope, fear))
}

/// How many times more than the metric the model may say about a safe hope.
const MODEL_SHARE: f64 = 5.0;

/// Weights, and their average over all steps without a pass over them per step.
#[derive(Debug, Clone)]
pub(crate) struct Averaged {
    pub weights: Vec<f64>,
    /// Sum of changes, each times the steps before it.
    late: Vec<f64>,
    steps: f64,
}

impl Averaged {
    pub fn new(start: &[f64]) -> Self {
        Self { weights: start.to_vec(), late: vec![0.0; start.len()], steps: 0.0 }
    }

    /// Changes one weight, in the step that [`Averaged::tick`] will end.
    pub fn change(&mut self, at: usize, by: f64) {
        self.weights[at] += by;
        self.late[at] += self.steps * by;
    }

    pub fn tick(&mut self) {
        self.steps += 1.0;
    }

    pub fn average(&self) -> Vec<f64> {
        let steps = self.steps.max(1.0);
        self.weights.iter().zip(&self.late).map(|(weight, late)| weight - late / steps).collect()
    }
}

/// A difference of feature vectors: which features it has, and their values in a vector of all.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    values: Vec<f64>,
    touched: Vec<usize>,
}

impl Difference {
    pub fn new(features: usize) -> Self {
        Self { values: vec![0.0; features], touched: Vec::new() }
    }

    pub fn add(&mut self, at: usize, by: f64) {
        self.values[at] += by;
        self.touched.push(at);
    }

    /// The MIRA step for a difference whose weighted sum is `model` and whose gain is `gain`; forgets the difference.
    /// Frozen features count in `model` but do not move.
    pub fn step(&mut self, averaged: &mut Averaged, free: &[bool], gain: f64, model: f64, most: f64) {
        self.touched.sort_unstable();
        self.touched.dedup();
        let moving = self.touched.iter().filter(|&&at| free[at]);
        let norm: f64 = moving.clone().map(|&at| self.values[at] * self.values[at]).sum();
        let loss = gain - model;
        if loss > 0.0 && norm > 0.0 {
            let step = most.min(loss / norm);
            moving.for_each(|&at| averaged.change(at, step * self.values[at]));
        }
        for at in self.touched.drain(..) {
            self.values[at] = 0.0;
        }
    }
}

/// Tunes all weights that are not frozen. The result is the average after the epoch whose choices score best.
///
/// # Errors
/// Weights or settings that make no sense.
pub fn mira(
    lists: &NBestLists,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
) -> Result<Tuned> {
    check_metric(metric, lists.shape().stats)?;
    settings.check(metric.width())?;
    let free = free(start, lists.features(), frozen)?;
    let mut averaged = Averaged::new(start);
    let mut past = Past::new(settings, metric.width());
    let mut difference = Difference::new(lists.features());
    let mut order: Vec<usize> = (0..lists.sentences()).collect();
    let mut choices = Vec::new();
    let before = lists.gain(metric, start);
    let mut history = vec![before];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for epoch in 0..settings.epochs {
        shuffle(&mut order, &mut Random::new([settings.seed, 0x6d69_7261, epoch as u64]));
        for &sentence in &order {
            choices.clear();
            choices.extend(lists.of(sentence).map(|place| {
                let model = lists.dot(place, &averaged.weights);
                Choice { place, model, gain: past.gain(metric, lists.stats(place)) }
            }));
            if let Some((hope, fear)) = hope_and_fear(&choices, settings.safe_hope)
                && hope.place != fear.place
            {
                for (place, sign) in [(hope.place, 1.0), (fear.place, -1.0)] {
                    for (at, &value) in lists.dense(place).iter().enumerate() {
                        difference.add(at, sign * f64::from(value));
                    }
                    for &(name, value) in lists.sparse(place) {
                        difference.add(lists.shape().dense + name as usize, sign * f64::from(value));
                    }
                }
                let (gain, model) = (hope.gain - fear.gain, hope.model - fear.model);
                difference.step(&mut averaged, &free, gain, model, settings.aggressiveness);
                past.update(lists.stats(hope.place));
            }
            averaged.tick();
        }
        let average = averaged.average();
        let found = lists.gain(metric, &average);
        history.push(found);
        if best.as_ref().is_none_or(|(top, _)| found > *top) {
            best = Some((found, average));
        }
    }
    let (top, weights) = best.unwrap_or_else(|| (before, start.to_vec()));
    let history = history.into_iter().map(|gain| score(metric, gain)).collect();
    Ok(Tuned { weights, score: score(metric, top), history })
}

#[cfg(test)]
mod worked {
    use super::*;
    use crate::metric::bleu::{Bleu, Settings as BleuSettings};

    #[test]
    fn one_update() {
        let bleu = Bleu::new(&[], BleuSettings::default()).unwrap();
        let rows = [
            [6.0, 6.0, 5.0, 3.0, 1.0, 0.0, 6.0, 5.0, 4.0, 3.0],
            [6.0, 6.0, 6.0, 5.0, 4.0, 3.0, 6.0, 5.0, 4.0, 3.0],
            [7.0, 6.0, 4.0, 2.0, 0.0, 0.0, 7.0, 6.0, 5.0, 4.0],
        ];
        let features = [[-2.0, 1.0, 0.3], [-2.5, 1.0, 0.1], [-1.5, 2.0, 0.5]];
        let settings = Settings { background: bleu_background(4), ..Settings::default() };
        let mut past = Past::new(&settings, 10);
        let mut averaged = Averaged::new(&[1.0, 0.0, 0.0]);
        let choices: Vec<Choice> = (0..3)
            .map(|place| Choice { place, model: features[place][0], gain: past.gain(&bleu, &rows[place]) })
            .collect();
        for (choice, expected) in choices.iter().zip([5.389562, 10.0, 3.898044]) {
            assert!((choice.gain - expected).abs() < 1e-6, "{choice:?}");
        }
        let (hope, fear) = hope_and_fear(&choices, false).unwrap();
        assert_eq!((hope.place, fear.place), (1, 2));
        let mut difference = Difference::new(3);
        for (at, (hope, fear)) in features[1].iter().zip(&features[2]).enumerate() {
            difference.add(at, hope - fear);
        }
        let (gain, model) = (hope.gain - fear.gain, hope.model - fear.model);
        assert!((gain - model - 7.101956).abs() < 1e-6);
        difference.step(&mut averaged, &[true; 3], gain, model, 0.01);
        past.update(&rows[1]);
        for (weight, expected) in averaged.weights.iter().zip([0.99, -0.01, -0.004]) {
            assert!((weight - expected).abs() < 1e-12);
        }
        let expected = [9.996, 9.996, 9.996, 7.997, 5.998, 3.999, 9.996, 7.997, 5.998, 3.999];
        assert!(past.sum.iter().zip(expected).all(|(sum, expected)| (sum - expected).abs() < 1e-9));
    }
}
