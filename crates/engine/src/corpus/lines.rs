//! Reading text line by line, quickly and with the place of every error.
//!
//! Only LF and CR LF end a line. A lone CR, U+0085, U+2028, U+2029, VT and FF are text: corpora contain them inside
//! sentences, and a reader that breaks there shifts one side of a parallel corpus against the other.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memchr::memchr;

use super::decompress::{ByteReader, ReadLimits, read_head};
use super::signature::{UTF8_BOM, refuse_what_is_not_text};
use crate::{Error, Result};

/// How much is read and decoded at a time: large enough to make calls cheap, small enough for the L2 cache.
const BLOCK_BYTES: usize = 128 << 10;

/// Reads lines of UTF-8 text, from plain or compressed files, into one buffer that is used again for every line.
///
/// ```
/// use std::path::Path;
/// use tolka_engine::corpus::{LineReader, ReadLimits};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("a.de");
/// # std::fs::write(&path, "ein Haus\r\nein Hund").unwrap();
/// let mut lines = LineReader::open(&path, &ReadLimits::default())?;
/// assert_eq!(lines.next_line()?, Some("ein Haus"));
/// assert_eq!(lines.next_line()?, Some("ein Hund"));
/// assert_eq!(lines.next_line()?, None);
/// # Ok::<(), tolka_engine::Error>(())
/// ```
pub struct LineReader {
    source: ByteReader,
    line_bytes: usize,
    repair: bool,
    /// First bytes, read to see what the file is; they are decoded before more is read.
    head: Vec<u8>,
    /// Bytes as read; the first `held` are the start of a character whose rest has not come yet.
    block: Vec<u8>,
    held: usize,
    /// Decoded text. What lies before `start` was given out; in what lies before `searched` no line ends.
    text: String,
    start: usize,
    searched: usize,
    /// Bytes of a byte order mark, which count as bytes of the first line.
    mark: usize,
    lines: u64,
    repairs: u64,
    ended: bool,
    failure: Option<Failure>,
}

/// Why decoding stopped; told only when the lines before it have been given out.
enum Failure {
    NotUtf8(u8),
    Nul,
    Other(Error),
}

