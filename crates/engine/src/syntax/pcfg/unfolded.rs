//! The nodes and edges of an unfolded chart, gathered from the root.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::unfold::{Unfolder, Variant, Way};
use crate::Result;
use crate::syntax::forests::{ConstituentForest, Edge, MOST_EDGES, Node};

#[derive(Default)]
struct Gathered {
    numbers: HashMap<(u32, bool), u32>,
    waiting: VecDeque<(u32, bool)>,
    labels: HashMap<String, u32>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    children: Vec<u32>,
}

impl Gathered {
    fn number(&mut self, variant: u32, argument: bool) -> u32 {
        // The root is number 0.
        let next = self.numbers.len() as u32 + 1;
        *self.numbers.entry((variant, argument)).or_insert_with(|| {
            self.waiting.push_back((variant, argument));
            next
        })
    }

    fn add<'a>(&mut self, label: String, variant: &Variant, ways: impl Iterator<Item = &'a Way>) {
        let (node, first) = (self.nodes.len() as u32, self.edges.len() as u32);
        for way in ways {
            let begin = self.children.len() as u32;
            for &(child, argument) in &way.children {
                let child = self.number(child, argument);
                self.children.push(child);
            }
            self.edges.push(Edge { node, children: begin..self.children.len() as u32, score: way.own.ln() });
        }
        let fresh = self.labels.len() as u32;
        let label = *self.labels.entry(label).or_insert(fresh);
        let [begin, end] = variant.span;
        self.nodes.push(Node { label, begin, end, head: variant.head, edges: first..self.edges.len() as u32 });
    }
}

/// None if there is no tree, or far too many.
pub(super) fn gather(unfolder: &Unfolder<'_>, sentence: &[String]) -> Result<Option<ConstituentForest>> {
    let variants = |numbers: &[u32]| numbers.iter().map(|&at| &unfolder.variants[at as usize]).collect::<Vec<_>>();
    let tops = variants(unfolder.top());
    let weight = |variant: &Variant| variant.ways.iter().map(|way| way.own).sum::<f64>();
    let Some(heaviest) = tops.iter().copied().max_by(|one, two| weight(one).total_cmp(&weight(two))) else {
        return Ok(None);
    };
    let mut found = Gathered::default();
    // Nothing depends on the head of the root: it is one node, and has that of its most probable trees.
    let label = if tops.iter().all(|top| top.base) { unfolder.marked(heaviest, false) } else { heaviest.label.clone() };
    found.add(label, heaviest, tops.iter().flat_map(|top| &top.ways));
    while let Some((number, argument)) = found.waiting.pop_front() {
        let variant = &unfolder.variants[number as usize];
        found.add(unfolder.marked(variant, argument), variant, variant.ways.iter());
        if found.edges.len() > MOST_EDGES {
            return Ok(None);
        }
    }
    let mut labels = vec![String::new(); found.labels.len()];
    found.labels.into_iter().for_each(|(label, at)| labels[at as usize] = label);
    ConstituentForest::new(sentence.to_vec(), labels, found.nodes, found.edges, found.children, 0).map(Some)
}
