//! What language models say of the target sides of options, asked once: many source sides have the same translations, and
//! so have the parts of an ensemble.

use std::ops::Range;

use hashbrown::HashTable;

use super::Options;
use crate::grammar::Symbol;

/// Target sides whose states are kept.
#[derive(Debug, Default)]
pub struct Spelled {
    known: HashTable<Known>,
}

/// A target side, and the first of its states.
#[derive(Debug, Clone, Copy)]
struct Known {
    target: [u32; 2],
    state: u32,
}

impl Known {
    fn symbols(self, all: &[Symbol]) -> &[Symbol] {
        &all[self.target[0] as usize..self.target[1] as usize]
    }
}

impl Spelled {
    /// Forgets all target sides.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// Where a target side is among the symbols, and the first of its states, if they are kept.
    #[inline]
    pub fn find(&self, own: &[Symbol], all: &[Symbol]) -> Option<(Range<u32>, u32)> {
        let found = self.known.find(hash(own), |known| known.symbols(all) == own)?;
        Some((found.target[0]..found.target[1], found.state))
    }
}

/// Of a target side.
#[inline]
fn hash(symbols: &[Symbol]) -> u64 {
    let mixed = symbols.iter().fold(0_u64, |hash, symbol| {
        let value = symbol.as_word().map_or_else(|| !u64::from(symbol.as_nonterminal().unwrap_or(0)), u64::from);
        (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mixed ^ mixed >> 32
}

impl Options<'_> {
    /// Keeps the target sides of the options from `start` on whose states, from `first` on, are new.
    pub(super) fn keep_spelled(&mut self, start: u32, first: usize) {
        let symbols = &self.symbols;
        for option in &self.options[start as usize..] {
            if (option.state as usize) < first {
                continue;
            }
            let known = Known { target: [option.target.start, option.target.end], state: option.state };
            let own = known.symbols(symbols);
            self.spelled
                .known
                .entry(hash(own), |other| other.symbols(symbols) == own, |other| hash(other.symbols(symbols)))
                .or_insert(known);
        }
    }
}
