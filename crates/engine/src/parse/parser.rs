//! The parser: an agenda, a chart, and the loop between them (Galron 2012, algorithm 8).
//!
//! Inferences wait on the agenda, each for itself, and items stand in the chart once, so that two ways to the same item are
//! seen as two: whoever learns from the search needs both. What is taken first is the best way there.

use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::agenda::Agenda;
use super::algebra::Algebra;
use super::cost::Cost;
use super::grammar::Grammar;
use super::logic::{Chart, Inference, Logic, Match, NO_ITEM};
use crate::forest::Hypergraph;
use crate::{Error, Result};

/// How the space is searched. Everything is kept by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Search {
    /// Most items in a cell.
    pub beam: Option<usize>,
    /// An item is dropped whose figure (worst cost, or sum) is more than this many times that of the best in its cell.
    pub threshold: Option<f64>,
    /// Whether the logic's bound of what is missing counts (A*).
    pub bound: bool,
}

impl Search {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A beam of 0, a threshold below 1 or no number.
    pub fn check(&self) -> Result<()> {
        if self.beam == Some(0) {
            return Err(Error::settings("a beam of 0 items keeps nothing").hint("use 1 or more"));
        }
        match self.threshold {
            Some(times) if times.is_nan() || times < 1.0 => {
                Err(Error::settings(format!("a threshold of {times} drops the best")).hint("use 1 or more"))
            }
            _ => Ok(()),
        }
    }
}

/// What ends a search that nothing else does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The time it may take.
    pub time: Option<Duration>,
    /// How many inferences may ever wait.
    pub inferences: usize,
}

impl Default for Limits {
    /// Half an hour, as in Galron 2012, section 4.6, and what fits into a small machine.
    fn default() -> Self {
        Self { time: Some(Duration::from_secs(1800)), inferences: 20_000_000 }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this item.
    Found(u32),
    /// Nothing waits any more.
    Empty,
    /// A limit was met.
    Limited,
}

/// An inference that was taken off the agenda.
#[derive(Debug, Clone)]
pub struct Fired<L: Logic, P> {
    /// Type and antecedents.
    pub by: Match<L::Rule>,
    /// What its grammar said.
    pub cost: Cost,
    /// The value of its consequent, derived this way.
    pub value: P,
    /// What is inferred.
    pub item: L::Item,
    /// The same item if it is in the chart.
    pub known: Option<u32>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// A new item of the chart.
    New(u32),
    /// Another way to an item of the chart.
    Again(u32),
    /// There was no room for it.
    Pruned,
}

impl Kept {
    /// The item.
    pub fn item(self) -> Option<u32> {
        match self {
            Self::New(item) | Self::Again(item) => Some(item),
            Self::Pruned => None,
        }
    }

