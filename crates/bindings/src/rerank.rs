//! Features for choosing again from lists: reservoirs over graphs, and phrases on dependencies.

// Python hands its arguments over, and names all of them.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use tolka_engine::rerank::{Batch, Graph, Matrices, Network, Norm, Settings, phrases, reservoir};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};

/// A random matrix: uniform in [-bound, bound]; scaled to `wanted` by `norm` if that is given.
#[pyfunction]
#[pyo3(signature = (rows, columns, *, bound, density, seed, stream, norm, wanted))]
pub fn rerank_matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    bound: f64,
    density: f64,
    seed: u64,
    stream: u64,
    norm: Option<&str>,
    wanted: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut matrix = caught(|| reservoir::draw(rows, columns, bound, density, seed, stream))?;
    if let Some(norm) = norm {
        let norm = Norm::parse(norm).map_err(raise)?;
        if rows != columns {
            return Err(raise(Error::settings("only square matrices are scaled")));
        }
        caught(|| reservoir::scale(&mut matrix, rows, norm, wanted))?;
    }
    matrix.into_pyarray(py).reshape([rows, columns])
}

/// A reservoir that runs over graphs.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GraphReservoir(Network);

type Places<'py> = PyReadonlyArray1<'py, u64>;
type Numbers<'py> = PyReadonlyArray1<'py, u32>;
type Table<'py> = PyReadonlyArray2<'py, f32>;
type States<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<u32>>);
type Vertices<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>, u32);

fn matrices(arrays: &[PyReadonlyArray2<'_, f64>]) -> Matrices {
    arrays.iter().map(|array| array.as_array().iter().copied().collect()).collect()
}

fn places(array: &Places<'_>) -> Vec<usize> {
    array.as_array().iter().map(|&place| usize::try_from(place).unwrap_or(usize::MAX)).collect()
}

fn pairs(array: &PyReadonlyArray2<'_, u32>) -> Result<Vec<[u32; 2]>> {
    if array.shape()[1] != 2 {
        return Err(Error::input("pairs have two columns"));
    }
    Ok(array.as_array().rows().into_iter().map(|row| [row[0], row[1]]).collect())
}

/// The part that belongs to one item, if places fit the values.
fn part<'a, T>(values: &'a [T], begins: &[usize], at: usize) -> Result<&'a [T]> {
    begins
        .get(at)
        .zip(begins.get(at + 1))
        .and_then(|(&begin, &end)| values.get(begin..end))
        .ok_or_else(|| Error::input("the places of a list do not fit its values"))
}

#[pymethods]
impl GraphReservoir {
    /// From square matrices of the source and of the target: left, right, then align, then parent and child.
    #[new]
    #[pyo3(signature = (source, target, *, links, children, prune, mean, tolerance, most, bounded))]
    fn new(
        source: Vec<PyReadonlyArray2<'_, f64>>,
        target: Vec<PyReadonlyArray2<'_, f64>>,
        links: f64,
        children: f64,
        prune: bool,
        mean: bool,
        tolerance: f32,
        most: usize,
        bounded: bool,
    ) -> PyResult<Self> {
        let size = target.first().map_or(0, |matrix| matrix.shape()[0]);
        let settings = Settings { links, children, prune, mean, tolerance, most, bounded };
        caught(|| Network::new(size, &matrices(&source), &matrices(&target), settings))?.map(Self).map_err(raise)
    }

