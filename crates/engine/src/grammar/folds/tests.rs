//! Voices against extraction without their folds.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::aligned::{Aligned, AlignedBuilder};
use super::super::score::table_of;
use super::super::settings::{Counting, ExtractSettings, Kind, Orientation, ScoreSettings, Several, Smoothing};
use super::super::significance::Threshold;
use super::super::{Table, alone, pattern};
use super::{Folds, make_fold_table, table_of_folds};
use crate::files::Verify;
use crate::threads::with_threads;

/// Source words, target words, links, fold.
type Pair = (Vec<u8>, Vec<u8>, Vec<(u16, u16)>, u32);

fn pairs(folds: u32, most: usize) -> impl Strategy<Value = Vec<Pair>> {
    let pair = (
        prop::collection::vec(0_u8..5, 1..7),
        prop::collection::vec(0_u8..5, 1..7),
        prop::collection::vec((0_u16..7, 0_u16..7), 1..8),
        0..folds,
    );
    prop::collection::vec(pair, 2..most)
}

fn text<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Option<Aligned> {
    let mut builder = AlignedBuilder::new();
    for (source, target, links, _) in pairs {
        let words = |ids: &[u8]| ids.iter().map(|id| format!("w{id}")).collect::<Vec<_>>().join(" ");
        let inside = |link: &(u16, u16)| (link.0 as usize) < source.len() && (link.1 as usize) < target.len();
        builder.push(&words(source), &words(target), links.iter().copied().filter(inside)).unwrap();
    }
    builder.finish().ok()
}

fn listed(table: &Table) -> BTreeMap<(String, String), (Vec<f32>, [f32; 3])> {
    let one = |rule: u32| {
        let mut features = Vec::new();
        table.features(rule, &mut features);
        ((pattern::source(table, rule), pattern::target(table, rule)), (features, table.counts(rule)))
    };
    (0..table.len() as u32).map(one).collect()
}

