//! Semirings that say how a value came about beside what it is: which derivations have it.
//!
//! Viterbi-derivation (Goodman 1999) and MinMerge-derivation (Galron 2012, definition 2) are one construction over two
//! semirings with an order, [`Ways`]: the sum keeps the better value, and the derivations of both where they are equal; the
//! product joins each derivation of one factor with each of the other. Ties can be as many as there are trees; where one
//! derivation is enough, [`Way`] chooses among equals by an order of its own, always the same.
//!
//! A derivation is a bag of inferences. That forgets which followed which, but an inference names what it is made of, so
//! nothing is lost; and bags, not sets, since a word may be loaded twice.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::semiring::{Ordered, Semiring};

/// The inferences of a derivation by number, largest first; one may come several times.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bag(Vec<u32>);

impl Bag {
    /// One inference.
    pub fn of(inference: u32) -> Self {
        Self(vec![inference])
    }

    /// The inferences, largest first.
    pub fn inferences(&self) -> &[u32] {
        &self.0
    }

    /// All of both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let mut all = [&self.0[..], &other.0].concat();
        all.sort_unstable_by(|a, b| b.cmp(a));
        Self(all)
    }
}

/// A value and all derivations that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ways<S> {
    /// The value.
    pub value: S,
    /// The derivations; none of what is never derived.
    pub ways: BTreeSet<Bag>,
}

impl<S: Ordered + PartialEq> Ways<S> {
    /// An inference of a value.
    pub fn of(value: S, inference: u32) -> Self {
        if value == S::zero() {
            return Self::zero();
        }
        Self { value, ways: BTreeSet::from([Bag::of(inference)]) }
    }
}

impl<S: Ordered + PartialEq> Semiring for Ways<S> {
    fn zero() -> Self {
        Self { value: S::zero(), ways: BTreeSet::new() }
    }

    fn one() -> Self {
        Self { value: S::one(), ways: BTreeSet::from([Bag::default()]) }
    }

    fn plus(&self, other: &Self) -> Self {
        match order(&self.value, &other.value) {
            Ordering::Less => self.clone(),
            Ordering::Greater => other.clone(),
            Ordering::Equal => Self { value: self.value.clone(), ways: &self.ways | &other.ways },
        }
    }

    fn times(&self, other: &Self) -> Self {
        let pairs = self.ways.iter().flat_map(|one| other.ways.iter().map(move |two| one.join(two)));
        Self { value: self.value.times(&other.value), ways: pairs.collect() }
    }
}

/// A value and the one derivation that was chosen of those that have it; nothing of what is never derived.
///
/// Of equals the one is chosen whose bag is less, compared from its largest inference on. A bag that is less stays so with
/// the same inferences added to both, which is what makes the choice that of the whole the whole of the choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Way<S> {
    /// The value.
    pub value: S,
    /// The derivation.
    pub way: Option<Bag>,
}

impl<S: Ordered + PartialEq> Way<S> {
    /// An inference of a value.
    pub fn of(value: S, inference: u32) -> Self {
        let way = (value != S::zero()).then(|| Bag::of(inference));
        Self { value, way }
    }
}

impl<S: Ordered + PartialEq> Semiring for Way<S> {
    fn zero() -> Self {
        Self { value: S::zero(), way: None }
    }

    fn one() -> Self {
        Self { value: S::one(), way: Some(Bag::default()) }
    }

    fn plus(&self, other: &Self) -> Self {
        if other.better(self) { other.clone() } else { self.clone() }
    }

    fn times(&self, other: &Self) -> Self {
        let way = self.way.as_ref().zip(other.way.as_ref()).map(|(one, two)| one.join(two));
        Self { value: self.value.times(&other.value), way }
    }
}

impl<S: Ordered + PartialEq> Ordered for Way<S> {
    fn better(&self, other: &Self) -> bool {
        match (&self.way, &other.way) {
            (Some(one), Some(two)) => order(&self.value, &other.value).then_with(|| one.cmp(two)).is_lt(),
            (one, two) => one.is_some() && two.is_none(),
        }
    }
}

