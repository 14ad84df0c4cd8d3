//! Language models for Python: files and scores.
#![allow(clippy::needless_pass_by_value)] // Python's arguments arrive by value

use std::path::PathBuf;
use std::sync::OnceLock;

use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::corpus::ReadLimits;
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::batch::{score_lines, score_words};
use tolka_engine::lm::model::{Compiled, Form, LanguageModel};
use tolka_engine::lm::ngrams::Ngrams;
use tolka_engine::lm::state::State;
use tolka_engine::lm::{arpa_read, arpa_write};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};

/// A language model: n-grams as lists, or compiled for queries, or both.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LmModel {
    ngrams: Option<Ngrams>,
    compiled: OnceLock<AnyModel>,
}

/// A language model's memory of the words so far.
#[pyclass(frozen, eq, hash, module = "tolka._engine")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LmState(State);

fn form(name: &str, bits: Option<u32>) -> Result<Form> {
    match (name, bits) {
        ("fast", None) => Ok(Form::Fast),
        ("small", bits) => Ok(Form::Small(bits)),
        ("fast", Some(_)) => Err(Error::settings("the fast form cannot be quantised").hint("ask for the small form")),
        _ => Err(Error::settings(format!("unknown form {name:?}")).hint("use fast or small")),
    }
}

impl LmModel {
    pub(crate) fn new(ngrams: Ngrams) -> Self {
        Self { ngrams: Some(ngrams), compiled: OnceLock::new() }
    }

    pub(crate) fn of(compiled: AnyModel) -> Self {
        Self { ngrams: None, compiled: OnceLock::from(compiled) }
    }

    pub(crate) fn ngrams(&self) -> Result<&Ngrams> {
        self.ngrams.as_ref().ok_or_else(|| {
            Error::settings("a compiled model (.tlm) cannot be taken apart").hint("load it from its ARPA file")
        })
    }

    /// The compiled model; made of the n-grams when first needed.
    pub(crate) fn compiled(&self) -> Result<&AnyModel> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = AnyModel::Words(Compiled::build(self.ngrams()?, Form::Fast)?);
        Ok(self.compiled.get_or_init(|| compiled))
    }
}

#[pymethods]
impl LmModel {
    /// Open a compiled model.
    #[staticmethod]
    #[pyo3(signature = (path, *, verify, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, verify: bool, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| AnyModel::open(&path, verify, most_bytes)).map(Self::of).map_err(raise)
    }

    /// Read an ARPA file.
    #[staticmethod]
    #[pyo3(signature = (path, *, line_bytes, file_bytes, expansion))]
    fn read_arpa(py: Python<'_>, path: PathBuf, line_bytes: u64, file_bytes: u64, expansion: u64) -> PyResult<Self> {
        let limits = ReadLimits { line_bytes, file_bytes, expansion };
        py.guarded(|| arpa_read::load(&path, &limits)).map(Self::new).map_err(raise)
    }

    /// Write an ARPA file, compressed as its name says.
    fn write_arpa(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.guarded(|| arpa_write::save(self.ngrams()?, &path)).map_err(raise)
    }

    /// Write a compiled model.
    #[pyo3(signature = (path, *, form, bits = None))]
    fn write_compiled(&self, py: Python<'_>, path: PathBuf, form: &str, bits: Option<u32>) -> PyResult<()> {
        let wanted = self::form(form, bits).map_err(raise)?;
        py.guarded(|| {
            if wanted == Form::Fast || self.ngrams.is_none() {
                let compiled = self.compiled()?;
                if compiled.compiled().form() == form && bits.is_none() {
                    return compiled.save(&path);
                }
            }
            AnyModel::Words(Compiled::build(self.ngrams()?, wanted)?).save(&path)
        })
        .map_err(raise)
    }

    /// The length of the longest n-grams.
    #[getter]
    fn order(&self) -> usize {
        self.counts().len()
    }

    /// The number of n-grams of each order.
    #[getter]
    fn counts(&self) -> Vec<u64> {
        match (&self.ngrams, self.compiled.get()) {
            (Some(ngrams), _) => ngrams.counts(),
            (None, Some(compiled)) => compiled.compiled().counts().to_vec(),
            (None, None) => Vec::new(),
        }
    }

    /// The form: "ngrams", or what it was compiled to: "fast" or "small".
    #[getter]
    fn form(&self) -> &'static str {
        match (&self.ngrams, self.compiled.get()) {
            (None, Some(compiled)) => compiled.compiled().form(),
            _ => "ngrams",
        }
    }

    /// Whether its n-grams are of word classes.
    #[getter]
    fn of_classes(&self) -> bool {
        matches!(self.compiled.get(), Some(AnyModel::Classes(_)))
    }

    /// The words it knows, by id.
    fn words(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.guarded(|| {
            let vocabulary = self.compiled()?.vocabulary();
            Ok((0..vocabulary.len() as u32).map(|id| vocabulary.word(id).to_owned()).collect())
        })
        .map_err(raise)
    }

    /// Whether it knows a word.
    fn knows(&self, py: Python<'_>, word: &str) -> PyResult<bool> {
        py.guarded(|| Ok(self.compiled()?.vocabulary().find(word).is_some())).map_err(raise)
    }

    /// Per line: log10 of its probability, the part of unknown words in it, and the numbers of words and unknown words.
    #[allow(clippy::type_complexity)]
    #[pyo3(signature = (lines, *, threads))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        lines: Vec<PyBackedStr>,
        threads: usize,
    ) -> PyResult<(
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u64>>,
    )> {
        let scores = py.guarded(|| {
            let model = self.compiled()?;
            with_threads(threads, || match model {
                AnyModel::Words(model) => score_lines(model, &lines),
                AnyModel::Classes(model) => score_lines(model, &lines),
            })
        });
        let scores = scores.map_err(raise)?;
        let log10: Vec<f64> = scores.iter().map(|score| score.log10).collect();
        let oov_log10: Vec<f64> = scores.iter().map(|score| score.oov_log10).collect();
        let words: Vec<u64> = scores.iter().map(|score| score.words).collect();
        let oovs: Vec<u64> = scores.iter().map(|score| score.oovs).collect();
        Ok((log10.to_pyarray(py), oov_log10.to_pyarray(py), words.to_pyarray(py), oovs.to_pyarray(py)))
    }

    /// Per word of a line: log10 of its probability, the length of the longest n-gram, whether it is unknown.
    #[pyo3(signature = (line, *, begin, end))]
    fn word_scores(&self, py: Python<'_>, line: &str, begin: bool, end: bool) -> PyResult<Vec<(f32, u8, bool)>> {
        let scores = py.guarded(|| Ok(score_words(self.compiled()?, line, begin, end))).map_err(raise)?;
        Ok(scores.iter().map(|score| (score.log10, score.length, score.oov)).collect())
    }

    /// The state at the start of a sentence, or the empty one.
    fn state(&self, begin: bool) -> PyResult<LmState> {
        let begun = caught(|| if begin { self.compiled().map(LanguageModel::begin) } else { Ok(State::EMPTY) })?;
        begun.map(LmState).map_err(raise)
    }

    /// log10 of the probability of a word after a state (`</s>` is the end of the sentence), and the state after it.
    fn score_word(&self, state: &LmState, word: &str) -> PyResult<(f32, LmState)> {
        let score = || {
            let model = self.compiled()?;
            let id = if word == "</s>" { model.vocabulary().id(word) } else { model.vocabulary().text_id(word) };
            Ok(model.score(&state.0, id))
        };
        let (prob, next) = caught(score)?.map_err(raise)?;
        Ok((prob, LmState(next)))
    }
}
