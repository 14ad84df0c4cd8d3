//! Queries: the longest n-gram that ends in a word, and back-off for the rest of the context.

use super::state::{MOST_CONTEXT, State};
use crate::corpus::vocabulary::BOS;

/// An n-gram found in a table.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// log10 of the probability of its last word.
    pub prob: f32,
    /// log10 of its back-off weight; [`UNUSED`] if it is not needed as a context.
    pub backoff: f32,
    /// Whether longer n-grams end in it.
    pub extends_left: bool,
    /// Where the table looks for those.
    pub node: u64,
}

/// The back-off of an n-gram that no n-gram continues and whose weight is 1: a context may forget it.
pub const UNUSED: f32 = -0.0;

/// Whether an n-gram with this back-off is worth remembering as a context.
#[inline]
pub fn is_context(backoff: f32) -> bool {
    backoff.to_bits() != UNUSED.to_bits()
}

/// A table of n-grams, however it is stored.
pub trait Search: Send + Sync {
    /// The length of the longest n-grams.
    fn order(&self) -> usize;

    /// The n-gram of a single word; ids beyond the vocabulary are unknown words.
    fn unigram(&self, word: u32) -> Found;

    /// The n-gram of `length` + 1 words that has `word` before the n-gram `node` of `length` words.
    fn extend(&self, length: usize, node: u64, word: u32) -> Option<Found>;

    /// Asks for what a query for `word` after `state` will need, so that it is in the cache when the query comes.
    fn prefetch(&self, _state: &State, _word: u32) {}
}

/// The answer to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// log10 of the probability.
    pub prob: f32,
    /// How many words the longest n-gram found has.
    pub length: u8,
    /// Whether words further left could not change the probability.
    pub independent_left: bool,
    /// The longest n-gram found, and its probability in the table.
    pub node: u64,
    pub(super) node_prob: f32,
}

/// Scores `word` after `state`.
#[inline]
pub fn full_score<S: Search + ?Sized>(search: &S, state: &State, word: u32) -> (Scored, State) {
    let order = search.order();
    let mut found = search.unigram(word);
    let mut next = State::EMPTY;
    next.words[0] = word;
    next.backoffs[0] = found.backoff;
    next.length = u8::from(order > 1 && is_context(found.backoff));
    let (context, backoffs) = (state.words(), state.backoffs());
    let mut matched = 0;
    let mut open = found.extends_left;
    while open && matched < context.len() {
        let Some(longer) = search.extend(matched + 1, found.node, context[matched]) else {
            open = false;
            break;
        };
        found = longer;
        open = found.extends_left;
        matched += 1;
        if matched + 1 < order && matched < MOST_CONTEXT {
            next.words[matched] = context[matched - 1];
            next.backoffs[matched] = found.backoff;
            if is_context(found.backoff) {
                next.length = matched as u8 + 1;
            }
        }
    }
    let prob = backoffs[matched..].iter().fold(found.prob, |sum, backoff| sum + backoff);
    let scored =
        Scored { prob, length: matched as u8 + 1, independent_left: !open, node: found.node, node_prob: found.prob };
    (scored, next)
}

/// The state at the start of a sentence.
pub fn begin<S: Search + ?Sized>(search: &S) -> State {
    let mut state = State::EMPTY;
    if search.order() > 1 {
        let found = search.unigram(BOS);
        state.words[0] = BOS;
        state.backoffs[0] = found.backoff;
        state.length = u8::from(is_context(found.backoff));
    }
    state
}

/// What words to the left of an n-gram change.
#[derive(Debug, Clone, Copy)]
pub struct Extension {
    /// What to add to log10 of the probability of its last word.
    pub change: f32,
    /// Whether words still further left could not change it again.
    pub independent_left: bool,
    /// The longest n-gram now, and its probability in the table.
    pub node: u64,
    pub(super) node_prob: f32,
    /// Back-off weights of the contexts that the n-gram forms with one, two, … of the words.
    pub(super) backoffs: [f32; MOST_CONTEXT],
    /// How many of the words still matter to what follows the n-gram.
    pub(super) useful: usize,
}

/// Puts `context` (most recent word first, with the back-off weights that apply) before the n-gram `node`.
pub fn extend_left<S: Search + ?Sized>(
    search: &S,
    context: &[u32],
    backoffs: &[f32],
    (node, node_prob): (u64, f32),
    length: usize,
) -> Extension {
    let order = search.order();
    let mut extension =
        Extension { change: 0.0, independent_left: false, node, node_prob, backoffs: [0.0; MOST_CONTEXT], useful: 0 };
    let mut open = true;
    let mut matched = 0;
    while open && matched < context.len() {
        let Some(longer) = search.extend(length + matched, extension.node, context[matched]) else {
            open = false;
            break;
        };
        (extension.node, extension.node_prob) = (longer.node, longer.prob);
        open = longer.extends_left;
        if length + matched + 1 < order {
            extension.backoffs[matched] = longer.backoff;
            if is_context(longer.backoff) {
                extension.useful = matched + 1;
            }
        }
        matched += 1;
    }
    let prob = backoffs[matched..].iter().fold(extension.node_prob, |sum, backoff| sum + backoff);
    extension.change = prob - node_prob;
    extension.independent_left = !open;
    extension
}
