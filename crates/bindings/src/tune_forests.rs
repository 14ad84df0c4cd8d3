//! Tuners over forests for Python.

// Python hands its arguments over, and all settings by name.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use tolka_engine::Error;
use tolka_engine::metric::TokenTable;
use tolka_engine::threads::with_threads;
use tolka_engine::tune::{self as engine, forests::Forests};

use crate::error::{Guarded, raise};
use crate::forest::Forest;
use crate::metric::{Metric, MetricTable};
use crate::tune::{Found, found};

/// Forests of a development set, as tuners see them.
#[pyclass(frozen, module = "tolka._engine")]
pub struct TuneForests {
    features: Vec<String>,
    sparse: TokenTable,
    forests: Forests,
}

#[pymethods]
impl TuneForests {
    /// No forests yet.
    #[new]
    fn new(features: Vec<String>) -> PyResult<Self> {
        let forests = Forests::new(features.len(), 0, Vec::new()).map_err(raise)?;
        Ok(Self { features, sparse: TokenTable::default(), forests })
    }

    /// These derivations together with others, a forest per sentence.
    fn merge(
        &self,
        py: Python<'_>,
        forests: Vec<PyRef<'_, Forest>>,
        table: &MetricTable,
        threads: usize,
    ) -> PyResult<Self> {
        let shared: Vec<_> = forests.iter().map(|forest| Arc::clone(&forest.0)).collect();
        if let Some(at) = shared.iter().position(|forest| forest.feature_names() != self.features) {
            let what = format!("the forest of sentence {} has other features than there are weights for", at + 1);
            return Err(raise(Error::input(what)));
        }
        let mut sparse = self.sparse.clone();
        let joined = py.guarded(|| {
            let others: Vec<_> = shared.iter().map(AsRef::as_ref).collect();
            let mut table = table.0.lock().unwrap_or_else(PoisonError::into_inner);
            let tokens = &mut *table;
            with_threads(threads, || self.forests.merge(&others, tokens, &mut sparse)).and_then(|joined| joined)
        });
        Ok(Self { features: self.features.clone(), sparse, forests: joined.map_err(raise)? })
    }

    /// Names of sparse features.
    #[getter]
    fn sparse_names(&self) -> Vec<String> {
        self.sparse.tokens().iter().map(ToString::to_string).collect()
    }

    /// Edges of all forests.
    #[getter]
    fn edges(&self) -> usize {
        self.forests.edges()
    }

    fn __len__(&self) -> usize {
        self.forests.all().len()
    }
}

/// Minimum error rate training over all derivations of forests.
#[pyfunction]
#[pyo3(signature = (forests, metric, start, frozen, *, restarts, directions, rounds, tolerance, seed, threads))]
pub fn tune_forest_mert<'py>(
    py: Python<'py>,
    forests: &TuneForests,
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
    let (forests, metric) = (&forests.forests, Arc::clone(&metric.metric));
    let run = || engine::forest_mert::forest_mert(forests, &*metric, &start, &frozen, &settings);
    found(py, py.guarded(|| with_threads(threads, run)))
}

/// MIRA with hope and fear from forests; `background` is empty for one of zeros.
#[pyfunction]
#[pyo3(signature = (
    forests, metric, start, frozen, *, aggressiveness, epochs, decay, background, safe_hope, derivations, seed, threads
))]
pub fn tune_forest_mira<'py>(
    py: Python<'py>,
    forests: &TuneForests,
    metric: &Metric,
    start: Vec<f64>,
    frozen: Vec<usize>,
    aggressiveness: f64,
    epochs: usize,
    decay: f64,
    background: Vec<f64>,
    safe_hope: bool,
    derivations: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Found<'py>> {
    let settings = engine::mira::Settings { aggressiveness, epochs, decay, background, safe_hope, seed };
    let (forests, metric) = (&forests.forests, Arc::clone(&metric.metric));
    let run = || engine::forest_mira::forest_mira(forests, &*metric, &start, &frozen, &settings, derivations);
    found(py, py.guarded(|| with_threads(threads, run)))
}
