//! Training examples out of a pair: the coordinator with the logics and grammars of translation.

use hashbrown::HashMap;

use super::examples::{Labelled, Lesson};
use super::mapping::Positions;
use super::model::{Example, Model, Semiring};
use super::options::{COPY, Options};
use super::pairs::Pairs;
use super::quality::Reference;
use super::seen::Bilingual;
use super::translation::{Item, Rule, Translation};
use crate::Result;
use crate::learn::{Coordinator, Event, Exploration, Outcome};
use crate::parse::{Algebra, Grammar, Inference, MinMerge, NO_ITEM, Parser, Viterbi};

/// What makes an inference a positive example (Galron 2012, section 4.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labelling {
    /// That the supervisor approves of it.
    Strict,
    /// That the partial translation becomes better by it: WIQ1.
    #[default]
    Permissive,
    /// The same by the mean of the antecedents, which the thesis found too lenient.
    PermissiveMean,
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
    let mut judge = Judge { reference: Reference::new(&pair.target), texts: HashMap::new(), scores: HashMap::new() };
    let mut row = vec![0; model.features.slots()];
    let outcome = coordinator.run(Pairs::is_whole, |parser, event| {
        if event.fired.item.piece().is_none() {
            return;
        }
        let label = match how.labelling {
            Labelling::Strict => Some(event.approved),
            Labelling::Permissive => judge.label(parser, &options, event, f64::max),
            Labelling::PermissiveMean => judge.label(parser, &options, event, f64::midpoint),
        };
        let Some(label) = label else { return };
        let of = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
        let inference = Inference {
            rule: event.fired.by.rule,
            left: of(event.fired.by.left),
            right: of(event.fired.by.right),
            consequent: &event.fired.item,
        };
        let seen = parser.logic.seen(&inference);
        // A word that is copied has no classifier.
        let entry = seen.entry.unwrap_or(COPY);
        if seen.kind.is_join() || entry != COPY {
            let lesson = Lesson { sentence: number, source: &pair.source, seen, entry, label };
            labelled.see(&lesson, &model.features, &mut row);
        }
    });
    Ok(outcome)
}

/// Compares partial translations with the reference.
struct Judge {
    reference: Reference,
    /// Words and e-score of the predictor's items.
    texts: HashMap<u32, (Vec<u32>, f64)>,
    /// E-scores by the names of texts: different derivations have the same text.
    scores: HashMap<u64, f64>,
}

impl Judge {
    /// Whether the text became better; nothing if it is as good as before.
    fn label<'a, G: Grammar<Translation<'a>>, A: Algebra>(
        &mut self,
        parser: &Parser<Translation<'a>, G, A>,
        options: &Options,
        event: &Event<'_, Translation<'a>, A::Pending>,
        both: fn(f64, f64) -> f64,
    ) -> Option<bool> {
        let by = event.fired.by;
        let (words, before) = match by.rule {
            Rule::Monotonic | Rule::Inverted => {
                self.know(parser, options, by.left);
                self.know(parser, options, by.right);
                let (left, right) = (&self.texts[&by.left], &self.texts[&by.right]);
                let (first, last) = if by.rule == Rule::Inverted { (right, left) } else { (left, right) };
                ([&first.0[..], &last.0].concat(), both(left.1, right.1))
            }
            // Phrases of one language are neither good nor bad.
            _ => (phrase(parser, options, by.right).to_vec(), 0.0),
        };
        let name = event.fired.item.piece().map_or(0, |piece| piece.text.name);
        let change = self.score(name, &words) - before;
        (change.abs() > 1e-9).then_some(change > 0.0)
    }

    fn know<'a, G: Grammar<Translation<'a>>, A: Algebra>(
        &mut self,
        parser: &Parser<Translation<'a>, G, A>,
        options: &Options,
        item: u32,
    ) {
        if self.texts.contains_key(&item) {
            return;
        }
        let Some(edge) = parser.graph().first(item) else { return };
        let (rule, [left, right]) = (parser.graph().edge(edge).0, parser.graph().tails(edge));
        let words = match rule {
            Rule::Monotonic | Rule::Inverted => {
                self.know(parser, options, left);
                self.know(parser, options, right);
                let (first, last) = if rule == Rule::Inverted { (right, left) } else { (left, right) };
                [&self.texts[&first].0[..], &self.texts[&last].0].concat()
            }
            _ => phrase(parser, options, right).to_vec(),
        };
        let name = parser.item(item).piece().map_or(0, |piece| piece.text.name);
        let score = self.score(name, &words);
        self.texts.insert(item, (words, score));
    }

    fn score(&mut self, name: u64, words: &[u32]) -> f64 {
        *self.scores.entry(name).or_insert_with(|| self.reference.score(words))
    }
}

fn phrase<'p, 'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &Parser<Translation<'a>, G, A>,
    options: &'p Options,
    item: u32,
) -> &'p [u32] {
    match parser.item(item) {
        Item::Target { phrase, .. } => options.words(*phrase),
        _ => &[],
    }
}
