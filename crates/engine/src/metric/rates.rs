//! Word error rate, and position-independent error rate (Tillmann et al. 1997).

use super::texts::Texts;
use super::{Metric, Scratch};

/// Which errors are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Insertions, deletions and substitutions in order: WER.
    Ordered,
    /// The same as if words could be in any order: PER.
    Bag,
}

/// An error rate with its references. A row: errors against the reference with the fewest per word, and its length.
#[derive(Debug, Clone)]
pub struct ErrorRate {
    kind: Kind,
    references: Vec<Texts>,
}

impl ErrorRate {
    /// Takes references: each a whole text, all of as many sentences.
    pub fn new(references: Vec<Texts>, kind: Kind) -> Self {
        Self { kind, references }
    }
}

impl Metric for ErrorRate {
    fn width(&self) -> usize {
        2
    }

    fn sentences(&self) -> usize {
        self.references.first().map_or(0, Texts::len)
    }

    fn higher_is_better(&self) -> bool {
        false
    }

    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]) {
        let mut best: Option<(usize, usize)> = None;
        for text in &self.references {
            let reference = text.get(sentence);
            let errors = match self.kind {
                Kind::Ordered => levenshtein(hypothesis, reference, &mut scratch.used),
                Kind::Bag => {
                    let common = overlap(hypothesis, reference, &mut scratch.symbols, &mut scratch.pieces);
                    hypothesis.len().max(reference.len()) - common
                }
            };
            let length = reference.len();
            // Compared as fractions; no words to find make any error the worst.
            if best.is_none_or(|(fewest, least)| errors * least.max(1) < fewest * length.max(1)) {
                best = Some((errors, length));
            }
        }
        let (errors, length) = best.unwrap_or((0, 0));
        row[0] = errors as f64;
        row[1] = length as f64;
    }

    fn score(&self, sum: &[f64]) -> f64 {
        rate(sum[0], sum[1])
    }
}

/// Errors per reference word in percent; errors where there is nothing to find are 100.
pub(super) fn rate(errors: f64, length: f64) -> f64 {
    if length > 0.0 {
        100.0 * (errors / length)
    } else if errors > 0.0 {
        100.0
    } else {
        0.0
    }
}

/// The edit distance of two sequences.
pub fn levenshtein(a: &[u32], b: &[u32], row: &mut Vec<u32>) -> usize {
    row.clear();
    row.extend(0..=u32::try_from(b.len()).unwrap_or(u32::MAX));
    for word in a {
        let mut diagonal = row[0];
        row[0] += 1;
        for (j, other) in b.iter().enumerate() {
            let substituted = diagonal + u32::from(word != other);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()] as usize
}

/// How many words two sequences share, each as often as both have it.
pub fn overlap(a: &[u32], b: &[u32], left: &mut Vec<u32>, right: &mut Vec<u32>) -> usize {
    for (sorted, words) in [(&mut *left, a), (&mut *right, b)] {
        sorted.clear();
        sorted.extend_from_slice(words);
        sorted.sort_unstable();
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (x, y) = (left[i], right[j]);
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let references: Vec<Texts> = vec![[[1, 2, 3, 4]].into_iter().collect()];
        let mut row = [0.0; 2];
        for (kind, errors) in [(Kind::Ordered, 3.0), (Kind::Bag, 1.0)] {
            let rate = ErrorRate::new(references.clone(), kind);
            rate.stats(0, &[4, 1, 2], &mut Scratch::default(), &mut row);
            assert_eq!(row, [errors, 4.0]);
        }
    }
}
