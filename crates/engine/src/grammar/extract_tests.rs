//! Worked examples and properties of extraction and scoring.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::aligned::{Aligned, AlignedBuilder, Link};
use super::score::{make_table, table_of};
use super::settings::{Counting, ExtractSettings, ScoreSettings, Smoothing};
use super::{Symbol, Table};
use crate::files::Verify;
use crate::threads::with_threads;

fn text(pairs: &[(&str, &str, &[Link])]) -> Aligned {
    let mut builder = AlignedBuilder::new();
    for &(source, target, links) in pairs {
        builder.push(source, target, links.iter().copied()).unwrap();
    }
    builder.finish().unwrap()
}

/// Rules as text, with their counts.
fn counts(table: &Table) -> BTreeMap<String, f32> {
    let mut found = BTreeMap::new();
    for rule in 0..table.len() as u32 {
        let mut source = Vec::new();
        table.source(rule, &mut source);
        let mut places = 0;
        let mut shown: Vec<String> = source
            .iter()
            .map(|symbol| match symbol.as_word() {
                Some(word) => table.source_words().word(word).to_owned(),
                None => {
                    places += 1;
                    format!("X{places}")
                }
            })
            .collect();
        shown.push("→".into());
        shown.extend(table.side(rule).target.iter().map(|symbol| match symbol.as_word() {
            Some(word) => table.target_words().word(word).to_owned(),
            None => format!("X{}", symbol.as_nonterminal().unwrap() + 1),
        }));
        found.insert(shown.join(" "), table.counts(rule)[2]);
    }
    found
}

fn check(links: &[Link], expected: &[(&str, f32)]) {
    let table =
        table_of(&text(&[("f1 f2 f3", "e1 e2 e3", links)]), &ExtractSettings::hiero(), &ScoreSettings::new()).unwrap();
    let found = counts(&table);
    assert_eq!(found.len(), 14, "{found:?}");
    assert!((found.values().sum::<f32>() - 6.0).abs() < 1e-5);
    for (rule, count) in expected {
        assert!((found[*rule] - count).abs() < 1e-6, "{rule} {}", found[*rule]);
    }
}

/// Razmara (2013), appendix A.4.1: one sentence pair, monotone and inverted.
#[test]
fn counts_of_the_worked_example() {
    let (third, seventh) = (1.0 / 3.0, 1.0 / 7.0);
    check(
        &[(0, 0), (1, 1), (2, 2)],
        &[
            ("f1 → e1", 1.0),
            ("f2 → e2", 1.0),
            ("f3 → e3", 1.0),
            ("f1 f2 → e1 e2", third),
            ("f2 f3 → e2 e3", third),
            ("X1 f2 → X1 e2", third),
            ("f2 X1 → e2 X1", third),
            ("X1 f3 → X1 e3", third + seventh),
            ("f1 X1 → e1 X1", third + seventh),
            ("f1 f2 f3 → e1 e2 e3", seventh),
            ("X1 f2 f3 → X1 e2 e3", seventh),
            ("f1 X1 f3 → e1 X1 e3", seventh),
            ("f1 f2 X1 → e1 e2 X1", seventh),
            ("X1 f2 X2 → X1 e2 X2", seventh),
        ],
    );
    check(
        &[(0, 2), (1, 1), (2, 0)],
        &[("X1 f2 X2 → X2 e2 X1", seventh), ("X1 f2 → e2 X1", third), ("X1 f3 → e1 X1", third + seventh)],
    );
}

/// Koehn, Och & Marcu (2003): a word without a link joins either neighbour.
#[test]
fn loose_phrases_take_in_words_without_links() {
    let pair = text(&[("das haus", "the big house", &[(0, 0), (1, 2)])]);
    let found = counts(&table_of(&pair, &ExtractSettings::phrase(), &ScoreSettings::new()).unwrap());
    let expected = ["das → the", "das → the big", "haus → house", "haus → big house", "das haus → the big house"];
    assert_eq!(found.len(), expected.len());
    assert!(expected.iter().all(|rule| found.contains_key(*rule)), "{found:?}");
    let tight = ExtractSettings { loose: false, ..ExtractSettings::phrase() };
    assert_eq!(counts(&table_of(&pair, &tight, &ScoreSettings::new()).unwrap()).len(), 3);
}

