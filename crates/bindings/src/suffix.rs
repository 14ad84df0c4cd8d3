//! Growing texts whose rules are found when they are asked for.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tolka_engine::files::Verify;
use tolka_engine::grammar::settings::{ExtractSettings, ScoreSettings};
use tolka_engine::grammar::suffix::{Extraction, Index, Rules, Segment, to_merge};
use tolka_engine::threads::with_threads;

use crate::error::{Guarded, raise};
use crate::grammar::{GrammarExtractor, GrammarTable, parse_settings};

/// A growing text as it is at one moment.
#[pyclass(frozen, module = "tolka._engine")]
pub struct SuffixIndex(Arc<Index>);

#[pymethods]
impl SuffixIndex {
    /// Open the segments of a text in their order; none is an empty text.
    #[staticmethod]
    #[pyo3(signature = (paths, *, full))]
    fn open(py: Python<'_>, paths: Vec<PathBuf>, full: bool) -> PyResult<Self> {
        let verify = if full { Verify::Full } else { Verify::Structure };
        py.guarded(|| Index::open(&paths, verify)).map(|index| Self(Arc::new(index))).map_err(raise)
    }

    /// Sentence pairs with links.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Sentence pairs taken in, words of both sides, of each segment.
    #[getter]
    fn segments(&self) -> Vec<(u64, usize)> {
        self.0.segments().iter().map(|segment| (segment.taken(), segment.size())).collect()
    }

    /// Different words of the source and the target side.
    #[getter]
    fn words(&self) -> (usize, usize) {
        (self.0.words(0).len() - 3, self.0.words(1).len() - 3)
    }

    /// Write a segment of the pairs that were taken in, merged with the last segments if these are small, but never with
    /// the first `keep`; gives how many of the old segments stay before it.
    #[pyo3(signature = (text, path, *, keep, threads))]
    fn append(
        &self,
        py: Python<'_>,
        text: &GrammarExtractor,
        path: PathBuf,
        keep: usize,
        threads: usize,
    ) -> PyResult<usize> {
        let append = || {
            let taken = std::mem::take(&mut *text.0.lock().unwrap_or_else(PoisonError::into_inner)).finish()?;
            let mut parts = self.0.segments().to_vec();
            parts.push(self.0.segment(&taken)?);
            let sizes: Vec<usize> = parts[keep.min(parts.len() - 1)..].iter().map(Segment::size).collect();
            let stay = parts.len() - to_merge(&sizes).max(1);
            if stay + 1 == parts.len() {
                parts[stay].write(&path)?;
            } else {
                Segment::merge(&parts[stay..])?.write(&path)?;
            }
            Ok(stay)
        };
        py.guarded(|| with_threads(threads, append)).and_then(|made| made).map_err(raise)
    }
}

/// Finds the rules of sentences in a growing text.
#[pyclass(frozen, module = "tolka._engine")]
pub struct SuffixRules(pub Arc<Rules>);

#[pymethods]
impl SuffixRules {
    #[new]
    #[pyo3(signature = (
        index, *, kind, max_length, max_symbols, max_gaps, min_gap, adjacent, loose, counting, orientation, smoothing,
        several, floor, min_count, singletons, significance, limit, orientation_prior, indicators, samples, max_span,
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        index: &SuffixIndex,
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
        samples: usize,
        max_span: usize,
    ) -> PyResult<Self> {
        let (mut extract, mut score) =
            parse_settings(kind, orientation, counting, smoothing, several, significance).map_err(raise)?;
        extract = ExtractSettings { max_length, max_symbols, max_gaps, min_gap, adjacent, loose, ..extract };
        score = ScoreSettings { floor, min_count, singletons, limit, orientation_prior, indicators, ..score };
        let settings = Extraction { extract, score, samples, max_span };
        Rules::new((*index.0).clone(), settings).map(|rules| Self(Arc::new(rules))).map_err(raise)
    }

    /// The names of the features of rules.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    /// The table of the rules that can match somewhere in these sentences.
    #[pyo3(signature = (sentences, *, threads))]
    fn extract(&self, py: Python<'_>, sentences: Vec<PyBackedStr>, threads: usize) -> PyResult<GrammarTable> {
        let table = py.guarded(|| with_threads(threads, || self.0.table(&sentences))).and_then(|table| table);
        table.map(|table| GrammarTable(Arc::new(table))).map_err(raise)
    }
}
