//! A directed hypergraph that grows: nodes and hyperedges in any order, several hyperedges into any node at any time.
//!
//! A hyperedge leads from its tails to its head: it is one way to make what the head stands for of what the tails stand
//! for (Klein & Manning 2001; Huang & Chiang 2005). All is in two flat arrays that keep their memory, with what nodes and
//! hyperedges stand for in them. The hyperedges into a node are a ring: the node knows the last of them, each of them the
//! next, and the last one the first, so that another can come first, second or last at no cost.

use super::walk::{BackwardStar, Needed, Outgoing};
use crate::Result;

/// The tail that is not there, of a hyperedge with fewer than it has room for.
pub const NO_NODE: u32 = u32::MAX;
/// No hyperedge: the last one into a node that has none.
const NO_EDGE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Node<N> {
    payload: N,
    /// The last hyperedge into it.
    last: u32,
}

#[derive(Debug, Clone)]
struct Hyperedge<E, const TAILS: usize> {
    payload: E,
    tails: [u32; TAILS],
    /// The next hyperedge into the same head; the first one after the last.
    next: u32,
}

/// Nodes with a payload each, and hyperedges of up to `TAILS` tails with a payload each.
#[derive(Debug, Clone)]
pub struct Hypergraph<N, E, const TAILS: usize = 2> {
    nodes: Vec<Node<N>>,
    edges: Vec<Hyperedge<E, TAILS>>,
}

impl<N, E, const TAILS: usize> Default for Hypergraph<N, E, TAILS> {
    fn default() -> Self {
        Self { nodes: Vec::new(), edges: Vec::new() }
    }
}

impl<N, E, const TAILS: usize> Hypergraph<N, E, TAILS> {
    /// Bytes of a node.
    pub const NODE_BYTES: usize = size_of::<Node<N>>();
    /// Bytes of a hyperedge.
    pub const EDGE_BYTES: usize = size_of::<Hyperedge<E, TAILS>>();

    /// No nodes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all nodes and hyperedges, and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// How many nodes there are.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many hyperedges there are.
    #[inline]
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Bytes of all nodes and hyperedges.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * Self::NODE_BYTES + self.edges.len() * Self::EDGE_BYTES
    }

    /// What a node stands for.
    #[inline]
    pub fn node(&self, node: u32) -> &N {
        &self.nodes[node as usize].payload
    }

    /// What a node stands for, to be changed.
    #[inline]
    pub fn node_mut(&mut self, node: u32) -> &mut N {
        &mut self.nodes[node as usize].payload
    }

    /// What a hyperedge stands for.
    #[inline]
    pub fn edge(&self, edge: u32) -> &E {
        &self.edges[edge as usize].payload
    }

    /// The tails of a hyperedge, [`NO_NODE`] where there is none.
    #[inline]
    pub fn tails(&self, edge: u32) -> [u32; TAILS] {
        self.edges[edge as usize].tails
    }

    /// The first hyperedge into a node: the best one where [`Hypergraph::offer`] added them.
    #[inline]
    pub fn first(&self, node: u32) -> Option<u32> {
        let last = self.nodes[node as usize].last;
        (last != NO_EDGE).then(|| self.edges[last as usize].next)
    }

    /// The hyperedges into a node (its backward star), in order.
    pub fn incoming(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let last = self.nodes[node as usize].last;
        let (mut at, mut more) = (last, last != NO_EDGE);
        std::iter::from_fn(move || {
            more.then(|| {
                at = self.edges[at as usize].next;
                more = at != last;
                at
            })
        })
    }

    /// The hyperedges out of all nodes (their forward stars), as they are now.
    pub fn outgoing(&self) -> Outgoing {
        Outgoing::new(self)
    }

    /// The nodes and hyperedges that derivations of a goal use.
    pub fn needed(&self, goal: u32) -> Needed {
        Needed::of(self, goal, |_| true)
    }

    /// The nodes that a goal needs in topological order: the tails of a hyperedge before its head, otherwise as they were
    /// added; the goal is the last.
    ///
    /// # Errors
    /// A cycle: a node that is made of itself.
    pub fn topological(&self, goal: u32) -> Result<Vec<u32>> {
        self.needed(goal).order(self)
    }

    /// Adds a node without hyperedges.
    #[inline]
    pub fn add_node(&mut self, payload: N) -> u32 {
        self.nodes.push(Node { payload, last: NO_EDGE });
        self.nodes.len() as u32 - 1
    }

    /// Adds a hyperedge after all others into its head.
    #[inline]
    pub fn add_edge(&mut self, head: u32, tails: [u32; TAILS], payload: E) -> u32 {
        let at = self.add_first(head, tails, payload);
        // In the ring the place behind the last is that before the first.
        self.nodes[head as usize].last = at;
        at
    }

    /// Adds a hyperedge before all others into its head.
    #[inline]
    pub fn add_first(&mut self, head: u32, tails: [u32; TAILS], payload: E) -> u32 {
        let at = self.edges.len() as u32;
        let last = self.nodes[head as usize].last;
        let next = if last == NO_EDGE {
            self.nodes[head as usize].last = at;
            at
        } else {
            std::mem::replace(&mut self.edges[last as usize].next, at)
        };
        self.edges.push(Hyperedge { payload, tails, next });
        at
    }

    /// Adds a hyperedge right behind the first one into its head.
    #[inline]
    pub fn add_second(&mut self, head: u32, tails: [u32; TAILS], payload: E) -> u32 {
        let Some(first) = self.first(head) else { return self.add_first(head, tails, payload) };
        let at = self.edges.len() as u32;
        let next = std::mem::replace(&mut self.edges[first as usize].next, at);
        self.edges.push(Hyperedge { payload, tails, next });
        let last = &mut self.nodes[head as usize].last;
        if *last == first {
            *last = at;
        }
        at
    }

    /// Offers a hyperedge to its head, of which the best one comes first. If it is `better` than that, it becomes the
    /// first, otherwise the second; unless all are to be kept, it replaces the first or is dropped. Returns its number,
    /// which is the first one's if it replaced that.
    #[inline]
    pub fn offer(&mut self, head: u32, tails: [u32; TAILS], payload: E, better: bool, keep: bool) -> Option<u32> {
        match (keep, better) {
            (true, true) => Some(self.add_first(head, tails, payload)),
            (true, false) => Some(self.add_second(head, tails, payload)),
            (false, true) => {
                let Some(first) = self.first(head) else { return Some(self.add_first(head, tails, payload)) };
                let old = &mut self.edges[first as usize];
                (old.tails, old.payload) = (tails, payload);
                Some(first)
            }
            (false, false) => None,
        }
    }
}

impl<N, E, const TAILS: usize> BackwardStar for Hypergraph<N, E, TAILS> {
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