    /// The item if it is new.
    pub fn if_new(self) -> Option<u32> {
        if let Self::New(item) = self { Some(item) } else { None }
    }
}

#[derive(Debug, Clone, Copy)]
struct Waiting<R, P> {
    by: Match<R>,
    cost: Cost,
    value: P,
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Inferences that were proposed by the logic.
    pub proposed: u64,
    /// Those whose cost was asked for.
    pub scored: u64,
    /// Those that were pushed on the agenda.
    pub pushed: u64,
    /// Those that were taken off it.
    pub popped: u64,
}

/// A logic, a grammar and an algebra at work on one input.
#[derive(Debug)]
pub struct Parser<L: Logic, G, A: Algebra> {
    /// Which inferences there are.
    pub logic: L,
    /// What they cost.
    pub grammar: G,
    /// What derivations are worth.
    pub algebra: A,
    /// What was done.
    pub effort: Effort,
    search: Search,
    limits: Limits,
    started: Instant,
    items: Vec<L::Item>,
    values: Vec<A::Value>,
    figures: Vec<f64>,
    charted: Vec<bool>,
    index: HashMap<L::Key, u32>,
    cells: Vec<Vec<u32>>,
    agenda: Agenda<Waiting<L::Rule, A::Pending>>,
    /// Items of the chart, and the inferences that led there.
    graph: Hypergraph<(), (L::Rule, Cost)>,
    found: Vec<Match<L::Rule>>,
    /// What was looked for and found: nothing was inferred from it yet.
    ended: Option<u32>,
}

impl<L: Logic, G: Grammar<L>, A: Algebra> Parser<L, G, A> {
    /// Nothing is known yet; the axioms are on the agenda.
    pub fn new(logic: L, grammar: G, algebra: A, search: Search, limits: Limits) -> Self {
        let cells = logic.cells();
        let mut parser = Self {
            logic,
            grammar,
            algebra,
            effort: Effort::default(),
            search,
            limits,
            started: Instant::now(),
            items: Vec::new(),
            values: Vec::new(),
            figures: Vec::new(),
            charted: Vec::new(),
            index: HashMap::new(),
            cells: vec![Vec::new(); cells],
            agenda: Agenda::default(),
            graph: Hypergraph::new(),
            found: Vec::new(),
            ended: None,
        };
        parser.algebra.clear();
        let mut axioms = std::mem::take(&mut parser.found);
        parser.logic.axioms(&mut axioms);
        axioms.drain(..).for_each(|axiom| parser.consider(axiom));
        parser.found = axioms;
        parser
    }

    /// Searches until an item is what was looked for.
    pub fn run(&mut self, done: impl Fn(&L, &L::Item) -> bool) -> Ended {
        loop {
            self.skip();
            let Some(fired) = self.pop() else { return Ended::Empty };
            if let Kept::New(item) = self.keep(&fired, false) {
                if done(&self.logic, &fired.item) {
                    self.ended = Some(item);
                    return Ended::Found(item);
                }
                self.expand(item);
            }
            if self.is_over() {
                return Ended::Limited;
            }
        }
    }

    /// Drops inferences from the front of the agenda that lead where there is no room any more.
    fn skip(&mut self) {
        while self.agenda.peek().is_some_and(|waiting| self.is_full(waiting.by)) {
            let algebra = &self.algebra;
            self.agenda.pop(|a, b| algebra.compare(&a.value, &b.value));
            self.effort.popped += 1;
        }
    }

    /// Whether a limit is met. The clock is read now and then only.
    pub fn is_over(&self) -> bool {
        let late = |limit| self.effort.popped.is_multiple_of(64) && self.started.elapsed() > limit;
        self.limits.time.is_some_and(late) || self.effort.pushed as usize > self.limits.inferences
    }

    /// Takes the best inference off the agenda.
    pub fn pop(&mut self) -> Option<Fired<L, A::Pending>> {
        let algebra = &self.algebra;
        let Waiting { by, cost, value } = self.agenda.pop(|a, b| algebra.compare(&a.value, &b.value))?;
        self.effort.popped += 1;
        let (left, right) = (self.items.get(by.left as usize), self.items.get(by.right as usize));
        let item = self.logic.infer(by.rule, left, right).expect("what was inferred once is inferred again");
        let known = self.known(&item);
        Some(Fired { by, cost, value, item, known })
    }

    /// Whether there is no room where an inference leads.
    fn is_full(&self, by: Match<L::Rule>) -> bool {
        self.search.beam.is_some_and(|beam| {
            let (left, right) = (self.items.get(by.left as usize), self.items.get(by.right as usize));
            self.logic.target(by.rule, left, right).is_some_and(|cell| self.cells[cell].len() >= beam)
        })
    }

    /// Whether there is no room for an item that was inferred like this.
    pub fn is_prunable(&self, fired: &Fired<L, A::Pending>) -> bool {
        if !self.logic.competes(&fired.item) {
            return false;
        }
        let cell = self.logic.cell(&fired.item);
        let full = self.search.beam.is_some_and(|beam| self.cells[cell].len() >= beam);
        full || self.search.threshold.is_some_and(|times| {
            let best = self.cells[cell].first().map(|&best| self.figures[best as usize]);
            best.is_some_and(|best| best * times < self.algebra.figure(&fired.value))
        })
    }

