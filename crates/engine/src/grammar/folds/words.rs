#![allow(clippy::inline_always)] // What is compiled for a processor must be one function.
//! Lexical weights in lanes: word translation probabilities of all voices, by what each fold adds to the links.

use std::ops::Range;

use hashbrown::HashMap;
use rayon::slice::ParallelSliceMut;

use super::super::aligned::Aligned;
use super::super::lexical::{NULL, each_link};
use super::super::symbol::Symbol;
use super::Folds;
use super::lanes::stride;

/// Bytes of the probabilities that are at hand; they fit the cache.
const AT_HAND: usize = 8 << 20;
/// No two words: only one of a pair is the empty word.
const NOBODY: u64 = u64::MAX;

/// Link counts of pairs of words and of words, by folds.
pub struct FoldWords {
    stride: usize,
    /// By source (high half) and target (low half): the count in the whole text, and where those of parts are.
    pairs: HashMap<u64, (u32, Range<u32>)>,
    parts: Vec<(u8, u32)>,
    /// Of source and target words, one over their counts in each lane; the empty word is the last.
    shares: [Vec<f32>; 2],
    /// w(target | source) and w(source | target) of some pairs, and which pairs these are.
    at_hand: Vec<f32>,
    held: Vec<u64>,
    sums: Vec<f32>,
    arch: pulp::Arch,
}

impl FoldWords {
    /// Counts the links of a text.
    pub fn count(text: &Aligned, folds: &Folds) -> Self {
        let stride = stride(folds.voices());
        let lengths = [text.source.len(), text.target.len()];
        let mut all: Vec<(u64, u8, u32)> = Vec::new();
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let mut at = 0;
        // Pairs of a part follow each other, and a table of them is small.
        while at < text.len() {
            let (_, part) = folds.pair(at);
            while at < text.len() && folds.pair(at).1 == part {
                each_link(text, folds.pair(at).0, |pair| *counts.entry(pair).or_default() += 1);
                at += 1;
            }
            all.extend(counts.drain().map(|(pair, count)| (pair, part.unwrap_or_default(), count)));
        }
        all.par_sort_unstable();
        let held = 1 << (AT_HAND / (2 * stride * size_of::<f32>())).ilog2();
        let mut made = Self {
            stride,
            pairs: HashMap::new(),
            parts: Vec::new(),
            shares: lengths.map(|words| vec![0.0; (words + 1) * stride]),
            at_hand: vec![0.0; held * 2 * stride],
            held: vec![NOBODY; held],
            sums: vec![0.0; 2 * 16 * stride],
            arch: pulp::Arch::new(),
        };
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let total = same.iter().map(|&(.., count)| count).sum();
            let start = made.parts.len() as u32;
            let voiced = same.iter().filter(|&&(_, part, _)| usize::from(part) < folds.voices());
            made.parts.extend(voiced.map(|&(_, part, count)| (part, count)));
            made.pairs.insert(same[0].0, (total, start..made.parts.len() as u32));
        }
        for (side, shift) in [(0, 32), (1, 0)] {
            let mut sums = vec![0_u64; made.shares[side].len()];
            for &(pair, part, count) in &all {
                let lanes = &mut sums[row((pair >> shift) as u32, lengths[side]) * stride..][..stride];
                lanes.iter_mut().for_each(|lane| *lane += u64::from(count));
                if usize::from(part) < folds.voices() {
                    lanes[usize::from(part)] -= u64::from(count);
                }
            }
            let share = |&sum: &u64| if sum == 0 { 0.0 } else { 1.0 / sum as f32 };
            made.shares[side] = sums.iter().map(share).collect();
        }
        made
    }

    /// Brings the probabilities of a pair to hand; gives their place. They stay until the next is asked for.
    #[inline(always)]
    fn of(&mut self, source: u32, target: u32) -> usize {
        let key = u64::from(source) << 32 | u64::from(target);
        // Fibonacci hashing (Knuth 1998, section 6.4).
        let place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - self.held.len().ilog2())) as usize;
        if self.held[place] != key {
            self.held[place] = key;
            self.fetch(key, place * 2 * self.stride);
        }
        place * 2 * self.stride
    }

    #[inline(always)]
    fn fetch(&mut self, key: u64, place: usize) {
        let (forward, backward) = self.at_hand[place..place + 2 * self.stride].split_at_mut(self.stride);
        let Some((total, parts)) = self.pairs.get(&key) else {
            debug_assert!(false, "a rule has a link that the text does not have");
            return;
        };
        forward.fill(*total as f32);
        for &(voice, count) in &self.parts[parts.start as usize..parts.end as usize] {
            forward[usize::from(voice)] = (total - count) as f32;
        }
        let shares = |side: usize, word: u32| {
            let shares = &self.shares[side];
            &shares[row(word, shares.len() / self.stride - 1) * self.stride..][..self.stride]
        };
        let (from, to) = (shares(0, (key >> 32) as u32), shares(1, key as u32));
        for (((forward, backward), from), to) in forward.iter_mut().zip(backward).zip(from).zip(to) {
            *backward = *forward * to;
            *forward *= from;
        }
    }

    /// Multiplies lex(source | target) and lex(target | source) of a rule in all lanes into `fe` and `ef`, given the links
    /// between its words as half bytes: products over words of the mean of w over the words they are linked with (Koehn,
    /// Och & Marcu 2003, section 4).
    pub fn weights(&mut self, source: &[Symbol], target: &[Symbol], links: &[u8], fe: &mut [f32], ef: &mut [f32]) {
        self.arch.dispatch(Weigh { words: self, sides: [source, target], links, out: [fe, ef] });
    }

    #[inline(always)]
    fn weigh(&mut self, source: &[Symbol], target: &[Symbol], links: &[u8], fe: &mut [f32], ef: &mut [f32]) {
        let (width, own) = (self.stride, 16 * self.stride);
        let mut linked = [[0_u8; 16]; 2];
        for &link in links {
            linked[0][usize::from(link >> 4)] += 1;
            linked[1][usize::from(link & 15)] += 1;
        }
        for (side, counts) in linked.iter().enumerate() {
            for at in (0..16).filter(|&at| counts[at] > 1) {
                self.sums[side * own + at * width..][..width].fill(0.0);
            }
        }
        for &link in links {
            let (i, j) = (usize::from(link >> 4), usize::from(link & 15));
            let hand = self.of(word(source[i]), word(target[j]));
            let (forward, backward) = self.at_hand[hand..hand + 2 * width].split_at(width);
            if linked[0][i] == 1 {
                multiply(fe, backward, 1.0);
            } else {
                add(&mut self.sums[i * width..][..width], backward);
            }
            if linked[1][j] == 1 {
                multiply(ef, forward, 1.0);
            } else {
                add(&mut self.sums[own + j * width..][..width], forward);
            }
        }
        for at in (0..16).filter(|&at| linked[0][at] > 1) {
            multiply(fe, &self.sums[at * width..][..width], 1.0 / f32::from(linked[0][at]));
        }
        for at in (0..16).filter(|&at| linked[1][at] > 1) {
            multiply(ef, &self.sums[own + at * width..][..width], 1.0 / f32::from(linked[1][at]));
        }
        for symbol in unlinked(source, &linked[0]) {
            let hand = self.of(word(symbol), NULL);
            multiply(fe, &self.at_hand[hand + width..][..width], 1.0);
        }
        for symbol in unlinked(target, &linked[1]) {
            let hand = self.of(NULL, word(symbol));
            multiply(ef, &self.at_hand[hand..][..width], 1.0);
        }
    }
}

