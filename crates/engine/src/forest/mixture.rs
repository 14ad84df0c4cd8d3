//! One score made of those of several components.

use crate::{Error, Result};

/// How the scores of components become one (Razmara 2013, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mix {
    /// Their weighted sum: a log-linear model of log-linear models, which is again one.
    #[default]
    Linear,
}

/// How much each component counts, and how they are mixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    mix: Mix,
    lambda: Vec<f64>,
}

impl Mixture {
    /// Components with their weights.
    ///
    /// # Errors
    /// No component, or a weight that is not a finite number.
    pub fn new(mix: Mix, lambda: Vec<f64>) -> Result<Self> {
        if lambda.is_empty() {
            return Err(Error::input("a mixture needs a component"));
        }
        if lambda.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::input("the weight of a component is not a finite number"));
        }
        Ok(Self { mix, lambda })
    }

    /// The one component of a model that is not mixed.
    pub fn single() -> Self {
        Self { mix: Mix::Linear, lambda: vec![1.0] }
    }

    /// How components are mixed.
    pub fn mix(&self) -> Mix {
        self.mix
    }

    /// The weight of each component.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// The score that the scores of the components make.
    pub fn of(&self, parts: impl IntoIterator<Item = f64>) -> f64 {
        match self.mix {
            Mix::Linear => self.lambda.iter().zip(parts).map(|(weight, part)| weight * part).sum(),
        }
    }
}
