//! The stacks against the enumeration of all segmentations, orders and translations.

mod force;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::{PhraseDecoder, PhraseSettings};
use crate::corpus::vocabulary::Vocabulary;
use crate::decode::found::{Found, Step, found};
use crate::decode::sparse::Templates;
use crate::decode::{Given, Input, Model, Scorer, Weights};
use crate::forest::Forest;
use crate::grammar::{Rule, RuleSource, Symbol, TableBuilder};
use crate::lm::estimate::Settings;
use crate::lm::model::{Compiled, Form, LanguageModel};
use crate::lm::train::Trainer;

const SOURCE: [&str; 3] = ["a", "b", "c"];
const TARGET: [&str; 4] = ["p", "q", "r", "s"];
const REORDERING: [&str; 6] = [
    "reorder_prev_mono",
    "reorder_prev_swap",
    "reorder_prev_other",
    "reorder_next_mono",
    "reorder_next_swap",
    "reorder_next_other",
];

#[derive(Debug, Clone)]
struct PhrasePair {
    source: Vec<u8>,
    target: Vec<u8>,
    score: f32,
    reordering: [f32; 6],
}

#[derive(Debug, Clone)]
struct Example {
    pairs: Vec<PhrasePair>,
    /// Which columns of reordering there are, as a range.
    columns: (usize, usize),
    /// The pairs are dealt out to this many tables.
    tables: usize,
    text: Vec<Vec<u8>>,
    sentence: Vec<u8>,
    order: usize,
    limit: usize,
    given: Vec<Given>,
}

fn pair() -> impl Strategy<Value = PhrasePair> {
    // Few different values, so that hypotheses with the same orientations to come meet.
    let values = prop::array::uniform6((0_u8..3).prop_map(|value| -f32::from(value)));
    (prop::collection::vec(0_u8..3, 1..4), prop::collection::vec(0_u8..4, 1..4), -3.0_f32..0.0, values)
        .prop_map(|(source, target, score, reordering)| PhrasePair { source, target, score, reordering })
}

fn example() -> impl Strategy<Value = Example> {
    let columns = prop::sample::select(vec![(0, 0), (0, 3), (3, 6), (0, 6)]);
    let text = prop::collection::vec(prop::collection::vec(0_u8..4, 1..6), 3..8);
    let sentence = prop::collection::vec(0_u8..3, 1..6);
    (prop::collection::vec(pair(), 1..8), columns, 1_usize..3, text, sentence, 1_usize..4, 0_usize..6).prop_map(
        |(pairs, columns, tables, text, sentence, order, limit)| Example {
            pairs,
            columns,
            tables,
            text,
            sentence,
            order,
            limit,
            given: Vec::new(),
        },
    )
}

/// Words of given translations; no model knows the last.
const GIVEN_WORDS: [&str; 3] = ["p", "q", "z"];

/// An example with given translations.
fn example_with_given() -> impl Strategy<Value = Example> {
    let words = prop::sample::select(GIVEN_WORDS.to_vec()).prop_map(str::to_owned);
    let targets = prop::collection::vec((prop::collection::vec(words, 1..3), -2.0_f32..1.0), 1..3);
    let spans = prop::collection::vec((0_u32..5, 1_u32..6, targets, any::<bool>()), 0..3);
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
    let source_words = Vocabulary::from_words(SOURCE).unwrap();
    let target_words = Vocabulary::from_words(TARGET).unwrap();
    let (from, to) = example.columns;
    let mut names = vec!["tm".to_owned()];
    names.extend(REORDERING[from..to].iter().map(|&name| name.to_owned()));
    let ids = |words: &[u8]| -> Vec<Symbol> { words.iter().map(|&word| Symbol::word(u32::from(word) + 3)).collect() };
    let mut tables: Vec<(String, Arc<dyn RuleSource>)> = Vec::new();
    for number in 0..example.tables {
        let mut sorted: BTreeMap<Vec<Symbol>, Vec<&PhrasePair>> = BTreeMap::new();
        for pair in example.pairs.iter().skip(number).step_by(example.tables) {
            sorted.entry(ids(&pair.source)).or_default().push(pair);
        }
        let mut builder = TableBuilder::new(names.clone(), vec!["X".into()]).unwrap();
        for (source, pairs) in &sorted {
            for pair in pairs {
                let mut features = vec![pair.score];
                features.extend_from_slice(&pair.reordering[from..to]);
                let links = [[source.len() as u8 - 1, 0]];
                let target = ids(&pair.target);
                let counts = [1.0, 1.0, target.len() as f32];
                let rule = Rule { lhs: 0, source, target: &target, features: &features, links: &links, counts };
                builder.push(&rule).unwrap();
            }
        }
        tables.push((format!("t{number}"), Arc::new(builder.build(&source_words, &target_words).unwrap())));
    }
    Model::new(tables, vec![("lm".into(), lm(example))]).unwrap().with_sparse(TEMPLATES).unwrap()
}

