//! The walker for Python: training, applying, its weights as arrays.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tolka_engine::reorder::walker::examples::Both;
use tolka_engine::reorder::walker::linear::{self, Examples, Loss};
use tolka_engine::reorder::walker::sentence::COLUMNS;
use tolka_engine::reorder::walker::{Corpus, Model, beam, greedy, likelihood, refine};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};

type Array<'py, T> = Bound<'py, PyArray1<T>>;

/// The arrays of a parsed text: offsets, heads, and the columns of words.
#[derive(FromPyObject)]
pub struct Text<'py>(PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>, Vec<PyReadonlyArray1<'py, u32>>);

struct Owned {
    offsets: Vec<u64>,
    heads: Vec<u32>,
    columns: Vec<Vec<u32>>,
}

impl Text<'_> {
    fn owned(&self) -> Owned {
        Owned {
            offsets: self.0.as_array().to_vec(),
            heads: self.1.as_array().to_vec(),
            columns: self.2.iter().map(|column| column.as_array().to_vec()).collect(),
        }
    }
}

impl Owned {
    fn corpus(&self) -> Result<Corpus<'_>> {
        let columns: Vec<&[u32]> = self.columns.iter().map(Vec::as_slice).collect();
        let columns: [&[u32]; COLUMNS] =
            columns.try_into().map_err(|_| Error::input(format!("the walker looks at {COLUMNS} columns")))?;
        Corpus::new(&self.offsets, &self.heads, columns)
    }

    fn with_orders(&self, orders: &[u32]) -> Result<Corpus<'_>> {
        if orders.len() != self.heads.len() {
            return Err(Error::input(format!("there are {} words and orders of {}", self.heads.len(), orders.len())));
        }
        self.corpus()
    }
}

/// The weights of a walker.
#[pyclass(frozen, module = "tolka._engine")]
pub struct WalkerModel(Model);

#[pymethods]
impl WalkerModel {
    /// A model with given weights: of stage 1, three side by side, and of stage 2.
    #[staticmethod]
    fn from_weights(bits: u32, first: PyReadonlyArray1<'_, f32>, second: PyReadonlyArray1<'_, f32>) -> PyResult<Self> {
        Model::from_weights(bits, first.as_array().to_vec(), second.as_array().to_vec()).map(Self).map_err(raise)
    }

