//! Growing one tree.
//!
//! Trees split off small groups, one after the other, so that most leaves have nearly all examples of their parents. What
//! is known of a parent by cell is therefore handed on to the larger side, with the smaller one taken away: a split costs
//! as much as its smaller side has examples, and a look at every cell.

use std::rc::Rc;

use super::columns::{Columns, Sums};
use super::examples::Examples;
use super::loss::{Weighed, gain, line_search, pull};
use super::split::{Leaf, Split};
use super::train::Settings;
use super::trees::{LEAF, Node};

/// The deepest a tree ever gets.
pub(super) const MOST_DEPTH: u32 = 256;

/// Gains that differ by less than this share of all weight are the same; sums in another order differ by some 1e-16.
const SLACK: f64 = 1e-12;

/// With more cells than this for each slot of a leaf's examples, empty ones are left out.
const CROWDED: usize = 2;

/// Examples, what is known of them by now, and memory to grow trees in.
#[derive(Debug)]
pub(super) struct Grower<'a> {
    examples: &'a Examples<'a>,
    settings: &'a Settings,
    /// Of all examples; none until the first split is looked for, which most small classifiers never need.
    columns: Option<Rc<Columns>>,
    biases: Vec<f64>,
    slack: f64,
    /// The score of each example so far.
    pub scores: Vec<f64>,
    /// The same before the last tree.
    before: Vec<f64>,
    /// The exponential of each margin: how much likelier an example's label is than the other.
    odds: Vec<f64>,
    pulls: Vec<f64>,
    /// The examples, those of a leaf next to each other.
    order: Vec<u32>,
    spare: Vec<u32>,
    /// The row of each example in the columns of its leaf.
    rows: Vec<u32>,
    pending: Vec<Part>,
    /// Leaves of the last tree.
    leaves: Vec<(u32, usize, usize)>,
    free: Vec<Sums>,
}

/// Examples that come to a node which does not exist yet.
#[derive(Debug)]
struct Part {
    begin: usize,
    end: usize,
    depth: u32,
    /// The node whose `no` it is.
    parent: u32,
    /// The weight of the node above.
    guess: f64,
    /// None at the root before a split was looked for.
    columns: Option<Rc<Columns>>,
    sums: Option<Sums>,
}

impl<'a> Grower<'a> {
    pub fn new(examples: &'a Examples<'a>, settings: &'a Settings) -> Self {
        let count = examples.len();
        let biases: Vec<f64> = (0..count).map(|at| examples.bias(at)).collect();
        let slack = SLACK * biases.iter().sum::<f64>();
        let order: Vec<u32> = (0..count as u32).collect();
        Self {
            columns: None,
            scores: examples.offsets.clone().unwrap_or_else(|| vec![0.0; count]),
            before: Vec::with_capacity(count),
            odds: vec![0.0; count],
            pulls: vec![0.0; count],
            spare: Vec::with_capacity(count),
            rows: order.clone(),
            order,
            pending: Vec::new(),
            leaves: Vec::new(),
            free: Vec::new(),
            examples,
            settings,
            biases,
            slack,
        }
    }

    fn weighed(&self, example: u32) -> Weighed {
        let at = example as usize;
        let (bias, label) = (self.biases[at], self.examples.labels[at]);
        Weighed { bias, label, score: self.scores[at], odds: self.odds[at] }
    }

