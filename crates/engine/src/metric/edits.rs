//! The edit distance inside TER: kept to a beam around the diagonal, as Tercom and sacrebleu do, with the operations
//! that lead to it; and a bit-parallel one that gives the same value where the beam cannot matter.

/// Cells of the beam on either side of the diagonal.
const BEAM: usize = 25;
/// An optimal path of so few edits never leaves the beam: it is never further from the diagonal than it has edits.
const WITHIN_BEAM: u32 = BEAM as u32 - 2;
/// Cells outside the beam.
const FAR: u32 = u32::MAX / 2;
/// References with at most so many words fit in the bits of a machine word.
const BITS: usize = 64;

/// What the last step to a cell did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The words are the same.
    Same,
    /// A word was substituted.
    Substitute,
    /// A word of the hypothesis was left out.
    Delete,
    /// A word of the reference was put in.
    Insert,
}

/// The bits of one column of the matrix (Hyyrö 2003): where going down adds one, where it takes one, the last value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    up: u64,
    down: u64,
    last: u32,
}

/// Memory for [`Distance`] and for the search of shifts.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<Row>,
    costs: Vec<u32>,
    steps: Vec<Step>,
    columns: Vec<Column>,
    masks: Vec<u64>,
    one: Vec<u32>,
    other: Vec<u32>,
    pub(super) trace: Vec<Step>,
    pub(super) words: Vec<u32>,
    pub(super) shifted: Vec<u32>,
    pub(super) aligned: Vec<i32>,
    pub(super) wrong_hypothesis: Vec<u32>,
    pub(super) wrong_reference: Vec<u32>,
}

/// The cells of a row that lie in the beam, and where they are stored.
#[derive(Debug, Clone, Copy)]
struct Row {
    first: usize,
    end: usize,
    stored: usize,
}

impl Scratch {
    /// The rows' beams, for a hypothesis and a reference of these lengths.
    fn lay_out(&mut self, hypothesis: usize, reference: usize) {
        let ratio = if hypothesis == 0 { 1.0 } else { reference as f64 / hypothesis as f64 };
        let width = if (BEAM as f64) < ratio / 2.0 { (ratio / 2.0 + BEAM as f64).ceil() as usize } else { BEAM };
        self.rows.clear();
        self.rows.push(Row { first: 0, end: reference + 1, stored: 0 });
        let mut stored = reference + 1;
        for i in 1..=hypothesis {
            let diagonal = (i as f64 * ratio).floor() as usize;
            let end = if i == hypothesis { reference + 1 } else { (reference + 1).min(diagonal + width) };
            let first = diagonal.saturating_sub(width).min(end);
            self.rows.push(Row { first, end, stored });
            stored += end - first;
        }
        self.costs.clear();
        self.costs.extend(0..=u32::try_from(reference).unwrap_or(FAR));
        self.costs.resize(stored, FAR);
        self.steps.clear();
        self.steps.resize(stored, Step::Insert);
    }
}

/// Distances of reorderings of a hypothesis to a reference.
pub(super) struct Distance<'a> {
    reference: &'a [u32],
}

impl<'a> Distance<'a> {
    pub(super) fn new(reference: &'a [u32]) -> Self {
        Self { reference }
    }

    /// The distance of `words`, with its steps from left to right in `scratch.trace`; `first` says that the length of
    /// `words` is new. Later calls of [`Distance::of_shifted`] are about shifts of these words.
    pub(super) fn trace(&self, words: &[u32], first: bool, scratch: &mut Scratch) -> u32 {
        let (n, m) = (words.len(), self.reference.len());
        if first {
            scratch.lay_out(n, m);
        }
        let Scratch { rows, costs, steps, trace, .. } = scratch;
        for i in 1..=n {
            let (above, row) = (rows[i - 1], rows[i]);
            let (done, rest) = costs.split_at_mut(row.stored);
            let above = Cells { row: above, costs: &done[above.stored..] };
            fill(words[i - 1], self.reference, above, row, rest, |j, step| steps[row.stored + j - row.first] = step);
        }
        let distance = costs[rows[n].stored + m - rows[n].first];
        trace.clear();
        let (mut i, mut j) = (n, m);
        while i > 0 || j > 0 {
            let step = if i == 0 { Step::Insert } else { steps[rows[i].stored + j - rows[i].first] };
            trace.push(step);
            i -= usize::from(step != Step::Insert);
            j -= usize::from(step != Step::Delete);
        }
        trace.reverse();
        if m <= BITS {
            self.columns(words, scratch);
        }
        distance
    }

