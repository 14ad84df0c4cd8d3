//! An undirected graph whose edges weigh something.

use super::NONE;
use crate::{Error, Result};

/// For each node its neighbours and what the edges to them weigh.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(super) starts: Vec<usize>,
    pub(super) ids: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl Graph {
    /// A graph of nodes 0 to `size` - 1. An edge that is given several times, in either direction, is one edge with the
    /// greatest weight; an edge that weighs nothing is none, and neither is one from a node to itself.
    ///
    /// # Errors
    /// Edges that lead outside, and weights that are negative or no numbers.
    pub fn new(size: usize, from: &[u32], to: &[u32], weights: &[f64]) -> Result<Self> {
        if size >= NONE as usize {
            return Err(Error::limit(format!("a graph may have fewer than {NONE} nodes, not {size}")));
        }
        if from.len() != to.len() || from.len() != weights.len() {
            let (from, to, weights) = (from.len(), to.len(), weights.len());
            return Err(Error::input(format!("{from} beginnings and {to} ends of edges have {weights} weights")));
        }
        let edges = || from.iter().zip(to).zip(weights).map(|((&from, &to), &weight)| (from, to, weight));
        for (from, to, weight) in edges() {
            if from.max(to) as usize >= size {
                let what = format!("an edge leads from node {from} to node {to}");
                return Err(Error::input(what).hint(format!("there are {size} nodes, counted from 0")));
            }
            if !weight.is_finite() || weight < 0.0 {
                let what = format!("the edge from node {from} to node {to} weighs {weight}");
                return Err(Error::input(what).hint("weights are finite and not negative"));
            }
        }
        let edges = || edges().filter(|&(from, to, weight)| from != to && weight > 0.0);
        let mut begins = vec![0_usize; size + 1];
        for (from, to, _) in edges() {
            begins[from as usize + 1] += 1;
            begins[to as usize + 1] += 1;
        }
        for node in 0..size {
            begins[node + 1] += begins[node];
        }
        let mut all = vec![(0, 0.0); begins[size]];
        let mut free = begins.clone();
        for (from, to, weight) in edges() {
            for (node, other) in [(from, to), (to, from)] {
                let at = &mut free[node as usize];
                all[*at] = (other, weight);
                *at += 1;
            }
        }
        drop(free);
        let mut graph = Self { starts: Vec::with_capacity(size + 1), ids: Vec::new(), weights: Vec::new() };
        graph.starts.push(0);
        for node in 0..size {
            let row = &mut all[begins[node]..begins[node + 1]];
            row.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
            for same in row.chunk_by(|one, other| one.0 == other.0) {
                graph.ids.push(same[0].0);
                graph.weights.push(same[0].1);
            }
            graph.starts.push(graph.ids.len());
        }
        Ok(graph)
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the neighbours of each node begin, and where the last end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// All neighbours, ascending for each node.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// What the edges to them weigh.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Where the neighbours of a node are.
    pub(super) fn part(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }
}
