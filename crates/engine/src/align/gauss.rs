//! IBM2+1dG (Mohammad 2012, appendices A.6 and D): one Gaussian and a NULL probability for each (j, ℓ, m) instead of a
//! free table, so that few numbers describe where words go.

use super::bitext::Shape;
use super::grids::{Column, columns};

/// How a Gaussian over the real line becomes probabilities of ℓ positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Densities at the positions, renormalised after each fit of mean and variance.
    Vanilla,
    /// Densities as they are: a deficient model whose likelihood never falls.
    Deficient,
    /// Densities divided by their sum, mean and variance fitted to that.
    Truncated,
    /// The mass between i − 1 and i, divided by the mass between 0 and ℓ, fitted to that.
    Integrated,
}

/// Settings of the fit.
#[derive(Debug, Clone, Copy)]
pub struct Gauss {
    /// Which variant.
    pub variant: Variant,
    /// Least variance.
    pub floor: f64,
    /// Pseudo-count that draws cells seen fewer than five times to the diagonal (μ₀ = jℓ/m, σ₀ = ℓ/4); 0 for none.
    pub shrink: f64,
}

/// Cells with a smaller count than this are drawn to the diagonal.
const SPARSE: f64 = 5.0;

/// Mean and variance of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bell {
    /// μ, counted from 1.
    pub mean: f64,
    /// σ².
    pub variance: f64,
}

impl Bell {
    /// Where a cell nothing is known about goes.
    pub fn prior(len: usize, own: usize, own_len: usize) -> Self {
        let mean = (own + 1) as f64 * len as f64 / own_len as f64;
        Self { mean, variance: (len as f64 / 4.0).powi(2).max(0.25) }
    }

    /// The density at `x`, up to the factor that all positions share.
    fn height(self, x: f64) -> f64 {
        (-(x - self.mean).powi(2) / (2.0 * self.variance)).exp()
    }

    fn density(self, x: f64) -> f64 {
        self.height(x) / (2.0 * std::f64::consts::PI * self.variance).sqrt()
    }

    /// Probabilities of positions 1..=len under a variant.
    pub fn spread(self, variant: Variant, len: usize) -> Vec<f64> {
        let at = |i: usize| (i + 1) as f64;
        match variant {
            Variant::Deficient => (0..len).map(|i| self.density(at(i))).collect(),
            Variant::Vanilla | Variant::Truncated => {
                // Relative to the nearest position, so that the sum cannot underflow.
                let nearest = self.mean.round().clamp(1.0, len as f64);
                let offset = (nearest - self.mean).powi(2) / (2.0 * self.variance);
                let height = |i| (offset - (at(i) - self.mean).powi(2) / (2.0 * self.variance)).exp();
                let total: f64 = (0..len).map(height).sum();
                (0..len).map(|i| height(i) / total).collect()
            }
            Variant::Integrated => {
                let masses: Vec<f64> = (0..len).map(|i| self.mass(at(i) - 1.0, at(i))).collect();
                let total: f64 = masses.iter().sum();
                if total > 0.0 {
                    masses.iter().map(|m| m / total).collect()
                } else {
                    self.spread(Variant::Vanilla, len)
                }
            }
        }
    }

    /// Φ(b) − Φ(a), taken in the tail where it keeps its digits.
    fn mass(self, a: f64, b: f64) -> f64 {
        let scale = (2.0 * self.variance).sqrt();
        let (a, b) = ((a - self.mean) / scale, (b - self.mean) / scale);
        if a > 0.0 { 0.5 * (erfc(a) - erfc(b)) } else { 0.5 * (erfc(-b) - erfc(-a)) }
    }
}

/// Turns the counts of one shape into its new grid.
pub fn fit(settings: Gauss, shape: Shape, counts: &[f64], probabilities: &mut [f32]) {
    for (_, column) in columns(shape) {
        let Some((null, bell)) = fit_column(settings, column, counts) else { continue };
        probabilities[column.null] = null as f32;
        for (at, p) in column.indices().zip(bell.spread(settings.variant, column.len)) {
            probabilities[at] = ((1.0 - null) * p) as f32;
        }
    }
}

