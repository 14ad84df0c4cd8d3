//! A forest of the trees that treebanks have, of the chart of binarised ones: parts of phrases and chains are undone, and a
//! phrase becomes one node for each head word it may have and each mark.

use hashbrown::HashMap;

use super::grammar::Grammar;
use super::graph::{Graph, NONE, Step};
use super::parser::Looked;
use crate::syntax::forests::ConstituentForest;
use crate::syntax::heads::{Child, HeadRules, category};
use crate::{Error, Result};

/// What is to be known of a grammar's symbols.
#[derive(Debug, Clone, Default)]
pub struct Unfolding {
    /// The label of each symbol.
    pub labels: Vec<String>,
    /// The labels of each chain, from above.
    pub chains: Vec<Vec<String>>,
    /// Who is head.
    pub rules: HeadRules,
    /// Whether basic noun phrases are called so.
    pub base: bool,
    /// Whether arguments are marked.
    pub arguments: bool,
}

impl Unfolding {
    pub(super) fn check(&self, grammar: &Grammar) -> Result<()> {
        let outline = grammar.outline();
        if self.labels.len() != outline.symbols() || self.chains.len() != outline.chains().len() {
            return Err(Error::input("labels or chains do not fit those of the grammar"));
        }
        Ok(())
    }
}

/// A node in the making: a label over words with one head, and whether it is basic.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub(super) label: String,
    pub(super) span: [u32; 2],
    pub(super) head: u32,
    pub(super) base: bool,
    /// The category of its last child.
    last: String,
    /// What its ways add up to.
    share: f64,
    /// None if it is a word.
    pub(super) ways: Vec<Way>,
}

/// A way to make it: its own factor, and its children, of which some are arguments.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) own: f64,
    pub(super) children: Vec<(u32, bool)>,
}

type Key = (u32, bool, String);

pub(super) struct Unfolder<'a> {
    unfolding: &'a Unfolding,
    grammar: &'a Grammar,
    graph: Graph,
    /// Of each edge, given its node.
    chances: Vec<f64>,
    /// Of each node to be in the tree.
    reach: Vec<f64>,
    least: f64,
    pub(super) variants: Vec<Variant>,
    /// Those of each node of the graph.
    of: Vec<Vec<u32>>,
    /// Phrases in the middle of chains: chain, place and what is below.
    between: HashMap<(u32, usize, u32), u32>,
}

/// The forest of a sentence's trees whose edges have a chance of at least `least`; none if that leaves no tree.
pub(super) fn unfold(
    grammar: &Grammar,
    sentence: &[String],
    looked: &Looked,
    least: f64,
    unfolding: &Unfolding,
) -> Result<Option<ConstituentForest>> {
    let (graph, survivors) = looked.graph.pruned(&looked.chances, least);
    if !graph.is_whole(grammar.outline().root(), sentence.len()) {
        return Ok(None);
    }
    let mut chances: Vec<f64> = survivors.iter().map(|&edge| looked.chances.edges[edge]).collect();
    let mut reach = vec![0.0; graph.nodes.len()];
    reach[graph.nodes.len() - 1] = 1.0;
    for node in (0..graph.nodes.len()).rev() {
        let sum: f64 = chances[graph.incoming(node)].iter().sum();
        for edge in graph.incoming(node) {
            chances[edge] /= sum;
            for &tail in graph.edges[edge].tails.iter().filter(|&&tail| tail != NONE) {
                reach[tail as usize] += reach[node] * chances[edge];
            }
        }
    }
    let of = vec![Vec::new(); graph.nodes.len()];
    let (variants, between) = (Vec::new(), HashMap::new());
    let mut unfolder = Unfolder { unfolding, grammar, graph, chances, reach, least, variants, of, between };
    for node in 0..unfolder.graph.nodes.len() {
        unfolder.node(node);
    }
    let Some(forest) = super::unfolded::gather(&unfolder, sentence)? else { return Ok(None) };
    forest.pruned(least)
}

