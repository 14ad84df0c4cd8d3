//! What sums and products of derivations may mean (Goodman 1999).

/// Values with a sum over alternatives (derivations) and a product over parts (hyperedges).
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

/// A semiring with a total order in which products keep their places: where `a` is better than `b`, so is `a` times `c`
/// than `b` times `c`, or they are equal. Its sum is the better of two, and the best derivations can be listed by it.
pub trait Ordered: Semiring {
    /// Whether this is the better of the two. Of two that differ one is.
    fn better(&self, other: &Self) -> bool;
}

/// The best score (the tropical semiring); scores add up.
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

impl Ordered for Viterbi {
    fn better(&self, other: &Self) -> bool {
        self.0.total_cmp(&other.0).is_gt()
    }
}

/// The logarithm of the sum of exponentials of scores (the log semiring).
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
