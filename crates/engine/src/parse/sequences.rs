//! Sequences of costs, worst first, and sums of them that are compared without being made.
//!
//! Most inferences are never taken off the agenda, so the sequence of a consequent is not merged before it is: it stays two
//! sequences and a cost, and a comparison merges both sides only up to the first difference. Fingerprints that add up tell
//! equal sums at once. (A persistent trie over the bits of costs, which finds the difference in as many steps as a cost has
//! bits, was measured at a tenth of the speed: differences are near the front.)

use std::cmp::Ordering;

use super::cost::Cost;

/// A sequence in a store of [`Sequences`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sequence {
    start: u32,
    end: u32,
    print: u128,
}

impl Sequence {
    /// No costs.
    pub const EMPTY: Self = Self { start: 0, end: 0, print: 0 };
}

/// Two sequences and up to two costs ([`Cost::NOTHING`] is none), as one.
#[derive(Debug, Clone, Copy)]
pub struct Sum {
    /// Where the sequences are.
    parts: [(u32, u32); 2],
    costs: [Cost; 2],
    print: u128,
}

impl Sum {
    /// All of these together.
    #[inline]
    pub fn new(parts: [Sequence; 2], costs: [Cost; 2]) -> Self {
        let print = parts[0].print.wrapping_add(parts[1].print);
        let print = costs.iter().fold(print, |sum, &cost| sum.wrapping_add(print_of(cost)));
        Self { parts: parts.map(|part| (part.start, part.end)), costs, print }
    }
}

/// Holds sequences.
#[derive(Debug, Clone, Default)]
pub struct Sequences {
    /// Steps of costs, one sequence behind the other.
    costs: Vec<u32>,
}

impl Sequences {
    /// Forgets all sequences, and keeps the memory.
    pub fn clear(&mut self) {
        self.costs.clear();
    }

    /// Bytes of all sequences.
    pub fn bytes(&self) -> usize {
        self.costs.len() * size_of::<u32>()
    }

    /// The costs of a sequence, worst first.
    pub fn costs(&self, sequence: Sequence) -> Vec<Cost> {
        self.slice((sequence.start, sequence.end)).iter().map(|&steps| Cost::of_steps(steps)).collect()
    }

    /// Makes the sequence of a sum without its second cost.
    #[must_use]
    pub fn settle(&mut self, sum: &Sum) -> Sequence {
        let start = self.costs.len();
        let [left, right] = sum.parts.map(|(start, end)| (start as usize, end as usize));
        let count = left.1 - left.0 + right.1 - right.0 + usize::from(sum.costs[0].is_some());
        self.costs.reserve(count);
        let ((mut a, a_end), (mut b, b_end)) = (left, right);
        let mut one = sum.costs[0].is_some().then(|| sum.costs[0].steps());
        for _ in 0..count {
            let left = if a < a_end { i64::from(self.costs[a]) } else { -1 };
            let right = if b < b_end { i64::from(self.costs[b]) } else { -1 };
            let single = one.map_or(-1, i64::from);
            let next = left.max(right).max(single);
            if next == left {
                a += 1;
            } else if next == right {
                b += 1;
            } else {
                one = None;
            }
            self.costs.push(next as u32);
        }
        let print = sum.print.wrapping_sub(print_of(sum.costs[1]));
        Sequence { start: start as u32, end: self.costs.len() as u32, print }
    }

    /// The order of two sums: the one that is less bad where they first differ is less; of two, one of which begins the
    /// other, the shorter one.
    pub fn compare(&self, a: &Sum, b: &Sum) -> Ordering {
        if a.print == b.print {
            return Ordering::Equal;
        }
        let (mut one, mut other) = (self.merged(a), self.merged(b));
        loop {
            let (next, also) = (one.next(), other.next());
            // 0 is the end, which is better than any cost.
            match next.cmp(&also) {
                Ordering::Equal if next == 0 => return Ordering::Equal,
                Ordering::Equal => {}
                order => return order,
            }
        }
    }

    fn slice(&self, (start, end): (u32, u32)) -> &[u32] {
        &self.costs[start as usize..end as usize]
    }

