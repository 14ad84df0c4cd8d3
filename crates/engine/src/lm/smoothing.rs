//! How counts become probabilities: interpolated modified Kneser-Ney, and Witten-Bell.
//!
//! Both give p(w|h) = numerator(c(hw)) / denominator(h) + gamma(h) p(w|h'), where h' is h without its first word; what
//! pruning takes away from a context goes to its gamma, so that the sum over w stays 1.

use crate::{Error, Result};

/// The family of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Smoothing {
    /// Interpolated modified Kneser-Ney (Chen & Goodman 1998, section 4.1.6) on adjusted counts, as lmplz has it.
    KneserNey,
    /// Interpolated Witten-Bell (Witten & Bell 1991, method C) on plain counts; needs no statistics of the corpus, so
    /// it suits very small texts and class sequences.
    WittenBell,
}

impl Smoothing {
    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::KneserNey => "kneser-ney",
            Self::WittenBell => "witten-bell",
        }
    }

    /// The family with this name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "kneser-ney" => Ok(Self::KneserNey),
            "witten-bell" => Ok(Self::WittenBell),
            _ => Err(Error::settings(format!("unknown smoothing {name:?}")).hint("use kneser-ney or witten-bell")),
        }
    }
}

/// How many n-grams of an order have the counts 1, 2, 3 and 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountOfCounts(pub [u64; 4]);

impl CountOfCounts {
    /// Enters one n-gram.
    pub fn add(&mut self, count: u32) {
        if (1..=4).contains(&count) {
            self.0[count as usize - 1] += 1;
        }
    }

    /// Takes one n-gram out again.
    pub fn remove(&mut self, count: u32) {
        if (1..=4).contains(&count) {
            self.0[count as usize - 1] -= 1;
        }
    }
}

/// What is taken from counts of 1, of 2, and of 3 or more.
pub type Discounts = [f64; 3];

/// Discounts where the closed form fails: too little text for the statistics. They are those that lmplz offers under
/// `--discount_fallback`, half of each count.
pub const FALLBACK: Discounts = [0.5, 1.0, 1.5];

/// The closed form of Chen & Goodman (1998), equation 26; None where it is undefined or outside [0, count].
pub fn discounts(CountOfCounts(n): CountOfCounts) -> Option<Discounts> {
    if n[..3].contains(&0) {
        return None;
    }
    let n = n.map(|count| count as f64);
    let y = n[0] / (n[0] + 2.0 * n[1]);
    let discounts = [1, 2, 3].map(|k| k as f64 - (k + 1) as f64 * y * n[k] / n[k - 1]);
    discounts.iter().zip([1.0, 2.0, 3.0]).all(|(&d, count)| (0.0..=count).contains(&d)).then_some(discounts)
}

/// What is known of a context: sums over the words that follow it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Followers {
    /// The sum of the counts.
    pub total: u32,
    /// How many of the kept n-grams have the counts 1, 2, and 3 or more.
    pub kept: [u32; 3],
    /// The sum of the counts of the pruned n-grams.
    pub pruned: u32,
}

impl Followers {
    /// Enters an n-gram that follows.
    #[inline]
    pub fn add(&mut self, count: u32, pruned: bool) {
        self.total += count;
        if pruned {
            self.pruned += count;
        } else if count > 0 {
            self.kept[count.min(3) as usize - 1] += 1;
        }
    }
}

/// The smoothing of one order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OrderSmoothing {
    /// Kneser-Ney with its discounts.
    KneserNey(Discounts),
    /// Witten-Bell.
    WittenBell,
}

impl OrderSmoothing {
    /// What a count is worth.
    #[inline]
    pub fn numerator(self, count: u32) -> f64 {
        match self {
            Self::KneserNey(_) if count == 0 => 0.0,
            Self::KneserNey(discounts) => f64::from(count) - discounts[count.min(3) as usize - 1],
            Self::WittenBell => f64::from(count),
        }
    }

    /// What it is divided by.
    #[inline]
    pub fn denominator(self, context: &Followers) -> f64 {
        match self {
            Self::KneserNey(_) => f64::from(context.total),
            Self::WittenBell => f64::from(context.total) + context.kept.iter().copied().map(f64::from).sum::<f64>(),
        }
    }

    /// The weight of the lower order after this context.
    #[inline]
    pub fn gamma(self, context: &Followers) -> f64 {
        let free = match self {
            Self::KneserNey(discounts) => discounts.iter().zip(context.kept).map(|(d, n)| d * f64::from(n)).sum(),
            Self::WittenBell => context.kept.iter().copied().map(f64::from).sum::<f64>(),
        };
        (free + f64::from(context.pruned)) / self.denominator(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_by_the_closed_form() {
        let found = discounts(CountOfCounts([100, 40, 20, 10])).unwrap();
        let y = 100.0 / 180.0;
        assert_eq!(found, [1.0 - 2.0 * y * 0.4, 2.0 - 3.0 * y * 0.5, 3.0 - 4.0 * y * 0.5]);
        assert_eq!(discounts(CountOfCounts([100, 40, 0, 10])), None);
        assert_eq!(discounts(CountOfCounts([100, 10, 50, 10])), None);
    }
}
