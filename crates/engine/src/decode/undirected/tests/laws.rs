//! What holds of every forest, every order of growth and every language model.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::super::context::{TABLES, feature_name};
use super::super::forest::List;
use super::super::policy::{Factors, LmMode, Order, Rest, Start};
use super::super::tree::Tree;
use super::super::{UndirectedDecoder, UndirectedSettings, repair};
use crate::corpus::vocabulary::EOS;
use crate::decode::chart::tests::general::{Enumeration, General, general};
use crate::decode::{Input, Search};
use crate::lm::model::LanguageModel;
use crate::lm::state::State;
use crate::random::Random;

fn settings() -> impl Strategy<Value = UndirectedSettings> {
    let modes = prop::sample::select(vec![LmMode::Full, LmMode::Both, LmMode::Again, LmMode::Change]);
    let factors = prop::sample::select(vec![Factors::Sum, Factors::Split, Factors::Off]);
    let rest = prop::sample::select(vec![Rest::Rules, Rest::Words, Rest::Joins]);
    let order = prop::sample::select(vec![Order::Score, Order::Margin]);
    let start = prop::sample::select(vec![Start::Goal, Start::Glue]);
    let beam = || prop_oneof![Just(None), (0.0_f64..3.0).prop_map(Some)];
    (modes, factors, rest, order, start, (beam(), beam(), 1_usize..4), any::<bool>(), 0.5_f64..9.0, 1_usize..4)
        .prop_map(|(lm, factors, rest, order, start, (prune, narrow, regrow), relative, scale, tries)| {
            UndirectedSettings {
                table_limit: 0,
                max_span: 10,
                prune,
                narrow,
                lm,
                factors,
                scale,
                rest,
                tries,
                relative,
                start,
                order,
                repairs: 0,
                beam: 1,
                regrow,
                ..UndirectedSettings::default()
            }
        })
}

/// Small tables of features in context, with any weights; or none.
fn context() -> impl Strategy<Value = (u32, Vec<(String, f64)>)> {
    let weights = |bits: u32| {
        let count = TABLES.len() << bits;
        let named = move |weights: Vec<f64>| {
            weights.into_iter().enumerate().map(|(at, weight)| (feature_name(bits, at), weight)).collect()
        };
        (Just(bits), prop::collection::vec(-1.0_f64..1.0, count).prop_map(named))
    };
    prop_oneof![Just((0, Vec::new())), (1_u32..5).prop_flat_map(weights)]
}

/// For each word what a language model says of it with what is known before, and whether all that it sees is known.
fn naive(model: &dyn LanguageModel, cells: &[Option<u32>], [begun, ended]: [bool; 2]) -> Vec<(f32, bool)> {
    let context = model.order() - 1;
    let mut said = Vec::new();
    let (mut state, mut known) = if begun { (model.begin(), context) } else { (State::EMPTY, 0) };
    for cell in cells.iter().copied().chain(ended.then_some(Some(EOS))) {
        let Some(word) = cell else {
            (state, known) = (State::EMPTY, 0);
            continue;
        };
        let (prob, next) = model.score(&state, word);
        said.push((prob, known >= context));
        (state, known) = (next, known + 1);
    }
    said
}

