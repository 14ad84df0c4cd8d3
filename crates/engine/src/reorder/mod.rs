//! Pre-ordering: source words put into the order of the target language before decoding.
//!
//! An *order* of a sentence lists its words, counted from 0, in their new places. Many sentences share flat arrays, cut
//! by offsets: sentence k has the words `offsets[k]..offsets[k + 1]`.

pub mod execution;
pub mod measure;
pub mod recurrent;
pub mod reference;
pub mod walker;

use std::ops::Range;

use crate::error::{Error, Result};

/// Where sentences begin and end in flat arrays.
#[derive(Debug, Clone, Copy)]
pub struct Sentences<'a> {
    offsets: &'a [u64],
}

impl<'a> Sentences<'a> {
    /// Offsets that begin with 0, never fall, and end with the number of items.
    ///
    /// # Errors
    /// They do not.
    pub fn new(offsets: &'a [u64], items: usize) -> Result<Self> {
        let rise = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if offsets.first() != Some(&0) || offsets.last() != Some(&(items as u64)) || !rise {
            return Err(Error::input(format!("the offsets of sentences must rise from 0 to {items}")));
        }
        Ok(Self { offsets })
    }

    /// How many sentences there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a sentence.
    #[must_use]
    pub fn range(&self, sentence: usize) -> Range<usize> {
        self.offsets[sentence] as usize..self.offsets[sentence + 1] as usize
    }
}

/// Adds to an error which sentence it is about.
fn in_sentence(sentence: usize) -> impl Fn(Error) -> Error {
    move |error| Error { what: format!("sentence {}: {}", sentence + 1, error.what), ..error }
}

/// Says whether `order` has every word of a sentence once.
///
/// # Errors
/// It has not.
pub fn check_order(order: &[u32], words: usize, seen: &mut Vec<bool>) -> Result<()> {
    seen.clear();
    seen.resize(words, false);
    let once = order.iter().all(|&word| seen.get_mut(word as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
    if once && order.len() == words {
        return Ok(());
    }
    Err(Error::input(format!("the order of {words} words is no permutation of 0 to {}", words.saturating_sub(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_orders_are_checked() {
        let sentences = Sentences::new(&[0, 2, 5], 5).unwrap();
        assert_eq!((sentences.len(), sentences.range(1)), (2, 2..5));
        assert!(!sentences.is_empty());
        for bad in [&[][..], &[1, 5], &[0, 3, 2, 5], &[0, 4]] {
            assert!(Sentences::new(bad, 5).is_err());
        }
        let mut seen = Vec::new();
        assert!(check_order(&[1, 0, 2], 3, &mut seen).is_ok());
        for bad in [&[0, 1][..], &[0, 0, 1], &[0, 1, 3], &[0, 1, 2, 3]] {
            assert!(check_order(bad, 3, &mut seen).is_err());
        }
    }
}
