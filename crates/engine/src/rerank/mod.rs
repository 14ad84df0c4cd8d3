//! Features of whole translations, for choosing again from a decoder's lists.
//!
//! Two families (Miceli Barone 2015, chapter 5): states of a reservoir that runs over the words of a translation, its source,
//! their alignment and the source's dependencies until nothing changes any more ([`network`]), and counts of what a
//! derivation's phrases do to the dependencies of the source ([`phrases`]). Nothing is trained here; weights of these features
//! are learnt by the tuners.

pub mod graph;
pub mod kernel;
pub mod network;
pub mod phrases;
pub mod reservoir;

pub use graph::Graph;
pub use network::{Batch, Matrices, Network, Pooled, Settings};
pub use reservoir::Norm;
