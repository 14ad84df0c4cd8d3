//! How alike two profiles are (Razmara 2013, section 5.2.3).
//!
//! All three similarities are a sum over the columns that both rows have, and something that each row has by itself. So an
//! index from columns to rows finds them without looking at rows that have no column in common.

use std::f64::consts::LN_2;

use super::profiles::{Profiles, Values};
use super::weigh::Measure;
use crate::{Error, Result};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// The cosine of the angle between rows.
    Cosine,
    /// The sum of absolute differences, a distance.
    L1,
    /// The divergences of both rows from their mean (Jensen and Shannon; natural logarithms, not halved), a distance.
    Jsd,
}

impl Similarity {
    /// From its name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "cosine" => Ok(Self::Cosine),
            "l1" => Ok(Self::L1),
            "jsd" => Ok(Self::Jsd),
            _ => Err(Error::settings(format!("unknown similarity {name:?}")).hint("use cosine, l1 or jsd")),
        }
    }

    /// Refuses profiles that it cannot compare.
    ///
    /// # Errors
    /// Profiles that are no distributions, for [`Similarity::Jsd`].
    pub fn check(self, profiles: &Profiles) -> Result<()> {
        if self == Self::Jsd && profiles.measure() != Measure::Cp {
            let what = format!("jsd compares distributions, and these are profiles of {}", profiles.measure().name());
            return Err(Error::settings(what).hint("weigh the counts by cp"));
        }
        Ok(())
    }

    /// What a row has by itself.
    pub(super) fn size(self, values: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Cosine => values.map(|value| value * value).sum::<f64>().sqrt(),
            Self::L1 => values.map(f64::abs).sum(),
            Self::Jsd => values.sum(),
        }
    }

    /// What a column adds that both rows have.
    #[inline]
    pub(super) fn shared(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Cosine => one * other,
            Self::L1 => (one - other).abs() - one.abs() - other.abs(),
            Self::Jsd => one * (one / (one + other)).ln() + other * (other / (one + other)).ln(),
        }
    }

    /// The similarity or distance, from what columns add and what rows have.
    #[inline]
    pub(super) fn raw(self, shared: f64, one: f64, other: f64) -> f64 {
        match self {
            Self::Cosine if one > 0.0 && other > 0.0 => shared / (one * other),
            Self::Cosine => 0.0,
            Self::L1 => (one + other + shared).max(0.0),
            Self::Jsd => ((one + other) * LN_2 + shared).max(0.0),
        }
    }

    /// What an edge weighs: the greater the more alike.
    #[inline]
    pub(super) fn weight(self, raw: f64) -> f64 {
        match self {
            Self::Cosine => raw,
            Self::L1 => 1.0 / (1.0 + raw),
            Self::Jsd => 1.0 - raw / (2.0 * LN_2),
        }
    }
}

impl Profiles {
    /// The similarity or distance of two rows.
    ///
    /// # Errors
    /// Rows that there are none of, and profiles that cannot be compared so.
    pub fn similarity(&self, one: u32, other: u32, similarity: Similarity) -> Result<f64> {
        similarity.check(self)?;
        let (one, other) = (self.check(one)?, self.check(other)?);
        let mut rest = self.row(other).peekable();
        let mut shared = 0.0;
        for (column, value) in self.row(one) {
            while rest.next_if(|&(before, _)| before < column).is_some() {}
            if let Some((_, same)) = rest.next_if(|&(found, _)| found == column) {
                shared += similarity.shared(value, same);
            }
        }
        let size = |row: usize| similarity.size(self.row(row).map(|(_, value)| value));
        Ok(similarity.raw(shared, size(one), size(other)))
    }

    /// Where the numbers of a row are.
    pub(super) fn part(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// What a row has by itself, in the precision of the index.
    pub(super) fn size(&self, row: usize, similarity: Similarity) -> f64 {
        similarity.size(self.part(row).map(|at| f64::from(self.single(at))))
    }

    /// A number in the precision of the index.
    #[inline]
    pub(super) fn single(&self, at: usize) -> f32 {
        match &self.values {
            Values::Counts(counts) => counts[at] as f32,
            Values::Weights(weights) => weights[at],
        }
    }
}

/// The best so far; of equals those with the least numbers.
#[derive(Debug)]
pub(super) struct Best {
    most: usize,
    least: f32,
    items: Vec<(f32, u32)>,
}

impl Best {
    /// So many.
    pub fn new(most: usize) -> Self {
        Self { most, least: 0.0, items: Vec::new() }
    }

    /// Takes note of a node unless there are enough better ones. One that weighs nothing is none.
    #[inline]
    pub fn offer(&mut self, weight: f32, node: u32) {
        if weight > 0.0 && weight >= self.least {
            self.items.push((weight, node));
            if self.items.len() >= 2 * self.most + 64 {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.items.len() > self.most {
            let order = |one: &(f32, u32), other: &(f32, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
            let (_, last, _) = self.items.select_nth_unstable_by(self.most - 1, order);
            self.least = last.0;
            self.items.truncate(self.most);
        }
    }

    /// The best in the order of their numbers; nothing is left.
    pub fn take_in_order(&mut self) -> std::vec::Drain<'_, (f32, u32)> {
        self.cut();
        self.least = 0.0;
        self.items.sort_unstable_by_key(|&(_, node)| node);
        self.items.drain(..)
    }

    /// The best, best first; nothing is left.
    pub fn take(&mut self) -> std::vec::Drain<'_, (f32, u32)> {
        self.cut();
        self.least = 0.0;
        self.items.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        self.items.drain(..)
    }
}
