//! What a corpus is like, counted in one pass. Memory grows with the vocabulary, and by 16 bytes per different line.

use hashbrown::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_128;

use super::pair_key::SameBy;
use super::scripts::{Script, letter_script};
use super::vocabulary::{UNK, Vocabulary, VocabularyBuilder};
use super::words::words;

/// Counts one side of a corpus.
#[derive(Debug, Clone, Default)]
pub struct SideCounter {
    words: VocabularyBuilder,
    lines: u64,
    empty_lines: u64,
    characters: u64,
    tokens: u64,
    types: u64,
    /// How many lines have so many tokens.
    lengths: HashMap<u32, u64>,
    longest_characters: u64,
    seen: HashSet<u128>,
    scripts: HashMap<Script, u64>,
    growth: Vec<(u64, u64)>,
}

/// A summary of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideSummary {
    /// Lines.
    pub lines: u64,
    /// Lines without a word.
    pub empty_lines: u64,
    /// Lines equal to an earlier one.
    pub duplicate_lines: u64,
    /// Characters (code points), spaces included.
    pub characters: u64,
    /// Characters of the longest line.
    pub longest_characters: u64,
    /// Words.
    pub tokens: u64,
    /// Different words.
    pub types: u64,
    /// Words that occur once.
    pub hapaxes: u64,
    /// Words per line: mean, median, most.
    pub mean_tokens: f64,
    /// The median of the words per line; the mean of the two middle ones where there is no middle.
    pub median_tokens: f64,
    /// Words of the longest line.
    pub longest_tokens: u64,
    /// The most frequent words, by descending count, then by bytes.
    pub top: Vec<(String, u64)>,
    /// Different words after so many words: after 1, 2 and 5 thousand and so on, and at the end.
    pub growth: Vec<(u64, u64)>,
    /// Letters by script, by descending count, then by name.
    pub scripts: Vec<(&'static str, u64)>,
}

impl SideCounter {
    /// A counter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a line; gives the number of its words.
    pub fn add_line(&mut self, line: &str) -> u32 {
        self.lines += 1;
        let mut characters = 0;
        let mut latin = 0;
        for c in line.chars() {
            characters += 1;
            match letter_script(c) {
                Some(Script::Latin) => latin += 1,
                Some(script) => *self.scripts.entry(script).or_default() += 1,
                None => {}
            }
        }
        if latin > 0 {
            *self.scripts.entry(Script::Latin).or_default() += latin;
        }
        self.characters += characters;
        self.longest_characters = self.longest_characters.max(characters);

        let mut length = 0u32;
        for word in words(line) {
            let id = self.words.add(word);
            self.types += u64::from(self.words.count(id) == 1);
            self.tokens += 1;
            length = length.saturating_add(1);
            if is_milestone(self.tokens) {
                self.growth.push((self.tokens, self.types));
            }
        }
        self.empty_lines += u64::from(length == 0);
        *self.lengths.entry(length).or_default() += 1;
        self.seen.insert(xxh3_128(line.as_bytes()));
        length
    }

    /// Of the words counted here, how many are not in a vocabulary: running words, different words.
    pub fn unknown_to(&self, vocabulary: &Vocabulary) -> (u64, u64) {
        let counted = (0..self.words.len() as u32).map(|id| (self.words.word(id), self.words.count(id)));
        let unknown = counted.filter(|&(word, count)| count > 0 && vocabulary.text_id(word) == UNK);
        unknown.fold((0, 0), |(tokens, types), (_, count)| (tokens + count, types + 1))
    }

    /// The summary, with the `top` most frequent words.
    pub fn summary(&self, top: usize) -> SideSummary {
        let mut counts: Vec<(u64, &str)> = (0..self.words.len() as u32)
            .map(|id| (self.words.count(id), self.words.word(id)))
            .filter(|&(count, _)| count > 0)
            .collect();
        let hapaxes = counts.iter().filter(|&&(count, _)| count == 1).count() as u64;
        let first = |a: &(u64, &str), b: &(u64, &str)| b.0.cmp(&a.0).then(a.1.cmp(b.1));
        if top < counts.len() {
            counts.select_nth_unstable_by(top, first);
            counts.truncate(top);
        }
        counts.sort_unstable_by(first);

        let mut scripts: Vec<(&'static str, u64)> =
            self.scripts.iter().map(|(script, &letters)| (script.full_name(), letters)).collect();
        scripts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let mut growth = self.growth.clone();
        if self.tokens > 0 && growth.last().is_none_or(|last| last.0 != self.tokens) {
            growth.push((self.tokens, self.types));
        }
        let mut lengths: Vec<(f64, u64)> =
            self.lengths.iter().map(|(&length, &lines)| (f64::from(length), lines)).collect();
        lengths.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        SideSummary {
            lines: self.lines,
            empty_lines: self.empty_lines,
            duplicate_lines: self.lines - self.seen.len() as u64,
            characters: self.characters,
            longest_characters: self.longest_characters,
            tokens: self.tokens,
            types: self.types,
            hapaxes,
            mean_tokens: if self.lines == 0 { 0.0 } else { self.tokens as f64 / self.lines as f64 },
            median_tokens: median(&lengths),
            longest_tokens: lengths.last().map_or(0, |&(length, _)| length as u64),
            top: counts.into_iter().map(|(count, word)| (word.to_owned(), count)).collect(),
            growth,
            scripts,
        }
    }
}

/// Counts a corpus of sentence pairs: each side, and how the sides relate.
#[derive(Debug, Clone, Default)]
pub struct PairCounter {
    /// The source side.
    pub source: SideCounter,
    /// The target side.
    pub target: SideCounter,
    lengths: HashMap<(u32, u32), u64>,
    seen: HashSet<u128>,
    scratch: Vec<u8>,
    identical: u64,
}

/// A summary of how the sides relate.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSummary {
    /// Pairs.
    pub pairs: u64,
    /// Pairs equal to an earlier one.
    pub duplicates: u64,
    /// Pairs with two equal sides.
    pub identical: u64,
    /// Target words per source word over the whole corpus; 0 without source words.
    pub ratio: f64,
    /// The quantiles [`QUANTILES`] of a pair's target words per source word, over pairs without an empty side.
    pub ratio_quantiles: Vec<(f64, f64)>,
}

