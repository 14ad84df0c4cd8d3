//! The test that splits examples best.

use rayon::prelude::*;

use super::columns::{Column, between};
use super::loss::gain;

/// A test, and what splitting by it is expected to gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub gain: f64,
    pub field: u32,
    pub value: u32,
}

/// What a search for tests looks at.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    /// The examples, in order.
    pub examples: &'a [u32],
    /// What pulls at each of all examples.
    pub pulls: &'a [f64],
    /// The sum over those of the leaf.
    pub total: f64,
    pub penalty: f64,
    /// Gains that differ by less are the same.
    pub slack: f64,
    /// Whether every threshold is tried, not only those between bins.
    pub exact: bool,
}

/// Memory of a search, which is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    sums: Vec<f64>,
    seen: Vec<bool>,
    touched: Vec<u32>,
    order: Vec<u64>,
    found: Vec<(f64, u32)>,
}

/// Leaves with more examples times fields than this are searched field by field in parallel.
const PARALLEL: usize = 1 << 16;

impl Leaf<'_> {
    /// The best test of all fields, if it gains more than `least`. Of those that gain the same, one of the lowest field, then
    /// of the lowest value: so the answer depends neither on rounding nor on threads.
    pub fn best(&self, columns: &[Column], least: f64, scratch: &mut Scratch) -> Option<Split> {
        let mut best: Option<Split> = None;
        let mut consider = |field: usize, found: Option<(f64, u32)>| {
            let Some((gain, value)) = found else { return };
            if gain > best.map_or(least, |best| best.gain) + self.slack {
                best = Some(Split { gain, field: field as u32, value });
            }
        };
        if self.examples.len() * columns.len() >= PARALLEL && rayon::current_num_threads() > 1 {
            let each = columns.par_iter().map_init(Scratch::default, |scratch, column| self.best_of(column, scratch));
            each.collect::<Vec<_>>().into_iter().enumerate().for_each(|(field, found)| consider(field, found));
        } else {
            columns.iter().enumerate().for_each(|(field, column)| consider(field, self.best_of(column, scratch)));
        }
        best
    }

    /// The best test of a field.
    fn best_of(&self, column: &Column, scratch: &mut Scratch) -> Option<(f64, u32)> {
        scratch.found.clear();
        match column {
            Column::Constant => return None,
            Column::Symbols { places, width, values } => self.symbols(places, *width, values, scratch),
            Column::Number { bins, cuts, .. } if !self.exact && !bins.is_empty() => self.binned(bins, cuts, scratch),
            Column::Number { ranks, values, .. } => self.ranked(ranks, values, scratch),
        }
        // Candidates of numbers come in order, those of symbols do not.
        let most = scratch.found.iter().map(|&(gain, _)| gain).fold(f64::NEG_INFINITY, f64::max);
        let good = scratch.found.iter().filter(|(gain, _)| *gain >= most - self.slack);
        let first = match column {
            Column::Symbols { .. } => good.min_by_key(|(_, value)| *value),
            _ => good.into_iter().next(),
        };
        first.copied()
    }

    /// What a split gains that has this sum on one side.
    #[inline]
    fn gain(&self, sum: f64) -> f64 {
        gain(sum, self.penalty) + gain(self.total - sum, self.penalty)
    }

    fn symbols(&self, places: &[u32], width: usize, values: &[u32], scratch: &mut Scratch) {
        let Scratch { sums, seen, touched, found, .. } = scratch;
        if seen.len() <= values.len() {
            seen.resize(values.len() + 1, false);
            sums.resize(values.len() + 1, 0.0);
        }
        for &example in self.examples {
            let pull = self.pulls[example as usize];
            for &place in &places[example as usize * width..(example as usize + 1) * width] {
                if place == 0 {
                    continue;
                }
                if !seen[place as usize] {
                    seen[place as usize] = true;
                    sums[place as usize] = 0.0;
                    touched.push(place);
                }
                sums[place as usize] += pull;
            }
        }
        for place in touched.drain(..) {
            seen[place as usize] = false;
            found.push((self.gain(sums[place as usize]), values[place as usize - 1]));
        }
    }

    fn binned(&self, bins: &[u8], cuts: &[f32], scratch: &mut Scratch) {
        let mut sums = [0.0; 256];
        for &example in self.examples {
            sums[usize::from(bins[example as usize])] += self.pulls[example as usize];
        }
        let mut below = 0.0;
        for (&cut, sum) in cuts.iter().zip(sums) {
            below += sum;
            scratch.found.push((self.gain(below), cut.to_bits()));
        }
    }

    fn ranked(&self, ranks: &[u32], values: &[f32], scratch: &mut Scratch) {
        let Scratch { order, found, .. } = scratch;
        order.clear();
        order
            .extend(self.examples.iter().map(|&example| u64::from(ranks[example as usize]) << 32 | u64::from(example)));
        order.sort_unstable();
        let (mut below, mut last) = (0.0, None);
        for &each in &*order {
            let (rank, example) = ((each >> 32) as usize, each as u32 as usize);
            if let Some(last) = last.filter(|&last| last != rank) {
                found.push((self.gain(below), between(values[last], values[rank]).to_bits()));
            }
            below += self.pulls[example];
            last = Some(rank);
        }
    }
}
