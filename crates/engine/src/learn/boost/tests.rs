//! Worked numbers, brute force, and what has to hold for all examples.

use std::f64::consts::LN_2;

use proptest::collection::vec;
use proptest::prelude::*;

use super::columns::{Columns, Sums};
use super::loss::{Weighed, line_search};
use super::split::Leaf;
use super::*;
use crate::Kind;
use crate::threads::with_threads;

/// Two sets of symbols, a single symbol and two numbers.
const FIELDS: [Field; 5] =
    [Field::symbols(0, 3), Field::number(3), Field::symbols(4, 1), Field::number(6), Field::symbols(7, 2)];
const SLOTS: usize = 9;

pub(super) fn row() -> impl Strategy<Value = Vec<u32>> {
    let number = prop_oneof![
        8 => (-4..4_i8).prop_map(f32::from),
        4 => -1.0..1.0_f32,
        2 => Just(f32::NAN),
        1 => prop_oneof![Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(-0.0)],
    ];
    (vec(0..5_u32, 6), vec(number, 2), 0..3_u32).prop_map(|(symbols, numbers, unused)| {
        let [first, second] = [numbers[0].to_bits(), numbers[1].to_bits()];
        let mut row = symbols[..3].to_vec();
        row.extend([first, symbols[3], unused, second, symbols[4], symbols[5]]);
        row
    })
}

pub(super) fn examples(most: usize) -> impl Strategy<Value = Examples<'static>> {
    let one = (row(), any::<bool>(), 0.0..2.0_f64, -1.5..1.5_f64);
    (vec(one, 0..most), any::<bool>(), any::<bool>()).prop_map(|(all, weighed, offset)| {
        let mut examples = Examples::new(&FIELDS);
        let total: f64 = all.iter().map(|(.., weight, _)| weight).sum();
        for (row, label, ..) in &all {
            examples.push(row, *label);
        }
        if weighed {
            examples.weights = all.iter().map(|(.., weight, _)| weight / total).collect();
        }
        examples.offsets = offset.then(|| all.iter().map(|(.., offset)| *offset).collect());
        examples
    })
}

pub(super) fn settings() -> impl Strategy<Value = Settings> {
    let sizes = (0.1..0.5_f64, 0.3..0.8_f64, 0.005..0.05_f64, proptest::option::of(0..4_u32));
    (sizes, prop_oneof![Just(0_usize), 2..6_usize], 0..30_usize).prop_map(|(sizes, bins, exact)| Settings {
        start: sizes.0,
        decay: sizes.1,
        least: sizes.2,
        tolerance: 1e-3,
        max_depth: sizes.3,
        trees_per_penalty: 8,
        bins,
        exact,
        ..Settings::default()
    })
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs())
}

fn weighed(label: bool, bias: f64, score: f64) -> Weighed {
    Weighed { bias, label, score, odds: if label { score } else { -score }.exp() }
}

#[test]
fn costs_are_as_worked_out() {
    assert!(close(cost(0.0), LN_2));
    assert!((cost(4_f64.ln()) - 0.2231).abs() < 5e-5);
    assert_eq!((cost(1e4), cost(-1e4)), (0.0, 1e4));
    assert!(cost(700.0) > 0.0);
}

#[test]
fn a_leaf_has_its_closed_form() {
    assert!(close(best_step(0.5, 0.0, 0.0, 0.1), 4_f64.ln()));
    assert!(close(best_step(0.0, 0.5, 0.0, 0.1), -4_f64.ln()));
    assert_eq!(best_step(0.5, 0.31, 0.0, 0.1), 0.0);
    let all = [(true, 0.3), (false, 0.1), (true, 0.2)].map(|(label, bias)| weighed(label, bias, 0.25));
    let found = line_search(&all.into_iter(), 0.05, 0.0);
    assert!(close(found, (0.45_f64 / 0.15).ln() - 0.25), "{found}");
}

/// Examples of one symbol, which is there or not.
fn single(all: &[(bool, bool)]) -> Examples<'static> {
    const ONE: [Field; 1] = [Field::symbols(0, 1)];
    let mut examples = Examples::new(&ONE);
    all.iter().for_each(|&(there, label)| examples.push(&[u32::from(there)], label));
    examples
}