/// Which quantiles of the length ratio are given.
pub const QUANTILES: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

impl PairCounter {
    /// A counter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the next pairs; the sides are counted at the same time.
    pub fn add<S: AsRef<str> + Sync>(&mut self, sources: &[S], targets: &[S]) {
        let Self { source, target, lengths, seen, scratch, identical } = self;
        let count = |side: &mut SideCounter, lines: &[S]| -> Vec<u32> {
            lines.iter().map(|line| side.add_line(line.as_ref())).collect()
        };
        let (source_lengths, target_lengths) = rayon::join(|| count(source, sources), || count(target, targets));
        for pair in source_lengths.into_iter().zip(target_lengths) {
            *lengths.entry(pair).or_default() += 1;
        }
        for (source, target) in sources.iter().zip(targets) {
            let (source, target) = (source.as_ref(), target.as_ref());
            seen.insert(SameBy::Pair.key(source, target, 0, scratch));
            *identical += u64::from(source == target);
        }
    }

    /// The summary of how the sides relate.
    pub fn summary(&self) -> PairSummary {
        let mut ratios: Vec<(f64, u64)> = self
            .lengths
            .iter()
            .filter(|((source, target), _)| *source > 0 && *target > 0)
            .map(|((source, target), &pairs)| (f64::from(*target) / f64::from(*source), pairs))
            .collect();
        ratios.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = ratios.iter().map(|&(_, pairs)| pairs).sum();
        let ratio_quantiles = match total {
            0 => Vec::new(),
            total => QUANTILES.iter().map(|&q| (q, nth(&ratios, rank(q, total)))).collect(),
        };
        PairSummary {
            pairs: self.source.lines,
            duplicates: self.source.lines - self.seen.len() as u64,
            identical: self.identical,
            ratio: match self.source.tokens {
                0 => 0.0,
                tokens => self.target.tokens as f64 / tokens as f64,
            },
            ratio_quantiles,
        }
    }
}

fn is_milestone(tokens: u64) -> bool {
    let mut size = 1000;
    while tokens.is_multiple_of(size) {
        if matches!(tokens / size, 1 | 2 | 5) {
            return true;
        }
        size *= 10;
    }
    false
}

/// The position from 0 of the smallest value that at least a share `q` of all values do not exceed (the inverse of the
/// empirical distribution: definition 1 of Hyndman and Fan 1996).
fn rank(q: f64, total: u64) -> u64 {
    ((q * total as f64).ceil() as u64).clamp(1, total) - 1
}

/// The value at a position among values given with their numbers, in order.
fn nth(sorted: &[(f64, u64)], position: u64) -> f64 {
    let mut before = 0;
    for &(value, times) in sorted {
        before += times;
        if position < before {
            return value;
        }
    }
    0.0
}

fn median(sorted: &[(f64, u64)]) -> f64 {
    let total: u64 = sorted.iter().map(|&(_, times)| times).sum();
    match total {
        0 => 0.0,
        total => f64::midpoint(nth(sorted, (total - 1) / 2), nth(sorted, total / 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_a_side() {
        let mut counter = SideCounter::new();
        for line in ["a b a", "", "a b a", "<s> ж", " "] {
            counter.add_line(line);
        }
        let summary = counter.summary(2);
        assert_eq!((summary.lines, summary.empty_lines, summary.duplicate_lines), (5, 2, 1));
        assert_eq!((summary.tokens, summary.types, summary.hapaxes), (8, 4, 2));
        assert_eq!((summary.characters, summary.longest_characters), (16, 5));
        assert_eq!((summary.median_tokens, summary.longest_tokens), (2.0, 3));
        assert_eq!(summary.top, [("a".to_owned(), 4), ("b".to_owned(), 2)]);
        assert_eq!(summary.scripts, [("Latin", 7), ("Cyrillic", 1)]);
        assert_eq!(summary.growth, [(8, 4)]);
        assert_eq!(counter.unknown_to(&Vocabulary::from_words(["a", "ж"]).unwrap()), (3, 2));
        assert_eq!(SideCounter::new().summary(3).median_tokens, 0.0);
    }

    #[test]
    fn counts_pairs() {
        let mut counter = PairCounter::new();
        counter.add(&["a b", "a b", "a", ""], &["a b c d", "a b c d", "a", "x"]);
        let summary = counter.summary();
        assert_eq!((summary.pairs, summary.duplicates, summary.identical), (4, 1, 1));
        assert_eq!(summary.ratio, 2.0);
        assert_eq!(summary.ratio_quantiles[3], (0.5, 2.0));
        assert_eq!(summary.ratio_quantiles[0], (0.01, 1.0));
        assert!(PairCounter::new().summary().ratio_quantiles.is_empty());
    }

    #[test]
    fn milestones() {
        let found: Vec<u64> = (1..=60_000).filter(|&tokens| is_milestone(tokens)).collect();
        assert_eq!(found, [1000, 2000, 5000, 10_000, 20_000, 50_000]);
    }
}
