//! Forests against the enumeration of their derivations.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::inside::{best_through, expected_uses, inside};
use super::kbest::{Edges, KBest};
use super::min_merge::MinMerge;
use super::semiring::{Counting, LogSum, Ordered, Semiring, Viterbi};
use super::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel};
use crate::grammar::Symbol;

/// Nodes of edges: (tails as distances back, score).
type Plan = Vec<Vec<(Vec<u8>, i8)>>;

fn plan() -> impl Strategy<Value = Plan> {
    let edge = (prop::collection::vec(0_u8..4, 0..3), -9_i8..3);
    prop::collection::vec(prop::collection::vec(edge, 1..4), 1..6)
}

fn build(plan: &Plan) -> Forest {
    let mut builder = ForestBuilder::new(vec!["X".into()], vec!["f".into(), "g".into()]);
    for (node, edges) in plan.iter().enumerate() {
        let head = builder.node(NodeLabel { category: 0, begin: 0, end: node as u32 + 1 });
        for (number, (back, score)) in edges.iter().enumerate() {
            let mut tails = [NO_NODE; 2];
            let mut gaps = Vec::new();
            for &distance in back.iter().take(if node == 0 { 0 } else { 2 }) {
                tails[gaps.len()] = (node - 1 - usize::from(distance) % node) as u32;
                gaps.push(Symbol::nonterminal(gaps.len() as u32));
            }
            let word = Symbol::word(builder.word(&format!("w{}", (node + number) % 3)));
            let source = gaps.iter().map(|_| Symbol::nonterminal(0)).chain([word]).collect();
            let target = gaps.iter().rev().copied().chain([word]).collect();
            let rule = builder.rule(ForestRule { lhs: 0, source, target, ..ForestRule::default() });
            let features = [f32::from(*score), 1.0];
            builder
                .edge(&Edge { head, tails, rule, score: f64::from(*score) / 4.0, features: &features, sparse: &[] })
                .unwrap();
        }
    }
    builder.finish().unwrap()
}

/// All derivations of a node, as lists of edges, tails first.
fn enumerate(forest: &Forest, node: u32) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for number in forest.incoming(node) {
        let mut partial = vec![Vec::new()];
        for tail in forest.edge(number).tails() {
            let inner = enumerate(forest, tail);
            partial = partial
                .iter()
                .flat_map(|done: &Vec<u32>| inner.iter().map(|more| [done.clone(), more.clone()].concat()))
                .collect();
        }
        all.extend(partial.into_iter().map(|mut edges| {
            edges.push(number);
            edges
        }));
    }
    all
}

fn count(forest: &Forest) -> f64 {
    inside(forest, |_, _| Counting(1.0)).last().unwrap().0
}

/// The derivation that the first edge into each node makes: the best one in the forests of decoders.
pub(crate) fn first_derivation(forest: &Forest) -> Edges {
    let (mut out, mut done): (Edges, Vec<usize>) = (Vec::new(), Vec::new());
    let mut pending: Vec<(u32, bool)> = forest.goal().map(|goal| (goal, false)).into_iter().collect();
    while let Some((node, tails_done)) = pending.pop() {
        let first = forest.incoming(node).start;
        let tails: Vec<u32> = forest.edge(first).tails().collect();
        if tails_done {
            let places = done.split_off(done.len() - tails.len());
            done.push(out.len());
            out.push((first, places));
        } else {
            pending.push((node, true));
            pending.extend(tails.into_iter().rev().map(|tail| (tail, false)));
        }
    }
    out
}