/// NULL probability, mean and variance of one column's counts; None if it has none.
pub fn fit_column(settings: Gauss, column: Column, counts: &[f64]) -> Option<(f64, Bell)> {
    let mass: f64 = column.indices().map(|at| counts[at]).sum();
    let total = counts[column.null] + mass;
    if total <= 0.0 {
        return None;
    }
    let null = counts[column.null] / total;
    let prior = Bell::prior(column.len, column.own, column.own_len);
    let shrink = if total < SPARSE { settings.shrink } else { 0.0 };
    if mass + shrink <= 0.0 {
        return Some((null, prior));
    }
    let weighted: f64 = column.indices().enumerate().map(|(i, at)| (i + 1) as f64 * counts[at]).sum();
    let mean = (weighted + shrink * prior.mean) / (mass + shrink);
    let spread: f64 = column.indices().enumerate().map(|(i, at)| ((i + 1) as f64 - mean).powi(2) * counts[at]).sum();
    let pulled = shrink * (prior.variance + (prior.mean - mean).powi(2));
    let variance = ((spread + pulled) / (mass + shrink)).max(settings.floor);
    let bell = Bell { mean, variance };
    let bell = match settings.variant {
        Variant::Vanilla | Variant::Deficient => bell,
        variant => {
            let observed: Vec<f64> = column.indices().map(|at| counts[at] / mass.max(f64::MIN_POSITIVE)).collect();
            if mass > 0.0 { climb(variant, &observed, bell, settings.floor) } else { bell }
        }
    };
    Some((null, bell))
}

/// The log-likelihood of normalised counts and its gradient in (μ, σ²) (Mohammad 2012, D.3, with signs corrected).
pub fn likelihood(variant: Variant, observed: &[f64], bell: Bell) -> (f64, [f64; 2]) {
    let Bell { mean, variance } = bell;
    if variant == Variant::Integrated {
        let height = |x: f64| bell.density(x);
        let slope = |x: f64| (x - mean) * bell.density(x) / (2.0 * variance);
        let len = observed.len() as f64;
        let whole = bell.mass(0.0, len).max(f64::MIN_POSITIVE);
        let mut value = -whole.ln();
        let mut gradient = [-(height(0.0) - height(len)) / whole, -(slope(0.0) - slope(len)) / whole];
        for (i, &weight) in observed.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (a, b) = (i as f64, (i + 1) as f64);
            let part = bell.mass(a, b).max(f64::MIN_POSITIVE);
            value += weight * part.ln();
            gradient[0] += weight * (height(a) - height(b)) / part;
            gradient[1] += weight * (slope(a) - slope(b)) / part;
        }
        return (value, gradient);
    }
    let model = bell.spread(Variant::Truncated, observed.len());
    let mut value = 0.0;
    let mut gradient = [0.0; 2];
    for (i, (&weight, &q)) in observed.iter().zip(&model).enumerate() {
        let off = (i + 1) as f64 - mean;
        value += weight * q.max(f64::MIN_POSITIVE).ln();
        gradient[0] += (weight - q) * off / variance;
        gradient[1] += (weight - q) * off * off / (2.0 * variance * variance);
    }
    (value, gradient)
}

/// Polak–Ribière conjugate gradient in (μ, ln σ²) from the vanilla fit, with a backtracking line search that only
/// accepts improvements, so that EM built on it never loses likelihood.
fn climb(variant: Variant, observed: &[f64], start: Bell, floor: f64) -> Bell {
    let evaluate = |at: [f64; 2]| {
        let bell = Bell { mean: at[0], variance: at[1].exp() };
        let (value, gradient) = likelihood(variant, observed, bell);
        (value, [gradient[0], gradient[1] * bell.variance])
    };
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let mut at = [start.mean, start.variance.ln()];
    let (mut value, mut gradient) = evaluate(at);
    let mut heading = gradient;
    let mut stride = 1.0;
    for _ in 0..200 {
        if dot(gradient, gradient) < 1e-18 {
            break;
        }
        if dot(heading, gradient) <= 0.0 {
            heading = gradient;
        }
        let mut step: f64 = 2.0 * stride;
        let moved = loop {
            let there = [at[0] + step * heading[0], (at[1] + step * heading[1]).max(floor.ln())];
            let (better, slope) = evaluate(there);
            if better.is_finite() && better > value + 1e-4 * step * dot(heading, gradient).min(0.0) && better > value {
                break Some((there, better, slope));
            }
            step *= 0.5;
            if step < 1e-12 {
                break None;
            }
        };
        let Some((there, better, slope)) = moved else { break };
        stride = step;
        let change = [slope[0] - gradient[0], slope[1] - gradient[1]];
        let weight = (dot(change, slope) / dot(gradient, gradient)).max(0.0);
        heading = [slope[0] + weight * heading[0], slope[1] + weight * heading[1]];
        let gained = better - value;
        (at, value, gradient) = (there, better, slope);
        if gained < 1e-13 {
            break;
        }
    }
    Bell { mean: at[0], variance: at[1].exp() }
}

