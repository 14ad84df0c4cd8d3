//! One score made of those of several components (Razmara 2013, sections 2.3.1 and 2.3.2).
//!
//! A mixture is a tree: its leaves are components, its inner nodes mix what stands below them, so that an ensemble can be
//! a part of another. Scores are natural logarithms.

use crate::{Error, Result};

/// Components that there may be: who speaks for a rule is a word of bits.
pub const MOST_COMPONENTS: usize = 64;
/// Everybody speaks.
pub const ALL: u64 = u64::MAX;
/// How deep mixtures may be nested.
const MOST_DEPTH: usize = 8;

/// How the scores of several become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `log Σ λ_m e^{s_m}`: the weighted mean of probabilities (a linear mixture).
    Wsum,
    /// `max (s_m + log λ_m)`.
    Wmax,
    /// `Σ λ_m s_m`: a logarithmic opinion pool, or product of experts.
    Prod,
}

/// What a product takes of a component that does not have a rule; to the other operations it is simply absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// A low score in place of the rule's own features; language models and penalties count as ever.
    #[default]
    Floor,
    /// Nothing is possible that one of them does not have.
    Veto,
    /// A score of 0 in place of the rule's own features, as for tables that are joined without care: it favours rules that
    /// few have.
    Skip,
}

/// Who is mixed.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A component.
    Component(u32),
    /// A mixture of its own.
    Mixed(Mixture),
}

/// A part with what it counts.
#[derive(Debug, Clone, PartialEq)]
struct Share {
    part: Part,
    lambda: f64,
    /// Its logarithm.
    log: f64,
    /// What its scores are multiplied with, first of all (an inverse temperature).
    scale: f64,
    members: u64,
}

/// How much each part counts, and how they are mixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    operation: Operation,
    missing: Missing,
    shares: Vec<Share>,
    members: u64,
}

/// Weights under which a mixture of equal scores is that score: they sum up to 1, or the largest is 1 (where the best one
/// counts). Otherwise the sum of their logarithms counts rules, whoever proposed them.
pub fn idempotent(operation: Operation, lambda: &[f64]) -> Vec<f64> {
    let whole = match operation {
        Operation::Wsum | Operation::Prod => lambda.iter().sum(),
        Operation::Wmax => lambda.iter().copied().fold(0.0, f64::max),
    };
    lambda.iter().map(|weight| weight / whole).collect()
}

impl Mixture {
    /// Parts, each with its weight and what its scores are multiplied with.
    ///
    /// # Errors
    /// No part, a component that comes twice or is beyond [`MOST_COMPONENTS`], weights that are negative, not finite or all 0,
    /// scales that are not positive numbers, mixtures nested too deep.
    pub fn new(operation: Operation, missing: Missing, parts: Vec<(Part, f64, f64)>) -> Result<Self> {
        if parts.is_empty() {
            return Err(Error::input("a mixture needs a component"));
        }
        let mut shares = Vec::with_capacity(parts.len());
        let mut all = 0_u64;
        for (part, lambda, scale) in parts {
            if !lambda.is_finite() || lambda < 0.0 {
                return Err(Error::input(format!("the weight of a component is {lambda}"))
                    .hint("weights are finite numbers that are not negative"));
            }
            if !scale.is_finite() || scale <= 0.0 {
                return Err(Error::input(format!("the temperature of a component is {scale}"))
                    .hint("temperatures are positive numbers"));
            }
            let members = match &part {
                Part::Component(number) if *number as usize >= MOST_COMPONENTS => {
                    return Err(Error::limit(format!("more than {MOST_COMPONENTS} components")));
                }
                Part::Component(number) => 1 << number,
                Part::Mixed(mixture) => mixture.members,
            };
            if all & members != 0 {
                return Err(Error::input("a component comes twice in a mixture"));
            }
            all |= members;
            shares.push(Share { part, lambda, log: lambda.ln(), scale, members });
        }
        if shares.iter().all(|share| share.lambda == 0.0) {
            return Err(Error::input("all weights of components are 0").hint("give one of them a weight"));
        }
        let made = Self { operation, missing, shares, members: all };
        if made.depth() > MOST_DEPTH {
            return Err(Error::limit(format!("ensembles nested deeper than {MOST_DEPTH}")));
        }
        Ok(made)
    }

    /// Components side by side.
    ///
    /// # Errors
    /// See [`Mixture::new`].
    pub fn flat(operation: Operation, missing: Missing, lambda: &[f64]) -> Result<Self> {
        let part = |(number, &lambda): (u32, &f64)| (Part::Component(number), lambda, 1.0);
        Self::new(operation, missing, (0..).zip(lambda).map(part).collect())
    }

    /// The one component of a model that is not mixed.
    pub fn single() -> Self {
        Self::of_one(0)
    }

