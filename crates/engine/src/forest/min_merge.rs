//! The MinMerge semiring (Galron 2012, section 4.3): derivations are compared by their worst parts.
//!
//! A value is a list of costs, worst first. Up to [`FEW`] of them are kept in the value itself, so that products and sums
//! of the derivations of a phrase or a clause allocate nothing; longer lists are allocated whole.

use super::semiring::{Ordered, Semiring};

/// Costs that a value has room for.
const FEW: usize = 16;
/// The count of no derivation.
const NONE: u32 = u32::MAX;

/// The costs of a derivation's parts (its inferences), worst first; better is what is less bad at the first difference,
/// so that bad parts are not hidden by good ones.
#[derive(Debug, Clone)]
pub struct MinMerge {
    /// How many costs there are, or [`NONE`].
    count: u32,
    few: [f64; FEW],
    /// All costs if they are more than a few.
    many: Vec<f64>,
}

impl MinMerge {
    /// The value of one part. Costs that are no number count as infinite: no derivation has such a part.
    pub fn of(cost: f64) -> Self {
        if !cost.is_finite() {
            return Self::zero();
        }
        let mut one = Self { count: 1, ..Self::one() };
        one.few[0] = cost;
        one
    }

    /// The costs, worst first, if there is a derivation.
    pub fn costs(&self) -> Option<&[f64]> {
        match self.count as usize {
            _ if self.count == NONE => None,
            count if count <= FEW => Some(&self.few[..count]),
            _ => Some(&self.many),
        }
    }
}

impl PartialEq for MinMerge {
    fn eq(&self, other: &Self) -> bool {
        self.costs() == other.costs()
    }
}

impl Semiring for MinMerge {
    fn zero() -> Self {
        Self { count: NONE, ..Self::one() }
    }

    fn one() -> Self {
        Self { count: 0, few: [0.0; FEW], many: Vec::new() }
    }

    fn plus(&self, other: &Self) -> Self {
        if other.better(self) { other.clone() } else { self.clone() }
    }

    fn times(&self, other: &Self) -> Self {
        let (Some(these), Some(those)) = (self.costs(), other.costs()) else { return Self::zero() };
        let count = these.len() + those.len();
        let mut product = Self { count: count as u32, ..Self::one() };
        if count <= FEW {
            merge(these, those, &mut product.few[..count]);
        } else {
            product.many = vec![0.0; count];
            merge(these, those, &mut product.many);
        }
        product
    }
}