    /// Its weights.
    fn weights<'py>(&self, py: Python<'py>) -> (Array<'py, f32>, Array<'py, f32>) {
        (self.0.first.clone().into_pyarray(py), self.0.second.clone().into_pyarray(py))
    }

    /// For each cost the accuracies of both stages in two-fold cross-validation.
    #[staticmethod]
    #[pyo3(signature = (text, orders, *, bits, loss, costs, passes, tolerance, seed, threads))]
    #[allow(clippy::too_many_arguments)]
    fn cross_validate(
        py: Python<'_>,
        text: Text<'_>,
        orders: PyReadonlyArray1<'_, u32>,
        bits: u32,
        loss: &str,
        costs: Vec<f64>,
        passes: usize,
        tolerance: f64,
        seed: u64,
        threads: usize,
    ) -> PyResult<Vec<(f64, f64)>> {
        let loss = Loss::parse(loss).map_err(raise)?;
        let (text, orders) = (text.owned(), orders.as_array().to_vec());
        let found: Result<Vec<(f64, f64)>> = py.guarded(|| {
            let model = Model::new(bits)?;
            let both = Both::collect(&model, text.with_orders(&orders)?, &orders)?;
            with_threads(threads, || {
                let tried = costs.iter().map(|&cost| {
                    let set = linear::Settings { loss, cost, passes, tolerance, seed };
                    let found = both.cross_validate(1 << bits, &set);
                    (found.first, found.second)
                });
                tried.collect()
            })
        });
        found.map_err(raise)
    }

    /// Train the classifiers of both stages on reference executions.
    #[staticmethod]
    #[pyo3(signature = (text, orders, *, bits, loss, costs, passes, tolerance, seed, threads))]
    #[allow(clippy::too_many_arguments)]
    fn train(
        py: Python<'_>,
        text: Text<'_>,
        orders: PyReadonlyArray1<'_, u32>,
        bits: u32,
        loss: &str,
        costs: (f64, f64),
        passes: usize,
        tolerance: f64,
        seed: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let loss = Loss::parse(loss).map_err(raise)?;
        let (text, orders) = (text.owned(), orders.as_array().to_vec());
        let found: Result<Model> = py.guarded(|| {
            let mut model = Model::new(bits)?;
            let both = Both::collect(&model, text.with_orders(&orders)?, &orders)?;
            let set = |cost| linear::Settings { loss, cost, passes, tolerance, seed };
            with_threads(threads, || both.train(&mut model, &set(costs.0), &set(costs.1)))?;
            Ok(model)
        });
        found.map(Self).map_err(raise)
    }

    /// Train further with a dynamic oracle, then with max-violation updates; gives the model after each pass, and tells
    /// `step` of sentences done.
    #[pyo3(signature = (text, orders, *, epochs, violations, rate, decay, explore, beam, seed, step))]
    #[allow(clippy::too_many_arguments)]
    fn refine(
        &self,
        py: Python<'_>,
        text: Text<'_>,
        orders: PyReadonlyArray1<'_, u32>,
        epochs: usize,
        violations: usize,
        rate: f32,
        decay: f32,
        explore: f64,
        beam: usize,
        seed: u64,
        step: Py<PyAny>,
    ) -> PyResult<Vec<Self>> {
        let (text, orders) = (text.owned(), orders.as_array().to_vec());
        let set = refine::Settings { epochs, violations, rate, decay, explore, beam, seed };
        let failure = std::sync::Mutex::new(None);
        let report = |done: usize| {
            Python::attach(|py| match py.check_signals().and_then(|()| step.call1(py, (done,))) {
                Ok(_) => true,
                Err(error) => {
                    failure.lock().expect("nobody panics here").get_or_insert(error);
                    false
                }
            })
        };
        let found = py.guarded(|| {
            let corpus = text.with_orders(&orders)?;
            // `report` needs no other thread: training goes from sentence to sentence.
            refine::refine(self.0.clone(), corpus, &orders, &set, &report)
        });
        if let Some(error) = failure.into_inner().expect("nobody panics here") {
            return Err(error);
        }
        Ok(found.map_err(raise)?.into_iter().map(Self).collect())
    }

    /// The log-probability of the order of each sentence.
    #[pyo3(signature = (text, orders, *, threads))]
    fn log_probabilities<'py>(
        &self,
        py: Python<'py>,
        text: Text<'py>,
        orders: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<Array<'py, f32>> {
        let (text, orders) = (text.owned(), orders.as_array().to_vec());
        let found = py.guarded(|| {
            let corpus = text.with_orders(&orders)?;
            with_threads(threads, || likelihood::of_orders(&self.0, corpus, &orders))?
        });
        Ok(found.map_err(raise)?.into_pyarray(py))
    }

    /// The orders of sentences, one after the other; greedily with a beam of 0.
    #[pyo3(signature = (text, *, beam, threads))]
    fn orders<'py>(&self, py: Python<'py>, text: Text<'py>, beam: usize, threads: usize) -> PyResult<Array<'py, u32>> {
        let text = text.owned();
        let found = py.guarded(|| {
            let corpus = text.corpus()?;
            with_threads(threads, || match beam {
                0 => greedy::orders(&self.0, corpus),
                width => beam::orders(&self.0, corpus, width),
            })?
        });
        Ok(found.map_err(raise)?.into_pyarray(py))
    }
}

/// Weights of a linear classifier of examples that are lists of features, by dual coordinate descent.
#[pyfunction]
#[pyo3(signature = (offsets, features, labels, width, *, loss, cost, passes, tolerance, seed))]
#[allow(clippy::too_many_arguments)]
pub fn linear_train<'py>(
    py: Python<'py>,
    offsets: PyReadonlyArray1<'py, u64>,
    features: PyReadonlyArray1<'py, u32>,
    labels: PyReadonlyArray1<'py, bool>,
    width: usize,
    loss: &str,
    cost: f64,
    passes: usize,
    tolerance: f64,
    seed: u64,
) -> PyResult<Array<'py, f64>> {
    let loss = Loss::parse(loss).map_err(raise)?;
    let (offsets, features) = (offsets.as_array().to_vec(), features.as_array().to_vec());
    let labels = labels.as_array().to_vec();
    let found: Result<Vec<f64>> = py.guarded(|| {
        let rows = tolka_engine::reorder::Sentences::new(&offsets, features.len())?;
        if rows.len() != labels.len() || features.iter().any(|&feature| feature as usize >= width) {
            return Err(Error::input("examples, labels and features do not fit together"));
        }
        let mut examples = Examples::default();
        (0..rows.len()).for_each(|at| examples.push(&features[rows.range(at)]));
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let set = linear::Settings { loss, cost, passes, tolerance, seed };
        Ok(linear::train(&examples, &all, |at| labels[at as usize], width, &set))
    });
    Ok(found.map_err(raise)?.into_pyarray(py))
}
