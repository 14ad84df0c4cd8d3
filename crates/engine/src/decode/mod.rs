//! Decoders: strategies that search the derivations of a sentence under rules, language models and weights.
//!
//! A [`Model`] is what they all share; [`options`] turns the rules that match into scored translation options; `chart`
//! builds derivations bottom up.

pub mod chart;
pub mod input;
pub mod model;
pub mod options;

pub use input::Input;
pub use model::{Model, Weights};
