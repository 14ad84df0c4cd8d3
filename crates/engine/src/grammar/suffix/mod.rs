//! Rules found when a sentence asks for them, by pattern matching in an aligned text that keeps growing (Lopez 2007;
//! Lopez 2008, "Tera-scale translation models via pattern matching").
//!
//! The text lies in immutable [`Segment`]s, each with a suffix array of either side. An [`Index`] is a list of
//! segments: new pairs become a segment of their own at once, and small segments are merged into larger ones.
//! [`Rules`] are a source that decoders walk through like any other; [`extract`] also makes tables of the rules of some
//! sentences.

mod chunks;
mod counts;
pub mod extract;
mod index;
mod occurrences;
mod pair;
mod queries;
mod segment;
mod side;
mod targets;
#[cfg(test)]
mod tests;
mod walk;

pub use extract::{Extraction, Rules};
pub use index::{Index, to_merge};
pub use segment::Segment;
