//! Metrics for Python: texts as token ids, statistics as rows of numbers, scores.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;
use tolka_engine::Error;
use tolka_engine::metric as engine;
use tolka_engine::metric::tokenise::Tokeniser;
use tolka_engine::metric::{bleu, chrf, gtm, nist, rates, resample, ter};
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

type Arrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);
type Scores<'py> = Bound<'py, PyArray1<f64>>;

/// Gives tokens ids, for metrics.
#[pyclass(frozen, module = "tolka._engine")]
pub struct MetricTable(pub Mutex<engine::TokenTable>);

#[pymethods]
impl MetricTable {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Tokenise lines and look their tokens up; new ones get new ids.
    fn texts(&self, py: Python<'_>, lines: &Bound<'_, PyList>, tokeniser: &str) -> PyResult<MetricTexts> {
        let tokeniser = Tokeniser::parse(tokeniser).map_err(raise)?;
        let lines = texts(lines)?;
        py.infallible(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).texts(&lines, tokeniser))
            .map(MetricTexts)
    }

    /// The tokens, by id.
    fn tokens(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).tokens().iter().map(ToString::to_string).collect()
    }
}

/// Sentences as token ids.
#[pyclass(frozen, module = "tolka._engine")]
pub struct MetricTexts(pub engine::Texts);

#[pymethods]
impl MetricTexts {
    /// From all ids and, per sentence, where it ends.
    #[staticmethod]
    fn from_arrays(ids: PyReadonlyArray1<'_, u32>, ends: PyReadonlyArray1<'_, u64>) -> PyResult<Self> {
        let ends = ends.as_array().iter().map(|&end| usize::try_from(end).unwrap_or(usize::MAX)).collect();
        engine::Texts::from_parts(ids.as_array().to_vec(), ends)
            .map(Self)
            .ok_or_else(|| raise(Error::input("the ends of sentences must rise to the number of ids")))
    }

    /// All ids and, per sentence, where it ends.
    fn arrays<'py>(&self, py: Python<'py>) -> Arrays<'py> {
        let ends: Vec<u64> = self.0.ends().iter().map(|&end| end as u64).collect();
        (self.0.ids().to_vec().into_pyarray(py), ends.into_pyarray(py))
    }

    /// Tokens of the longest sentence.
    #[getter]
    fn longest(&self) -> usize {
        self.0.longest()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// A metric with its references prepared.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Metric {
    /// What tuners take.
    pub metric: Arc<dyn engine::Metric>,
    /// Token ids must be below this.
    below: usize,
}

impl Metric {
    fn any(metric: impl engine::Metric + 'static) -> Self {
        Self { metric: Arc::new(metric), below: usize::MAX }
    }
}