/// Grows a tree by drawn actions, and looks at all that must hold on the way.
fn grow(decoder: &mut UndirectedDecoder<'_>, random: &mut Random) -> Result<Option<String>, TestCaseError> {
    let lms = decoder.chart.options().model().lms().len();
    decoder.tree.begin(lms);
    let Some(goal) = decoder.forest.goal() else { return Ok(None) };
    let (mut rescorer, tree) = decoder.rescorer();
    let mut sums = vec![[0.0_f64; 2]; lms];
    let mut all = Vec::new();
    let mut ended = false;
    while !tree.slots().is_empty() {
        rescorer.all(tree, &mut all);
        let (at, action) = all[random.below(all.len())];
        let said = rescorer.said(tree, at, &action);
        let gain = rescorer.gain(tree, at, &action);
        let worth = rescorer.worth(tree);
        let options = rescorer.options;
        let ids = |tree: &Tree, lm: usize| -> Vec<Option<u32>> {
            tree.words().map(|word| word.map(|word| options.lm_word(lm, word))).collect()
        };
        let before: Vec<_> = (0..lms)
            .map(|lm| naive(&*options.model().lms()[lm].model, &ids(tree, lm), [tree.has_begun(), ended]))
            .collect();
        let carries: BTreeMap<u32, Vec<_>> = tree
            .slots()
            .iter()
            .map(|slot| (slot.number, (0..lms).map(|lm| format!("{:?}", tree.carry(options, lm, slot))).collect()))
            .collect();
        for slot in tree.slots_mut() {
            slot.bound = 0.0;
        }
        let number = tree.slots()[at].number;
        rescorer.connect(tree, at, action);
        ended |= action.link != super::super::forest::HEAD && rescorer.forest.bundle(action.bundle).head == goal;
        // What is open: each slot once, no more than there are rules, at most one head.
        let heads = tree.slots().iter().filter(|slot| matches!(slot.list, List::Out(_))).count();
        prop_assert_eq!(heads, usize::from(!ended));
        prop_assert!(tree.slots().len() <= tree.steps().len());
        prop_assert!(tree.slots().iter().all(|slot| slot.number != number));
        prop_assert!(tree.steps().len() > 1 || ended || tree.slots().len() == 1);
        // At most two of the slots that were open see more, and only those are forgotten.
        let mut changed = 0;
        for slot in tree.slots() {
            let now: Vec<_> = (0..lms).map(|lm| format!("{:?}", tree.carry(options, lm, slot))).collect();
            if let Some(then) = carries.get(&slot.number) {
                let other = *then != now;
                changed += usize::from(other);
                prop_assert!(!other || slot.bound == f64::INFINITY);
            } else {
                prop_assert!(slot.bound == f64::INFINITY);
            }
        }
        prop_assert!(changed <= 2);
        for lm in 0..lms {
            let after = naive(&*options.model().lms()[lm].model, &ids(tree, lm), [tree.has_begun(), ended]);
            let complete = |said: &[(f32, bool)]| -> f64 {
                said.iter().filter(|(_, complete)| *complete).map(|(prob, _)| f64::from(*prob)).sum()
            };
            let sum = |said: &[(f32, bool)]| -> f64 { said.iter().map(|(prob, _)| f64::from(*prob)).sum() };
            let (full, change) = (complete(&after) - complete(&before[lm]), sum(&after) - sum(&before[lm]));
            let found = &said[lm];
            prop_assert!((f64::from(found.full) - full).abs() < 1e-4, "{found:?} instead of {full}");
            let changes = f64::from(found.full + found.estimate + found.again - found.before);
            prop_assert!((changes - change).abs() < 1e-4, "{found:?} instead of {change}");
            let count = |said: &[(f32, bool)]| said.iter().filter(|(_, complete)| *complete).count();
            prop_assert_eq!(found.completed as usize, count(&after) - count(&before[lm]));
            prop_assert!((tree.estimate(lm) - sum(&after)).abs() < 1e-4);
            sums[lm][0] += full;
            sums[lm][1] += changes;
        }
        prop_assert!((rescorer.worth(tree) - worth - gain).abs() < 1e-4, "{gain}");
    }
    // Rules are seen in the same context in whatever order they were connected.
    let worth = rescorer.worth(tree);
    prop_assert!((repair::grown_again(&mut rescorer, tree) - worth).abs() < 1e-4, "{worth}");
    // All is covered, once, and the language models have said all that they say of the whole.
    prop_assert!(ended);
    let covered = tree.steps().iter().filter(|step| step.tails[0] == u32::MAX).count();
    prop_assert!(covered > 0);
    let options = rescorer.options;
    let text: Vec<&str> = tree.words().map(|word| options.word(word.unwrap())).collect();
    for (lm, sums) in sums.iter().enumerate() {
        let model = &options.model().lms()[lm].model;
        let ids: Vec<u32> = tree.words().map(|word| options.lm_word(lm, word.unwrap())).collect();
        let whole = model.score_sentence(&ids);
        prop_assert!((sums[0] - whole).abs() < 1e-3 && (sums[1] - whole).abs() < 1e-3, "{sums:?} instead of {whole}");
    }
    Ok(Some(text.join(" ")))
}

/// The drawn input with other words.
fn inputs(general: &General) -> Vec<(General, Input)> {
    (0..4)
        .map(|shift| {
            let mut other = general.clone();
            other.arcs.iter_mut().for_each(|arc| arc.2 = (arc.2 + shift) % 4);
            let input = other.input();
            (other, input)
        })
        .collect()
}

proptest! {
    // Four forests each: more than ten thousand.
    #![proptest_config(ProptestConfig::with_cases(2600))]

    #[test]
    fn trees_grow_in_any_order(general in general(), settings in settings(), seen in context(), seed in any::<u64>()) {
        let model = general.model();
        let scorer = general.scorer(&model);
        let settings = UndirectedSettings { context: seen.0, actions: seen.1, ..settings };
        let mut decoder = UndirectedDecoder::new(&model, &scorer, settings).unwrap();
        for (at, (_, input)) in inputs(&general).into_iter().enumerate() {
            decoder.parse(&input).unwrap();
            grow(&mut decoder, &mut Random::new([seed, at as u64, 0]))?;
        }
    }
}