#[test]
fn gradients_and_gains_are_as_worked_out() {
    let examples = single(&[(true, true), (true, true), (false, false), (false, true)]);
    let pulls: Vec<f64> = examples.labels.iter().map(|&label| super::loss::pull(0.25, label, 0.0)).collect();
    assert_eq!(pulls, [0.125, 0.125, -0.125, 0.125]);
    let sums = [pulls.iter().sum::<f64>(), pulls[..2].iter().sum(), pulls[2..].iter().sum()];
    assert_eq!(sums, [0.25, 0.25, 0.0]);
    assert_eq!(sums.map(|sum| (gain(sum, 0.1) * 1e9).round()), [0.15e9, 0.15e9, 0.0]);
    // Both sides together gain no more than all, so nothing is split, and the root is a bias.
    let settings = Settings { start: 0.1, least: 0.1, trees_per_penalty: 1, ..Settings::default() };
    let ensemble = train(&examples, &settings, None).unwrap();
    assert_eq!(ensemble.nodes, [Node::leaf()]);
    assert!(close(ensemble.weights[0], (0.65_f64 / 0.35).ln()));
}

#[test]
fn a_high_penalty_learns_nothing() {
    let examples = single(&[(true, true), (true, true), (false, false)]);
    for (start, trees) in [(0.5, false), (0.7, false), (0.16, true)] {
        let settings = Settings { start, least: start, ..Settings::default() };
        let ensemble = train(&examples, &settings, None).unwrap();
        assert_eq!(!ensemble.roots.is_empty(), trees, "{start}");
        assert_eq!(ensemble.snapshots.len(), 1);
    }
    let all_right = single(&[(true, true)]);
    let settings = Settings { start: 0.5, least: 0.5, ..Settings::default() };
    assert!(train(&all_right, &settings, None).unwrap().roots.is_empty());
}

/// The tree of Galron 2012, figure 4.5: x and y, x and not y and z, x and neither.
fn figure() -> Ensemble {
    let fields = vec![Field::symbols(0, 1), Field::symbols(1, 1), Field::number(2)];
    let ask = |field, value, yes, no| Node { field, value, yes, no };
    let nodes = vec![
        ask(0, 1, 1, 6),
        ask(1, 1, 2, 3),
        Node::leaf(),
        ask(2, 0.5_f32.to_bits(), 4, 5),
        Node::leaf(),
        Node::leaf(),
        Node::leaf(),
    ];
    let weights = vec![0.0, 0.05, 0.1, 0.02, 0.25, -0.25, 0.0];
    Ensemble::from_parts(fields, nodes, weights, vec![0], vec![Snapshot { penalty: 0.1, trees: 1 }]).unwrap()
}

#[test]
fn leaves_of_a_tree_are_as_drawn() {
    let ensemble = figure();
    let score = |x: u32, y: u32, z: f32| ensemble.score(&[x, y, z.to_bits()], 0);
    assert_eq!([score(1, 1, 0.0), score(1, 0, 1.0), score(1, 0, 0.0), score(0, 1, 1.0)], [0.1, 0.25, -0.25, 0.0]);
    assert_eq!(score(1, 0, f32::NAN), -0.25);
    let mass = ensemble.mass(0);
    let near = |found: &[f64], wanted: &[f64]| found.iter().zip(wanted).all(|(&one, &other)| close(one, other));
    assert!(near(&mass.positive, &[0.0, 0.05, 0.23]), "{mass:?}");
    assert!(near(&mass.negative, &[0.0, 0.0, 0.27]), "{mass:?}");
    assert!(close(mass.shares().positive.iter().sum(), 1.0));
    assert_eq!([0.2, 0.1, 0.05].map(|penalty| ensemble.snapshot(penalty)), [None, Some(0), Some(0)]);
}

#[test]
fn the_path_halves() {
    let penalties: Vec<f64> = Settings::default().penalties().collect();
    assert_eq!(penalties.len(), 10);
    assert_eq!((penalties[0], penalties[6], penalties[9]), (0.375, 3.0 / 512.0, 3.0 / 4096.0));
}

