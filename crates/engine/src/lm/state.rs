//! What a decoder remembers of the words so far: small values that are copied, compared and hashed.

use std::hash::{Hash, Hasher};

use super::ngrams::MOST_ORDER;

/// Most words of context.
pub const MOST_CONTEXT: usize = MOST_ORDER - 1;

/// The right context of a hypothesis: the words that can still matter for what follows, most recent first, with the
/// back-off weights of the contexts they form.
///
/// It is minimal: a word is left out when no n-gram extends the context that begins with it (Li & Khudanpur 2008;
/// Heafield 2011, section 4.1). Equal states have equal futures.
#[derive(Debug, Clone, Copy)]
pub struct State {
    pub(super) words: [u32; MOST_CONTEXT],
    pub(super) backoffs: [f32; MOST_CONTEXT],
    pub(super) length: u8,
}

impl State {
    /// No context.
    pub const EMPTY: Self = Self { words: [0; MOST_CONTEXT], backoffs: [0.0; MOST_CONTEXT], length: 0 };

    /// The words of the context, most recent first.
    #[inline]
    pub fn words(&self) -> &[u32] {
        &self.words[..usize::from(self.length).min(MOST_CONTEXT)]
    }

    /// For each number of words, log10 of the back-off weight of the context that long.
    #[inline]
    pub fn backoffs(&self) -> &[f32] {
        &self.backoffs[..usize::from(self.length).min(MOST_CONTEXT)]
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

/// What a fragment in the middle of a sentence needs to remember: its first words, whose probabilities still depend on
/// what comes before, and its right context.
///
/// Each first word stands for the n-gram from the start of the fragment to it; the fragment is `full` when nothing to
/// its left reaches beyond those words (Li & Khudanpur 2008; Heafield 2011, section 4.1; 2013, chapter 4).
#[derive(Debug, Clone, Copy)]
pub struct Fragment {
    pub(super) nodes: [u64; MOST_CONTEXT],
    pub(super) probs: [f32; MOST_CONTEXT],
    pub(super) length: u8,
    pub(super) full: bool,
    /// The right context.
    pub right: State,
}

impl Fragment {
    /// Nothing.
    pub const EMPTY: Self =
        Self { nodes: [0; MOST_CONTEXT], probs: [0.0; MOST_CONTEXT], length: 0, full: false, right: State::EMPTY };

    /// Stirs the fragment into a hash: equal fragments change it equally.
    #[inline]
    pub fn mix(&self, hash: u64) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut hash = hash ^ (u64::from(self.length) << 8 | u64::from(self.full));
        for &node in self.open() {
            hash = (hash.rotate_left(23) ^ node).wrapping_mul(ODD);
        }
        for &word in self.right.words() {
            hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(ODD);
        }
        // The table of hypotheses looks at the high bits as well as at the low ones.
        hash ^ hash >> 32
    }

    /// The open n-gram at a place, counted from the left, or how the fragment goes on behind the last one: a key that is
    /// equal for fragments that are alike there.
    #[inline]
    pub fn left_key(&self, at: usize) -> (u8, u64) {
        self.open().get(at).map_or((u8::from(self.full), 0), |&node| (2, node))
    }

    /// The word of the right context at a place, counted from the right.
    #[inline]
    pub fn right_key(&self, at: usize) -> (u8, u64) {
        self.right.words().get(at).map_or((0, 0), |&word| (2, u64::from(word)))
    }

    /// Whether it has no words.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0 && !self.full
    }

    /// How many open n-grams there are.
    #[inline]
    pub fn open_words(&self) -> usize {
        self.open().len()
    }

    /// The n-grams from the start of the fragment that a context may still extend.
    pub(super) fn open(&self) -> &[u64] {
        &self.nodes[..usize::from(self.length).min(MOST_CONTEXT)]
    }
}

impl PartialEq for Fragment {
    fn eq(&self, other: &Self) -> bool {
        self.open() == other.open() && self.full == other.full && self.right == other.right
    }
}

impl Eq for Fragment {}

impl Hash for Fragment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.open().hash(state);
        self.full.hash(state);
        self.right.hash(state);
    }
}
