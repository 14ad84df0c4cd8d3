//! What is left of a classifier once some fields are known.

use super::examples::Field;
use super::trees::{LEAF, Node, Trees};

/// A classifier of rows that all have the same in some fields: a number, and trees that ask only of the others.
#[derive(Debug, Clone, Default)]
pub struct Residual {
    /// The sum of all trees that have no question left.
    pub constant: f64,
    /// What is in a row.
    pub fields: Vec<Field>,
    /// Nodes of the trees that are left.
    pub nodes: Vec<Node>,
    /// Weights of leaves; 0 for other nodes.
    pub weights: Vec<f64>,
    /// Where trees begin.
    pub roots: Vec<u32>,
    /// Nodes to copy, and whose `no` they are.
    pending: Vec<(u32, u32)>,
}

impl Residual {
    /// The score of a row, in which only fields that were not known matter.
    pub fn score(&self, row: &[u32]) -> f64 {
        self.constant + self.view().score(row, usize::MAX)
    }

    /// Whether no row makes a difference any more.
    pub fn is_constant(&self) -> bool {
        self.roots.is_empty()
    }

    /// Adds what is left of another classifier of the same fields.
    pub fn append(&mut self, other: &Self) {
        let shift = self.nodes.len() as u32;
        self.constant += other.constant;
        self.nodes.extend(other.nodes.iter().map(|node| match node.is_leaf() {
            true => *node,
            false => Node { yes: node.yes + shift, no: node.no + shift, ..*node },
        }));
        self.weights.extend_from_slice(&other.weights);
        self.roots.extend(other.roots.iter().map(|root| root + shift));
    }

    fn view(&self) -> Trees<'_> {
        Trees { fields: &self.fields, nodes: &self.nodes, weights: &self.weights, roots: &self.roots, snapshots: &[] }
    }

    /// Becomes what is left of these trees; memory is used again.
    pub fn fill<'k>(&mut self, trees: Trees<'_>, snapshot: usize, known: impl Fn(usize) -> Option<&'k [u32]>) {
        self.constant = 0.0;
        self.nodes.clear();
        self.weights.clear();
        self.roots.clear();
        if self.fields != trees.fields {
            self.fields.clear();
            self.fields.extend_from_slice(trees.fields);
        }
        // The first node from here on whose field is not known, or a leaf.
        let open = |mut at: u32| loop {
            let node = trees.nodes[at as usize];
            let Some(field) = trees.fields.get(node.field as usize) else {
                return at;
            };
            let Some(slots) = known(node.field as usize) else {
                return at;
            };
            at = if field.passes(slots, node.value) { node.yes } else { node.no };
        };
        for &root in &trees.roots[..trees.trees(snapshot)] {
            let start = open(root);
            if trees.nodes[start as usize].is_leaf() {
                self.constant += trees.weights[start as usize];
                continue;
            }
            self.roots.push(self.nodes.len() as u32);
            self.pending.push((start, LEAF));
            while let Some((from, parent)) = self.pending.pop() {
                let at = self.nodes.len() as u32;
                if let Some(parent) = self.nodes.get_mut(parent as usize) {
                    parent.no = at;
                }
                let node = trees.nodes[from as usize];
                if node.is_leaf() {
                    self.nodes.push(node);
                    self.weights.push(trees.weights[from as usize]);
                } else {
                    self.nodes.push(Node { yes: at + 1, ..node });
                    self.weights.push(0.0);
                    self.pending.push((open(node.no), at));
                    self.pending.push((open(node.yes), LEAF));
                }
            }
        }
    }
}

impl Trees<'_> {
    /// What is left if some fields are known: `known` gives the slots of a field, or nothing.
    pub fn specialise<'k>(&self, snapshot: usize, known: impl Fn(usize) -> Option<&'k [u32]>) -> Residual {
        let mut residual = Residual::default();
        residual.fill(*self, snapshot, known);
        residual
    }
}
