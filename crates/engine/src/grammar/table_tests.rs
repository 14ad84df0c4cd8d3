//! Tables against plain maps of rules.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use proptest::prelude::*;

use super::table::{KIND, VERSION};
use super::{Rule, Side, Symbol, Table, TableBuilder};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::reseal::reseal;
use crate::files::{Container, ContainerWriter, Verify};

const WORDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn words() -> Vocabulary {
    Vocabulary::from_words(WORDS).unwrap()
}

fn features(table: &Table, rule: u32) -> Vec<f32> {
    let mut values = Vec::new();
    table.features(rule, &mut values);
    values
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
                let last = [(source.len() - 1) as u8, (target.len() - 1) as u8];
                prop_assert_eq!(table.side(rule), Side { lhs: 1, target: target.clone(), links: vec![last] });
                prop_assert_eq!(features(&table, rule), &[*value, 1.0]);
                prop_assert_eq!([table.feature(rule, 0), table.feature(rule, 1)], [*value, 1.0]);
                prop_assert_eq!(table.weighted(rule, &[2.0, 0.5]), 2.0 * value + 0.5);
                prop_assert_eq!(table.counts(rule), [1.0, 2.0, *value]);
                let mut found = Vec::new();
                table.source(rule, &mut found);
                prop_assert_eq!(&found, source);
            }
        }
        let mut walked = Vec::new();
        table.each_source(|node, source| {
            walked.extend(table.rules(node).map(|_| source.to_vec()));
            Ok(())
        }).unwrap();
        let in_order: Vec<Vec<Symbol>> = wanted.iter().flat_map(|(source, all)| all.iter().map(|_| source.clone())).collect();
        prop_assert_eq!(walked, in_order);
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
        assert_eq!(features(&mapped, rule), features(&built, rule));
        assert_eq!(mapped.side(rule), built.side(rule));
    }
    let bytes = std::fs::read(&path).unwrap();
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(Container::from_bytes(&bytes[..cut], None, Verify::Full).is_err());
    }
}

/// A table of some hundred rules with gaps and features of many values.
fn large(quantised: bool) -> Vec<u8> {
    static MADE: [OnceLock<Vec<u8>>; 2] = [OnceLock::new(), OnceLock::new()];
    MADE[usize::from(quantised)].get_or_init(|| make_large(quantised)).clone()
}

fn make_large(quantised: bool) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("g.tbl");
    let mut builder = TableBuilder::new(vec!["one".into(), "two".into()], vec!["X".into(), "S".into()]).unwrap();
    if quantised {
        builder.quantise();
    }
    let mut number = 0_u32;
    for first in 3..8 {
        for second in 3..8 {
            let source = [Symbol::word(first), Symbol::nonterminal(0), Symbol::word(second)];
            for word in 0..40 {
                number += 1;
                let target = [Symbol::word(3 + word % 5), Symbol::nonterminal(0)];
                let row = [-(number as f32).ln(), f32::from((number % 3) as u8)];
                let counts = [1.0, 40.0, number as f32];
                let links = &[[0, 0], [2, 0]][..(number % 3) as usize];
                builder
                    .push(&Rule { lhs: 0, source: &source, target: &target, features: &row, links, counts })
                    .unwrap();
            }
        }
    }
    builder.write(&path, &words(), &words()).unwrap();
    std::fs::read(&path).unwrap()
}

fn opened(bytes: &[u8], verify: Verify) -> crate::Result<Table> {
    Table::from_container(&Container::from_bytes(bytes, Some(KIND), Verify::Structure)?, verify)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Columns of any widths, each read in the way that suits the widths of all.
    #[test]
    fn values_are_kept_and_weighted_whatever_lists_columns_have(
        sizes in prop::collection::vec(prop::sample::select(vec![1_u32, 2, 100, 128, 200, 256, 300, 512, 2000, 17_000]), 1..7),
    ) {
        let names = (0..sizes.len()).map(|at| format!("f{at}")).collect();
        let mut builder = TableBuilder::new(names, vec!["X".to_owned()]).unwrap();
        let count = sizes.iter().copied().max().unwrap_or(1);
        let row = |rule: u32| sizes.iter().map(|size| -((rule % size) as f32) / 7.0).collect::<Vec<f32>>();
        for rule in 0..count {
            let [source, target] = [[Symbol::word(3)], [Symbol::word(3 + rule % 5)]];
            let (features, counts) = (row(rule), [0.0; 3]);
            builder.push(&Rule { lhs: 0, source: &source, target: &target, features: &features, links: &[], counts }).unwrap();
        }
        let table = builder.build(&words(), &words()).unwrap();
        let weights: Vec<f32> = (1..).map(|at| at as f32 / 3.0).take(sizes.len()).collect();
        for rule in (0..count).step_by(1 + count as usize / 97) {
            let wanted = row(rule);
            prop_assert_eq!(&features(&table, rule), &wanted);
            let sum: f32 = wanted.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
            prop_assert_eq!(table.weighted(rule, &weights), sum);
        }
    }
}

#[test]
fn widths_that_only_together_fill_bytes_are_not_bytes() {
    // Numbers of 9, 8, 7 and 7 bits are four bytes, and their lists have as many values as four of 256.
    let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let mut builder = TableBuilder::new(names, vec!["X".to_owned()]).unwrap();
    let row = |rule: u32| [300, 200, 100, 100].map(|size| -((rule % size) as f32));
    for rule in 0..300 {
        let [source, target] = [[Symbol::word(3)], [Symbol::word(3 + rule % 5)]];
        let (features, counts) = (&row(rule)[..], [0.0; 3]);
        builder.push(&Rule { lhs: 0, source: &source, target: &target, features, links: &[], counts }).unwrap();
    }
    let table = builder.build(&words(), &words()).unwrap();
    for rule in 0..300 {
        assert_eq!(
            table.weighted(rule, &[1.0, 2.0, 4.0, 8.0]),
            row(rule).iter().zip([1.0, 2.0, 4.0, 8.0]).map(|(a, b)| a * b).sum()
        );
    }
}

