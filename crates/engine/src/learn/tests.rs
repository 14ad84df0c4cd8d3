//! The loop on a task that is all there is to it: labels for a sequence, from left to right.

use proptest::prelude::*;

use super::drl::draw_rank;
use super::explore::gathered;
use super::{Episode, Features, Learner, Method, Settings, Span, Step, Weights, epoch};
use crate::Result;
use crate::random::Random;

/// Symbols to be labelled; the right label of a symbol is itself, unless it follows another of its kind.
struct Labels<'a> {
    examples: &'a [Vec<u8>],
    weights: Vec<f64>,
    example: usize,
    chosen: Vec<u8>,
}

const LABELS: u8 = 3;

impl Labels<'_> {
    fn number(&self, label: u8) -> [u32; 2] {
        let at = self.chosen.len();
        let symbols = &self.examples[self.example];
        let before = if at > 0 { u32::from(symbols[at - 1]) + 1 } else { 0 };
        let here = u32::from(symbols[at]) * u32::from(LABELS) + u32::from(label);
        [here, 9 + before * 9 + here]
    }

    fn score(&self, label: u8) -> f64 {
        self.number(label).iter().map(|&feature| self.weights.get(feature as usize).copied().unwrap_or(0.0)).sum()
    }

    fn right(&self, at: usize) -> u8 {
        let symbols = &self.examples[self.example];
        if at > 0 && symbols[at - 1] == symbols[at] { (symbols[at] + 1) % LABELS } else { symbols[at] }
    }
}

impl Episode for Labels<'_> {
    type Action = u8;

    fn begin(&mut self, example: usize, weights: Weights<'_>) -> Result<()> {
        self.example = example;
        self.weights = weights.values.to_vec();
        self.chosen.clear();
        Ok(())
    }

    fn best(&mut self) -> Option<u8> {
        let open = self.chosen.len() < self.examples[self.example].len();
        let better = |one: u8, other: u8| if self.score(other) > self.score(one) { other } else { one };
        open.then(|| (0..LABELS).reduce(better).unwrap())
    }

    fn has_choice(&mut self) -> bool {
        true
    }

    fn ranked(&mut self, actions: &mut Vec<u8>) {
        actions.clear();
        actions.extend(0..LABELS);
        actions.sort_by(|&a, &b| self.score(b).total_cmp(&self.score(a)));
    }

    fn features(&mut self, action: u8, features: &mut Features) {
        features.extend(self.number(action).map(|feature| (feature, 1.0)));
    }

    fn step(&mut self, action: u8) {
        self.chosen.push(action);
    }

    fn reward(&mut self) -> f64 {
        let right = (0..self.chosen.len()).filter(|&at| self.chosen[at] == self.right(at)).count();
        right as f64 / self.chosen.len() as f64
    }

    fn expert(&mut self) -> Option<u8> {
        let at = self.chosen.len();
        (at < self.examples[self.example].len()).then(|| self.right(at))
    }
}

fn train(examples: &[Vec<u8>], workers: usize, settings: &Settings, epochs: u64) -> (Learner, f64) {
    train_from(Learner::new(vec![0.0; 45]), examples, workers, settings, epochs)
}

fn train_from(
    mut learner: Learner,
    examples: &[Vec<u8>],
    workers: usize,
    settings: &Settings,
    epochs: u64,
) -> (Learner, f64) {
    let make = || Labels { examples, weights: Vec::new(), example: 0, chosen: Vec::new() };
    let mut workers: Vec<Labels<'_>> = (0..workers).map(|_| make()).collect();
    let order: Vec<usize> = (0..examples.len()).collect();
    let mut reward = 0.0;
    for number in 0..epochs {
        let report = epoch(&mut workers, &order, &mut learner, settings, number).unwrap();
        reward = report.reward / report.examples as f64;
    }
    (learner, reward)
}

fn examples() -> Vec<Vec<u8>> {
    let mut random = Random::new([7, 0, 0]);
    (0..60).map(|_| (0..3 + random.below(5)).map(|_| random.below(3) as u8).collect()).collect()
}

#[test]
fn a_policy_learns_from_nothing_but_the_end() {
    for step in [
        Step::Perceptron { rate: 1.0 },
        Step::Passive { cap: 1.0 },
        Step::Mira { cap: 1.0 },
        Step::AdaGrad { rate: 1.0 },
    ] {
        for span in [Span::Path, Span::Action] {
            let settings = Settings { step, span, samples: 4, ..Settings::default() };
            let (_, reward) = train(&examples(), 1, &settings, 20);
            assert!(reward > 0.95, "{step:?} {span:?}: {reward}");
        }
    }
}

#[test]
fn policies_learn_in_many_ways() {
    let [plain, bold] = [Step::Perceptron { rate: 1.0 }, Step::AdaGrad { rate: 1.0 }];
    let [passive, mira] = [Step::Passive { cap: 1.0 }, Step::Mira { cap: 1.0 }];
    for (method, step, expert) in [
        (Method::Pairwise, plain, 0.0),
        (Method::Pairwise, bold, 0.5),
        (Method::Pairwise, mira, 0.0),
        (Method::Pairwise, passive, 1.0),
        (Method::Risk, plain, 0.0),
        (Method::Risk, bold, 1.0),
        (Method::Guided, plain, 0.0),
        (Method::Guided, bold, 0.0),
        (Method::Better, mira, 1.0),
    ] {
        for span in [Span::Path, Span::Action] {
            let settings = Settings { method, step, span, expert, samples: 2, ..Settings::default() };
            let (_, reward) = train(&examples(), 1, &settings, 40);
            assert!(reward > 0.95, "{method:?} {step:?} {span:?} {expert}: {reward}");
        }
    }
}

