//! Everything drawn: how many language models and sources of rules, which categories, a sentence or a
//! lattice, how cells are filled and in how many passes. Whatever it is, search without limits finds the best of all derivations.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::{CellSearch, ChartDecoder, ChartSettings};
use super::{exact, search};
use crate::corpus::vocabulary::Vocabulary;
use crate::decode::{Input, Model, Scorer, Weights};
use crate::forest::Forest;
use crate::grammar::{Rule, RuleSource, Symbol, TableBuilder};
use crate::lm::estimate::Settings;
use crate::lm::model::{Compiled, Form, LanguageModel};
use crate::lm::train::Trainer;

pub(super) const SOURCE: [&str; 4] = ["a", "b", "c", "new"];
pub(super) const TARGET: [&str; 3] = ["p", "q", "r"];
const CATEGORIES: [&str; 3] = ["X", "NP", "VP"];
/// Derivations that are enumerated at most.
pub(super) const MOST: usize = 20_000;

/// A symbol: a word, or a gap with a category (source side) or a place (target side).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::decode) enum Drawn {
    Word(u8),
    Gap(u8),
}

#[derive(Debug, Clone)]
pub(in crate::decode) struct DrawnRule {
    pub lhs: u8,
    pub source: Vec<Drawn>,
    pub target: Vec<Drawn>,
    pub value: f32,
}

/// Left-hand side, target side and value of a rule, as a table spells them.
type Spelled = (u8, Vec<Symbol>, f32);

#[derive(Debug, Clone)]
pub(in crate::decode) struct General {
    /// For each source the order of its categories after the first, and its rules.
    pub sources: Vec<(bool, Vec<DrawnRule>)>,
    /// How many of the categories rules use.
    pub categories: u8,
    /// Orders of language models.
    pub orders: Vec<usize>,
    pub text: Vec<Vec<u8>>,
    pub arcs: Vec<(u32, u32, u8, f32)>,
    pub last: u32,
    pub weights: Vec<f64>,
}

fn rule(categories: u8) -> impl Strategy<Value = DrawnRule> {
    let symbol = prop_oneof![2 => (0_u8..3).prop_map(Drawn::Word), 1 => (0..categories).prop_map(Drawn::Gap)];
    let source = prop::collection::vec(symbol, 1..4);
    let target = prop::collection::vec(0_u8..3, 0..3);
    (0..categories, source, target, any::<bool>(), prop::collection::vec(0_usize..4, 2), -3.0_f32..0.0).prop_filter_map(
        "no rule of a single gap, at most two gaps",
        |(lhs, source, words, swap, places, value)| {
            let gaps = source.iter().filter(|symbol| matches!(symbol, Drawn::Gap(_))).count();
            if gaps > 2 || gaps == source.len() && gaps == 1 {
                return None;
            }
            let mut target: Vec<Drawn> = words.into_iter().map(Drawn::Word).collect();
            let order: Vec<u8> = if swap { (0..gaps as u8).rev().collect() } else { (0..gaps as u8).collect() };
            for (gap, place) in order.into_iter().zip(places) {
                target.insert(place.min(target.len()), Drawn::Gap(gap));
            }
            if target.is_empty() {
                target.push(Drawn::Word(0));
            }
            Some(DrawnRule { lhs, source, target, value })
        },
    )
}

pub(in crate::decode) fn general() -> impl Strategy<Value = General> {
    (1_u8..4, 1_usize..4, 0_usize..3, 1_u32..5, any::<bool>()).prop_flat_map(
        |(categories, sources, lms, last, lattice)| {
            let source = (any::<bool>(), prop::collection::vec(rule(categories), 0..6));
            let chain = prop::collection::vec((0_u8..4, -1.0_f32..1.0), last as usize);
            let more =
                prop::collection::vec((0..last, 1_u32..3, 0_u8..4, -1.0_f32..1.0), if lattice { 0..3 } else { 0..1 });
            (
                prop::collection::vec(source, sources),
                prop::collection::vec(1_usize..6, lms),
                prop::collection::vec(prop::collection::vec(0_u8..3, 1..6), 3..6),
                chain,
                more,
                prop::collection::vec(-1.0_f64..1.0, sources + lms + 7),
            )
                .prop_map(move |(sources, orders, text, chain, more, weights)| {
                    let mut arcs: Vec<(u32, u32, u8, f32)> = Vec::new();
                    for (at, (word, score)) in (0_u32..).zip(chain) {
                        arcs.push((at, at + 1, word, if lattice { score } else { 0.0 }));
                    }
                    if lattice {
                        arcs.extend(
                            more.into_iter().map(|(at, long, word, score)| (at, (at + long).min(last), word, score)),
                        );
                    }
                    General { sources, categories, orders, text, arcs, last, weights }
                })
        },
    )
}

