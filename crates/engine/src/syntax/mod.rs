//! Dependency trees as flat arrays.

pub mod tree;

pub use tree::{NONE, Tree};
