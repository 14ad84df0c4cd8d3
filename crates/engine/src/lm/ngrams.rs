//! A back-off model in memory: every order in suffix order, which makes the orders one reversed trie.
//!
//! The n-gram `a b c` is a child of its suffix `b c`, and the children of one n-gram stand together, sorted by their
//! first word. Estimation produces this order, ARPA files are sorted into it, and mixing, pruning and the compiled
//! forms walk it. It is the arrangement of Heafield (2011), section 3.2, without the packing.

use std::ops::Range;

use crate::corpus::vocabulary::{EOS, UNK, Vocabulary};
use crate::{Error, Result};

/// The longest n-grams supported.
pub const MOST_ORDER: usize = 8;
/// What log10 of zero is written as.
pub const LOG_ZERO: f32 = -99.0;

/// The n-grams of one order, in suffix order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Level {
    /// The first word of each n-gram.
    pub words: Vec<u32>,
    /// Where the children of each n-gram begin in the next order, and at the end their number; empty in the highest.
    pub begin: Vec<u32>,
    /// log10 of the probability of the last word after the others.
    pub prob: Vec<f32>,
    /// log10 of the back-off weight as a context; empty in the highest order.
    pub backoff: Vec<f32>,
}

impl Level {
    /// The number of n-grams.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Where the children of n-gram `index` are in the next order.
    pub fn children(&self, index: u32) -> Range<usize> {
        self.begin[index as usize] as usize..self.begin[index as usize + 1] as usize
    }
}

/// A back-off language model: the words, and per order the n-grams with their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Ngrams {
    /// Words and their ids; the unigrams are exactly its ids, in order.
    pub vocabulary: Vocabulary,
    /// The orders, unigrams first.
    pub levels: Vec<Level>,
}

impl Ngrams {
    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.levels.len()
    }

    /// The number of n-grams of each order.
    pub fn counts(&self) -> Vec<u64> {
        self.levels.iter().map(|level| level.len() as u64).collect()
    }

    /// The index of the n-gram with these words, given in reading order.
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        let (&last, rest) = words.split_last()?;
        let mut node = last;
        if node as usize >= self.levels[0].len() || words.len() > self.order() {
            return None;
        }
        for (level, &word) in rest.iter().rev().enumerate() {
            node = child(&self.levels[level], &self.levels[level + 1], node, word)?;
        }
        Some(node)
    }

    /// Calls `each` with the words in reading order and the index of every n-gram of `order`, in suffix order.
    pub fn walk(&self, order: usize, each: impl FnMut(&[u32], usize)) {
        walk(&self.levels, order, each);
    }

    /// For each n-gram of each order from 2 on, the index of its context (all words but the last) one order below.
    ///
    /// # Errors
    /// The words of an n-gram whose context is no n-gram.
    pub fn contexts(&self) -> std::result::Result<Vec<Vec<u32>>, Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for order in 2..=self.order() {
            let below = order.checked_sub(3).map(|below| &self.levels[below]);
            match contexts(&self.levels[order - 1], &self.levels[order - 2], below, &all[order - 2]) {
                Ok(found) => all.push(found),
                Err(index) => {
                    let mut words = Vec::new();
                    self.walk(order, |gram, at| {
                        if at == index {
                            words = gram.to_vec();
                        }
                    });
                    return Err(words);
                }
            }
        }
        Ok(all)
    }

    /// log10 of p(last word | the others) by the definition of back-off, at any length; slow, for building and tests.
    pub fn log_prob(&self, words: &[u32]) -> f32 {
        let words = &words[words.len().saturating_sub(self.order())..];
        if let Some(index) = self.find(words) {
            return self.levels[words.len() - 1].prob[index as usize];
        }
        if words.len() == 1 {
            return self.levels[0].prob[UNK as usize];
        }
        let backoff = self
            .find(&words[..words.len() - 1])
            .map_or(0.0, |context| self.levels[words.len() - 2].backoff[context as usize]);
        backoff + self.log_prob(&words[1..])
    }
}

/// The child of `node` that begins with `word`.
pub fn child(level: &Level, next: &Level, node: u32, word: u32) -> Option<u32> {
    let range = level.children(node);
    let start = range.start;
    next.words[range].binary_search(&word).ok().map(|offset| (start + offset) as u32)
}

/// See [`Ngrams::walk`].
pub fn walk(levels: &[Level], order: usize, mut each: impl FnMut(&[u32], usize)) {
    // cursor[n] is the suffix of length n + 1 of the current n-gram.
    let mut cursor = vec![0_usize; order];
    let mut words = vec![0_u32; order];
    for index in 0..levels[order - 1].len() {
        cursor[order - 1] = index;
        words[0] = levels[order - 1].words[index];
        for n in (0..order - 1).rev() {
            let before = cursor[n];
            while levels[n].begin[cursor[n] + 1] as usize <= cursor[n + 1] {
                cursor[n] += 1;
            }
            if cursor[n] == before && index > 0 {
                break;
            }
            words[order - 1 - n] = levels[n].words[cursor[n]];
        }
        each(&words, index);
    }
}

/// The index of the context of each n-gram of `level`, from the contexts `lower` of its `suffixes` one order below;
/// `below` is the order of those contexts, None if `level` has bigrams.
///
/// The context of `a b c` is the child `a` of the context `b` of its suffix `b c`; both lists of children are sorted,
/// so one is walked beside the other.
///
/// # Errors
/// The index of an n-gram whose context is missing.
pub fn contexts(
    level: &Level,
    suffixes: &Level,
    below: Option<&Level>,
    lower: &[u32],
) -> std::result::Result<Vec<u32>, usize> {
    let Some(below) = below else {
        return Ok(level.words.clone());
    };
    let mut found = Vec::with_capacity(level.len());
    for (suffix, &context) in (0..).zip(lower) {
        let children = suffixes.children(suffix);
        if children.is_empty() {
            continue;
        }
        let candidates = below.children(context);
        let mut at = candidates.start;
        for index in children {
            let word = level.words[index];
            at += skip_below(&suffixes.words[at..candidates.end], word);
            if at == candidates.end || suffixes.words[at] != word {
                return Err(index);
            }
            found.push(at as u32);
            at += 1;
        }
    }
    Ok(found)
}

/// How many words at the front of a sorted list are below `word`: doubling steps, then bisection.
fn skip_below(sorted: &[u32], word: u32) -> usize {
    let mut reach = 1;
    while reach <= sorted.len() && sorted[reach - 1] < word {
        reach *= 2;
    }
    let (low, high) = (reach / 2, reach.min(sorted.len()));
    low + sorted[low..high].partition_point(|&other| other < word)
}

/// Checks what all models must have: values that are numbers, and the special words.
pub fn check(ngrams: &Ngrams) -> Result<()> {
    if ngrams.levels.is_empty() || ngrams.order() > MOST_ORDER {
        return Err(Error::format(format!("a model of order {}; orders 1 to {MOST_ORDER} work", ngrams.order())));
    }
    if ngrams.levels[0].len() != ngrams.vocabulary.len() || ngrams.levels[0].len() <= EOS as usize {
        return Err(Error::format("the unigrams are not the vocabulary"));
    }
    Ok(())
}