    /// Remembers the column of every prefix of `words`.
    fn columns(&self, words: &[u32], scratch: &mut Scratch) {
        let Scratch { columns, masks, .. } = scratch;
        masks.clear();
        masks.extend(words.iter().map(|&word| mask(self.reference, word)));
        columns.clear();
        let mut column = Column { up: u64::MAX, down: 0, last: self.reference.len() as u32 };
        columns.push(column);
        for &mask in masks.iter() {
            column = column.next(mask, self.reference.len());
            columns.push(column);
        }
    }

    /// The distance after the words of `shift` moved; `shifted` are all words in their new order.
    pub(super) fn of_shifted(&self, shift: &Shift, shifted: &[u32], scratch: &mut Scratch) -> u32 {
        if self.reference.len() <= BITS {
            let distance = self.of_bits(shift, &scratch.columns, &scratch.masks);
            if distance <= WITHIN_BEAM {
                return distance;
            }
        }
        self.of_beam(shift.changed().0, shifted, scratch)
    }

    fn of_bits(&self, shift: &Shift, columns: &[Column], masks: &[u64]) -> u32 {
        let (from, to) = shift.changed();
        let length = self.reference.len();
        let mut column = columns[from];
        for position in from..to {
            column = column.next(masks[shift.source(position)], length);
        }
        // From here on the words are those of before: once the columns agree, so does the growth.
        for position in to..masks.len() {
            let before = columns[position];
            if (column.up, column.down) == (before.up, before.down) {
                return columns[masks.len()].last + column.last - before.last;
            }
            column = column.next(masks[position], length);
        }
        column.last
    }

    /// By the beam; the words before `from` are those of the last trace.
    fn of_beam(&self, from: usize, words: &[u32], scratch: &mut Scratch) -> u32 {
        let Scratch { rows, costs, one, other, .. } = scratch;
        let start = rows[from];
        one.clear();
        one.extend_from_slice(&costs[start.stored..start.stored + start.end - start.first]);
        for i in from + 1..=words.len() {
            let row = rows[i];
            other.clear();
            other.resize(row.end - row.first, FAR);
            let above = Cells { row: rows[i - 1], costs: one };
            fill(words[i - 1], self.reference, above, row, other, |_, _| ());
            std::mem::swap(one, other);
        }
        one[self.reference.len() - rows[words.len()].first]
    }
}

/// A row and its cells.
#[derive(Clone, Copy)]
struct Cells<'a> {
    row: Row,
    costs: &'a [u32],
}

impl Cells<'_> {
    fn at(&self, j: usize) -> u32 {
        if (self.row.first..self.row.end).contains(&j) { self.costs[j - self.row.first] } else { FAR }
    }
}

/// One row of the matrix. Of steps that cost the same, substituting goes before deleting before inserting.
#[inline]
fn fill(
    word: u32,
    reference: &[u32],
    above: Cells<'_>,
    row: Row,
    costs: &mut [u32],
    mut note: impl FnMut(usize, Step),
) {
    let mut left = FAR;
    for j in row.first..row.end {
        let (mut cost, mut step) = (FAR, Step::Delete);
        if j == 0 {
            cost = above.at(0) + 1;
        } else {
            let same = word == reference[j - 1];
            let options = [
                (above.at(j - 1) + u32::from(!same), if same { Step::Same } else { Step::Substitute }),
                (above.at(j) + 1, Step::Delete),
                (left + 1, Step::Insert),
            ];
            for (other, by) in options {
                if other < cost {
                    (cost, step) = (other, by);
                }
            }
        }
        costs[j - row.first] = cost;
        note(j, step);
        left = cost;
    }
}

