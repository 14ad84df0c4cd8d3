//! Labels for the words of a sentence, learnt by the coordinator: a second task beside translation.
//!
//! The thesis says that nothing in its way of learning knows of translation (Galron 2012, section 6.3). Here it is with
//! another [`logic`] (from left to right, two labels are remembered), another grammar (a classifier for each label), and the
//! same parser, semirings, coordinator and boosted trees. The supervisor can only give the right labels; the predictor gives
//! any, and may follow a wrong one for some steps. That is what teaches it what becomes of a mistake: a label that cannot be
//! told from what came before it shows to be wrong by what follows, if what follows a wrong label was ever seen.

mod dictionary;
pub mod features;
pub mod logic;
pub mod model;
mod store;
mod teach;
#[cfg(test)]
mod tests;

pub use features::Window;
pub use logic::{Item, Label, Labels, Rule};
pub use model::{Labelled, Labeller, Semiring, Settings};
pub use teach::{Report, train};
