//! From lines of text to a model, within a memory budget.

use std::path::Path;

use super::arpa_write::{save, to_file};
use super::corpus_ids::CorpusReader;
use super::counts::Tokens;
use super::estimate::{Report, Settings, estimate};
use super::external::ExternalCounts;
use super::ngrams::Ngrams;
use super::sinks::{ArpaSink, NgramsSink};
use crate::corpus::LineReader;
use crate::{Error, Result};

/// Least budget that makes sense: sorting needs some room.
const LEAST_MEMORY: usize = 1 << 20;

/// Takes in a corpus and estimates a model.
pub struct Trainer {
    settings: Settings,
    corpus: CorpusReader,
    /// The text, or what has come since it was last moved to disk.
    tokens: Tokens,
    memory: usize,
    external: Option<ExternalCounts>,
}

impl Trainer {
    /// A trainer that has seen nothing. Beyond `memory` bytes it works on disk, except for the vocabulary, which is
    /// always in memory.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: Settings, memory: usize) -> Result<Self> {
        settings.thresholds()?;
        if memory < LEAST_MEMORY {
            return Err(Error::settings(format!("{memory} bytes of memory are too few")).hint("give at least 1 MB"));
        }
        Ok(Self { settings, corpus: CorpusReader::default(), tokens: Tokens::default(), memory, external: None })
    }

    /// Takes in a line.
    ///
    /// # Errors
    /// A full disk.
    pub fn add(&mut self, line: &str) -> Result<()> {
        self.tokens.push(self.corpus.sentence(line))?;
        // Estimation in memory takes at most about this much a token: positions, and per order the n-grams with
        // counts, contexts and values (measured; see docs/lm.md).
        let per_token = 16 + 24 * self.settings.order;
        let held =
            if self.external.is_some() { 64 * self.tokens.ids().len() } else { per_token * self.tokens.ids().len() };
        if held > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let (order, memory) = (self.settings.order, self.memory);
        let external = self.external.get_or_insert_with(|| ExternalCounts::new(order, memory));
        external.add(self.tokens.ids())?;
        self.tokens = Tokens::default();
        Ok(())
    }

    /// Takes in what a reader gives.
    ///
    /// # Errors
    /// What the reader says, or a full disk.
    pub fn add_lines(&mut self, lines: &mut LineReader) -> Result<()> {
        while let Some(line) = lines.next_line()? {
            self.add(line)?;
        }
        Ok(())
    }

    /// Estimates the model and gives it in memory.
    ///
    /// # Errors
    /// An empty corpus, or a full disk.
    pub fn finish(mut self) -> Result<(Ngrams, Report)> {
        let vocabulary = self.corpus.vocabulary()?;
        let (ngrams, report) = if self.external.is_some() {
            self.spill()?;
            let mut sink = NgramsSink::default();
            let external = self.external.take().expect("it is there");
            let report = external.estimate(vocabulary.len(), &self.settings, &mut sink)?;
            (sink.finish(vocabulary)?, report)
        } else {
            estimate(&self.tokens, vocabulary, &self.settings)?
        };
        Ok((ngrams, self.complete(report)))
    }

    /// Estimates the model and writes it to an ARPA file, without ever holding it in memory if it was too large.
    ///
    /// # Errors
    /// An empty corpus, or a full disk.
    pub fn finish_to(mut self, path: &Path) -> Result<Report> {
        if self.external.is_none() {
            let (ngrams, report) = self.finish()?;
            save(&ngrams, path)?;
            return Ok(report);
        }
        self.spill()?;
        let vocabulary = self.corpus.vocabulary()?;
        let external = self.external.take().expect("it is there");
        let mut done = Ok(Report::default());
        to_file(path, |out| {
            let mut sink = ArpaSink::new(out, &vocabulary);
            done = external.estimate(vocabulary.len(), &self.settings, &mut sink);
            match &done {
                Ok(_) => sink.finish(),
                Err(error) => Err(std::io::Error::other(error.to_string())),
            }
        })
        .map_err(|error| done.as_ref().err().cloned().unwrap_or(error))?;
        Ok(self.complete(done?))
    }

    fn complete(&self, report: Report) -> Report {
        let corpus = &self.corpus;
        Report { sentences: corpus.lines, tokens: corpus.words, skipped: corpus.skipped, ..report }
    }
}
