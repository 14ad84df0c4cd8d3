//! Estimation on disk, for corpora beyond memory: the steps of lmplz (Heafield et al. 2013), each a sort.
//!
//! 1. count: the n-grams of the highest order in suffix order; all lower ones appear as their suffixes on the way;
//! 2. per order, in context order: the sums over each context, and every n-gram's share before interpolation;
//! 3. per order, in suffix order again: interpolation with the order below, and out.
//!
//! The formulas and their order of evaluation are those of [`super::estimate`], so the model is the same to the bit.

use super::estimate::{Report, Settings, log10, smooth};
use super::smoothing::{CountOfCounts, Followers, OrderSmoothing, Smoothing};
use crate::corpus::vocabulary::{BOS, EOS};
use crate::files::runs::{Merged, Sorter, Spool, SpoolReader};
use crate::{Error, Result};

/// Takes the n-grams of a finished model, order by order, in suffix order.
pub trait Sink {
    /// Begins a model with these numbers of n-grams.
    fn begin(&mut self, counts: &[u64]) -> Result<()>;

    /// Begins an order.
    fn order(&mut self, order: usize) -> Result<()>;

    /// Takes an n-gram: its words from last to first, the index of its suffix in the order below, its values.
    fn gram(&mut self, key: &[u32], suffix: usize, prob: f32, backoff: Option<f32>) -> Result<()>;
}

/// The corpus as counted n-grams of the highest order on disk.
pub struct ExternalCounts {
    order: usize,
    sorter: Sorter,
    memory: usize,
}

/// The n-grams of all orders after counting, each with its count, in context order.
struct Counted {
    orders: Vec<Sorter>,
    unigrams: Vec<(u32, u32)>,
    stats: Vec<CountOfCounts>,
    counted: Vec<u64>,
}

