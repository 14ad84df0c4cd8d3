//! Text to numbers for estimation.

use super::counts::Tokens;
use super::estimate::is_reserved;
use crate::Result;
use crate::corpus::LineReader;
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

/// Reads a whole file into memory.
///
/// # Errors
/// What the reader says, or a corpus beyond 2^32 tokens.
pub fn read_tokens(lines: &mut LineReader, corpus: &mut CorpusReader) -> Result<Tokens> {
    let mut tokens = Tokens::default();
    while let Some(line) = lines.next_line()? {
        tokens.push(corpus.sentence(line))?;
    }
    Ok(tokens)
}
