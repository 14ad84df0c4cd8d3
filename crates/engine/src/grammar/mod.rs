//! Synchronous grammars: rules with a source side, a target side and features, and the tables that hold them.
//!
//! Rules come from aligned text ([`extract`], then [`score`]) or from files of other systems.

pub mod aligned;
mod blocks;
mod code;
mod codebook;
pub mod columns;
pub mod compose;
mod covered;
pub mod export;
pub mod extract;
#[cfg(test)]
mod extract_tests;
pub mod filter;
pub mod folds;
mod group;
mod hiero;
pub mod import;
pub mod join;
mod keys;
pub mod lexical;
pub mod lines;
mod marginal;
pub mod pattern;
mod phrases;
mod rows;
pub mod score;
pub mod settings;
mod sides;
pub mod significance;
mod smoothing;
mod sort;
pub mod source;
pub mod suffix;
pub mod symbol;
pub mod table;
pub mod table_builder;
mod table_check;
#[cfg(test)]
mod table_tests;
mod tally;
mod tape;
mod voices;
#[cfg(test)]
mod voices_tests;

pub use blocks::{Block, Blocks};
pub use phrases::{Neighbours, Place};
pub use sides::Sides;
pub use source::{RuleSource, Voice, Walk};
pub use symbol::Symbol;
pub use table::{Rule, Side, Table, Targets};
pub use table_builder::TableBuilder;
pub use voices::{MOST_VOICES, alone};
