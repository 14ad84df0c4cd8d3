//! The chart against the enumeration of all derivations.

mod ensemble;
pub(in crate::decode) mod general;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;

use super::{CellSearch, ChartDecoder, ChartSettings};
use crate::corpus::vocabulary::Vocabulary;
use crate::decode::found::{Found, found};
use crate::decode::sparse::Templates;
use crate::decode::{Given, Input, Model, Scorer, Weights};
use crate::forest::{Forest, NO_NODE};
use crate::grammar::{Rule, Symbol, TableBuilder};
use crate::lm::estimate::Settings;
use crate::lm::model::{Compiled, Form, LanguageModel};
use crate::lm::train::Trainer;

const SOURCE: [&str; 3] = ["a", "b", "c"];
const TARGET: [&str; 4] = ["p", "q", "r", "s"];

/// Symbols: a word's number, or -1 and -2 for the first and second gap.
type Side = Vec<i8>;

/// Translations of a span: words, score, and how deep rules nest.
type Translations = Vec<(Vec<String>, f64, u8)>;

#[derive(Debug, Clone)]
struct Example {
    rules: Vec<(Side, Side, f32)>,
    text: Vec<Vec<u8>>,
    sentence: Vec<u8>,
    order: usize,
    given: Vec<Given>,
}

fn rule() -> impl Strategy<Value = (Side, Side, f32)> {
    let words = prop::collection::vec(0_i8..3, 1..3);
    let target = prop::collection::vec(0_i8..4, 1..3);
    (words, target, 0_usize..5, any::<bool>(), 0_usize..3, -3.0_f32..0.0).prop_map(
        |(mut source, mut target, shape, swap, at, value)| {
            // No gap, one at an end, or one at each side; two gaps are never neighbours.
            match shape {
                0 | 1 => {}
                2 => source.insert(0, -1),
                3 => source.push(-1),
                _ => {
                    source.insert(0, -1);
                    source.push(-2);
                }
            }
            let gaps = source.iter().filter(|&&symbol| symbol < 0).count();
            for gap in 1..=gaps as i8 {
                let place = if swap { 0 } else { (at + gap as usize).min(target.len()) };
                target.insert(place, -gap);
            }
            (source, target, value)
        },
    )
}

fn example() -> impl Strategy<Value = Example> {
    let rules = prop::collection::vec(rule(), 1..9);
    let text = prop::collection::vec(prop::collection::vec(0_u8..4, 1..6), 3..8);
    (rules, text, prop::collection::vec(0_u8..3, 1..5), 1_usize..4).prop_map(|(rules, text, sentence, order)| Example {
        rules,
        text,
        sentence,
        order,
        given: Vec::new(),
    })
}

/// An example with given translations, also of a word that no model knows.
fn example_with_given() -> impl Strategy<Value = Example> {
    let words = prop::sample::select(vec!["p", "q", "z"]).prop_map(str::to_owned);
    let targets = prop::collection::vec((prop::collection::vec(words, 1..3), -2.0_f32..1.0), 1..3);
    let spans = prop::collection::vec((0_u32..4, 1_u32..5, targets, any::<bool>()), 0..3);
    (example(), spans).prop_map(|(mut example, spans)| {
        let last = example.sentence.len() as u32;
        for (begin, length, targets, exclusive) in spans {
            let (begin, end) = (begin.min(last - 1), (begin.min(last - 1) + length).min(last));
            let clashes = |other: &Given| (exclusive || other.exclusive) && other.begin < end && begin < other.end;
            if !example.given.iter().any(clashes) {
                example.given.push(Given { begin, end, targets, exclusive });
            }
        }
        example
    })
}

fn lm(example: &Example) -> Arc<dyn LanguageModel> {
    let mut trainer = Trainer::new(Settings { order: example.order, ..Settings::default() }, 1 << 24).unwrap();
    for line in &example.text {
        let words: Vec<&str> = line.iter().map(|&word| TARGET[usize::from(word)]).collect();
        trainer.add(&words.join(" ")).unwrap();
    }
    Arc::new(Compiled::build(&trainer.finish().unwrap().0, Form::Fast).unwrap())
}

