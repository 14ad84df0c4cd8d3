//! A walk through rules that are composed when they are asked for.
//!
//! The translations of each pivot side are listed once, best first, and those of a source side are merged from the lists of
//! its pivot sides: a heap has the best of each that has not been taken yet, so that as many are looked at as are wanted,
//! and the first way to a target side is its best.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashTable};
use xxhash_rust::xxh3::xxh3_64;

use super::legs::{compose_links, gaps, orient, renumber};
use super::pivots::{Pivots, Way};
use super::{Composed, How};
use crate::grammar::Symbol;
use crate::grammar::score::ORIENTATIONS;
use crate::grammar::source::{Asked, RuleList, Scope, Walk};
use crate::grammar::table::{MOST_ARITY, X};
use crate::{Error, Result};

/// Rules and lists that a thread remembers.
const MOST_REMEMBERED: usize = 16 << 20;

/// A composed rule: those of both legs.
#[derive(Debug, Clone, Copy)]
struct Pair {
    rules: [u32; 2],
    /// The only feature of sums.
    value: f32,
}

/// What is to be taken next, the best first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Head {
    score: f32,
    way: usize,
}

impl Eq for Head {}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.way.cmp(&self.way))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) struct ComposedWalk<'a> {
    source: &'a Composed,
    /// Asked what exists, it has to look for it.
    state: RefCell<State<'a>>,
}

struct State<'a> {
    first: Box<dyn Walk + 'a>,
    pivots: Pivots<'a>,
    pairs: Vec<Pair>,
    /// Whether a source side has rules.
    known: HashMap<u32, bool>,
    listed: RuleList,
    ways: Vec<Way>,
    heap: BinaryHeap<Head>,
    /// Target sides of the source side at hand.
    seen: HashTable<usize>,
    sides: Vec<Symbol>,
    ends: Vec<usize>,
    weights: [Vec<f32>; 2],
    most: usize,
}

impl<'a> ComposedWalk<'a> {
    pub fn new(source: &'a Composed) -> Self {
        Self::with_memory(source, MOST_REMEMBERED)
    }

    pub fn with_memory(source: &'a Composed, most: usize) -> Self {
        let state = State {
            first: source.legs[0].walk(),
            pivots: Pivots::new(&*source.legs[1], &source.words),
            pairs: Vec::new(),
            known: HashMap::new(),
            listed: RuleList::default(),
            ways: Vec::new(),
            heap: BinaryHeap::new(),
            seen: HashTable::new(),
            sides: Vec::new(),
            ends: Vec::new(),
            weights: [Vec::new(), Vec::new()],
            most,
        };
        Self { source, state: RefCell::new(state) }
    }
}

#[cfg(test)]
impl ComposedWalk<'_> {
    /// How many translations of pivot sides were taken from their lists, of the source side that was asked for last.
    pub fn taken(&self) -> usize {
        let state = self.state.borrow();
        // The last one is not removed where that many rules were wanted.
        let removed: usize = state.ways.iter().map(|way| usize::MAX - way.left).sum();
        removed + usize::from(state.ends.len() == self.source.limits.rules)
    }
}

