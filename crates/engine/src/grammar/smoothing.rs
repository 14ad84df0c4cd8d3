//! From counts to probabilities (Foster, Kuhn & Johnson 2006): p(s|t) of a rule from its count, what is known of all
//! rules with its t, and how many rules have its s.

use hashbrown::HashMap;

use super::hiero::ONE;
use super::settings::Smoothing;

/// A sum of discounts (Kneser-Ney) or of adjusted counts (Good-Turing).
pub type Adjusted = f64;

/// What is known of all rules with the same source side, or with the same target side.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Marginal {
    /// The sum of their counts, in units of a tally.
    pub total: u64,
    /// The sum of what smoothing takes off their counts (Kneser-Ney), or of what it makes of them (Good-Turing).
    pub adjusted: Adjusted,
    /// How many there are.
    pub rules: u64,
}

impl Marginal {
    /// Takes in a rule.
    pub fn add(&mut self, count: u64, estimate: &Estimate) {
        self.total += count;
        self.rules += 1;
        self.adjusted += estimate.adjust(count);
    }
}

/// How many rules have each count.
#[derive(Debug, Clone, Default)]
pub struct CountOfCounts {
    counts: std::collections::BTreeMap<u64, u64>,
    rules: u64,
    total: f64,
}

impl CountOfCounts {
    /// Takes in a rule's count, in units of a tally. A part of one counts as one.
    pub fn add(&mut self, count: u64) {
        *self.counts.entry(count.div_ceil(ONE)).or_default() += 1;
        self.rules += 1;
        self.total += (count / ONE) as f64;
    }

    /// The same without some rules: by how much fewer have each count, or more, how many are left, and what the lost ones
    /// and the lost parts of others amount to, each in whole counts.
    pub fn without(&self, changes: &HashMap<u64, i64>, rules: u64, less: f64) -> Self {
        let mut counts = self.counts.clone();
        for (&count, &change) in changes {
            let number = counts.entry(count).or_default();
            *number = number.saturating_add_signed(change);
        }
        counts.retain(|_, number| *number > 0);
        Self { counts, rules, total: self.total - less }
    }

    /// How many rules there are.
    pub fn rules(&self) -> u64 {
        self.rules
    }

    fn of(&self, count: u64) -> f64 {
        self.counts.get(&count).copied().unwrap_or(0) as f64
    }
}

/// How probabilities are estimated.
#[derive(Debug, Clone)]
pub enum Estimate {
    /// Relative frequencies.
    Frequency,
    /// Good-Turing.
    GoodTuring(GoodTuring),
    /// Kneser-Ney.
    KneserNey {
        /// Of counts of 1, of 2, and of 3 or more.
        discounts: [f64; 3],
        /// How many rules there are.
        rules: f64,
    },
}

impl Estimate {
    /// What smoothing takes off a count (Kneser-Ney), or makes of it (Good-Turing).
    pub fn adjust(&self, count: u64) -> Adjusted {
        match self {
            Self::Frequency => 0.0,
            Self::GoodTuring(turing) => turing.adjust(count),
            Self::KneserNey { discounts, .. } => discount(discounts, count),
        }
    }

    /// The estimate for rules with these counts.
    pub fn new(smoothing: Smoothing, counts: &CountOfCounts) -> Self {
        match smoothing {
            Smoothing::None => Self::Frequency,
            Smoothing::GoodTuring => Self::GoodTuring(GoodTuring::new(counts)),
            Smoothing::KneserNey => Self::KneserNey { discounts: discounts(counts), rules: counts.rules as f64 },
        }
    }

    /// p(s|t) of a rule with this count, of which `given` is the marginal of t and `other` that of s.
    pub fn probability(&self, count: u64, given: &Marginal, other: &Marginal) -> f64 {
        let whole = count as f64 / ONE as f64;
        let total = given.total as f64 / ONE as f64;
        match self {
            Self::Frequency => whole / total,
            // Section 3.1: the mass of unseen rules, n1, is spread over the t in proportion to p(t).
            Self::GoodTuring(turing) => turing.adjust(count) / (given.adjusted + turing.unseen * total / turing.total),
            // Section 3.2.
            Self::KneserNey { discounts, rules } => {
                (whole - discount(discounts, count)) / total + given.adjusted / total * other.rules as f64 / rules
            }
        }
    }
}

