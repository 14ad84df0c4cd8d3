//! Hierarchical rules (Chiang 2007, section 3.2): initial phrase pairs, in which smaller ones become gaps.

use super::blocks::Block;
use super::keys::Keys;
use super::settings::{Counting, ExtractSettings};
use super::tally::Tally;

/// A count of one, in the units of a tally: fractions of a count are whole numbers of units, so that their sum does
/// not depend on the order in which they are added.
pub const ONE: u64 = 1 << 32;

/// Gaps, and how many there are.
pub type Way = ([Block; 2], u8);

/// The ways to turn parts of a block into gaps.
#[derive(Debug, Default)]
pub struct Ways(Vec<Way>);

const NO_GAP: Block = Block { from: 0, to: 0, low: 0, high: 0 };

/// Adds the rules of the sentence pair that `keys` stands at; gives how many occurrences there were.
pub fn extract(keys: &mut Keys, settings: &ExtractSettings, ways: &mut Ways, tally: &mut Tally) -> u64 {
    let mut occurrences = 0;
    for at in 0..keys.blocks.all.len() {
        let block = keys.blocks.all[at];
        ways.find(block, keys, settings);
        if ways.0.is_empty() {
            continue;
        }
        let share = ways.0.len() as u64;
        let count = match settings.counting {
            Counting::Unit => ONE,
            Counting::Fractional => (ONE + share / 2) / share,
        };
        occurrences += share;
        for &(gaps, number) in &ways.0 {
            keys.write(block, &gaps[..number as usize]);
            tally.add(&keys.key, count);
        }
    }
    occurrences
}

impl Ways {
    /// All ways found.
    pub fn all(&self) -> &[Way] {
        &self.0
    }

    /// Finds the ways of a block.
    pub fn find(&mut self, block: Block, keys: &Keys, settings: &ExtractSettings) {
        self.0.clear();
        let length = (block.to - block.from) as usize;
        let most = settings.max_symbols;
        if length <= most {
            self.0.push(([NO_GAP; 2], 0));
        }
        if settings.max_gaps == 0 {
            return;
        }
        let links = keys.blocks.links(block.from, block.to);
        let fits = |gap: &Block| {
            (gap.to - gap.from) as usize >= settings.min_gap && gap.low >= block.low && gap.high <= block.high
        };
        for from in block.from..block.to {
            let left = (from - block.from) as usize;
            if left + 1 > most {
                break;
            }
            for one in keys.blocks.starting(from) {
                if one.to > block.to {
                    break;
                }
                // At least one link between words must remain.
                let links = links - keys.blocks.links(one.from, one.to);
                if !fits(one) || links == 0 {
                    continue;
                }
                if left + usize::from(block.to - one.to) < most {
                    self.0.push(([*one, NO_GAP], 1));
                }
                if settings.max_gaps == 2 {
                    self.second(block, *one, left, links, keys, settings, &fits);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn second(
        &mut self,
        block: Block,
        one: Block,
        left: usize,
        links: u32,
        keys: &Keys,
        settings: &ExtractSettings,
        fits: &impl Fn(&Block) -> bool,
    ) {
        for from in one.to + u16::from(!settings.adjacent)..block.to {
            let words = left + (from - one.to) as usize;
            if words + 2 > settings.max_symbols {
                break;
            }
            for two in keys.blocks.starting(from) {
                if two.to > block.to {
                    break;
                }
                let apart = two.low >= one.high || two.high <= one.low;
                let short = words + (block.to - two.to) as usize + 2 <= settings.max_symbols;
                if short && apart && fits(two) && links > keys.blocks.links(two.from, two.to) {
                    self.0.push(([one, *two], 2));
                }
            }
        }
    }
}
