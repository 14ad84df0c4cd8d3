//! PseudoITG: everything that an inversion transduction grammar could do, without productions (Galron 2012, section 4.5.3).

use super::super::links::Links;
use super::super::piece::Type;
use super::super::seen::Bilingual;
use super::super::source::Source;
use crate::parse::{Cost, Grammar, Inference};

/// What word links and trees allow, and what they charge for.
#[derive(Debug, Clone)]
pub struct PseudoItg<'a> {
    /// Bilingual compositions must not cut links, and have at least one.
    pub links: Option<&'a Links>,
    /// Whether they cost what their links cost.
    pub weighted: bool,
    /// Most brackets of the source tree that one span may cross.
    pub most_crossings: Option<u32>,
    /// What each of them costs.
    pub crossing: f64,
    /// A tree of the target sentence, with the same constraint.
    pub target: Option<&'a Source>,
}

impl PseudoItg<'_> {
    /// Brackets crossed on both sides, if they are not too many on either.
    fn crossings(&self, source: &Source, span: (u16, u16), block: Option<(u16, u16)>) -> Option<u32> {
        let most = self.most_crossings.unwrap_or(u32::MAX);
        let ours = source.crossings(span.0.into(), span.1.into());
        let theirs = match (self.target, block) {
            (Some(tree), Some((begin, end))) => tree.crossings(begin.into(), end.into()),
            _ => 0,
        };
        (ours <= most && theirs <= most).then_some(ours + theirs)
    }
}

impl<L: Bilingual> Grammar<L> for PseudoItg<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        match seen.kind {
            Type::SourceScan | Type::TargetScan => return Cost::NOTHING,
            Type::SourceFuse | Type::TargetFuse => return Cost::ZERO,
            Type::Bilingual | Type::Monotonic | Type::Inverted => {}
        }
        let Some(crossed) = self.crossings(logic.source(), (seen.from, seen.to), seen.block) else {
            return Cost::NEVER;
        };
        let mut cost = f64::from(crossed) * self.crossing;
        // What is made of consistent parts is consistent.
        if let (Type::Bilingual, Some(links), Some((begin, end))) = (seen.kind, self.links, seen.block) {
            let block = (seen.from.into(), seen.to.into(), begin.into(), end.into());
            if !links.is_consistent(block) {
                return Cost::NEVER;
            }
            if self.weighted {
                cost += links.cost(block);
            }
        }
        Cost::of(cost)
    }
}
