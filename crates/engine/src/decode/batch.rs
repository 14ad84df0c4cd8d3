//! Many sentences at once: a decoder for each thread, sentences handed out one by one.
//!
//! A sentence's result does not depend on which thread took it nor on what that thread did before.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::input::Input;
use super::model::Model;
use super::scorer::Scorer;
use super::search::{Search, Strategy};
use crate::forest::Forest;
use crate::forest::kbest::KBest;
use crate::{Error, Result};

/// One of the best translations of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its words.
    pub text: String,
    /// Its score.
    pub score: f64,
    /// Its features, in the order of the model's names.
    pub features: Vec<f64>,
    /// Its sparse features, by name.
    pub sparse: Vec<(String, f64)>,
}

/// The best translations in a forest, different ones only if `unique`.
pub fn candidates(forest: &Forest, count: usize, unique: bool) -> Vec<Candidate> {
    let mut found = if unique { KBest::unique(forest) } else { KBest::new(forest) };
    let listed = found.list(count);
    let spelled = listed.into_iter().map(|(score, edges)| {
        let words: Vec<&str> =
            forest.spell(&edges).into_iter().map(|word| forest.words()[word as usize].as_str()).collect();
        let named = |(name, value): (u32, f64)| (forest.sparse_names()[name as usize].clone(), value);
        let sparse = forest.sum_sparse(&edges).into_iter().map(named).collect();
        Candidate { text: words.join(" "), score, features: forest.sum_features(&edges), sparse }
    });
    spelled.collect()
}

/// Runs `work` on every input, with a decoder for each of `threads` threads (0: one per core). Results are in the order
/// of the inputs.
///
/// # Errors
/// The first error, in the order of the inputs.
pub fn decode_all<R: Send>(
    parts: (&Model, &Scorer, &dyn Strategy),
    inputs: &[Input],
    threads: usize,
    work: impl Fn(&mut dyn Search, &Input) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    each(parts, inputs, threads, |decoder, input| decoder.decode(input).and_then(|()| work(decoder, input)))
}

/// Runs `work` on every item, with a decoder for each of `threads` threads; see [`decode_all`].
///
/// # Errors
/// The first error, in the order of the items.
pub fn each<T: Sync, R: Send>(
    (model, scorer, strategy): (&Model, &Scorer, &dyn Strategy),
    inputs: &[T],
    threads: usize,
    work: impl Fn(&mut dyn Search, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { cores } else { threads }.min(inputs.len()).max(1);
    // Settings are checked before any thread starts.
    strategy.search(model, scorer)?;
    let next = AtomicUsize::new(0);
    let worker = || -> Vec<(usize, Result<R>)> {
        let mut done = Vec::new();
        let Ok(mut decoder) = strategy.search(model, scorer) else { return done };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return done };
            done.push((at, work(&mut *decoder, input)));
        }
    };
    let mut parts: Vec<(usize, Result<R>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut parts = worker();
        for handle in workers {
            match handle.join() {
                Ok(part) => parts.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts
    });
    parts.sort_unstable_by_key(|&(at, _)| at);
    if parts.len() != inputs.len() {
        return Err(Error::settings("a decoder could not be started"));
    }
    parts.into_iter().map(|(_, result)| result).collect()
}
