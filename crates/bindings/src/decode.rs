//! Decoding for Python: models of tables and language models, and decoders over them.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::Arc;
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyList};
use tolka_engine::decode::batch::{self, Candidate};
use tolka_engine::decode::chart::{CellSearch, ChartSettings};
use tolka_engine::decode::model::NamedSource;
use tolka_engine::decode::phrase::PhraseSettings;
use tolka_engine::decode::sparse::Templates;
use tolka_engine::decode::undirected::UndirectedSettings;
use tolka_engine::decode::{Effort, Growth, Model, Scorer, Search, Strategy, Weights};
use tolka_engine::grammar::{RuleSource, Voice};
use tolka_engine::lm::model::LanguageModel;
use tolka_engine::{Error, Result};

use crate::compose::ComposedRules;
use crate::error::{Guarded, caught, raise};
use crate::forest::Forest;
use crate::grammar::GrammarTable;
use crate::inputs::{GivenSpans, Lines};
use crate::lm::LmModel;
use crate::suffix::SuffixRules;

/// Where rules come from: a table, a voice of one, a growing text, or two of these that are composed.
#[derive(FromPyObject)]
pub enum Source<'py> {
    Table(PyRef<'py, GrammarTable>),
    Growing(PyRef<'py, SuffixRules>),
    Composed(PyRef<'py, ComposedRules>),
    Voice(PyRef<'py, GrammarTable>, usize),
}

impl Source<'_> {
    pub fn rules(&self) -> Result<Arc<dyn RuleSource>> {
        Ok(match self {
            Self::Composed(rules) => Arc::clone(&rules.0) as Arc<dyn RuleSource>,
            Self::Table(table) => Arc::clone(&table.0) as Arc<dyn RuleSource>,
            Self::Growing(rules) => Arc::clone(&rules.0) as Arc<dyn RuleSource>,
            Self::Voice(table, voice) => Arc::new(Voice::new(Arc::clone(&table.0), *voice)?),
        })
    }
}

fn rules(sources: Vec<(String, Source<'_>)>) -> PyResult<Vec<NamedSource>> {
    let named = sources.into_iter().map(|(name, source)| Ok((name, source.rules()?)));
    named.collect::<Result<_>>().map_err(raise)
}

fn models(lms: Vec<(String, PyRef<'_, LmModel>)>) -> PyResult<Vec<(String, Arc<dyn LanguageModel>)>> {
    let mut models: Vec<(String, Arc<dyn LanguageModel>)> = Vec::new();
    for (name, lm) in lms {
        models.push((name, Arc::new(caught(|| lm.compiled().cloned())?.map_err(raise)?)));
    }
    Ok(models)
}

fn templates((word_pair, rule_shape, rule_count): (usize, bool, bool)) -> Templates {
    Templates { word_pair, rule_shape, rule_count }
}

/// Sources of rules and language models under one set of feature names.
#[pyclass(frozen, module = "tolka._engine")]
pub struct DecodeModel(Arc<Model>);

#[pymethods]
impl DecodeModel {
    #[new]
    fn new(
        py: Python<'_>,
        sources: Vec<(String, Source<'_>)>,
        lms: Vec<(String, PyRef<'_, LmModel>)>,
        sparse: (usize, bool, bool),
    ) -> PyResult<Self> {
        let (sources, models) = (rules(sources)?, models(lms)?);
        let made = py.guarded(|| Model::new(sources, models)?.with_sparse(templates(sparse)));
        made.map(|model| Self(Arc::new(model))).map_err(raise)
    }

    /// The sources of several components, and the language models of all of them.
    #[staticmethod]
    fn ensemble(
        py: Python<'_>,
        components: Vec<(String, Vec<(String, Source<'_>)>)>,
        lms: Vec<(String, PyRef<'_, LmModel>)>,
        sparse: (usize, bool, bool),
    ) -> PyResult<Self> {
        let named = components.into_iter().map(|(name, own)| Ok((name, rules(own)?)));
        let components = named.collect::<PyResult<_>>()?;
        let models = models(lms)?;
        let made = py.guarded(|| Model::ensemble(components, models)?.with_sparse(templates(sparse)));
        made.map(|model| Self(Arc::new(model))).map_err(raise)
    }

    /// Whether a rule translates each of these source words alone.
    fn translates(&self, py: Python<'_>, words: Vec<PyBackedStr>) -> PyResult<Vec<bool>> {
        py.guarded(|| self.0.translates(&words)).map_err(raise)
    }

    /// The names of the features: those of rules, of language models, and the decoder's own.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    /// How many of them are those of rules.
    #[getter]
    fn rule_features(&self) -> usize {
        self.0.own().words - self.0.lms().len()
    }
}

/// Reads settings by name; what no setting is called is an error.
pub(crate) struct Given<'a, 'py>(&'a Bound<'py, PyDict>, Vec<&'static str>);

impl<'s, 'py> Given<'s, 'py> {
    pub(crate) fn new(settings: &'s Bound<'py, PyDict>) -> Self {
        Self(settings, Vec::new())
    }

    pub(crate) fn take<T>(&mut self, name: &'static str, place: &mut T) -> PyResult<()>
    where
        for<'a> T: FromPyObject<'a, 'py, Error = PyErr>,
    {
        self.1.push(name);
        if let Some(value) = self.0.get_item(name)? {
            *place = value.extract()?;
        }
        Ok(())
    }

    pub(crate) fn one_of<T: Clone>(&mut self, name: &'static str, known: &[(&str, T)], place: &mut T) -> PyResult<()> {
        let mut given: Option<String> = None;
        self.take(name, &mut given)?;
        let Some(given) = given else { return Ok(()) };
        let found = known.iter().find(|(known, _)| *known == given).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
            raise(Error::settings(format!("unknown {name} {given:?}")).hint(format!("use {}", names.join(" or "))))
        })?;
        *place = found.1.clone();
        Ok(())
    }

    pub(crate) fn seconds(&mut self, name: &'static str, place: &mut Option<Duration>) -> PyResult<()> {
        let mut seconds: Option<f64> = None;
        self.take(name, &mut seconds)?;
        let limit = seconds.map(Duration::try_from_secs_f64).transpose();
        *place = limit.map_err(|_| raise(Error::settings(format!("{name} is not a number of seconds"))))?;
        Ok(())
    }

    pub(crate) fn finish(self) -> PyResult<()> {
        for key in self.0.keys() {
            let key: String = key.extract()?;
            if !self.1.contains(&key.as_str()) {
                let hint = format!("settings are {}", self.1.join(", "));
                return Err(raise(Error::settings(format!("unknown setting `{key}`")).hint(hint)));
            }
        }
        Ok(())
    }
}

fn strategy(kind: &str, settings: &Bound<'_, PyDict>) -> PyResult<Box<dyn Strategy>> {
    let mut given = Given::new(settings);
    let strategy: Box<dyn Strategy> = match kind {
        "chart" => {
            let mut chart = ChartSettings::default();
            given.one_of(
                "search",
                &[("cube", CellSearch::Cube), ("boundary", CellSearch::Boundary)],
                &mut chart.search,
            )?;
            given.take("pop_limit", &mut chart.pop_limit)?;
            given.take("table_limit", &mut chart.table_limit)?;
            given.take("max_span", &mut chart.max_span)?;
            given.take("shallow", &mut chart.shallow)?;
            given.take("passes", &mut chart.passes)?;
            given.take("beam", &mut chart.beam)?;
            given.take("memory_limit", &mut chart.memory_limit)?;
            given.seconds("time_limit", &mut chart.time_limit)?;
            Box::new(chart)
        }
        "phrase" => {
            let mut phrase = PhraseSettings::default();
            given.take("pop_limit", &mut phrase.pop_limit)?;
            given.take("stack_size", &mut phrase.stack_size)?;
            given.take("table_limit", &mut phrase.table_limit)?;
            given.take("distortion_limit", &mut phrase.distortion_limit)?;
            given.take("max_phrase", &mut phrase.max_phrase)?;
            given.take("estimate_jumps", &mut phrase.estimate_jumps)?;
            given.take("memory_limit", &mut phrase.memory_limit)?;
            given.seconds("time_limit", &mut phrase.time_limit)?;
            Box::new(phrase)
        }
        "undirected" => Box::new(crate::undirected::settings(&mut given)?),
        _ => {
            let hint = "use chart, phrase or undirected";
            return Err(raise(Error::settings(format!("unknown strategy {kind:?}")).hint(hint)));
        }
    };
    given.finish()?;
    Ok(strategy)
}

type Named = Vec<(String, f64)>;
type Lists<'py> = (Vec<Vec<String>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Vec<Named>);
/// A forest of one derivation, and when and how its rules were connected.
type Explained = (Forest, Vec<(u32, u8)>);
type Taken = (String, f64, [u64; 7], bool, [f64; 3]);

/// The best translation; an empty one for an empty input.
fn best(search: &mut dyn Search) -> (String, f32) {
    search.best().unwrap_or_default()
}

/// Searches for translations under a model, weights and settings.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Decoder {
    model: Arc<Model>,
    scorer: Scorer,
    strategy: Box<dyn Strategy>,
    /// The strategy once more, if it is undirected: its weights can be learnt.
    undirected: Option<UndirectedSettings>,
}

#[pymethods]
impl Decoder {
    #[new]
    fn new(
        model: &DecodeModel,
        weights: Vec<f64>,
        sparse: Vec<(String, f64)>,
        kind: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let weigh = || Weights::new(&model.0, &weights).and_then(|weights| weights.with_sparse(&model.0, &sparse));
        let scorer = Scorer::from(caught(weigh)?.map_err(raise)?);
        Self::make(&model.0, scorer, kind, settings)
    }

    /// Searches with several components: the weights of each, dense and sparse ones, and how they work together.
    #[staticmethod]
    fn ensemble(
        model: &DecodeModel,
        weights: Vec<(Vec<f64>, Named)>,
        plan: &Bound<'_, PyDict>,
        kind: &str,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let plan = crate::mixture::plan(plan)?;
        let weigh = || {
            let own =
                weights.iter().map(|(dense, sparse)| Weights::new(&model.0, dense)?.with_sparse(&model.0, sparse));
            Scorer::ensemble(&model.0, own.collect::<Result<_>>()?, plan)
        };
        let scorer = caught(weigh)?.map_err(raise)?;
        Self::make(&model.0, scorer, kind, settings)
    }

    /// Whether the scores of edges are mixed, and not those of rules alone.
    #[getter]
    fn mixes_edges(&self) -> bool {
        self.scorer.mixes_edges()
    }

    /// Translate lines of tokens, each with what is given for its spans.
    #[pyo3(signature = (lines, *, given, threads))]
    fn translate(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyList>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Vec<String>> {
        let lines = Lines::new(lines, given)?;
        let found = py.guarded(|| {
            let inputs = lines.inputs()?;
            batch::decode_all(self.parts(&*self.strategy), &inputs, threads, |decoder, _| Ok(best(decoder).0))
        });
        found.map_err(raise)
    }

    /// Translate lines of tokens; returns for each the translation, its score and what finding it took: cells, cubes,
    /// pops, scored, queries, hypotheses, recombined, whether it was hurried, and seconds for a first pass, for what is known
    /// of its forest and for search.
    #[pyo3(signature = (lines, *, given, threads))]
    fn statistics(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyList>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Vec<Taken>> {
        let lines = Lines::new(lines, given)?;
        let found: Result<Vec<((String, f32), Effort)>> = py.guarded(|| {
            let inputs = lines.inputs()?;
            let parts = self.parts(&*self.strategy);
            batch::decode_all(parts, &inputs, threads, |decoder, _| Ok((best(decoder), decoder.effort())))
        });
        let taken = found.map_err(raise)?.into_iter().map(|((text, score), effort)| {
            let Effort { cells, cubes, pops, scored, queries, hypotheses, recombined, hurried, .. } = effort;
            let counts = [cells, cubes, pops, scored, queries, hypotheses, recombined];
            let times = [effort.parsing, effort.factors, effort.rescoring].map(|time| time.as_secs_f64());
            (text, f64::from(score), counts, hurried, times)
        });
        Ok(taken.collect())
    }

    /// The best translations of each line: their texts, and for all of them in a row scores, features, sparse features.
    #[pyo3(signature = (lines, *, given, count, unique, threads))]
    fn nbest<'py>(
        &self,
        py: Python<'py>,
        lines: &Bound<'py, PyList>,
        given: GivenSpans,
        count: usize,
        unique: bool,
        threads: usize,
    ) -> PyResult<Lists<'py>> {
        let lines = Lines::new(lines, given)?;
        let strategy = self.strategy.keeping_alternatives();
        let found: Result<Vec<Vec<Candidate>>> = py.guarded(|| {
            let inputs = lines.inputs()?;
            batch::decode_all(self.parts(&*strategy), &inputs, threads, |decoder, input| {
                let mut listed = batch::candidates(&decoder.forest(input)?, count, unique);
                if listed.is_empty() {
                    let features = vec![0.0; self.model.feature_names().len()];
                    listed.push(Candidate { text: String::new(), score: 0.0, features, sparse: Vec::new() });
                }
                Ok(listed)
            })
        });
        self.lists(py, found.map_err(raise)?)
    }

    /// The best derivation of each line that yields its reference, if there is one; as in `nbest`.
    #[pyo3(signature = (lines, references, *, given, threads))]
    fn force<'py>(
        &self,
        py: Python<'py>,
        lines: &Bound<'py, PyList>,
        references: Vec<String>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Lists<'py>> {
        let lines = Lines::new(lines, given)?;
        let found: Result<Vec<Vec<Candidate>>> = py.guarded(|| {
            let pairs: Vec<_> = lines.inputs()?.into_iter().zip(&references).collect();
            batch::each(
                self.parts(&*self.strategy),
                &pairs,
                |pair| &pair.0,
                threads,
                |decoder, (input, reference)| Ok(batch::candidates(&decoder.force(input, reference)?, 1, false)),
            )
        });
        self.lists(py, found.map_err(raise)?)
    }

    /// What was found of derivations of each line; of the best one only unless `alternatives`.
    #[pyo3(signature = (lines, *, given, threads))]
    fn forests(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyList>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Vec<Forest>> {
        let lines = Lines::new(lines, given)?;
        let strategy = self.strategy.keeping_alternatives();
        let found = py.guarded(|| -> Result<Vec<Forest>> {
            let inputs = lines.inputs()?;
            batch::decode_all(self.parts(&*strategy), &inputs, threads, |decoder, input| {
                decoder.forest(input).map(|forest| Forest(Arc::new(forest)))
            })
        });
        found.map_err(raise)
    }

    /// The best derivation of each line as a forest, and how it grew: for each rule, those in its gaps before it, when it was
    /// connected and whether as the first (0), above (1) or in a gap (2); nothing if search has no order of its own.
    #[pyo3(signature = (lines, *, given, threads))]
    fn explain(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyList>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Vec<Explained>> {
        let lines = Lines::new(lines, given)?;
        let number = |(step, how): (u32, Growth)| {
            let how = match how {
                Growth::Start => 0,
                Growth::Up => 1,
                Growth::Down => 2,
            };
            (step, how)
        };
        let found = py.guarded(|| -> Result<Vec<Explained>> {
            let inputs = lines.inputs()?;
            batch::decode_all(self.parts(&*self.strategy), &inputs, threads, |decoder, input| {
                let forest = Forest(Arc::new(decoder.forest(input)?));
                Ok((forest, decoder.growth().into_iter().map(number).collect()))
            })
        });
        found.map_err(raise)
    }

    /// All derivations of each line without language models, with a chart.
    #[pyo3(signature = (lines, *, given, threads))]
    fn context_free(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyList>,
        given: GivenSpans,
        threads: usize,
    ) -> PyResult<Vec<Forest>> {
        let lines = Lines::new(lines, given)?;
        let found = py.guarded(|| -> Result<Vec<Forest>> {
            let inputs = lines.inputs()?;
            batch::each(
                self.parts(&*self.strategy),
                &inputs,
                |input| input,
                threads,
                |decoder, input| decoder.context_free(input).map(|forest| Forest(Arc::new(forest))),
            )
        });
        found.map_err(raise)
    }
}

impl Decoder {
    fn make(model: &Arc<Model>, scorer: Scorer, kind: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let strategy = strategy(kind, settings)?;
        caught(|| strategy.search(model, &scorer).map(drop))?.map_err(raise)?;
        let undirected = match kind {
            "undirected" => Some(crate::undirected::settings(&mut Given::new(settings))?),
            _ => None,
        };
        Ok(Self { model: Arc::clone(model), scorer, strategy, undirected })
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    pub(crate) fn undirected(&self) -> Result<&UndirectedSettings> {
        let missing = || Error::settings("only undirected search learns actions").hint("use a decoder of that kind");
        self.undirected.as_ref().ok_or_else(missing)
    }

    fn parts<'a>(&'a self, strategy: &'a dyn Strategy) -> (&'a Model, &'a Scorer, &'a dyn Strategy) {
        (&self.model, &self.scorer, strategy)
    }

    fn lists<'py>(&self, py: Python<'py>, found: Vec<Vec<Candidate>>) -> PyResult<Lists<'py>> {
        let width = self.model.feature_names().len();
        let all = || found.iter().flatten();
        let scores: Vec<f64> = all().map(|candidate| candidate.score).collect();
        let features: Vec<f64> = all().flat_map(|candidate| candidate.features.iter().copied()).collect();
        let features = features.into_pyarray(py).reshape([scores.len(), width])?;
        let named = if self.model.sparse().is_empty() {
            Vec::new()
        } else {
            all().map(|candidate| candidate.sparse.clone()).collect()
        };
        let texts = found.into_iter().map(|list| list.into_iter().map(|candidate| candidate.text).collect());
        Ok((texts.collect(), scores.into_pyarray(py), features, named))
    }
}
