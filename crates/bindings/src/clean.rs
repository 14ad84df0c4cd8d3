//! Cleaning sentence pairs, for Python.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tolka_engine::corpus::clean as engine;
use tolka_engine::corpus::normalise::{CHANGES, Normalisation};
use tolka_engine::corpus::pair_key::SameBy;
use tolka_engine::corpus::rules::Rule;
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};
use crate::texts::side_by_side;

type Cleaned<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyBytes>, [[u64; 3]; 2]);

/// Cleans sentence pairs batch by batch.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Cleaner {
    cleaner: Mutex<engine::Cleaner>,
    notes: Vec<String>,
}

#[pymethods]
impl Cleaner {
    #[new]
    #[pyo3(signature = (
        *, languages, min_tokens, max_tokens, max_characters, max_word_characters, max_ratio, ratio_allowance,
        ratio_unit, identical_name_tokens, min_script_share, duplicate_by, without, invisible, nfc, spaces
    ))]
    #[allow(clippy::too_many_arguments, clippy::needless_pass_by_value)]
    fn new(
        languages: Option<[String; 2]>,
        min_tokens: usize,
        max_tokens: usize,
        max_characters: usize,
        max_word_characters: usize,
        max_ratio: f64,
        ratio_allowance: usize,
        ratio_unit: &str,
        identical_name_tokens: usize,
        min_script_share: f64,
        duplicate_by: &str,
        without: Vec<String>,
        invisible: bool,
        nfc: bool,
        spaces: bool,
    ) -> PyResult<Self> {
        let build = || -> Result<engine::Cleaner> {
            engine::Cleaner::new(engine::CleanSettings {
                languages,
                min_tokens,
                max_tokens,
                max_characters,
                max_word_characters,
                max_ratio,
                ratio_allowance,
                ratio_unit: engine::RatioUnit::parse(ratio_unit)?,
                identical_name_tokens,
                min_script_share,
                duplicate_by: SameBy::parse(duplicate_by)?,
                without: without.iter().map(|name| parse(name)).collect::<Result<_>>()?,
                normalisation: Normalisation { invisible, nfc, spaces },
            })
        };
        let cleaner = build().map_err(raise)?;
        Ok(Self { notes: cleaner.notes().to_vec(), cleaner: Mutex::new(cleaner) })
    }

    /// The names of the rules in their order; rule i has the id i + 1.
    #[staticmethod]
    fn rules() -> Vec<&'static str> {
        Rule::ALL.iter().map(|rule| rule.name()).collect()
    }

    /// The names of the changes, in the order in which they are made and counted.
    #[staticmethod]
    fn changes() -> [&'static str; 3] {
        CHANGES
    }

    /// Which rules could not be applied, and why.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The kept pairs' sides, each pair's verdict (0 is kept), and how many lines of each side each change altered.
    fn clean<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'py, PyList>,
        targets: &Bound<'py, PyList>,
        threads: usize,
    ) -> PyResult<Cleaned<'py>> {
        let (source_texts, target_texts) = side_by_side(sources, targets)?;
        let cleaned = py.guarded(|| {
            let mut guard = self.cleaner.lock().unwrap_or_else(PoisonError::into_inner);
            let cleaner = &mut *guard;
            with_threads(threads, || cleaner.clean(&source_texts, &target_texts))
        });
        let cleaned = cleaned.map_err(raise)?;
        let side = |which: usize, given: &Bound<'py, PyList>| {
            let kept = PyList::empty(py);
            for (position, pair) in cleaned.pairs.iter().enumerate() {
                match (cleaned.verdicts[position], &pair[which]) {
                    // A line that did not change is given back as it came, without a copy.
                    (0, Cow::Borrowed(_)) => kept.append(given.get_item(position)?)?,
                    (0, Cow::Owned(text)) => kept.append(text)?,
                    _ => {}
                }
            }
            Ok::<_, PyErr>(kept)
        };
        Ok((side(0, sources)?, side(1, targets)?, PyBytes::new(py, &cleaned.verdicts), cleaned.changed))
    }
}

fn parse(name: &str) -> Result<Rule> {
    Rule::parse(name).ok_or_else(|| {
        let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        Error::settings(format!("there is no rule {name:?}")).hint(format!("the rules are {}", known.join(", ")))
    })
}
