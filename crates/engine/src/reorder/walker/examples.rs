//! Examples from reference executions, and the classifiers of both stages trained on them (section 4.2.3).

use rayon::prelude::*;

use super::features;
use super::linear::{self, Examples, Settings};
use super::model::{CLASSES, Model};
use super::sentence::{Corpus, Sentence};
use super::state::State;
use crate::error::Result;
use crate::reorder::{check_order, in_sentence};

/// Examples of both stages, each with the sentence it comes from.
#[derive(Debug, Default)]
pub struct Both {
    /// Stage 1: every step.
    pub first: Examples,
    /// EMIT, UP, DOWN.
    pub classes: Vec<u8>,
    first_sentence: Vec<u32>,
    /// Stage 2: every pair of open children with the one that is gone to.
    pub second: Examples,
    /// Whether that is the left one.
    pub lefts: Vec<bool>,
    second_sentence: Vec<u32>,
}

/// How well classifiers do on sentences that they were not trained on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accuracy {
    /// Of stage 1.
    pub first: f64,
    /// Of stage 2.
    pub second: f64,
}

impl Both {
    /// The examples of sentences whose orders are known.
    ///
    /// # Errors
    /// A sentence's heads are no tree, or its order is no permutation.
    pub fn collect(model: &Model, corpus: Corpus<'_>, orders: &[u32]) -> Result<Self> {
        let mut found = Self::default();
        let (mut sentence, mut state) = (Sentence::default(), State::default());
        let (mut buffer, mut seen) = (Vec::new(), Vec::new());
        for k in 0..corpus.sentences.len() {
            sentence.take(corpus, k)?;
            let order = &orders[corpus.sentences.range(k)];
            check_order(order, sentence.words(), &mut seen).map_err(in_sentence(k))?;
            state.start(&sentence);
            for &word in order {
                loop {
                    let class = if state.at == word {
                        0
                    } else if sentence.tree.is_within(word, state.at) {
                        2
                    } else {
                        1
                    };
                    buffer.clear();
                    features::fixed(&sentence, state.at, model.hasher(), &mut buffer);
                    features::changing(&sentence, &state, model.hasher(), &mut buffer);
                    found.first.push(&buffer);
                    found.classes.push(class);
                    found.first_sentence.push(k as u32);
                    if class == 0 {
                        state.emit(&sentence);
                        break;
                    }
                    let to = state.toward(&sentence, word);
                    if class == 2 {
                        for other in state.open_children(&sentence).filter(|&other| other != to) {
                            buffer.clear();
                            let (left, right) = (to.min(other), to.max(other));
                            features::pair(&sentence, &state, left, right, model.hasher(), &mut buffer);
                            found.second.push(&buffer);
                            found.lefts.push(to == left);
                            found.second_sentence.push(k as u32);
                        }
                    }
                    state.go(&sentence, to);
                }
            }
        }
        Ok(found)
    }

    /// Accuracies when each half of the sentences is tested with what was learnt from the other.
    #[must_use]
    pub fn cross_validate(&self, width: usize, settings: &Settings) -> Accuracy {
        let halves = |sentences: &[u32]| -> [Vec<u32>; 2] {
            [0, 1].map(|half| (0..sentences.len() as u32).filter(|&at| sentences[at as usize] % 2 == half).collect())
        };
        let (first, second) = (halves(&self.first_sentence), halves(&self.second_sentence));
        let right: Vec<(usize, usize)> = (0..2)
            .into_par_iter()
            .map(|half| {
                let weights = self.train_first(&first[half], width, settings);
                let right = first[1 - half].iter().filter(|&&at| {
                    let scores = weights.each_ref().map(|one| linear::dot(one, self.first.get(at as usize)));
                    let best =
                        (1..CLASSES).fold(0, |best, class| if scores[class] > scores[best] { class } else { best });
                    best == usize::from(self.classes[at as usize])
                });
                let right_first = right.count();
                let weights = self.train_second(&second[half], width, settings);
                let right = second[1 - half].iter().filter(|&&at| {
                    (linear::dot(&weights, self.second.get(at as usize)) >= 0.0) == self.lefts[at as usize]
                });
                (right_first, right.count())
            })
            .collect();
        let share = |right: usize, all: usize| if all == 0 { 1.0 } else { right as f64 / all as f64 };
        Accuracy {
            first: share(right.iter().map(|both| both.0).sum(), self.classes.len()),
            second: share(right.iter().map(|both| both.1).sum(), self.lefts.len()),
        }
    }

    fn train_first(&self, which: &[u32], width: usize, settings: &Settings) -> [Vec<f64>; CLASSES] {
        let train =
            |class: u8| linear::train(&self.first, which, |at| self.classes[at as usize] == class, width, settings);
        let (emit, (up, down)) = rayon::join(|| train(0), || rayon::join(|| train(1), || train(2)));
        [emit, up, down]
    }

    fn train_second(&self, which: &[u32], width: usize, settings: &Settings) -> Vec<f64> {
        linear::train(&self.second, which, |at| self.lefts[at as usize], width, settings)
    }

    /// Trains both stages on all examples.
    pub fn train(&self, model: &mut Model, first: &Settings, second: &Settings) {
        let width = model.second.len();
        let all: Vec<u32> = (0..self.classes.len() as u32).collect();
        for (class, weights) in self.train_first(&all, width, first).iter().enumerate() {
            for (bucket, &weight) in weights.iter().enumerate() {
                model.first[bucket * CLASSES + class] = weight as f32;
            }
        }
        let all: Vec<u32> = (0..self.lefts.len() as u32).collect();
        for (bucket, &weight) in self.train_second(&all, width, second).iter().enumerate() {
            model.second[bucket] = weight as f32;
        }
    }
}
