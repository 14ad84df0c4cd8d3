//! Tuners against enumeration, and on problems whose answer is known.

use proptest::prelude::*;

use super::forest_mert::forest_mert;
use super::forest_mira::forest_mira;
use super::forests::{Forests, Tunable};
use super::lists::hash_words;
use super::mert::{Space, mert};
use super::mira::{bleu_background, mira};
use super::pro::pro;
use super::{NBestLists, Parts, Shape, mert, mira, pro};
use crate::forest::kbest::KBest;
use crate::forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel};
use crate::grammar::Symbol;
use crate::metric::bleu::{Bleu, Settings};
use crate::metric::{Metric, Scratch, Texts};
use crate::random::Random;
use crate::threads::with_threads;

/// Nodes of edges: (tails as distances back, two features).
type Plan = Vec<Vec<(Vec<u8>, i8, i8)>>;

fn plan() -> impl Strategy<Value = Plan> {
    let edge = (prop::collection::vec(0_u8..3, 0..3), -4_i8..5, -4_i8..5);
    prop::collection::vec(prop::collection::vec(edge, 1..4), 1..5)
}

/// A forest whose words are w0, w1, …; each edge brings one, and has a sparse feature of that name.
fn forest(plan: &Plan) -> Tunable {
    let mut builder = ForestBuilder::new(vec!["X".into()], vec!["f".into(), "g".into()]);
    for (node, edges) in plan.iter().enumerate() {
        let head = builder.node(NodeLabel { category: 0, begin: 0, end: node as u32 + 1 });
        for (number, (back, f, g)) in edges.iter().enumerate() {
            let mut tails = [NO_NODE; 2];
            let mut gaps = Vec::new();
            for &distance in back.iter().take(if node == 0 { 0 } else { 2 }) {
                tails[gaps.len()] = (node - 1 - usize::from(distance) % node) as u32;
                gaps.push(Symbol::nonterminal(gaps.len() as u32));
            }
            let name = format!("w{}", (node + number) % 4);
            let (word, sparse) = (Symbol::word(builder.word(&name)), builder.sparse_feature(&name));
            let source = gaps.iter().map(|_| Symbol::nonterminal(0)).chain([word]).collect();
            let target = gaps.iter().rev().copied().chain([word]).collect();
            let rule = builder.rule(ForestRule { lhs: 0, source, target, ..ForestRule::default() });
            let features = [f32::from(*f), f32::from(*g)];
            let sparse = [(sparse, 1.0)];
            builder.edge(&Edge { head, tails, rule, score: 0.0, features: &features, sparse: &sparse }).unwrap();
        }
    }
    let forest = builder.finish().unwrap();
    let number = |name: &String| name[1..].parse::<u32>().unwrap();
    let tokens = forest.words().iter().map(number).collect();
    let sparse = forest.sparse_names().iter().map(number).collect();
    Tunable { forest, tokens, sparse }
}

fn bleu(references: &[Vec<u32>]) -> Bleu {
    Bleu::new(&[&references.iter().collect::<Texts>()], Settings::plus_one()).unwrap()
}

/// All derivations of forests as lists, if there are not too many.
fn exhaust(forests: &[Tunable], metric: &dyn Metric) -> Option<NBestLists> {
    let mut parts = Parts { begins: vec![0], sparse_begins: vec![0], ..Parts::default() };
    for (sentence, tunable) in forests.iter().enumerate() {
        let all = KBest::new(&tunable.forest).list(501);
        if all.len() > 500 {
            return None;
        }
        for (_, edges) in all {
            parts.dense.extend(tunable.forest.sum_features(&edges).into_iter().map(|value| value as f32));
            let mut sparse: Vec<(u32, f32)> = tunable
                .forest
                .sum_sparse(&edges)
                .into_iter()
                .map(|(name, value)| (tunable.sparse[name as usize], value as f32))
                .collect();
            sparse.sort_by_key(|cell| cell.0);
            parts.sparse.extend(sparse);
            parts.sparse_begins.push(parts.sparse.len());
            parts.stats.extend(tunable.stats(metric, sentence, &edges, &mut Scratch::default()));
            parts.words.push(hash_words(&tunable.spell(&edges)));
        }
        parts.begins.push(parts.words.len());
    }
    Some(NBestLists::from_parts(Shape { dense: 2, sparse: 4, stats: metric.width() }, parts).unwrap())
}

