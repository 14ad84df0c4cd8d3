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
    /// The number of the tree.
    pub tree: usize,
}

/// When it is a test's turn, among those that gain the same: in every tree another order.
fn turn(tree: usize, field: u32, value: u32) -> u64 {
    let mut turn = 0;
    for part in [tree as u64, field.into(), value.into()] {
        turn = (turn ^ part).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        turn ^= turn >> 29;
    }
    turn
}

impl Leaf<'_> {
    /// The best test of all fields, if it gains more than `least`. Of those that gain the same, which are many where examples are
    /// few, each tree takes another: were it always the first, the first fields would speak for all others.
    pub fn best(&self, least: f64) -> Option<Split> {
        let each = (0..self.columns.fields()).map(|field| {
            let mut most = f64::NEG_INFINITY;
            self.tests(field, |gain, _, _| most = most.max(gain));
            most
        });
        let each: Vec<f64> = each.collect();
        let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most <= least + self.slack {
            return None;
        }
        let mut best: Option<(u64, Split)> = None;
        for field in (0..each.len()).filter(|&field| each[field] >= most - self.slack) {
            self.tests(field, |gain, cell, after| {
                if gain >= most - self.slack {
                    let value = self.columns.test(field, cell, after);
                    let turn = turn(self.tree, field as u32, value);
                    if best.is_none_or(|(first, _)| turn < first) {
                        best = Some((turn, Split { gain, field: field as u32, value, cell: cell as u32 }));
                    }
                }
            });
        }
        best.map(|(_, split)| split)
    }

    /// What a split gains that has this sum on one side.
    #[inline]
    fn gain(&self, sum: f64) -> f64 {
        gain(sum, self.penalty) + gain(self.total - sum, self.penalty)
    }

    /// Tells of all tests of a field: what they gain, their cell, and the one after it.
    #[inline]
    fn tests(&self, field: usize, mut tell: impl FnMut(f64, usize, usize)) {
        let (kind, cells) = self.columns.field(field);
        let (first, counts, pulls) = (cells.start, &self.sums.counts[cells.clone()], &self.sums.pulls[cells]);
        let mut occupied = counts.iter().zip(pulls).enumerate().filter(|(_, (count, _))| **count > 0);
        match kind {
            FieldKind::Symbols => {
                for (at, (_, &pull)) in occupied {
                    tell(self.gain(pull), first + at, first + at);
                }
            }
            FieldKind::Number => {
                let Some((mut last, (_, &pull))) = occupied.next() else { return };
                let mut below = pull;
                for (at, (_, &pull)) in occupied {
                    tell(self.gain(below), first + last, first + at);
                    below += pull;
                    last = at;
                }
            }
        }
    }
}