    /// Puts what was inferred into the chart, if it is new there and there is room, or it is forced; and remembers how it
    /// was inferred in any case.
    pub fn keep(&mut self, fired: &Fired<L, A::Pending>, forced: bool) -> Kept {
        let known = fired.known;
        if known.is_none() && !forced && self.is_prunable(fired) {
            return Kept::Pruned;
        }
        let item = known.unwrap_or_else(|| self.memoise(fired));
        self.graph.add_edge(item, [fired.by.left, fired.by.right], (fired.by.rule, fired.cost));
        if known.is_some() { Kept::Again(item) } else { Kept::New(item) }
    }

    fn memoise(&mut self, fired: &Fired<L, A::Pending>) -> u32 {
        let item = self.intern(&fired.item, &fired.value);
        self.figures[item as usize] = self.algebra.figure(&fired.value);
        self.values[item as usize] = self.algebra.settle(&fired.value);
        // How it came about is as it was taken.
        self.items[item as usize] = fired.item.clone();
        self.charted[item as usize] = true;
        self.cells[self.logic.cell(&fired.item)].push(item);
        item
    }

    /// The number of an item, which need not be in the chart: others may speak of it before the search comes to it.
    pub fn intern(&mut self, item: &L::Item, value: &A::Pending) -> u32 {
        let key = self.logic.key(item);
        if let Some(known) = self.find(&key) {
            return known;
        }
        let number = self.graph.add_node(());
        self.figures.push(self.algebra.figure(value));
        self.values.push(self.algebra.settle(value));
        self.charted.push(false);
        self.items.push(item.clone());
        self.index.insert(key, number);
        number
    }

    /// Whether an item is in the chart.
    #[inline]
    pub fn is_charted(&self, item: u32) -> bool {
        self.charted[item as usize]
    }

    /// Goes on from what was found, which may be a part of other ways to itself.
    pub(super) fn resume(&mut self) {
        if let Some(item) = self.ended.take() {
            self.expand(item);
        }
    }

    /// Puts all that an item of the chart allows on the agenda.
    pub fn expand(&mut self, item: u32) {
        let mut found = std::mem::take(&mut self.found);
        self.logic.matching(&Chart { items: &self.items, cells: &self.cells }, item, &mut found);
        found.drain(..).for_each(|by| self.consider(by));
        self.found = found;
    }

    /// Puts an inference on the agenda, unless it is forbidden or leads where there is no room.
    pub fn consider(&mut self, by: Match<L::Rule>) {
        self.effort.proposed += 1;
        if self.is_full(by) {
            return;
        }
        if let Some((_, cost)) = self.cost(by) {
            self.push(by, cost);
        }
    }

    /// What an inference leads to, and its cost; nothing if the logic or the grammar forbids it.
    pub fn cost(&mut self, by: Match<L::Rule>) -> Option<(L::Item, Cost)> {
        let (left, right) = (self.items.get(by.left as usize), self.items.get(by.right as usize));
        let item = self.logic.infer(by.rule, left, right)?;
        self.effort.scored += 1;
        let cost = self.grammar.cost(&self.logic, &Inference { rule: by.rule, left, right, consequent: &item });
        (cost != Cost::NEVER).then_some((item, cost))
    }

    /// What an inference costs, or else a cost if the grammar forbids it; nothing if the logic does.
    pub fn cost_or(&mut self, by: Match<L::Rule>, forbidden: Cost) -> Option<Cost> {
        let (left, right) = (self.items.get(by.left as usize), self.items.get(by.right as usize));
        self.logic.infer(by.rule, left, right)?;
        Some(self.cost(by).map_or(forbidden, |(_, cost)| cost))
    }