/// Chen & Goodman's discounts (1998, section 3): fixed ones where counts of counts are too few to tell.
fn discounts(counts: &CountOfCounts) -> [f64; 3] {
    let n = [1, 2, 3, 4].map(|count| counts.of(count));
    if n.contains(&0.0) {
        return [0.5, 1.0, 1.5];
    }
    let y = n[0] / (n[0] + 2.0 * n[1]);
    let one = 1.0 - 2.0 * y * n[1] / n[0];
    let two = 2.0 - 3.0 * y * n[2] / n[1];
    let more = 3.0 - 4.0 * y * n[3] / n[2];
    [one.clamp(0.0, 1.0), two.clamp(0.0, 2.0), more.clamp(0.0, 3.0)]
}

/// Of which shares of the three discounts [`discount`] makes that of a count.
pub fn shares(count: u64) -> [f64; 3] {
    let part = (count % ONE) as f64 / ONE as f64;
    match count / ONE {
        0 => [part, 0.0, 0.0],
        1 => [1.0 - part, part, 0.0],
        2 => [0.0, 1.0 - part, part],
        _ => [0.0, 0.0, 1.0],
    }
}

/// Between whole counts discounts grow as a line, from none for none: fractional counts keep a share of themselves.
fn discount(&[one, two, more]: &[f64; 3], count: u64) -> f64 {
    let part = (count % ONE) as f64 / ONE as f64;
    match count / ONE {
        0 => part * one,
        1 => one + part * (two - one),
        2 => two + part * (more - two),
        _ => more,
    }
}

/// Simple Good-Turing (Gale & Sampson 1995): Turing's estimate while counts of counts are many, a line through their
/// logarithms beyond.
#[derive(Debug, Clone)]
pub struct GoodTuring {
    /// Adjusted counts of the first counts, from 1.
    small: Vec<f64>,
    slope: f64,
    /// n1.
    pub unseen: f64,
    /// The sum of all counts.
    pub total: f64,
}

impl GoodTuring {
    fn new(counts: &CountOfCounts) -> Self {
        let seen: Vec<(f64, f64)> =
            counts.counts.iter().filter(|&(&count, _)| count > 0).map(|(&r, &n)| (r as f64, n as f64)).collect();
        let points: Vec<(f64, f64)> = (0..seen.len())
            .map(|at| {
                let before = if at == 0 { 0.0 } else { seen[at - 1].0 };
                let (r, n) = seen[at];
                let after = seen.get(at + 1).map_or(2.0 * r - before, |next| next.0);
                (r.ln(), (2.0 * n / (after - before)).ln())
            })
            .collect();
        let number = points.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / number;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
        let slope: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
        // A slope above -1 would raise counts; one point has no slope at all.
        let slope = if slope < -1.0 { slope } else { -1.0 };
        let mut turing = Self { small: Vec::new(), slope, unseen: counts.of(1), total: counts.total };
        for count in 1.. {
            let (n, next) = (counts.of(count), counts.of(count + 1));
            if n == 0.0 || next == 0.0 {
                break;
            }
            let r = count as f64;
            let estimate = (r + 1.0) * next / n;
            let deviation = (r + 1.0) * (next / (n * n) * (1.0 + next / n)).sqrt();
            if (estimate - turing.line(r)).abs() <= 1.65 * deviation || estimate > r {
                break;
            }
            turing.small.push(estimate);
        }
        turing
    }

    fn line(&self, r: f64) -> f64 {
        r * (1.0 + 1.0 / r).powf(self.slope + 1.0)
    }

    fn adjust(&self, count: u64) -> f64 {
        let whole = count / ONE;
        match self.small.get((whole as usize).wrapping_sub(1)) {
            Some(&adjusted) => adjusted,
            None => self.line(whole as f64),
        }
    }
}
