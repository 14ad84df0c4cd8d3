//! One sentence pair of the text, in which occurrences of patterns become rules.
//!
//! Blocks, the ways to cut gaps into them and keys are those of the extractor that takes all rules of a text, so that
//! both find the same.

use super::index::Index;
use super::occurrences::{MOST_CHUNKS, Match};
use super::queries::{DOUBLE, shape};
use super::targets::TargetShape;
use crate::grammar::aligned::Link;
use crate::grammar::blocks::Block;
use crate::grammar::hiero::{ONE, Way, Ways};
use crate::grammar::keys::Keys;
use crate::grammar::phrases::Neighbours;
use crate::grammar::settings::{Counting, ExtractSettings, Kind, MOST_LENGTH, Orientation};

/// A pair; its buffers are used again for each.
pub struct Pair<'a> {
    settings: &'a ExtractSettings,
    /// The keys of its rules.
    pub keys: Keys,
    lengths: (usize, usize),
    links: Vec<Link>,
    neighbours: Neighbours,
    /// Of each source word and each target word the lengths of the blocks that begin there, as bits.
    spans: [Vec<u16>; 2],
    /// Of each block where its ways are among `all`, once they were asked for.
    known: Vec<[u32; 2]>,
    all: Vec<Way>,
    ways: Ways,
}

const UNKNOWN: [u32; 2] = [u32::MAX; 2];

impl<'a> Pair<'a> {
    /// No pair yet.
    pub fn new(settings: &'a ExtractSettings) -> Self {
        Self {
            settings,
            keys: Keys::default(),
            lengths: (0, 0),
            links: Vec::new(),
            neighbours: Neighbours::default(),
            spans: Default::default(),
            known: Vec::new(),
            all: Vec::new(),
            ways: Ways::default(),
        }
    }

    /// Goes to a pair.
    pub fn set(&mut self, index: &Index, pair: u32) {
        let (segment, pair) = index.locate(pair);
        let [source, target] = [0, 1].map(|side| segment.sides[side].sentence(pair));
        segment.links(pair, &mut self.links);
        self.lengths = (source.len(), target.len());
        self.keys.set(source, target, &self.links, self.settings.max_length, self.settings.loose);
        self.known.clear();
        self.known.resize(self.keys.blocks.all.len(), UNKNOWN);
        self.all.clear();
        for (spans, length) in self.spans.iter_mut().zip([source.len(), target.len()]) {
            spans.clear();
            spans.resize(length + 1, 0);
        }
        for block in &self.keys.blocks.all {
            self.spans[0][block.from as usize] |= 1 << (block.to - block.from);
            self.spans[1][block.low as usize] |= 1 << (block.high - block.low);
        }
        if let Kind::Phrase(orientation) = self.settings.kind
            && orientation != Orientation::None
        {
            self.neighbours.set(self.lengths, &self.keys.links, orientation);
        }
    }

    /// Whether so many gaps might fill a span of a side: quickly tells most that cannot.
    #[inline]
    fn fills(&self, side: usize, begin: u16, end: u16, gaps: u8) -> bool {
        let length = end - begin;
        gaps != 1 || (usize::from(length) <= MOST_LENGTH && self.spans[side][begin as usize] >> length & 1 == 1)
    }

    /// The ways to cut gaps into a block.
    fn ways(&mut self, block: usize) -> std::ops::Range<usize> {
        if self.known[block] == UNKNOWN {
            self.ways.find(self.keys.blocks.all[block], &self.keys, self.settings);
            let begin = self.all.len() as u32;
            self.all.extend_from_slice(self.ways.all());
            self.known[block] = [begin, self.all.len() as u32];
        }
        let [begin, end] = self.known[block];
        begin as usize..end as usize
    }

    /// What each of so many ways counts.
    fn share(&self, ways: usize) -> u64 {
        match self.settings.counting {
            Counting::Unit => ONE,
            Counting::Fractional => (ONE + ways as u64 / 2) / ways as u64,
        }
    }