fn model(example: &Example) -> Model {
    let (source_words, target_words) =
        (Vocabulary::from_words(SOURCE).unwrap(), Vocabulary::from_words(TARGET).unwrap());
    let mut sorted: BTreeMap<Vec<Symbol>, Vec<(Vec<Symbol>, f32)>> = BTreeMap::new();
    for (source, target, value) in &example.rules {
        let source =
            source.iter().map(|&s| if s < 0 { Symbol::nonterminal(0) } else { Symbol::word(s as u32 + 3) }).collect();
        let target = target
            .iter()
            .map(|&s| if s < 0 { Symbol::nonterminal((-s - 1) as u32) } else { Symbol::word(s as u32 + 3) });
        sorted.entry(source).or_default().push((target.collect(), *value));
    }
    let mut builder = TableBuilder::new(vec!["tm".into()], vec!["X".into()]).unwrap();
    for (source, targets) in &sorted {
        for (target, value) in targets {
            let features = [*value];
            let counts = [1.0, 1.0, target.len() as f32];
            builder.push(&Rule { lhs: 0, source, target, features: &features, links: &[], counts }).unwrap();
        }
    }
    let table = builder.build(&source_words, &target_words).unwrap();
    Model::new(vec![("tm".into(), Arc::new(table))], vec![("lm".into(), lm(example))])
        .unwrap()
        .with_sparse(TEMPLATES)
        .unwrap()
}

const TEMPLATES: Templates = Templates { word_pair: 2, rule_shape: true, rule_count: true };
/// What rules with two symbols on the target side get.
const COUNT_2: f64 = 0.45;

fn weights(model: &Model) -> Scorer {
    Weights::new(model, &WEIGHTS).unwrap().with_sparse(model, &[("count:2".into(), COUNT_2)]).unwrap().into()
}

const WEIGHTS: [f64; 9] = [1.0, 0.7, -0.3, 0.2, -0.5, -2.0, 1.0, -1.0, 0.6];
const GIVEN: f64 = WEIGHTS[8];

/// All translations of a span by rules, with the sum of their weighted features, and how deep they nest.
fn enumerate(
    example: &Example,
    begin: usize,
    end: usize,
    known: &mut BTreeMap<(usize, usize), Translations>,
) -> Translations {
    if let Some(found) = known.get(&(begin, end)) {
        return found.clone();
    }
    let sentence = &example.sentence;
    let mut found = Vec::new();
    let exclusive: Vec<_> = example.given.iter().filter(|given| given.exclusive).map(Given::span).collect();
    for given in example.given.iter().filter(|given| given.span() == (begin..end)) {
        for (words, weight) in &given.targets {
            found.push((words.clone(), f64::from(*weight) * GIVEN + words.len() as f64 * WEIGHTS[2] + WEIGHTS[3], 0));
        }
    }
    for (source, target, value) in &example.rules {
        for gaps in splits(source, sentence, begin, end) {
            // A rule uses none of the words of an exclusive span, and has all or nothing of it in a gap.
            let held = |span: &Range<usize>| gaps.iter().any(|&(from, to)| from <= span.start && span.end <= to);
            if exclusive.iter().any(|span| span.start < end && begin < span.end && !held(span)) {
                continue;
            }
            let words = target.iter().filter(|&&symbol| symbol >= 0).count() as f64;
            let counted = if target.len() == 2 { COUNT_2 } else { 0.0 };
            let own = f64::from(*value) * WEIGHTS[0] + words * WEIGHTS[2] + WEIGHTS[3] + counted;
            let mut partial = vec![(BTreeMap::new(), own, 0)];
            for (gap, &(from, to)) in gaps.iter().enumerate() {
                let inner = enumerate(example, from, to, known);
                partial = partial
                    .iter()
                    .flat_map(|(fillers, score, depth): &(BTreeMap<i8, Vec<String>>, f64, u8)| {
                        inner.iter().map(move |(text, more, nested)| {
                            let mut fillers = fillers.clone();
                            fillers.insert(-(gap as i8) - 1, text.clone());
                            (fillers, score + more, (*depth).max(nested + 1))
                        })
                    })
                    .collect();
            }
            for (fillers, score, depth) in partial {
                let text = target.iter().flat_map(|symbol| match fillers.get(symbol) {
                    Some(text) => text.clone(),
                    None => vec![TARGET[*symbol as usize].to_owned()],
                });
                found.push((text.collect(), score, depth));
            }
        }
    }
    let alone = [sentence[begin] as i8];
    let free = !exclusive.iter().any(|span| span.contains(&begin));
    if end == begin + 1 && free && !example.rules.iter().any(|(source, _, _)| source[..] == alone) {
        let score = WEIGHTS[2] + WEIGHTS[3] + WEIGHTS[5];
        found.push((vec![SOURCE[usize::from(sentence[begin])].to_owned()], score, 0));
    }
    known.insert((begin, end), found.clone());
    found
}

