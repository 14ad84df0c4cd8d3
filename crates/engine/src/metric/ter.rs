//! Translation edit rate (Snover et al. 2006): edits where moving a run of words is one edit.
//!
//! Finding the fewest is hard; Tercom's greedy search, with its limits, is part of what TER means, and followed to the
//! letter so that values equal those of Tercom and sacrebleu.

use super::edits::{Distance, Scratch as Edits, Shift, Step};
use super::rates::rate;
use super::texts::Texts;
use super::{Metric, Scratch};

/// Words that move together at most.
const LONGEST_SHIFT: usize = 10;
/// How far apart in their texts words are matched at most.
const FURTHEST_SHIFT: usize = 50;
/// Shifts tried per pair of sentences at most.
const MOST_TRIES: usize = 1000;

/// TER with its references. A row: the fewest edits against a reference, the mean length of the references.
#[derive(Debug, Clone)]
pub struct Ter {
    references: Vec<Texts>,
}

impl Ter {
    /// Takes references: each a whole text, all of as many sentences.
    pub fn new(references: Vec<Texts>) -> Self {
        Self { references }
    }
}

impl Metric for Ter {
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
        let references = self.references.iter().map(|text| text.get(sentence));
        let fewest = references.clone().map(|reference| edits(hypothesis, reference, &mut scratch.edits)).min();
        row[0] = fewest.unwrap_or(0) as f64;
        row[1] = references.map(|words| words.len() as f64).sum::<f64>() / self.references.len() as f64;
    }

    fn score(&self, sum: &[f64]) -> f64 {
        rate(sum[0], sum[1])
    }
}

/// The number of edits that Tercom's search finds.
pub fn edits(hypothesis: &[u32], reference: &[u32], scratch: &mut Edits) -> usize {
    if reference.is_empty() {
        return hypothesis.len();
    }
    let distance = Distance::new(reference);
    let mut words = std::mem::take(&mut scratch.words);
    words.clear();
    words.extend_from_slice(hypothesis);
    let mut left = distance.trace(&words, true, scratch);
    let (mut shifts, mut tries) = (0, 0);
    while left > 0 {
        let best = best_shift(&distance, &words, reference, left, &mut tries, scratch);
        if tries >= MOST_TRIES {
            break;
        }
        let Some(shift) = best else { break };
        let mut shifted = std::mem::take(&mut scratch.shifted);
        shift.apply(&words, &mut shifted);
        std::mem::swap(&mut words, &mut shifted);
        scratch.shifted = shifted;
        left = distance.trace(&words, false, scratch);
        shifts += 1;
    }
    scratch.words = words;
    shifts + left as usize
}

/// The shift that saves most, if any saves anything; of such, the longest, then the first, then the one to the first
/// place.
fn best_shift(
    distance: &Distance<'_>,
    words: &[u32],
    reference: &[u32],
    before: u32,
    tries: &mut usize,
    scratch: &mut Edits,
) -> Option<Shift> {
    align(scratch);
    let mut shifted = std::mem::take(&mut scratch.shifted);
    let mut best = None;
    'pairs: for start in 0..words.len() {
        let nearest = start.saturating_sub(FURTHEST_SHIFT);
        for place in nearest..reference.len().min(start + FURTHEST_SHIFT + 1) {
            let most = LONGEST_SHIFT.min(words.len() - start).min(reference.len() - place);
            for length in 1..=most {
                if words[start + length - 1] != reference[place + length - 1] {
                    break;
                }
                if !worth(start, place, length, scratch) {
                    continue;
                }
                let mut tried = None;
                for offset in 0..=length {
                    // Behind the word that the reference word before it is aligned with.
                    let at = place + offset;
                    let target = if at == 0 { 0 } else { (scratch.aligned[at - 1] + 1) as usize };
                    if tried == Some(target) {
                        continue;
                    }
                    tried = Some(target);
                    let shift = Shift::new(start, length, target, words.len());
                    shift.apply(words, &mut shifted);
                    let after = distance.of_shifted(&shift, &shifted, scratch);
                    let saved = i64::from(before) - i64::from(after);
                    // Larger is better in every part.
                    let key = (saved, length, std::cmp::Reverse(start), std::cmp::Reverse(target));
                    if best.is_none_or(|(other, _)| key > other) {
                        best = Some((key, shift));
                    }
                    *tries += 1;
                }
                if *tries >= MOST_TRIES {
                    break 'pairs;
                }
            }
        }
    }
    scratch.shifted = shifted;
    best.filter(|((saved, ..), _)| *saved > 0).map(|(_, shift)| shift)
}

/// Whether both sides of a pair of runs have errors, and the runs are not aligned with each other already.
fn worth(start: usize, place: usize, length: usize, scratch: &Edits) -> bool {
    let wrong = |sums: &[u32], from: usize| sums[from + length] > sums[from];
    let aligned = scratch.aligned[place];
    let already = aligned >= 0 && (start..start + length).contains(&(aligned as usize));
    wrong(&scratch.wrong_hypothesis, start) && wrong(&scratch.wrong_reference, place) && !already
}

/// From the trace: per reference word, the hypothesis word it is aligned with (or the one before the gap; -1 before all
/// words), and the sums of errors in front of each position of both sides.
fn align(scratch: &mut Edits) {
    let Edits { trace, aligned, wrong_hypothesis, wrong_reference, .. } = scratch;
    aligned.clear();
    for sums in [&mut *wrong_hypothesis, &mut *wrong_reference] {
        sums.clear();
        sums.push(0);
    }
    let mut position = -1;
    for &step in trace.iter() {
        let wrong = u32::from(step != Step::Same);
        if step != Step::Insert {
            position += 1;
            wrong_hypothesis.push(wrong_hypothesis[wrong_hypothesis.len() - 1] + wrong);
        }
        if step != Step::Delete {
            aligned.push(position);
            wrong_reference.push(wrong_reference[wrong_reference.len() - 1] + wrong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_one_edit() {
        let mut scratch = Edits::default();
        // Snover et al. 2006, section 2: "this week the saudis denied …" against "saudi arabia denied this week …".
        let reference = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let hypothesis = [4, 5, 20, 21, 3, 6, 7, 8, 10, 11, 12];
        assert_eq!(edits(&hypothesis, &reference, &mut scratch), 4);
        assert_eq!(edits(&[3, 4, 1, 2], &[1, 2, 3, 4], &mut scratch), 1);
        assert_eq!(edits(&[], &[1, 2], &mut scratch), 2);
        assert_eq!(edits(&[1, 2], &[], &mut scratch), 2);
        assert_eq!(edits(&[], &[], &mut scratch), 0);
    }
}
