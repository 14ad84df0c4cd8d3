//! Engine errors become the exceptions of `tolka.errors`, field by field.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::{Error, Kind};

/// Turns an engine error into the Python exception of the same kind.
pub fn raise(error: Error) -> PyErr {
    Python::attach(|py| build(py, error).unwrap_or_else(|failure| failure))
}

fn build(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let class = match error.kind {
        Kind::Input => "InputError",
        Kind::Format => "FormatError",
        Kind::Limit => "LimitError",
        Kind::Settings => "SettingsError",
        Kind::File => "FileError",
    };
    let fields = PyDict::new(py);
    fields.set_item("path", error.place.path)?;
    fields.set_item("line", error.place.line)?;
    fields.set_item("byte", error.place.byte)?;
    fields.set_item("hint", error.hint)?;
    let exception = py.import("tolka.errors")?.getattr(class)?.call((error.what,), Some(&fields))?;
    Ok(PyErr::from_value(exception))
}
