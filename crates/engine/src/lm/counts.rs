//! Counting n-grams of every order by sorting positions of the text.
//!
//! The positions are first grouped by the word that stands there, then each group is sorted by the word before it,
//! and so on: a radix sort from the last word to the first. Each group is an n-gram, its size the count, and the order
//! is suffix order (see [`super::ngrams`]). Groups of one position, most of them from order 3 on, cost nothing.

use rayon::prelude::*;

use super::ngrams::Level;
use crate::corpus::vocabulary::{BOS, EOS};
use crate::{Error, Result};

/// A corpus as numbers: each sentence is `<s>`, its words, `</s>`.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<u32>);

impl Tokens {
    /// Appends a sentence.
    ///
    /// # Errors
    /// A corpus that has become too large for 32-bit positions.
    pub fn push(&mut self, sentence: &[u32]) -> Result<()> {
        if self.0.len() + sentence.len() + 2 > u32::MAX as usize {
            return Err(Error::limit("the corpus has more than 2^32 tokens").hint("set a memory budget"));
        }
        self.0.push(BOS);
        self.0.extend_from_slice(sentence);
        self.0.push(EOS);
        Ok(())
    }

    /// The ids.
    pub fn ids(&self) -> &[u32] {
        &self.0
    }
}

/// The n-grams of one order with their counts; `level` holds no values yet.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// The n-grams in suffix order.
    pub level: Level,
    /// How often each occurs.
    pub raw: Vec<u32>,
}

impl Counted {
    /// Adjusted counts (Kneser & Ney 1995): the number of different words before an n-gram; the count itself in the
    /// highest order, and where `<s>` comes first and nothing can stand before.
    pub fn adjusted(&self, index: usize) -> u32 {
        if self.level.begin.is_empty() || self.level.words[index] == BOS {
            return self.raw[index];
        }
        self.level.begin[index + 1] - self.level.begin[index]
    }
}

/// Counts the n-grams of every order up to `order`. `types` is the number of word ids.
pub fn count(tokens: &Tokens, order: usize, types: usize) -> Vec<Counted> {
    let text = tokens.ids();
    let (mut positions, unigrams) = by_word(text, types);
    let mut orders = vec![unigrams];
    for n in 2..=order {
        let next = refine(text, &mut positions, n, orders.last_mut().expect("there are unigrams"));
        orders.push(next);
    }
    // <s> and <unk> are never predicted: they count as contexts only.
    orders[0].raw[BOS as usize] = 0;
    orders
}

/// Counting sort of the positions by their word; `<s>` is left out, because nothing predicts it.
fn by_word(text: &[u32], types: usize) -> (Vec<u32>, Counted) {
    let mut raw = vec![0_u32; types];
    for &word in text {
        raw[word as usize] += 1;
    }
    raw[BOS as usize] = 0;
    let mut next = Vec::with_capacity(types);
    let mut sum = 0;
    for &count in &raw {
        next.push(sum);
        sum += count;
    }
    let mut positions = vec![0_u32; sum as usize];
    for (position, &word) in (0_u32..).zip(text) {
        if word != BOS {
            positions[next[word as usize] as usize] = position;
            next[word as usize] += 1;
        }
    }
    let level = Level { words: (0..types as u32).collect(), ..Level::default() };
    (positions, Counted { level, raw })
}

/// What one run of parents gives.
struct Part {
    positions: Vec<u32>,
    words: Vec<u32>,
    raw: Vec<u32>,
    /// The number of children of each parent.
    children: Vec<u32>,
}

/// Splits the groups of order `n` - 1 by the word before them.
fn refine(text: &[u32], positions: &mut Vec<u32>, n: usize, parents: &mut Counted) -> Counted {
    // Runs of parents with about the same number of positions; the result is their concatenation, so that how they
    // are cut does not matter.
    let target = (positions.len() / 64).max(1 << 14);
    let mut runs = Vec::new();
    let (mut parent, mut start) = (0, 0);
    while parent < parents.raw.len() {
        let (first, first_position) = (parent, start);
        while parent < parents.raw.len() && (start - first_position < target) {
            start += parents.raw[parent] as usize;
            parent += 1;
        }
        runs.push((first..parent, first_position..start));
    }
    let parts: Vec<Part> = runs
        .into_par_iter()
        .map(|(range, slice)| {
            refine_run(text, &positions[slice], n, &parents.level.words[range.clone()], &parents.raw[range])
        })
        .collect();
    positions.clear();
    let total = parts.iter().map(|part| part.words.len()).sum();
    let mut next = Counted::default();
    next.level.words.reserve_exact(total);
    next.raw.reserve_exact(total);
    let begin = &mut parents.level.begin;
    begin.reserve_exact(parents.raw.len() + 1);
    let mut sum = 0;
    for part in parts {
        positions.extend_from_slice(&part.positions);
        next.level.words.extend_from_slice(&part.words);
        next.raw.extend_from_slice(&part.raw);
        for children in part.children {
            begin.push(sum);
            sum += children;
        }
    }
    begin.push(sum);
    next
}

fn refine_run(text: &[u32], positions: &[u32], n: usize, words: &[u32], raw: &[u32]) -> Part {
    let mut part = Part {
        positions: Vec::with_capacity(positions.len()),
        words: Vec::with_capacity(positions.len() / 2),
        raw: Vec::with_capacity(positions.len() / 2),
        children: Vec::with_capacity(raw.len()),
    };
    let mut keys: Vec<u64> = Vec::new();
    let mut rest = positions;
    for (&word, &count) in words.iter().zip(raw) {
        let (group, after) = rest.split_at(count as usize);
        rest = after;
        let before = part.words.len();
        if word == BOS || group.is_empty() {
            // Nothing stands before <s>.
        } else if let [position] = group {
            part.words.push(text[*position as usize + 1 - n]);
            part.raw.push(1);
            part.positions.push(*position);
        } else {
            keys.clear();
            keys.extend(group.iter().map(|&at| u64::from(text[at as usize + 1 - n]) << 32 | u64::from(at)));
            keys.sort_unstable();
            for same in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
                part.words.push((same[0] >> 32) as u32);
                part.raw.push(same.len() as u32);
                part.positions.extend(same.iter().map(|&key| key as u32));
            }
        }
        part.children.push((part.words.len() - before) as u32);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_adjusted_counts_of_a_tiny_text() {
        let mut tokens = Tokens::default();
        tokens.push(&[3, 4, 3]).unwrap();
        tokens.push(&[4, 3]).unwrap();
        let orders = count(&tokens, 3, 5);
        assert_eq!(orders[0].raw, [0, 0, 2, 3, 2]);
        // Bigrams in suffix order: 3 </s>; <s> 3, 4 3; <s> 4, 3 4.
        assert_eq!(orders[1].level.words, [3, BOS, 4, BOS, 3]);
        assert_eq!(orders[1].raw, [2, 1, 2, 1, 1]);
        let adjusted: Vec<u32> = (0..5).map(|index| orders[1].adjusted(index)).collect();
        assert_eq!(adjusted, [1, 1, 2, 1, 1]);
        // Trigrams: 4 3 </s>; <s> 4 3, 3 4 3; <s> 3 4.
        assert_eq!(orders[2].level.words, [4, BOS, 3, BOS]);
        assert_eq!(orders[2].raw, [2, 1, 1, 1]);
    }
}
