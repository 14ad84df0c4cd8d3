//! All sources of a model walked together, so that rules with the same source side meet in one state.
//!
//! With one source its states are the states here. Of several, a state is a tuple of theirs, each of which is kept once;
//! sources that have no such source side are left out of it. Sources with one trie are walked once.

use hashbrown::HashTable;

use super::model::{Model, ModelSource};
use crate::Result;
use crate::grammar::source::{Asked, Scope};
use crate::grammar::{Symbol, Walk};

/// A source that has left a tuple.
const GONE: u32 = u32::MAX;

/// Tuples that are kept from one sentence to the next.
const MOST_TUPLES: usize = 1 << 18;

/// Steps that are remembered: a power of two.
const STEPS: usize = 1 << 17;

/// Longer source sides begin with a state's.
const CONTINUES: u8 = 1;
/// A source side ends at a state.
const ENDS: u8 = 2;

/// A step from a tuple that was taken before: many sentences take the same, and each asks every source.
#[derive(Debug, Clone, Copy)]
struct Step {
    state: u32,
    symbol: Symbol,
    /// Where it leads, or [`GONE`].
    next: u32,
}

/// One thread's walk through the source sides of all sources of a model.
pub struct Walks<'m> {
    sources: &'m [ModelSource],
    walks: Vec<Box<dyn Walk + 'm>>,
    /// The sources whose states make a tuple: of those with one trie the first.
    leaders: Vec<u32>,
    /// For each source its place in a tuple.
    places: Vec<u32>,
    /// Tuples one after another, the root's first.
    tuples: Vec<u32>,
    known: HashTable<u32>,
    /// For each tuple what is known of its source side.
    ends: Vec<u8>,
    /// Steps by a hash of where they begin; the latest of those that share a place.
    steps: Vec<Step>,
    /// Room for the next tuple.
    next: Vec<u32>,
}

impl<'m> Walks<'m> {
    /// Begins with no sentence.
    pub fn new(model: &'m Model) -> Self {
        let sources = model.sources();
        let walks = sources.iter().map(|part| part.source.walk()).collect();
        let mut leaders: Vec<u32> = Vec::new();
        let mut places = Vec::new();
        for (at, part) in (0..).zip(sources) {
            let trie = part.source.trie();
            let same = |&leader: &u32| trie.is_some() && sources[leader as usize].source.trie() == trie;
            places.push(leaders.iter().position(same).unwrap_or(leaders.len()) as u32);
            if places.last() == Some(&(leaders.len() as u32)) {
                leaders.push(at);
            }
        }
        let (tuples, known, ends, next) = (Vec::new(), HashTable::new(), Vec::new(), Vec::new());
        let mut made = Self { sources, walks, leaders, places, tuples, known, ends, steps: Vec::new(), next };
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
    /// Gives whether the states of all sources together are no more.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    pub fn begin(&mut self, asked: Asked<'_>, mut gone: impl FnMut(u32)) -> Result<bool> {
        let mut all = self.tuples.len() > MOST_TUPLES * self.leaders.len();
        for ((source, part), walk) in (0..).zip(self.sources).zip(&mut self.walks) {
            let words = own_words(part, asked.words);
            if walk.begin(Asked { words: &words, ..asked })? == Scope::Sentence {
                gone(source);
                all = true;
            }
        }
        if all {
            self.reset();
        }
        Ok(all)
    }

    fn reset(&mut self) {
        self.tuples.clear();
        self.known.clear();
        self.ends.clear();
        self.steps.clear();
        if self.leaders.len() > 1 {
            self.steps.resize(STEPS, Step { state: GONE, symbol: Symbol::word(0), next: GONE });
            self.next.clear();
            self.next.extend(self.leaders.iter().map(|&leader| self.walks[leader as usize].root()));
            self.intern();
        }
    }

    /// The state of the empty source side.
    #[inline]
    pub fn root(&self) -> u32 {
        if let [only] = self.leaders[..] { self.walks[only as usize].root() } else { 0 }
    }

    /// The state after a word or category of the model.
    #[inline]
    pub fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        if let [only] = self.leaders[..] {
            let only = only as usize;
            return self.walks[only].step(state, self.sources[only].own_symbol(symbol)?);
        }
        let place = hash(&[state, symbol.bits()]) as usize % STEPS;
        let known = self.steps[place];
        if known.state == state && known.symbol == symbol {
            return Some(known.next).filter(|&next| next != GONE);
        }
        let next = self.step_all(state, symbol);
        self.steps[place] = Step { state, symbol, next: next.unwrap_or(GONE) };
        next
    }

    /// The tuple after a word or category: every source is asked.
    fn step_all(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        self.next.clear();
        let mut any = false;
        let before = &self.tuples[state as usize * self.leaders.len()..][..self.leaders.len()];
        for (&own, &leader) in before.iter().zip(&self.leaders) {
            let leader = leader as usize;
            let symbol = if own == GONE { None } else { self.sources[leader].own_symbol(symbol) };
            let reached = symbol.and_then(|symbol| self.walks[leader].step(own, symbol));
            any |= reached.is_some();
            self.next.push(reached.unwrap_or(GONE));
        }
        any.then(|| self.intern())
    }

    /// The state of the tuple in `next`.
    fn intern(&mut self) -> u32 {
        let width = self.leaders.len();
        let (tuples, next) = (&self.tuples, &self.next);
        let tuple = |state: u32| &tuples[state as usize * width..][..width];
        let hash = hash(next);
        if let Some(&known) = self.known.find(hash, |&state| tuple(state) == next) {
            return known;
        }
        let new = (tuples.len() / width) as u32;
        self.known.insert_unique(hash, new, |&state| self::hash(tuple(state)));
        self.tuples.extend_from_slice(&self.next);
        let mut ends = 0;
        for (source, walk) in self.walks.iter().enumerate() {
            let own = self.next[self.places[source] as usize];
            if own != GONE {
                ends |= if walk.continues(own) { CONTINUES } else { 0 } | if walk.has_rules(own) { ENDS } else { 0 };
            }
        }
        self.ends.push(ends);
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
        if self.leaders.len() == 1 {
            return Some(state);
        }
        let place = self.places[source as usize] as usize;
        Some(self.tuples[state as usize * self.leaders.len() + place]).filter(|&own| own != GONE)
    }

    /// Reads where the rules of a state begin in all sources, one right after the other, so that the memory of all of them
    /// is waited for at once.
    pub fn warm(&self, state: u32) {
        let each = (0..self.sources()).filter_map(|source| Some(self.walk(source).warm(self.part(state, source)?)));
        std::hint::black_box(each.fold(0, |all, one| all ^ one));
    }

    /// Whether longer source sides begin with this one.
    #[inline]
    pub fn continues(&self, state: u32) -> bool {
        match self.leaders[..] {
            [only] => self.walks[only as usize].continues(state),
            _ => self.ends[state as usize] & CONTINUES != 0,
        }
    }

    /// Whether a source side ends here.
    pub fn has_rules(&self, state: u32) -> bool {
        match self.leaders.len() {
            1 => self.walks.iter().any(|walk| walk.has_rules(state)),
            _ => self.ends[state as usize] & ENDS != 0,
        }
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
