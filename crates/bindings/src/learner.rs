//! What all that learns by acting shares: settings, the order of examples, the learner as Python keeps it.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tolka_engine::Error;
use tolka_engine::learn::{Learner, Method, Report, Settings, Span, Step};
use tolka_engine::random::Random;

use crate::decode::Given;
use crate::error::raise;

/// How a policy learns, by what is left of the settings; those that are of something else are refused.
pub fn settings(mut given: Given<'_, '_>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    let (mut kind, mut rate) = ("perceptron".to_owned(), 1.0);
    given.take("step", &mut kind)?;
    given.take("rate", &mut rate)?;
    settings.step = match kind.as_str() {
        "perceptron" => Step::Perceptron { rate },
        "passive" => Step::Passive { cap: rate },
        "mira" => Step::Mira { cap: rate },
        "adagrad" => Step::AdaGrad { rate },
        _ => {
            let hint = "use perceptron, passive, mira or adagrad";
            return Err(raise(Error::settings(format!("unknown step {kind:?}")).hint(hint)));
        }
    };
    let methods = [
        ("better", Method::Better),
        ("pairwise", Method::Pairwise),
        ("risk", Method::Risk),
        ("guided", Method::Guided),
    ];
    given.one_of("method", &methods, &mut settings.method)?;
    given.take("expert", &mut settings.expert)?;
    given.one_of("span", &[("path", Span::Path), ("action", Span::Action)], &mut settings.span)?;
    given.take("zipf", &mut settings.zipf)?;
    given.take("samples", &mut settings.samples)?;
    given.take("gap", &mut settings.gap)?;
    given.take("batch", &mut settings.batch)?;
    given.take("seed", &mut settings.seed)?;
    given.finish()?;
    settings.check().map_err(raise)?;
    Ok(settings)
}

/// The examples in another order for each epoch.
pub fn shuffled(count: usize, seed: u64, number: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = Random::new([seed, number, u64::MAX]);
    for at in (1..count).rev() {
        order.swap(at, random.below(at + 1));
    }
    order
}

/// What is known of a learner, as Python keeps it.
pub fn state<'py>(py: Python<'py>, learner: &Learner) -> PyResult<Bound<'py, PyDict>> {
    let state = PyDict::new(py);
    state.set_item("weights", learner.weights.clone().into_pyarray(py))?;
    state.set_item("moved", learner.moved.clone().into_pyarray(py))?;
    state.set_item("squares", learner.squares.clone().into_pyarray(py))?;
    state.set_item("rates", learner.rates.clone().into_pyarray(py))?;
    state.set_item("average", learner.average().into_pyarray(py))?;
    state.set_item("count", learner.count)?;
    Ok(state)
}

/// A learner as Python kept it.
pub fn restored(state: &Bound<'_, PyDict>) -> PyResult<Learner> {
    let numbers = |name: &str| -> PyResult<Vec<f64>> {
        let found = state.get_item(name)?.ok_or_else(|| raise(Error::input(format!("the state lacks its {name}"))))?;
        Ok(found.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec())
    };
    let mut learner = Learner::new(numbers("weights")?);
    (learner.moved, learner.squares, learner.rates) = (numbers("moved")?, numbers("squares")?, numbers("rates")?);
    let count = state.get_item("count")?.ok_or_else(|| raise(Error::input("the state lacks its count")))?;
    learner.count = count.extract()?;
    let width = learner.weights.len();
    if [&learner.moved, &learner.squares, &learner.rates].iter().any(|other| other.len() != width) {
        return Err(raise(Error::input("the parts of the state do not fit each other")));
    }
    Ok(learner)
}

/// Calls `told` with the number of an epoch, what came of it and the state of the learner; whether to go on.
pub fn tell(told: &Py<PyAny>, number: u64, report: Report, state: Bound<'_, PyDict>) -> PyResult<bool> {
    let py = state.py();
    py.check_signals()?;
    let counts = (report.examples, report.tried, report.better, report.reward);
    told.call1(py, (number, counts, state))?.extract(py)
}
