//! The rules of some sentences against the table of all rules, and segments against the text in one piece.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::extract::{Extraction, Rules};
use super::walk::SuffixWalk;
use super::{Index, Segment, to_merge};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::Verify;
use crate::grammar::aligned::{Aligned, AlignedBuilder, Link};
use crate::grammar::filter::filter;
use crate::grammar::score::table_of;
use crate::grammar::settings::{Counting, ExtractSettings, Kind, Orientation, ScoreSettings};
use crate::grammar::source::{Asked, RuleList, Scope, Walk};
use crate::grammar::{Symbol, Table, pattern};
use crate::threads::with_threads;

type Pair = (Vec<u8>, Vec<u8>, Vec<Link>);
type Listed = BTreeMap<(String, String), (Vec<f32>, Vec<[u8; 2]>, [f32; 3])>;

fn line(words: &[u8], first: u8) -> String {
    let words: Vec<String> = words.iter().map(|&word| char::from(first + word).to_string()).collect();
    words.join(" ")
}

fn text(pairs: &[Pair]) -> Aligned {
    let mut builder = AlignedBuilder::new();
    for (source, target, links) in pairs {
        builder.push(&line(source, b'a'), &line(target, b'u'), links.iter().copied()).unwrap();
    }
    builder.finish().unwrap()
}

fn listed(table: &Table) -> Listed {
    let each = |rule: u32| {
        let key = (pattern::source(table, rule), pattern::target(table, rule));
        let mut features = Vec::new();
        table.features(rule, &mut features);
        (key, (features, table.side(rule).links, table.counts(rule)))
    };
    let all: Listed = (0..table.len() as u32).map(each).collect();
    assert_eq!(all.len(), table.len());
    all
}

/// The rules of a table that can match, by the table's own filter.
fn filtered(table: &Table, sentences: &[String]) -> Listed {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t");
    match filter(table, sentences, &path) {
        Ok(_) => listed(&Table::open(&path, Verify::Full).unwrap()),
        Err(_) => Listed::new(),
    }
}

fn index(parts: &[&[Pair]]) -> Index {
    let mut index = Index::new(Vec::new()).unwrap();
    for part in parts {
        let mut segments = index.segments().to_vec();
        segments.push(index.segment(&text(part)).unwrap());
        index = Index::new(segments).unwrap();
    }
    index
}

fn all(extract: ExtractSettings, limit: usize) -> Extraction {
    Extraction { extract, score: ScoreSettings { limit, ..ScoreSettings::new() }, samples: 0, max_span: 0 }
}

fn pair() -> impl Strategy<Value = Pair> {
    let side = || prop::collection::vec(0_u8..4, 1..9);
    (side(), side()).prop_flat_map(|(source, target)| {
        let (i, j) = (source.len() as u16, target.len() as u16);
        let links = prop::collection::btree_set((0..i, 0..j), 1..8);
        (Just(source), Just(target), links.prop_map(|links| links.into_iter().collect()))
    })
}