    /// Gives every wanted rule at an occurrence of a core, as a key, with its count.
    pub fn rules(
        &mut self,
        found: &Match,
        lengths: &[u16; MOST_CHUNKS],
        number: usize,
        wanted: u16,
        mut each: impl FnMut(&[u8], u64),
    ) {
        let (start, end) = (found.starts[0], found.starts[number - 1] + lengths[number - 1]);
        if let Kind::Phrase(orientation) = self.settings.kind {
            for at in self.blocks_from(start) {
                let block = self.keys.blocks.all[at];
                if block.to == end {
                    self.keys.write(block, &[]);
                    if orientation != Orientation::None {
                        let [before, after] = self.neighbours.of(block, &self.keys.links, orientation);
                        self.keys.key.push(3 * before as u8 + after as u8);
                    }
                    each(&self.keys.key, ONE);
                }
            }
            return;
        }
        let single = u8::from(wanted & DOUBLE == 0);
        for chunk in 1..number {
            if !self.fills(0, found.starts[chunk - 1] + lengths[chunk - 1], found.starts[chunk], single) {
                return;
            }
        }
        let single = u8::from(!self.settings.adjacent);
        let leads = wanted & !(shape(0, 0) | shape(0, 1) | shape(0, 2) | DOUBLE) != 0;
        let trails = wanted & !(shape(0, 0) | shape(1, 0) | shape(2, 0) | DOUBLE) != 0;
        let first = if leads { end.saturating_sub(self.settings.max_length as u16) } else { start };
        for at in self.blocks_from(first).start..self.blocks_from(start).end {
            let block = self.keys.blocks.all[at];
            if block.to < end
                || (block.to > end && !(trails && self.fills(0, end, block.to, single)))
                || (block.from < start && !self.fills(0, block.from, start, single))
            {
                continue;
            }
            let ways = self.ways(at);
            let count = self.share(ways.len().max(1));
            for way in ways {
                let (gaps, held) = self.all[way];
                let gaps = &gaps[..held as usize];
                if gaps.len() + 1 >= number && source_shape(block, gaps, found, lengths, number) & wanted != 0 {
                    self.keys.write(block, gaps);
                    each(&self.keys.key, count);
                }
            }
        }
    }

    fn blocks_from(&self, from: u16) -> std::ops::Range<usize> {
        let first = &self.keys.blocks.first;
        first[from as usize] as usize..first[from as usize + 1] as usize
    }

    /// What the rules with a target side count that have it at an occurrence of its words.
    pub fn count(&mut self, found: &Match, target: &TargetShape) -> u64 {
        let number = target.pattern.number as usize;
        let (start, end) = (found.starts[0], found.starts[number - 1] + target.lengths[number - 1]);
        let hiero = matches!(self.settings.kind, Kind::Hiero);
        let mut count = 0;
        for chunk in 1..number {
            let begin = found.starts[chunk - 1] + target.lengths[chunk - 1];
            if !self.fills(1, begin, found.starts[chunk], target.gaps[chunk]) {
                return 0;
            }
        }
        for at in 0..self.keys.blocks.all.len() {
            let block = self.keys.blocks.all[at];
            if block.low > start
                || block.high < end
                || (block.low == start) != (target.gaps[0] == 0)
                || (block.high == end) != (target.gaps[number] == 0)
                || !self.fills(1, block.low, start, target.gaps[0])
                || !self.fills(1, end, block.high, target.gaps[number])
            {
                continue;
            }
            if !hiero {
                count += ONE;
                continue;
            }
            let ways = self.ways(at);
            let share = self.share(ways.len().max(1));
            let same =
                |&(gaps, held): &Way| held == target.arity && has_target(block, &gaps[..held as usize], found, target);
            count += share * self.all[ways].iter().filter(|way| same(way)).count() as u64;
        }
        count
    }
}

/// The shape of the source side of a block with gaps, if its words are those of an occurrence; else 0.
#[inline]
fn source_shape(block: Block, gaps: &[Block], found: &Match, lengths: &[u16; MOST_CHUNKS], number: usize) -> u16 {
    let mut at = block.from;
    let mut used = 0;
    let mut held = [0_usize; MOST_CHUNKS + 1];
    for chunk in 0..=number {
        while used < gaps.len() && gaps[used].from == at {
            at = gaps[used].to;
            used += 1;
            held[chunk] += 1;
        }
        if chunk < number {
            if at != found.starts[chunk] {
                return 0;
            }
            at += lengths[chunk];
        }
    }
    if at != block.to || used < gaps.len() {
        return 0;
    }
    if held[1..number].iter().any(|&gaps| gaps > 1) { DOUBLE } else { shape(held[0], held[number]) }
}

/// Whether a block with gaps has this target side at this occurrence.
#[inline]
fn has_target(block: Block, gaps: &[Block], found: &Match, target: &TargetShape) -> bool {
    let number = target.pattern.number as usize;
    let inverted = gaps.len() == 2 && gaps[1].low < gaps[0].low;
    if gaps.len() == 2 && inverted != target.inverted {
        return false;
    }
    let mut at = block.low;
    let mut used = 0;
    for chunk in 0..=number {
        for _ in 0..target.gaps[chunk] {
            let gap = gaps[if inverted { 1 - used } else { used }];
            if gap.low != at {
                return false;
            }
            at = gap.high;
            used += 1;
        }
        if chunk < number {
            if at != found.starts[chunk] {
                return false;
            }
            at += target.lengths[chunk];
        }
    }
    at == block.high
}
