//! The test that splits examples best.

use super::columns::{Columns, Sums};
use super::examples::FieldKind;
use super::loss::gain;

/// A test, and what splitting by it is expected to gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub gain: f64,
    pub field: u32,
    pub value: u32,
    /// The cell of the symbol, or the last one that does not pass.
    pub cell: u32,
}

/// What a search for tests looks at.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub columns: &'a Columns,
    /// Of the leaf's examples, by cell.
    pub sums: &'a Sums,
    /// What pulls at all of them.
    pub total: f64,
    pub penalty: f64,
    /// Gains that differ by less are the same.
    pub slack: f64,
}

impl Leaf<'_> {
    /// The best test of all fields, if it gains more than `least`. Of those that gain the same, one of the lowest field, then
    /// of the lowest value, so that the answer does not depend on rounding.
    pub fn best(&self, least: f64) -> Option<Split> {
        let mut best: Option<Split> = None;
        for field in 0..self.columns.fields() {
            let mut most = f64::NEG_INFINITY;
            self.tests(field, |gain, _, _| {
                most = most.max(gain);
                true
            });
            if most > best.map_or(least, |best| best.gain) + self.slack {
                // Values of a field come in order.
                self.tests(field, |gain, cell, after| {
                    let goes_on = gain < most - self.slack;
                    if !goes_on {
                        let value = self.columns.test(field, cell, after);
                        best = Some(Split { gain, field: field as u32, value, cell: cell as u32 });
                    }
                    goes_on
                });
            }
        }
        best
    }

    /// What a split gains that has this sum on one side.
    #[inline]
    fn gain(&self, sum: f64) -> f64 {
        gain(sum, self.penalty) + gain(self.total - sum, self.penalty)
    }

    /// Tells of all tests of a field, while that is wanted: what they gain, their cell, and the one after it.
    #[inline]
    fn tests(&self, field: usize, mut tell: impl FnMut(f64, usize, usize) -> bool) {
        let (kind, cells) = self.columns.field(field);
        let (first, counts, pulls) = (cells.start, &self.sums.counts[cells.clone()], &self.sums.pulls[cells]);
        let mut occupied = counts.iter().zip(pulls).enumerate().filter(|(_, (count, _))| **count > 0);
        match kind {
            FieldKind::Symbols => {
                for (at, (_, &pull)) in occupied {
                    if !tell(self.gain(pull), first + at, first + at) {
                        return;
                    }
                }
            }
            FieldKind::Number => {
                let Some((mut last, (_, &pull))) = occupied.next() else { return };
                let mut below = pull;
                for (at, (_, &pull)) in occupied {
                    if !tell(self.gain(below), first + last, first + at) {
                        return;
                    }
                    below += pull;
                    last = at;
                }
            }
        }
    }
}
