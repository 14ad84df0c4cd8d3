//! Small grammars whose trees can all be counted.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::rules::{LevelRules, Rules, best_cost};
use super::*;
use crate::forest::inside::inside;
use crate::forest::semiring::{Counting, LogSum};
use crate::parse;
use crate::parse::mono::{MonoC, Productions};

/// Symbols: ROOT, S, A, B phrases; tags a, b.
const NAMES: [&str; 6] = ["ROOT", "S", "A", "B", "a", "b"];
const KINDS: [u8; 6] = [1, 1, 1, 1, 0, 0];

#[derive(Debug, Clone)]
enum Tree {
    Word(u32, u32),
    Unary(u32, Box<Tree>),
    Binary(u32, Box<[Tree; 2]>),
}

impl Tree {
    fn flatten(&self, out: &mut Vec<(u32, u8, u32)>) {
        match self {
            Self::Word(tag, word) => out.push((*tag, 0, *word)),
            Self::Unary(symbol, below) => {
                below.flatten(out);
                out.push((*symbol, 1, 0));
            }
            Self::Binary(symbol, parts) => {
                parts.iter().for_each(|part| part.flatten(out));
                out.push((*symbol, 2, 0));
            }
        }
    }
}

/// Any node; at most one unary rule over another.
fn node() -> impl Strategy<Value = Tree> {
    let leaf = (4_u32..6, 0_u32..4).prop_map(|(tag, word)| Tree::Word(tag, word));
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair =
            (1_u32..4, inner.clone(), inner).prop_map(|(symbol, one, two)| Tree::Binary(symbol, Box::new([one, two])));
        (pair, prop::option::of(1_u32..4)).prop_map(|(tree, over)| match over {
            Some(symbol) => Tree::Unary(symbol, Box::new(tree)),
            None => tree,
        })
    })
}

/// A tree with a root: over two nodes, or over one that is not unary itself.
fn whole() -> impl Strategy<Value = Tree> {
    node().prop_map(|tree| match tree {
        Tree::Unary(_, below) => Tree::Unary(0, below),
        other => Tree::Unary(0, Box::new(other)),
    })
}

fn learnt(bank: &[Tree], rounds: usize) -> Grammar {
    let mut nodes = Vec::new();
    let mut begins = vec![0];
    for tree in bank {
        tree.flatten(&mut nodes);
        begins.push(nodes.len() as u64);
    }
    let symbols: Vec<u32> = nodes.iter().map(|node| node.0).collect();
    let arities: Vec<u8> = nodes.iter().map(|node| node.1).collect();
    let payloads: Vec<u32> = nodes.iter().map(|node| node.2).collect();
    let trees = Trees {
        names: NAMES.map(str::to_owned).to_vec(),
        kinds: KINDS.to_vec(),
        chains: vec![String::new()],
        root: 0,
        words: ["u", "v", "w", "x"].map(str::to_owned).to_vec(),
        begins: &begins,
        symbols: &symbols,
        arities: &arities,
        payloads: &payloads,
    };
    let refinement = Refinement { rounds, passes: 3, ..Refinement::default() };
    learn(trees, &refinement, "{}".to_owned(), &mut |_, _, _| Ok(())).unwrap()
}

fn sentence(words: &[u8]) -> Vec<String> {
    words.iter().map(|&word| ["u", "v", "w", "x", "y"][usize::from(word)].to_owned()).collect()
}

/// All states over a span with the costs of all their derivations, without a chart.
fn enumerate(rules: &impl Rules, sentence: &[String], begin: usize, end: usize) -> Vec<(u32, f64)> {
    let mut lower = Vec::new();
    if end - begin == 1 {
        lower.extend(rules.lexical(&sentence[begin], begin == 0));
    }
    for middle in begin + 1..end {
        let (left, right) = (enumerate(rules, sentence, begin, middle), enumerate(rules, sentence, middle, end));
        for &(one, a) in &left {
            for &(two, b) in &right {
                lower.extend(rules.binary(one, two).map(|(state, cost)| (state, cost + a + b)));
            }
        }
    }
    lower.iter().flat_map(|&(child, cost)| rules.unary(child).map(move |(state, more)| (state, cost + more))).collect()
}

