//! The best derivation of each different translation, best first.
//!
//! Thousands of derivations of a sentence may say the same few things, so looking through the best derivations for
//! different translations finds few of them. Here derivations that say the same are told apart at no node, only the best
//! is kept. That loses nothing: what a derivation says follows from what its parts say, so a part that says the same with
//! a lower score is in the best derivation of no translation. Otherwise this is the lazy search of [`super::kbest`].

use std::collections::BinaryHeap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::inside::inside;
use super::kbest::{Edges, Ranked};
use super::semiring::Viterbi;
use super::{Forest, NO_NODE};

#[derive(Debug, Default)]
struct Found {
    derivations: Vec<Ranked>,
    /// What each derivation says.
    words: Vec<Box<[u32]>>,
    /// The ranks of derivations, by what they say.
    by_words: HashTable<u32>,
    queue: BinaryHeap<Ranked>,
    begun: bool,
    /// Taken from the queue, while its successors are not in it yet.
    waiting: Option<Ranked>,
}

/// Enumerates different translations, best first; ties by the order of edges.
#[derive(Debug)]
pub struct Distinct<'f> {
    forest: &'f Forest,
    best: Vec<Viterbi>,
    found: Vec<Found>,
    hasher: DefaultHashBuilder,
}

impl<'f> Distinct<'f> {
    /// Nothing enumerated yet.
    pub fn new(forest: &'f Forest) -> Self {
        let best = inside(forest, |_, edge| Viterbi(edge.score));
        let found = (0..forest.nodes()).map(|_| Found::default()).collect();
        Self { forest, best, found, hasher: DefaultHashBuilder::default() }
    }

    /// The best derivations of up to `count` different translations, as lists of edges with their scores.
    pub fn list(&mut self, count: usize) -> Vec<(f64, Edges)> {
        let Some(goal) = self.forest.goal() else { return Vec::new() };
        let mut out = Vec::new();
        while out.len() < count {
            self.find(goal, out.len());
            let Some(derivation) = self.found[goal as usize].derivations.get(out.len()) else { break };
            out.push((derivation.score, self.edges(goal, out.len())));
        }
        out
    }

    /// Whether the derivation of a node at a rank is known, or known not to be.
    fn is_known(&self, node: u32, rank: usize) -> bool {
        let found = &self.found[node as usize];
        found.derivations.len() > rank || (found.begun && found.queue.is_empty() && found.waiting.is_none())
    }

    fn find(&mut self, node: u32, rank: usize) {
        let mut wanted = vec![(node, rank)];
        while let Some(&(node, rank)) = wanted.last() {
            if self.is_known(node, rank) {
                wanted.pop();
            } else if let Some(first) = self.missing(node) {
                wanted.push(first);
            } else {
                self.step(node);
            }
        }
    }

    /// A derivation of a tail that must be known before the next step at `node`.
    fn missing(&self, node: u32) -> Option<(u32, usize)> {
        let found = &self.found[node as usize];
        // To follow a derivation takes the next ones of its tails; to spell one, its own.
        let (derivation, beyond) = match found.waiting {
            Some(waiting) => (waiting, 1),
            None => (*found.queue.peek()?, 0),
        };
        let tails = self.forest.edge(derivation.edge).tails;
        let mut needs = (0..2)
            .filter(|&place| tails[place] != NO_NODE && (beyond == 0 || place == 1 || derivation.ranks[1] == 0))
            .map(|place| (tails[place], derivation.ranks[place] as usize + beyond));
        needs.find(|&(tail, rank)| !self.is_known(tail, rank))
    }

