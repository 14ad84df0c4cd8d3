//! Packed forests of derivations, and what can be asked of them.

pub mod derivation;
#[expect(clippy::module_inception, reason = "the forest is what the room is about")]
pub mod forest;
pub mod inside;
pub mod json;
pub mod kbest;
pub mod mixture;
pub mod ngrams;
pub mod parts;
pub mod sample;
pub mod semiring;
#[cfg(test)]
mod tests;
pub mod union;

pub use forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
