//! Forests of constituency trees: n-ary nodes with treebank labels and head words, alternatives with scores.
//!
//! Unary edges may go in circles: sums over infinitely many trees are exact (Lehmann 1977; Goodman 1999, section 3).

mod best;
mod checks;
mod circles;
mod pruning;
mod sums;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::Result;
pub use best::{Best, Chosen};
pub use sums::Sums;

/// No edge: of words.
pub const NONE: u32 = u32::MAX;
/// Words a forest may have.
pub const MOST_WORDS: usize = 1000;
/// Nodes a forest may have.
pub const MOST_NODES: usize = 1 << 18;
/// Edges a forest may have.
pub const MOST_EDGES: usize = 1 << 21;
/// Children of all edges together.
pub const MOST_CHILDREN: usize = 1 << 23;

/// A phrase, or a word with its tag: then it has no edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The number of its label.
    pub label: u32,
    /// Its first word.
    pub begin: u32,
    /// The word after its last.
    pub end: u32,
    /// Its head word.
    pub head: u32,
    /// Its alternatives.
    pub edges: Range<u32>,
}

/// One way to make a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The node it makes.
    pub node: u32,
    /// Where its children are listed.
    pub children: Range<u32>,
    /// The natural logarithm of its weight; the weight of a tree is the product over its edges.
    pub score: f64,
}

/// A forest that was checked: see [`ConstituentForest::new`].
#[derive(Debug, Clone, PartialEq)]
pub struct ConstituentForest {
    /// The words.
    pub words: Vec<String>,
    /// The labels, by number: "NP-SBJ", "NP-A", "NPB", "VBD".
    pub labels: Vec<String>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges, those of the first node first.
    pub edges: Vec<Edge>,
    /// The children of edges, those of the first edge first.
    pub children: Vec<u32>,
    /// The node of whole trees.
    pub root: u32,
    /// The logarithm of the sum over the trees of each node.
    inside: Vec<f64>,
}

impl ConstituentForest {
    /// Checks a forest: there is a root over all words; edges stand node by node, children edge by edge; children tile their
    /// parent's words; words have no edges and phrases have some; heads are inside; scores are numbers or minus infinity; there
    /// is a tree, and circles of unary edges weigh less than 1, so that sums over trees are finite.
    ///
    /// # Errors
    /// Says which node or edge is wrong, or which limit is exceeded.
    pub fn new(
        words: Vec<String>,
        labels: Vec<String>,
        nodes: Vec<Node>,
        edges: Vec<Edge>,
        children: Vec<u32>,
        root: u32,
    ) -> Result<Self> {
        let mut forest = Self { words, labels, nodes, edges, children, root, inside: Vec::new() };
        checks::check(&forest)?;
        forest.inside = sums::inside(&forest)?;
        checks::has_tree(&forest)?;
        Ok(forest)
    }

    /// The label of a node.
    pub fn label(&self, node: u32) -> &str {
        &self.labels[self.nodes[node as usize].label as usize]
    }

    /// The numbers of a node's edges.
    pub fn edges_of(&self, node: u32) -> Range<usize> {
        let edges = &self.nodes[node as usize].edges;
        edges.start as usize..edges.end as usize
    }

    /// The children of an edge.
    pub fn children_of(&self, edge: usize) -> &[u32] {
        let children = &self.edges[edge].children;
        &self.children[children.start as usize..children.end as usize]
    }

    /// Whether a node is a word with its tag.
    pub fn is_word(&self, node: u32) -> bool {
        self.nodes[node as usize].edges.is_empty()
    }

    /// The logarithm of the sum over the trees of each node; minus infinity if it has none.
    pub fn inside(&self) -> &[f64] {
        &self.inside
    }

    /// The logarithm of the sum over all trees.
    pub fn log_inside(&self) -> f64 {
        self.inside[self.root as usize]
    }

    /// The same trees, with something added to the score of each edge; minus infinity takes an edge away.
    ///
    /// # Errors
    /// Another number of deltas than edges, a delta that is no score, no tree left, a circle that weighs 1 or more.
    pub fn reweighted(&self, deltas: &[f64]) -> Result<Self> {
        checks::same_length(self, deltas)?;
        let mut edges = self.edges.clone();
        edges.iter_mut().zip(deltas).for_each(|(edge, delta)| edge.score += delta);
        let (words, labels) = (self.words.clone(), self.labels.clone());
        Self::new(words, labels, self.nodes.clone(), edges, self.children.clone(), self.root)
    }

    /// The same trees over other words, as many of them.
    ///
    /// # Errors
    /// More or fewer words, or an empty one.
    pub fn with_words(&self, words: Vec<String>) -> Result<Self> {
        if words.len() != self.words.len() {
            let what = format!("the forest has {} words, not {}", self.words.len(), words.len());
            return Err(crate::Error::input(what));
        }
        let other = Self { words, ..self.clone() };
        checks::check(&other)?;
        Ok(other)
    }
}
