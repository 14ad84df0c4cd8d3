//! Worked numbers: profiles, associations and similarities of five sentences, and labels on graphs of three and four nodes.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::threads::with_threads;

const LINES: [&str; 5] =
    ["the cat drinks milk", "the dog drinks water", "a cat eats fish", "a dog eats meat", "the feline drinks milk"];
const AROUND: Around = Around { window: 2, positional: false, contexts: 0, least: 1 };
const ALL: Which<'static> = Which::All { order: 1, least: 1 };

fn text<'a>(lines: impl IntoIterator<Item = &'a str>) -> Text {
    let mut text = Text::default();
    lines.into_iter().for_each(|line| text.add(line).unwrap());
    text
}

fn counted() -> Profiles {
    text(LINES).profiles(ALL, AROUND).unwrap()
}

fn node(profiles: &Profiles, name: &str) -> u32 {
    profiles.shape().nodes.find(name).unwrap()
}

fn value(profiles: &Profiles, row: &str, column: &str) -> f64 {
    let column = profiles.shape().contexts.find(column).unwrap();
    let row = node(profiles, row) as usize;
    profiles.row(row).find(|&(found, _)| found == column).map_or(0.0, |(_, value)| value)
}

fn weighed(measure: Measure) -> Profiles {
    counted().weigh(measure, Marginals::Text).unwrap()
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1.5e-6, "{found} is not {wanted}");
}

#[test]
fn counts_are_those_of_the_worked_example() {
    let counts = counted();
    assert_eq!(counts.shape().totals.iter().sum::<f64>(), 50.0);
    for (word, sum) in [("cat", 6.0), ("dog", 6.0), ("feline", 3.0), ("milk", 4.0), ("drinks", 9.0), ("the", 6.0)] {
        let row = node(&counts, word) as usize;
        assert_eq!(counts.row(row).map(|(_, count)| count).sum::<f64>(), sum, "{word}");
        let column = counts.shape().contexts.find(word).unwrap() as usize;
        assert_eq!(counts.shape().totals[column], sum, "{word}");
    }
}

#[test]
fn associations_are_those_of_the_worked_example() {
    let pmi = weighed(Measure::Pmi);
    let wanted = [
        ("feline", "the", 1.473_931),
        ("feline", "drinks", 0.888_969),
        ("feline", "milk", 2.058_894),
        ("cat", "the", 0.473_931),
        ("cat", "drinks", -0.111_031),
        ("cat", "milk", 1.058_894),
        ("cat", "a", 1.058_894),
        ("cat", "eats", 0.473_931),
        ("cat", "fish", 2.058_894),
    ];
    for (row, column, number) in wanted {
        near(value(&pmi, row, column), number);
    }
    assert_eq!(value(&weighed(Measure::Ppmi), "cat", "drinks"), 0.0);
    near(value(&weighed(Measure::Cp), "feline", "milk"), 1.0 / 3.0);
    near(value(&weighed(Measure::Cp), "cat", "milk"), 1.0 / 6.0);
    let llr = weighed(Measure::Llr);
    near(value(&llr, "feline", "milk"), 1.744_339);
    near(value(&llr, "feline", "drinks"), 0.435_262);
    near(value(&llr, "cat", "fish"), 1.842_202);
    let chi2 = weighed(Measure::Chi2);
    near(value(&chi2, "feline", "milk"), 2.782_917);
    near(value(&chi2, "feline", "drinks"), 0.508_370);
    near(value(&chi2, "cat", "fish"), 2.848_801);
}

