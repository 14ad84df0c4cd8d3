//! Where a pattern, chunks of words with gaps between them, occurs in the text.

use super::chunks::Chunks;
use super::index::Index;

/// Chunks of a pattern: no rule has more than two gaps.
pub const MOST_CHUNKS: usize = 3;

/// Chunks by their numbers, and the least number of words between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Numbers of chunks.
    pub chunks: [u32; MOST_CHUNKS],
    /// How many there are.
    pub number: u8,
    /// Words between one and the next at least.
    pub holes: [u8; MOST_CHUNKS - 1],
}

/// An occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// The sentence pair.
    pub pair: u32,
    /// Which pattern.
    pub pattern: u32,
    /// Where its chunks begin.
    pub starts: [u16; MOST_CHUNKS],
}

/// How many occurrences stand behind each that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor(u64, u64);

impl Factor {
    /// The count that stands behind a count.
    #[inline]
    pub fn of(self, count: u64) -> u64 {
        if self.0 == self.1 {
            return count;
        }
        let (numerator, denominator) = (u128::from(self.0), u128::from(self.1));
        ((u128::from(count) * numerator + denominator / 2) / denominator) as u64
    }
}

/// Finds occurrences.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The text.
    pub index: &'a Index,
    /// What patterns are made of.
    pub chunks: &'a Chunks,
    /// Words from the beginning of a pattern to its end at most.
    pub longest: usize,
    /// Occurrences that are taken at most, evenly spread; 0 for all.
    pub samples: usize,
    /// Occurrences of a pattern's rarest chunk that are looked at for each occurrence of the pattern that is wanted.
    pub scanned: usize,
}

impl Search<'_> {
    /// Appends occurrences of a pattern. Of more than are wanted it takes a sample: that is spread evenly over the
    /// suffix array, so that it has what follows the pattern in its true proportions.
    ///
    /// A pattern of several chunks is looked for around the occurrences of its rarest chunk, and if these are too many
    /// around a sample of them.
    pub fn find(&self, pattern: &Pattern, name: u32, out: &mut Vec<Match>) -> Factor {
        let first = out.len();
        let several = pattern.number > 1;
        let anchor = self.anchor(pattern);
        let total = self.chunks.total(pattern.chunks[anchor]);
        let most = match (self.samples, several) {
            (0, _) => total,
            (samples, false) => total.min(samples as u64),
            (samples, true) => total.min((self.scanned * samples) as u64),
        };
        self.each_anchor(pattern, anchor, most, name, |found| out.push(found));
        if !several {
            return Factor(total, most.max(1));
        }
        let found = out.len() - first;
        if self.samples == 0 || found <= self.samples {
            return Factor(total, most.max(1));
        }
        for at in 0..self.samples {
            out[first + at] = out[first + spread(at as u64, found as u64, self.samples as u64) as usize];
        }
        out.truncate(first + self.samples);
        Factor(total * found as u64, most * self.samples as u64)
    }

    /// Whether [`Search::find`] would find any.
    pub fn occurs(&self, pattern: &Pattern) -> bool {
        let anchor = self.anchor(pattern);
        let total = self.chunks.total(pattern.chunks[anchor]);
        let most = if self.samples == 0 { total } else { total.min((self.scanned * self.samples) as u64) };
        let mut any = false;
        self.each_anchor_until(pattern, anchor, most, 0, |_| {
            any = true;
            false
        });
        any
    }

    fn anchor(&self, pattern: &Pattern) -> usize {
        (0..pattern.number as usize).min_by_key(|&at| self.chunks.total(pattern.chunks[at])).unwrap_or(0)
    }

    fn each_anchor(&self, pattern: &Pattern, anchor: usize, most: u64, name: u32, mut each: impl FnMut(Match)) {
        self.each_anchor_until(pattern, anchor, most, name, |found| {
            each(found);
            true
        });
    }

    fn each_anchor_until(
        &self,
        pattern: &Pattern,
        anchor: usize,
        most: u64,
        name: u32,
        mut each: impl FnMut(Match) -> bool,
    ) {
        let total = self.chunks.total(pattern.chunks[anchor]);
        let words =
            [0, 1, 2].map(|at| if at < pattern.number as usize { self.chunks.words(pattern.chunks[at]) } else { &[] });
        let mut taken = 0;
        let mut before = 0;
        for (number, &[begin, end]) in self.chunks.ranges(pattern.chunks[anchor]).iter().enumerate() {
            let side = &self.index.segments[number].sides[self.chunks.side()];
            let (suffixes, text) = (side.suffixes(), side.text());
            let after = before + u64::from(end - begin);
            while taken < most {
                let at = spread(taken, total, most);
                if at >= after {
                    break;
                }
                taken += 1;
                let place = suffixes[begin as usize + (at - before) as usize];
                let sentence = side.sentence_at(place);
                let span = side.span(sentence);
                // Only where the suffixes are out of order can others be among those that begin with a chunk.
                if !text[place as usize..span.end].starts_with(words[anchor]) {
                    continue;
                }
                let mut starts = [0; MOST_CHUNKS];
                starts[anchor] = (place as usize - span.start) as u16;
                let found = Match { pair: self.index.first_pairs[number] + sentence as u32, pattern: name, starts };
                if pattern.number == 1 {
                    if !each(found) {
                        return;
                    }
                    continue;
                }
                let placing = Placing { pattern, words, sentence: &text[span], longest: self.longest, anchor };
                if !placing.left(found, anchor, &mut each) {
                    return;
                }
            }
            before = after;
        }
    }
}

