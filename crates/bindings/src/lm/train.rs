//! Training language models from Python.
#![allow(clippy::needless_pass_by_value)] // Python's arguments arrive by value

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::corpus::{LineReader, ReadLimits};
use tolka_engine::lm::any::AnyModel;
use tolka_engine::lm::classes::ClassTrainer;
use tolka_engine::lm::estimate::{Report, Settings};
use tolka_engine::lm::model::Form;
use tolka_engine::lm::smoothing::Smoothing;
use tolka_engine::lm::train::Trainer;
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use super::LmModel;
use crate::error::{Guarded, raise};

enum Either {
    Words(Trainer),
    Classes(ClassTrainer),
}

impl Either {
    fn add(&mut self, line: &str) -> Result<()> {
        match self {
            Self::Words(trainer) => trainer.add(line),
            Self::Classes(trainer) => trainer.add(line),
        }
    }
}

/// Takes in a corpus and estimates a language model of it.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LmTrainer(Mutex<Option<Either>>);

fn used_up() -> Error {
    Error::settings("this trainer has given its model").hint("make a new one")
}

impl LmTrainer {
    fn with(&self, work: impl FnOnce(&mut Either) -> Result<()>) -> Result<()> {
        work(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().ok_or_else(used_up)?)
    }

    fn take(&self) -> Result<Either> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(used_up)
    }
}

#[pymethods]
impl LmTrainer {
    #[new]
    #[pyo3(signature = (*, order, smoothing, prune, fallback, memory, classes = None))]
    fn new(
        order: usize,
        smoothing: &str,
        prune: Vec<u32>,
        fallback: [f64; 3],
        memory: usize,
        classes: Option<HashMap<String, String>>,
    ) -> PyResult<Self> {
        let made = Smoothing::parse(smoothing).and_then(|smoothing| {
            let settings = Settings { order, smoothing, prune, fallback };
            match classes {
                None => Trainer::new(settings, memory).map(Either::Words),
                Some(map) => ClassTrainer::new(settings, memory, map.into_iter().collect()).map(Either::Classes),
            }
        });
        made.map(|trainer| Self(Mutex::new(Some(trainer)))).map_err(raise)
    }

    /// Take in lines.
    fn add(&self, py: Python<'_>, lines: Vec<PyBackedStr>) -> PyResult<()> {
        py.guarded(|| self.with(|trainer| lines.iter().try_for_each(|line| trainer.add(line)))).map_err(raise)
    }

    /// Take in a file.
    #[pyo3(signature = (path, *, line_bytes, file_bytes, expansion))]
    fn add_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        line_bytes: u64,
        file_bytes: u64,
        expansion: u64,
    ) -> PyResult<()> {
        let limits = ReadLimits { line_bytes, file_bytes, expansion };
        let read = || {
            self.with(|trainer| {
                let mut lines = LineReader::open(&path, &limits)?;
                while let Some(line) = lines.next_line()? {
                    trainer.add(line)?;
                }
                Ok(())
            })
        };
        py.guarded(read).map_err(raise)
    }

    /// Estimate the model; gives it with a report.
    #[pyo3(signature = (*, threads))]
    fn finish(&self, py: Python<'_>, threads: usize) -> PyResult<(LmModel, LmReport)> {
        let done = py.guarded(|| {
            let trainer = self.take()?;
            with_threads(threads, || match trainer {
                Either::Words(trainer) => {
                    trainer.finish().map(|(ngrams, report)| (LmModel::new(ngrams), report.into()))
                }
                Either::Classes(trainer) => {
                    let (model, report) = trainer.finish(Form::Fast)?;
                    Ok((LmModel::of(AnyModel::Classes(model)), report.into()))
                }
            })?
        });
        done.map_err(raise)
    }

    /// Estimate the model and write it to an ARPA file without holding it in memory; gives a report.
    #[pyo3(signature = (path, *, threads))]
    fn finish_to(&self, py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<LmReport> {
        let done = py.guarded(|| {
            let trainer = self.take()?;
            with_threads(threads, || match trainer {
                Either::Words(trainer) => trainer.finish_to(&path),
                Either::Classes(_) => {
                    Err(Error::settings("a class model cannot be an ARPA file").hint("end its name in .tlm"))
                }
            })?
        });
        done.map(LmReport::from).map_err(raise)
    }
}

/// What training found out beside the model.
#[pyclass(frozen, get_all, module = "tolka._engine")]
pub struct LmReport {
    sentences: u64,
    tokens: u64,
    skipped: u64,
    counted: Vec<u64>,
    kept: Vec<u64>,
    discounts: Vec<(f64, f64, f64)>,
    fallback: Vec<usize>,
}

impl From<Report> for LmReport {
    fn from(report: Report) -> Self {
        Self {
            sentences: report.sentences,
            tokens: report.tokens,
            skipped: report.skipped,
            counted: report.counted,
            kept: report.kept,
            discounts: report.discounts.iter().map(|&[one, two, more]| (one, two, more)).collect(),
            fallback: report.fallback,
        }
    }
}
