//! The best derivations of a forest, one after another, as lazily as possible (Huang & Chiang 2005, algorithm 3), by the
//! order of any semiring that has one.
//!
//! Each combination of an edge with ranks of its tails' derivations has one predecessor, which enters the queue before
//! it, so none needs to be looked for. There is no recursion: forests can be as deep as sentences are long.
//!
//! If only different target words are wanted, every node keeps the best derivation of each string, which is all that better
//! strings can be made of. Strings are told apart by a polynomial of their words modulo a prime of 61 bits.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::inside::inside_of;
use super::semiring::{Ordered, Viterbi};
use super::{Edge, Forest, NO_NODE};

/// The edges of a derivation, each after those of its tails, with the places of those in the list.
pub type Edges = Vec<(u32, Vec<usize>)>;

/// A derivation of a node: an edge, and which derivations of its tails.
#[derive(Debug, Clone)]
pub struct Ranked<S = Viterbi> {
    /// The edge.
    pub edge: u32,
    /// The ranks of the tails' derivations.
    pub ranks: [u32; 2],
    /// The value of the whole.
    pub value: S,
}

impl<S: Ordered> Ord for Ranked<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        let values = self.value.better(&other.value).cmp(&other.value.better(&self.value));
        values.then_with(|| (other.edge, other.ranks).cmp(&(self.edge, self.ranks)))
    }
}

impl<S: Ordered> PartialOrd for Ranked<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Ordered> PartialEq for Ranked<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<S: Ordered> Eq for Ranked<S> {}

/// What a derivation says (its yield), in two numbers: its words as digits of a number, and the base to the power of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Saying {
    words: u64,
    power: u64,
}

impl Saying {
    const NOTHING: Self = Self { words: 0, power: 1 };
    const PRIME: u64 = (1 << 61) - 1;
    const BASE: u64 = 0x0b4e_0ef3_7bc3_2127;

    fn then(self, next: Self) -> Self {
        let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(Self::PRIME)) as u64;
        Self { words: (times(self.words, next.power) + next.words) % Self::PRIME, power: times(self.power, next.power) }
    }
}

#[derive(Debug)]
struct Found<S> {
    derivations: Vec<Ranked<S>>,
    queue: BinaryHeap<Ranked<S>>,
    begun: bool,
    /// The last one taken from the queue, until its successors are put into it.
    last: Option<Ranked<S>>,
    /// What the derivations say, if it matters.
    sayings: Vec<Saying>,
    said: HashSet<Saying>,
}

impl<S: Ordered> Found<S> {
    fn nothing() -> Self {
        Self {
            derivations: Vec::new(),
            queue: BinaryHeap::new(),
            begun: false,
            last: None,
            sayings: Vec::new(),
            said: HashSet::new(),
        }
    }
}

/// Enumerates derivations, best first; ties by the order of edges.
#[derive(Debug)]
pub struct KBest<F, S = Viterbi> {
    forest: F,
    /// The values of the edges, and of the best derivation of each node.
    own: Vec<S>,
    best: Vec<S>,
    found: Vec<Found<S>>,
    unique: bool,
    /// How many derivations of the goal were taken.
    taken: usize,
}

impl<F: Borrow<Forest>> KBest<F> {
    /// All derivations by their scores; nothing enumerated yet.
    pub fn new(forest: F) -> Self {
        Self::by(forest, false, |edge| Viterbi(edge.score))
    }

    /// Derivations with different target words by their scores; the best of those with the same.
    pub fn unique(forest: F) -> Self {
        Self::by(forest, true, |edge| Viterbi(edge.score))
    }

    /// Takes the next derivation, as a list of edges with its score.
    pub fn take_next(&mut self) -> Option<(f64, Edges)> {
        self.take_valued().map(|(value, edges)| (value.0, edges))
    }

    /// Up to `count` more derivations, as [`KBest::take_next`] takes them.
    pub fn list(&mut self, count: usize) -> Vec<(f64, Edges)> {
        std::iter::from_fn(|| self.take_next()).take(count).collect()
    }
}

