//! Translations that come with the input: terms, names and numbers that the caller knows better than the tables.
//!
//! A span's given translations are *exclusive* (nothing else may translate it, and no rule may use its words in another
//! way, though gaps may cover or contain it) or *preferred* (they compete with what the tables have). Either way the
//! feature `given` says how sure the caller is of the translation that is used.

use std::ops::Range;

use crate::{Error, Result};

/// Translations of a span of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The first position.
    pub begin: u32,
    /// The last position.
    pub end: u32,
    /// Target words with the natural logarithm of their weight.
    pub targets: Vec<(Vec<String>, f32)>,
    /// Whether nothing else may translate the span.
    pub exclusive: bool,
}

impl Given {
    /// The positions.
    pub fn span(&self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }
}

/// Source words of a span, and target words of a translation.
pub const MOST_WORDS: usize = 255;
/// Translations that come with one input.
pub const MOST_GIVEN: usize = 100_000;

/// The given translations of an input, by where their spans begin and end. Translations are numbered through.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenList {
    spans: Vec<Given>,
    /// For each span the number of its first translation.
    firsts: Vec<u32>,
    longest: usize,
}

impl GivenList {
    /// Checks the translations given with a sentence of `last` words.
    ///
    /// # Errors
    /// Spans outside of the sentence or too long, exclusive spans that others overlap, translations without words,
    /// weights that are not finite.
    pub fn new(mut spans: Vec<Given>, last: usize) -> Result<Self> {
        spans.sort_by_key(|given| (given.begin, given.end));
        let mut list = Self::default();
        let (mut count, mut reach, mut protected) = (0, 0, 0);
        for given in &spans {
            let &Given { begin, end, .. } = given;
            let wrong = |what: &str| Error::input(format!("{what} given for words {begin} to {end} of a sentence"));
            if begin >= end || end as usize > last {
                return Err(Error::input(format!(
                    "a translation is given for words {begin} to {end} of a sentence of {last}"
                ))
                .hint("count words from 0; the end is the first word that is not part of the span"));
            }
            if given.span().len() > MOST_WORDS {
                return Err(Error::limit(format!("a translation is given for more than {MOST_WORDS} words at once")));
            }
            if given.targets.is_empty() {
                return Err(wrong("no translation is"));
            }
            for (words, weight) in &given.targets {
                if words.is_empty() || words.iter().any(String::is_empty) {
                    return Err(wrong("a translation without words is"));
                }
                if words.len() > MOST_WORDS {
                    return Err(Error::limit(format!("a given translation of more than {MOST_WORDS} words")));
                }
                if !weight.is_finite() {
                    return Err(wrong("a weight that is not a finite number is"));
                }
            }
            // Spans are sorted by where they begin, so an overlap shows at the later one.
            if begin < protected || (given.exclusive && begin < reach) {
                return Err(
                    wrong("a translation is").hint("nothing may overlap a span whose translations are exclusive")
                );
            }
            reach = reach.max(end);
            protected = if given.exclusive { protected.max(end) } else { protected };
            list.firsts.push(count as u32);
            list.longest = list.longest.max(given.span().len());
            count += given.targets.len();
            if count > MOST_GIVEN {
                return Err(Error::limit(format!("more than {MOST_GIVEN} translations given with a sentence")));
            }
        }
        list.spans = spans;
        Ok(list)
    }

    /// The spans, by where they begin and end.
    pub fn spans(&self) -> &[Given] {
        &self.spans
    }

    /// The spans from a position on to another, as indices.
    pub fn between(&self, begin: usize, end: usize) -> Range<usize> {
        let key = (begin as u32, end as u32);
        let from = self.spans.partition_point(|given| (given.begin, given.end) < key);
        let to = self.spans.partition_point(|given| (given.begin, given.end) <= key);
        from..to
    }

    /// The spans that begin at a position.
    pub fn from(&self, begin: usize) -> &[Given] {
        let from = self.spans.partition_point(|given| (given.begin as usize) < begin);
        let to = self.spans.partition_point(|given| given.begin as usize <= begin);
        &self.spans[from..to]
    }

    /// The translations of a span, each with its number.
    pub fn targets(&self, span: usize) -> impl Iterator<Item = (u32, &(Vec<String>, f32))> {
        (self.firsts[span]..).zip(&self.spans[span].targets)
    }

    /// The span of a translation, and its weight.
    pub fn translation(&self, number: u32) -> (&Given, f32) {
        let span = self.firsts.partition_point(|&first| first <= number) - 1;
        let given = &self.spans[span];
        (given, given.targets[(number - self.firsts[span]) as usize].1)
    }

    /// The most words of a span.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The positions that only given translations may cover.
    pub fn protected(&self) -> impl Iterator<Item = usize> {
        self.spans.iter().filter(|given| given.exclusive).flat_map(Given::span)
    }
}
