//! Ensembles: whatever the components, the operation, the level and the input are, search without limits finds the best of
//! all derivations as they are enumerated here, each edge mixed by itself.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::{ChartDecoder, ChartSettings};
use super::general::{Drawn, DrawnRule, General, MOST, SOURCE, TARGET, derivations, general};
use super::{exact, search};
use crate::decode::scorer::{Level, Plan, Switch, SwitchBy, SwitchScope};
use crate::decode::{Model, Scorer, Weights};
use crate::forest::mixture::{Missing, Mixture, Operation, Part, idempotent};
use crate::lm::chart::FragmentScorer;
use crate::lm::model::LanguageModel;

/// How components are mixed: an operation, or a switch.
#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    Mix(Operation, Missing),
    Switch(SwitchBy, SwitchScope, bool),
}

#[derive(Debug, Clone)]
struct Ensemble {
    general: General,
    /// The component of each source.
    owners: Vec<usize>,
    /// The weights of each component, and what it counts in each class of spans.
    weights: Vec<Vec<f64>>,
    lambda: Vec<Vec<f64>>,
    spans: Vec<u32>,
    how: How,
    average_glue: bool,
    level: Level,
}

const FLOOR: f64 = -4.5;
const WORDS: usize = 0;
const RULES: usize = 1;
const GLUE: usize = 2;
const UNKNOWN: usize = 3;
const INPUT: usize = 4;

fn how() -> impl Strategy<Value = How> {
    let missing = prop::sample::select(vec![Missing::Floor, Missing::Veto, Missing::Skip]);
    let operation = prop::sample::select(vec![Operation::Wsum, Operation::Wmax, Operation::Prod]);
    let by = prop::sample::select(vec![SwitchBy::Max, SwitchBy::Sum]);
    let scope = prop::sample::select(vec![SwitchScope::Cell, SwitchScope::Pattern]);
    prop_oneof![
        3 => (operation, missing).prop_map(|(operation, missing)| How::Mix(operation, missing)),
        2 => (by, scope, any::<bool>()).prop_map(|(by, scope, literal)| How::Switch(by, scope, literal)),
    ]
}

fn ensemble() -> impl Strategy<Value = Ensemble> {
    let level = prop::sample::select(vec![Level::Auto, Level::Edge]);
    (general(), 2_usize..4, how(), any::<bool>(), any::<bool>(), any::<bool>(), level).prop_flat_map(
        |(general, components, how, classes, average_glue, same_lm, level)| {
            let sources = general.sources.len().max(components);
            let classes = if classes { 2 } else { 1 };
            let width = sources + general.orders.len() + 7;
            (
                Just(general),
                prop::collection::vec(0..components, sources),
                prop::collection::vec(prop::collection::vec(-1.0_f64..1.0, width), components),
                prop::collection::vec(prop::collection::vec(0.1_f64..2.0, components), classes),
                2_u32..4,
            )
                .prop_map(move |(mut general, mut owners, mut weights, lambda, shortest)| {
                    // Rules of sources that are not there are those of others, so that components share rules.
                    while general.sources.len() < sources {
                        let (order, rules) = general.sources[general.sources.len() % 2 % general.sources.len()].clone();
                        let other = |rule: &DrawnRule| DrawnRule { value: rule.value * 0.7 - 0.1, ..rule.clone() };
                        general.sources.push((order, rules.iter().map(other).collect()));
                    }
                    (0..components).for_each(|component| owners[component] = component);
                    let lms = sources..sources + general.orders.len();
                    if same_lm {
                        for component in 1..components {
                            for at in lms.clone().chain([width - 7 + INPUT]) {
                                weights[component][at] = weights[0][at];
                            }
                        }
                    }
                    let spans = if lambda.len() > 1 { vec![shortest] } else { Vec::new() };
                    Ensemble { general, owners, weights, lambda, spans, how, average_glue, level }
                })
        },
    )
}

impl Ensemble {
    fn components(&self) -> usize {
        self.weights.len()
    }

