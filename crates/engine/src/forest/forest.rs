//! A packed forest: a directed acyclic hypergraph in flat arrays, which does not grow any more.
//!
//! Nodes are in topological order: the tails of an edge come before its head. The edges into a node are consecutive.
//! Edges refer to rules, which are kept once each; each edge has a score and a row of features, so that a forest can be
//! weighted anew. A forest is complete in itself: its words are strings, with the ids they had in the model beside them.

use std::ops::Range;

use super::hypergraph::NO_NODE;
use super::mixture::{ALL, Mixture};
use super::walk::BackwardStar;
use crate::grammar::Symbol;
use crate::{Error, Result};

/// The id of a word that no model gave one.
pub const NO_WORD: u32 = u32::MAX;

/// What a node stands for: a category over a part of the source sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeLabel {
    /// The category, an index into the forest's names of categories.
    pub category: u8,
    /// Its first source position.
    pub begin: u32,
    /// The position after its last.
    pub end: u32,
}

impl NodeLabel {
    /// Begin and end.
    pub fn span(&self) -> [u32; 2] {
        [self.begin, self.end]
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RuleKind {
    /// Not known.
    #[default]
    Other,
    /// From a grammar: which, and its number there.
    Grammar {
        /// The grammar.
        table: u32,
        /// The rule.
        rule: u32,
    },
    /// A source word that no rule translates, copied.
    Copied,
    /// A translation that came with the sentence.
    Given,
    /// Puts translations side by side.
    Glue,
}

/// A synchronous rule as a forest keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ForestRule {
    /// Where it comes from.
    pub kind: RuleKind,
    /// The category of the left-hand side.
    pub lhs: u8,
    /// Words (indices into the forest's words) and categories.
    pub source: Vec<Symbol>,
    /// Words and places of tails.
    pub target: Vec<Symbol>,
    /// Positions in the two sides of words that translate each other.
    pub links: Vec<[u8; 2]>,
    /// The components of an ensemble that have it, a bit for each; 0 if that is not known, or it is everybody's.
    pub spoken: u64,
}

/// A hyperedge, as it is added or looked at: one way to make its head, by a rule with the tails in its gaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge<'a> {
    /// The node it leads to.
    pub head: u32,
    /// The nodes it comes from, [`NO_NODE`] where there is none, in the order of the source side.
    pub tails: [u32; 2],
    /// Its rule.
    pub rule: u32,
    /// Its weighted score, a natural logarithm.
    pub score: f64,
    /// Its dense features, as many as the forest has names.
    pub features: &'a [f32],
    /// Its sparse features: indices into the forest's sparse names, with values.
    pub sparse: &'a [(u32, f32)],
}

impl Edge<'_> {
    /// The nodes it comes from.
    pub fn tails(&self) -> impl Iterator<Item = u32> + use<> {
        self.tails.into_iter().filter(|&tail| tail != NO_NODE)
    }
}

/// A packed forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    pub(super) source: Vec<String>,
    pub(super) words: Vec<String>,
    /// For each word the model's id of it as a target word, or [`NO_WORD`].
    pub(super) word_ids: Vec<u32>,
    pub(super) categories: Vec<String>,
    pub(super) feature_names: Vec<String>,
    pub(super) sparse_names: Vec<String>,
    /// The names of the components of an ensemble.
    pub(super) components: Vec<String>,
    pub(super) rules: Vec<ForestRule>,
    labels: Vec<NodeLabel>,
    /// For each node the first edge into it, and an end.
    node_edges: Vec<u32>,
    heads: Vec<u32>,
    tails: Vec<[u32; 2]>,
    edge_rules: Vec<u32>,
    /// Begin and end of the source words that each edge's rule stands on.
    spans: Vec<[u32; 2]>,
    scores: Vec<f64>,
    features: Vec<f32>,
    sparse_begins: Vec<u32>,
    sparse: Vec<(u32, f32)>,
}

