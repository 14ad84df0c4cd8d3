//! Phrase pairs (Koehn, Och & Marcu 2003) and the orientation of their neighbours (Koehn et al. 2005).

use hashbrown::HashSet;

use super::aligned::Link;
use super::blocks::{Block, Blocks};
use super::hiero::ONE;
use super::keys::Keys;
use super::settings::Orientation;
use super::tally::Tally;

/// Where the neighbour of a phrase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Beside it in the same order.
    Mono,
    /// Beside it in the other order.
    Swap,
    /// Elsewhere.
    Other,
}

/// Tells orientations; its buffers are used again for each sentence pair.
#[derive(Debug, Default)]
pub struct Neighbours {
    lengths: (u16, u16),
    all: Blocks,
    /// Corners of the consistent blocks of any length: lower left, lower right, upper left, upper right.
    corners: [HashSet<(u16, u16)>; 4],
}

impl Neighbours {
    /// Goes to a sentence pair.
    pub fn set(&mut self, lengths: (usize, usize), links: &[Link], orientation: Orientation) {
        self.lengths = (lengths.0 as u16, lengths.1 as u16);
        if orientation != Orientation::Phrase {
            return;
        }
        self.all.find(lengths, links, lengths.0.max(lengths.1), true);
        self.corners.iter_mut().for_each(HashSet::clear);
        for block in &self.all.all {
            self.corners[0].insert((block.from, block.low));
            self.corners[1].insert((block.to, block.low));
            self.corners[2].insert((block.from, block.high));
            self.corners[3].insert((block.to, block.high));
        }
    }

    /// The places of the neighbours before and after a block, in target order. The links are sorted.
    pub fn of(&self, block: Block, links: &[Link], orientation: Orientation) -> [Place; 2] {
        let (source, target) = self.lengths;
        let (start, end) = (block.from == 0 && block.low == 0, block.to == source && block.high == target);
        let [mono_before, swap_before, mono_after, swap_after] = if orientation == Orientation::Phrase {
            let touches = |corner: usize, at: (u16, u16)| self.corners[corner].contains(&at);
            [
                start || touches(3, (block.from, block.low)),
                touches(2, (block.to, block.low)),
                end || touches(0, (block.to, block.high)),
                touches(1, (block.from, block.high)),
            ]
        } else {
            let linked = |i: Option<u16>, j: Option<u16>| match (i, j) {
                (Some(i), Some(j)) => links.binary_search(&(i, j)).is_ok(),
                _ => false,
            };
            let before = block.low.checked_sub(1);
            let after = (block.high < target).then_some(block.high);
            let left = block.from.checked_sub(1);
            let right = (block.to < source).then_some(block.to);
            [start || linked(left, before), linked(right, before), end || linked(right, after), linked(left, after)]
        };
        [place(mono_before, swap_before), place(mono_after, swap_after)]
    }
}

fn place(mono: bool, swap: bool) -> Place {
    match (mono, swap) {
        (true, false) => Place::Mono,
        (false, true) => Place::Swap,
        _ => Place::Other,
    }
}

/// Adds the phrase pairs of the sentence pair that `keys` stands at; gives how many there were.
pub fn extract(
    keys: &mut Keys,
    lengths: (usize, usize),
    orientation: Orientation,
    neighbours: &mut Neighbours,
    tally: &mut Tally,
) -> u64 {
    if orientation != Orientation::None {
        neighbours.set(lengths, &keys.links, orientation);
    }
    for at in 0..keys.blocks.all.len() {
        let block = keys.blocks.all[at];
        keys.write(block, &[]);
        if orientation != Orientation::None {
            let [before, after] = neighbours.of(block, &keys.links, orientation);
            keys.key.push(3 * before as u8 + after as u8);
        }
        tally.add(&keys.key, ONE);
    }
    keys.blocks.all.len() as u64
}
