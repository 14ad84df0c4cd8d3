//! Text as people have it: reading lines, tokenising, cleaning, casing, vocabularies.

pub mod casing;
pub mod clean;
pub mod normalise;
pub mod pair_key;
pub mod rules;
pub mod scripts;
pub mod split;
pub mod statistics;
pub mod truecase;
pub mod vocabulary;
pub mod words;
