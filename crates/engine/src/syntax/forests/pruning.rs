//! Forests without what is improbable.

use super::{ConstituentForest, Edge, NONE, Node};
use crate::Result;

impl ConstituentForest {
    /// The forest of edges that are expected at least so often in a tree, and of nodes that still have a tree and are in one;
    /// none if no tree is left.
    ///
    /// # Errors
    /// None that the constructor would not have found.
    pub fn pruned(&self, least: f64) -> Result<Option<Self>> {
        let sums = self.sums()?;
        let mut keep: Vec<bool> = sums.edges.iter().map(|&expected| expected >= least && expected > 0.0).collect();
        // Nodes that lost all trees, from below: a node waits for edges until all their children have trees.
        let mut has_tree: Vec<bool> = (0..self.nodes.len() as u32).map(|node| self.is_word(node)).collect();
        let mut above = vec![Vec::new(); self.nodes.len()];
        let mut missing = vec![0_u32; self.edges.len()];
        let mut done: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| self.is_word(node)).collect();
        for edge in (0..self.edges.len()).filter(|&edge| keep[edge]) {
            missing[edge] = self.children_of(edge).len() as u32;
            self.children_of(edge).iter().for_each(|&child| above[child as usize].push(edge));
        }
        while let Some(node) = done.pop() {
            for &edge in &above[node as usize] {
                missing[edge] -= 1;
                let parent = self.edges[edge].node;
                if missing[edge] == 0 && !has_tree[parent as usize] {
                    has_tree[parent as usize] = true;
                    done.push(parent);
                }
            }
        }
        keep.iter_mut().zip(&missing).for_each(|(keep, &missing)| *keep &= missing == 0);
        if !has_tree[self.root as usize] {
            return Ok(None);
        }
        self.only(&keep).map(Some)
    }

    /// The forest of some edges, and the nodes they lead to from the root.
    fn only(&self, keep: &[bool]) -> Result<Self> {
        let mut reached = vec![false; self.nodes.len()];
        reached[self.root as usize] = true;
        let mut waiting = vec![self.root];
        while let Some(node) = waiting.pop() {
            for edge in self.edges_of(node).filter(|&edge| keep[edge]) {
                for &child in self.children_of(edge) {
                    if !std::mem::replace(&mut reached[child as usize], true) {
                        waiting.push(child);
                    }
                }
            }
        }
        let mut numbers = vec![NONE; self.nodes.len()];
        let kept = (0..self.nodes.len()).filter(|&node| reached[node]);
        kept.clone().zip(0..).for_each(|(node, number)| numbers[node] = number);
        let (mut nodes, mut edges, mut children) = (Vec::new(), Vec::new(), Vec::new());
        for at in kept {
            let node = &self.nodes[at];
            let first = edges.len() as u32;
            for edge in self.edges_of(at as u32).filter(|&edge| keep[edge]) {
                let begin = children.len() as u32;
                children.extend(self.children_of(edge).iter().map(|&child| numbers[child as usize]));
                let (node, score) = (numbers[at], self.edges[edge].score);
                edges.push(Edge { node, children: begin..children.len() as u32, score });
            }
            nodes.push(Node { edges: first..edges.len() as u32, ..node.clone() });
        }
        let (words, labels) = (self.words.clone(), self.labels.clone());
        Self::new(words, labels, nodes, edges, children, numbers[self.root as usize])
    }
}
