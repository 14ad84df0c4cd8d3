//! A language model as decoders see it, and the compiled models.

use super::batch::{Asked, SentenceScore, score_fragments, score_piece};
use super::fast::Fast;
use super::ngrams::{MOST_ORDER, Ngrams};
use super::search::{Extension, Scored, Search, begin, extend_left, full_score};
use super::small::Small;
use super::state::State;
use crate::corpus::vocabulary::{EOS, SPECIALS, Vocabulary};
use crate::files::{Container, ContainerWriter};
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

    /// Scores runs of words with nothing known before them; see [`score_fragments`].
    fn score_fragments(&self, ids: &[u32], ends: &[usize], sums: &mut Vec<f32>) {
        score_fragments(&Asked(self), ids, ends, sums);
    }

    /// Asks for what a query will need; see [`Search::prefetch`].
    fn prefetch(&self, _state: &State, _word: u32) {}

    /// Scores many sentences of ids; see [`score_piece`].
    fn score_piece(&self, ids: &[u32], ends: &[usize]) -> Vec<SentenceScore> {
        score_piece(&Asked(self), ids, ends)
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

    /// Adds the model to a file.
    pub(super) fn write(&self, out: &mut ContainerWriter) -> Result<()> {
        out.section_bytes("form", self.form().as_bytes())?;
        out.section("counts", &self.counts)?;
        write_words(out, "word", &self.vocabulary)?;
        match &self.stored {
            Stored::Fast(fast) => fast.write(out),
            Stored::Small(small) => small.write(out),
        }
    }

    /// Takes the model from a file.
    pub(super) fn from_container(file: &Container) -> Result<Self> {
        let counts = file.slice::<u64>("counts")?.to_vec();
        if counts.is_empty() || counts.len() > MOST_ORDER {
            return Err(file.error(format!("a model of order {}", counts.len())));
        }
        let vocabulary = read_words(file, "word")?;
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

/// Adds words to a file: their bytes, and where each ends.
pub(super) fn write_words(out: &mut ContainerWriter, name: &str, vocabulary: &Vocabulary) -> Result<()> {
    let mut bytes = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for id in SPECIALS.len() as u32..vocabulary.len() as u32 {
        bytes.extend_from_slice(vocabulary.word(id).as_bytes());
        ends.push(u32::try_from(bytes.len()).map_err(|_| Error::limit("the words take more than 4 GB"))?);
    }
    out.section_bytes(&format!("{name}s"), &bytes)?;
    out.section(&format!("{name}-ends"), &ends)
}

/// Takes words from a file.
pub(super) fn read_words(file: &Container, name: &str) -> Result<Vocabulary> {
    let bytes = file.bytes(&format!("{name}s"))?;
    let ends = file.slice::<u32>(&format!("{name}-ends"))?;
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
            Stored::Fast(fast) => {
                let $search = &fast.view();
                $body
            }
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
        either!(&self.stored, search => {
            // The lines of all lengths arrive side by side instead of one after the other.
            search.prefetch(state, word);
            full_score(search, state, word)
        })
    }

    fn extend_left(&self, context: &[u32], backoffs: &[f32], node: (u64, f32), length: usize) -> Extension {
        either!(&self.stored, search => extend_left(search, context, backoffs, node, length))
    }

    fn prefetch(&self, state: &State, word: u32) {
        either!(&self.stored, search => search.prefetch(state, word))
    }

    fn score_fragments(&self, ids: &[u32], ends: &[usize], sums: &mut Vec<f32>) {
        either!(&self.stored, search => score_fragments(search, ids, ends, sums));
    }

    fn score_piece(&self, ids: &[u32], ends: &[usize]) -> Vec<SentenceScore> {
        either!(&self.stored, search => score_piece(search, ids, ends))
    }
}
