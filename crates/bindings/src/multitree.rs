//! Multitrees for Python: a model, the pairs it learns from, and what is learnt.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::learn::{Exploration, Outcome, boost};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::multitree::align::Aligned;
use tolka_engine::multitree::analysis::{Confidence, mass_of};
use tolka_engine::multitree::corpus::{Corpus, Origin};
use tolka_engine::multitree::counts::Counts;
use tolka_engine::multitree::examples::{Learning, With};
use tolka_engine::multitree::features::{Features, Templates, names};
use tolka_engine::multitree::fertility::Fertility;
use tolka_engine::multitree::forests::{FEATURES, alignments, translations_all};
use tolka_engine::multitree::grammars::{Hierarchy, Knowing, Known, STATISTICS, Weights};
use tolka_engine::multitree::language::Language;
use tolka_engine::multitree::learning::{Coordination, Labelling};
use tolka_engine::multitree::lexicon::{Lexicon, LexiconBuilder, Pruning};
use tolka_engine::multitree::links::Links;
use tolka_engine::multitree::model::{Example, Model, Semiring, Settings, Strategy};
use tolka_engine::multitree::piece::Type;
use tolka_engine::multitree::profile::{Profile, profile};
use tolka_engine::multitree::quality::Reference;
use tolka_engine::multitree::source::{Constituent, MOST_WORDS, Source};
use tolka_engine::multitree::store::{open_counts, save_counts};
use tolka_engine::multitree::translate::{Translated, translate_all, translate_knowing};
use tolka_engine::multitree::translation::Identity;
use tolka_engine::parse::Cost;
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::decode::Given;
use crate::error::{Guarded, caught, raise};
use crate::forest::Forest;

