//! Grammars: tables of rules, and extracting them from aligned text.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::align::pharaoh;
use tolka_engine::corpus::ReadLimits;
use tolka_engine::files::Verify;
use tolka_engine::grammar::aligned::AlignedBuilder;
use tolka_engine::grammar::columns::add_features;
use tolka_engine::grammar::export::export;
use tolka_engine::grammar::filter::filter;
use tolka_engine::grammar::folds::{Folds, make_fold_table};
use tolka_engine::grammar::import::{ImportSettings, import};
use tolka_engine::grammar::lines::Format;
use tolka_engine::grammar::score::make_table;
use tolka_engine::grammar::settings::{ExtractSettings, ScoreSettings};
use tolka_engine::grammar::significance::Threshold;
use tolka_engine::grammar::{Side, Table, alone, pattern};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};

type RuleTuple = (String, String, String, Vec<f32>, Vec<(u8, u8)>, (f32, f32, f32), u64);

/// A table of rules, mapped into memory.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GrammarTable(pub Arc<Table>);

#[pymethods]
impl GrammarTable {
    /// Open a table.
    #[staticmethod]
    #[pyo3(signature = (path, *, full))]
    fn open(py: Python<'_>, path: PathBuf, full: bool) -> PyResult<Self> {
        let verify = if full { Verify::Full } else { Verify::Structure };
        py.guarded(|| Table::open(&path, verify)).map(|table| Self(Arc::new(table))).map_err(raise)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The names of the features.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    /// The names of the categories.
    #[getter]
    fn categories(&self) -> Vec<String> {
        self.0.categories().to_vec()
    }

    /// The names of the components that the table speaks for; none if it is of one.
    #[getter]
    fn voices(&self) -> Vec<String> {
        self.0.voice_names().to_vec()
    }

    /// The names of the features of each of them.
    #[getter]
    fn voice_features(&self) -> Vec<String> {
        self.0.voice_feature_names().to_vec()
    }

    /// The table of one voice, in memory.
    fn voice(&self, py: Python<'_>, voice: usize) -> PyResult<Self> {
        let made = || alone(&self.0, voice)?.build(self.0.source_words(), self.0.target_words());
        py.guarded(made).map(|table| Self(Arc::new(table))).map_err(raise)
    }

    /// Write the table of one voice.
    fn write_voice(&self, py: Python<'_>, voice: usize, path: PathBuf) -> PyResult<()> {
        let write = || alone(&self.0, voice)?.write(&path, self.0.source_words(), self.0.target_words());
        py.guarded(write).map_err(raise)
    }

    /// The rules with this source side, as (lhs, source, target, features, links, counts, a bit for each voice).
    fn rules(&self, source: &str) -> PyResult<Vec<RuleTuple>> {
        caught(|| {
            let found = pattern::find(&self.0, source);
            found.map_or_else(Vec::new, |node| self.0.rules(node).map(|rule| self.tuple(rule)).collect())
        })
    }

    /// Rule number `number`, in the same form.
    fn rule(&self, number: u32) -> PyResult<RuleTuple> {
        if number as usize >= self.0.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("no such rule"));
        }
        caught(|| self.tuple(number))
    }

    /// The features of the rules with these sides, a row for each; not a number where there is no such rule.
    fn find<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = py.guarded(|| pattern::find_rules(&self.0, &sources, &targets)).map_err(raise)?;
        rows.into_pyarray(py).reshape([sources.len(), self.0.feature_names().len()])
    }

    /// Numbers: rules, source sides, source words, target words, nodes, then rules with 0, 1 and 2 nonterminals.
    fn sizes(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        py.infallible(|| pattern::sizes(&self.0))
    }

    /// Write the table as text for another system.
    #[pyo3(signature = (path, *, format, reordering))]
    fn export(&self, py: Python<'_>, path: PathBuf, format: &str, reordering: Option<PathBuf>) -> PyResult<()> {
        let format = Format::parse(format).map_err(raise)?;
        py.guarded(|| export(&self.0, format, &path, reordering.as_deref())).map_err(raise)
    }

    /// Write the rules that can match somewhere in these lines; gives their number.
    fn filter(&self, py: Python<'_>, lines: Vec<PyBackedStr>, path: PathBuf) -> PyResult<u64> {
        py.guarded(|| filter(&self.0, &lines, &path)).map_err(raise)
    }

    /// Write the table with more features: `values` gets source and target sides and gives rows one after the other.
    fn add_features(&self, py: Python<'_>, path: PathBuf, names: Vec<String>, values: Py<PyAny>) -> PyResult<u64> {
        let mut failure = None;
        let written = py.guarded(|| {
            add_features(&self.0, &names, &path, |sources, targets| {
                Python::attach(|py| {
                    let rows = py.check_signals().and_then(|()| values.call1(py, (sources, targets))?.extract(py));
                    rows.map_err(|error| {
                        failure = Some(error);
                        Error::input("rules could not be scored")
                    })
                })
            })
        });
        match failure {
            Some(error) => Err(error),
            None => written.map_err(raise),
        }
    }
}