fn split(value: f64) -> [u32; 2] {
    let bits = value.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

fn join(parts: &[u32]) -> f64 {
    f64::from_bits(u64::from(parts[1]) << 32 | u64::from(parts[0]))
}

impl ExternalCounts {
    /// Begins with nothing; `memory` is what the whole estimation may use, in bytes.
    pub fn new(order: usize, memory: usize) -> Self {
        // Sorting one buffer while text is read needs little else.
        Self { order, sorter: Sorter::new(order + 1, true, memory / 2), memory }
    }

    /// Takes in sentences, each `<s>`, words, `</s>`.
    pub fn add(&mut self, text: &[u32]) -> Result<()> {
        let mut start = 0;
        let mut record = vec![BOS; self.order + 1];
        record[self.order] = 1;
        for (at, &word) in text.iter().enumerate() {
            if word == BOS {
                start = at;
                continue;
            }
            for (n, place) in record[..self.order].iter_mut().enumerate() {
                *place = if at >= start + n { text[at - n] } else { BOS };
            }
            self.sorter.push(&record)?;
        }
        Ok(())
    }

    /// Estimates the model and hands it to `sink`; `types` is the number of word ids.
    pub fn estimate(self, types: usize, settings: &Settings, sink: &mut dyn Sink) -> Result<Report> {
        let thresholds = settings.thresholds()?;
        let order = self.order;
        let share = self.memory / 2 / order;
        let kneser_ney = settings.smoothing == Smoothing::KneserNey;
        let mut counts = Counted {
            orders: (2..=order).map(|n| Sorter::new(n + 2, false, share)).collect(),
            unigrams: vec![(0, 0); types],
            stats: vec![CountOfCounts::default(); order],
            counted: vec![0; order],
        };
        counts.counted[0] = types as u64;
        counts.collect(self.sorter.finish()?, order, kneser_ney, &thresholds)?;
        let mut report = Report { counted: counts.counted.clone(), ..Report::default() };
        let smoothing = smooth(settings, &counts.stats, &mut report);

        let special = |word: usize| word <= EOS as usize;
        let kept = |word: usize| thresholds[0] == 0 || counts.unigrams[word].1 > thresholds[0] || special(word);
        let mut root = Followers::default();
        for word in 0..types {
            root.add(counts.unigrams[word].0, !kept(word));
        }
        let kept_words = (0..types).filter(|&word| kept(word)).count();
        let floor = smoothing[0].gamma(&root) / (kept_words - 1) as f64;
        let denominator = smoothing[0].denominator(&root);
        let mut probs: Vec<f64> =
            counts.unigrams.iter().map(|&(count, _)| smoothing[0].numerator(count) / denominator + floor).collect();
        probs[BOS as usize] = 1.0;
        let keep: Vec<bool> = (0..types).map(kept).collect();

        let mut shares = Vec::new();
        let mut gammas = Vec::new();
        for (n, sorter) in (2..).zip(counts.orders) {
            let (share, gamma, kept) = share_out(sorter.finish()?, n, smoothing[n - 1], self.memory / 4 / order)?;
            shares.push(share);
            gammas.push(gamma);
            report.kept.push(kept);
        }
        report.kept.insert(0, kept_words as u64);
        interpolate(&probs, &keep, shares, gammas, &report.kept, sink)?;
        Ok(report)
    }
}

impl Counted {
    /// Reads the n-grams of the highest order in suffix order and enters those of every order.
    fn collect(&mut self, mut full: Merged, order: usize, kneser_ney: bool, thresholds: &[u32]) -> Result<()> {
        // Per length: how often the current suffix of that length occurs, and how many words stand before it.
        let mut raw = vec![0_u32; order + 1];
        let mut before = vec![0_u32; order + 1];
        let mut current: Vec<u32> = Vec::new();
        let mut any = false;
        let overflow = || Error::limit("an n-gram occurs more than 2^32 times");
        while let Some(record) = full.next()? {
            any = true;
            let count = record[order];
            // What follows the first <s> is padding.
            let length = record[..order].iter().position(|&word| word == BOS).map_or(order, |at| at + 1);
            let same = current.iter().zip(record).take_while(|(a, b)| a == b).count();
            for n in (same + 1..=current.len()).rev() {
                let adjusted = if n == order || current[n - 1] == BOS { raw[n] } else { before[n] };
                self.stats[n - 1].add(adjusted);
                let value = if kneser_ney { adjusted } else { raw[n] };
                self.enter(&current[..n], value, raw[n], thresholds)?;
            }
            for total in &mut raw[1..=same] {
                *total = total.checked_add(count).ok_or_else(overflow)?;
            }
            before[same] += 1;
            for n in same + 1..=length {
                raw[n] = count;
                before[n] = 1;
            }
            current.clear();
            current.extend_from_slice(&record[..length]);
        }
        if !any {
            return Err(super::estimate::empty_corpus());
        }
        for n in (1..=current.len()).rev() {
            let adjusted = if n == order || current[n - 1] == BOS { raw[n] } else { before[n] };
            // As lmplz does; see `match_lmplz`.
            self.stats[n - 1].add(if n < order { raw[n] } else { adjusted });
            let value = if kneser_ney { adjusted } else { raw[n] };
            self.enter(&current[..n], value, raw[n], thresholds)?;
        }
        Ok(())
    }

    fn enter(&mut self, key: &[u32], value: u32, raw: u32, thresholds: &[u32]) -> Result<()> {
        let n = key.len();
        if n == 1 {
            self.unigrams[key[0] as usize] = (value, raw);
            return Ok(());
        }
        self.counted[n - 1] += 1;
        let mut record = [0; 12];
        record[..n - 1].copy_from_slice(&key[1..]);
        record[n - 1] = key[0];
        record[n] = value;
        record[n + 1] = u32::from(raw <= thresholds[n - 1]);
        self.orders[n - 2].push(&record[..n + 2])
    }
}

/// Step 2 for one order: gives the kept n-grams with their share before interpolation and the weight of the order
/// below, in suffix order; and each context with that weight, in suffix order; and the number of n-grams kept.
fn share_out(
    mut sorted: Merged,
    n: usize,
    smoother: OrderSmoothing,
    memory: usize,
) -> Result<(Merged, SpoolReader, u64)> {
    let mut shares = Sorter::new(n + 4, false, memory);
    let mut gammas = Spool::new(n + 1)?;
    let mut kept = 0;
    let mut group: Vec<u32> = Vec::new();
    let stride = n + 2;
    loop {
        let record = sorted.next()?;
        let ends = match record {
            Some(record) => !group.is_empty() && group[..n - 1] != record[..n - 1],
            None => !group.is_empty(),
        };
        if ends {
            let mut context = Followers::default();
            group.chunks_exact(stride).for_each(|gram| context.add(gram[n], gram[n + 1] != 0));
            let (denominator, gamma) = (smoother.denominator(&context), smoother.gamma(&context));
            let mut out = [0; 12];
            out[..n - 1].copy_from_slice(&group[..n - 1]);
            out[n - 1..=n].copy_from_slice(&split(gamma));
            gammas.push(&out[..=n])?;
            for gram in group.chunks_exact(stride).filter(|gram| gram[n + 1] == 0) {
                out[0] = gram[n - 1];
                out[1..n].copy_from_slice(&gram[..n - 1]);
                out[n..n + 2].copy_from_slice(&split(smoother.numerator(gram[n]) / denominator));
                out[n + 2..n + 4].copy_from_slice(&split(gamma));
                shares.push(&out[..n + 4])?;
                kept += 1;
            }
            group.clear();
        }
        match record {
            Some(record) => group.extend_from_slice(record),
            None => break,
        }
    }
    Ok((shares.finish()?, gammas.read()?, kept))
}

/// The back-offs of one order, read beside its n-grams: both are in suffix order, and not every n-gram is a context.
struct Backoffs {
    reader: SpoolReader,
    width: usize,
    next: Option<(Vec<u32>, f64)>,
}

impl Backoffs {
    fn new(reader: SpoolReader, width: usize) -> Result<Self> {
        let mut backoffs = Self { reader, width, next: None };
        backoffs.advance()?;
        Ok(backoffs)
    }

    fn advance(&mut self) -> Result<()> {
        let width = self.width;
        self.next = self.reader.next()?.map(|record| (record[..width].to_vec(), join(&record[width..])));
        Ok(())
    }

    fn of(&mut self, key: &[u32]) -> Result<f32> {
        // Contexts whose own n-gram was pruned are passed over.
        while self.next.as_ref().is_some_and(|(next, _)| next[..] < *key) {
            self.advance()?;
        }
        Ok(self.next.as_ref().filter(|(next, _)| next[..] == *key).map_or(0.0, |&(_, gamma)| log10(gamma)))
    }
}

/// Step 3: interpolates each order with the one below and hands it out.
fn interpolate(
    unigrams: &[f64],
    keep: &[bool],
    shares: Vec<Merged>,
    gammas: Vec<SpoolReader>,
    counts: &[u64],
    sink: &mut dyn Sink,
) -> Result<()> {
    let order = shares.len() + 1;
    let mut gammas = (1..).zip(gammas).map(|(width, reader)| Backoffs::new(reader, width));
    let mut backoffs = gammas.next().transpose()?;
    sink.begin(counts)?;
    sink.order(1)?;
    let mut below = Spool::new(3)?;
    let mut index = 0;
    for (word, &prob) in (0_u32..).zip(unigrams) {
        if keep[word as usize] {
            let backoff = backoffs.as_mut().map(|backoffs| backoffs.of(&[word])).transpose()?;
            sink.gram(&[word], 0, log10(prob).min(0.0), backoff)?;
            let [low, high] = split(prob);
            below.push(&[word, low, high])?;
            index += 1;
        }
    }
    debug_assert_eq!(index, counts[0]);
    for (n, mut share) in (2..).zip(shares) {
        sink.order(n)?;
        let mut backoffs = gammas.next().transpose()?;
        let mut lower = std::mem::replace(&mut below, Spool::new(n + 2)?).read()?;
        let mut suffix = lower.next()?.map(<[u32]>::to_vec);
        let mut suffix_index = 0;
        let mut out = [0; 12];
        while let Some(record) = share.next()? {
            while suffix.as_ref().is_some_and(|suffix| suffix[..n - 1] != record[..n - 1]) {
                suffix = lower.next()?.map(<[u32]>::to_vec);
                suffix_index += 1;
            }
            let Some(suffix) = &suffix else { return Err(Error::format("an n-gram has lost its suffix")) };
            let prob = join(&record[n..]) + join(&record[n + 2..]) * join(&suffix[n - 1..]);
            let key = &record[..n];
            let backoff = backoffs.as_mut().map(|backoffs| backoffs.of(key)).transpose()?;
            sink.gram(key, suffix_index, log10(prob).min(0.0), backoff)?;
            if n < order {
                out[..n].copy_from_slice(key);
                out[n..n + 2].copy_from_slice(&split(prob));
                below.push(&out[..n + 2])?;
            }
        }
    }
    Ok(())
}
