//! Labels of nodes: how probable each is, and how probable it is that none of them is right.

use super::NONE;
use crate::{Error, Result};

/// For each node some labels, ascending, and the dummy label that stands for none of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// Where the labels of each node begin, and where the last end.
    pub starts: Vec<usize>,
    /// Labels.
    pub ids: Vec<u32>,
    /// How probable they are.
    pub values: Vec<f64>,
    /// How probable the dummy label is, for each node.
    pub dummy: Vec<f64>,
}

impl Labels {
    /// The labels of a node.
    pub fn row(&self, node: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + Clone + '_ {
        (self.starts[node]..self.starts[node + 1]).map(|at| (self.ids[at], self.values[at]))
    }

    /// Refuses what is no list of labels for so many nodes, or has no dummy for each.
    ///
    /// # Errors
    /// Such a list.
    pub fn check(&self, nodes: usize) -> Result<()> {
        let sound = self.starts.len() == nodes + 1
            && self.starts[0] == 0
            && self.starts.is_sorted()
            && self.starts[nodes] == self.ids.len()
            && self.values.len() == self.ids.len()
            && self.dummy.len() == nodes;
        if !sound {
            return Err(Error::input(format!("the labels do not fit a graph of {nodes} nodes")));
        }
        for node in 0..nodes {
            if !self.ids[self.starts[node]..self.starts[node + 1]].is_sorted_by(|one, other| one < other) {
                return Err(Error::input(format!("the labels of node {node} do not ascend"))
                    .hint("give each label of a node once, in ascending order"));
            }
        }
        match self.values.iter().chain(&self.dummy).find(|value| !value.is_finite() || **value < 0.0) {
            Some(value) => Err(Error::input(format!("a label has the probability {value}"))
                .hint("probabilities are finite and not negative")),
            None => Ok(()),
        }
    }
}

/// The labels that some nodes have from the start, with labels numbered without gaps.
#[derive(Debug, Clone)]
pub struct Seeds {
    pub(super) labels: Labels,
    /// The labels as they were given, ascending.
    pub(super) known: Vec<u32>,
}

impl Seeds {
    /// From labels whose probabilities may be 0, which says nothing.
    ///
    /// # Errors
    /// Labels that do not fit, or too many.
    pub fn new(mut labels: Labels, nodes: usize) -> Result<Self> {
        labels.check(nodes)?;
        let mut kept = 0;
        for node in 0..nodes {
            let part = labels.starts[node]..labels.starts[node + 1];
            labels.starts[node] = kept;
            for at in part {
                if labels.values[at] > 0.0 {
                    (labels.ids[kept], labels.values[kept]) = (labels.ids[at], labels.values[at]);
                    kept += 1;
                }
            }
        }
        labels.starts[nodes] = kept;
        labels.ids.truncate(kept);
        labels.values.truncate(kept);
        let mut known = labels.ids.clone();
        known.sort_unstable();
        known.dedup();
        if known.last() == Some(&NONE) {
            return Err(Error::limit(format!("{NONE} is no number of a label")));
        }
        for id in &mut labels.ids {
            *id = known.partition_point(|known| known < id) as u32;
        }
        Ok(Self { labels, known })
    }

    /// Whether a node has labels from the start.
    pub(super) fn has(&self, node: usize) -> bool {
        self.labels.starts[node] < self.labels.starts[node + 1]
    }

    /// Labels with gaps as they were given.
    pub(super) fn named(&self, mut labels: Labels) -> Labels {
        for id in &mut labels.ids {
            *id = self.known[*id as usize];
        }
        labels
    }
}