fn settings() -> impl Strategy<Value = ExtractSettings> {
    let orientation = prop_oneof![Just(Orientation::None), Just(Orientation::Word), Just(Orientation::Phrase)];
    let phrase = (1_usize..8, any::<bool>(), orientation).prop_map(|(max_length, loose, orientation)| {
        ExtractSettings { kind: Kind::Phrase(orientation), max_length, loose, ..ExtractSettings::phrase() }
    });
    let numbers = (1_usize..9, 1_usize..7, 0_usize..3, 1_usize..3);
    let hiero = (numbers, any::<[bool; 3]>()).prop_map(|((max_length, max_symbols, max_gaps, min_gap), flags)| {
        let [adjacent, loose, unit] = flags;
        let counting = if unit { Counting::Unit } else { Counting::Fractional };
        let base = ExtractSettings::hiero();
        ExtractSettings { max_length, max_symbols, max_gaps, min_gap, adjacent, loose, counting, ..base }
    });
    prop_oneof![phrase, hiero]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn rules_are_those_of_the_whole_table(
        pairs in prop::collection::vec(pair(), 1..7),
        sentences in prop::collection::vec(prop::collection::vec(0_u8..5, 0..8), 1..3),
        settings in settings(),
        cuts in prop::collection::vec(any::<bool>(), 7),
        limit in 0_usize..3,
    ) {
        let sentences: Vec<String> = sentences.iter().map(|words| line(words, b'a')).collect();
        let whole = text(&pairs);
        let mut parts: Vec<&[Pair]> = Vec::new();
        let mut start = 0;
        for end in 1..=pairs.len() {
            if end == pairs.len() || cuts[end] {
                parts.push(&pairs[start..end]);
                start = end;
            }
        }
        // In several parts words have other numbers, which break ties for the last rule within a limit.
        let limit = if parts.len() == 1 { limit } else { 0 };
        let score = ScoreSettings { limit, ..ScoreSettings::new() };
        let expected = match table_of(&whole, &settings, &score) {
            Ok(table) => filtered(&table, &sentences),
            Err(_) => Listed::new(),
        };
        let grown = index(&parts);
        let merged = Index::new(vec![Segment::merge(grown.segments()).unwrap()]).unwrap();
        for index in [grown, merged] {
            let rules = Rules::new(index, all(settings.clone(), limit)).unwrap();
            let found = listed(&rules.table(&sentences).unwrap());
            prop_assert_eq!(&found, &expected);
            // Counts of target sides are remembered now.
            prop_assert_eq!(&listed(&rules.table(&sentences).unwrap()), &expected);
        }
    }

    #[test]
    fn samples_keep_known_rules_and_probabilities(
        pairs in prop::collection::vec(pair(), 1..7),
        words in prop::collection::vec(0_u8..4, 1..8),
        settings in settings(),
        samples in 1_usize..4,
    ) {
        let sentences = [line(&words, b'a')];
        let every = Rules::new(index(&[&pairs]), all(settings.clone(), 0)).unwrap();
        let every = listed(&every.table(&sentences).unwrap());
        let some = Extraction { samples, ..all(settings, 0) };
        let some = Rules::new(index(&[&pairs]), some).unwrap();
        let found = with_threads(3, || listed(&some.table(&sentences).unwrap())).unwrap();
        prop_assert!(found.keys().all(|rule| every.contains_key(rule)));
        prop_assert!(found.values().all(|(features, ..)| features.iter().all(|value| *value <= 0.0)));
        prop_assert_eq!(found, with_threads(1, || listed(&some.table(&sentences).unwrap())).unwrap());
    }

    #[test]
    fn segments_survive_files(pairs in prop::collection::vec(pair(), 2..6), words in prop::collection::vec(0_u8..4, 1..8)) {
        let directory = tempfile::tempdir().unwrap();
        let index = index(&[&pairs[..1], &pairs[1..]]);
        let paths = [directory.path().join("one"), directory.path().join("two")];
        for (segment, path) in index.segments().iter().zip(&paths) {
            segment.write(path).unwrap();
        }
        let again = Index::open(&paths, Verify::Full).unwrap();
        prop_assert!(Index::open(&paths[1..], Verify::Full).is_err() || index.segments()[0].known() == [3, 3]);
        let sentences = [line(&words, b'a')];
        let [one, two] = [index, again].map(|index| {
            listed(&Rules::new(index, all(ExtractSettings::hiero(), 0)).unwrap().table(&sentences).unwrap())
        });
        prop_assert_eq!(one, two);
    }

    #[test]
    fn merging_leaves_few_segments(sizes in prop::collection::vec(1_usize..100_000, 1..200)) {
        let mut held: Vec<usize> = Vec::new();
        for size in sizes {
            held.push(size);
            let last = to_merge(&held);
            prop_assert!(last != 1);
            if last > 0 {
                let sum = held.drain(held.len() - last..).sum();
                held.push(sum);
            }
            prop_assert!(held.windows(2).all(|two| two[0] >= 3 * two[1]), "{:?}", held);
        }
    }
}

/// Checks that a walk has all rules of a table, where the table has them.
fn check_walk(walk: &mut SuffixWalk<'_>, table: &Table, rules: &Rules) {
    let weights: Vec<f32> = (1_u8..).map(f32::from).take(rules.feature_names().len()).collect();
    let ids = |words: &Vocabulary, own: &Vocabulary, symbol: Symbol| match symbol.as_word() {
        Some(word) => Symbol::word(own.id(words.word(word))),
        None => symbol,
    };
    let mut seen = 0;
    let each = |node: u32, source: &[Symbol]| {
        let mut state = Some(walk.root());
        for &symbol in source {
            assert!(state.is_some_and(|state| walk.continues(state)));
            let symbol = ids(table.source_words(), rules.index().words(0), symbol);
            state = state.and_then(|state| walk.step(state, symbol));
        }
        let state = state.unwrap();
        let mut list = RuleList::default();
        walk.rules(state, 0, &weights, &mut list);
        assert_eq!(list.rules.len(), table.rules(node).len());
        assert_eq!(walk.has_rules(state), !list.rules.is_empty());
        for (rule, one) in table.rules(node).zip(&list.rules) {
            let side = table.side(rule);
            let target = side.target.iter().map(|&s| ids(table.target_words(), rules.index().words(1), s));
            assert_eq!(list.target(one), target.collect::<Vec<_>>());
            assert_eq!((one.lhs, walk.links(one.rule)), (side.lhs, side.links));
            assert_eq!(one.score.to_bits(), table.weighted(rule, &weights).to_bits());
            let mut spelled = Vec::new();
            walk.source(one.rule, &mut spelled);
            let own = source.iter().map(|&s| ids(table.source_words(), rules.index().words(0), s));
            assert_eq!(spelled, own.collect::<Vec<_>>());
            for column in 0..weights.len() {
                assert_eq!(walk.feature(one.rule, column).to_bits(), table.feature(rule, column).to_bits());
            }
            seen += 1;
        }
        Ok(())
    };
    table.each_source(each).unwrap();
    assert_eq!(seen, table.len());
}

