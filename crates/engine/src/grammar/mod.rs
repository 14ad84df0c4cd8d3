//! Synchronous grammars: rules with a source side, a target side and features, and the tables that hold them.
//!
//! Rules come from aligned text ([`extract`], then [`score`]) or from files of other systems.

pub mod aligned;
mod blocks;
mod code;
pub mod extract;
#[cfg(test)]
mod extract_tests;
mod group;
mod hiero;
mod keys;
pub mod lexical;
mod marginal;
pub mod pattern;
mod phrases;
pub mod score;
pub mod settings;
mod smoothing;
pub mod symbol;
pub mod table;
pub mod table_builder;
#[cfg(test)]
mod table_tests;
mod tally;
mod tape;

pub use symbol::Symbol;
pub use table::{Rule, Table};
pub use table_builder::TableBuilder;