impl General {
    /// The names of a source's categories, in its own order.
    fn names(&self, source: usize) -> Vec<String> {
        let mut names: Vec<String> =
            CATEGORIES[..usize::from(self.categories)].iter().map(|&name| name.into()).collect();
        if self.sources[source].0 {
            names[1..].reverse();
        }
        // What a source does not use it does not have.
        let used = |name: &String| {
            let is = |category: u8| CATEGORIES[usize::from(category)] == name;
            name == "X"
                || self.sources[source].1.iter().any(|rule| {
                    is(rule.lhs) || rule.source.iter().any(|symbol| matches!(symbol, Drawn::Gap(gap) if is(*gap)))
                })
        };
        names.retain(used);
        names
    }

    pub(super) fn table(&self, number: usize) -> Arc<dyn RuleSource> {
        let names = self.names(number);
        let own =
            |category: u8| names.iter().position(|name| name == CATEGORIES[usize::from(category)]).unwrap() as u32;
        // Each source has words of its own order, too.
        let from = |word: u8| (u32::from(word) + number as u32) % 3 + 3;
        let mut words = [""; 3];
        (0..3_u8).for_each(|word| words[from(word) as usize - 3] = SOURCE[usize::from(word)]);
        let mut sorted: BTreeMap<Vec<Symbol>, Vec<Spelled>> = BTreeMap::new();
        for rule in &self.sources[number].1 {
            let source = rule.source.iter().map(|symbol| match *symbol {
                Drawn::Word(word) => Symbol::word(from(word)),
                Drawn::Gap(category) => Symbol::nonterminal(own(category)),
            });
            let target = rule.target.iter().map(|symbol| match *symbol {
                Drawn::Word(word) => Symbol::word(u32::from(2 - word) + 3),
                Drawn::Gap(place) => Symbol::nonterminal(u32::from(place)),
            });
            let one = (own(rule.lhs) as u8, target.collect(), rule.value);
            sorted.entry(source.collect()).or_default().push(one);
        }
        let mut builder = TableBuilder::new(vec!["tm".into()], names).unwrap();
        for (source, rules) in &sorted {
            for (lhs, target, value) in rules {
                let rule = Rule { lhs: *lhs, source, target, features: &[*value], links: &[], counts: [0.0; 3] };
                builder.push(&rule).unwrap();
            }
        }
        let target = Vocabulary::from_words(TARGET.iter().rev().copied()).unwrap();
        Arc::new(builder.build(&Vocabulary::from_words(words).unwrap(), &target).unwrap())
    }

    pub(super) fn lms(&self) -> Vec<(String, Arc<dyn LanguageModel>)> {
        let lms = self.orders.iter().enumerate().map(|(number, &order)| {
            let mut trainer = Trainer::new(Settings { order, ..Settings::default() }, 1 << 24).unwrap();
            for line in self.text.iter().skip(number) {
                let words: Vec<&str> = line.iter().map(|&word| TARGET[usize::from(word)]).collect();
                trainer.add(&words.join(" ")).unwrap();
            }
            let model = Compiled::build(&trainer.finish().unwrap().0, Form::Fast).unwrap();
            (format!("lm{number}"), Arc::new(model) as Arc<dyn LanguageModel>)
        });
        lms.collect()
    }

    pub(in crate::decode) fn model(&self) -> Model {
        let sources = (0..self.sources.len()).map(|number| (format!("s{number}"), self.table(number))).collect();
        Model::new(sources, self.lms()).unwrap()
    }

    pub(in crate::decode) fn input(&self) -> Input {
        let arcs: Vec<_> =
            self.arcs.iter().map(|&(begin, end, word, score)| (begin, end, SOURCE[usize::from(word)], score)).collect();
        Input::lattice(self.last, &arcs).unwrap()
    }

    pub(in crate::decode) fn scorer(&self, model: &Model) -> Scorer {
        Weights::new(model, &self.weights).unwrap().into()
    }

    fn weight(&self, own: usize) -> f64 {
        self.weights[self.sources.len() + self.orders.len() + own]
    }

