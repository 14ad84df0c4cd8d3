//! Diagonal-favouring Model 2 (Dyer, Chahuneau and Smith 2013): one tension λ for the whole table.
//!
//! D(0) = p₀ and D(i | j, ℓ, m) = (1 − p₀) exp(−λ |i/ℓ − j/m|) / Z_j, positions counted from 1.

use super::bitext::Shape;
use super::grids::{Column, Grids, columns};

/// The model's two numbers for one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagonal {
    /// p₀, the probability of NULL; fixed.
    pub null: f64,
    /// λ, fitted.
    pub tension: f64,
}

const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 30.0;

impl Diagonal {
    /// How far position `i` is from the diagonal, 0 to 1.
    fn distance(column: Column, i: usize) -> f64 {
        ((i + 1) as f64 / column.len as f64 - (column.own + 1) as f64 / column.own_len as f64).abs()
    }

    /// Writes one column of a grid; `weights` is scratch.
    fn write(self, column: Column, weights: &mut Vec<f64>, probabilities: &mut [f32]) {
        weights.clear();
        weights.extend((0..column.len).map(|i| (-self.tension * Self::distance(column, i)).exp()));
        let scale = (1.0 - self.null) / weights.iter().sum::<f64>();
        probabilities[column.null] = self.null as f32;
        for (at, weight) in column.indices().zip(&*weights) {
            probabilities[at] = (weight * scale) as f32;
        }
    }

    /// Mean and variance of the distance under the model. Away from the diagonal the weights fall geometrically on
    /// either side, so two exponentials serve a whole column.
    fn moments(self, column: Column) -> (f64, f64) {
        let step = 1.0 / column.len as f64;
        let ratio = (-self.tension * step).exp();
        let centre = (column.own + 1) as f64 / column.own_len as f64;
        let left = ((centre * column.len as f64) as usize).min(column.len);
        let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
        let mut walk = |nearest: usize, count: usize| {
            let mut distance = (nearest as f64 * step - centre).abs();
            let mut weight = (-self.tension * distance).exp();
            for _ in 0..count {
                total += weight;
                first += weight * distance;
                second += weight * distance * distance;
                weight *= ratio;
                distance += step;
            }
        };
        walk(left, left);
        walk(left + 1, column.len - left);
        let mean = first / total;
        (mean, (second / total - mean * mean).max(0.0))
    }
}

/// Writes the grid of one shape for both directions.
pub fn write(models: &[Diagonal; 2], shape: Shape, probabilities: &mut [f32]) {
    let mut weights = Vec::new();
    for (forward, column) in columns(shape) {
        models[usize::from(!forward)].write(column, &mut weights, probabilities);
    }
}

/// Fits both tensions to the counts: the expected log-likelihood is concave in λ, its gradient is the model's mean
/// distance less the observed one, and a few safeguarded Newton steps find its root.
pub fn fit(models: &mut [Diagonal; 2], grids: &Grids) {
    for (direction, model) in models.iter_mut().enumerate() {
        // Every column needs only its total count; the observed distance is one sum over all of them.
        let mut observed = 0.0;
        let mut weighted: Vec<(Column, f64)> = Vec::new();
        for (shape, counts) in grids.counts() {
            for (_, column) in columns(shape).filter(|(forward, _)| *forward == (direction == 0)) {
                let mut total = 0.0;
                for (i, at) in column.indices().enumerate() {
                    total += counts[at];
                    observed += counts[at] * Diagonal::distance(column, i);
                }
                if total > 0.0 {
                    weighted.push((column, total));
                }
            }
        }
        let (mut low, mut high) = (LOWEST, HIGHEST);
        for _ in 0..8 {
            let (mut gradient, mut curvature) = (-observed, 0.0);
            for &(column, total) in &weighted {
                let (mean, variance) = model.moments(column);
                gradient += total * mean;
                curvature += total * variance;
            }
            if gradient > 0.0 {
                low = model.tension;
            } else {
                high = model.tension;
            }
            let step = model.tension + gradient / curvature.max(1e-12);
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            let done = (next - model.tension).abs() < 1e-4 * model.tension;
            model.tension = next;
            if done {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_match_their_definition() {
        let model = Diagonal { null: 0.08, tension: 4.0 };
        for (_, column) in columns(Shape { source: 5, target: 7 }) {
            let weights: Vec<(f64, f64)> = (0..column.len)
                .map(|i| Diagonal::distance(column, i))
                .map(|distance| (distance, (-4.0 * distance).exp()))
                .collect();
            let total: f64 = weights.iter().map(|w| w.1).sum();
            let mean: f64 = weights.iter().map(|w| w.0 * w.1 / total).sum();
            let variance: f64 = weights.iter().map(|w| (w.0 - mean).powi(2) * w.1 / total).sum();
            let got = model.moments(column);
            assert!((got.0 - mean).abs() < 1e-12 && (got.1 - variance).abs() < 1e-12);
        }
    }
}