#[test]
fn similarities_are_those_of_the_worked_example() {
    let check = |measure: Measure, similarity: Similarity, pairs: &[(&str, &str, f64)]| {
        let profiles = weighed(measure);
        for &(one, other, wanted) in pairs {
            let (one, other) = (node(&profiles, one), node(&profiles, other));
            near(profiles.similarity(one, other, similarity).unwrap(), wanted);
            near(profiles.similarity(other, one, similarity).unwrap(), wanted);
        }
    };
    let pmi = [
        ("feline", "cat", 0.393_139),
        ("feline", "dog", 0.070_469),
        ("feline", "milk", 0.177_896),
        ("cat", "dog", 0.189_379),
    ];
    check(Measure::Pmi, Similarity::Cosine, &pmi);
    let ppmi = [("feline", "cat", 0.407_459), ("feline", "dog", 0.082_115), ("cat", "dog", 0.188_187)];
    check(Measure::Ppmi, Similarity::Cosine, &ppmi);
    check(Measure::Cp, Similarity::Cosine, &[("feline", "cat", 0.5_f64.sqrt()), ("feline", "dog", 0.471_405)]);
    check(Measure::Cp, Similarity::L1, &[("feline", "cat", 1.0), ("feline", "dog", 1.333_333)]);
    check(Measure::Cp, Similarity::Jsd, &[("feline", "cat", 0.431_523), ("feline", "dog", 0.749_780)]);
    assert!(weighed(Measure::Ppmi).similarity(0, 1, Similarity::Jsd).is_err());
}

#[test]
fn columns_do_not_depend_on_which_rows_are_wanted() {
    let all = weighed(Measure::Pmi);
    let some = text(LINES).profiles(Which::These(&["feline", "never", "cat"]), AROUND).unwrap();
    assert_eq!(some.shape().occurrences, [1, 0, 2]);
    let own = some.weigh(Measure::Pmi, Marginals::Text).unwrap();
    assert_eq!(value(&own, "feline", "milk"), value(&all, "feline", "milk"));
    assert_eq!(own.row(1).len(), 0);
    // 2 of the 9 that two rows have are near milk.
    let rows = some.weigh(Measure::Pmi, Marginals::Rows).unwrap();
    near(value(&rows, "feline", "milk"), (1.0_f64 * 9.0 / (3.0 * 2.0)).log2());
}

#[test]
fn longer_phrases_have_their_windows_outside() {
    let text = text(["a b c d", "b c a", "b", ""]);
    let counts = text.profiles(Which::These(&["b c", "b"]), Around { window: 1, ..AROUND }).unwrap();
    assert_eq!(["a", "b", "c", "d"].map(|word| value(&counts, "b c", word)), [2.0, 0.0, 0.0, 1.0]);
    assert_eq!(["a", "b", "c", "d"].map(|word| value(&counts, "b", word)), [1.0, 0.0, 2.0, 0.0]);
    let all = text.profiles(Which::All { order: 3, least: 2 }, AROUND).unwrap();
    assert_eq!(all.shape().nodes.iter().collect::<Vec<_>>(), ["a", "b", "c", "b c"]);
    let places = text.profiles(Which::These(&["c"]), Around { positional: true, window: 1, ..AROUND }).unwrap();
    let names: Vec<&str> = places.shape().contexts.iter().collect();
    let row: Vec<_> = places.row(0).map(|(column, count)| (names[column as usize / 2], column % 2, count)).collect();
    assert_eq!(row, [("b", 0, 2.0), ("a", 1, 1.0), ("d", 1, 1.0)]);
    assert_eq!(places.shape().totals.iter().sum::<f64>(), 10.0);
}

#[test]
fn frames_hold_what_stands_between_the_same_words() {
    let text = text(["the cat drinks milk", "the big dog drinks water", "the feline drinks milk", "x cat y"]);
    let found = text.frames(&["feline", "never"], 2).unwrap();
    assert_eq!(found, [vec![("cat".to_owned(), 1), ("big dog".to_owned(), 1)], vec![]]);
    assert_eq!(text.frames(&["milk"], 1).unwrap()[0], [("water".to_owned(), 1)]);
}

#[test]
fn words_that_are_spelt_alike_are_near() {
    let profiles = spelling_profiles(["ab", "abc", "xyz", "é"].into_iter(), 2, 3).unwrap();
    let names: Vec<&str> = profiles.row(0).map(|(column, _)| profiles.shape().contexts.get(column)).collect();
    assert_eq!(names, [" a", "ab", "b ", " ab", "ab "]);
    assert!(profiles.similarity(0, 1, Similarity::Cosine).unwrap() > 0.4);
    assert_eq!(profiles.similarity(0, 2, Similarity::Cosine).unwrap(), 0.0);
    let last: Vec<&str> = profiles.row(3).map(|(column, _)| profiles.shape().contexts.get(column)).collect();
    assert_eq!(last, [" é", "é ", " é "]);
    assert!(spelling_profiles(["a", "a"].into_iter(), 2, 3).is_err());
}

