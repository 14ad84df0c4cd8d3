//! Engine errors become the exceptions of `tolka.errors`, field by field, and panics become such errors.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::panics;
use tolka_engine::{Error, Kind, Result};

/// How methods call the engine.
pub trait Guarded {
    /// Runs engine code while other Python threads may run; a panic in it is an error.
    fn guarded<T: Send>(self, work: impl FnOnce() -> Result<T> + Send) -> Result<T>;

    /// The same for work that gives no errors.
    fn infallible<T: Send>(self, work: impl FnOnce() -> T + Send) -> PyResult<T>;
}

impl Guarded for Python<'_> {
    #[allow(clippy::disallowed_methods)]
    fn guarded<T: Send>(self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        self.detach(|| panics::caught(work))
    }

    fn infallible<T: Send>(self, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.guarded(|| Ok(work())).map_err(raise)
    }
}

/// Runs engine code that takes next to no time, with the interpreter held; a panic in it is an exception.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    panics::caught(|| Ok(work())).map_err(raise)
}

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
        Kind::Internal => "InternalError",
    };
    let fields = PyDict::new(py);
    fields.set_item("path", error.place.path)?;
    fields.set_item("line", error.place.line)?;
    fields.set_item("byte", error.place.byte)?;
    fields.set_item("hint", error.hint)?;
    let exception = py.import("tolka.errors")?.getattr(class)?.call((error.what,), Some(&fields))?;
    Ok(PyErr::from_value(exception))
}