#[test]
fn quantised_values_are_near_and_few_values_are_kept() {
    let (exact, near) = (large(false), large(true));
    assert!(near.len() < exact.len());
    let [exact, near] = [exact, near].map(|bytes| opened(&bytes, Verify::Full).unwrap());
    for rule in 0..exact.len() as u32 {
        let (wanted, found) = (features(&exact, rule), features(&near, rule));
        assert_eq!(wanted[1].to_bits(), found[1].to_bits());
        assert!((wanted[0] - found[0]).abs() < 0.1, "{wanted:?} {found:?}");
        assert_eq!(exact.side(rule), near.side(rule));
        assert_eq!(exact.counts(rule)[..2], near.counts(rule)[..2]);
        let (wanted, found) = (exact.counts(rule)[2], near.counts(rule)[2]);
        assert!((wanted - found).abs() <= 0.05 * wanted, "{wanted} {found}");
    }
}

#[test]
fn a_quantised_table_is_copied_without_further_loss() {
    let table = opened(&large(true), Verify::Full).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("again.tbl");
    super::filter::filter(&table, &["a b c d e a c e b d", "a a b b c c d d e e"], &path).unwrap();
    let again = Table::open(&path, Verify::Full).unwrap();
    again
        .each_source(|node, source| {
            let old = source.iter().try_fold(Table::ROOT, |node, &symbol| table.step(node, symbol)).unwrap();
            for (rule, old) in again.rules(node).zip(table.rules(old)) {
                assert_eq!(features(&again, rule), features(&table, old));
                assert_eq!(again.counts(rule), table.counts(old));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn an_older_version_is_refused_with_what_to_do() {
    let old = ContainerWriter::in_memory(KIND, VERSION - 1).unwrap().into_bytes().unwrap();
    let error = opened(&old, Verify::Structure).unwrap_err();
    assert!(error.what.contains("version 1") && error.hint.contains("tolka train"));
}

/// The rules that search sees at a node.
fn seen(table: &Table, node: u32, arity: usize) -> Vec<u32> {
    let (mut targets, mut target) = (table.targets(node, arity), Vec::new());
    std::iter::from_fn(|| targets.next(&mut target)).map(|(rule, _)| rule).collect()
}

#[test]
fn search_sees_no_rule_whose_gaps_are_not_those_of_its_source_side() {
    let mut table = opened(&large(false), Verify::Full).unwrap();
    let source = [Symbol::word(3), Symbol::nonterminal(0), Symbol::word(3)];
    let node = source.iter().try_fold(Table::ROOT, |node, &symbol| table.step(node, symbol)).unwrap();
    assert_eq!(seen(&table, node, 1), (0..40).collect::<Vec<_>>());
    for arity in [0, 2, 3, 99] {
        assert_eq!(seen(&table, node, arity), [0; 0]);
    }
    // The second rule, behind the three bytes and no links of the third: its gap becomes the other one, then a word.
    let mut sides = table.sides.to_vec();
    let second = sides.len() - {
        let mut rest = table.sides(0);
        rest.skip();
        rest.rest().len()
    };
    assert_eq!(sides[second + 2], 0);
    for (code, arity) in [(1, 2), (4, 0)] {
        sides[second + 2] = code;
        table.sides = sides.clone().into();
        assert_eq!(seen(&table, node, 1), [0].into_iter().chain(2..40).collect::<Vec<_>>());
        assert_eq!(seen(&table, node, arity), if code == 4 { vec![1] } else { vec![] });
    }
    // Bytes that are no rule end what can be read.
    sides[second] = 1;
    table.sides = sides.into();
    assert_eq!(seen(&table, node, 1), [0]);
}

/// Reads whatever can be asked of a table.
fn read_all(table: &Table) -> usize {
    let mut walked = 0;
    table
        .each_source(|node, source| {
            walked += table.rules(node).len().min(1 << 12) + source.len();
            let mut again = Vec::new();
            table.source_of_node(node, &mut again);
            for rule in table.rules(node).take(1 << 12) {
                let _ = (super::pattern::source(table, rule), super::pattern::target(table, rule));
            }
            Ok(())
        })
        .unwrap();
    for node in 0..table.nodes().min(200) as u32 {
        for arity in 0..=super::table::MOST_ARITY {
            let (mut targets, mut target) = (table.targets(node, arity), Vec::new());
            while targets.next(&mut target).is_some_and(|(rule, _)| (rule as usize) < table.len()) {
                assert_eq!(target.iter().filter(|symbol| symbol.is_nonterminal()).count(), arity);
                target.clear();
                walked += 1;
            }
        }
    }
    for rule in 0..table.len().min(2000) as u32 {
        walked += table.side(rule).target.len() + features(table, rule).len() + table.counts(rule).len();
    }
    for node in 0..table.nodes().min(2000) as u32 {
        for symbol in (0..9).map(Symbol::word).chain([Symbol::nonterminal(0)]) {
            walked += table.step(node, symbol).map_or(0, |next| next as usize);
        }
    }
    walked
}

proptest! {
    #[test]
    fn a_damaged_table_is_refused_or_read_without_harm(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        quantised: bool,
    ) {
        let mut bytes = large(quantised);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // Without this the checksums tell.
        reseal(&mut bytes);
        if let Ok(table) = opened(&bytes, Verify::Structure) {
            read_all(&table);
        }
        let _ = opened(&bytes, Verify::Full).map(|table| read_all(&table));
    }
}