/// The ways in which a source side covers a span: where its gaps are.
fn splits(source: &[i8], sentence: &[u8], begin: usize, end: usize) -> Vec<Vec<(usize, usize)>> {
    let Some((&first, rest)) = source.split_first() else {
        return if begin == end { vec![Vec::new()] } else { Vec::new() };
    };
    if begin == end {
        return Vec::new();
    }
    if first >= 0 {
        return if sentence[begin] as i8 == first { splits(rest, sentence, begin + 1, end) } else { Vec::new() };
    }
    let ends = begin + 1..=end;
    ends.flat_map(|middle| {
        splits(rest, sentence, middle, end).into_iter().map(move |mut gaps| {
            gaps.insert(0, (begin, middle));
            gaps
        })
    })
    .collect()
}

/// The best score over all sequences of translations, and how many derivations there are.
fn brute_force(example: &Example, model: &Model, most_depth: u8) -> (f64, usize) {
    let all = derivations(example, model, most_depth);
    (all.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max), all.len())
}

/// All sequences of translations with their scores.
fn derivations(example: &Example, model: &Model, most_depth: u8) -> Vec<(String, f64)> {
    let mut known = BTreeMap::new();
    let last = example.sentence.len();
    let mut sequences: Vec<Vec<(Vec<String>, f64)>> = vec![Vec::new(); last + 1];
    for end in 1..=last {
        for begin in 0..end {
            let here = enumerate(example, begin, end, &mut known);
            for (text, score, _) in here.iter().filter(|(_, _, depth)| *depth <= most_depth) {
                if begin == 0 {
                    sequences[end].push((text.clone(), *score));
                }
                for (before, sum) in sequences[begin].clone() {
                    sequences[end].push(([before, text.clone()].concat(), sum + score + WEIGHTS[4]));
                }
            }
        }
    }
    let lm = &model.lms()[0].model;
    let totals = sequences[last].iter().map(|(text, score)| {
        let ids: Vec<u32> = text.iter().map(|word| lm.vocabulary().id(word)).collect();
        (text.join(" "), score + lm.score_sentence(&ids) * std::f64::consts::LN_10 * WEIGHTS[1])
    });
    totals.collect()
}

fn sparse_weights(forest: &Forest) -> Vec<f64> {
    forest.sparse_names().iter().map(|name| if name == "count:2" { COUNT_2 } else { 0.0 }).collect()
}

fn exact() -> ChartSettings {
    ChartSettings {
        pop_limit: 0,
        table_limit: 0,
        max_span: 10,
        beam: None,
        keep_edges: true,
        ..ChartSettings::default()
    }
}

fn input(example: &Example) -> Input {
    let words: Vec<&str> = example.sentence.iter().map(|&word| SOURCE[usize::from(word)]).collect();
    Input::sentence(&words.join(" ")).unwrap().with_given(example.given.clone()).unwrap()
}

/// The best derivation found.
fn best(decoder: &ChartDecoder<'_>, input: &Input) -> Found {
    found(&decoder.forest(input).unwrap()).unwrap()
}

