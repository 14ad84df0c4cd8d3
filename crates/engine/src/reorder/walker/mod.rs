//! The walker: classifiers choose each step of a walk on the tree (Miceli Barone, section 4.2), greedily or by beam search
//! over emitted words.
//!
//! Stage 1 chooses among EMIT, UP and DOWN; after DOWN, stage 2 compares children two by two. Actions that the automaton
//! does not allow are never chosen, so that every decoder ends with a permutation.

pub mod beam;
pub mod examples;
pub mod features;
pub mod greedy;
pub mod likelihood;
pub mod linear;
pub mod model;
pub mod refine;
pub mod scorer;
pub mod sentence;
pub mod state;

pub use model::Model;
pub use sentence::{Corpus, Sentence};
pub use state::State;
