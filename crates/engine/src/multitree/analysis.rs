//! What classifiers learnt, in figures (Galron 2012, sections 5.6 and 5.8).

use rayon::prelude::*;

use super::corpus::Corpus;
use super::grammars::coarse_key;
use super::piece::Type;
use crate::learn::boost::{Classifiers, Mass};

/// How sure classifiers are of inferences of a type.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Confidence {
    /// Examples they believe to be right, and those they do not.
    pub believed: [u64; 2],
    /// The sums of their confidences, without signs.
    pub sums: [f64; 2],
    /// Examples they are right about.
    pub right: u64,
    /// Examples no classifier knows.
    pub unknown: u64,
}

impl Confidence {
    /// Mean magnitudes where they believe, and where they do not.
    pub fn means(&self) -> [f64; 2] {
        [0, 1].map(|side| self.sums[side] / (self.believed[side].max(1) as f64))
    }

    fn add(mut self, other: Self) -> Self {
        for side in 0..2 {
            self.believed[side] += other.believed[side];
            self.sums[side] += other.sums[side];
        }
        self.right += other.right;
        self.unknown += other.unknown;
        self
    }
}

impl Corpus {
    /// How sure classifiers are of the examples so far, at most so many of each type.
    pub fn confidence(&self, most: usize) -> Vec<(Type, Confidence)> {
        let kinds = [Type::Bilingual, Type::Monotonic, Type::Inverted];
        kinds.into_iter().map(|kind| (kind, self.confidence_of(kind, most))).collect()
    }

    fn confidence_of(&self, kind: Type, most: usize) -> Confidence {
        let (model, with) = (&self.model, self.with());
        let Some(classifiers) = &model.classifiers else { return Confidence::default() };
        let which = self.labelled.sample(kind, most);
        // Sums of floats depend on their order, so the pieces are the same whatever the threads.
        let pieces = which.par_chunks(1024).map(|some| {
            let (mut row, mut found) = (vec![0; model.features.slots()], Confidence::default());
            for &at in some {
                let (key, label) = self.labelled.row(at, &with, &mut row);
                let all = [(Some(model.penalty), key), (model.coarse, coarse_key(kind))];
                let scores = all.into_iter().filter_map(|(penalty, key)| {
                    let trees = classifiers.get(key)?;
                    Some(trees.score(&row, trees.snapshot(penalty?)?))
                });
                let Some(score) = scores.reduce(|a, b| a + b) else {
                    found.unknown += 1;
                    continue;
                };
                let side = usize::from(score <= 0.0);
                found.believed[side] += 1;
                found.sums[side] += score.abs();
                found.right += u64::from(label == (score > 0.0));
            }
            found
        });
        pieces.collect::<Vec<_>>().into_iter().fold(Confidence::default(), Confidence::add)
    }
}

/// By field, how much the last tests of paths change weights, over classifiers of leaves or of joins.
pub fn mass_of(classifiers: &Classifiers, joins: bool, penalty: f64, coarse: Option<f64>) -> Mass {
    let mut mass = Mass::new(classifiers.fields().len());
    for (key, trees) in classifiers.iter() {
        let shared =
            [Type::Monotonic, Type::Inverted, Type::Bilingual].into_iter().find(|&kind| coarse_key(kind) == key);
        let (of_joins, penalty) = match shared {
            Some(kind) => (kind.is_join(), coarse),
            // The highest bit of a key tells pairs from joins.
            None => (key >> 63 == 0, Some(penalty)),
        };
        if of_joins == joins
            && let Some(snapshot) = penalty.and_then(|penalty| trees.snapshot(penalty))
        {
            mass.add(trees, snapshot);
        }
    }
    mass
}
