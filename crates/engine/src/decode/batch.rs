//! Many sentences at once: a decoder for each thread, sentences handed out one by one.
//!
//! A sentence's result does not depend on which thread took it nor on what that thread did before.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::chart::{ChartDecoder, ChartSettings};
use super::effort::Effort;
use super::input::{Input, MOST_POSITIONS};
use super::model::{Model, Weights};
use super::phrase::{PhraseDecoder, PhraseSettings};
use crate::forest::Forest;
use crate::forest::kbest::KBest;
use crate::{Error, Result};

/// How a sentence is searched.
#[derive(Debug, Clone, PartialEq)]
pub enum Strategy {
    /// Bottom up, with rules that may have gaps.
    Chart(ChartSettings),
    /// From left to right in the target, with phrases.
    Phrase(PhraseSettings),
}

/// A decoder of either kind.
pub enum Decoder<'m> {
    /// Bottom up.
    Chart(Box<ChartDecoder<'m>>),
    /// From left to right.
    Phrase(Box<PhraseDecoder<'m>>),
}

impl<'m> Decoder<'m> {
    /// A decoder.
    ///
    /// # Errors
    /// A model or settings that the strategy cannot use.
    pub fn new(model: &'m Model, weights: &'m Weights, strategy: &Strategy) -> Result<Self> {
        if let Strategy::Chart(settings) = strategy {
            settings.check()?;
        }
        Ok(match strategy {
            Strategy::Chart(settings) => Self::Chart(Box::new(ChartDecoder::new(model, weights, settings.clone()))),
            Strategy::Phrase(settings) => Self::Phrase(Box::new(PhraseDecoder::new(model, weights, settings.clone())?)),
        })
    }

    /// Searches an input; what was found stays until the next one.
    ///
    /// # Errors
    /// An input that the strategy cannot take.
    pub fn decode(&mut self, input: &Input) -> Result<()> {
        match self {
            Self::Chart(decoder) => {
                decoder.decode(input);
                Ok(())
            }
            Self::Phrase(decoder) => decoder.decode(input),
        }
    }

    /// The best translation and its score; empty for an empty input.
    pub fn best(&self) -> (String, f32) {
        let best = match self {
            Self::Chart(decoder) => decoder.best(),
            Self::Phrase(decoder) => decoder.best(),
        };
        best.unwrap_or_default()
    }

    /// What decoding the last input took.
    pub fn effort(&self) -> Effort {
        match self {
            Self::Chart(decoder) => decoder.effort(),
            Self::Phrase(decoder) => decoder.effort(),
        }
    }

    /// The derivations of an input that yield a translation; an empty forest if there is none.
    ///
    /// # Errors
    /// A reference of more than [`MOST_POSITIONS`] words, scores that are not finite.
    pub fn force(&mut self, input: &Input, reference: &str) -> Result<Forest> {
        let words = reference.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).count();
        if words > MOST_POSITIONS {
            return Err(Error::limit(format!("a reference of {words} words, more than {MOST_POSITIONS}"))
                .hint("cut it into sentences"));
        }
        match self {
            Self::Chart(decoder) => decoder.force(input, reference),
            Self::Phrase(decoder) => decoder.force(input, reference),
        }
    }

    /// All derivations of an input without language models.
    ///
    /// # Errors
    /// A strategy that cannot do this, scores that are not finite.
    pub fn context_free(&mut self, input: &Input) -> Result<Forest> {
        match self {
            Self::Chart(decoder) => decoder.context_free(input),
            Self::Phrase(_) => {
                Err(Error::settings("forests without language models come from charts").hint("decode with a chart"))
            }
        }
    }

    /// The derivations found, as a forest.
    ///
    /// # Errors
    /// Scores that are not finite.
    pub fn forest(&self, input: &Input) -> Result<Forest> {
        match self {
            Self::Chart(decoder) => decoder.forest(input),
            Self::Phrase(decoder) => decoder.forest(input),
        }
    }
}

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
    parts: (&Model, &Weights, &Strategy),
    inputs: &[Input],
    threads: usize,
    work: impl Fn(&mut Decoder<'_>, &Input) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    each(parts, inputs, threads, |decoder, input| decoder.decode(input).and_then(|()| work(decoder, input)))
}

/// Runs `work` on every item, with a decoder for each of `threads` threads; see [`decode_all`].
///
/// # Errors
/// The first error, in the order of the items.
pub fn each<T: Sync, R: Send>(
    (model, weights, strategy): (&Model, &Weights, &Strategy),
    inputs: &[T],
    threads: usize,
    work: impl Fn(&mut Decoder<'_>, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { cores } else { threads }.min(inputs.len()).max(1);
    // Settings are checked before any thread starts.
    Decoder::new(model, weights, strategy)?;
    let next = AtomicUsize::new(0);
    let worker = || -> Vec<(usize, Result<R>)> {
        let mut done = Vec::new();
        let Ok(mut decoder) = Decoder::new(model, weights, strategy) else { return done };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(at) else { return done };
            done.push((at, work(&mut decoder, input)));
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
