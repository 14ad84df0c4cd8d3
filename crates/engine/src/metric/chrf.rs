//! chrF and chrF++ (Popović 2015, 2017): F of character n-grams, and of word n-grams too.

use std::sync::Arc;

use super::texts::{Spelling, Texts};
use super::tries::{Merge, Tries};
use super::{Metric, Scratch};
use crate::{Error, Result};

/// How chrF is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Characters in the longest n-grams.
    pub characters: usize,
    /// Words in the longest n-grams: 0 for chrF, 2 for chrF++.
    pub words: usize,
    /// How many times more recall counts than precision.
    pub beta: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { characters: 6, words: 0, beta: 2.0 }
    }
}

/// The longest n-grams chrF may count, of characters and of words.
pub const MOST_ORDER: usize = 16;

/// chrF with its references.
///
/// A row: per order, characters first, the n-grams of the hypothesis, those of the reference, and the matches. Of
/// several references, the one with the highest score counts.
#[derive(Debug, Clone)]
pub struct Chrf {
    settings: Settings,
    spelling: Arc<Spelling>,
    /// One unit per sentence and reference.
    characters: Tries,
    words: Tries,
    /// Per unit, the characters and word pieces of the reference.
    lengths: Vec<[u32; 2]>,
    references: usize,
    sentences: usize,
}

impl Chrf {
    /// Prepares references: each a whole text, all of as many sentences, with tokens that `spelling` knows.
    ///
    /// # Errors
    /// An order or beta makes no sense.
    ///
    /// # Panics
    /// If the texts differ in length.
    pub fn new(references: &[&Texts], spelling: Arc<Spelling>, settings: Settings) -> Result<Self> {
        if settings.characters + settings.words == 0 || settings.characters.max(settings.words) > MOST_ORDER {
            return Err(Error::settings(format!("chrF counts n-grams of 1 to {MOST_ORDER} characters or words")));
        }
        if !settings.beta.is_finite() || settings.beta < 0.0 {
            return Err(Error::settings("the beta of chrF must be a number of at least 0"));
        }
        let sentences = references.first().map_or(0, |text| text.len());
        let (mut characters, mut words) = (Tries::new(settings.characters), Tries::new(settings.words));
        let mut lengths = Vec::with_capacity(sentences * references.len());
        let (mut symbols, mut pieces) = (Vec::new(), Vec::new());
        for sentence in 0..sentences {
            for text in references {
                symbols.clear();
                pieces.clear();
                spelling.spell(text.get(sentence), &mut symbols);
                characters.push(&[&symbols], Merge::Max);
                if settings.words > 0 {
                    spelling.split(text.get(sentence), &mut pieces);
                    words.push(&[&pieces], Merge::Max);
                }
                lengths.push([symbols.len(), pieces.len()].map(|length| u32::try_from(length).unwrap_or(u32::MAX)));
            }
        }
        Ok(Self { settings, spelling, characters, words, lengths, references: references.len(), sentences })
    }

    fn fill(&self, unit: usize, symbols: &[u32], pieces: &[u32], used: &mut Vec<u32>, row: &mut [f64]) {
        row.fill(0.0);
        let (of_characters, of_words) = row.split_at_mut(3 * self.settings.characters);
        let [reference_symbols, reference_pieces] = self.lengths[unit];
        lengths(of_characters, symbols.len(), reference_symbols as usize);
        lengths(of_words, pieces.len(), reference_pieces as usize);
        self.characters.matches(unit, symbols, used, |level, _| of_characters[3 * level + 2] += 1.0);
        if self.settings.words > 0 {
            self.words.matches(unit, pieces, used, |level, _| of_words[3 * level + 2] += 1.0);
        }
    }
}

fn lengths(row: &mut [f64], hypothesis: usize, reference: usize) {
    for (n, three) in row.chunks_exact_mut(3).enumerate() {
        three[1] = reference.saturating_sub(n) as f64;
        // An order that the reference is too short for does not count against the hypothesis.
        three[0] = if three[1] > 0.0 { hypothesis.saturating_sub(n) as f64 } else { 0.0 };
    }
}

impl Metric for Chrf {
    fn width(&self) -> usize {
        3 * (self.settings.characters + self.settings.words)
    }

    fn sentences(&self) -> usize {
        self.sentences
    }

    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]) {
        let Scratch { used, symbols, pieces, row: other, .. } = scratch;
        symbols.clear();
        pieces.clear();
        self.spelling.spell(hypothesis, symbols);
        if self.settings.words > 0 {
            self.spelling.split(hypothesis, pieces);
        }
        let first = sentence * self.references;
        self.fill(first, symbols, pieces, used, row);
        if self.references > 1 {
            let mut best = self.score(row);
            other.resize(row.len(), 0.0);
            for unit in first + 1..first + self.references {
                self.fill(unit, symbols, pieces, used, other);
                let score = self.score(other);
                if score > best {
                    best = score;
                    row.copy_from_slice(other);
                }
            }
        }
    }

    fn score(&self, sum: &[f64]) -> f64 {
        score(sum, self.settings.beta)
    }
}

/// chrF, from 0 to 100, of a row as [`Chrf`] makes it: F of the mean precision and the mean recall over the orders that
/// both sides have.
pub fn score(row: &[f64], beta: f64) -> f64 {
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0_u32);
    for three in row.chunks_exact(3) {
        if three[0] > 0.0 && three[1] > 0.0 {
            precision += three[2] / three[0];
            recall += three[2] / three[1];
            orders += 1;
        }
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / f64::from(orders), recall / f64::from(orders));
    let factor = beta * beta;
    100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))
}

#[cfg(test)]
mod tests {
    use super::super::texts::TokenTable;
    use super::super::tokenise::Tokeniser;
    use super::*;

    fn score_of(hypothesis: &str, reference: &str, words: usize) -> f64 {
        let mut table = TokenTable::default();
        let texts = [hypothesis, reference].map(|line| table.texts(&[line], Tokeniser::None));
        let spelling = Arc::new(Spelling::new(table.tokens()));
        let chrf = Chrf::new(&[&texts[1]], spelling, Settings { words, ..Settings::default() }).unwrap();
        let mut row = vec![0.0; chrf.width()];
        chrf.stats(0, texts[0].get(0), &mut Scratch::default(), &mut row);
        chrf.score(&row)
    }

    #[test]
    fn by_hand() {
        // abcd against abc: of 1- to 3-grams, 3/4, 2/3 and 1/2 are right and all are found; no 4-grams to find.
        let precision = (0.75 + 2.0 / 3.0 + 0.5) / 3.0;
        assert!((score_of("ab cd", "abc", 0) - 100.0 * 5.0 * precision / (4.0 * precision + 1.0)).abs() < 1e-9);
        assert!((score_of("(a) b", "(a) b", 2) - 100.0).abs() < 1e-9);
        assert_eq!(score_of("", "a", 0), 0.0);
        assert_eq!(score_of("a", "", 2), 0.0);
    }
}
