//! Translation as a search for multitrees (Galron 2012): binary trees over a sentence and its translation.
//!
//! [`translation`] is the logic that translates, [`pairs`] the one that parses a sentence together with its translation;
//! both are parameters of the generalised [`crate::parse::Parser`]. What inferences cost is learnt from both at once
//! ([`learning`], by the coordinator of [`crate::learn`]).

pub mod align;
#[cfg(test)]
mod align_tests;
pub mod analysis;
mod checkpoint;
pub mod choices;
pub mod corpus;
pub mod counts;
pub mod cubes;
pub mod examples;
pub mod extension;
pub mod features;
pub mod fertility;
pub mod forests;
pub mod grammars;
pub mod judge;
pub mod language;
pub mod learning;
pub mod lexicon;
pub mod links;
#[cfg(test)]
mod malformed_tests;
pub mod mapping;
pub mod model;
pub mod options;
pub mod pairs;
pub mod phrases;
pub mod piece;
pub mod places;
pub mod profile;
pub mod quality;
#[cfg(test)]
mod rules_tests;
pub mod seen;
pub mod shares;
pub mod source;
pub mod store;
#[cfg(test)]
mod tests;
pub mod text;
pub mod translate;
pub mod translation;
pub mod words;
