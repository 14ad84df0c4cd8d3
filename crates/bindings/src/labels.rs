//! Labels for words, for Python: learning, labelling, files.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::learn::labels::{Labelled, Labeller, Report, Semiring, Settings, features, train};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::decode::Given;
use crate::error::{Guarded, caught, raise};

/// Words and their labels.
type Sentence = (Vec<String>, Vec<String>);

fn settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let (mut given, mut settings) = (Given::new(given), Settings::default());
    given.take("epochs", &mut settings.epochs)?;
    given.take("explore", &mut settings.explore)?;
    let semirings = [("minmerge", Semiring::MinMerge), ("viterbi", Semiring::Viterbi)];
    given.one_of("semiring", &semirings, &mut settings.semiring)?;
    given.take("beam", &mut settings.beam)?;
    given.take("before", &mut settings.window.before)?;
    given.take("behind", &mut settings.window.behind)?;
    given.take("known", &mut settings.known)?;
    given.take("most", &mut settings.most)?;
    given.take("least", &mut settings.boost.least)?;
    given.take("tolerance", &mut settings.boost.tolerance)?;
    given.take("max_depth", &mut settings.boost.max_depth)?;
    given.finish()?;
    Ok(settings)
}

/// What was learnt of labels.
#[pyclass(frozen, module = "tolka._engine")]
pub struct SequenceLabeller(Labeller);

#[pymethods]
impl SequenceLabeller {
    /// Learns from sentences with labels; tells `told` of each epoch: its number, steps explored, right and wrong examples.
    #[staticmethod]
    #[pyo3(signature = (sentences, *, settings, threads, told))]
    fn train(
        py: Python<'_>,
        sentences: Vec<Sentence>,
        settings: &Bound<'_, PyDict>,
        threads: usize,
        told: Py<PyAny>,
    ) -> PyResult<Self> {
        let settings = self::settings(settings)?;
        // An exception of Python cannot pass through the engine; it waits here.
        let mut raised: Option<PyErr> = None;
        let learnt: Result<Labeller> = py.guarded(|| {
            let tell = |report: &Report| {
                let called = Python::attach(|py| {
                    py.check_signals()?;
                    let [right, wrong] = report.examples;
                    told.call1(py, (report.epoch, report.limit, right, wrong)).map(drop)
                });
                called.map_err(|error| {
                    raised = Some(error);
                    Error::input("stopped")
                })
            };
            with_threads(threads, || train(&sentences, &settings, tell))?
        });
        match (learnt, raised) {
            (_, Some(error)) => Err(error),
            (learnt, None) => learnt.map(Self).map_err(raise),
        }
    }

    /// Opens a file.
    #[staticmethod]
    #[pyo3(signature = (path, *, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| Labeller::open(&path, most_bytes)).map(Self).map_err(raise)
    }

    /// Writes a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.guarded(|| self.0.save(&path)).map_err(raise)
    }

    /// All labels, in order.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// How it searches: semiring, beam, words seen before and behind.
    #[getter]
    fn search(&self) -> (&'static str, Option<usize>, u32, u32) {
        let Settings { semiring, beam, window, .. } = self.0.settings();
        let semiring = if *semiring == Semiring::Viterbi { "viterbi" } else { "minmerge" };
        (semiring, *beam, window.before, window.behind)
    }

    /// The labels of each sentence by number, from 0 on, with their costs.
    fn label(&self, py: Python<'_>, sentences: Vec<Vec<String>>, threads: usize) -> PyResult<Vec<Vec<(u32, f64)>>> {
        let found = py.guarded(|| with_threads(threads, || self.0.label_all(&sentences))).map_err(raise)?;
        let shown = |one: Labelled| one.into_iter().map(|(label, cost)| (u32::from(label) - 1, cost)).collect();
        Ok(found.into_iter().map(shown).collect())
    }

    /// Names of features with their shares of the weight, positive and negative.
    fn mass(&self) -> PyResult<Vec<(&'static str, f64, f64)>> {
        let Some(classifiers) = self.0.classifiers() else { return Ok(Vec::new()) };
        let mass = caught(|| classifiers.mass(f64::MIN_POSITIVE).shares())?;
        let sides = mass.positive.into_iter().zip(mass.negative);
        Ok(features::NAMES.into_iter().zip(sides).map(|(name, (yes, no))| (name, yes, no)).collect())
    }
}
