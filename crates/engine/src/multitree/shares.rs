//! How probable the phrases of a lexicon are by each other, smoothed (Foster, Kuhn & Johnson 2006: Kneser-Ney).
//!
//! What is taken off the count of each pair is given to all, by how many different phrases each goes with: a pair that was
//! seen once is no certainty.

/// Sums over the pairs of a lexicon.
#[derive(Debug, Clone)]
pub struct Shares {
    source_totals: Vec<u32>,
    /// How many source phrases each target phrase goes with.
    target_kinds: Vec<u32>,
    discount: f64,
}

impl Shares {
    /// Of pairs by source phrase: where each one's begin, their target phrases, and how often each was seen.
    pub fn of(rows: &[u32], targets: &[u32], counts: &[u32], phrases: usize) -> Self {
        let sum = |row: &[u32]| row.iter().fold(0_u32, |sum, &count| sum.saturating_add(count));
        let totals = rows.windows(2).map(|row| sum(&counts[row[0] as usize..row[1] as usize]));
        let mut target_kinds = vec![0; phrases];
        targets.iter().for_each(|&target| target_kinds[target as usize] += 1);
        let seen = |times: u32| counts.iter().filter(|&&count| count == times).count() as f64;
        let (once, twice) = (seen(1), seen(2));
        // Ney, Essen & Kneser 1994. A text in which nothing, or everything, was seen once says nothing.
        let discount = if twice > 0.0 && once > 0.0 { once / (once + 2.0 * twice) } else { 0.5 };
        Self { source_totals: totals.collect(), target_kinds, discount }
    }

    /// How often a source phrase was seen in pairs.
    pub fn source_total(&self, source: u32) -> u32 {
        self.source_totals[source as usize]
    }

    /// The probabilities of a pair's target phrase by its source phrase, and the reverse. `of_source` is how many target
    /// phrases the source phrase goes with, `total` how often the target phrase was seen, `pairs` how many pairs there are.
    pub fn smoothed(&self, pair: (u32, u32), count: u32, of_source: usize, total: u32, pairs: usize) -> [f64; 2] {
        let (kinds, of_target) = (of_source as f64, f64::from(self.target_kinds[pair.1 as usize]));
        // Both ways the share of what was taken off is the same.
        let given = self.discount * kinds * of_target / pairs.max(1) as f64;
        let kept = (f64::from(count) - self.discount).max(0.0);
        [self.source_total(pair.0), total].map(|total| ((kept + given) / f64::from(total.max(1))).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Over all target phrases, those that a source phrase never went with included, probabilities are 1 together.
        #[test]
        fn nothing_is_lost(counts in prop::collection::vec(prop::collection::vec(0_u32..4, 4), 1..6)) {
            let (mut rows, mut targets, mut seen) = (vec![0], Vec::new(), Vec::new());
            for row in &counts {
                for (target, &count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
                    targets.push(target as u32);
                    seen.push(count);
                }
                rows.push(targets.len() as u32);
            }
            let shares = Shares::of(&rows, &targets, &seen, 4);
            for (source, row) in counts.iter().enumerate().filter(|(_, row)| row.iter().any(|&count| count > 0)) {
                let kinds = row.iter().filter(|&&count| count > 0).count();
                let each = (0..4_u32).map(|target| {
                    let pair = (source as u32, target);
                    shares.smoothed(pair, row[target as usize], kinds, 1, targets.len())[0]
                });
                let sum: f64 = each.sum();
                prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
        }
    }
}
