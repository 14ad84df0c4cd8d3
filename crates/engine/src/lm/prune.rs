//! Pruning by relative entropy (Stolcke 1998): n-grams go whose absence hardly changes the model.

use super::ngrams::Ngrams;
use super::renormalise::{covered, renormalise, weight};
use super::subset::subset;
use crate::corpus::vocabulary::{BOS, EOS};
use crate::{Error, Result};

/// Leaves out the n-grams, longest first, whose removal raises the perplexity of the model on its own text by less than
/// a factor of 1 + `threshold`; unigrams stay.
///
/// An n-gram also stays while a longer one has it as its context or suffix. Where `<s>` begins a context, its
/// probability is taken to be that of `</s>`.
///
/// # Errors
/// A threshold that is no positive number, or an inconsistent model.
pub fn prune(mut ngrams: Ngrams, threshold: f64) -> Result<Ngrams> {
    if !threshold.is_finite() || threshold <= 0.0 {
        return Err(Error::settings(format!("the threshold {threshold} is not a number above 0")));
    }
    for n in (2..=ngrams.order()).rev() {
        let lacking = |_| Error::format("the model lacks the context of one of its n-grams");
        let contexts = ngrams.contexts().map_err(lacking)?;
        let joint = joint(&ngrams, n - 1, &contexts);
        let sums = covered(&ngrams, n, &contexts[n - 1]);
        let mut needed = vec![false; ngrams.levels[n - 1].len()];
        if let Some(higher) = contexts.get(n) {
            higher.iter().for_each(|&context| needed[context as usize] = true);
        }
        let (lower, level) = (&ngrams.levels[n - 2], &ngrams.levels[n - 1]);
        let mut keep: Vec<Vec<bool>> = ngrams.levels.iter().map(|level| vec![true; level.len()]).collect();
        for suffix in 0..lower.len() {
            for index in lower.children(suffix as u32) {
                let extended = level.begin.get(index..index + 2).is_some_and(|range| range[1] > range[0]);
                if needed[index] || extended {
                    continue;
                }
                let context = contexts[n - 1][index] as usize;
                let (seen, below) = sums[context];
                let p = 10_f64.powf(level.prob[index].into());
                let p_below = 10_f64.powf(lower.prob[suffix].into());
                // Natural logarithms from here on, as in the paper.
                let ln = |log10: f32| f64::from(log10) * std::f64::consts::LN_10;
                let old = ln(lower.backoff[context]);
                let new = ln(weight(seen - p, below - p_below));
                let change = p * (ln(lower.prob[suffix]) + new - ln(level.prob[index])) + (new - old) * (1.0 - seen);
                let growth = (-joint[context] * change).exp_m1();
                keep[n - 1][index] = growth >= threshold;
            }
        }
        if keep[n - 1].iter().all(|&keep| keep) {
            continue;
        }
        let Ngrams { vocabulary, levels } = ngrams;
        let (levels, vocabulary) = subset(levels, vocabulary, &keep)?;
        ngrams = Ngrams { vocabulary, levels };
        let contexts = ngrams.contexts().map_err(lacking)?;
        renormalise(&mut ngrams, &contexts);
    }
    // An order that has lost everything is no order.
    while ngrams.order() > 1 && ngrams.levels[ngrams.order() - 1].is_empty() {
        ngrams.levels.pop();
        let last = ngrams.levels.last_mut().expect("there are unigrams");
        (last.begin, last.backoff) = (Vec::new(), Vec::new());
    }
    Ok(ngrams)
}

/// The joint probability of the words of each n-gram of order `n`.
fn joint(ngrams: &Ngrams, n: usize, contexts: &[Vec<u32>]) -> Vec<f64> {
    let unigrams = &ngrams.levels[0];
    let mut all: Vec<f64> = unigrams.prob.iter().map(|&log| 10_f64.powf(log.into())).collect();
    all[BOS as usize] = all[EOS as usize];
    for k in 2..=n {
        let level = &ngrams.levels[k - 1];
        all = (0..level.len())
            .map(|index| all[contexts[k - 1][index] as usize] * 10_f64.powf(level.prob[index].into()))
            .collect();
    }
    all
}
