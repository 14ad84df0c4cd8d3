//! Text as people have it: reading lines, tokenising, cleaning, casing, vocabularies.

pub mod casing;
pub mod clean;
pub mod compounds;
pub mod decompress;
pub mod detokenise;
pub mod lines;
pub mod normalise;
pub mod pair_key;
pub mod rules;
pub mod scripts;
mod signature;
pub mod split;
pub mod statistics;
pub mod tokenise;
pub mod truecase;
pub mod vocabulary;
pub mod words;
pub mod write;

pub use decompress::{ByteReader, ReadLimits};
pub use lines::LineReader;
pub use write::TextWriter;
