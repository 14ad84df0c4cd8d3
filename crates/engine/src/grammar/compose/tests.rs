//! The worked examples, and random tables against enumeration.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::legs::{compose_links, orient};
use super::walk::ComposedWalk;
use super::{Composed, FixedSettings, How, Lexical, Limits, Sum, compose_tables};
use crate::Result;
use crate::corpus::vocabulary::Vocabulary;
use crate::grammar::score::{CATEGORIES, FEATURES};
use crate::grammar::source::{RuleList, RuleSource, Walk};
use crate::grammar::{Rule, Symbol, Table, TableBuilder, pattern};

/// Rules as text, with the features of each.
type Text<'t> = (&'t str, &'t str, Vec<f32>);

/// A table of rules; every word is linked with the one at its place.
fn table(rules: &[(String, String, Vec<f32>)], names: &[&str]) -> Table {
    let words = |side: usize| {
        let all = rules.iter().flat_map(|rule| [&rule.0, &rule.1][side].split(' '));
        let mut words: Vec<&str> = all.filter(|word| !word.starts_with('[')).collect();
        words.sort_unstable();
        words.dedup();
        Vocabulary::from_words(words).unwrap()
    };
    let (source, target) = (words(0), words(1));
    let symbols = |side: &str, words: &Vocabulary, is_target: bool| -> Vec<Symbol> {
        let one = |word: &str| match word.strip_prefix("[X,") {
            Some(place) if is_target => Symbol::nonterminal(place[..1].parse::<u32>().unwrap() - 1),
            Some(_) => Symbol::nonterminal(0),
            None => Symbol::word(words.id(word)),
        };
        side.split(' ').map(one).collect()
    };
    let mut made: Vec<(Vec<Symbol>, Vec<Symbol>, &[f32])> = rules
        .iter()
        .map(|(from, to, features)| (symbols(from, &source, false), symbols(to, &target, true), &features[..]))
        .collect();
    made.sort_by(|a, b| a.0.cmp(&b.0));
    let names = names.iter().map(|&name| name.to_owned()).collect();
    let mut builder = TableBuilder::new(names, CATEGORIES.map(str::to_owned).to_vec()).unwrap();
    for (from, to, features) in &made {
        let linked = |at: usize| !from[at].is_nonterminal() && !to[at].is_nonterminal();
        let links: Vec<[u8; 2]> =
            (0..from.len().min(to.len())).filter(|&at| linked(at)).map(|at| [at as u8; 2]).collect();
        builder.push(&Rule { lhs: 0, source: from, target: to, features, links: &links, counts: [0.0; 3] }).unwrap();
    }
    builder.build(&source, &target).unwrap()
}