impl GrammarTable {
    fn tuple(&self, rule: u32) -> RuleTuple {
        let table = &self.0;
        let [target_count, source_count, count] = table.counts(rule);
        let Side { lhs, links, .. } = table.side(rule);
        let mut features = Vec::new();
        table.features(rule, &mut features);
        (
            table.categories()[usize::from(lhs)].clone(),
            pattern::source(table, rule),
            pattern::target(table, rule),
            features,
            links.iter().map(|&[source, target]| (source, target)).collect(),
            (target_count, source_count, count),
            table.spoken(rule),
        )
    }
}

/// Settings by the names of choices.
pub fn parse_settings(
    kind: &str,
    orientation: &str,
    counting: &str,
    smoothing: &str,
    several: &str,
    significance: Option<(bool, f64)>,
) -> Result<(ExtractSettings, ScoreSettings)> {
    let extraction = ExtractSettings::parse(kind, orientation, counting)?;
    let significance = match significance {
        None => Threshold::None,
        Some((true, more)) => Threshold::Alpha(more),
        Some((false, value)) => Threshold::Value(value),
    };
    let scoring = ScoreSettings { significance, ..ScoreSettings::parse(smoothing, several)? };
    Ok((extraction, scoring))
}

/// Takes in aligned text and makes tables of its rules.
#[pyclass(frozen, module = "tolka._engine")]
pub struct GrammarExtractor(pub Mutex<AlignedBuilder>);

