//! Forests in the making: a hypergraph of labelled nodes and rules, which is frozen to a packed forest in the end.

use hashbrown::HashMap;

use super::hypergraph::{Hypergraph, NO_NODE};
use super::walk::{BackwardStar, Needed};
use super::{Edge, Forest, ForestRule, NO_WORD, NodeLabel};
use crate::{Error, Result};

/// What a hyperedge stands for: a rule, its weighted score, and the source words that it stands on. Its features are
/// beside it.
#[derive(Debug, Clone, Copy)]
struct Applied {
    rule: u32,
    span: [u32; 2],
    score: f64,
}

/// Nodes and hyperedges as they were added.
#[derive(Debug)]
struct Grown {
    graph: Hypergraph<NodeLabel, Applied>,
    rules: Vec<ForestRule>,
    width: usize,
    features: Vec<f32>,
    sparse_begins: Vec<u32>,
    sparse: Vec<(u32, f32)>,
}

/// Makes a forest of nodes and hyperedges that come in any order.
#[derive(Debug)]
pub struct ForestBuilder {
    /// All but nodes, rules and edges.
    forest: Forest,
    grown: Grown,
    rule_numbers: HashMap<ForestRule, u32>,
    word_numbers: HashMap<String, u32>,
    /// The forest's indices of words by the model's ids.
    known_words: HashMap<u32, u32>,
    sparse_numbers: HashMap<String, u32>,
}

impl ForestBuilder {
    /// No nodes yet.
    pub fn new(categories: Vec<String>, feature_names: Vec<String>) -> Self {
        let grown = Grown {
            graph: Hypergraph::new(),
            rules: Vec::new(),
            width: feature_names.len(),
            features: Vec::new(),
            sparse_begins: vec![0],
            sparse: Vec::new(),
        };
        Self {
            forest: Forest::empty(categories, feature_names),
            grown,
            rule_numbers: HashMap::new(),
            word_numbers: HashMap::new(),
            known_words: HashMap::new(),
            sparse_numbers: HashMap::new(),
        }
    }

    /// Says which components of an ensemble rules come from, at most as many as masks have bits.
    pub fn components(&mut self, names: Vec<String>) {
        self.forest.components = names;
    }

    /// Says what the source sentence is.
    pub fn source(&mut self, words: &[String]) {
        self.forest.source = words.to_vec();
    }

    /// The forest's index of a word that no model gave an id.
    pub fn word(&mut self, word: &str) -> u32 {
        let number = index(&mut self.word_numbers, &mut self.forest.words, word);
        self.forest.word_ids.resize(self.forest.words.len(), NO_WORD);
        number
    }

    /// The forest's index of a target word by the model's id of it; its text is looked up the first time only.
    pub fn known_word(&mut self, id: u32, text: &str) -> u32 {
        if id == NO_WORD {
            return self.word(text);
        }
        if let Some(&number) = self.known_words.get(&id) {
            return number;
        }
        let number = self.word(text);
        self.forest.word_ids[number as usize] = id;
        self.known_words.insert(id, number);
        number
    }

    /// The forest's index of a sparse feature.
    pub fn sparse_feature(&mut self, name: &str) -> u32 {
        index(&mut self.sparse_numbers, &mut self.forest.sparse_names, name)
    }

    /// The forest's index of a rule.
    pub fn rule(&mut self, rule: ForestRule) -> u32 {
        let rules = &mut self.grown.rules;
        *self.rule_numbers.entry(rule).or_insert_with_key(|rule| {
            rules.push(rule.clone());
            rules.len() as u32 - 1
        })
    }

    /// Adds a node without edges.
    pub fn node(&mut self, label: NodeLabel) -> u32 {
        self.grown.graph.add_node(label)
    }

    /// Adds an edge after all others into its head. Its rule stands on what the head stands for.
    ///
    /// # Errors
    /// An edge that does not fit its rule, the nodes or the features.
    pub fn edge(&mut self, edge: &Edge<'_>) -> Result<()> {
        let known = (edge.head as usize) < self.grown.graph.nodes();
        let span = if known { self.grown.graph.node(edge.head).span() } else { [0; 2] };
        self.edge_over(edge, span)
    }

    /// Adds an edge whose rule stands on other source words than its head.
    ///
    /// # Errors
    /// An edge that does not fit its rule, the nodes or the features.
    pub fn edge_over(&mut self, edge: &Edge<'_>, span: [u32; 2]) -> Result<()> {
        let grown = &mut self.grown;
        let nodes = grown.graph.nodes();
        if edge.head as usize >= nodes || edge.tails().any(|tail| tail as usize >= nodes) {
            return Err(Error::input("an edge leads to or comes from a node that is not there"));
        }
        let arity = edge.tails().count();
        let rule = grown.rules.get(edge.rule as usize).ok_or_else(|| Error::input("an edge has an unknown rule"))?;
        if rule.source.iter().filter(|symbol| symbol.is_nonterminal()).count() != arity
            || (arity == 1 && edge.tails[0] == NO_NODE)
        {
            return Err(Error::input("an edge does not have as many tails as its rule has nonterminals"));
        }
        let finite = edge.score.is_finite() && edge.features.iter().all(|value| value.is_finite());
        if !finite || edge.sparse.iter().any(|(_, value)| !value.is_finite()) {
            return Err(Error::input("an edge has a score or feature that is not a finite number"));
        }
        if edge.features.len() != grown.width
            || edge.sparse.iter().any(|&(name, _)| name as usize >= self.forest.sparse_names.len())
        {
            return Err(Error::input("the features of an edge do not fit the forest's names"));
        }
        grown.graph.add_edge(edge.head, edge.tails, Applied { rule: edge.rule, span, score: edge.score });
        grown.features.extend_from_slice(edge.features);
        grown.sparse.extend_from_slice(edge.sparse);
        grown.sparse_begins.push(grown.sparse.len() as u32);
        Ok(())
    }