const TEMPLATES: Templates = Templates { word_pair: 2, rule_shape: true, rule_count: true };
/// What rules with two target words get.
const COUNT_2: f64 = 0.45;

fn all_weights(model: &Model, weights: &[f64]) -> Scorer {
    Weights::new(model, weights).unwrap().with_sparse(model, &[("count:2".into(), COUNT_2)]).unwrap().into()
}

const LM: f64 = 0.7;
const TM: [f64; 2] = [1.0, 0.8];
const ORIENTATIONS: [f64; 6] = [0.5, 0.3, 0.4, 0.2, 0.6, 0.35];
const WORDS: f64 = -0.3;
const RULES: f64 = 0.2;
const UNKNOWN: f64 = -2.0;
const DISTORTION: f64 = -0.25;
const GIVEN: f64 = 0.6;

fn weights(example: &Example, model: &Model) -> Vec<f64> {
    let mut weights = Vec::new();
    for &tm in &TM[..example.tables] {
        weights.push(tm);
        weights.extend_from_slice(&ORIENTATIONS[example.columns.0..example.columns.1]);
    }
    weights.extend([LM, WORDS, RULES, 0.0, UNKNOWN, 0.0, DISTORTION, GIVEN]);
    assert_eq!(weights.len(), model.feature_names().len());
    weights
}

/// What is done: words covered, the last phrase, how it reorders what comes next, the target, the score.
#[derive(Clone)]
struct Partial {
    covered: Vec<bool>,
    last: (usize, usize),
    next: [f64; 3],
    words: Vec<&'static str>,
    score: f64,
}

/// All translations with their scores, language model left out.
fn enumerate(example: &Example, limit: usize, partial: &Partial, found: &mut Vec<(Vec<&'static str>, f64)>) {
    let Some(first) = partial.covered.iter().position(|&is| !is) else {
        found.push((partial.words.clone(), partial.score));
        return;
    };
    let length = example.sentence.len();
    for begin in first..length {
        for end in begin + 1..=length {
            let free = partial.covered[begin..end].iter().all(|&is| !is);
            let jump = begin.abs_diff(partial.last.1);
            if !free || jump > limit || (begin > first && end - first > limit) {
                continue;
            }
            let orientation = match () {
                () if partial.last.1 == begin => 0,
                () if partial.last.0 == end => 1,
                () => 2,
            };
            let mut step = |words: Vec<&'static str>, score: f64, next: [f64; 3]| {
                let mut partial = partial.clone();
                partial.covered[begin..end].fill(true);
                partial.last = (begin, end);
                partial.score += score + words.len() as f64 * WORDS + RULES + jump as f64 * DISTORTION;
                partial.score += partial.next[orientation];
                partial.next = next;
                partial.words.extend(words);
                enumerate(example, limit, &partial, found);
            };
            for given in example.given.iter().filter(|given| given.span() == (begin..end)) {
                for (words, weight) in &given.targets {
                    let spelled = words.iter().map(|word| GIVEN_WORDS.into_iter().find(|known| known == word).unwrap());
                    step(spelled.collect(), f64::from(*weight) * GIVEN, [0.0; 3]);
                }
            }
            let mut exclusive = example.given.iter().filter(|given| given.exclusive).map(Given::span);
            if exclusive.any(|span| span.start < end && begin < span.end) {
                continue;
            }
            let span = &example.sentence[begin..end];
            for (number, pair) in example.pairs.iter().enumerate().filter(|(_, pair)| pair.source == span) {
                let weighted = |column: usize| {
                    let there = (example.columns.0..example.columns.1).contains(&column);
                    if there { f64::from(pair.reordering[column]) * ORIENTATIONS[column] } else { 0.0 }
                };
                let counted = if pair.target.len() == 2 { COUNT_2 } else { 0.0 };
                let score = f64::from(pair.score) * TM[number % example.tables] + weighted(orientation) + counted;
                let words = pair.target.iter().map(|&word| TARGET[usize::from(word)]).collect();
                step(words, score, [weighted(3), weighted(4), weighted(5)]);
            }
            if end == begin + 1 && !example.pairs.iter().any(|pair| pair.source == span) {
                step(vec![SOURCE[usize::from(span[0])]], UNKNOWN, [0.0; 3]);
            }
        }
    }
}

