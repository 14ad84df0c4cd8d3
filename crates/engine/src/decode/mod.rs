//! Decoders: strategies that search the derivations of a sentence under rules, language models and weights.
//!
//! A [`Model`] is what they all share; [`walks`] finds the rules of all its sources together, [`options`] turns those that
//! match into scored translation options. Strategies stand behind one [`Search`] trait: `chart` builds derivations bottom
//! up, `phrase` from left to right over the target.

pub mod batch;
pub mod bounds;
pub mod chart;
pub mod effort;
#[cfg(test)]
mod found;
pub mod given;
pub mod input;
pub mod model;
pub mod options;
mod packing;
pub mod phrase;
pub mod plf;
mod queue;
pub mod scorer;
pub mod search;
pub mod sparse;
pub mod undirected;
pub mod walks;

pub use bounds::{Span, SpanKind};
pub use effort::Effort;
pub use given::Given;
pub use input::Input;
pub use model::{Model, Weights};
pub use scorer::Scorer;
pub use search::{Growth, Search, Strategy};
