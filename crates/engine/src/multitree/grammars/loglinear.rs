//! A log-linear grammar: statistics of pairs, a language model, and what classifiers say, each by its weight (Och & Ney
//! 2002).
//!
//! Scores of the whole of a translation are sums over its inferences. Costs must not be negative, though some of these are:
//! so a leaf pays [`WORD`] more for each source word and [`JOIN`] less, and a join pays [`JOIN`] more. Every item over the
//! same span has one leaf more than joins, so all of them pay the same for it, and none gains.

use hashbrown::HashMap;

use super::super::language::Language;
use super::super::lexicon::Lexicon;
use super::super::options::COPY;
use super::super::piece::Type;
use super::super::seen::{Bilingual, Seen};
use super::super::source::Source;
use super::Classified;
use crate::parse::{Cost, Grammar, Inference};

/// What is weighed: logarithms of probabilities, numbers of something, and what classifiers say.
pub const STATISTICS: [&str; 13] = [
    // The language model.
    "lm",
    // A target phrase by its source phrase, and the reverse; the same word by word.
    "target",
    "source",
    "target.words",
    "source.words",
    // Target words; leaves; words that are copied; leaves that were seen once.
    "words",
    "leaves",
    "copied",
    "once",
    // Joins that invert; brackets that are crossed.
    "inverted",
    "crossings",
    // Minus the costs of classifiers, of leaves and of joins.
    "leaf.classifiers",
    "join.classifiers",
];

/// A weight for each of [`STATISTICS`].
pub type Weights = [f64; STATISTICS.len()];

/// What a leaf pays for each source word.
const WORD: f64 = 16.0;
/// What a join pays.
const JOIN: f64 = 8.0;
/// What is taken off the counts of pairs.
const DISCOUNT: f64 = 0.5;

/// Costs of bilingual compositions and joins, by weights.
#[derive(Debug)]
pub struct LogLinear<'a> {
    weights: Weights,
    lexicon: &'a Lexicon,
    language: Option<&'a Language>,
    learnt: Option<Classified<'a>>,
    /// What the lexicon says of its entries.
    known: HashMap<u32, [f64; 5]>,
}

impl<'a> LogLinear<'a> {
    /// For one sentence.
    pub fn new(
        weights: Weights,
        lexicon: &'a Lexicon,
        language: Option<&'a Language>,
        learnt: Option<Classified<'a>>,
    ) -> Self {
        Self { weights, lexicon, language, learnt, known: HashMap::new() }
    }

    /// The statistics of an inference over both languages.
    pub fn features(&mut self, source: &Source, seen: &Seen<'_>) -> Weights {
        let mut found = [0.0; STATISTICS.len()];
        let Some(piece) = seen.piece else { return found };
        let mut fluency = f64::from(piece.text.fluency);
        let cost = match seen.parts {
            Some((left, right)) => {
                fluency -= f64::from(left.text.fluency) + f64::from(right.text.fluency);
                found[9] = f64::from(u8::from(seen.kind == Type::Inverted));
                self.learnt.as_mut().map(|learnt| learnt.join(source, seen))
            }
            None => {
                let entry = seen.entry.or_else(|| self.lexicon.pair(seen.words(source), seen.phrase)).unwrap_or(COPY);
                let [target, of_source, words, source_words, once] = self.pair(entry);
                (found[1], found[2], found[3], found[4]) = (target, of_source, words, source_words);
                found[5] = seen.phrase.len() as f64;
                found[6] = 1.0;
                found[7] = f64::from(u8::from(entry == COPY));
                found[8] = once;
                self.learnt.as_mut().map(|learnt| learnt.pair(source, seen, entry))
            }
        };
        if let (Some(language), 0, true) = (self.language, seen.from, usize::from(seen.to) == source.len()) {
            fluency += f64::from(language.whole(&piece.text.fragment));
        }
        found[0] = fluency;
        found[10] = f64::from(source.crossings(seen.from.into(), seen.to.into()));
        found[11 + usize::from(seen.parts.is_some())] = cost.map_or(0.0, |cost| -cost.value());
        found
    }

