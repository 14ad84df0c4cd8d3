//! Sentence pairs as flat arrays of word ids.

use crate::{Error, Result};

/// The longest side of a pair, in tokens, that positions can address.
pub const MOST_TOKENS: usize = u16::MAX as usize - 1;

/// One language side: all tokens in a row, and where each sentence starts.
#[derive(Debug, Clone, Default)]
pub struct Side {
    words: Vec<u32>,
    starts: Vec<usize>,
    vocabulary: usize,
}

impl Side {
    /// A side from its sentences; `vocabulary` is one more than the largest id that may occur.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a [u32]>, vocabulary: usize) -> Self {
        let mut side = Self { words: Vec::new(), starts: vec![0], vocabulary };
        for sentence in sentences {
            side.push(sentence);
        }
        side
    }

    /// Adds a sentence.
    pub fn push(&mut self, sentence: &[u32]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.words.extend_from_slice(sentence);
        self.starts.push(self.words.len());
    }

    /// Gives every word the id that `ids` has for it.
    pub fn renumber(&mut self, ids: &[u32], vocabulary: usize) {
        for word in &mut self.words {
            *word = ids[*word as usize];
        }
        self.vocabulary = vocabulary;
    }

    /// The tokens of sentence `k`.
    pub fn sentence(&self, k: usize) -> &[u32] {
        &self.words[self.starts[k]..self.starts[k + 1]]
    }

    /// Where the tokens of sentence `k` start among all tokens.
    pub fn start(&self, k: usize) -> usize {
        self.starts[k]
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no sentence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of tokens.
    pub fn tokens(&self) -> usize {
        self.words.len()
    }

    /// How many different words occur.
    pub fn types(&self) -> usize {
        let mut seen = vec![false; self.vocabulary];
        for &word in &self.words {
            seen[word as usize] = true;
        }
        seen.into_iter().filter(|&seen| seen).count()
    }

    /// One more than the largest id that may occur.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }
}

/// Parallel text: sentence `k` of one side translates sentence `k` of the other.
#[derive(Debug, Clone, Default)]
pub struct Bitext {
    /// The side whose positions come first in a link.
    pub source: Side,
    /// The other side.
    pub target: Side,
}

impl Bitext {
    /// Joins two sides of equally many sentences.
    ///
    /// # Errors
    /// If the numbers of sentences differ, an id is outside its vocabulary, or a sentence is too long to address.
    pub fn new(source: Side, target: Side) -> Result<Self> {
        if source.len() != target.len() {
            return Err(Error::input(format!(
                "the source has {} sentences and the target {}",
                source.len(),
                target.len()
            ))
            .hint("give two texts with one sentence a line, translation by translation"));
        }
        for side in [&source, &target] {
            if side.words.iter().any(|&word| word as usize >= side.vocabulary) {
                return Err(Error::input("a word id is outside the vocabulary"));
            }
            for k in 0..side.len() {
                if side.sentence(k).len() > MOST_TOKENS {
                    return Err(Error::limit(format!("sentence {} has more than {MOST_TOKENS} tokens", k + 1))
                        .hint("split it or leave it out"));
                }
            }
        }
        Ok(Self { source, target })
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// The lengths of pair `k`: source tokens, target tokens.
    pub fn shape(&self, k: usize) -> Shape {
        Shape { source: self.source.sentence(k).len(), target: self.target.sentence(k).len() }
    }
}

/// The two lengths of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Source tokens.
    pub source: usize,
    /// Target tokens.
    pub target: usize,
}

impl Shape {
    /// Pairs of one source and one target token.
    pub fn cells(self) -> usize {
        self.source * self.target
    }

    /// Numbers in a [`super::block::Block`] of this shape.
    pub fn block(self) -> usize {
        2 * self.cells() + self.source + self.target
    }
}
