//! The phrases that profiles are made of: which ones, and where they stand.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::NONE;
use super::names::Names;
use super::text::{END, Text};
use crate::corpus::words::words;
use crate::{Error, Result};

/// Words in the longest phrase.
pub const MOST_WORDS: usize = 4;

/// Phrases as a tree of their words.
pub(super) struct Phrases {
    /// For each word the beginning that it is alone.
    first: Vec<u32>,
    /// A beginning and the next word to the longer beginning.
    longer: HashMap<u64, u32>,
    /// For each beginning the phrase that it is, if it is one.
    phrase: Vec<u32>,
    /// How many words each phrase has.
    pub lengths: Vec<u8>,
}

fn key(beginning: u32, word: u32) -> u64 {
    u64::from(beginning) << 32 | u64::from(word)
}

impl Phrases {
    fn new(text: &Text) -> Self {
        let first = vec![NONE; text.names().len()];
        Self { first, longer: HashMap::new(), phrase: Vec::new(), lengths: Vec::new() }
    }

    fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Makes a phrase of a beginning.
    fn end(&mut self, beginning: u32, length: usize) {
        self.phrase[beginning as usize] = self.lengths.len() as u32;
        self.lengths.push(length as u8);
    }

    fn begin(&mut self, word: u32) -> u32 {
        let at = &mut self.first[word as usize];
        if *at == NONE {
            *at = self.phrase.len() as u32;
            self.phrase.push(NONE);
        }
        *at
    }

    fn lengthen(&mut self, beginning: u32, word: u32) -> u32 {
        let new = self.phrase.len() as u32;
        let at = *self.longer.entry(key(beginning, word)).or_insert(new);
        if at == new {
            self.phrase.push(NONE);
        }
        at
    }

    /// These phrases, and their names. Those with words that the text lacks stand nowhere.
    pub fn wanted<'a>(text: &Text, wanted: impl Iterator<Item = &'a str>) -> Result<(Self, Names)> {
        let (mut phrases, mut names) = (Self::new(text), Names::default());
        let mut joined = String::new();
        for name in wanted {
            joined.clear();
            let mut length = 0;
            for word in words(name) {
                if length > 0 {
                    joined.push(' ');
                }
                joined.push_str(word);
                length += 1;
            }
            if length == 0 || length > MOST_WORDS {
                let what = format!("the phrase {name:?} has {length} words");
                return Err(Error::input(what).hint(format!("phrases have 1 to {MOST_WORDS}")));
            }
            names.intern(&joined);
            if names.len() == phrases.len() {
                return Err(Error::input(format!("the phrase {joined:?} is wanted twice")));
            }
            let mut beginning = None;
            for word in words(&joined) {
                let Some(id) = text.names().find(word) else {
                    beginning = None;
                    break;
                };
                beginning = Some(match beginning {
                    None => phrases.begin(id),
                    Some(before) => phrases.lengthen(before, id),
                });
            }
            match beginning {
                Some(beginning) => phrases.end(beginning, length),
                None => phrases.lengths.push(length as u8),
            }
        }
        Ok((phrases, names))
    }

    /// All phrases of up to `order` words that come at least `least` times, shorter ones first, each length in the order in
    /// which they come, and their names.
    pub fn all(text: &Text, order: usize, least: u64) -> (Self, Names) {
        let mut phrases = Self::new(text);
        let mut names = Names::default();
        for (word, &count) in (0..).zip(text.counts()) {
            if count >= least {
                let beginning = phrases.begin(word);
                phrases.end(beginning, 1);
                names.intern(text.names().get(word));
            }
        }
        let ids = text.ids();
        for length in 2..=order {
            // What is frequent has frequent beginnings.
            let mut seen: HashMap<u64, u32> = HashMap::new();
            let mut found: Vec<(u64, u32, u64)> = Vec::new();
            for (start, &word) in ids.iter().enumerate().filter(|&(_, &word)| word != END) {
                let Some(&last) = ids.get(start + length - 1) else { break };
                let Some(beginning) = phrases.beginning(&ids[start + 1..start + length - 1], word) else { continue };
                if last == END || phrases.first[last as usize] == NONE {
                    continue;
                }
                let key = key(beginning, last);
                match seen.entry(key) {
                    Entry::Occupied(at) => found[*at.get() as usize].2 += 1,
                    Entry::Vacant(free) => {
                        free.insert(found.len() as u32);
                        found.push((key, start as u32, 1));
                    }
                }
            }
            drop(seen);
            let mut name = String::new();
            for (key, start, _) in found.into_iter().filter(|&(_, _, count)| count >= least) {
                let longer = phrases.lengthen((key >> 32) as u32, key as u32);
                phrases.end(longer, length);
                name.clear();
                for &word in &ids[start as usize..start as usize + length] {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(text.names().get(word));
                }
                names.intern(&name);
            }
        }
        (phrases, names)
    }

    /// The beginning that a word and the words after it are.
    fn beginning(&self, rest: &[u32], word: u32) -> Option<u32> {
        let mut at = self.first[word as usize];
        for &word in rest {
            if at == NONE || word == END {
                return None;
            }
            at = self.longer.get(&key(at, word)).copied().unwrap_or(NONE);
        }
        (at != NONE).then_some(at)
    }

    /// Hands on every phrase of the text and where it begins.
    fn each(&self, text: &Text, mut found: impl FnMut(u32, usize)) {
        let ids = text.ids();
        for (start, &word) in ids.iter().enumerate().filter(|&(_, &word)| word != END) {
            let mut beginning = self.first[word as usize];
            let mut next = start + 1;
            while beginning != NONE {
                let phrase = self.phrase[beginning as usize];
                if phrase != NONE {
                    found(phrase, start);
                }
                // The last of a text is an END.
                if self.longer.is_empty() || ids[next] == END {
                    break;
                }
                beginning = self.longer.get(&key(beginning, ids[next])).copied().unwrap_or(NONE);
                next += 1;
            }
        }
    }

    /// For each phrase where it begins: the list of all places, and where the part of each phrase begins in it.
    pub fn places(&self, text: &Text) -> (Vec<usize>, Vec<u32>) {
        let mut begins = vec![0_usize; self.len() + 1];
        self.each(text, |phrase, _| begins[phrase as usize + 1] += 1);
        for at in 0..self.len() {
            begins[at + 1] += begins[at];
        }
        let mut places = vec![0_u32; begins[self.len()]];
        let mut free = begins.clone();
        self.each(text, |phrase, start| {
            let at = &mut free[phrase as usize];
            places[*at] = start as u32;
            *at += 1;
        });
        (begins, places)
    }
}
