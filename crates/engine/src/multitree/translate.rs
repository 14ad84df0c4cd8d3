//! Translating: the predictor's configuration alone (Galron 2012, section 4.6).

use std::cell::Cell;

use rayon::prelude::*;

use super::cubes;
use super::grammars::{Knowing, LogLinear, Weights, even};
use super::model::{Model, Semiring, Strategy};
use super::options::Options;
use super::piece::Type;
use super::seen::Bilingual;
use super::source::Source;
use super::translation::{Item, Rule, Translation};
use crate::Result;
use crate::parse::{
    Algebra, Cost, Covered, Ended, Grammar, Inference, MinMerge, NO_ITEM, Parser, Step, Viterbi, covers,
};

/// An inference of a multitree, with the positions of its target text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeStep {
    /// Its type: bilingual, monotonic or inverted, or a fuse.
    pub kind: Type,
    /// The source span; (0, 0) for target fuses.
    pub source: (u16, u16),
    /// The target span; (0, 0) for source fuses.
    pub target: (u16, u16),
    /// What it cost; where statistics are weighed, minus its score.
    pub cost: f64,
}

impl TreeStep {
    fn even(&self) -> f64 {
        even(self.kind, self.source.1 - self.source.0)
    }
}

/// A translation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translated {
    /// Its words.
    pub words: Vec<u32>,
    /// The inferences of its tree, or trees, parents first.
    pub steps: Vec<TreeStep>,
    /// All costs, worst first; where statistics are weighed, minus the score of each tree.
    pub costs: Vec<f64>,
    /// Whether one tree covers the sentence; otherwise several stand side by side.
    pub complete: bool,
    /// Whether a limit ended the search.
    pub limited: bool,
    /// Inferences whose cost was asked for.
    pub scored: u64,
    /// Inferences that were taken off the agenda.
    pub popped: u64,
    /// What is weighed, if anything is: the sums over all inferences.
    pub statistics: Weights,
}

/// Translates a sentence.
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn translate(model: &Model, source: &Source) -> Result<Translated> {
    Ok(translations(model, source, 1)?.pop().unwrap_or_default())
}

/// Up to so many translations of a sentence, the best first: what the search comes to after the best one.
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn translations(model: &Model, source: &Source, most: usize) -> Result<Vec<Translated>> {
    search(model, source, most, None)
}

fn search(model: &Model, source: &Source, most: usize, known: Option<(&[u32], Knowing)>) -> Result<Vec<Translated>> {
    match model.settings.semiring {
        Semiring::MinMerge => translate_in::<MinMerge>(model, source, most, known),
        Semiring::Viterbi => translate_in::<Viterbi>(model, source, most, known),
    }
}

/// Translates sentences as if labels were known, with the lexicon and the search of the model: what is lost beyond this,
/// classifiers or weights lose. There is a reference for each sentence.
///
/// # Errors
/// No classifiers alone judge what is not known.
pub fn translate_knowing(
    model: &Model,
    sources: &[Source],
    references: &[Vec<u32>],
    knowing: Knowing,
) -> Result<Vec<Translated>> {
    let one = |(source, reference): (&Source, &Vec<u32>)| {
        Ok(search(model, source, 1, Some((reference, knowing)))?.pop().unwrap_or_default())
    };
    sources.par_iter().zip(references).map(one).collect()
}

/// Translates sentences on the threads that there are.
///
/// # Errors
/// As for [`translate`].
pub fn translate_all(model: &Model, sources: &[Source], most: usize) -> Result<Vec<Vec<Translated>>> {
    sources.par_iter().map(|source| translations(model, source, most)).collect()
}

fn translate_in<A: Algebra>(
    model: &Model,
    source: &Source,
    most: usize,
    known: Option<(&[u32], Knowing)>,
) -> Result<Vec<Translated>> {
    if source.is_empty() {
        return Ok(vec![Translated { complete: true, ..Translated::default() }]);
    }
    let options = model.options(source);
    let mut logic = model.translation(source, &options);
    let grammar = match known {
        Some((reference, knowing)) => model.knowing(reference, knowing)?,
        None => model.predictor(model.predictor_hierarchy())?,
    };
    if model.settings.search.bound && known.is_none() {
        let least = least_costs(model, source, &options)?;
        logic.expect(&least);
    }
    let mut parser = Parser::new(logic, grammar, A::default(), model.settings.search, model.settings.limits());
    let limited = match model.settings.strategy {
        Strategy::Agenda => {
            let whole = Cell::new(0);
            let ended = parser.run(|logic, item| {
                whole.set(whole.get() + usize::from(logic.is_whole(item)));
                whole.get() >= most
            });
            ended == Ended::Limited
        }
        Strategy::Chart => !cubes::search(&mut parser, model.settings.search.beam.unwrap_or(usize::MAX)),
    };
    // Labels are no statistics.
    let mut statistics = if known.is_none() { model.statistics() } else { None };
    let effort = Translated { scored: parser.effort.scored, popped: parser.effort.popped, ..Translated::default() };
    // In the order in which they were taken.
    let whole = parser.chart().filter(|&item| parser.logic.is_whole(parser.item(item)));
    let goals: Vec<u32> = whole.take(most).collect();
    if goals.is_empty() {
        let goals = source_cover(&parser);
        return Ok(vec![read(&parser, &mut statistics, &goals, Translated { limited, ..effort })]);
    }
    Ok(goals
        .iter()
        .map(|&goal| read(&parser, &mut statistics, &[goal], Translated { complete: true, ..effort.clone() }))
        .collect())
}

