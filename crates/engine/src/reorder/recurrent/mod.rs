//! Recurrent pre-orderers: a language model over the permutations of one sentence (Miceli Barone 2015, section 4.3).
//!
//! A step chooses one of the words not yet emitted. What is known of a candidate depends only on the candidate and on
//! the last word emitted, so it is summed once per pair ([`bags`]); what was emitted before is in a recurrent state
//! ([`cell`]). Here are the features ([`templates`], [`values`]), scores and search ([`score`], [`beam`]), and the half
//! of training that concerns sparse features ([`trainer`]). The dense half is differentiated in Python.

pub mod bags;
pub mod beam;
pub mod cell;
pub mod corpus;
pub mod model;
pub mod numbers;
pub mod optimise;
pub mod score;
pub mod sentence;
pub mod shape;
pub mod templates;
pub mod trainer;
pub mod values;
pub mod walks;

pub use corpus::Corpus;
pub use model::Model;
pub use optimise::Rule;
pub use shape::{Cell, Profile, Shape, Tensor};
pub use trainer::Trainer;
