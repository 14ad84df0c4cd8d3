//! Dependency trees as flat arrays, constituency parsing, and forests of constituency trees.

pub mod forests;
pub mod heads;
pub mod pcfg;
pub mod tree;

pub use forests::ConstituentForest;
pub use tree::{NONE, Tree};