impl<F: Borrow<Forest>, S: Ordered> KBest<F, S> {
    /// Derivations by the products of what their edges are worth; if `unique`, those with different target words.
    pub fn by(forest: F, unique: bool, value: impl Fn(&Edge<'_>) -> S) -> Self {
        let known = forest.borrow();
        let own: Vec<S> = (0..known.edges() as u32).map(|edge| value(&known.edge(edge))).collect();
        let best = inside_of(known, |edge| own[edge as usize].clone());
        let found = (0..known.nodes()).map(|_| Found::nothing()).collect();
        Self { forest, own, best, found, unique, taken: 0 }
    }

    /// The forest.
    pub fn forest(&self) -> &Forest {
        self.forest.borrow()
    }

    /// The derivation of the goal at a rank, from 0, if there are as many.
    pub fn get(&mut self, rank: usize) -> Option<Ranked<S>> {
        let goal = self.forest().goal()?;
        self.find(goal, rank);
        self.found[goal as usize].derivations.get(rank).cloned()
    }

    /// Whether the derivation of a node at a rank is known, or known not to be.
    fn is_known(&self, node: u32, rank: usize) -> bool {
        let found = &self.found[node as usize];
        let exhausted = found.begun && found.queue.is_empty() && found.last.is_none();
        found.derivations.len() > rank || exhausted
    }

    fn find(&mut self, node: u32, rank: usize) {
        let mut wanted = vec![(node, rank)];
        while let Some(&(node, rank)) = wanted.last() {
            if self.is_known(node, rank) {
                wanted.pop();
            } else if !self.found[node as usize].begun {
                self.begin(node);
            } else if let Some(first) = self.missing(node) {
                wanted.push(first);
            } else {
                self.advance(node);
            }
        }
    }

    /// A derivation of a tail that must be known before the next step of `node`.
    fn missing(&self, node: u32) -> Option<(u32, usize)> {
        let found = &self.found[node as usize];
        let (ranked, more) = match (&found.last, found.queue.peek()) {
            (Some(last), _) => (last, 1),
            (None, Some(top)) if self.unique => (top, 0),
            _ => return None,
        };
        let tails = self.forest().tails(ranked.edge);
        let needs = (0..2).filter(|&place| tails[place] != NO_NODE && (more == 0 || follows(ranked.ranks, place)));
        let mut needs = needs.map(|place| (tails[place], ranked.ranks[place] as usize + more));
        needs.find(|&(tail, rank)| !self.is_known(tail, rank))
    }

    /// Puts the best derivation of each edge into the queue of a node.
    fn begin(&mut self, node: u32) {
        self.found[node as usize].begun = true;
        for number in self.forest().incoming(node) {
            let tails = self.forest().tails(number).into_iter().filter(|&tail| tail != NO_NODE);
            let own = self.own[number as usize].clone();
            let value = tails.fold(own, |product, tail| product.times(&self.best[tail as usize]));
            if value.better(&S::zero()) {
                self.found[node as usize].queue.push(Ranked { edge: number, ranks: [0; 2], value });
            }
        }
    }

    /// Follows the last derivation of a node, or takes the next from its queue.
    fn advance(&mut self, node: u32) {
        if let Some(last) = self.found[node as usize].last.take() {
            let tails = self.forest().tails(last.edge);
            for place in (0..2).filter(|&place| tails[place] != NO_NODE && follows(last.ranks, place)) {
                let mut ranks = last.ranks;
                ranks[place] += 1;
                let mut parts = (0..2).filter(|&at| tails[at] != NO_NODE).map(|at| self.value_of(tails[at], ranks[at]));
                let own = self.own[last.edge as usize].clone();
                if let Some(value) = parts.try_fold(own, |product, part| Some(product.times(part?))) {
                    self.found[node as usize].queue.push(Ranked { edge: last.edge, ranks, value });
                }
            }
            return;
        }
        let next = self.found[node as usize].queue.pop();
        let saying = next.as_ref().filter(|_| self.unique).map(|next| self.saying(next));
        let found = &mut self.found[node as usize];
        if saying.is_none_or(|saying| found.said.insert(saying)) {
            found.derivations.extend(next.clone());
            found.sayings.extend(saying);
        }
        found.last = next;
    }

    fn saying(&self, ranked: &Ranked<S>) -> Saying {
        let forest = self.forest();
        let tails = forest.tails(ranked.edge);
        let rule = forest.rule(ranked.edge);
        rule.target.iter().fold(Saying::NOTHING, |said, symbol| {
            let next = match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => Saying { words: u64::from(word) + 1, power: Saying::BASE },
                (None, Some(gap)) => {
                    let (tail, rank) = (tails[gap as usize], ranked.ranks[gap as usize]);
                    self.found[tail as usize].sayings[rank as usize]
                }
                (None, None) => Saying::NOTHING,
            };
            said.then(next)
        })
    }

    fn value_of(&self, node: u32, rank: u32) -> Option<&S> {
        if rank == 0 {
            return Some(&self.best[node as usize]);
        }
        self.found[node as usize].derivations.get(rank as usize).map(|derivation| &derivation.value)
    }

    /// The edges of a derivation of the goal, each after those of its tails, with the places of those.
    pub fn edges(&mut self, rank: usize) -> Edges {
        let Some(goal) = self.forest().goal() else { return Vec::new() };
        if self.get(rank).is_none() {
            return Vec::new();
        }
        let mut out: Edges = Vec::new();
        let mut done: Vec<usize> = Vec::new();
        let mut pending = vec![(goal, rank, false)];
        while let Some((node, rank, tails_done)) = pending.pop() {
            self.find(node, rank);
            let Some(&Ranked { edge, ranks, .. }) = self.found[node as usize].derivations.get(rank) else { continue };
            let tails = self.forest().tails(edge);
            let count = tails.iter().filter(|&&tail| tail != NO_NODE).count();
            if tails_done {
                let places = done.split_off(done.len() - count);
                done.push(out.len());
                out.push((edge, places));
            } else {
                pending.push((node, rank, true));
                for place in (0..count).rev() {
                    pending.push((tails[place], ranks[place] as usize, false));
                }
            }
        }
        out
    }

