//! What is wrong with a forest, in one sentence.

use super::{ConstituentForest, MOST_CHILDREN, MOST_EDGES, MOST_NODES, MOST_WORDS};
use crate::{Error, Result};

/// Scores beyond it are mistakes, and sums of them might not be numbers.
const LARGEST: f64 = 1e9;

pub(super) fn check(forest: &ConstituentForest) -> Result<()> {
    let sizes = [
        (forest.words.len(), MOST_WORDS, "words"),
        (forest.nodes.len(), MOST_NODES, "nodes"),
        (forest.labels.len(), MOST_NODES, "labels"),
        (forest.edges.len(), MOST_EDGES, "edges"),
        (forest.children.len(), MOST_CHILDREN, "children"),
    ];
    if let Some((size, most, what)) = sizes.into_iter().find(|&(size, most, _)| size > most) {
        let error = Error::limit(format!("the forest has {size} {what}, more than {most}"));
        return Err(error.hint("prune it, or list its best trees instead"));
    }
    if forest.words.is_empty() || forest.words.iter().any(String::is_empty) {
        return Err(Error::input("the forest has no words, or an empty one"));
    }
    if forest.labels.iter().any(String::is_empty) {
        return Err(Error::input("a label of the forest is empty"));
    }
    let (mut edges, mut children) = (0, 0);
    for number in 0..forest.nodes.len() {
        (edges, children) = node(forest, number, edges, children)?;
    }
    if edges as usize != forest.edges.len() || children as usize != forest.children.len() {
        return Err(Error::input("edges or children of the forest belong to no node"));
    }
    let Some(root) = forest.nodes.get(forest.root as usize) else {
        let what = format!("the forest has no root: there is no node {}", forest.root);
        return Err(Error::input(what).hint("nodes are counted from 0"));
    };
    if root.begin != 0 || root.end as usize != forest.words.len() {
        return Err(Error::input(format!("the root, node {}, is not over all words", forest.root)));
    }
    Ok(())
}

/// Checks a node whose edges and their children should begin here; says where they end.
fn node(forest: &ConstituentForest, number: usize, first: u32, begin: u32) -> Result<(u32, u32)> {
    let node = &forest.nodes[number];
    let named = |what: &str| Err(Error::input(format!("node {number} of the forest {what}")));
    if node.label as usize >= forest.labels.len() {
        return named("has a label that is not in the table");
    }
    if node.begin >= node.end || node.end as usize > forest.words.len() {
        return named(&format!("is over words {} to {}, which are none of the sentence", node.begin, node.end));
    }
    if !(node.begin..node.end).contains(&node.head) {
        return named("has a head word that is not in it");
    }
    if node.edges.start != first || node.edges.end < first || node.edges.end as usize > forest.edges.len() {
        return named("has edges that do not follow those of the node before");
    }
    if node.edges.is_empty() && node.end - node.begin > 1 {
        return named("has several words but no edge");
    }
    let mut next = begin;
    for at in first..node.edges.end {
        next = edge(forest, number as u32, at, next)?;
    }
    Ok((node.edges.end, next))
}

fn edge(forest: &ConstituentForest, parent: u32, number: u32, begin: u32) -> Result<u32> {
    let edge = &forest.edges[number as usize];
    let named = |what: &str| Err(Error::input(format!("edge {number} of the forest, of node {parent}, {what}")));
    if edge.node != parent {
        return named("says it is of another node");
    }
    if edge.score.is_nan() || (edge.score.abs() > LARGEST && edge.score != f64::NEG_INFINITY) {
        return named(&format!("has a score of {}, which is no logarithm of a weight", edge.score));
    }
    let children = &edge.children;
    if children.start != begin || children.end <= begin || children.end as usize > forest.children.len() {
        return named("has no children, or they do not follow those of the edge before");
    }
    let node = &forest.nodes[parent as usize];
    let mut at = node.begin;
    for &child in forest.children_of(number as usize) {
        let Some(child) = forest.nodes.get(child as usize) else {
            return named(&format!("has a child {child}, which is no node"));
        };
        if child.begin != at {
            return named("has children that leave words out or share them");
        }
        at = child.end;
    }
    if at != node.end {
        return named("has children that leave words out or share them");
    }
    Ok(children.end)
}

pub(super) fn has_tree(forest: &ConstituentForest) -> Result<()> {
    if forest.log_inside() == f64::NEG_INFINITY {
        let error = Error::input("the forest has no tree: all ways from the root go in circles or are impossible");
        return Err(error);
    }
    Ok(())
}

pub(super) fn same_length(forest: &ConstituentForest, deltas: &[f64]) -> Result<()> {
    if deltas.len() != forest.edges.len() {
        let what = format!("there are {} deltas for {} edges", deltas.len(), forest.edges.len());
        return Err(Error::input(what).hint("give one for each edge, 0 for no change"));
    }
    if let Some(at) = deltas.iter().position(|delta| delta.is_nan() || *delta == f64::INFINITY) {
        return Err(Error::input(format!("the delta of edge {at} is not a number")));
    }
    Ok(())
}
