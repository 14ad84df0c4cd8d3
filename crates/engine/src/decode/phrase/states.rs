//! What language models remember of hypotheses, each kept once, and what they say of words after it.
//!
//! Search meets the same words after the same state again and again, for the same words may be translated before or
//! after others, and many translations begin alike: the answers are kept.

use hashbrown::HashTable;

use super::choices::Choices;
use crate::corpus::vocabulary::EOS;
use crate::decode::model::{Model, Weights};
use crate::decode::options::{LN_10, Options};
use crate::grammar::Symbol;
use crate::lm::state::State;

/// The end of the sentence, as a text.
pub const END: u32 = u32::MAX;
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// States of a sentence: rows with one for each language model.
#[derive(Debug, Default)]
pub struct States {
    lms: usize,
    count: u32,
    rows: Vec<State>,
    known: HashTable<u32>,
    steps: Vec<Step>,
    /// For each step what each language model says, log10.
    probs: Vec<f32>,
    known_steps: HashTable<u32>,
    scratch: Vec<State>,
    /// Whether states are numbered by the words before them, for all hypotheses begin the same text.
    along: bool,
    /// Words that language models were asked for.
    pub queries: u64,
}

/// Words after a state.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    from: u32,
    text: u32,
    /// The state after them.
    pub to: u32,
    /// What language models say of them, weighted.
    pub score: f32,
}

impl States {
    /// Forgets all but the state at the start of a sentence, which is 0.
    pub fn begin(&mut self, model: &Model) {
        self.lms = model.lms().len();
        self.along = false;
        self.count = 0;
        self.rows.clear();
        self.known.clear();
        self.steps.clear();
        self.probs.clear();
        self.known_steps.clear();
        self.queries = 0;
        self.scratch.clear();
        self.scratch.extend(model.lms().iter().map(|lm| lm.model.begin()));
        self.keep();
    }

    /// Forgets all but the states along a text: each has the number of words before it. Steps must then follow the text.
    pub fn begin_along(&mut self, options: &Options<'_>, words: &[Symbol]) {
        let model = options.model();
        self.begin(model);
        self.along = true;
        for word in words.iter().filter_map(|symbol| symbol.as_word()) {
            let from = self.rows.len() - self.lms;
            for (at, lm) in model.lms().iter().enumerate() {
                let (_, next) = lm.model.score(&self.rows[from + at], options.lm_word(at, word));
                self.rows.push(next);
            }
            self.count += 1;
        }
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        let row = self.lms * size_of::<State>() + size_of::<u32>();
        let step = size_of::<Step>() + self.lms * size_of::<f32>() + size_of::<u32>();
        self.count as usize * row + self.steps.len() * step
    }

    /// A step.
    #[inline]
    pub fn get(&self, step: u32) -> &Step {
        &self.steps[step as usize]
    }

    /// What each language model says of a step, log10.
    pub fn probs(&self, step: u32) -> &[f32] {
        &self.probs[step as usize * self.lms..][..self.lms]
    }

    /// The number of a step that was taken before.
    #[inline]
    pub fn find(&self, from: u32, text: u32) -> Option<u32> {
        let same = |&step: &u32| self.steps[step as usize].from == from && self.steps[step as usize].text == text;
        self.known_steps.find(hash_step(from, text), same).copied()
    }

    /// The step from a state over a text.
    pub fn step(&mut self, model: &Model, weights: &Weights, choices: &Choices, from: u32, text: u32) -> u32 {
        if let Some(known) = self.find(from, text) {
            return known;
        }
        let (to, score) = match choices.split(text) {
            Some((beginning, word)) => self.join(model, weights, choices, from, [beginning, word]),
            None => self.ask(model, weights, choices, from, text),
        };
        let new = self.steps.len() as u32;
        self.steps.push(Step { from, text, to, score });
        let steps = &self.steps;
        self.known_steps.insert_unique(hash_step(from, text), new, |&step| {
            hash_step(steps[step as usize].from, steps[step as usize].text)
        });
        new
    }

    /// A step over words, as one over all but the last and one over that: many texts begin alike.
    fn join(
        &mut self,
        model: &Model,
        weights: &Weights,
        choices: &Choices,
        from: u32,
        [beginning, word]: [u32; 2],
    ) -> (u32, f32) {
        let first = self.step(model, weights, choices, from, beginning);
        let Step { to, score, .. } = *self.get(first);
        let second = self.step(model, weights, choices, to, word);
        for lm in 0..self.lms {
            let sum = self.probs[first as usize * self.lms + lm] + self.probs[second as usize * self.lms + lm];
            self.probs.push(sum);
        }
        let last = self.get(second);
        (last.to, score + last.score)
    }

    /// A step over one word.
    fn ask(&mut self, model: &Model, weights: &Weights, choices: &Choices, from: u32, text: u32) -> (u32, f32) {
        self.scratch.clear();
        let mut score = 0.0;
        for (at, lm) in model.lms().iter().enumerate() {
            let word = if text == END { EOS } else { choices.word(text, at, self.lms) };
            let (prob, next) = lm.model.score(&self.rows[from as usize * self.lms + at], word);
            self.scratch.push(next);
            self.probs.push(prob);
            score += prob * LN_10 * weights.values()[lm.feature];
        }
        self.queries += self.lms as u64;
        let to = if self.along { from + 1 } else { self.keep() };
        (to, score)
    }

    /// The number of the row in `scratch`.
    fn keep(&mut self) -> u32 {
        let (rows, lms) = (&self.rows, self.lms);
        let row = |&state: &u32| &rows[state as usize * lms..][..lms];
        let hash = hash_row(&self.scratch);
        if let Some(&known) = self.known.find(hash, |state| row(state) == self.scratch) {
            return known;
        }
        let new = self.count;
        self.known.insert_unique(hash, new, |state| hash_row(row(state)));
        self.rows.extend_from_slice(&self.scratch);
        self.count += 1;
        new
    }
}

#[inline]
fn hash_step(from: u32, text: u32) -> u64 {
    let hash = (u64::from(from) << 32 | u64::from(text)).wrapping_mul(ODD);
    hash ^ hash >> 32
}

#[inline]
fn hash_row(row: &[State]) -> u64 {
    let mut hash = 0;
    for state in row {
        hash ^= state.words().len() as u64;
        for &word in state.words() {
            hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(ODD);
        }
    }
    hash ^ hash >> 32
}
