//! Text to numbers for estimation.

use super::estimate::is_reserved;
use crate::Result;
use crate::corpus::vocabulary::{Vocabulary, VocabularyBuilder};
use crate::corpus::words::words;

/// Reads a corpus: gives ids to its words in the order of their first appearance, as lmplz does.
#[derive(Debug, Default)]
pub struct CorpusReader {
    builder: VocabularyBuilder,
    sentence: Vec<u32>,
    /// Words spelled like `<s>`, `</s>` or `<unk>`, which were skipped.
    pub skipped: u64,
    /// Words read, those that were skipped not counted.
    pub words: u64,
    /// Lines read.
    pub lines: u64,
}

impl CorpusReader {
    /// The ids of the words of a line. Words spelled like the specials are skipped, as lmplz does under
    /// `--skip_symbols`, and counted.
    pub fn sentence(&mut self, line: &str) -> &[u32] {
        self.sentence.clear();
        for word in words(line) {
            let id = self.builder.intern(word);
            if is_reserved(id) {
                self.skipped += 1;
            } else {
                self.sentence.push(id);
            }
        }
        self.words += self.sentence.len() as u64;
        self.lines += 1;
        &self.sentence
    }

    /// The vocabulary, with ids as given.
    ///
    /// # Errors
    /// None in practice: the words come from a builder.
    pub fn vocabulary(&self) -> Result<Vocabulary> {
        Vocabulary::from_words((3..self.builder.len() as u32).map(|id| self.builder.word(id)))
    }
}