#[test]
fn what_makes_no_sense_is_said() {
    let good = Settings::default();
    let bad = [
        Settings { start: 0.0, ..good.clone() },
        Settings { least: 0.4, ..good.clone() },
        Settings { least: f64::NAN, ..good.clone() },
        Settings { decay: 1.0, ..good.clone() },
        Settings { decay: 0.9999, ..good.clone() },
        Settings { tolerance: -1.0, ..good.clone() },
        Settings { bins: 256, ..good.clone() },
    ];
    for settings in bad {
        assert_eq!(train(&single(&[]), &settings, None).unwrap_err().kind, Kind::Settings, "{settings:?}");
    }
    let fine = single(&[(true, true), (false, false)]);
    let wrong = |change: fn(&mut Examples<'_>)| {
        let mut examples = fine.clone();
        change(&mut examples);
        train(&examples, &Settings::default(), None).unwrap_err().kind
    };
    assert_eq!(wrong(|examples| examples.rows.push(1)), Kind::Input);
    assert_eq!(wrong(|examples| examples.weights = vec![1.0]), Kind::Input);
    assert_eq!(wrong(|examples| examples.weights = vec![1.0, -1.0]), Kind::Input);
    assert_eq!(wrong(|examples| examples.offsets = Some(vec![f64::NAN, 0.0])), Kind::Input);
    let none = train(&single(&[]), &Settings::default(), None).unwrap();
    assert_eq!((none.roots.len(), none.snapshots.len()), (0, 10));
    assert_eq!(train(&fine, &Settings::default(), Some(&figure())).unwrap_err().kind, Kind::Settings);
}

#[test]
fn threads_do_not_matter_and_bins_hardly() {
    let fields = [Field::number(0), Field::number(1), Field::symbols(2, 1)];
    let mut drawn = crate::random::Random::new([1, 2, 3]);
    let mut examples = Examples::new(&fields);
    for _ in 0..30_000 {
        let numbers = [drawn.below(200) as f32, drawn.below(100) as f32];
        let symbol = drawn.below(50) as u32;
        let label = numbers[0] - numbers[1] + symbol as f32 + 40.0 * drawn.uniform() > 60.0;
        examples.push(&[numbers[0].to_bits(), numbers[1].to_bits(), symbol], label);
    }
    let settings = Settings { least: 0.01, max_depth: Some(3), trees_per_penalty: 3, ..Settings::default() };
    let made = |threads, bins| {
        let settings = Settings { bins, ..settings.clone() };
        with_threads(threads, || train(&examples, &settings, None)).unwrap().unwrap()
    };
    let one = made(1, 255);
    assert!(one.roots.len() > 3);
    assert_eq!(one, made(3, 255));
    // There are fewer than 255 numbers, so that no threshold of the root is lost.
    let exact = made(2, 0);
    assert_eq!(one.nodes[0], exact.nodes[0]);
    assert!((one.risks.last().unwrap().2 - exact.risks.last().unwrap().2).abs() < 1e-3);
}

