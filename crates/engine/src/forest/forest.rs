//! A directed acyclic hypergraph in flat arrays.
//!
//! Nodes are in topological order: the tails of an edge come before its head. The edges into a node are consecutive.
//! Edges refer to rules, which are kept once each; each edge has a score and a row of features, so that a forest can be
//! weighted anew. A forest is complete in itself: its words are strings.

use std::ops::Range;

use hashbrown::HashMap;

use crate::grammar::Symbol;
use crate::{Error, Result};

/// The tail that is not there, of an edge with fewer than two.
pub const NO_NODE: u32 = u32::MAX;

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

/// A rule as a forest keeps it.
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
}

/// An edge, as it is added or looked at.
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
    pub(super) categories: Vec<String>,
    pub(super) feature_names: Vec<String>,
    pub(super) sparse_names: Vec<String>,
    pub(super) labels: Vec<NodeLabel>,
    /// For each node the first edge into it, and an end.
    pub(super) node_edges: Vec<u32>,
    pub(super) heads: Vec<u32>,
    pub(super) tails: Vec<[u32; 2]>,
    pub(super) edge_rules: Vec<u32>,
    /// Begin and end of the source words that each edge's rule stands on.
    pub(super) spans: Vec<[u32; 2]>,
    pub(super) scores: Vec<f64>,
    pub(super) features: Vec<f32>,
    pub(super) sparse_begins: Vec<u32>,
    pub(super) sparse: Vec<(u32, f32)>,
    pub(super) rules: Vec<ForestRule>,
}

impl Forest {
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

    /// The edges into a node.
    pub fn incoming(&self, node: u32) -> Range<u32> {
        self.node_edges[node as usize]..self.node_edges[node as usize + 1]
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

    /// The edges' scores.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Gives every edge the score its features have under weights.
    ///
    /// # Errors
    /// Not as many weights as features, or weights that are not finite.
    pub fn reweight(&mut self, weights: &[f64], sparse_weights: &[f64]) -> Result<()> {
        if weights.len() != self.feature_names.len() || sparse_weights.len() != self.sparse_names.len() {
            let (got, wanted) =
                (weights.len() + sparse_weights.len(), self.feature_names.len() + self.sparse_names.len());
            return Err(Error::input(format!("{got} weights for {wanted} features")));
        }
        if weights.iter().chain(sparse_weights).any(|weight| !weight.is_finite()) {
            return Err(Error::input("a weight is not a finite number"));
        }
        for edge in 0..self.heads.len() {
            let Edge { features, sparse, .. } = self.edge(edge as u32);
            let dense: f64 = features.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum();
            let rest: f64 = sparse.iter().map(|&(name, value)| f64::from(value) * sparse_weights[name as usize]).sum();
            self.scores[edge] = dense + rest;
        }
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

/// Makes a forest, node by node, each after the nodes its edges come from.
#[derive(Debug)]
pub struct ForestBuilder {
    forest: Forest,
    rule_ids: HashMap<ForestRule, u32>,
    word_ids: HashMap<String, u32>,
    sparse_ids: HashMap<String, u32>,
}

impl ForestBuilder {
    /// No nodes yet.
    pub fn new(categories: Vec<String>, feature_names: Vec<String>) -> Self {
        Self {
            forest: Forest {
                source: Vec::new(),
                words: Vec::new(),
                categories,
                feature_names,
                sparse_names: Vec::new(),
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
                rules: Vec::new(),
            },
            rule_ids: HashMap::new(),
            word_ids: HashMap::new(),
            sparse_ids: HashMap::new(),
        }
    }

    /// Says what the source sentence is.
    pub fn source(&mut self, words: &[String]) {
        self.forest.source = words.to_vec();
    }

    /// The forest's index of a word.
    pub fn word(&mut self, word: &str) -> u32 {
        index(&mut self.word_ids, &mut self.forest.words, word)
    }

    /// The forest's index of a sparse feature.
    pub fn sparse_feature(&mut self, name: &str) -> u32 {
        index(&mut self.sparse_ids, &mut self.forest.sparse_names, name)
    }

    /// The forest's index of a rule.
    pub fn rule(&mut self, rule: ForestRule) -> u32 {
        let next = self.forest.rules.len() as u32;
        *self.rule_ids.entry(rule).or_insert_with_key(|rule| {
            self.forest.rules.push(rule.clone());
            next
        })
    }

    /// Begins the next node; the edges added from now on lead to it.
    pub fn node(&mut self, label: NodeLabel) -> u32 {
        self.forest.labels.push(label);
        self.forest.node_edges.push(self.forest.heads.len() as u32);
        self.forest.labels.len() as u32 - 1
    }

    /// Adds an edge to the last node; the head in `edge` is not looked at. Its rule stands on what the head stands for.
    ///
    /// # Errors
    /// An edge that does not fit its rule, the nodes before it or the features.
    pub fn edge(&mut self, edge: &Edge<'_>) -> Result<()> {
        let span = self.forest.labels.last().map_or([0; 2], |label| [label.begin, label.end]);
        self.edge_over(edge, span)
    }

    /// Adds an edge whose rule stands on other source words than its head.
    ///
    /// # Errors
    /// An edge that does not fit its rule, the nodes before it or the features.
    pub fn edge_over(&mut self, edge: &Edge<'_>, span: [u32; 2]) -> Result<()> {
        let forest = &mut self.forest;
        let head = (forest.labels.len() as u32).checked_sub(1).ok_or_else(|| Error::input("an edge without a node"))?;
        let arity = edge.tails().count();
        let rule = forest.rules.get(edge.rule as usize).ok_or_else(|| Error::input("an edge has an unknown rule"))?;
        if rule.source.iter().filter(|symbol| symbol.is_nonterminal()).count() != arity
            || (arity == 1 && edge.tails[0] == NO_NODE)
        {
            return Err(Error::input("an edge does not have as many tails as its rule has nonterminals"));
        }
        if edge.tails().any(|tail| tail >= head) {
            return Err(Error::input("the tails of an edge do not come before its head"));
        }
        let finite = edge.score.is_finite() && edge.features.iter().all(|value| value.is_finite());
        if !finite || edge.sparse.iter().any(|(_, value)| !value.is_finite()) {
            return Err(Error::input("an edge has a score or feature that is not a finite number"));
        }
        if edge.features.len() != forest.feature_names.len()
            || edge.sparse.iter().any(|&(name, _)| name as usize >= forest.sparse_names.len())
        {
            return Err(Error::input("the features of an edge do not fit the forest's names"));
        }
        forest.heads.push(head);
        forest.tails.push(edge.tails);
        forest.edge_rules.push(edge.rule);
        forest.spans.push(span);
        forest.scores.push(edge.score);
        forest.features.extend_from_slice(edge.features);
        forest.sparse.extend_from_slice(edge.sparse);
        forest.sparse_begins.push(forest.sparse.len() as u32);
        let end = forest.heads.len() as u32;
        if let Some(last) = forest.node_edges.last_mut() {
            *last = end;
        }
        Ok(())
    }

    /// The forest; its goal is the last node.
    pub fn finish(self) -> Forest {
        self.forest
    }
}

fn index(ids: &mut HashMap<String, u32>, list: &mut Vec<String>, word: &str) -> u32 {
    if let Some(&id) = ids.get(word) {
        return id;
    }
    let id = list.len() as u32;
    list.push(word.to_owned());
    ids.insert(word.to_owned(), id);
    id
}
