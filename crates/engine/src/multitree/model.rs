//! A model that translates by multitrees, and what searches with it.

use std::time::Duration;

use super::counts::Counts;
use super::features::Features;
use super::fertility::Fertility;
use super::grammars::{
    AnyPart, Built, Classified, Fertilities, Fuses, Hierarchy, InLexicon, Judgement, Knowing, Labels, LogLinear,
    NEIGHBOURS, Part, PseudoItg, STATISTICS, TreeFilter, Weights, knows_joins,
};
use super::lexicon::Lexicon;
use super::links::Links;
use super::options::Options;
use super::pairs::Pairs;
use super::seen::Bilingual;
use super::source::Source;
use super::translation::{Asked, Identity, Translation};
use crate::learn::boost::Classifiers;
use crate::parse::{Limits, Search};
use crate::{Error, Result};

/// Which semiring derivations are compared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semiring {
    /// By their worst inferences.
    #[default]
    MinMerge,
    /// By the sum of all.
    Viterbi,
}

/// In which order multitrees are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The best inference first, wherever it is.
    #[default]
    Agenda,
    /// Short spans first, each from the best of its parts (cube pruning).
    Chart,
}

/// How multitrees are searched for. The numbers are those of Galron 2012, section 5.2.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Longest fuse of the source and of the target.
    pub longest: [usize; 2],
    /// Brackets that a span may cross.
    pub most_crossings: Option<u32>,
    /// What each costs whoever parses two sentences.
    pub crossing: f64,
    /// What each costs whoever translates.
    pub predictor_crossing: f64,
    /// What a fuse costs that was seen once.
    pub fuse_scale: f64,
    /// What an inference costs that no classifier knows, and a word that is copied.
    pub missing: f64,
    /// How derivations are compared.
    pub semiring: Semiring,
    /// Which items are the same.
    pub identity: Identity,
    /// In which order translations are searched for. Whoever learns looks at the best inferences first in any case.
    pub strategy: Strategy,
    /// How cells are pruned.
    pub search: Search,
    /// Seconds for a sentence.
    pub seconds: Option<f64>,
    /// Inferences for a sentence.
    pub inferences: usize,
    /// Most translations of a source phrase that are tried, the likeliest; all without.
    pub options: Option<usize>,
    /// What statistics weigh in a log-linear grammar; without, classifiers alone count.
    pub weights: Option<Weights>,
    /// The hierarchy of grammars of a translator, if it is not the usual one.
    pub predictor: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            longest: [3, 3],
            most_crossings: Some(3),
            crossing: 10.0,
            predictor_crossing: 0.0,
            fuse_scale: 2.0,
            missing: 5.0,
            semiring: Semiring::default(),
            identity: Identity::default(),
            strategy: Strategy::default(),
            search: Search { beam: Some(10), threshold: None, bound: false },
            seconds: Some(60.0),
            inferences: 20_000_000,
            options: None,
            weights: None,
            predictor: None,
        }
    }
}

impl Settings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Says what.
    pub fn check(&self) -> Result<()> {
        self.search.check()?;
        if self.longest.iter().any(|&longest| !(1..=super::lexicon::MOST_FUSED).contains(&longest)) {
            let what = format!("fuses have 1 to {} words", super::lexicon::MOST_FUSED);
            return Err(Error::settings(what).hint("use 3"));
        }
        if self.options == Some(0) {
            return Err(Error::settings("a phrase without any translation cannot be translated").hint("use 1 or more"));
        }
        let costs = [self.crossing, self.predictor_crossing, self.fuse_scale, self.missing];
        if costs.iter().any(|cost| !(cost.is_finite() && *cost >= 0.0)) {
            return Err(Error::settings("a cost is no number of 0 or more"));
        }
        if let Some(hierarchy) = &self.predictor {
            Hierarchy::parse(hierarchy)?;
        }
        if self.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
            return Err(Error::settings("the time for a sentence is no positive number of seconds"));
        }
        Ok(())
    }

    /// What ends a search.
    pub fn limits(&self) -> Limits {
        Limits { time: self.seconds.map(Duration::from_secs_f64), inferences: self.inferences }
    }
}

