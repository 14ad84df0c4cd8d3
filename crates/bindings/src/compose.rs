//! Two grammars as one, by the language between them.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use tolka_engine::Error;
use tolka_engine::grammar::compose::{Composed, FixedSettings, How, Lexical, Limits, Made, Sum, compose_tables};
use tolka_engine::threads::with_threads;

use crate::decode::Source;
use crate::error::{Guarded, raise};
use crate::grammar::GrammarTable;

/// Most rules of a source side, pivots of it, and translations of a pivot, 0 for all; and whether words must be linked.
type PyLimits = (usize, usize, usize, bool);

fn limits((rules, pivots, targets, linked): PyLimits) -> Limits {
    Limits { rules, pivots, targets, linked }
}

/// Rules through a pivot, which are composed when decoders ask for them.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ComposedRules(pub Arc<Composed>);

#[pymethods]
impl ComposedRules {
    /// `sums` has weights of both legs; without them the best way through the pivot counts.
    #[new]
    #[pyo3(signature = (first, second, *, sums, limits, recased))]
    fn new(
        py: Python<'_>,
        first: (String, Source<'_>),
        second: (String, Source<'_>),
        sums: Option<[Vec<f32>; 2]>,
        limits: PyLimits,
        recased: bool,
    ) -> PyResult<Self> {
        let how = sums.map_or(How::Max, How::Sum);
        let legs = [(first.0, first.1.rules().map_err(raise)?), (second.0, second.1.rules().map_err(raise)?)];
        let made = py.guarded(|| Composed::new(legs, how, self::limits(limits), recased));
        made.map(|composed| Self(Arc::new(composed))).map_err(raise)
    }

    /// The names of the features.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        tolka_engine::grammar::RuleSource::feature_names(&*self.0).to_vec()
    }

    /// The features of each leg.
    #[getter]
    fn leg_features(&self) -> [Vec<String>; 2] {
        self.0.leg_features()
    }

    /// Whether any source side of the first leg's table leads through the pivot.
    fn meets(&self, py: Python<'_>, first: Py<GrammarTable>) -> PyResult<bool> {
        let table = Arc::clone(&first.get().0);
        py.guarded(|| Ok(self.0.meets(&table))).map_err(raise)
    }

    /// How many words of the pivot both legs have.
    #[getter]
    fn shared_words(&self) -> usize {
        self.0.shared_words()
    }
}

/// Write the table of two; gives the numbers of rules, source sides, those with rules, ways and shared words.
#[pyfunction]
#[pyo3(signature = (first, second, path, *, how, lexical, limits, floor, exact, recased, threads, step))]
#[allow(clippy::too_many_arguments)]
pub fn grammar_compose(
    py: Python<'_>,
    first: (String, Py<GrammarTable>),
    second: (String, Py<GrammarTable>),
    path: PathBuf,
    how: &str,
    lexical: &str,
    limits: PyLimits,
    floor: f64,
    exact: bool,
    recased: bool,
    threads: usize,
    step: Py<PyAny>,
) -> PyResult<(u64, u64, u64, u64, usize)> {
    let unknown = |what: &str, other: &str, hint: &'static str| {
        raise(Error::settings(format!("{what} cannot be {other:?}")).hint(hint))
    };
    let sum = match how {
        "sum" => Sum::Sum,
        "max" => Sum::Max,
        other => return Err(unknown("how", other, "use sum or max")),
    };
    let lexical = match lexical {
        "marginal" => Lexical::Marginal,
        "links" => Lexical::Links,
        other => return Err(unknown("lexical", other, "use marginal or links")),
    };
    let settings = FixedSettings { sum, lexical, limits: self::limits(limits), floor, exact };
    let opened = [Arc::clone(&first.1.get().0), Arc::clone(&second.1.get().0)];
    let failure = Mutex::new(None);
    let advance = |sides: usize| {
        Python::attach(|py| match py.check_signals().and_then(|()| step.call1(py, (sides,))) {
            Ok(_) => true,
            Err(error) => {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                false
            }
        })
    };
    let composed = py.guarded(|| {
        let tables = [(&first.0[..], &*opened[0]), (&second.0[..], &*opened[1])];
        with_threads(threads, || compose_tables(tables, settings, recased, &path, &advance))?
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => {
            let Made { rules, sources, ways, shared } = composed.map_err(raise)?;
            Ok((rules, sources[0], sources[1], ways, shared))
        }
    }
}
