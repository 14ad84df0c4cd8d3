//! Synchronous grammars: rules with a source side, a target side and features, and the tables that hold them.

pub mod symbol;
pub mod table;
pub mod table_builder;
#[cfg(test)]
mod table_tests;

pub use symbol::Symbol;
pub use table::{Rule, Table};
pub use table_builder::TableBuilder;
