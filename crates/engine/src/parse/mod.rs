//! Generalised parsing: one engine, five parameters (Melamed & Wang 2005; Galron 2012, section 4.1).
//!
//! | parameter | here | what it says |
//! |---|---|---|
//! | logic | [`Logic`] | which items there are, and which inferences make new ones of them |
//! | grammar | [`Grammar`] | what an inference costs; [`Cost::NEVER`] forbids it |
//! | semiring | [`Algebra`] | what the costs of a derivation's inferences come to, and which derivation is better |
//! | search strategy | [`Search`] | best first, with a beam per cell, a threshold, a bound of what is missing |
//! | termination | [`Limits`] and a predicate | when enough is known |
//!
//! A [`Parser`] puts them together. Parsing with a context-free grammar, aligning two sentences, and translating one are
//! the same loop with other parameters.

pub mod agenda;
pub mod algebra;
pub mod cost;
pub mod cover;
pub mod grammar;
pub mod logic;
pub mod mono;
pub mod parser;
pub mod sequences;
#[cfg(test)]
mod tests;
mod ties;

pub use agenda::Agenda;
pub use algebra::{Algebra, MinMerge, Viterbi};
pub use cost::Cost;
pub use cover::{Covered, covers};
pub use grammar::{Additive, Grammar, Sequential};
pub use logic::{Chart, Inference, Logic, Match, NO_ITEM};
pub use parser::{Ended, Fired, Kept, Limits, Parser, Search, Step};
