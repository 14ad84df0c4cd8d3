//! Recurrent pre-orderers for Python.

// Python hands its arguments over, and all settings by name.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::reorder::recurrent::beam::Beam;
use tolka_engine::reorder::recurrent::model::Parameters;
use tolka_engine::reorder::recurrent::optimise::Method;
use tolka_engine::reorder::recurrent::score::{Featured, Given, log_likelihood};
use tolka_engine::reorder::recurrent::sentence::Dictionaries;
use tolka_engine::reorder::recurrent::shape::TENSORS;
use tolka_engine::reorder::recurrent::trainer::Sums;
use tolka_engine::reorder::recurrent::{Cell, Corpus, Model, Profile, Rule, Shape, Trainer};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};

type Tensors<'py> = Vec<(String, PyReadonlyArray1<'py, f32>)>;

fn copied<T: numpy::Element + Copy>(array: &PyReadonlyArray1<'_, T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

fn named(tensors: &Tensors<'_>) -> Vec<(String, Vec<f32>)> {
    tensors.iter().map(|(name, array)| (name.clone(), copied(array))).collect()
}

fn cell(name: &str) -> Result<Cell> {
    match name {
        "rnn" => Ok(Cell::Simple),
        "gru" => Ok(Cell::Gated),
        "gru-after" => Ok(Cell::GatedAfter),
        other => Err(Error::settings(format!("there is no cell {other}")).hint("choose rnn, gru or gru-after")),
    }
}

/// Sentences as arrays of numbers.
#[pyclass(frozen, module = "tolka._engine")]
pub struct RecurrentCorpus(Corpus);

#[pymethods]
impl RecurrentCorpus {
    /// From flat arrays; `forms` may be empty.
    #[new]
    fn new(
        offsets: PyReadonlyArray1<'_, u64>,
        heads: PyReadonlyArray1<'_, u32>,
        tags: PyReadonlyArray1<'_, u32>,
        relations: PyReadonlyArray1<'_, u32>,
        forms: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Self> {
        let corpus = Corpus::new(copied(&offsets), copied(&heads), copied(&tags), copied(&relations), copied(&forms));
        corpus.map(Self).map_err(raise)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Kind and sizes of a model.
#[pyclass(frozen, module = "tolka._engine")]
#[derive(Clone, Copy)]
pub struct RecurrentShape(Shape);

#[pymethods]
impl RecurrentShape {
    /// Checked settings.
    #[new]
    #[pyo3(signature = (*, cell, profile, units, inner, forms, layer, conjoin_only))]
    fn new(
        cell: &str,
        profile: &str,
        units: usize,
        inner: usize,
        forms: usize,
        layer: usize,
        conjoin_only: bool,
    ) -> PyResult<Self> {
        let cell = self::cell(cell).map_err(raise)?;
        let profile = match profile {
            "text" => Profile::Text,
            "released" => Profile::Released,
            other => {
                let error = Error::settings(format!("there is no profile {other}"));
                return Err(raise(error.hint("choose text or released")));
            }
        };
        let shape = Shape { cell, profile, units, inner, forms, layer, conjoin_only };
        shape.check().map(|()| Self(shape)).map_err(raise)
    }

    /// Keys of the values met at least `least` times: of words and pairs, and of steps of walks.
    #[allow(clippy::type_complexity)]
    fn learn_values<'py>(
        &self,
        py: Python<'py>,
        corpus: &RecurrentCorpus,
        orders: PyReadonlyArray1<'_, u32>,
        least: u32,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>)> {
        let (shape, orders) = (self.0, copied(&orders));
        let learn = || {
            corpus.0.check_orders(&orders)?;
            Dictionaries::learn(shape.profile, shape.inner > 0, &corpus.0, &orders, least)
        };
        let values = py.guarded(learn).map_err(raise)?;
        Ok((values.words.keys().to_vec().into_pyarray(py), values.steps.keys().to_vec().into_pyarray(py)))
    }

    /// Rows and columns of every tensor, given the keys of values.
    fn sizes(
        &self,
        word_keys: PyReadonlyArray1<'_, u64>,
        step_keys: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<BTreeMap<String, (usize, usize)>> {
        let values = Dictionaries::new(self.0.profile, self.0.inner > 0, copied(&word_keys), copied(&step_keys));
        let values = values.map_err(raise)?;
        Ok(TENSORS.iter().map(|&(tensor, name)| (name.to_owned(), self.0.size(tensor, &values))).collect())
    }
}

/// A model that gives orders and their probabilities.
#[pyclass(frozen, module = "tolka._engine")]
pub struct RecurrentModel(Arc<Model>);

#[pymethods]
impl RecurrentModel {
    /// From keys of values and named tensors, row by row.
    #[new]
    fn new(
        shape: &RecurrentShape,
        word_keys: PyReadonlyArray1<'_, u64>,
        step_keys: PyReadonlyArray1<'_, u64>,
        tensors: Tensors<'_>,
    ) -> PyResult<Self> {
        let shape = shape.0;
        let make = || {
            let values = Dictionaries::new(shape.profile, shape.inner > 0, copied(&word_keys), copied(&step_keys))?;
            let parameters = Parameters::new(&shape, &values, named(&tensors))?;
            Ok(Self(Arc::new(Model { shape, values, parameters })))
        };
        caught(make)?.map_err(raise)
    }

    /// Copies of all tensors that have numbers, by name.
    fn tensors<'py>(&self, py: Python<'py>) -> Vec<(&'static str, Bound<'py, PyArray1<f32>>)> {
        let all = TENSORS.iter().map(|&(tensor, name)| (name, self.0.parameters.get(tensor)));
        all.filter(|(_, numbers)| !numbers.is_empty())
            .map(|(name, numbers)| (name, numbers.to_vec().into_pyarray(py)))
            .collect()
    }

    /// The best orders, one after the other, and the natural logarithms of their probabilities.
    #[allow(clippy::type_complexity)]
    #[pyo3(signature = (corpus, *, beam, longest, threads))]
    fn orders<'py>(
        &self,
        py: Python<'py>,
        corpus: &RecurrentCorpus,
        beam: usize,
        longest: usize,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>)> {
        let run = || with_threads(threads, || self.0.orders(&corpus.0, beam, longest)).and_then(|found| found);
        let found = py.guarded(run).map_err(raise)?;
        let scores: Vec<f64> = found.iter().map(|&(_, score)| score).collect();
        let orders: Vec<u32> = found.into_iter().flat_map(|(order, _)| order).collect();
        Ok((orders.into_pyarray(py), scores.into_pyarray(py)))
    }

    /// The natural logarithms of the probabilities of orders.
    #[pyo3(signature = (corpus, orders, *, threads))]
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        corpus: &RecurrentCorpus,
        orders: PyReadonlyArray1<'_, u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let orders = copied(&orders);
        let run = || with_threads(threads, || self.0.log_likelihoods(&corpus.0, &orders)).and_then(|found| found);
        Ok(py.guarded(run).map_err(raise)?.into_pyarray(py))
    }

    /// Inner states of the walks from the last word (the number of words for none) of a sentence to every word.
    fn inner_states<'py>(
        &self,
        py: Python<'py>,
        corpus: &RecurrentCorpus,
        sentence: usize,
        last: usize,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        if self.0.shape.inner == 0 || sentence >= corpus.0.len() || last > corpus.0.words(sentence) {
            return Err(raise(Error::settings("the model has no walks, or the corpus no such word")));
        }
        let states = || {
            let mut source = Featured::new(&self.0);
            source.read(corpus.0.get(sentence))?;
            Ok(source.inner_states(last).to_vec())
        };
        Ok(caught(states)?.map_err(raise)?.into_pyarray(py))
    }
}

