//! Plain text as numbers.

use super::NONE;
use super::names::Names;
use crate::corpus::words::words;
use crate::{Error, Result};

/// What stands between sentences.
pub(super) const END: u32 = NONE;

/// The words of a text as numbers, and where its sentences end.
#[derive(Debug, Clone)]
pub struct Text {
    names: Names,
    counts: Vec<u64>,
    /// [`END`], then the words of each sentence that has some and [`END`]: so nothing that looks around goes astray.
    ids: Vec<u32>,
    lines: u64,
}

impl Default for Text {
    fn default() -> Self {
        Self { names: Names::default(), counts: Vec::new(), ids: vec![END], lines: 0 }
    }
}

impl Text {
    /// Adds a tokenised line.
    ///
    /// # Errors
    /// More text than numbers of 32 bits can point into.
    pub fn add(&mut self, line: &str) -> Result<()> {
        let before = self.ids.len();
        for word in words(line) {
            let id = self.names.intern(word);
            if id as usize == self.counts.len() {
                self.counts.push(0);
            }
            self.counts[id as usize] += 1;
            self.ids.push(id);
        }
        if self.ids.len() > before {
            self.ids.push(END);
        }
        self.lines += 1;
        if self.ids.len() >= NONE as usize {
            let what = format!("a text may have {NONE} words and sentence ends, and this one has more");
            return Err(Error::limit(what).hint("take a part of it"));
        }
        Ok(())
    }

    /// Its different words, numbered as they came.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// How often each word came.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many words came.
    pub fn tokens(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many lines were added, empty ones included.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The words of all sentences, with [`END`] before, between and after them.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// What a text without words cannot give.
    pub(super) fn check(&self) -> Result<()> {
        if self.counts.is_empty() {
            return Err(Error::input("the text has no words").hint("add lines to it"));
        }
        Ok(())
    }
}