    /// Numbers in a state.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Pooled states of the translations of many sentences, a row each, and the steps each took.
    #[pyo3(signature = (
        source_inputs, target_inputs, *, source, source_begins, heads, lists, target, target_begins, links, link_begins,
        threads
    ))]
    fn pooled<'py>(
        &self,
        py: Python<'py>,
        source_inputs: Table<'_>,
        target_inputs: Table<'_>,
        source: Numbers<'_>,
        source_begins: Places<'_>,
        heads: Numbers<'_>,
        lists: Places<'_>,
        target: Numbers<'_>,
        target_begins: Places<'_>,
        links: PyReadonlyArray2<'_, u32>,
        link_begins: Places<'_>,
        threads: usize,
    ) -> PyResult<States<'py>> {
        let (source_inputs, target_inputs) = (flat(&source_inputs), flat(&target_inputs));
        let (source, heads, target) = (source.as_slice()?, heads.as_slice()?, target.as_slice()?);
        let (source_begins, target_begins) = (places(&source_begins), places(&target_begins));
        let (lists, link_begins) = (places(&lists), places(&link_begins));
        let links = pairs(&links).map_err(raise)?;
        let run = || -> Result<_> {
            let mut graphs = Vec::with_capacity(target_begins.len());
            for sentence in 0..lists.len().saturating_sub(1) {
                let own = part(source, &source_begins, sentence)?;
                let above = if heads.is_empty() { heads } else { part(heads, &source_begins, sentence)? };
                for at in lists[sentence]..lists[sentence + 1] {
                    graphs.push(Graph {
                        source: own,
                        heads: above,
                        target: part(target, &target_begins, at)?,
                        links: part(&links, &link_begins, at)?,
                    });
                }
            }
            let batch =
                Batch { source_inputs: &source_inputs, target_inputs: &target_inputs, graphs: &graphs, begins: &lists };
            self.0.pooled(batch)
        };
        let found = py.guarded(|| with_threads(threads, run)).and_then(|found| found).map_err(raise)?;
        let rows = found.steps.len();
        Ok((found.states.into_pyarray(py).reshape([rows, self.0.size()])?, found.steps.into_pyarray(py)))
    }

    /// States of all vertices of one graph, source and target, and the steps taken from a start.
    #[pyo3(signature = (source_inputs, target_inputs, heads, links, *, start))]
    fn states<'py>(
        &self,
        py: Python<'py>,
        source_inputs: Table<'_>,
        target_inputs: Table<'_>,
        heads: Vec<u32>,
        links: Vec<[u32; 2]>,
        start: f32,
    ) -> PyResult<Vertices<'py>> {
        let size = self.0.size();
        let numbers = |table: &Table<'_>| (0..table.shape()[0] as u32).collect::<Vec<_>>();
        let (source, target) = (numbers(&source_inputs), numbers(&target_inputs));
        let graph = Graph { source: &source, heads: &heads, target: &target, links: &links };
        let tables = [flat(&source_inputs), flat(&target_inputs)];
        let found = caught(|| self.0.states([&tables[0], &tables[1]], &graph, start))?.map_err(raise)?;
        let ([before, after], steps) = found;
        let rows = [before.len() / size, after.len() / size];
        Ok((before.into_pyarray(py).reshape([rows[0], size])?, after.into_pyarray(py).reshape([rows[1], size])?, steps))
    }
}

fn flat(table: &Table<'_>) -> Vec<f32> {
    table.as_array().iter().copied().collect()
}

/// Features of phrases on dependencies, a row per derivation; `names` gives their order.
#[pyfunction]
#[pyo3(signature = (heads, head_begins, lists, spans, span_begins, *, threads))]
pub fn rerank_phrases<'py>(
    py: Python<'py>,
    heads: Numbers<'_>,
    head_begins: Places<'_>,
    lists: Places<'_>,
    spans: PyReadonlyArray2<'_, u32>,
    span_begins: Places<'_>,
    threads: usize,
) -> PyResult<(Vec<&'static str>, Bound<'py, PyArray2<f32>>)> {
    let heads = heads.as_slice()?;
    let (head_begins, lists, span_begins) = (places(&head_begins), places(&lists), places(&span_begins));
    let spans = pairs(&spans).map_err(raise)?;
    let run = || -> Result<Vec<f32>> {
        let mut items = Vec::with_capacity(span_begins.len());
        for sentence in 0..lists.len().saturating_sub(1) {
            let own = part(heads, &head_begins, sentence)?;
            for at in lists[sentence]..lists[sentence + 1] {
                items.push((own, part(&spans, &span_begins, at)?));
            }
        }
        phrases::rows(&items)
    };
    let found = py.guarded(|| with_threads(threads, run)).and_then(|found| found).map_err(raise)?;
    let rows = found.len() / phrases::NAMES.len();
    Ok((phrases::NAMES.to_vec(), found.into_pyarray(py).reshape([rows, phrases::NAMES.len()])?))
}
