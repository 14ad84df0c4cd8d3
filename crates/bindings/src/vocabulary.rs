//! Words as numbers, for Python.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use tolka_engine::corpus::vocabulary as engine;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

type Encoded<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// An immutable map between words and ids.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Vocabulary(pub engine::Vocabulary);

impl Vocabulary {
    fn checked(&self, id: u32) -> PyResult<u32> {
        if (id as usize) < self.0.len() {
            return Ok(id);
        }
        Err(PyIndexError::new_err(format!("{id} is not an id of this vocabulary of {} words", self.0.len())))
    }
}

#[pymethods]
impl Vocabulary {
    /// The vocabulary of these words in this order, after the specials.
    #[staticmethod]
    fn from_words(words: &Bound<'_, PyList>) -> PyResult<Self> {
        let words = texts(words)?;
        caught(|| engine::Vocabulary::from_words(words.iter().map(AsRef::as_ref)))?.map(Self).map_err(raise)
    }

    /// Open a saved vocabulary where it lies.
    #[staticmethod]
    #[pyo3(signature = (path, *, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| engine::Vocabulary::open(path, most_bytes)).map(Self).map_err(raise)
    }

    /// Save to a container.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.guarded(|| self.0.save(path)).map_err(raise)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __contains__(&self, word: &str) -> PyResult<bool> {
        caught(|| self.0.find(word).is_some())
    }

    /// The id of a word, 0 if it has none.
    fn id(&self, word: &str) -> PyResult<u32> {
        caught(|| self.0.id(word))
    }

    /// The word of an id.
    fn word(&self, word_id: u32) -> PyResult<&str> {
        let id = self.checked(word_id)?;
        caught(|| self.0.word(id))
    }

    /// How often the word of an id was seen.
    fn count(&self, word_id: u32) -> PyResult<u64> {
        let id = self.checked(word_id)?;
        caught(|| self.0.count(id))
    }

    /// The ids of the words of all lines, one line after the other, and where each line ends.
    fn encode_lines<'py>(&self, py: Python<'py>, lines: &Bound<'py, PyList>, threads: usize) -> PyResult<Encoded<'py>> {
        let lines = texts(lines)?;
        let encoded = py.guarded(|| with_threads(threads, || self.0.encode_lines(&lines)));
        let (ids, ends) = encoded.map_err(raise)?;
        Ok((ids.into_pyarray(py), ends.into_pyarray(py)))
    }

    /// The words of ids with single spaces between them.
    fn decode(&self, ids: &Bound<'_, PyArray1<u32>>) -> PyResult<String> {
        let ids = ids.to_vec()?;
        caught(|| self.0.decode(&ids))?.map_err(raise)
    }
}

/// Collects words and their counts.
#[pyclass(frozen, module = "tolka._engine")]
pub struct VocabularyBuilder(Mutex<engine::VocabularyBuilder>);

#[pymethods]
impl VocabularyBuilder {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(engine::VocabularyBuilder::new()))
    }

    /// Count the words of lines.
    fn add_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let lines = texts(lines)?;
        py.infallible(|| {
            let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for line in &lines {
                builder.add_line(line, |_| {});
            }
        })
    }

    /// The vocabulary of what was counted; the builder starts anew.
    #[pyo3(signature = (*, min_count, max_size))]
    fn finish(&self, py: Python<'_>, min_count: u64, max_size: Option<usize>) -> PyResult<Vocabulary> {
        py.infallible(|| {
            let builder = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            Vocabulary(builder.finish(min_count, max_size).0)
        })
    }
}