fn ids(rules: &Rules, sentence: &str) -> Vec<Option<u32>> {
    sentence.split(' ').map(|word| rules.index().words(0).find(word)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever a walk remembers or has forgotten, the rules of a sentence are those of its table.
    #[test]
    fn walks_find_the_rules_of_each_sentence(
        pairs in prop::collection::vec(pair(), 2..6), settings in settings(), samples in 0_usize..4,
        sentences in prop::collection::vec(prop::collection::vec(0_u8..5, 0..8), 1..5),
        most in prop_oneof![Just(0), Just(100), Just(usize::MAX)], limit in 0_usize..3, ahead in any::<bool>(),
    ) {
        let text = index(&[&pairs[..1], &pairs[1..]]);
        let extraction = Extraction { samples, ..all(settings, limit) };
        let rules = Rules::new(text, extraction).unwrap();
        let mut walk = SuffixWalk::new(&rules, most);
        if ahead {
            let known = |words: &Vec<u8>| ids(&rules, &line(words, b'a'));
            let known: Vec<Vec<Option<u32>>> = sentences.iter().map(known).collect();
            let span = rules.settings().max_span;
            let asked: Vec<_> = known.iter().map(|words| Asked { words, ordered: true, span }).collect();
            walk.expect(&asked).unwrap();
        }
        for words in sentences {
            let sentence = line(&words, b'a');
            let ids = ids(&rules, &sentence);
            let scope = walk.begin(Asked { words: &ids, ordered: true, span: rules.settings().max_span }).unwrap();
            prop_assert!(scope == Scope::Model || most < usize::MAX);
            let table = rules.table(&[&sentence]).unwrap();
            check_walk(&mut walk, &table, &rules);
        }
        let lattice = walk.begin(Asked { words: &[None], ordered: false, span: 0 });
        prop_assert!(lattice.is_err());
    }
}

#[test]
fn a_sample_is_spread_and_stands_for_all() {
    // Of ten occurrences of b, every second has another translation; four are looked at.
    let mut pairs: Vec<Pair> = (0..10).map(|k| (vec![1], vec![k % 2], vec![(0, 0)])).collect();
    pairs.push((vec![2], vec![0], vec![(0, 0)]));
    let extraction = Extraction { samples: 4, ..all(ExtractSettings::phrase(), 0) };
    let table = Rules::new(index(&[&pairs]), extraction).unwrap().table(&["b"]).unwrap();
    let found = listed(&table);
    let counts: Vec<f32> = found.values().map(|(.., counts)| counts[2]).collect();
    assert_eq!(counts.iter().sum::<f32>(), 10.0, "{found:?}");
    // u occurs six times, five of them for b, and four are looked at, all in rules.
    assert_eq!(found[&("b".to_owned(), "u".to_owned())].2[0], 6.0);
}

#[test]
fn damaged_segments_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let none = Vocabulary::from_words([]).unwrap();
    let pairs: Vec<Pair> = vec![(vec![0, 1], vec![0, 1], vec![(0, 0), (1, 1)])];
    Segment::new(&text(&pairs), [&none, &none]).unwrap().write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    Segment::open(&path, Verify::Full).unwrap();
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x41;
        std::fs::write(&path, &broken).unwrap();
        // Without checksums what is read may differ, but reading stays within bounds.
        if let Ok(segment) = Segment::open(&path, Verify::Structure)
            && let Ok(index) = Index::new(vec![segment])
        {
            let rules = Rules::new(index, all(ExtractSettings::hiero(), 0)).unwrap();
            let _ = rules.table(&["a b", "b a"]);
        }
        assert!(Segment::open(&path, Verify::Full).is_err(), "byte {at}");
    }
}

#[test]
fn settings_that_need_all_rules_are_refused() {
    let extraction = all(ExtractSettings { counting: Counting::Unit, ..ExtractSettings::hiero() }, 0);
    let score = ScoreSettings { smoothing: crate::grammar::settings::Smoothing::GoodTuring, ..ScoreSettings::new() };
    assert!(Rules::new(Index::new(Vec::new()).unwrap(), Extraction { score, ..extraction }).is_err());
}