/// The `at`-th of `taken` things spread evenly over `total`.
#[inline]
fn spread(at: u64, total: u64, taken: u64) -> u64 {
    if total == taken {
        return at;
    }
    ((2 * u128::from(at) + 1) * u128::from(total) / (2 * u128::from(taken))) as u64
}

/// Fits the other chunks around the anchor.
struct Placing<'a> {
    pattern: &'a Pattern,
    words: [&'a [u32]; MOST_CHUNKS],
    sentence: &'a [u32],
    longest: usize,
    anchor: usize,
}

impl Placing<'_> {
    /// Places the chunks before number `at`, which is placed; false to stop.
    fn left(&self, found: Match, at: usize, each: &mut impl FnMut(Match) -> bool) -> bool {
        if at == 0 {
            return self.right(found, self.anchor + 1, each);
        }
        let words = self.words[at - 1];
        let end = found.starts[self.anchor] as usize + self.words[self.anchor].len();
        let least = end.saturating_sub(self.longest);
        let needed = self.pattern.holes[at - 1] as usize + words.len();
        let Some(last) = (found.starts[at] as usize).checked_sub(needed) else { return true };
        for start in least..=last {
            if stands(words, self.sentence, start) {
                let mut found = found;
                found.starts[at - 1] = start as u16;
                if !self.left(found, at - 1, each) {
                    return false;
                }
            }
        }
        true
    }

    /// Places the chunks from number `at` on, of which those before are placed; false to stop.
    fn right(&self, found: Match, at: usize, each: &mut impl FnMut(Match) -> bool) -> bool {
        if at == self.pattern.number as usize {
            return each(found);
        }
        let words = self.words[at];
        let last = self.sentence.len().min(found.starts[0] as usize + self.longest);
        let before = found.starts[at - 1] as usize + self.words[at - 1].len();
        for start in before + self.pattern.holes[at - 1] as usize..(last + 1).saturating_sub(words.len()) {
            if stands(words, self.sentence, start) {
                let mut found = found;
                found.starts[at] = start as u16;
                if !self.right(found, at + 1, each) {
                    return false;
                }
            }
        }
        true
    }
}

/// Whether words stand at a place; most differ in the first.
#[inline]
fn stands(words: &[u32], sentence: &[u32], start: usize) -> bool {
    sentence[start] == words[0] && sentence[start + 1..start + words.len()] == words[1..]
}
