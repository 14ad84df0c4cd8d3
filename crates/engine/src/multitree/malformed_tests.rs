//! Files of multitree models, damaged in every way we know: what opens can be used.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::counts::Counts;
use super::features::{Features, Templates};
use super::fertility::Fertility;
use super::forests::translations;
use super::lexicon::{Lexicon, LexiconBuilder};
use super::model::{Model, Settings};
use super::source::Source;
use super::store::{open_counts, save_counts};
use super::translate::translate;
use crate::files::reseal::reseal;
use crate::{Kind, Result};

const SYMBOLS: u32 = 9;

fn lexicon() -> Lexicon {
    let mut lexicon = LexiconBuilder::default();
    for (source, target) in [(&[1][..], &[5][..]), (&[1], &[6, 7]), (&[1, 2], &[6, 7, 8]), (&[2], &[8]), (&[3], &[5])] {
        lexicon.see_pair(source, target, 2);
    }
    lexicon.see_fuse(0, &[1, 2], 3);
    lexicon.see_fuse(1, &[6, 7], 3);
    lexicon.see_fuse(1, &[6, 7, 8], 3);
    lexicon.see_fuse(1, &[7, 8], 3);
    lexicon.finish()
}

fn counts() -> (Counts, Fertility) {
    let mut fertility = Fertility::default();
    [0.5, 1.0, 2.0, 1.0, 1.5, 1.0].iter().for_each(|&ratio| fertility.see_ratio(4, ratio));
    (Counts::of([&[5, 6, 7, 8][..], &[6, 7], &[5]]), fertility)
}

/// Translates by all there is, in a model's usual way.
fn exercise(lexicon: Lexicon, (counts, fertility): (Counts, Fertility)) {
    let model = Model {
        settings: Settings { seconds: None, inferences: 20_000, ..Settings::default() },
        lexicon,
        counts,
        fertility,
        features: Features::new(Templates::All),
        classifiers: None,
        penalty: 0.1,
        coarse: None,
        prior: false,
    };
    let source = Source::new(vec![1, 2, 3, 1], vec![4; 4], vec![]).unwrap();
    let found = translate(&model, &source).unwrap();
    assert!(found.words.iter().all(|&word| (1..=SYMBOLS).contains(&word)));
    let names: Vec<String> = (1..=SYMBOLS).map(|number| number.to_string()).collect();
    translations(&model, &source, &names).unwrap();
    for pair in 0..model.lexicon.sizes()[2] as u32 {
        let _ = (model.lexicon.source_total(pair), model.lexicon.total(model.lexicon.target(pair)));
    }
}

/// As a model is opened.
fn open_lexicon(path: &Path) -> Result<Lexicon> {
    let lexicon = Lexicon::open(path, u64::MAX)?;
    lexicon.check_words(SYMBOLS as usize)?;
    Ok(lexicon)
}

fn damaged(mut bytes: Vec<u8>, damage: &[(Index, u32)], cut: Option<Index>) -> Vec<u8> {
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
    let words = bytes.len() / 4;
    for (at, value) in damage.iter().filter(|_| words > 0) {
        let at = at.index(words) * 4;
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    reseal(&mut bytes);
    bytes
}

fn damage() -> impl Strategy<Value = (Vec<(Index, u32)>, Option<Index>)> {
    let value = prop_oneof![any::<u32>(), 0..12_u32, Just(u32::MAX)];
    (vec((any::<Index>(), value), 1..5), prop::option::weighted(0.1, any::<Index>()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 128 } else { 512 }))]

    #[test]
    fn what_opens_can_be_used((lexicon_damage, cut) in damage(), (counts_damage, other_cut) in damage()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model");
        lexicon().save(&path).unwrap();
        std::fs::write(&path, damaged(std::fs::read(&path).unwrap(), &lexicon_damage, cut)).unwrap();
        let opened = open_lexicon(&path);
        let (known, fertility) = counts();
        save_counts(&path, &known, &fertility).unwrap();
        std::fs::write(&path, damaged(std::fs::read(&path).unwrap(), &counts_damage, other_cut)).unwrap();
        let counted = open_counts(&path, u64::MAX);
        for kind in [opened.as_ref().err().map(|error| error.kind), counted.as_ref().err().map(|error| error.kind)] {
            prop_assert!(kind.is_none_or(|kind| matches!(kind, Kind::Format | Kind::Limit)), "{kind:?}");
        }
        // Each with the other as it was made.
        if let Ok(lexicon) = opened {
            exercise(lexicon, counts());
        }
        if let Ok(counted) = counted {
            exercise(lexicon(), counted);
        }
    }
}

#[test]
fn words_are_among_the_symbols() {
    exercise(lexicon(), counts());
    assert!(lexicon().check_words(8).is_ok());
    let error = lexicon().check_words(7).unwrap_err();
    assert_eq!(error.kind, Kind::Format);
    assert_eq!(error.what, "the lexicon has the word 8, but there are 7 symbols");
}