    /// Whether any source translates a word alone.
    pub(super) fn translates(&self, word: u8) -> bool {
        self.sources.iter().flat_map(|(_, rules)| rules).any(|rule| rule.source == [Drawn::Word(word)])
    }
}

impl General {
    /// The ways through the input for a source side over a span.
    pub(super) fn matches(&self, source: &[Drawn], begin: u32, end: u32) -> Vec<Matched> {
        let Some((&first, rest)) = source.split_first() else {
            return if begin == end { vec![(Vec::new(), 0.0)] } else { Vec::new() };
        };
        let mut found = Vec::new();
        match first {
            Drawn::Word(word) => {
                for &(_, to, _, score) in self.arcs.iter().filter(|arc| arc.0 == begin && arc.2 == word) {
                    let later = if to <= end { self.matches(rest, to, end) } else { Vec::new() };
                    found.extend(later.into_iter().map(|(gaps, sum)| (gaps, sum + f64::from(score))));
                }
            }
            Drawn::Gap(category) => {
                for to in begin + 1..=end {
                    found.extend(self.matches(rest, to, end).into_iter().map(|(mut gaps, sum)| {
                        gaps.insert(0, (begin, to, category));
                        (gaps, sum)
                    }));
                }
            }
        }
        found
    }
}

/// Translations of a span: category, words and score without language models.
pub(in crate::decode) type Translations = Vec<(u8, Vec<String>, f64)>;
/// A way through the input for a source side: its gaps' spans and categories, and the score of the arcs.
pub(super) type Matched = (Vec<(u32, u32, u8)>, f64);

pub(in crate::decode) struct Enumeration<'g> {
    pub general: &'g General,
    pub known: BTreeMap<(u32, u32), Translations>,
    pub count: usize,
}

impl Enumeration<'_> {
    /// All translations of a span, or `None` if there are too many.
    fn span(&mut self, begin: u32, end: u32) -> Option<Translations> {
        if let Some(found) = self.known.get(&(begin, end)) {
            return Some(found.clone());
        }
        let general = self.general;
        let (words, rules, unknown, input) =
            (general.weight(0), general.weight(1), general.weight(3), general.weight(4));
        let mut found: Translations = Vec::new();
        for &(_, _, word, score) in general.arcs.iter().filter(|arc| (arc.0, arc.1) == (begin, end)) {
            if !general.translates(word) {
                let text = vec![SOURCE[usize::from(word)].to_owned()];
                found.push((0, text, words + rules + unknown + input * f64::from(score)));
            }
        }
        for (number, (_, listed)) in general.sources.iter().enumerate() {
            for rule in listed {
                let made = rule.target.iter().filter(|symbol| matches!(symbol, Drawn::Word(_))).count() as f64;
                let own = f64::from(rule.value) * general.weights[number] + made * words + rules;
                for (gaps, arcs) in general.matches(&rule.source, begin, end) {
                    let mut partial: Vec<(Vec<Vec<String>>, f64)> = vec![(Vec::new(), own + arcs * input)];
                    for (from, to, category) in gaps {
                        let inner = self.span(from, to)?;
                        let fits: Translations = inner.into_iter().filter(|(other, ..)| *other == category).collect();
                        if partial.len() * fits.len() > MOST {
                            return None;
                        }
                        partial = partial
                            .iter()
                            .flat_map(|(texts, score)| {
                                fits.iter().map(move |(_, text, more)| {
                                    ([texts.clone(), vec![text.clone()]].concat(), score + more)
                                })
                            })
                            .collect();
                    }
                    for (texts, score) in partial {
                        let text = rule.target.iter().flat_map(|symbol| match *symbol {
                            Drawn::Word(word) => vec![TARGET[usize::from(word)].to_owned()],
                            Drawn::Gap(gap) => texts[usize::from(gap)].clone(),
                        });
                        found.push((rule.lhs, text.collect(), score));
                    }
                }
            }
        }
        self.count += found.len();
        self.known.insert((begin, end), found.clone());
        (self.count <= MOST).then_some(found)
    }

    /// All sequences of translations with their scores, or `None` if there are too many.
    pub fn all(&mut self, model: &Model) -> Option<Vec<(String, f64)>> {
        let general = self.general;
        let mut sequences: Vec<Vec<(Vec<String>, f64)>> = vec![Vec::new(); general.last as usize + 1];
        for end in 1..=general.last {
            for begin in 0..end {
                for (_, text, score) in self.span(begin, end)? {
                    if begin == 0 {
                        sequences[end as usize].push((text.clone(), score));
                    }
                    for (before, sum) in sequences[begin as usize].clone() {
                        sequences[end as usize]
                            .push(([before, text.clone()].concat(), sum + score + general.weight(2)));
                    }
                }
                if sequences[end as usize].len() > MOST {
                    return None;
                }
            }
        }
        let total = |(text, score): &(Vec<String>, f64)| {
            let said = model.lms().iter().enumerate().map(|(number, lm)| {
                let ids: Vec<u32> = text.iter().map(|word| lm.model.vocabulary().id(word)).collect();
                let prob = lm.model.score_sentence(&ids) * std::f64::consts::LN_10;
                prob * general.weights[general.sources.len() + number]
            });
            (text.join(" "), score + said.sum::<f64>())
        };
        Some(sequences[general.last as usize].iter().map(total).collect())
    }
}