impl Ordered for MinMerge {
    /// Of two, one of which begins the other, the shorter one is better.
    fn better(&self, other: &Self) -> bool {
        match (self.costs(), other.costs()) {
            (Some(these), Some(those)) => match these.iter().zip(those).find(|(a, b)| a != b) {
                Some((a, b)) => a < b,
                None => these.len() < those.len(),
            },
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

/// Merges two descending lists into one that has room for both.
fn merge(these: &[f64], those: &[f64], merged: &mut [f64]) {
    let (mut a, mut b) = (0, 0);
    for place in merged {
        let first = b == those.len() || (a < these.len() && these[a] >= those[b]);
        *place = if first { these[a] } else { those[b] };
        a += usize::from(first);
        b += usize::from(!first);
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::super::semiring::Viterbi;
    use super::*;

    /// Costs without an order, or no derivation. Lists are longer and shorter than what a value has room for.
    fn costs() -> impl Strategy<Value = Option<Vec<u8>>> {
        let some = prop_oneof![prop::collection::vec(0_u8..4, 0..4), prop::collection::vec(0_u8..3, FEW - 3..FEW + 4)];
        prop_oneof![1 => Just(None), 8 => some.prop_map(Some)]
    }

    fn value(costs: Option<&Vec<u8>>) -> MinMerge {
        costs.map_or_else(MinMerge::zero, |costs| product(costs.iter().map(|&cost| f64::from(cost))))
    }

    fn product(costs: impl IntoIterator<Item = f64>) -> MinMerge {
        costs.into_iter().fold(MinMerge::one(), |product, cost| product.times(&MinMerge::of(cost)))
    }

    /// The costs sorted, worst first: what a value must be.
    fn sorted(costs: &[u8]) -> Vec<u8> {
        let mut sorted = costs.to_vec();
        sorted.sort_by(|a, b| b.cmp(a));
        sorted
    }

    proptest! {
        #[test]
        fn it_is_a_semiring_with_an_order(a in costs(), b in costs(), c in costs()) {
            let [a, b, c] = [&a, &b, &c].map(|costs| value(costs.as_ref()));
            prop_assert_eq!(a.plus(&b), b.plus(&a));
            prop_assert_eq!(a.times(&b), b.times(&a));
            prop_assert_eq!(a.plus(&b).plus(&c), a.plus(&b.plus(&c)));
            prop_assert_eq!(a.times(&b).times(&c), a.times(&b.times(&c)));
            prop_assert_eq!(a.times(&b.plus(&c)), a.times(&b).plus(&a.times(&c)));
            prop_assert_eq!(a.plus(&MinMerge::zero()), a.clone());
            prop_assert_eq!(a.times(&MinMerge::one()), a.clone());
            prop_assert_eq!(a.times(&MinMerge::zero()), MinMerge::zero());
            // Superiority: no part makes a derivation better.
            prop_assert!(!a.times(&b).better(&a));
            // One of two is better unless they are equal, and the sum is the better one.
            prop_assert_eq!(a.better(&b) || b.better(&a), a != b);
            prop_assert!(!(a.better(&b) && b.better(&a)));
            prop_assert_eq!(a.plus(&b), if a.better(&b) { a } else { b });
        }

        /// Against sorting all costs and comparing the lists.
        #[test]
        fn it_is_what_sorted_lists_are(a in costs(), b in costs()) {
            let (one, other) = (value(a.as_ref()), value(b.as_ref()));
            let lists = [&a, &b].map(|costs| costs.as_ref().map(|costs| sorted(costs)));
            // No derivation is worse than any.
            let order = match &lists {
                [Some(these), Some(those)] => these.cmp(those),
                [these, those] => those.is_some().cmp(&these.is_some()),
            };
            prop_assert_eq!(one.better(&other), order == Ordering::Less);
            let joined = a.zip(b).map(|(a, b)| sorted(&[a, b].concat()));
            let joined = joined.map(|costs| costs.into_iter().map(f64::from).collect::<Vec<f64>>());
            prop_assert_eq!(one.times(&other).costs().map(<[f64]>::to_vec), joined);
        }
    }

    /// Galron 2012, figure 4.2: the same total, spread evenly or all in one part.
    #[test]
    fn an_even_spread_is_better_where_viterbi_ties() {
        let (even, uneven) = (product([1.0; 4]), product([4.0, 0.0, 0.0, 0.0]));
        assert!(even.better(&uneven));
        assert_eq!(even.plus(&uneven).costs().unwrap(), [1.0; 4]);
        assert!(product([2.0]).better(&product([2.0, 1.0])));
    }

    /// Galron 2012, section 5.6.1: what exploration teaches is decided by the worst inference; sums would decide otherwise.
    #[test]
    fn the_worst_inference_decides() {
        let sum = |costs: &[f64]| Viterbi(-costs.iter().sum::<f64>());
        let decides = |one: &[f64], other: &[f64]| product(one.to_vec()).better(&product(other.to_vec()));
        // Without exploration: "Ce aspect" before "Cet aspect".
        let (ce, cet) = ([1.360, 2.598, 0.484], [3.336, 2.598, 0.484]);
        assert!(decides(&ce, &cet));
        assert_eq!(product(ce).costs().unwrap(), [2.598, 1.360, 0.484]);
        // With it: "Cet" before "Ce", "de" before "pour"; sums prefer the others.
        let (ce, cet) = ([1.361, 3.976], [3.575, 2.927]);
        assert!(decides(&cet, &ce) && sum(&ce).better(&sum(&cet)));
        let (pour, de) = ([1.029, 2.479], [1.587, 2.2247]);
        assert!(decides(&de, &pour) && sum(&pour).better(&sum(&de)));
    }

    /// Two multitrees of "joint debate": link costs of probabilities .9 and .8, apart or in one fused pair.
    #[test]
    fn parts_apart_are_better_than_fused() {
        let (apart, fused) = (product([0.22314, 0.10536, 0.0]), product([0.32850, 0.0, 0.0]));
        assert!(apart.better(&fused));
        assert_eq!(apart.plus(&fused).costs().unwrap(), [0.22314, 0.10536, 0.0]);
        // Which of the two worst inferences is worse says which tree is chosen.
        assert!(product([4.2853]).better(&product([5.3702])) && product([2.9031]).better(&product([4.1833])));
        // The items of the coordinator's example, in the order of popping.
        let popped =
            [vec![0.2], vec![0.3], vec![0.4, 0.2, 0.2], vec![0.4, 0.3, 0.2], vec![0.4, 0.3, 0.3], vec![0.5, 0.2, 0.2]];
        assert!(popped.windows(2).all(|pair| decided(&pair[0], &pair[1])));
    }

    fn decided(one: &[f64], other: &[f64]) -> bool {
        product(one.to_vec()).better(&product(other.to_vec()))
    }

    #[test]
    fn costs_that_are_no_numbers_make_no_derivation() {
        for cost in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(MinMerge::of(cost), MinMerge::zero());
        }
    }
}