/// The texts and scores of all derivations.
fn derivations(example: &Example, model: &Model, limit: usize) -> Vec<(String, f64)> {
    let nothing = Partial {
        covered: vec![false; example.sentence.len()],
        last: (0, 0),
        next: [0.0; 3],
        words: Vec::new(),
        score: 0.0,
    };
    let mut found = Vec::new();
    enumerate(example, limit, &nothing, &mut found);
    let lm = &model.lms()[0].model;
    let totals = found.iter().map(|(words, score)| {
        let ids: Vec<u32> = words.iter().map(|word| lm.vocabulary().id(word)).collect();
        (words.join(" "), score + lm.score_sentence(&ids) * std::f64::consts::LN_10 * LM)
    });
    totals.collect()
}

fn highest(scores: impl Iterator<Item = f64>) -> f64 {
    scores.fold(f64::NEG_INFINITY, f64::max)
}

/// The best score of all, and how many derivations there are.
fn brute_force(example: &Example, model: &Model, limit: usize) -> (f64, usize) {
    let found = derivations(example, model, limit);
    (highest(found.iter().map(|(_, score)| *score)), found.len())
}

/// What rules with two target words get, among the sparse features of a forest.
fn sparse_weights(forest: &Forest) -> Vec<f64> {
    forest.sparse_names().iter().map(|name| if name == "count:2" { COUNT_2 } else { 0.0 }).collect()
}

fn exact(limit: usize) -> PhraseSettings {
    PhraseSettings {
        pop_limit: 0,
        stack_size: 0,
        table_limit: 0,
        distortion_limit: limit,
        keep_edges: true,
        ..PhraseSettings::default()
    }
}

fn input(example: &Example) -> Input {
    let words: Vec<&str> = example.sentence.iter().map(|&word| SOURCE[usize::from(word)]).collect();
    Input::sentence(&words.join(" ")).unwrap().with_given(example.given.clone()).unwrap()
}

/// The best derivation found.
fn best(decoder: &PhraseDecoder<'_>, example: &Example) -> Found {
    found(&decoder.forest(&input(example)).unwrap()).unwrap()
}

/// Checks that phrases cover a sentence once, within the limit; returns the words jumped over.
fn check_phrases(decoder: &PhraseDecoder<'_>, example: &Example, limit: usize) -> u32 {
    let (derivation, length) = (best(decoder, example), example.sentence.len());
    let mut covered = vec![false; length];
    let (mut end, mut target, mut jumps) = (0, 0, 0);
    for phrase in &derivation.steps {
        let jump = phrase.source[0].abs_diff(end);
        assert!(jump as usize <= limit);
        jumps += jump;
        end = phrase.source[1];
        assert_eq!(phrase.target[0], target);
        target = phrase.target[1];
        for word in &mut covered[phrase.source[0] as usize..phrase.source[1] as usize] {
            assert!(!std::mem::replace(word, true));
        }
    }
    assert_eq!(target as usize, derivation.words.len());
    assert!(covered.into_iter().all(|is| is));
    let within = |[begin, end]: [u32; 2], at: u32| (begin..end).contains(&at);
    let links = |phrase: &Step| {
        phrase.links.iter().all(|link| within(phrase.source, link[0]) && within(phrase.target, link[1]))
    };
    assert!(derivation.steps.iter().all(links));
    jumps
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn unpruned_search_finds_the_best_of_all_derivations(example in prop_oneof![example(), example_with_given()]) {
        let model = model(&example);
        let all = weights(&example, &model);
        let weights = all_weights(&model, &all);
        let (best, count) = brute_force(&example, &model, example.limit);
        let mut decoder = PhraseDecoder::new(&model, &weights, exact(example.limit)).unwrap();
        let input = input(&example);
        decoder.decode(&input).unwrap();
        let derivation = super::tests::best(&decoder, &example);
        prop_assert!((derivation.score - best).abs() < 1e-3, "{} instead of {best}", derivation.score);
        let (text, score) = decoder.best().unwrap();
        prop_assert_eq!(text, derivation.words.join(" "));
        prop_assert!((f64::from(score) - best).abs() < 1e-3);
        let jumps = check_phrases(&decoder, &example, example.limit);
        prop_assert_eq!(derivation.features[model.own().distortion], f64::from(jumps));
        // The forest holds each derivation once, and its best edges give the same score.
        let forest = decoder.forest(&input).unwrap();
        let mut ways = vec![0_usize; forest.nodes()];
        let mut inside = vec![f64::NEG_INFINITY; forest.nodes()];
        for node in 0..forest.nodes() {
            for edge in forest.incoming(node as u32) {
                let edge = forest.edge(edge);
                ways[node] += edge.tails().map(|tail| ways[tail as usize]).product::<usize>();
                let before = edge.tails().map(|tail| inside[tail as usize]).sum::<f64>();
                inside[node] = inside[node].max(edge.score + before);
            }
        }
        prop_assert_eq!(*ways.last().unwrap(), count);
        prop_assert!((inside.last().unwrap() - best).abs() < 1e-3);
        prop_assert_eq!(forest.label(forest.goal().unwrap()).end as usize, example.sentence.len());
        let mut again = forest.clone();
        again.reweight(&all, &sparse_weights(&forest)).unwrap();
        for (old, new) in forest.scores().iter().zip(again.scores()) {
            prop_assert!((old - new).abs() < 1e-3);
        }
    }

    #[test]
    fn pruned_search_is_never_better_never_fails_and_repeats_itself(
        example in example_with_given(), limit in 1_usize..5, estimate_jumps in any::<bool>(),
    ) {
        let model = model(&example);
        let weights = all_weights(&model, &weights(&example, &model));
        let (highest, _) = brute_force(&example, &model, example.limit);
        let settings = PhraseSettings {
            pop_limit: limit, stack_size: limit, table_limit: limit, estimate_jumps, ..exact(example.limit)
        };
        let mut decoder = PhraseDecoder::new(&model, &weights, settings.clone()).unwrap();
        let input = input(&example);
        decoder.decode(&input).unwrap();
        let derivation = best(&decoder, &example);
        prop_assert!(derivation.score < highest + 1e-3);
        prop_assert!((f64::from(decoder.best().unwrap().1) - derivation.score).abs() < 1e-3);
        check_phrases(&decoder, &example, example.limit);
        let forest = decoder.forest(&input).unwrap();
        decoder.decode(&input).unwrap();
        prop_assert_eq!(&best(&decoder, &example), &derivation);
        // The other ways do not change the best one.
        let settings = PhraseSettings { keep_edges: false, ..settings };
        let mut other = PhraseDecoder::new(&model, &weights, settings).unwrap();
        other.decode(&input).unwrap();
        prop_assert_eq!(best(&other, &example), derivation);
        prop_assert!(other.forest(&input).unwrap().edges() <= forest.edges());
    }
}

