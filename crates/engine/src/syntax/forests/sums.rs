//! Sums over all trees of a forest, exact with circles too: from the words up, and from the root down.

use super::ConstituentForest;
use super::circles::{Groups, ways};
use crate::Result;
use crate::forest::mixture::log_add;

/// What sums over trees tell of nodes and edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// For each node the logarithm of the sum over all that completes its trees to whole ones.
    pub outside: Vec<f64>,
    /// How often each node is expected in a tree: its posterior, unless it is on a circle and a tree may have it twice.
    pub nodes: Vec<f64>,
    /// The same of edges.
    pub edges: Vec<f64>,
}

/// The logarithm of the sum of exponentials.
fn log_sum(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, log_add)
}

/// For each node of a group the sum over all ways inside the group, of what they lead to or come from.
fn along(sums: Option<&[f64]>, values: &[f64], down: bool) -> Vec<f64> {
    let Some(sums) = sums else { return values.to_vec() };
    let size = values.len();
    let entry = |from: usize, to: usize| sums[from * size + to];
    let total = |at: usize| {
        log_sum((0..size).map(|other| values[other] + if down { entry(other, at) } else { entry(at, other) }))
    };
    (0..size).map(total).collect()
}

impl ConstituentForest {
    /// An edge's score and what its children have.
    pub(super) fn product(&self, edge: usize, inside: &[f64]) -> f64 {
        self.edges[edge].score + self.children_of(edge).iter().map(|&child| inside[child as usize]).sum::<f64>()
    }

    /// Posteriors of nodes and edges.
    ///
    /// # Errors
    /// None that [`ConstituentForest::new`] would not have found.
    pub fn sums(&self) -> Result<Sums> {
        let mut outside = vec![f64::NEG_INFINITY; self.nodes.len()];
        outside[self.root as usize] = 0.0;
        for group in Groups::new(self).iter().rev() {
            let values: Vec<f64> = group.iter().map(|&node| outside[node as usize]).collect();
            let found = along(ways(self, group)?.as_deref(), &values, true);
            group.iter().zip(found).for_each(|(&node, sum)| outside[node as usize] = sum);
            for &node in group {
                for edge in self.edges_of(node) {
                    let children = self.children_of(edge);
                    let above = outside[node as usize] + self.edges[edge].score;
                    if above == f64::NEG_INFINITY || (children.len() == 1 && group.contains(&children[0])) {
                        continue;
                    }
                    for (place, &child) in children.iter().enumerate() {
                        let others = children.iter().enumerate().filter(|&(other, _)| other != place);
                        let rest: f64 = others.map(|(_, &other)| self.inside[other as usize]).sum();
                        let sum = &mut outside[child as usize];
                        *sum = log_add(*sum, above + rest);
                    }
                }
            }
        }
        let whole = self.log_inside();
        let node = |number: usize| (outside[number] + self.inside[number] - whole).exp();
        let edge = |number: usize| {
            (outside[self.edges[number].node as usize] + self.product(number, &self.inside) - whole).exp()
        };
        let (nodes, edges) = ((0..self.nodes.len()).map(node).collect(), (0..self.edges.len()).map(edge).collect());
        Ok(Sums { outside, nodes, edges })
    }
}

/// For each node the logarithm of the sum over its trees.
pub(super) fn inside(forest: &ConstituentForest) -> Result<Vec<f64>> {
    let mut inside: Vec<f64> = vec![f64::NEG_INFINITY; forest.nodes.len()];
    for group in Groups::new(forest).iter() {
        let sums = ways(forest, group)?;
        let leaves = |edge: &usize| match forest.children_of(*edge) {
            [child] => !group.contains(child),
            _ => true,
        };
        let value = |&node: &u32| match forest.is_word(node) {
            true => 0.0,
            false => log_sum(forest.edges_of(node).filter(leaves).map(|edge| forest.product(edge, &inside))),
        };
        let values: Vec<f64> = group.iter().map(value).collect();
        let found = along(sums.as_deref(), &values, false);
        group.iter().zip(found).for_each(|(&node, sum)| inside[node as usize] = sum);
    }
    Ok(inside)
}
