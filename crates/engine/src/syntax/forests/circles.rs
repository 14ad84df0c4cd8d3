//! Circles of unary edges: strongly connected nodes over the same words, and sums over all ways through them.

use super::ConstituentForest;
use crate::forest::mixture::log_add;
use crate::{Error, Result};

/// Nodes a circle may have: what it costs grows with their cube.
pub const MOST_TOGETHER: usize = 50;

/// Nodes in groups, children first: single ones, and those that unary edges connect in circles.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    pub(super) order: Vec<u32>,
    pub(super) begins: Vec<u32>,
}

impl Groups {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        self.begins.windows(2).map(|pair| &self.order[pair[0] as usize..pair[1] as usize])
    }

    /// Tarjan's algorithm (1972), without recursion, over edges with one child; other children are over fewer words, so that
    /// going by the number of words brings them first.
    pub(super) fn new(forest: &ConstituentForest) -> Self {
        const NEW: u32 = u32::MAX;
        let count = forest.nodes.len();
        let mut found = Self { order: Vec::with_capacity(count), begins: vec![0] };
        let mut by_width: Vec<u32> = (0..count as u32).collect();
        by_width.sort_by_key(|&node| forest.nodes[node as usize].end - forest.nodes[node as usize].begin);
        let (mut index, mut low, mut done) = (vec![NEW; count], vec![0_u32; count], vec![false; count]);
        let (mut open, mut calls, mut next) = (Vec::new(), Vec::new(), 0);
        for start in by_width {
            if index[start as usize] != NEW {
                continue;
            }
            calls.push((start, forest.edges_of(start)));
            while let Some((node, edges)) = calls.last_mut() {
                let at = *node as usize;
                if index[at] == NEW {
                    (index[at], low[at]) = (next, next);
                    next += 1;
                    open.push(*node);
                }
                let child = edges.find_map(|edge| match forest.children_of(edge) {
                    [child] if !done[*child as usize] => Some(*child),
                    _ => None,
                });
                if let Some(child) = child {
                    if index[child as usize] == NEW {
                        calls.push((child, forest.edges_of(child)));
                    } else {
                        low[at] = low[at].min(index[child as usize]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == index[at] {
                    while let Some(member) = open.pop() {
                        done[member as usize] = true;
                        found.order.push(member);
                        if member as usize == at {
                            break;
                        }
                    }
                    found.begins.push(found.order.len() as u32);
                }
            }
        }
        found
    }
}

pub(super) fn too_heavy(node: u32) -> Error {
    let what = format!("the unary edges around node {node} of the forest form a circle that weighs 1 or more");
    Error::input(what).hint("lower their scores, so that the sum over all trees is finite")
}

/// For each pair of nodes of a group the logarithm of the sum over all ways from one to the other by unary edges, of any
/// length; none if there is no edge between them. By elimination (Lehmann 1977), which finds out whether the sum is finite.
pub(super) fn ways(forest: &ConstituentForest, group: &[u32]) -> Result<Option<Vec<f64>>> {
    let size = group.len();
    let place = |node: u32| group.iter().position(|&other| other == node);
    let circular = |node: u32| forest.edges_of(node).any(|edge| forest.children_of(edge) == [node]);
    if size == 1 && !circular(group[0]) {
        return Ok(None);
    }
    if size > MOST_TOGETHER {
        let what = format!("{size} nodes of the forest form one circle, more than {MOST_TOGETHER}");
        return Err(Error::limit(what).hint("take unary edges out"));
    }
    let mut sums = vec![f64::NEG_INFINITY; size * size];
    for (row, &node) in group.iter().enumerate() {
        for edge in forest.edges_of(node) {
            if let [child] = forest.children_of(edge)
                && let Some(column) = place(*child)
            {
                let sum = &mut sums[row * size + column];
                *sum = log_add(*sum, forest.edges[edge].score);
            }
        }
    }
    for middle in 0..size {
        let around = sums[middle * size + middle];
        // 1 + a + a² + ... = 1 / (1 - a)
        let star = -(-around.exp_m1()).ln();
        if around >= 0.0 || !star.is_finite() {
            return Err(too_heavy(group[middle]));
        }
        let (through, onward): (Vec<f64>, Vec<f64>) =
            (0..size).map(|at| (sums[at * size + middle], sums[middle * size + at])).unzip();
        for row in 0..size {
            for column in 0..size {
                let sum = &mut sums[row * size + column];
                *sum = log_add(*sum, through[row] + star + onward[column]);
            }
        }
    }
    // The way of no steps.
    (0..size).for_each(|at| sums[at * size + at] = log_add(sums[at * size + at], 0.0));
    Ok(Some(sums))
}