#[test]
fn risk_needs_a_gradient() {
    let settings = Settings { method: Method::Risk, step: Step::Mira { cap: 1.0 }, ..Settings::default() };
    assert!(settings.check().is_err());
    assert!(Settings { expert: 1.5, ..Settings::default() }.check().is_err());
}

/// Two ends: the gradient of the expected reward is half their difference in features times half that in rewards.
#[test]
fn the_risk_of_two_ends_is_as_computed_by_hand() {
    // One symbol, three labels of which only the first is right; all weights are 0, so that ends are equally likely.
    let settings = Settings { method: Method::Risk, samples: 2, ..Settings::default() };
    let (learner, _) = train(&[vec![0]], 1, &settings, 1);
    let thirds = [2.0 / 9.0, -1.0 / 9.0, -1.0 / 9.0];
    for (label, wanted) in thirds.into_iter().enumerate() {
        assert!((learner.weights[label] - wanted).abs() < 1e-12, "{:?}", &learner.weights[..3]);
    }
}

#[test]
fn threads_change_nothing() {
    let settings = Settings { batch: 8, samples: 2, ..Settings::default() };
    let (one, _) = train(&examples(), 1, &settings, 5);
    for workers in [2, 3, 5] {
        assert_eq!(train(&examples(), workers, &settings, 5).0, one);
    }
    let other = Settings { seed: 2, ..settings };
    assert_ne!(train(&examples(), 1, &other, 5).0.weights, one.weights);
}

/// Features that come up on the way are learnt as if they had been known from the first.
#[test]
fn a_learner_grows() {
    for method in [Method::Better, Method::Pairwise, Method::Risk, Method::Guided] {
        for step in [Step::Perceptron { rate: 1.0 }, Step::AdaGrad { rate: 1.0 }] {
            let settings = Settings { method, step, batch: 4, samples: 2, ..Settings::default() };
            let (known, reward) = train(&examples(), 1, &settings, 5);
            let (mut grown, same) = train_from(Learner::new(Vec::new()), &examples(), 1, &settings, 5);
            assert!(!grown.weights.is_empty() && grown.weights.len() <= 45);
            grown.grow(45);
            assert_eq!((grown, same), (known, reward));
        }
    }
    let mut learner = Learner::new(vec![1.0, 2.0]);
    learner.grow(1);
    assert_eq!(learner, Learner::new(vec![1.0, 2.0]));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for settings in [
        Settings { samples: 0, ..Settings::default() },
        Settings { batch: 0, ..Settings::default() },
        Settings { zipf: f64::NAN, ..Settings::default() },
        Settings { step: Step::Perceptron { rate: f64::INFINITY }, ..Settings::default() },
    ] {
        assert!(settings.check().is_err());
    }
}

/// Of three competitors the first has 6 of 11 parts, the second 3, the third 2.
#[test]
fn competitors_are_drawn_by_their_rank() {
    let mut random = Random::new([3, 0, 0]);
    let mut drawn = [0_u32; 3];
    let total = 110_000;
    (0..total).for_each(|_| drawn[draw_rank(3, 1.0, &mut random)] += 1);
    let expected = [6.0, 3.0, 2.0].map(|share: f64| share / 11.0 * f64::from(total));
    let distance: f64 =
        drawn.iter().zip(expected).map(|(&found, wanted)| (f64::from(found) - wanted).powi(2) / wanted).sum();
    // One in a thousand of a chi-square distribution with two degrees of freedom.
    assert!(distance < 13.8, "{drawn:?}");
    assert_eq!(draw_rank(1, 1.0, &mut random), 0);
}

/// One update of the worked example: the average after it is half way.
#[test]
fn one_update_is_averaged() {
    let mut learner = Learner::new(vec![1.0, -0.5, 1.0, 0.5]);
    learner.update(&vec![(0, -0.55), (2, 0.5)], Step::Perceptron { rate: 0.25 }, 0.2479);
    learner.count += 1.0;
    let close = |found: &[f64], wanted: [f64; 4]| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(&learner.weights, [0.8625, -0.5, 1.125, 0.5]));
    assert!(close(&learner.average(), [0.93125, -0.5, 1.0625, 0.5]));
}

proptest! {
    #[test]
    fn the_average_is_that_of_all_weights_there_were(
        updates in prop::collection::vec(prop::option::of(prop::collection::vec((0_u32..4, -2.0_f64..2.0), 1..4)), 1..30),
    ) {
        let mut learner = Learner::new(vec![0.5, -1.0, 2.0, 0.0]);
        let mut seen = vec![learner.weights.clone()];
        for update in updates {
            if let Some(difference) = update {
                learner.update(&gathered(difference), Step::Perceptron { rate: 0.3 }, 1.0);
            }
            learner.count += 1.0;
            seen.push(learner.weights.clone());
        }
        for (at, average) in learner.average().into_iter().enumerate() {
            let mean = seen.iter().map(|weights| weights[at]).sum::<f64>() / seen.len() as f64;
            prop_assert!((average - mean).abs() < 1e-9);
        }
    }

    #[test]
    fn a_margin_is_reached_and_no_more(
        difference in prop::collection::vec((0_u32..4, -2.0_f64..2.0), 1..4), gap in 0.0_f64..1.0,
    ) {
        let difference = gathered(difference);
        prop_assume!(difference.iter().any(|(_, value)| value.abs() > 1e-3));
        let mut learner = Learner::new(vec![0.1, -0.2, 0.3, 0.0]);
        let ahead = |learner: &Learner| -> f64 {
            difference.iter().map(|&(at, value)| learner.weights[at as usize] * value).sum()
        };
        let before = ahead(&learner);
        learner.update(&difference, Step::Mira { cap: f64::MAX }, gap);
        prop_assert!((ahead(&learner) - before.max(gap)).abs() < 1e-6);
    }
}
