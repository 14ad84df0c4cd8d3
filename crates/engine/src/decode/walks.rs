//! All sources of a model walked together, so that rules with the same source side meet in one state.
//!
//! With one source its states are the states here. Of several, a state is a tuple of theirs, each of which is kept once
//! for a sentence; sources that have no such source side are left out of it.

use hashbrown::HashTable;

use super::model::{Model, ModelSource};
use crate::Result;
use crate::grammar::source::{Asked, Scope};
use crate::grammar::{Symbol, Walk};

/// A source that has left a tuple.
const GONE: u32 = u32::MAX;

/// One thread's walk through the source sides of all sources of a model.
pub struct Walks<'m> {
    sources: &'m [ModelSource],
    walks: Vec<Box<dyn Walk + 'm>>,
    /// Tuples one after another, the root's first.
    tuples: Vec<u32>,
    known: HashTable<u32>,
    /// Room for the next tuple.
    next: Vec<u32>,
}

impl<'m> Walks<'m> {
    /// Begins with no sentence.
    pub fn new(model: &'m Model) -> Self {
        let sources = model.sources();
        let walks = sources.iter().map(|part| part.source.walk()).collect();
        let mut made = Self { sources, walks, tuples: Vec::new(), known: HashTable::new(), next: Vec::new() };
        made.reset();
        made
    }

    /// Whether it helps to know several sentences beforehand.
    pub fn looks_ahead(model: &Model) -> bool {
        model.sources().iter().any(|part| part.source.looks_ahead())
    }

    /// Tells of sentences to come, in words of the model.
    ///
    /// # Errors
    /// Rules that cannot be made for them.
    pub fn expect(&mut self, sentences: &[Asked<'_>]) -> Result<()> {
        for (part, walk) in self.sources.iter().zip(&mut self.walks) {
            let own: Vec<Vec<Option<u32>>> = sentences.iter().map(|asked| own_words(part, asked.words)).collect();
            let asked = sentences.iter().zip(&own).map(|(&asked, words)| Asked { words, ..asked });
            walk.expect(&asked.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Begins with what is asked for, in words of the model; says of which sources earlier states and rules are no more.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    pub fn begin(&mut self, asked: Asked<'_>, mut gone: impl FnMut(u32)) -> Result<()> {
        for ((source, part), walk) in (0..).zip(self.sources).zip(&mut self.walks) {
            let words = own_words(part, asked.words);
            if walk.begin(Asked { words: &words, ..asked })? == Scope::Sentence {
                gone(source);
            }
        }
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        self.tuples.clear();
        self.known.clear();
        if self.walks.len() > 1 {
            self.next.clear();
            self.next.extend(self.walks.iter().map(|walk| walk.root()));
            self.intern();
        }
    }

    /// The state of the empty source side.
    #[inline]
    pub fn root(&self) -> u32 {
        if let [only] = &self.walks[..] { only.root() } else { 0 }
    }

    /// The state after a word or category of the model.
    #[inline]
    pub fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        if let ([walk], [part]) = (&mut self.walks[..], self.sources) {
            return walk.step(state, part.own_symbol(symbol)?);
        }
        self.next.clear();
        let mut any = false;
        let before = &self.tuples[state as usize * self.walks.len()..][..self.walks.len()];
        for ((&own, part), walk) in before.iter().zip(self.sources).zip(&mut self.walks) {
            let symbol = if own == GONE { None } else { part.own_symbol(symbol) };
            let reached = symbol.and_then(|symbol| walk.step(own, symbol));
            any |= reached.is_some();
            self.next.push(reached.unwrap_or(GONE));
        }
        any.then(|| self.intern())
    }

    /// The state of the tuple in `next`.
    fn intern(&mut self) -> u32 {
        let width = self.walks.len();
        let (tuples, next) = (&self.tuples, &self.next);
        let tuple = |state: u32| &tuples[state as usize * width..][..width];
        let hash = hash(next);
        if let Some(&known) = self.known.find(hash, |&state| tuple(state) == next) {
            return known;
        }
        let new = (tuples.len() / width) as u32;
        self.known.insert_unique(hash, new, |&state| self::hash(tuple(state)));
        self.tuples.extend_from_slice(&self.next);
        new
    }

    /// How many sources there are.
    #[inline]
    pub fn sources(&self) -> u32 {
        self.walks.len() as u32
    }

    /// A source's own state, if it has a state's source side.
    #[inline]
    pub fn part(&self, state: u32, source: u32) -> Option<u32> {
        if self.walks.len() == 1 {
            return Some(state);
        }
        Some(self.tuples[state as usize * self.walks.len() + source as usize]).filter(|&own| own != GONE)
    }

    /// Whether longer source sides begin with this one.
    #[inline]
    pub fn continues(&self, state: u32) -> bool {
        if let [only] = &self.walks[..] {
            return only.continues(state);
        }
        (0..self.sources()).any(|source| self.part(state, source).is_some_and(|own| self.walk(source).continues(own)))
    }

    /// Whether a source side ends here.
    pub fn has_rules(&self, state: u32) -> bool {
        (0..self.sources()).any(|source| self.part(state, source).is_some_and(|own| self.walk(source).has_rules(own)))
    }

    /// Whether a rule translates a source word on its own.
    pub fn translates(&mut self, word: u32) -> bool {
        let state = self.step(self.root(), Symbol::word(word));
        state.is_some_and(|state| self.has_rules(state))
    }

    /// The walk through one source.
    #[inline]
    pub fn walk(&self, source: u32) -> &(dyn Walk + 'm) {
        &*self.walks[source as usize]
    }

    /// The walk through one source, which finds rules as it goes.
    #[inline]
    pub fn walk_mut(&mut self, source: u32) -> &mut (dyn Walk + 'm) {
        &mut *self.walks[source as usize]
    }
}

/// Words of the model as a source knows them.
fn own_words(part: &ModelSource, words: &[Option<u32>]) -> Vec<Option<u32>> {
    words.iter().map(|word| part.own_symbol(Symbol::word((*word)?))?.as_word()).collect()
}

fn hash(tuple: &[u32]) -> u64 {
    let mixed = tuple
        .iter()
        .fold(0_u64, |hash, &state| (hash.rotate_left(5) ^ u64::from(state)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed ^ mixed >> 32
}
