//! Boosting along the path of the penalty.

use rayon::prelude::*;

use super::classifiers::Classifiers;
use super::ensemble::Ensemble;
use super::examples::{Examples, Field};
use super::grow::{Grower, MOST_DEPTH};
use super::trees::Snapshot;
use crate::{Error, Result};

/// How classifiers are trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The first penalty; with weights that are 1 together, nothing can be learnt at 0.5 or more.
    pub start: f64,
    /// What the penalty is multiplied by from step to step.
    pub decay: f64,
    /// No penalty is less.
    pub least: f64,
    /// By how much of itself the risk must fall for a tree to be kept.
    pub tolerance: f64,
    /// How many tests a path may have; trees never have more than 256.
    pub max_depth: Option<u32>,
    /// How many trees a penalty may add.
    pub trees_per_penalty: usize,
    /// How many trees there may be.
    pub max_trees: usize,
    /// How many bins numbers are put into, 255 at most; 0 to try every threshold always.
    pub bins: usize,
    /// In leaves of so many examples or fewer every threshold between two numbers is tried, in others those between bins.
    pub exact: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            start: 0.375,
            decay: 0.5,
            least: 3.0 / 4096.0,
            tolerance: 1e-4,
            max_depth: None,
            trees_per_penalty: 1000,
            max_trees: 10_000,
            bins: 255,
            exact: 1024,
        }
    }
}

/// Penalties that a path may have.
const MOST_PENALTIES: usize = 1000;

impl Settings {
    /// Makes sure that they can be trained with.
    ///
    /// # Errors
    /// Values that make no sense.
    pub fn check(&self) -> Result<()> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let wrong = if !positive(self.start) || !positive(self.least) || self.least > self.start * (1.0 + 1e-9) {
            ("penalties fall from start to least, which are above 0", "use 0.375 and 3/4096")
        } else if !(positive(self.decay) && self.decay < 1.0) {
            ("the decay of the penalty is between 0 and 1", "use 0.5")
        } else if !(self.tolerance >= 0.0 && self.tolerance < 1.0) {
            ("the tolerance is a share of the risk, from 0 to 1", "use 0.0001")
        } else if self.bins > 255 || self.bins == 1 {
            ("numbers are put into 2 to 255 bins, or into none", "use 255, or 0 for none")
        } else if self.penalties().nth(MOST_PENALTIES).is_some() {
            ("a path has at most 1000 penalties", "use a smaller decay")
        } else {
            return Ok(());
        };
        Err(Error::settings(wrong.0).hint(wrong.1))
    }

    /// The penalties of the path.
    pub fn penalties(&self) -> impl Iterator<Item = f64> {
        let (decay, least) = (self.decay, self.least * (1.0 - 1e-9));
        std::iter::successors(Some(self.start), move |last| Some(last * decay)).take_while(move |&each| each >= least)
    }

    pub(super) fn depth(&self) -> u32 {
        self.max_depth.unwrap_or(MOST_DEPTH).min(MOST_DEPTH)
    }
}

/// Trains a classifier. The path always goes to its end, so that all classifiers have the same snapshots: at its start nothing
/// can be learnt, and that the risk does not change there says nothing. With one to begin `from`, all its trees are kept, and more are added from the first penalty on; of its
/// snapshots, those of greater penalties.
///
/// # Errors
/// Examples that do not fit together, settings that make no sense, an ensemble of other fields.
pub fn train(examples: &Examples<'_>, settings: &Settings, from: Option<&Ensemble>) -> Result<Ensemble> {
    settings.check()?;
    examples.check()?;
    let mut made = from.cloned().unwrap_or_else(|| Ensemble::empty(examples.fields));
    if made.fields != examples.fields {
        return Err(Error::settings("an ensemble of other fields cannot be continued").hint("train a new one"));
    }
    made.snapshots.retain(|snapshot| snapshot.penalty > settings.start * (1.0 + 1e-9));
    made.risks.clear();
    let mut grower = Grower::new(examples, settings);
    let mut size = 0.0;
    if !made.roots.is_empty() {
        for (at, score) in grower.scores.iter_mut().enumerate() {
            *score += made.score(examples.row(at), usize::MAX);
        }
        let each = made.nodes.iter().zip(&made.weights);
        size = each.filter(|(node, _)| node.is_leaf()).map(|(_, weight)| weight.abs()).sum();
    }
    let mut loss = grower.loss();
    for penalty in settings.penalties() {
        let mut risk = loss + penalty * size;
        made.risks.push((penalty, made.roots.len() as u64, risk));
        for _ in 0..settings.trees_per_penalty {
            if made.roots.len() >= settings.max_trees {
                break;
            }
            let begin = made.nodes.len();
            grower.grow(made.roots.len(), penalty, &mut made.nodes, &mut made.weights);
            if u32::try_from(made.nodes.len()).is_err() {
                return Err(Error::limit("a classifier has at most 4 thousand million nodes"));
            }
            grower.apply(&made.weights);
            let (new_loss, new_size) = (grower.loss(), size + grower.size(&made.weights));
            let new_risk = new_loss + penalty * new_size;
            // Also where nothing is a number any more.
            let falls = risk - new_risk > settings.tolerance * risk;
            if !falls {
                grower.undo();
                made.nodes.truncate(begin);
                made.weights.truncate(begin);
                break;
            }
            made.roots.push(begin as u32);
            (loss, size, risk) = (new_loss, new_size, new_risk);
            made.risks.push((penalty, made.roots.len() as u64, risk));
        }
        made.snapshots.push(Snapshot { penalty, trees: made.roots.len() as u64 });
    }
    Ok(made)
}

/// Trains classifiers side by side, each by its key, on the threads that there are; how many does not change what they learn.
/// Those that are in `from` go on from there, others of it are kept as they are.
///
/// # Errors
/// As for [`train`]; two classifiers of the same key.
pub fn train_all(
    fields: &[Field],
    all: &[(u64, Examples<'_>)],
    settings: &Settings,
    from: Option<&Classifiers>,
) -> Result<Classifiers> {
    settings.check()?;
    let one = |(key, examples): &(u64, Examples<'_>)| -> Result<(u64, Ensemble)> {
        let from = from.and_then(|from| from.get(*key)).map(|trees| trees.to_ensemble());
        let made = train(examples, settings, from.as_ref())?;
        Ok((*key, made))
    };
    let mut made = all.par_iter().map(one).collect::<Result<Vec<_>>>()?;
    if let Some(from) = from {
        let mut keys: Vec<u64> = all.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        let kept = from.iter().filter(|(key, _)| keys.binary_search(key).is_err());
        made.extend(kept.map(|(key, trees)| (key, trees.to_ensemble())));
    }
    Classifiers::new(fields, made)
}
