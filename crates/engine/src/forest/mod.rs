//! Packed forests of derivations, and what can be asked of them.
//!
//! A [`Hypergraph`] grows while something is searched; a [`Forest`] is what it is frozen to.

pub mod best_ways;
pub mod builder;
pub mod derivation;
#[expect(clippy::module_inception, reason = "the forest is what the room is about")]
pub mod forest;
pub mod hypergraph;
#[cfg(test)]
mod hypergraph_tests;
pub mod inside;
pub mod json;
pub mod kbest;
pub mod min_merge;
pub mod mixture;
pub mod ngrams;
pub mod parts;
pub mod sample;
pub mod semiring;
#[cfg(test)]
pub(crate) mod tests;
pub mod union;
pub mod walk;

pub use best_ways::{Bag, Way, Ways};
pub use builder::ForestBuilder;
pub use forest::{Edge, Forest, ForestRule, NO_WORD, NodeLabel, RuleKind};
pub use hypergraph::{Hypergraph, NO_NODE};
