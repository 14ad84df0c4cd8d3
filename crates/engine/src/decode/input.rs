//! What is translated: a sentence, or a lattice of alternatives.

use super::given::{Given, GivenList};
use crate::{Error, Result};

/// Words between positions; a sentence has one word between each position and the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    words: Vec<String>,
    arcs: Vec<Arc>,
    /// For each position its first arc, and an end.
    begins: Vec<u32>,
    given: GivenList,
}

/// A word between two positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    /// The index of the word.
    pub word: u32,
    /// Where it begins.
    pub begin: u32,
    /// Where it ends, further on.
    pub end: u32,
    /// A score, a natural logarithm; 0 for a sentence.
    pub score: f32,
}

/// Positions an input may have.
pub const MOST_POSITIONS: usize = 20_000;

impl Input {
    /// A tokenised sentence.
    ///
    /// # Errors
    /// A sentence that is too long.
    pub fn sentence(text: &str) -> Result<Self> {
        let words: Vec<String> =
            text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if words.len() > MOST_POSITIONS {
            return Err(Error::limit(format!("a sentence of {} words, more than {MOST_POSITIONS}", words.len()))
                .hint("cut it into sentences"));
        }
        let arcs = (0..words.len() as u32).map(|at| Arc { word: at, begin: at, end: at + 1, score: 0.0 }).collect();
        let begins = (0..=words.len() as u32 + 1).map(|at| at.min(words.len() as u32)).collect();
        Ok(Self { words, arcs, begins, given: GivenList::default() })
    }

    /// A lattice whose arcs are (begin, end, word, score), with the positions 0, 1, …, `last`.
    ///
    /// # Errors
    /// Arcs that run backwards or outside, positions from which the last cannot be reached, scores that are not finite.
    pub fn lattice(last: u32, arcs: &[(u32, u32, &str, f32)]) -> Result<Self> {
        if last as usize > MOST_POSITIONS {
            return Err(Error::limit(format!("a lattice of {last} positions, more than {MOST_POSITIONS}")));
        }
        let mut sorted: Vec<_> = arcs.to_vec();
        sorted.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        let mut input = Self {
            words: Vec::new(),
            arcs: Vec::new(),
            begins: vec![0; last as usize + 2],
            given: GivenList::default(),
        };
        for (begin, end, word, score) in sorted {
            if begin >= end || end > last {
                return Err(Error::input(format!("an arc from {begin} to {end} in a lattice from 0 to {last}")));
            }
            if !score.is_finite() {
                return Err(Error::input("an arc's score is not a finite number"));
            }
            input.arcs.push(Arc { word: input.words.len() as u32, begin, end, score });
            input.words.push(word.to_owned());
            input.begins[begin as usize + 1] += 1;
        }
        for at in 1..input.begins.len() {
            input.begins[at] += input.begins[at - 1];
        }
        if last > 0 && input.shortest(0, last).is_none() {
            return Err(Error::input("the end of the lattice cannot be reached from its beginning"));
        }
        Ok(input)
    }

    /// The same sentence with translations of some of its spans.
    ///
    /// # Errors
    /// A lattice; see also [`GivenList::new`].
    pub fn with_given(mut self, given: Vec<Given>) -> Result<Self> {
        if !given.is_empty() && !self.is_sentence() {
            return Err(Error::input("translations cannot be given for the spans of a lattice")
                .hint("put them into the lattice's grammar"));
        }
        self.given = GivenList::new(given, self.last())?;
        Ok(self)
    }

    /// Translations that come with the input.
    pub fn given(&self) -> &GivenList {
        &self.given
    }

    /// Whether there is one word, without a score, between each position and the next.
    pub fn is_sentence(&self) -> bool {
        let follows = |(at, arc): (usize, &Arc)| (arc.begin as usize, arc.end as usize, arc.score) == (at, at + 1, 0.0);
        self.arcs.len() == self.last() && self.arcs.iter().enumerate().all(follows)
    }

    /// The last position.
    pub fn last(&self) -> usize {
        self.begins.len() - 2
    }

    /// The words of the arcs.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The words in their order, if this is a sentence.
    pub fn as_sentence(&self) -> Option<&[String]> {
        let next = |(at, arc): (usize, &Arc)| arc.begin as usize == at && arc.end as usize == at + 1;
        (self.arcs.len() == self.last() && self.arcs.iter().enumerate().all(next)).then_some(&self.words)
    }

    /// The arcs that begin at a position.
    #[inline]
    pub fn from(&self, position: usize) -> &[Arc] {
        &self.arcs[self.begins[position] as usize..self.begins[position + 1] as usize]
    }

    /// All arcs, by where they begin.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// The fewest words between two positions, if there is a way.
    pub fn shortest(&self, begin: u32, end: u32) -> Option<usize> {
        let mut steps = vec![usize::MAX; (end - begin) as usize + 1];
        steps[0] = 0;
        for arc in &self.arcs[self.begins[begin as usize] as usize..] {
            let from = steps.get((arc.begin - begin) as usize).copied().unwrap_or(usize::MAX);
            if from == usize::MAX || arc.end > end {
                continue;
            }
            let to = &mut steps[(arc.end - begin) as usize];
            *to = (*to).min(from + 1);
        }
        steps.last().copied().filter(|&steps| steps != usize::MAX)
    }
}
