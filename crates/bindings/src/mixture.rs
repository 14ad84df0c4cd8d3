//! Mixtures of components for Python.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use tolka_engine::decode::scorer::{Level, Plan, Switch, SwitchBy, SwitchScope};
use tolka_engine::forest::mixture::{Missing, Mixture, Operation, Part};
use tolka_engine::{Error, Result};

use crate::error::raise;

/// A mixture as Python spells it: an operation, and for each part a number or a mixture, its weight and its scale.
pub struct Mixed {
    operation: Operation,
    parts: Vec<(Member, f64, f64)>,
}

enum Member {
    Component(u32),
    Mixed(Box<Mixed>),
}

/// How deep mixtures are read; the engine says what is too deep.
const MOST_DEPTH: usize = 32;

impl<'py> FromPyObject<'_, 'py> for Mixed {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        read(&value, 0)
    }
}

fn read(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Mixed> {
    if depth > MOST_DEPTH {
        return Err(raise(Error::limit(format!("ensembles nested deeper than {MOST_DEPTH}"))));
    }
    let (operation, members): (String, Vec<(Bound<'_, PyAny>, f64, f64)>) = value.extract()?;
    let operation = one_of(
        "operation",
        &operation,
        &[("wsum", Operation::Wsum), ("wmax", Operation::Wmax), ("prod", Operation::Prod)],
    )?;
    let mut parts = Vec::with_capacity(members.len());
    for (member, lambda, scale) in members {
        let member = if member.is_instance_of::<PyInt>() {
            Member::Component(member.extract()?)
        } else {
            Member::Mixed(Box::new(read(&member, depth + 1)?))
        };
        parts.push((member, lambda, scale));
    }
    Ok(Mixed { operation, parts })
}

impl Mixed {
    /// The mixture.
    pub fn read(&self, missing: Missing) -> PyResult<Mixture> {
        self.made(missing).map_err(raise)
    }

    fn made(&self, missing: Missing) -> Result<Mixture> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for (member, lambda, scale) in &self.parts {
            let part = match member {
                Member::Component(number) => Part::Component(*number),
                Member::Mixed(mixed) => Part::Mixed(mixed.made(missing)?),
            };
            parts.push((part, *lambda, *scale));
        }
        Mixture::new(self.operation, missing, parts)
    }
}

/// What a setting is called.
fn one_of<T: Clone>(what: &str, given: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(name, _)| *name == given).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        raise(Error::settings(format!("unknown {what} {given:?}")).hint(format!("use {}", names.join(", "))))
    })?;
    Ok(found.1.clone())
}

/// What products take of components that do not have a rule.
pub fn missing_of(name: &str) -> PyResult<Missing> {
    one_of("missing", name, &[("floor", Missing::Floor), ("veto", Missing::Veto), ("skip", Missing::Skip)])
}

/// By what a cell is given to a part, what is given, whether language models count, whether weights multiply logarithms, and the
/// weights of parts for each class of spans.
type Switching = (String, String, bool, bool, Vec<Vec<f64>>);

/// How the components of a model work together, as Python spells it.
pub fn plan(given: &Bound<'_, PyDict>) -> PyResult<Plan> {
    let missing: String = wanted(given, "missing")?;
    let missing = missing_of(&missing)?;
    let parts: Vec<Vec<Mixed>> = wanted(given, "parts")?;
    let parts =
        parts.iter().map(|part| part.iter().map(|mixed| mixed.read(missing)).collect()).collect::<PyResult<_>>()?;
    let level: String = wanted(given, "level")?;
    let switch: Option<Switching> = wanted(given, "switch")?;
    let switch = switch.map(|(by, scope, lm, literal, lambda)| -> PyResult<Switch> {
        Ok(Switch {
            by: one_of("switch", &by, &[("max", SwitchBy::Max), ("sum", SwitchBy::Sum)])?,
            scope: one_of("scope", &scope, &[("cell", SwitchScope::Cell), ("pattern", SwitchScope::Pattern)])?,
            lm,
            literal,
            lambda,
        })
    });
    Ok(Plan {
        parts,
        switch: switch.transpose()?,
        spans: wanted(given, "spans")?,
        level: one_of("level", &level, &[("auto", Level::Auto), ("edge", Level::Edge), ("rule", Level::Rule)])?,
        missing,
        floor: wanted(given, "floor")?,
        average_glue: wanted(given, "average_glue")?,
        normalise: wanted(given, "normalise")?,
        union_limit: wanted(given, "union_limit")?,
    })
}

fn wanted<'py, T>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let value = given.get_item(name)?.ok_or_else(|| raise(Error::settings(format!("the mixture has no {name}"))))?;
    value.extract()
}
