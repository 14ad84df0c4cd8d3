//! Writing the rules of one sentence pair as keys: source, target, and the links between their words.
//!
//! Words keep their codes from the start of the sentence to its end, so that writing a rule is copying a few slices.

use super::aligned::Link;
use super::blocks::{Block, Blocks};
use super::code::{END, put_gap, put_word};
use super::settings::MOST_LENGTH;

/// The category of every gap that is extracted: X.
const X: u16 = 0;

/// A sentence as codes.
#[derive(Debug, Default)]
struct Encoded {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl Encoded {
    fn set(&mut self, words: &[u32]) {
        self.bytes.clear();
        self.starts.clear();
        for &word in words {
            self.starts.push(self.bytes.len() as u32);
            put_word(&mut self.bytes, word);
        }
        self.starts.push(self.bytes.len() as u32);
    }

    #[inline]
    fn span(&self, from: u16, to: u16) -> &[u8] {
        &self.bytes[self.starts[from as usize] as usize..self.starts[to as usize] as usize]
    }
}

/// A sentence pair whose rules are being written.
#[derive(Debug, Default)]
pub struct Keys {
    source: Encoded,
    target: Encoded,
    /// The links, sorted.
    pub links: Vec<Link>,
    /// The consistent blocks.
    pub blocks: Blocks,
    /// The rule written last.
    pub key: Vec<u8>,
}

impl Keys {
    /// Goes to a sentence pair and finds its blocks.
    pub fn set(&mut self, source: &[u32], target: &[u32], links: &[Link], longest: usize, loose: bool) {
        self.source.set(source);
        self.target.set(target);
        self.links.clear();
        self.links.extend_from_slice(links);
        self.blocks.find((source.len(), target.len()), links, longest, loose);
    }

    /// Writes the rule that a block becomes when its gaps, which are in source order, become nonterminals.
    #[inline]
    pub fn write(&mut self, block: Block, gaps: &[Block]) {
        self.key.clear();
        // Where each word of the block is in the rule; words in gaps have no meaning here.
        let mut source_at = [0_u8; MOST_LENGTH];
        let mut target_at = [0_u8; MOST_LENGTH];

        let (mut word, mut symbol) = (block.from, 0);
        for gap in gaps {
            self.key.extend_from_slice(self.source.span(word, gap.from));
            put_gap(&mut self.key, X);
            for place in &mut source_at[(word - block.from) as usize..(gap.from - block.from) as usize] {
                *place = symbol;
                symbol += 1;
            }
            symbol += 1;
            word = gap.to;
        }
        self.key.extend_from_slice(self.source.span(word, block.to));
        self.key.push(END);
        for place in &mut source_at[(word - block.from) as usize..(block.to - block.from) as usize] {
            *place = symbol;
            symbol += 1;
        }

        let inverted = gaps.len() == 2 && gaps[1].low < gaps[0].low;
        let (mut word, mut symbol) = (block.low, 0);
        for turn in 0..gaps.len() {
            let index = if inverted { 1 - turn } else { turn };
            let gap = gaps[index];
            self.key.extend_from_slice(self.target.span(word, gap.low));
            put_gap(&mut self.key, index as u16);
            for place in &mut target_at[(word - block.low) as usize..(gap.low - block.low) as usize] {
                *place = symbol;
                symbol += 1;
            }
            symbol += 1;
            word = gap.high;
        }
        self.key.extend_from_slice(self.target.span(word, block.high));
        self.key.push(END);
        for place in &mut target_at[(word - block.low) as usize..(block.high - block.low) as usize] {
            *place = symbol;
            symbol += 1;
        }

        let count_at = self.key.len();
        self.key.push(0);
        let mut word = block.from;
        let mut next = gaps.iter();
        loop {
            let gap = next.next();
            for i in word..gap.map_or(block.to, |gap| gap.from) {
                for &(_, j) in &self.links[self.blocks.links_of(i)] {
                    let at = source_at[(i - block.from) as usize] << 4 | target_at[(j - block.low) as usize];
                    self.key.push(at);
                }
            }
            match gap {
                Some(gap) => word = gap.to,
                None => break,
            }
        }
        self.key[count_at] = (self.key.len() - count_at - 1) as u8;
    }
}
