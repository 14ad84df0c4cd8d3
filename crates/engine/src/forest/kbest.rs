//! The best derivations of a forest, one after another, as lazily as possible (Huang & Chiang 2005, algorithm 3).
//!
//! Each combination of an edge with ranks of its tails' derivations has one predecessor, which enters the queue before
//! it, so none needs to be looked for. There is no recursion: forests can be as deep as sentences are long.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::inside::inside;
use super::semiring::Viterbi;
use super::{Edge, Forest, NO_NODE};

/// The edges of a derivation, each after those of its tails, with the places of those in the list.
pub type Edges = Vec<(u32, Vec<usize>)>;

/// A derivation of a node: an edge, and which derivations of its tails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The edge.
    pub edge: u32,
    /// The ranks of the tails' derivations.
    pub ranks: [u32; 2],
    /// The score of the whole.
    pub score: f64,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| (other.edge, other.ranks).cmp(&(self.edge, self.ranks)))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Debug, Default)]
struct Found {
    derivations: Vec<Ranked>,
    queue: BinaryHeap<Ranked>,
    begun: bool,
    /// How many derivations have had their successors put into the queue.
    followed: usize,
}

/// Enumerates derivations, best first; ties by the order of edges.
#[derive(Debug)]
pub struct KBest<F> {
    forest: F,
    best: Vec<Viterbi>,
    found: Vec<Found>,
    /// How many derivations of the goal were taken, and what they say.
    taken: usize,
    seen: HashSet<Vec<u32>>,
}

impl<F: Borrow<Forest>> KBest<F> {
    /// Nothing enumerated yet.
    pub fn new(forest: F) -> Self {
        let best = inside(forest.borrow(), |_, edge| Viterbi(edge.score));
        let found = (0..forest.borrow().nodes()).map(|_| Found::default()).collect();
        Self { forest, best, found, taken: 0, seen: HashSet::new() }
    }

    /// The forest.
    pub fn forest(&self) -> &Forest {
        self.forest.borrow()
    }

    /// The derivation of the goal at a rank, from 0, if there are as many.
    pub fn get(&mut self, rank: usize) -> Option<Ranked> {
        let goal = self.forest().goal()?;
        self.find(goal, rank);
        self.found[goal as usize].derivations.get(rank).copied()
    }

    /// Whether the derivation of a node at a rank is known, or known not to be.
    fn is_known(&self, node: u32, rank: usize) -> bool {
        let found = &self.found[node as usize];
        let exhausted = found.begun && found.queue.is_empty() && found.followed == found.derivations.len();
        found.derivations.len() > rank || exhausted
    }

    fn find(&mut self, node: u32, rank: usize) {
        let mut wanted = vec![(node, rank)];
        while let Some(&(node, rank)) = wanted.last() {
            if self.is_known(node, rank) {
                wanted.pop();
            } else if let Some(first) = self.missing(node) {
                wanted.push(first);
            } else {
                self.advance(node);
            }
        }
    }

    /// A derivation of a tail that must be known before the last one of `node` can be followed.
    fn missing(&self, node: u32) -> Option<(u32, usize)> {
        let found = &self.found[node as usize];
        let last = found.derivations.get(found.followed)?;
        let tails = self.forest().edge(last.edge).tails;
        let needs = (0..2).filter(|&place| tails[place] != NO_NODE && (place == 1 || last.ranks[1] == 0));
        let mut needs = needs.map(|place| (tails[place], last.ranks[place] as usize + 1));
        needs.find(|&(tail, rank)| !self.is_known(tail, rank))
    }

    /// Follows the last derivation of a node, and takes the next from its queue.
    fn advance(&mut self, node: u32) {
        if !self.found[node as usize].begun {
            self.found[node as usize].begun = true;
            for number in self.forest().incoming(node) {
                let edge = self.forest().edge(number);
                let score = edge.tails().fold(edge.score, |sum, tail| sum + self.best[tail as usize].0);
                if score > f64::NEG_INFINITY {
                    self.found[node as usize].queue.push(Ranked { edge: number, ranks: [0; 2], score });
                }
            }
        }
        while let Some(&last) = self.found[node as usize].derivations.get(self.found[node as usize].followed) {
            let Edge { tails, score: own, .. } = self.forest().edge(last.edge);
            for place in (0..2).filter(|&place| tails[place] != NO_NODE && (place == 1 || last.ranks[1] == 0)) {
                let mut ranks = last.ranks;
                ranks[place] += 1;
                let mut parts = (0..2).filter(|&at| tails[at] != NO_NODE).map(|at| self.score_of(tails[at], ranks[at]));
                if let Some(score) = parts.try_fold(own, |sum, part| Some(sum + part?)) {
                    self.found[node as usize].queue.push(Ranked { edge: last.edge, ranks, score });
                }
            }
            self.found[node as usize].followed += 1;
        }
        let found = &mut self.found[node as usize];
        if let Some(next) = found.queue.pop() {
            found.derivations.push(next);
        }
    }

    fn score_of(&self, node: u32, rank: u32) -> Option<f64> {
        if rank == 0 {
            return Some(self.best[node as usize].0);
        }
        self.found[node as usize].derivations.get(rank as usize).map(|derivation| derivation.score)
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
            let tails = self.forest().edge(edge).tails;
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

    /// Takes the next derivation, as a list of edges with its score; if `unique`, the next with target words that were not
    /// seen before. Looks at the best `most` derivations at most.
    pub fn take_next(&mut self, unique: bool, most: usize) -> Option<(f64, Edges)> {
        while self.taken < most {
            let score = self.get(self.taken)?.score;
            let edges = self.edges(self.taken);
            self.taken += 1;
            if !unique {
                return Some((score, edges));
            }
            let words = self.forest().spell(&edges);
            if self.seen.insert(words) {
                return Some((score, edges));
            }
        }
        None
    }

    /// Up to `count` more derivations, as [`KBest::take_next`] takes them.
    pub fn list(&mut self, count: usize, unique: bool, most: usize) -> Vec<(f64, Edges)> {
        let most = most.max(count);
        std::iter::from_fn(|| self.take_next(unique, most)).take(count).collect()
    }
}

impl Forest {
    /// The target words of a derivation, as indices into the forest's words.
    pub fn spell(&self, edges: &[(u32, Vec<usize>)]) -> Vec<u32> {
        let mut words = Vec::new();
        let mut pending: Vec<(usize, usize)> = edges.len().checked_sub(1).map(|last| (last, 0)).into_iter().collect();
        while let Some((place, done)) = pending.pop() {
            let (edge, tails) = &edges[place];
            let target = &self.rules[self.edge_rules[*edge as usize] as usize].target;
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
