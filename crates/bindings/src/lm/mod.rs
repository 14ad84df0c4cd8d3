//! Language models for Python.

mod combine;
mod model;
mod train;

pub use combine::{LmClusterer, lm_mix, lm_prune, lm_tune};
pub use model::{LmModel, LmState};
pub use train::{LmReport, LmTrainer};