    /// Puts an inference on the agenda at a cost that was asked for, or that someone else decided.
    pub fn push(&mut self, by: Match<L::Rule>, cost: Cost) {
        let value = self.product(by, cost);
        let algebra = &self.algebra;
        self.agenda.push(Waiting { by, cost, value }, |a, b| algebra.compare(&a.value, &b.value));
        self.effort.pushed += 1;
    }

    /// The value of what an inference leads to, at a cost.
    pub fn product(&self, by: Match<L::Rule>, cost: Cost) -> A::Pending {
        let bound = match self.search.bound {
            true => self.logic.bound(by.rule, self.items.get(by.left as usize), self.items.get(by.right as usize)),
            false => Cost::NOTHING,
        };
        self.bounded(by, cost, bound)
    }

    /// The same without a bound of what is missing.
    pub(super) fn product_unbound(&self, by: Match<L::Rule>, cost: Cost) -> A::Pending {
        self.bounded(by, cost, Cost::NOTHING)
    }

    fn bounded(&self, by: Match<L::Rule>, cost: Cost, bound: Cost) -> A::Pending {
        let value = |item: u32| self.values.get(item as usize).copied().unwrap_or_else(|| self.algebra.one());
        self.algebra.product(value(by.left), value(by.right), cost, bound)
    }

    /// The value of the best inference that waits.
    pub(super) fn next(&self) -> Option<&A::Pending> {
        self.agenda.peek().map(|waiting| &waiting.value)
    }

    /// Whether nothing waits.
    pub fn is_idle(&self) -> bool {
        self.agenda.is_empty()
    }

    /// An item.
    #[inline]
    pub fn item(&self, item: u32) -> &L::Item {
        &self.items[item as usize]
    }

    /// The items of a cell, in the order in which they were kept.
    pub fn cell(&self, cell: usize) -> &[u32] {
        &self.cells[cell]
    }

    /// How many items there are a number of.
    pub fn numbered(&self) -> usize {
        self.items.len()
    }

    /// The items of the chart, in the order in which they were first spoken of.
    pub fn chart(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.items.len() as u32).filter(|&item| self.is_charted(item))
    }

    /// The number of the same item in the chart, if it is there.
    pub fn known(&self, item: &L::Item) -> Option<u32> {
        self.find(&self.logic.key(item)).filter(|&item| self.is_charted(item))
    }

    /// The number of the item of a key, if it has one.
    pub fn find(&self, key: &L::Key) -> Option<u32> {
        self.index.get(key).copied()
    }

    /// The value of the best derivation of an item.
    pub fn value(&self, item: u32) -> A::Value {
        self.values[item as usize]
    }

    /// The inferences of an item's best derivation, antecedents first.
    pub fn derivation(&self, item: u32) -> Vec<Step<L::Rule>> {
        let (mut steps, mut stack) = (Vec::new(), vec![item]);
        while let Some(item) = stack.pop() {
            let Some(edge) = self.graph.first(item) else { continue };
            let (&(rule, cost), [left, right]) = (self.graph.edge(edge), self.graph.tails(edge));
            steps.push(Step { item, by: Match { rule, left, right }, cost });
            stack.extend([left, right].into_iter().filter(|&item| item != NO_ITEM));
        }
        steps.reverse();
        steps
    }

    /// Items and all inferences that led to them, the best first.
    pub fn graph(&self) -> &Hypergraph<(), (L::Rule, Cost)> {
        &self.graph
    }

    /// Bytes of what is known and what waits.
    pub fn bytes(&self) -> usize {
        self.items.len() * size_of::<L::Item>() + self.agenda.bytes() + self.graph.bytes() + self.algebra.bytes()
    }
}

/// An inference of a derivation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step<R> {
    /// What was inferred.
    pub item: u32,
    /// From what.
    pub by: Match<R>,
    /// What the grammar said.
    pub cost: Cost,
}
