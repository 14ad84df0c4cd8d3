//! Orders of words, for Python: reference orders, their differences, and walks on trees. Sentences are flat arrays.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::Result;
use tolka_engine::reorder::execution::Fragment;
use tolka_engine::reorder::reference::Policy;
use tolka_engine::reorder::{Sentences, execution, measure, reference};
use tolka_engine::syntax::NONE;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, raise};

type Numbers<'py> = PyReadonlyArray1<'py, u32>;
type Offsets<'py> = PyReadonlyArray1<'py, u64>;
type Array<'py, T> = Bound<'py, PyArray1<T>>;

fn list<T: numpy::Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    array.as_array().to_vec()
}

/// The reference order of each sentence, one after the other, and the offsets of sentences among them.
#[pyfunction]
#[pyo3(signature = (lengths, link_offsets, sources, targets, policy, *, threads))]
pub fn reorder_references<'py>(
    py: Python<'py>,
    lengths: Numbers<'py>,
    link_offsets: Offsets<'py>,
    sources: Numbers<'py>,
    targets: Numbers<'py>,
    policy: &str,
    threads: usize,
) -> PyResult<(Array<'py, u32>, Array<'py, u64>)> {
    let policy = Policy::parse(policy).map_err(raise)?;
    let (lengths, offsets) = (list(&lengths), list(&link_offsets));
    let (sources, targets) = (list(&sources), list(&targets));
    let found = py.guarded(|| {
        let links = Sentences::new(&offsets, sources.len())?;
        with_threads(threads, || reference::orders(&lengths, links, &sources, &targets, policy))?
    });
    let (orders, offsets) = found.map_err(raise)?;
    Ok((orders.into_pyarray(py), offsets.into_pyarray(py)))
}

/// For each sentence the inversions and chunks of an order, seen from a reference order.
#[pyfunction]
#[pyo3(signature = (offsets, orders, references, *, threads))]
pub fn reorder_differences<'py>(
    py: Python<'py>,
    offsets: Offsets<'py>,
    orders: Numbers<'py>,
    references: Numbers<'py>,
    threads: usize,
) -> PyResult<(Array<'py, u64>, Array<'py, u64>)> {
    let (offsets, orders, references) = (list(&offsets), list(&orders), list(&references));
    let found = py.guarded(|| {
        let sentences = Sentences::new(&offsets, orders.len())?;
        with_threads(threads, || measure::differences(sentences, &orders, &references))?
    });
    let found = found.map_err(raise)?;
    let inversions: Vec<u64> = found.iter().map(|one| one.inversions).collect();
    let chunks: Vec<u64> = found.iter().map(|one| one.chunks).collect();
    Ok((inversions.into_pyarray(py), chunks.into_pyarray(py)))
}

/// For each sentence how many pairs of links cross when its words stand in the given order.
#[pyfunction]
#[pyo3(signature = (offsets, orders, link_offsets, sources, targets, *, threads))]
pub fn reorder_crossings<'py>(
    py: Python<'py>,
    offsets: Offsets<'py>,
    orders: Numbers<'py>,
    link_offsets: Offsets<'py>,
    sources: Numbers<'py>,
    targets: Numbers<'py>,
    threads: usize,
) -> PyResult<Array<'py, u64>> {
    let (offsets, orders, link_offsets) = (list(&offsets), list(&orders), list(&link_offsets));
    let (sources, targets) = (list(&sources), list(&targets));
    let found = py.guarded(|| {
        let sentences = Sentences::new(&offsets, orders.len())?;
        let links = Sentences::new(&link_offsets, sources.len())?;
        with_threads(threads, || measure::all_crossings(sentences, &orders, links, &sources, &targets))?
    });
    Ok(found.map_err(raise)?.into_pyarray(py))
}

/// The fragments of the walks that emit sentences in the given orders, a number per word and kind, and for each step up
/// of all of them whether it was forced.
#[pyfunction]
#[pyo3(signature = (offsets, heads, orders, *, threads))]
pub fn reorder_fragments<'py>(
    py: Python<'py>,
    offsets: Offsets<'py>,
    heads: Numbers<'py>,
    orders: Numbers<'py>,
    threads: usize,
) -> PyResult<(Bound<'py, PyDict>, Array<'py, bool>)> {
    let (offsets, heads, orders) = (list(&offsets), list(&heads), list(&orders));
    let found: Result<(Vec<Fragment>, Vec<bool>)> = py.guarded(|| {
        let sentences = Sentences::new(&offsets, heads.len())?;
        with_threads(threads, || execution::fragments(sentences, &heads, &orders))?
    });
    let (fragments, forced) = found.map_err(raise)?;
    let column = |pick: fn(&Fragment) -> i32| fragments.iter().map(pick).collect::<Vec<i32>>().into_pyarray(py);
    let columns = PyDict::new(py);
    columns.set_item("ups", column(|f| f.ups as i32))?;
    columns.set_item("downs", column(|f| f.downs as i32))?;
    columns.set_item("unforced", column(|f| f.unforced as i32))?;
    columns.set_item("top", column(|f| if f.top == NONE { -1 } else { f.top as i32 }))?;
    columns.set_item("distance", column(|f| f.distance))?;
    columns.set_item("excursion", column(|f| f.excursion as i32))?;
    Ok((columns, forced.into_pyarray(py)))
}
