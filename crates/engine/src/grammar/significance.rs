//! Whether the two sides of a rule occur together more often than by chance (Johnson, Martin, Foster & Kuhn 2007):
//! Fisher's exact test on the numbers of sentence pairs that contain one side, the other, and both.

use hashbrown::HashMap;

use super::Symbol;
use super::aligned::Aligned;
use crate::align::bitext::Side;

/// Which sentences of a side have which words.
pub(super) struct Index<'a> {
    side: &'a Side,
    /// For each word where its sentences start, and an end.
    starts: Vec<usize>,
    sentences: Vec<u32>,
}

impl<'a> Index<'a> {
    pub fn new(side: &'a Side) -> Self {
        let words = side.vocabulary();
        let mut last = vec![u32::MAX; words];
        let mut starts = vec![0_usize; words + 1];
        let mut each = |take: &mut dyn FnMut(usize, u32)| {
            last.fill(u32::MAX);
            for k in 0..side.len() as u32 {
                for &word in side.sentence(k as usize) {
                    if last[word as usize] != k {
                        last[word as usize] = k;
                        take(word as usize, k);
                    }
                }
            }
        };
        each(&mut |word, _| starts[word + 1] += 1);
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut sentences = vec![0; starts[words]];
        each(&mut |word, k| {
            sentences[next[word]] = k;
            next[word] += 1;
        });
        Self { side, starts, sentences }
    }

    fn of(&self, word: u32) -> &[u32] {
        &self.sentences[self.starts[word as usize]..self.starts[word as usize + 1]]
    }

    /// The sentences that a side of a rule matches.
    pub fn matching(&self, pattern: &[Symbol], out: &mut Vec<u32>) {
        out.clear();
        let rarest = pattern.iter().filter_map(|symbol| symbol.as_word()).map(|word| self.of(word));
        let Some(candidates) = rarest.min_by_key(|found| found.len()) else { return };
        out.extend(candidates.iter().copied().filter(|&k| matches(pattern, self.side.sentence(k as usize))));
    }
}

/// Whether a pattern occurs in a sentence, a nonterminal standing for one word or more. The first place where each
/// stretch of words fits leaves most room for the rest.
pub(super) fn matches(pattern: &[Symbol], words: &[u32]) -> bool {
    let (mut at, mut free) = (0, 0);
    let mut rest = pattern;
    while !rest.is_empty() {
        let length = rest.iter().take_while(|symbol| !symbol.is_nonterminal()).count();
        if length == 0 {
            free += 1;
            rest = &rest[1..];
            continue;
        }
        let fits = |start: &usize| {
            words[*start..*start + length].iter().zip(rest).all(|(&word, symbol)| symbol.as_word() == Some(word))
        };
        let Some(start) = (at + free..(words.len() + 1).saturating_sub(length)).find(fits) else { return false };
        at = start + length;
        free = 0;
        rest = &rest[length..];
    }
    at + free <= words.len()
}

/// Tests rules against the text they come from.
pub struct Significance<'a> {
    indices: [Index<'a>; 2],
    text: &'a Aligned,
    /// ln n! for every n up to the number of pairs.
    factorials: Vec<f64>,
    threshold: f64,
    source: Vec<u32>,
    /// How many sentences each target side occurs in.
    targets: HashMap<Vec<u8>, u32>,
    found: Vec<u32>,
}

/// Which rules are significant enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// All.
    None,
    /// Those whose -ln p is at least alpha plus this, where alpha = ln N is that of a pair whose sides both occur once.
    Alpha(f64),
    /// Those whose -ln p is at least this.
    Value(f64),
}

impl<'a> Significance<'a> {
    /// Prepares a text; none if there is nothing to test.
    pub fn new(text: &'a Aligned, threshold: Threshold) -> Option<Self> {
        let threshold = match threshold {
            Threshold::None => return None,
            Threshold::Alpha(more) => (text.len() as f64).ln() + more,
            Threshold::Value(value) => value,
        };
        Some(Self {
            indices: [Index::new(&text.bitext.source), Index::new(&text.bitext.target)],
            text,
            factorials: factorials(text.len()),
            threshold,
            source: Vec::new(),
            targets: HashMap::new(),
            found: Vec::new(),
        })
    }

    /// Goes to a source side.
    pub fn set_source(&mut self, source: &[Symbol]) {
        self.indices[0].matching(source, &mut self.source);
    }

    /// Whether the rule with the current source side and this target side (and its code) is significant.
    pub fn keeps(&mut self, target: &[Symbol], code: &[u8]) -> bool {
        let sentence = |&&k: &&u32| matches(target, self.text.bitext.target.sentence(k as usize));
        let both = self.source.iter().filter(sentence).count();
        let alone = if let Some(&known) = self.targets.get(code) {
            known
        } else {
            self.indices[1].matching(target, &mut self.found);
            self.targets.insert(code.to_vec(), self.found.len() as u32);
            self.found.len() as u32
        };
        self.surprise(both, self.source.len(), alone as usize) >= self.threshold
    }

    /// -ln of the probability that so many or more pairs have both sides if they are independent.
    fn surprise(&self, both: usize, source: usize, target: usize) -> f64 {
        surprise(&self.factorials, both, source, target)
    }
}

/// ln n! for every n up to a number.
pub(super) fn factorials(most: usize) -> Vec<f64> {
    let mut all = vec![0.0; most + 1];
    for n in 1..all.len() {
        all[n] = all[n - 1] + (n as f64).ln();
    }
    all
}

/// Fisher's exact test; `factorials` are ln n! up to the number of pairs.
pub(super) fn surprise(factorials: &[f64], both: usize, source: usize, target: usize) -> f64 {
    let pairs = factorials.len() - 1;
    let choose = |n: usize, k: usize| factorials[n] - factorials[k] - factorials[n - k];
    let all = choose(pairs, target);
    let least = both.max((source + target).saturating_sub(pairs));
    let logs: Vec<f64> =
        (least..=source.min(target)).map(|k| choose(source, k) + choose(pairs - source, target - k) - all).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    -(most + sum.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Johnson et al. (2007), section 2: a pair whose sides occur once each, together, has -ln p = ln N.
    #[test]
    fn once_together_is_alpha() {
        let all = factorials(1000);
        assert!((surprise(&all, 1, 1, 1) - 1000_f64.ln()).abs() < 1e-9);
        // By chance alone: anything at least 0 times is certain.
        assert!(surprise(&all, 0, 10, 20).abs() < 1e-9);
        // Two of two and two: 1 / C(1000, 2).
        assert!((surprise(&all, 2, 2, 2) - (1000.0_f64 * 999.0 / 2.0).ln()).abs() < 1e-9);
    }

    #[test]
    fn patterns_match_with_gaps_of_a_word_or_more() {
        let (word, gap) = (Symbol::word, Symbol::nonterminal(0));
        let sentence = [5, 6, 7, 5, 8];
        assert!(matches(&[word(6), word(7)], &sentence));
        assert!(matches(&[gap, word(5)], &sentence));
        assert!(!matches(&[gap, word(6), word(5)], &sentence));
        assert!(matches(&[word(5), gap, word(8)], &sentence));
        assert!(!matches(&[word(8), gap], &sentence));
        assert!(!matches(&[word(5), gap, word(6)], &sentence));
        assert!(matches(&[gap, word(7), gap], &sentence));
        assert!(!matches(&[gap, gap, word(6)], &sentence));
    }
}
