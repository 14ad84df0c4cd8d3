//! Modified Adsorption (Talukdar & Crammer 2009; Razmara 2013, section 5.3.1): labels walk along edges at random, start anew
//! where seeds are, and are given up at hubs.
//!
//! With p₁ the probability that a walk at a node starts anew there, p₂ that it goes on and p₃ that it is given up, labels Ŷ
//! minimise μ₁ Σ p₁ ‖Y - Ŷ‖² + μ₂ Σ p₂ W ‖Ŷ - Ŷ'‖² + μ₃ Σ ‖Ŷ - p₃ R‖², the second sum over both directions of each edge,
//! where R has the dummy label and nothing else. This is a linear system with a symmetric matrix whose diagonal dominates:
//! M Ŷ - μ₂ K Ŷ = μ₁ p₁ Y + μ₃ p₃ R with K = p₂ W + p₂' W and M = μ₁ p₁ + μ₂ Σ K + μ₃.

use std::sync::Arc;

use rayon::prelude::*;

use super::edges::Graph;
use super::labels::{Labels, Seeds};
use super::profiles::{Rows, gathered};
use crate::{Error, Result};

/// What labels are traded for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How much seeds count, how much neighbours, and how much the dummy label where walks are given up.
    pub mu: [f64; 3],
    /// How many neighbours a walk minds: the greater, the more.
    pub beta: f64,
    /// Labels that are kept at a node from step to step, the most probable; 0 for all.
    pub keep: usize,
}

impl Settings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Such a setting.
    pub fn check(&self) -> Result<()> {
        if self.mu.iter().any(|mu| !mu.is_finite() || *mu < 0.0) {
            return Err(Error::settings(format!("mu cannot be {:?}", self.mu))
                .hint("its three weights are finite and not negative"));
        }
        if !self.beta.is_finite() || self.beta <= 1.0 {
            return Err(Error::settings(format!("beta must be greater than 1, not {}", self.beta)));
        }
        Ok(())
    }
}

/// The linear system of a graph and its seeds.
#[derive(Debug)]
pub struct System {
    pub(super) graph: Arc<Graph>,
    pub(super) seeds: Seeds,
    pub(super) settings: Settings,
    /// p₁ of each node.
    pub(super) inject: Vec<f64>,
    /// p₂ of each node.
    pub(super) onward: Vec<f64>,
    /// p₃ of each node.
    pub(super) abandon: Vec<f64>,
    /// μ₂ K, an entry for each edge and direction.
    pub(super) pulls: Vec<f64>,
    /// M.
    pub(super) diagonal: Vec<f64>,
}

/// The probabilities of a node to start anew, to go on and to give up, from what its edges weigh. The more edges a walk may
/// take, the likelier it is given up or, at seeds, starts anew.
fn probabilities(weights: &[f64], seed: bool, beta: f64) -> [f64; 3] {
    let sum: f64 = weights.iter().sum();
    let entropy: f64 = weights.iter().map(|weight| weight / sum).map(|share| -share * share.log2()).sum();
    let mut onward = beta.ln() / (beta + entropy.max(0.0)).ln();
    let mut inject = if seed { (1.0 - onward) * entropy.max(0.0).sqrt() } else { 0.0 };
    if seed && inject == 0.0 {
        // A seed with one neighbour or none, as in the authors' program.
        (onward, inject) = (0.01, 0.99);
    }
    let sum = (onward + inject).max(1.0);
    (onward, inject) = (onward / sum, inject / sum);
    [inject, onward, (1.0 - inject - onward).max(0.0)]
}

