//! Learning labels: the coordinator makes examples of sentences whose labels are known, boosted trees learn from them.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::dictionary::Dictionary;
use super::features::{FIELDS, SLOTS, fill_history};
use super::logic::{Item, Label, Labels, Rule, Same};
use super::model::{Labeller, Semiring, Settings};
use crate::learn::boost::{self, Classifiers, Examples};
use crate::learn::{Coordinator, Exploration};
use crate::parse::{Algebra, Cost, Inference, Limits, MinMerge, NO_ITEM, Parser, Viterbi};
use crate::{Error, Result};

/// Labels there may be at most: two of them must fit into a symbol.
const MOST_LABELS: usize = 4096;

/// What an epoch came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Its number, from 1 on.
    pub epoch: u32,
    /// Steps that were explored.
    pub limit: u32,
    /// Examples so far: right and wrong labels.
    pub examples: [u64; 2],
}

/// Learns from sentences and the labels of their words; tells of each epoch.
///
/// # Errors
/// Settings that make no sense, a sentence with more or fewer labels than words, nothing to learn from; or `told` said to stop.
pub fn train(
    sentences: &[(Vec<String>, Vec<String>)],
    settings: &Settings,
    mut told: impl FnMut(&Report) -> Result<()>,
) -> Result<Labeller> {
    settings.check()?;
    let (names, right) = numbered(sentences)?;
    let seen = sentences.iter().zip(&right).flat_map(|((words, _), right)| words.iter().zip(right.iter().copied()));
    let dictionary = Dictionary::count(seen, settings.known.max(1));
    let mut labeller = Labeller { names, dictionary, settings: settings.clone(), classifiers: None };
    let mut lessons = Lessons::default();
    for epoch in 0..settings.epochs {
        let limit = epoch.min(settings.explore);
        // Sentences in parts, so that what they taught does not pile up.
        for (part, some) in sentences.chunks(CHUNK).enumerate() {
            let first = part * CHUNK;
            let found: Vec<Vec<Lesson>> = some
                .par_iter()
                .enumerate()
                .map(|(at, (words, _))| labeller.lessons(words, &right[first + at], limit))
                .collect();
            found.into_iter().enumerate().for_each(|(at, some)| lessons.add(first + at, some));
        }
        labeller.classifiers = Some(lessons.train(settings)?);
        told(&Report { epoch: epoch + 1, limit, examples: lessons.tally })?;
    }
    Ok(labeller)
}

/// The names of all labels, and the labels of each sentence by number.
fn numbered(sentences: &[(Vec<String>, Vec<String>)]) -> Result<(Vec<String>, Vec<Vec<Label>>)> {
    let wrong = sentences.iter().position(|(words, labels)| words.len() != labels.len());
    if let Some(at) = wrong {
        let what = format!("{} words have {} labels", sentences[at].0.len(), sentences[at].1.len());
        return Err(Error::input(what).at_line(at as u64 + 1).hint("give each word one label"));
    }
    let mut names: Vec<String> = sentences.iter().flat_map(|sentence| sentence.1.iter().cloned()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(Error::input("there are no labels to learn from").hint("are the sentences empty?"));
    }
    if names.len() > MOST_LABELS || names.iter().any(|name| name.is_empty() || name.contains('\n')) {
        let what = format!("labels are up to {MOST_LABELS} different lines of text");
        return Err(Error::input(what).hint("are the words in the place of the labels?"));
    }
    let numbers: HashMap<&String, Label> = names.iter().zip(1..).collect();
    let right = sentences.iter().map(|(_, labels)| labels.iter().map(|label| numbers[label]).collect()).collect();
    drop(numbers);
    Ok((names, right))
}

const CHUNK: usize = 1024;

/// A label that was given, and whether it was right.
struct Lesson {
    before: Item,
    label: Label,
    right: bool,
    row: [u32; SLOTS],
}

impl Labeller {
    /// All that the coordinator saw of a sentence.
    fn lessons(&self, words: &[String], right: &[Label], limit: u32) -> Vec<Lesson> {
        match self.settings.semiring {
            Semiring::MinMerge => self.lessons_in::<MinMerge>(words, right, limit),
            Semiring::Viterbi => self.lessons_in::<Viterbi>(words, right, limit),
        }
    }

    fn lessons_in<A: Algebra>(&self, words: &[String], right: &[Label], limit: u32) -> Vec<Lesson> {
        let allowed = self.allowed(words);
        let gold: Vec<Vec<Label>> = right.iter().map(|&label| vec![label]).collect();
        let limits = Limits { time: None, ..Limits::default() };
        let search = self.settings.search();
        let predictor = Parser::new(Labels::new(&allowed), self.grammar(words), A::default(), search, limits);
        // Its logic has no labels but the right ones, and all of them are as good.
        let free = |_: &Labels<'_>, _: &Inference<'_, Labels<'_>>| Cost::ZERO;
        let supervisor = Parser::new(Labels::new(&gold), free, A::default(), search, limits);
        let exploration = Exploration { limit, ..Exploration::default() };
        let mut found = Vec::new();
        let mut coordinator = Coordinator::new(predictor, supervisor, Same, exploration);
        coordinator.run(Labels::is_whole, |parser, event| {
            let Rule::Label(label) = event.fired.by.rule else { return };
            if event.fired.by.left == NO_ITEM {
                return;
            }
            let before = *parser.item(event.fired.by.left);
            let mut row = parser.grammar.rows[before.at as usize];
            fill_history(&before, &mut row);
            found.push(Lesson { before, label, right: event.approved, row });
        });
        found
    }
}

/// What was learnt from so far: examples of each label.
#[derive(Debug, Default)]
struct Lessons {
    rows: HashMap<Label, (Vec<u32>, Vec<bool>)>,
    seen: HashSet<(u32, Item, Label)>,
    tally: [u64; 2],
}

impl Lessons {
    /// Those of a sentence that were not seen before: the same label at the same place after the same labels is the same.
    fn add(&mut self, sentence: usize, lessons: Vec<Lesson>) {
        for lesson in lessons {
            if !self.seen.insert((sentence as u32, lesson.before, lesson.label)) {
                continue;
            }
            let (rows, labels) = self.rows.entry(lesson.label).or_default();
            rows.extend_from_slice(&lesson.row);
            labels.push(lesson.right);
            self.tally[usize::from(!lesson.right)] += 1;
        }
    }

    fn train(&self, settings: &Settings) -> Result<Classifiers> {
        let mut labels: Vec<Label> = self.rows.keys().copied().collect();
        labels.sort_unstable();
        let each = labels.par_iter().map(|&label| {
            let (rows, right) = &self.rows[&label];
            // Of more than enough, every so many: sentences come in no order.
            let step = right.len().div_ceil(settings.most);
            let mut examples = Examples::new(&FIELDS);
            for at in (0..right.len()).step_by(step) {
                examples.push(&rows[at * SLOTS..(at + 1) * SLOTS], right[at]);
            }
            examples.weights = vec![1.0 / examples.len() as f64; examples.len()];
            Ok((u64::from(label), boost::train(&examples, &settings.boost, None)?))
        });
        Classifiers::new(&FIELDS, each.collect::<Result<_>>()?)
    }
}