proptest! {
    #[test]
    fn forests_are_all_their_derivations(
        plans in prop::collection::vec(plan(), 1..4),
        references in prop::collection::vec(prop::collection::vec(0_u32..4, 1..6), 4),
        weights in prop::array::uniform6(-4_i8..5),
        direction in prop::array::uniform2(-2_i8..3),
    ) {
        let all: Vec<Tunable> = plans.iter().map(forest).collect();
        let metric = bleu(&references[..all.len()]);
        let lists = exhaust(&all, &metric);
        prop_assume!(lists.is_some());
        let lists = lists.unwrap();
        let forests = Forests::new(2, 4, all).unwrap();
        // Odd fractions keep derivations with different features apart, so that ties are of equal statistics or none.
        let weights: Vec<f64> = weights.iter().zip([0.0, 0.37, 0.11, 0.05, 0.023, 0.0071]).map(|(&w, odd)| f64::from(w) + odd).collect();
        let direction = [f64::from(direction[0]) + 0.013, f64::from(direction[1]) + 0.0017];
        let (one, two) = (lists.search(&metric, &weights, &direction), forests.search(&metric, &weights, &direction));
        // Of derivations with the same features and other words each may choose another.
        if !has_twins(&lists) {
            prop_assert_eq!(one.gain, two.gain);
            prop_assert!((one.step - two.step).abs() < 1e-6 || one.gain == 0.0, "{one:?} {two:?}");
        }
    }
}

/// Whether two hypotheses of a sentence have the same features but other statistics.
fn has_twins(lists: &NBestLists) -> bool {
    (0..lists.sentences()).any(|sentence| {
        lists.of(sentence).any(|a| {
            lists.of(sentence).any(|b| {
                lists.dense(a) == lists.dense(b)
                    && lists.sparse(a) == lists.sparse(b)
                    && lists.stats(a) != lists.stats(b)
            })
        })
    })
}

/// Lists in which one feature counts the words that are right and the other is noise.
fn planted(sentences: usize, size: usize) -> (Bleu, NBestLists) {
    let mut random = Random::new([7, 7, 7]);
    let references: Vec<Vec<u32>> = (0..sentences).map(|_| (0..8).map(|_| random.below(50) as u32).collect()).collect();
    let metric = bleu(&references);
    let mut parts = Parts { begins: vec![0], sparse_begins: vec![0], ..Parts::default() };
    let mut row = vec![0.0; metric.width()];
    for (sentence, reference) in references.iter().enumerate() {
        for _ in 0..size {
            let wrong = random.below(8);
            let words: Vec<u32> =
                reference.iter().enumerate().map(|(at, &word)| if at < wrong { 99 } else { word }).collect();
            metric.stats(sentence, &words, &mut Scratch::default(), &mut row);
            parts.dense.extend([(8 - wrong) as f32 + 0.3 * random.uniform(), 4.0 * random.uniform()]);
            if wrong > 3 {
                parts.sparse.push((0, 1.0));
            }
            parts.sparse_begins.push(parts.sparse.len());
            parts.stats.extend(&row);
            parts.words.push(hash_words(&words));
        }
        parts.begins.push(parts.words.len());
    }
    let shape = Shape { dense: 2, sparse: 1, stats: metric.width() };
    (metric, NBestLists::from_parts(shape, parts).unwrap())
}

#[test]
fn all_tuners_find_what_was_planted() {
    let (metric, lists) = planted(40, 30);
    let start = [-0.2, 1.0, 0.0];
    let oracle = lists.gain(&metric, &[1.0, 0.0, 0.0]);
    let before = lists.gain(&metric, &start);
    assert!(oracle > before + 20.0);
    let mira_settings = mira::Settings { background: bleu_background(4), ..mira::Settings::default() };
    let pro_settings = pro::Settings { interpolation: 1.0, ..pro::Settings::default() };
    for tuned in [
        mert(&lists, &metric, &start, &[], &mert::Settings::default()).unwrap(),
        mira(&lists, &metric, &start, &[], &mira_settings).unwrap(),
        pro(&lists, &metric, &start, &[], &pro_settings).unwrap(),
    ] {
        assert!(tuned.score >= oracle - 1.0, "{tuned:?} against {oracle}");
        assert_eq!(tuned.score, lists.gain(&metric, &tuned.weights));
        assert_eq!(tuned.history[0], before);
    }
    let sparse = mira(&lists, &metric, &start, &[], &mira_settings).unwrap().weights[2];
    assert!(sparse < 0.0, "the sparse feature of bad translations has a weight of {sparse}");
}

#[test]
fn threads_change_nothing_and_frozen_weights_stay() {
    let (metric, lists) = planted(20, 20);
    let start = [0.5, 1.0, 0.25];
    let run = |threads| {
        with_threads(threads, || {
            let mert = mert(&lists, &metric, &start, &[1], &mert::Settings::default()).unwrap();
            let mira = mira(&lists, &metric, &start, &[1], &mira::Settings::default()).unwrap();
            let pro = pro(&lists, &metric, &start, &[1], &pro::Settings::default()).unwrap();
            [mert, mira, pro]
        })
        .unwrap()
    };
    let (one, four) = (run(1), run(4));
    assert_eq!(one, four);
    assert!(one.iter().all(|tuned| tuned.weights[1] == 1.0 && tuned.weights != start));
}