    /// Begins a node, follows the derivation that waits, or takes the next from the queue.
    fn step(&mut self, node: u32) {
        let at = node as usize;
        if !self.found[at].begun {
            self.found[at].begun = true;
            for number in self.forest.incoming(node) {
                let edge = self.forest.edge(number);
                let score = edge.tails().fold(edge.score, |sum, tail| sum + self.best[tail as usize].0);
                if score > f64::NEG_INFINITY {
                    self.found[at].queue.push(Ranked { edge: number, ranks: [0; 2], score });
                }
            }
        } else if let Some(last) = self.found[at].waiting.take() {
            let edge = self.forest.edge(last.edge);
            for place in (0..2).filter(|&place| edge.tails[place] != NO_NODE && (place == 1 || last.ranks[1] == 0)) {
                let mut ranks = last.ranks;
                ranks[place] += 1;
                let mut parts = (0..2)
                    .filter(|&place| edge.tails[place] != NO_NODE)
                    .map(|place| self.found[edge.tails[place] as usize].derivations.get(ranks[place] as usize));
                if let Some(score) = parts.try_fold(edge.score, |sum, part| Some(sum + part?.score)) {
                    self.found[at].queue.push(Ranked { edge: last.edge, ranks, score });
                }
            }
        } else if let Some(next) = self.found[at].queue.pop() {
            let words = self.spell(&next);
            let found = &mut self.found[at];
            found.waiting = Some(next);
            let hash = self.hasher.hash_one(&words);
            if found.by_words.find(hash, |&rank| found.words[rank as usize] == words).is_none() {
                let rank = found.derivations.len() as u32;
                found.derivations.push(next);
                found.words.push(words);
                let (known, hasher) = (&found.words, &self.hasher);
                found.by_words.insert_unique(hash, rank, |&rank| hasher.hash_one(&known[rank as usize]));
            }
        }
    }

    /// What a derivation says, given what its tails' derivations say.
    fn spell(&self, derivation: &Ranked) -> Box<[u32]> {
        let tails = self.forest.edge(derivation.edge).tails;
        let target = &self.forest.rules[self.forest.edge_rules[derivation.edge as usize] as usize].target;
        let mut words = Vec::with_capacity(target.len());
        for symbol in target {
            if let Some(word) = symbol.as_word() {
                words.push(word);
            } else if let Some(place) = symbol.as_nonterminal() {
                let tail = &self.found[tails[place as usize] as usize];
                words.extend_from_slice(&tail.words[derivation.ranks[place as usize] as usize]);
            }
        }
        words.into_boxed_slice()
    }

    /// The edges of a derivation that is known, each after those of its tails, with the places of those.
    fn edges(&self, node: u32, rank: usize) -> Edges {
        let mut out: Edges = Vec::new();
        let mut done: Vec<usize> = Vec::new();
        let mut pending = vec![(node, rank, false)];
        while let Some((node, rank, tails_done)) = pending.pop() {
            let Ranked { edge, ranks, .. } = self.found[node as usize].derivations[rank];
            let tails = self.forest.edge(edge).tails;
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
}

#[cfg(test)]
mod tests {
    use hashbrown::HashMap;
    use proptest::prelude::*;

    use super::super::kbest::KBest;
    use super::super::{Edge, ForestBuilder, ForestRule, NodeLabel};
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
            builder.node(NodeLabel { category: 0, begin: 0, end: node as u32 + 1 });
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
                builder.edge(&Edge { head: 0, tails, rule, score, features: &[], sparse: &[] }).unwrap();
            }
        }
        builder.finish()
    }

    proptest! {
        #[test]
        fn every_translation_comes_once_with_its_best_score(plan in plan(), count in 1_usize..40) {
            let forest = build(&plan);
            let all = KBest::new(&forest).list(5001, false, 5001);
            prop_assume!(all.len() <= 5000);
            let mut best: HashMap<Vec<u32>, f64> = HashMap::new();
            for (score, edges) in &all {
                best.entry(forest.spell(edges)).or_insert(*score);
            }
            let mut wanted: Vec<f64> = best.values().copied().collect();
            wanted.sort_by(|a, b| b.total_cmp(a));
            let listed = Distinct::new(&forest).list(count);
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
        assert!(Distinct::new(&ForestBuilder::new(Vec::new(), Vec::new()).finish()).list(3).is_empty());
    }
}