    fn model(&self) -> Model {
        let of = |component: usize| {
            let own = (0..self.owners.len()).filter(|&at| self.owners[at] == component);
            (format!("c{component}"), own.map(|at| (format!("s{at}"), self.general.table(at))).collect())
        };
        Model::ensemble((0..self.components()).map(of).collect(), self.general.lms()).unwrap()
    }

    /// The weights of a component in the order of the model's features, which has the sources of components together.
    fn model_weights(&self, component: usize) -> Vec<f64> {
        let mut order: Vec<usize> = (0..self.owners.len()).collect();
        order.sort_by_key(|&at| self.owners[at]);
        let own = |&at: &usize| if self.owners[at] == component { self.weights[component][at] } else { 0.0 };
        order.iter().map(own).chain(self.weights[component][self.owners.len()..].iter().copied()).collect()
    }

    fn scorer(&self, model: &Model) -> Scorer {
        let weights = (0..self.components()).map(|m| Weights::new(model, &self.model_weights(m)).unwrap()).collect();
        let plan = match self.how {
            How::Mix(operation, missing) => Plan {
                parts: vec![self.lambda.iter().map(|row| Mixture::flat(operation, missing, row).unwrap()).collect()],
                missing,
                ..Plan::of(Mixture::single())
            },
            How::Switch(by, scope, literal) => Plan {
                parts: (0..self.components() as u32).map(|m| vec![Mixture::of_one(m); self.lambda.len()]).collect(),
                switch: Some(Switch { by, scope, literal, lm: false, lambda: self.lambda.clone() }),
                ..Plan::of(Mixture::single())
            },
        };
        let (spans, level, average_glue) = (self.spans.clone(), self.level, self.average_glue);
        Scorer::ensemble(model, weights, Plan { spans, floor: FLOOR, level, average_glue, ..plan }).unwrap()
    }

    fn own(&self, component: usize, feature: usize) -> f64 {
        self.weights[component][self.owners.len() + self.general.orders.len() + feature]
    }

    fn class(&self, length: u32) -> usize {
        self.spans.iter().filter(|&&shortest| length >= shortest).count()
    }
}

/// A rule as a component or all of them have it: target side and what each says of it, without what edges add.
#[derive(Debug, Clone)]
struct Proposal {
    lhs: u8,
    target: Vec<Drawn>,
    gaps: Vec<(u32, u32, u8)>,
    arcs: f64,
    /// `None` where a component does not have it.
    values: Vec<Option<f64>>,
    source: Vec<Drawn>,
}

/// What makes rules one: category, sides, gaps and the score of arcs.
type RuleKey = (u8, Vec<Drawn>, Vec<Drawn>, Vec<(u32, u32, u8)>, u64);
/// A translation: its category, its words and its score.
type Made = (u8, Vec<String>, f64);

struct Enumeration<'e> {
    ensemble: &'e Ensemble,
    model: &'e Model,
    known: BTreeMap<(u32, u32), Vec<Made>>,
    count: usize,
}