/// Sentences of three words, each with a right and a wrong rule; the wrong ones score higher at first.
fn choices(sentences: usize) -> (Bleu, Forests) {
    let words = |sentence: usize| (0..4).map(|at| ((sentence + at) % 7) as u32).collect::<Vec<_>>();
    let references: Vec<Vec<u32>> = (0..sentences).map(words).collect();
    let build = |sentence: usize| {
        let mut builder = ForestBuilder::new(vec!["X".into()], vec!["f".into(), "g".into()]);
        for (at, &right) in references[sentence].iter().enumerate() {
            let head = builder.node(NodeLabel { category: 0, begin: 0, end: at as u32 + 1 });
            for (word, features) in [(right, [0.5, 0.2]), (10 + right, [0.1, 0.9]), (20 + right, [0.3, 0.5])] {
                let symbol = Symbol::word(builder.word(&format!("w{word}")));
                let gap = (at > 0).then_some(Symbol::nonterminal(0));
                let side: Vec<Symbol> = gap.into_iter().chain([symbol]).collect();
                let rule =
                    builder.rule(ForestRule { lhs: 0, source: side.clone(), target: side, ..ForestRule::default() });
                let tails = [if at > 0 { at as u32 - 1 } else { NO_NODE }, NO_NODE];
                builder.edge(&Edge { head, tails, rule, score: 0.0, features: &features, sparse: &[] }).unwrap();
            }
        }
        let forest: Forest = builder.finish().unwrap();
        let tokens = forest.words().iter().map(|word| word[1..].parse().unwrap()).collect();
        Tunable { forest, tokens, sparse: Vec::new() }
    };
    let all = (0..sentences).map(build).collect();
    (bleu(&references), Forests::new(2, 0, all).unwrap())
}

#[test]
fn forests_are_tuned() {
    let (metric, forests) = choices(12);
    let start = [0.0, 1.0];
    let before = forests.gain(&metric, &start);
    assert!(before < 5.0, "{before}");
    let by_lines = forest_mert(&forests, &metric, &start, &[], &mert::Settings::default()).unwrap();
    assert!((by_lines.score - 100.0).abs() < 1e-9, "{by_lines:?}");
    let settings =
        mira::Settings { background: bleu_background(4), epochs: 20, aggressiveness: 0.1, ..mira::Settings::default() };
    let by_hope = forest_mira(&forests, &metric, &start, &[], &settings, 1).unwrap();
    assert!((by_hope.score - 100.0).abs() < 1e-9, "{by_hope:?}");
    assert_eq!(by_hope, forest_mira(&forests, &metric, &start, &[], &settings, 1).unwrap());
    assert!(forest_mira(&forests, &metric, &start, &[], &settings, 0).is_err());
    assert!(forest_mert(&forests, &metric, &[f64::NAN, 1.0], &[], &mert::Settings::default()).is_err());
}

#[test]
fn what_is_not_finite_is_refused() {
    let (metric, lists) = planted(2, 3);
    for weight in [f64::NAN, f64::INFINITY, 1e200] {
        assert!(mert(&lists, &metric, &[1.0, weight, 0.0], &[], &mert::Settings::default()).is_err());
        assert!(pro(&lists, &metric, &[1.0, weight, 0.0], &[], &pro::Settings::default()).is_err());
        assert!(mira(&lists, &metric, &[1.0, weight, 0.0], &[], &mira::Settings::default()).is_err());
    }
    let parts = |value: f32, count: f64| Parts {
        begins: vec![0, 1],
        dense: vec![value],
        sparse_begins: vec![0, 0],
        sparse: Vec::new(),
        stats: vec![count; 10],
        words: vec![0],
    };
    let shape = Shape { dense: 1, sparse: 0, stats: 10 };
    assert!(NBestLists::from_parts(shape, parts(1.0, 1.0)).is_ok());
    assert!(NBestLists::from_parts(shape, parts(f32::NAN, 1.0)).is_err());
    assert!(NBestLists::from_parts(shape, parts(1.0, f64::INFINITY)).is_err());
    assert!(NBestLists::from_parts(Shape { dense: 2, ..shape }, parts(1.0, 1.0)).is_err());
}

#[test]
fn merging_drops_the_same_and_keeps_the_rest() {
    let (_, lists) = planted(5, 10);
    let unique = lists.merge(&NBestLists::new(lists.shape(), 5)).unwrap();
    assert_eq!(unique.merge(&lists).unwrap(), unique);
    let (_, more) = planted(5, 12);
    let both = unique.merge(&more).unwrap();
    assert!(both.hypotheses() > unique.hypotheses());
    assert_eq!(both.dense(0), unique.dense(0));
    assert!(lists.merge(&NBestLists::new(lists.shape(), 4)).is_err());
}
