//! Where the time of translating goes: to looking phrases up, to saying what inferences of each type cost, and to the rest of
//! the search.

use std::time::{Duration, Instant};

use super::cubes;
use super::model::{Model, Semiring, Strategy};
use super::piece::Type;
use super::seen::Bilingual;
use super::source::Source;
use super::translate::least_costs;
use super::translation::Translation;
use crate::Result;
use crate::parse::{Algebra, Cost, Grammar, Inference, MinMerge, Parser, Viterbi};

/// Types of inferences.
const KINDS: usize = Type::ALL.len();

/// What was done, and how long it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// All of it.
    pub total: Duration,
    /// Finding what may be made of the sentences.
    pub options: Duration,
    /// Inferences whose cost was asked for and how long grammars took to say it, in the order of [`Type::ALL`].
    pub scored: [(u64, Duration); KINDS],
    /// Inferences that were proposed, whether there was room for them or not.
    pub proposed: u64,
    /// Inferences that were taken off the agenda.
    pub popped: u64,
}

impl Profile {
    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.options += other.options;
        for (own, others) in self.scored.iter_mut().zip(&other.scored) {
            own.0 += others.0;
            own.1 += others.1;
        }
        self.proposed += other.proposed;
        self.popped += other.popped;
    }
}

/// A grammar with a clock.
struct Timed<G> {
    grammar: G,
    scored: [(u64, Duration); KINDS],
}

impl<L: Bilingual, G: Grammar<L>> Grammar<L> for Timed<G> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let began = Instant::now();
        let cost = self.grammar.cost(logic, inference);
        let own = &mut self.scored[logic.seen(inference).kind as usize - 1];
        own.0 += 1;
        own.1 += began.elapsed();
        cost
    }
}

/// Translates a sentence for its profile.
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn profile(model: &Model, source: &Source) -> Result<Profile> {
    match model.settings.semiring {
        Semiring::MinMerge => profile_in::<MinMerge>(model, source),
        Semiring::Viterbi => profile_in::<Viterbi>(model, source),
    }
}

fn profile_in<A: Algebra>(model: &Model, source: &Source) -> Result<Profile> {
    let began = Instant::now();
    let options = model.options(source);
    let looked_up = began.elapsed();
    let grammar = Timed { grammar: model.predictor(model.predictor_hierarchy())?, scored: Default::default() };
    let mut logic = model.translation(source, &options);
    if model.settings.search.bound {
        logic.expect(&least_costs(model, source, &options)?);
    }
    let mut parser = Parser::new(logic, grammar, A::default(), model.settings.search, model.settings.limits());
    match model.settings.strategy {
        Strategy::Agenda => {
            parser.run(Translation::is_whole);
        }
        Strategy::Chart => {
            cubes::search(&mut parser, model.settings.search.beam.unwrap_or(usize::MAX));
        }
    }
    Ok(Profile {
        total: began.elapsed(),
        options: looked_up,
        scored: parser.grammar.scored,
        proposed: parser.effort.proposed,
        popped: parser.effort.popped,
    })
}