fn rules(text: &[Text<'_>]) -> Vec<(String, String, Vec<f32>)> {
    text.iter().map(|(from, to, features)| ((*from).to_owned(), (*to).to_owned(), features.clone())).collect()
}

fn scored(text: &[(&str, &str, f32)]) -> Table {
    let all: Vec<Text<'_>> = text.iter().map(|&(from, to, score)| (from, to, vec![score])).collect();
    table(&rules(&all), &["score"])
}

fn composed(first: Table, second: Table, how: How, limits: Limits) -> Result<Composed> {
    let legs: [(String, Arc<dyn RuleSource>); 2] =
        [("a".to_owned(), Arc::new(first)), ("b".to_owned(), Arc::new(second))];
    Composed::new(legs, how, limits, false)
}

/// What a source says of a source side, as text.
fn asked(source: &dyn RuleSource, side: &str, weights: &[f32]) -> Vec<(String, f32)> {
    let mut walk = source.walk();
    let mut state = walk.root();
    let mut arity = 0;
    for word in side.split(' ') {
        let symbol = if word.starts_with('[') {
            arity += 1;
            Symbol::nonterminal(0)
        } else {
            Symbol::word(source.source_words().find(word).unwrap())
        };
        match walk.step(state, symbol) {
            Some(next) => state = next,
            None => return Vec::new(),
        }
    }
    let mut list = RuleList::default();
    let has = walk.has_rules(state);
    walk.rules(state, arity, weights, &mut list);
    assert_eq!(has, !list.rules.is_empty());
    let shown = |one: &crate::grammar::source::Listed| {
        let dot: f32 = (0..weights.len()).map(|at| weights[at] * walk.feature(one.rule, at)).sum();
        assert!((dot - one.score).abs() < 1e-4, "{dot} {}", one.score);
        let words: Vec<String> = list.target(one).iter().map(|&symbol| show(source, symbol)).collect();
        (words.join(" "), one.score)
    };
    list.rules.iter().map(shown).collect()
}

fn show(source: &dyn RuleSource, symbol: Symbol) -> String {
    match symbol.as_nonterminal() {
        Some(place) => format!("[X,{}]", place + 1),
        None => source.target_words().word(symbol.as_word().unwrap()).to_owned(),
    }
}

fn legs() -> (Table, Table) {
    let first = [("f", "i1", -0.5), ("f", "i2", -1.2), ("f", "i3", -2.0)];
    let second = [("i1", "e1", -1.0), ("i1", "e2", -1.4), ("i2", "e2", -0.35), ("i2", "e3", -0.9), ("i4", "e1", -0.1)];
    (scored(&first), scored(&second))
}

fn close(found: &[(String, f32)], wanted: &[(&str, f32)]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for ((text, score), (other, known)) in found.iter().zip(wanted) {
        assert!(text == other && (score - known).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn dynamic_triangulation_as_worked() {
    // Vector T-10.
    let made = |how, limits| {
        let (first, second) = legs();
        composed(first, second, how, limits).unwrap()
    };
    let best = made(How::Max, Limits::NONE);
    assert_eq!(best.feature_names(), ["a.score", "b.score"]);
    close(&asked(&best, "f", &[1.0, 1.0]), &[("e1", -1.5), ("e2", -1.55), ("e3", -2.1)]);
    close(&asked(&best, "f", &[0.8, 1.2]), &[("e2", -1.38), ("e1", -1.6), ("e3", -2.04)]);
    let two = made(How::Max, Limits { rules: 2, ..Limits::NONE });
    close(&asked(&two, "f", &[1.0, 1.0]), &[("e1", -1.5), ("e2", -1.55)]);
    let sum = made(How::Sum([vec![1.0], vec![1.0]]), Limits::NONE);
    assert_eq!(sum.feature_names(), ["through"]);
    close(&asked(&sum, "f", &[1.0]), &[("e2", -1.016_618), ("e1", -1.5), ("e3", -2.1)]);
}

#[test]
fn no_more_is_looked_at_than_is_wanted() {
    // Vector T-10: the third of the four ways is another one to e2.
    for (rules, taken) in [(1, 1), (2, 2), (3, 4), (0, 4)] {
        let (first, second) = legs();
        let made = composed(first, second, How::Max, Limits { rules, ..Limits::NONE }).unwrap();
        let mut walk = ComposedWalk::new(&made);
        let state = walk.step(walk.root(), Symbol::word(made.source_words().find("f").unwrap())).unwrap();
        walk.rules(state, 0, &[1.0, 1.0], &mut RuleList::default());
        assert_eq!(walk.taken(), taken);
    }
}

#[test]
fn gaps_go_through_the_pivot() {
    // Vector T-11.
    let first = || scored(&[("[X,1] f [X,2]", "[X,2] i [X,1]", -1.0)]);
    for (target, wanted) in [("[X,1] e [X,2]", "[X,2] e [X,1]"), ("[X,2] e [X,1]", "[X,1] e [X,2]")] {
        let second = scored(&[("[X,1] i [X,2]", target, -2.0)]);
        let both = composed(first(), second, How::Max, Limits::NONE).unwrap();
        close(&asked(&both, "[X,1] f [X,2]", &[1.0, 1.0]), &[(wanted, -3.0)]);
    }
}

fn probabilities(text: &[(&str, &str, f32, f32)]) -> Table {
    let all: Vec<Text<'_>> = text
        .iter()
        .map(|&(from, to, forward, backward)| (from, to, [backward, backward, forward, forward].map(f32::ln).to_vec()))
        .collect();
    table(&rules(&all), &FEATURES)
}

fn worked() -> (Table, Table) {
    let first = probabilities(&[("f", "i1", 0.6, 0.5), ("f", "i2", 0.3, 0.8), ("f", "i3", 0.1, 1.0)]);
    let second = probabilities(&[
        ("i1", "e1", 0.7, 0.4),
        ("i1", "e2", 0.3, 0.25),
        ("i2", "e2", 0.9, 0.75),
        ("i2", "e3", 0.1, 1.0),
        ("i4", "e1", 1.0, 0.6),
    ]);
    (first, second)
}

const FIXED: FixedSettings =
    FixedSettings { sum: Sum::Sum, lexical: Lexical::Marginal, limits: Limits::NONE, floor: 1e-6, exact: true };

/// The composed table as text with p(e|f) and p(f|e), by a settings.
fn fixed(tables: (&Table, &Table), settings: FixedSettings) -> Vec<(String, String, f32, f32)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.tbl");
    compose_tables([("a", tables.0), ("b", tables.1)], settings, false, &path, &|_| true).unwrap();
    let made = Table::open(&path, crate::files::Verify::Full).unwrap();
    (0..made.len() as u32)
        .map(|rule| {
            let of = |column| made.feature(rule, column).exp();
            (pattern::source(&made, rule), pattern::target(&made, rule), of(2), of(0))
        })
        .collect()
}

#[test]
fn static_triangulation_as_worked() {
    // Vector T-9.
    let (first, second) = worked();
    let near = |found: Vec<(String, String, f32, f32)>, wanted: &[(&str, f32, Option<f32>)]| {
        assert_eq!(found.len(), wanted.len());
        for ((_, target, forward, backward), (name, known, other)) in found.iter().zip(wanted) {
            assert!(target == name && (forward - known).abs() < 1e-6, "{found:?}");
            assert!(other.is_none_or(|other| (backward - other).abs() < 1e-6), "{found:?}");
        }
    };
    let sums = fixed((&first, &second), FIXED);
    near(sums, &[("e2", 0.45, Some(0.725)), ("e1", 0.42, Some(0.2)), ("e3", 0.03, Some(0.8))]);
    let greatest = fixed((&first, &second), FixedSettings { sum: Sum::Max, ..FIXED });
    near(greatest, &[("e1", 0.42, Some(0.2)), ("e2", 0.27, Some(0.6)), ("e3", 0.03, Some(0.8))]);
    let two = fixed((&first, &second), FixedSettings { limits: Limits { rules: 2, ..Limits::NONE }, ..FIXED });
    near(two, &[("e2", 0.45, None), ("e1", 0.42, None)]);
}

#[test]
fn lexical_weights_of_composed_links() {
    let (first, second) = worked();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.tbl");
    let settings = FixedSettings { lexical: Lexical::Links, ..FIXED };
    compose_tables([("a", &first), ("b", &second)], settings, false, &path, &|_| true).unwrap();
    let made = Table::open(&path, crate::files::Verify::Full).unwrap();
    // f is linked with e1, e2, e3 by .42, .45, .03 of .9, each of which is linked with nothing else.
    for (rule, share) in [(0, 0.45), (1, 0.42), (2, 0.03)] {
        assert!((made.feature(rule, 3).exp() - share / 0.9).abs() < 1e-5);
        assert!((made.feature(rule, 1).exp() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn what_cannot_be_composed_says_why() {
    let apart = composed(scored(&[("f", "i", 0.0)]), scored(&[("j", "e", 0.0)]), How::Max, Limits::NONE);
    assert!(apart.unwrap_err().what.contains("share no word"));
    let (first, second) = legs();
    let odd = composed(first, second, How::Sum([vec![1.0], vec![]]), Limits::NONE);
    assert!(odd.unwrap_err().what.contains("0 weights for 1 features"));
    let (first, second) = legs();
    let same = [("a".to_owned(), Arc::new(first) as Arc<dyn RuleSource>), ("a".to_owned(), Arc::new(second))];
    assert!(Composed::new(same, How::Max, Limits::NONE, false).unwrap_err().what.contains("a.score"));
}

#[test]
fn rules_that_never_meet_are_known() {
    let first = || scored(&[("f", "i", -1.0), ("g h", "j k", -1.0)]);
    for (second, meets) in [(("i j", "e", 0.0), false), (("j k", "e", 0.0), true), (("i", "e", 0.0), true)] {
        let made = composed(first(), scored(&[second]), How::Max, Limits::NONE).unwrap();
        assert_eq!(made.meets(&first()), meets, "{second:?}");
    }
}

#[test]
fn words_of_another_case_meet() {
    let first = || scored(&[("f", "Haus", -1.0), ("g", "und", 0.0), ("h", "DAS", 0.0)]);
    let second = || scored(&[("haus", "e", -1.0), ("und", "o", 0.0), ("das", "a", 0.0), ("Das", "i", 0.0)]);
    let both = |recased| {
        let legs: [(String, Arc<dyn RuleSource>); 2] =
            [("a".to_owned(), Arc::new(first())), ("b".to_owned(), Arc::new(second()))];
        Composed::new(legs, How::Max, Limits::NONE, recased).unwrap()
    };
    // Nobody knows which of two is meant.
    assert_eq!((both(true).shared_words(), both(false).shared_words()), (2, 1));
    close(&asked(&both(true), "f", &[1.0, 1.0]), &[("e", -2.0)]);
    close(&asked(&both(false), "f", &[1.0, 1.0]), &[]);
}

#[test]
fn orientations_of_both_legs() {
    let logs = |probabilities: [f32; 3]| {
        let [a, b, c] = probabilities.map(f32::ln);
        [a, b, c, a, b, c]
    };
    let made = orient(logs([0.5, 0.3, 0.2]), logs([0.6, 0.3, 0.1])).map(f32::exp);
    let wanted = [0.5 * 0.6 + 0.3 * 0.3, 0.5 * 0.3 + 0.3 * 0.6];
    for side in [0, 3] {
        assert!((made[side] - wanted[0]).abs() < 1e-6 && (made[side + 1] - wanted[1]).abs() < 1e-6);
        assert!((made[side..side + 3].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn links_lead_through_the_pivot() {
    assert_eq!(compose_links(&[[0, 1], [1, 0], [2, 1]], &[[1, 0], [1, 2]]), [[0, 0], [0, 2], [2, 0], [2, 2]]);
}

/// Sides of words `{letter}{n}` and gaps.
fn side(letter: char) -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4).prop_map(move |at| format!("{letter}{at}")),
        (0..3, 0..3).prop_map(move |(at, other)| format!("{letter}{at} {letter}{other}")),
        (0..2).prop_map(move |at| format!("{letter}{at} [X,1]")),
        (0..2).prop_map(move |at| format!("[X,1] {letter}{at} [X,2]")),
    ]
}

/// As many gaps as the other side has, perhaps turned round.
fn pair(from: char, to: char) -> impl Strategy<Value = (String, String)> {
    (side(from), side(to), any::<bool>()).prop_map(move |(source, target, turned)| {
        let gaps = source.matches('[').count();
        let words: Vec<&str> = target.split(' ').filter(|word| !word.starts_with('[')).collect();
        let target = match (gaps, turned) {
            (0, _) => words.join(" "),
            (1, false) => format!("{} [X,1]", words[0]),
            (1, true) => format!("[X,1] {}", words[0]),
            (_, false) => format!("[X,1] {} [X,2]", words[0]),
            (_, true) => format!("[X,2] {} [X,1]", words[0]),
        };
        (source, target)
    })
}

fn drawn(from: char, to: char) -> impl Strategy<Value = Vec<(String, String, Vec<f32>)>> {
    let features = prop::collection::vec((-3.0_f32..0.0, -2.0_f32..0.0, -2.0_f32..0.0, -3.0_f32..0.0), 1..14);
    (prop::collection::vec(pair(from, to), 14), features).prop_map(|(sides, features)| {
        let all =
            sides.into_iter().zip(features).map(|((source, target), (a, b, c, d))| ((source, target), [a, b, c, d]));
        let distinct: BTreeMap<(String, String), [f32; 4]> = all.collect();
        distinct.into_iter().map(|((source, target), features)| (source, target, features.to_vec())).collect()
    })
}

type Ways = BTreeMap<(String, String), Vec<([f32; 8], bool)>>;

/// All ways through the pivot, by brute force over text.
fn ways(first: &[(String, String, Vec<f32>)], second: &[(String, String, Vec<f32>)]) -> Ways {
    let mut found: Ways = BTreeMap::new();
    for (source, pivot, own) in first {
        let mut places = Vec::new();
        let plain: Vec<String> = pivot
            .split(' ')
            .map(|word| match word.strip_prefix("[X,") {
                Some(place) => {
                    places.push(place[..1].to_owned());
                    format!("[X,{}]", places.len())
                }
                None => word.to_owned(),
            })
            .collect();
        for (other, target, more) in second.iter().filter(|rule| rule.0 == plain.join(" ")) {
            let turned: Vec<String> = target
                .split(' ')
                .map(|word| match word.strip_prefix("[X,") {
                    Some(place) => format!("[X,{}]", places[place[..1].parse::<usize>().unwrap() - 1]),
                    None => word.to_owned(),
                })
                .collect();
            let is_word = |side: &str, at: usize| side.split(' ').nth(at).is_some_and(|word| !word.starts_with('['));
            let linked =
                (0..3).any(|at| is_word(source, at) && is_word(pivot, at) && is_word(other, at) && is_word(target, at));
            let features: Vec<f32> = own.iter().chain(more).copied().collect();
            let key = (source.clone(), turned.join(" "));
            found.entry(key).or_default().push((features.try_into().unwrap(), linked));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn lazy_merging_is_brute_force(
        first in drawn('f', 'i'), second in drawn('i', 'e'), linked in any::<bool>(), most in 0_usize..4,
        weights in prop::collection::vec(0.1_f32..1.5, 8), forgets in any::<bool>(),
    ) {
        let tables = (table(&first, &FEATURES), table(&second, &FEATURES));
        let known = ways(&first, &second);
        let shared = first.iter().any(|rule| rule.1.split(' ').any(|word| {
            !word.starts_with('[') && second.iter().any(|other| other.0.split(' ').any(|one| one == word))
        }));
        let limits = Limits { rules: most, linked, ..Limits::NONE };
        let made = composed(tables.0, tables.1, How::Max, limits);
        if !shared {
            prop_assert!(made.is_err());
            return Ok(());
        }
        let made = made.unwrap();
        let sum = How::Sum([weights[..4].to_vec(), weights[4..].to_vec()]);
        let summed = composed(table(&first, &FEATURES), table(&second, &FEATURES), sum, limits).unwrap();
        let mut walk = ComposedWalk::with_memory(&made, if forgets { 0 } else { 1 << 20 });
        let sides: std::collections::BTreeSet<&String> = first.iter().map(|rule| &rule.0).collect();
        for source in sides {
            let asked_for = crate::grammar::source::Asked { words: &[], ordered: true, span: 10 };
            walk.begin(asked_for).unwrap();
            let dot = |features: &[f32; 8]| features.iter().zip(&weights).map(|(one, weight)| one * weight).sum::<f32>();
            let mut best: Vec<(f32, f32)> = known
                .iter()
                .filter(|((own, _), _)| own == source)
                .filter_map(|(_, ways)| {
                    let scores: Vec<f32> = ways.iter().filter(|way| way.1 || !linked).map(|way| dot(&way.0)).collect();
                    let greatest = scores.iter().copied().reduce(f32::max)?;
                    Some((greatest, scores.iter().map(|score| score.exp()).sum::<f32>().ln()))
                })
                .collect();
            let cut = if most == 0 { usize::MAX } else { most };
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            let found = asked(&made, source, &weights);
            prop_assert_eq!(found.len(), best.len().min(cut));
            for ((_, score), (wanted, _)) in found.iter().zip(&best) {
                prop_assert!((score - wanted).abs() < 1e-4);
            }
            best.sort_by(|a, b| b.1.total_cmp(&a.1));
            let found = asked(&summed, source, &[1.0]);
            prop_assert_eq!(found.len(), best.len().min(cut));
            for ((_, score), (_, wanted)) in found.iter().zip(&best) {
                prop_assert!((score - wanted).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn limits_keep_the_best(
        first in drawn('f', 'i'), second in drawn('i', 'e'), pivots in 0_usize..3, targets in 0_usize..3,
        weights in prop::collection::vec(0.1_f32..1.5, 8), linked in any::<bool>(),
    ) {
        let limits = Limits { pivots, targets, linked, rules: 0 };
        let Ok(made) = composed(table(&first, &FEATURES), table(&second, &FEATURES), How::Max, limits) else {
            return Ok(());
        };
        let dot = |features: &[f32], weights: &[f32]| -> f32 {
            features.iter().zip(weights).map(|(one, weight)| one * weight).sum()
        };
        let best = |limit: usize, mut scored: Vec<(f32, usize)>| {
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            scored.truncate(if limit == 0 { usize::MAX } else { limit });
            scored
        };
        for source in first.iter().map(|rule| &rule.0).collect::<std::collections::BTreeSet<_>>() {
            // Each rule of the first leg with the ways that lead on from it alone.
            let own: Vec<_> = first.iter().filter(|rule| rule.0 == *source).cloned().collect();
            let onwards = |rule: &(String, String, Vec<f32>)| -> Vec<(f32, String)> {
                let found = ways(std::slice::from_ref(rule), &second);
                let each = found.iter().flat_map(|((_, target), ways)| ways.iter().map(move |way| (way, target)));
                let kept = each.filter(|(way, _)| way.1 || !linked);
                let all: Vec<(f32, String)> = kept.map(|(way, to)| (dot(&way.0, &weights), to.clone())).collect();
                let order = all.iter().enumerate().map(|(at, way)| (way.0, at)).collect();
                best(targets, order).into_iter().map(|(_, at)| all[at].clone()).collect()
            };
            let leading = own.iter().enumerate().filter(|(_, rule)| !onwards(rule).is_empty());
            let scored = leading.map(|(at, rule)| (dot(&rule.2, &weights[..4]), at)).collect();
            let mut wanted: BTreeMap<String, f32> = BTreeMap::new();
            for (score, target) in best(pivots, scored).into_iter().flat_map(|(_, at)| onwards(&own[at])) {
                let known = wanted.entry(target).or_insert(f32::NEG_INFINITY);
                *known = known.max(score);
            }
            let found: BTreeMap<String, f32> = asked(&made, source, &weights).into_iter().collect();
            prop_assert!(found.keys().eq(wanted.keys()), "{:?} {:?}", found, wanted);
            prop_assert!(found.iter().all(|(target, score)| (score - wanted[target]).abs() < 1e-4));
        }
    }

    #[test]
    fn composed_tables_are_brute_force(first in drawn('f', 'i'), second in drawn('i', 'e'), greatest in any::<bool>()) {
        let tables = (table(&first, &FEATURES), table(&second, &FEATURES));
        let known = ways(&first, &second);
        prop_assume!(!known.is_empty());
        let sum = if greatest { Sum::Max } else { Sum::Sum };
        let found = fixed((&tables.0, &tables.1), FixedSettings { sum, ..FIXED });
        prop_assert_eq!(found.len(), known.len());
        for (source, target, forward, backward) in found {
            // Gaps of source sides have their numbers in order.
            let ways = &known[&(source, target)];
            for (column, got) in [(2, forward), (0, backward)] {
                let each = ways.iter().map(|(way, _)| (way[column] + way[column + 4]).exp());
                let wanted = if greatest { each.fold(0.0, f32::max) } else { each.sum::<f32>() };
                prop_assert!((got - wanted.clamp(1e-6, 1.0)).abs() < 1e-4, "{} {}", got, wanted);
            }
        }
    }

    #[test]
    fn chains_have_the_best_of_all_ways(
        first in drawn('f', 'i'), second in drawn('i', 'j'), third in drawn('j', 'e'),
    ) {
        let tables = || (table(&first, &FEATURES), table(&second, &FEATURES), table(&third, &FEATURES));
        let (a, b, c) = tables();
        let right = composed(b, c, How::Max, Limits::NONE);
        prop_assume!(right.is_ok());
        let legs: [(String, Arc<dyn RuleSource>); 2] =
            [("x".to_owned(), Arc::new(a)), (String::new(), Arc::new(right.unwrap()))];
        let chain = Composed::new(legs, How::Max, Limits::NONE, false);
        let (a, b, c) = tables();
        let left = composed(a, b, How::Max, Limits::NONE);
        prop_assume!(chain.is_ok() && left.is_ok());
        let legs: [(String, Arc<dyn RuleSource>); 2] =
            [(String::new(), Arc::new(left.unwrap())), ("x".to_owned(), Arc::new(c))];
        let other = Composed::new(legs, How::Max, Limits::NONE, false);
        prop_assume!(other.is_ok());
        let (chain, other) = (chain.unwrap(), other.unwrap());
        let weights = [1.0; 12];
        for source in first.iter().map(|rule| &rule.0) {
            let sorted = |made: &Composed| {
                let mut found = asked(made, source, &weights);
                found.sort_by(|a, b| a.0.cmp(&b.0));
                found
            };
            let (one, two) = (sorted(&chain), sorted(&other));
            prop_assert_eq!(one.len(), two.len());
            for (one, two) in one.iter().zip(&two) {
                prop_assert!(one.0 == two.0 && (one.1 - two.1).abs() < 1e-4);
            }
        }
    }
}
