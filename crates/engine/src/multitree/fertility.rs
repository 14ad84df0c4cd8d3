//! How many target words a source phrase has, as a Gaussian for each label (Galron 2012, section 4.5.1).
//!
//! It orders bilingual compositions before any classifier exists.

use hashbrown::HashMap;

use super::links::Links;
use super::source::Source;

/// Least standard deviation.
const LEAST: f64 = 0.05;
/// Labels seen less often have the Gaussian of all.
const FEW: u64 = 5;

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: u64,
    ratios: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.ratios += other.ratios;
        self.squares += other.squares;
    }

    fn gaussian(&self) -> (f64, f64) {
        let count = self.count.max(1) as f64;
        let mean = self.ratios / count;
        (mean, (self.squares / count - mean * mean).max(LEAST * LEAST))
    }
}

/// Means and variances of the ratio of target to source words, by source label.
#[derive(Debug, Clone, Default)]
pub struct Fertility {
    sums: HashMap<u32, Sums>,
    all: Sums,
}

impl Fertility {
    /// Sees all blocks of a pair that its links allow, whatever brackets they cross, up to so many words a side.
    pub fn see(&mut self, source: &Source, target: usize, links: &Links, longest: [usize; 2]) {
        for from in 0..source.len() {
            for to in from + 1..=source.len().min(from + longest[0]) {
                for begin in 0..target {
                    for end in begin + 1..=target.min(begin + longest[1]) {
                        if links.is_consistent((from, to, begin, end)) {
                            self.see_ratio(source.label(from, to), (end - begin) as f64 / (to - from) as f64);
                        }
                    }
                }
            }
        }
    }

    /// Sees one ratio.
    pub fn see_ratio(&mut self, label: u32, ratio: f64) {
        let one = Sums { count: 1, ratios: ratio, squares: ratio * ratio };
        self.sums.entry(label).or_default().add(one);
        self.all.add(one);
    }

    /// Everything another one saw.
    pub fn add(&mut self, other: &Self) {
        for (&label, &sums) in &other.sums {
            self.sums.entry(label).or_default().add(sums);
        }
        self.all.add(other.all);
    }

    /// Mean and variance for a label, those of all labels if it is rare.
    pub fn gaussian(&self, label: u32) -> (f64, f64) {
        self.sums.get(&label).filter(|sums| sums.count >= FEW).unwrap_or(&self.all).gaussian()
    }

    /// Minus the logarithm of the density at a ratio, up to a constant that makes it 0 or more.
    pub fn cost(&self, label: u32, ratio: f64) -> f64 {
        let (mean, variance) = self.gaussian(label);
        (ratio - mean).powi(2) / (2.0 * variance) + 0.5 * (variance / (LEAST * LEAST)).ln()
    }

    /// Label, count, sum and sum of squares, sorted by label; the sums of all come first, under label 0 of no span.
    pub fn rows(&self) -> Vec<(u32, u64, f64, f64)> {
        let mut rows: Vec<_> =
            self.sums.iter().map(|(&label, sums)| (label, sums.count, sums.ratios, sums.squares)).collect();
        rows.sort_by_key(|row| row.0);
        rows
    }

    /// From rows.
    pub fn of_rows(rows: &[(u32, u64, f64, f64)]) -> Self {
        let mut fertility = Self::default();
        for &(label, count, ratios, squares) in rows {
            let sums = Sums { count, ratios, squares };
            fertility.sums.entry(label).or_default().add(sums);
            fertility.all.add(sums);
        }
        fertility
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Galron 2012, figure 5.3: a-z, b-x, y has no link; three multitrees differ in their ratios only.
    #[test]
    fn ratios_choose_among_multitrees() {
        let (a, b, x) = (1, 2, 3);
        let mut fertility = Fertility::default();
        let mut see = |label: u32, ratios: &[f64]| ratios.iter().for_each(|&ratio| fertility.see_ratio(label, ratio));
        // An a likes two words, a b one.
        see(a, &[2.0, 2.0, 2.0, 1.0, 2.0]);
        see(b, &[1.0, 1.0, 1.0, 1.0, 2.0]);
        see(x, &[1.0, 1.0, 1.0, 1.2, 1.1]);
        let (mean, variance) = fertility.gaussian(a);
        assert!((mean - 1.8).abs() < 1e-12 && (variance - 0.16).abs() < 1e-12);
        let cost = |label, ratio| fertility.cost(label, ratio);
        let trees = [cost(a, 2.0) + cost(b, 1.0), cost(b, 2.0) + cost(a, 1.0), cost(x, 1.5)];
        let best = trees.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1)).unwrap().0;
        assert_eq!(best, 0, "{trees:?}");
        let by_hand = 0.04 / 0.32 + 0.5 * (0.16_f64 / 0.0025).ln();
        assert!((cost(a, 2.0) - by_hand).abs() < 1e-12);
    }

    #[test]
    fn rare_labels_have_the_ratio_of_all() {
        let mut fertility = Fertility::default();
        (0..6).for_each(|_| fertility.see_ratio(1, 1.0));
        fertility.see_ratio(2, 3.0);
        assert_eq!(fertility.gaussian(2), fertility.gaussian(99));
        // A label that never varies has the least variance, and the best cost is 0.
        assert_eq!(fertility.gaussian(1), (1.0, LEAST * LEAST));
        assert_eq!(fertility.cost(1, 1.0), 0.0);
        let again = Fertility::of_rows(&fertility.rows());
        assert_eq!(again.gaussian(2), fertility.gaussian(2));
        let mut twice = fertility.clone();
        twice.add(&fertility);
        assert_eq!(twice.gaussian(1), fertility.gaussian(1));
        assert!(Fertility::default().cost(1, 1.0).is_finite());
    }
}
