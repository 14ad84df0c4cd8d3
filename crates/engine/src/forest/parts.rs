//! A forest from lists of its parts, whoever made them: everything is checked.

use super::mixture::MOST_COMPONENTS;
use super::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
use crate::grammar::Symbol;
use crate::{Error, Result};

/// A symbol of a rule's side, spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideSymbol {
    /// A word.
    Word(String),
    /// A gap: its category (source side), or which of the source side's gaps it is (target side).
    Gap(u32),
}

/// A rule, spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleParts {
    /// Where it comes from.
    pub kind: RuleKind,
    /// The category of the left-hand side.
    pub lhs: u32,
    /// The source side.
    pub source: Vec<SideSymbol>,
    /// The target side.
    pub target: Vec<SideSymbol>,
    /// Positions in the two sides of words that translate each other.
    pub links: Vec<[u8; 2]>,
    /// The components of an ensemble that have it, a bit for each; 0 if that is not known.
    pub spoken: u64,
}

/// The lists; those of edges are as long as `heads`.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// The source sentence, or nothing.
    pub source: Vec<String>,
    /// Names of categories.
    pub categories: Vec<String>,
    /// Names of dense features.
    pub feature_names: Vec<String>,
    /// Names of sparse features.
    pub sparse_names: Vec<String>,
    /// Names of the components of an ensemble.
    pub components: Vec<String>,
    /// Rules.
    pub rules: Vec<RuleParts>,
    /// For each node its category, begin and end; tails before heads, the goal last.
    pub nodes: Vec<[u32; 3]>,
    /// For each edge its head, in any order.
    pub heads: Vec<u32>,
    /// Its tails, [`NO_NODE`] for none.
    pub tails: Vec<[u32; 2]>,
    /// Its rule.
    pub edge_rules: Vec<u32>,
    /// Its score.
    pub scores: Vec<f64>,
    /// Its dense features.
    pub features: Vec<f32>,
    /// Its begin and end.
    pub spans: Vec<[u32; 2]>,
    /// Where its sparse features begin in `sparse`, and an end.
    pub sparse_begins: Vec<u32>,
    /// Sparse features: names and values.
    pub sparse: Vec<(u32, f32)>,
}

/// Gaps a rule may have.
const MOST_GAPS: usize = 2;
/// Scores may not be larger, so that their sums stay finite.
const MOST_SCORE: f64 = 1e100;

impl Forest {
    /// Puts a forest together. Edges are sorted by their heads; equal rules become one.
    ///
    /// # Errors
    /// Parts that do not fit each other: indices that point nowhere, cycles, numbers that are not finite.
    pub fn from_parts(parts: &Parts) -> Result<Self> {
        parts.check_lengths()?;
        let mut builder = ForestBuilder::new(parts.categories.clone(), parts.feature_names.clone());
        builder.source(&parts.source);
        builder.components(parts.components.clone());
        for (at, name) in parts.sparse_names.iter().enumerate() {
            if builder.sparse_feature(name) as usize != at {
                return Err(Error::input(format!("the sparse feature `{name}` is named twice")));
            }
        }
        let mut rules = Vec::with_capacity(parts.rules.len());
        for (number, rule) in parts.rules.iter().enumerate() {
            let place = |error: Error| Error { what: format!("rule {number}: {}", error.what), ..error };
            rules.push(parts.rule(rule, &mut builder).map_err(place)?);
        }
        let mut order: Vec<u32> = (0..parts.heads.len() as u32).collect();
        order.sort_by_key(|&edge| parts.heads[edge as usize]);
        if let Some(&last) = order.last()
            && parts.heads[last as usize] as usize >= parts.nodes.len()
        {
            let (head, count) = (parts.heads[last as usize], parts.nodes.len());
            return Err(Error::input(format!("edge {last} leads to node {head}, but there are {count} nodes")));
        }
        let mut next = order.into_iter().peekable();
        for (node, label) in parts.nodes.iter().enumerate() {
            builder.node(parts.label(node, *label)?);
            while let Some(edge) = next.next_if(|&edge| parts.heads[edge as usize] as usize == node) {
                parts.add_edge(edge as usize, &rules, &mut builder)?;
            }
        }
        builder.finish()
    }
}

impl Parts {
    fn check_lengths(&self) -> Result<()> {
        let edges = self.heads.len();
        let lengths = [self.tails.len(), self.edge_rules.len(), self.scores.len(), self.spans.len()];
        let dense = self.features.len() == edges * self.feature_names.len();
        let sparse = self.sparse_begins.len() == edges + 1
            && self.sparse_begins.is_sorted()
            && self.sparse_begins.last().is_some_and(|&end| end as usize == self.sparse.len());
        if lengths.iter().any(|&length| length != edges) || !dense || !sparse {
            return Err(Error::input("the lists of a forest's edges are not equally long"));
        }
        if self.components.len() > MOST_COMPONENTS {
            return Err(Error::limit(format!("{} components, more than {MOST_COMPONENTS}", self.components.len())));
        }
        if self.categories.len() > usize::from(u8::MAX) {
            return Err(Error::limit(format!("{} categories, more than {}", self.categories.len(), u8::MAX)));
        }
        let most = (u32::MAX - 1) as usize;
        if self.nodes.len() > most || edges > most {
            return Err(Error::limit("a forest with more than four thousand million nodes or edges"));
        }
        Ok(())
    }

