//! All segments of a growing text together.

use std::path::Path;

use super::segment::{Segment, words};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::Verify;
use crate::grammar::aligned::Aligned;
use crate::grammar::lexical::{NULL, WordTable};
use crate::{Error, Result};

/// A segment at least this many times as large as all that come after it is left alone.
const RATIO: usize = 3;
/// Segments that together have fewer words than this are always merged: sorting them takes milliseconds.
const SMALL: usize = 20_000;

/// How many of the last segments should become one, given the sizes of all: 0 or at least 2.
///
/// Each segment that stays is at least [`RATIO`] times the sum of those after it, so there are logarithmically many,
/// and a word is sorted again logarithmically often.
pub fn to_merge(sizes: &[usize]) -> usize {
    let mut after = 0_usize;
    let mut merged = 0;
    for (number, &size) in sizes.iter().rev().enumerate() {
        if number > 0 && (size < RATIO * after || size + after < SMALL) {
            merged = number + 1;
        }
        after += size;
    }
    merged
}

/// A growing text as it is at one moment.
#[derive(Debug, Clone)]
pub struct Index {
    pub(super) segments: Vec<Segment>,
    /// The number of the first pair of each segment, and an end.
    pub(super) first_pairs: Vec<u32>,
    words: [Vocabulary; 2],
    /// How often each word was counted in links, the empty word last.
    totals: [Vec<u64>; 2],
}

impl Index {
    /// Opens segments in the order in which they were made.
    ///
    /// # Errors
    /// A damaged file, or segments that do not belong together.
    pub fn open(paths: &[impl AsRef<Path>], verify: Verify) -> Result<Self> {
        let segments = paths.iter().map(|path| Segment::open(path, verify)).collect::<Result<Vec<_>>>()?;
        Self::new(segments)
    }

    /// Brings segments together.
    ///
    /// # Errors
    /// Segments that do not belong together; more pairs than 32 bits can count.
    pub fn new(segments: Vec<Segment>) -> Result<Self> {
        let specials = crate::corpus::vocabulary::SPECIALS.len() as u32;
        let mut known = [specials; 2];
        let mut first_pairs = vec![0_u32];
        for segment in &segments {
            if segment.first() != known {
                return Err(Error::format("the segments of the grammar do not belong together")
                    .hint("make or copy all of them again"));
            }
            known = segment.known();
            let last = first_pairs[first_pairs.len() - 1];
            let next = u32::try_from(segment.len()).ok().and_then(|pairs| last.checked_add(pairs));
            first_pairs.push(next.ok_or_else(|| Error::limit("more than 4 billion sentence pairs"))?);
        }
        let all = |side: usize| match &segments[..] {
            [only] => Ok(only.own(side).clone()),
            several => Vocabulary::from_words(several.iter().flat_map(|segment| words(segment.own(side)))),
        };
        let words = [all(0)?, all(1)?];
        let mut totals = [vec![0; words[0].len() + 1], vec![0; words[1].len() + 1]];
        for (key, count) in segments.iter().flat_map(|segment| segment.counts.iter()) {
            for (side, word) in [(key >> 32) as u32, key as u32].into_iter().enumerate() {
                let at = if word == NULL { words[side].len() } else { word as usize };
                totals[side][at] += count;
            }
        }
        Ok(Self { segments, first_pairs, words, totals })
    }

    /// A segment of further pairs, not yet part of the index.
    ///
    /// # Errors
    /// More text than 32 bits can address.
    pub fn segment(&self, text: &Aligned) -> Result<Segment> {
        Segment::new(text, [&self.words[0], &self.words[1]])
    }

    /// The segments.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The words of a side: 0 is the source, 1 the target.
    pub fn words(&self, side: usize) -> &Vocabulary {
        &self.words[side]
    }

    /// Pairs in the text.
    pub fn len(&self) -> usize {
        self.first_pairs[self.segments.len()] as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The segment of a pair, and the pair's number in it.
    #[inline]
    pub(super) fn locate(&self, pair: u32) -> (&Segment, usize) {
        let at = self.first_pairs.partition_point(|&first| first <= pair) - 1;
        (&self.segments[at], (pair - self.first_pairs[at]) as usize)
    }

    /// Word probabilities of these source words and of the empty word.
    pub(super) fn word_table(&self, sources: impl IntoIterator<Item = u32>) -> WordTable {
        let mut counts: hashbrown::HashMap<u64, u64> = hashbrown::HashMap::new();
        for source in sources.into_iter().chain([NULL]) {
            for segment in &self.segments {
                for (target, count) in segment.counts.of_source(source) {
                    *counts.entry(u64::from(source) << 32 | u64::from(target)).or_default() += count;
                }
            }
        }
        let total = |side: usize, word: u32| match word {
            NULL => self.totals[side][self.words[side].len()],
            word => self.totals[side][word as usize],
        };
        WordTable::from_counts(counts, |word| total(0, word), |word| total(1, word))
    }
}
