//! Models as files hold them, whatever their kind.

use std::path::Path;

use super::classes::ClassModel;
use super::model::{Compiled, LanguageModel};
use super::search::{Extension, Scored};
use super::state::State;
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, ContainerWriter, Verify};
use crate::{Error, Result};

/// A model ready for queries.
#[derive(Debug, Clone)]
pub enum AnyModel {
    /// Of words.
    Words(Compiled),
    /// Of classes.
    Classes(ClassModel),
}

const WORDS: &str = "lm";
const CLASSES: &str = "class-lm";
/// 2: buckets in ascending order.
const VERSION: u32 = 2;
/// Files up to this size are checked in full when they are opened; it takes a few milliseconds.
const CHECKED_BYTES: u64 = 64 << 20;

impl AnyModel {
    /// Opens a .tlm file where it lies. Files of up to 64 MB are checked in full, larger ones only if `verify` is set;
    /// whatever a damaged file says, queries stay within it.
    ///
    /// # Errors
    /// A file that is no model of ours, or is damaged.
    pub fn open(path: &Path, verify: bool, most_bytes: u64) -> Result<Self> {
        let file = Container::open_within(path, None, Verify::Structure, most_bytes)?;
        let size: u64 = file.sections().iter().map(|section| section.bytes).sum();
        if verify || size <= CHECKED_BYTES {
            file.verify()?;
        }
        let kind = file.kind().to_owned();
        if kind != WORDS && kind != CLASSES {
            return Err(file.error(format!("the file holds {kind}, not a language model")));
        }
        if file.kind_version_up_to(VERSION)? < VERSION {
            return Err(file.error("the model was compiled by an older tolka").hint("compile its ARPA file again"));
        }
        if kind == WORDS {
            return Compiled::from_container(&file).map(Self::Words);
        }
        ClassModel::from_container(&file).map(Self::Classes)
    }

    /// Writes a .tlm file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let kind = match self {
            Self::Words(_) => WORDS,
            Self::Classes(_) => CLASSES,
        };
        let mut out = ContainerWriter::create(path, kind, VERSION)?;
        match self {
            Self::Words(model) => model.write(&mut out)?,
            Self::Classes(model) => model.write(&mut out)?,
        }
        out.finish()
    }

    /// The compiled n-grams, of words or of classes.
    pub fn compiled(&self) -> &Compiled {
        match self {
            Self::Words(model) => model,
            Self::Classes(model) => model.classes(),
        }
    }

    /// The model of words.
    ///
    /// # Errors
    /// A model of classes.
    pub fn of_words(&self) -> Result<&Compiled> {
        match self {
            Self::Words(model) => Ok(model),
            Self::Classes(_) => Err(Error::settings("this works on models of words, not of classes")),
        }
    }
}

macro_rules! either {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::Words($model) => $body,
            AnyModel::Classes($model) => $body,
        }
    };
}

impl LanguageModel for AnyModel {
    fn order(&self) -> usize {
        self.compiled().order()
    }

    fn vocabulary(&self) -> &Vocabulary {
        either!(self, model => model.vocabulary())
    }

    fn begin(&self) -> State {
        self.compiled().begin()
    }

    #[inline]
    fn full_score(&self, state: &State, word: u32) -> (Scored, State) {
        either!(self, model => model.full_score(state, word))
    }

    fn extend_left(&self, context: &[u32], backoffs: &[f32], node: (u64, f32), length: usize) -> Extension {
        self.compiled().extend_left(context, backoffs, node, length)
    }

    fn score_fragments(&self, ids: &[u32], ends: &[usize], sums: &mut Vec<f32>) {
        either!(self, model => model.score_fragments(ids, ends, sums));
    }

    fn prefetch(&self, state: &State, word: u32) {
        either!(self, model => model.prefetch(state, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_another_version_are_refused_with_advice() {
        let directory = tempfile::tempdir().unwrap();
        for (version, advice) in [(VERSION - 1, "ARPA file again"), (VERSION + 1, "upgrade")] {
            let path = directory.path().join(format!("{version}.tlm"));
            ContainerWriter::create(&path, WORDS, version).unwrap().finish().unwrap();
            let error = AnyModel::open(&path, false, 1 << 20).unwrap_err().to_string();
            assert!(error.contains(advice), "{error}");
        }
    }
}
