//! How well words translate words: the lexical weights of phrase pairs (Koehn, Och & Marcu 2003).

use hashbrown::HashMap;

use super::links::Links;

/// Stands for no word; symbols are numbered from 1.
const NONE: u32 = 0;
/// The probability of words that were never linked.
const FLOOR: f64 = 1e-5;

/// How often words were linked.
#[derive(Debug, Clone, Default)]
pub struct WordLinks {
    counts: HashMap<(u32, u32), u64>,
}

/// Probabilities of words by words, in both directions.
#[derive(Debug)]
pub struct WordProbabilities<'a> {
    counts: &'a HashMap<(u32, u32), u64>,
    sources: HashMap<u32, u64>,
    targets: HashMap<u32, u64>,
}

impl WordLinks {
    /// Sees all links of a pair; a word without one is linked to none.
    pub fn see(&mut self, source: &[u32], target: &[u32], links: &Links) {
        let linked = |i: usize, j: usize| links.within((i, i + 1, j, j + 1)) > 0;
        for (i, &word) in source.iter().enumerate() {
            let mut alone = true;
            for (_, &other) in target.iter().enumerate().filter(|&(j, _)| linked(i, j)) {
                *self.counts.entry((word, other)).or_default() += 1;
                alone = false;
            }
            if alone {
                *self.counts.entry((word, NONE)).or_default() += 1;
            }
        }
        for (j, &other) in target.iter().enumerate() {
            if links.within((0, source.len(), j, j + 1)) == 0 {
                *self.counts.entry((NONE, other)).or_default() += 1;
            }
        }
    }

    /// All that another one saw.
    pub fn add(&mut self, other: &Self) {
        for (&words, &count) in &other.counts {
            *self.counts.entry(words).or_default() += count;
        }
    }

    /// What comes of them.
    pub fn probabilities(&self) -> WordProbabilities<'_> {
        let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
        for (&(source, target), &count) in &self.counts {
            *sources.entry(source).or_default() += count;
            *targets.entry(target).or_default() += count;
        }
        WordProbabilities { counts: &self.counts, sources, targets }
    }
}

impl WordProbabilities<'_> {
    /// Of target words by source words, and the reverse.
    pub fn weigh(&self, source: &[u32], target: &[u32]) -> [f32; 2] {
        let share = |of: (u32, u32), totals: &HashMap<u32, u64>, by: u32| {
            let count = self.counts.get(&of).copied().unwrap_or(0);
            count as f64 / totals.get(&by).copied().unwrap_or(1).max(1) as f64
        };
        // Each word is explained by the word that does it best, or by none.
        let best = |shares: &mut dyn Iterator<Item = f64>| shares.fold(FLOOR, f64::max).ln();
        let none = [NONE];
        let forward =
            target.iter().map(|&t| best(&mut source.iter().chain(&none).map(|&s| share((s, t), &self.sources, s))));
        let backward =
            source.iter().map(|&s| best(&mut target.iter().chain(&none).map(|&t| share((s, t), &self.targets, t))));
        [forward.sum::<f64>().min(0.0) as f32, backward.sum::<f64>().min(0.0) as f32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_weighed_by_their_links() {
        let links = Links::new(2, 3, &[(0, 0, 1.0), (1, 1, 1.0)]).unwrap();
        let mut seen = WordLinks::default();
        seen.see(&[1, 2], &[11, 12, 13], &links);
        seen.see(&[1, 2], &[11, 14, 13], &links);
        let words = seen.probabilities();
        // 1 is always 11; 2 is 12 or 14; nothing is always 13.
        let close = |found: [f32; 2], wanted: [f64; 2]| {
            found.iter().zip(wanted).all(|(found, wanted)| (f64::from(*found) - wanted).abs() < 1e-6)
        };
        assert!(close(words.weigh(&[1, 2], &[11, 12]), [0.5_f64.ln(), 0.0]));
        assert!(close(words.weigh(&[1], &[11, 13]), [0.0, 0.0]));
        assert!(close(words.weigh(&[1], &[12]), [FLOOR.ln(), FLOOR.ln()]));
        let mut twice = seen.clone();
        twice.add(&seen);
        assert_eq!(twice.probabilities().weigh(&[2], &[14]), words.weigh(&[2], &[14]));
    }
}