fn settings() -> impl Strategy<Value = (ExtractSettings, ScoreSettings)> {
    let kinds = prop_oneof![
        Just((ExtractSettings::hiero(), true)),
        Just((ExtractSettings { counting: Counting::Unit, ..ExtractSettings::hiero() }, false)),
        Just((ExtractSettings::phrase(), false)),
        Just((ExtractSettings { kind: Kind::Phrase(Orientation::Phrase), ..ExtractSettings::phrase() }, false)),
        Just((ExtractSettings { kind: Kind::Phrase(Orientation::None), ..ExtractSettings::phrase() }, false)),
    ];
    (
        kinds,
        prop::sample::select(vec![Smoothing::None, Smoothing::KneserNey, Smoothing::GoodTuring]),
        prop::sample::select(vec![Several::Frequent, Several::Min, Several::Max]),
        prop::option::of(0_usize..4),
        prop::sample::select(vec![0.0, 0.3, 1.0, 2.0]),
        prop::sample::select(vec![Threshold::None, Threshold::None, Threshold::Alpha(-1e-3), Threshold::Value(0.5)]),
        any::<bool>(),
    )
        .prop_map(
            |((extract, fractional), smoothing, several, singletons, min_count, significance, indicators)| {
                let smoothing =
                    if fractional && smoothing == Smoothing::GoodTuring { Smoothing::None } else { smoothing };
                let score = ScoreSettings {
                    smoothing,
                    several,
                    singletons,
                    min_count,
                    significance,
                    indicators,
                    exact: true,
                    limit: 0,
                    ..ScoreSettings::new()
                };
                (extract, score)
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_voice_is_extraction_without_its_fold(
        pairs in pairs(4, 14),
        (extract, score) in settings(),
        some: bool,
    ) {
        let Some(whole) = text(&pairs) else { return Ok(()) };
        let folds: Vec<u32> = pairs.iter().map(|pair| pair.3).collect();
        let mut voices: Vec<u32> = folds.clone();
        voices.sort_unstable();
        voices.dedup();
        if some && voices.len() > 1 {
            voices.remove(0);
        }
        let Ok(parted) = Folds::new(&whole, &folds, &voices) else {
            prop_assert!(voices.len() == 1);
            return Ok(());
        };
        let naive: Vec<Option<Table>> = voices
            .iter()
            .map(|fold| table_of(&text(pairs.iter().filter(|pair| pair.3 != *fold))?, &extract, &score).ok())
            .collect();
        let made = table_of_folds(&whole, &parted, &extract, &score);
        let Ok(made) = made else {
            prop_assert!(naive.iter().any(Option::is_none), "{}", made.unwrap_err());
            return Ok(());
        };
        prop_assert!(naive.iter().all(Option::is_some));
        for (voice, wanted) in naive.iter().flatten().enumerate() {
            let found = alone(&made, voice).unwrap().build(made.source_words(), made.target_words()).unwrap();
            prop_assert_eq!(found.feature_names(), wanted.feature_names());
            let (found, wanted) = (listed(&found), listed(wanted));
            prop_assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
            for (rule, (features, counts)) in wanted {
                let (own, own_counts) = &found[&rule];
                for (a, b) in own.iter().zip(&features).chain(own_counts.iter().zip(&counts)) {
                    prop_assert!((a - b).abs() <= 1e-5, "{rule:?} {own:?} {features:?} {own_counts:?} {counts:?}");
                }
            }
        }
    }

    #[test]
    fn as_many_rules_are_left_as_the_limit_says(pairs in pairs(3, 20), limit in 1_usize..4, smoothed: bool) {
        let Some(whole) = text(&pairs) else { return Ok(()) };
        let folds: Vec<u32> = pairs.iter().map(|pair| pair.3).collect();
        let smoothing = if smoothed { Smoothing::KneserNey } else { Smoothing::None };
        let score = ScoreSettings { smoothing, exact: true, limit, ..ScoreSettings::new() };
        let extract = ExtractSettings::hiero();
        for fold in 0..3 {
            let Ok(parted) = Folds::new(&whole, &folds, &[fold]) else { continue };
            let Some(rest) = text(pairs.iter().filter(|pair| pair.3 != fold)) else { continue };
            let Ok(wanted) = table_of(&rest, &extract, &score) else { continue };
            let made = table_of_folds(&whole, &parted, &extract, &score).unwrap();
            let best = |table: &Table| {
                let mut best: BTreeMap<String, Vec<[i64; 2]>> = BTreeMap::new();
                for ((source, _), (features, _)) in listed(table) {
                    let rounded = [features[2], features[0]].map(|value| (f64::from(value) * 1e4).round() as i64);
                    best.entry(source).or_default().push(rounded);
                }
                // Which of equally probable rules are left depends on the numbers of words.
                best.values_mut().for_each(|all| all.sort_unstable());
                best
            };
            prop_assert_eq!(best(&made), best(&wanted));
        }
    }

    #[test]
    fn same_bytes_for_any_threads_and_memory(pairs in pairs(5, 90), hiero: bool, exact: bool) {
        let Some(whole) = text(&pairs) else { return Ok(()) };
        let folds: Vec<u32> = pairs.iter().map(|pair| pair.3).collect();
        let Ok(parted) = Folds::new(&whole, &folds, &[1, 3]) else { return Ok(()) };
        let extract = if hiero { ExtractSettings::hiero() } else { ExtractSettings::phrase() };
        let score = ScoreSettings { exact, ..ScoreSettings::new() };
        let directory = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (threads, memory) in [(1, 1 << 30), (3, 1 << 30), (2, 1 << 12)] {
            let path = directory.path().join("table");
            let made = with_threads(threads, || make_fold_table(&whole, &parted, &extract, &score, memory, &path, &|_| true));
            if made.unwrap().is_err() {
                return Ok(());
            }
            Table::open(&path, Verify::Full).unwrap();
            files.push(std::fs::read(&path).unwrap());
        }
        prop_assert!(files.windows(2).all(|two| two[0] == two[1]));
    }
}

#[test]
fn folds_that_do_not_fit_are_told() {
    let mut builder = AlignedBuilder::new();
    for (source, target) in [("a", "x"), ("<s>", "x"), ("b", "y"), ("c", "z")] {
        builder.push(source, target, [(0, 0)]).unwrap();
    }
    let text = builder.finish().unwrap();
    let told = |folds: &[u32], voices: &[u32]| Folds::new(&text, folds, voices).unwrap_err().what;
    assert!(told(&[1, 2, 3], &[1]).contains("3 folds for 4 sentence pairs"));
    assert!(told(&[1, 2, 3, 4], &[]).contains("0 folds"));
    assert!(told(&[1, 2, 3, 4], &(0..65).collect::<Vec<_>>()).contains("65 folds"));
    assert!(told(&[1, 2, 3, 4], &[1, 1]).contains("twice"));
    assert!(told(&[1, 2, 3, 4], &[5]).contains("no sentence pair is in fold 5"));
    // The only pair of fold 2 was left out.
    assert!(told(&[1, 2, 3, 4], &[2]).contains("no sentence pair is in fold 2"));
    assert!(told(&[1, 2, 1, 1], &[1]).contains("all sentence pairs are in fold 1"));
    let folds = Folds::new(&text, &[7, 2, 3, 7], &[7]).unwrap();
    assert_eq!((folds.voices(), folds.names()), (1, &["fold7".to_owned()][..]));
    assert_eq!((0..3).map(|at| folds.pair(at).0).collect::<Vec<_>>(), [0, 2, 1]);
}