    /// Takes the next derivation, as a list of edges with its value.
    pub fn take_valued(&mut self) -> Option<(S, Edges)> {
        let value = self.get(self.taken)?.value;
        let edges = self.edges(self.taken);
        self.taken += 1;
        Some((value, edges))
    }
}

/// Whether the successor of a derivation at a tail is its own: each has one predecessor.
fn follows(ranks: [u32; 2], place: usize) -> bool {
    place == 1 || ranks[1] == 0
}

impl Forest {
    /// The target words of a derivation (its yield), as indices into the forest's words.
    pub fn spell(&self, edges: &[(u32, Vec<usize>)]) -> Vec<u32> {
        let mut words = Vec::new();
        let mut pending: Vec<(usize, usize)> = edges.len().checked_sub(1).map(|last| (last, 0)).into_iter().collect();
        while let Some((place, done)) = pending.pop() {
            let (edge, tails) = &edges[place];
            let target = &self.rule(*edge).target;
            let Some(symbol) = target.get(done) else { continue };
            pending.push((place, done + 1));
            match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => words.push(word),
                (_, Some(tail)) => pending.push((tails[tail as usize], 0)),
                _ => {}
            }
        }
        words
    }

    /// The sums of a derivation's dense features.
    pub fn sum_features(&self, edges: &[(u32, Vec<usize>)]) -> Vec<f64> {
        let mut sums = vec![0.0; self.feature_names.len()];
        for (edge, _) in edges {
            for (sum, &value) in sums.iter_mut().zip(self.edge(*edge).features) {
                *sum += f64::from(value);
            }
        }
        sums
    }

    /// The sums of a derivation's sparse features, by index.
    pub fn sum_sparse(&self, edges: &[(u32, Vec<usize>)]) -> Vec<(u32, f64)> {
        let mut all: Vec<(u32, f64)> = Vec::new();
        for (edge, _) in edges {
            all.extend(self.edge(*edge).sparse.iter().map(|&(name, value)| (name, f64::from(value))));
        }
        all.sort_by_key(|&(name, _)| name);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use hashbrown::HashMap;
    use proptest::prelude::*;

    use super::super::{ForestBuilder, ForestRule, NodeLabel};
    use super::*;
    use crate::grammar::Symbol;

    /// Nodes of edges: (tails as distances back, whether they swap, a word, a score).
    type Plan = Vec<Vec<(Vec<u8>, bool, u8, i8)>>;

    fn plan() -> impl Strategy<Value = Plan> {
        let edge = (prop::collection::vec(0_u8..4, 0..3), any::<bool>(), 0_u8..3, -9_i8..3);
        prop::collection::vec(prop::collection::vec(edge, 1..4), 1..6)
    }

    fn build(plan: &Plan) -> Forest {
        let mut builder = ForestBuilder::new(vec!["X".into()], Vec::new());
        for (node, edges) in plan.iter().enumerate() {
            let head = builder.node(NodeLabel { category: 0, begin: 0, end: node as u32 + 1 });
            for (back, swap, word, score) in edges {
                let mut tails = [NO_NODE; 2];
                let mut gaps = Vec::new();
                for &distance in back.iter().take(if node == 0 { 0 } else { 2 }) {
                    tails[gaps.len()] = (node - 1 - usize::from(distance) % node) as u32;
                    gaps.push(Symbol::nonterminal(gaps.len() as u32));
                }
                let mut target = gaps.clone();
                if *swap {
                    target.reverse();
                }
                // Word 0 is no word: rules that say nothing make many derivations of the same.
                if *word > 0 || target.is_empty() {
                    target.push(Symbol::word(builder.word(&format!("w{word}"))));
                }
                let rule = builder.rule(ForestRule { lhs: 0, source: gaps, target, ..ForestRule::default() });
                let score = f64::from(*score) / 4.0;
                builder.edge(&Edge { head, tails, rule, score, features: &[], sparse: &[] }).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    proptest! {
        #[test]
        fn every_translation_comes_once_with_its_best_score(plan in plan(), count in 1_usize..40) {
            let forest = build(&plan);
            let all = KBest::new(&forest).list(5001);
            prop_assume!(all.len() <= 5000);
            let mut best: HashMap<Vec<u32>, f64> = HashMap::new();
            for (score, edges) in &all {
                best.entry(forest.spell(edges)).or_insert(*score);
            }
            let mut wanted: Vec<f64> = best.values().copied().collect();
            wanted.sort_by(|a, b| b.total_cmp(a));
            let listed = KBest::unique(&forest).list(count);
            prop_assert_eq!(listed.len(), count.min(best.len()));
            for ((score, edges), wanted) in listed.iter().zip(&wanted) {
                prop_assert!((score - wanted).abs() < 1e-9);
                let sum: f64 = edges.iter().map(|(edge, _)| forest.edge(*edge).score).sum();
                prop_assert!((score - sum).abs() < 1e-9);
                prop_assert!((best.remove(&forest.spell(edges)).unwrap() - score).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn an_empty_forest_says_nothing() {
        assert!(KBest::unique(&ForestBuilder::new(Vec::new(), Vec::new()).finish().unwrap()).list(3).is_empty());
    }
}
