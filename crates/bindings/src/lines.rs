//! Reading text and bytes, a block at a time, with the interpreter free for others meanwhile.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use tolka_engine::corpus::{ByteReader as EngineByteReader, LineReader as EngineLineReader, ReadLimits};

use crate::error::{Guarded, raise};

/// Lines in one batch at most; a batch also ends where the lines at hand do.
const BATCH_LINES: usize = 8192;

/// Bytes in one block.
const BLOCK_BYTES: usize = 256 << 10;

/// What a signal handler raised (Ctrl-C) while a read waited for standard input.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// Standard input that lets Python handle signals while it waits.
struct StandardInput {
    file: File,
    raised: Raised,
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    let handled = Python::attach(|py: Python<'_>| -> PyResult<()> { py.check_signals() });
                    if let Err(raised) = handled {
                        *lock(&self.raised) = Some(raised);
                        return Err(io::Error::other("interrupted"));
                    }
                }
                result => return result,
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic while reading leaves a reader that is still safe to ask.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: PathBuf, raised: &Raised) -> tolka_engine::Result<(Box<dyn Read + Send>, PathBuf)> {
    if path != Path::new("-") {
        let file = File::open(&path).map_err(|error| tolka_engine::Error::io(&path, &error))?;
        return Ok((Box::new(file), path));
    }
    let name = PathBuf::from("<stdin>");
    let handle = io::stdin().as_fd().try_clone_to_owned().map_err(|error| tolka_engine::Error::io(&name, &error))?;
    Ok((Box::new(StandardInput { file: handle.into(), raised: raised.clone() }), name))
}

fn failed(raised: &Raised, error: tolka_engine::Error) -> PyErr {
    lock(raised).take().unwrap_or_else(|| raise(error))
}

/// Reads lines of UTF-8 text from a plain or compressed file, or from standard input ("-").
#[pyclass(frozen, module = "tolka._engine")]
pub struct LineReader {
    // Locked only while detached: a read of standard input may need the interpreter to handle a signal.
    reader: Mutex<EngineLineReader>,
    raised: Raised,
}

/// The lines at hand, joined, and where each ends. Lines before an error are given out first: the error comes again.
fn gather(reader: &mut EngineLineReader) -> tolka_engine::Result<(String, Vec<usize>)> {
    let mut text = String::with_capacity(BLOCK_BYTES);
    let mut ends = Vec::with_capacity(BATCH_LINES);
    loop {
        match reader.next_line() {
            Ok(Some(line)) => text.push_str(line),
            Err(error) if ends.is_empty() => return Err(error),
            Ok(None) | Err(_) => break,
        }
        ends.push(text.len());
        if ends.len() == BATCH_LINES || !reader.has_line() {
            break;
        }
    }
    Ok((text, ends))
}

#[pymethods]
impl LineReader {
    #[new]
    #[pyo3(signature = (path, *, line_bytes, file_bytes, expansion, repair = false))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        line_bytes: u64,
        file_bytes: u64,
        expansion: u64,
        repair: bool,
    ) -> PyResult<Self> {
        let limits = ReadLimits { line_bytes, file_bytes, expansion };
        let raised = Raised::default();
        let opened = py.guarded(|| {
            let (source, name) = open(path, &raised)?;
            Ok(EngineLineReader::new(source, &name, &limits)?.repairing(repair))
        });
        let reader = opened.map_err(|error| failed(&raised, error))?;
        Ok(Self { reader: Mutex::new(reader), raised })
    }

    /// The next lines that can be had without waiting for more, at least one; an empty list at the end.
    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (text, ends) =
            py.guarded(|| gather(&mut lock(&self.reader))).map_err(|error| failed(&self.raised, error))?;
        let mut start = 0;
        let lines = ends.iter().map(|&end| {
            let line = PyString::new(py, &text[start..end]);
            start = end;
            line
        });
        PyList::new(py, lines)
    }

    /// Reads what is left and says how many lines it had.
    fn count_rest(&self, py: Python<'_>) -> PyResult<u64> {
        py.guarded(|| lock(&self.reader).count_rest()).map_err(|error| failed(&self.raised, error))
    }

    /// How many places were repaired so far.
    #[getter]
    fn repairs(&self, py: Python<'_>) -> PyResult<u64> {
        py.infallible(|| lock(&self.reader).repairs())
    }
}

/// Reads the bytes of a file or of standard input ("-"), decompressed if they are compressed.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ByteReader {
    reader: Mutex<EngineByteReader>,
    raised: Raised,
}

#[pymethods]
impl ByteReader {
    #[new]
    #[pyo3(signature = (path, *, file_bytes, expansion))]
    fn new(py: Python<'_>, path: PathBuf, file_bytes: u64, expansion: u64) -> PyResult<Self> {
        let limits = ReadLimits { file_bytes, expansion, ..ReadLimits::default() };
        let raised = Raised::default();
        let opened = py.guarded(|| {
            let (source, name) = open(path, &raised)?;
            EngineByteReader::new(source, &name, &limits)
        });
        let reader = opened.map_err(|error| failed(&raised, error))?;
        Ok(Self { reader: Mutex::new(reader), raised })
    }

    /// The next bytes; none at the end.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let read = py.guarded(|| {
            let mut block = vec![0; BLOCK_BYTES];
            let count = lock(&self.reader).read(&mut block)?;
            block.truncate(count);
            Ok(block)
        });
        Ok(PyBytes::new(py, &read.map_err(|error| failed(&self.raised, error))?))
    }
}
