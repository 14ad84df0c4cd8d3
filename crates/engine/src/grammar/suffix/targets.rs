//! How often target sides occur in rules, which p(source | target) needs.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::chunks::Chunks;
use super::extract::{MOST_MATCHES, by_pair};
use super::index::Index;
use super::occurrences::{Factor, MOST_CHUNKS, Match, Pattern, Search};
use super::pair::Pair;
use crate::grammar::Symbol;
use crate::grammar::settings::ExtractSettings;

/// Occurrences of a target side's rarest chunk that are looked at for each occurrence of it that is wanted. A count needs
/// fewer than finding rules does.
const SCANNED: usize = 2;

/// A target side: chunks of words, and the gaps before, between and after them.
#[derive(Debug, Clone, Copy)]
pub struct TargetShape {
    /// The words to look for.
    pub pattern: Pattern,
    /// Words of each chunk.
    pub lengths: [u16; MOST_CHUNKS],
    /// Gaps before each chunk, and after the last.
    pub gaps: [u8; MOST_CHUNKS + 1],
    /// All gaps.
    pub arity: u8,
    /// Whether the second gap of the source side comes first.
    pub inverted: bool,
}

impl TargetShape {
    /// Takes a target side apart; its chunks are added to `chunks`.
    pub fn new(target: &[Symbol], chunks: &mut Chunks, words: &mut Vec<u32>) -> Self {
        let mut shape = Self {
            pattern: Pattern { chunks: [0; MOST_CHUNKS], number: 0, holes: [0; MOST_CHUNKS - 1] },
            lengths: [0; MOST_CHUNKS],
            gaps: [0; MOST_CHUNKS + 1],
            arity: 0,
            inverted: false,
        };
        words.clear();
        for &symbol in target {
            match (symbol.as_nonterminal(), symbol.as_word()) {
                (Some(place), _) => {
                    shape.end_chunk(chunks, words);
                    shape.inverted |= shape.arity == 0 && place == 1;
                    shape.arity += 1;
                    shape.gaps[shape.pattern.number as usize] += 1;
                }
                (None, word) => words.extend(word),
            }
        }
        shape.end_chunk(chunks, words);
        for (hole, gaps) in shape.pattern.holes.iter_mut().zip(&shape.gaps[1..]) {
            *hole = *gaps;
        }
        shape
    }

    fn end_chunk(&mut self, chunks: &mut Chunks, words: &mut Vec<u32>) {
        if !words.is_empty() {
            let at = self.pattern.number as usize;
            self.pattern.chunks[at] = chunks.add(words);
            self.lengths[at] = words.len() as u16;
            self.pattern.number += 1;
            words.clear();
        }
    }
}

/// Counts of target sides, in units of a tally.
///
/// Of a target side whose words occur more often than `samples`, occurrences are sampled as on the source side, and
/// what is counted there stands for all: the estimate is right on average, and the same for every sentence.
pub fn count(
    index: &Index,
    chunks: &Chunks,
    targets: &[TargetShape],
    settings: &ExtractSettings,
    samples: usize,
) -> Vec<u64> {
    let search = Search { index, chunks, longest: settings.max_length, samples, scanned: SCANNED };
    let counts: Vec<AtomicU64> = (0..targets.len()).map(|_| AtomicU64::new(0)).collect();
    let mut next = 0;
    while next < targets.len() {
        let mut matches: Vec<Match> = Vec::new();
        let mut factors: Vec<Factor> = Vec::new();
        let first = next;
        while next < targets.len() && matches.len() < MOST_MATCHES {
            let end = targets.len().min(next + 4096);
            let found: Vec<(Vec<Match>, Factor)> = targets[next..end]
                .par_iter()
                .enumerate()
                .map(|(at, target)| {
                    let mut out = Vec::new();
                    let factor = search.find(&target.pattern, (next + at) as u32, &mut out);
                    (out, factor)
                })
                .collect();
            for (out, factor) in found {
                matches.extend(out);
                factors.push(factor);
            }
            next = end;
        }
        by_pair(
            &mut matches,
            || Pair::new(settings),
            |pair, group| {
                pair.set(index, group[0].pair);
                for found in group {
                    let at = found.pattern as usize;
                    let count = pair.count(found, &targets[at]);
                    if count > 0 {
                        counts[at].fetch_add(factors[at - first].of(count), Ordering::Relaxed);
                    }
                }
                Ok(())
            },
        )
        .unwrap_or_default();
    }
    counts.into_iter().map(AtomicU64::into_inner).collect()
}
