//! From lines of text to a model, within a memory budget.

use super::corpus_ids::CorpusReader;
use super::counts::Tokens;
use super::estimate::{Report, Settings, estimate};
use super::ngrams::Ngrams;
use crate::Result;
use crate::corpus::LineReader;

/// Takes in a corpus and estimates a model.
pub struct Trainer {
    settings: Settings,
    corpus: CorpusReader,
    tokens: Tokens,
}

impl Trainer {
    /// A trainer that has seen nothing.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: Settings) -> Result<Self> {
        settings.thresholds()?;
        Ok(Self { settings, corpus: CorpusReader::default(), tokens: Tokens::default() })
    }

    /// Takes in a line.
    ///
    /// # Errors
    /// A corpus that has become too large.
    pub fn add(&mut self, line: &str) -> Result<()> {
        self.tokens.push(self.corpus.sentence(line))
    }

    /// Takes in what a reader gives.
    ///
    /// # Errors
    /// What the reader says, or a corpus that has become too large.
    pub fn add_lines(&mut self, lines: &mut LineReader) -> Result<()> {
        while let Some(line) = lines.next_line()? {
            self.add(line)?;
        }
        Ok(())
    }

    /// Estimates the model.
    ///
    /// # Errors
    /// An empty corpus.
    pub fn finish(self) -> Result<(Ngrams, Report)> {
        let vocabulary = self.corpus.vocabulary()?;
        let (ngrams, mut report) = estimate(&self.tokens, vocabulary, &self.settings)?;
        report.skipped = self.corpus.skipped;
        Ok((ngrams, report))
    }
}
