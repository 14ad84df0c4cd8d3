//! Tuners for Python.

// Python hands its arguments over, and all settings by name.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tolka_engine::threads::with_threads;
use tolka_engine::tune::lists::hash_words;
use tolka_engine::tune::{self as engine, NBestLists, Parts, Shape, Tuned};

use crate::error::{Guarded, raise};
use crate::metric::{Metric, MetricTexts};

pub(crate) type Found<'py> = (Bound<'py, PyArray1<f64>>, f64, Vec<f64>);

/// N-best lists with features and statistics.
#[pyclass(frozen, module = "tolka._engine")]
pub struct TuneLists(NBestLists);

fn places(array: &PyReadonlyArray1<'_, u64>) -> Vec<usize> {
    array.as_array().iter().map(|&place| usize::try_from(place).unwrap_or(usize::MAX)).collect()
}

#[pymethods]
impl TuneLists {
    /// From flat arrays: the hypotheses of all sentences, and per sentence where they begin, with an end.
    #[new]
    #[pyo3(signature = (begins, hypotheses, stats, dense, *, sparse_begins, sparse_names, sparse_values, sparse))]
    fn new(
        begins: PyReadonlyArray1<'_, u64>,
        hypotheses: &MetricTexts,
        stats: PyReadonlyArray2<'_, f64>,
        dense: PyReadonlyArray2<'_, f32>,
        sparse_begins: PyReadonlyArray1<'_, u64>,
        sparse_names: PyReadonlyArray1<'_, u32>,
        sparse_values: PyReadonlyArray1<'_, f32>,
        sparse: usize,
    ) -> PyResult<Self> {
        let shape = Shape { dense: dense.shape()[1], sparse, stats: stats.shape()[1] };
        let names = sparse_names.as_array();
        let parts = Parts {
            begins: places(&begins),
            dense: dense.as_array().iter().copied().collect(),
            sparse_begins: places(&sparse_begins),
            sparse: names.iter().copied().zip(sparse_values.as_array().iter().copied()).collect(),
            stats: stats.as_array().iter().copied().collect(),
            words: (0..hypotheses.0.len()).map(|at| hash_words(hypotheses.0.get(at))).collect(),
        };
        NBestLists::from_parts(shape, parts).map(Self).map_err(raise)
    }

    /// These lists and others', without duplicates.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        py.guarded(|| self.0.merge(&other.0)).map(Self).map_err(raise)
    }

    /// Hypotheses of all sentences.
    #[getter]
    fn hypotheses(&self) -> usize {
        self.0.hypotheses()
    }

    fn __len__(&self) -> usize {
        self.0.sentences()
    }
}

pub(crate) fn found(py: Python<'_>, tuned: tolka_engine::Result<tolka_engine::Result<Tuned>>) -> PyResult<Found<'_>> {
    let Tuned { weights, score, history } = tuned.and_then(|tuned| tuned).map_err(raise)?;
    Ok((weights.into_pyarray(py), score, history))
}

/// Minimum error rate training.
#[pyfunction]
#[pyo3(signature = (lists, metric, start, frozen, *, restarts, directions, rounds, tolerance, seed, threads))]
pub fn tune_mert<'py>(
    py: Python<'py>,
    lists: &TuneLists,
    metric: &Metric,
    start: Vec<f64>,
    frozen: Vec<usize>,
    restarts: usize,
    directions: usize,
    rounds: usize,
    tolerance: f64,
    seed: u64,
    threads: usize,
) -> PyResult<Found<'py>> {
    let settings = engine::mert::Settings { restarts, directions, rounds, tolerance, seed };
    let (lists, metric) = (&lists.0, Arc::clone(&metric.metric));
    let run = || engine::mert::mert(lists, &*metric, &start, &frozen, &settings);
    found(py, py.guarded(|| with_threads(threads, run)))
}

/// Pairwise ranking.
#[pyfunction]
#[pyo3(signature = (
    lists, metric, start, frozen, *, candidates, kept, threshold, penalty, interpolation, iterations, seed, threads
))]
pub fn tune_pro<'py>(
    py: Python<'py>,
    lists: &TuneLists,
    metric: &Metric,
    start: Vec<f64>,
    frozen: Vec<usize>,
    candidates: usize,
    kept: usize,
    threshold: f64,
    penalty: f64,
    interpolation: f64,
    iterations: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Found<'py>> {
    let settings = engine::pro::Settings { candidates, kept, threshold, penalty, interpolation, iterations, seed };
    let (lists, metric) = (&lists.0, Arc::clone(&metric.metric));
    let run = || engine::pro::pro(lists, &*metric, &start, &frozen, &settings);
    found(py, py.guarded(|| with_threads(threads, run)))
}

/// k-best batch MIRA; `background` is empty for one of zeros.
#[pyfunction]
#[pyo3(signature = (
    lists, metric, start, frozen, *, aggressiveness, epochs, decay, background, safe_hope, seed, threads
))]
pub fn tune_mira<'py>(
    py: Python<'py>,
    lists: &TuneLists,
    metric: &Metric,
    start: Vec<f64>,
    frozen: Vec<usize>,
    aggressiveness: f64,
    epochs: usize,
    decay: f64,
    background: Vec<f64>,
    safe_hope: bool,
    seed: u64,
    threads: usize,
) -> PyResult<Found<'py>> {
    let settings = engine::mira::Settings { aggressiveness, epochs, decay, background, safe_hope, seed };
    let (lists, metric) = (&lists.0, Arc::clone(&metric.metric));
    let run = || engine::mira::mira(lists, &*metric, &start, &frozen, &settings);
    found(py, py.guarded(|| with_threads(threads, run)))
}
