//! What decoders share when they pack their hypotheses into forests.

use super::options::Options;
use crate::forest::ForestBuilder;

/// A forest's index of a target word: by the model's id, or by its text if it was copied from the input.
pub fn forest_word(builder: &mut ForestBuilder, options: &Options<'_>, word: u32) -> u32 {
    let text = options.word(word);
    if (word as usize) < options.model().target_words().len() {
        builder.known_word(word, text)
    } else {
        builder.word(text)
    }
}
