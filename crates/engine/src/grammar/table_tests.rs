//! Tables against plain maps of rules.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Rule, Symbol, Table, TableBuilder};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, Verify};

const WORDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn words() -> Vocabulary {
    Vocabulary::from_words(WORDS).unwrap()
}

/// A source side: words, with up to two gaps between them.
fn source_side() -> impl Strategy<Value = Vec<Symbol>> {
    prop::collection::vec(3_u32..8, 1..4).prop_flat_map(|words| {
        prop::collection::vec(any::<bool>(), words.len()).prop_map(move |gaps| {
            let mut side = Vec::new();
            let mut left = 2;
            for (&word, gap) in words.iter().zip(gaps) {
                if gap && left > 0 {
                    side.push(Symbol::nonterminal(0));
                    left -= 1;
                }
                side.push(Symbol::word(word));
            }
            side
        })
    })
}

fn target_side(source: &[Symbol], word: u32, swap: bool) -> Vec<Symbol> {
    let arity = source.iter().filter(|symbol| symbol.is_nonterminal()).count() as u32;
    let mut side: Vec<Symbol> = (0..arity).map(Symbol::nonterminal).collect();
    if swap {
        side.reverse();
    }
    side.push(Symbol::word(word));
    side
}

proptest! {
    #[test]
    fn a_table_finds_what_was_put_in(rules in prop::collection::vec((source_side(), 3_u32..8, any::<bool>(), -9.0_f32..0.0), 0..40)) {
        let mut wanted: BTreeMap<Vec<Symbol>, Vec<(Vec<Symbol>, f32)>> = BTreeMap::new();
        for (source, word, swap, value) in rules {
            let target = target_side(&source, word, swap);
            wanted.entry(source).or_default().push((target, value));
        }
        let mut builder = TableBuilder::new(vec!["one".into(), "two".into()], vec!["X".into(), "S".into()]).unwrap();
        for (source, translations) in &wanted {
            for (target, value) in translations {
                let last = [(source.len() - 1) as u8, (target.len() - 1) as u8];
                let rule = Rule { lhs: 1, source, target, features: &[*value, 1.0], links: &[last], counts: [1.0, 2.0, *value] };
                builder.push(&rule).unwrap();
            }
        }
        let table = builder.build(&words(), &words()).unwrap();
        prop_assert_eq!(table.len(), wanted.values().map(Vec::len).sum::<usize>());
        for (source, translations) in &wanted {
            let node = source.iter().try_fold(Table::ROOT, |node, &symbol| table.step(node, symbol)).unwrap();
            prop_assert_eq!(table.rules(node).len(), translations.len());
            for (rule, (target, value)) in table.rules(node).zip(translations) {
                prop_assert_eq!(table.target(rule), &target[..]);
                prop_assert_eq!(table.features(rule), &[*value, 1.0]);
                prop_assert_eq!(table.counts(rule), [1.0, 2.0, *value]);
                prop_assert_eq!(table.lhs(rule), 1);
                prop_assert_eq!(table.links(rule)[0][0] as usize, source.len() - 1);
                let mut found = Vec::new();
                table.source(rule, &mut found);
                prop_assert_eq!(&found, source);
            }
        }
    }
}

#[test]
fn rules_out_of_order_or_without_pairs_are_refused() {
    let [three, four, five] = [3, 4, 5].map(|id| [Symbol::word(id)]);
    let gap = [Symbol::nonterminal(0), Symbol::word(3)];
    let mut builder = TableBuilder::new(Vec::new(), vec!["X".into()]).unwrap();
    fn rule<'a>(source: &'a [Symbol], target: &'a [Symbol]) -> Rule<'a> {
        Rule { lhs: 0, source, target, features: &[], links: &[], counts: [0.0; 3] }
    }
    builder.push(&rule(&four, &three)).unwrap();
    assert!(builder.push(&rule(&three, &three)).unwrap_err().what.contains("order"));
    assert!(builder.push(&rule(&gap, &three)).unwrap_err().what.contains("pair"));
    assert!(builder.push(&rule(&five, &[])).unwrap_err().what.contains("empty"));
    let unknown = Rule { lhs: 7, ..rule(&five, &three) };
    assert!(builder.push(&unknown).unwrap_err().what.contains("category"));
    builder.push(&rule(&gap, &gap)).unwrap();
    assert_eq!(builder.build(&words(), &words()).unwrap().len(), 2);
}

#[test]
fn a_word_beyond_the_vocabulary_is_refused_when_the_table_is_opened() {
    let mut builder = TableBuilder::new(Vec::new(), vec!["X".into()]).unwrap();
    let side = [Symbol::word(99)];
    builder.push(&Rule { lhs: 0, source: &side, target: &side, features: &[], links: &[], counts: [0.0; 3] }).unwrap();
    assert!(builder.build(&words(), &words()).unwrap_err().what.contains("unknown symbol"));
}

#[test]
fn a_table_in_a_file_is_the_table_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("g.tbl");
    let builder = || {
        let mut builder = TableBuilder::new(vec!["one".into()], vec!["X".into()]).unwrap();
        for word in 3..8 {
            let side = [Symbol::word(word)];
            let features = [-f32::from(word as u8)];
            builder
                .push(&Rule {
                    lhs: 0,
                    source: &side,
                    target: &side,
                    features: &features,
                    links: &[[0, 0]],
                    counts: [0.0; 3],
                })
                .unwrap();
        }
        builder
    };
    builder().write(&path, &words(), &words()).unwrap();
    let (mapped, built) =
        (Table::open(&path, Verify::Structure).unwrap(), builder().build(&words(), &words()).unwrap());
    assert!(!mapped.has_counts());
    for rule in 0..5 {
        assert_eq!(mapped.features(rule), built.features(rule));
    }
    let bytes = std::fs::read(&path).unwrap();
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(Container::from_bytes(&bytes[..cut], None, Verify::Full).is_err());
    }
}
