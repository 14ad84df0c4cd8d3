//! Scoring fragments of sentences in any order, as chart decoders build them.
//!
//! A fragment's first words are scored with the context there is; when words come to its left, those scores are
//! corrected. Whatever the bracketing, a whole sentence gets the score it has from left to right.

use super::model::LanguageModel;
use super::state::{Fragment, MOST_CONTEXT, State};

/// Scores one fragment, made of words and of smaller fragments, from left to right.
#[derive(Clone, Copy)]
pub struct FragmentScorer<'a, M: LanguageModel + ?Sized> {
    model: &'a M,
    fragment: Fragment,
    /// Whether what comes further right can no longer depend on the fragment's left.
    closed: bool,
    prob: f32,
    queries: u32,
}

impl<'a, M: LanguageModel + ?Sized> FragmentScorer<'a, M> {
    /// An empty fragment.
    pub fn new(model: &'a M) -> Self {
        Self { model, fragment: Fragment::EMPTY, closed: false, prob: 0.0, queries: 0 }
    }

    /// A fragment that begins with the start of the sentence.
    pub fn begin_sentence(model: &'a M) -> Self {
        let fragment = Fragment { right: model.begin(), ..Fragment::EMPTY };
        Self { model, fragment, closed: true, prob: 0.0, queries: 0 }
    }

    /// Appends a word.
    pub fn terminal(&mut self, word: u32) {
        let before = usize::from(self.fragment.right.length);
        self.queries += 1;
        let (scored, right) = self.model.full_score(&self.fragment.right, word);
        self.fragment.right = right;
        self.prob += scored.prob;
        if self.closed {
            return;
        }
        if scored.independent_left {
            self.closed = true;
            return;
        }
        self.open(scored.node, scored.node_prob);
        // A right context that did not grow by the word has forgotten the left end.
        if usize::from(right.length) != before + 1 {
            self.closed = true;
        }
    }

    /// Appends a fragment whose score is `prob`.
    pub fn nonterminal(&mut self, inner: &Fragment, prob: f32) {
        self.prob += prob;
        let open = inner.open();
        if open.is_empty() {
            if inner.full {
                self.prob += self.fragment.right.backoffs().iter().sum::<f32>();
                self.closed = true;
                self.fragment.right = inner.right;
            }
            return;
        }
        let context: State = self.fragment.right;
        if context.words().is_empty() {
            self.fragment.right = inner.right;
            if self.closed {
                return;
            }
            if self.fragment.length > 0 {
                self.closed = true;
            } else {
                self.fragment = *inner;
                self.closed = inner.full;
            }
            return;
        }
        let mut backoffs = context.backoffs;
        let mut useful = context.words().len();
        for (n, &node) in open.iter().enumerate() {
            let start = (node, inner.probs[n]);
            let words = &context.words()[..useful];
            let extension = self.model.extend_left(words, &backoffs[..useful], start, n + 1);
            self.prob += extension.change;
            self.queries += 1;
            if !self.closed {
                if extension.independent_left {
                    self.closed = true;
                } else {
                    self.open(extension.node, extension.node_prob);
                }
            }
            (backoffs, useful) = (extension.backoffs, extension.useful);
            if useful != context.words().len() {
                self.closed = true;
                if useful == 0 {
                    self.fragment.right = inner.right;
                    return;
                }
            }
        }
        if inner.full {
            self.prob += backoffs[..useful].iter().sum::<f32>();
            self.closed = true;
            self.fragment.right = inner.right;
            return;
        }
        let inside = usize::from(inner.right.length);
        self.fragment.right = inner.right;
        if inside < open.len() {
            // The inner fragment has forgotten its left end already.
            return;
        }
        // All of the inner fragment is context, and behind it what is still useful of the outer one.
        let room = useful.min(MOST_CONTEXT - inside);
        let right = &mut self.fragment.right;
        right.words[inside..inside + room].copy_from_slice(&context.words[..room]);
        right.backoffs[inside..inside + room].copy_from_slice(&backoffs[..room]);
        right.length = (inside + room) as u8;
    }

    /// Appends a fragment of which only the first `left` open words (more than there are: all, and that there are no
    /// more) and the last `right` words of the right context are known, for an estimate of the score: what the fragment
    /// hides is scored as it was inside it (Heafield et al. 2013, section 3.1).
    pub fn partly(&mut self, inner: &Fragment, left: usize, right: usize) {
        let open = inner.open();
        let context: State = self.fragment.right;
        let mut backoffs = context.backoffs;
        let mut useful = context.words().len();
        for (n, &node) in open.iter().take(left).enumerate() {
            if useful == 0 {
                break;
            }
            let words = &context.words()[..useful];
            let extension = self.model.extend_left(words, &backoffs[..useful], (node, inner.probs[n]), n + 1);
            self.prob += extension.change;
            self.queries += 1;
            (backoffs, useful) = (extension.backoffs, extension.useful);
        }
        if left > open.len() && inner.full {
            self.prob += backoffs[..useful].iter().sum::<f32>();
        }
        self.closed = true;
        self.fragment.right = inner.right;
        self.fragment.right.length = inner.right.length.min(right.min(MOST_CONTEXT) as u8);
    }

    /// How often the language model was asked.
    pub fn queries(&self) -> u32 {
        self.queries
    }

    /// The score so far.
    pub fn prob(&self) -> f32 {
        self.prob
    }

    /// The score, and what must be remembered of the fragment.
    pub fn finish(mut self) -> (f32, Fragment) {
        self.fragment.full = self.closed || usize::from(self.fragment.length) + 1 >= self.model.order();
        (self.prob, self.fragment)
    }

    fn open(&mut self, node: u64, prob: f32) {
        let at = usize::from(self.fragment.length);
        if at < MOST_CONTEXT {
            self.fragment.nodes[at] = node;
            self.fragment.probs[at] = prob;
            self.fragment.length += 1;
        }
    }
}