    fn pair(&mut self, entry: u32) -> [f64; 5] {
        if entry == COPY {
            return [0.0; 5];
        }
        let lexicon = self.lexicon;
        *self.known.entry(entry).or_insert_with(|| {
            let count = f64::from(lexicon.count(entry));
            let share = |total: u32| ((count - DISCOUNT).max(DISCOUNT) / f64::from(total.max(1))).ln();
            let [target, source] = lexicon.by_words(entry).map(f64::from);
            let once = f64::from(u8::from(count < 2.0));
            [share(lexicon.source_total(entry)), share(lexicon.total(lexicon.target(entry))), target, source, once]
        })
    }

    /// What an inference costs.
    fn weigh(&mut self, source: &Source, seen: &Seen<'_>) -> Cost {
        let found = self.features(source, seen);
        let score: f64 = found.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum();
        let even = if seen.parts.is_some() { JOIN } else { WORD * f64::from(seen.to - seen.from) - JOIN };
        Cost::of(even - score)
    }
}

impl<L: Bilingual> Grammar<L> for LogLinear<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        match seen.kind {
            Type::Bilingual | Type::Monotonic | Type::Inverted => self.weigh(logic.source(), &seen),
            _ => Cost::NOTHING,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::counts::Counts;
    use super::super::super::language::tests::small;
    use super::super::super::lexicon::LexiconBuilder;
    use super::super::super::options::Options;
    use super::super::super::translation::{Identity, Translation};
    use super::*;
    use crate::parse::{Limits, NO_ITEM, Parser, Search, Viterbi};

    const WEIGHTS: Weights = [0.7, 0.3, 0.2, 0.1, 0.2, 0.5, -0.4, -1.0, -0.2, -0.6, -0.3, 0.0, 0.0];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// What a translation costs is its weighed statistics and nothing else: all pay the same for being no less than 0.
        #[test]
        fn costs_are_scores(
            pairs in prop::collection::vec((1_u32..4, 1_u32..5, 1_u32..4), 1..9),
            sentence in prop::collection::vec(1_u32..4, 1..5),
        ) {
            let mut lexicon = LexiconBuilder::default();
            pairs.iter().for_each(|&(source, target, times)| lexicon.see_pair(&[source], &[target], times));
            let lexicon = lexicon.finish();
            let mut counts = Counts::of([]);
            counts.language = Some(small());
            let source = Source::new(sentence.clone(), vec![1; sentence.len()], vec![]).unwrap();
            let options = Options::new(&lexicon, &sentence, 1);
            let grammar = || LogLinear::new(WEIGHTS, &lexicon, counts.language.as_ref(), None);
            let best = |identity| {
                let logic = Translation::new(&source, &options, &counts, 1, identity);
                let mut parser = Parser::new(logic, grammar(), Viterbi, Search::default(), Limits::default());
                parser.run(|_, _| false);
                parser
            };
            let parser = best(Identity::Text);
            let goals: Vec<u32> = parser.chart().filter(|&item| parser.logic.is_whole(parser.item(item))).collect();
            let score = |goal: u32| {
                let mut statistics = grammar();
                let mut sums = Weights::default();
                for step in parser.derivation(goal) {
                    let at = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
                    let (left, right, consequent) = (at(step.by.left), at(step.by.right), parser.item(step.item));
                    let seen = parser.logic.seen(&Inference { rule: step.by.rule, left, right, consequent });
                    let each = statistics.features(&source, &seen);
                    sums.iter_mut().zip(each).for_each(|(sum, one)| *sum += one);
                }
                sums.iter().zip(WEIGHTS).map(|(sum, weight)| sum * weight).sum::<f64>()
            };
            let even = WORD * sentence.len() as f64 - JOIN;
            for &goal in &goals {
                let cost = parser.value(goal) as f64 / f64::from(1 << 20);
                prop_assert!((cost - (even - score(goal))).abs() < 1e-3, "{cost} {}", even - score(goal));
            }
            // Taking those for one that the language model cannot tell apart loses nothing.
            let value = |parser: &Parser<Translation<'_>, LogLinear<'_>, Viterbi>| {
                let whole = parser.chart().filter(|&item| parser.logic.is_whole(parser.item(item)));
                whole.map(|item| parser.value(item)).min()
            };
            let least = value(&parser);
            prop_assert!(least.is_some());
            let off = value(&best(Identity::Boundary)).unwrap().abs_diff(least.unwrap());
            prop_assert!(off < 100, "{off}");
        }
    }
}
