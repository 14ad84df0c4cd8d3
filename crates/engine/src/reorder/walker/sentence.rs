//! A sentence as the walker sees it: its tree, and what is known of each word as numbers.

use crate::error::{Error, Result};
use crate::reorder::Sentences;
use crate::syntax::{NONE, Tree};

/// Form, lemma, morphology, part of speech, relation.
pub const COLUMNS: usize = 5;
/// The columns that are syntax.
pub const POS: usize = 3;
/// The relation to the head.
pub const RELATION: usize = 4;

/// What stands behind a sentence; [`NONE`] is what stands before it, above its root, and its silent root.
pub const END: u32 = NONE - 1;

const VALUE_BEFORE: u32 = 1;
const VALUE_AFTER: u32 = 2;

/// Many sentences in flat arrays.
#[derive(Debug, Clone, Copy)]
pub struct Corpus<'a> {
    /// Where they begin.
    pub sentences: Sentences<'a>,
    heads: &'a [u32],
    columns: [&'a [u32]; COLUMNS],
}

impl<'a> Corpus<'a> {
    /// Puts arrays of the same words together.
    ///
    /// # Errors
    /// They differ in length.
    pub fn new(offsets: &'a [u64], heads: &'a [u32], columns: [&'a [u32]; COLUMNS]) -> Result<Self> {
        if columns.iter().any(|column| column.len() != heads.len()) {
            return Err(Error::input("the columns of a corpus differ in length"));
        }
        Ok(Self { sentences: Sentences::new(offsets, heads.len())?, heads, columns })
    }
}

/// One sentence; its memory serves for the next one too.
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    /// The tree.
    pub tree: Tree,
    columns: [Vec<u32>; COLUMNS],
    // The closest children on either side.
    inner: Vec<[u32; 2]>,
}

impl Sentence {
    /// Takes a sentence of a corpus.
    ///
    /// # Errors
    /// Its heads are no tree.
    pub fn take(&mut self, corpus: Corpus<'_>, k: usize) -> Result<()> {
        let range = corpus.sentences.range(k);
        self.tree.rebuild(&corpus.heads[range.clone()]).map_err(crate::reorder::in_sentence(k))?;
        for (own, all) in self.columns.iter_mut().zip(corpus.columns) {
            own.clear();
            own.extend_from_slice(&all[range.clone()]);
        }
        self.inner.clear();
        for v in 0..self.tree.words() as u32 {
            let children = self.tree.children(v);
            let split = children.partition_point(|&child| child < v);
            let left = split.checked_sub(1).map_or(NONE, |at| children[at]);
            self.inner.push([left, children.get(split).copied().unwrap_or(END)]);
        }
        Ok(())
    }

    /// How many words it has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.tree.words()
    }

    fn is_word(&self, v: u32) -> bool {
        (v as usize) < self.words()
    }

    /// A value of a vertex.
    #[must_use]
    pub fn value(&self, column: usize, v: u32) -> u32 {
        match self.columns[column].get(v as usize) {
            Some(&value) => value,
            None if v == END => VALUE_AFTER,
            None => VALUE_BEFORE,
        }
    }

    /// The word before.
    #[must_use]
    pub fn left(&self, v: u32) -> u32 {
        if self.is_word(v) && v > 0 { v - 1 } else { NONE }
    }

    /// The word after.
    #[must_use]
    pub fn right(&self, v: u32) -> u32 {
        if self.is_word(v) && (v as usize) + 1 < self.words() { v + 1 } else { END }
    }

    /// The head; [`NONE`] if it is no word.
    #[must_use]
    pub fn head(&self, v: u32) -> u32 {
        if !self.is_word(v) {
            return NONE;
        }
        let parent = self.tree.parent(v);
        if self.is_word(parent) { parent } else { NONE }
    }

    /// The vertex itself, words beside it, its head, words beside that, its head's head, and the closest children.
    #[must_use]
    pub fn around(&self, v: u32) -> [u32; 9] {
        let head = self.head(v);
        let [inner_left, inner_right] = self.inner.get(v as usize).copied().unwrap_or([NONE, END]);
        [
            v,
            self.left(v),
            self.right(v),
            head,
            self.left(head),
            self.right(head),
            self.head(head),
            inner_left,
            inner_right,
        ]
    }
}
