//! A constituency parser that learns its grammar from a treebank.
//!
//! Trees are binarised elsewhere and come as flat arrays ([`treebank`]). The grammar of their rules is refined by splitting
//! symbols into variants (Petrov, Barrett, Thibaux and Klein 2006; [`refine`]), and sentences are parsed from coarse to fine
//! (Petrov and Klein 2007; [`parser`]). Another parser may take the same rules one by one ([`rules`]).

pub mod agenda;
mod coarse;
mod decode;
pub mod expectation;
pub mod grammar;
mod graph;
pub mod level;
pub mod lexicon;
pub mod outline;
pub mod packing;
pub mod parser;
pub mod refine;
pub mod rules;
pub mod signature;
#[cfg(test)]
mod tests;
pub mod treebank;
pub mod unfold;
mod unfolded;

pub use decode::Parsed;
pub use grammar::Grammar;
pub use outline::Outline;
pub use parser::{Best, Parser, Settings};
pub use refine::{Refinement, first_level};
pub use rules::{LevelRules, Rules};
pub use treebank::{Treebank, Trees};
pub use unfold::Unfolding;

use crate::Result;

/// Learns a grammar from trees, in one coarse level, one of half the rounds, and the finest.
///
/// # Errors
/// Trees or settings that make no sense, or `told` said to stop.
pub fn learn(
    trees: Trees<'_>,
    refinement: &Refinement,
    settings: String,
    told: &mut (dyn FnMut(usize, usize, f64) -> Result<()> + Send),
) -> Result<Grammar> {
    refinement.check()?;
    let treebank = Treebank::new(trees)?;
    if treebank.is_empty() {
        return Err(crate::Error::input("there is no tree to learn from").hint("is the treebank empty?"));
    }
    let levels = refine::refine(&treebank, first_level(&treebank)?, refinement, told)?;
    let last = levels.len() - 1;
    let wanted = |number: usize| number == 0 || number == last || number == last / 2;
    let levels = levels.into_iter().enumerate().filter(|&(number, _)| wanted(number)).map(|(_, level)| level);
    Grammar::new(treebank.outline.clone(), levels.collect(), settings)
}
