//! Estimation in memory: counts, then one order after the other, unigrams first.

use super::counts::{Counted, Tokens, count};
use super::ngrams::{LOG_ZERO, Level, MOST_ORDER, Ngrams, contexts};
use super::smoothing::{CountOfCounts, FALLBACK, Followers, OrderSmoothing, Smoothing, discounts};
use crate::corpus::vocabulary::{BOS, EOS, UNK, Vocabulary};
use crate::{Error, Result};

/// The settings of estimation.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The length of the longest n-grams.
    pub order: usize,
    /// The family of the model.
    pub smoothing: Smoothing,
    /// Per order, the count at or below which an n-gram is left out; the last value goes for all higher orders.
    pub prune: Vec<u32>,
    /// Discounts of the orders where Kneser-Ney's closed form fails.
    pub fallback: [f64; 3],
}

impl Default for Settings {
    fn default() -> Self {
        Self { order: 5, smoothing: Smoothing::KneserNey, prune: vec![], fallback: FALLBACK }
    }
}

impl Settings {
    /// Checks the settings and completes the pruning thresholds to one per order.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn thresholds(&self) -> Result<Vec<u32>> {
        if self.order == 0 || self.order > MOST_ORDER {
            return Err(Error::settings(format!("order {} is not between 1 and {MOST_ORDER}", self.order)));
        }
        if self.prune.len() > self.order {
            return Err(Error::settings(format!("{} thresholds for order {}", self.prune.len(), self.order))
                .hint("give one per order at most"));
        }
        if self.prune.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::settings("the pruning thresholds decrease")
                .hint("an n-gram can only be kept if its context is: write them in rising order, like 0 0 1"));
        }
        if self.fallback.iter().zip([1.0, 2.0, 3.0]).any(|(d, most)| !(0.0..=most).contains(d)) {
            return Err(Error::settings("a fallback discount is not between 0 and its count"));
        }
        let last = self.prune.last().copied().unwrap_or(0);
        Ok((0..self.order).map(|n| self.prune.get(n).copied().unwrap_or(last)).collect())
    }
}

/// What estimation found out beside the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Words of the text, sentence ends not counted.
    pub tokens: u64,
    /// Lines.
    pub sentences: u64,
    /// Words spelled like `<s>`, `</s>` or `<unk>`, which were skipped.
    pub skipped: u64,
    /// N-grams per order before pruning.
    pub counted: Vec<u64>,
    /// N-grams per order in the model.
    pub kept: Vec<u64>,
    /// The discounts per order (Kneser-Ney only).
    pub discounts: Vec<[f64; 3]>,
    /// Orders whose discounts are the fallback.
    pub fallback: Vec<usize>,
}

/// Statistics and smoothing per order, and the report of them. `stats` has the count-of-counts of each order.
pub(super) fn smooth(settings: &Settings, stats: &[CountOfCounts], report: &mut Report) -> Vec<OrderSmoothing> {
    if settings.smoothing == Smoothing::WittenBell {
        return vec![OrderSmoothing::WittenBell; settings.order];
    }
    let mut orders = Vec::new();
    for (n, &counts) in (1..).zip(stats) {
        let found = discounts(counts).unwrap_or_else(|| {
            report.fallback.push(n);
            settings.fallback
        });
        report.discounts.push(found);
        orders.push(OrderSmoothing::KneserNey(found));
    }
    orders
}

