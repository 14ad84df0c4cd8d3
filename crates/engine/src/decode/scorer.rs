//! What turns features into scores: the components of a model, each with weights of its own, and how they are mixed.
//!
//! With one component a score is the weighted sum of features, and nothing else is computed. With several, an option
//! has a part for each of them, language models add to each part, and the mixture of the parts is the score.

use hashbrown::HashMap;

use super::model::{Model, Weights};
use crate::forest::mixture::{Mix, Mixture};
use crate::{Error, Result};

/// The components of a model and their mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    components: Vec<Weights>,
    mixture: Mixture,
    /// Weights of one linear model: what the components come to where mixing is linear.
    joint: Weights,
}

impl From<Weights> for Scorer {
    fn from(weights: Weights) -> Self {
        Self { components: vec![weights.clone()], mixture: Mixture::single(), joint: weights }
    }
}

impl Scorer {
    /// Mixes components.
    ///
    /// # Errors
    /// Not as many weights of components as components.
    pub fn new(components: Vec<Weights>, mixture: Mixture) -> Result<Self> {
        if components.len() != mixture.lambda().len() {
            let (got, wanted) = (mixture.lambda().len(), components.len());
            return Err(Error::input(format!("{got} weights for {wanted} components")));
        }
        let Mix::Linear = mixture.mix();
        let lambda = || mixture.lambda().iter().map(|&weight| weight as f32);
        let mut values = vec![0.0; components[0].values().len()];
        let mut sparse: HashMap<u32, f32> = HashMap::new();
        for (component, lambda) in components.iter().zip(lambda()) {
            values.iter_mut().zip(component.values()).for_each(|(sum, weight)| *sum += lambda * weight);
            component.sparse().for_each(|(feature, weight)| *sparse.entry(feature).or_default() += lambda * weight);
        }
        Ok(Self { joint: Weights::from_parts(values, sparse), components, mixture })
    }

    /// The components.
    #[inline]
    pub fn components(&self) -> &[Weights] {
        &self.components
    }

    /// Whether there is one component, so that scores have no parts.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.components.len() == 1
    }

    /// The weights of one linear model, by which search is guided.
    #[inline]
    pub fn joint(&self) -> &Weights {
        &self.joint
    }

    /// The score that parts make.
    pub fn mixed(&self, parts: impl IntoIterator<Item = f32>) -> f32 {
        self.mixture.of(parts.into_iter().map(f64::from)) as f32
    }

    /// What language models add to the part of a component, given log10 of their probabilities.
    pub fn said(&self, component: usize, model: &Model, lm: &[f32]) -> f32 {
        let weights = self.components[component].values();
        model.lms().iter().zip(lm).map(|(lm, prob)| prob * super::options::LN_10 * weights[lm.feature]).sum()
    }
}
