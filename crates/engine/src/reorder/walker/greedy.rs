//! Greedy decoding: always the best action that is open.

use rayon::prelude::*;

use super::model::Model;
use super::scorer::{Action, Scorer};
use super::sentence::{Corpus, Sentence};
use super::state::State;
use crate::error::Result;

/// Memory for one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    sentence: Sentence,
    state: State,
    scorer: Scorer,
}

/// The order in which a walker emits the words of a sentence.
///
/// # Errors
/// The heads are no tree.
pub fn order(model: &Model, corpus: Corpus<'_>, k: usize, scratch: &mut Scratch) -> Result<Vec<u32>> {
    let Scratch { sentence, state, scorer } = scratch;
    sentence.take(corpus, k)?;
    scorer.take(model, sentence);
    state.start(sentence);
    let words = sentence.words();
    let mut order = Vec::with_capacity(words);
    while order.len() < words {
        match scorer.best(model, sentence, state) {
            Action::Emit => {
                order.push(state.at);
                state.emit(sentence);
            }
            Action::Up => {
                let above = sentence.tree.parent(state.at);
                state.go(sentence, above);
            }
            Action::Down(child) => {
                state.go(sentence, child);
            }
        }
    }
    Ok(order)
}

/// The orders of many sentences, one after the other.
///
/// # Errors
/// The heads of one are no tree.
pub fn orders(model: &Model, corpus: Corpus<'_>) -> Result<Vec<u32>> {
    let found: Vec<Vec<u32>> = (0..corpus.sentences.len())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, k| order(model, corpus, k, scratch))
        .collect::<Result<_>>()?;
    Ok(found.concat())
}