/// Labels t1 and t2 of some nodes.
fn seeds(nodes: usize, given: &[(usize, &[(u32, f64)])]) -> Seeds {
    let mut labels = Labels { starts: vec![0], dummy: vec![0.0; nodes], ..Labels::default() };
    for node in 0..nodes {
        for (label, value) in given.iter().filter(|(of, _)| *of == node).flat_map(|(_, row)| row.iter()) {
            labels.ids.push(*label);
            labels.values.push(*value);
        }
        labels.starts.push(labels.ids.len());
    }
    Seeds::new(labels, nodes).unwrap()
}

/// l1, l2, u and o.
fn four(mu: [f64; 3]) -> System {
    let weights = [0.8, 0.2, 0.4, 0.3, 0.6];
    let graph = Graph::new(4, &[0, 0, 1, 1, 2], &[2, 3, 2, 3, 3], &weights).unwrap();
    let seeds = seeds(4, &[(0, &[(1, 0.7), (2, 0.3)]), (1, &[(2, 1.0)])]);
    System::new(Arc::new(graph), seeds, Settings { mu, beta: 2.0, keep: 0 }).unwrap()
}

/// The dummy label, t1 and t2.
fn row(labels: &Labels, node: usize) -> [f64; 3] {
    let of = |wanted: u32| labels.row(node).find(|&(label, _)| label == wanted).map_or(0.0, |(_, value)| value);
    [labels.dummy[node], of(0), of(1)]
}

fn near_row(labels: &Labels, node: usize, wanted: [f64; 3]) {
    row(labels, node).into_iter().zip(wanted).for_each(|(found, wanted)| near(found, wanted));
}

#[test]
fn probabilities_are_those_of_the_worked_example() {
    let system = four([1.0, 0.01, 0.01]);
    let wanted = [
        [0.692_219, 0.261_510, 0.046_271, 0.283_951],
        [0.633_777, 0.363_508, 0.002_715, 0.381_827],
        [0.549_490, 0.0, 0.450_510, 0.031_334],
        [0.561_651, 0.0, 0.438_349, 0.022_761],
    ];
    for (node, [onward, inject, abandon, diagonal]) in wanted.into_iter().enumerate() {
        near(system.onward[node], onward);
        near(system.inject[node], inject);
        near(system.abandon[node], abandon);
        near(system.diagonal[node], diagonal);
    }
    let pulls: Vec<f64> = system.pulls.iter().map(|pull| pull * 100.0).collect();
    let wanted = [0.993_367, 0.250_774, 0.473_307, 0.358_628, 0.993_367, 0.473_307, 0.666_684];
    pulls.iter().zip(wanted).for_each(|(&found, wanted)| near(found, wanted));
}

#[test]
fn labels_are_those_of_the_worked_example() {
    let system = four([1.0, 0.01, 0.01]);
    let mut labels = system.start();
    let objective = |labels: &Labels, wanted: f64| assert!((system.objective(labels) - wanted).abs() < 1e-9);
    objective(&labels, 0.035_307_951);
    near_row(&labels, 0, [0.0, 0.7, 0.3]);
    for iteration in 1..=10 {
        labels = system.step(&labels);
        match iteration {
            1 => {
                near_row(&labels, 3, [0.192_589, 0.077_124, 0.190_617]);
                near_row(&labels, 2, [0.143_779, 0.221_921, 0.246_163]);
                near_row(&labels, 0, [0.001_630, 0.644_677, 0.276_290]);
                objective(&labels, 0.026_855_222);
            }
            2 => {
                near_row(&labels, 3, [0.234_894, 0.136_031, 0.252_548]);
                near_row(&labels, 2, [0.185_283, 0.220_791, 0.271_957]);
                near_row(&labels, 0, [0.008_360, 0.653_122, 0.286_585]);
                objective(&labels, 0.026_422_802);
            }
            _ => {}
        }
    }
    near_row(&labels, 3, [0.253_736, 0.142_596, 0.268_785]);
    near_row(&labels, 2, [0.201_982, 0.238_414, 0.293_526]);
    near_row(&labels, 0, [0.010_936, 0.654_277, 0.288_933]);
    objective(&labels, 0.026_383_423);
    let solved = system.solve(1e-12, &|_| true).unwrap();
    near_row(&solved, 3, [0.253_738, 0.142_597, 0.268_786]);
    near_row(&solved, 2, [0.201_983, 0.238_414, 0.293_528]);
    near_row(&solved, 0, [0.010_937, 0.654_277, 0.288_933]);
    objective(&solved, 0.026_383_423);
    // Labels come out as they went in.
    assert_eq!(system.named(solved.clone()).ids[..2], [1, 2]);
    assert_eq!(system.renumbered(system.named(solved.clone())).unwrap(), solved);
    near_row(&four([1.0; 3]).solve(1e-12, &|_| true).unwrap(), 3, [0.308_702, 0.021_599, 0.053_174]);
    assert!(system.solve(1e-12, &|_| false).is_err());
}

