//! The sparse half of training: features of a batch summed up for whoever differentiates the rest, and the gradients of
//! those sums brought back to the rows of the features.
//!
//! Candidates are in the order in which the reference emits them. At step t the first t are gone, the next is the right
//! one, and all after it are the other free words.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::super::in_sentence;
use super::bags::Gradients;
use super::corpus::Corpus;
use super::model::Model;
use super::optimise::Rule;
use super::sentence::{Sentence, history};
use super::shape::{Profile, SPARSE, TENSORS};
use super::templates::{ACTIONS, BINS, bin};
use super::walks::Walks;
use crate::{Error, Result};

/// Sentences of a batch are added up in this many parts, whatever the threads, so that sums never differ.
const PARTS: usize = 2;

/// Sums of features of a batch, padded with zeros; their gradients have the same form.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    /// What emitted words tell the state: batch × steps × gates.
    pub inputs: Vec<f32>,
    /// What is known of candidates: batch × steps × words × width.
    pub candidates: Vec<f32>,
    /// Embeddings of words in the released profile, as they are emitted: batch × words × units.
    pub embeddings: Vec<f32>,
    /// What steps of walks tell the inner state: batch × (3 · (words + 2)) × inner.
    pub steps: Vec<f32>,
}

/// Numbers a batch needs beside the sums.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Distances of candidates from the last word, in the released profile: batch × steps × words.
    pub distances: Vec<f32>,
    /// Walks from every last word: batch × steps × (words + 3) positions from which, and steps by which, positions are
    /// reached.
    pub before: Vec<i32>,
    /// See `before`.
    pub by: Vec<i32>,
    /// Positions at which walks to candidates end: batch × steps × words.
    pub ends: Vec<i32>,
}

/// A model in training, with its data.
pub struct Trainer {
    model: Model,
    corpus: Corpus,
    orders: Vec<u32>,
    rule: Rule,
    gradients: Vec<Gradients>,
    averages: Vec<[Vec<f32>; 2]>,
    step: u32,
}

/// How a batch is laid out.
#[derive(Clone, Copy)]
struct Layout {
    padded: usize,
    gates: usize,
    width: usize,
    units: usize,
    inner: usize,
}

impl Layout {
    fn new(model: &Model, padded: usize) -> Self {
        let shape = &model.shape;
        let units = if shape.profile == Profile::Released { shape.units } else { 0 };
        Self { padded, gates: shape.gates(), width: shape.width(), units, inner: shape.inner }
    }

    // Numbers per sentence in each array.
    fn inputs(self) -> usize {
        (self.padded - 1) * self.gates
    }

    fn candidates(self) -> usize {
        (self.padded - 1) * self.padded * self.width
    }

    fn embeddings(self) -> usize {
        self.padded * self.units
    }

    fn steps(self) -> usize {
        ACTIONS * (self.padded + 2) * self.inner
    }

    fn positions(self) -> usize {
        (self.padded - 1) * (self.padded + 3)
    }

    fn pairs(self) -> usize {
        (self.padded - 1) * self.padded
    }
}

impl Trainer {
    /// A trainer; what the model has for features that training never shows is set to 0, for it would stay noise.
    ///
    /// # Errors
    /// Heads are no trees, orders no permutations, or a setting makes no sense.
    pub fn new(model: Model, corpus: Corpus, orders: Vec<u32>, rule: Rule) -> Result<Self> {
        rule.check()?;
        corpus.check_orders(&orders)?;
        if model.shape.forms > 0 && !corpus.is_empty() && corpus.get(0).forms.is_empty() {
            return Err(Error::input("the model asks for words, and the sentences were given without"));
        }
        let gradients = vec![Gradients::new(&model.parameters); PARTS];
        let averages = TENSORS.map(|(tensor, _)| {
            let size = model.parameters.get(tensor).len();
            [vec![0.0; size], vec![0.0; size]]
        });
        let mut trainer = Self { model, corpus, orders, rule, gradients, averages: averages.into(), step: 0 };
        trainer.silence()?;
        Ok(trainer)
    }

