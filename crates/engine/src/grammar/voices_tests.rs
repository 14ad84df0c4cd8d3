//! Tables of several voices against plain rows.

use proptest::prelude::*;

use super::columns::add_features;
use super::filter::filter;
use super::table::{KIND, VERSION};
use super::{Rule, Symbol, Table, TableBuilder, alone};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, ContainerWriter, Verify};

const WORDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn words() -> Vocabulary {
    Vocabulary::from_words(WORDS).unwrap()
}

/// A rule of a word: its translation, the voices that have it, and what these say.
type Spoken = (u32, u32, u64, Vec<f32>);

fn names(prefix: &str, number: usize) -> Vec<String> {
    (0..number).map(|at| format!("{prefix}{at}")).collect()
}

/// Voices, features, and rules in order whose values are few, as those of voices mostly are.
fn spoken() -> impl Strategy<Value = (usize, usize, Vec<Spoken>)> {
    (prop_oneof![1_usize..5, Just(63), Just(64)], 1_usize..4).prop_flat_map(|(voices, width)| {
        let value = prop_oneof![4 => Just(-1.0_f32), 1 => (0_u8..200).prop_map(|value| -f32::from(value) / 8.0)];
        let rule = (3_u32..8, 3_u32..8, any::<u64>(), prop::collection::vec(value, voices * width));
        prop::collection::vec(rule, 1..60).prop_map(move |mut rules| {
            rules.sort_by_key(|rule| rule.0);
            for rule in &mut rules {
                rule.2 = (rule.2 & super::voices::everyone(voices)).max(1);
            }
            (voices, width, rules)
        })
    })
}

fn build(voices: usize, width: usize, rules: &[Spoken]) -> TableBuilder {
    let mut builder = TableBuilder::with_voices(names("v", voices), names("f", width), vec!["X".into()]).unwrap();
    for (source, target, mask, features) in rules {
        let (source, target) = ([Symbol::word(*source)], [Symbol::word(*target)]);
        let rule =
            Rule { lhs: 0, source: &source, target: &target, features, links: &[[0, 0]], counts: [3.0, 2.0, 1.0] };
        builder.push_spoken(&rule, *mask).unwrap();
    }
    builder
}