pub(super) fn derivations(forest: &Forest) -> f64 {
    let mut ways = vec![0.0; forest.nodes()];
    for node in 0..forest.nodes() as u32 {
        for edge in forest.incoming(node) {
            ways[node as usize] += forest.edge(edge).tails().map(|tail| ways[tail as usize]).product::<f64>();
        }
    }
    ways.last().copied().unwrap_or(0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_model_and_the_input(general in general(), search in search(), passes in 1_u8..3, keep_edges in any::<bool>()) {
        let model = general.model();
        let mut enumeration = Enumeration { general: &general, known: BTreeMap::new(), count: 0 };
        let all = enumeration.all(&model);
        prop_assume!(all.is_some());
        let all = all.unwrap();
        let weights = general.scorer(&model);
        let mut decoder = ChartDecoder::new(&model, &weights, ChartSettings { search, passes, keep_edges, ..exact() });
        let input = general.input();
        decoder.decode(&input).unwrap();
        // A lattice may have no derivation: a word that only a longer rule translates.
        let Some((text, score)) = decoder.best() else {
            prop_assert!(all.is_empty());
            return Ok(());
        };
        let best = all.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((f64::from(score) - best).abs() < 1e-3, "{} instead of {}", score, best);
        let same = |(other, score): &(String, f64)| *other == text && (score - best).abs() < 1e-3;
        prop_assert!(all.iter().any(same), "{}", text);
        if keep_edges {
            let forest = decoder.forest(&input).unwrap();
            prop_assert!((derivations(&forest) - all.len() as f64).abs() < 0.5);
            let mut again = forest.clone();
            again.reweight(&general.weights, &[]).unwrap();
            for (old, new) in forest.scores().iter().zip(again.scores()) {
                prop_assert!((old - new).abs() < 1e-3);
            }
            prop_assert!((derivations(&decoder.context_free(&input).unwrap()) - all.len() as f64).abs() < 0.5);
            let forced = decoder.force(&input, &text).unwrap();
            let yields = all.iter().filter(|(other, _)| *other == text).count();
            prop_assert!((derivations(&forced) - yields as f64).abs() < 0.5);
        }
    }
}

/// Two grammars with other categories at the same places: a VP may not fill the gap of an NP.
#[test]
fn categories_belong_to_the_model() {
    let rule = |lhs, source: &[Drawn], target: &[Drawn], value| DrawnRule {
        lhs,
        source: source.to_vec(),
        target: target.to_vec(),
        value,
    };
    let gap = rule(0, &[Drawn::Word(0), Drawn::Gap(1)], &[Drawn::Word(0), Drawn::Gap(0)], -0.1);
    let filler = rule(2, &[Drawn::Word(1)], &[Drawn::Word(1)], -0.1);
    let general = General {
        sources: vec![(false, vec![gap]), (false, vec![filler])],
        categories: 3,
        orders: Vec::new(),
        text: Vec::new(),
        arcs: vec![(0, 1, 0, 0.0), (1, 2, 1, 0.0)],
        last: 2,
        weights: vec![1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0],
    };
    let model = general.model();
    assert_eq!(model.categories(), ["X", "NP", "VP"]);
    let weights = general.scorer(&model);
    for search in [CellSearch::Cube, CellSearch::Boundary] {
        let mut decoder = ChartDecoder::new(&model, &weights, ChartSettings { search, ..exact() });
        decoder.decode(&general.input()).unwrap();
        assert_eq!(decoder.best().unwrap().0, "a q");
    }
}