    fn silence(&mut self) -> Result<()> {
        let Self { model, corpus, orders, gradients, .. } = self;
        let gradients = &mut gradients[0];
        let mut zeros = Vec::new();
        for at in 0..corpus.len() {
            let layout = Layout::new(model, corpus.words(at).max(2));
            let most = layout.candidates().max(layout.steps()).max(layout.inputs()).max(layout.embeddings());
            zeros.resize(most.max(zeros.len()), 0.0);
            let sums = Slices {
                inputs: &zeros[..layout.inputs()],
                candidates: &zeros[..layout.candidates()],
                embeddings: &zeros[..layout.embeddings()],
                steps: &zeros[..layout.steps()],
            };
            spread(model, corpus, orders, at, layout, sums, gradients).map_err(in_sentence(at))?;
        }
        for tensor in SPARSE {
            let (rows, columns) = model.parameters.size(tensor);
            let mut used = vec![false; rows];
            gradients.drain(tensor, |row, _| used[row] = true);
            let numbers = model.parameters.get_mut(tensor);
            for row in (0..rows).filter(|&row| !used[row]) {
                numbers[row * columns..(row + 1) * columns].fill(0.0);
            }
        }
        Ok(())
    }

    /// The model as it is.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Multiplies the length of steps.
    ///
    /// # Errors
    /// Steps would be senseless.
    pub fn slow_down(&mut self, factor: f32) -> Result<()> {
        let rule = Rule { rate: self.rule.rate * factor, ..self.rule };
        rule.check()?;
        self.rule = rule;
        Ok(())
    }

    /// Steps taken, their length now, and both averages of every tensor: with the model, all that a trainer needs to go on.
    #[must_use]
    pub fn gathered(&self) -> (u32, f32, &[[Vec<f32>; 2]]) {
        (self.step, self.rule.rate, &self.averages)
    }

    /// Goes on where another trainer was, whose model this one was made with; averages are by name.
    ///
    /// # Errors
    /// Averages are missing or have not the size of the model, or steps would be senseless.
    pub fn resume(&mut self, step: u32, rate: f32, averages: Vec<(String, [Vec<f32>; 2])>) -> Result<()> {
        let rule = Rule { rate, ..self.rule };
        rule.check()?;
        let mut named: BTreeMap<_, _> = averages.into_iter().collect();
        let mut found = Vec::with_capacity(TENSORS.len());
        for (tensor, name) in TENSORS {
            let both = named.remove(name).unwrap_or_default();
            let size = self.model.parameters.get(tensor).len();
            if both.iter().any(|one| one.len() != size || one.iter().any(|x| !x.is_finite())) {
                return Err(Error::format(format!("the averages of {name} do not fit the model")));
            }
            found.push(both);
        }
        if let Some(name) = named.keys().next() {
            return Err(Error::format(format!("a model of this kind has no tensor {name}")));
        }
        (self.step, self.rule, self.averages) = (step, rule, found);
        Ok(())
    }

    fn check(&self, batch: &[u32], padded: usize) -> Result<()> {
        for &at in batch {
            if at as usize >= self.corpus.len() || self.corpus.words(at as usize) > padded || padded < 2 {
                return Err(Error::settings(format!(
                    "sentence {at} is not in the corpus, or longer than {padded} words"
                )));
            }
        }
        Ok(())
    }

