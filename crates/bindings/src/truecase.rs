//! The case of words, for Python.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tolka_engine::corpus::casing::{self, Casing};
use tolka_engine::corpus::truecase as engine;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

/// Counts casings.
#[pyclass(frozen, module = "tolka._engine")]
pub struct TruecaserBuilder(Mutex<engine::TruecaserBuilder>);

#[pymethods]
impl TruecaserBuilder {
    #[new]
    fn new(language: &str) -> Self {
        Self(Mutex::new(engine::TruecaserBuilder::new(language)))
    }

    /// Count the words of tokenised lines.
    fn add_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let lines = texts(lines)?;
        py.infallible(|| {
            let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for line in &lines {
                builder.add_line(line);
            }
        })
    }

    /// The truecaser of what was counted.
    fn finish(&self, py: Python<'_>) -> PyResult<Truecaser> {
        py.infallible(|| Truecaser(self.0.lock().unwrap_or_else(PoisonError::into_inner).finish()))
    }
}

/// Knows the usual casing of words.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Truecaser(engine::Truecaser);

#[pymethods]
impl Truecaser {
    /// Open a saved truecaser.
    #[staticmethod]
    #[pyo3(signature = (path, *, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| engine::Truecaser::open(path, most_bytes)).map(Self).map_err(raise)
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

    /// The number of words known, whatever their case.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The usual casing of a word, if it is known in any.
    fn usual(&self, word: &str) -> PyResult<Option<&str>> {
        caught(|| self.0.usual(word))
    }

    /// Each casing seen with its counts inside sentences and at their starts, by bytes.
    fn variants(&self) -> Vec<(&str, u64, u64)> {
        self.0.variants().iter().map(|(word, seen)| (word.as_ref(), seen.inside, seen.initial)).collect()
    }

    /// The lines with each word in its usual case.
    fn truecase_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>, threads: usize) -> PyResult<Vec<String>> {
        let lines = texts(lines)?;
        py.guarded(|| with_threads(threads, || self.0.truecase_lines(&lines))).map_err(raise)
    }

    /// The lines with a capital at the start of each sentence.
    fn recase_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>, threads: usize) -> PyResult<Vec<String>> {
        let lines = texts(lines)?;
        py.guarded(|| with_threads(threads, || engine::recase_lines(self.0.casing(), &lines))).map_err(raise)
    }
}

/// The lines in lower case, by the rules of the language.
#[pyfunction]
pub fn lower_lines(py: Python<'_>, lines: &Bound<'_, PyList>, language: &str, threads: usize) -> PyResult<Vec<String>> {
    let lines = texts(lines)?;
    py.guarded(|| with_threads(threads, || casing::lower_lines(Casing::of(language), &lines))).map_err(raise)
}
