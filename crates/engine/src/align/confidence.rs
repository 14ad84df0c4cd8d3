//! How sure lexical tables are of the links of a sentence pair (Huang 2009).

use rayon::prelude::*;

use super::bitext::Bitext;
use super::symmetrise::Link;
use super::table::Table;
use crate::error::{Error, Result};

/// The logarithm of the geometric mean of P(links | target side) and P(links | source side), each a product over links
/// of t(linked) / Σ t(any word of the other side).
///
/// # Errors
/// A link is outside the pair.
pub fn log_confidence(table: &Table, source: &[u32], target: &[u32], links: &[Link]) -> Result<f64> {
    let mut sums = [vec![0.0; target.len()], vec![0.0; source.len()]];
    for (i, &s) in source.iter().enumerate() {
        for (j, &t) in target.iter().enumerate() {
            let [forward, backward] = table.probabilities(s, t);
            sums[0][j] += f64::from(forward);
            sums[1][i] += f64::from(backward);
        }
    }
    let mut log = 0.0;
    for &(i, j) in links {
        let (Some(&s), Some(&t)) = (source.get(i as usize), target.get(j as usize)) else {
            let what = format!("link {i}-{j} is outside a pair of {} and {} words", source.len(), target.len());
            return Err(Error::input(what));
        };
        let [forward, backward] = table.probabilities(s, t);
        log += (f64::from(forward) / sums[0][j as usize]).ln() + (f64::from(backward) / sums[1][i as usize]).ln();
    }
    // 0 / 0 where tables know nothing of a word is no confidence either.
    Ok(if log.is_nan() { f64::NEG_INFINITY } else { log / 2.0 })
}

/// As [`log_confidence`], for many pairs.
///
/// # Errors
/// As for [`log_confidence`], or the numbers of pairs differ.
pub fn log_confidences(table: &Table, bitext: &Bitext, links: &[Vec<Link>]) -> Result<Vec<f64>> {
    if links.len() != bitext.len() {
        let what = format!("there are {} pairs and {} lines of links", bitext.len(), links.len());
        return Err(Error::input(what).hint("give the links of the same text"));
    }
    (0..bitext.len())
        .into_par_iter()
        .with_min_len(32)
        .map(|k| {
            log_confidence(table, bitext.source.sentence(k), bitext.target.sentence(k), &links[k])
                .map_err(|error| error.at_line(k as u64 + 1))
        })
        .collect()
}