/// A slot that is looked at twice may ask twice, so a single sentence may take more questions; many take fewer.
#[test]
fn bounds_spare_questions() {
    let mut runner = TestRunner::deterministic();
    let mut scored = [0, 0];
    for _ in 0..300 {
        let (general, settings) = (general(), settings()).new_tree(&mut runner).unwrap().current();
        let model = general.model();
        let scorer = general.scorer(&model);
        for (lazy, scored) in [true, false].into_iter().zip(&mut scored) {
            let settings = UndirectedSettings { lazy, ..settings.clone() };
            let mut decoder = UndirectedDecoder::new(&model, &scorer, settings).unwrap();
            decoder.decode(&general.input()).unwrap();
            *scored += decoder.effort().scored;
        }
    }
    let [asked, all] = scored;
    assert!(asked > 0 && asked < all, "{asked} of {all}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn bounds_change_nothing(general in general(), settings in settings(), seen in context(), repairs in 0_usize..2) {
        let model = general.model();
        let scorer = general.scorer(&model);
        let settings = UndirectedSettings { context: seen.0, actions: seen.1, repairs, ..settings };
        let eager = UndirectedSettings { lazy: false, ..settings.clone() };
        let mut decoders = [settings, eager].map(|one| UndirectedDecoder::new(&model, &scorer, one).unwrap());
        for (_, input) in inputs(&general) {
            let [one, other] = &mut decoders;
            one.decode(&input).unwrap();
            other.decode(&input).unwrap();
            prop_assert_eq!(one.best(), other.best());
        }
    }

    #[test]
    fn what_is_found_is_a_derivation(general in general(), settings in settings(), beam in 1_usize..5, starts in 1_usize..4, repairs in 0_usize..3, keep in any::<bool>()) {
        let model = general.model();
        let scorer = general.scorer(&model);
        let settings = UndirectedSettings { beam, starts, repairs, keep, ..settings };
        let mut decoder = UndirectedDecoder::new(&model, &scorer, settings).unwrap();
        for (general, input) in inputs(&general) {
            let mut enumeration = Enumeration { general: &general, known: BTreeMap::new(), count: 0 };
            let Some(all) = enumeration.all(&model) else { continue };
            decoder.decode(&input).unwrap();
            let Some((text, score)) = decoder.best() else {
                prop_assert!(all.is_empty());
                continue;
            };
            let same = |(other, total): &(String, f64)| *other == text && (total - f64::from(score)).abs() < 1e-3;
            prop_assert!(all.iter().any(same), "{} {}", text, score);
            let forest = decoder.forest(&input).unwrap();
            let mut again = forest.clone();
            again.reweight(&general.weights, &[]).unwrap();
            for (old, new) in forest.scores().iter().zip(again.scores()) {
                prop_assert!((old - new).abs() < 1e-3);
            }
            let listed = crate::decode::batch::candidates(&forest, 100, false);
            prop_assert!(listed.iter().any(|one| one.text == text));
            for one in &listed {
                let same = |(other, total): &(String, f64)| *other == one.text && (total - one.score).abs() < 1e-3;
                prop_assert!(all.iter().any(same), "{} {}", one.text, one.score);
            }
            // The same again, whatever was decoded before.
            decoder.decode(&input).unwrap();
            prop_assert_eq!(decoder.best(), Some((text, score)));
        }
    }

    #[test]
    fn factors_are_the_best_of_all_derivations(general in general()) {
        let model = general.model();
        let scorer = general.scorer(&model);
        let settings = UndirectedSettings {
            table_limit: 0, max_span: 10, prune: None, narrow: None, rest: Rest::Rules, ..UndirectedSettings::default()
        };
        let mut decoder = UndirectedDecoder::new(&model, &scorer, settings).unwrap();
        for (_, input) in inputs(&general) {
            decoder.parse(&input).unwrap();
            let forest = decoder.chart.context_free(&input).unwrap();
            let goal = decoder.forest.goal();
            prop_assert_eq!(goal.is_some(), forest.goal().is_some());
            let Some(goal) = goal else { continue };
            let best = crate::decode::batch::candidates(&forest, 1, false)[0].score;
            prop_assert!((decoder.forest.node(goal).inside - best).abs() < 1e-4);
            let best = decoder.forest.node(goal).inside;
            let mut on_best = 0;
            for node in decoder.forest.nodes() {
                prop_assert!(node.inside.is_finite() && node.outside.is_finite());
                prop_assert!(node.inside + node.outside <= best + 1e-9);
                on_best += usize::from(node.inside + node.outside >= best - 1e-9);
            }
            prop_assert!(on_best > 0);
            prop_assert_eq!(decoder.forest.nodes().len(), forest.nodes());
        }
    }
}
