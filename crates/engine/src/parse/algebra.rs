//! What the costs of a derivation come to: semirings whose values may live in a store.
//!
//! The additive operation of all of them takes the better of two, and their zero is what is never derived; so an algebra
//! here is a product and a total order. Products keep their places in it, and no product is better than its factors
//! (superiority, Knuth 1977): what is taken off the agenda first is derived best.

use std::cmp::Ordering;
use std::fmt::Debug;

use super::cost::Cost;
use super::sequences::{Sequence, Sequences, Sum, rank};

/// A semiring by whose order derivations are searched.
pub trait Algebra: Debug + Default + Send {
    /// The value of an item.
    type Value: Copy + Debug + Send;
    /// The value of an inference on the agenda: most are never taken, so it is not worked out further than an order needs.
    type Pending: Copy + Debug + Send;

    /// Forgets all values, and keeps the memory.
    fn clear(&mut self);

    /// The value of what is given.
    fn one(&self) -> Self::Value;

    /// The product of two items' values and a cost. A bound of what any complete derivation has to add counts in
    /// comparisons only ([`Cost::NOTHING`] is none).
    fn product(&self, left: Self::Value, right: Self::Value, cost: Cost, bound: Cost) -> Self::Pending;

    /// The order of two: what is better is less.
    fn compare(&self, a: &Self::Pending, b: &Self::Pending) -> Ordering;

    /// The value of an item that was taken off the agenda, without the bound.
    fn settle(&mut self, pending: &Self::Pending) -> Self::Value;

    /// The figure that a threshold asks for, without the bound: the worst cost, or the sum.
    fn figure(&self, pending: &Self::Pending) -> f64;

    /// The costs that a value knows of, worst first.
    fn costs(&self, value: Self::Value) -> Vec<Cost>;

    /// Bytes of all values.
    fn bytes(&self) -> usize;
}

/// The sum of all costs (Goodman 1999; the tropical semiring): the best derivation has the least.
#[derive(Debug, Clone, Default)]
pub struct Viterbi;

impl Algebra for Viterbi {
    type Value = u64;
    type Pending = (u64, u32);

    fn clear(&mut self) {}

    fn one(&self) -> u64 {
        0
    }

    fn product(&self, left: u64, right: u64, cost: Cost, bound: Cost) -> (u64, u32) {
        let steps = |cost: Cost| if cost.is_some() { cost.steps() } else { 0 };
        (left + right + u64::from(steps(cost)), steps(bound))
    }

    fn compare(&self, a: &(u64, u32), b: &(u64, u32)) -> Ordering {
        (a.0 + u64::from(a.1)).cmp(&(b.0 + u64::from(b.1)))
    }

    fn settle(&mut self, pending: &(u64, u32)) -> u64 {
        pending.0
    }

    fn figure(&self, pending: &(u64, u32)) -> f64 {
        pending.0 as f64 * Cost::of_steps(1).value()
    }

    /// The sum as one cost.
    fn costs(&self, value: u64) -> Vec<Cost> {
        vec![Cost::of_steps(value.min(u64::from(Cost::MOST.steps())) as u32)]
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// All costs, worst first: derivations are compared by the worst inference in which they differ (Galron 2012, section 4.3).
///
/// Cheap inferences are free here, where sums tax each of them; so longer derivations are not worse for being longer. The
/// worst few costs are at hand, and nearly all comparisons end there.
#[derive(Debug, Clone, Default)]
pub struct MinMerge {
    sequences: Sequences,
}

/// The worst four costs as one number that has their order. A cost is one more than its steps; 0 is none, which is less.
type Top = u128;

/// A value of [`MinMerge`].
#[derive(Debug, Clone, Copy)]
pub struct Merged {
    top: Top,
    sequence: Sequence,
}

/// A value of [`MinMerge`] that is not worked out.
#[derive(Debug, Clone, Copy)]
pub struct Merging {
    /// With the bound.
    top: Top,
    /// Without it, as in `top`.
    worst: u32,
    sum: Sum,
    bound: Cost,
}

fn unpack(top: Top) -> [u32; 4] {
    [(top >> 96) as u32, (top >> 64) as u32, (top >> 32) as u32, top as u32]
}

/// The largest four of two descending fours and two costs.
fn largest(a: Top, b: Top, costs: [Cost; 2]) -> Top {
    let (a, b) = (unpack(a), unpack(b));
    let mut c = costs.map(rank);
    c.sort_unstable_by(|a, b| b.cmp(a));
    let (mut i, mut j, mut k) = (0, 0, 0);
    let mut top = 0;
    for _ in 0..4 {
        let third = c.get(k).copied().unwrap_or(0);
        let next = a[i].max(b[j]).max(third);
        top = top << 32 | Top::from(next);
        if next == a[i] {
            i += usize::from(i < 3);
        } else if next == b[j] {
            j += usize::from(j < 3);
        } else {
            k += 1;
        }
    }
    top
}

impl Algebra for MinMerge {
    type Value = Merged;
    type Pending = Merging;

    fn clear(&mut self) {
        self.sequences.clear();
    }

    fn one(&self) -> Merged {
        Merged { top: 0, sequence: Sequence::EMPTY }
    }

    fn product(&self, left: Merged, right: Merged, cost: Cost, bound: Cost) -> Merging {
        let top = largest(left.top, right.top, [cost, bound]);
        let worst = unpack(left.top)[0].max(unpack(right.top)[0]).max(rank(cost));
        Merging { top, worst, sum: Sum::new([left.sequence, right.sequence], [cost, bound]), bound }
    }

    #[inline]
    fn compare(&self, a: &Merging, b: &Merging) -> Ordering {
        a.top.cmp(&b.top).then_with(|| {
            // Fewer than four are all there are.
            if a.top as u32 == 0 {
                return Ordering::Equal;
            }
            self.sequences.compare(&a.sum, &b.sum)
        })
    }

    fn settle(&mut self, pending: &Merging) -> Merged {
        let sequence = self.sequences.settle(&pending.sum);
        let top = if pending.bound.is_some() { self.top(sequence) } else { pending.top };
        Merged { top, sequence }
    }

    /// The worst cost.
    fn figure(&self, pending: &Merging) -> f64 {
        Cost::of_steps(pending.worst.max(1) - 1).value()
    }

    fn costs(&self, value: Merged) -> Vec<Cost> {
        self.sequences.costs(value.sequence)
    }

    fn bytes(&self) -> usize {
        self.sequences.bytes()
    }
}

impl MinMerge {
    fn top(&self, sequence: Sequence) -> Top {
        let worst = self.sequences.costs(sequence);
        let at = |place: usize| worst.get(place).map_or(0, |cost| cost.steps() + 1);
        (0..4).fold(0, |top, place| top << 32 | Top::from(at(place)))
    }
}
