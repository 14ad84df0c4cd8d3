//! How probable orders are.

use rayon::prelude::*;

use super::model::Model;
use super::scorer::Scorer;
use super::sentence::{Corpus, Sentence};
use super::state::State;
use crate::error::Result;
use crate::reorder::{check_order, in_sentence};

/// The log-probability that a word is emitted next; the state comes back as it was.
pub fn of_word(
    model: &Model,
    sentence: &Sentence,
    scorer: &mut Scorer,
    state: &mut State,
    word: u32,
    below: &mut Vec<f32>,
) -> f32 {
    let mut marks = Vec::new();
    let mut sum = 0.0;
    loop {
        let chances = scorer.chances(model, sentence, state, below);
        if state.at == word {
            sum += chances.classes[0];
            break;
        }
        let to = state.toward(sentence, word);
        sum += match scorer.children.iter().position(|&child| child == to) {
            Some(at) => below[at],
            None => chances.classes[1],
        };
        marks.push(state.go(sentence, to));
    }
    for mark in marks.into_iter().rev() {
        state.undo(mark);
    }
    sum
}

/// The log-probability of the order of each sentence.
///
/// # Errors
/// A sentence's heads are no tree, or its order is no permutation.
pub fn of_orders(model: &Model, corpus: Corpus<'_>, orders: &[u32]) -> Result<Vec<f32>> {
    (0..corpus.sentences.len())
        .into_par_iter()
        .map(|k| {
            let (mut sentence, mut scorer, mut state) = (Sentence::default(), Scorer::default(), State::default());
            sentence.take(corpus, k)?;
            let order = &orders[corpus.sentences.range(k)];
            check_order(order, sentence.words(), &mut Vec::new()).map_err(in_sentence(k))?;
            scorer.take(model, &sentence);
            state.start(&sentence);
            let mut below = Vec::new();
            let mut sum = 0.0;
            for &word in order {
                sum += of_word(model, &sentence, &mut scorer, &mut state, word, &mut below);
                state.advance(&sentence, word);
            }
            Ok(sum)
        })
        .collect()
}