#[test]
fn a_seed_with_one_neighbour_hardly_goes_on() {
    let graph = Graph::new(3, &[0, 1], &[1, 2], &[0.8, 0.6]).unwrap();
    let seeds = seeds(3, &[(0, &[(5, 0.7), (9, 0.3)])]);
    let system = System::new(Arc::new(graph), seeds, Settings { mu: [1.0, 0.01, 0.01], beta: 2.0, keep: 0 }).unwrap();
    let near_all =
        |found: &[f64], wanted: [f64; 3]| found.iter().zip(wanted).for_each(|(&one, other)| near(one, other));
    near_all(&system.onward, [0.01, 0.633_777, 1.0]);
    near_all(&system.inject, [0.99, 0.0, 0.0]);
    near_all(&system.abandon, [0.0, 0.366_223, 0.0]);
    near_all(&system.diagonal, [1.005_150, 0.024_953, 0.019_803]);
    let mut labels = system.start();
    for wanted in [[0.0, 0.0, 0.0], [0.072_652, 0.071_519, 0.030_651]] {
        labels = system.step(&labels);
        near_row(&labels, 2, wanted);
    }
    for _ in 2..10 {
        labels = system.step(&labels);
    }
    near_row(&labels, 2, [0.090_283, 0.087_538, 0.037_516]);
    near_row(&system.solve(1e-12, &|_| true).unwrap(), 2, [0.090_309, 0.087_562, 0.037_526]);
}

#[test]
fn edges_are_kept_once() {
    let graph = Graph::new(4, &[0, 1, 2, 3, 0], &[1, 0, 2, 0, 2], &[0.5, 0.75, 1.0, 0.25, 0.0]).unwrap();
    assert_eq!(graph.starts(), [0, 2, 3, 3, 4]);
    assert_eq!(graph.ids(), [1, 3, 0, 0]);
    assert_eq!(graph.weights(), [0.75, 0.25, 0.75, 0.25]);
    assert!(Graph::new(2, &[0], &[2], &[1.0]).is_err());
    assert!(Graph::new(2, &[0], &[1], &[f64::NAN]).is_err());
    assert!(Graph::new(2, &[0], &[1], &[-1.0]).is_err());
    assert!(Graph::new(2, &[0], &[1, 0], &[1.0]).is_err());
}

/// Sentences of a few words.
fn sentences() -> impl Strategy<Value = Vec<String>> {
    let sentence = prop::collection::vec(0..12_u8, 0..9);
    prop::collection::vec(sentence.prop_map(|words| words.iter().map(|word| format!("w{word} ")).collect()), 1..60)
}