impl Enumeration<'_> {
    /// What language models say of words, natural logarithms.
    fn said(&self, words: &[String], begins: bool, ends: bool) -> Vec<f64> {
        let each = self.model.lms().iter().map(|lm| {
            let model: &dyn LanguageModel = &*lm.model;
            let mut scorer = if begins { FragmentScorer::begin_sentence(model) } else { FragmentScorer::new(model) };
            words.iter().for_each(|word| scorer.terminal(model.vocabulary().id(word)));
            if ends {
                scorer.terminal(crate::corpus::vocabulary::EOS);
            }
            f64::from(scorer.finish().0) * std::f64::consts::LN_10
        });
        each.collect()
    }

    /// The mixture of what components say of an edge; `values` without what language models and arcs add.
    fn mix(&self, values: &[Option<f64>], lm: &[f64], arcs: f64, length: u32, common: bool) -> f64 {
        let ensemble = self.ensemble;
        let lambda = &ensemble.lambda[ensemble.class(length)];
        let added = |m: usize| {
            let first = ensemble.owners.len();
            let said: f64 = lm.iter().enumerate().map(|(at, prob)| prob * ensemble.weights[m][first + at]).sum();
            said + arcs * ensemble.own(m, INPUT)
        };
        let all: Vec<Option<f64>> = values.iter().enumerate().map(|(m, value)| value.map(|it| it + added(m))).collect();
        let mean = || {
            let sum: f64 = all.iter().zip(lambda).map(|(value, lambda)| lambda * value.unwrap()).sum();
            sum / lambda.iter().sum::<f64>()
        };
        match ensemble.how {
            _ if common && ensemble.average_glue => mean(),
            How::Switch(..) if common => mean(),
            How::Switch(..) => all.iter().flatten().copied().next().unwrap(),
            How::Mix(Operation::Wsum, _) => all
                .iter()
                .zip(lambda)
                .map(|(value, lambda)| value.map_or(0.0, |it| lambda * it.exp()))
                .sum::<f64>()
                .ln(),
            How::Mix(Operation::Wmax, _) => all
                .iter()
                .zip(lambda)
                .map(|(value, lambda)| value.map_or(f64::NEG_INFINITY, |it| it + lambda.ln()))
                .fold(f64::NEG_INFINITY, f64::max),
            How::Mix(Operation::Prod, _) => {
                all.iter().zip(lambda).map(|(value, lambda)| lambda * value.unwrap_or(f64::NEG_INFINITY)).sum()
            }
        }
    }

    /// All rules that match a span and whose gaps can be filled, as they are mixed.
    fn proposals(&mut self, begin: u32, end: u32) -> Option<Vec<Proposal>> {
        let ensemble = self.ensemble;
        let mut found: Vec<Proposal> = Vec::new();
        for (at, (_, rules)) in ensemble.general.sources.iter().enumerate() {
            let m = ensemble.owners[at];
            for rule in rules {
                let words = rule.target.iter().filter(|symbol| matches!(symbol, Drawn::Word(_))).count() as f64;
                let value = f64::from(rule.value) * ensemble.weights[m][at]
                    + words * ensemble.own(m, WORDS)
                    + ensemble.own(m, RULES);
                for (gaps, arcs) in ensemble.general.matches(&rule.source, begin, end) {
                    let mut filled = true;
                    for &(from, to, category) in &gaps {
                        filled &= self.span(from, to)?.iter().any(|(other, ..)| *other == category);
                    }
                    if !filled {
                        continue;
                    }
                    let mut values = vec![None; ensemble.components()];
                    values[m] = Some(value);
                    let (lhs, target, source) = (rule.lhs, rule.target.clone(), rule.source.clone());
                    found.push(Proposal { lhs, target, gaps, arcs, values, source });
                }
            }
        }
        Some(match ensemble.how {
            How::Mix(operation, missing) => self.merged(found, operation, missing),
            How::Switch(by, scope, literal) => {
                let class = ensemble.class(end - begin);
                let mut kept = Vec::new();
                for one in &found {
                    let rival = |other: &&Proposal| scope == SwitchScope::Cell || other.source == one.source;
                    let rivals: Vec<&Proposal> = found.iter().filter(rival).collect();
                    if one.values[self.winner(&rivals, by, literal, class)].is_some() {
                        kept.push(one.clone());
                    }
                }
                kept
            }
        })
    }

    /// The component that a cell or source side is given to.
    fn winner(&self, rivals: &[&Proposal], by: SwitchBy, literal: bool, class: usize) -> usize {
        let lambda = &self.ensemble.lambda[class];
        // Several ways through a lattice for one source side, and gaps, count each; a rule that a component has several times
        // counts once, as it likes it best.
        let value = |m: usize| {
            let mut rules: BTreeMap<RuleKey, f64> = BTreeMap::new();
            for (one, value) in rivals.iter().filter_map(|one| one.values[m].map(|value| (one, value))) {
                let key = (one.lhs, one.source.clone(), one.target.clone(), one.gaps.clone(), one.arcs.to_bits());
                rules.entry(key).and_modify(|known| *known = known.max(value)).or_insert(value);
            }
            let own: Vec<f64> = rules.into_values().collect();
            if own.is_empty() {
                return f64::NEG_INFINITY;
            }
            let best = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            match by {
                SwitchBy::Max if literal => lambda[m] * best,
                SwitchBy::Max => lambda[m].ln() + best,
                SwitchBy::Sum => (lambda[m] * own.iter().map(|one| one.exp()).sum::<f64>()).ln(),
            }
        };
        (0..lambda.len()).rev().max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap()
    }

    /// Rules with the same sides and gaps as one; of a component that has several the best.
    fn merged(&self, found: Vec<Proposal>, operation: Operation, missing: Missing) -> Vec<Proposal> {
        let ensemble = self.ensemble;
        let mut groups: BTreeMap<RuleKey, Proposal> = BTreeMap::new();
        for one in found {
            let key = (one.lhs, one.source.clone(), one.target.clone(), one.gaps.clone(), one.arcs.to_bits());
            match groups.get_mut(&key) {
                Some(known) => {
                    for (known, value) in known.values.iter_mut().zip(one.values) {
                        *known = [*known, value].into_iter().flatten().reduce(f64::max);
                    }
                }
                None => {
                    groups.insert(key, one);
                }
            }
        }
        let mut all: Vec<Proposal> = groups.into_values().collect();
        if operation == Operation::Prod {
            for one in &mut all {
                let words = one.target.iter().filter(|symbol| matches!(symbol, Drawn::Word(_))).count() as f64;
                for (m, value) in one.values.iter_mut().enumerate() {
                    let rest = words * ensemble.own(m, WORDS) + ensemble.own(m, RULES);
                    *value = value.or(match missing {
                        Missing::Floor => Some(FLOOR + rest),
                        Missing::Skip => Some(rest),
                        Missing::Veto => None,
                    });
                }
            }
            all.retain(|one| missing != Missing::Veto || one.values.iter().all(Option::is_some));
        }
        all
    }

    /// All translations of a span, or `None` if there are too many.
    fn span(&mut self, begin: u32, end: u32) -> Option<Vec<Made>> {
        if let Some(found) = self.known.get(&(begin, end)) {
            return Some(found.clone());
        }
        let ensemble = self.ensemble;
        let mut found: Vec<Made> = Vec::new();
        let proposals = self.proposals(begin, end)?;
        for &(_, _, word, score) in ensemble.general.arcs.iter().filter(|arc| (arc.0, arc.1) == (begin, end)) {
            if proposals.is_empty() || !ensemble.general.translates(word) {
                let text = vec![SOURCE[usize::from(word)].to_owned()];
                let of = |m: usize| Some([WORDS, RULES, UNKNOWN].map(|at| ensemble.own(m, at)).iter().sum());
                let values: Vec<Option<f64>> = (0..ensemble.components()).map(of).collect();
                let lm = self.said(&text, false, false);
                let score = self.mix(&values, &lm, f64::from(score), end - begin, true);
                found.push((0, text, score));
            }
        }
        for one in proposals {
            let mut partial: Vec<(Vec<Vec<String>>, f64)> = vec![(Vec::new(), 0.0)];
            for &(from, to, category) in &one.gaps {
                let fits: Vec<Made> =
                    self.span(from, to)?.into_iter().filter(|(other, ..)| *other == category).collect();
                if partial.len() * fits.len() > MOST {
                    return None;
                }
                let each = partial.iter().flat_map(|(texts, sum)| {
                    fits.iter().map(move |(_, text, more)| ([texts.clone(), vec![text.clone()]].concat(), sum + more))
                });
                partial = each.collect();
            }
            for (texts, sum) in partial {
                let text = one.target.iter().flat_map(|symbol| match *symbol {
                    Drawn::Word(word) => vec![TARGET[usize::from(word)].to_owned()],
                    Drawn::Gap(gap) => texts[usize::from(gap)].clone(),
                });
                let text: Vec<String> = text.collect();
                let mut lm = self.said(&text, false, false);
                for inner in &texts {
                    lm.iter_mut().zip(self.said(inner, false, false)).for_each(|(all, own)| *all -= own);
                }
                let score = sum + self.mix(&one.values, &lm, one.arcs, end - begin, false);
                found.push((one.lhs, text, score));
            }
        }
        self.count += found.len();
        self.known.insert((begin, end), found.clone());
        (self.count <= MOST).then_some(found)
    }

    /// All sequences of translations with their scores, or `None` if there are too many.
    fn all(&mut self) -> Option<Vec<(String, f64)>> {
        let last = self.ensemble.general.last;
        let mut sequences: Vec<Vec<(Vec<String>, f64)>> = vec![Vec::new(); last as usize + 1];
        for end in 1..=last {
            for begin in 0..end {
                for (_, text, score) in self.span(begin, end)? {
                    let before = if begin == 0 { vec![(Vec::new(), 0.0)] } else { sequences[begin as usize].clone() };
                    for (words, sum) in before {
                        let whole = [words.clone(), text.clone()].concat();
                        let mut lm = self.said(&whole, true, end == last);
                        lm.iter_mut().zip(self.said(&text, false, false)).for_each(|(all, own)| *all -= own);
                        if begin > 0 {
                            lm.iter_mut().zip(self.said(&words, true, false)).for_each(|(all, own)| *all -= own);
                        }
                        let of = |m: usize| Some(if begin > 0 { self.ensemble.own(m, GLUE) } else { 0.0 });
                        let values: Vec<Option<f64>> = (0..self.ensemble.components()).map(of).collect();
                        let edge = self.mix(&values, &lm, 0.0, end, true);
                        sequences[end as usize].push((whole, sum + score + edge));
                    }
                }
                if sequences[end as usize].len() > MOST / 4 {
                    return None;
                }
            }
        }
        Some(sequences[last as usize].iter().map(|(text, score)| (text.join(" "), *score)).collect())
    }
}