/// What items that stand side by side say.
fn read<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &Parser<Translation<'a>, G, A>,
    statistics: &mut Option<LogLinear<'_>>,
    goals: &[u32],
    mut found: Translated,
) -> Translated {
    let source = parser.logic.source;
    let mut at = 0;
    for &goal in goals {
        let piece = *parser.item(goal).piece().expect("only what is of both languages covers");
        // What nothing covers is copied.
        found.words.extend_from_slice(&source.words[at..usize::from(piece.from)]);
        let first = found.steps.len();
        read_tree(parser, parser.logic.options, goal, &mut found);
        if statistics.is_some() {
            let own = &mut found.steps[first..];
            own.iter_mut().for_each(|step| step.cost -= step.even());
            // Their sum, since what all of a long sentence pays is more than a cost can be.
            found.costs.push(own.iter().map(|step| step.cost).sum());
        } else {
            found.costs.extend(parser.algebra.costs(parser.value(goal)).iter().map(|cost| cost.value()));
        }
        at = usize::from(piece.to);
        if let Some(statistics) = statistics {
            for step in parser.derivation(goal) {
                let at = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
                let (left, right) = (at(step.by.left), at(step.by.right));
                let consequent = parser.item(step.item);
                let seen = parser.logic.seen(&Inference { rule: step.by.rule, left, right, consequent });
                let each = statistics.features(source, &seen);
                found.statistics.iter_mut().zip(each).for_each(|(sum, one)| *sum += one);
            }
        }
    }
    found.words.extend_from_slice(&source.words[at..]);
    found.costs.sort_by(|a, b| b.total_cmp(a));
    found
}

/// The least cost of any bilingual composition over each word.
pub(super) fn least_costs(model: &Model, source: &Source, options: &Options) -> Result<Vec<Cost>> {
    let mut grammar = model.predictor(model.predictor_hierarchy())?;
    let mut logic = model.translation(source, options);
    let mut least = vec![Cost::NEVER; source.len()];
    for pair in &options.pairs {
        use crate::parse::Logic;
        let left = Item::Source { from: pair.from, to: pair.to, made: Type::SourceScan };
        let right = Item::Target { phrase: pair.target, made: Type::TargetScan };
        let Some(item) = logic.infer(Rule::Bilingual, Some(&left), Some(&right)) else { continue };
        let inference = Inference { rule: Rule::Bilingual, left: Some(&left), right: Some(&right), consequent: &item };
        let cost = grammar.cost(&logic, &inference);
        for word in &mut least[usize::from(pair.from)..usize::from(pair.to)] {
            *word = (*word).min(cost);
        }
    }
    Ok(least)
}

/// Items that cover the source side by side, from left to right (Galron 2012, section 4.6).
fn source_cover<'a, G: Grammar<Translation<'a>>, A: Algebra>(parser: &Parser<Translation<'a>, G, A>) -> Vec<u32> {
    let mut order: Vec<u32> = parser.chart().filter(|&item| parser.item(item).piece().is_some()).collect();
    let value =
        |item: u32| parser.algebra.product(parser.value(item), parser.algebra.one(), Cost::NOTHING, Cost::NOTHING);
    order.sort_by(|&a, &b| parser.algebra.compare(&value(a), &value(b)).then(a.cmp(&b)));
    let covered: Vec<Covered> = order
        .iter()
        .filter_map(|&item| {
            let piece = parser.item(item).piece()?;
            Some(Covered { item, spans: [(piece.from.into(), piece.to.into()), (0, 0)] })
        })
        .collect();
    covers(&covered, 1).pop().unwrap_or_default().iter().map(|one| one.item).collect()
}

/// Adds the words and inferences of an item's best derivation.
fn read_tree<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &Parser<Translation<'a>, G, A>,
    options: &Options,
    goal: u32,
    found: &mut Translated,
) {
    let steps = parser.derivation(goal);
    let step_of = |item: u32| steps.iter().find(|step| step.item == item);
    let mut stack = vec![goal];
    // In the order of the target text, left to right: children are pushed the last one first.
    while let Some(item) = stack.pop() {
        let Some(step) = step_of(item) else { continue };
        let length = |item: u32| parser.item(item).piece().map_or(0, |piece| piece.text.length as u16);
        let Some(piece) = parser.item(item).piece() else { continue };
        let begin = found.words.len() as u16;
        let target = (begin, begin + length(item));
        found.steps.push(TreeStep {
            kind: piece.made,
            source: (piece.from, piece.to),
            target,
            cost: step.cost.value(),
        });
        match step.by.rule {
            Rule::Monotonic => stack.extend([step.by.right, step.by.left]),
            Rule::Inverted => stack.extend([step.by.left, step.by.right]),
            _ => {
                fuses(parser, &steps, step, target, found);
                if let Item::Target { phrase, .. } = parser.item(step.by.right) {
                    found.words.extend_from_slice(options.words(*phrase));
                }
            }
        }
    }
}

/// The fuses that made the phrases of a leaf.
fn fuses<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &Parser<Translation<'a>, G, A>,
    steps: &[Step<Rule>],
    leaf: &Step<Rule>,
    target: (u16, u16),
    found: &mut Translated,
) {
    for (start, side) in [(leaf.by.left, 0), (leaf.by.right, 1)] {
        let (mut item, mut begin) = (start, target.0);
        while let Some(step) = steps.iter().find(|step| step.item == item) {
            let (source, target) = match (step.by.rule, parser.item(item)) {
                (Rule::SourceFuse, Item::Source { from, to, .. }) => ((*from, *to), (0, 0)),
                (Rule::TargetFuse, _) => ((0, 0), (begin, target.1)),
                _ => break,
            };
            let kind = step.by.rule.kind();
            found.steps.push(TreeStep { kind, source, target, cost: step.cost.value() });
            begin += u16::from(side == 1);
            item = step.by.right;
        }
    }
}
