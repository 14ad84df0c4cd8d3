//! How alternatives match at a node, given what is known of its children.

use super::super::contents::{Bound, Token, worded};
use super::super::matching::{Children, Truth, single, ways};
use super::super::rules::{Alternative, Pattern};
use super::{PLAIN, Transducer, Way};

/// More than this many ways in which an alternative matches one edge are too many.
const MOST_WAYS: usize = 2000;

/// Children of an edge, with what is known of their trees.
struct Known<'a, 'b> {
    transducer: &'b Transducer<'a>,
    nodes: &'b [u32],
    variants: &'b [u32],
}

impl Children for Known<'_, '_> {
    fn test(&self, test: u32, at: usize) -> bool {
        self.transducer.input.test(test, self.nodes[at])
    }

    fn named(&self, rule: u32, at: usize) -> Truth {
        let transducer = self.transducer;
        if !transducer.input.rules.deep[rule as usize] {
            return transducer.input.may(rule, self.nodes[at]);
        }
        let variant = self.variants[at];
        Truth::of(variant != PLAIN && transducer.matches(variant).any(|(one, _)| one == rule))
    }
}

/// A node itself, with what was found of it so far.
pub(super) struct Here<'a, 'b> {
    pub transducer: &'b Transducer<'a>,
    pub node: u32,
    pub found: &'b [(u32, u32)],
}

impl Children for Here<'_, '_> {
    fn test(&self, test: u32, _: usize) -> bool {
        self.transducer.input.test(test, self.node)
    }

    fn named(&self, rule: u32, _: usize) -> Truth {
        if !self.transducer.input.rules.deep[rule as usize] {
            return self.transducer.input.may(rule, self.node);
        }
        Truth::of(self.found.iter().any(|&(one, _)| one == rule))
    }
}

impl Transducer<'_> {
    /// What an alternative gives at a node that is as it should be, for each way in which its children match.
    pub(super) fn given(&mut self, rule: u32, one: &Alternative, node: u32, way: Option<&Way>) -> Option<Vec<u32>> {
        let Some(items) = &one.items else {
            return Some(vec![self.content(rule, one, node, &[])]);
        };
        let Some((edge, variants)) = way else { return Some(Vec::new()) };
        let forest = self.input.forest;
        let nodes = forest.children_of(*edge);
        let found = ways(items, nodes.len(), &Known { transducer: self, nodes, variants }, MOST_WAYS)?;
        let mut given = Vec::new();
        for places in found {
            let word = |place: usize| {
                nodes.get(place).map_or(forest.nodes[node as usize].end, |&child| forest.nodes[child as usize].begin)
            };
            let mut rows = vec![Vec::with_capacity(items.len())];
            for (item, place) in items.iter().zip(places.windows(2)) {
                let node = item.is_single().then(|| nodes[place[0]]);
                let bound = Bound { node, begin: word(place[0]), end: word(place[1]), content: 0 };
                let choices = match item {
                    Pattern::Named(rule) => self.contents_of(*rule, nodes[place[0]], variants[place[0]]),
                    _ => vec![0],
                };
                if rows.len() * choices.len() > MOST_WAYS {
                    return None;
                }
                rows = rows
                    .into_iter()
                    .flat_map(|row: Vec<Bound>| {
                        choices.iter().map(move |&content| {
                            let mut longer = row.clone();
                            longer.push(Bound { content, ..bound });
                            longer
                        })
                    })
                    .collect();
            }
            given.extend(rows.into_iter().map(|row| self.content(rule, one, node, &row)));
            if given.len() > MOST_WAYS {
                return None;
            }
        }
        Some(given)
    }

    /// What a rule gives at a child.
    fn contents_of(&mut self, rule: u32, node: u32, variant: u32) -> Vec<u32> {
        if self.input.rules.deep[rule as usize] {
            return self.matches(variant).filter(|&(one, _)| one == rule).map(|(_, content)| content).collect();
        }
        if let Some(found) = self.fixed.get(&(rule, node)) {
            return found.clone();
        }
        let mut found = Vec::new();
        for one in &self.input.rules.rules[rule as usize] {
            if single(&one.node, 0, &Here { transducer: self, node, found: &[] }).can {
                found.push(self.content(rule, one, node, &[]));
            }
        }
        found.sort_unstable();
        found.dedup();
        self.fixed.insert((rule, node), found.clone());
        found
    }

    fn content(&mut self, rule: u32, one: &Alternative, node: u32, bound: &[Bound]) -> u32 {
        let itself = vec![vec![Token::Node(node)]];
        let filled = |template: &Vec<_>| self.contents.filled(template, bound);
        let members = if one.members.is_empty() { itself } else { one.members.iter().map(filled).collect() };
        let nodes = &self.input.forest.nodes;
        let words = |node: u32| (nodes[node as usize].begin, nodes[node as usize].end);
        let asked = &self.input.rules.nodes[rule as usize];
        let members = members.into_iter().zip(asked).map(|(row, &asked)| if asked { row } else { worded(row, words) });
        let members = members.collect();
        self.contents.number(members)
    }
}