impl Forest {
    /// No nodes yet, over categories and features.
    pub(super) fn empty(categories: Vec<String>, feature_names: Vec<String>) -> Self {
        Self {
            source: Vec::new(),
            words: Vec::new(),
            word_ids: Vec::new(),
            categories,
            feature_names,
            sparse_names: Vec::new(),
            components: Vec::new(),
            rules: Vec::new(),
            labels: Vec::new(),
            node_edges: vec![0],
            heads: Vec::new(),
            tails: Vec::new(),
            edge_rules: Vec::new(),
            spans: Vec::new(),
            scores: Vec::new(),
            features: Vec::new(),
            sparse_begins: vec![0],
            sparse: Vec::new(),
        }
    }

    /// No nodes and rules yet, over the words, categories and features of this one.
    pub(super) fn emptied(&self) -> Self {
        Self {
            source: self.source.clone(),
            words: self.words.clone(),
            word_ids: self.word_ids.clone(),
            sparse_names: self.sparse_names.clone(),
            components: self.components.clone(),
            ..Self::empty(self.categories.clone(), self.feature_names.clone())
        }
    }

    /// Makes room for so many nodes and edges.
    pub(super) fn reserve(&mut self, nodes: usize, edges: usize) {
        self.labels.reserve(nodes);
        self.node_edges.reserve(nodes);
        self.heads.reserve(edges);
        self.tails.reserve(edges);
        self.edge_rules.reserve(edges);
        self.spans.reserve(edges);
        self.scores.reserve(edges);
        self.features.reserve(edges * self.feature_names.len());
        self.sparse_begins.reserve(edges);
    }

    /// Begins the next node; the edges pushed from now on lead to it. All forests are made of this and
    /// [`Forest::push_edge`].
    pub(super) fn push_node(&mut self, label: NodeLabel) -> u32 {
        self.labels.push(label);
        self.node_edges.push(self.heads.len() as u32);
        self.labels.len() as u32 - 1
    }

    /// Adds an edge to the last node, whatever head it has; it was checked before, and its tails are numbers of this forest.
    pub(super) fn push_edge(&mut self, edge: &Edge<'_>, span: [u32; 2]) {
        self.heads.push(self.labels.len() as u32 - 1);
        self.tails.push(edge.tails);
        self.edge_rules.push(edge.rule);
        self.spans.push(span);
        self.scores.push(edge.score);
        self.features.extend_from_slice(edge.features);
        self.sparse.extend_from_slice(edge.sparse);
        self.sparse_begins.push(self.sparse.len() as u32);
        let end = self.heads.len() as u32;
        if let Some(last) = self.node_edges.last_mut() {
            *last = end;
        }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.heads.len()
    }

    /// The node whose derivations are derivations of the whole sentence: the last one. `None` if there is no derivation.
    pub fn goal(&self) -> Option<u32> {
        self.labels.len().checked_sub(1).map(|last| last as u32)
    }

    /// What a node stands for.
    pub fn label(&self, node: u32) -> NodeLabel {
        self.labels[node as usize]
    }

    /// The edges into a node (its backward star).
    pub fn incoming(&self, node: u32) -> Range<u32> {
        self.node_edges[node as usize]..self.node_edges[node as usize + 1]
    }

    /// The tails of an edge, [`NO_NODE`] where there is none.
    pub fn tails(&self, edge: u32) -> [u32; 2] {
        self.tails[edge as usize]
    }

    /// The rule of an edge.
    pub fn rule(&self, edge: u32) -> &ForestRule {
        &self.rules[self.edge_rules[edge as usize] as usize]
    }

    /// The labels of the nodes.
    pub(super) fn labels(&self) -> &[NodeLabel] {
        &self.labels
    }

