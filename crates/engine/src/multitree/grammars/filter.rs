//! The multitree inference filter: nothing but what is part of given trees (Galron 2012, section 4.5.2).

use hashbrown::HashSet;

use super::super::piece::Type;
use super::super::seen::Bilingual;
use crate::parse::{Cost, Grammar, Inference};
use crate::{Error, Result};

/// An inference that makes an item of two languages, by its spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Known {
    /// Bilingual, monotonic or inverted.
    pub kind: Type,
    /// The source span.
    pub from: u16,
    /// Where the second antecedent's source span begins; 0 for leaves.
    pub middle: u16,
    /// Where the source span ends.
    pub to: u16,
    /// The target span.
    pub begin: u16,
    /// Where the antecedents' target spans meet; 0 for leaves.
    pub seam: u16,
    /// Where the target span ends.
    pub end: u16,
}

/// The inferences of the trees of one sentence pair.
#[derive(Debug, Clone, Default)]
pub struct TreeFilter {
    joins: HashSet<Known>,
    leaves: Vec<Known>,
}

impl TreeFilter {
    /// Takes the inferences of trees.
    ///
    /// # Errors
    /// One of one language, or with spans that do not fit.
    pub fn new(inferences: &[Known]) -> Result<Self> {
        let mut filter = Self::default();
        for one in inferences {
            let spans = one.from < one.to && one.begin < one.end;
            let within = (one.from + 1..one.to).contains(&one.middle) && (one.begin + 1..one.end).contains(&one.seam);
            match one.kind {
                Type::Bilingual if spans => filter.leaves.push(*one),
                Type::Monotonic | Type::Inverted if spans && within => {
                    filter.joins.insert(*one);
                }
                _ => return Err(Error::input("a multitree has an inference whose spans do not fit")),
            }
        }
        Ok(filter)
    }

    /// A fuse is known if it ends where a leaf ends and begins within it: fuses are right-branching.
    fn has_fuse(&self, side: usize, from: u16, to: u16) -> bool {
        self.leaves.iter().any(|leaf| {
            let (start, end) = if side == 0 { (leaf.from, leaf.to) } else { (leaf.begin, leaf.end) };
            end == to && start <= from
        })
    }
}

impl<L: Bilingual> Grammar<L> for TreeFilter {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        let (begin, end) = seen.block.unwrap_or((0, 0));
        let same = |leaf: &Known| (leaf.from, leaf.to, leaf.begin, leaf.end) == (seen.from, seen.to, begin, end);
        let known = match seen.kind {
            Type::SourceScan | Type::TargetScan => return Cost::NOTHING,
            Type::SourceFuse => self.has_fuse(0, seen.from, seen.to),
            Type::TargetFuse => self.has_fuse(1, begin, end),
            Type::Bilingual => self.leaves.iter().any(same),
            kind @ (Type::Monotonic | Type::Inverted) => {
                let (from, middle, to, seam) = (seen.from, seen.middle, seen.to, seen.seam);
                self.joins.contains(&Known { kind, from, middle, to, begin, seam, end })
            }
        };
        if known { Cost::ZERO } else { Cost::NEVER }
    }
}
