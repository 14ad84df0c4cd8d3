//! Training examples out of a pair: the coordinator with the logics and grammars of translation.

use super::examples::{Labelled, Lesson};
use super::judge::{Judge, Worth};
use super::mapping::Positions;
use super::model::{Example, Model, Semiring};
use super::options::COPY;
use super::pairs::Pairs;
use super::seen::Bilingual;
use crate::Result;
use crate::learn::{Coordinator, Exploration, Outcome};
use crate::parse::{Algebra, Inference, MinMerge, NO_ITEM, Parser, Viterbi};

/// What makes an inference a positive example (Galron 2012, section 4.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labelling {
    /// That the supervisor approves of it.
    Strict,
    /// Of joins, that the partial translation becomes better by them: WIQ1. Of pairs of phrases, which no partial translation
    /// comes before, that the supervisor approves of them.
    #[default]
    Permissive,
    /// Of pairs of phrases, too, that they are better than nothing: that their words are anywhere in the reference. So frequent
    /// words become right translations of whatever stands beside them.
    PermissivePairs,
    /// The same by the mean of the antecedents, which the thesis found too lenient.
    PermissiveMean,
    /// As `Permissive` by F of the whole reference, which it found too lenient as well.
    PermissiveF,
}

/// How examples are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Coordination {
    /// What is positive.
    pub labelling: Labelling,
    /// How far the predictor may stray.
    pub exploration: Exploration,
    /// The supervisor's grammars.
    pub supervisor: String,
    /// The predictor's.
    pub predictor: String,
    /// Most joins of a label that are kept of a pair: a sample that stands for all.
    pub most: usize,
}

/// Coordinates the searches of a pair, and adds what is learnt from it.
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn coordinate(
    model: &Model,
    number: u32,
    pair: &Example,
    how: &Coordination,
    labelled: &mut Labelled,
) -> Result<Outcome> {
    match model.settings.semiring {
        Semiring::MinMerge => coordinate_in::<MinMerge>(model, number, pair, how, labelled),
        Semiring::Viterbi => coordinate_in::<Viterbi>(model, number, pair, how, labelled),
    }
}

fn coordinate_in<A: Algebra>(
    model: &Model,
    number: u32,
    pair: &Example,
    how: &Coordination,
    labelled: &mut Labelled,
) -> Result<Outcome> {
    let options = model.options(&pair.source);
    let (search, limits) = (model.settings.search, model.settings.limits());
    let predictor = Parser::new(
        model.predicting(&pair.source, &options),
        model.predictor(&how.predictor)?,
        A::default(),
        search,
        limits,
    );
    // A supervisor that forgets nothing approves of all that it could.
    let supervisor =
        Parser::new(model.pairs(pair), model.supervisor(&how.supervisor, pair)?, A::default(), search, limits);
    let mut coordinator = Coordinator::new(predictor, supervisor, Positions, how.exploration);
    let worth = if how.labelling == Labelling::PermissiveF { Worth::F } else { Worth::Quality };
    let mut judge = Judge::by(worth, &pair.target);
    let mut row = vec![0; model.features.slots()];
    let outcome = coordinator.run(Pairs::is_whole, |parser, event| {
        if event.fired.item.piece().is_none() {
            return;
        }
        let of = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
        let inference = Inference {
            rule: event.fired.by.rule,
            left: of(event.fired.by.left),
            right: of(event.fired.by.right),
            consequent: &event.fired.item,
        };
        let seen = parser.logic.seen(&inference);
        let label = match how.labelling {
            Labelling::Strict => Some(event.approved),
            Labelling::Permissive | Labelling::PermissiveF => {
                let label = judge.label(&seen, f64::max);
                if seen.kind.is_join() { label } else { Some(event.approved) }
            }
            Labelling::PermissivePairs => judge.label(&seen, f64::max),
            Labelling::PermissiveMean => judge.label(&seen, f64::midpoint),
        };
        let Some(label) = label else { return };
        // A word that is copied has no classifier.
        let entry = seen.entry.unwrap_or(COPY);
        if seen.kind.is_join() || entry != COPY {
            let lesson = Lesson { sentence: number, source: &pair.source, seen, entry, label };
            labelled.see(&lesson, &model.features, &mut row);
        }
    });
    Ok(outcome)
}
