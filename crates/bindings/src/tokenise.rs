//! The tokeniser and the detokeniser.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::corpus::{detokenise, tokenise};
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};

/// Cuts lines of one language into tokens.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Tokeniser(tokenise::Tokeniser);

#[pymethods]
impl Tokeniser {
    #[new]
    #[pyo3(signature = (lang, *, escape, protect, notation, abbreviations))]
    fn new(lang: &str, escape: bool, protect: bool, notation: bool, abbreviations: Vec<String>) -> PyResult<Self> {
        let settings = tokenise::Settings { escape, protect, notation };
        let tokeniser = tokenise::Tokeniser::new(lang, settings).map_err(raise)?;
        Ok(Self(tokeniser.with_abbreviations(abbreviations)))
    }

    /// The tokens of a text.
    fn tokenise(&self, text: &str) -> PyResult<Vec<String>> {
        let line = caught(|| self.0.line(text))?;
        Ok(line.split(' ').filter(|token| !token.is_empty()).map(str::to_owned).collect())
    }

    /// The tokens of a text, joined by spaces.
    fn line(&self, text: &str) -> PyResult<String> {
        caught(|| self.0.line(text))
    }

    /// Each line tokenised, in order.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over a vector")]
    fn lines(&self, py: Python<'_>, lines: Vec<PyBackedStr>, threads: usize) -> PyResult<Vec<String>> {
        py.guarded(|| with_threads(threads, || self.0.lines(&lines))).map_err(raise)
    }

    /// The words that keep their period always, and those that keep it before a digit.
    #[getter]
    fn abbreviations(&self) -> (Vec<&str>, Vec<&str>) {
        self.0.abbreviations()
    }
}

/// Joins tokens of one language into text.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Detokeniser(detokenise::Detokeniser);

#[pymethods]
impl Detokeniser {
    #[new]
    fn new(lang: &str) -> PyResult<Self> {
        detokenise::Detokeniser::new(lang).map(Self).map_err(raise)
    }

    /// The text of one line of tokens.
    fn line(&self, line: &str) -> PyResult<String> {
        caught(|| self.0.line(line))
    }

    /// Each line's text, in order.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over a vector")]
    fn lines(&self, py: Python<'_>, lines: Vec<PyBackedStr>, threads: usize) -> PyResult<Vec<String>> {
        py.guarded(|| with_threads(threads, || self.0.lines(&lines))).map_err(raise)
    }
}