fn exact() -> Settings {
    Settings { threshold: 0.0, ..Settings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn without_pruning_all_derivations_count(
        bank in prop::collection::vec(whole(), 1..6), words in prop::collection::vec(0_u8..5, 1..5), rounds in 0_usize..2
    ) {
        let grammar = learnt(&bank, rounds);
        let words = sentence(&words);
        let rules = LevelRules::finest(&grammar);
        let goal = rules.goal();
        let mut costs: Vec<f64> =
            enumerate(&rules, &words, 0, words.len()).into_iter().filter(|found| found.0 == goal).map(|found| found.1).collect();
        costs.sort_by(f64::total_cmp);
        let parser = Parser::new(&grammar, Settings { best: Best::Tree, ..exact() }).unwrap();
        let best = best_cost(&rules, &words);
        if costs.is_empty() {
            prop_assert!(best.is_infinite());
            return Ok(());
        }
        prop_assert!((best - costs[0]).abs() < 1e-6);
        let sum: f64 = costs.iter().map(|cost| (-cost).exp()).sum();
        let looked = parser.look(&words).unwrap();
        prop_assert!((looked.chances.log - sum.ln()).abs() < 1e-4, "{} and {}", looked.chances.log, sum.ln());
        // The forest's trees have chances that add up to 1.
        let forest = parser.forest(&words, f64::MIN_POSITIVE).unwrap().unwrap();
        let total = inside(&forest, |_, edge| LogSum(edge.score)).last().unwrap().0;
        prop_assert!(total.abs() < 1e-6);
        let count = inside(&forest, |_, _| Counting(1.0)).last().unwrap().0;
        let listed = parser.best_trees(&words, 100_000).unwrap();
        prop_assert_eq!(listed.len(), count as usize);
        prop_assert_eq!(&listed[0].0, &parser.parse_all(std::slice::from_ref(&words)).unwrap()[0]);
        // Probabilities of trees are sums over variants, and add up to that of the sentence.
        let all: f64 = listed.iter().map(|(_, log)| log.exp()).sum();
        prop_assert!((all.ln() - sum.ln()).abs() < 1e-4);
        if rounds == 0 {
            prop_assert_eq!(listed.len(), costs.len());
            for ((_, log), cost) in listed.iter().zip(&costs) {
                prop_assert!((log + cost).abs() < 1e-3, "{log} and {cost}");
            }
        }
        let mut different = BTreeMap::new();
        for (tree, _) in &listed {
            *different.entry(tree.nodes.clone()).or_insert(0) += 1;
        }
        prop_assert_eq!(different.len(), listed.len());
    }

    /// The generalised parser finds the derivation that filling the whole chart finds, and a tree of the same words.
    #[test]
    fn the_agenda_finds_the_best_derivation(
        bank in prop::collection::vec(whole(), 1..6), words in prop::collection::vec(0_u8..5, 1..6), rounds in 0_usize..2
    ) {
        let grammar = learnt(&bank, rounds);
        let words = sentence(&words);
        let rules = LevelRules::finest(&grammar);
        let best = best_cost(&rules, &words);
        let terms = agenda::Sentence::new(&rules, &words);
        let places: Vec<u32> = (0..words.len() as u32).collect();
        let logic = MonoC::new(&terms, &places);
        let goal = logic.goal(rules.goal());
        let mut parser =
            parse::Parser::new(logic, Productions, parse::Viterbi, parse::Search::default(), parse::Limits::default());
        let ended = parser.run(|_, item| *item == goal);
        let settings = agenda::AgendaSettings::default();
        let tree = agenda::parse_all(&grammar, std::slice::from_ref(&words), &settings).unwrap().remove(0);
        let parse::Ended::Found(goal) = ended else {
            prop_assert!(best.is_infinite());
            return Ok(());
        };
        // A beam that is too narrow is widened.
        let narrow = agenda::AgendaSettings { search: parse::Search { beam: Some(1), ..parse::Search::default() }, ..settings };
        prop_assert!(!agenda::parse_all(&grammar, std::slice::from_ref(&words), &narrow).unwrap()[0].flat);
        // Costs of the agenda are rounded to millionths, one for each rule.
        let cost: f64 = parser.derivation(goal).iter().map(|step| step.cost.value()).sum();
        prop_assert!((cost - best).abs() < 1e-6 * 8.0 * words.len() as f64, "{cost} and {best}");
        prop_assert!(!tree.flat);
        let leaves: Vec<u32> = tree.nodes.iter().filter(|node| node.1 == 0).map(|node| node.2).collect();
        prop_assert_eq!(leaves, places.clone());
        // Without variants a derivation is a tree, and its probability is that of the tree.
        if rounds == 0 {
            let listed = Parser::new(&grammar, Settings { best: Best::Tree, ..exact() }).unwrap().best_trees(&words, 1000).unwrap();
            let known = listed.iter().find(|(other, _)| other.nodes == tree.nodes);
            prop_assert!(known.is_some_and(|(_, log)| (log + best).abs() < 1e-3));
        }
    }

    #[test]
    fn passes_make_trees_more_likely(bank in prop::collection::vec(whole(), 2..8)) {
        let mut likelihoods = Vec::new();
        let mut nodes = Vec::new();
        let mut begins = vec![0];
        for tree in &bank {
            tree.flatten(&mut nodes);
            begins.push(nodes.len() as u64);
        }
        let columns: (Vec<u32>, Vec<(u8, u32)>) = nodes.iter().map(|node| (node.0, (node.1, node.2))).unzip();
        let (arities, payloads): (Vec<u8>, Vec<u32>) = columns.1.into_iter().unzip();
        let trees = Trees {
            names: NAMES.map(str::to_owned).to_vec(), kinds: KINDS.to_vec(), chains: vec![String::new()], root: 0,
            words: ["u", "v", "w", "x"].map(str::to_owned).to_vec(),
            begins: &begins, symbols: &columns.0, arities: &arities, payloads: &payloads,
        };
        let refinement = Refinement { rounds: 1, passes: 6, ..Refinement::default() };
        learn(trees, &refinement, String::new(), &mut |_, pass, log| {
            if pass < 6 {
                likelihoods.push(log);
            }
            Ok(())
        }).unwrap();
        // Words are smoothed, so that a pass may lose a little.
        for pair in likelihoods.windows(2) {
            prop_assert!(pair[1] > pair[0] - 0.05 * pair[0].abs(), "{likelihoods:?}");
        }
    }
}

fn small() -> Grammar {
    let leaf = |tag, word| Tree::Word(tag, word);
    let pair = |symbol, one, two| Tree::Binary(symbol, Box::new([one, two]));
    let s = pair(1, pair(2, leaf(4, 0), leaf(5, 1)), leaf(5, 2));
    learnt(&[Tree::Unary(0, Box::new(s.clone())), Tree::Unary(0, Box::new(pair(1, leaf(4, 0), leaf(5, 3))))], 1)
}

#[test]
fn a_grammar_comes_back_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.tlk");
    let grammar = small();
    grammar.save(&path).unwrap();
    let again = Grammar::open(&path, u64::MAX).unwrap();
    let words = [sentence(&[0, 1, 2]), sentence(&[4, 4])];
    let parse = |grammar: &Grammar| Parser::new(grammar, Settings::default()).unwrap().parse_all(&words).unwrap();
    assert_eq!(parse(&grammar), parse(&again));
    let error = Grammar::open(&path, 10).unwrap_err();
    assert_eq!(error.kind, crate::Kind::Limit);
}

