//! How probable words are of tags: known words by their counts, rare and unknown ones with the help of words that look alike.
//!
//! As in Klein and Manning (2003) and Petrov et al. (2006): what a tag is, given a word, is estimated first, and turned
//! round. The estimate for a rare word leans on its signatures, from general to special, each smoothed by the one before.

use std::sync::Arc;

use hashbrown::HashMap;

use super::level::begins;
use super::signature::signatures;
use crate::files::Section;
use crate::{Error, Result};

/// Words that occur more often than this are known well enough without a look at their form.
pub const FREQUENT: f32 = 20.0;
/// Words that occur no more often than this tell what unknown words are like.
pub const RARE: u32 = 3;
/// How much a signature leans on the one before it, and a rare word on its signatures.
const LEANING: f64 = 4.0;
const RARE_LEANING: f64 = 1.0;

/// Strings with the tags they were seen with.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    /// Where the tags of each string begin, and an end.
    begins: Vec<u32>,
    tags: Vec<u32>,
}

impl Seen {
    /// Strings with the tags of each.
    ///
    /// # Errors
    /// A string twice, or tags that do not fit.
    pub fn new(texts: Vec<String>, begins: Vec<u32>, tags: Vec<u32>, symbols: usize) -> Result<Self> {
        let numbers: HashMap<String, u32> = texts.iter().cloned().zip(0..).collect();
        let ends = (begins.first(), begins.last()) == (Some(&0), Some(&(tags.len() as u32)));
        if numbers.len() != texts.len() || begins.len() != texts.len() + 1 || !ends || !begins.is_sorted() {
            return Err(Error::format("the words of the lexicon do not fit their tags"));
        }
        if tags.iter().any(|&tag| tag as usize >= symbols) {
            return Err(Error::format("a word of the lexicon has an unknown tag"));
        }
        Ok(Self { texts, numbers, begins, tags })
    }

    /// The number of a string.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The strings.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Where the tags of each string begin.
    pub fn begins(&self) -> &[u32] {
        &self.begins
    }

    /// The tags of all strings.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    fn entries(&self, number: u32) -> std::ops::Range<usize> {
        self.begins[number as usize] as usize..self.begins[number as usize + 1] as usize
    }

    /// The entry of a string with a tag.
    pub fn entry(&self, number: u32, tag: u32) -> Option<usize> {
        self.entries(number).find(|&entry| self.tags[entry] == tag)
    }

    /// Where the counts of each entry begin, by how many variants tags have.
    fn places(&self, variants: &[u32]) -> Vec<usize> {
        begins(self.tags.iter().map(|&tag| variants[tag as usize] as usize))
    }
}

/// A tag in its variants, each with how probable a word is of it.
pub type Emission = (u32, Vec<f32>);

/// How often words and signatures were seen with which states.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    words: Arc<Seen>,
    forms: Arc<Seen>,
    word_places: Vec<usize>,
    form_places: Vec<usize>,
    word_counts: Section<f32>,
    form_counts: Section<f32>,
    /// How often each word and signature was seen.
    word_totals: Vec<f64>,
    form_totals: Vec<f64>,
    /// How often each state was seen with a word, and all of them.
    states: Vec<f64>,
    state_begins: Vec<usize>,
    all: f64,
}

impl Lexicon {
    /// A lexicon of counts, for each entry as many as its tag has variants.
    ///
    /// # Errors
    /// Counts that do not fit, or are no counts.
    pub fn new(
        words: Arc<Seen>,
        forms: Arc<Seen>,
        variants: &[u32],
        word_counts: Section<f32>,
        form_counts: Section<f32>,
    ) -> Result<Self> {
        let (word_places, form_places) = (words.places(variants), forms.places(variants));
        let fits = |places: &[usize], counts: &[f32]| {
            places.last() == Some(&counts.len()) && counts.iter().all(|&count| count >= 0.0 && count.is_finite())
        };
        if !fits(&word_places, &word_counts) || !fits(&form_places, &form_counts) {
            return Err(Error::format("the counts of the lexicon do not fit its words"));
        }
        let state_begins = begins(variants.iter().map(|&count| count as usize));
        let mut states = vec![0.0; *state_begins.last().unwrap_or(&0)];
        let counts: &[f32] = &word_counts;
        for (entry, &tag) in words.tags.iter().enumerate() {
            let begin = state_begins[tag as usize];
            for (variant, &count) in counts[word_places[entry]..word_places[entry + 1]].iter().enumerate() {
                states[begin + variant] += f64::from(count);
            }
        }
        let totals = |seen: &Seen, places: &[usize], counts: &[f32]| -> Vec<f64> {
            let of = |number: u32| {
                let entries = seen.entries(number);
                counts[places[entries.start]..places[entries.end]].iter().map(|&count| f64::from(count)).sum()
            };
            (0..seen.texts.len() as u32).map(of).collect()
        };
        let word_totals = totals(&words, &word_places, counts);
        let form_totals = totals(&forms, &form_places, &form_counts);
        let all = states.iter().sum();
        Ok(Self {
            words,
            forms,
            word_places,
            form_places,
            word_counts,
            form_counts,
            word_totals,
            form_totals,
            states,
            state_begins,
            all,
        })
    }

