//! Compounds, for Python.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tolka_engine::corpus::compounds as engine;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

/// Counts words that compounds may be made of.
#[pyclass(frozen, module = "tolka._engine")]
pub struct CompoundsBuilder(Mutex<engine::CompoundsBuilder>);

#[pymethods]
impl CompoundsBuilder {
    #[new]
    #[pyo3(signature = (language, *, min_length, min_count, max_parts, fillers))]
    fn new(
        language: &str,
        min_length: usize,
        min_count: u64,
        max_parts: usize,
        fillers: Vec<String>,
    ) -> PyResult<Self> {
        let settings = engine::Settings { min_length, min_count, max_parts, fillers };
        engine::CompoundsBuilder::new(language, settings).map(|builder| Self(Mutex::new(builder))).map_err(raise)
    }

    /// Count the words of tokenised lines.
    fn add_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let lines = texts(lines)?;
        py.infallible(|| {
            let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.iter().for_each(|line| builder.add_line(line));
        })
    }

    /// The splitter of what was counted.
    fn finish(&self, py: Python<'_>) -> PyResult<Compounds> {
        py.infallible(|| Compounds(self.0.lock().unwrap_or_else(PoisonError::into_inner).finish()))
    }
}

/// Splits compounds.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Compounds(engine::Compounds);

#[pymethods]
impl Compounds {
    /// Open a saved splitter.
    #[staticmethod]
    #[pyo3(signature = (path, *, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| engine::Compounds::open(path, most_bytes)).map(Self).map_err(raise)
    }

    /// Save to a container.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.guarded(|| self.0.save(path)).map_err(raise)
    }

    /// The language, as it was given for training.
    #[getter]
    fn language(&self) -> &str {
        self.0.language()
    }

    /// Letters of a part, occurrences of a part, parts of a word, and letters between them.
    #[getter]
    fn settings(&self) -> (usize, u64, usize, Vec<String>) {
        let engine::Settings { min_length, min_count, max_parts, fillers } = self.0.settings().clone();
        (min_length, min_count, max_parts, fillers)
    }

    /// The number of words known, whatever their case.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The parts of a word; none if it stays whole.
    fn parts(&self, word: &str) -> PyResult<Vec<&str>> {
        caught(|| self.0.parts(word))
    }

    /// The lines with compounds split.
    fn split_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>, threads: usize) -> PyResult<Vec<String>> {
        let lines = texts(lines)?;
        py.guarded(|| with_threads(threads, || self.0.split_lines(&lines))).map_err(raise)
    }
}