proptest! {
    #[test]
    fn line_search_finds_the_bottom(
        all in vec((any::<bool>(), 0.0..1.0_f64, -9.0..9.0_f64), 1..20), penalty in 0.001..0.5_f64,
        guess in -3.0..3.0_f64,
    ) {
        let all: Vec<Weighed> = all.iter().map(|&(label, bias, score)| weighed(label, bias, score)).collect();
        let risk = |step: f64| {
            let each = all.iter().map(|one| {
                let score = one.score + step;
                one.bias * cost(if one.label { score } else { -score })
            });
            each.sum::<f64>() + penalty * step.abs()
        };
        let step = line_search(&all.iter().copied(), penalty, guess);
        for by in [1e-4, 1e-2, 1.0] {
            prop_assert!(risk(step) <= risk(step + by) + 1e-14 && risk(step) <= risk(step - by) + 1e-14, "{step}");
        }
    }

    #[test]
    fn the_best_test_is_the_best_of_all(
        examples in examples(30), penalty in 0.0..0.2_f64, pulls in vec(-1.0..1.0_f64, 30), tree in 0_usize..5,
    ) {
        let pulls = &pulls[..examples.len()];
        let inside: Vec<u32> = (0..examples.len() as u32).filter(|at| at % 3 > 0).collect();
        let total = inside.iter().map(|&at| pulls[at as usize]).sum();
        let columns = Columns::new(&examples, &(0..examples.len() as u32).collect::<Vec<_>>(), 0);
        let mut sums = Sums::default();
        sums.clear(columns.len());
        (0..examples.len() as u32).for_each(|at| sums.add(columns.row(at), pulls[at as usize]));
        let outside = (0..examples.len() as u32).filter(|at| at % 3 == 0);
        outside.for_each(|at| sums.remove(columns.row(at), pulls[at as usize]));
        let (narrow, kept) = columns.narrowed(inside.iter().copied(), &sums);
        let wide = Leaf { columns: &columns, sums: &sums, total, penalty, slack: 1e-12, tree };
        let leaf = Leaf { columns: &narrow, sums: &kept, ..wide };
        // A test that all pass, or none, gains as much as no test.
        let least = gain(total, penalty);
        let found = leaf.best(least);
        let same = wide.best(least);
        prop_assert_eq!(found.map(|split| (split.field, split.value)), same.map(|split| (split.field, split.value)));
        let mut most = least;
        for (field, at) in (0..FIELDS.len()).flat_map(|field| inside.iter().map(move |&at| (field, at as usize))) {
            for &slot in FIELDS[field].of(examples.row(at)) {
                // Thresholds at the numbers themselves, and below all of them.
                for value in [slot, f32::NEG_INFINITY.to_bits()].into_iter().filter(|&value| FIELDS[field].allows(value)) {
                    let passes = |at: u32| FIELDS[field].passes(FIELDS[field].of(examples.row(at as usize)), value);
                    let sum: f64 = inside.iter().filter(|&&at| passes(at)).map(|&at| pulls[at as usize]).sum();
                    most = most.max(gain(sum, penalty) + gain(total - sum, penalty));
                }
            }
        }
        prop_assert!((found.map_or(least, |split| split.gain) - most).abs() < 1e-9, "{found:?} {most}");
        if let Some(split) = found {
            let field = FIELDS[split.field as usize];
            let passes = |at: &&u32| field.passes(field.of(examples.row(**at as usize)), split.value);
            let by_cell = |row: usize| narrow.passes(row as u32, split.field as usize, split.cell);
            prop_assert!(inside.iter().enumerate().all(|(row, at)| by_cell(row) == passes(&at)));
            let sum: f64 = inside.iter().filter(passes).map(|&at| pulls[at as usize]).sum();
            prop_assert!(close(gain(sum, penalty) + gain(total - sum, penalty), split.gain));
        }
    }

    #[test]
    fn risk_falls_and_is_what_it_says(examples in examples(40), settings in settings()) {
        let made = train(&examples, &settings, None).unwrap();
        let again = Ensemble::from_parts(
            made.fields.clone(), made.nodes.clone(), made.weights.clone(), made.roots.clone(), made.snapshots.clone(),
        );
        prop_assert!(again.is_ok(), "{again:?}");
        prop_assert_eq!(made.snapshots.len(), settings.penalties().count());
        for two in made.risks.windows(2) {
            prop_assert!(two[0].2 > two[1].2 || two[1].0 < two[0].0);
        }
        for (at, snapshot) in made.snapshots.iter().enumerate() {
            let end = made.roots.get(snapshot.trees as usize).map_or(made.nodes.len(), |&root| root as usize);
            let leaves = made.nodes[..end].iter().zip(&made.weights).filter(|(node, _)| node.is_leaf());
            let size: f64 = leaves.map(|(_, weight)| weight.abs()).sum();
            let loss: f64 = (0..examples.len()).map(|example| {
                let offset = examples.offsets.as_ref().map_or(0.0, |offsets| offsets[example]);
                let score = offset + made.score(examples.row(example), at);
                examples.bias(example) * cost(if examples.labels[example] { score } else { -score })
            }).sum();
            let said = made.risks.iter().rfind(|(penalty, ..)| *penalty == snapshot.penalty).unwrap();
            prop_assert!(close(loss + snapshot.penalty * size, said.2));
            prop_assert_eq!(snapshot.trees, said.1);
        }
    }

    #[test]
    fn what_is_known_can_be_asked_before(
        examples in examples(40), settings in settings(), known in vec(any::<bool>(), 5), rows in vec(row(), 1..10),
    ) {
        let made = train(&examples, &settings, None).unwrap();
        let mut reused = Residual::default();
        for row in &rows {
            for snapshot in 0..made.snapshots.len() {
                let ask = |field: usize| known[field].then(|| FIELDS[field].of(row));
                let residual = made.specialise(snapshot, ask);
                reused.fill(made.view(), snapshot, ask);
                prop_assert!(residual.nodes.iter().all(|node| node.is_leaf() || !known[node.field as usize]));
                prop_assert_eq!(residual.is_constant() || known.contains(&false), true);
                // Other rows may differ in what is not known.
                for other in &rows {
                    let mut mixed = other.clone();
                    for (field, _) in FIELDS.iter().zip(&known).filter(|(_, known)| **known) {
                        let slots = field.first()..field.first() + field.width();
                        mixed[slots.clone()].copy_from_slice(&row[slots]);
                    }
                    prop_assert!(close(residual.score(other), made.score(&mixed, snapshot)));
                    prop_assert_eq!(residual.score(other), reused.score(other));
                }
            }
        }
    }

    #[test]
    fn training_goes_on_where_it_was(examples in examples(40), settings in settings()) {
        // Penalties that are halved over and over are the same wherever one begins.
        let settings = Settings { start: 0.25, decay: 0.5, least: 0.25 / 16.0, ..settings };
        let whole = train(&examples, &settings, None).unwrap();
        let begun = train(&examples, &Settings { least: 0.0625, ..settings.clone() }, None).unwrap();
        let goes_on = train(&examples, &Settings { start: 0.03125, ..settings.clone() }, Some(&begun)).unwrap();
        prop_assert_eq!(&begun.nodes[..], &whole.nodes[..begun.nodes.len()]);
        let mut cut = whole.clone();
        cut.truncate(2);
        prop_assert_eq!((&cut.nodes, &cut.roots, &cut.snapshots), (&begun.nodes, &begun.roots, &begun.snapshots));
        prop_assert_eq!(goes_on.snapshots.len(), whole.snapshots.len());
        prop_assert_eq!(&goes_on.nodes[..begun.nodes.len()], &begun.nodes[..]);
        let (one, other) = (whole.risks.last().unwrap().2, goes_on.risks.last().unwrap().2);
        prop_assert!(close(one, other), "{} {}", one, other);
    }

    #[test]
    fn many_are_trained_as_one_by_one(all in vec(examples(12), 0..6), settings in settings()) {
        let keyed: Vec<_> = all.into_iter().enumerate().map(|(at, each)| (at as u64 * 7 % 5 * 10 + at as u64, each)).collect();
        let made = |threads| with_threads(threads, || train_all(&FIELDS, &keyed, &settings, None)).unwrap().unwrap();
        let (one, several) = (made(1), made(3));
        prop_assert_eq!(one.len(), keyed.len());
        prop_assert!(one.keys().is_sorted());
        for (key, examples) in &keyed {
            let alone = train(examples, &settings, None).unwrap();
            for classifiers in [&one, &several] {
                let mut found = classifiers.get(*key).unwrap().to_ensemble();
                found.risks.clone_from(&alone.risks);
                prop_assert_eq!(&found, &alone);
            }
        }
        prop_assert!(one.get(3).is_none());
        let again = train_all(&FIELDS, &keyed[..keyed.len() / 2], &settings, Some(&one)).unwrap();
        prop_assert_eq!(again.keys(), one.keys());
    }
}

