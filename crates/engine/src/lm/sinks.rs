//! Where a model estimated on disk goes: into an ARPA file, or into memory.

use std::io::Write;
use std::path::Path;

use super::arpa_write::ArpaWriter;
use super::external::Sink;
use super::ngrams::{Level, Ngrams};
use super::subset::subset;
use crate::corpus::vocabulary::Vocabulary;
use crate::{Error, Result};

/// Writes an ARPA file as the n-grams come.
pub struct ArpaSink<'a, W: Write> {
    out: Option<W>,
    writer: Option<ArpaWriter<'a, W>>,
    vocabulary: &'a Vocabulary,
    words: Vec<u32>,
}

impl<'a, W: Write> ArpaSink<'a, W> {
    /// A sink that writes to `out`.
    pub fn new(out: W, vocabulary: &'a Vocabulary) -> Self {
        Self { out: Some(out), writer: None, vocabulary, words: Vec::new() }
    }

    /// Ends the file.
    pub fn finish(self) -> std::io::Result<()> {
        self.writer.map_or(Ok(()), |writer| writer.finish()?.flush())
    }

    fn writer(&mut self) -> Result<&mut ArpaWriter<'a, W>> {
        self.writer.as_mut().ok_or_else(|| Error::settings("a sink takes n-grams after it was begun"))
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io(Path::new("ARPA file"), error)
}

impl<W: Write> Sink for ArpaSink<'_, W> {
    fn begin(&mut self, counts: &[u64]) -> Result<()> {
        if let Some(out) = self.out.take() {
            self.writer = Some(ArpaWriter::new(out, self.vocabulary, counts).map_err(|error| failed(&error))?);
        }
        Ok(())
    }

    fn order(&mut self, order: usize) -> Result<()> {
        self.writer()?.order(order).map_err(|error| failed(&error))
    }

    fn gram(&mut self, key: &[u32], _suffix: usize, prob: f32, backoff: Option<f32>) -> Result<()> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.extend(key.iter().rev());
        let written = self.writer()?.gram(&words, prob, backoff);
        self.words = words;
        written.map_err(|error| failed(&error))
    }
}

/// Builds the model in memory.
#[derive(Default)]
pub struct NgramsSink {
    levels: Vec<Level>,
    order: usize,
}

impl Sink for NgramsSink {
    fn begin(&mut self, counts: &[u64]) -> Result<()> {
        if counts.iter().any(|&count| count >= u64::from(u32::MAX)) {
            return Err(Error::limit("an order has more than 2^32 n-grams").hint("write an ARPA file, or prune"));
        }
        self.levels = vec![Level::default(); counts.len()];
        Ok(())
    }

    fn order(&mut self, order: usize) -> Result<()> {
        self.order = order;
        if order > 1 {
            let suffixes = self.levels[order - 2].len();
            self.levels[order - 2].begin = vec![0; suffixes + 1];
        }
        Ok(())
    }

    fn gram(&mut self, key: &[u32], suffix: usize, prob: f32, backoff: Option<f32>) -> Result<()> {
        let n = self.order;
        if n > 1 {
            // First the numbers of children, made into positions at the end.
            self.levels[n - 2].begin[suffix + 1] += 1;
        }
        let level = &mut self.levels[n - 1];
        level.words.push(key[n - 1]);
        level.prob.push(prob);
        level.backoff.extend(backoff);
        Ok(())
    }
}

impl NgramsSink {
    /// The model; words whose unigram was pruned leave the vocabulary.
    pub fn finish(mut self, vocabulary: Vocabulary) -> Result<Ngrams> {
        for level in &mut self.levels {
            let mut sum = 0;
            for begin in &mut level.begin {
                sum += *begin;
                *begin = sum;
            }
        }
        if self.levels[0].len() == vocabulary.len() {
            return Ok(Ngrams { vocabulary, levels: self.levels });
        }
        let keep: Vec<Vec<bool>> = self.levels.iter().map(|level| vec![true; level.len()]).collect();
        let (levels, vocabulary) = subset(self.levels, vocabulary, &keep)?;
        Ok(Ngrams { vocabulary, levels })
    }
}