    /// One component alone.
    pub fn of_one(component: u32) -> Self {
        let members = 1 << component;
        let share = Share { part: Part::Component(component), lambda: 1.0, log: 0.0, scale: 1.0, members };
        Self { operation: Operation::Prod, missing: Missing::Skip, shares: vec![share], members }
    }

    fn depth(&self) -> usize {
        let below = self.shares.iter().map(|share| match &share.part {
            Part::Component(_) => 0,
            Part::Mixed(mixture) => mixture.depth(),
        });
        1 + below.max().unwrap_or(0)
    }

    /// Its components, a bit for each.
    pub fn members(&self) -> u64 {
        self.members
    }

    /// The component, if there is one alone that counts as it is.
    pub fn only(&self) -> Option<u32> {
        match &self.shares[..] {
            [Share { part: Part::Component(number), lambda, scale, .. }] if *lambda == 1.0 && *scale == 1.0 => {
                Some(*number)
            }
            _ => None,
        }
    }

    /// The score that the scores of the components in `spoken` make. Those of others are asked for by products alone, and
    /// are then as their policy has it; minus infinity if nobody speaks, or somebody has a veto.
    pub fn of(&self, score: &impl Fn(u32) -> f64, spoken: u64) -> f64 {
        let of = |share: &Share, spoken: u64| {
            share.scale
                * match &share.part {
                    Part::Component(number) => score(*number),
                    Part::Mixed(mixture) => mixture.of(score, spoken),
                }
        };
        let speaking = self.shares.iter().filter(|share| share.members & spoken != 0);
        match self.operation {
            Operation::Wsum => {
                let mut sum = f64::NEG_INFINITY;
                speaking.for_each(|share| sum = log_add(sum, share.log + of(share, spoken)));
                sum
            }
            Operation::Wmax => speaking.map(|share| share.log + of(share, spoken)).fold(f64::NEG_INFINITY, f64::max),
            Operation::Prod if self.members & spoken == 0 => f64::NEG_INFINITY,
            Operation::Prod => {
                let each = self.shares.iter().filter(|share| share.lambda != 0.0).map(|share| {
                    match (share.members & spoken != 0, self.missing) {
                        (true, _) => share.lambda * of(share, spoken),
                        (false, Missing::Veto) => f64::NEG_INFINITY,
                        (false, Missing::Floor | Missing::Skip) => share.lambda * of(share, ALL),
                    }
                });
                each.sum()
            }
        }
    }

    /// What the mixture adds for something that adds `of(m)` to the score of each component, if that does not depend on the
    /// scores: always for products, and for the others if it is the same for all (Razmara 2013 mixes whole scores; this is
    /// when mixing those of rules alone is the same).
    pub fn shift(&self, of: &impl Fn(u32) -> f64) -> Option<f64> {
        let mut sum = 0.0;
        let mut same: Option<f64> = None;
        for share in self.shares.iter().filter(|share| share.lambda != 0.0) {
            let own = share.scale
                * match &share.part {
                    Part::Component(number) => of(*number),
                    Part::Mixed(mixture) => mixture.shift(of)?,
                };
            sum += share.lambda * own;
            if self.operation != Operation::Prod && same.is_some_and(|other| (other - own).abs() > 1e-6 * own.abs()) {
                return None;
            }
            same = same.or(Some(own));
        }
        if self.operation == Operation::Prod { Some(sum) } else { same }
    }

    /// The mean of what components add, each as it counts: what guides search, and what mixing the scores of rules alone takes
    /// for language models. Products take the sum.
    pub fn mean(&self, of: &impl Fn(u32) -> f64) -> f64 {
        self.weigh(of, self.operation != Operation::Prod)
    }

    /// The mean of what components add, whatever the operation is (a product whose weights sum up to 1).
    pub fn average(&self, of: &impl Fn(u32) -> f64) -> f64 {
        self.weigh(of, true)
    }

    fn weigh(&self, of: &impl Fn(u32) -> f64, divided: bool) -> f64 {
        let own = |share: &Share| {
            share.scale
                * match &share.part {
                    Part::Component(number) => of(*number),
                    Part::Mixed(mixture) => mixture.weigh(of, divided || mixture.operation != Operation::Prod),
                }
        };
        let sum: f64 = self.shares.iter().map(|share| share.lambda * own(share)).sum();
        if divided { sum / self.shares.iter().map(|share| share.lambda).sum::<f64>() } else { sum }
    }

    /// For components side by side under a sum or maximum of probabilities: the operation, and for each of them in their
    /// order the logarithm of its weight and its scale.
    pub fn as_flat(&self) -> Option<(Operation, Vec<[f32; 2]>)> {
        let ordered = (0..).zip(&self.shares).all(|(at, share)| share.part == Part::Component(at));
        let flat = ordered && self.operation != Operation::Prod;
        flat.then(|| (self.operation, self.shares.iter().map(|share| [share.log as f32, share.scale as f32]).collect()))
    }
}

