//! Sums over all derivations below and around each node (the inside-outside algorithm).

use super::semiring::{LogSum, Semiring, Viterbi};
use super::walk::BackwardStar;
use super::{Edge, Forest};

/// For each node of a hypergraph in topological order the sum over its derivations of the products of their hyperedges'
/// values (inside values).
pub fn inside_of<S: Semiring>(graph: &impl BackwardStar, value: impl Fn(u32) -> S) -> Vec<S> {
    let mut sums: Vec<S> = Vec::with_capacity(graph.node_count());
    for node in 0..graph.node_count() as u32 {
        let mut sum = S::zero();
        for edge in graph.edges_into(node) {
            let product = graph.tails_of(edge).fold(value(edge), |product, tail| product.times(&sums[tail as usize]));
            sum = sum.plus(&product);
        }
        sums.push(sum);
    }
    sums
}

/// Values that go down from a goal to all it is made of, in a hypergraph in topological order (outside values): the goal
/// has `one`, every other node what hyperedges hand to it, added up by `plus`, or `zero`. `hand` says what a hyperedge
/// hands to the tail at a place, by the value of its head.
pub fn hand_down<V: Clone + PartialEq>(
    graph: &impl BackwardStar,
    goal: u32,
    [zero, one]: [V; 2],
    plus: impl Fn(&V, &V) -> V,
    hand: impl Fn(&V, u32, usize) -> V,
) -> Vec<V> {
    let mut values = vec![zero.clone(); graph.node_count()];
    values[goal as usize] = one;
    for node in (0..=goal).rev() {
        let above = values[node as usize].clone();
        if above == zero {
            continue;
        }
        for edge in graph.edges_into(node) {
            for (place, tail) in graph.tails_of(edge).enumerate() {
                let value = &mut values[tail as usize];
                *value = plus(value, &hand(&above, edge, place));
            }
        }
    }
    values
}

/// For each node the sum over its derivations of the products of their edges' values.
pub fn inside<S: Semiring>(forest: &Forest, value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
    inside_of(forest, |edge| value(edge, &forest.edge(edge)))
}

/// For each node the sum over all that completes its derivations to derivations of the goal.
pub fn outside<S: Semiring + PartialEq>(forest: &Forest, inside: &[S], value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
    let Some(goal) = forest.goal() else { return Vec::new() };
    hand_down(forest, goal, [S::zero(), S::one()], S::plus, |above, number, place| {
        let edge = forest.edge(number);
        let own = above.times(&value(number, &edge));
        let siblings = edge.tails().enumerate().filter(|&(other, _)| other != place);
        siblings.fold(own, |product, (_, sibling)| product.times(&inside[sibling as usize]))
    })
}

/// For each edge the sum over the derivations of the goal that use it; `S` gives what the edge's own value is.
pub fn through<S: Semiring + PartialEq>(forest: &Forest, value: impl Fn(u32, &Edge<'_>) -> S) -> Vec<S> {
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

/// For each edge the score of the best derivation through it.
pub fn best_through(forest: &Forest) -> Vec<f64> {
    through(forest, |_, edge| Viterbi(edge.score)).into_iter().map(|best| best.0).collect()
}

impl Forest {
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