fn search() -> impl Strategy<Value = CellSearch> {
    prop::sample::select(vec![CellSearch::Cube, CellSearch::Boundary])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn unpruned_search_finds_the_best_of_all_derivations(
        example in prop_oneof![example(), example_with_given()], search in search(), passes in 1_u8..3,
    ) {
        let model = model(&example);
        let weights = weights(&model);
        let (best, count) = brute_force(&example, &model, u8::MAX);
        let mut decoder = ChartDecoder::new(&model, &weights, ChartSettings { search, passes, ..exact() });
        let input = input(&example);
        decoder.decode(&input).unwrap();
        let effort = decoder.effort();
        prop_assert_eq!(effort.pops, effort.hypotheses + effort.recombined);
        prop_assert!(effort.scored >= effort.pops && !effort.hurried);
        let derivation = found(&decoder.forest(&input).unwrap()).unwrap();
        prop_assert!((derivation.score - best).abs() < 1e-3, "{} instead of {best}", derivation.score);
        let (text, score) = decoder.best().unwrap();
        prop_assert_eq!(text, derivation.words.join(" "));
        prop_assert!((f64::from(score) - best).abs() < 1e-3);
        // The forest holds each derivation once, and its best edges give the same score.
        let forest = decoder.forest(&input).unwrap();
        let mut ways = vec![0_usize; forest.nodes()];
        let mut inside = vec![f64::NEG_INFINITY; forest.nodes()];
        for node in 0..forest.nodes() {
            for edge in forest.incoming(node as u32) {
                let edge = forest.edge(edge);
                let tails = edge.tails.into_iter().filter(|&tail| tail != NO_NODE);
                ways[node] += tails.clone().map(|tail| ways[tail as usize]).product::<usize>();
                inside[node] = inside[node].max(edge.score + tails.map(|tail| inside[tail as usize]).sum::<f64>());
            }
        }
        prop_assert_eq!(*ways.last().unwrap(), count);
        prop_assert!((inside.last().unwrap() - best).abs() < 1e-3);
        let mut again = forest.clone();
        again.reweight(&WEIGHTS, &sparse_weights(&forest)).unwrap();
        for (old, new) in forest.scores().iter().zip(again.scores()) {
            prop_assert!((old - new).abs() < 1e-3);
        }
    }

    #[test]
    fn the_first_pass_holds_each_derivation_once(example in prop_oneof![example(), example_with_given()]) {
        let model = model(&example);
        let weights = weights(&model);
        let (_, count) = brute_force(&example, &model, u8::MAX);
        let mut decoder = ChartDecoder::new(&model, &weights, exact());
        let forest = decoder.context_free(&input(&example)).unwrap();
        let mut ways = vec![0_usize; forest.nodes()];
        for node in 0..forest.nodes() {
            for edge in forest.incoming(node as u32) {
                ways[node] += forest.edge(edge).tails().map(|tail| ways[tail as usize]).product::<usize>();
            }
        }
        prop_assert_eq!(*ways.last().unwrap(), count);
        let mut again = forest.clone();
        again.reweight(&WEIGHTS, &sparse_weights(&forest)).unwrap();
        for (old, new) in forest.scores().iter().zip(again.scores()) {
            prop_assert!((old - new).abs() < 1e-3);
        }
        // No two nodes stand for the same.
        let labels: std::collections::BTreeSet<_> = (0..forest.nodes() as u32).map(|node| forest.label(node)).collect();
        prop_assert_eq!(labels.len(), forest.nodes());
    }

    #[test]
    fn forced_decoding_finds_the_derivations_of_a_text(
        example in prop_oneof![example(), example_with_given()], which in any::<prop::sample::Index>(), more in any::<bool>(),
    ) {
        let model = model(&example);
        let weights = weights(&model);
        let all = derivations(&example, &model, u8::MAX);
        let mut wanted = all[which.index(all.len())].0.clone();
        if more {
            wanted.push_str(" p");
        }
        let scores: Vec<f64> = all.iter().filter(|(text, _)| *text == wanted).map(|(_, score)| *score).collect();
        let mut decoder = ChartDecoder::new(&model, &weights, ChartSettings { table_limit: 1, ..exact() });
        let forest = decoder.force(&input(&example), &wanted).unwrap();
        let listed = crate::decode::batch::candidates(&forest, 1000, false);
        prop_assert_eq!(listed.len(), scores.len().min(1000));
        prop_assert_eq!(forest.goal().is_some(), !scores.is_empty());
        for candidate in &listed {
            prop_assert_eq!(&candidate.text, &wanted);
        }
        if let Some(best) = listed.first() {
            let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((best.score - highest).abs() < 1e-3, "{} instead of {highest}", best.score);
            let mut again = forest.clone();
            again.reweight(&WEIGHTS, &sparse_weights(&forest)).unwrap();
            let sum = crate::decode::batch::candidates(&again, 1, false)[0].score;
            prop_assert!((best.score - sum).abs() < 1e-3);
        }
    }

    #[test]
    fn little_memory_makes_a_hasty_search(example in example_with_given(), limit in 0_usize..2000, search in search()) {
        let model = model(&example);
        let weights = weights(&model);
        let (highest, _) = brute_force(&example, &model, u8::MAX);
        let settings = ChartSettings { search, memory_limit: Some(limit), ..exact() };
        let mut decoder = ChartDecoder::new(&model, &weights, settings);
        decoder.decode(&input(&example)).unwrap();
        let first = best(&decoder, &input(&example));
        prop_assert!(first.score < highest + 1e-3);
        decoder.decode(&input(&example)).unwrap();
        prop_assert_eq!(best(&decoder, &input(&example)), first);
    }

    #[test]
    fn shallow_search_nests_no_deeper_than_told(example in example(), depth in 0_u8..3, search in search(), passes in 1_u8..3) {
        let model = model(&example);
        let weights = weights(&model);
        let (highest, _) = brute_force(&example, &model, depth);
        let mut decoder = ChartDecoder::new(&model, &weights, ChartSettings { shallow: Some(depth), search, passes, ..exact() });
        decoder.decode(&input(&example)).unwrap();
        let found = best(&decoder, &input(&example)).score;
        prop_assert!((found - highest).abs() < 1e-3, "{found} instead of {highest}");
    }

    #[test]
    fn pruned_search_is_never_better_and_never_fails(
        example in example_with_given(), limit in 1_usize..5, search in search(), passes in 1_u8..3, beam in 0.0_f32..3.0,
    ) {
        let model = model(&example);
        let weights = weights(&model);
        let (highest, _) = brute_force(&example, &model, u8::MAX);
        let settings = ChartSettings {
            search,
            pop_limit: limit,
            table_limit: limit,
            max_span: 3,
            passes,
            beam: Some(beam),
            ..ChartSettings::default()
        };
        let mut decoder = ChartDecoder::new(&model, &weights, settings);
        for _ in 0..2 {
            decoder.decode(&input(&example)).unwrap();
            prop_assert!(best(&decoder, &input(&example)).score < highest + 1e-3);
        }
    }
}

