//! Models made of models: linear and log-linear interpolation, and weights that suit a text.

use super::model::{Compiled, LanguageModel};
use super::ngrams::{LOG_ZERO, Ngrams};
use super::renormalise::renormalise;
use super::union::Union;
use crate::corpus::vocabulary::{BOS, EOS, UNK};
use crate::corpus::words::words;
use crate::{Error, Result};

/// Weights that are positive and sum to 1, from those given.
fn check_weights(weights: &[f64], models: usize, sum_to_one: bool) -> Result<()> {
    if models == 0 {
        return Err(Error::settings("there is no model to combine"));
    }
    if weights.len() != models {
        let what = format!("there are {} weights for {models} models", weights.len());
        return Err(Error::settings(what).hint("give one for each, like 0.7,0.3"));
    }
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || weights.iter().all(|&weight| weight == 0.0)
    {
        return Err(Error::settings("weights must be numbers from 0 up, and not all 0"));
    }
    if sum_to_one && (weights.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
        return Err(Error::settings("the weights do not sum to 1"));
    }
    Ok(())
}

/// Linear interpolation, n-gram by n-gram (Stolcke 2002, "static" interpolation): each n-gram that any model has gets
/// the weighted mean of what the models say, and back-off weights are made anew so that everything sums to 1. A model
/// gives words it does not know nothing.
///
/// # Errors
/// Weights that make no sense, or inconsistent models.
pub fn linear(models: &[&Ngrams], weights: &[f64]) -> Result<Ngrams> {
    check_weights(weights, models.len(), true)?;
    let Union { mut ngrams, contexts, probs, known, .. } = Union::new(models)?;
    let mut lasts: Vec<u32> = (0..ngrams.vocabulary.len() as u32).collect();
    for n in 1..=ngrams.order() {
        if n > 1 {
            let lower = &ngrams.levels[n - 2];
            lasts = (0..lower.len())
                .flat_map(|suffix| lower.children(suffix as u32).map(move |_| suffix))
                .map(|suffix| lasts[suffix])
                .collect();
        }
        let mean = |index: usize| {
            let parts = (0..models.len()).filter(|&model| known[model][lasts[index] as usize]);
            let sum: f64 = parts.map(|model| weights[model] * 10_f64.powf(probs[model][n - 1][index].into())).sum();
            (sum.log10() as f32).clamp(LOG_ZERO, 0.0)
        };
        let values = (0..ngrams.levels[n - 1].len()).map(mean).collect();
        ngrams.levels[n - 1].prob = values;
    }
    // <s> is never predicted; what stands there is a convention.
    ngrams.levels[0].prob[BOS as usize] = 0.0;
    renormalise(&mut ngrams, &contexts);
    Ok(ngrams)
}