#[test]
fn a_reference_does_not_choose_who_wins_a_span() {
    let rule = |source: &[Drawn], target: &[Drawn], value: f32| DrawnRule {
        lhs: 0,
        source: source.to_vec(),
        target: target.to_vec(),
        value,
    };
    use Drawn::{Gap, Word};
    let general = General {
        sources: vec![
            (false, vec![rule(&[Word(1)], &[Word(1)], -1.0), rule(&[Word(0), Gap(0)], &[Gap(0)], -1.0)]),
            (false, vec![rule(&[Word(0), Word(1)], &[Word(2), Word(2)], -2.0)]),
        ],
        categories: 1,
        orders: Vec::new(),
        text: vec![vec![0]],
        arcs: vec![(0, 1, 0, 0.0), (1, 2, 1, 0.0)],
        last: 2,
        weights: vec![0.0; 9],
    };
    let own = |at: usize| (0..9).map(|other| f64::from(u8::from(at == other))).collect();
    let ensemble = Ensemble {
        general,
        owners: vec![0, 1],
        weights: vec![own(0), own(1)],
        lambda: vec![vec![1.0, 1.0]],
        spans: Vec::new(),
        how: How::Switch(SwitchBy::Max, SwitchScope::Cell, false),
        average_glue: false,
        level: Level::Auto,
    };
    let model = ensemble.model();
    let scorer = ensemble.scorer(&model);
    let mut decoder = ChartDecoder::new(&model, &scorer, exact());
    let input = ensemble.general.input();
    // Nothing of the reference fills the gap of the rule that wins, and so that rule does not match with it.
    assert_eq!(derivations(&decoder.force(&input, "r r").unwrap()), 0.0);
    assert_eq!(derivations(&decoder.force(&input, "q").unwrap()), 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn search_finds_the_best_of_all_mixed_derivations(
        ensemble in ensemble(), search in search(), passes in 1_u8..3, normalise in any::<bool>(),
        other in any::<prop::sample::Selector>(),
    ) {
        let model = ensemble.model();
        let mut enumeration = Enumeration { ensemble: &ensemble, model: &model, known: BTreeMap::new(), count: 0 };
        let all = enumeration.all();
        prop_assume!(all.is_some());
        let all = all.unwrap();
        let mut scorer = ensemble.scorer(&model);
        if normalise {
            // What is taken first does not matter where everything is taken.
            let plan = Plan { normalise, ..scorer.plan().clone() };
            scorer = Scorer::ensemble(&model, scorer.components().to_vec(), plan).unwrap();
        }
        let mut decoder = ChartDecoder::new(&model, &scorer, ChartSettings { search, passes, ..exact() });
        let input = ensemble.general.input();
        decoder.decode(&input).unwrap();
        let Some((text, score)) = decoder.best() else {
            prop_assert!(all.is_empty());
            return Ok(());
        };
        let best = all.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((f64::from(score) - best).abs() < 1e-3, "{} instead of {}", score, best);
        prop_assert!(all.iter().any(|(other, score)| *other == text && (score - best).abs() < 1e-3), "{}", text);
        let forest = decoder.forest(&input).unwrap();
        prop_assert!((derivations(&forest) - all.len() as f64).abs() < 0.5);
        if let (How::Mix(operation, missing), false) = (ensemble.how, ensemble.average_glue)
            && ensemble.spans.is_empty()
        {
            let mixture = Mixture::flat(operation, missing, &ensemble.lambda[0]).unwrap();
            let weights: Vec<Vec<f64>> = (0..ensemble.components()).map(|m| ensemble.model_weights(m)).collect();
            let absent = f64::from(scorer.absent());
            let components: Vec<(&[f64], &[f64], f64)> = weights.iter().map(|own| (&own[..], &[][..], absent)).collect();
            let mut again = forest.clone();
            again.reweight_mixed(&components, &mixture).unwrap();
            for (old, new) in forest.scores().iter().zip(again.scores()) {
                prop_assert!((old - new).abs() < 1e-3, "{} {}", old, new);
            }
        }
        let forced = decoder.force(&input, &text).unwrap();
        let yields: Vec<f64> = all.iter().filter(|(other, _)| *other == text).map(|(_, score)| *score).collect();
        prop_assert!((derivations(&forced) - yields.len() as f64).abs() < 0.5);
        let top = crate::decode::batch::candidates(&forced, 1, false)[0].score;
        prop_assert!((top - best).abs() < 1e-3, "{} instead of {}", top, best);
        let (other, _) = other.select(&all);
        let forced = decoder.force(&input, other).unwrap();
        prop_assert_eq!(derivations(&forced).round() as usize, all.iter().filter(|(text, _)| text == other).count());
    }

    #[test]
    fn the_order_of_components_does_not_matter(ensemble in ensemble(), turn in 1_usize..3) {
        prop_assume!(!matches!(ensemble.how, How::Switch(..)));
        let count = ensemble.components();
        let mut other = ensemble.clone();
        other.weights.rotate_left(turn % count);
        other.lambda.iter_mut().for_each(|row| row.rotate_left(turn % count));
        other.owners.iter_mut().for_each(|owner| *owner = (*owner + count - turn % count) % count);
        let score = |ensemble: &Ensemble| {
            let model = ensemble.model();
            let scorer = ensemble.scorer(&model);
            let mut decoder = ChartDecoder::new(&model, &scorer, ChartSettings { keep_edges: false, ..exact() });
            decoder.decode(&ensemble.general.input()).unwrap();
            decoder.best().map(|(_, score)| score)
        };
        let (one, two) = (score(&ensemble), score(&other));
        prop_assert_eq!(one.is_some(), two.is_some());
        prop_assert!(one.zip(two).is_none_or(|(one, two)| (one - two).abs() < 1e-3), "{:?} {:?}", one, two);
    }

    #[test]
    fn a_component_that_comes_twice_shares_its_weight(ensemble in ensemble(), which in 0_usize..2, share in 0.1_f64..0.9) {
        let How::Mix(operation, missing) = ensemble.how else { return Ok(()) };
        prop_assume!(operation != Operation::Wmax && missing != Missing::Veto);
        let twice = |ensemble: &Ensemble, nested: bool| {
            let model = {
                let of = |component: usize| {
                    let own = (0..ensemble.owners.len()).filter(|&at| ensemble.owners[at] == component);
                    own.map(|at| (at, ensemble.general.table(at))).collect::<Vec<_>>()
                };
                let mut parts: Vec<_> = (0..ensemble.components()).map(of).collect();
                parts.push(parts[which].clone());
                let named = parts.into_iter().enumerate().map(|(number, own)| {
                    let sources = own.into_iter().map(|(at, table)| (format!("c{number}s{at}"), table)).collect();
                    (format!("c{number}"), sources)
                });
                Model::ensemble(named.collect(), ensemble.general.lms()).unwrap()
            };
            // The features of the second one come behind those of all others.
            let count = ensemble.owners.iter().filter(|&&owner| owner == which).count();
            let (tables, ends) = (ensemble.owners.len(), ensemble.model_weights(0).len());
            let mut weights: Vec<Vec<f64>> = (0..ensemble.components())
                .map(|m| {
                    let own = ensemble.model_weights(m);
                    [&own[..tables], &vec![0.0; count], &own[tables..]].concat()
                })
                .collect();
            let mut order: Vec<usize> = (0..tables).collect();
            order.sort_by_key(|&at| ensemble.owners[at]);
            let own = ensemble.model_weights(which);
            let tail: Vec<f64> =
                order.iter().enumerate().filter(|(_, at)| ensemble.owners[**at] == which).map(|(at, _)| own[at]).collect();
            weights.push([&vec![0.0; tables], &tail[..], &own[tables..ends]].concat());
            let mixture = |row: &Vec<f64>| {
                let last = ensemble.components() as u32;
                let mut parts: Vec<(Part, f64, f64)> =
                    (0..).zip(row).map(|(m, &lambda)| (Part::Component(m), lambda, 1.0)).collect();
                if nested {
                    // Both of them are a part of its own.
                    let pair = idempotent(operation, &[share, 1.0 - share]);
                    let both = vec![(Part::Component(which as u32), pair[0], 1.0), (Part::Component(last), pair[1], 1.0)];
                    parts[which].0 = Part::Mixed(Mixture::new(operation, missing, both).unwrap());
                } else {
                    let whole = parts[which].1;
                    parts[which].1 = whole * share;
                    parts.push((Part::Component(last), whole * (1.0 - share), 1.0));
                }
                Mixture::new(operation, missing, parts).unwrap()
            };
            let weights = weights.iter().map(|own| Weights::new(&model, own).unwrap()).collect();
            let parts = vec![ensemble.lambda.iter().map(mixture).collect()];
            let (spans, level, average_glue) = (ensemble.spans.clone(), ensemble.level, ensemble.average_glue);
            let plan = Plan { parts, spans, level, average_glue, missing, floor: FLOOR, ..Plan::of(Mixture::single()) };
            let scorer = Scorer::ensemble(&model, weights, plan).unwrap();
            let mut decoder = ChartDecoder::new(&model, &scorer, ChartSettings { keep_edges: false, ..exact() });
            decoder.decode(&ensemble.general.input()).unwrap();
            decoder.best().map(|(_, score)| score)
        };
        let once = {
            let model = ensemble.model();
            let scorer = ensemble.scorer(&model);
            let mut decoder = ChartDecoder::new(&model, &scorer, ChartSettings { keep_edges: false, ..exact() });
            decoder.decode(&ensemble.general.input()).unwrap();
            decoder.best().map(|(_, score)| score)
        };
        for nested in [false, true] {
            let two = twice(&ensemble, nested);
            prop_assert_eq!(once.is_some(), two.is_some());
            prop_assert!(once.zip(two).is_none_or(|(one, two)| (one - two).abs() < 1e-3), "{:?} {:?}", once, two);
        }
    }
}