    /// Adds a tree, of this number, to the nodes and weights that there are (Galron 2012, section 4.5.5). A leaf is split by the test of the
    /// greatest gain of both sides together, if that is more than its own: the thesis prints the gain of one feature only, and
    /// how gains decide on splits is our reading of what it builds on.
    pub fn grow(&mut self, tree: usize, penalty: f64, nodes: &mut Vec<Node>, weights: &mut Vec<f64>) {
        let count = self.examples.len();
        for at in 0..count {
            let (bias, label, score) = (self.biases[at], self.examples.labels[at], self.scores[at]);
            // Beyond, products of odds would be no numbers.
            self.odds[at] = if label { score } else { -score }.clamp(-700.0, 700.0).exp();
            self.pulls[at] = pull(bias, label, score);
            self.order[at] = at as u32;
            self.rows[at] = at as u32;
        }
        self.leaves.clear();
        let columns = self.columns.clone();
        self.pending.push(Part { begin: 0, end: count, depth: 0, parent: LEAF, guess: 0.0, columns, sums: None });
        while let Some(mut part) = self.pending.pop() {
            let at = nodes.len() as u32;
            if let Some(parent) = nodes.get_mut(part.parent as usize) {
                parent.no = at;
            }
            let (begin, end, depth) = (part.begin, part.end, part.depth + 1);
            let own = self.order[begin..end].iter().map(|&each| self.weighed(each));
            let guess = line_search(&own, penalty, part.guess);
            weights.push(guess);
            let Some(split) = self.best(&mut part, tree, penalty) else {
                nodes.push(Node::leaf());
                self.leaves.push((at, begin, end));
                self.free.extend(part.sums);
                continue;
            };
            nodes.push(Node { field: split.field, value: split.value, yes: at + 1, no: 0 });
            let middle = self.partition(&part, split);
            let is_yes_larger = middle - begin >= end - middle;
            let smaller = if is_yes_larger { middle..end } else { begin..middle };
            let (columns, mut sums) = (part.columns, part.sums);
            if let (Some(sums), Some(columns)) = (&mut sums, &columns) {
                for &example in &self.order[smaller] {
                    sums.remove(columns.row(self.rows[example as usize]), self.pulls[example as usize]);
                }
            }
            let (yes, no) = if is_yes_larger { (sums, None) } else { (None, sums) };
            let other = columns.clone();
            self.pending.push(Part { begin: middle, end, depth, parent: at, guess, columns: other, sums: no });
            self.pending.push(Part { begin, end: middle, depth, parent: LEAF, guess, columns, sums: yes });
        }
    }

    /// The test that a part is split by, if that is worth it.
    fn best(&mut self, part: &mut Part, tree: usize, penalty: f64) -> Option<Split> {
        if part.depth >= self.settings.depth() {
            return None;
        }
        let (mut up, mut down, mut total) = (0.0, 0.0, 0.0);
        for &example in &self.order[part.begin..part.end] {
            let pull = self.pulls[example as usize];
            *(if pull > 0.0 { &mut up } else { &mut down }) += pull;
            total += pull;
        }
        let least = gain(total, penalty);
        // No split gains more than one that tells all apart.
        if gain(up, penalty) + gain(down, penalty) <= least + self.slack {
            return None;
        }
        self.look(part);
        let (columns, sums) = (part.columns.as_ref()?, part.sums.as_ref()?);
        let leaf = Leaf { columns, sums, total, penalty, slack: self.slack, tree };
        leaf.best(least)
    }

    /// Makes sure that sums of a part are known, by cells that are not far more than it needs.
    fn look(&mut self, part: &mut Part) {
        let own = &self.order[part.begin..part.end];
        let mut columns = part.columns.take().unwrap_or_else(|| {
            let bins = if own.len() > self.settings.exact { self.settings.bins } else { 0 };
            self.columns.insert(Rc::new(Columns::new(self.examples, own, bins))).clone()
        });
        if columns.is_binned() && own.len() <= self.settings.exact {
            columns = Rc::new(Columns::new(self.examples, own, 0));
            (0..).zip(own).for_each(|(row, &example)| self.rows[example as usize] = row);
            self.free.extend(part.sums.take());
        }
        if part.sums.is_none() {
            let mut sums = self.free.pop().unwrap_or_default();
            sums.clear(columns.len());
            for &example in own {
                sums.add(columns.row(self.rows[example as usize]), self.pulls[example as usize]);
            }
            part.sums = Some(sums);
        }
        if let Some(sums) = &mut part.sums
            && columns.len() > CROWDED * own.len() * columns.width()
        {
            let (narrow, kept) = columns.narrowed(own.iter().map(|&example| self.rows[example as usize]), sums);
            (0..).zip(own).for_each(|(row, &example)| self.rows[example as usize] = row);
            columns = Rc::new(narrow);
            self.free.push(std::mem::replace(sums, kept));
        }
        part.columns = Some(columns);
    }

    /// Puts the examples of a part that pass first, and says where the others begin.
    fn partition(&mut self, part: &Part, split: Split) -> usize {
        self.spare.clear();
        let mut middle = part.begin;
        let Some(columns) = &part.columns else { return middle };
        for at in part.begin..part.end {
            let example = self.order[at];
            if columns.passes(self.rows[example as usize], split.field as usize, split.cell) {
                self.order[middle] = example;
                middle += 1;
            } else {
                self.spare.push(example);
            }
        }
        self.order[middle..part.end].copy_from_slice(&self.spare);
        middle
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