proptest! {
    #[test]
    fn neighbours_are_those_of_all_comparisons(lines in sentences(), k in 1..6_usize) {
        let text = text(lines.iter().map(String::as_str));
        prop_assume!(text.tokens() > 0);
        let counts = Arc::new(text.profiles(Which::All { order: 2, least: 1 }, AROUND).unwrap());
        let cp = Arc::new(counts.weigh(Measure::Cp, Marginals::Text).unwrap());
        for similarity in [Similarity::Cosine, Similarity::L1, Similarity::Jsd] {
            let rows: Vec<u32> = (0..cp.rows() as u32).collect();
            let index = Index::new(Arc::clone(&cp), None, similarity, None).unwrap();
            let found = index.search(&rows, k).unwrap();
            for &row in &rows {
                let mut wanted: Vec<(f32, u32)> = rows
                    .iter()
                    .filter(|&&other| other != row && shares(&cp, row, other))
                    .map(|&other| (similarity.weight(cp.similarity(row, other, similarity).unwrap()) as f32, other))
                    .filter(|&(weight, _)| weight > 0.0)
                    .collect();
                wanted.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
                wanted.truncate(k);
                let part = found.starts[row as usize]..found.starts[row as usize + 1];
                prop_assert_eq!(part.len(), wanted.len());
                for (at, (weight, _)) in part.zip(wanted) {
                    prop_assert!((found.weights[at] - weight).abs() < 1e-6);
                    let raw = cp.similarity(row, found.ids[at], similarity).unwrap();
                    prop_assert!((similarity.weight(raw) as f32 - found.weights[at]).abs() < 1e-6);
                }
            }
            // What keeps everything finds everything.
            let enough = Pruning { columns: 1000, rows: 1000, candidates: 1000 };
            let whole = Index::new(Arc::clone(&cp), None, similarity, Some(enough)).unwrap().search(&rows, k).unwrap();
            prop_assert_eq!(&whole.starts, &found.starts);
            for (one, other) in whole.weights.iter().zip(&found.weights) {
                prop_assert!((one - other).abs() < 1e-6);
            }
            // What keeps little is exact about what it finds.
            let little = Pruning { columns: 2, rows: 3, candidates: 4 };
            let some = Index::new(Arc::clone(&cp), None, similarity, Some(little)).unwrap().search(&rows, k).unwrap();
            for &row in &rows {
                for at in some.starts[row as usize]..some.starts[row as usize + 1] {
                    let raw = cp.similarity(row, some.ids[at], similarity).unwrap();
                    prop_assert!(some.ids[at] != row && (similarity.weight(raw) as f32 - some.weights[at]).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn steps_lead_to_what_is_solved_for(
        edges in prop::collection::vec((0..12_u32, 0..12_u32, 0.01..1.0_f64), 0..30),
        given in prop::collection::vec((0..12_usize, 0..20_u32, 0.01..1.0_f64), 1..12),
        mu in [0.1..2.0_f64, 0.01..0.5, 0.25..1.0],
        keep in 0..3_usize,
    ) {
        let (from, to): (Vec<u32>, Vec<u32>) = edges.iter().map(|&(from, to, _)| (from, to)).unzip();
        let weights: Vec<f64> = edges.iter().map(|&(_, _, weight)| weight).collect();
        let graph = Arc::new(Graph::new(12, &from, &to, &weights).unwrap());
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); 12];
        for (node, label, value) in given {
            rows[node].retain(|&(known, _)| known != label);
            rows[node].push((label, value));
            rows[node].sort_by_key(|&(label, _)| label);
        }
        let given: Vec<(usize, &[(u32, f64)])> = rows.iter().map(Vec::as_slice).enumerate().collect();
        let make = |keep| System::new(Arc::clone(&graph), seeds(12, &given), Settings { mu, beta: 2.0, keep }).unwrap();
        let system = make(0);
        let solved = system.solve(1e-13, &|_| true).unwrap();
        let mut labels = system.start();
        for _ in 0..1000 {
            labels = system.step(&labels);
        }
        for node in 0..12 {
            prop_assert!((labels.dummy[node] - solved.dummy[node]).abs() < 1e-8);
            for label in 0..system.seeds.known.len() as u32 {
                let of = |labels: &Labels| labels.row(node).find(|&(known, _)| known == label).map_or(0.0, |one| one.1);
                prop_assert!((of(&labels) - of(&solved)).abs() < 1e-8);
            }
        }
        prop_assert!(system.objective(&solved) <= system.objective(&system.start()) + 1e-12);
        if keep > 0 {
            let cut = make(keep).step(&system.start());
            prop_assert!((0..12).all(|node| cut.row(node).len() <= keep));
        }
        let threads = [1, 3].map(|threads| with_threads(threads, || system.step(&labels)).unwrap());
        prop_assert_eq!(&threads[0], &threads[1]);
    }
}

/// Whether two rows have a column in common.
fn shares(profiles: &Profiles, one: u32, other: u32) -> bool {
    profiles.row(one as usize).any(|(column, _)| profiles.row(other as usize).any(|(found, _)| found == column))
}
