//! What inferences would cost if classifiers were never wrong: an oracle, which sees the reference.

use super::super::judge::Judge;
use super::super::seen::Bilingual;
use super::Classified;
use crate::learn::boost::cost;
use crate::parse::{Cost, Grammar, Inference};

/// How sure it is of each label. How much that is matters little where all costs are labels: all are as sure.
const SURE: f64 = 4.0;

/// Which labels are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Knowing {
    /// All.
    #[default]
    All,
    /// Those of pairs of phrases; classifiers judge joins.
    Pairs,
    /// Those of joins; classifiers judge pairs of phrases.
    Joins,
}

/// Costs of bilingual compositions and joins by their permissive labels; everything else costs nothing here.
#[derive(Debug)]
pub struct Labels<'a> {
    judge: Judge,
    knowing: Knowing,
    others: Option<Box<Classified<'a>>>,
}

impl<'a> Labels<'a> {
    /// For one sentence, with its reference, and with classifiers for labels that are not known.
    pub fn new(reference: &[u32], knowing: Knowing, others: Option<Box<Classified<'a>>>) -> Self {
        Self { judge: Judge::new(reference), knowing, others }
    }
}

impl<L: Bilingual> Grammar<L> for Labels<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        if seen.piece.is_none() {
            return Cost::NOTHING;
        }
        // Asked in any case: what is made of it is judged by it.
        let label = self.judge.label(&seen, f64::max);
        let known = if seen.kind.is_join() { Knowing::Joins } else { Knowing::Pairs };
        match &mut self.others {
            Some(others) if self.knowing != Knowing::All && self.knowing != known => others.cost(logic, inference),
            _ => Cost::of(cost(label.map_or(0.0, |right| if right { SURE } else { -SURE }))),
        }
    }
}
