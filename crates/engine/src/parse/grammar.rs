//! What inferences cost, and grammars made of grammars (Galron 2012, section 4.5.1, after Wellington 2007).

use super::cost::Cost;
use super::logic::{Inference, Logic};

/// A function from inferences to costs.
pub trait Grammar<L: Logic> {
    /// What an inference costs; [`Cost::NEVER`] forbids it.
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost;
}

impl<L: Logic, F: FnMut(&L, &Inference<'_, L>) -> Cost> Grammar<L> for F {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        self(logic, inference)
    }
}

impl<L: Logic> Grammar<L> for Box<dyn Grammar<L> + Send + '_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        self.as_mut().cost(logic, inference)
    }
}

/// The sum of several grammars' costs.
#[derive(Debug, Default)]
pub struct Additive<G>(pub Vec<G>);

impl<L: Logic, G: Grammar<L>> Grammar<L> for Additive<G> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let mut sum = Cost::NOTHING;
        for grammar in &mut self.0 {
            sum = sum.and(grammar.cost(logic, inference));
            if sum == Cost::NEVER {
                break;
            }
        }
        sum
    }
}

/// Filters, each of which may forbid, and the grammar that says the cost of what passes.
#[derive(Debug)]
pub struct Sequential<G, F = G> {
    /// Asked first, in order.
    pub filters: Vec<F>,
    /// Asked last.
    pub last: G,
}

impl<L: Logic, G: Grammar<L>, F: Grammar<L>> Grammar<L> for Sequential<G, F> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let pass = self.filters.iter_mut().all(|filter| filter.cost(logic, inference) != Cost::NEVER);
        if pass { self.last.cost(logic, inference) } else { Cost::NEVER }
    }
}
