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
use super::super::piece::{Edge, Piece, Type};
use super::super::places::{PLACES, turn};
use super::super::seen::{Bilingual, Seen};
use super::super::source::Source;
use super::Classified;
use crate::grammar::Place;
use crate::parse::{Cost, Grammar, Inference};

/// What is weighed: logarithms of probabilities, numbers of something, and what classifiers say.
pub const STATISTICS: [&str; 21] = [
    // The language model.
    "lm",
    // A target phrase by its source phrase, and the reverse; the same word by word.
    "target",
    "source",
    "target.words",
    "source.words",
    // Target words; leaves; words that are copied; leaves that were seen once, twice, three to five times.
    "words",
    "leaves",
    "copied",
    "once",
    "twice",
    "few",
    // Joins that invert; brackets that are crossed.
    "inverted",
    "crossings",
    // Minus the costs of classifiers, of leaves and of joins.
    "leaf.classifiers",
    "join.classifiers",
    // Where neighbours of leaves are, before them in the target text and behind them.
    "before.same",
    "before.inverted",
    "before.elsewhere",
    "behind.same",
    "behind.inverted",
    "behind.elsewhere",
];
/// Where those of neighbours begin.
pub const NEIGHBOURS: usize = STATISTICS.len() - PLACES;
const CLASSIFIERS: usize = NEIGHBOURS - 2;

/// A weight for each of [`STATISTICS`].
pub type Weights = [f64; STATISTICS.len()];

/// What a leaf pays for each source word.
const WORD: f64 = 16.0;
/// What a join pays.
const JOIN: f64 = 8.0;

/// Costs of bilingual compositions and joins, by weights.
#[derive(Debug)]
pub struct LogLinear<'a> {
    weights: Weights,
    lexicon: &'a Lexicon,
    language: Option<&'a Language>,
    learnt: Option<Classified<'a>>,
    /// Whether classifiers know only what context adds.
    prior: bool,
    /// What the lexicon says of its entries.
    known: HashMap<u32, [f64; 7]>,
}

impl<'a> LogLinear<'a> {
    /// For one sentence.
    pub fn new(
        weights: Weights,
        lexicon: &'a Lexicon,
        language: Option<&'a Language>,
        learnt: Option<Classified<'a>>,
        prior: bool,
    ) -> Self {
        Self { weights, lexicon, language, learnt, prior, known: HashMap::new() }
    }

    /// The statistics of an inference over both languages.
    pub fn features(&mut self, source: &Source, seen: &Seen<'_>) -> Weights {
        let mut found = [0.0; STATISTICS.len()];
        let Some(piece) = seen.piece else { return found };
        let mut fluency = f64::from(piece.text.fluency);
        let said = match seen.parts {
            Some((left, right)) => {
                fluency -= f64::from(left.text.fluency) + f64::from(right.text.fluency);
                found[11] = f64::from(u8::from(seen.kind == Type::Inverted));
                self.neighbours(left, right, seen.kind == Type::Inverted, &mut found);
                self.said(|learnt| learnt.sure_of_join(source, seen))
            }
            None => {
                let entry = seen.entry.or_else(|| self.lexicon.pair(seen.words(source), seen.phrase)).unwrap_or(COPY);
                let known = self.pair(entry);
                found[1..5].copy_from_slice(&known[..4]);
                found[8..11].copy_from_slice(&known[4..]);
                found[5] = seen.phrase.len() as f64;
                found[6] = 1.0;
                found[7] = f64::from(u8::from(entry == COPY));
                self.said(|learnt| learnt.sure_of_pair(source, seen, entry))
            }
        };
        if let (Some(language), 0, true) = (self.language, seen.from, usize::from(seen.to) == source.len()) {
            fluency += f64::from(language.whole(&piece.text.fragment));
        }
        if seen.from == 0 && usize::from(seen.to) == source.len() {
            self.ends(piece, &mut found);
        }
        found[0] = fluency;
        // In the order of the source nothing is torn apart, whichever brackets are made.
        if seen.kind != Type::Monotonic {
            found[12] = f64::from(source.crossings(seen.from.into(), seen.to.into()));
        }
        found[CLASSIFIERS + usize::from(seen.parts.is_some())] = said;
        found
    }