impl State<'_> {
    /// Spreads weights over the columns of both legs.
    fn weigh(&mut self, source: &Composed, weights: &[f32]) {
        let widths = [source.columns[0].len(), source.columns[1].len()];
        let legs = match &source.how {
            How::Max => [&weights[..widths[0]], &weights[widths[0]..widths[0] + widths[1]]],
            How::Sum(own) => [&own[0][..], &own[1]],
        };
        for leg in [0, 1] {
            self.weights[leg].clear();
            self.weights[leg].resize(source.legs[leg].feature_names().len(), 0.0);
            for (&column, &weight) in source.columns[leg].iter().zip(legs[leg]) {
                self.weights[leg][column] = weight;
            }
        }
        self.pivots.weigh(&self.weights[1]);
    }

    /// The ways through the pivot from a source side, those of the best pivot sides first.
    fn find_ways(&mut self, source: &Composed, state: u32, arity: usize, most: usize) {
        self.ways.clear();
        self.listed.clear();
        self.first.rules(state, arity, &self.weights[0], &mut self.listed);
        let listed = &mut self.listed;
        listed.rules.sort_by(|a, b| b.score.total_cmp(&a.score));
        for one in listed.rules.iter().filter(|one| one.lhs == X) {
            if most > 0 && self.ways.len() == most {
                break;
            }
            let pivot = listed.target(one);
            let Some((places, arity)) = gaps(pivot) else { continue };
            let Some(at) = self.pivots.find(pivot) else { continue };
            let [next, end] = self.pivots.list(at, arity);
            let links = if source.limits.linked { self.first.links(one.rule) } else { Vec::new() };
            let left = if source.limits.targets == 0 { usize::MAX } else { source.limits.targets };
            let mut way = Way { rule: one.rule, score: one.score, places, next, end, left, links };
            if way.settle(&self.pivots, &source.limits) {
                self.ways.push(way);
            }
        }
    }

    /// Puts a target side among those seen; its number, and whether it is new.
    fn see(&mut self, way: usize, at: u32) -> (usize, bool) {
        let begin = self.sides.len();
        renumber(self.pivots.symbols(self.pivots.target(at)), self.ways[way].places, &mut self.sides);
        let (sides, ends) = (&self.sides, &self.ends);
        let side = |number: usize| &sides[if number == 0 { 0 } else { ends[number - 1] }..ends[number]];
        let hash = |side: &[Symbol]| xxh3_64(bytemuck::cast_slice(side));
        let own = hash(&sides[begin..]);
        if let Some(&known) = self.seen.find(own, |&other| *side(other) == sides[begin..]) {
            self.sides.truncate(begin);
            return (known, false);
        }
        let number = self.ends.len();
        self.seen.insert_unique(own, number, |&other| hash(side(other)));
        self.ends.push(self.sides.len());
        (number, true)
    }

    fn side(&self, number: usize) -> &[Symbol] {
        &self.sides[if number == 0 { 0 } else { self.ends[number - 1] }..self.ends[number]]
    }

    fn clear_sides(&mut self) {
        self.seen.clear();
        self.sides.clear();
        self.ends.clear();
    }

    /// The best way to each target side.
    fn best(&mut self, source: &Composed, out: &mut RuleList) {
        self.clear_sides();
        self.heap.clear();
        let heads = self.ways.iter().enumerate().map(|(way, own)| Head { score: own.key(&self.pivots), way });
        self.heap.extend(heads);
        while let Some(Head { score, way }) = self.heap.pop() {
            let at = self.ways[way].next;
            let (number, is_new) = self.see(way, at);
            if is_new {
                let rules = [self.ways[way].rule, self.pivots.target(at).rule];
                self.push(rules, score, score, number, out);
                if self.ends.len() == source.limits.rules {
                    return;
                }
            }
            let own = &mut self.ways[way];
            own.next += 1;
            own.left -= 1;
            if own.settle(&self.pivots, &source.limits) {
                self.heap.push(Head { score: own.key(&self.pivots), way });
            }
        }
    }

    /// All ways to each target side together.
    fn sum(&mut self, source: &Composed, weight: f32, out: &mut RuleList) {
        self.clear_sides();
        // The largest summand, the rest by it, and who says it.
        let mut sums: Vec<(f64, f64, [u32; 2])> = Vec::new();
        for way in 0..self.ways.len() {
            while self.ways[way].settle(&self.pivots, &source.limits) {
                let at = self.ways[way].next;
                let score = f64::from(self.ways[way].key(&self.pivots));
                let rules = [self.ways[way].rule, self.pivots.target(at).rule];
                let (number, is_new) = self.see(way, at);
                if is_new {
                    sums.push((score, 1.0, rules));
                } else {
                    let (largest, sum, best) = &mut sums[number];
                    if score > *largest {
                        (*largest, *sum, *best) = (score, *sum * (*largest - score).exp() + 1.0, rules);
                    } else {
                        *sum += (score - *largest).exp();
                    }
                }
                self.ways[way].next += 1;
                self.ways[way].left -= 1;
            }
        }
        let value = |&(largest, sum, _): &(f64, f64, [u32; 2])| (largest + sum.ln()) as f32;
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by(|&a, &b| value(&sums[b]).total_cmp(&value(&sums[a])));
        let most = if source.limits.rules == 0 { order.len() } else { source.limits.rules };
        for number in order.into_iter().take(most) {
            let own = value(&sums[number]);
            self.push(sums[number].2, own, weight * own, number, out);
        }
    }

    fn push(&mut self, rules: [u32; 2], value: f32, score: f32, number: usize, out: &mut RuleList) {
        let rule = self.pairs.len() as u32;
        let side = self.side(number);
        let read = |target: &mut Vec<Symbol>| {
            target.extend_from_slice(side);
            Some((rule, X))
        };
        out.push(read, |_| score);
        self.pairs.push(Pair { rules, value });
    }

    fn orientations(&self, columns: &[[usize; ORIENTATIONS.len()]; 2], pair: Pair) -> [f32; ORIENTATIONS.len()] {
        let first = columns[0].map(|column| self.first.feature(pair.rules[0], column));
        let second = columns[1].map(|column| self.pivots.walk.feature(pair.rules[1], column));
        orient(first, second)
    }
}

