//! Labels that spread over a graph.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tolka_engine::graph::{Graph, Labels, Seeds, Settings, System};
use tolka_engine::threads::with_threads;

use super::{copied, places, wide};
use crate::error::{Guarded, raise};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Edges<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Numbers<'py>);
type PyLabels<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Numbers<'py>, Numbers<'py>);
type Given<'py> =
    (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

fn labels((starts, ids, values, dummy): &Given<'_>) -> Labels {
    Labels { starts: places(starts), ids: copied(ids), values: copied(values), dummy: copied(dummy) }
}

/// An undirected graph whose edges weigh something.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LabelGraph(Arc<Graph>);

#[pymethods]
impl LabelGraph {
    #[new]
    fn new(
        py: Python<'_>,
        size: usize,
        begins: PyReadonlyArray1<'_, u32>,
        ends: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (begins, ends, weights) = (copied(&begins), copied(&ends), copied(&weights));
        let made = py.guarded(|| Graph::new(size, &begins, &ends, &weights));
        made.map(|graph| Self(Arc::new(graph))).map_err(raise)
    }

    /// How many nodes there are.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Where the neighbours of each node begin, all neighbours, and what the edges to them weigh.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Edges<'py>> {
        let copy = || (wide(self.0.starts()), self.0.ids().to_vec(), self.0.weights().to_vec());
        let (starts, ids, weights) = py.infallible(copy)?;
        Ok((starts.into_pyarray(py), ids.into_pyarray(py), weights.into_pyarray(py)))
    }
}

/// Modified Adsorption on a graph, with the labels that it has come to.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LabelSystem {
    system: System,
    labels: Mutex<Labels>,
}

fn given<'py>(py: Python<'py>, labels: Labels) -> PyLabels<'py> {
    let Labels { starts, ids, values, dummy } = labels;
    (wide(&starts).into_pyarray(py), ids.into_pyarray(py), values.into_pyarray(py), dummy.into_pyarray(py))
}

#[pymethods]
impl LabelSystem {
    /// Seeds are starts, labels, probabilities, and a dummy for each node that does not matter.
    #[new]
    #[pyo3(signature = (graph, seeds, *, mu, beta, keep))]
    fn new(
        py: Python<'_>,
        graph: &LabelGraph,
        seeds: Given<'_>,
        mu: [f64; 3],
        beta: f64,
        keep: usize,
    ) -> PyResult<Self> {
        let seeds = labels(&seeds);
        let made = py.guarded(|| {
            let seeds = Seeds::new(seeds, graph.0.size())?;
            let system = System::new(Arc::clone(&graph.0), seeds, Settings { mu, beta, keep })?;
            let labels = Mutex::new(system.start());
            Ok(Self { system, labels })
        });
        made.map_err(raise)
    }

    /// How many different labels there are.
    #[getter]
    fn labels(&self) -> usize {
        self.system.labels()
    }

    /// The probabilities of each node to start anew, to go on and to give up.
    fn probabilities<'py>(&self, py: Python<'py>) -> [Numbers<'py>; 3] {
        self.system.probabilities().map(|of| of.to_vec().into_pyarray(py))
    }

    /// Go a step, all nodes at once.
    #[pyo3(signature = (*, threads))]
    fn step(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        py.guarded(|| {
            let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
            *labels = with_threads(threads, || self.system.step(&labels))?;
            Ok(())
        })
        .map_err(raise)
    }

    /// The labels that the steps have come to.
    fn reached<'py>(&self, py: Python<'py>) -> PyResult<PyLabels<'py>> {
        let named = || self.system.named(self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone());
        Ok(given(py, py.infallible(named)?))
    }

    /// The labels that further steps do not change.
    #[pyo3(signature = (*, tolerance, threads, step))]
    fn solve<'py>(&self, py: Python<'py>, tolerance: f64, threads: usize, step: Py<PyAny>) -> PyResult<PyLabels<'py>> {
        let failure = Mutex::new(None);
        let told = |labels: usize| {
            Python::attach(|py| match py.check_signals().and_then(|()| step.call1(py, (labels,))) {
                Ok(_) => true,
                Err(error) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    false
                }
            })
        };
        let solved = py.guarded(|| {
            let solved = with_threads(threads, || self.system.solve(tolerance, &told))??;
            Ok(self.system.named(solved))
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(given(py, solved.map_err(raise)?)),
        }
    }

    /// What labels should make as small as can be.
    #[pyo3(signature = (labels, *, threads))]
    fn objective(&self, py: Python<'_>, labels: Given<'_>, threads: usize) -> PyResult<f64> {
        let labels = self::labels(&labels);
        let run = || {
            let labels = self.system.renumbered(labels)?;
            with_threads(threads, || self.system.objective(&labels))
        };
        py.guarded(run).map_err(raise)
    }
}