    /// An edge.
    pub fn edge(&self, edge: u32) -> Edge<'_> {
        let at = edge as usize;
        let width = self.feature_names.len();
        Edge {
            head: self.heads[at],
            tails: self.tails[at],
            rule: self.edge_rules[at],
            score: self.scores[at],
            features: &self.features[at * width..][..width],
            sparse: &self.sparse[self.sparse_begins[at] as usize..self.sparse_begins[at + 1] as usize],
        }
    }

    /// The source sentence; empty if it is not known, or was a lattice.
    pub fn source(&self) -> &[String] {
        &self.source
    }

    /// Begin and end of the source words that an edge's rule stands on: those of its head, gaps included. Where nodes are
    /// sequences of phrases, those of its own phrase.
    pub fn span(&self, edge: u32) -> [u32; 2] {
        self.spans[edge as usize]
    }

    /// The rules.
    pub fn rules(&self) -> &[ForestRule] {
        &self.rules
    }

    /// The words of the rules.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// For each word the id that the model gave it as a target word, so that language models can be asked about it
    /// without looking its text up; [`NO_WORD`] if the model does not know it, or it came from a file.
    pub fn word_ids(&self) -> &[u32] {
        &self.word_ids
    }

    /// The names of the categories.
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// The names of the dense features.
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// The names of the sparse features.
    pub fn sparse_names(&self) -> &[String] {
        &self.sparse_names
    }

    /// The names of the components of the ensemble that made it; none if it was none.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// The edges' scores.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Gives every edge the score its features have under weights.
    ///
    /// # Errors
    /// Not as many weights as features, or weights that are not finite.
    pub fn reweight(&mut self, weights: &[f64], sparse_weights: &[f64]) -> Result<()> {
        self.reweight_mixed(&[(weights, sparse_weights, 0.0)], &Mixture::single())
    }

    /// Gives every edge the mixture of the scores its features have under the weights of several components: dense and
    /// sparse ones of each, and what it adds where it does not have the rule.
    ///
    /// # Errors
    /// Not as many components as the mixture has, not as many weights as features, weights that are not finite or so large
    /// that scores are not; the scores stay as they are then.
    pub fn reweight_mixed(&mut self, components: &[(&[f64], &[f64], f64)], mixture: &Mixture) -> Result<()> {
        if mixture.members().count_ones() as usize != components.len()
            || u64::BITS - mixture.members().leading_zeros() != components.len() as u32
        {
            let (got, wanted) = (components.len(), mixture.members().count_ones());
            return Err(Error::input(format!("{got} sets of weights for {wanted} components")));
        }
        for (weights, sparse_weights, _) in components {
            if weights.len() != self.feature_names.len() || sparse_weights.len() != self.sparse_names.len() {
                let (got, wanted) =
                    (weights.len() + sparse_weights.len(), self.feature_names.len() + self.sparse_names.len());
                return Err(Error::input(format!("{got} weights for {wanted} features")));
            }
            if weights.iter().chain(*sparse_weights).any(|weight| !weight.is_finite()) {
                return Err(Error::input("a weight is not a finite number"));
            }
        }
        let mut scores = Vec::with_capacity(self.heads.len());
        for edge in 0..self.heads.len() {
            let Edge { features, sparse, rule, .. } = self.edge(edge as u32);
            let spoken = match self.rules[rule as usize].spoken {
                0 => ALL,
                spoken => spoken,
            };
            let part = |m: u32| {
                let (weights, sparse_weights, absent) = components[m as usize];
                let dense: f64 = features.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum();
                let rest = sparse.iter().map(|&(name, value)| f64::from(value) * sparse_weights[name as usize]);
                dense + rest.sum::<f64>() + if spoken >> m & 1 == 1 { 0.0 } else { absent }
            };
            let score = mixture.of(&part, spoken);
            if !score.is_finite() {
                return Err(Error::input("under these weights the score of an edge is not a finite number")
                    .hint("use smaller weights"));
            }
            scores.push(score);
        }
        self.scores = scores;
        Ok(())
    }

    /// Gives every edge another score; those that are not finite become 0.
    pub fn rescore(&mut self, score: impl Fn(u32, &Edge<'_>) -> f64) {
        for edge in 0..self.heads.len() {
            let new = score(edge as u32, &self.edge(edge as u32));
            self.scores[edge] = if new.is_finite() { new } else { 0.0 };
        }
    }
}

impl BackwardStar for Forest {
    fn node_count(&self) -> usize {
        self.nodes()
    }

    fn edge_count(&self) -> usize {
        self.edges()
    }

    fn edges_into(&self, node: u32) -> impl Iterator<Item = u32> {
        self.incoming(node)
    }

    fn tails_of(&self, edge: u32) -> impl Iterator<Item = u32> {
        self.tails(edge).into_iter().filter(|&tail| tail != NO_NODE)
    }
}
