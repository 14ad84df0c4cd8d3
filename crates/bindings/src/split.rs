//! Splitting a corpus by content, for Python.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tolka_engine::corpus::pair_key::SameBy;
use tolka_engine::corpus::split as engine;
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, raise};
use crate::texts::side_by_side;

/// Collects the keys of pairs, then says where each goes.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Splitter(Mutex<engine::Splitter>);

#[derive(FromPyObject)]
pub enum Size {
    Exact(u64),
    Share(f64),
}

impl From<Size> for engine::Size {
    fn from(size: Size) -> Self {
        match size {
            Size::Exact(pairs) => Self::Exact(pairs),
            Size::Share(share) => Self::Share(share),
        }
    }
}

#[pymethods]
impl Splitter {
    #[new]
    #[pyo3(signature = (*, seed, by))]
    fn new(seed: u64, by: &str) -> PyResult<Self> {
        Ok(Self(Mutex::new(engine::Splitter::new(seed, SameBy::parse(by).map_err(raise)?))))
    }

    /// Take in the next pairs.
    fn add(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyList>,
        targets: &Bound<'_, PyList>,
        threads: usize,
    ) -> PyResult<()> {
        let (sources, targets) = side_by_side(sources, targets)?;
        py.guarded(|| {
            let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let splitter = &mut *guard;
            with_threads(threads, || splitter.add(&sources, &targets))
        })
        .map_err(raise)
    }

    /// The part of each pair: 0 train, 1 dev, 2 test, 3 a repetition of a held-out pair. A whole number asks for so many
    /// pairs, a fraction for such a share.
    #[pyo3(signature = (*, dev, test))]
    fn parts<'py>(&self, py: Python<'py>, dev: Size, test: Size) -> PyResult<Bound<'py, PyBytes>> {
        let parts = py.guarded(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).parts(dev.into(), test.into()));
        let parts: Vec<u8> = parts.map_err(raise)?.into_iter().map(|part| part as u8).collect();
        Ok(PyBytes::new(py, &parts))
    }
}
