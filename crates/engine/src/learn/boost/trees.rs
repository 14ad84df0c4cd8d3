//! Trees as flat arrays: how they are laid out, scored and checked.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::examples::{Field, check_fields, slots};

/// The field of a node that asks nothing.
pub const LEAF: u32 = u32::MAX;

/// A node: a test and what follows, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// The number of the field that is asked, or [`LEAF`].
    pub field: u32,
    /// The symbol that the field holds if it passes, or the bits of the number it is greater than.
    pub value: u32,
    /// The node that follows if it passes: the next one.
    pub yes: u32,
    /// The node that follows if not: the one after all that follow from `yes`.
    pub no: u32,
}

impl Node {
    /// A node without a test.
    pub const fn leaf() -> Self {
        Self { field: LEAF, value: 0, yes: 0, no: 0 }
    }

    /// Whether it has no test.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.field == LEAF
    }
}

/// How far the trees of a penalty go.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Snapshot {
    /// The penalty.
    pub penalty: f64,
    /// How many of the first trees belong to it.
    pub trees: u64,
}

/// The trees of a classifier, wherever they are kept.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// What is in a row.
    pub fields: &'a [Field],
    /// Nodes of all trees, each tree from its root on in order: a node, what follows from yes, what follows from no.
    pub nodes: &'a [Node],
    /// Of each node: the weight of a leaf; the weight an inner node would have had as a leaf.
    pub weights: &'a [f64],
    /// Where trees begin.
    pub roots: &'a [u32],
    /// How many trees belong to which penalty; penalties fall.
    pub snapshots: &'a [Snapshot],
}

impl<'a> Trees<'a> {
    /// The snapshot for a penalty: that of the least one that is not below it. None if all are below it.
    pub fn snapshot(&self, penalty: f64) -> Option<usize> {
        // Penalties are products, and those that are asked for literals.
        let fits = |snapshot: &Snapshot| snapshot.penalty >= penalty * (1.0 - 1e-9);
        self.snapshots.partition_point(fits).checked_sub(1)
    }

    /// How many trees a snapshot has; all that there are if there is no such snapshot.
    #[inline]
    pub fn trees(&self, snapshot: usize) -> usize {
        self.snapshots.get(snapshot).map_or(self.roots.len(), |found| found.trees as usize)
    }

    /// The first trees by themselves, without snapshots.
    #[must_use]
    pub fn first(self, trees: usize) -> Self {
        let trees = trees.min(self.roots.len());
        let end = self.roots.get(trees).map_or(self.nodes.len(), |&root| root as usize);
        let (nodes, weights) = (&self.nodes[..end], &self.weights[..end]);
        Self { nodes, weights, roots: &self.roots[..trees], snapshots: &[], ..self }
    }

    /// Scores of rows that stand one after the other, by all trees, on the threads that there are.
    pub fn scores(&self, rows: &[u32], count: usize) -> Vec<f64> {
        let slots = self.slots();
        let each = (0..count).into_par_iter().with_min_len(256);
        each.map(|at| self.score(&rows[at * slots..(at + 1) * slots], usize::MAX)).collect()
    }

    /// The confidence that a row is right: above 0 if it is believed to be.
    #[inline]
    pub fn score(&self, row: &[u32], snapshot: usize) -> f64 {
        self.roots[..self.trees(snapshot)].iter().map(|&root| self.weights[self.leaf(row, root)]).sum()
    }

    /// The leaf of a tree that a row comes to.
    #[inline]
    pub fn leaf(&self, row: &[u32], root: u32) -> usize {
        let mut at = root as usize;
        loop {
            let node = self.nodes[at];
            let Some(field) = self.fields.get(node.field as usize) else {
                return at;
            };
            at = if field.passes(field.of(row), node.value) { node.yes } else { node.no } as usize;
        }
    }

    /// The slots of a row.
    pub fn slots(&self) -> usize {
        slots(self.fields)
    }

    /// Says what is wrong with the fields of all trees, if anything is.
    pub(super) fn check_fields(fields: &[Field]) -> std::result::Result<(), String> {
        if fields.len() >= LEAF as usize {
            return Err("there are too many fields".to_owned());
        }
        check_fields(fields)
    }

    /// Says what is wrong with the trees, if anything is; the fields must have been checked.
    pub(super) fn check(&self, pending: &mut Vec<u32>) -> std::result::Result<(), String> {
        if self.nodes.len() != self.weights.len() || self.nodes.len() >= LEAF as usize {
            return Err("the weights do not fit the nodes".to_owned());
        }
        if let Some(at) = self.weights.iter().position(|weight| !weight.is_finite()) {
            return Err(format!("the weight of node {at} is no finite number"));
        }
        if self.roots.first().is_some_and(|&first| first != 0) || (self.roots.is_empty() && !self.nodes.is_empty()) {
            return Err("the first tree does not begin with the first node".to_owned());
        }
        for (tree, &root) in self.roots.iter().enumerate() {
            let end = self.roots.get(tree + 1).map_or(self.nodes.len(), |&next| next as usize);
            self.check_tree(root as usize, end, pending).map_err(|what| format!("tree {tree}: {what}"))?;
        }
        self.check_snapshots()
    }

    /// Nodes must come in their order, so that each has one way to it and every walk ends.
    fn check_tree(&self, root: usize, end: usize, pending: &mut Vec<u32>) -> std::result::Result<(), String> {
        pending.clear();
        let mut at = root;
        let nodes = self.nodes.get(..end).ok_or("it goes beyond the last node")?;
        loop {
            let node = nodes.get(at).ok_or("it does not end where the next one begins")?;
            if !node.is_leaf() {
                let field = self.fields.get(node.field as usize);
                let field = field.ok_or_else(|| format!("node {at} asks field {}, which there is not", node.field))?;
                if !field.allows(node.value) {
                    return Err(format!("node {at} has a test that its field does not allow"));
                }
                if node.yes as usize != at + 1 {
                    return Err(format!("node {at} is not followed by its yes"));
                }
                pending.push(node.no);
            } else if *node != Node::leaf() {
                return Err(format!("node {at} is a leaf with a test"));
            } else {
                match pending.pop() {
                    Some(no) if no as usize == at + 1 => {}
                    Some(_) => return Err(format!("node {at} is not followed by the no that is due")),
                    None if at + 1 == end => return Ok(()),
                    None => return Err("it does not end where the next one begins".to_owned()),
                }
            }
            at += 1;
        }
    }

    fn check_snapshots(&self) -> std::result::Result<(), String> {
        let positive = self.snapshots.iter().all(|each| each.penalty.is_finite() && each.penalty > 0.0);
        let falls =
            self.snapshots.windows(2).all(|two| two[0].penalty > two[1].penalty && two[0].trees <= two[1].trees);
        let within = self.snapshots.iter().all(|each| each.trees <= self.roots.len() as u64);
        if positive && falls && within { Ok(()) } else { Err("the snapshots do not fit the trees".to_owned()) }
    }
}
