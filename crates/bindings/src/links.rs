//! Links as people write them: reading, joining two directions, scoring.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use pyo3::prelude::*;
use tolka_engine::align::pharaoh;
use tolka_engine::align::score::Agreement;
use tolka_engine::align::symmetrise::{Link, Method, symmetrise};

use crate::error::{caught, raise};

type Written = (u16, u16, bool, Option<f32>);

/// A line of Pharaoh links: source, target, whether it is sure, its probability.
#[pyfunction]
pub fn parse_links(line: &str, base: u16) -> PyResult<Vec<Written>> {
    let read = caught(|| pharaoh::parse(line, base))?.map_err(raise)?;
    Ok(read.into_iter().map(|w| (w.link.0, w.link.1, w.sure, w.probability)).collect())
}

/// The links of two directions joined by a method.
#[pyfunction]
pub fn symmetrise_links(forward: Vec<Link>, backward: Vec<Link>, method: &str, threshold: f32) -> PyResult<Vec<Link>> {
    let method = Method::parse(method, threshold).map_err(raise)?;
    caught(|| symmetrise(&forward, &backward, method))
}

/// Links proposed, sure, proposed and sure, proposed and possible; summed over pairs of (proposed, sure, possible).
#[pyfunction]
pub fn count_agreement(pairs: Vec<(Vec<Link>, Vec<Link>, Vec<Link>)>) -> (u64, u64, u64, u64, f64, f64, f64) {
    let mut sum = Agreement::default();
    for (proposed, sure, possible) in pairs {
        let gold: Vec<(Link, bool)> =
            sure.into_iter().map(|link| (link, true)).chain(possible.into_iter().map(|link| (link, false))).collect();
        sum.add(&proposed, &gold);
    }
    let Agreement { proposed, sure, proposed_sure, proposed_possible } = sum;
    (proposed, sure, proposed_sure, proposed_possible, sum.precision(), sum.recall(), sum.error_rate())
}