/// What is said, with zeros of those who are silent.
fn heard(voices: usize, width: usize, (_, _, mask, features): &Spoken) -> Vec<f32> {
    (0..voices * width).map(|at| if mask >> (at / width) & 1 == 1 { features[at] } else { 0.0 }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_voice_is_heard((voices, width, rules) in spoken()) {
        let table = build(voices, width, &rules).build(&words(), &words()).unwrap();
        prop_assert_eq!((table.voices(), table.width(), table.len()), (voices, width, rules.len()));
        prop_assert_eq!(table.voice_names(), names("v", voices));
        prop_assert_eq!(table.voice_feature_names(), names("f", width));
        prop_assert_eq!(table.feature_names().len(), voices * width);
        prop_assert_eq!(&table.feature_names()[voices * width - 1], &format!("v{}.f{}", voices - 1, width - 1));
        let weights: Vec<f32> = (0..voices * width).map(|at| (at % 7) as f32 * 0.25).collect();
        for (number, rule) in (0..).zip(&rules) {
            prop_assert_eq!(table.spoken(number), rule.2);
            let wanted = heard(voices, width, rule);
            let mut found = vec![7.0];
            table.features(number, &mut found);
            prop_assert_eq!(&found[1..], &wanted[..]);
            let mut scores = vec![9.0; voices];
            table.voice_scores(number, &weights, &mut scores);
            for (voice, &said_by) in scores.iter().enumerate() {
                let own = voice * width..(voice + 1) * width;
                let score: f32 = wanted[own.clone()].iter().zip(&weights[own.clone()]).map(|(a, b)| a * b).sum();
                prop_assert_eq!(said_by, score);
                let mut said = Vec::new();
                table.voice_features(number, voice, &mut said);
                prop_assert_eq!(&said[..], &wanted[own]);
                let counts = if rule.2 >> voice & 1 == 1 { [3.0, 2.0, 1.0] } else { [0.0; 3] };
                prop_assert_eq!(table.voice_counts(number, voice), counts);
            }
            prop_assert!((0..voices * width).all(|at| table.feature(number, at) == wanted[at]));
            let total: f32 = scores.iter().sum();
            prop_assert!((table.weighted(number, &weights) - total).abs() <= 1e-3 * total.abs());
            prop_assert_eq!(table.counts(number), [3.0, 2.0, 1.0]);
        }
    }

    #[test]
    fn copies_keep_the_voices((voices, width, rules) in spoken()) {
        let folder = tempfile::tempdir().unwrap();
        let table = build(voices, width, &rules).build(&words(), &words()).unwrap();
        let (small, more) = (folder.path().join("small"), folder.path().join("more"));
        filter(&table, &["a b c d e"], &small).unwrap();
        add_features(&table, &["g".to_owned()], &more, |sources, _| Ok(vec![0.5; sources.len()])).unwrap();
        let (small, more) = (Table::open(small, Verify::Full).unwrap(), Table::open(more, Verify::Full).unwrap());
        prop_assert_eq!((more.voices(), more.width()), (voices, width + 1));
        for rule in 0..rules.len() as u32 {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            table.features(rule, &mut before);
            small.features(rule, &mut after);
            prop_assert_eq!(&before, &after);
            prop_assert_eq!([small.spoken(rule), more.spoken(rule)], [table.spoken(rule); 2]);
            for voice in (0..voices).filter(|voice| table.spoken(rule) >> voice & 1 == 1) {
                after.clear();
                more.voice_features(rule, voice, &mut after);
                prop_assert_eq!(&after[..width], &before[voice * width..][..width]);
                prop_assert_eq!(after[width], 0.5);
            }
        }
    }

    #[test]
    fn a_voice_alone_is_an_ordinary_table((voices, width, rules) in spoken(), choice: prop::sample::Index) {
        let table = build(voices, width, &rules).build(&words(), &words()).unwrap();
        let voice = choice.index(voices);
        let own: Vec<&Spoken> = rules.iter().filter(|rule| rule.2 >> voice & 1 == 1).collect();
        let Ok(made) = alone(&table, voice) else {
            prop_assert!(own.is_empty());
            return Ok(());
        };
        let made = made.build(&words(), &words()).unwrap();
        prop_assert_eq!((made.voices(), made.voice_names().len(), made.spoken(0)), (1, 0, 1));
        prop_assert_eq!(made.feature_names(), names("f", width));
        prop_assert_eq!(made.len(), own.len());
        for (number, rule) in (0..).zip(own) {
            let mut found = Vec::new();
            made.features(number, &mut found);
            prop_assert_eq!(&found[..], &rule.3[voice * width..][..width]);
            prop_assert_eq!(made.counts(number), [3.0, 2.0, 1.0]);
        }
    }
}

#[test]
fn what_no_table_can_hold_is_refused() {
    let with = |voices: Vec<String>| TableBuilder::with_voices(voices, names("f", 1), vec!["X".into()]).err();
    assert!(with(names("v", 64)).is_none());
    assert!(with(names("v", 65)).unwrap().what.contains("65 names"));
    assert!(with(Vec::new()).unwrap().what.contains("voices need"));
    assert!(with(vec!["a b".into()]).unwrap().what.contains("cannot be a name"));
    assert!(with(vec!["v".repeat(256)]).unwrap().what.contains("256 bytes"));
    let mut builder = build(2, 1, &[]);
    let side = [Symbol::word(3)];
    let rule = Rule { lhs: 0, source: &side, target: &side, features: &[1.0, 2.0], links: &[], counts: [0.0; 3] };
    assert!(builder.push_spoken(&rule, 0).unwrap_err().what.contains("no voice"));
    assert!(builder.push_spoken(&rule, 4).unwrap_err().what.contains("no voice"));
    assert!(builder.push_spoken(&rule, 5).unwrap_err().what.contains("does not exist"));
    let short = Rule { features: &[1.0], ..rule };
    assert!(builder.push_spoken(&short, 1).unwrap_err().what.contains("instead of 2"));
    builder.push(&rule).unwrap();
    let table = builder.build(&words(), &words()).unwrap();
    assert_eq!(table.spoken(0), 3);
    assert!(alone(&table, 2).err().unwrap().what.contains("no voice 2"));
}

/// The table with one section changed.
fn changed(name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Container {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let rules = [(3, 3, 1, vec![1.0, 2.0]), (3, 4, 3, vec![1.0, 2.0]), (4, 3, 2, vec![1.0, 2.0])];
    build(2, 1, &rules).write(&path, &words(), &words()).unwrap();
    let file = Container::open(&path, KIND, Verify::Full).unwrap();
    let mut writer = ContainerWriter::in_memory(KIND, VERSION).unwrap();
    for section in file.sections() {
        let bytes = file.bytes(&section.name).unwrap().to_vec();
        let bytes = if section.name == name { change(bytes) } else { bytes };
        writer.section_of(&section.name, section.element, &bytes).unwrap();
    }
    Container::from_bytes(&writer.into_bytes().unwrap(), Some(KIND), Verify::Full).unwrap()
}

#[test]
fn parts_that_do_not_fit_are_told() {
    let shorter = |element: usize| move |bytes: Vec<u8>| bytes[..bytes.len() - element].to_vec();
    for (name, element, told) in [
        ("voice-masks", 8, "masks of voices"),
        ("voice-changes", 1, "masks of voices"),
        ("voice-places", 8, "masks of voices"),
        ("voice-who", 1, "as many values"),
        ("feature-rows", 1, "as many values"),
    ] {
        let error = Table::from_container(&changed(name, shorter(element)), Verify::Structure).unwrap_err();
        assert!(error.what.contains(told), "{name}: {error}");
    }
    for (name, change) in [
        ("voices", b"v0".to_vec()),
        ("voices", b"".to_vec()),
        ("voice-masks", [5_u64, 3, 2].map(u64::to_le_bytes).concat()),
        ("voice-masks", [0_u64, 3, 2].map(u64::to_le_bytes).concat()),
        ("voice-masks", [1_u64, 1, 2].map(u64::to_le_bytes).concat()),
        ("voice-changes", vec![1, 0, 0]),
        ("voice-changes", vec![0, 0, 0]),
        ("voice-places", 1_u64.to_le_bytes().to_vec()),
        ("voice-who", vec![200]),
    ] {
        let file = changed(name, |_| change.clone());
        let error = Table::from_container(&file, Verify::Full).unwrap_err();
        assert!(error.what.contains("voice") || error.what.contains("said"), "{name}: {error}");
        // What was not verified is read somehow.
        if let Ok(table) = Table::from_container(&file, Verify::Structure) {
            for rule in 0..3 {
                let mut values = Vec::new();
                table.features(rule, &mut values);
                assert_eq!(values.len(), table.feature_names().len());
                assert!(table.spoken(rule) < 1 << table.voices());
            }
        }
    }
}
