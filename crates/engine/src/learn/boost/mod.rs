//! Boosted confidence-rated decision trees along the path of an l1 penalty (Galron 2012, section 4.5.5, after Turian et al.
//! 2006).
//!
//! A classifier says of a step of search whether it is believed right (the sign of its score) and how surely (the magnitude).
//! Its features are not chosen by hand: every path from the root of a tree to a leaf is a conjunction of tests, and has one
//! weight. Trees grow only where the gradient of the loss outweighs the penalty, and the penalty falls step by step, so that
//! the ensemble for each penalty is the beginning of that for the next ([`Snapshot`]) and trying several needs no retraining.
//!
//! There is a classifier for each type of step, so thousands of them: [`train_all`] trains them side by side, [`Classifiers`]
//! holds them in flat arrays that are mapped from a file.
//!
//! ```
//! use tolka_engine::learn::boost::{Examples, Field, Settings, cost, train};
//! let fields = [Field::symbols(0, 2), Field::number(2)];
//! let mut examples = Examples::new(&fields);
//! for value in 0..8_u16 {
//!     examples.push(&[7, u32::from(value % 2), f32::from(value).to_bits()], value > 4);
//! }
//! let ensemble = train(&examples, &Settings::default(), None)?;
//! let last = ensemble.snapshots.len() - 1;
//! assert!(ensemble.score(&[7, 0, 6_f32.to_bits()], last) > 2.0);
//! assert!(cost(ensemble.score(&[7, 1, 2_f32.to_bits()], last)) > 2.0);
//! # Ok::<(), tolka_engine::Error>(())
//! ```

mod classifiers;
mod columns;
mod ensemble;
mod examples;
mod grow;
mod loss;
#[cfg(test)]
mod malformed_tests;
mod mass;
mod residual;
mod split;
#[cfg(test)]
mod tests;
mod train;
mod trees;

pub use classifiers::{Classifiers, KIND};
pub use ensemble::Ensemble;
pub use examples::{Examples, Field, FieldKind, slots};
pub use loss::{best_step, cost, gain};
pub use mass::Mass;
pub use residual::Residual;
pub use train::{Settings, train, train_all};
pub use trees::{LEAF, Node, Snapshot, Trees};
