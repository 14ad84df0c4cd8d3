//! The symbols of rules.

use bytemuck::{Pod, Zeroable};

const NONTERMINAL: u32 = 1 << 31;

/// A word or a nonterminal of one side of a rule.
///
/// On the source side a nonterminal is its category; on the target side it is the place of its partner among the
/// nonterminals of the source side, 0 or 1. Words come before nonterminals in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Symbol(u32);

impl Symbol {
    /// The word with an id.
    #[inline]
    pub const fn word(id: u32) -> Self {
        Self(id & !NONTERMINAL)
    }

    /// A nonterminal: a category (source side) or a place (target side).
    #[inline]
    pub const fn nonterminal(number: u32) -> Self {
        Self(number | NONTERMINAL)
    }

    /// The word's id, if it is a word.
    #[inline]
    pub const fn as_word(self) -> Option<u32> {
        if self.0 & NONTERMINAL == 0 { Some(self.0) } else { None }
    }

    /// The nonterminal's category or place, if it is one.
    #[inline]
    pub const fn as_nonterminal(self) -> Option<u32> {
        if self.0 & NONTERMINAL == 0 { None } else { Some(self.0 & !NONTERMINAL) }
    }

    /// The symbol as a number of its own.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether it is a nonterminal.
    #[inline]
    pub const fn is_nonterminal(self) -> bool {
        self.0 & NONTERMINAL != 0
    }
}