#[test]
fn damaged_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.tlk");
    small().save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let other = directory.path().join("damaged.tlk");
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        std::fs::write(&other, &damaged).unwrap();
        let _ = Grammar::open(&other, u64::MAX);
        std::fs::write(&other, &bytes[..at]).unwrap();
        assert!(Grammar::open(&other, u64::MAX).is_err());
    }
    assert!(Grammar::open(Path::new("/nowhere/at/all"), u64::MAX).is_err());
}

/// Parses with all there is.
fn exercise(grammar: &Grammar) {
    let parser = Parser::new(grammar, Settings::default()).unwrap();
    let words = sentence(&[0, 1, 2, 4]);
    parser.parse_all(&[words.clone(), sentence(&[3])]).unwrap();
    let _ = parser.best_trees(&words, 3).unwrap();
    let _ = parser.log_probability(&words).unwrap();
    // A forest may have no tree left at its threshold.
    let _ = parser.forest(&words, 0.5);
    let settings = agenda::AgendaSettings::default();
    agenda::parse_all(grammar, &[words], &settings).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// A file that is damaged but has sound checksums is refused with a sentence, or can be used.
    #[test]
    fn what_opens_can_be_used(
        damage in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u32>(), 0..8_u32, Just(1_f32.to_bits())]), 1..5),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("small.tlk");
        small().save(&path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let words = bytes.len() / 4;
        for (at, value) in damage {
            let at = at.index(words) * 4;
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        crate::files::reseal::reseal(&mut bytes);
        std::fs::write(&path, &bytes).unwrap();
        match Grammar::open(&path, u64::MAX) {
            Ok(grammar) => exercise(&grammar),
            Err(error) => prop_assert!(matches!(error.kind, crate::Kind::Format | crate::Kind::Limit), "{error:?}"),
        }
    }
}

#[test]
fn every_sentence_gets_a_tree() {
    let grammar = small();
    let parser = Parser::new(&grammar, Settings { longest: 4, ..Settings::default() }).unwrap();
    let found = parser.parse_all(&[sentence(&[4, 4, 4]), sentence(&[0; 9]), sentence(&[0, 1, 2])]).unwrap();
    assert!(found[1].flat && !found[2].flat);
    assert_eq!(found[1].nodes.len(), 9);
    assert!(parser.parse_all(&[Vec::new()]).is_err());
}