/// Log-linear interpolation (Klakow 1998): p(w|h) is the product of the models' probabilities, each to the power of its
/// weight, divided by the sum Z(h) of that product over all words. The sum is exact, by the recursion of Heafield et
/// al. (2016): words that no model has after h contribute the product of the back-off weights times their share of
/// Z(h'). A model scores words it does not know as `<unk>`.
///
/// # Errors
/// Weights that make no sense, or inconsistent models.
pub fn log_linear(models: &[&Ngrams], weights: &[f64]) -> Result<Ngrams> {
    check_weights(weights, models.len(), false)?;
    let Union { mut ngrams, contexts, probs, backoffs, .. } = Union::new(models)?;
    let order = ngrams.order();
    let product = |values: &[Vec<Vec<f32>>], n: usize, index: usize| -> f64 {
        weights.iter().zip(values).map(|(weight, values)| weight * f64::from(values[n - 1][index])).sum()
    };
    // log10 of the products, and per order the sums Z of the contexts, which are the n-grams of the order below.
    let unigrams: Vec<f64> = (0..ngrams.levels[0].len()).map(|index| product(&probs, 1, index)).collect();
    let predicted = unigrams.iter().enumerate().filter(|(word, _)| *word != BOS as usize);
    let z_root: f64 = predicted.map(|(_, log)| 10_f64.powf(*log)).sum();
    ngrams.levels[0].prob = unigrams.iter().map(|log| ((log - z_root.log10()) as f32).clamp(LOG_ZERO, 0.0)).collect();
    ngrams.levels[0].prob[BOS as usize] = 0.0;
    let mut lower_products = unigrams;
    // Z of the suffix of each n-gram of the order below: for unigrams, of the empty context.
    let mut z_of_suffix = vec![z_root; ngrams.levels[0].len()];
    for n in 2..=order {
        let (lower, level) = (&ngrams.levels[n - 2], &ngrams.levels[n - 1]);
        let products: Vec<f64> = (0..level.len()).map(|index| product(&probs, n, index)).collect();
        let mut covered = vec![(0.0, 0.0); lower.len()];
        let mut suffix_of = Vec::with_capacity(level.len());
        for (suffix, &product_below) in lower_products.iter().enumerate() {
            for index in lower.children(suffix as u32) {
                let sums: &mut (f64, f64) = &mut covered[contexts[n - 1][index] as usize];
                sums.0 += 10_f64.powf(products[index]);
                sums.1 += 10_f64.powf(product_below);
                suffix_of.push(suffix);
            }
        }
        let mut z = Vec::with_capacity(lower.len());
        let mut new_backoffs = Vec::with_capacity(lower.len());
        for (context, &(seen, seen_below)) in covered.iter().enumerate() {
            let weight = product(&backoffs, n - 1, context);
            let below = z_of_suffix[context];
            let sum = seen + 10_f64.powf(weight) * (below - seen_below).max(0.0);
            let log = weight + below.log10() - sum.log10();
            z.push(sum);
            new_backoffs.push(if sum > 0.0 { (log as f32).max(LOG_ZERO) } else { 0.0 });
        }
        let values = (0..level.len())
            .map(|index| ((products[index] - z[contexts[n - 1][index] as usize].log10()) as f32).clamp(LOG_ZERO, 0.0))
            .collect();
        z_of_suffix = suffix_of.iter().map(|&suffix| z[suffix]).collect();
        ngrams.levels[n - 2].backoff = new_backoffs;
        ngrams.levels[n - 1].prob = values;
        lower_products = products;
    }
    Ok(ngrams)
}

/// Steps of EM at most; each raises the likelihood, and the weights of a handful of models settle in a few dozen.
const MOST_STEPS: usize = 1000;

/// The weights of a linear interpolation under which a text is most probable, by EM (Jelinek & Mercer 1980). Words that
/// no model knows do not count.
///
/// # Errors
/// A text without a word that any model knows.
pub fn tune<L: AsRef<str>>(models: &[&Compiled], lines: impl IntoIterator<Item = L>) -> Result<Vec<f64>> {
    let mut probs: Vec<f64> = Vec::new();
    for line in lines {
        let mut states: Vec<_> = models.iter().map(|model| model.begin()).collect();
        for word in words(line.as_ref()).map(Some).chain([None]) {
            let start = probs.len();
            for (model, state) in models.iter().zip(&mut states) {
                let id = word.map_or(EOS, |word| model.vocabulary().text_id(word));
                let (prob, next) = model.score(state, id);
                *state = next;
                probs.push(if id == UNK { 0.0 } else { 10_f64.powf(prob.into()) });
            }
            if probs[start..].iter().all(|&prob| prob == 0.0) {
                probs.truncate(start);
            }
        }
    }
    if probs.is_empty() {
        return Err(Error::input("the text has no word that a model knows").hint("tune on text like what will come"));
    }
    let mut weights = vec![1.0 / models.len() as f64; models.len()];
    for _ in 0..MOST_STEPS {
        let mut expected = vec![0.0; models.len()];
        for token in probs.chunks_exact(models.len()) {
            let total: f64 = token.iter().zip(&weights).map(|(prob, weight)| prob * weight).sum();
            for ((sum, prob), weight) in expected.iter_mut().zip(token).zip(&weights) {
                *sum += prob * weight / total;
            }
        }
        let tokens = (probs.len() / models.len()) as f64;
        let next: Vec<f64> = expected.iter().map(|sum| sum / tokens).collect();
        let change = next.iter().zip(&weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        if change < 1e-6 {
            break;
        }
    }
    Ok(weights)
}
