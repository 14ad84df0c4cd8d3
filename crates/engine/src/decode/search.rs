//! What all strategies of search have in common, so that nobody needs to know which one is at work.

use super::effort::Effort;
use super::input::{Input, MOST_POSITIONS};
use super::model::Model;
use super::scorer::Scorer;
use crate::forest::Forest;
use crate::{Error, Result};

/// A decoder for one thread; it keeps its memory from sentence to sentence.
pub trait Search {
    /// Is told of inputs to come, so that their rules can be found together where that helps.
    ///
    /// # Errors
    /// Rules that cannot be made for them.
    fn expect(&mut self, inputs: &[&Input]) -> Result<()>;

    /// Searches an input; what was found stays until the next one.
    ///
    /// # Errors
    /// An input that the strategy cannot take, rules that cannot be made for it.
    fn decode(&mut self, input: &Input) -> Result<()>;

    /// The best translation and its score (the Viterbi derivation's yield); nothing for an empty input.
    fn best(&self) -> Option<(String, f32)>;

    /// The derivations found, as a forest; alternatives are there if the strategy keeps them.
    ///
    /// # Errors
    /// Scores that are not finite.
    fn forest(&self, input: &Input) -> Result<Forest>;

    /// The derivations of an input that yield a translation (forced decoding); an empty forest if there is none.
    ///
    /// # Errors
    /// An input that the strategy cannot take, a reference that is too long, scores that are not finite.
    fn force(&mut self, input: &Input, reference: &str) -> Result<Forest>;

    /// All derivations of an input without language models.
    ///
    /// # Errors
    /// A strategy that cannot do this, scores that are not finite.
    fn context_free(&mut self, _input: &Input) -> Result<Forest> {
        Err(Error::settings("forests without language models come from charts").hint("decode with a chart"))
    }

    /// How the best derivation grew, where search has an order of its own: for each rule, those in its gaps before it, when it
    /// was connected and how.
    fn growth(&self) -> Vec<(u32, Growth)> {
        Vec::new()
    }

    /// What decoding the last input took.
    fn effort(&self) -> Effort;
}

/// How a rule was connected to a tree that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// It was the first.
    Start,
    /// Above the tree, which is in one of its gaps.
    Up,
    /// In a gap of the tree.
    Down,
}

/// How a sentence is searched: the settings of a strategy, which makes decoders.
pub trait Strategy: Send + Sync {
    /// A decoder for one thread.
    ///
    /// # Errors
    /// A model or settings that the strategy cannot use.
    fn search<'m>(&self, model: &'m Model, scorer: &'m Scorer) -> Result<Box<dyn Search + 'm>>;

    /// The same strategy, keeping all derivations that it finds for forests and n-best lists.
    fn keeping_alternatives(&self) -> Box<dyn Strategy>;
}

/// Checks a reference before anything is searched for it.
///
/// # Errors
/// A reference of more than [`MOST_POSITIONS`] words.
pub fn check_reference(reference: &str) -> Result<()> {
    let words = reference.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).count();
    if words > MOST_POSITIONS {
        return Err(Error::limit(format!("a reference of {words} words, more than {MOST_POSITIONS}"))
            .hint("cut it into sentences"));
    }
    Ok(())
}
