//! Combining, pruning and clustering from Python.
#![allow(clippy::needless_pass_by_value)] // Python's arguments arrive by value

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::lm::cluster::Clusterer;
use tolka_engine::lm::model::Compiled;
use tolka_engine::lm::ngrams::Ngrams;
use tolka_engine::lm::{mix, prune};
use tolka_engine::{Error, Result};

use super::LmModel;
use crate::error::{Guarded, raise};

/// One model of several: linear or log-linear interpolation.
#[pyfunction]
#[pyo3(signature = (models, weights, *, log_linear))]
pub fn lm_mix(
    py: Python<'_>,
    models: Vec<PyRef<'_, LmModel>>,
    weights: Vec<f64>,
    log_linear: bool,
) -> PyResult<LmModel> {
    let models: Vec<&LmModel> = models.iter().map(|model| &**model).collect();
    let mixed = py.guarded(|| {
        let ngrams: Vec<&Ngrams> = models.iter().map(|model| model.ngrams()).collect::<Result<_>>()?;
        if log_linear { mix::log_linear(&ngrams, &weights) } else { mix::linear(&ngrams, &weights) }
    });
    mixed.map(LmModel::new).map_err(raise)
}

/// The weights of a linear interpolation under which lines are most probable.
#[pyfunction]
pub fn lm_tune(py: Python<'_>, models: Vec<PyRef<'_, LmModel>>, lines: Vec<PyBackedStr>) -> PyResult<Vec<f64>> {
    let models: Vec<&LmModel> = models.iter().map(|model| &**model).collect();
    let tuned = py.guarded(|| {
        let compiled: Vec<&Compiled> =
            models.iter().map(|model| model.compiled()?.of_words()).collect::<Result<_>>()?;
        mix::tune(&compiled, &lines)
    });
    tuned.map_err(raise)
}

/// The model without the n-grams whose absence raises its perplexity by less than a factor of 1 + threshold.
#[pyfunction]
pub fn lm_prune(py: Python<'_>, model: &LmModel, threshold: f64) -> PyResult<LmModel> {
    py.guarded(|| prune::prune(model.ngrams()?.clone(), threshold)).map(LmModel::new).map_err(raise)
}

/// Groups the words of a corpus into classes.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LmClusterer(Mutex<Option<Clusterer>>);

#[pymethods]
impl LmClusterer {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Some(Clusterer::default())))
    }

    /// Take in lines.
    fn add(&self, py: Python<'_>, lines: Vec<PyBackedStr>) -> PyResult<()> {
        py.infallible(|| {
            if let Some(clusterer) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                lines.iter().for_each(|line| clusterer.add(line));
            }
        })
    }

    /// Group the words; gives each with the number of its class.
    fn finish(&self, py: Python<'_>, number: usize, rounds: usize) -> PyResult<Vec<(String, u32)>> {
        let done = py.guarded(|| {
            let clusterer = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            clusterer.ok_or_else(|| Error::settings("this clusterer has given its classes"))?.finish(number, rounds)
        });
        done.map_err(raise)
    }
}
