//! A language model as decoders see it, and the compiled models.

use std::path::Path;

use super::fast::Fast;
use super::ngrams::{MOST_ORDER, Ngrams};
use super::search::{Extension, Scored, Search, begin, extend_left, full_score};
use super::small::Small;
use super::state::State;
use crate::corpus::vocabulary::{EOS, SPECIALS, Vocabulary};
use crate::files::{Container, ContainerWriter, Verify};
use crate::{Error, Result};

/// What search asks of a language model. Words are ids of its own vocabulary.
pub trait LanguageModel: Send + Sync {
    /// The length of the longest n-grams.
    fn order(&self) -> usize;

    /// The words it knows.
    fn vocabulary(&self) -> &Vocabulary;

    /// The state at the start of a sentence.
    fn begin(&self) -> State;

    /// log10 p(word | state) with all that chart decoding needs, and the state after the word.
    fn full_score(&self, state: &State, word: u32) -> (Scored, State);

    /// See [`extend_left`].
    fn extend_left(&self, context: &[u32], backoffs: &[f32], node: (u64, f32), length: usize) -> Extension;

    /// log10 p(word | state) and the state after the word.
    fn score(&self, state: &State, word: u32) -> (f32, State) {
        let (scored, next) = self.full_score(state, word);
        (scored.prob, next)
    }

    /// Brings what a query will need into the cache; see [`Search::touch`].
    fn touch(&self, _state: &State, _word: u32) -> u64 {
        0
    }

    /// log10 of the probability of a whole sentence, its end included.
    fn score_sentence(&self, words: &[u32]) -> f64 {
        let mut state = self.begin();
        let mut sum = 0.0;
        for &word in words.iter().chain([&EOS]) {
            let (prob, next) = self.score(&state, word);
            sum += f64::from(prob);
            state = next;
        }
        sum
    }
}

/// How the n-grams of a compiled model are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hash tables.
    Fast,
    /// A packed trie, values in this many bits if any.
    Small(Option<u32>),
}

#[derive(Debug, Clone)]
enum Stored {
    Fast(Fast),
    Small(Small),
}

/// A model ready for queries.
#[derive(Debug, Clone)]
pub struct Compiled {
    vocabulary: Vocabulary,
    counts: Vec<u64>,
    stored: Stored,
}

const KIND: &str = "lm";
const VERSION: u32 = 1;
/// Files up to this size are checked in full when they are opened; it takes a few milliseconds.
const CHECKED_BYTES: u64 = 64 << 20;

impl Compiled {
    /// Compiles a model.
    ///
    /// # Errors
    /// A model that is not consistent.
    pub fn build(ngrams: &Ngrams, form: Form) -> Result<Self> {
        super::ngrams::check(ngrams)?;
        let stored = match form {
            Form::Fast => Stored::Fast(Fast::build(ngrams)?),
            Form::Small(bits) => Stored::Small(Small::build(ngrams, bits)?),
        };
        Ok(Self { vocabulary: ngrams.vocabulary.clone(), counts: ngrams.counts(), stored })
    }

    /// The number of n-grams of each order.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// "fast" or "small".
    pub fn form(&self) -> &'static str {
        match self.stored {
            Stored::Fast(_) => "fast",
            Stored::Small(_) => "small",
        }
    }

    /// Writes a .tlm file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut out = ContainerWriter::create(path, KIND, VERSION)?;
        out.section_bytes("form", self.form().as_bytes())?;
        out.section("counts", &self.counts)?;
        let mut bytes = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        for id in SPECIALS.len() as u32..self.vocabulary.len() as u32 {
            bytes.extend_from_slice(self.vocabulary.word(id).as_bytes());
            ends.push(u32::try_from(bytes.len()).map_err(|_| Error::limit("the words take more than 4 GB"))?);
        }
        out.section_bytes("words", &bytes)?;
        out.section("word-ends", &ends)?;
        match &self.stored {
            Stored::Fast(fast) => fast.write(&mut out)?,
            Stored::Small(small) => small.write(&mut out)?,
        }
        out.finish()
    }

    /// Opens a .tlm file where it lies. Files of up to 64 MB are checked in full, larger ones only if `verify` is set;
    /// whatever a damaged file says, queries stay within it.
    ///
    /// # Errors
    /// A file that is no model of ours, or is damaged.
    pub fn open(path: &Path, verify: bool, most_bytes: u64) -> Result<Self> {
        let file = Container::open_within(path, Some(KIND), Verify::Structure, most_bytes)?;
        let size: u64 = file.sections().iter().map(|section| section.bytes).sum();
        if verify || size <= CHECKED_BYTES {
            file.verify()?;
        }
        Self::from_container(&file)
    }

    fn from_container(file: &Container) -> Result<Self> {
        file.kind_version_up_to(VERSION)?;
        let counts = file.slice::<u64>("counts")?.to_vec();
        if counts.is_empty() || counts.len() > MOST_ORDER {
            return Err(file.error(format!("a model of order {}", counts.len())));
        }
        let vocabulary = read_words(file)?;
        if counts[0] != vocabulary.len() as u64 {
            return Err(file.error("there are not as many unigrams as words"));
        }
        let stored = match file.bytes("form")? {
            b"fast" => Stored::Fast(Fast::open(file, counts.len(), vocabulary.len())?),
            b"small" => Stored::Small(Small::open(file, counts.len(), vocabulary.len())?),
            _ => return Err(file.error("the form of the model is unknown")),
        };
        Ok(Self { vocabulary, counts, stored })
    }
}

fn read_words(file: &Container) -> Result<Vocabulary> {
    let bytes = file.bytes("words")?;
    let ends = file.slice::<u32>("word-ends")?;
    let mut start = 0;
    let mut words = Vec::with_capacity(ends.len());
    for &end in ends {
        let word = bytes.get(start..end as usize).and_then(|word| std::str::from_utf8(word).ok());
        words.push(word.ok_or_else(|| file.error("the words are damaged"))?);
        start = end as usize;
    }
    Vocabulary::from_words(words).map_err(|error| file.error(error.what))
}

/// Runs the same code for either form, compiled for each.
macro_rules! either {
    ($stored:expr, $search:ident => $body:expr) => {
        match $stored {
            Stored::Fast($search) => $body,
            Stored::Small($search) => $body,
        }
    };
}

impl LanguageModel for Compiled {
    fn order(&self) -> usize {
        self.counts.len()
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn begin(&self) -> State {
        either!(&self.stored, search => begin(search))
    }

    #[inline]
    fn full_score(&self, state: &State, word: u32) -> (Scored, State) {
        either!(&self.stored, search => full_score(search, state, word))
    }

    fn extend_left(&self, context: &[u32], backoffs: &[f32], node: (u64, f32), length: usize) -> Extension {
        either!(&self.stored, search => extend_left(search, context, backoffs, node, length))
    }

    fn touch(&self, state: &State, word: u32) -> u64 {
        either!(&self.stored, search => search.touch(state, word))
    }
}
