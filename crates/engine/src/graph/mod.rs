//! Graphs of words: what stands around phrases in plain text, which phrases are used alike, and how labels spread from
//! those that have some to those that have none (Razmara 2013, chapter 5; Talukdar & Crammer 2009).
//!
//! A [`Text`] gives [`Profiles`] of its phrases, counts of the words around them; [`Profiles::weigh`] makes associations
//! of counts, and [`Index`] finds the nearest neighbours of rows. A [`Graph`] joins neighbours; [`System`] is the linear
//! system of Modified Adsorption on it, which [`System::step`] iterates and [`System::solve`] solves.

mod adsorb;
mod edges;
mod frames;
mod index;
mod labels;
mod names;
mod phrases;
mod profiles;
mod pruned;
mod similar;
mod solve;
mod spelling;
#[cfg(test)]
mod tests;
mod text;
mod weigh;

pub use adsorb::{Settings, System};
pub use edges::Graph;
pub use index::{Found, Index};
pub use labels::{Labels, Seeds};
pub use names::Names;
pub use phrases::MOST_WORDS;
pub use profiles::{Around, Profiles, Values, Which};
pub use pruned::Pruning;
pub use similar::Similarity;
pub use spelling::spelling_profiles;
pub use text::Text;
pub use weigh::{Marginals, Measure};

/// No word, phrase or node.
const NONE: u32 = u32::MAX;
/// Rows that threads work on before what they made is put together: enough for all threads, little beside the whole.
const GROUP: usize = 1 << 15;
/// Rows that a thread takes at a time.
const PIECE: usize = 64;
