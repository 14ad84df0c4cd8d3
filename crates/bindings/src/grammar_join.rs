//! Several tables of rules as one.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tolka_engine::grammar::Table;
use tolka_engine::grammar::join::{How, JoinSettings, join, look_up};
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, raise};
use crate::grammar::GrammarTable;

/// Write the table of the rules of several; gives their number. `step` is told of the rules read.
#[pyfunction]
#[pyo3(signature = (tables, path, *, how, weights, floor, exact, threads, step))]
#[allow(clippy::too_many_arguments)]
pub fn grammar_join(
    py: Python<'_>,
    tables: Vec<(String, Py<GrammarTable>)>,
    path: PathBuf,
    how: &str,
    weights: Option<[Vec<f64>; 4]>,
    floor: f64,
    exact: bool,
    threads: usize,
    step: Py<PyAny>,
) -> PyResult<u64> {
    let settings = JoinSettings { how: How::parse(how, weights).map_err(raise)?, floor, exact };
    let opened: Vec<(String, Arc<Table>)> =
        tables.iter().map(|(name, table)| (name.clone(), Arc::clone(&table.get().0))).collect();
    let failure = Mutex::new(None);
    let advance = |rules: usize| {
        Python::attach(|py| match py.check_signals().and_then(|()| step.call1(py, (rules,))) {
            Ok(_) => true,
            Err(error) => {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                false
            }
        })
    };
    let joined = py.guarded(|| {
        let tables: Vec<(String, &Table)> = opened.iter().map(|(name, table)| (name.clone(), &**table)).collect();
        with_threads(threads, || join(&tables, &settings, &path, &advance))?
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => joined.map_err(raise),
    }
}

/// Counts of the rules of a table, and what others have as their features, rows that are not numbers where they lack it.
#[pyfunction]
#[pyo3(signature = (asked, tables, *, threads))]
#[allow(clippy::type_complexity)]
pub fn grammar_look_up<'py>(
    py: Python<'py>,
    asked: Py<GrammarTable>,
    tables: Vec<Py<GrammarTable>>,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<f32>>, Vec<Bound<'py, PyArray2<f32>>>)> {
    let asked = Arc::clone(&asked.get().0);
    let opened: Vec<Arc<Table>> = tables.iter().map(|table| Arc::clone(&table.get().0)).collect();
    let rows = py.guarded(|| {
        let tables: Vec<&Table> = opened.iter().map(|table| &**table).collect();
        with_threads(threads, || look_up(&asked, &tables))?
    });
    let rows = rows.map_err(raise)?;
    let shape = |table: &Table| [rows.counts.len(), table.feature_names().len()];
    let features = rows.features.into_iter().zip(&opened);
    let features = features.map(|(features, table)| features.into_pyarray(py).reshape(shape(table)));
    let features = features.collect::<PyResult<Vec<_>>>()?;
    Ok((rows.counts.into_pyarray(py), features))
}