impl System {
    /// The system of a graph, seeds and settings.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(graph: Arc<Graph>, seeds: Seeds, settings: Settings) -> Result<Self> {
        settings.check()?;
        if seeds.labels.dummy.len() != graph.size() {
            return Err(Error::input("the seeds are of another graph"));
        }
        let each = (0..graph.size()).into_par_iter();
        let each: Vec<[f64; 3]> =
            each.map(|node| probabilities(&graph.weights[graph.part(node)], seeds.has(node), settings.beta)).collect();
        let [inject, onward, abandon] = [0, 1, 2].map(|which| each.iter().map(|all| all[which]).collect::<Vec<_>>());
        drop(each);
        let [from_seeds, from_others, from_dummy] = settings.mu;
        let mut pulls = Vec::with_capacity(graph.ids.len());
        let mut diagonal = Vec::with_capacity(graph.size());
        for node in 0..graph.size() {
            let before = pulls.len();
            pulls.extend(
                graph
                    .part(node)
                    .map(|at| from_others * (onward[node] + onward[graph.ids[at] as usize]) * graph.weights[at]),
            );
            diagonal.push(from_seeds * inject[node] + pulls[before..].iter().sum::<f64>() + from_dummy);
        }
        Ok(Self { graph, seeds, settings, inject, onward, abandon, pulls, diagonal })
    }

    /// How many different labels seeds have.
    pub fn labels(&self) -> usize {
        self.seeds.known.len()
    }

    /// The probabilities of each node to start anew, to go on and to give up.
    pub fn probabilities(&self) -> [&[f64]; 3] {
        [&self.inject, &self.onward, &self.abandon]
    }

    /// Where labels start: seeds have theirs, others none.
    pub fn start(&self) -> Labels {
        let mut labels = self.seeds.labels.clone();
        labels.dummy.fill(0.0);
        labels
    }

    /// The labels after a step, all nodes at once.
    pub fn step(&self, before: &Labels) -> Labels {
        let seeds = &self.seeds.labels;
        let [from_seeds, _, from_dummy] = self.settings.mu;
        let scratch = || (vec![0.0; self.seeds.known.len()], Vec::new(), Vec::new());
        let (starts, ids, values) = gathered(self.graph.size(), scratch, |scratch, node, rows: &mut Rows<f64>| {
            let (sums, touched, sorted): &mut (Vec<f64>, Vec<u32>, Vec<(f64, u32)>) = scratch;
            let mut add = |label: u32, value: f64| {
                let sum = &mut sums[label as usize];
                if *sum == 0.0 {
                    touched.push(label);
                }
                *sum += value;
            };
            let weight = from_seeds * self.inject[node];
            if weight > 0.0 {
                seeds.row(node).for_each(|(label, value)| add(label, weight * value));
            }
            for at in self.graph.part(node) {
                let pull = self.pulls[at];
                if pull > 0.0 {
                    before.row(self.graph.ids[at] as usize).for_each(|(label, value)| add(label, pull * value));
                }
            }
            let keep = self.settings.keep;
            if keep > 0 && touched.len() > keep {
                sorted.extend(touched.iter().map(|&label| (sums[label as usize], label)));
                let order = |one: &(f64, u32), other: &(f64, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
                sorted.select_nth_unstable_by(keep, order);
                sorted.drain(keep..).for_each(|(_, label)| sums[label as usize] = 0.0);
                touched.clear();
                touched.extend(sorted.drain(..).map(|(_, label)| label));
            }
            touched.sort_unstable();
            for label in touched.drain(..) {
                // Twice in the list if what was added first was too small to be seen.
                let value = std::mem::take(&mut sums[label as usize]) / self.diagonal[node];
                if value > 0.0 {
                    rows.ids.push(label);
                    rows.values.push(value);
                }
            }
        });
        let dummy = (0..self.graph.size()).into_par_iter().with_min_len(1024).map(|node| {
            let pulled = |at: usize| self.pulls[at] * before.dummy[self.graph.ids[at] as usize];
            let sum: f64 = self.graph.part(node).map(pulled).sum();
            let all = from_dummy * self.abandon[node] + sum;
            if all > 0.0 { all / self.diagonal[node] } else { 0.0 }
        });
        Labels { starts, ids, values, dummy: dummy.collect() }
    }

    /// What labels should make as small as can be.
    pub fn objective(&self, labels: &Labels) -> f64 {
        let [from_seeds, from_others, from_dummy] = self.settings.mu;
        let graph = &*self.graph;
        let none = std::iter::empty::<(u32, f64)>;
        let of = |node: usize| {
            let own = labels.row(node);
            let seed = if self.inject[node] > 0.0 {
                let apart = apart(self.seeds.labels.row(node), own.clone()) + labels.dummy[node].powi(2);
                from_seeds * self.inject[node] * apart
            } else {
                0.0
            };
            let edge = |at: usize| {
                let other = graph.ids[at] as usize;
                let apart = apart(own.clone(), labels.row(other)) + (labels.dummy[node] - labels.dummy[other]).powi(2);
                self.onward[node] * graph.weights[at] * apart
            };
            let edges: f64 = graph.part(node).map(edge).sum();
            let own = apart(own.clone(), none()) + (labels.dummy[node] - self.abandon[node]).powi(2);
            seed + from_others * edges + from_dummy * own
        };
        // Summed in one order, so that it is the same on any number of threads.
        (0..graph.size()).into_par_iter().with_min_len(256).map(of).collect::<Vec<_>>().iter().sum()
    }

    /// Labels of this system with the numbers that its seeds were given.
    pub fn named(&self, labels: Labels) -> Labels {
        self.seeds.named(labels)
    }

    /// Labels with numbers as seeds have them, as this system numbers them.
    ///
    /// # Errors
    /// Labels that do not fit, and labels that no seed has.
    pub fn renumbered(&self, mut labels: Labels) -> Result<Labels> {
        labels.check(self.graph.size())?;
        for id in &mut labels.ids {
            *id = self
                .seeds
                .known
                .binary_search(id)
                .map_err(|_| Error::input(format!("there is a label {id}, but no seed has it")))?
                as u32;
        }
        Ok(labels)
    }
}

/// The sum of squared differences of two lists of labels.
fn apart(one: impl Iterator<Item = (u32, f64)>, other: impl Iterator<Item = (u32, f64)>) -> f64 {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    let mut sum = 0.0;
    loop {
        let [left, right] = [one.peek(), other.peek()].map(|next| next.map_or(u64::MAX, |&(label, _)| label.into()));
        if left == u64::MAX && right == u64::MAX {
            return sum;
        }
        let left_value = if left <= right { one.next().map_or(0.0, |(_, value)| value) } else { 0.0 };
        let right_value = if right <= left { other.next().map_or(0.0, |(_, value)| value) } else { 0.0 };
        sum += (left_value - right_value).powi(2);
    }
}