/// The texts of references, all as long as the first.
fn checked<'a>(references: &'a [PyRef<'_, MetricTexts>]) -> PyResult<Vec<&'a engine::Texts>> {
    let texts: Vec<&engine::Texts> = references.iter().map(|text| &text.0).collect();
    let Some(first) = texts.first() else {
        return Err(raise(Error::input("there is no reference")));
    };
    match texts.iter().find(|text| text.len() != first.len()) {
        None => Ok(texts),
        Some(other) => {
            let what = format!("references have {} and {} sentences", first.len(), other.len());
            Err(raise(Error::input(what).hint("they must translate the same text")))
        }
    }
}

fn owned(references: &[PyRef<'_, MetricTexts>]) -> PyResult<Vec<engine::Texts>> {
    Ok(checked(references)?.into_iter().cloned().collect())
}

#[pymethods]
impl Metric {
    /// BLEU; `plus_one` smooths single sentences as Lin and Och (2004) instead of as sacrebleu.
    #[staticmethod]
    #[pyo3(signature = (references, *, order, smoothing, value, effective_order, plus_one))]
    fn bleu(
        references: Vec<PyRef<'_, MetricTexts>>,
        order: usize,
        smoothing: &str,
        value: Option<f64>,
        effective_order: bool,
        plus_one: bool,
    ) -> PyResult<Self> {
        let smoothing = bleu::Smoothing::parse(smoothing, value).map_err(raise)?;
        let sentences = if plus_one {
            bleu::Settings::plus_one()
        } else {
            bleu::Settings { sentence_smoothing: smoothing, ..bleu::Settings::default() }
        };
        let settings = bleu::Settings { order, smoothing, effective_order, ..sentences };
        let references = checked(&references)?;
        caught(|| bleu::Bleu::new(&references, settings))?.map(Self::any).map_err(raise)
    }

    /// chrF of tokens that `table` knows; with `words`, chrF++.
    #[staticmethod]
    #[pyo3(signature = (references, table, *, characters, words, beta))]
    fn chrf(
        references: Vec<PyRef<'_, MetricTexts>>,
        table: &MetricTable,
        characters: usize,
        words: usize,
        beta: f64,
    ) -> PyResult<Self> {
        let spelling = engine::Spelling::new(table.0.lock().unwrap_or_else(PoisonError::into_inner).tokens());
        let below = spelling.len();
        let references = checked(&references)?;
        references.iter().try_for_each(|text| known(text, below))?;
        let settings = chrf::Settings { characters, words, beta };
        let metric = caught(|| chrf::Chrf::new(&references, Arc::new(spelling), settings))?.map_err(raise)?;
        Ok(Self { metric: Arc::new(metric), below })
    }

    /// TER.
    #[staticmethod]
    fn ter(references: Vec<PyRef<'_, MetricTexts>>) -> PyResult<Self> {
        let references = owned(&references)?;
        caught(|| ter::Ter::new(references)).map(Self::any)
    }

    /// NIST.
    #[staticmethod]
    #[pyo3(signature = (references, *, order))]
    fn nist(references: Vec<PyRef<'_, MetricTexts>>, order: usize) -> PyResult<Self> {
        let references = checked(&references)?;
        caught(|| nist::Nist::new(&references, order))?.map(Self::any).map_err(raise)
    }

    /// GTM.
    #[staticmethod]
    #[pyo3(signature = (references, *, exponent))]
    fn gtm(references: Vec<PyRef<'_, MetricTexts>>, exponent: f64) -> PyResult<Self> {
        let references = owned(&references)?;
        caught(|| gtm::Gtm::new(references, exponent))?.map(Self::any).map_err(raise)
    }

    /// Word error rate, or, `ordered` being false, position-independent error rate.
    #[staticmethod]
    #[pyo3(signature = (references, *, ordered))]
    fn error_rate(references: Vec<PyRef<'_, MetricTexts>>, ordered: bool) -> PyResult<Self> {
        let kind = if ordered { rates::Kind::Ordered } else { rates::Kind::Bag };
        let references = owned(&references)?;
        caught(|| rates::ErrorRate::new(references, kind)).map(Self::any)
    }

    /// Numbers in a row of statistics.
    #[getter]
    fn width(&self) -> usize {
        self.metric.width()
    }

    /// Sentences there are references for.
    #[getter]
    fn sentences(&self) -> usize {
        self.metric.sentences()
    }

    /// Whether a higher score is better.
    #[getter]
    fn higher_is_better(&self) -> bool {
        self.metric.higher_is_better()
    }

    /// A row of statistics per hypothesis; the i-th is for sentence `sentences[i]`, or i if none are given.
    #[pyo3(signature = (hypotheses, sentences = None, *, threads = 0))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        hypotheses: &MetricTexts,
        sentences: Option<PyReadonlyArray1<'py, u32>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (metric, hypotheses) = (&*self.metric, &hypotheses.0);
        known(hypotheses, self.below)?;
        let sentences = sentences.map(|array| array.as_array().to_vec());
        let (count, least) = match &sentences {
            Some(list) => (list.len(), list.iter().max().map_or(0, |&most| most as usize + 1)),
            None => (metric.sentences(), metric.sentences()),
        };
        if count != hypotheses.len() || least > metric.sentences() {
            let what = format!("{} hypotheses do not fit {} sentences", hypotheses.len(), metric.sentences());
            return Err(raise(Error::input(what).hint("give each the number of its sentence, counted from 0")));
        }
        let sentence = |i: usize| sentences.as_ref().map_or(i, |list| list[i] as usize);
        let rows = py.guarded(|| with_threads(threads, || engine::all_stats(metric, hypotheses, sentence)));
        rows.map_err(raise)?.into_pyarray(py).reshape([count, metric.width()])
    }

    /// The score of summed statistics.
    fn score(&self, total: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        self.wide(total.len())?;
        let total = total.as_array().to_vec();
        caught(|| self.metric.score(&total))
    }

    /// The score of each sentence's statistics.
    fn sentence_scores<'py>(&self, py: Python<'py>, rows: PyReadonlyArray2<'_, f64>) -> PyResult<Scores<'py>> {
        let rows = self.flat(&rows)?;
        let score = || rows.chunks_exact(self.width()).map(|row| self.metric.sentence_score(row)).collect::<Vec<f64>>();
        Ok(caught(score)?.into_pyarray(py))
    }

    /// The score of each round of a bootstrap; a row of `draws` has the sentences of a round.
    #[pyo3(signature = (rows, draws, *, threads = 0))]
    fn bootstrap<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray2<'_, f64>,
        draws: PyReadonlyArray2<'_, i64>,
        threads: usize,
    ) -> PyResult<Scores<'py>> {
        let rows = self.flat(&rows)?;
        let size = draws.shape()[1];
        let draws = draws.as_slice().map_or_else(|_| draws.as_array().iter().copied().collect(), <[i64]>::to_vec);
        let sentences = rows.len() / self.width();
        if size == 0 || draws.iter().any(|&draw| usize::try_from(draw).map_or(true, |draw| draw >= sentences)) {
            return Err(raise(Error::input(format!("the draws are not from {sentences} sentences"))));
        }
        let scores = py.guarded(|| with_threads(threads, || resample::bootstrap(&*self.metric, &rows, &draws, size)));
        Ok(scores.map_err(raise)?.into_pyarray(py))
    }

    /// The scores of two systems in each round, after those outputs changed sides that a row of `kept` does not keep.
    #[pyo3(signature = (first, second, kept, *, threads = 0))]
    fn randomise<'py>(
        &self,
        py: Python<'py>,
        first: PyReadonlyArray2<'_, f64>,
        second: PyReadonlyArray2<'_, f64>,
        kept: PyReadonlyArray2<'_, bool>,
        threads: usize,
    ) -> PyResult<(Scores<'py>, Scores<'py>)> {
        let (first, second) = (self.flat(&first)?, self.flat(&second)?);
        let sentences = first.len() / self.width();
        if first.len() != second.len() || sentences == 0 || kept.shape()[1] != sentences {
            return Err(raise(Error::input("the two systems and the rounds must have the same sentences")));
        }
        let kept = kept.as_slice().map_or_else(|_| kept.as_array().iter().copied().collect(), <[bool]>::to_vec);
        let scores =
            py.guarded(|| with_threads(threads, || resample::randomise(&*self.metric, &first, &second, &kept)));
        let (first, second): (Vec<f64>, Vec<f64>) = scores.map_err(raise)?.into_iter().unzip();
        Ok((first.into_pyarray(py), second.into_pyarray(py)))
    }
}

impl Metric {
    fn wide(&self, width: usize) -> PyResult<()> {
        if width == self.width() {
            return Ok(());
        }
        Err(raise(Error::input(format!("a row of this metric has {} numbers, not {width}", self.width()))))
    }

    fn flat(&self, rows: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<f64>> {
        self.wide(rows.shape()[1])?;
        Ok(rows.as_array().iter().copied().collect())
    }
}

fn known(texts: &engine::Texts, below: usize) -> PyResult<()> {
    match texts.ids().iter().find(|&&token| token as usize >= below) {
        None => Ok(()),
        Some(token) => Err(raise(
            Error::input(format!("the table of this metric has no token {token}"))
                .hint("look up all texts before the metric is made"),
        )),
    }
}