#[pymethods]
impl GrammarExtractor {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(AlignedBuilder::new()))
    }

    /// Take in pairs with their links as Pharaoh lines.
    fn add(
        &self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        links: Vec<PyBackedStr>,
    ) -> PyResult<()> {
        let add = || {
            self.take_in(&sources, &targets, links.len(), |k| {
                Ok(pharaoh::parse(&links[k], 0)?.iter().map(|written| written.link).collect())
            })
        };
        py.guarded(add).map_err(raise)
    }

    /// Take in pairs with their links as positions.
    fn add_links(
        &self,
        py: Python<'_>,
        sources: Vec<PyBackedStr>,
        targets: Vec<PyBackedStr>,
        links: Vec<Vec<(u16, u16)>>,
    ) -> PyResult<()> {
        py.guarded(|| self.take_in(&sources, &targets, links.len(), |k| Ok(links[k].clone()))).map_err(raise)
    }

    /// Make the table of all pairs so far; `step` is told of the pairs done. If folds are given, of each pair and those
    /// that voices do without, the table has several voices.
    #[pyo3(signature = (
        path, *, kind, max_length, max_symbols, max_gaps, min_gap, adjacent, loose, counting, orientation, smoothing,
        several, floor, min_count, singletons, significance, limit, orientation_prior, indicators, exact, memory, threads, step,
        folds=None,
    ))]
    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        py: Python<'_>,
        path: PathBuf,
        kind: &str,
        max_length: usize,
        max_symbols: usize,
        max_gaps: usize,
        min_gap: usize,
        adjacent: bool,
        loose: bool,
        counting: &str,
        orientation: &str,
        smoothing: &str,
        several: &str,
        floor: f64,
        min_count: f64,
        singletons: Option<usize>,
        significance: Option<(bool, f64)>,
        limit: usize,
        orientation_prior: f64,
        indicators: bool,
        exact: bool,
        memory: usize,
        threads: usize,
        step: Py<PyAny>,
        folds: Option<(Vec<u32>, Vec<u32>)>,
    ) -> PyResult<GrammarReport> {
        let (extraction, scoring) =
            parse_settings(kind, orientation, counting, smoothing, several, significance).map_err(raise)?;
        let extraction = ExtractSettings { max_length, max_symbols, max_gaps, min_gap, adjacent, loose, ..extraction };
        let scoring =
            ScoreSettings { floor, min_count, singletons, limit, orientation_prior, indicators, exact, ..scoring };
        let failure = Mutex::new(None);
        let advance = |pairs: usize| {
            Python::attach(|py| match py.check_signals().and_then(|()| step.call1(py, (pairs,))) {
                Ok(_) => true,
                Err(error) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    false
                }
            })
        };
        let made = py.guarded(|| {
            let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            let text = taken.finish()?;
            with_threads(threads, || match &folds {
                None => make_table(&text, &extraction, &scoring, memory, &path, &advance),
                Some((folds, voices)) => {
                    let folds = Folds::new(&text, folds, voices)?;
                    make_fold_table(&text, &folds, &extraction, &scoring, memory, &path, &advance)
                }
            })?
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let report = made.map_err(raise)?;
        let [extract_seconds, score_seconds, write_seconds] = report.seconds;
        Ok(GrammarReport {
            pairs: report.pairs,
            skipped: report.skipped,
            occurrences: report.occurrences,
            counted: report.counted,
            kept: report.kept,
            sources: report.sources,
            spilled: report.spilled,
            extract_seconds,
            score_seconds,
            write_seconds,
        })
    }
}

impl GrammarExtractor {
    fn take_in(
        &self,
        sources: &[PyBackedStr],
        targets: &[PyBackedStr],
        links: usize,
        links_of: impl Fn(usize) -> Result<Vec<(u16, u16)>>,
    ) -> Result<()> {
        let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sources.len() != targets.len() || sources.len() != links {
            return Err(Error::input(format!(
                "there are {} source sentences, {} target sentences and {links} alignments",
                sources.len(),
                targets.len()
            )));
        }
        for (k, (source, target)) in sources.iter().zip(targets).enumerate() {
            let number = builder.len() as u64 + 1;
            builder.push(source, target, links_of(k).map_err(|error| error.at_line(number))?)?;
        }
        Ok(())
    }
}

/// What extraction found out beside the table.
#[pyclass(frozen, get_all, module = "tolka._engine")]
pub struct GrammarReport {
    pairs: usize,
    skipped: usize,
    occurrences: u64,
    counted: u64,
    kept: u64,
    sources: u64,
    spilled: bool,
    extract_seconds: f64,
    score_seconds: f64,
    write_seconds: f64,
}

/// Make a table of a grammar file of another system; gives the number of rules.
#[pyfunction]
#[pyo3(signature = (path, out, *, format, reordering, unescape, exact, memory, line_bytes, file_bytes, expansion))]
#[allow(clippy::too_many_arguments)]
pub fn grammar_import(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    format: Option<&str>,
    reordering: Option<PathBuf>,
    unescape: bool,
    exact: bool,
    memory: usize,
    line_bytes: u64,
    file_bytes: u64,
    expansion: u64,
) -> PyResult<u64> {
    let limits = ReadLimits { line_bytes, file_bytes, expansion };
    let format = format.map(Format::parse).transpose().map_err(raise)?;
    let settings = ImportSettings { format, unescape, exact, memory, limits };
    py.guarded(|| import(&path, reordering.as_deref(), &settings, &out)).map_err(raise)
}
