//! What sums and products of derivations may mean (Goodman 1999).

/// Values with a sum over alternatives and a product over parts.
pub trait Semiring: Clone {
    /// The value of no derivation.
    fn zero() -> Self;
    /// The value of the empty derivation.
    fn one() -> Self;
    /// One or the other.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
    /// One and the other.
    #[must_use]
    fn times(&self, other: &Self) -> Self;
}

/// The best score; scores add up.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Viterbi(pub f64);

impl Semiring for Viterbi {
    fn zero() -> Self {
        Self(f64::NEG_INFINITY)
    }

    fn one() -> Self {
        Self(0.0)
    }

    fn plus(&self, other: &Self) -> Self {
        Self(self.0.max(other.0))
    }

    fn times(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// The logarithm of the sum of exponentials of scores.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct LogSum(pub f64);

impl Semiring for LogSum {
    fn zero() -> Self {
        Self(f64::NEG_INFINITY)
    }

    fn one() -> Self {
        Self(0.0)
    }

    fn plus(&self, other: &Self) -> Self {
        let (large, small) = if self.0 >= other.0 { (self.0, other.0) } else { (other.0, self.0) };
        // Two zeros of the semiring would give a difference of infinities.
        if small == f64::NEG_INFINITY { Self(large) } else { Self(large + (small - large).exp().ln_1p()) }
    }

    fn times(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// How many derivations there are, as a real number: forests hold more than integers can count.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Counting(pub f64);

impl Semiring for Counting {
    fn zero() -> Self {
        Self(0.0)
    }

    fn one() -> Self {
        Self(1.0)
    }

    fn plus(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }

    fn times(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }
}

/// The costs of a derivation's parts, worst first; better is what is less bad at the first difference, so that bad parts
/// are not hidden by good ones (Galron 2012, section 4.3). `None` is the value of no derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct MinMerge(Option<Vec<f64>>);

impl MinMerge {
    /// The value of one part. Costs that are no number count as infinite: no derivation has such a part.
    pub fn of(cost: f64) -> Self {
        if cost.is_finite() { Self(Some(vec![cost])) } else { Self::zero() }
    }

    /// The costs, worst first, if there is a derivation.
    pub fn costs(&self) -> Option<&[f64]> {
        self.0.as_deref()
    }

    /// Whether this is the better of the two; of two, one of which begins the other, that is the shorter one.
    pub fn is_better(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(these), Some(those)) => match these.iter().zip(those).find(|(a, b)| a != b) {
                Some((a, b)) => a < b,
                None => these.len() < those.len(),
            },
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

impl Semiring for MinMerge {
    fn zero() -> Self {
        Self(None)
    }

    fn one() -> Self {
        Self(Some(Vec::new()))
    }

    fn plus(&self, other: &Self) -> Self {
        if other.is_better(self) { other.clone() } else { self.clone() }
    }

    fn times(&self, other: &Self) -> Self {
        let (Some(these), Some(those)) = (&self.0, &other.0) else { return Self::zero() };
        let mut merged = Vec::with_capacity(these.len() + those.len());
        let (mut a, mut b) = (0, 0);
        while a < these.len() && b < those.len() {
            if these[a] >= those[b] {
                merged.push(these[a]);
                a += 1;
            } else {
                merged.push(those[b]);
                b += 1;
            }
        }
        merged.extend_from_slice(&these[a..]);
        merged.extend_from_slice(&those[b..]);
        Self(Some(merged))
    }
}

/// The logarithm of a sum of exponentials together with the expectation of something additive under it (Eisner 2002): the
/// second part is the expectation, already divided by the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// The logarithm of the sum.
    pub log_sum: f64,
    /// The expected value.
    pub expected: f64,
}

impl Semiring for Expectation {
    fn zero() -> Self {
        Self { log_sum: f64::NEG_INFINITY, expected: 0.0 }
    }

    fn one() -> Self {
        Self { log_sum: 0.0, expected: 0.0 }
    }

    fn plus(&self, other: &Self) -> Self {
        let log_sum = LogSum(self.log_sum).plus(&LogSum(other.log_sum)).0;
        if log_sum == f64::NEG_INFINITY {
            return Self::zero();
        }
        let (p, q) = ((self.log_sum - log_sum).exp(), (other.log_sum - log_sum).exp());
        Self { log_sum, expected: p * self.expected + q * other.expected }
    }

    fn times(&self, other: &Self) -> Self {
        Self { log_sum: self.log_sum + other.log_sum, expected: self.expected + other.expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn min_merge() -> impl Strategy<Value = MinMerge> {
        prop_oneof![
            1 => Just(MinMerge::zero()),
            6 => prop::collection::vec(0_u8..4, 0..4).prop_map(|costs| {
                costs.into_iter().fold(MinMerge::one(), |product, cost| product.times(&MinMerge::of(f64::from(cost))))
            }),
        ]
    }

    proptest! {
        #[test]
        fn min_merge_is_a_semiring(a in min_merge(), b in min_merge(), c in min_merge()) {
            prop_assert_eq!(a.plus(&b), b.plus(&a));
            prop_assert_eq!(a.times(&b), b.times(&a));
            prop_assert_eq!(a.plus(&b).plus(&c), a.plus(&b.plus(&c)));
            prop_assert_eq!(a.times(&b).times(&c), a.times(&b.times(&c)));
            prop_assert_eq!(a.times(&b.plus(&c)), a.times(&b).plus(&a.times(&c)));
            prop_assert_eq!(a.plus(&MinMerge::zero()), a.clone());
            prop_assert_eq!(a.times(&MinMerge::one()), a.clone());
            prop_assert_eq!(a.times(&MinMerge::zero()), MinMerge::zero());
            // Superiority: no part makes a derivation better.
            prop_assert!(!a.times(&b).is_better(&a));
        }
    }

    /// Galron 2012, figure 4.2: the same total, spread evenly or all in one part.
    #[test]
    fn min_merge_prefers_an_even_spread_where_viterbi_ties() {
        let product = |costs: &[f64]| costs.iter().fold(MinMerge::one(), |sum, &cost| sum.times(&MinMerge::of(cost)));
        let (even, uneven) = (product(&[1.0; 4]), product(&[4.0, 0.0, 0.0, 0.0]));
        assert!(even.is_better(&uneven));
        assert_eq!(even.plus(&uneven).costs().unwrap(), [1.0; 4]);
        assert!(product(&[2.0]).is_better(&product(&[2.0, 1.0])));
    }
}