/// A rule by which gradients change parameters.
#[pyclass(frozen, module = "tolka._engine")]
#[derive(Clone, Copy)]
pub struct RecurrentRule(Rule);

#[pymethods]
impl RecurrentRule {
    /// "adam" with decays beta1 and beta2, or "adadelta" with decay beta2.
    #[new]
    #[pyo3(signature = (method, *, rate, beta1, beta2, epsilon, clip, l2))]
    fn new(method: &str, rate: f32, beta1: f32, beta2: f32, epsilon: f32, clip: f32, l2: f32) -> PyResult<Self> {
        let method = match method {
            "adam" => Method::Adam { beta1, beta2 },
            "adadelta" => Method::AdaDelta { rho: beta2 },
            other => {
                let error = Error::settings(format!("there is no optimiser {other}"));
                return Err(raise(error.hint("choose adam or adadelta")));
            }
        };
        let rule = Rule { method, rate, epsilon, clip, l2 };
        rule.check().map(|()| Self(rule)).map_err(raise)
    }

    /// Parameters and both averages after a step, counted from 1.
    #[allow(clippy::type_complexity)]
    fn update<'py>(
        &self,
        py: Python<'py>,
        step: u32,
        parameters: PyReadonlyArray1<'_, f32>,
        gradients: PyReadonlyArray1<'_, f32>,
        first: PyReadonlyArray1<'_, f32>,
        second: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>)> {
        let (mut parameters, mut first, mut second) = (copied(&parameters), copied(&first), copied(&second));
        caught(|| self.0.update(step, &mut parameters, &copied(&gradients), &mut first, &mut second))?;
        Ok((parameters.into_pyarray(py), first.into_pyarray(py), second.into_pyarray(py)))
    }
}

