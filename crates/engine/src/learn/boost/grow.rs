//! Growing one tree.

use super::columns::Column;
use super::examples::Examples;
use super::loss::{Weighed, gain, line_search, pull};
use super::split::{Leaf, Scratch};
use super::train::Settings;
use super::trees::{LEAF, Node};

/// The deepest a tree ever gets.
pub(super) const MOST_DEPTH: u32 = 256;

/// Gains that differ by less than this share of all weight are the same; sums in another order differ by some 1e-16.
const SLACK: f64 = 1e-12;

/// Examples, what is known of them by now, and memory to grow trees in.
#[derive(Debug)]
pub(super) struct Grower<'a> {
    examples: &'a Examples<'a>,
    columns: Vec<Column>,
    settings: &'a Settings,
    biases: Vec<f64>,
    slack: f64,
    /// The score of each example so far.
    pub scores: Vec<f64>,
    /// The same before the last tree.
    before: Vec<f64>,
    pulls: Vec<f64>,
    /// The examples, those of a leaf next to each other.
    order: Vec<u32>,
    spare: Vec<u32>,
    pending: Vec<Part>,
    /// Leaves of the last tree.
    leaves: Vec<(u32, usize, usize)>,
    scratch: Scratch,
}

/// Examples that come to a node which does not exist yet.
#[derive(Debug, Clone, Copy)]
struct Part {
    begin: usize,
    end: usize,
    depth: u32,
    /// The node whose `no` it is.
    parent: u32,
}

impl<'a> Grower<'a> {
    pub fn new(examples: &'a Examples<'a>, settings: &'a Settings) -> Self {
        let count = examples.len();
        let bins = if count > settings.exact { settings.bins } else { 0 };
        let biases: Vec<f64> = (0..count).map(|at| examples.bias(at)).collect();
        let slack = SLACK * biases.iter().sum::<f64>();
        Self {
            columns: (0..examples.fields.len()).map(|field| Column::new(examples, field, bins)).collect(),
            scores: examples.offsets.clone().unwrap_or_else(|| vec![0.0; count]),
            before: Vec::with_capacity(count),
            pulls: vec![0.0; count],
            order: Vec::with_capacity(count),
            spare: Vec::with_capacity(count),
            pending: Vec::new(),
            leaves: Vec::new(),
            scratch: Scratch::default(),
            examples,
            settings,
            biases,
            slack,
        }
    }

    fn weighed(&self, example: u32) -> Weighed {
        let at = example as usize;
        Weighed { bias: self.biases[at], label: self.examples.labels[at], score: self.scores[at] }
    }

    /// Adds a tree to the nodes and weights that there are (Galron 2012, section 4.5.5; a leaf is split by the test of the
    /// greatest gain of both sides together, if that is more than its own).
    pub fn grow(&mut self, penalty: f64, nodes: &mut Vec<Node>, weights: &mut Vec<f64>) {
        for (at, pulled) in self.pulls.iter_mut().enumerate() {
            *pulled = pull(self.biases[at], self.examples.labels[at], self.scores[at]);
        }
        let count = self.examples.len();
        self.order.clear();
        self.order.extend(0..count as u32);
        self.leaves.clear();
        self.pending.push(Part { begin: 0, end: count, depth: 0, parent: LEAF });
        while let Some(part) = self.pending.pop() {
            let at = nodes.len() as u32;
            if let Some(parent) = nodes.get_mut(part.parent as usize) {
                parent.no = at;
            }
            weights
                .push(line_search(&self.order[part.begin..part.end].iter().map(|&each| self.weighed(each)), penalty));
            match self.split(part, penalty) {
                Some((field, value, middle)) => {
                    nodes.push(Node { field, value, yes: at + 1, no: 0 });
                    let depth = part.depth + 1;
                    self.pending.push(Part { begin: middle, end: part.end, depth, parent: at });
                    self.pending.push(Part { begin: part.begin, end: middle, depth, parent: LEAF });
                }
                None => {
                    nodes.push(Node::leaf());
                    self.leaves.push((at, part.begin, part.end));
                }
            }
        }
    }

    /// Splits the examples of a part by the best test, those that pass first, if that is worth it.
    fn split(&mut self, part: Part, penalty: f64) -> Option<(u32, u32, usize)> {
        if part.depth >= self.settings.depth() {
            return None;
        }
        let examples = &self.order[part.begin..part.end];
        let (mut up, mut down, mut total) = (0.0, 0.0, 0.0);
        for &example in examples {
            let pull = self.pulls[example as usize];
            *(if pull > 0.0 { &mut up } else { &mut down }) += pull;
            total += pull;
        }
        let least = gain(total, penalty);
        // No split gains more than one that tells all apart.
        if gain(up, penalty) + gain(down, penalty) <= least + self.slack {
            return None;
        }
        let exact = examples.len() <= self.settings.exact;
        let leaf = Leaf { examples, pulls: &self.pulls, total, penalty, slack: self.slack, exact };
        let split = leaf.best(&self.columns, least, &mut self.scratch)?;
        let column = &self.columns[split.field as usize];
        self.spare.clear();
        let mut middle = part.begin;
        for at in part.begin..part.end {
            let example = self.order[at];
            if column.passes(example, split.value) {
                self.order[middle] = example;
                middle += 1;
            } else {
                self.spare.push(example);
            }
        }
        self.order[middle..part.end].copy_from_slice(&self.spare);
        Some((split.field, split.value, middle))
    }

    /// Adds the weights of the last tree's leaves to the scores.
    pub fn apply(&mut self, weights: &[f64]) {
        self.before.clone_from(&self.scores);
        for &(node, begin, end) in &self.leaves {
            let weight = weights[node as usize];
            self.order[begin..end].iter().for_each(|&example| self.scores[example as usize] += weight);
        }
    }

    /// Makes scores what they were before the last tree, to the last bit.
    pub fn undo(&mut self) {
        self.scores.clone_from(&self.before);
    }

    /// The sum of absolute weights of the last tree's leaves.
    pub fn size(&self, weights: &[f64]) -> f64 {
        self.leaves.iter().map(|&(node, ..)| weights[node as usize].abs()).sum()
    }

    /// The loss of all examples (Galron 2012, equation 4.5).
    pub fn loss(&self) -> f64 {
        let each = self.biases.iter().zip(&self.examples.labels).zip(&self.scores);
        each.map(|((bias, &label), &score)| bias * super::cost(if label { score } else { -score })).sum()
    }
}
