//! Undirected decoding: one tree grows from a leaf, a rule at a time, upwards or downwards at whatever slot the best action
//! is (Gesmundo & Henderson 2014).
//!
//! A first pass finds all derivations by rules alone ([`forest`]); then a [`tree`] grows in it. Its [`policy`] scores
//! actions by their rules, by the words that language models can now score on either side ([`carry`]), and by the best that
//! the branches left open can do without language models. Nothing is taken back.

mod beam;
mod carry;
pub mod context;
pub mod episode;
mod expert;
pub mod forest;
mod menus;
mod pack;
pub mod policy;
mod repair;
mod rescorer;
#[cfg(test)]
mod tests;
mod tree;

use std::time::{Duration, Instant};

use super::chart::{ChartDecoder, ChartSettings};
use super::effort::Effort;
use super::input::Input;
use super::model::Model;
use super::scorer::Scorer;
use super::search::{Growth, Search, Strategy};
use crate::{Error, Result};
use policy::{Factors, LmMode, Order, Policy, Rest, Start};
use rescorer::{Rescorer, Room};
use tree::{MOST_KEPT, Tree};

/// How trees grow.
#[derive(Debug, Clone, PartialEq)]
pub struct UndirectedSettings {
    /// Translations of a source side that are tried; 0 tries all.
    pub table_limit: usize,
    /// Positions that rules other than glue may cover.
    pub max_span: usize,
    /// How deep rules with gaps may nest (shallow-n grammars); `None` for any depth.
    pub shallow: Option<u8>,
    /// After this time for a sentence only rules without gaps are looked for, and one tree grows on, unrepaired.
    pub time_limit: Option<Duration>,
    /// Bytes for the forest of a sentence.
    pub memory_limit: Option<usize>,
    /// How much less than the best a derivation may promise to stay in the forest; `None` for any.
    pub prune: Option<f64>,
    /// The same while trees grow; what is repaired in the end sees all of the forest.
    pub narrow: Option<f64>,
    /// What language models say of an action.
    pub lm: LmMode,
    /// How context-free factors count.
    pub factors: Factors,
    /// What they are divided by.
    pub scale: f64,
    /// What they are scored with.
    pub rest: Rest,
    /// How many of the best source sides of each node language models are asked about for that.
    pub tries: usize,
    /// Whether the factor of the slot that is filled is taken off.
    pub relative: bool,
    /// When the start of the sentence is known.
    pub start: Start,
    /// Which slot is next.
    pub order: Order,
    /// Trees that grow side by side, at most [`MOST_KEPT`].
    pub beam: usize,
    /// First rules to begin with, each anew; the best tree counts.
    pub starts: usize,
    /// How often all parts of a tree are grown anew in the end, each with all others around it.
    pub repairs: usize,
    /// Trees that grow side by side where a part was taken out, at most [`MOST_KEPT`].
    pub regrow: usize,
    /// Most actions of a slot that language models are asked about; 0 for as many as it takes to find the best.
    pub scored: usize,
    /// Whether bounds spare questions to language models. The result does not depend on it.
    pub lazy: bool,
    /// How many bits places of features in context have, of which there are as many tables as [`context::TABLES`]; 0 for no
    /// such features.
    pub context: u32,
    /// Weights of actions' features, where they are not the model's.
    pub actions: Vec<(String, f64)>,
    /// Whether other trees are kept, for n-best lists.
    pub keep: bool,
}

impl Default for UndirectedSettings {
    fn default() -> Self {
        let chart = ChartSettings::default();
        Self {
            table_limit: 10,
            max_span: chart.max_span,
            shallow: chart.shallow,
            time_limit: chart.time_limit,
            memory_limit: chart.memory_limit,
            prune: Some(4.0),
            narrow: Some(1.0),
            lm: LmMode::default(),
            factors: Factors::default(),
            scale: 1.0,
            rest: Rest::default(),
            tries: 20,
            relative: true,
            start: Start::default(),
            order: Order::default(),
            beam: 1,
            starts: 4,
            repairs: 2,
            regrow: 3,
            scored: 0,
            lazy: true,
            context: 0,
            actions: Vec::new(),
            keep: false,
        }
    }
}

impl UndirectedSettings {
    /// Looks for values that make no sense.
    ///
    /// # Errors
    /// A beam of no tree or of too many, no start, a limit that is no positive number.
    pub fn check(&self) -> Result<()> {
        if let Some(trees) = [self.beam, self.regrow].iter().find(|trees| !(1..=MOST_KEPT).contains(*trees)) {
            return Err(Error::settings(format!("a beam of {trees} trees")).hint(format!("use 1 to {MOST_KEPT}")));
        }
        if !(1..=MOST_KEPT).contains(&self.starts) {
            return Err(
                Error::settings(format!("{} rules to start with", self.starts)).hint(format!("use 1 to {MOST_KEPT}"))
            );
        }
        if self.prune.is_some_and(|beam| beam.is_nan() || beam < 0.0)
            || self.narrow.is_some_and(|beam| beam.is_nan() || beam < 0.0)
        {
            return Err(Error::settings("what the forest is pruned by is not a positive number"));
        }
        Ok(())
    }

