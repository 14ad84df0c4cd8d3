//! Texts, profiles of their phrases, and neighbours of those.

use std::sync::{Arc, PoisonError, RwLock};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;
use tolka_engine::Error;
use tolka_engine::graph::{
    self as engine, Around, Found, Index, Marginals, Measure, Profiles, Pruning, Similarity, Text, Values, Which,
};
use tolka_engine::threads::with_threads;

use super::{copied, wide};
use crate::error::{Guarded, caught, raise};
use crate::texts::texts;

type Rows<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f32>>);
type Matrix<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyAny>);

/// Plain text as numbers.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GraphText(RwLock<Text>);

impl GraphText {
    fn read<T>(&self, of: impl FnOnce(&Text) -> T) -> T {
        of(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl GraphText {
    #[new]
    fn new() -> Self {
        Self(RwLock::default())
    }

    /// Add tokenised lines.
    fn add(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let lines = texts(lines)?;
        py.guarded(|| {
            let mut text = self.0.write().unwrap_or_else(PoisonError::into_inner);
            lines.iter().try_for_each(|line| text.add(line))
        })
        .map_err(raise)
    }

    /// The different words, in the order in which they came.
    fn words(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.infallible(|| self.read(|text| text.names().iter().map(str::to_owned).collect()))
    }

    /// How often each came.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(py.infallible(|| self.read(|text| text.counts().to_vec()))?.into_pyarray(py))
    }

    /// How often a word came.
    fn count(&self, word: &str) -> PyResult<u64> {
        caught(|| self.read(|text| text.names().find(word).map_or(0, |id| text.counts()[id as usize])))
    }

    /// How many words came.
    #[getter]
    fn tokens(&self) -> u64 {
        self.read(Text::tokens)
    }

    /// How many lines were added.
    #[getter]
    fn lines(&self) -> u64 {
        self.read(Text::lines)
    }

    /// How many different words there are.
    #[getter]
    fn types(&self) -> usize {
        self.read(|text| text.names().len())
    }

    /// Count the words around phrases: these, or all of up to `order` words.
    #[pyo3(signature = (nodes, *, order, window, positional, min_count, contexts, min_context, threads))]
    fn profiles(
        &self,
        py: Python<'_>,
        nodes: Option<&Bound<'_, PyList>>,
        order: usize,
        window: usize,
        positional: bool,
        min_count: u64,
        contexts: usize,
        min_context: u64,
        threads: usize,
    ) -> PyResult<GraphProfiles> {
        let nodes = nodes.map(texts).transpose()?;
        let nodes: Option<Vec<&str>> = nodes.as_ref().map(|nodes| nodes.iter().map(AsRef::as_ref).collect());
        let around = Around { window, positional, contexts, least: min_context };
        let which = match &nodes {
            Some(nodes) => Which::These(nodes),
            None => Which::All { order, least: min_count },
        };
        let made = py.guarded(|| self.read(|text| with_threads(threads, || text.profiles(which, around))?));
        made.map(GraphProfiles::new).map_err(raise)
    }

    /// For each word the phrases that stand between the same two words, and how often.
    fn frames(&self, py: Python<'_>, words: &Bound<'_, PyList>, longest: usize) -> PyResult<Vec<Vec<(String, u64)>>> {
        let words = texts(words)?;
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        py.guarded(|| self.read(|text| text.frames(&words, longest))).map_err(raise)
    }
}

/// Profiles of how words are spelt.
#[pyfunction]
#[pyo3(signature = (words, *, shortest, longest))]
pub fn graph_spelling(
    py: Python<'_>,
    words: &Bound<'_, PyList>,
    shortest: usize,
    longest: usize,
) -> PyResult<GraphProfiles> {
    let words = texts(words)?;
    let made = py.guarded(|| engine::spelling_profiles(words.iter().map(AsRef::as_ref), shortest, longest));
    made.map(GraphProfiles::new).map_err(raise)
}

/// A sparse row for each phrase.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GraphProfiles(Arc<Profiles>);

impl GraphProfiles {
    fn new(profiles: Profiles) -> Self {
        Self(Arc::new(profiles))
    }
}

fn numbers<'py>(py: Python<'py>, values: &Values, part: std::ops::Range<usize>) -> Bound<'py, PyAny> {
    match values {
        Values::Counts(counts) => counts[part].to_vec().into_pyarray(py).into_any(),
        Values::Weights(weights) => weights[part].to_vec().into_pyarray(py).into_any(),
    }
}