    fn category(&self, category: u32) -> Result<u8> {
        if category as usize >= self.categories.len() {
            let count = self.categories.len();
            return Err(Error::input(format!("category {category}, but there are {count} categories")));
        }
        Ok(category as u8)
    }

    fn label(&self, node: usize, [category, begin, end]: [u32; 3]) -> Result<NodeLabel> {
        let place = |error: Error| Error { what: format!("node {node}: {}", error.what), ..error };
        let category = self.category(category).map_err(place)?;
        self.span([begin, end]).map_err(place)?;
        Ok(NodeLabel { category, begin, end })
    }

    fn span(&self, [begin, end]: [u32; 2]) -> Result<()> {
        if begin > end || (!self.source.is_empty() && end as usize > self.source.len()) {
            let words = self.source.len();
            return Err(Error::input(format!("a span from {begin} to {end} in a source of {words} words")));
        }
        Ok(())
    }

    fn rule(&self, rule: &RuleParts, builder: &mut ForestBuilder) -> Result<u32> {
        let mut gaps = 0;
        let mut filled = [false; MOST_GAPS];
        let mut target = Vec::with_capacity(rule.target.len());
        for symbol in &rule.target {
            target.push(match symbol {
                SideSymbol::Word(word) => Symbol::word(builder.word(word)),
                SideSymbol::Gap(gap) => {
                    match filled.get_mut(*gap as usize) {
                        Some(filled) if !*filled => *filled = true,
                        _ => return Err(Error::input("the gaps of its target side are not those of its source side")),
                    }
                    Symbol::nonterminal(*gap)
                }
            });
        }
        let mut source = Vec::with_capacity(rule.source.len());
        for symbol in &rule.source {
            source.push(match symbol {
                SideSymbol::Word(word) => Symbol::word(builder.word(word)),
                SideSymbol::Gap(category) => {
                    gaps += 1;
                    Symbol::nonterminal(u32::from(self.category(*category)?))
                }
            });
        }
        if gaps > MOST_GAPS {
            return Err(Error::input(format!("{gaps} gaps, more than {MOST_GAPS}")));
        }
        if (0..MOST_GAPS).any(|gap| filled[gap] != (gap < gaps)) {
            return Err(Error::input("the gaps of its target side are not those of its source side"));
        }
        let is_word = |side: &[SideSymbol], at: u8| matches!(side.get(usize::from(at)), Some(SideSymbol::Word(_)));
        if rule.links.iter().any(|&[from, to]| !is_word(&rule.source, from) || !is_word(&rule.target, to)) {
            return Err(Error::input("a link is not between two words"));
        }
        let beyond = u64::BITS - rule.spoken.leading_zeros();
        if beyond as usize > self.components.len() {
            return Err(Error::input(format!("component {}, but there are {}", beyond - 1, self.components.len())));
        }
        let (kind, lhs, links, spoken) = (rule.kind, self.category(rule.lhs)?, rule.links.clone(), rule.spoken);
        Ok(builder.rule(ForestRule { kind, lhs, source, target, links, spoken }))
    }

    fn add_edge(&self, at: usize, rules: &[u32], builder: &mut ForestBuilder) -> Result<()> {
        let place = |error: Error| Error { what: format!("edge {at}: {}", error.what), ..error };
        let head = self.heads[at];
        if let Some(tail) = self.tails[at].iter().find(|&&tail| tail != NO_NODE && tail >= head) {
            return Err(Error::input(format!("edge {at} comes from node {tail}, which is not before its head {head}"))
                .hint("a forest has no cycles and its nodes stand in order, tails before heads"));
        }
        let Some(&rule) = rules.get(self.edge_rules[at] as usize) else {
            let (rule, count) = (self.edge_rules[at], rules.len());
            return Err(Error::input(format!("edge {at} has rule {rule}, but there are {count} rules")));
        };
        self.span(self.spans[at]).map_err(place)?;
        if self.scores[at].abs() > MOST_SCORE {
            return Err(Error::input(format!("edge {at} has the score {:e}", self.scores[at]))
                .hint(format!("scores are between -{MOST_SCORE:e} and {MOST_SCORE:e}")));
        }
        let width = self.feature_names.len();
        let edge = Edge {
            head,
            tails: self.tails[at],
            rule,
            score: self.scores[at],
            features: &self.features[at * width..][..width],
            sparse: &self.sparse[self.sparse_begins[at] as usize..self.sparse_begins[at + 1] as usize],
        };
        builder.edge_over(&edge, self.spans[at]).map_err(place)
    }
}