fn small() -> Example {
    let pair = |source: &[u8], target: &[u8], score: f32| PhrasePair {
        source: source.to_vec(),
        target: target.to_vec(),
        score,
        reordering: [-0.1, -1.0, -2.0, -0.2, -1.5, -0.7],
    };
    Example {
        pairs: vec![
            pair(&[0], &[0], -1.0),
            pair(&[0], &[1, 2], -1.2),
            pair(&[1], &[1], -0.5),
            pair(&[1, 0], &[2], -0.9),
            pair(&[2, 1], &[3, 0], -1.1),
        ],
        columns: (0, 0),
        tables: 1,
        text: vec![vec![0, 1, 2], vec![1, 0], vec![2, 2, 1], vec![3, 0, 1, 2]],
        sentence: (0..300).map(|at: u32| (at.wrapping_mul(at) / 7 % 3) as u8).collect(),
        order: 2,
        limit: 0,
        given: Vec::new(),
    }
}

#[test]
fn monotone_search_is_a_dynamic_programme() {
    let example = small();
    let model = model(&example);
    let weights = all_weights(&model, &weights(&example, &model));
    let mut decoder = PhraseDecoder::new(&model, &weights, exact(0)).unwrap();
    decoder.decode(&input(&example)).unwrap();
    // The best score of each position and last word.
    let lm = &model.lms()[0].model;
    let mut best: Vec<BTreeMap<u32, (f64, crate::lm::state::State)>> = vec![BTreeMap::new(); 301];
    best[0].insert(0, (0.0, lm.begin()));
    for at in 0..300 {
        for (score, state) in best[at].clone().into_values() {
            let rest = &example.sentence[at..];
            let pairs = example.pairs.iter().filter(|pair| rest.starts_with(&pair.source));
            let mut choices: Vec<(usize, Vec<&str>, f64)> = pairs
                .map(|pair| {
                    let words = pair.target.iter().map(|&word| TARGET[usize::from(word)]).collect();
                    let counted = if pair.target.len() == 2 { COUNT_2 } else { 0.0 };
                    (pair.source.len(), words, f64::from(pair.score) + counted)
                })
                .collect();
            if rest[0] == 2 {
                choices.push((1, vec!["c"], UNKNOWN));
            }
            for (length, words, own) in choices {
                let (mut sum, mut state) = (score + own + words.len() as f64 * WORDS + RULES, state);
                let mut last = 0;
                for word in words {
                    last = lm.vocabulary().id(word);
                    let (prob, next) = lm.score(&state, last);
                    sum += f64::from(prob) * std::f64::consts::LN_10 * LM;
                    state = next;
                }
                let place = best[at + length].entry(last).or_insert((f64::NEG_INFINITY, state));
                if sum > place.0 {
                    *place = (sum, state);
                }
            }
        }
    }
    let ends = best[300].values().map(|(score, state)| {
        let (prob, _) = lm.score(state, crate::corpus::vocabulary::EOS);
        score + f64::from(prob) * std::f64::consts::LN_10 * LM
    });
    let wanted = ends.fold(f64::NEG_INFINITY, f64::max);
    let found = super::tests::best(&decoder, &example).score;
    assert!((found - wanted).abs() < 1e-2, "{found} instead of {wanted}");
}

