//! Learning to act: discriminative reinforcement learning (Gesmundo & Henderson 2014, section 3).
//!
//! A task is solved by actions, one after the other; a linear policy takes the best by its weights, and only the end has a
//! reward. Nothing says which actions were right. So at one state another action is forced: if that ends better, the weights
//! move towards all that followed from it and away from all that followed from the policy's own. What the task is does not
//! matter here: an [`Episode`] has states, actions, features and rewards.
//!
//! Another way to learn to search: classifiers that say how sure a step is ([`boost`]), taught by two searches in lock-step
//! ([`coordinator`]). Labels for words are learnt so ([`labels`]).

pub mod boost;
pub mod coordinator;
pub mod drl;
mod explore;
pub mod labels;
pub mod learner;
#[cfg(test)]
mod tests;

use crate::Result;

pub use coordinator::{Coordinator, Event, Exploration, Mapper, Outcome};
pub use drl::{Method, Report, Settings, Span, epoch, variances};
pub use learner::{Learner, Step};

/// Features of an action, by number; one may come several times. A learner makes room for numbers that are new to it.
pub type Features = Vec<(u32, f64)>;

/// Weights as they are, and how often they were changed.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// One for each feature.
    pub values: &'a [f64],
    /// Another number means other weights.
    pub version: u64,
}

impl Weights<'_> {
    /// What a feature weighs; nothing if it was first seen later than these.
    pub fn of(&self, feature: u32) -> f64 {
        self.values.get(feature as usize).copied().unwrap_or(0.0)
    }
}

/// Where a policy acts: one example of a task at a time.
pub trait Episode {
    /// What can be done in a state.
    type Action: Copy + PartialEq + Send;

    /// Goes to the first state of an example.
    ///
    /// # Errors
    /// An example that cannot be read.
    fn begin(&mut self, example: usize, weights: Weights<'_>) -> Result<()>;

    /// The best action; nothing in the end.
    fn best(&mut self) -> Option<Self::Action>;

    /// Whether there is more than one action.
    fn has_choice(&mut self) -> bool;

    /// All actions, the best first.
    fn ranked(&mut self, actions: &mut Vec<Self::Action>);

    /// Adds the features of an action.
    fn features(&mut self, action: Self::Action, features: &mut Features);

    /// Takes an action.
    fn step(&mut self, action: Self::Action);

    /// How good the end is.
    fn reward(&mut self) -> f64;

    /// The best of those actions that an expert would take; nothing where it knows none, or there is no expert.
    fn expert(&mut self) -> Option<Self::Action> {
        None
    }

    /// What of an end all workers remember, if rewards depend on what was done before.
    fn outcome(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Remembers the outcome of an example. Between two batches, in the same order for all workers.
    fn remember(&mut self, _outcome: &[f64]) {}

    /// Forgets all outcomes, as an epoch begins.
    fn forget(&mut self) {}
}
