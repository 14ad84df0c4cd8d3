//! Where the neighbours of phrase pairs are: lexicalised orientation by phrases (Koehn et al. 2005; Galley & Manning 2008).
//!
//! A pair's neighbour before it in the target text, and the one behind it, is the block that lies there, however long; the
//! joins of a multitree are between just such blocks.

use std::io::{Seek, Write};

use crate::Result;
use crate::files::{Container, ContainerWriter, Section};
use crate::grammar::Place;

/// Before and behind, each in the same order, inverted, or elsewhere.
pub const PLACES: usize = 6;
/// How many pairs what is known of all counts as.
const PRIOR: f64 = 4.0;
const NAME: &str = "pairs.places";

/// How often neighbours were where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turns(pub [u32; PLACES]);

/// The place of a neighbour among [`PLACES`].
pub fn turn(behind: bool, place: Place) -> usize {
    3 * usize::from(behind) + place as usize
}

impl Turns {
    /// Of a pair whose neighbours are there.
    pub fn of([before, behind]: [Place; 2]) -> Self {
        let mut turns = Self::default();
        turns.0[turn(false, before)] += 1;
        turns.0[turn(true, behind)] += 1;
        turns
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, one)| *sum = sum.saturating_add(one));
    }
}

/// The logarithms of where neighbours are, by pair.
#[derive(Debug, Clone)]
pub struct Places(Section<f32>);

impl Places {
    /// Of all pairs in order. What is known of all is part of what is known of each.
    pub fn of<'a>(pairs: impl Iterator<Item = &'a Turns> + Clone) -> Self {
        let shares = |counts: &[f64], prior: &[f64], mass: f64| -> Vec<f64> {
            let total: f64 = counts.iter().sum::<f64>() + mass;
            counts.iter().zip(prior).map(|(count, prior)| (count + mass * prior) / total).collect()
        };
        let mut sums = [0.0; PLACES];
        pairs.clone().for_each(|turns| sums.iter_mut().zip(turns.0).for_each(|(sum, one)| *sum += f64::from(one)));
        let even = [1.0 / 3.0; 3];
        let all = [shares(&sums[..3], &even, 3.0), shares(&sums[3..], &even, 3.0)];
        let each = pairs.flat_map(|turns| {
            let counts = turns.0.map(f64::from);
            let sides = [shares(&counts[..3], &all[0], PRIOR), shares(&counts[3..], &all[1], PRIOR)];
            sides.concat().into_iter().map(|share| share.ln() as f32)
        });
        Self(each.collect::<Vec<f32>>().into())
    }

    /// Of one pair.
    pub fn of_pair(&self, pair: u32) -> &[f32] {
        &self.0[pair as usize * PLACES..(pair as usize + 1) * PLACES]
    }

    /// Adds them to a file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write<W: Write + Seek>(&self, file: &mut ContainerWriter<W>) -> Result<()> {
        file.section(NAME, &self.0)
    }

    /// Those of a file.
    ///
    /// # Errors
    /// A file without them.
    pub fn read(file: &Container) -> Result<Self> {
        Ok(Self(file.section(NAME)?))
    }

    /// Whether they are logarithms of so many pairs' probabilities.
    pub fn is_sound(&self, pairs: usize) -> bool {
        self.0.len() == pairs * PLACES && self.0.iter().all(|each| each.is_finite() && *each <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_lean_on_all() {
        let turns = [Turns([3, 0, 0, 0, 0, 3]), Turns([0, 0, 0, 0, 0, 0])];
        let places = Places::of(turns.iter());
        let shares: Vec<f64> =
            (0..2).flat_map(|pair| places.of_pair(pair).to_vec()).map(|p| f64::from(p).exp()).collect();
        // All of them: (3 + 1) / 6 before, in the same order.
        let wanted = [(3.0 + 4.0 * 4.0 / 6.0) / 7.0, (4.0 / 6.0) / 7.0, (4.0 / 6.0) / 7.0];
        shares.iter().zip(wanted).for_each(|(found, wanted)| assert!((found - wanted).abs() < 1e-6));
        assert!((shares[6] - 4.0 / 6.0).abs() < 1e-6 && (shares[11] - 4.0 / 6.0).abs() < 1e-6);
        assert!(places.is_sound(2) && !places.is_sound(1));
    }
}
