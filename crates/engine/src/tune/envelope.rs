//! Lines and their upper envelope, and the sweep over the envelopes of all sentences (Och 2003; Macherey et al. 2008).

use crate::metric::{Metric, add};

use super::gain;

/// The score of something as the weights move along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Its score per step.
    pub slope: f64,
    /// Its score where the search begins.
    pub height: f64,
    /// What it is.
    pub item: u32,
}

/// A part of an envelope: from this step on the line is the highest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The step, minus infinity for the first.
    pub from: f64,
    /// The line.
    pub line: Line,
}

/// Lines whose slopes differ by less, relative to their size, are parallel: sums of features round, and would meet at
/// steps of any length.
const PARALLEL: f64 = 1e-12;

/// The upper envelope of lines, from left to right. Of lines that are the same, the first item stays.
pub fn envelope(lines: &mut [Line]) -> Vec<Piece> {
    lines.sort_unstable_by(|a, b| {
        a.slope.total_cmp(&b.slope).then(b.height.total_cmp(&a.height)).then(a.item.cmp(&b.item))
    });
    let mut hull: Vec<Piece> = Vec::new();
    for &line in lines.iter() {
        if let Some(top) = hull.last()
            && line.slope - top.line.slope <= PARALLEL * (1.0 + line.slope.abs())
        {
            if line.height <= top.line.height {
                continue;
            }
            hull.pop();
        }
        let mut from = f64::NEG_INFINITY;
        while let Some(top) = hull.last() {
            from = (top.line.height - line.height) / (line.slope - top.line.slope);
            if from > top.from {
                break;
            }
            hull.pop();
            from = f64::NEG_INFINITY;
        }
        if from < f64::INFINITY {
            hull.push(Piece { from, line });
        }
    }
    hull
}

/// What the sweep found best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// How far to go.
    pub step: f64,
    /// How good it is there, higher being better.
    pub gain: f64,
}

/// Intervals narrower than this, relative to where they are, are skipped: rounding decides who is best in them.
const NARROW: f64 = 1e-9;

/// The step at which the corpus is best, given the envelope of each sentence and the statistics of each item.
///
/// Steps are the middles of intervals between neighbouring breakpoints, and a tenth beyond the outermost; of equally good
/// ones the shortest is taken.
pub fn sweep<'a>(metric: &dyn Metric, envelopes: &[Vec<Piece>], stats: impl Fn(usize, u32) -> &'a [f64]) -> Step {
    let mut sum = vec![0.0; metric.width()];
    let mut events: Vec<(f64, u32, u32)> = Vec::new();
    for (sentence, pieces) in envelopes.iter().enumerate() {
        if let Some(first) = pieces.first() {
            add(&mut sum, stats(sentence, first.line.item));
        }
        events.extend((1..pieces.len()).map(|at| (pieces[at].from, sentence as u32, at as u32)));
    }
    events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let Some(first) = events.first() else { return Step { step: 0.0, gain: gain(metric, &sum) } };
    let mut best = Step { step: first.0 - beyond(first.0), gain: gain(metric, &sum) };
    let mut at = 0;
    while at < events.len() {
        let from = events[at].0;
        while at < events.len() && events[at].0 == from {
            let (_, sentence, piece) = events[at];
            let pieces = &envelopes[sentence as usize];
            let (old, new) = (pieces[piece as usize - 1].line.item, pieces[piece as usize].line.item);
            let (old, new) = (stats(sentence as usize, old), stats(sentence as usize, new));
            for ((total, old), new) in sum.iter_mut().zip(old).zip(new) {
                *total += new - old;
            }
            at += 1;
        }
        let step = match events.get(at) {
            None => from + beyond(from),
            Some(&(to, ..)) if to - from <= NARROW * (1.0 + from.abs().max(to.abs())) => continue,
            Some(&(to, ..)) => from / 2.0 + to / 2.0,
        };
        let found = gain(metric, &sum);
        if found > best.gain || (found == best.gain && step.abs() < best.step.abs()) {
            best = Step { step, gain: found };
        }
    }
    best
}

fn beyond(breakpoint: f64) -> f64 {
    0.1 + 0.1 * breakpoint.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[(f64, f64)]) -> Vec<Line> {
        lines.iter().zip(0..).map(|(&(slope, height), item)| Line { slope, height, item }).collect()
    }

    #[test]
    fn three_lines() {
        let pieces = envelope(&mut lines(&[(1.0, 0.0), (-1.0, 1.0), (0.2, 0.9)]));
        assert_eq!(pieces.iter().map(|piece| piece.line.item).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(pieces[0].from, f64::NEG_INFINITY);
        assert!((pieces[1].from - 1.0 / 12.0).abs() < 1e-12);
        assert!((pieces[2].from - 1.125).abs() < 1e-12);
    }

    #[test]
    fn the_first_of_the_same() {
        let pieces = envelope(&mut lines(&[(0.0, 1.0), (0.0, 2.0), (0.0, 2.0)]));
        assert_eq!(pieces.len(), 1);
        assert_eq!(pieces[0].line.item, 1);
        assert!(envelope(&mut []).is_empty());
    }

    #[test]
    fn lines_that_differ_by_rounding_are_parallel() {
        let pieces = envelope(&mut lines(&[(0.3, 1.0), (0.1 + 0.2, 1.5), (0.7, 0.0)]));
        assert_eq!(pieces.iter().map(|piece| piece.line.item).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(pieces[0].from, f64::NEG_INFINITY);
        let pieces = envelope(&mut lines(&[(0.3, 1.5), (0.1 + 0.2, 1.0)]));
        assert_eq!(pieces.iter().map(|piece| piece.line.item).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_line_that_only_touches_is_not_on_top() {
        let pieces = envelope(&mut lines(&[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]));
        assert_eq!(pieces.iter().map(|piece| piece.line.item).collect::<Vec<_>>(), [0, 2]);
    }
}
