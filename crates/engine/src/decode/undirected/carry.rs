//! What language models say of an action: a slot's carry, and the scan over the words that an action brings together.
//!
//! A word is complete when as many words before it are known as a language model sees, or all back to the start of the
//! sentence. Summed over the actions of a tree, in any order, the complete words are the whole sentence.

use super::menus::{Entry, Piece};
use crate::corpus::vocabulary::EOS;
use crate::lm::model::LanguageModel;
use crate::lm::state::{MOST_CONTEXT, State};

/// What is known before a word.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    /// What the language model remembers of it.
    pub state: State,
    /// How many words, at most those that it sees; all that it sees if they reach back to the start.
    pub known: usize,
}

impl Left {
    /// Nothing.
    pub const NOTHING: Self = Self { state: State::EMPTY, known: 0 };

    /// The start of the sentence.
    pub fn start(model: &dyn LanguageModel) -> Self {
        Self { state: model.begin(), known: model.order() - 1 }
    }
}

/// What a language model must know of a tree to score what is connected at a slot.
#[derive(Debug, Clone, Copy)]
pub struct Carry {
    /// Of a gap what is left of it; of a tree what a rule's words behind it see.
    pub left: Left,
    /// Right of a gap, or from the beginning of a tree on: words that are not complete, and log10 of what they score now.
    pub words: [u32; MOST_CONTEXT],
    pub scores: [f32; MOST_CONTEXT],
    pub count: usize,
    /// Whether these words are all there are in the tree, so that words behind it see beyond them.
    pub solid: bool,
}

impl Carry {
    /// Nothing is known.
    pub const NOTHING: Self =
        Self { left: Left::NOTHING, words: [0; MOST_CONTEXT], scores: [0.0; MOST_CONTEXT], count: 0, solid: false };

    /// The sum of what its words score now.
    pub fn old(&self) -> f32 {
        self.scores[..self.count].iter().sum()
    }
}

/// What a language model says of an action, log10.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Said {
    /// The words that become complete.
    pub full: f32,
    /// The rule's words that do not.
    pub estimate: f32,
    /// Words that were there before and have more context now, but not all; and what these and those that became complete
    /// scored before.
    pub again: f32,
    pub before: f32,
    /// How many words become complete, and how often the language model was asked.
    pub completed: u32,
    pub queries: u32,
}

impl Said {
    /// By how much the estimate of all words there are changes.
    #[inline]
    pub fn change(&self) -> f32 {
        self.full + self.estimate + self.again - self.before
    }
}

/// Scans the words that an action brings together, for one language model.
pub struct Scan<'a> {
    model: &'a dyn LanguageModel,
    /// Words of context that it sees.
    context: usize,
    left: Left,
    said: Said,
}

impl<'a> Scan<'a> {
    fn new(model: &'a dyn LanguageModel, left: Left) -> Self {
        Self { model, context: model.order() - 1, left, said: Said::default() }
    }

    /// A rule in a gap: its words stand between what is left and what is right of the gap.
    pub fn below(model: &'a dyn LanguageModel, pieces: &[Piece], carry: &Carry) -> Said {
        let mut scan = Self::new(model, carry.left);
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                scan.left = Left::NOTHING;
            }
            scan.piece(piece);
        }
        scan.behind(carry);
        scan.said
    }

    /// A rule above a tree, which stands in one of its gaps, or a first rule; `begins` and `ends` if the start and the end of
    /// the sentence come with it.
    pub fn above(
        model: &'a dyn LanguageModel,
        (entry, pieces): (&Entry, &[Piece]),
        tree: Option<(usize, &Carry)>,
        [begins, ends]: [bool; 2],
    ) -> Said {
        let left = if begins { Left::start(model) } else { Left::NOTHING };
        let mut scan = Self::new(model, left);
        for (at, piece) in pieces.iter().enumerate() {
            scan.piece(piece);
            match tree {
                _ if at + 1 == pieces.len() => {}
                Some((gap, carry)) if entry.gap(at) == gap => scan.through(carry),
                _ => scan.left = Left::NOTHING,
            }
        }
        if ends {
            scan.end();
        }
        scan.said
    }

    #[inline]
    fn ask(&mut self, word: u32) -> f32 {
        self.said.queries += 1;
        let (scored, state) = self.model.full_score(&self.left.state, word);
        self.left.state = state;
        scored.prob
    }

    /// The rule's own words.
    #[inline]
    fn piece(&mut self, piece: &Piece) {
        let (count, before) = (piece.ids.len(), self.left.known);
        if count == 0 {
            return;
        }
        if before == 0 {
            self.said.full += piece.complete;
            self.said.estimate += piece.incomplete;
            self.said.completed += count.saturating_sub(self.context) as u32;
            self.left = Left { state: piece.right, known: count.min(self.context) };
            return;
        }
        let mut alone = false;
        for at in 0..count.min(self.context) {
            // Once only words of the piece matter, the rest is as it was on its own.
            alone |= self.left.state.words().len() <= at;
            let prob = if alone { piece.probs[at] } else { self.ask(piece.ids[at]) };
            if before + at >= self.context {
                self.said.full += prob;
                self.said.completed += 1;
            } else {
                self.said.estimate += prob;
            }
        }
        if alone || count > self.context {
            self.left.state = piece.right;
        }
        self.said.full += piece.complete;
        self.said.completed += count.saturating_sub(self.context) as u32;
        self.left.known = (before + count).min(self.context);
    }

    /// Words that were there and have more before them now.
    #[inline]
    fn behind(&mut self, carry: &Carry) {
        let before = self.left.known;
        if before == 0 {
            return;
        }
        let mut changes = true;
        for at in 0..carry.count {
            let old = carry.scores[at];
            // Once only these words matter, the rest scores what it did.
            changes &= self.left.state.words().len() > at;
            let prob = if changes { self.ask(carry.words[at]) } else { old };
            if before + at >= self.context {
                self.said.full += prob;
                self.said.completed += 1;
            } else {
                self.said.again += prob;
            }
            self.said.before += old;
        }
        if !changes {
            self.left.state = carry.left.state;
        }
        self.left.known = (before + carry.count).min(self.context);
    }

    /// A tree from its beginning to its end.
    fn through(&mut self, carry: &Carry) {
        let before = self.left.known;
        self.behind(carry);
        if before == 0 || !carry.solid {
            self.left = carry.left;
        }
    }

    /// The end of the sentence.
    fn end(&mut self) {
        let known = self.left.known;
        let prob = self.ask(EOS);
        if known >= self.context {
            self.said.full += prob;
            self.said.completed += 1;
        } else {
            self.said.estimate += prob;
        }
    }
}
