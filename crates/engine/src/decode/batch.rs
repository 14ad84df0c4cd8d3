//! Many sentences at once: a decoder for each thread, sentences handed out one by one.
//!
//! A sentence's result does not depend on which thread took it nor on what that thread did before.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::input::Input;
use super::model::Model;
use super::scorer::Scorer;
use super::search::{Search, Strategy};
use super::walks::Walks;
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
    let decode = |decoder: &mut dyn Search, input: &Input| decoder.decode(input).and_then(|()| work(decoder, input));
    each(parts, inputs, |input| input, threads, decode)
}

/// Inputs that a decoder is told of at a time, where that helps.
const AHEAD: usize = 64;

/// Runs `work` on every item, which has an input, with a decoder for each of `threads` threads; see [`decode_all`].
///
/// # Errors
/// The first error, in the order of the items.
pub fn each<T: Sync, R: Send>(
    (model, scorer, strategy): (&Model, &Scorer, &dyn Strategy),
    items: &[T],
    input: impl Fn(&T) -> &Input + Sync,
    threads: usize,
    work: impl Fn(&mut dyn Search, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { cores } else { threads }.min(items.len()).max(1);
    // Settings are checked before any thread starts.
    strategy.search(model, scorer)?;
    let next = AtomicUsize::new(0);
    // One by one, threads end together; few at a time, where knowing more beforehand helps.
    let ahead = if Walks::looks_ahead(model) { (items.len() / (4 * threads)).clamp(1, AHEAD) } else { 1 };
    let worker = || -> Vec<(usize, Result<R>)> {
        let mut done = Vec::new();
        let Ok(mut decoder) = strategy.search(model, scorer) else { return done };
        loop {
            let first = next.fetch_add(ahead, Ordering::Relaxed);
            let Some(own) = items.get(first..items.len().min(first + ahead)).filter(|own| !own.is_empty()) else {
                return done;
            };
            if ahead > 1 {
                // Whatever is wrong with one of them, it will say so itself.
                let _ = decoder.expect(&own.iter().map(&input).collect::<Vec<_>>());
            }
            done.extend((first..).zip(own).map(|(at, item)| (at, work(&mut *decoder, item))));
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
    if parts.len() != items.len() {
        return Err(Error::settings("a decoder could not be started"));
    }
    parts.into_iter().map(|(_, result)| result).collect()
}
