//! What the words that are left will score at best: the estimate by which hypotheses that cover different words are
//! compared (Koehn et al. 2003).

use super::choices::Choices;
use super::coverage::Coverage;

/// Estimates for all that a coverage can leave: short spans inside the window, and the rest of the sentence.
#[derive(Debug, Default)]
pub struct Future {
    /// The longest span, and one more.
    width: usize,
    within: Vec<f32>,
    rest: Vec<f32>,
    /// The weight of a word jumped over; 0 if jumps to come are not estimated.
    jump: f32,
}

impl Future {
    /// Adds up the best choices of `last` words for all spans of up to `limit` words.
    pub fn estimate(&mut self, choices: &Choices, last: usize, limit: usize, jump: f32) {
        self.width = limit.min(last) + 1;
        self.jump = jump;
        self.within.clear();
        self.within.resize((last + 1) * self.width, f32::NEG_INFINITY);
        self.rest.clear();
        self.rest.resize(last + 1, f32::NEG_INFINITY);
        self.rest[last] = 0.0;
        self.within[last * self.width] = 0.0;
        for begin in (0..last).rev() {
            self.within[begin * self.width] = 0.0;
            for length in 1..=choices.longest().min(last - begin) {
                let Some(best) = choices.best(begin, length) else { continue };
                let end = begin + length;
                self.rest[begin] = self.rest[begin].max(best + self.rest[end]);
                for more in 0..self.width.saturating_sub(length).min(last - end + 1) {
                    let sum = best + self.within[end * self.width + more];
                    let place = &mut self.within[begin * self.width + length + more];
                    *place = place.max(sum);
                }
            }
        }
    }

    /// The best that the words outside of a coverage can score.
    pub fn of(&self, coverage: Coverage) -> f32 {
        let gaps =
            coverage.gaps().map(|(begin, end)| self.within[begin as usize * self.width + (end - begin) as usize]);
        gaps.sum::<f32>() + self.rest[coverage.end() as usize]
    }

    /// The score of the jumps that are still to come after a phrase that ends at `end`, if the gaps are closed from left
    /// to right (Moore & Quirk 2007).
    pub fn jumps(&self, coverage: Coverage, end: u32) -> f32 {
        if self.jump == 0.0 {
            return 0.0;
        }
        let (mut at, mut sum) = (end, 0);
        for (from, to) in coverage.gaps() {
            sum += at.abs_diff(from);
            at = to;
        }
        let rest = coverage.end();
        if rest as usize + 1 < self.rest.len() {
            sum += at.abs_diff(rest);
        }
        sum as f32 * self.jump
    }
}