fn mask(reference: &[u32], word: u32) -> u64 {
    reference.iter().enumerate().fold(0, |mask, (j, &other)| mask | u64::from(word == other) << j)
}

impl Column {
    /// The column one word further (Hyyrö 2003, figure 7, with the distance to the whole text).
    #[inline]
    fn next(self, mask: u64, length: usize) -> Self {
        let vertical = mask | self.down;
        let horizontal = ((mask & self.up).wrapping_add(self.up) ^ self.up) | mask;
        let up = self.down | !(horizontal | self.up);
        let down = self.up & horizontal;
        let top = length - 1;
        let last = self.last + (up >> top & 1) as u32 - (down >> top & 1) as u32;
        let (up, down) = (up << 1 | 1, down << 1);
        Self { up: down | !(vertical | up), down: up & vertical, last }
    }
}

/// Words `start..start + length` of a hypothesis, moved in front of the word that was at `target`; within or just
/// behind themselves, as many words to the right as `target` is from `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) start: usize,
    pub(super) length: usize,
    /// Where the moved words begin afterwards.
    place: usize,
}

impl Shift {
    pub(super) fn new(start: usize, length: usize, target: usize, words: usize) -> Self {
        // Tercom counts a target behind the moved words without them, except right behind them.
        let place = if target > start + length { target - length } else { target.min(words - length) };
        Self { start, length, place }
    }

    /// The positions at which words change: from, to.
    fn changed(&self) -> (usize, usize) {
        (self.start.min(self.place), self.start.max(self.place) + self.length)
    }

    /// The old position of the word that is at a new one, among those that change.
    fn source(&self, position: usize) -> usize {
        let moved = self.place..self.place + self.length;
        if moved.contains(&position) {
            position - self.place + self.start
        } else if self.place < self.start {
            position - self.length
        } else {
            position + self.length
        }
    }

    /// Writes the words in their new order.
    pub(super) fn apply(&self, words: &[u32], shifted: &mut Vec<u32>) {
        shifted.clear();
        shifted.extend_from_slice(words);
        let (from, to) = self.changed();
        for (position, word) in shifted[from..to].iter_mut().enumerate() {
            *word = words[self.source(from + position)];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rates::levenshtein;
    use super::*;

    proptest! {
        #[test]
        fn three_ways_agree(
            words in prop::collection::vec(0_u32..9, 1..40),
            reference in prop::collection::vec(0_u32..9, 1..70),
            start in 0_usize..40,
            length in 1_usize..9,
            target in 0_usize..40,
        ) {
            let start = start.min(words.len() - 1);
            let length = length.min(words.len() - start);
            let shift = Shift::new(start, length, target.min(words.len()), words.len());
            let mut shifted = Vec::new();
            shift.apply(&words, &mut shifted);
            let mut sorted = (words.clone(), shifted.clone());
            sorted.0.sort_unstable();
            sorted.1.sort_unstable();
            prop_assert_eq!(sorted.0, sorted.1);
            prop_assert_eq!(&shifted[shift.place..shift.place + length], &words[start..start + length]);

            let distance = Distance::new(&reference);
            let mut scratch = Scratch::default();
            let before = distance.trace(&words, true, &mut scratch);
            prop_assert!(before as usize >= levenshtein(&words, &reference, &mut Vec::new()));
            let after = distance.of_shifted(&shift, &shifted, &mut scratch);
            prop_assert_eq!(after, distance.of_beam(shift.changed().0, &shifted, &mut scratch));
            if reference.len() <= BITS {
                let exact = distance.of_bits(&shift, &scratch.columns, &scratch.masks);
                prop_assert_eq!(exact as usize, levenshtein(&shifted, &reference, &mut Vec::new()));
            }
            prop_assert_eq!(after, distance.trace(&shifted, true, &mut scratch));
            let changes = scratch.trace.iter().filter(|&&step| step != Step::Same).count();
            prop_assert_eq!(after as usize, changes);
        }
    }
}