/// Estimates a model from a corpus in memory.
///
/// # Errors
/// Settings that make no sense, or an empty corpus.
pub fn estimate(tokens: &Tokens, vocabulary: Vocabulary, settings: &Settings) -> Result<(Ngrams, Report)> {
    let thresholds = settings.thresholds()?;
    if tokens.ids().is_empty() {
        return Err(empty_corpus());
    }
    let sentences = tokens.ids().iter().filter(|&&word| word == EOS).count() as u64;
    let mut report = Report { sentences, tokens: tokens.ids().len() as u64 - 2 * sentences, ..Report::default() };
    let mut orders = count(tokens, settings.order, vocabulary.len());
    report.counted = orders.iter().map(|order| order.level.len() as u64).collect();
    let kneser_ney = settings.smoothing == Smoothing::KneserNey;
    let mut stats = Vec::new();
    for order in &orders {
        let mut counts = CountOfCounts::default();
        (0..order.raw.len()).for_each(|index| counts.add(order.adjusted(index)));
        stats.push(counts);
    }
    match_lmplz(&orders, &mut stats);
    let smoothing = smooth(settings, &stats, &mut report);

    let mut lower_contexts = Vec::new();
    let mut lower_probs: Vec<f64> = Vec::new();
    for n in 1..=settings.order {
        let context = if n == 1 {
            Vec::new()
        } else {
            let below = n.checked_sub(3).map(|below| &orders[below].level);
            contexts(&orders[n - 1].level, &orders[n - 2].level, below, &lower_contexts)
                .expect("the context of an n-gram of the text is in the text")
        };
        let order = &orders[n - 1];
        let value = |index| if kneser_ney { order.adjusted(index) } else { order.raw[index] };
        let threshold = thresholds[n - 1];
        let special = |index: usize| n == 1 && index <= EOS as usize;
        let pruned = |index: usize| threshold > 0 && order.raw[index] <= threshold && !special(index);
        let mut followers = vec![Followers::default(); if n == 1 { 1 } else { orders[n - 2].raw.len() }];
        for index in 0..order.raw.len() {
            followers[if n == 1 { 0 } else { context[index] as usize }].add(value(index), pruned(index));
        }
        let smoother = smoothing[n - 1];
        let mut probs = Vec::with_capacity(order.raw.len());
        if n == 1 {
            let kept = (0..order.raw.len()).filter(|&index| !pruned(index)).count();
            let floor = smoother.gamma(&followers[0]) / (kept - 1) as f64;
            let denominator = smoother.denominator(&followers[0]);
            probs.extend((0..order.raw.len()).map(|index| smoother.numerator(value(index)) / denominator + floor));
            probs[BOS as usize] = 1.0;
        } else {
            let weights: Vec<(f64, f64)> =
                followers.iter().map(|context| (smoother.denominator(context), smoother.gamma(context))).collect();
            let mut index = 0;
            for (suffix, &lower) in lower_probs.iter().enumerate() {
                for _ in orders[n - 2].level.children(suffix as u32) {
                    let (denominator, gamma) = weights[context[index] as usize];
                    probs.push(smoother.numerator(value(index)) / denominator + gamma * lower);
                    index += 1;
                }
            }
            orders[n - 2].level.backoff = followers
                .iter()
                .zip(weights)
                .map(|(context, (_, gamma))| if context.total == 0 { 0.0 } else { log10(gamma) })
                .collect();
        }
        orders[n - 1].level.prob = probs.iter().map(|&prob| log10(prob).min(0.0)).collect();
        lower_probs = probs;
        lower_contexts = context;
    }
    let (levels, vocabulary) = drop_pruned(orders, vocabulary, &thresholds)?;
    report.kept = levels.iter().map(|level| level.len() as u64).collect();
    Ok((Ngrams { vocabulary, levels }, report))
}

/// What is said when there is nothing to learn from.
pub(super) fn empty_corpus() -> Error {
    Error::input("the corpus is empty").hint("a language model needs at least one line of text")
}

/// log10 for a model file: zero becomes [`LOG_ZERO`].
pub(super) fn log10(value: f64) -> f32 {
    (value.log10() as f32).max(LOG_ZERO)
}

/// lmplz enters the last n-gram (in suffix order) of each lower order into its statistics with the plain count instead
/// of the adjusted one. It hardly matters except in small texts, where we want the same discounts.
fn match_lmplz(orders: &[Counted], stats: &mut [CountOfCounts]) {
    if orders.len() < 2 {
        return;
    }
    // The suffixes of the last n-gram: down from the last unigram along last children, until nothing stands before.
    let mut index = orders[0].raw.len() - 1;
    for n in 0..orders.len() - 1 {
        let order = &orders[n];
        stats[n].remove(order.adjusted(index));
        stats[n].add(order.raw[index]);
        let children = order.level.children(index as u32);
        if children.is_empty() {
            break;
        }
        index = children.end - 1;
    }
}

/// Removes the n-grams at or below their thresholds. A child never counts more than its suffix and thresholds do not
/// decrease, so no kept n-gram loses its suffix or context.
fn drop_pruned(orders: Vec<Counted>, vocabulary: Vocabulary, thresholds: &[u32]) -> Result<(Vec<Level>, Vocabulary)> {
    if thresholds.iter().all(|&threshold| threshold == 0) {
        return Ok((orders.into_iter().map(|order| order.level).collect(), vocabulary));
    }
    let keep: Vec<Vec<bool>> = (0..orders.len())
        .map(|n| {
            let special = |index| n == 0 && index <= EOS as usize;
            orders[n]
                .raw
                .iter()
                .enumerate()
                .map(|(index, &raw)| thresholds[n] == 0 || raw > thresholds[n] || special(index))
                .collect()
        })
        .collect();
    let levels = orders.into_iter().map(|order| order.level).collect();
    super::subset::subset(levels, vocabulary, &keep)
}

/// The words of a corpus that may not be learnt: they have a meaning of their own.
pub(super) fn is_reserved(id: u32) -> bool {
    matches!(id, UNK | BOS | EOS)
}
