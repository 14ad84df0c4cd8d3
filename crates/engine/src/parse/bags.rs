//! Bags of costs that share their parts, compared without being listed.
//!
//! A value of MinMerge is the multiset of a derivation's costs. Derivations share most of theirs, so a bag is a binary
//! trie over the bits of costs (Okasaki & Gill 1998) whose branches are never changed, only joined anew: the union of two
//! costs as many steps as they are entangled, and copies nothing else. Each branch has a fingerprint that adds up over its
//! costs; so the fingerprint of a union is known before it is made, and the largest cost at which two unions differ is found
//! by going down once, in as many steps as a cost has bits.

use std::cmp::Ordering;

use super::cost::Cost;

/// A bag in a store of [`Bags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bag(u32);

impl Bag {
    /// No costs.
    pub const EMPTY: Self = Self(u32::MAX);
}

/// A leaf, with copies of one cost, or a branch: all costs below agree in the bits above `bit`, those of `low` have a 0
/// there and those of `high` a 1.
#[derive(Debug, Clone)]
struct Node {
    print: u128,
    /// The cost of a leaf, any cost below a branch.
    key: u32,
    /// The bit of a branch, -1 for a leaf.
    bit: i8,
    /// Of a leaf.
    copies: u32,
    low: u32,
    high: u32,
}

/// Holds bags.
#[derive(Debug, Clone, Default)]
pub struct Bags {
    nodes: Vec<Node>,
}

/// Bags that are added up, and single costs beside them.
#[derive(Debug, Clone, Copy)]
pub struct Sum {
    bags: [Bag; 2],
    costs: [Cost; 2],
}

impl Sum {
    /// Two bags and up to two costs ([`Cost::NOTHING`] is none).
    #[inline]
    pub fn new(bags: [Bag; 2], costs: [Cost; 2]) -> Self {
        Self { bags, costs }
    }
}

impl Bags {
    /// Forgets all bags, and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Bytes of all bags.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
    }

    /// A bag of one cost.
    pub fn of(&mut self, cost: Cost) -> Bag {
        if !cost.is_some() {
            return Bag::EMPTY;
        }
        let key = cost.steps();
        self.add(Node { print: print(key), key, bit: -1, copies: 1, low: 0, high: 0 })
    }

    /// Everything in two bags.
    #[must_use]
    pub fn union(&mut self, a: Bag, b: Bag) -> Bag {
        if a == Bag::EMPTY {
            return b;
        }
        if b == Bag::EMPTY {
            return a;
        }
        let (one, other) = (&self.nodes[a.0 as usize], &self.nodes[b.0 as usize]);
        let differ = highest_bit(one.key ^ other.key);
        if differ > one.bit.max(other.bit) {
            let print = one.print.wrapping_add(other.print);
            let (low, high) = if bit_of(one.key, differ) == 0 { (a, b) } else { (b, a) };
            let key = one.key;
            return self.add(Node { print, key, bit: differ, copies: 0, low: low.0, high: high.0 });
        }
        match one.bit.cmp(&other.bit) {
            Ordering::Less => self.union_below(b, a),
            Ordering::Greater => self.union_below(a, b),
            // Two leaves of the same cost.
            Ordering::Equal if one.bit < 0 => {
                let (print, copies) = (one.print.wrapping_add(other.print), one.copies + other.copies);
                let leaf = Node { print, copies, ..*one };
                self.add(leaf)
            }
            Ordering::Equal => {
                let (low, high) = ((Bag(one.low), Bag(other.low)), (Bag(one.high), Bag(other.high)));
                let branch = Node { print: one.print.wrapping_add(other.print), ..*one };
                let (low, high) = (self.union(low.0, low.1).0, self.union(high.0, high.1).0);
                self.add(Node { low, high, ..branch })
            }
        }
    }

    /// A bag as a sum's.
    #[must_use]
    pub fn settle(&mut self, sum: &Sum) -> Bag {
        let mut bag = self.union(sum.bags[0], sum.bags[1]);
        for cost in sum.costs {
            let one = self.of(cost);
            bag = self.union(bag, one);
        }
        bag
    }

    /// The order of two sums: the one that is less bad where they first differ, worst first, is less; of two, one of which
    /// begins the other, the shorter one.
    pub fn compare(&self, a: &Sum, b: &Sum) -> Ordering {
        let (mut a, mut b) = (self.cursors(a), self.cursors(b));
        if self.print(&a) == self.print(&b) {
            return Ordering::Equal;
        }
        for bit in (0..32).rev() {
            let (one, other) = (self.part(&a, bit), self.part(&b, bit));
            let high = self.print(&one[1]) != self.print(&other[1]);
            (a, b) = (one[usize::from(high)], other[usize::from(high)]);
        }
        // One cost is left, and they have it in other numbers.
        self.copies(&a).cmp(&self.copies(&b))
    }

    /// The costs, worst first.
    pub fn costs(&self, bag: Bag) -> Vec<Cost> {
        let (mut costs, mut stack) = (Vec::new(), vec![bag]);
        while let Some(bag) = stack.pop() {
            let Some(node) = self.nodes.get(bag.0 as usize) else { continue };
            if node.bit < 0 {
                costs.extend(std::iter::repeat_n(Cost::of_steps(node.key), node.copies as usize));
            } else {
                stack.extend([Bag(node.low), Bag(node.high)]);
            }
        }
        costs
    }

    fn add(&mut self, node: Node) -> Bag {
        self.nodes.push(node);
        Bag(self.nodes.len() as u32 - 1)
    }

    /// Of two bags that overlap, the second one within one side of the first.
    fn union_below(&mut self, wide: Bag, narrow: Bag) -> Bag {
        let key = self.nodes[narrow.0 as usize].key;
        let print = self.nodes[wide.0 as usize].print.wrapping_add(self.nodes[narrow.0 as usize].print);
        let Node { bit, low, high, .. } = self.nodes[wide.0 as usize];
        let wide = self.nodes[wide.0 as usize].clone();
        let branch = if bit_of(key, bit) == 0 {
            Node { low: self.union(Bag(low), narrow).0, print, ..wide }
        } else {
            Node { high: self.union(Bag(high), narrow).0, print, ..wide }
        };
        self.add(branch)
    }

    fn cursors(&self, sum: &Sum) -> Cursors {
        Cursors { bags: sum.bags, costs: sum.costs.map(|cost| cost.is_some().then(|| cost.steps())) }
    }

    fn print(&self, cursors: &Cursors) -> u128 {
        let bags = cursors.bags.iter().filter_map(|bag| self.nodes.get(bag.0 as usize)).map(|node| node.print);
        let costs = cursors.costs.iter().flatten().map(|&cost| print(cost));
        bags.chain(costs).fold(0, u128::wrapping_add)
    }

    fn copies(&self, cursors: &Cursors) -> u32 {
        let bags = cursors.bags.iter().filter_map(|bag| self.nodes.get(bag.0 as usize)).map(|node| node.copies);
        bags.sum::<u32>() + cursors.costs.iter().flatten().count() as u32
    }

    /// What has a 0 and what has a 1 at a bit.
    fn part(&self, cursors: &Cursors, bit: i8) -> [Cursors; 2] {
        let mut parts = [Cursors { bags: [Bag::EMPTY; 2], costs: [None; 2] }; 2];
        for (place, &bag) in cursors.bags.iter().enumerate() {
            let Some(node) = self.nodes.get(bag.0 as usize) else { continue };
            if node.bit == bit {
                parts[0].bags[place] = Bag(node.low);
                parts[1].bags[place] = Bag(node.high);
            } else {
                parts[bit_of(node.key, bit)].bags[place] = bag;
            }
        }
        for (place, &cost) in cursors.costs.iter().enumerate() {
            if let Some(key) = cost {
                parts[bit_of(key, bit)].costs[place] = cost;
            }
        }
        parts
    }
}

