//! A labeller on disk.

use std::path::Path;

use super::dictionary::Dictionary;
use super::features::{FIELDS, Window};
use super::model::{Labeller, Semiring, Settings};
use crate::files::{Container, ContainerWriter, Verify};
use crate::learn::boost::Classifiers;
use crate::{Error, Result};

const KIND: &str = "labeller";
const VERSION: u32 = 1;

impl Labeller {
    /// Writes the file, which appears whole or not at all.
    ///
    /// # Errors
    /// What the operating system says, or nothing was learnt.
    pub fn save(&self, path: &Path) -> Result<()> {
        let classifiers = self.classifiers.as_ref().ok_or_else(|| Error::input("nothing was learnt yet"))?;
        let mut out = ContainerWriter::create(path, KIND, VERSION)?;
        let Settings { window, beam, semiring, .. } = &self.settings;
        let beam = beam.map_or(0, |beam| beam.min(u32::MAX as usize) as u32);
        out.section("search", &[window.before, window.behind, beam, u32::from(*semiring == Semiring::Viterbi)])?;
        let names: String = self.names.iter().flat_map(|name| [name, "\n"]).collect();
        out.section_bytes("labels", names.as_bytes())?;
        out.section("word-names", &self.dictionary.names)?;
        out.section("word-begins", &self.dictionary.begins)?;
        out.section("word-labels", &self.dictionary.labels)?;
        classifiers.write(&mut out)?;
        out.finish()
    }

    /// Opens a file and checks everything in it.
    ///
    /// # Errors
    /// A file of another kind, or a damaged one.
    pub fn open(path: &Path, most_bytes: u64) -> Result<Self> {
        let file = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        Self::read(&file).map_err(|error| error.at_path(path))
    }

    fn read(file: &Container) -> Result<Self> {
        file.kind_version_up_to(VERSION)?;
        let &[before, behind, beam, viterbi] = file.slice::<u32>("search")? else {
            return Err(Error::format("section search has not four numbers"));
        };
        let names =
            std::str::from_utf8(file.bytes("labels")?).map_err(|_| Error::format("the labels are not UTF-8"))?;
        let names: Vec<String> = names.split_terminator('\n').map(str::to_owned).collect();
        let semiring = if viterbi == 1 { Semiring::Viterbi } else { Semiring::MinMerge };
        let beam = (beam > 0).then_some(beam as usize);
        let settings = Settings { window: Window { before, behind }, beam, semiring, ..Settings::default() };
        if viterbi > 1 || before > 2 || behind > 2 {
            return Err(Error::format("the settings of the search make no sense"));
        }
        let dictionary = Dictionary {
            names: file.slice::<u64>("word-names")?.to_vec(),
            begins: file.slice::<u32>("word-begins")?.to_vec(),
            labels: file.slice::<u16>("word-labels")?.to_vec(),
        };
        if names.is_empty() || names.len() > usize::from(u16::MAX) {
            return Err(Error::format(format!("there are {} labels", names.len())));
        }
        dictionary.check(names.len())?;
        let classifiers = Classifiers::from_container(file)?;
        if classifiers.fields() != FIELDS {
            return Err(Error::format("the classifiers ask for other features").hint("train the labeller again"));
        }
        if classifiers.keys().iter().any(|&key| key == 0 || key > names.len() as u64) {
            return Err(Error::format("a classifier is of an unknown label"));
        }
        Ok(Self { names, dictionary, settings, classifiers: Some(classifiers) })
    }
}
