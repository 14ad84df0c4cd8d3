//! One sentence as its features: values of every word, of pairs of words, and of steps of walks.

use hashbrown::HashMap;

use super::super::in_sentence;
use super::corpus::{Corpus, Words};
use super::shape::{Profile, Shape};
use super::templates::{self as t, ACTIONS, ATOMS, PAIRS, STEPS, TOPOLOGY, TOPOLOGY_TAGS, TRIPLES};
use super::values::Values;
use crate::Result;
use crate::syntax::{NONE, Tree};

/// Symbols of what stands before and after a sentence.
pub const BEFORE: u32 = 1;
const AFTER: u32 = 2;

/// Both dictionaries: values of words and pairs, and of steps of walks.
#[derive(Debug, Clone, Default)]
pub struct Dictionaries {
    /// Values of words and pairs.
    pub words: Values,
    /// Values of steps of walks; empty for models without walks.
    pub steps: Values,
}

impl Dictionaries {
    /// From saved keys.
    ///
    /// # Errors
    /// Keys are not as they were saved.
    pub fn new(profile: Profile, walks: bool, words: Vec<u64>, steps: Vec<u64>) -> Result<Self> {
        let words = Values::new(templates(profile), words)?;
        Ok(Self { words, steps: Values::new(if walks { ACTIONS * STEPS.len() } else { 0 }, steps)? })
    }

    /// Counts values in a corpus and numbers those met at least `least` times. Of pairs, all of a sentence count: any word
    /// may be a candidate after any other.
    ///
    /// # Errors
    /// Heads are no tree, or values are too many.
    pub fn learn(profile: Profile, walks: bool, corpus: &Corpus, orders: &[u32], least: u32) -> Result<Self> {
        let (mut words, mut steps) = (HashMap::new(), HashMap::new());
        let mut count = |key: u64| *words.entry(key).or_insert(0_u32) += 1;
        let mut count_step = |key: u64| *steps.entry(key).or_insert(0_u32) += 1;
        let mut sentence = Sentence::default();
        for at in 0..corpus.len() {
            sentence.read(corpus.get(at)).map_err(in_sentence(at))?;
            let length = sentence.len();
            for word in 0..length {
                let seen = sentence.atoms(word);
                for (template, atoms) in profile.words().iter().enumerate() {
                    count(t::key(template, atoms, &seen));
                }
                for last in (0..=length).filter(|&last| last != word) {
                    sentence.pair_keys(profile, word, last, |_, key| count(key));
                }
            }
            if profile == Profile::Released {
                let order = corpus.part(at, orders);
                for step in 0..length {
                    let (last, earlier) = history(order, step);
                    for &word in &order[step..] {
                        sentence.triple_keys(profile, word as usize, last, earlier, |_, key| count(key));
                    }
                }
            }
            if walks {
                for step in 0..ACTIONS * sentence.vertices() {
                    sentence.step_keys(step, |_, key| count_step(key));
                }
            }
        }
        let words = Values::learn(templates(profile), &words, least)?;
        let steps = Values::learn(if walks { ACTIONS * STEPS.len() } else { 0 }, &steps, least)?;
        Ok(Self { words, steps })
    }
}

/// The last and the last but one word before a step of an order; the length of the sentence stands for none.
#[must_use]
pub fn history(order: &[u32], step: usize) -> (usize, usize) {
    let before = |back: usize| step.checked_sub(back).map_or(order.len(), |at| order[at] as usize);
    (before(1), before(2))
}

fn templates(profile: Profile) -> usize {
    let pairs = profile.words().len() + PAIRS.len();
    match profile {
        Profile::Text => pairs + TOPOLOGY,
        Profile::Released => pairs + TOPOLOGY * TOPOLOGY_TAGS.len() + TRIPLES.len(),
    }
}

/// A sentence with its tree; [`Sentence::read`] uses its memory again.
///
/// Words are counted from 0. As the *last* word emitted, the length of the sentence stands for what is before it.
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    /// The tree.
    pub tree: Tree,
    /// Words, if the model asks for them.
    pub forms: Vec<u32>,
    tags: Vec<u32>,
    relations: Vec<u32>,
    values: Vec<u32>,
}

impl Sentence {
    /// Takes the place of another sentence.
    ///
    /// # Errors
    /// Heads are no tree.
    pub fn read(&mut self, words: Words<'_>) -> Result<()> {
        self.tree.rebuild(words.heads)?;
        for (own, given) in
            [(&mut self.tags, words.tags), (&mut self.relations, words.relations), (&mut self.forms, words.forms)]
        {
            own.clear();
            own.extend_from_slice(given);
        }
        self.values.clear();
        Ok(())
    }

    /// Looks up the values of all words.
    pub fn look_up(&mut self, shape: &Shape, values: &Values) {
        self.values.clear();
        for word in 0..self.len() {
            let seen = self.atoms(word);
            let templates = shape.profile.words().iter().enumerate();
            self.values.extend(templates.map(|(at, atoms)| values.id(at, t::key(at, atoms, &seen))));
        }
        if shape.forms > 0 {
            // A word the model has no row for is as rare as those that were left out.
            self.forms.iter_mut().for_each(|form| *form = if (*form as usize) < shape.forms { *form } else { 0 });
        }
    }

