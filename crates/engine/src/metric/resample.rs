//! Scores of resampled test sets, for intervals and tests of significance.
//!
//! The draws come in from outside, so that a peer's can be repeated; the work per round is a sum of rows.

use rayon::prelude::*;

use super::{Metric, add, sum};

/// Bootstrap (Koehn 2004): the score of each round, a round being the sentences drawn for it. One list of draws for
/// several systems makes their scores paired.
///
/// # Panics
/// If a draw is not a sentence, or `draws` is not whole rounds of `size`.
pub fn bootstrap(metric: &dyn Metric, rows: &[f64], draws: &[i64], size: usize) -> Vec<f64> {
    let width = metric.width();
    assert!(size > 0 && draws.len().is_multiple_of(size), "draws come in whole rounds");
    let score = |total: &mut Vec<f64>, round: &[i64]| {
        total.clear();
        total.resize(width, 0.0);
        for &sentence in round {
            let at = usize::try_from(sentence).expect("a sentence is not negative") * width;
            add(total, &rows[at..at + width]);
        }
        metric.score(total)
    };
    draws.par_chunks(size).map_init(Vec::new, score).collect()
}

/// Approximate randomisation (Riezler and Maxwell 2005): per round, the scores of two systems after the outputs that
/// are not `kept` changed sides.
///
/// # Panics
/// If the systems differ in length, or `kept` is not whole rounds of as many sentences.
pub fn randomise(metric: &dyn Metric, first: &[f64], second: &[f64], kept: &[bool]) -> Vec<(f64, f64)> {
    let width = metric.width();
    let size = first.len() / width;
    assert!(first.len() == second.len() && size > 0 && kept.len().is_multiple_of(size), "rounds have all sentences");
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let (all_first, all_second) = (sum(first, width), sum(second, width));
    let score = |total: &mut Vec<f64>, round: &[bool]| {
        // What the kept ones of the first have over those of the second.
        total.clear();
        total.resize(width, 0.0);
        for (&keep, row) in round.iter().zip(differences.chunks_exact(width)) {
            if keep {
                add(total, row);
            }
        }
        let mut other: Vec<f64> = all_first.iter().zip(&*total).map(|(all, moved)| all - moved).collect();
        let swapped = metric.score(&other);
        other.iter_mut().zip(&all_second).zip(&*total).for_each(|((value, all), moved)| *value = all + moved);
        (metric.score(&other), swapped)
    };
    kept.par_chunks(size).map_init(Vec::new, score).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rates::{ErrorRate, Kind};
    use super::*;

    #[test]
    fn sums_what_was_drawn() {
        let rate = ErrorRate::new(Vec::new(), Kind::Ordered);
        let rows = [1.0, 10.0, 4.0, 10.0];
        assert_eq!(bootstrap(&rate, &rows, &[0, 0, 1, 1, 0, 1], 2), [10.0, 40.0, 25.0]);
        let better = [0.0, 10.0, 0.0, 10.0];
        let found = randomise(&rate, &rows, &better, &[true, true, false, false, true, false]);
        assert_eq!(found, [(25.0, 0.0), (0.0, 25.0), (5.0, 20.0)]);
    }
}