#[test]
fn long_sentences_are_decoded_within_the_window() {
    let mut example = small();
    example.sentence = example.sentence.repeat(10);
    for columns in [(0, 0), (0, 6)] {
        example.columns = columns;
        let model = model(&example);
        let weights = all_weights(&model, &weights(&example, &model));
        for limit in [0, 6, 64] {
            let settings =
                PhraseSettings { pop_limit: 20, stack_size: 10, distortion_limit: limit, ..PhraseSettings::default() };
            let mut decoder = PhraseDecoder::new(&model, &weights, settings).unwrap();
            decoder.decode(&input(&example)).unwrap();
            check_phrases(&decoder, &example, limit);
        }
        assert!(PhraseDecoder::new(&model, &weights, exact(65)).is_err());
    }
}

#[test]
fn a_hurried_search_still_answers() {
    let example = small();
    let model = model(&example);
    let weights = all_weights(&model, &weights(&example, &model));
    let settings = PhraseSettings { time_limit: Some(Duration::ZERO), ..exact(6) };
    let mut decoder = PhraseDecoder::new(&model, &weights, settings).unwrap();
    decoder.decode(&input(&example)).unwrap();
    assert!(decoder.effort().hurried);
    check_phrases(&decoder, &example, 6);
}

#[test]
fn nothing_and_lattices() {
    let example = small();
    let model = model(&example);
    let weights = all_weights(&model, &weights(&example, &model));
    let mut decoder = PhraseDecoder::new(&model, &weights, PhraseSettings::default()).unwrap();
    decoder.decode(&Input::sentence("a x b").unwrap()).unwrap();
    assert!(decoder.best().unwrap().0.split(' ').any(|word| word == "x"));
    let nothing = Input::sentence("").unwrap();
    decoder.decode(&nothing).unwrap();
    assert!(decoder.best().is_none());
    assert_eq!(decoder.forest(&nothing).unwrap().nodes(), 0);
    let lattice = Input::lattice(2, &[(0, 1, "a", 0.0), (0, 2, "b", 0.0), (1, 2, "b", 0.0)]).unwrap();
    assert!(decoder.decode(&lattice).is_err());
}

#[test]
fn a_table_has_all_orientations_of_a_side_or_none() {
    let words = Vocabulary::from_words(["a"]).unwrap();
    let names = vec!["reorder_prev_mono".to_owned(), "reorder_prev_swap".to_owned()];
    let builder = TableBuilder::new(names, vec!["X".into()]).unwrap();
    let table = builder.build(&words, &words).unwrap();
    assert!(Model::new(vec![("t".into(), Arc::new(table))], Vec::new()).is_err());
}

#[test]
fn a_given_translation_may_be_longer_than_any_phrase() {
    let mut example = small();
    let targets = vec![(vec!["new".to_owned(), "words".to_owned()], -0.5)];
    example.given = vec![Given { begin: 100, end: 200, targets, exclusive: true }];
    let model = model(&example);
    let weights = all_weights(&model, &weights(&example, &model));
    for limit in [0, 6] {
        let settings = PhraseSettings { distortion_limit: limit, ..PhraseSettings::default() };
        let mut decoder = PhraseDecoder::new(&model, &weights, settings).unwrap();
        decoder.decode(&input(&example)).unwrap();
        let derivation = best(&decoder, &example);
        assert!(derivation.words.join(" ").contains("new words"));
        assert_eq!(derivation.features[model.own().given], -0.5);
        check_phrases(&decoder, &example, limit);
        decoder.forest(&input(&example)).unwrap();
    }
}
