//! The transducer: a forest whose nodes are told apart by what rules match and which outputs their trees have made so far.
//!
//! A worklist to a fixed point over rules, nodes and edges (Mohammad 2012, figure 1-2), but of sets of matches that a tree has
//! together, as states of a bottom-up tree automaton; so "not" and "and" hold of trees, and how probable it is that a tree
//! yields an output is a sum over the states of the root, whatever the outputs share. Circles of unary edges end because
//! matches are known by what they give.

mod matches;

use hashbrown::{HashMap, HashSet};

use super::contents::{Contents, Sequence};
use super::demand::{Demand, Input};
use super::matching::single;
use matches::Here;

/// A whole output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Output {
    /// Of which of the rules for whole outputs.
    pub root: u32,
    /// The first word of what it rewrites.
    pub begin: u32,
    /// The word after the last.
    pub end: u32,
    /// Its tokens.
    pub tokens: Sequence,
}

/// What is known of trees of a node: matches of rules, with what they give, and outputs that were made at or below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct State {
    matches: Vec<(u32, u32)>,
    outputs: Vec<u32>,
}

/// A node that is not told apart.
pub(super) const PLAIN: u32 = u32::MAX;

/// One way to make a node of the product: an edge, and which of the product's nodes its children are.
pub(super) type Way = (usize, Vec<u32>);

pub(super) struct Transducer<'a> {
    input: Input<'a>,
    demand: Demand,
    contents: Contents,
    fixed: HashMap<(u32, u32), Vec<u32>>,
    states: Vec<State>,
    state_numbers: HashMap<State, u32>,
    pub outputs: Vec<Output>,
    output_numbers: HashMap<Output, u32>,
    /// The nodes of the product: a node of the forest and a state.
    pub nodes: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    /// The nodes of the product that each node of the forest has become so far.
    pub variants: Vec<Vec<u32>>,
    pub ways: Vec<Vec<Way>>,
    queue: Vec<u32>,
    edges: usize,
    most: usize,
}

impl<'a> Transducer<'a> {
    pub fn new(input: Input<'a>, parts: bool, most: usize) -> Self {
        let count = input.forest.nodes.len();
        Self {
            input,
            demand: Demand::new(&input, parts),
            contents: Contents::default(),
            fixed: HashMap::new(),
            states: Vec::new(),
            state_numbers: HashMap::new(),
            outputs: Vec::new(),
            output_numbers: HashMap::new(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            variants: vec![Vec::new(); count],
            ways: Vec::new(),
            queue: Vec::new(),
            edges: 0,
            most,
        }
    }

    /// Finds all; false if it becomes too much.
    pub fn run(&mut self) -> bool {
        let forest = self.input.forest;
        let mut parents: HashMap<u32, Vec<usize>> = HashMap::new();
        for node in 0..forest.nodes.len() as u32 {
            if !self.demand.is_live(node) || forest.inside()[node as usize] == f64::NEG_INFINITY {
                continue;
            }
            if forest.is_word(node) && !self.add(node, None) {
                return false;
            }
            for edge in self.input.edges(node).collect::<Vec<_>>() {
                let live: HashSet<u32> =
                    forest.children_of(edge).iter().copied().filter(|&child| self.demand.is_live(child)).collect();
                if live.is_empty() && !self.combine(edge, None) {
                    return false;
                }
                live.into_iter().for_each(|child| parents.entry(child).or_default().push(edge));
            }
        }
        let mut at = 0;
        while at < self.queue.len() {
            let variant = self.queue[at];
            at += 1;
            let node = self.nodes[variant as usize].0;
            self.variants[node as usize].push(variant);
            for &edge in parents.get(&node).map_or(&[][..], Vec::as_slice) {
                if !self.combine(edge, Some(variant)) {
                    return false;
                }
            }
        }
        true
    }

    /// The outputs of trees of a node of the product.
    pub fn outputs_of(&self, variant: u32) -> &[u32] {
        &self.states[self.nodes[variant as usize].1 as usize].outputs
    }

    fn matches(&self, variant: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.states[self.nodes[variant as usize].1 as usize].matches.iter().copied()
    }

    /// Tries an edge with all that its children are known to be, one of them being what was found just now.
    fn combine(&mut self, edge: usize, new: Option<u32>) -> bool {
        let children = self.input.forest.children_of(edge);
        let chosen = new.map(|variant| self.nodes[variant as usize].0);
        let choices: Vec<Vec<u32>> = children
            .iter()
            .map(|&child| match new {
                Some(variant) if chosen == Some(child) => vec![variant],
                _ if self.demand.is_live(child) => self.variants[child as usize].clone(),
                _ => vec![PLAIN],
            })
            .collect();
        if choices.iter().any(Vec::is_empty) {
            return true;
        }
        let mut at = vec![0; choices.len()];
        loop {
            let variants = at.iter().zip(&choices).map(|(&at, choice)| choice[at]).collect();
            if !self.add(self.input.forest.edges[edge].node, Some((edge, variants))) {
                return false;
            }
            let Some(turn) = (0..at.len()).rev().find(|&turn| at[turn] + 1 < choices[turn].len()) else {
                return true;
            };
            at[turn] += 1;
            at[turn + 1..].fill(0);
        }
    }

    /// One more way to make a node.
    fn add(&mut self, node: u32, way: Option<Way>) -> bool {
        self.edges += 1;
        let Some(state) = self.state(node, way.as_ref()) else { return false };
        if self.edges > self.most || self.contents.len() > self.most || self.contents.overflow {
            return false;
        }
        let next = self.states.len() as u32;
        let state = *self.state_numbers.entry_ref(&state).or_insert_with(|| {
            self.states.push(state.clone());
            next
        });
        let next = self.nodes.len() as u32;
        let variant = *self.numbers.entry((node, state)).or_insert(next);
        if variant == next {
            self.nodes.push((node, state));
            self.ways.push(Vec::new());
            self.queue.push(variant);
        }
        self.ways[variant as usize].extend(way);
        true
    }

    /// What is known of the trees of a node that an edge makes of such trees; None if it is too much.
    fn state(&mut self, node: u32, way: Option<&Way>) -> Option<State> {
        let rules = self.input.rules;
        let mut found: Vec<(u32, u32)> = Vec::new();
        for rule in self.demand.rules[node as usize].clone() {
            for one in &rules.rules[rule as usize] {
                if single(&one.node, 0, &Here { transducer: self, node, found: &found }).can {
                    let given = self.given(rule, one, node, way)?;
                    found.extend(given.into_iter().map(|content| (rule, content)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let mut outputs: Vec<u32> = Vec::new();
        if self.demand.above[node as usize] {
            let below = way.iter().flat_map(|(_, variants)| variants).filter(|&&variant| variant != PLAIN);
            below.for_each(|&variant| outputs.extend(self.outputs_of(variant)));
        }
        if self.demand.place[node as usize] {
            for (number, root) in rules.roots.iter().enumerate() {
                for &(_, content) in found.iter().filter(|(rule, _)| rule == root) {
                    outputs.push(self.output(number as u32, node, content));
                }
            }
        }
        outputs.sort_unstable();
        outputs.dedup();
        Some(State { matches: found, outputs })
    }

    fn output(&mut self, root: u32, node: u32, content: u32) -> u32 {
        let node = &self.input.forest.nodes[node as usize];
        let tokens = self.contents.get(content)[0].clone();
        let output = Output { root, begin: node.begin, end: node.end, tokens };
        let next = self.outputs.len() as u32;
        *self.output_numbers.entry_ref(&output).or_insert_with(|| {
            self.outputs.push(output.clone());
            next
        })
    }
}
