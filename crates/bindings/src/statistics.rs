//! What a corpus is like, for Python.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tolka_engine::corpus::statistics as engine;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, raise};
use crate::texts::{side_by_side, texts};
use crate::vocabulary::Vocabulary;

/// Counts one side of a corpus.
#[pyclass(frozen, module = "tolka._engine")]
pub struct SideCounter(Mutex<engine::SideCounter>);

#[pymethods]
impl SideCounter {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Count the next lines.
    fn add(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let lines = texts(lines)?;
        py.infallible(|| {
            let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for line in &lines {
                counter.add_line(line);
            }
        })
    }

    /// The summary, with so many of the most frequent words.
    fn summary<'py>(&self, py: Python<'py>, top: usize) -> PyResult<Bound<'py, PyDict>> {
        let summary = py.infallible(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).summary(top))?;
        side(py, summary)
    }

    /// How many running and how many different words are not in the vocabulary.
    fn unknown_to(&self, py: Python<'_>, vocabulary: &Vocabulary) -> PyResult<(u64, u64)> {
        py.infallible(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).unknown_to(&vocabulary.0))
    }
}

/// For each side, running and different words that are not known.
type Unknown = ((u64, u64), (u64, u64));

/// Counts a corpus of sentence pairs.
#[pyclass(frozen, module = "tolka._engine")]
pub struct PairCounter(Mutex<engine::PairCounter>);

#[pymethods]
impl PairCounter {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Count the next pairs.
    fn add(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyList>,
        targets: &Bound<'_, PyList>,
        threads: usize,
    ) -> PyResult<()> {
        let (sources, targets) = side_by_side(sources, targets)?;
        py.guarded(|| {
            let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let counter = &mut *guard;
            with_threads(threads, || counter.add(&sources, &targets))
        })
        .map_err(raise)
    }

    /// The summaries of source, target and pairs, with so many of the most frequent words.
    fn summary<'py>(&self, py: Python<'py>, top: usize) -> PyResult<[Bound<'py, PyDict>; 3]> {
        let (source, target, pairs) = py.infallible(|| {
            let counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            (counter.source.summary(top), counter.target.summary(top), counter.summary())
        })?;
        let related = PyDict::new(py);
        related.set_item("pairs", pairs.pairs)?;
        related.set_item("duplicates", pairs.duplicates)?;
        related.set_item("identical", pairs.identical)?;
        related.set_item("ratio", pairs.ratio)?;
        related.set_item("ratio_quantiles", pairs.ratio_quantiles)?;
        Ok([side(py, source)?, side(py, target)?, related])
    }

    /// For each side, how many running and how many different words are not in its vocabulary.
    fn unknown_to(&self, py: Python<'_>, source: &Vocabulary, target: &Vocabulary) -> PyResult<Unknown> {
        py.infallible(|| {
            let counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            (counter.source.unknown_to(&source.0), counter.target.unknown_to(&target.0))
        })
    }
}

fn side(py: Python<'_>, summary: engine::SideSummary) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("lines", summary.lines)?;
    fields.set_item("empty_lines", summary.empty_lines)?;
    fields.set_item("duplicate_lines", summary.duplicate_lines)?;
    fields.set_item("characters", summary.characters)?;
    fields.set_item("longest_characters", summary.longest_characters)?;
    fields.set_item("tokens", summary.tokens)?;
    fields.set_item("types", summary.types)?;
    fields.set_item("hapaxes", summary.hapaxes)?;
    fields.set_item("mean_tokens", summary.mean_tokens)?;
    fields.set_item("median_tokens", summary.median_tokens)?;
    fields.set_item("longest_tokens", summary.longest_tokens)?;
    fields.set_item("top", summary.top)?;
    fields.set_item("growth", summary.growth)?;
    fields.set_item("scripts", summary.scripts)?;
    Ok(fields)
}