#[test]
fn rows_of_the_tests_fit() {
    assert_eq!(slots(&FIELDS), SLOTS);
    let twice = [(1, single(&[])), (1, single(&[]))];
    assert_eq!(train_all(single(&[]).fields, &twice, &Settings::default(), None).unwrap_err().kind, Kind::Input);
}

#[test]
fn a_coarser_classifier_is_an_offset() {
    let mut examples = single(&[(true, true), (true, true), (false, false), (false, false)]);
    let coarse = train(&examples, &Settings::default(), None).unwrap();
    let last = coarse.snapshots.len() - 1;
    examples.back_off(coarse.view(), last);
    let offsets = examples.offsets.clone().unwrap();
    assert_eq!(offsets[0], coarse.score(&[1], last));
    // What the coarser one knows needs no trees.
    assert!(train(&examples, &Settings::default(), None).unwrap().roots.is_empty());
}

/// With the odds of all labels taken as given, a symbol that tells nothing teaches nothing, and one that does as much as before.
#[test]
fn the_prior_is_not_learnt_again() {
    let settings = Settings { least: 0.01, ..Settings::default() };
    let mut even = single(&[(true, true), (true, true), (true, true), (true, false)]);
    even.offset_by_prior();
    let prior = even.offsets.as_ref().unwrap()[0];
    assert!(close(prior, 3_f64.ln()), "{prior}");
    assert!(train(&even, &settings, None).unwrap().roots.is_empty());
    let mut told = single(&[(true, true), (true, true), (false, false), (false, false)]);
    told.offset_by_prior();
    let made = train(&told, &settings, None).unwrap();
    assert!(made.score(&[1], usize::MAX) > 0.5 && made.score(&[0], usize::MAX) < -0.5);
    let mut none = single(&[]);
    none.offset_by_prior();
    assert_eq!(none.offsets, None);
}