/// A pair to learn from.
#[derive(Debug, Clone)]
pub struct Example {
    /// The source sentence and its tree.
    pub source: Source,
    /// The words of its translation.
    pub target: Vec<u32>,
    /// Links between them.
    pub links: Links,
    /// What is part of its multitrees, for supervisors that know one tree only.
    pub tree: Option<TreeFilter>,
    /// The translation and its tree, if it has one.
    pub target_tree: Option<Source>,
}

/// Everything that a search may ask.
#[derive(Debug, Clone)]
pub struct Model {
    /// How it is searched.
    pub settings: Settings,
    /// What may be fused, and what translates what.
    pub lexicon: Lexicon,
    /// Target n-grams.
    pub counts: Counts,
    /// How many words are made of how many.
    pub fertility: Fertility,
    /// What classifiers may ask.
    pub features: Features,
    /// What was learnt.
    pub classifiers: Option<Classifiers>,
    /// The penalty whose snapshots count.
    pub penalty: f64,
    /// That of coarser classifiers, if there are any.
    pub coarse: Option<f64>,
    /// Whether classifiers know only what context adds to how often inferences are right.
    pub prior: bool,
}

impl Model {
    fn judgement(&self) -> Option<Judgement<'_>> {
        let classifiers = self.classifiers.as_ref()?;
        Some(Judgement { classifiers, penalty: self.penalty, coarse: self.coarse, missing: self.settings.missing })
    }

    fn classified(&self) -> Option<Box<Classified<'_>>> {
        Some(Box::new(Classified::new(self.judgement()?, &self.features, &self.lexicon)))
    }

    /// What a predictor, or a translator, pays: `itg : fuses + itg + fertility` before anything is learnt.
    pub fn predictor_hierarchy(&self) -> &str {
        if let Some(chosen) = &self.settings.predictor {
            return chosen;
        }
        if self.settings.weights.is_some() {
            return "itg : loglinear";
        }
        if self.classifiers.is_some() { "itg : fuses + classifiers" } else { "itg : itg + fuses + fertility" }
    }

    /// The log-linear grammar, for one sentence; none if nothing is weighed.
    pub fn statistics(&self) -> Option<LogLinear<'_>> {
        let learnt = self.judgement().map(|judgement| Classified::new(judgement, &self.features, &self.lexicon));
        let language = self.counts.language.as_ref();
        self.settings.weights.map(|weights| LogLinear::new(weights, &self.lexicon, language, learnt, self.prior))
    }

    /// What may be made of a sentence.
    pub fn options(&self, source: &Source) -> Options {
        let (lexicon, longest) = (&self.lexicon, self.settings.longest[0]);
        let Some(most) = self.settings.options else { return Options::new(lexicon, &source.words, longest) };
        match self.statistics() {
            Some(mut known) => Options::best(lexicon, &source.words, longest, most, |entry| known.worth(entry)),
            None => Options::best(lexicon, &source.words, longest, most, |entry| lexicon.count(entry).into()),
        }
    }

    /// The logic of translation for a sentence, with all that examples are made of.
    pub fn predicting<'a>(&'a self, source: &'a Source, options: &'a Options) -> Translation<'a> {
        let asked = Asked { smooth: self.features.are_beyond(), ..Asked::default() };
        Translation::new(source, options, &self.counts, self.settings.longest[0], self.settings.identity).asked(asked)
    }

    /// The same with no more than translating needs.
    pub fn translation<'a>(&'a self, source: &'a Source, options: &'a Options) -> Translation<'a> {
        let logic = self.predicting(source, options);
        match &self.settings.weights {
            Some(weights) => logic.asked(self.asked(weights)),
            None => logic,
        }
    }

    /// What a log-linear grammar with these weights asks of items.
    fn asked(&self, weights: &Weights) -> Asked {
        let weighs =
            |name: &str| STATISTICS.iter().zip(weights).any(|(known, &weight)| *known == name && weight != 0.0);
        // What classifiers ask of leaves is known before anything is joined.
        let joins = self.classifiers.as_ref().is_some_and(knows_joins) && weighs("join.classifiers");
        let ends = weights[NEIGHBOURS..].iter().any(|&weight| weight != 0.0);
        Asked { ends, counts: joins, smooth: self.features.are_beyond() || self.counts.language.is_none() }
    }

    /// The logic of parsing a pair.
    pub fn pairs<'a>(&'a self, pair: &'a Example) -> Pairs<'a> {
        Pairs::new(&pair.source, &pair.target, &self.counts, self.settings.longest).smooth(self.features.are_beyond())
    }

    /// The grammar of a predictor or a translator.
    ///
    /// # Errors
    /// A hierarchy with a part that is not there.
    pub fn predictor<'a>(&'a self, hierarchy: &str) -> Result<Built<'a, Translation<'a>>> {
        self.build(hierarchy, &self.unlinked(), None, None)
    }

    /// The grammar of a translator that knows labels.
    ///
    /// # Errors
    /// No classifiers alone judge what is not known.
    pub fn knowing<'a>(&'a self, reference: &[u32], knowing: Knowing) -> Result<Built<'a, Translation<'a>>> {
        if knowing != Knowing::All && (self.classifiers.is_none() || self.settings.weights.is_some()) {
            let what = "no classifiers alone judge the steps whose labels are not known";
            return Err(Error::settings(what).hint("know all of them"));
        }
        self.build("itg : fuses + labels", &self.unlinked(), None, Some((reference, knowing)))
    }

    fn unlinked<'a>(&self) -> PseudoItg<'a> {
        PseudoItg {
            links: None,
            weighted: false,
            most_crossings: self.settings.most_crossings,
            crossing: self.settings.predictor_crossing,
            target: None,
        }
    }

    /// The grammar of whoever parses a pair: a supervisor or an aligner.
    ///
    /// # Errors
    /// A hierarchy with a part that is not there.
    pub fn supervisor<'a>(&'a self, hierarchy: &str, pair: &'a Example) -> Result<Built<'a, Pairs<'a>>> {
        let itg = PseudoItg {
            links: Some(&pair.links),
            // Once there are classifiers, links only allow.
            weighted: !hierarchy.contains("classifiers"),
            most_crossings: self.settings.most_crossings,
            crossing: self.settings.crossing,
            target: pair.target_tree.as_ref(),
        };
        self.build(hierarchy, &itg, pair.tree.as_ref(), None)
    }

    fn build<'a, L: Bilingual + 'a>(
        &'a self,
        hierarchy: &str,
        itg: &PseudoItg<'a>,
        tree: Option<&'a TreeFilter>,
        known: Option<(&[u32], Knowing)>,
    ) -> Result<Built<'a, L>> {
        Hierarchy::parse(hierarchy)?.build(|part| {
            Some(match part {
                Part::Tree => AnyPart::Tree(tree?.clone()),
                Part::Itg => AnyPart::Itg(itg.clone()),
                Part::Lexicon => AnyPart::Lexicon(InLexicon(&self.lexicon)),
                Part::Fuses => AnyPart::Fuses(Fuses { lexicon: &self.lexicon, scale: self.settings.fuse_scale }),
                Part::Fertility => AnyPart::Fertility(Fertilities(&self.fertility)),
                Part::LogLinear => AnyPart::LogLinear(Box::new(self.statistics()?)),
                Part::Classifiers => AnyPart::Classifiers(self.classified()?),
                Part::Labels => {
                    let (reference, knowing) = known?;
                    AnyPart::Labels(Box::new(Labels::new(reference, knowing, self.classified())))
                }
            })
        })
    }
}
