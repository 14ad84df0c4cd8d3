//! Walks over hypergraphs, whatever they are kept in: what derivations of a goal use, in which order, and where the
//! hyperedges out of a node are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{Error, Result};

/// Nodes with the hyperedges into them (backward stars, Gallo et al. 1993): all that walks over derivations look at.
pub trait BackwardStar {
    /// How many nodes there are.
    fn node_count(&self) -> usize;
    /// How many hyperedges there are.
    fn edge_count(&self) -> usize;
    /// The hyperedges into a node.
    fn edges_into(&self, node: u32) -> impl Iterator<Item = u32>;
    /// The nodes that a hyperedge comes from.
    fn tails_of(&self, edge: u32) -> impl Iterator<Item = u32>;
}

/// The hyperedges out of each node (forward stars), in compressed rows.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// Where those of each node begin, and an end.
    begins: Vec<u32>,
    edges: Vec<u32>,
    heads: Vec<u32>,
}

impl Outgoing {
    /// Those of a hypergraph as it is now.
    pub fn new(graph: &impl BackwardStar) -> Self {
        let mut heads = vec![0_u32; graph.edge_count()];
        let mut begins = vec![0_u32; graph.node_count() + 1];
        for node in 0..graph.node_count() as u32 {
            for edge in graph.edges_into(node) {
                heads[edge as usize] = node;
                graph.tails_of(edge).for_each(|tail| begins[tail as usize + 1] += 1);
            }
        }
        for node in 1..begins.len() {
            begins[node] += begins[node - 1];
        }
        let mut edges = vec![0_u32; begins.last().map_or(0, |&end| end as usize)];
        let mut next = begins.clone();
        for edge in 0..heads.len() as u32 {
            for tail in graph.tails_of(edge) {
                edges[next[tail as usize] as usize] = edge;
                next[tail as usize] += 1;
            }
        }
        Self { begins, edges, heads }
    }

    /// The hyperedges out of a node by number; one that comes from it twice is there twice.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.edges[self.begins[node as usize] as usize..self.begins[node as usize + 1] as usize]
    }

    /// The node that a hyperedge leads to.
    pub fn head(&self, edge: u32) -> u32 {
        self.heads[edge as usize]
    }
}

/// The nodes that a goal is made of, itself included, whether or not they have derivations.
pub fn reachable(graph: &impl BackwardStar, goal: u32) -> Vec<bool> {
    let mut found = vec![false; graph.node_count()];
    found[goal as usize] = true;
    let mut pending = vec![goal];
    while let Some(node) = pending.pop() {
        for edge in graph.edges_into(node) {
            for tail in graph.tails_of(edge) {
                if !std::mem::replace(&mut found[tail as usize], true) {
                    pending.push(tail);
                }
            }
        }
    }
    found
}

/// What derivations of a goal use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// For each node whether one of them does.
    pub nodes: Vec<bool>,
    /// For each hyperedge whether one of them does.
    pub edges: Vec<bool>,
}

impl Needed {
    /// What derivations of a goal use that are made of hyperedges that `keep`: nothing if there are none.
    pub fn of(graph: &impl BackwardStar, goal: u32, keep: impl Fn(u32) -> bool) -> Self {
        let usable = derivable(graph, keep);
        let mut needed = Self { nodes: vec![false; graph.node_count()], edges: vec![false; graph.edge_count()] };
        needed.nodes[goal as usize] = graph.edges_into(goal).any(|edge| usable[edge as usize]);
        let mut pending: Vec<u32> = if needed.nodes[goal as usize] { vec![goal] } else { Vec::new() };
        while let Some(node) = pending.pop() {
            for edge in graph.edges_into(node).filter(|&edge| usable[edge as usize]) {
                needed.edges[edge as usize] = true;
                for tail in graph.tails_of(edge) {
                    if !std::mem::replace(&mut needed.nodes[tail as usize], true) {
                        pending.push(tail);
                    }
                }
            }
        }
        needed
    }

    /// The nodes in topological order: tails before heads, and of those that could be next the one with the least number.
    /// What is in such an order already stays as it is.
    ///
    /// # Errors
    /// A cycle: a node that is made of itself.
    pub fn order(&self, graph: &impl BackwardStar) -> Result<Vec<u32>> {
        let outgoing = Outgoing::new(graph);
        let nodes = || (0..graph.node_count() as u32).filter(|&node| self.nodes[node as usize]);
        // For each node how many tails of hyperedges into it have no place yet (Kahn 1962).
        let mut open = vec![0_u32; graph.node_count()];
        for node in nodes() {
            let edges = graph.edges_into(node).filter(|&edge| self.edges[edge as usize]);
            open[node as usize] = edges.map(|edge| graph.tails_of(edge).count() as u32).sum();
        }
        let mut next: BinaryHeap<Reverse<u32>> =
            nodes().filter(|&node| open[node as usize] == 0).map(Reverse).collect();
        let mut order = Vec::new();
        while let Some(Reverse(node)) = next.pop() {
            order.push(node);
            for &edge in outgoing.of(node).iter().filter(|&&edge| self.edges[edge as usize]) {
                let head = outgoing.head(edge);
                open[head as usize] -= 1;
                if open[head as usize] == 0 {
                    next.push(Reverse(head));
                }
            }
        }
        match nodes().find(|&node| open[node as usize] > 0) {
            Some(node) => Err(self.cycle(graph, &open, node)),
            None => Ok(order),
        }
    }

    /// The error of a cycle; it is named by the first node that comes twice on the way down from one without a place.
    fn cycle(&self, graph: &impl BackwardStar, open: &[u32], mut node: u32) -> Error {
        let mut seen = vec![false; graph.node_count()];
        while !std::mem::replace(&mut seen[node as usize], true) {
            let edges = graph.edges_into(node).filter(|&edge| self.edges[edge as usize]);
            let mut tails = edges.flat_map(|edge| graph.tails_of(edge));
            node = tails.find(|&tail| open[tail as usize] > 0).unwrap_or(node);
        }
        Error::input(format!("node {node} of a hypergraph is made of itself"))
            .hint("derivations without end cannot be packed: leave out a hyperedge of the cycle")
    }
}

/// For each hyperedge whether it is kept and all its tails have derivations, in time linear in their number.
fn derivable(graph: &impl BackwardStar, keep: impl Fn(u32) -> bool) -> Vec<bool> {
    let outgoing = Outgoing::new(graph);
    let mut usable = vec![false; graph.edge_count()];
    let mut derived = vec![false; graph.node_count()];
    let mut missing: Vec<u32> = (0..usable.len() as u32).map(|edge| graph.tails_of(edge).count() as u32).collect();
    let mut ready: Vec<u32> = (0..usable.len() as u32).filter(|&edge| missing[edge as usize] == 0).collect();
    while let Some(edge) = ready.pop() {
        usable[edge as usize] = keep(edge);
        let head = outgoing.head(edge);
        if !usable[edge as usize] || std::mem::replace(&mut derived[head as usize], true) {
            continue;
        }
        for &next in outgoing.of(head) {
            missing[next as usize] -= 1;
            if missing[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    usable
}
