//! The probabilities of a grammar whose symbols have variants (latent annotations; Matsuzaki et al. 2005).

use super::lexicon::Lexicon;
use super::outline::Outline;
use crate::files::Section;
use crate::{Error, Result};

/// Variants that a symbol may have at most.
pub const MOST_VARIANTS: u32 = 64;

/// Where the numbers of each symbol and rule begin, by how many variants symbols have.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// How many variants each symbol has.
    pub variants: Vec<u32>,
    /// The first state of each symbol, and how many there are: a state is a symbol in a variant.
    pub states: Vec<usize>,
    /// Where the block of each binary rule begins, and an end. It has a number for each variant of the left part, of the
    /// right part and of the parent, the last ones side by side.
    pub binary: Vec<usize>,
    /// Where the block of each unary rule begins, and an end; a number for each variant of child and parent.
    pub unary: Vec<usize>,
}

impl Places {
    /// For symbols with these numbers of variants.
    ///
    /// # Errors
    /// Not a number for each symbol, or too large ones.
    pub fn new(outline: &Outline, variants: Vec<u32>) -> Result<Self> {
        if variants.len() != outline.symbols() || variants.iter().any(|&count| count == 0 || count > MOST_VARIANTS) {
            return Err(Error::format("the numbers of variants do not fit the symbols"));
        }
        let size = |symbols: &[u32]| symbols.iter().map(|&symbol| variants[symbol as usize] as usize).product();
        let states = begins(variants.iter().map(|&count| count as usize));
        let binary = begins(outline.binary().iter().map(|rule| size(rule)));
        let unary = begins(outline.unary().iter().map(|rule| size(&rule[..2])));
        Ok(Self { variants, states, binary, unary })
    }

    /// How many variants a symbol has.
    #[inline]
    pub fn of(&self, symbol: u32) -> usize {
        self.variants[symbol as usize] as usize
    }
}

/// The sums of all that come before, and of all.
pub(super) fn begins(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0;
    let mut found = vec![0];
    found.extend(sizes.map(|size| {
        sum += size;
        sum
    }));
    found
}

/// One level: how many variants symbols have, and what is how probable.
///
/// Of a state the unary rules and [`Level::kept`] add up to 1, and so do the binary rules; words are the lexicon's.
#[derive(Debug, Clone, Default)]
pub struct Level {
    /// Where what is.
    pub places: Places,
    /// The binary rules' blocks.
    pub binary: Section<f32>,
    /// The unary rules' blocks.
    pub unary: Section<f32>,
    /// For each state the chance that it has no unary rule.
    pub kept: Section<f32>,
    /// What words are how probable.
    pub lexicon: Lexicon,
}

impl Level {
    /// Checks that everything is there and is a probability.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self) -> Result<()> {
        let states = *self.places.states.last().unwrap_or(&0);
        let sizes = [
            (self.binary.len(), self.places.binary.last()),
            (self.unary.len(), self.places.unary.last()),
            (self.kept.len(), Some(&states)),
        ];
        if sizes.iter().any(|(found, wanted)| Some(found) != *wanted) {
            return Err(Error::format("the probabilities do not fit the rules"));
        }
        let wrong = |values: &[f32]| values.iter().any(|value| !(0.0..=1.001).contains(value));
        if wrong(&self.binary) || wrong(&self.unary) || wrong(&self.kept) {
            return Err(Error::format("a probability of a rule is not between 0 and 1"));
        }
        self.lexicon.check(states)
    }
}