impl Walk for ComposedWalk<'_> {
    fn begin(&mut self, _: Asked<'_>) -> Result<Scope> {
        let state = self.state.get_mut();
        // What the legs are asked for depends on more than the words of the sentence.
        let asked = Asked { words: &[], ordered: false, span: 0 };
        let legs = [state.first.begin(asked)?, state.pivots.walk.begin(asked)?];
        let full = state.pairs.len() + state.pivots.size() + state.known.len() > state.most;
        if full || legs.contains(&Scope::Sentence) {
            state.pairs.clear();
            state.pivots.forget();
            state.known.clear();
            return Ok(Scope::Sentence);
        }
        if u32::try_from(state.pairs.len()).is_err() {
            return Err(Error::limit("more than 4 billion rules"));
        }
        Ok(Scope::Model)
    }

    fn root(&self) -> u32 {
        self.state.borrow().first.root()
    }

    fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        self.state.get_mut().first.step(state, symbol)
    }

    fn continues(&self, state: u32) -> bool {
        self.state.borrow().first.continues(state)
    }

    fn has_rules(&self, at: u32) -> bool {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        if !state.first.has_rules(at) {
            return false;
        }
        if let Some(&known) = state.known.get(&at) {
            return known;
        }
        if state.weights[1].is_empty() {
            // Which are best does not matter yet.
            let width = self.source.columns[0].len() + self.source.columns[1].len();
            state.weigh(self.source, &vec![0.0; width]);
        }
        let found = (0..=MOST_ARITY).any(|arity| {
            state.find_ways(self.source, at, arity, 1);
            !state.ways.is_empty()
        });
        state.known.insert(at, found);
        found
    }

    fn rules(&mut self, at: u32, arity: usize, weights: &[f32], out: &mut RuleList) {
        let source = self.source;
        let state = self.state.get_mut();
        state.weigh(source, weights);
        state.find_ways(source, at, arity, source.limits.pivots);
        match source.how {
            How::Max => state.best(source, out),
            How::Sum(_) => state.sum(source, weights[0], out),
        }
    }

    fn feature(&self, rule: u32, column: usize) -> f32 {
        let state = self.state.borrow();
        let pair = state.pairs[rule as usize];
        if self.source.how != How::Max {
            return pair.value;
        }
        let [own, other] = &self.source.columns;
        if let Some(&at) = own.get(column) {
            return state.first.feature(pair.rules[0], at);
        }
        if let Some(&at) = other.get(column - own.len()) {
            return state.pivots.walk.feature(pair.rules[1], at);
        }
        let place = column - own.len() - other.len();
        self.source.orientations.as_ref().map_or(0.0, |columns| state.orientations(columns, pair)[place])
    }

    fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        let state = self.state.borrow();
        state.first.source(state.pairs[rule as usize].rules[0], source);
    }

    fn links(&self, rule: u32) -> Vec<[u8; 2]> {
        let state = self.state.borrow();
        let [first, second] = state.pairs[rule as usize].rules;
        compose_links(&state.first.links(first), &state.pivots.walk.links(second))
    }
}