    /// The forest of all nodes, in the order in which they were added; its goal is the last one.
    ///
    /// # Errors
    /// An edge with a tail that does not come before its head: such nodes are to be frozen.
    pub fn finish(mut self) -> Result<Forest> {
        let graph = &self.grown.graph;
        self.forest.reserve(graph.nodes(), graph.edges());
        for node in 0..graph.nodes() as u32 {
            self.forest.push_node(*graph.node(node));
            for number in graph.incoming(node) {
                let edge = self.grown.edge(number, node);
                if edge.tails().any(|tail| tail >= node) {
                    return Err(Error::input("the tails of an edge do not come before its head"));
                }
                self.forest.push_edge(&edge, graph.edge(number).span);
            }
        }
        self.forest.rules = self.grown.rules;
        Ok(self.forest)
    }

    /// The forest of a goal's derivations, from nodes and edges that came in any order: what none of them uses is left
    /// out, and nodes are put into topological order. Nodes and edges that were in order already stay in it.
    ///
    /// # Errors
    /// A goal that is not there; a cycle, which makes derivations without end.
    pub fn freeze(self, goal: u32) -> Result<Forest> {
        if goal as usize >= self.grown.graph.nodes() {
            return Err(Error::input(format!("the goal is node {goal}, which is not there")));
        }
        let needed = self.grown.graph.needed(goal);
        let order = needed.order(&self.grown.graph)?;
        Ok(self.forest.gather(&self.grown, &order, &needed.edges))
    }
}

/// What forests are gathered from: nodes with labels, and hyperedges with rules and features.
pub(super) trait Packed: BackwardStar {
    /// What a node stands for.
    fn label_of(&self, node: u32) -> NodeLabel;
    /// A hyperedge, whose head is known, and the source words that it stands on.
    fn edge_over(&self, edge: u32, head: u32) -> (Edge<'_>, [u32; 2]);
    /// The rules.
    fn all_rules(&self) -> &[ForestRule];
}

impl Forest {
    /// Takes in some nodes in topological order, with those edges that are kept and the rules that these use.
    pub(super) fn gather(mut self, from: &impl Packed, order: &[u32], kept: &[bool]) -> Self {
        let mut nodes = vec![NO_NODE; from.node_count()];
        let mut rules: Vec<Option<u32>> = vec![None; from.all_rules().len()];
        for &node in order {
            nodes[node as usize] = self.push_node(from.label_of(node));
            for number in from.edges_into(node).filter(|&number| kept[number as usize]) {
                let (edge, span) = from.edge_over(number, node);
                let tails = edge.tails.map(|tail| if tail == NO_NODE { NO_NODE } else { nodes[tail as usize] });
                let rule = *rules[edge.rule as usize].get_or_insert_with(|| {
                    self.rules.push(from.all_rules()[edge.rule as usize].clone());
                    self.rules.len() as u32 - 1
                });
                self.push_edge(&Edge { tails, rule, ..edge }, span);
            }
        }
        self
    }

    /// The forest of those edges that `keep`, and of the derivations of the goal they still make.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(u32) -> bool) -> Self {
        let Some(goal) = self.goal() else { return self.emptied() };
        let needed = Needed::of(self, goal, keep);
        let order: Vec<u32> = (0..=goal).filter(|&node| needed.nodes[node as usize]).collect();
        self.emptied().gather(self, &order, &needed.edges)
    }
}

impl Grown {
    fn edge(&self, number: u32, head: u32) -> Edge<'_> {
        let (at, applied) = (number as usize, self.graph.edge(number));
        Edge {
            head,
            tails: self.graph.tails(number),
            rule: applied.rule,
            score: applied.score,
            features: &self.features[at * self.width..][..self.width],
            sparse: &self.sparse[self.sparse_begins[at] as usize..self.sparse_begins[at + 1] as usize],
        }
    }
}

impl BackwardStar for Grown {
    fn node_count(&self) -> usize {
        self.graph.nodes()
    }

    fn edge_count(&self) -> usize {
        self.graph.edges()
    }

    fn edges_into(&self, node: u32) -> impl Iterator<Item = u32> {
        self.graph.incoming(node)
    }

    fn tails_of(&self, edge: u32) -> impl Iterator<Item = u32> {
        self.graph.tails_of(edge)
    }
}

impl Packed for Grown {
    fn label_of(&self, node: u32) -> NodeLabel {
        *self.graph.node(node)
    }

    fn edge_over(&self, edge: u32, head: u32) -> (Edge<'_>, [u32; 2]) {
        (self.edge(edge, head), self.graph.edge(edge).span)
    }

    fn all_rules(&self) -> &[ForestRule] {
        &self.rules
    }
}

impl Packed for Forest {
    fn label_of(&self, node: u32) -> NodeLabel {
        self.label(node)
    }

    fn edge_over(&self, edge: u32, _head: u32) -> (Edge<'_>, [u32; 2]) {
        (self.edge(edge), self.span(edge))
    }

    fn all_rules(&self) -> &[ForestRule] {
        self.rules()
    }
}

fn index(numbers: &mut HashMap<String, u32>, list: &mut Vec<String>, word: &str) -> u32 {
    if let Some(&number) = numbers.get(word) {
        return number;
    }
    let number = list.len() as u32;
    list.push(word.to_owned());
    numbers.insert(word.to_owned(), number);
    number
}