#[pymethods]
impl GraphProfiles {
    /// The phrases.
    fn nodes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.infallible(|| self.0.shape().nodes.iter().map(str::to_owned).collect())
    }

    /// The words that are counted, the most frequent first.
    fn contexts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.infallible(|| self.0.shape().contexts.iter().map(str::to_owned).collect())
    }

    /// The number of a phrase.
    fn id(&self, node: &str) -> PyResult<Option<u32>> {
        caught(|| self.0.shape().nodes.find(node))
    }

    /// How often each phrase came.
    fn occurrences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(py.infallible(|| self.0.shape().occurrences.clone())?.into_pyarray(py))
    }

    /// How often each column is counted over all words of the text.
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(py.infallible(|| self.0.shape().totals.clone())?.into_pyarray(py))
    }

    /// The number of rows, of columns and of numbers in them, and the window if places matter, else 0.
    #[getter]
    fn shape(&self) -> (usize, usize, usize, usize) {
        let shape = self.0.shape();
        (self.0.rows(), shape.columns(), self.0.ids().len(), shape.places)
    }

    /// What the numbers are.
    #[getter]
    fn measure(&self) -> &'static str {
        self.0.measure().name()
    }

    /// Columns and numbers of a row.
    fn row<'py>(&self, py: Python<'py>, row: u32) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyAny>)> {
        let row = self.0.check(row).map_err(raise)?;
        let part = self.0.starts()[row]..self.0.starts()[row + 1];
        Ok((self.0.ids()[part.clone()].to_vec().into_pyarray(py), numbers(py, self.0.values(), part)))
    }

    /// Where rows begin, columns and numbers.
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let (starts, ids) = py.infallible(|| (wide(self.0.starts()), self.0.ids().to_vec()))?;
        let values = numbers(py, self.0.values(), 0..self.0.ids().len());
        Ok((starts.into_pyarray(py), ids.into_pyarray(py), values))
    }

    /// Profiles of associations.
    #[pyo3(signature = (measure, *, marginals, threads))]
    fn weigh(&self, py: Python<'_>, measure: &str, marginals: &str, threads: usize) -> PyResult<Self> {
        let measure = Measure::parse(measure).map_err(raise)?;
        let marginals = match marginals {
            "text" => Marginals::Text,
            "rows" => Marginals::Rows,
            other => {
                let error = Error::settings(format!("unknown marginals {other:?}")).hint("use text or rows");
                return Err(raise(error));
            }
        };
        let made = py.guarded(|| with_threads(threads, || self.0.weigh(measure, marginals))?);
        made.map(Self::new).map_err(raise)
    }

    /// The similarity or distance of two rows.
    fn similarity(&self, one: u32, other: u32, similarity: &str) -> PyResult<f64> {
        let of = || self.0.similarity(one, other, Similarity::parse(similarity)?);
        caught(of)?.map_err(raise)
    }
}

/// For each column the rows that have it.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GraphIndex(Index);

#[pymethods]
impl GraphIndex {
    /// An index of some rows, or of all; of the whole of them or, with so many columns of a row, rows of a column and
    /// candidates, of what matters most.
    #[new]
    #[pyo3(signature = (profiles, among, *, similarity, pruning))]
    fn new(
        py: Python<'_>,
        profiles: &GraphProfiles,
        among: Option<PyReadonlyArray1<'_, u32>>,
        similarity: &str,
        pruning: Option<[usize; 3]>,
    ) -> PyResult<Self> {
        let similarity = Similarity::parse(similarity).map_err(raise)?;
        let among = among.as_ref().map(copied);
        let pruning = pruning.map(|[columns, rows, candidates]| Pruning { columns, rows, candidates });
        let made = py.guarded(|| Index::new(Arc::clone(&profiles.0), among.as_deref(), similarity, pruning));
        made.map(Self).map_err(raise)
    }

    /// The `k` nearest of each of these rows.
    #[pyo3(signature = (of, *, k, threads))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        of: PyReadonlyArray1<'_, u32>,
        k: usize,
        threads: usize,
    ) -> PyResult<Rows<'py>> {
        let of = copied(&of);
        let found = py.guarded(|| with_threads(threads, || self.0.search(&of, k))?);
        let Found { starts, ids, weights } = found.map_err(raise)?;
        Ok((wide(&starts).into_pyarray(py), ids.into_pyarray(py), weights.into_pyarray(py)))
    }
}