impl Unfolder<'_> {
    pub(super) fn top(&self) -> &[u32] {
        self.of.last().map_or(&[], Vec::as_slice)
    }

    /// The label of a node, with marks.
    pub(super) fn marked(&self, variant: &Variant, argument: bool) -> String {
        let label = if variant.base { self.unfolding.rules.based(&variant.label) } else { variant.label.clone() };
        if argument { format!("{label}-A") } else { label }
    }

    fn is_part(&self, node: usize) -> bool {
        self.grammar.outline().kinds()[self.graph.nodes[node].symbol as usize] == 2
    }

    fn node(&mut self, node: usize) {
        if self.reach[node] < self.least || self.is_part(node) {
            return;
        }
        let label = self.graph.nodes[node];
        let edges = self.graph.incoming(node);
        if !label.upper && self.grammar.outline().is_tag(label.symbol) {
            let text = self.unfolding.labels[label.symbol as usize].clone();
            let span = [label.begin, label.end];
            let (head, last) = (label.begin, String::new());
            self.of[node].push(self.variants.len() as u32);
            self.variants.push(Variant { label: text, span, head, base: false, last, share: 1.0, ways: Vec::new() });
            return;
        }
        let only = self.graph.edges[edges.start];
        if edges.len() == 1 && only.step == Step::Kept {
            self.of[node] = self.of[only.tails[0] as usize].clone();
            return;
        }
        let mut found: Vec<(Way, f64)> = Vec::new();
        for edge in edges {
            let (step, tails) = (self.graph.edges[edge].step, self.graph.edges[edge].tails);
            let chance = self.chances[edge];
            let below = self.of.get(tails[0] as usize).cloned().unwrap_or_default();
            match step {
                Step::Word => {}
                Step::Kept => {
                    for variant in below.iter().map(|&variant| &self.variants[variant as usize]) {
                        for way in &variant.ways {
                            let own = way.own * chance;
                            found.push((Way { own, children: way.children.clone() }, own * self.parts(&way.children)));
                        }
                    }
                }
                Step::Unary(rule) => {
                    let chain = self.grammar.outline().unary()[rule as usize][2];
                    for variant in below {
                        let child = self.chained(chain, variant);
                        let children = vec![(child, false)];
                        let mass = chance * self.parts(&children);
                        found.push((Way { own: chance, children }, mass));
                    }
                }
                Step::Binary(_) => {
                    let mut pending = vec![tails[1], tails[0]];
                    self.expand(node, chance, 1.0, &mut pending, &mut Vec::new(), &mut found);
                }
            }
        }
        let reach = self.reach[node];
        found.retain(|(_, mass)| reach * mass >= self.least);
        self.group(node, found);
    }

    fn parts(&self, children: &[(u32, bool)]) -> f64 {
        children.iter().map(|&(child, _)| self.variants[child as usize].share).product()
    }

    /// All children that parts of a phrase may stand for, if they are probable enough together: `own` are the rules used so
    /// far, `inside` what the children have that are chosen.
    fn expand(
        &self,
        node: usize,
        own: f64,
        inside: f64,
        pending: &mut Vec<u32>,
        chosen: &mut Vec<(u32, bool)>,
        found: &mut Vec<(Way, f64)>,
    ) {
        if self.reach[node] * own * inside < self.least {
            return;
        }
        let Some(next) = pending.pop() else {
            found.push((Way { own, children: chosen.clone() }, own * inside));
            return;
        };
        if self.is_part(next as usize) {
            for edge in self.graph.incoming(next as usize) {
                let tails = self.graph.edges[edge].tails;
                let before = pending.len();
                pending.extend(tails.iter().rev().filter(|&&tail| tail != NONE));
                self.expand(node, own * self.chances[edge], inside, pending, chosen, found);
                pending.truncate(before);
            }
        } else {
            for &variant in &self.of[next as usize] {
                chosen.push((variant, false));
                self.expand(node, own, inside * self.variants[variant as usize].share, pending, chosen, found);
                chosen.pop();
            }
        }
        pending.push(next);
    }

    /// The phrases of a chain over a variant.
    fn chained(&mut self, chain: u32, bottom: u32) -> u32 {
        let mut below = bottom;
        for place in (0..self.unfolding.chains[chain as usize].len()).rev() {
            let key = (chain, place, below);
            below = match self.between.get(&key) {
                Some(&known) => known,
                None => {
                    let label = self.unfolding.chains[chain as usize][place].clone();
                    let child = &self.variants[below as usize];
                    let (head, span, share) = (child.head, child.span, child.share);
                    let (base, last) = (self.is_base(&label, &[below]), category(&child.label).to_owned());
                    let ways = vec![Way { own: 1.0, children: vec![(below, false)] }];
                    self.variants.push(Variant { label, span, head, base, last, share, ways });
                    let number = self.variants.len() as u32 - 1;
                    self.between.insert(key, number);
                    number
                }
            };
        }
        below
    }

    fn child(&self, variant: u32) -> Child<'_> {
        let variant = &self.variants[variant as usize];
        Child { label: &variant.label, word: variant.ways.is_empty(), last: &variant.last }
    }

    fn is_base(&self, label: &str, children: &[u32]) -> bool {
        let seen: Vec<Child<'_>> = children.iter().map(|&child| self.child(child)).collect();
        self.unfolding.base && self.unfolding.rules.is_base(label, &seen)
    }

    /// Makes variants of a node of ways to make it.
    fn group(&mut self, node: usize, found: Vec<(Way, f64)>) {
        let at = self.graph.nodes[node];
        let label = &self.unfolding.labels[at.symbol as usize];
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let mut same: HashMap<Vec<u32>, (usize, usize)> = HashMap::new();
        let mut fresh: Vec<Variant> = Vec::new();
        for (mut way, mass) in found {
            let children: Vec<u32> = way.children.iter().map(|&(child, _)| child).collect();
            // Binarisations that make one phrase in several ways.
            if let Some(&(variant, place)) = same.get(&children) {
                fresh[variant].ways[place].own += way.own;
                fresh[variant].share += mass;
                continue;
            }
            let seen: Vec<Child<'_>> = children.iter().map(|&child| self.child(child)).collect();
            let rules = &self.unfolding.rules;
            let place = rules.head(label, &seen);
            let head = self.variants[children[place] as usize].head;
            let base = self.unfolding.base && rules.is_base(label, &seen);
            if self.unfolding.arguments {
                let arguments = rules.arguments(label, &seen, place);
                way.children.iter_mut().zip(arguments).for_each(|(child, argument)| child.1 = argument);
            }
            let last = seen.last().map_or("", |child| category(child.label)).to_owned();
            let number = *numbers.entry((head, base, last.clone())).or_insert_with(|| {
                let (label, span) = (label.clone(), [at.begin, at.end]);
                fresh.push(Variant { label, span, head, base, last, share: 0.0, ways: Vec::new() });
                fresh.len() - 1
            });
            same.insert(children, (number, fresh[number].ways.len()));
            fresh[number].share += mass;
            fresh[number].ways.push(way);
        }
        let first = self.variants.len() as u32;
        self.of[node] = (first..first + fresh.len() as u32).collect();
        self.variants.extend(fresh);
    }
}
