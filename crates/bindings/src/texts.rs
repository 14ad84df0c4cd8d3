//! Lists of lines on their way into the engine, readable while the interpreter is free for others.

use pyo3::exceptions::PyUnicodeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;
use tolka_engine::Error;

use crate::error::raise;

/// The strings of a list, borrowed. A string that is not valid Unicode (a lone surrogate) is the caller's mistake.
pub fn texts(list: &Bound<'_, PyList>) -> PyResult<Vec<PyBackedStr>> {
    list.iter()
        .enumerate()
        .map(|(position, item)| {
            item.extract::<PyBackedStr>().map_err(|error| {
                if error.is_instance_of::<PyUnicodeError>(list.py()) {
                    let what = format!("text {} of the list has a lone surrogate", position + 1);
                    raise(Error::input(what).hint("read the text as UTF-8"))
                } else {
                    error
                }
            })
        })
        .collect()
}

/// Two lists that run side by side.
pub fn side_by_side(
    sources: &Bound<'_, PyList>,
    targets: &Bound<'_, PyList>,
) -> PyResult<(Vec<PyBackedStr>, Vec<PyBackedStr>)> {
    let (sources, targets) = (texts(sources)?, texts(targets)?);
    if sources.len() != targets.len() {
        let what = format!("there are {} source texts and {} target texts", sources.len(), targets.len());
        return Err(raise(Error::input(what).hint("they must be translations of each other, one by one")));
    }
    Ok((sources, targets))
}
