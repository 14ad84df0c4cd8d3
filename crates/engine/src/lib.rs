//! The engine of tolka.
//!
//! Everything hot lives here: text processing, tables, models and search. The crate is plain Rust, knows nothing of
//! Python, and is arranged in the same rooms as the Python package (`corpus`, `align`, `lm`, …), over one foundation
//! (`error`, `files`, `random`, `threads`). `unsafe` is denied everywhere except in [`files::mapped`], which says why it needs it.

pub mod align;
pub mod assist;
pub mod corpus;
pub mod decode;
pub mod error;
pub mod files;
pub mod forest;
pub mod grammar;
pub mod graph;
pub mod learn;
pub mod lm;
pub mod metric;
pub mod multitree;
pub mod panics;
pub mod parse;
pub mod random;
pub mod reorder;
pub mod rerank;
pub mod syntax;
pub mod threads;
mod total;
pub mod tune;

pub use error::{Error, Kind, Place, Result};
