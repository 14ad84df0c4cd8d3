//! Hope and fear found in forests (Chiang 2012).
//!
//! The metric does not factor over edges, so it is linearised where the background stands: an edge is worth the gradient
//! of the metric times the statistics of the words its rule brings, n-grams within the rule only (after Tromble et al.
//! 2008). The best derivations under the model, with that worth and against it are candidates; hope and fear are
//! chosen among them by the metric itself.

use hashbrown::HashSet;

use super::forest_mert::viterbi;
use super::forests::{Forests, Tunable, check_sentences};
use super::mert::{Space, shuffle};
use super::mira::{Averaged, Choice, Difference, Past, Settings, hope_and_fear};
use super::{REFERENCE_LENGTH, Tuned, free, score};
use crate::forest::kbest::{Edges, KBest};
use crate::metric::{Metric, Scratch, add};
use crate::random::Random;
use crate::{Error, Result};

/// Rules bring few of the longer n-grams, so that the worth of an edge is too small: it is also taken so many times.
const BOLD: f64 = 4.0;

/// Tunes all weights that are not frozen; `derivations` are taken from each forest under the model, for hope and for fear.
///
/// # Errors
/// Weights, settings or forests that make no sense.
pub fn forest_mira(
    forests: &Forests,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
    derivations: usize,
) -> Result<Tuned> {
    check_sentences(forests, metric)?;
    settings.check(metric.width())?;
    if derivations == 0 {
        return Err(Error::settings("forest MIRA needs at least one derivation of each kind"));
    }
    let free = free(start, forests.features(), frozen)?;
    let mut scratch = Scratch::default();
    let mut sentences: Vec<Sentence<'_>> = Vec::with_capacity(forests.all().len());
    for (number, tunable) in forests.all().iter().enumerate() {
        sentences.push(Sentence::new(tunable, metric, number, &mut scratch));
    }
    let mut averaged = Averaged::new(start);
    let mut past = Past::new(settings, metric.width());
    let mut difference = Difference::new(forests.features());
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let before = forests.gain(metric, start);
    let mut history = vec![before];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for epoch in 0..settings.epochs {
        shuffle(&mut order, &mut Random::new([settings.seed, 0x666f_7265, epoch as u64]));
        for &number in &order {
            let sentence = &sentences[number];
            let found = sentence.candidates(metric, number, &averaged.weights, &past, derivations, &mut scratch);
            let choices: Vec<Choice> = found
                .iter()
                .enumerate()
                .map(|(place, (model, _, row))| Choice { place, model: *model, gain: past.gain(metric, row) })
                .collect();
            if let Some((hope, fear)) = hope_and_fear(&choices, settings.safe_hope)
                && hope.place != fear.place
            {
                for (place, sign) in [(hope.place, 1.0), (fear.place, -1.0)] {
                    sentence.subtract(&found[place].1, sign, forests.dense(), &mut difference);
                }
                let (gain, model) = (hope.gain - fear.gain, hope.model - fear.model);
                difference.step(&mut averaged, &free, gain, model, settings.aggressiveness);
                past.update(&found[hope.place].2);
            }
            averaged.tick();
        }
        let average = averaged.average();
        let found = forests.gain(metric, &average);
        history.push(found);
        if best.as_ref().is_none_or(|(top, _)| found > *top) {
            best = Some((found, average));
        }
    }
    let (top, weights) = best.unwrap_or_else(|| (before, start.to_vec()));
    let history = history.into_iter().map(|gain| score(metric, gain)).collect();
    Ok(Tuned { weights, score: score(metric, top), history })
}

/// A forest that is scored again and again, and what its edges bring.
struct Sentence<'f> {
    tunable: &'f Tunable,
    /// A row of statistics per rule, of its words.
    rows: Vec<f64>,
}

impl<'f> Sentence<'f> {
    fn new(tunable: &'f Tunable, metric: &dyn Metric, number: usize, scratch: &mut Scratch) -> Self {
        let width = metric.width();
        let mut rows = vec![0.0; width * tunable.forest.rules().len()];
        let (mut row, mut words) = (vec![0.0; width], Vec::new());
        for (rule, sum) in tunable.forest.rules().iter().zip(rows.chunks_exact_mut(width)) {
            for part in rule.target.split(|symbol| symbol.as_word().is_none()).filter(|part| !part.is_empty()) {
                words.clear();
                words.extend(
                    part.iter().filter_map(|symbol| symbol.as_word()).map(|word| tunable.tokens[word as usize]),
                );
                metric.stats(number, &words, scratch, &mut row);
                add(sum, &row);
            }
            // The reference is as long as it is, whatever an edge brings.
            sum[REFERENCE_LENGTH] = 0.0;
        }
        Self { tunable, rows }
    }

    /// Derivations, each once: scores, edges and statistics.
    fn candidates(
        &self,
        metric: &dyn Metric,
        number: usize,
        weights: &[f64],
        past: &Past,
        count: usize,
        scratch: &mut Scratch,
    ) -> Vec<(f64, Edges, Vec<f64>)> {
        let Some(best) = viterbi(self.tunable, weights) else { return Vec::new() };
        let mut here = self.tunable.stats(metric, number, &best, scratch);
        add(&mut here, &past.sum);
        let slopes = gradient(metric, &here);
        let scale = here[REFERENCE_LENGTH] / 100.0;
        let mut forest = self.tunable.forest.clone();
        let edges = forest.edges() as u32;
        let model: Vec<f64> = (0..edges).map(|edge| self.tunable.dot(&forest.edge(edge), weights)).collect();
        let worth: Vec<f64> = self
            .rows
            .chunks_exact(metric.width())
            .map(|row| scale * row.iter().zip(&slopes).map(|(value, slope)| value * slope).sum::<f64>())
            .collect();
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for sign in [0.0, 1.0, -1.0, BOLD, -BOLD] {
            forest.rescore(|number, edge| model[number as usize] + sign * worth[edge.rule as usize]);
            for (_, edges) in KBest::unique(&forest).list(count) {
                let score: f64 = edges.iter().map(|&(edge, _)| model[edge as usize]).sum();
                let key: Vec<u32> = edges.iter().map(|&(edge, _)| edge).collect();
                if seen.insert(key) {
                    let row = self.tunable.stats(metric, number, &edges, scratch);
                    found.push((score, edges, row));
                }
            }
        }
        found
    }

    fn subtract(&self, edges: &Edges, sign: f64, dense: usize, difference: &mut Difference) {
        for &(number, _) in edges {
            let edge = self.tunable.forest.edge(number);
            for (at, &value) in edge.features.iter().enumerate() {
                difference.add(at, sign * f64::from(value));
            }
            for &(name, value) in edge.sparse {
                difference.add(dense + self.tunable.sparse[name as usize] as usize, sign * f64::from(value));
            }
        }
    }
}

/// The slopes of the metric, higher being better, at a sum of statistics.
fn gradient(metric: &dyn Metric, sum: &[f64]) -> Vec<f64> {
    let mut at = sum.to_vec();
    let mut slopes = vec![0.0; sum.len()];
    for (column, slope) in slopes.iter_mut().enumerate() {
        // Smoothing makes the metric jump near 0, so a whole one is added there.
        let step = if sum[column] == 0.0 { 1.0 } else { 1e-4 * sum[column].abs().max(1.0) };
        at[column] = sum[column] + step;
        let above = super::gain(metric, &at);
        at[column] = (sum[column] - step).max(0.0);
        let below = super::gain(metric, &at);
        *slope = (above - below) / (sum[column] + step - at[column]);
        at[column] = sum[column];
    }
    slopes
}
