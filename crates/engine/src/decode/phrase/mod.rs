//! Phrase-based decoding: translations grow from left to right by phrases of the source in any order within a window
//! (Koehn et al. 2003; Koehn 2010, chapter 6), stacks filled by cube pruning (Huang & Chiang 2007).
//!
//! A stack holds hypotheses that have translated the same number of words. Hypotheses are one if they have translated
//! the same words, ended at the same place, and neither language models nor orientations can tell them apart. A phrase
//! begins at most the distortion limit away from the end of the one before it, and ends at most as far behind the first
//! word that it leaves behind, so that every hypothesis can be completed.

mod arena;
mod choices;
mod coverage;
mod cubes;
mod derivation;
mod force;
mod future;
mod order;
mod pack;
mod states;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use super::effort::Effort;
use super::input::Input;
use super::model::Model;
use super::options::Options;
use super::scorer::Scorer;
use super::search::{Search, Strategy, check_reference};
use crate::forest::Forest;
use crate::grammar::Symbol;
use crate::{Error, Result};
use arena::Arena;
use choices::Choices;
use coverage::Coverage;
pub use coverage::MOST_DISTORTION;
use cubes::{Filler, Scene};
use future::Future;
use states::States;

/// How stacks are filled.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseSettings {
    /// Hypotheses taken from the grids of a stack; 0 takes all.
    pub pop_limit: usize,
    /// Hypotheses of a stack that are extended; 0 extends all. With neither limit search is exact.
    pub stack_size: usize,
    /// Translations of a source phrase that are tried; 0 tries all.
    pub table_limit: usize,
    /// The farthest jump, and the farthest that a phrase may end behind the first word it leaves behind; 0 translates
    /// from left to right.
    pub distortion_limit: usize,
    /// The most source words of a phrase.
    pub max_phrase: usize,
    /// Whether hypotheses are compared with an estimate of the jumps to come (Moore & Quirk 2007).
    pub estimate_jumps: bool,
    /// After this time for a sentence only the best of each stack is kept, so that it ends soon.
    pub time_limit: Option<Duration>,
    /// Bytes for the hypotheses of a sentence; when they are used up the rest is done in a hurry too.
    pub memory_limit: Option<usize>,
    /// Whether other ways to the same hypothesis are kept, for forests and n-best lists.
    pub keep_edges: bool,
}

impl Default for PhraseSettings {
    fn default() -> Self {
        Self {
            pop_limit: 400,
            stack_size: 200,
            table_limit: 20,
            distortion_limit: 6,
            max_phrase: 7,
            estimate_jumps: true,
            time_limit: None,
            memory_limit: Some(1 << 30),
            keep_edges: false,
        }
    }
}

/// A decoder for one thread; it keeps its memory and its translation options from sentence to sentence.
pub struct PhraseDecoder<'m> {
    options: Options<'m>,
    settings: PhraseSettings,
    choices: Choices,
    future: Future,
    states: States,
    arena: Arena,
    filler: Filler,
    effort: Effort,
    goal: Option<u32>,
}

impl<'m> PhraseDecoder<'m> {
    /// A decoder.
    ///
    /// # Errors
    /// A distortion limit beyond [`MOST_DISTORTION`], an ensemble that mixes edges.
    pub fn new(model: &'m Model, scorer: &'m Scorer, settings: PhraseSettings) -> Result<Self> {
        if settings.distortion_limit > MOST_DISTORTION {
            let limit = settings.distortion_limit;
            return Err(Error::settings(format!("a distortion limit of {limit}, more than {MOST_DISTORTION}")));
        }
        if scorer.mixes_edges() {
            return Err(Error::settings("phrase-based decoding cannot mix the scores of edges")
                .hint("mix those of rules (level=\"rule\"), or decode with a chart"));
        }
        Ok(Self {
            options: Options::new(model, scorer, all_if_0(settings.table_limit), settings.max_phrase),
            settings,
            choices: Choices::default(),
            future: Future::default(),
            states: States::default(),
            arena: Arena::default(),
            filler: Filler::default(),
            effort: Effort::default(),
            goal: None,
        })
    }