/// What is better is less.
fn order<S: Ordered>(a: &S, b: &S) -> Ordering {
    b.better(a).cmp(&a.better(b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::min_merge::MinMerge;
    use super::super::semiring::Viterbi;
    use super::*;

    /// Inferences with small whole costs, so that sums are exact and ties frequent; 9 is forbidden.
    type Parts = Vec<Vec<(u8, u32)>>;

    fn parts() -> impl Strategy<Value = Parts> {
        prop::collection::vec(prop::collection::vec((prop_oneof![8 => 0_u8..3, 1 => Just(9)], 0_u32..4), 0..4), 0..4)
    }

    fn merge(cost: u8) -> MinMerge {
        MinMerge::of(if cost == 9 { f64::INFINITY } else { f64::from(cost) })
    }

    fn sum(cost: u8) -> Viterbi {
        Viterbi(if cost == 9 { f64::NEG_INFINITY } else { -f64::from(cost) })
    }

    fn ways<S: Ordered + PartialEq>(parts: &Parts, value: fn(u8) -> S) -> Ways<S> {
        let product = |part: &Vec<(u8, u32)>| {
            part.iter().fold(Ways::one(), |all, &(cost, number)| all.times(&Ways::of(value(cost), number)))
        };
        parts.iter().fold(Ways::zero(), |all, part| all.plus(&product(part)))
    }

    fn way<S: Ordered + PartialEq>(parts: &Parts, value: fn(u8) -> S) -> Way<S> {
        let product = |part: &Vec<(u8, u32)>| {
            part.iter().fold(Way::one(), |all, &(cost, number)| all.times(&Way::of(value(cost), number)))
        };
        parts.iter().fold(Way::zero(), |all, part| all.plus(&product(part)))
    }

    fn axioms<S: Semiring + PartialEq + std::fmt::Debug>(a: &S, b: &S, c: &S) {
        assert_eq!(a.plus(b), b.plus(a));
        assert_eq!(a.plus(b).plus(c), a.plus(&b.plus(c)));
        assert_eq!(a.times(b).times(c), a.times(&b.times(c)));
        assert_eq!(a.times(&b.plus(c)), a.times(b).plus(&a.times(c)));
        assert_eq!(b.plus(c).times(a), b.times(a).plus(&c.times(a)));
        assert_eq!(a.times(b), b.times(a));
        assert_eq!(a.plus(a), a.clone());
        assert_eq!(a.plus(&S::zero()), a.clone());
        assert_eq!(a.times(&S::one()), a.clone());
        assert_eq!(a.times(&S::zero()), S::zero());
    }

    /// The best of a sum of products, and all that tie with it: nothing but lists.
    fn listed(parts: &Parts, key: fn(&[u8]) -> Vec<u32>) -> Option<(Vec<u32>, BTreeSet<Vec<u32>>)> {
        let possible = parts.iter().filter(|part| part.iter().all(|one| one.0 != 9));
        let told = possible.map(|part| {
            let (costs, mut numbers): (Vec<u8>, Vec<u32>) = part.iter().copied().unzip();
            numbers.sort_by(|a, b| b.cmp(a));
            (key(&costs), numbers)
        });
        let told: Vec<_> = told.collect();
        let best = told.iter().map(|one| one.0.clone()).min()?;
        Some((best.clone(), told.into_iter().filter(|one| one.0 == best).map(|one| one.1).collect()))
    }

    fn descending(costs: &[u8]) -> Vec<u32> {
        let mut costs: Vec<u32> = costs.iter().map(|&cost| cost.into()).collect();
        costs.sort_by(|a, b| b.cmp(a));
        costs
    }

    fn total(costs: &[u8]) -> Vec<u32> {
        vec![costs.iter().map(|&cost| u32::from(cost)).sum()]
    }

    proptest! {
        #[test]
        fn all_ways_are_a_semiring(a in parts(), b in parts(), c in parts()) {
            let [x, y, z] = [&a, &b, &c].map(|parts| ways(parts, merge));
            axioms(&x, &y, &z);
            let [x, y, z] = [&a, &b, &c].map(|parts| ways(parts, sum));
            axioms(&x, &y, &z);
        }

        #[test]
        fn the_chosen_way_is_a_semiring_with_an_order(a in parts(), b in parts(), c in parts()) {
            let [x, y, z] = [&a, &b, &c].map(|parts| way(parts, merge));
            axioms(&x, &y, &z);
            prop_assert_eq!(x.better(&y) || y.better(&x), x != y);
            prop_assert!(!(x.better(&y) && y.better(&x)));
            prop_assert!(!x.times(&y).better(&x));
            let [x, y, z] = [&a, &b, &c].map(|parts| way(parts, sum));
            axioms(&x, &y, &z);
        }

        /// Against lists of all derivations; the chosen way is the least of the ways there are.
        #[test]
        fn ways_are_all_that_tie(parts in parts()) {
            let bags = |ways: &BTreeSet<Bag>| ways.iter().map(|bag| bag.inferences().to_vec()).collect::<BTreeSet<_>>();
            let merged = ways(&parts, merge);
            let expected = listed(&parts, descending).map(|found| found.1).unwrap_or_default();
            prop_assert_eq!(bags(&merged.ways), expected);
            prop_assert_eq!(way(&parts, merge), Way { value: merged.value, way: merged.ways.first().cloned() });
            let summed = ways(&parts, sum);
            let expected = listed(&parts, total).map(|found| found.1).unwrap_or_default();
            prop_assert_eq!(bags(&summed.ways), expected);
            prop_assert_eq!(way(&parts, sum), Way { value: summed.value, way: summed.ways.first().cloned() });
        }
    }

    /// Galron 2012, definition 2: the identities, and figure 4.2 with its trees.
    #[test]
    fn the_definition_of_min_merge_derivation() {
        assert!(Ways::<MinMerge>::zero().ways.is_empty());
        assert_eq!(Ways::<MinMerge>::one().ways, BTreeSet::from([Bag::default()]));
        let even = ways(&vec![(0..3).map(|number| (1, number)).collect()], merge);
        let uneven = ways(&vec![vec![(3, 3), (0, 4), (0, 5)]], merge);
        assert_eq!(even.plus(&uneven), even);
        let all = ways(&vec![(0..3).map(|number| (1, number)).collect(), vec![(3, 3), (0, 4), (0, 5)]], sum);
        assert_eq!(all.ways.len(), 2);
    }
}