    /// Sums of a batch of sentences, each padded to a number of words.
    ///
    /// # Errors
    /// A sentence is not there or longer.
    pub fn sums(&self, batch: &[u32], padded: usize) -> Result<(Sums, Facts)> {
        self.check(batch, padded)?;
        let layout = Layout::new(&self.model, padded);
        let mut sums = Sums {
            inputs: vec![0.0; batch.len() * layout.inputs()],
            candidates: vec![0.0; batch.len() * layout.candidates()],
            embeddings: vec![0.0; batch.len() * layout.embeddings()],
            steps: vec![0.0; batch.len() * layout.steps()],
        };
        let (released, walks) = (layout.units > 0, layout.inner > 0);
        let size = |there: bool, per: usize| if there { batch.len() * per } else { 0 };
        let mut facts = Facts {
            distances: vec![0.0; size(released, layout.pairs())],
            before: vec![0; size(walks, layout.positions())],
            by: vec![0; size(walks, layout.positions())],
            ends: vec![0; size(walks, layout.pairs())],
        };
        batch
            .par_iter()
            .zip(sums.inputs.par_chunks_mut(layout.inputs()))
            .zip(sums.candidates.par_chunks_mut(layout.candidates()))
            .zip(chunks(&mut sums.embeddings, layout.embeddings(), batch.len()))
            .zip(chunks(&mut sums.steps, layout.steps(), batch.len()))
            .map(|((((at, inputs), candidates), embeddings), steps)| {
                gather(
                    &self.model,
                    &self.corpus,
                    &self.orders,
                    *at as usize,
                    layout,
                    inputs,
                    candidates,
                    embeddings,
                    steps,
                )
            })
            .collect::<Result<()>>()?;
        let mut sentence = Sentence::default();
        let mut found = Walks::default();
        for (place, &at) in batch.iter().enumerate() {
            if !released && !walks {
                break;
            }
            let order = self.corpus.part(at as usize, &self.orders);
            sentence.read(self.corpus.get(at as usize))?;
            for step in 0..order.len() - 1 {
                let (last, _) = history(order, step);
                let pair = place * layout.pairs() + step * padded;
                if walks {
                    found.find(&sentence, last);
                    let first = place * layout.positions() + step * (padded + 3);
                    for position in 0..found.vertices.len() {
                        facts.before[first + position] = found.before[position] as i32;
                        facts.by[first + position] = found.steps[position] as i32;
                    }
                }
                for (k, &word) in order.iter().enumerate().skip(step) {
                    if released {
                        facts.distances[pair + k] = sentence.distance(word as usize, last) as f32;
                    }
                    if walks {
                        facts.ends[pair + k] = found.ends[word as usize] as i32;
                    }
                }
            }
        }
        Ok((sums, facts))
    }

    /// Changes the model by gradients: of the sums of a batch, and of dense tensors by name.
    ///
    /// # Errors
    /// Gradients have not the size of what they belong to.
    pub fn learn(&mut self, batch: &[u32], padded: usize, sums: &Sums, dense: &[(String, Vec<f32>)]) -> Result<()> {
        self.check(batch, padded)?;
        let layout = Layout::new(&self.model, padded);
        let sizes = [
            (sums.inputs.len(), layout.inputs()),
            (sums.candidates.len(), layout.candidates()),
            (sums.embeddings.len(), layout.embeddings()),
            (sums.steps.len(), layout.steps()),
        ];
        if sizes.iter().any(|&(has, per)| has != per * batch.len()) {
            return Err(Error::settings("gradients of features have not the size of the batch"));
        }
        let Self { model, corpus, orders, rule, gradients, averages, step } = self;
        let part = batch.len().div_ceil(PARTS);
        gradients.par_iter_mut().enumerate().try_for_each(|(at, gradients)| {
            for place in (at * part..((at + 1) * part).min(batch.len())).take(part) {
                let slices = Slices {
                    inputs: &sums.inputs[place * layout.inputs()..][..layout.inputs()],
                    candidates: &sums.candidates[place * layout.candidates()..][..layout.candidates()],
                    embeddings: &sums.embeddings[place * layout.embeddings()..][..layout.embeddings()],
                    steps: &sums.steps[place * layout.steps()..][..layout.steps()],
                };
                spread(model, corpus, orders, batch[place] as usize, layout, slices, gradients)?;
            }
            Ok::<(), Error>(())
        })?;
        let (all, others) = gradients.split_at_mut(1);
        others.iter_mut().for_each(|other| all[0].take(other));
        *step += 1;
        for tensor in SPARSE {
            let (_, columns) = model.parameters.size(tensor);
            let numbers = model.parameters.get_mut(tensor);
            let [first, second] = &mut averages[tensor as usize];
            // Features that the batch does not have keep their rows and averages.
            all[0].drain(tensor, |row, gradient| {
                let range = row * columns..(row + 1) * columns;
                let (first, second) = (&mut first[range.clone()], &mut second[range.clone()]);
                rule.update(*step, &mut numbers[range], gradient, first, second);
            });
        }
        for (name, gradient) in dense {
            let found = TENSORS.iter().find(|&&(tensor, other)| other == name && !SPARSE.contains(&tensor));
            let Some(&(tensor, _)) = found else {
                return Err(Error::settings(format!("no dense tensor is called {name}")));
            };
            let numbers = model.parameters.get_mut(tensor);
            if numbers.len() != gradient.len() {
                return Err(Error::settings(format!("the gradient of {name} has not its size")));
            }
            let [first, second] = &mut averages[tensor as usize];
            rule.update(*step, numbers, gradient, first, second);
        }
        Ok(())
    }
}