/// The sparse half of training.
#[pyclass(frozen, module = "tolka._engine")]
pub struct RecurrentTrainer(Mutex<Trainer>);

impl RecurrentTrainer {
    fn lock(&self) -> MutexGuard<'_, Trainer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RecurrentTrainer {
    /// A trainer of a copy of the model.
    #[new]
    fn new(
        py: Python<'_>,
        model: &RecurrentModel,
        corpus: &RecurrentCorpus,
        orders: PyReadonlyArray1<'_, u32>,
        rule: &RecurrentRule,
    ) -> PyResult<Self> {
        let (orders, rule) = (copied(&orders), rule.0);
        let make = || Trainer::new(Model::clone(&model.0), corpus.0.clone(), orders, rule);
        Ok(Self(Mutex::new(py.guarded(make).map_err(raise)?)))
    }

    /// Sums of features of a batch, each sentence padded to a number of words, as flat arrays by name.
    fn sums<'py>(
        &self,
        py: Python<'py>,
        batch: PyReadonlyArray1<'_, u32>,
        padded: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let batch = copied(&batch);
        let (sums, facts) = py.guarded(|| self.lock().sums(&batch, padded)).map_err(raise)?;
        let dict = PyDict::new(py);
        dict.set_item("inputs", sums.inputs.into_pyarray(py))?;
        dict.set_item("candidates", sums.candidates.into_pyarray(py))?;
        dict.set_item("embeddings", sums.embeddings.into_pyarray(py))?;
        dict.set_item("steps", sums.steps.into_pyarray(py))?;
        dict.set_item("distances", facts.distances.into_pyarray(py))?;
        dict.set_item("before", facts.before.into_pyarray(py))?;
        dict.set_item("by", facts.by.into_pyarray(py))?;
        dict.set_item("ends", facts.ends.into_pyarray(py))?;
        Ok(dict)
    }

    /// Changes the model by gradients of sums and of dense tensors.
    #[pyo3(signature = (batch, padded, *, inputs, candidates, embeddings, steps, dense))]
    fn learn(
        &self,
        py: Python<'_>,
        batch: PyReadonlyArray1<'_, u32>,
        padded: usize,
        inputs: PyReadonlyArray1<'_, f32>,
        candidates: PyReadonlyArray1<'_, f32>,
        embeddings: PyReadonlyArray1<'_, f32>,
        steps: PyReadonlyArray1<'_, f32>,
        dense: Tensors<'_>,
    ) -> PyResult<()> {
        let (batch, dense) = (copied(&batch), named(&dense));
        let sums = Sums {
            inputs: copied(&inputs),
            candidates: copied(&candidates),
            embeddings: copied(&embeddings),
            steps: copied(&steps),
        };
        py.guarded(|| self.lock().learn(&batch, padded, &sums, &dense)).map_err(raise)
    }

    /// Steps taken, their length now, and by name both averages of every tensor that has numbers.
    #[allow(clippy::type_complexity)]
    fn gathered<'py>(
        &self,
        py: Python<'py>,
    ) -> (u32, f32, Vec<(&'static str, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>)>) {
        let trainer = self.lock();
        let (step, rate, averages) = trainer.gathered();
        let all = TENSORS.iter().zip(averages).filter(|(_, [first, _])| !first.is_empty());
        let copy = |numbers: &Vec<f32>| numbers.clone().into_pyarray(py);
        (step, rate, all.map(|(&(_, name), [first, second])| (name, copy(first), copy(second))).collect())
    }

    /// Goes on where another trainer was, whose model this one was made with.
    #[allow(clippy::type_complexity)]
    fn resume(
        &self,
        step: u32,
        rate: f32,
        averages: Vec<(String, PyReadonlyArray1<'_, f32>, PyReadonlyArray1<'_, f32>)>,
    ) -> PyResult<()> {
        let averages = averages.iter().map(|(name, first, second)| (name.clone(), [copied(first), copied(second)]));
        caught(|| self.lock().resume(step, rate, averages.collect()))?.map_err(raise)
    }

    /// Multiplies the length of steps.
    fn slow_down(&self, factor: f32) -> PyResult<()> {
        self.lock().slow_down(factor).map_err(raise)
    }

    /// Copies of the tensors that are not of features, by name.
    fn dense<'py>(&self, py: Python<'py>) -> Vec<(&'static str, Bound<'py, PyArray1<f32>>)> {
        let trainer = self.lock();
        let sparse = tolka_engine::reorder::recurrent::shape::SPARSE;
        let all = TENSORS.iter().filter(|(tensor, _)| !sparse.contains(tensor));
        let all = all.map(|&(tensor, name)| (name, trainer.model().parameters.get(tensor)));
        all.filter(|(_, numbers)| !numbers.is_empty())
            .map(|(name, numbers)| (name, numbers.to_vec().into_pyarray(py)))
            .collect()
    }

    /// A copy of the model as it is.
    fn model(&self, py: Python<'_>) -> PyResult<RecurrentModel> {
        Ok(RecurrentModel(Arc::new(py.infallible(|| self.lock().model().clone())?)))
    }
}

