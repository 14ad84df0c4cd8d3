//! Two forests of a sentence as one.

use hashbrown::HashMap;

use super::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel};
use crate::grammar::Symbol;
use crate::{Error, Result};

/// What tells an edge from others into nodes with the same label: tails, rule, span, and the bits of its features.
type EdgeKey = ([u32; 2], u32, [u32; 2], Vec<u32>, Vec<(u32, u32)>);

impl Forest {
    /// The derivations of both forests; nodes with the same label and the same edges become one.
    ///
    /// # Errors
    /// Forests with other categories or features.
    pub fn union(&self, other: &Self) -> Result<Self> {
        if self.categories != other.categories || self.feature_names != other.feature_names {
            return Err(Error::input("two forests of a sentence have different categories or features"));
        }
        let mut joined = Joined::new(self);
        let mut last: Vec<(&Self, Vec<u32>)> = Vec::new();
        for forest in [self, other] {
            last.push((forest, joined.take_in(forest)?));
        }
        joined.finish(&last)
    }
}

struct Joined {
    builder: ForestBuilder,
    known: HashMap<(NodeLabel, Vec<EdgeKey>), u32>,
}

impl Joined {
    fn new(first: &Forest) -> Self {
        let mut builder = ForestBuilder::new(first.categories.clone(), first.feature_names.clone());
        builder.source(&first.source);
        builder.components(first.components.clone());
        Self { builder, known: HashMap::new() }
    }

    /// Adds all nodes of a forest but its goal; gives the new number of each.
    fn take_in(&mut self, forest: &Forest) -> Result<Vec<u32>> {
        let goal = forest.goal().unwrap_or(0);
        let mut new = Vec::with_capacity(forest.nodes());
        for node in 0..goal {
            let label = forest.label(node);
            let mut keys = Vec::with_capacity(forest.incoming(node).len());
            for number in forest.incoming(node) {
                keys.push(self.key(forest, number, &new));
            }
            if let Some(&same) = self.known.get(&(label, keys.clone())) {
                new.push(same);
                continue;
            }
            let number = self.builder.node(label);
            for (edge, key) in forest.incoming(node).zip(&keys) {
                self.add(forest, edge, number, key)?;
            }
            self.known.insert((label, keys), number);
            new.push(number);
        }
        Ok(new)
    }

    /// Adds the goal, with the edges of all goals, each once.
    fn finish(mut self, forests: &[(&Forest, Vec<u32>)]) -> Result<Forest> {
        let Some(label) = forests.iter().find_map(|(forest, _)| Some(forest.label(forest.goal()?))) else {
            return self.builder.finish();
        };
        let head = self.builder.node(label);
        let mut seen = hashbrown::HashSet::new();
        for (forest, new) in forests {
            let Some(goal) = forest.goal() else { continue };
            for number in forest.incoming(goal) {
                let key = self.key(forest, number, new);
                if !seen.contains(&key) {
                    self.add(forest, number, head, &key)?;
                    seen.insert(key);
                }
            }
        }
        self.builder.finish()
    }

    fn key(&mut self, forest: &Forest, number: u32, new: &[u32]) -> EdgeKey {
        let edge = forest.edge(number);
        let tails = edge.tails.map(|tail| if tail == NO_NODE { NO_NODE } else { new[tail as usize] });
        let rule = self.rule(forest, edge.rule);
        let sparse = edge
            .sparse
            .iter()
            .map(|&(name, value)| (self.builder.sparse_feature(&forest.sparse_names[name as usize]), value.to_bits()));
        let sparse = sparse.collect();
        let features = edge.features.iter().map(|value| value.to_bits()).collect();
        (tails, rule, forest.span(number), features, sparse)
    }

    fn rule(&mut self, forest: &Forest, number: u32) -> u32 {
        let rule = &forest.rules[number as usize];
        let mut moved = |side: &[Symbol]| -> Vec<Symbol> {
            let words = side.iter().map(|symbol| match symbol.as_word() {
                Some(word) => {
                    Symbol::word(self.builder.known_word(forest.word_ids[word as usize], &forest.words[word as usize]))
                }
                None => *symbol,
            });
            words.collect()
        };
        let moved = ForestRule { source: moved(&rule.source), target: moved(&rule.target), ..rule.clone() };
        self.builder.rule(moved)
    }

    fn add(&mut self, forest: &Forest, number: u32, head: u32, key: &EdgeKey) -> Result<()> {
        let old = forest.edge(number);
        let (tails, rule, span, _, names) = key;
        let sparse: Vec<(u32, f32)> = names.iter().map(|&(name, bits)| (name, f32::from_bits(bits))).collect();
        let edge = Edge { head, tails: *tails, rule: *rule, score: old.score, features: old.features, sparse: &sparse };
        self.builder.edge_over(&edge, *span)
    }
}
