//! What the lexicon allows and charges, and what fertilities charge.

use super::super::fertility::Fertility;
use super::super::lexicon::Lexicon;
use super::super::options::COPY;
use super::super::piece::Type;
use super::super::seen::Bilingual;
use crate::parse::{Cost, Grammar, Inference};

/// Only fuses and bilingual compositions that the lexicon has (Galron 2012, section 4.5.4).
#[derive(Debug, Clone, Copy)]
pub struct InLexicon<'a>(pub &'a Lexicon);

impl<L: Bilingual> Grammar<L> for InLexicon<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let (Self(lexicon), seen) = (*self, logic.seen(inference));
        let fused = |side, words: &[u32]| lexicon.fuse_cost(side, words, 0.0) != Cost::NEVER;
        let words = seen.words(logic.source());
        let known = match seen.kind {
            Type::SourceFuse => fused(0, words),
            Type::TargetFuse => fused(1, seen.phrase),
            // An unknown word is its own translation.
            Type::Bilingual if seen.entry == Some(COPY) => true,
            Type::Bilingual => {
                seen.entry.is_some()
                    || lexicon.pair(words, seen.phrase).is_some()
                    || is_copy(lexicon, words, seen.phrase)
            }
            _ => true,
        };
        if known { Cost::NOTHING } else { Cost::NEVER }
    }
}

/// Whether a word without translations is kept as it is.
pub(super) fn is_copy(lexicon: &Lexicon, source: &[u32], target: &[u32]) -> bool {
    source.len() == 1
        && source == target
        && lexicon.phrases(0).find(source).is_none_or(|one| lexicon.pairs_of(one).is_empty())
}

/// What fuses cost: the less the more often they were seen. Everything else costs nothing here.
#[derive(Debug, Clone, Copy)]
pub struct Fuses<'a> {
    /// Who counted them.
    pub lexicon: &'a Lexicon,
    /// The cost of one that was seen once.
    pub scale: f64,
}

impl<L: Bilingual> Grammar<L> for Fuses<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        match seen.kind {
            Type::SourceFuse => self.lexicon.fuse_cost(0, seen.words(logic.source()), self.scale),
            Type::TargetFuse => self.lexicon.fuse_cost(1, seen.phrase, self.scale),
            _ => Cost::NOTHING,
        }
    }
}

/// What bilingual compositions cost by how many words they make of how many. Everything else costs nothing here.
#[derive(Debug, Clone, Copy)]
pub struct Fertilities<'a>(pub &'a Fertility);

impl<L: Bilingual> Grammar<L> for Fertilities<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        if seen.kind != Type::Bilingual {
            return Cost::NOTHING;
        }
        let label = logic.source().label(seen.from.into(), seen.to.into());
        Cost::of(self.0.cost(label, seen.phrase.len() as f64 / f64::from(seen.to - seen.from)))
    }
}
