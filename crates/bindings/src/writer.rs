//! Writing text to a file that appears whole, or to standard output.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyBrokenPipeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tolka_engine::corpus::TextWriter as EngineTextWriter;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};

/// Standard output that remembers when its reader left, which is no error of the user's.
struct StandardOutput {
    file: File,
    left: Arc<AtomicBool>,
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.left.store(true, Ordering::Relaxed);
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes text to a file, compressed as its name asks, or to standard output ("-").
#[pyclass(frozen, module = "tolka._engine")]
pub struct TextWriter {
    writer: Mutex<Option<EngineTextWriter>>,
    path: PathBuf,
    left: Arc<AtomicBool>,
}

impl TextWriter {
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Send + FnOnce(&mut Option<EngineTextWriter>) -> Result<T>,
    ) -> PyResult<T> {
        let result = py.guarded(|| work(&mut self.writer.lock().unwrap_or_else(PoisonError::into_inner)));
        result.map_err(|error| match self.left.load(Ordering::Relaxed) {
            true => PyBrokenPipeError::new_err("the reader of standard output left"),
            false => raise(error),
        })
    }

    fn write(&self, py: Python<'_>, work: impl Send + FnOnce(&mut EngineTextWriter) -> Result<()>) -> PyResult<()> {
        let open = self.run(py, |writer| writer.as_mut().map(work).transpose())?;
        open.ok_or_else(|| PyValueError::new_err("the writer is finished"))
    }

    fn str<'a>(&self, text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
        text.to_str().map_err(|_| {
            raise(Error::input("the text contains a lone surrogate, which is no character").at_path(&self.path))
        })
    }
}

#[pymethods]
impl TextWriter {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let left = Arc::new(AtomicBool::new(false));
        let writer = if path == Path::new("-") {
            let name = Path::new("<stdout>");
            let handle = io::stdout().as_fd().try_clone_to_owned().map_err(|error| raise(Error::io(name, &error)))?;
            EngineTextWriter::new(Box::new(StandardOutput { file: handle.into(), left: left.clone() }), name)
        } else {
            EngineTextWriter::create(&path).map_err(raise)?
        };
        Ok(Self { writer: Mutex::new(Some(writer)), path, left })
    }

    /// Writes each text as one line; a text that is not one line is an error.
    fn write_lines(&self, py: Python<'_>, lines: &Bound<'_, PyList>) -> PyResult<()> {
        let held = lines.iter().map(Bound::cast_into).collect::<std::result::Result<Vec<Bound<'_, PyString>>, _>>()?;
        let lines = held.iter().map(|line| self.str(line)).collect::<PyResult<Vec<_>>>()?;
        self.write(py, |writer| lines.iter().try_for_each(|line| writer.write_line(line)))
    }

    /// Writes a text as it is.
    fn write_text(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<()> {
        let text = self.str(text)?;
        self.write(py, |writer| writer.write_text(text))
    }

    /// Sends what is buffered on its way.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py, EngineTextWriter::flush)
    }

    /// Ends the file and puts it in its place.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let open = self.run(py, |writer| writer.take().map(EngineTextWriter::finish).transpose())?;
        open.ok_or_else(|| PyValueError::new_err("the writer is finished"))
    }

    /// Gives the file up; nothing of it remains.
    fn abandon(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |writer| {
            drop(writer.take());
            Ok(())
        })
    }
}
