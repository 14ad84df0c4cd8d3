//! Sums over all derivations below and around each node.

use super::semiring::{LogSum, Semiring, Viterbi};
use super::{Edge, Forest, NO_NODE};

/// For each node the sum over its derivations of the products of their edges' values.
pub fn inside<S: Semiring>(forest: &Forest, value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
    let mut sums: Vec<S> = Vec::with_capacity(forest.nodes());
    for node in 0..forest.nodes() as u32 {
        let mut sum = S::zero();
        for number in forest.incoming(node) {
            let edge = forest.edge(number);
            let product = edge.tails().fold(value(number, &edge), |product, tail| product.times(&sums[tail as usize]));
            sum = sum.plus(&product);
        }
        sums.push(sum);
    }
    sums
}

/// For each node the sum over all that completes its derivations to derivations of the goal.
pub fn outside<S: Semiring>(forest: &Forest, inside: &[S], value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
    let mut sums = vec![S::zero(); forest.nodes()];
    if let Some(goal) = forest.goal() {
        sums[goal as usize] = S::one();
    }
    for node in (0..forest.nodes() as u32).rev() {
        let above = sums[node as usize].clone();
        for number in forest.incoming(node) {
            let edge = forest.edge(number);
            let own = above.times(&value(number, &edge));
            for place in (0..2).filter(|&place| edge.tails[place] != NO_NODE) {
                let sibling = edge.tails[1 - place];
                let product = if sibling == NO_NODE { own.clone() } else { own.times(&inside[sibling as usize]) };
                let sum = &mut sums[edge.tails[place] as usize];
                *sum = sum.plus(&product);
            }
        }
    }
    sums
}

/// For each edge the sum over the derivations of the goal that use it; `S` gives what the edge's own value is.
pub fn through<S: Semiring>(forest: &Forest, value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
    let below = inside(forest, &value);
    let around = outside(forest, &below, &value);
    let edges = 0..forest.edges() as u32;
    edges
        .map(|number| {
            let edge = forest.edge(number);
            let own = around[edge.head as usize].times(&value(number, &edge));
            edge.tails().fold(own, |product, tail| product.times(&below[tail as usize]))
        })
        .collect()
}

/// How often each edge is expected in a derivation when derivations are as likely as the exponentials of `scale` times
/// their scores; zeros if there is no derivation.
pub fn expected_uses(forest: &Forest, scale: f64) -> Vec<f64> {
    let value = |_: u32, edge: &Edge<'_>| LogSum(scale * edge.score);
    let total = inside(forest, value).last().map_or(f64::NEG_INFINITY, |sum| sum.0);
    if total == f64::NEG_INFINITY {
        return vec![0.0; forest.edges()];
    }
    through(forest, value).into_iter().map(|sum| (sum.0 - total).exp()).collect()
}

/// The probability of each edge, where no derivation uses one twice: [`expected_uses`], at most 1.
pub fn marginals(forest: &Forest, scale: f64) -> Vec<f64> {
    expected_uses(forest, scale).into_iter().map(|uses| uses.min(1.0)).collect()
}

/// For each edge the score of the best derivation through it.
pub fn best_through(forest: &Forest) -> Vec<f64> {
    through(forest, |_, edge| Viterbi(edge.score)).into_iter().map(|best| best.0).collect()
}

impl Forest {
    /// The forest of those edges that `keep`, and of the derivations of the goal they still make.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(u32) -> bool) -> Self {
        // Nodes that still have derivations, then those that derivations of the goal need.
        let mut derivable = vec![false; self.nodes()];
        let mut kept = vec![false; self.edges()];
        for node in 0..self.nodes() as u32 {
            for edge in self.incoming(node) {
                kept[edge as usize] = keep(edge) && self.edge(edge).tails().all(|tail| derivable[tail as usize]);
                derivable[node as usize] |= kept[edge as usize];
            }
        }
        let mut needed = vec![false; self.nodes()];
        if let Some(goal) = self.goal() {
            needed[goal as usize] = derivable[goal as usize];
        }
        for node in (0..self.nodes() as u32).rev() {
            if !needed[node as usize] {
                continue;
            }
            for edge in self.incoming(node).filter(|&edge| kept[edge as usize]) {
                for tail in self.edge(edge).tails() {
                    needed[tail as usize] = true;
                }
            }
        }
        let mut small = Self {
            labels: Vec::new(),
            node_edges: vec![0],
            heads: Vec::new(),
            tails: Vec::new(),
            edge_rules: Vec::new(),
            spans: Vec::new(),
            scores: Vec::new(),
            features: Vec::new(),
            sparse_begins: vec![0],
            sparse: Vec::new(),
            rules: Vec::new(),
            source: self.source.clone(),
            words: self.words.clone(),
            categories: self.categories.clone(),
            feature_names: self.feature_names.clone(),
            sparse_names: self.sparse_names.clone(),
        };
        let mut new = vec![NO_NODE; self.nodes()];
        let mut new_rules: Vec<Option<u32>> = vec![None; self.rules.len()];
        for node in (0..self.nodes() as u32).filter(|&node| needed[node as usize]) {
            new[node as usize] = small.labels.len() as u32;
            small.labels.push(self.label(node));
            for number in self.incoming(node).filter(|&edge| kept[edge as usize]) {
                let edge = self.edge(number);
                let moved = edge.tails.map(|tail| if tail == NO_NODE { NO_NODE } else { new[tail as usize] });
                small.heads.push(new[node as usize]);
                small.tails.push(moved);
                let rule = *new_rules[edge.rule as usize].get_or_insert_with(|| {
                    small.rules.push(self.rules[edge.rule as usize].clone());
                    small.rules.len() as u32 - 1
                });
                small.edge_rules.push(rule);
                small.spans.push(self.span(number));
                small.scores.push(edge.score);
                small.features.extend_from_slice(edge.features);
                small.sparse.extend_from_slice(edge.sparse);
                small.sparse_begins.push(small.sparse.len() as u32);
            }
            small.node_edges.push(small.heads.len() as u32);
        }
        small
    }

    /// Keeps the `most` edges with the best derivations through them, and those that are as good as the last of them.
    #[must_use]
    pub fn pruned_to(&self, most: usize) -> Self {
        let mut best = best_through(self);
        best.sort_by(|a, b| b.total_cmp(a));
        let last = best.get(most.saturating_sub(1)).copied();
        self.pruned(last.map_or(f64::INFINITY, |last| best[0] - last))
    }

    /// Leaves out edges whose best derivation scores more than `beam` below the best of all (Huang 2008).
    #[must_use]
    pub fn pruned(&self, beam: f64) -> Self {
        let best = best_through(self);
        let top = best.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Sums in different orders differ in their last digits; the best derivation must survive a beam of 0.
        let least = top - beam - 1e-9 * top.abs().max(1.0);
        self.filtered(|edge| best[edge as usize] >= least)
    }
}
