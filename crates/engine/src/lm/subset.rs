//! Leaving out n-grams of a model.

use super::ngrams::Level;
use crate::Result;
use crate::corpus::vocabulary::{SPECIALS, Vocabulary};

/// The n-grams marked in `keep`, per order. The suffix of every kept n-gram must be kept; words whose unigram goes
/// leave the vocabulary, and the ids of the others close ranks.
///
/// # Errors
/// None in practice: the words come from a vocabulary.
pub fn subset(levels: Vec<Level>, vocabulary: Vocabulary, keep: &[Vec<bool>]) -> Result<(Vec<Level>, Vocabulary)> {
    let highest = levels.len() - 1;
    let mut kept: Vec<Level> = Vec::with_capacity(levels.len());
    for (n, level) in levels.into_iter().enumerate() {
        let keep_here = &keep[n];
        let mut new = Level::default();
        let mut next = 0;
        for index in (0..level.len()).filter(|&index| keep_here[index]) {
            new.words.push(level.words[index]);
            new.prob.push(level.prob[index]);
            if n < highest {
                new.backoff.push(level.backoff[index]);
                new.begin.push(next);
                next += level.children(index as u32).filter(|&child| keep[n + 1][child]).count() as u32;
            }
        }
        if n < highest {
            new.begin.push(next);
        }
        kept.push(new);
    }
    if kept[0].len() == vocabulary.len() {
        return Ok((kept, vocabulary));
    }
    let mut new_ids = vec![0; vocabulary.len()];
    for (new, &old) in (0..).zip(&kept[0].words) {
        new_ids[old as usize] = new;
    }
    let words = kept[0].words[SPECIALS.len()..].iter().map(|&id| vocabulary.word(id));
    let smaller = Vocabulary::from_words(words)?;
    // The new ids rise with the old ones, so the order within each level stays right.
    for level in &mut kept {
        level.words.iter_mut().for_each(|word| *word = new_ids[*word as usize]);
    }
    Ok((kept, smaller))
}
