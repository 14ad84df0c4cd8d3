//! Writing ARPA files: text, readable by every toolkit of the field.

use std::io::{self, Write};
use std::path::Path;

use super::ngrams::Ngrams;
use crate::Error;
use crate::Result;
use crate::corpus::vocabulary::Vocabulary;
use crate::files::AtomicFile;

/// Formats entries of an ARPA file into a buffer that is handed on in large pieces.
pub struct ArpaWriter<'a, W: Write> {
    out: W,
    buffer: Vec<u8>,
    vocabulary: &'a Vocabulary,
}

const PIECE: usize = 1 << 16;

impl<'a, W: Write> ArpaWriter<'a, W> {
    /// Begins a file; `counts` has the number of n-grams of each order.
    pub fn new(out: W, vocabulary: &'a Vocabulary, counts: &[u64]) -> io::Result<Self> {
        let mut writer = Self { out, buffer: Vec::with_capacity(2 * PIECE), vocabulary };
        writer.buffer.extend_from_slice(b"\\data\\\n");
        for (order, count) in (1..).zip(counts) {
            writeln!(writer.buffer, "ngram {order}={count}")?;
        }
        Ok(writer)
    }

    /// Begins the n-grams of an order.
    pub fn order(&mut self, order: usize) -> io::Result<()> {
        writeln!(self.buffer, "\n\\{order}-grams:")
    }

    /// Writes one n-gram; those of the highest order have no back-off.
    pub fn gram(&mut self, words: &[u32], prob: f32, backoff: Option<f32>) -> io::Result<()> {
        write!(self.buffer, "{}\t", plain(prob))?;
        for (position, &word) in words.iter().enumerate() {
            if position > 0 {
                self.buffer.push(b' ');
            }
            self.buffer.extend_from_slice(self.vocabulary.word(word).as_bytes());
        }
        if let Some(backoff) = backoff {
            write!(self.buffer, "\t{}", plain(backoff))?;
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= PIECE {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<W> {
        self.buffer.extend_from_slice(b"\n\\end\\\n");
        self.out.write_all(&self.buffer)?;
        Ok(self.out)
    }
}

/// Without the sign of a negative zero.
fn plain(value: f32) -> f32 {
    if value == 0.0 { 0.0 } else { value }
}

/// Writes a model.
pub fn write(ngrams: &Ngrams, out: impl Write) -> io::Result<()> {
    let mut writer = ArpaWriter::new(out, &ngrams.vocabulary, &ngrams.counts())?;
    for (n, level) in (1..).zip(&ngrams.levels) {
        writer.order(n)?;
        let mut failure = Ok(());
        ngrams.walk(n, |words, index| {
            if failure.is_ok() {
                failure = writer.gram(words, level.prob[index], level.backoff.get(index).copied());
            }
        });
        failure?;
    }
    writer.finish()?.flush()
}

/// Writes a model to a file, compressed if its name ends in .gz, .xz or .zst.
///
/// # Errors
/// What the operating system says.
pub fn save(ngrams: &Ngrams, path: &Path) -> Result<()> {
    to_file(path, |out| write(ngrams, out))
}

/// Lets `fill` write a file that appears whole or not at all, compressed as its name says.
pub(super) fn to_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    compressed(path, &mut file, fill).map_err(|error| Error::io(path, &error))?;
    file.commit()
}

fn compressed(
    path: &Path,
    file: &mut AtomicFile,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => {
            let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::new(6));
            fill(&mut out)?;
            out.finish().map(drop)
        }
        Some("xz") => {
            let mut out = liblzma::write::XzEncoder::new(file, 6);
            fill(&mut out)?;
            out.finish().map(drop)
        }
        Some("zst") => {
            let mut out = zstd::stream::write::Encoder::new(file, 3)?;
            fill(&mut out)?;
            out.finish().map(drop)
        }
        _ => fill(file),
    }
}