    /// Searches the translations of a sentence; what was found stays until the next one.
    ///
    /// # Errors
    /// A lattice.
    pub fn decode(&mut self, input: &Input) -> Result<()> {
        let started = Instant::now();
        let last = input.last();
        let ids = self.begin(input)?;
        if last == 0 {
            return Ok(());
        }
        let (model, weights) = (self.options.model(), self.options.weights());
        self.states.begin(model);
        self.open(input, &ids, None);
        let settings = &self.settings;
        for words in 1..=last {
            if let Some(limit) = settings.time_limit {
                self.effort.hurried |= started.elapsed() > limit;
            }
            let bytes = self.arena.bytes() + self.states.bytes();
            self.effort.hurried |= settings.memory_limit.is_some_and(|limit| bytes > limit);
            let scene = Scene {
                model,
                weights,
                choices: &self.choices,
                future: &self.future,
                bounds: input.bounds(),
                last,
                distortion: settings.distortion_limit as u32,
                pops: if self.effort.hurried { 1 } else { all_if_0(settings.pop_limit) },
                keep: settings.keep_edges,
            };
            let first = self.arena.hypotheses();
            self.filler.fill(&scene, &mut self.arena, &mut self.states, words, &mut self.effort);
            self.arena.close_stack(&self.choices, self.filler.targets(), first, all_if_0(settings.stack_size));
        }
        self.count(last);
        self.effort.rescoring = started.elapsed();
        // All hypotheses that have translated everything are one.
        self.goal = self.arena.hypotheses().checked_sub(1);
        Ok(())
    }

    /// Forgets the sentence before; gives the ids of the next one's words.
    fn begin(&mut self, input: &Input) -> Result<Vec<Option<u32>>> {
        self.effort = Effort::default();
        self.goal = None;
        self.arena.clear();
        if input.is_sentence() {
            return self.options.begin_sentence(input);
        }
        Err(Error::input("phrase-based decoding takes sentences, not lattices").hint("decode with a chart"))
    }

    /// Finds the choices of a sentence, and makes the stack of the hypothesis that has translated nothing.
    fn open(&mut self, input: &Input, ids: &[Option<u32>], reference: Option<&[Symbol]>) {
        let settings = &self.settings;
        let limit = all_if_0(settings.table_limit);
        self.choices.find(&mut self.options, input, ids, settings.max_phrase, limit, reference);
        let weight = self.options.weights().values()[self.options.model().own().distortion];
        let jump = if settings.estimate_jumps { weight } else { 0.0 };
        self.future.estimate(&self.choices, input.last(), settings.distortion_limit, jump);
        self.filler.begin();
        self.arena.push_empty();
        self.arena.close_stack(&self.choices, self.filler.targets(), 0, 1);
    }

    /// Completes what is counted of search.
    fn count(&mut self, stacks: usize) {
        self.effort.queries = self.states.queries;
        self.effort.cells = stacks as u64;
        // The first hypothesis, which has translated nothing, was not taken.
        self.effort.hypotheses = u64::from(self.arena.hypotheses()) - 1;
        self.effort.recombined = self.effort.pops - self.effort.hypotheses;
    }

    /// What decoding the last sentence took.
    pub fn effort(&self) -> Effort {
        self.effort
    }
}

impl Search for PhraseDecoder<'_> {
    fn expect(&mut self, inputs: &[&Input]) -> Result<()> {
        self.options.expect(inputs)
    }

    fn decode(&mut self, input: &Input) -> Result<()> {
        Self::decode(self, input)
    }

    fn best(&self) -> Option<(String, f32)> {
        Self::best(self)
    }

    fn forest(&self, input: &Input) -> Result<Forest> {
        Self::forest(self, input)
    }

    fn force(&mut self, input: &Input, reference: &str) -> Result<Forest> {
        check_reference(reference)?;
        Self::force(self, input, reference)
    }

    fn effort(&self) -> Effort {
        Self::effort(self)
    }
}

impl Strategy for PhraseSettings {
    fn search<'m>(&self, model: &'m Model, scorer: &'m Scorer) -> Result<Box<dyn Search + 'm>> {
        Ok(Box::new(PhraseDecoder::new(model, scorer, self.clone())?))
    }

    fn keeping_alternatives(&self) -> Box<dyn Strategy> {
        Box::new(Self { keep_edges: true, ..self.clone() })
    }
}

fn all_if_0(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}