#[test]
fn features_are_relative_frequencies_and_lexical_weights() {
    let text = text(&[
        ("das haus", "the house", &[(0, 0), (1, 1)]),
        ("das buch", "the book", &[(0, 0), (1, 1)]),
        ("das", "it", &[(0, 0)]),
    ]);
    let table = table_of(&text, &ExtractSettings::phrase(), &ScoreSettings::new()).unwrap();
    let das = table.step(Table::ROOT, Symbol::word(table.source_words().id("das"))).unwrap();
    let rules = table.rules(das);
    assert_eq!(rules.len(), 2);
    let mut features = Vec::new();
    table.features(rules.start, &mut features);
    let two_thirds = (2.0_f32 / 3.0).ln();
    for (found, expected) in features[..4].iter().zip([0.0, 0.0, two_thirds, two_thirds]) {
        assert!((found - expected).abs() < 1e-6, "{features:?}");
    }
    // Once at the beginning of the sentence, with a prior of a half for each of three places.
    let mono = (2.5_f32 / 3.5).ln();
    assert!((features[4] - mono).abs() < 1e-6 && (features[7] - mono).abs() < 1e-6, "{features:?}");
    assert_eq!(table.counts(rules.start), [2.0, 3.0, 2.0]);
}

#[test]
fn smoothed_probabilities_stay_below_one_in_sum() {
    let pairs: Vec<(String, String)> = (0..60).map(|k| (format!("s{} t", k % 7), format!("e{} f", k % 5))).collect();
    let lines: Vec<(&str, &str, &[Link])> =
        pairs.iter().map(|(a, b)| (&a[..], &b[..], &[(0, 0), (1, 1)][..])).collect();
    let text = text(&lines);
    for smoothing in [Smoothing::GoodTuring, Smoothing::KneserNey] {
        let table =
            table_of(&text, &ExtractSettings::phrase(), &ScoreSettings { smoothing, ..ScoreSettings::new() }).unwrap();
        for node in 0..table.nodes() as u32 {
            let total: f32 = table.rules(node).map(|rule| table.feature(rule, 2).exp()).sum();
            assert!(total <= 1.0 + 1e-5, "{smoothing:?} {total}");
        }
        let wrong = ExtractSettings { counting: Counting::Fractional, ..ExtractSettings::phrase() };
        assert!(table_of(&text, &wrong, &ScoreSettings { smoothing, ..ScoreSettings::new() }).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Neither threads nor memory change the file.
    #[test]
    fn same_bytes_for_any_threads_and_memory(
        pairs in prop::collection::vec(
            (prop::collection::vec(0_u8..6, 1..9), prop::collection::vec(0_u8..6, 1..9),
             prop::collection::btree_set((0_u16..9, 0_u16..9), 1..9)), 1..120),
        hiero: bool,
    ) {
        let mut builder = AlignedBuilder::new();
        builder.push("a", "b", [(0, 0)]).unwrap();
        for (source, target, links) in &pairs {
            let words = |ids: &[u8]| ids.iter().map(|id| format!("w{id}")).collect::<Vec<_>>().join(" ");
            let inside = links.iter().copied()
                .filter(|&(i, j)| (i as usize) < source.len() && (j as usize) < target.len());
            builder.push(&words(source), &words(target), inside).unwrap();
        }
        let text = builder.finish().unwrap();
        let settings = if hiero { ExtractSettings::hiero() } else { ExtractSettings::phrase() };
        let directory = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (threads, memory) in [(1, 1 << 30), (3, 1 << 30), (2, 1 << 12)] {
            let path = directory.path().join("table");
            with_threads(threads, || make_table(&text, &settings, &ScoreSettings::new(), memory, &path, &|_| true))
                .unwrap().unwrap();
            Table::open(&path, Verify::Full).unwrap();
            files.push(std::fs::read(&path).unwrap());
        }
        prop_assert!(files.windows(2).all(|two| two[0] == two[1]));
    }
}