#[test]
fn a_lattice_of_one_path_is_the_sentence() {
    let example = Example {
        rules: vec![(vec![0], vec![0], -1.0), (vec![-1, 1], vec![1, -1], -0.5), (vec![2], vec![2], -0.2)],
        text: vec![vec![0, 1, 2], vec![1, 0], vec![2, 2, 1]],
        sentence: vec![0, 1, 2],
        order: 3,
        given: Vec::new(),
    };
    let model = model(&example);
    let weights = weights(&model);
    let mut decoder = ChartDecoder::new(&model, &weights, exact());
    decoder.decode(&input(&example)).unwrap();
    let sentence = best(&decoder, &input(&example));
    let lattice = Input::lattice(3, &[(0, 1, "a", 0.0), (1, 2, "b", 0.0), (2, 3, "c", 0.0)]).unwrap();
    decoder.decode(&lattice).unwrap();
    assert_eq!(best(&decoder, &lattice), sentence);
    // A better arc around the middle is taken, and its score counts.
    let arcs = [(0, 1, "a", 0.0), (1, 2, "b", -9.0), (1, 2, "c", 0.0), (2, 3, "c", 0.0)];
    let lattice = Input::lattice(3, &arcs).unwrap();
    decoder.decode(&lattice).unwrap();
    let around = best(&decoder, &lattice);
    assert_eq!(around.features[model.own().input], 0.0);
    assert_ne!(around.words, sentence.words);
    decoder.decode(&Input::sentence("").unwrap()).unwrap();
    assert!(decoder.best().is_none());
}

