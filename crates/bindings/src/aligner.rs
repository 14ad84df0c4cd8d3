//! Word alignment: training, applying, and what an aligner believes.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::align::confidence;
use tolka_engine::align::model::{self, Model};
use tolka_engine::align::posteriors;
use tolka_engine::align::settings::{Kind, Settings};
use tolka_engine::align::symmetrise::{Link, Method, links};
use tolka_engine::align::{store, train};
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, caught, raise};

/// A trained aligner.
#[pyclass(frozen, module = "tolka._engine")]
pub struct AlignmentModel(Model);

/// What an aligner believes about the links of a text.
#[pyclass(frozen, module = "tolka._engine")]
pub struct LinkBeliefs(posteriors::Posteriors);

type Trained = (AlignmentModel, LinkBeliefs, Vec<(f64, f64)>, usize);

#[pymethods]
impl AlignmentModel {
    /// Train on parallel lines; gives the model, its beliefs about them, log-likelihoods, and the number of shards.
    #[staticmethod]
    #[pyo3(signature = (
        sources, targets, *, model, variant, warm_up, iterations, prior, null, agree, shrink, chains, sweeps, samples,
        priors, seed, longest, memory, threads, most_tokens, step,
    ))]
    #[allow(clippy::too_many_arguments)]
    fn train(
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        model: &str,
        variant: &str,
        warm_up: Option<usize>,
        iterations: Option<usize>,
        prior: Option<f64>,
        null: Option<f64>,
        agree: Option<bool>,
        shrink: Option<f64>,
        chains: Option<usize>,
        sweeps: Option<(usize, usize, usize)>,
        samples: Option<usize>,
        priors: Option<(f32, f32, f32, f32)>,
        seed: u64,
        longest: Option<usize>,
        memory: Option<u64>,
        threads: usize,
        most_tokens: usize,
        step: Py<PyAny>,
    ) -> PyResult<Trained> {
        let kind = Kind::parse(model, variant).map_err(raise)?;
        let mut settings = Settings::default_for(kind, sources.len());
        settings.seed = seed;
        let null_share = null.map(|null| null as f32);
        assign(&mut settings.warm_up, warm_up);
        assign(&mut settings.iterations, iterations);
        assign(&mut settings.prior, prior);
        assign(&mut settings.null, null);
        assign(&mut settings.priors.null, null_share);
        assign(&mut settings.agree, agree);
        assign(&mut settings.shrink, shrink);
        assign(&mut settings.schedule.chains, chains);
        if let Some((lexical, jumps, fertility)) = sweeps {
            settings.schedule.lexical = lexical;
            settings.schedule.jumps = jumps;
            settings.schedule.fertility = fertility;
            settings.schedule.samples = fertility.div_ceil(2).max(1);
        }
        assign(&mut settings.schedule.samples, samples);
        if let Some((lexical, lexical_null, jump, fertility)) = priors {
            settings.priors.lexical = lexical;
            settings.priors.lexical_null = lexical_null;
            settings.priors.jump = jump;
            settings.priors.fertility = fertility;
        }
        assign(&mut settings.longest, longest);
        assign(&mut settings.memory, memory);
        let failure = Mutex::new(None);
        let report = || {
            Python::attach(|py| match py.check_signals().and_then(|()| step.call0(py)) {
                Ok(_) => true,
                Err(error) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    false
                }
            })
        };
        let read = py.guarded(|| model::read(&lines(&sources), &lines(&targets), most_tokens)).map_err(raise)?;
        // The strings are not needed any more.
        drop((sources, targets));
        let trained = py.guarded(|| {
            let (bitext, source, target) = read;
            with_threads(threads, || train::train(&bitext, source, target, &settings, &report))?
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let trained = trained.map_err(raise)?;
        let history = trained.history.iter().map(|both| (both[0], both[1])).collect();
        Ok((Self(trained.model), LinkBeliefs(trained.posteriors), history, trained.shards))
    }

    /// Open a saved model from the files of its tables and of its source and target words.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, source: PathBuf, target: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| store::load(&path, [&source, &target], most_bytes)).map(Self).map_err(raise)
    }

    /// Write the model to files: its tables, its source words, its target words.
    fn save(&self, py: Python<'_>, path: PathBuf, source: PathBuf, target: PathBuf) -> PyResult<()> {
        py.guarded(|| store::save(&self.0, &path, [&source, &target])).map_err(raise)
    }

    /// Which kind of model it is.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.position.name()
    }

    /// Align parallel lines.
    #[pyo3(signature = (sources, targets, *, threads, most_tokens))]
    fn align(
        &self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        threads: usize,
        most_tokens: usize,
    ) -> PyResult<LinkBeliefs> {
        py.guarded(|| {
            let bitext = self.0.encode(&lines(&sources), &lines(&targets), most_tokens)?;
            // A pool costs more than a few sentences do.
            if bitext.len() < 16 { Ok(self.0.align(&bitext)) } else { with_threads(threads, || self.0.align(&bitext)) }
        })
        .map(LinkBeliefs)
        .map_err(raise)
    }

    /// t(target | source) and t(source | target) of two words.
    fn probabilities(&self, source: &str, target: &str) -> PyResult<(f32, f32)> {
        caught(|| self.0.table.probabilities(self.0.source.id(source), self.0.target.id(target)).into())
    }

    /// The logarithm of Huang's (2009) confidence in the links of each pair.
    #[pyo3(signature = (sources, targets, links, *, threads, most_tokens))]
    fn log_confidences<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        links: Vec<Vec<Link>>,
        threads: usize,
        most_tokens: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = py.guarded(|| {
            let bitext = self.0.encode(&lines(&sources), &lines(&targets), most_tokens)?;
            with_threads(threads, || confidence::log_confidences(&self.0.table, &bitext, &links))?
        });
        Ok(found.map_err(raise)?.into_pyarray(py))
    }

    /// p(word | NULL) of a target word, or of a source word if not `forward`.
    fn null_probability(&self, word: &str, forward: bool) -> PyResult<f32> {
        caught(|| self.0.null_probability(word, forward))
    }

    /// p(i | j, lengths) for every j and every i, NULL first, where the model has such a table.
    fn positions(&self, source: usize, target: usize, forward: bool) -> PyResult<Option<Vec<Vec<f32>>>> {
        caught(|| self.0.positions(source, target, forward))
    }
}

#[pymethods]
impl LinkBeliefs {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The links of every pair by a method of symmetrisation.
    fn links(&self, method: &str, threshold: f32) -> PyResult<Vec<Vec<(u16, u16)>>> {
        let method = Method::parse(method, threshold).map_err(raise)?;
        caught(|| (0..self.0.len()).map(|k| links(self.0.of(k), method)).collect())
    }

    /// The same, as lines of Pharaoh links, with probabilities if wanted.
    fn lines(&self, py: Python<'_>, method: &str, threshold: f32, probabilities: bool) -> PyResult<Vec<String>> {
        let method = Method::parse(method, threshold).map_err(raise)?;
        py.infallible(|| (0..self.0.len()).map(|k| self.0.line(k, method, probabilities)).collect())
    }

    /// The links of pair `k` worth keeping: source, target, forward and backward probability.
    fn pair(&self, k: usize) -> PyResult<Vec<(u16, u16, f32, f32)>> {
        if k >= self.0.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such sentence pair"));
        }
        caught(|| self.0.of(k).iter().map(|b| (b.source, b.target, b.forward(), b.backward())).collect())
    }
}

fn assign<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

fn lines(texts: &[PyBackedStr]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}
