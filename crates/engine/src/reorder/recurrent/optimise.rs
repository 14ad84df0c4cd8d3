//! Rules by which gradients change parameters.

use crate::{Error, Result};

/// A method of gradient descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Kingma and Ba (2015).
    Adam {
        /// Decay of the mean.
        beta1: f32,
        /// Decay of the squares.
        beta2: f32,
    },
    /// Zeiler (2012).
    AdaDelta {
        /// Decay of both averages.
        rho: f32,
    },
}

/// A method with its settings. Gradients are clipped element by element, then λ·θ is added to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The method.
    pub method: Method,
    /// Length of steps; 1 in AdaDelta as published.
    pub rate: f32,
    /// What keeps denominators from 0.
    pub epsilon: f32,
    /// The most a gradient may be, up or down.
    pub clip: f32,
    /// λ, which pulls parameters to 0.
    pub l2: f32,
}

impl Rule {
    /// Checks settings.
    ///
    /// # Errors
    /// One makes no sense.
    pub fn check(&self) -> Result<()> {
        let decays = match self.method {
            Method::Adam { beta1, beta2 } => [beta1, beta2],
            Method::AdaDelta { rho } => [rho, rho],
        };
        let positive = [self.rate, self.epsilon, self.clip].iter().all(|&x| x > 0.0 && !x.is_nan());
        let whole = self.rate.is_finite() && self.epsilon.is_finite() && self.l2 >= 0.0 && self.l2.is_finite();
        if !positive || !whole || decays.iter().any(|x| !(0.0..1.0).contains(x)) {
            return Err(Error::settings(
                "rate, epsilon and clip must be above 0, l2 at least 0, and decays from 0 to below 1",
            ));
        }
        Ok(())
    }

    /// Changes parameters by gradients; `step` counts from 1, and the two averages begin with zeros.
    pub fn update(&self, step: u32, parameters: &mut [f32], gradients: &[f32], first: &mut [f32], second: &mut [f32]) {
        let all = parameters.iter_mut().zip(gradients).zip(first.iter_mut().zip(second));
        let Self { rate, epsilon, clip, l2, .. } = *self;
        match self.method {
            Method::Adam { beta1, beta2 } => {
                // In double precision: 1 - 0.999 has few digits in single.
                let beta = |beta: f32| 1.0 - f64::from(beta).powi(i32::try_from(step).unwrap_or(i32::MAX));
                let (mean, squares) = ((1.0 / beta(beta1)) as f32, (1.0 / beta(beta2)) as f32);
                for ((x, &g), (m, v)) in all {
                    let g = g.clamp(-clip, clip) + l2 * *x;
                    *m = beta1 * *m + (1.0 - beta1) * g;
                    *v = beta2 * *v + (1.0 - beta2) * g * g;
                    *x -= rate * (*m * mean) / ((*v * squares).sqrt() + epsilon);
                }
            }
            Method::AdaDelta { rho } => {
                for ((x, &g), (squares, moves)) in all {
                    let g = g.clamp(-clip, clip) + l2 * *x;
                    *squares = rho * *squares + (1.0 - rho) * g * g;
                    let change = -(*moves + epsilon).sqrt() / (*squares + epsilon).sqrt() * g;
                    *moves = rho * *moves + (1.0 - rho) * change * change;
                    *x += rate * change;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(rule: Rule, count: u32) -> Vec<f32> {
        let (mut x, mut first, mut second) = ([0.0], [0.0], [0.0]);
        let step = |at| {
            let before = x[0];
            rule.update(at, &mut x, &[0.5], &mut first, &mut second);
            x[0] - before
        };
        (1..=count).map(step).collect()
    }

    #[test]
    fn constant_gradients() {
        let rule = Rule { method: Method::AdaDelta { rho: 0.95 }, rate: 1.0, epsilon: 1e-6, clip: 1.0, l2: 0.0 };
        for (step, wanted) in steps(rule, 3).into_iter().zip([-0.004_471_96, -0.004_528_92, -0.004_567_46]) {
            assert!((step - wanted).abs() < 1e-7, "{step} {wanted}");
        }
        let method = Method::Adam { beta1: 0.9, beta2: 0.999 };
        for step in steps(Rule { method, rate: 2e-5, epsilon: 1e-8, clip: 5.0, l2: 0.0 }, 2) {
            assert!((step + 2e-5).abs() < 1e-9, "{step}");
        }
    }

    #[test]
    fn senseless_settings() {
        let rule = Rule { method: Method::AdaDelta { rho: 1.0 }, rate: 1.0, epsilon: 1e-6, clip: 1.0, l2: 0.0 };
        assert!(rule.check().is_err());
        assert!(Rule { method: Method::AdaDelta { rho: 0.9 }, clip: f32::NAN, ..rule }.check().is_err());
    }
}
