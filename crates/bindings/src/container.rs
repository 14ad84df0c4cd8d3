//! Containers for Python: sections travel as bytes, `tolka.files` turns them into arrays.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tolka_engine::files::{self, ContainerWriter, Element, Verify};
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};

/// An open container.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Container(files::Container);

#[pymethods]
impl Container {
    /// Map and check a file.
    #[staticmethod]
    #[pyo3(signature = (path, kind, *, full, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, kind: Option<&str>, full: bool, most_bytes: u64) -> PyResult<Self> {
        let verify = if full { Verify::Full } else { Verify::Structure };
        py.guarded(|| files::Container::open_within(path, kind, verify, most_bytes)).map(Self).map_err(raise)
    }

    /// What it holds.
    #[getter]
    fn kind(&self) -> &str {
        self.0.kind()
    }

    /// The version of what it holds.
    #[getter]
    fn kind_version(&self) -> u32 {
        self.0.kind_version()
    }

    /// Each section's name, element type, bytes per element, and bytes.
    fn sections(&self) -> Vec<(String, &'static str, u32, u64)> {
        let describe =
            |info: &files::SectionInfo| (info.name.clone(), info.element.name(), info.element.size(), info.bytes);
        self.0.sections().iter().map(describe).collect()
    }

    /// A copy of a section's bytes.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.0.bytes(name).map(|bytes| PyBytes::new(py, bytes)).map_err(raise)
    }

    /// Compare every section with its checksum.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.guarded(|| self.0.verify()).map_err(raise)
    }
}

/// Write a container of sections given as name, element type, bytes per element, and bytes.
#[pyfunction]
pub fn write_container(
    py: Python<'_>,
    path: PathBuf,
    kind: &str,
    kind_version: u32,
    sections: Sections<'_>,
) -> PyResult<()> {
    // The arrays may change under other threads' hands, so only what no longer needs them goes without the lock.
    let writer = fill(path, kind, kind_version, sections).map_err(raise)?;
    py.guarded(|| writer.finish()).map_err(raise)
}

type Sections<'py> = Vec<(String, String, u32, PyReadonlyArray1<'py, u8>)>;

fn fill(path: PathBuf, kind: &str, kind_version: u32, sections: Sections<'_>) -> Result<ContainerWriter> {
    let mut writer = ContainerWriter::create(path, kind, kind_version)?;
    for (name, element, size, data) in sections {
        let element = Element::parse(&element, size)
            .ok_or_else(|| Error::settings(format!("section {name}: no elements of type {element}")))?;
        let bytes = data.as_slice().map_err(|_| Error::settings(format!("section {name} is not contiguous")))?;
        writer.section_of(&name, element, bytes)?;
    }
    Ok(writer)
}