    /// The words.
    pub fn words(&self) -> &Arc<Seen> {
        &self.words
    }

    /// The signatures.
    pub fn forms(&self) -> &Arc<Seen> {
        &self.forms
    }

    /// The counts of words and of signatures.
    pub fn counts(&self) -> [&[f32]; 2] {
        [&self.word_counts, &self.form_counts]
    }

    pub(super) fn check(&self, states: usize) -> Result<()> {
        if self.states.len() != states {
            return Err(Error::format("the lexicon does not fit the grammar"));
        }
        Ok(())
    }

    /// How a word is looked up: itself, or at the start of a sentence what it is elsewhere.
    pub fn find(&self, word: &str, first: bool) -> Option<u32> {
        let found = self.words.find(word);
        if found.is_none() && first { self.words.find(&word.to_lowercase()) } else { found }
    }

    /// The tags a word may have. If `loose`, frequent words may have those of unknown words too.
    pub fn emissions(&self, word: &str, first: bool, loose: bool) -> Vec<Emission> {
        let number = self.find(word, first);
        let total = number.map_or(0.0, |number| self.word_totals[number as usize]);
        let known = number.map_or(0..0, |number| self.words.entries(number));
        let alone = total > f64::from(FREQUENT) && !loose;
        let forms: Vec<u32> = if alone {
            Vec::new()
        } else {
            signatures(word, first).iter().filter_map(|form| self.forms.find(form)).collect()
        };
        let mut tags: Vec<u32> = self.words.tags[known].to_vec();
        if let Some(&general) = forms.first() {
            tags.extend(&self.forms.tags[self.forms.entries(general)]);
        }
        tags.sort_unstable();
        tags.dedup();
        let emission = |tag: u32| (tag, self.emission(number, &forms, tag));
        tags.into_iter().map(emission).filter(|(_, values)| values.iter().any(|&value| value > 0.0)).collect()
    }

    /// How probable a word is of each variant of a tag, by its number and those of its signatures that are known.
    pub(super) fn emission(&self, word: Option<u32>, forms: &[u32], tag: u32) -> Vec<f32> {
        let states = &self.states[self.state_begins[tag as usize]..self.state_begins[tag as usize + 1]];
        let mut shares = vec![0.0_f64; states.len()];
        for &form in forms {
            let total = self.form_totals[form as usize];
            let counts = self.forms.entry(form, tag).map(|at| &self.form_counts[self.form_places[at]..]);
            for (variant, share) in shares.iter_mut().enumerate() {
                let count = counts.map_or(0.0, |counts| f64::from(counts[variant]));
                *share = (count + LEANING * *share) / (total + LEANING);
            }
        }
        let mut chance = 1.0;
        if let Some(word) = word {
            let total = self.word_totals[word as usize];
            let leaning = if forms.is_empty() { 0.0 } else { RARE_LEANING };
            let counts = self.words.entry(word, tag).map(|at| &self.word_counts[self.word_places[at]..]);
            for (variant, share) in shares.iter_mut().enumerate() {
                let count = counts.map_or(0.0, |counts| f64::from(counts[variant]));
                *share = (count + leaning * *share) / (total + leaning);
            }
            chance = total.max(1.0);
        }
        // P(word | state) = P(state | word) P(word) / P(state), with counts for the last two.
        let turn =
            |(share, &state): (f64, &f64)| if state > 0.0 { (share * chance / state).min(1.0) as f32 } else { 0.0 };
        shares.into_iter().zip(states).map(turn).collect()
    }

    /// How often a tag was seen.
    pub fn tag_count(&self, tag: u32) -> f64 {
        self.states[self.state_begins[tag as usize]..self.state_begins[tag as usize + 1]].iter().sum()
    }

    /// How many words the lexicon was made of.
    pub fn tokens(&self) -> f64 {
        self.all
    }
}