#[test]
fn a_hurried_search_still_answers() {
    let example = Example {
        rules: vec![(vec![0], vec![0], -1.0), (vec![-1, 1], vec![1, -1], -0.5)],
        text: vec![vec![0, 1, 2]],
        sentence: vec![0, 1, 2, 0, 1],
        order: 2,
        given: Vec::new(),
    };
    let model = model(&example);
    let weights = weights(&model);
    let settings = ChartSettings { time_limit: Some(std::time::Duration::ZERO), ..exact() };
    let mut decoder = ChartDecoder::new(&model, &weights, settings);
    decoder.decode(&input(&example)).unwrap();
    assert!(decoder.effort().hurried);
    assert_eq!(decoder.best().unwrap().0.split(' ').count(), 5);
}

fn given(begin: u32, end: u32, words: &str, exclusive: bool) -> Given {
    let words = words.split_whitespace().map(str::to_owned).collect();
    Given { begin, end, targets: vec![(words, -0.5)], exclusive }
}

#[test]
fn a_given_translation_may_be_longer_than_any_rule() {
    let mut example = Example {
        rules: vec![(vec![0], vec![0], -1.0), (vec![-1, 1], vec![1, -1], -0.5), (vec![0, 1], vec![3], -0.1)],
        text: vec![vec![0, 1, 2]],
        sentence: [0, 1].repeat(10),
        order: 2,
        given: vec![given(3, 18, "new words", true)],
    };
    let model = model(&example);
    let weights = weights(&model);
    let settings = ChartSettings { max_span: 4, ..exact() };
    let mut decoder = ChartDecoder::new(&model, &weights, settings);
    decoder.decode(&input(&example)).unwrap();
    let derivation = best(&decoder, &input(&example));
    assert!(derivation.words.join(" ").contains("new words"));
    assert_eq!(derivation.features[model.own().given], -0.5);
    let forest = decoder.forest(&input(&example)).unwrap();
    assert!(forest.words().iter().any(|word| word == "new"));
    // The next sentence knows nothing of it.
    example.given.clear();
    decoder.decode(&input(&example)).unwrap();
    assert!(!best(&decoder, &input(&example)).words.contains(&"new".to_owned()));
}

#[test]
fn what_is_given_is_checked() {
    let sentence = || Input::sentence("a b c d").unwrap();
    let refused = |given: Vec<Given>| sentence().with_given(given).unwrap_err().to_string();
    assert!(refused(vec![given(2, 5, "p", true)]).contains("words 2 to 5 of a sentence of 4"));
    assert!(refused(vec![given(2, 2, "p", true)]).contains("words 2 to 2"));
    assert!(refused(vec![given(0, 1, "", false)]).contains("without words"));
    assert!(refused(vec![Given { targets: Vec::new(), ..given(0, 1, "p", false) }]).contains("no translation"));
    assert!(
        refused(vec![Given { targets: vec![(vec!["p".into()], f32::NAN)], ..given(0, 1, "", false) }])
            .contains("finite")
    );
    for (other, fits) in
        [(given(1, 3, "p", false), false), (given(0, 4, "p", false), false), (given(2, 3, "p", true), true)]
    {
        let all = vec![other, given(0, 2, "q", true)];
        assert_eq!(sentence().with_given(all).is_ok(), fits);
    }
    assert!(sentence().with_given(vec![given(0, 2, "p", false), given(1, 3, "q", false)]).is_ok());
    let lattice = Input::lattice(1, &[(0, 1, "a", -1.0)]).unwrap();
    assert!(lattice.clone().with_given(vec![given(0, 1, "p", true)]).unwrap_err().to_string().contains("lattice"));
    assert!(lattice.with_given(Vec::new()).is_ok());
}
