//! Dependency trees as flat arrays, and constituency parsing.

pub mod pcfg;
pub mod tree;

pub use tree::{NONE, Tree};