/// The complementary error function, by series near 0 and continued fraction in the tail; relative error below 1e-13.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 2.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > 1e-17 * sum.abs() {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 1.0 - sum * 2.0 / std::f64::consts::PI.sqrt();
    }
    let mut fraction = 0.0;
    for n in (1..=60).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / std::f64::consts::PI.sqrt() / (x + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBSERVED: [f64; 5] = [0.05 / 0.9, 0.15 / 0.9, 0.40 / 0.9, 0.25 / 0.9, 0.05 / 0.9];

    fn close(got: f64, wanted: f64) {
        assert!((got - wanted).abs() < 2e-6, "{got} is not {wanted}");
    }

    fn fitted(variant: Variant) -> (f64, Bell) {
        let counts = [0.05, 0.15, 0.40, 0.25, 0.05, 0.10];
        let column = Column { null: 5, first: 0, stride: 1, len: 5, own: 2, own_len: 5 };
        fit_column(Gauss { variant, floor: 0.01, shrink: 0.0 }, column, &counts).unwrap()
    }

    #[test]
    fn one_cell_vanilla_and_deficient() {
        let (null, bell) = fitted(Variant::Vanilla);
        close(null, 0.1);
        close(bell.mean, 3.111111);
        close(bell.variance, 0.876543);
        let renormalised = [0.030343, 0.190678, 0.382899, 0.245699, 0.050380];
        let deficient = [0.030177, 0.189638, 0.380809, 0.244359, 0.050105];
        for i in 0..5 {
            close(0.9 * bell.spread(Variant::Vanilla, 5)[i], renormalised[i]);
            close(0.9 * bell.spread(Variant::Deficient, 5)[i], deficient[i]);
        }
    }

    #[test]
    fn one_cell_truncated_and_integrated() {
        for (variant, mean, variance, value, table) in [
            (Variant::Truncated, 3.118423, 0.935712, -1.346755, [0.033989, 0.191645, 0.371132, 0.246846, 0.056389]),
            (Variant::Integrated, 2.618066, 0.852055, -1.346860, [0.034018, 0.191965, 0.370697, 0.246888, 0.056431]),
        ] {
            let (_, bell) = fitted(variant);
            close(bell.mean, mean);
            close(bell.variance, variance);
            close(likelihood(variant, &OBSERVED, bell).0, value);
            for (got, wanted) in bell.spread(variant, 5).into_iter().zip(table) {
                close(0.9 * got, wanted);
            }
        }
    }

    #[test]
    fn gradients_at_two_points() {
        for (mean, variance, variant, value, gradient) in [
            (2.5, 1.2, Variant::Truncated, -1.498906, [0.451315, 0.084754]),
            (2.5, 1.2, Variant::Integrated, -1.367296, [0.086407, -0.062516]),
            (3.0, 0.8, Variant::Truncated, -1.359659, [0.138889, 0.090613]),
            (3.0, 0.8, Variant::Integrated, -1.425679, [-0.405341, 0.143250]),
        ] {
            let got = likelihood(variant, &OBSERVED, Bell { mean, variance });
            close(got.0, value);
            close(got.1[0], gradient[0]);
            close(got.1[1], gradient[1]);
        }
    }

    #[test]
    fn far_away_means_stay_finite() {
        for variant in [Variant::Vanilla, Variant::Truncated, Variant::Integrated] {
            let spread = Bell { mean: 400.0, variance: 0.01 }.spread(variant, 5);
            assert!((spread.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