/// Log probability of an order, and the best order with its own, where sums of features are given for every word (second)
/// after every last word (first; the number of words stands for none).
#[pyfunction]
#[pyo3(signature = (cell, *, inputs, candidates, recurrent, start, scale, offsets, order, beam))]
pub fn recurrent_given(
    cell: &str,
    inputs: PyReadonlyArray1<'_, f32>,
    candidates: PyReadonlyArray1<'_, f32>,
    recurrent: PyReadonlyArray1<'_, f32>,
    start: PyReadonlyArray1<'_, f32>,
    scale: PyReadonlyArray1<'_, f32>,
    offsets: (f32, f32),
    order: Vec<u32>,
    beam: usize,
) -> PyResult<(f64, Vec<u32>, f64)> {
    let cell = self::cell(cell).map_err(raise)?;
    let (inputs, candidates, recurrent) = (copied(&inputs), copied(&candidates), copied(&recurrent));
    let (start, scale) = (copied(&start), copied(&scale));
    let (words, units) = (order.len(), start.len());
    let gates = if cell == Cell::Simple { units } else { 3 * units };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let fits = words > 0
        && units > 0
        && beam > 0
        && sorted.iter().enumerate().all(|(at, &word)| at == word as usize)
        && inputs.len() == (words + 1) * words * gates
        && candidates.len() == (words + 1) * words * units
        && recurrent.len() == gates * units
        && scale.len() == units;
    if !fits {
        return Err(raise(Error::settings("the arrays do not fit together, or the order is no permutation")));
    }
    let (inputs, candidates, recurrent) = (&inputs[..], &candidates[..], &recurrent[..]);
    let offsets = offsets.into();
    let mut source = Given { cell, words, inputs, candidates, recurrent, start: &start, scale: &scale, offsets };
    caught(|| {
        let sum = log_likelihood(&mut source, &order);
        let (best, score) = Beam::default().best(&mut source, beam);
        (sum, best, score)
    })
}
