//! Class models (Brown et al. 1992): n-grams of word classes, and each word's share of its class.
//!
//! p(w|h) = p(c(w) | classes of h) p(w | c(w)). States and fragments hold classes, so search recombines more.

use hashbrown::HashMap;

use super::estimate::{Report, Settings, is_reserved};
use super::model::{Compiled, Form, LanguageModel};
use super::search::{Extension, Scored};
use super::state::State;
use super::train::Trainer;
use crate::corpus::vocabulary::{SPECIALS, UNK, Vocabulary, VocabularyBuilder};
use crate::corpus::words::words;
use crate::files::{Container, ContainerWriter, Section};
use crate::{Error, Result};

/// A model of classes as a model of words.
#[derive(Debug, Clone)]
pub struct ClassModel {
    words: Vocabulary,
    classes: Compiled,
    /// The class of each word, an id of `classes`.
    class_of: Section<u32>,
    /// log10 p(w | class of w).
    share: Section<f32>,
}

impl ClassModel {
    /// The model of classes.
    pub fn classes(&self) -> &Compiled {
        &self.classes
    }

    /// Adds the words to a file that holds the model of classes.
    pub(super) fn write(&self, out: &mut ContainerWriter) -> Result<()> {
        self.classes.write(out)?;
        super::model::write_words(out, "member", &self.words)?;
        out.section("class-of", &self.class_of)?;
        out.section("share", &self.share)
    }

    pub(super) fn from_container(file: &Container) -> Result<Self> {
        let classes = Compiled::from_container(file)?;
        let words = super::model::read_words(file, "member")?;
        let class_of: Section<u32> = file.section("class-of")?;
        let share: Section<f32> = file.section("share")?;
        let known = classes.vocabulary().len();
        if class_of.len() != words.len()
            || share.len() != words.len()
            || class_of.iter().any(|&class| class as usize >= known)
            || share.iter().any(|share| !share.is_finite() || *share > 0.0)
        {
            return Err(file.error("the classes do not fit the words"));
        }
        Ok(Self { words, classes, class_of, share })
    }

    #[inline]
    fn class(&self, word: u32) -> (u32, f32) {
        let word = if (word as usize) < self.class_of.len() { word } else { UNK };
        (self.class_of[word as usize], self.share[word as usize])
    }
}

impl LanguageModel for ClassModel {
    fn order(&self) -> usize {
        self.classes.order()
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.words
    }

    fn begin(&self) -> State {
        self.classes.begin()
    }

    fn full_score(&self, state: &State, word: u32) -> (Scored, State) {
        let (class, share) = self.class(word);
        let (scored, next) = self.classes.full_score(state, class);
        // What stands further left can change the class's part only: the n-gram keeps that.
        (Scored { prob: scored.prob + share, ..scored }, next)
    }

    fn extend_left(&self, context: &[u32], backoffs: &[f32], node: (u64, f32), length: usize) -> Extension {
        self.classes.extend_left(context, backoffs, node, length)
    }

    fn prefetch(&self, state: &State, word: u32) {
        self.classes.prefetch(state, self.class(word).0)
    }
}

/// Takes in a corpus and estimates a class model of it.
pub struct ClassTrainer {
    map: HashMap<String, String>,
    words: VocabularyBuilder,
    trainer: Trainer,
    line: String,
    skipped: u64,
}

impl ClassTrainer {
    /// A trainer with a map from words to classes; a word that is not in it is a class of its own.
    ///
    /// # Errors
    /// Settings that make no sense, or a class whose name is no word.
    pub fn new(settings: Settings, memory: usize, map: HashMap<String, String>) -> Result<Self> {
        for (word, class) in &map {
            if words(class).count() != 1 || words(class).next() != Some(class) || SPECIALS.contains(&class.as_str()) {
                return Err(Error::input(format!("the class {class:?} of {word:?} cannot be a class"))
                    .hint("a class is a word without white space, and not <unk>, <s> or </s>"));
            }
        }
        let trainer = Trainer::new(settings, memory)?;
        Ok(Self { map, words: VocabularyBuilder::new(), trainer, line: String::new(), skipped: 0 })
    }

    /// Takes in a line.
    ///
    /// # Errors
    /// A full disk.
    pub fn add(&mut self, line: &str) -> Result<()> {
        self.line.clear();
        for word in words(line) {
            if is_reserved(self.words.intern(word)) {
                self.skipped += 1;
                continue;
            }
            self.words.add(word);
            self.line.push_str(self.map.get(word).map_or(word, String::as_str));
            self.line.push(' ');
        }
        self.trainer.add(&self.line)
    }

    /// Estimates the model.
    ///
    /// # Errors
    /// An empty corpus, or a full disk.
    pub fn finish(self, form: Form) -> Result<(ClassModel, Report)> {
        let (ngrams, mut report) = self.trainer.finish()?;
        report.skipped = self.skipped;
        let all = SPECIALS.len() as u32..self.words.len() as u32;
        let class = |word: &str| ngrams.vocabulary.find(self.map.get(word).map_or(word, String::as_str));
        // A class whose unigram was pruned takes its words with it.
        let kept: Vec<(u32, u32)> = all.filter_map(|id| Some((id, class(self.words.word(id))?))).collect();
        let mut totals = vec![0_u64; ngrams.vocabulary.len()];
        for &(id, class) in &kept {
            totals[class as usize] += self.words.count(id);
        }
        let mut class_of: Vec<u32> = (0..SPECIALS.len() as u32).collect();
        let mut share = vec![0.0; SPECIALS.len()];
        for &(id, class) in &kept {
            class_of.push(class);
            share.push((self.words.count(id) as f64 / totals[class as usize] as f64).log10() as f32);
        }
        let words = Vocabulary::from_words(kept.iter().map(|&(id, _)| self.words.word(id)))?;
        let classes = Compiled::build(&ngrams, form)?;
        Ok((ClassModel { words, classes, class_of: class_of.into(), share: share.into() }, report))
    }
}