// Chunks of an array that may be empty for all.
fn chunks(array: &mut [f32], size: usize, count: usize) -> impl IndexedParallelIterator<Item = &mut [f32]> {
    let mut rest = array;
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let (part, after) = rest.split_at_mut(size);
        parts.push(part);
        rest = after;
    }
    parts.into_par_iter()
}

#[derive(Clone, Copy)]
struct Slices<'a> {
    inputs: &'a [f32],
    candidates: &'a [f32],
    embeddings: &'a [f32],
    steps: &'a [f32],
}

#[allow(clippy::too_many_arguments)]
fn gather(
    model: &Model,
    corpus: &Corpus,
    orders: &[u32],
    at: usize,
    layout: Layout,
    inputs: &mut [f32],
    candidates: &mut [f32],
    embeddings: &mut [f32],
    steps: &mut [f32],
) -> Result<()> {
    let (bags, p, width) = (model.bags(), &model.parameters, layout.width);
    let order = corpus.part(at, orders);
    let mut sentence = Sentence::default();
    sentence.read(corpus.get(at))?;
    sentence.look_up(&model.shape, &model.values.words);
    let mut shared = Vec::new();
    bags.shared(p, &sentence, &mut shared);
    for step in 0..order.len() - 1 {
        let (last, earlier) = history(order, step);
        let input = &mut inputs[step * layout.gates..(step + 1) * layout.gates];
        bags.input(p, &sentence, order[step] as usize, last, input);
        for (k, &word) in order.iter().enumerate().skip(step) {
            let word = word as usize;
            let row = &mut candidates[(step * layout.padded + k) * width..(step * layout.padded + k + 1) * width];
            let distance = bin(sentence.distance(word, last));
            row.copy_from_slice(&shared[(word * BINS + distance) * width..(word * BINS + distance + 1) * width]);
            bags.candidate(p, &sentence, word, last, row);
            bags.later(p, &sentence, word, (last, earlier), row);
        }
    }
    if layout.units > 0 {
        for (&word, sum) in order.iter().zip(embeddings.chunks_exact_mut(layout.units)) {
            bags.embedding(p, &sentence, word as usize, sum);
        }
    }
    if layout.inner > 0 {
        for (step, sum) in steps.chunks_exact_mut(layout.inner).enumerate().take(ACTIONS * sentence.vertices()) {
            bags.step(p, &sentence, step, sum);
        }
    }
    Ok(())
}

fn spread(
    model: &Model,
    corpus: &Corpus,
    orders: &[u32],
    at: usize,
    layout: Layout,
    sums: Slices<'_>,
    gradients: &mut Gradients,
) -> Result<()> {
    let (bags, width) = (model.bags(), layout.width);
    let order = corpus.part(at, orders);
    let mut sentence = Sentence::default();
    sentence.read(corpus.get(at))?;
    sentence.look_up(&model.shape, &model.values.words);
    let mut shared = vec![0.0; order.len() * BINS * width];
    let mut used = vec![0_u16; order.len()];
    for step in 0..order.len() - 1 {
        let (last, earlier) = history(order, step);
        // The state after the last choice is never asked.
        if step + 2 < order.len() {
            let input = &sums.inputs[step * layout.gates..(step + 1) * layout.gates];
            bags.input_back(gradients, &sentence, order[step] as usize, last, input);
        }
        for (k, &word) in order.iter().enumerate().skip(step) {
            let word = word as usize;
            let row = &sums.candidates[(step * layout.padded + k) * width..(step * layout.padded + k + 1) * width];
            let distance = bin(sentence.distance(word, last));
            used[word] |= 1 << distance;
            super::numbers::add(&mut shared[(word * BINS + distance) * width..][..width], row);
            bags.candidate_back(gradients, &sentence, word, last, row);
            bags.later_back(gradients, &sentence, word, (last, earlier), row);
        }
    }
    bags.shared_back(gradients, &sentence, &shared, &used);
    if layout.units > 0 && order.len() > 1 {
        for (&word, sum) in order.iter().zip(sums.embeddings.chunks_exact(layout.units)) {
            bags.embedding_back(gradients, &sentence, word as usize, sum);
        }
    }
    if layout.inner > 0 && order.len() > 1 {
        let steps = sums.steps.chunks_exact(layout.inner).enumerate().take(ACTIONS * sentence.vertices());
        steps.for_each(|(step, sum)| bags.step_back(gradients, &sentence, step, sum));
    }
    Ok(())
}