/// Words, tags, and constituents: label, from, to, head.
type Sentence = (Vec<u32>, Vec<u32>, Vec<(u32, u16, u16, u16)>);
/// The same with target words and links: source, target, probability.
type Pair = (Sentence, Vec<u32>, Vec<(u32, u32, f32)>);
/// Kind, from, middle, to, begin, seam, end, cost.
type Inference = (String, u16, u16, u16, u16, u16, u16, f64);
/// Words, steps (kind, source span, target span, cost), costs, complete, limited, scored, popped.
type Translation = (Vec<u32>, Vec<(&'static str, (u16, u16), (u16, u16), f64)>, Vec<f64>, bool, bool, u64, u64);

/// Seconds in all and of looking up; kinds with their inferences and seconds; proposed, popped.
type Profiled = (f64, f64, Vec<(&'static str, u64, f64)>, u64, u64);
/// Type, believed or not, mean confidences of both, right, unknown.
type Sureness = (&'static str, [u64; 2], [f64; 2], u64, u64);
/// Words, the sums of what is weighed, and those of costs by type of inference, as forests have them.
type Proposal = (Vec<u32>, Weights, [f64; FEATURES.len()]);
/// Complete, limited, seen, approved, handed over, unknown.
type Told = (bool, bool, u64, u64, u64, u64);

fn settings(given: &Bound<'_, PyDict>) -> PyResult<(Settings, Templates)> {
    let (mut given, mut settings, mut templates) = (Given::new(given), Settings::default(), Templates::default());
    let mut longest = (settings.longest[0], settings.longest[1]);
    given.take("longest", &mut longest)?;
    settings.longest = [longest.0, longest.1];
    given.take("most_crossings", &mut settings.most_crossings)?;
    given.take("crossing", &mut settings.crossing)?;
    given.take("predictor_crossing", &mut settings.predictor_crossing)?;
    given.take("fuse_scale", &mut settings.fuse_scale)?;
    given.take("missing", &mut settings.missing)?;
    let semirings = [("minmerge", Semiring::MinMerge), ("viterbi", Semiring::Viterbi)];
    given.one_of("semiring", &semirings, &mut settings.semiring)?;
    given.one_of("identity", &[("text", Identity::Text), ("boundary", Identity::Boundary)], &mut settings.identity)?;
    given.one_of("templates", &[("thesis", Templates::Thesis), ("all", Templates::All)], &mut templates)?;
    given.take("beam", &mut settings.search.beam)?;
    given.take("threshold", &mut settings.search.threshold)?;
    given.take("bound", &mut settings.search.bound)?;
    given.one_of("strategy", &[("agenda", Strategy::Agenda), ("chart", Strategy::Chart)], &mut settings.strategy)?;
    given.take("options", &mut settings.options)?;
    given.take("time_limit", &mut settings.seconds)?;
    given.take("most_inferences", &mut settings.inferences)?;
    given.take("predictor", &mut settings.predictor)?;
    let mut weights: Option<BTreeMap<String, f64>> = None;
    given.take("weights", &mut weights)?;
    settings.weights = weights.map(self::weights).transpose().map_err(raise)?;
    given.finish()?;
    settings.check().map_err(raise)?;
    Ok((settings, templates))
}

fn weights(given: BTreeMap<String, f64>) -> Result<Weights> {
    let mut weights = Weights::default();
    for (name, weight) in given {
        let at = STATISTICS.iter().position(|known| *known == name).ok_or_else(|| {
            let what = format!("there is no statistic {name:?} to weigh");
            Error::settings(what).hint(format!("statistics are {}", STATISTICS.join(", ")))
        })?;
        if !weight.is_finite() || weight.abs() > 1e3 {
            return Err(
                Error::settings(format!("{name} cannot weigh {weight}")).hint("use a number from -1000 to 1000")
            );
        }
        weights[at] = weight;
    }
    Ok(weights)
}

fn source((words, tags, nodes): Sentence) -> Result<Source> {
    let node = |(label, from, to, head)| Constituent { label, from, to, head };
    Source::new(words, tags, nodes.into_iter().map(node).collect())
}

fn pair((sentence, target, links): Pair) -> Result<Example> {
    if target.len() > MOST_WORDS {
        let what = format!("a translation has more than {MOST_WORDS} words: {}", target.len());
        return Err(Error::limit(what).hint("split it"));
    }
    let source = source(sentence)?;
    let links = Links::new(source.len(), target.len(), &links)?;
    Ok(Example { source, target, links, tree: None, target_tree: None })
}

fn inference((known, cost): &(Known, Cost)) -> Inference {
    let Known { kind, from, middle, to, begin, seam, end } = *known;
    (kind.name().to_owned(), from, middle, to, begin, seam, end, cost.value())
}

fn translation(found: Translated) -> Translation {
    let steps = found.steps.iter().map(|step| (step.kind.name(), step.source, step.target, step.cost)).collect();
    (found.words, steps, found.costs, found.complete, found.limited, found.scored, found.popped)
}

fn proposal(found: Translated) -> Proposal {
    let of = |kind: Type| found.steps.iter().filter(|step| step.kind == kind).map(|step| step.cost).sum();
    let costs = FEATURES.map(of);
    (found.words, found.statistics, costs)
}

fn packed(forest: Option<tolka_engine::forest::Forest>) -> Option<Forest> {
    forest.map(|forest| Forest(Arc::new(forest)))
}

fn learning(given: &Bound<'_, PyDict>) -> PyResult<Learning> {
    let (mut given, mut learning) = (Given::new(given), Learning::default());
    let boost::Settings { start, decay, least, tolerance, max_depth, trees_per_penalty, max_trees, bins, exact } =
        &mut learning.boost;
    given.take("start", start)?;
    given.take("decay", decay)?;
    given.take("least", least)?;
    given.take("tolerance", tolerance)?;
    given.take("max_depth", max_depth)?;
    given.take("trees_per_penalty", trees_per_penalty)?;
    given.take("max_trees", max_trees)?;
    given.take("bins", bins)?;
    given.take("exact", exact)?;
    given.take("coarse", &mut learning.coarse)?;
    given.take("most", &mut learning.most)?;
    given.take("most_coarse", &mut learning.most_coarse)?;
    given.take("fewest", &mut learning.fewest)?;
    given.take("prior", &mut learning.prior)?;
    given.finish()?;
    Ok(learning)
}

/// A model of multitrees, and the pairs it learns from.
#[pyclass(module = "tolka._engine")]
pub struct MultitreeModel {
    corpus: Corpus,
    templates: Templates,
}

#[pymethods]
impl MultitreeModel {
    #[new]
    fn new(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let (settings, templates) = self::settings(settings)?;
        let model = Model {
            settings,
            lexicon: LexiconBuilder::default().finish(),
            counts: Counts::of([]),
            fertility: Fertility::default(),
            features: Features::new(templates),
            classifiers: None,
            penalty: 0.0,
            coarse: None,
            prior: false,
        };
        Ok(Self { corpus: Corpus::new(model, Vec::new()), templates })
    }

    /// Searches as these say from now on; what classifiers may ask cannot change any more.
    fn set(&mut self, settings: &Bound<'_, PyDict>) -> PyResult<()> {
        let (settings, templates) = self::settings(settings)?;
        if templates != self.templates {
            return Err(raise(Error::settings("what classifiers may ask cannot change").hint("train a new model")));
        }
        self.corpus.model.settings = settings;
        Ok(())
    }

    /// Takes pairs to learn from; says for each what is wrong with it, if anything is.
    fn add(&mut self, py: Python<'_>, pairs: Vec<Pair>) -> PyResult<Vec<Option<String>>> {
        let all = &mut self.corpus.pairs;
        py.infallible(|| {
            let one = |given: Pair| match pair(given) {
                Ok(pair) if pair.source.is_empty() || pair.target.is_empty() => Some("a side is empty".to_owned()),
                Ok(pair) => {
                    all.push(pair);
                    None
                }
                Err(error) => Some(error.what),
            };
            pairs.into_iter().map(one).collect()
        })
    }

    /// How many pairs there are.
    fn pairs(&self) -> usize {
        self.corpus.pairs.len()
    }

    /// Counts target n-grams.
    fn count(&mut self, py: Python<'_>, sentences: Vec<Vec<u32>>) -> PyResult<()> {
        self.corpus.model.counts = py.infallible(|| Counts::of(sentences.iter().map(Vec::as_slice)))?;
        Ok(())
    }

    /// Learns fertilities from the links of all pairs.
    fn fertility(&mut self, py: Python<'_>, threads: usize) -> PyResult<()> {
        let corpus = &mut self.corpus;
        py.guarded(|| with_threads(threads, || corpus.see_fertility())).map_err(raise)
    }

    /// The best multitrees of pairs: inferences, whether complete, whether limited.
    fn align(
        &self,
        py: Python<'_>,
        which: Vec<u32>,
        hierarchy: &str,
        threads: usize,
    ) -> PyResult<Vec<(Vec<Inference>, bool, bool)>> {
        let corpus = &self.corpus;
        let found = py.guarded(|| with_threads(threads, || corpus.align(&which, hierarchy))?).map_err(raise)?;
        let told = |Aligned { steps, complete, limited }| (steps.iter().map(inference).collect(), complete, limited);
        Ok(found.into_iter().map(told).collect())
    }

    /// Lets supervisors of a pair know these inferences only.
    fn set_tree(&mut self, pair: u32, inferences: Vec<Inference>) -> PyResult<()> {
        let known = |(kind, from, middle, to, begin, seam, end, _): Inference| -> Result<Known> {
            let kind = Type::ALL.into_iter().find(|known| known.name() == kind);
            let kind = kind.ok_or_else(|| Error::input("a multitree has an inference of no known kind"))?;
            Ok(Known { kind, from, middle, to, begin, seam, end })
        };
        let known = inferences.into_iter().map(known).collect::<Result<Vec<_>>>().map_err(raise)?;
        caught(|| self.corpus.set_tree(pair, &known))?.map_err(raise)
    }

    /// Gives the translation of a pair its tree: its words, their tags, and constituents.
    fn set_target_tree(&mut self, pair: u32, sentence: Sentence) -> PyResult<()> {
        caught(|| self.corpus.set_target_tree(pair, source(sentence)?))?.map_err(raise)
    }

    /// Makes the lexicon of pairs: of trees or forests. Says how many were covered, and its sizes.
    fn make_lexicon(
        &mut self,
        py: Python<'_>,
        which: Vec<u32>,
        origin: &str,
        hierarchy: &str,
        pruning: (f64, f64, u32, u32),
        threads: usize,
    ) -> PyResult<(usize, [usize; 3])> {
        let origin = match origin {
            "tree" => Origin::Tree,
            "forest" => Origin::Forest,
            "phrases" => Origin::Phrases,
            other => {
                let what = format!("a lexicon cannot be made of {other:?}");
                return Err(raise(Error::settings(what).hint("use tree, forest or phrases")));
            }
        };
        let corpus = &mut self.corpus;
        let pruning = Pruning { share: pruning.0, most: pruning.1, pairs: pruning.2, fuses: pruning.3 };
        let run = || with_threads(threads, || corpus.see_lexicon(&which, origin, hierarchy, &pruning))?;
        let complete = py.guarded(run).map_err(raise)?;
        Ok((complete, self.corpus.model.lexicon.sizes()))
    }

    /// Whether the lexicon has a pair.
    fn has_pair(&self, source: Vec<u32>, target: Vec<u32>) -> PyResult<bool> {
        caught(|| self.corpus.model.lexicon.pair(&source, &target).is_some())
    }

    /// Takes examples of pairs of phrases from pairs, without a search.
    fn see_choices(&mut self, py: Python<'_>, which: Vec<u32>, threads: usize) -> PyResult<()> {
        let corpus = &mut self.corpus;
        py.guarded(|| with_threads(threads, || corpus.see_choices(&which))?).map_err(raise)
    }

    /// Coordinates the searches of pairs. For each: complete, limited, seen, approved, handed over, unknown.
    #[pyo3(signature = (which, *, labelling, limit, supervisor, predictor, trailing, neutral, most, threads))]
    fn coordinate(
        &mut self,
        py: Python<'_>,
        which: Vec<u32>,
        labelling: &str,
        limit: u32,
        supervisor: &str,
        predictor: &str,
        trailing: bool,
        neutral: bool,
        most: usize,
        threads: usize,
    ) -> PyResult<Vec<Told>> {
        let labelling = match labelling {
            "strict" => Labelling::Strict,
            "permissive" => Labelling::Permissive,
            "permissive-mean" => Labelling::PermissiveMean,
            "permissive-pairs" => Labelling::PermissivePairs,
            "permissive-f" => Labelling::PermissiveF,
            other => {
                let what = format!("unknown labelling {other:?}");
                return Err(raise(
                    Error::settings(what)
                        .hint("use strict, permissive, permissive-pairs, permissive-mean or permissive-f"),
                ));
            }
        };
        let forbidden = Cost::of(self.corpus.model.settings.missing);
        let exploration = Exploration { limit, trailing, forbidden, neutral };
        let (supervisor, predictor) = (supervisor.into(), predictor.into());
        let how = Coordination { labelling, exploration, supervisor, predictor, most };
        let corpus = &mut self.corpus;
        let found = py.guarded(|| with_threads(threads, || corpus.coordinate(&which, &how))?).map_err(raise)?;
        let told = |one: Outcome| (one.complete, one.limited, one.seen, one.approved, one.handed, one.unknown);
        Ok(found.into_iter().map(told).collect())
    }

    /// Positive and negative pairs, positive and negative joins, bytes.
    fn examples(&self) -> (usize, usize, usize, usize, usize) {
        let [a, b, c, d] = self.corpus.labelled.tally();
        (a, b, c, d, self.corpus.labelled.bytes())
    }

    /// Trains classifiers on all examples; says how many there are.
    fn train(&mut self, py: Python<'_>, learning: &Bound<'_, PyDict>, threads: usize) -> PyResult<usize> {
        let learning = self::learning(learning)?;
        let corpus = &mut self.corpus;
        py.guarded(|| with_threads(threads, || corpus.train(&learning))?).map_err(raise)?;
        Ok(self.corpus.model.classifiers.as_ref().map_or(0, boost::Classifiers::len))
    }

    /// The penalty whose snapshots count.
    fn set_penalty(&mut self, penalty: f64) -> PyResult<()> {
        if !(penalty.is_finite() && penalty > 0.0) {
            return Err(raise(Error::settings(format!("the penalty {penalty} is no positive number"))));
        }
        self.corpus.model.penalty = penalty;
        Ok(())
    }

    /// Names of features with their shares of the weight, positive and negative; of all classifiers, or of leaves or joins.
    #[pyo3(signature = (joins=None))]
    fn mass(&self, py: Python<'_>, joins: Option<bool>) -> PyResult<Vec<(&'static str, f64, f64)>> {
        let model = &self.corpus.model;
        let Some(classifiers) = &model.classifiers else { return Ok(Vec::new()) };
        let mass = py.infallible(|| match joins {
            Some(joins) => mass_of(classifiers, joins, model.penalty, model.coarse).shares(),
            None => classifiers.mass(model.penalty).shares(),
        })?;
        let sides = mass.positive.into_iter().zip(mass.negative);
        Ok(names(self.templates).into_iter().zip(sides).map(|(name, (yes, no))| (name, yes, no)).collect())
    }

    /// By type of inference: examples that classifiers believe in and others, mean confidences, right, unknown.
    fn confidence(&self, py: Python<'_>, most: usize, threads: usize) -> PyResult<Vec<Sureness>> {
        let corpus = &self.corpus;
        let found = py.guarded(|| with_threads(threads, || corpus.confidence(most))).map_err(raise)?;
        let told = |(kind, one): (Type, Confidence)| (kind.name(), one.believed, one.means(), one.right, one.unknown);
        Ok(found.into_iter().map(told).collect())
    }

    /// Writes the examples from one on.
    fn save_examples(&self, py: Python<'_>, path: PathBuf, first: usize) -> PyResult<()> {
        let Corpus { model, labelled, .. } = &self.corpus;
        py.guarded(|| labelled.save(&path, first, &model.features)).map_err(raise)
    }

    /// Adds what `save_examples` wrote, of the pairs and the lexicon there are now.
    fn open_examples(&mut self, py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<()> {
        let Corpus { model, pairs, labelled, .. } = &mut self.corpus;
        let with = With { pairs, lexicon: &model.lexicon, counts: &model.counts, features: &model.features };
        py.guarded(|| labelled.open(&path, &with, most_bytes)).map_err(raise)
    }

    /// Translates sentences.
    fn translate(&self, py: Python<'_>, sentences: Vec<Sentence>, threads: usize) -> PyResult<Vec<Translation>> {
        let model = &self.corpus.model;
        let run = || {
            let sources = sentences.into_iter().map(source).collect::<Result<Vec<_>>>()?;
            with_threads(threads, || translate_all(model, &sources, 1))?
        };
        Ok(py.guarded(run).map_err(raise)?.into_iter().flatten().map(translation).collect())
    }

    /// Where the time of translating goes: seconds in all, those of looking phrases up, kinds of inferences with how many there were
    /// and the seconds of their costs, inferences proposed and taken off the agenda.
    fn profile(&self, py: Python<'_>, sentences: Vec<Sentence>) -> PyResult<Profiled> {
        let model = &self.corpus.model;
        let run = || {
            let mut sum = Profile::default();
            for sentence in sentences {
                sum.add(&profile(model, &source(sentence)?)?);
            }
            Ok(sum)
        };
        let found = py.guarded(run).map_err(raise)?;
        let kinds =
            Type::ALL.iter().zip(found.scored).map(|(kind, (count, time))| (kind.name(), count, time.as_secs_f64()));
        Ok((found.total.as_secs_f64(), found.options.as_secs_f64(), kinds.collect(), found.proposed, found.popped))
    }

    /// Translates sentences as if every label were known.
    fn translate_knowing(
        &self,
        py: Python<'_>,
        sentences: Vec<Sentence>,
        references: Vec<Vec<u32>>,
        knowing: &str,
        threads: usize,
    ) -> PyResult<Vec<Translation>> {
        let model = &self.corpus.model;
        let knowing = match knowing {
            "all" => Knowing::All,
            "pairs" => Knowing::Pairs,
            "joins" => Knowing::Joins,
            other => {
                let what = format!("nobody knows labels of {other:?}");
                return Err(raise(Error::settings(what).hint("use all, pairs or joins")));
            }
        };
        let run = || {
            let sources = sentences.into_iter().map(source).collect::<Result<Vec<_>>>()?;
            with_threads(threads, || translate_knowing(model, &sources, &references, knowing))?
        };
        Ok(py.guarded(run).map_err(raise)?.into_iter().map(translation).collect())
    }

    /// Up to so many translations of each sentence, with what is weighed and what it cost.
    fn proposals(
        &self,
        py: Python<'_>,
        sentences: Vec<Sentence>,
        most: usize,
        threads: usize,
    ) -> PyResult<Vec<Vec<Proposal>>> {
        let model = &self.corpus.model;
        let run = || {
            let sources = sentences.into_iter().map(source).collect::<Result<Vec<_>>>()?;
            with_threads(threads, || translate_all(model, &sources, most))?
        };
        let found = py.guarded(run).map_err(raise)?;
        Ok(found.into_iter().map(|all| all.into_iter().map(proposal).collect()).collect())
    }

    /// Scores texts by a language model from now on; it is told the text of each symbol.
    fn set_language(&mut self, py: Python<'_>, path: PathBuf, texts: Vec<String>, most_bytes: u64) -> PyResult<()> {
        let counts = &mut self.corpus.model.counts;
        let run = || {
            let model = Arc::new(AnyModel::open(&path, false, most_bytes)?);
            counts.language = Some(Language::new(model, &texts));
            Ok(())
        };
        py.guarded(run).map_err(raise)
    }

    /// Refuses a lexicon with words that are not among so many symbols.
    fn check_symbols(&self, py: Python<'_>, symbols: usize) -> PyResult<()> {
        let lexicon = &self.corpus.model.lexicon;
        py.guarded(|| lexicon.check_words(symbols)).map_err(raise)
    }

    /// The forests of sentences' translations; none for a sentence that no tree covers. Names are those of all numbers, from 1 on.
    fn forests(
        &self,
        py: Python<'_>,
        sentences: Vec<Sentence>,
        names: Vec<String>,
        threads: usize,
    ) -> PyResult<Vec<Option<Forest>>> {
        let model = &self.corpus.model;
        let run = || {
            let sources = sentences.into_iter().map(source).collect::<Result<Vec<_>>>()?;
            with_threads(threads, || translations_all(model, &sources, &names))?
        };
        Ok(py.guarded(run).map_err(raise)?.into_iter().map(packed).collect())
    }

    /// The forest of a pair's multitrees, if it has a complete one.
    fn pair_forest(&self, py: Python<'_>, pair: u32, hierarchy: &str, names: Vec<String>) -> PyResult<Option<Forest>> {
        let corpus = &self.corpus;
        let run = || {
            let known =
                corpus.pairs.get(pair as usize).ok_or_else(|| Error::input(format!("there is no pair {pair}")))?;
            alignments(&corpus.model, known, hierarchy, &names)
        };
        py.guarded(run).map(packed).map_err(raise)
    }

    /// Writes counts, lexicon and classifiers.
    fn save(&self, py: Python<'_>, counts: PathBuf, lexicon: PathBuf, classifiers: PathBuf) -> PyResult<()> {
        let model = &self.corpus.model;
        let run = || {
            save_counts(&counts, &model.counts, &model.fertility)?;
            model.lexicon.save(&lexicon)?;
            match &model.classifiers {
                Some(learnt) => learnt.save(&classifiers),
                None => boost::Classifiers::new(model.features.fields(), Vec::new())?.save(&classifiers),
            }
        };
        py.guarded(run).map_err(raise)
    }

    /// Reads what `save` wrote; without classifiers, of a model that has not been trained yet.
    fn open(
        &mut self,
        py: Python<'_>,
        counts: PathBuf,
        lexicon: PathBuf,
        classifiers: Option<PathBuf>,
        coarse: Option<f64>,
        prior: bool,
        most_bytes: u64,
    ) -> PyResult<()> {
        let model = &mut self.corpus.model;
        let run = || {
            (model.counts, model.fertility) = open_counts(&counts, most_bytes)?;
            model.lexicon = Lexicon::open(&lexicon, most_bytes)?;
            if let Some(path) = classifiers {
                let learnt = boost::Classifiers::open(&path)?;
                if learnt.fields() != model.features.fields() {
                    return Err(Error::format("the classifiers ask for other features").hint("train the model again"));
                }
                // Even none at all: where too few were right or wrong, all steps cost the same.
                model.classifiers = Some(learnt);
            }
            (model.coarse, model.prior) = (coarse, prior);
            Ok(())
        };
        py.guarded(run).map_err(raise)
    }
}

/// The e-score of each text against a reference (Galron 2012, formula 4.12).
#[pyfunction]
pub fn multitree_quality(reference: Vec<u32>, texts: Vec<Vec<u32>>) -> PyResult<Vec<f64>> {
    caught(|| {
        let reference = Reference::new(&reference);
        texts.iter().map(|text| reference.score(text)).collect()
    })
}

/// Refuses a line that is no hierarchy of grammars.
#[pyfunction]
pub fn multitree_hierarchy(text: &str) -> PyResult<()> {
    caught(|| Hierarchy::parse(text).map(|_| ()))?.map_err(raise)
}