    /// The weight of a feature of actions that nobody trained.
    fn untrained(&self, model: &Model, base: &[f64], name: &str) -> f64 {
        if let Some(lm) = name.strip_suffix(policy::ESTIMATE) {
            return model.feature_names().iter().position(|known| known == lm).map_or(0.0, |at| base[at]);
        }
        // The best completion counts what it would if it were there.
        if name == policy::FACTOR || policy::FACTORS.contains(&name) { self.scale } else { 0.0 }
    }

    fn chart(&self) -> ChartSettings {
        ChartSettings {
            table_limit: self.table_limit,
            max_span: self.max_span,
            shallow: self.shallow,
            time_limit: self.time_limit,
            memory_limit: self.memory_limit,
            ..ChartSettings::default()
        }
    }
}

/// A decoder for one thread; it keeps its memory and its menus from sentence to sentence.
pub struct UndirectedDecoder<'m> {
    chart: ChartDecoder<'m>,
    settings: UndirectedSettings,
    policy: Policy,
    forest: forest::Forest,
    room: Room,
    tree: Tree,
    /// Other trees that were found, for n-best lists.
    others: Vec<(f64, Tree)>,
    second: repair::Room,
    effort: Effort,
}

impl<'m> UndirectedDecoder<'m> {
    /// A decoder.
    ///
    /// # Errors
    /// Settings that make no sense, weights for features that there are not, an ensemble whose edges are mixed.
    pub fn new(model: &'m Model, scorer: &'m Scorer, settings: UndirectedSettings) -> Result<Self> {
        settings.check()?;
        if !scorer.is_uniform() {
            return Err(Error::settings("undirected search cannot mix edges of an ensemble")
                .hint("mix rules (level rule), or decode with a chart"));
        }
        Ok(Self {
            policy: Policy::new(model, scorer, &settings)?,
            chart: ChartDecoder::new(model, scorer, settings.chart()),
            settings,
            forest: forest::Forest::default(),
            room: Room::default(),
            tree: Tree::default(),
            others: Vec::new(),
            second: repair::Room::default(),
            effort: Effort::default(),
        })
    }

    /// Finds the forest of an input.
    fn parse(&mut self, input: &Input) -> Result<()> {
        self.chart.bundle(input, &mut self.forest, &self.policy, self.settings.prune)?;
        self.effort = self.chart.effort();
        Ok(())
    }

    /// What looks for actions, and the tree that grows.
    fn rescorer(&mut self) -> (Rescorer<'_, 'm>, &mut Tree) {
        let rescorer = Rescorer {
            options: self.chart.options(),
            forest: &mut self.forest,
            policy: &self.policy,
            room: &mut self.room,
            effort: &mut self.effort,
            lazy: self.settings.lazy,
            order: self.settings.order,
            beam: self.settings.narrow.unwrap_or(f64::INFINITY),
            deadline: None,
        };
        (rescorer, &mut self.tree)
    }

    /// Decodes an input; what was found stays until the next one.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    pub fn decode(&mut self, input: &Input) -> Result<()> {
        let deadline = self.settings.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        self.parse(input)?;
        let started = Instant::now();
        self.others.clear();
        self.tree.begin(self.chart.options().model().lms().len());
        if self.forest.goal().is_none() {
            return Ok(());
        }
        let UndirectedSettings { beam, starts, repairs, regrow, keep, .. } = self.settings;
        let beam = if keep { MOST_KEPT } else { beam };
        let (mut others, mut second) = (std::mem::take(&mut self.others), std::mem::take(&mut self.second));
        let (mut rescorer, tree) = self.rescorer();
        rescorer.deadline = deadline;
        if beam > 1 || starts > 1 {
            beam::search(&mut rescorer, tree, beam, starts, &mut others, &mut second.spare);
        } else {
            while let Some((at, action)) = rescorer.choose(tree, 1) {
                rescorer.connect(tree, at, action);
            }
        }
        if repairs > 0 {
            rescorer.beam = f64::INFINITY;
            repair::repair(&mut rescorer, tree, repairs, regrow, &mut second);
            others.retain(|(_, other)| other.identity != tree.identity);
        }
        (self.others, self.second) = (others, second);
        self.effort.hypotheses = self.effort.pops;
        self.effort.rescoring = started.elapsed();
        Ok(())
    }
}

impl Search for UndirectedDecoder<'_> {
    fn expect(&mut self, inputs: &[&Input]) -> Result<()> {
        self.chart.expect(inputs)
    }

    fn decode(&mut self, input: &Input) -> Result<()> {
        Self::decode(self, input)
    }

    fn best(&self) -> Option<(String, f32)> {
        Self::best(self)
    }

    fn forest(&self, input: &Input) -> Result<crate::forest::Forest> {
        Self::forest(self, input)
    }

    fn force(&mut self, input: &Input, reference: &str) -> Result<crate::forest::Forest> {
        self.chart.force(input, reference)
    }

    fn context_free(&mut self, input: &Input) -> Result<crate::forest::Forest> {
        self.chart.context_free(input)
    }

    fn growth(&self) -> Vec<(u32, Growth)> {
        Self::growth(self)
    }

    fn effort(&self) -> Effort {
        self.effort
    }
}

impl Strategy for UndirectedSettings {
    fn search<'m>(&self, model: &'m Model, scorer: &'m Scorer) -> Result<Box<dyn Search + 'm>> {
        Ok(Box::new(UndirectedDecoder::new(model, scorer, self.clone())?))
    }

    fn keeping_alternatives(&self) -> Box<dyn Strategy> {
        Box::new(Self { keep: true, ..self.clone() })
    }
}
