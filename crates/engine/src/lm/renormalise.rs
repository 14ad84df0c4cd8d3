//! Back-off weights that make every context sum to 1 (Katz 1987).

use super::ngrams::{LOG_ZERO, Ngrams};

/// Below this, what is left of a sum of probabilities is rounding.
const NOTHING: f64 = 1e-9;

/// log10 of the weight of a context whose listed words have `seen` after it and `seen_below` after its suffix.
pub(super) fn weight(seen: f64, seen_below: f64) -> f32 {
    let (left, left_below) = (1.0 - seen, 1.0 - seen_below);
    if left_below < NOTHING {
        // Every word is listed: the weight is never used.
        return 0.0;
    }
    ((left.max(NOTHING * left_below) / left_below).log10() as f32).max(LOG_ZERO)
}

/// Per context of the n-grams of order `n`: the sums of their probabilities, and of those of their suffixes.
pub(super) fn covered(ngrams: &Ngrams, n: usize, contexts: &[u32]) -> Vec<(f64, f64)> {
    let (lower, level) = (&ngrams.levels[n - 2], &ngrams.levels[n - 1]);
    let mut sums = vec![(0.0, 0.0); lower.len()];
    for suffix in 0..lower.len() {
        for index in lower.children(suffix as u32) {
            let sum: &mut (f64, f64) = &mut sums[contexts[index] as usize];
            sum.0 += 10_f64.powf(level.prob[index].into());
            sum.1 += 10_f64.powf(lower.prob[suffix].into());
        }
    }
    sums
}

/// Sets all back-off weights anew, lowest order first.
pub fn renormalise(ngrams: &mut Ngrams, contexts: &[Vec<u32>]) {
    for n in 2..=ngrams.order() {
        let sums = covered(ngrams, n, &contexts[n - 1]);
        ngrams.levels[n - 2].backoff =
            sums.iter().map(|&(seen, below)| if seen > 0.0 { weight(seen, below) } else { 0.0 }).collect();
    }
}