    #[inline]
    fn merged(&self, sum: &Sum) -> Merged<'_> {
        let [mut first, mut second] = sum.costs.map(rank);
        if first < second {
            std::mem::swap(&mut first, &mut second);
        }
        Merged { left: self.slice(sum.parts[0]), right: self.slice(sum.parts[1]), costs: [first, second] }
    }
}

/// One more than the steps of a cost, 0 for none.
#[inline]
pub(super) fn rank(cost: Cost) -> u32 {
    if cost.is_some() { cost.steps() + 1 } else { 0 }
}

/// A sum from its worst cost on.
struct Merged<'a> {
    left: &'a [u32],
    right: &'a [u32],
    costs: [u32; 2],
}

impl Merged<'_> {
    /// The rank of the next cost, 0 in the end.
    #[inline]
    fn next(&mut self) -> u32 {
        let left = self.left.first().map_or(0, |steps| steps + 1);
        let right = self.right.first().map_or(0, |steps| steps + 1);
        let next = left.max(right).max(self.costs[0]);
        if next == 0 {
        } else if next == left {
            self.left = &self.left[1..];
        } else if next == right {
            self.right = &self.right[1..];
        } else {
            self.costs = [self.costs[1], 0];
        }
        next
    }
}

/// The fingerprint of one cost: 128 bits that look random (two rounds of SplitMix64), so that different sums have the same
/// with a probability of 2^-128.
#[inline]
fn print_of(cost: Cost) -> u128 {
    if !cost.is_some() {
        return 0;
    }
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let first = mix(u64::from(cost.steps()).wrapping_add(0x9e37_79b9_7f4a_7c15));
    u128::from(first) << 64 | u128::from(mix(first ^ 0xd6e8_feb8_6659_fd93))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sequence(store: &mut Sequences, costs: &[u32]) -> Sequence {
        costs.iter().fold(Sequence::EMPTY, |sequence, &cost| {
            store.settle(&Sum::new([sequence, Sequence::EMPTY], [Cost::of_steps(cost), Cost::NOTHING]))
        })
    }

    fn costs() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![prop::collection::vec(0_u32..6, 0..12), prop::collection::vec(0..Cost::MOST.steps(), 0..40)]
    }

    fn sorted(lists: &[&[u32]]) -> Vec<u32> {
        let mut all = lists.concat();
        all.sort_by(|a, b| b.cmp(a));
        all
    }

    proptest! {
        /// Lists that are sorted and compared are the naive twin.
        #[test]
        fn sums_are_sorted_lists(
            a in costs(), b in costs(), c in costs(), d in costs(), one in 0_u32..7, other in 0_u32..7, same in any::<bool>(),
        ) {
            let mut store = Sequences::default();
            let [x, y] = [sequence(&mut store, &a), sequence(&mut store, &b)];
            // Sums that are equal, but made of other parts.
            let (c, d) = if same { (b.clone(), a.clone()) } else { (c, d) };
            let [z, w] = [sequence(&mut store, &c), sequence(&mut store, &d)];
            let single = |cost| if cost == 6 { Cost::NOTHING } else { Cost::of_steps(cost) };
            let p = Sum::new([x, y], [single(one), Cost::NOTHING]);
            let q = Sum::new([z, w], [Cost::NOTHING, single(other)]);
            let list = |cost: u32| if cost == 6 { vec![] } else { vec![cost] };
            let (left, right) = (sorted(&[&a, &b, &list(one)]), sorted(&[&c, &d, &list(other)]));
            prop_assert_eq!(store.compare(&p, &q), left.cmp(&right));
            let settled = store.settle(&p);
            prop_assert_eq!(store.costs(settled).iter().map(|cost| cost.steps()).collect::<Vec<_>>(), left);
            let whole = Sum::new([settled, Sequence::EMPTY], [Cost::NOTHING; 2]);
            prop_assert_eq!(store.compare(&whole, &p), Ordering::Equal);
        }
    }

    #[test]
    fn nothing_is_no_cost() {
        let mut store = Sequences::default();
        let none = store.settle(&Sum::new([Sequence::EMPTY; 2], [Cost::NOTHING; 2]));
        assert!(store.costs(none).is_empty());
        assert_eq!(store.bytes(), 0);
    }
}