proptest! {
    #[test]
    fn sums_are_those_over_all_derivations(plan in plan()) {
        let forest = build(&plan);
        prop_assume!(count(&forest) < 3000.0);
        let all = enumerate(&forest, forest.goal().unwrap());
        prop_assert_eq!(all.len() as f64, count(&forest));
        let score = |edges: &Vec<u32>| edges.iter().map(|&edge| forest.edge(edge).score).sum::<f64>();
        let scores: Vec<f64> = all.iter().map(score).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((inside(&forest, |_, edge| Viterbi(edge.score)).last().unwrap().0 - best).abs() < 1e-9);
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        prop_assert!((inside(&forest, |_, edge| LogSum(edge.score)).last().unwrap().0 - total.ln()).abs() < 1e-9);
        let weighted: f64 = all.iter().zip(&scores).map(|(edges, score)| edges.len() as f64 * score.exp()).sum();
        let uses = expected_uses(&forest, 1.0);
        prop_assert!((uses.iter().sum::<f64>() - weighted / total).abs() < 1e-9 * weighted.max(1.0));
        let product = |edges: &Vec<u32>| edges.iter().fold(MinMerge::one(), |sum, &edge| sum.times(&MinMerge::of(-forest.edge(edge).score)));
        let least = all.iter().map(product).fold(MinMerge::zero(), |best, next| best.plus(&next));
        let sums = inside(&forest, |_, edge| MinMerge::of(-edge.score));
        prop_assert_eq!(sums.last().unwrap(), &least);
        // An edge may be used more than once in a derivation.
        let through = best_through(&forest);
        for edge in 0..forest.edges() as u32 {
            let used = |edges: &Vec<u32>| edges.iter().filter(|&&other| other == edge).count() as f64;
            let share: f64 = all.iter().zip(&scores).map(|(edges, score)| used(edges) * score.exp()).sum::<f64>() / total;
            prop_assert!((uses[edge as usize] - share).abs() < 1e-9);
            let with = all.iter().zip(&scores).filter(|(edges, _)| edges.contains(&edge)).map(|(_, score)| *score);
            let best_with = with.fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(through[edge as usize] == best_with || (through[edge as usize] - best_with).abs() < 1e-9);
        }
    }

    #[test]
    fn derivations_come_best_first_and_all_of_them(plan in plan()) {
        let forest = build(&plan);
        prop_assume!(count(&forest) < 2000.0);
        let all = enumerate(&forest, forest.goal().unwrap());
        let mut wanted: Vec<f64> = all.iter().map(|edges| edges.iter().map(|&edge| forest.edge(edge).score).sum()).collect();
        wanted.sort_by(|a, b| b.total_cmp(a));
        let listed = KBest::new(&forest).list(usize::MAX >> 1);
        prop_assert_eq!(listed.len(), wanted.len());
        let mut derivations: Vec<Vec<u32>> = Vec::new();
        for ((score, edges), wanted) in listed.iter().zip(&wanted) {
            prop_assert!((score - wanted).abs() < 1e-9);
            let features = forest.sum_features(edges);
            prop_assert!((features[0] / 4.0 - score).abs() < 1e-6);
            prop_assert_eq!(features[1] as usize, edges.len());
            derivations.push(edges.iter().map(|(edge, _)| *edge).collect());
        }
        let mut all = all;
        all.sort();
        derivations.sort();
        prop_assert_eq!(derivations, all);
        let unique = KBest::unique(&forest).list(5);
        let mut texts: Vec<Vec<u32>> = unique.iter().map(|(_, edges)| forest.spell(edges)).collect();
        texts.sort();
        texts.dedup();
        prop_assert_eq!(texts.len(), unique.len());
    }

    #[test]
    fn any_order_lists_derivations(plan in plan()) {
        let forest = build(&plan);
        prop_assume!(count(&forest) < 500.0);
        let value = |edges: &[u32]| {
            edges.iter().fold(MinMerge::one(), |product, &edge| product.times(&MinMerge::of(-forest.edge(edge).score)))
        };
        let mut wanted: Vec<MinMerge> = enumerate(&forest, forest.goal().unwrap()).iter().map(|edges| value(edges)).collect();
        wanted.sort_by(|a, b| b.better(a).cmp(&a.better(b)));
        let mut found = KBest::by(&forest, false, |edge| MinMerge::of(-edge.score));
        for wanted in wanted {
            let (listed, edges) = found.take_valued().unwrap();
            let own: Vec<u32> = edges.iter().map(|(edge, _)| *edge).collect();
            prop_assert_eq!(&listed, &value(&own));
            prop_assert_eq!(listed, wanted);
        }
        prop_assert!(found.take_valued().is_none());
    }

    #[test]
    fn a_union_has_the_derivations_of_both(one in plan(), two in plan()) {
        let forests = [build(&one), build(&two)];
        prop_assume!(forests.iter().all(|forest| count(forest) < 500.0));
        let told = |forest: &Forest| -> BTreeSet<(Vec<String>, i64, usize)> {
            let all = KBest::new(forest).list(usize::MAX >> 1);
            let words = |edges: &Edges| forest.spell(edges).iter().map(|&word| forest.words()[word as usize].clone()).collect();
            all.iter().map(|(score, edges)| (words(edges), (score * 4.0).round() as i64, edges.len())).collect()
        };
        let union = forests[0].union(&forests[1]).unwrap();
        prop_assert_eq!(told(&union), &told(&forests[0]) | &told(&forests[1]));
        prop_assert_eq!(&union.union(&forests[0]).unwrap(), &union);
        prop_assert_eq!(&union.union(&union).unwrap(), &union);
    }

    #[test]
    fn pruning_keeps_what_is_within_the_beam(plan in plan(), beam in 0.0_f64..4.0) {
        let forest = build(&plan);
        prop_assume!(count(&forest) < 2000.0);
        let pruned = forest.pruned(beam);
        let all = enumerate(&forest, forest.goal().unwrap());
        let scores: Vec<f64> = all.iter().map(|edges| edges.iter().map(|&edge| forest.edge(edge).score).sum()).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let within = scores.iter().filter(|&&score| score >= best - beam).count();
        prop_assert!(count(&pruned) as usize >= within);
        prop_assert!((KBest::new(&pruned).get(0).unwrap().value.0 - best).abs() < 1e-9);
        prop_assert!(pruned.edges() <= forest.edges());
        // The best few edges, however many there are of the last score.
        let most = (beam * 4.0) as usize;
        let mut through = best_through(&forest);
        through.sort_by(|a, b| b.total_cmp(a));
        let last = through.get(most.max(1) - 1).copied().unwrap_or(f64::NEG_INFINITY);
        let kept = through.iter().filter(|&&best| best.is_finite() && best >= last - 1e-9).count();
        prop_assert_eq!(forest.pruned_to(most).edges(), kept);
    }
}

#[test]
fn a_chain_as_long_as_a_book_does_not_overflow_the_stack() {
    let plan: Plan = (0..100_000).map(|_| vec![(vec![0], -1), (vec![0], -2)]).collect();
    let forest = build(&plan);
    let listed = KBest::new(&forest).list(3);
    assert_eq!(listed.len(), 3);
    assert_eq!(forest.spell(&listed[2].1).len(), 100_000);
    assert!(KBest::new(&ForestBuilder::new(Vec::new(), Vec::new()).finish().unwrap()).get(0).is_none());
}

#[test]
fn samples_and_places_of_a_long_chain_do_not_overflow_the_stack() {
    let plan: Plan = (0..100_000).map(|_| vec![(vec![0], -1), (vec![0], -2)]).collect();
    let forest = build(&plan);
    let drawn = forest.sample(2, 1, 1.0).unwrap();
    let placed = forest.place(&drawn[0].1);
    assert_eq!(placed.last().unwrap().target, [0, 100_000]);
    assert!(forest.sample(1, 1, f64::NAN).is_err());
}
