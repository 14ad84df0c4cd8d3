//! Learning for Python: the weights of undirected search by discriminative reinforcement learning.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tolka_engine::decode::undirected::episode::{Examples, Tokens, UndirectedEpisode};
use tolka_engine::decode::undirected::policy::action_names;
use tolka_engine::learn::{Learner, Settings, epoch, variances};
use tolka_engine::metric::tokenise::Tokeniser;
use tolka_engine::metric::{Metric, Spelling, TokenTable, bleu, chrf};
use tolka_engine::{Error, Result};

use crate::decode::{Decoder, Given};
use crate::error::{Guarded, raise};
use crate::inputs::{GivenSpans, Lines};
use crate::learner::{self, restored, shuffled, tell};

/// How many examples feature scales are measured on.
const MEASURED: usize = 1000;

/// What a translation is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reward {
    /// BLEU of the sentence, smoothed.
    Bleu,
    /// What it adds to the BLEU of those before it.
    Document,
    Chrf,
}

/// What remains of the past after each sentence (Chiang, Marton & Resnik 2008).
const DECAY: f64 = 0.9;

fn settings(given: &Bound<'_, PyDict>) -> PyResult<(Settings, Reward, bool)> {
    let mut given = Given::new(given);
    let (mut reward, mut scaled) = (Reward::Bleu, true);
    given.take("scaled", &mut scaled)?;
    given.one_of(
        "reward",
        &[("bleu", Reward::Bleu), ("document", Reward::Document), ("chrf", Reward::Chrf)],
        &mut reward,
    )?;
    Ok((learner::settings(given)?, reward, scaled))
}

/// The names of the features of a decoder's actions, each with the weight to begin with.
#[pyfunction]
pub fn undirected_start(decoder: &Decoder) -> PyResult<Vec<(String, f64)>> {
    let settings = decoder.undirected().map_err(raise)?;
    Ok(UndirectedEpisode::start(decoder.model(), decoder.scorer(), settings))
}

/// Learns the weights of undirected search. After each epoch `told` is called with its number, what came of it and the state
/// of the learner; it goes on while that returns true.
#[pyfunction]
#[pyo3(signature = (decoder, lines, references, *, given, learning, state, first, epochs, threads, memory, told))]
#[allow(clippy::too_many_arguments)]
pub fn learn_undirected(
    py: Python<'_>,
    decoder: &Decoder,
    lines: &Bound<'_, PyList>,
    references: Vec<String>,
    given: GivenSpans,
    learning: &Bound<'_, PyDict>,
    state: Option<&Bound<'_, PyDict>>,
    first: u64,
    epochs: u64,
    threads: usize,
    memory: usize,
    told: Py<PyAny>,
) -> PyResult<()> {
    let (settings, reward, scaled) = self::settings(learning)?;
    let lines = Lines::new(lines, given)?;
    let undirected = decoder.undirected().map_err(raise)?.clone();
    let restored = state.map(restored).transpose()?;
    let (model, scorer) = (decoder.model(), decoder.scorer());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { cores } else { threads }.max(1);
    let run = || -> Result<Option<PyErr>> {
        let inputs = lines.inputs()?;
        if inputs.len() != references.len() {
            let (one, other) = (inputs.len(), references.len());
            return Err(Error::input(format!("{one} sentences but {other} references")));
        }
        let mut table = TokenTable::default();
        let texts = table.texts(&references, Tokeniser::parse("none")?);
        let tokens = Tokens::new(model, &inputs, table);
        let metric: Box<dyn Metric> = match reward {
            Reward::Bleu => Box::new(bleu::Bleu::new(&[&texts], bleu::Settings::plus_one())?),
            Reward::Document => Box::new(bleu::Bleu::new(&[&texts], bleu::Settings::default())?),
            Reward::Chrf => {
                let spelling = Arc::new(Spelling::new(tokens.table().tokens()));
                Box::new(chrf::Chrf::new(&[&texts], spelling, chrf::Settings::default())?)
            }
        };
        let worker = || {
            let document = (reward == Reward::Document).then_some(DECAY);
            let examples =
                Examples { inputs: &inputs, metric: &*metric, tokens: &tokens, references: &texts, document };
            UndirectedEpisode::new((model, scorer), undirected.clone(), examples, memory / threads)
        };
        let mut workers = (0..threads).map(|_| worker()).collect::<Result<Vec<_>>>()?;
        let mut learner = match restored {
            Some(learner) => learner,
            None => {
                let start = UndirectedEpisode::start(model, scorer, &undirected);
                Learner::new(start.into_iter().map(|(_, weight)| weight).collect())
            }
        };
        if scaled && first == 0 {
            let some: Vec<usize> = (0..inputs.len().min(MEASURED)).collect();
            let found = variances(&mut workers[0], &some, learner.view())?;
            // Those in context are there or not, and some seldom.
            let dense = action_names(model, &undirected).len();
            learner.rates = found.into_iter().map(|variance| 1.0 / variance).collect();
            learner.rates[dense..].fill(1.0);
        }
        for number in first..epochs {
            let order = shuffled(inputs.len(), settings.seed, number);
            let report = epoch(&mut workers, &order, &mut learner, &settings, number)?;
            let answer = Python::attach(|py| tell(&told, number, report, learner::state(py, &learner)?));
            match answer {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(Some(error)),
            }
        }
        Ok(None)
    };
    match py.guarded(run).map_err(raise)? {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