/// Lexical weights that are to be found by whatever the processor has.
struct Weigh<'a> {
    words: &'a mut FoldWords,
    sides: [&'a [Symbol]; 2],
    links: &'a [u8],
    out: [&'a mut [f32]; 2],
}

impl pulp::WithSimd for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let [fe, ef] = self.out;
        self.words.weigh(self.sides[0], self.sides[1], self.links, fe, ef);
    }
}

/// The place of a word among `words` of them and the empty word.
fn row(word: u32, words: usize) -> usize {
    if word == NULL { words } else { word as usize }
}

fn word(symbol: Symbol) -> u32 {
    symbol.as_word().unwrap_or(NULL)
}

fn unlinked<'a>(side: &'a [Symbol], linked: &'a [u8; 16]) -> impl Iterator<Item = Symbol> + 'a {
    side.iter()
        .zip(linked)
        .filter(|(symbol, links)| !symbol.is_nonterminal() && **links == 0)
        .map(|(&symbol, _)| symbol)
}

#[inline(always)]
fn multiply(lanes: &mut [f32], by: &[f32], share: f32) {
    lanes.iter_mut().zip(by).for_each(|(lane, by)| *lane *= by * share);
}

#[inline(always)]
fn add(lanes: &mut [f32], more: &[f32]) {
    lanes.iter_mut().zip(more).for_each(|(lane, more)| *lane += more);
}
