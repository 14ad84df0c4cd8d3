//! Which rules are to be tried at which nodes: asked from the top, so that only what can become part of an output is tried.

use super::matching::{Children, Truth, fits, single};
use super::rules::{Alternative, Rules};
use crate::syntax::forests::ConstituentForest;

/// A condition on nodes, for each label or word.
#[derive(Debug, Clone)]
pub enum Test {
    /// On labels, by number.
    Label(Vec<bool>),
    /// On head words, by place in the sentence.
    Head(Vec<bool>),
    /// On the only word of a node, by place in the sentence.
    Word(Vec<bool>),
}

/// What a grammar is tried on.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The tests that they speak of.
    pub tests: &'a [Test],
    /// The forest.
    pub forest: &'a ConstituentForest,
}

impl Input<'_> {
    /// Whether a node passes a test.
    pub fn test(&self, test: u32, node: u32) -> bool {
        let node = &self.forest.nodes[node as usize];
        match &self.tests[test as usize] {
            Test::Label(bits) => bits[node.label as usize],
            Test::Head(bits) => bits[node.head as usize],
            Test::Word(bits) => node.end - node.begin == 1 && bits[node.begin as usize],
        }
    }

    /// Whether a rule may match a node, as far as the node itself tells.
    pub fn may(&self, rule: u32, node: u32) -> Truth {
        let deep = self.rules.deep[rule as usize];
        let here = [node];
        let view = Maybe { input: self, nodes: &here };
        let mut found = Truth::of(false);
        for one in &self.rules.rules[rule as usize] {
            if one.items.is_some() && self.forest.is_word(node) {
                continue;
            }
            let one = single(&one.node, 0, &view);
            found = Truth { can: found.can || one.can, can_fail: found.can_fail && one.can_fail };
        }
        Truth { can: found.can, can_fail: found.can_fail || deep }
    }

    /// The edges of a node that are of trees.
    pub fn edges(&self, node: u32) -> impl Iterator<Item = usize> + '_ {
        let inside = self.forest.inside();
        self.forest.edges_of(node).filter(move |&edge| {
            let dead = |&child: &u32| inside[child as usize] == f64::NEG_INFINITY;
            self.forest.edges[edge].score > f64::NEG_INFINITY && !self.forest.children_of(edge).iter().any(dead)
        })
    }
}

/// Nodes of which nothing is known but what they are themselves.
struct Maybe<'a> {
    input: &'a Input<'a>,
    nodes: &'a [u32],
}

impl Children for Maybe<'_> {
    fn test(&self, test: u32, at: usize) -> bool {
        self.input.test(test, self.nodes[at])
    }

    fn named(&self, rule: u32, at: usize) -> Truth {
        self.input.may(rule, self.nodes[at])
    }
}

/// What is to be found out about each node.
#[derive(Debug)]
pub struct Demand {
    /// The rules to be tried at each node, in order.
    pub rules: Vec<Vec<u32>>,
    /// Whether a whole output may be made at each node.
    pub place: Vec<bool>,
    /// Whether a whole output may be made at or below each node.
    pub above: Vec<bool>,
}

impl Demand {
    /// For outputs of the whole sentence, or of any part of it.
    pub fn new(input: &Input<'_>, parts: bool) -> Self {
        let forest = input.forest;
        let count = forest.nodes.len();
        let mut demand = Self { rules: vec![Vec::new(); count], place: vec![false; count], above: vec![false; count] };
        let reached = reached(input);
        let mut stack = Vec::new();
        for &node in &reached {
            let Some(one) = forest.nodes.get(node as usize) else { continue };
            if forest.is_word(node) || !(parts || (one.begin == 0 && one.end as usize == forest.words.len())) {
                continue;
            }
            for &root in &input.rules.roots {
                if input.may(root, node).can {
                    demand.place[node as usize] = true;
                    demand.ask(root, node, &mut stack);
                }
            }
        }
        while let Some((rule, node)) = stack.pop() {
            for one in &input.rules.rules[rule as usize] {
                demand.alternative(input, one, node, &mut stack);
            }
        }
        demand.rules.iter_mut().for_each(|rules| rules.sort_unstable());
        demand.lift(input, &reached);
        demand
    }

    /// Whether trees of a node are told apart.
    pub fn is_live(&self, node: u32) -> bool {
        self.above[node as usize] || !self.rules[node as usize].is_empty()
    }

    fn ask(&mut self, rule: u32, node: u32, stack: &mut Vec<(u32, u32)>) {
        if !self.rules[node as usize].contains(&rule) {
            self.rules[node as usize].push(rule);
            stack.push((rule, node));
        }
    }

    fn alternative(&mut self, input: &Input<'_>, one: &Alternative, node: u32, stack: &mut Vec<(u32, u32)>) {
        if !single(&one.node, 0, &Maybe { input, nodes: &[node] }).can {
            return;
        }
        let deep = |rules: &mut Vec<u32>| {
            rules.sort_unstable();
            rules.dedup();
            rules.retain(|&rule| input.rules.deep[rule as usize]);
        };
        let mut here = Vec::new();
        one.node.rules(&mut here);
        deep(&mut here);
        here.into_iter().for_each(|rule| self.ask(rule, node, stack));
        let Some(items) = &one.items else { return };
        let mut below = Vec::new();
        items.iter().for_each(|item| item.rules(&mut below));
        deep(&mut below);
        if below.is_empty() {
            return;
        }
        for edge in input.edges(node) {
            let nodes = input.forest.children_of(edge);
            if !fits(items, nodes.len(), &Maybe { input, nodes }) {
                continue;
            }
            for &child in nodes {
                for &rule in &below {
                    if input.may(rule, child).can {
                        self.ask(rule, child, stack);
                    }
                }
            }
        }
    }

    /// Marks the nodes above places, until nothing changes; circles may lead back.
    fn lift(&mut self, input: &Input<'_>, reached: &[u32]) {
        self.above.clone_from(&self.place);
        if !self.place.contains(&true) {
            return;
        }
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); input.forest.nodes.len()];
        for &node in reached {
            for edge in input.edges(node) {
                input.forest.children_of(edge).iter().for_each(|&child| parents[child as usize].push(node));
            }
        }
        let mut stack: Vec<u32> = reached.iter().copied().filter(|&node| self.place[node as usize]).collect();
        while let Some(node) = stack.pop() {
            for &parent in &parents[node as usize] {
                if !self.above[parent as usize] {
                    self.above[parent as usize] = true;
                    stack.push(parent);
                }
            }
        }
    }
}

/// The nodes of trees, the root first.
fn reached(input: &Input<'_>) -> Vec<u32> {
    let mut seen = vec![false; input.forest.nodes.len()];
    seen[input.forest.root as usize] = true;
    let mut found = vec![input.forest.root];
    let mut at = 0;
    while at < found.len() {
        for edge in input.edges(found[at]) {
            for &child in input.forest.children_of(edge) {
                if !seen[child as usize] {
                    seen[child as usize] = true;
                    found.push(child);
                }
            }
        }
        at += 1;
    }
    found
}