    /// What classifiers say: minus the cost, or what context adds if that is all that they know.
    fn said(&mut self, ask: impl FnOnce(&mut Classified<'a>) -> Option<f64>) -> f64 {
        let Some(learnt) = &mut self.learnt else { return 0.0 };
        let score = ask(learnt);
        if self.prior { score.unwrap_or(0.0) } else { -learnt.cost_of(score).value() }
    }

    /// Where the leaves that meet in a join have each other.
    fn neighbours(&self, left: &Piece, right: &Piece, inverted: bool, found: &mut Weights) {
        let (first, second) = if inverted { (right, left) } else { (left, right) };
        let [last, next] = [&first.edges[1], &second.edges[0]];
        let (place, touch) = if inverted {
            (Place::Swap, [last.from == first.from, next.to == second.to])
        } else {
            (Place::Mono, [last.to == first.to, next.from == second.from])
        };
        let place = |touches: bool| if touches { place } else { Place::Other };
        self.see(last, true, place(touch[0]), found);
        self.see(next, false, place(touch[1]), found);
    }

    /// The sentence's ends are neighbours of the first and the last leaf.
    fn ends(&self, piece: &Piece, found: &mut Weights) {
        let [first, last] = &piece.edges;
        let place = |touches: bool| if touches { Place::Mono } else { Place::Other };
        self.see(first, false, place(first.from == piece.from), found);
        self.see(last, true, place(last.to == piece.to), found);
    }

    fn see(&self, edge: &Edge, behind: bool, place: Place, found: &mut Weights) {
        if edge.entry != COPY {
            let at = turn(behind, place);
            found[NEIGHBOURS + at] += f64::from(self.lexicon.places(edge.entry)[at]);
        }
    }

    fn pair(&mut self, entry: u32) -> [f64; 7] {
        if entry == COPY {
            return [0.0; 7];
        }
        let lexicon = self.lexicon;
        *self.known.entry(entry).or_insert_with(|| {
            let count = lexicon.count(entry);
            let [target, source] = lexicon.by_words(entry).map(f64::from);
            let [once, twice, few] = [1..2, 2..3, 3..6].map(|times| f64::from(u8::from(times.contains(&count))));
            // A pair that a file says was never seen has no probability.
            let [by_source, by_target] = lexicon.by_phrases(entry).map(|share| share.max(f64::MIN_POSITIVE).ln());
            [by_source, by_target, target, source, once, twice, few]
        })
    }

    /// How good an entry of the lexicon is wherever it stands. The number of its words and the language model, which make
    /// up for each other, do not count.
    pub fn worth(&mut self, entry: u32) -> f64 {
        let known = self.pair(entry);
        let weights = self.weights[1..5].iter().chain(&self.weights[8..11]);
        known.iter().zip(weights).map(|(value, weight)| value * weight).sum()
    }

    /// What an inference costs.
    fn weigh(&mut self, source: &Source, seen: &Seen<'_>) -> Cost {
        let found = self.features(source, seen);
        let score: f64 = found.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum();
        Cost::of(even(seen.kind, seen.to - seen.from) - score)
    }
}

/// What an inference over so many source words pays beyond its score.
pub fn even(kind: Type, words: u16) -> f64 {
    match kind {
        Type::Bilingual => WORD * f64::from(words) - JOIN,
        Type::Monotonic | Type::Inverted => JOIN,
        _ => 0.0,
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
    use super::super::super::places::Turns;
    use super::super::super::translation::{Asked, Identity, Translation};
    use super::*;
    use crate::parse::{Limits, NO_ITEM, Parser, Search, Viterbi};

    const WEIGHTS: Weights =
        [0.7, 0.3, 0.2, 0.1, 0.2, 0.5, -0.4, -1.0, -0.2, 0.1, 0.2, -0.6, -0.3, 0.0, 0.0, 0.3, 0.2, 0.1, 0.4, 0.1, 0.2];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// What a translation costs is its weighed statistics and nothing else: all pay the same for being no less than 0.
        #[test]
        fn costs_are_scores(
            pairs in prop::collection::vec((1_u32..4, 1_u32..5, 1_u32..4), 1..9),
            sentence in prop::collection::vec(1_u32..4, 1..5),
        ) {
            let mut lexicon = LexiconBuilder::default();
            for &(source, target, times) in &pairs {
                lexicon.see_pair(&[source], &[target], times);
                lexicon.see_places(&[source], &[target], &Turns([times, source, target, target, times, source]));
            }
            let lexicon = lexicon.finish();
            let mut counts = Counts::of([]);
            counts.language = Some(small());
            let source = Source::new(sentence.clone(), vec![1; sentence.len()], vec![]).unwrap();
            let options = Options::new(&lexicon, &sentence, 1);
            let grammar = || LogLinear::new(WEIGHTS, &lexicon, counts.language.as_ref(), None, false);
            let best = |identity| {
                let logic = Translation::new(&source, &options, &counts, 1, identity).asked(Asked { ends: true, ..Asked::default() });
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
