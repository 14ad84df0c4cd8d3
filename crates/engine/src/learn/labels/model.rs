//! A labeller: what was learnt, and the search for the best labels.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::dictionary::Dictionary;
use super::features::{FIELDS, HISTORY, SLOTS, Window, fill_history, rows};
use super::logic::{Item, Label, Labels, Rule};
use crate::learn::boost::{self, Classifiers, Residual, cost};
use crate::parse::{Algebra, Cost, Ended, Grammar, Inference, Limits, MinMerge, Parser, Search, Viterbi};
use crate::{Error, Result};

/// Which semiring sequences of labels are compared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semiring {
    /// By their worst labels.
    #[default]
    MinMerge,
    /// By the sum of all.
    Viterbi,
}

/// How labels are learnt and searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Passes over the sentences; in the first nothing is explored, in each further one a step more.
    pub epochs: u32,
    /// The most steps that are explored beyond a wrong label.
    pub explore: u32,
    /// How sequences are compared.
    pub semiring: Semiring,
    /// Items of a place that are kept.
    pub beam: Option<usize>,
    /// What is seen of the words around.
    pub window: Window,
    /// A word that was seen so often has no labels but those it was seen with.
    pub known: u32,
    /// Most examples of a label; of more, a sample.
    pub most: usize,
    /// How classifiers are trained.
    pub boost: boost::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epochs: 3,
            explore: 1,
            semiring: Semiring::default(),
            beam: Some(20),
            window: Window::default(),
            known: 5,
            most: 100_000,
            boost: boost::Settings { max_depth: Some(8), ..boost::Settings::default() },
        }
    }
}

impl Settings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Says what.
    pub fn check(&self) -> Result<()> {
        self.search().check()?;
        self.boost.check()?;
        if self.epochs == 0 || self.most == 0 {
            return Err(Error::settings("nothing is learnt in 0 epochs or of 0 examples").hint("use 1 or more"));
        }
        if self.window.before > 2 || self.window.behind > 2 {
            return Err(Error::settings("at most two words on each side are seen").hint("use 0, 1 or 2"));
        }
        Ok(())
    }

    pub(super) fn search(&self) -> Search {
        Search { beam: self.beam, ..Search::default() }
    }
}

/// Gives labels to words.
#[derive(Debug, Clone)]
pub struct Labeller {
    pub(super) names: Vec<String>,
    pub(super) dictionary: Dictionary,
    pub(super) settings: Settings,
    pub(super) classifiers: Option<Classifiers>,
}

/// The labels of a sentence with what each of them cost.
pub type Labelled = Vec<(Label, f64)>;

impl Labeller {
    /// The names of labels: that of label 1 comes first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How labels are searched for.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was learnt.
    pub fn classifiers(&self) -> Option<&Classifiers> {
        self.classifiers.as_ref()
    }

    /// The labels that each word may have.
    pub(super) fn allowed(&self, words: &[String]) -> Vec<Vec<Label>> {
        let all = || (1..=self.names.len() as Label).collect();
        words.iter().map(|word| self.dictionary.find(word).map_or_else(all, <[Label]>::to_vec)).collect()
    }

    /// Labels sentences on the threads that there are.
    pub fn label_all(&self, sentences: &[Vec<String>]) -> Vec<Labelled> {
        sentences.par_iter().map(|words| self.label(words)).collect()
    }

    /// The best labels of a sentence.
    pub fn label(&self, words: &[String]) -> Labelled {
        match self.settings.semiring {
            Semiring::MinMerge => self.label_in::<MinMerge>(words),
            Semiring::Viterbi => self.label_in::<Viterbi>(words),
        }
    }

    fn label_in<A: Algebra>(&self, words: &[String]) -> Labelled {
        let allowed = self.allowed(words);
        // Every place has a label and a beam, so that nothing else need end the search.
        let limits = Limits { time: None, inferences: usize::MAX };
        let search = self.settings.search();
        let mut parser = Parser::new(Labels::new(&allowed), self.grammar(words), A::default(), search, limits);
        let Ended::Found(goal) = parser.run(Labels::is_whole) else { return Vec::new() };
        let steps = parser.derivation(goal);
        let labels = steps.iter().filter_map(|step| match step.by.rule {
            Rule::Start => None,
            Rule::Label(label) => Some((label, step.cost.value())),
        });
        labels.collect()
    }

    pub(super) fn grammar(&self, words: &[String]) -> Judged<'_> {
        let rows = rows(words, self.settings.window);
        Judged { classifiers: self.classifiers.as_ref(), rows, residuals: HashMap::new() }
    }
}

/// A label costs the less the surer its classifier is.
#[derive(Debug)]
pub struct Judged<'a> {
    classifiers: Option<&'a Classifiers>,
    pub(super) rows: Vec<[u32; SLOTS]>,
    /// What is left to ask of the labels before, at a place for a label.
    residuals: HashMap<(u32, Label), Option<Residual>>,
}

/// What a label costs before anything is learnt, and one that was never seen as an example.
const UNKNOWN: f64 = 5.0;

impl Judged<'_> {
    fn cost_of(&mut self, before: &Item, label: Label) -> Cost {
        let Some(classifiers) = self.classifiers else { return Cost::of(UNKNOWN) };
        let row = &mut self.rows[before.at as usize];
        let residual = self.residuals.entry((before.at, label)).or_insert_with(|| {
            let known = |field: usize| (field < HISTORY).then(|| FIELDS[field].of(row));
            classifiers.get(label.into()).map(|trees| trees.specialise(usize::MAX, known))
        });
        fill_history(before, row);
        Cost::of(residual.as_ref().map_or(UNKNOWN, |residual| cost(residual.score(row))))
    }
}

impl<'a> Grammar<Labels<'a>> for Judged<'_> {
    fn cost(&mut self, _: &Labels<'a>, inference: &Inference<'_, Labels<'a>>) -> Cost {
        match (inference.rule, inference.left) {
            (Rule::Label(label), Some(before)) => self.cost_of(before, label),
            _ => Cost::NOTHING,
        }
    }
}