/// The logarithm of a sum of two exponentials.
pub fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// The sum of the exponentials of some numbers less their maximum. No library call, so that several are computed at once: an
/// ensemble does this for every edge.
#[inline]
pub fn sum_of_powers(numbers: &[f32], most: f32) -> f32 {
    numbers.iter().map(|number| exp_of_negative(number - most)).sum()
}

/// e to the power of a number that is not positive, right but for the last bits; nothing is left of what is below -87.
///
/// The number is split into a whole power of two, which is written into the exponent, and a rest of at most half a power,
/// for which a polynomial is good enough (Cody & Waite 1980, chapter 6).
#[inline]
fn exp_of_negative(number: f32) -> f32 {
    /// Added to a small number, the last bits of the sum are the nearest whole number.
    const WHOLE: f32 = 12_582_912.0;
    let number = number.max(-87.0);
    let shifted = number * std::f32::consts::LOG2_E + WHOLE;
    let powers = shifted - WHOLE;
    // ln 2 in two parts, so that little is lost.
    let rest = number - powers * 0.693_359_4 + powers * 2.121_944_4e-4;
    let series = 1.398_199_9e-3 * rest + 8.333_451e-3;
    let series = (series * rest + 4.166_579_6e-2) * rest + 1.666_666_5e-1;
    let series = (series * rest + 0.5) * rest * rest + rest + 1.0;
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library() {
        for at in 0..870_000 {
            let number = -(at as f32) * 1e-4;
            let (got, wanted) = (exp_of_negative(number), f64::from(number).exp());
            assert!((f64::from(got) / wanted - 1.0).abs() < 3e-7, "{number}: {got} instead of {wanted}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert!(exp_of_negative(f32::NEG_INFINITY) < 1e-37);
        assert_eq!(sum_of_powers(&[f32::NEG_INFINITY, 2.0], 2.0), 1.0);
    }

    const NONE: f64 = f64::NAN;
    /// What two models say of a cell (vector T-2): he, it, this, there.
    const CELL: [(&str, [f64; 2]); 4] =
        [("he", [-1.0, -2.0]), ("it", [-1.6, -0.9]), ("this", [-3.0, NONE]), ("there", [NONE, -2.5])];

    fn mixed(mixture: &Mixture, floor: f64) -> Vec<(&'static str, f64)> {
        let mut found: Vec<(&str, f64)> = CELL
            .iter()
            .map(|(word, scores)| {
                let spoken = (0..2).filter(|&m| !scores[m].is_nan()).map(|m| 1 << m).sum();
                let score = |m: u32| if scores[m as usize].is_nan() { floor } else { scores[m as usize] };
                (*word, mixture.of(&score, spoken))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
    }

    fn check(found: &[(&str, f64)], wanted: &[(&str, f64)]) {
        for (&(word, score), &(other, value)) in found.iter().zip(wanted) {
            assert_eq!(word, other, "{found:?}");
            assert!((score - value).abs() < 1e-6 || score == value, "{word}: {score} instead of {value}");
        }
    }

    #[test]
    fn operations_are_those_of_the_worked_example() {
        const FLOOR: f64 = -13.8155;
        const OUT: f64 = f64::NEG_INFINITY;
        let flat = |operation, lambda| Mixture::flat(operation, Missing::Floor, lambda).unwrap();
        let veto = Mixture::flat(Operation::Prod, Missing::Veto, &[0.6, 0.4]).unwrap();
        let skip = Mixture::flat(Operation::Prod, Missing::Skip, &[0.6, 0.4]).unwrap();
        let (wsum, wmax, prod) = (Operation::Wsum, Operation::Wmax, Operation::Prod);
        check(
            &mixed(&flat(wsum, &[0.6, 0.4]), FLOOR),
            &[("it", -1.259606), ("he", -1.291487), ("there", -3.416291), ("this", -3.510826)],
        );
        check(
            &mixed(&flat(wmax, &[0.6, 0.4]), FLOOR),
            &[("he", -1.510826), ("it", -1.816291), ("there", -3.416291), ("this", -3.510826)],
        );
        check(&mixed(&veto, FLOOR)[..2], &[("it", -1.32), ("he", -1.4)]);
        assert!(mixed(&veto, FLOOR)[2..].iter().all(|(_, score)| *score == OUT));
        check(
            &mixed(&flat(prod, &[0.6, 0.4]), FLOOR),
            &[("it", -1.32), ("he", -1.4), ("this", -7.3262), ("there", -9.2893)],
        );
        check(&mixed(&skip, 0.0), &[("there", -1.0), ("it", -1.32), ("he", -1.4), ("this", -1.8)]);
        check(
            &mixed(&flat(wsum, &[0.5, 0.5]), FLOOR),
            &[("it", -1.189961), ("he", -1.379885), ("there", -3.193147), ("this", -3.693147)],
        );
        check(
            &mixed(&flat(wmax, &[0.5, 0.5]), FLOOR),
            &[("it", -1.593147), ("he", -1.693147), ("there", -3.193147), ("this", -3.693147)],
        );
        check(
            &mixed(&flat(prod, &[0.5, 0.5]), FLOOR),
            &[("it", -1.25), ("he", -1.5), ("there", -8.15775), ("this", -8.40775)],
        );
        check(
            &mixed(&flat(wsum, &[1.0, 1.0]), FLOOR),
            &[("it", -0.496814), ("he", -0.686738), ("there", -2.5), ("this", -3.0)],
        );
        check(&mixed(&flat(wmax, &[1.0, 1.0]), FLOOR), &[("it", -0.9), ("he", -1.0), ("there", -2.5), ("this", -3.0)]);
    }

    #[test]
    fn edges_and_rules_are_those_of_the_worked_example() {
        // Vector T-7: one edge, other weights of the language model.
        let (tm, lm) = ([-1.2, -0.8], [0.5, 0.3]);
        let edge = |m: u32| tm[m as usize] + lm[m as usize] * -4.0;
        let values = [(Operation::Wsum, -2.543493, -2.700407), (Operation::Wmax, -2.916291, -3.390826)];
        for (operation, by_edge, by_rule) in values {
            let mixture = Mixture::flat(operation, Missing::Floor, &[0.6, 0.4]).unwrap();
            assert!((mixture.of(&edge, ALL) - by_edge).abs() < 1e-6);
            let rule = mixture.of(&|m| tm[m as usize], ALL) + mixture.mean(&|m| lm[m as usize]) * -4.0;
            assert!((rule - by_rule).abs() < 1e-6);
            assert_eq!(mixture.shift(&|m| lm[m as usize]), None);
            assert_eq!(mixture.shift(&|_| 0.5), Some(0.5));
        }
        let prod = Mixture::flat(Operation::Prod, Missing::Floor, &[0.6, 0.4]).unwrap();
        assert!((prod.of(&edge, ALL) + 2.72).abs() < 1e-9);
        assert!((prod.shift(&|m| lm[m as usize]).unwrap() - 0.42).abs() < 1e-9);
    }

    #[test]
    fn idempotent_weights_leave_equal_scores_alone() {
        for operation in [Operation::Wsum, Operation::Wmax, Operation::Prod] {
            let lambda = idempotent(operation, &[3.0, 1.0, 0.5]);
            let mixture = Mixture::flat(operation, Missing::Floor, &lambda).unwrap();
            assert!((mixture.of(&|_| -1.7, ALL) + 1.7).abs() < 1e-12);
        }
    }

    #[test]
    fn nested_sums_are_flat_ones() {
        let inner = |a: u32, b: u32, lambda: [f64; 2]| {
            let parts = vec![(Part::Component(a), lambda[0], 1.0), (Part::Component(b), lambda[1], 1.0)];
            Part::Mixed(Mixture::new(Operation::Wsum, Missing::Floor, parts).unwrap())
        };
        let parts = vec![(inner(0, 1, [0.3, 0.7]), 0.4, 1.0), (inner(2, 3, [0.5, 0.5]), 0.6, 1.0)];
        let nested = Mixture::new(Operation::Wsum, Missing::Floor, parts).unwrap();
        let flat = Mixture::flat(Operation::Wsum, Missing::Floor, &[0.12, 0.28, 0.3, 0.3]).unwrap();
        let score = |m: u32| -0.3 * f64::from(m + 1);
        for spoken in 1..16 {
            assert!((nested.of(&score, spoken) - flat.of(&score, spoken)).abs() < 1e-12);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let flat = |lambda: &[f64]| Mixture::flat(Operation::Wsum, Missing::Floor, lambda);
        for lambda in [&[][..], &[0.0, 0.0], &[f64::NAN], &[-1.0, 2.0], &[f64::INFINITY], &[1.0; 65]] {
            assert!(flat(lambda).is_err(), "{lambda:?}");
        }
        let twice = vec![(Part::Component(0), 1.0, 1.0), (Part::Component(0), 1.0, 1.0)];
        assert!(Mixture::new(Operation::Prod, Missing::Floor, twice).is_err());
        assert!(Mixture::new(Operation::Prod, Missing::Floor, vec![(Part::Component(0), 1.0, 0.0)]).is_err());
    }
}