/// Where a comparison is in the bags of a sum.
#[derive(Debug, Clone, Copy)]
struct Cursors {
    bags: [Bag; 2],
    costs: [Option<u32>; 2],
}

#[inline]
fn bit_of(key: u32, bit: i8) -> usize {
    (key >> bit) as usize & 1
}

/// The highest bit that is set, -1 if none is.
#[inline]
fn highest_bit(bits: u32) -> i8 {
    31 - bits.leading_zeros() as i8
}

/// The fingerprint of one cost: 128 bits that look random (two rounds of SplitMix64), so that different bags have the same
/// sum with a probability of 2^-128.
#[inline]
fn print(key: u32) -> u128 {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let first = mix(u64::from(key).wrapping_add(0x9e37_79b9_7f4a_7c15));
    u128::from(first) << 64 | u128::from(mix(first ^ 0xd6e8_feb8_6659_fd93))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bag(bags: &mut Bags, costs: &[u32]) -> Bag {
        costs.iter().fold(Bag::EMPTY, |bag, &cost| {
            let one = bags.of(Cost::of_steps(cost));
            bags.union(bag, one)
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
        fn bags_are_sorted_lists(
            a in costs(), b in costs(), c in costs(), d in costs(), one in 0_u32..7, other in 0_u32..7, same in any::<bool>(),
        ) {
            let mut bags = Bags::default();
            let [x, y] = [bag(&mut bags, &a), bag(&mut bags, &b)];
            // Bags that are equal, but made of other parts.
            let (c, d) = if same { (b.clone(), a.clone()) } else { (c, d) };
            let [z, w] = [bag(&mut bags, &c), bag(&mut bags, &d)];
            let single = |cost| if cost == 6 { Cost::NOTHING } else { Cost::of_steps(cost) };
            let (p, q) = (
                Sum::new([x, y], [single(one), Cost::NOTHING]),
                Sum::new([z, w], [Cost::NOTHING, single(other)]),
            );
            let list = |cost: u32| if cost == 6 { vec![] } else { vec![cost] };
            let (left, right) = (sorted(&[&a, &b, &list(one)]), sorted(&[&c, &d, &list(other)]));
            prop_assert_eq!(bags.compare(&p, &q), left.cmp(&right));
            let settled = bags.settle(&p);
            prop_assert_eq!(bags.costs(settled).iter().map(|cost| cost.steps()).collect::<Vec<_>>(), left);
            let whole = Sum::new([settled, Bag::EMPTY], [Cost::NOTHING; 2]);
            prop_assert_eq!(bags.compare(&whole, &p), Ordering::Equal);
        }
    }

    #[test]
    fn nothing_is_an_empty_bag() {
        let mut bags = Bags::default();
        assert_eq!(bags.of(Cost::NOTHING), Bag::EMPTY);
        assert!(bags.costs(Bag::EMPTY).is_empty());
        assert_eq!(bags.bytes(), 0);
    }
}