impl LineReader {
    /// Opens a file.
    pub fn open(path: &Path, limits: &ReadLimits) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Self::new(Box::new(file), path, limits)
    }

    /// Reads from anything; `name` is what errors call it.
    pub fn new(source: Box<dyn Read + Send>, name: &Path, limits: &ReadLimits) -> Result<Self> {
        let mut source = ByteReader::new(source, name, limits)?;
        let mut failure = None;
        let mut head = read_head(|buffer| source.read(buffer)).unwrap_or_else(|error| {
            failure = Some(Failure::Other(error));
            Vec::new()
        });
        refuse_what_is_not_text(&head).map_err(|error| error.at_path(name))?;
        let mark = if head.starts_with(UTF8_BOM) { UTF8_BOM.len() } else { 0 };
        head.drain(..mark);
        Ok(Self {
            source,
            line_bytes: usize::try_from(limits.line_bytes).unwrap_or(usize::MAX - 1),
            repair: false,
            head,
            block: vec![0; BLOCK_BYTES],
            held: 0,
            text: String::new(),
            start: 0,
            searched: 0,
            mark,
            lines: 0,
            repairs: 0,
            ended: false,
            failure,
        })
    }

    /// Replaces what is not UTF-8, and NUL, with U+FFFD instead of failing; [`Self::repairs`] counts how often.
    #[must_use]
    pub fn repairing(mut self, repair: bool) -> Self {
        self.repair = repair;
        self
    }

    /// The next line without its end, or None after the last. A last line that no LF ends is a line. After an error
    /// the same error comes again.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        match self.find_line()? {
            Some((from, to)) => Ok(Some(&self.text[from..to])),
            None => Ok(None),
        }
    }

    /// Whether the next line can be given without reading from the source, which may mean waiting for a person.
    pub fn has_line(&mut self) -> bool {
        match memchr(b'\n', &self.text.as_bytes()[self.searched..]) {
            Some(offset) => {
                self.searched += offset;
                true
            }
            None => {
                self.searched = self.text.len();
                false
            }
        }
    }

    /// Reads the remaining lines and says how many there were.
    pub fn count_rest(&mut self) -> Result<u64> {
        let before = self.lines;
        while self.find_line()?.is_some() {}
        Ok(self.lines - before)
    }

    /// How many lines were given out; the number of the last one, counted from 1.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many places were repaired in what was decoded so far.
    pub fn repairs(&self) -> u64 {
        self.repairs
    }

    /// What errors call the file.
    pub fn name(&self) -> &Path {
        self.source.name()
    }

    fn find_line(&mut self) -> Result<Option<(usize, usize)>> {
        loop {
            if self.has_line() {
                let (from, mut to) = (self.start, self.searched);
                if to > from && self.text.as_bytes()[to - 1] == b'\r' {
                    to -= 1;
                }
                if to - from > self.line_bytes {
                    return Err(self.too_long());
                }
                self.searched += 1;
                self.start = self.searched;
                self.lines += 1;
                return Ok(Some((from, to)));
            }
            let pending = self.text.len() - self.start;
            let stopped = self.ended || self.failure.is_some();
            // One byte more may be the CR of a CR LF.
            if pending > self.line_bytes.saturating_add(1) || (stopped && pending > self.line_bytes) {
                return Err(self.too_long());
            }
            if let Some(failure) = &self.failure {
                return Err(self.explain(failure, pending));
            }
            if self.ended {
                let from = self.start;
                self.start = self.text.len();
                self.lines += u64::from(pending > 0);
                return Ok((pending > 0).then_some((from, self.start)));
            }
            self.decode_more();
        }
    }

    fn decode_more(&mut self) {
        self.text.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let room = &mut self.block[self.held..];
        let result = if self.head.is_empty() {
            self.source.read(room)
        } else {
            let count = self.head.len().min(room.len());
            room[..count].copy_from_slice(&self.head[..count]);
            self.head.drain(..count);
            Ok(count)
        };
        let mut block = std::mem::take(&mut self.block);
        match result {
            Ok(0) => {
                self.ended = true;
                self.decode(&block[..self.held]);
            }
            Ok(count) => {
                let end = self.held + count;
                let whole = end - unfinished_character(&block[..end]);
                self.decode(&block[..whole]);
                block.copy_within(whole..end, 0);
                self.held = end - whole;
            }
            Err(error) => self.failure = Some(Failure::Other(error)),
        }
        self.block = block;
    }

    fn decode(&mut self, bytes: &[u8]) {
        // The common case validates the whole block at once.
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.append(text);
            return;
        }
        for chunk in bytes.utf8_chunks() {
            self.append(chunk.valid());
            if self.failure.is_some() {
                return;
            }
            match chunk.invalid().first() {
                Some(&byte) if !self.repair => {
                    self.failure = Some(Failure::NotUtf8(byte));
                    return;
                }
                Some(_) => self.replace(),
                None => {}
            }
        }
    }

    fn append(&mut self, text: &str) {
        let mut rest = text;
        while let Some(place) = memchr(0, rest.as_bytes()) {
            self.text.push_str(&rest[..place]);
            if !self.repair {
                self.failure = Some(Failure::Nul);
                return;
            }
            self.replace();
            rest = &rest[place + 1..];
        }
        self.text.push_str(rest);
    }

    fn replace(&mut self) {
        self.text.push(char::REPLACEMENT_CHARACTER);
        self.repairs += 1;
    }

    fn explain(&self, failure: &Failure, before: usize) -> Error {
        let what = match failure {
            Failure::Other(error) => return error.clone(),
            Failure::NotUtf8(byte) => format!("not valid UTF-8 (byte 0x{byte:02X})"),
            Failure::Nul => "a NUL byte, which text never contains".to_string(),
        };
        let hint = match failure {
            Failure::Nul => {
                "if the file is UTF-16, re-encode it: iconv -f UTF-16 -t UTF-8; else repair it with: tolka corpus convert --repair"
            }
            _ => {
                "re-encode the file, for example: iconv -f WINDOWS-1252 -t UTF-8; or repair it with: tolka corpus convert --repair"
            }
        };
        let mark = if self.lines == 0 { self.mark } else { 0 };
        Error::input(what).at_path(self.name()).at_line(self.lines + 1).at_byte((mark + before) as u64 + 1).hint(hint)
    }

    fn too_long(&self) -> Error {
        Error::limit(format!("the line is longer than {} bytes", self.line_bytes))
            .at_path(self.name())
            .at_line(self.lines + 1)
            .hint("check that the file is text with one sentence a line, or raise the limit: TOLKA_LINE_BYTES")
    }
}

/// How many bytes at the end are the start of a character that needs more bytes.
fn unfinished_character(bytes: &[u8]) -> usize {
    for (back, &byte) in bytes.iter().rev().take(3).enumerate() {
        let length = match byte {
            0x80..0xC0 => continue,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0..0xF8 => 4,
            _ => 1,
        };
        return if length > back + 1 { back + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
