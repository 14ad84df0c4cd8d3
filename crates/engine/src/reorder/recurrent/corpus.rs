//! Many sentences with their trees, and orders of them, in flat arrays.

use std::ops::Range;

use super::super::{Sentences, check_order, in_sentence};
use super::templates::SYMBOL_BITS;
use crate::{Error, Result};

/// Sentences: heads counted from 1 with 0 for a root; numbers of tags, relations and, for lexical models, words.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    offsets: Vec<u64>,
    heads: Vec<u32>,
    tags: Vec<u32>,
    relations: Vec<u32>,
    forms: Vec<u32>,
}

/// One sentence of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// Heads from 1, 0 for a root.
    pub heads: &'a [u32],
    /// Tags.
    pub tags: &'a [u32],
    /// Relations to the heads.
    pub relations: &'a [u32],
    /// Words; empty where models do not ask for them.
    pub forms: &'a [u32],
}

impl Corpus {
    /// A corpus of these arrays; `forms` may be empty.
    ///
    /// # Errors
    /// The arrays do not fit together, or there are more symbols than features have room for.
    pub fn new(
        offsets: Vec<u64>,
        heads: Vec<u32>,
        tags: Vec<u32>,
        relations: Vec<u32>,
        forms: Vec<u32>,
    ) -> Result<Self> {
        let words = heads.len();
        let sentences = Sentences::new(&offsets, words)?;
        let full = (0..sentences.len()).all(|at| !sentences.range(at).is_empty());
        if !full || tags.len() != words || relations.len() != words || !(forms.is_empty() || forms.len() == words) {
            return Err(Error::input("the arrays of the sentences do not fit together, or a sentence has no words"));
        }
        if tags.iter().chain(&relations).any(|&id| id >> SYMBOL_BITS != 0) {
            return Err(Error::limit(format!("there are more than {} tags or relations", 1 << SYMBOL_BITS)));
        }
        Ok(Self { offsets, heads, tags, relations, forms })
    }

    fn range(&self, at: usize) -> Range<usize> {
        self.offsets[at] as usize..self.offsets[at + 1] as usize
    }

    /// How many sentences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a sentence.
    #[must_use]
    pub fn words(&self, at: usize) -> usize {
        self.range(at).len()
    }

    /// A sentence.
    #[must_use]
    pub fn get(&self, at: usize) -> Words<'_> {
        let range = self.range(at);
        Words {
            heads: &self.heads[range.clone()],
            tags: &self.tags[range.clone()],
            relations: &self.relations[range.clone()],
            forms: if self.forms.is_empty() { &[] } else { &self.forms[range] },
        }
    }

    /// The part of a flat array that belongs to a sentence.
    #[must_use]
    pub fn part<'a>(&self, at: usize, flat: &'a [u32]) -> &'a [u32] {
        &flat[self.range(at)]
    }

    /// Checks flat orders: a permutation of 0, 1, … for each sentence.
    ///
    /// # Errors
    /// One is none.
    pub fn check_orders(&self, orders: &[u32]) -> Result<()> {
        if orders.len() != self.heads.len() {
            return Err(Error::input(format!("{} words have {} places in orders", self.heads.len(), orders.len())));
        }
        let mut seen = Vec::new();
        for at in 0..self.len() {
            check_order(self.part(at, orders), self.words(at), &mut seen).map_err(in_sentence(at))?;
        }
        Ok(())
    }
}
