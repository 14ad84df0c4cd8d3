//! What one inference costs, in fixed point.

/// A cost of 0 or more in steps of a millionth or so, so that equal costs are equal and can be hashed.
///
/// Two values are no numbers: [`Cost::NEVER`] forbids an inference, and [`Cost::NOTHING`] lets it pass without a trace in
/// the value of a derivation (scans: their number is fixed by the words, and a zero would count where MinMerge compares
/// lengths).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u32);

/// Steps in 1.
const STEPS: f64 = (1 << 20) as f64;

impl Cost {
    /// A cost of 0.
    pub const ZERO: Self = Self(0);
    /// The largest cost that is a number.
    pub const MOST: Self = Self(u32::MAX - 2);
    /// No cost at all: the inference leaves no trace.
    pub const NOTHING: Self = Self(u32::MAX - 1);
    /// The inference is forbidden.
    pub const NEVER: Self = Self(u32::MAX);

    /// The nearest cost. Below 0 there is none; infinity, and what is no number, forbid; what is too large is the largest.
    pub fn of(cost: f64) -> Self {
        if cost.is_nan() || cost == f64::INFINITY {
            return Self::NEVER;
        }
        let steps = (cost.max(0.0) * STEPS).round();
        Self(if steps < f64::from(Self::MOST.0) { steps as u32 } else { Self::MOST.0 })
    }

    /// As a number: 0 for no cost at all, infinity for what is forbidden.
    pub fn value(self) -> f64 {
        match self {
            Self::NOTHING => 0.0,
            Self::NEVER => f64::INFINITY,
            Self(steps) => f64::from(steps) / STEPS,
        }
    }

    /// Whether it is a number.
    #[inline]
    pub fn is_some(self) -> bool {
        self <= Self::MOST
    }

    /// Both together: forbidden if one is, a number if one is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::NEVER, _) | (_, Self::NEVER) => Self::NEVER,
            (Self::NOTHING, cost) | (cost, Self::NOTHING) => cost,
            (Self(a), Self(b)) => Self(a.saturating_add(b).min(Self::MOST.0)),
        }
    }

    /// The steps of a cost that is a number.
    #[inline]
    pub(super) fn steps(self) -> u32 {
        self.0
    }

    /// The cost of so many steps.
    #[inline]
    pub(super) fn of_steps(steps: u32) -> Self {
        Self(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_numbers_or_say_what_they_are() {
        assert_eq!(Cost::of(0.25).value(), 0.25);
        assert_eq!(Cost::of(-3.0), Cost::ZERO);
        assert_eq!(Cost::of(1e12), Cost::MOST);
        for never in [f64::INFINITY, f64::NAN] {
            assert_eq!(Cost::of(never), Cost::NEVER);
        }
        assert_eq!(Cost::of(0.25).and(Cost::of(0.5)), Cost::of(0.75));
        assert_eq!(Cost::NOTHING.and(Cost::ZERO), Cost::ZERO);
        assert_eq!(Cost::NOTHING.and(Cost::NOTHING), Cost::NOTHING);
        assert_eq!(Cost::NEVER.and(Cost::NOTHING), Cost::NEVER);
        assert_eq!(Cost::MOST.and(Cost::MOST), Cost::MOST);
        assert!(Cost::ZERO.is_some() && !Cost::NOTHING.is_some() && !Cost::NEVER.is_some());
    }
}