    /// How many words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.words()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of a word, after [`Sentence::look_up`].
    #[must_use]
    pub fn values(&self, word: usize) -> &[u32] {
        let width = self.values.len() / self.len();
        &self.values[word * width..(word + 1) * width]
    }

    /// Distance from the last word to a candidate; what is before the sentence stands just before its first word.
    #[must_use]
    pub fn distance(&self, word: usize, last: usize) -> isize {
        word as isize - if last >= self.len() { -1 } else { last as isize }
    }

    // Tag and relation of a vertex; everything outside the words looks like the place before the sentence.
    fn view(&self, vertex: usize) -> [u32; 2] {
        if vertex < self.len() { [self.tags[vertex], self.relations[vertex]] } else { [BEFORE; 2] }
    }

    fn atoms(&self, word: usize) -> [u32; ATOMS] {
        let length = self.len();
        let [tag, relation] = self.view(word);
        let [left_tag, left] = if word > 0 { self.view(word - 1) } else { [BEFORE; 2] };
        let [right_tag, right] = if word + 1 < length { self.view(word + 1) } else { [AFTER; 2] };
        let [parent_tag, parent] = self.view(self.tree.parent(word as u32) as usize);
        [tag, relation, left_tag, left, right_tag, right, parent_tag, parent]
    }

    fn topology(&self, word: usize, last: usize) -> [bool; TOPOLOGY] {
        if last >= self.len() {
            return [false; TOPOLOGY];
        }
        let (above, above_last) = (self.tree.parent(word as u32), self.tree.parent(last as u32));
        [above == last as u32, above_last == word as u32, above == above_last && above != NONE]
    }

    /// Hands out template and key of everything known of a candidate after the last word.
    pub fn pair_keys(&self, profile: Profile, word: usize, last: usize, mut found: impl FnMut(usize, u64)) {
        let ([tag, relation], [last_tag, last_relation]) = (self.view(word), self.view(last));
        let seen = [tag, relation, last_tag, last_relation];
        let first = profile.words().len();
        for (at, atoms) in PAIRS.iter().enumerate() {
            found(first + at, t::key(first + at, atoms, &seen));
        }
        let first = first + PAIRS.len();
        for (at, _) in self.topology(word, last).iter().enumerate().filter(|&(_, &holds)| holds) {
            match profile {
                Profile::Text => found(first + at, t::key(first + at, &[], &[])),
                Profile::Released => {
                    for (which, atoms) in TOPOLOGY_TAGS.iter().enumerate() {
                        let template = first + at * TOPOLOGY_TAGS.len() + which;
                        found(template, t::key(template, atoms, &seen));
                    }
                }
            }
        }
    }

    /// Hands out template and key of everything known of a candidate after the last two words; nothing in texts.
    pub fn triple_keys(
        &self,
        profile: Profile,
        word: usize,
        last: usize,
        earlier: usize,
        mut found: impl FnMut(usize, u64),
    ) {
        if profile == Profile::Text {
            return;
        }
        let ([tag, relation], [last_tag, last_relation]) = (self.view(word), self.view(last));
        let [earlier_tag, earlier_relation] = self.view(earlier);
        let seen = [tag, relation, last_tag, last_relation, earlier_tag, earlier_relation];
        let first = profile.words().len() + PAIRS.len() + TOPOLOGY * TOPOLOGY_TAGS.len();
        for (at, atoms) in TRIPLES.iter().enumerate() {
            found(first + at, t::key(first + at, atoms, &seen));
        }
    }

    /// Rows of steps there are for each action: one per vertex, and one for the place before the sentence.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.len() + 2
    }

    /// From where to where a step goes, in the numbering of [`super::walks`]; none if the sentence has no such step.
    #[must_use]
    pub fn ends(&self, step: usize) -> Option<(usize, usize)> {
        let (length, vertices) = (self.len(), self.vertices());
        let (action, vertex) = (step / vertices, step % vertices);
        let (root, before) = (self.tree.root() as usize, length + 1);
        let stands = vertex < self.tree.vertices();
        let parent =
            || Some(self.tree.parent(vertex as u32)).filter(|&above| above != NONE).map(|above| above as usize);
        match action {
            0 if vertex == before => Some((before, root)),
            0 if stands => Some((vertex, parent()?)),
            1 if stands => Some((parent()?, vertex)),
            2 if vertex < length => Some((if vertex == 0 { before } else { vertex - 1 }, vertex)),
            _ => None,
        }
    }

    /// Which step of distance a step of a walk has; what stands for no word is just before the sentence.
    #[must_use]
    pub fn step_bin(&self, from: usize, to: usize) -> usize {
        let place = |v: usize| if v < self.len() { v as isize } else { -1 };
        t::bin(place(to) - place(from))
    }

    /// Hands out template and key of everything known of a step.
    pub fn step_keys(&self, step: usize, mut found: impl FnMut(usize, u64)) {
        let Some((from, to)) = self.ends(step) else { return };
        let ([tag, relation], [from_tag, from_relation]) = (self.view(to), self.view(from));
        let seen = [tag, relation, from_tag, from_relation];
        let action = step / self.vertices();
        for (at, atoms) in STEPS.iter().enumerate() {
            let template = action * STEPS.len() + at;
            found(template, t::key(template, atoms, &seen));
        }
    }
}
