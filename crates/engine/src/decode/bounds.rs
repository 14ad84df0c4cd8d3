//! Spans of an input that belong together, and walls between its words.
//!
//! A *zone* is translated without a pause: its words' translations stay together. A *whole* span is a zone that is one
//! constituent. Before a *wall* everything is translated before anything behind it; a wall inside of a span holds
//! within that span. No rule and no phrase crosses a wall or one end of a span.

use std::ops::Range;

use crate::{Error, Result};

/// How a span belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpanKind {
    /// As one constituent.
    Whole,
    /// Side by side; glue may put it together.
    Zone,
}

/// Positions that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first position.
    pub begin: u32,
    /// The last position.
    pub end: u32,
    /// How they belong together.
    pub kind: SpanKind,
}

/// Spans of an input.
pub const MOST_SPANS: usize = 10_000;
/// Spans inside of each other.
pub const MOST_NESTED: usize = 100;

/// Outside of all spans.
const NO_SPAN: u32 = u32::MAX;

/// The spans and walls of an input, looked up by position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// By where they begin, those that hold others first; none of one position.
    spans: Vec<Span>,
    /// For each span the one around it.
    around: Vec<u32>,
    /// For each pair of neighbouring positions the innermost span that holds it.
    homes: Vec<u32>,
    /// For each position how far what begins there may go, and from where what ends there may come.
    until: Vec<u32>,
    since: Vec<u32>,
    /// Walls, each behind the innermost span that it is inside of.
    walls: Vec<(u32, u32)>,
}

impl Bounds {
    /// Checks spans and walls of an input with the positions 0, 1, …, `last`.
    ///
    /// # Errors
    /// Spans or walls outside of the input, spans that cross, too many of them.
    pub fn new(mut spans: Vec<Span>, walls: &[u32], last: usize) -> Result<Self> {
        if spans.len() > MOST_SPANS || walls.len() > MOST_SPANS {
            let many = spans.len().max(walls.len());
            return Err(Error::limit(format!("{many} spans or walls in one input, more than {MOST_SPANS}")));
        }
        for &Span { begin, end, .. } in &spans {
            if begin >= end || end as usize > last {
                return Err(Error::input(format!("a span from {begin} to {end} in an input from 0 to {last}"))
                    .hint("count words from 0; the end is the first word that is not part of the span"));
            }
        }
        if let Some(wall) = walls.iter().find(|&&wall| wall == 0 || wall as usize >= last) {
            return Err(Error::input(format!("a wall at {wall} in an input from 0 to {last}"))
                .hint("a wall stands before the word that it names, and behind another"));
        }
        // One position cannot be taken apart. Of the same span twice the stricter kind counts.
        spans.retain(|span| span.end - span.begin > 1);
        spans.sort_by_key(|span| (span.begin, std::cmp::Reverse(span.end), span.kind));
        spans.dedup_by_key(|span| (span.begin, span.end));
        if spans.is_empty() && walls.is_empty() {
            return Ok(Self::default());
        }
        let mut bounds = Self {
            around: Vec::with_capacity(spans.len()),
            homes: vec![NO_SPAN; last],
            until: vec![last as u32; last + 1],
            since: vec![0; last + 1],
            walls: Vec::new(),
            spans,
        };
        bounds.nest()?;
        bounds.place(walls, last);
        Ok(bounds)
    }

    /// Finds what is inside of what.
    fn nest(&mut self) -> Result<()> {
        let mut open: Vec<u32> = Vec::new();
        for (number, &Span { begin, end, .. }) in (0_u32..).zip(&self.spans) {
            while open.last().is_some_and(|&outer| self.spans[outer as usize].end <= begin) {
                open.pop();
            }
            if let Some(&outer) = open.last() {
                let outer = self.spans[outer as usize];
                if end > outer.end {
                    return Err(Error::input(format!(
                        "the spans from {} to {} and from {begin} to {end} cross",
                        outer.begin, outer.end
                    ))
                    .hint("put one inside of the other, or keep them apart"));
                }
            }
            if open.len() >= MOST_NESTED {
                return Err(Error::limit(format!("spans inside of each other, more than {MOST_NESTED} deep")));
            }
            self.around.push(open.last().copied().unwrap_or(NO_SPAN));
            open.push(number);
            let (begin, end) = (begin as usize, end as usize);
            self.homes[begin..end].fill(number);
            // What begins inside ends inside, and the other way round; inner spans come later.
            self.until[begin + 1..end].fill(end as u32);
            self.since[begin + 1..end].fill(begin as u32);
        }
        Ok(())
    }

    fn place(&mut self, walls: &[u32], last: usize) {
        let mut stops = vec![false; last + 1];
        for &wall in walls {
            stops[wall as usize] = true;
            let mut scope = self.homes[wall as usize];
            while scope != NO_SPAN && self.spans[scope as usize].begin == wall {
                scope = self.around[scope as usize];
            }
            self.walls.push((scope, wall));
        }
        self.walls.sort_unstable();
        self.walls.dedup();
        let mut next = last as u32;
        for at in (0..=last).rev() {
            self.until[at] = self.until[at].min(next);
            if stops[at] {
                next = at as u32;
            }
        }
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.until.is_empty()
    }

    /// Whether something may cover exactly these positions: it crosses no wall and no end of a span.
    #[inline]
    pub fn allow(&self, begin: usize, end: usize) -> bool {
        self.is_empty() || (end as u32 <= self.until[begin] && begin as u32 >= self.since[end])
    }

    /// Whether a rule over some positions may have a gap over others: if it holds all of a span, it must not take a
    /// part of the span from a gap and the rest from elsewhere.
    pub fn nest_gap(&self, cell: Range<u32>, gap: Range<u32>) -> bool {
        if self.is_empty() {
            return true;
        }
        let larger = |span: &&Span| span.end - span.begin > gap.end - gap.start && span.end >= gap.end;
        self.around(gap.start as usize)
            .map(|number| &self.spans[number as usize])
            .find(larger)
            .is_none_or(|span| span.begin <= cell.start && cell.end <= span.end)
    }

    /// The positions at which no sequence may end: those inside of whole spans that something covers as one. Where
    /// nothing does, glue must put the span together. Empty if there are none.
    pub fn closed(&self, is_covered: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        let mut closed = Vec::new();
        for span in self.spans.iter().filter(|span| span.kind == SpanKind::Whole) {
            let (begin, end) = (span.begin as usize, span.end as usize);
            if is_covered(begin, end) {
                closed.resize(self.until.len(), false);
                closed[begin + 1..end].fill(true);
            }
        }
        closed
    }

    /// The spans that hold a word, innermost first.
    fn around(&self, word: usize) -> impl Iterator<Item = u32> {
        let first = Some(self.homes[word]).filter(|&span| span != NO_SPAN);
        std::iter::successors(first, |&span| Some(self.around[span as usize]).filter(|&outer| outer != NO_SPAN))
    }

    /// The spans that hold a word, innermost first.
    pub fn spans_around(&self, word: u32) -> impl Iterator<Item = [u32; 2]> {
        self.around(word as usize).map(|span| [self.spans[span as usize].begin, self.spans[span as usize].end])
    }

    /// For each span that holds a word, and for the whole input, the part of it that stands before the nearest wall at
    /// or before the word.
    pub fn walled_off(&self, word: u32) -> impl Iterator<Item = [u32; 2]> {
        self.around(word as usize).chain([NO_SPAN]).filter_map(move |scope| {
            let at = self.walls.partition_point(|&wall| wall <= (scope, word));
            let &(inside, wall) = self.walls[..at].last()?;
            let begin = if scope == NO_SPAN { 0 } else { self.spans[scope as usize].begin };
            (inside == scope).then_some([begin, wall])
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(begin: u32, end: u32) -> Span {
        Span { begin, end, kind: SpanKind::Zone }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let refused = |spans: &[Span], walls: &[u32]| Bounds::new(spans.to_vec(), walls, 6).unwrap_err().to_string();
        assert!(refused(&[span(1, 4), span(2, 5)], &[]).contains("from 1 to 4 and from 2 to 5 cross"));
        assert!(refused(&[span(1, 7)], &[]).contains("from 1 to 7 in an input from 0 to 6"));
        assert!(refused(&[span(3, 3)], &[]).contains("from 3 to 3"));
        assert!(refused(&[], &[0]).contains("a wall at 0"));
        assert!(refused(&[], &[6]).contains("a wall at 6"));
        let deep: Vec<Span> = (0..300).map(|at| span(at, 1000 - at)).collect();
        assert!(Bounds::new(deep, &[], 1000).unwrap_err().to_string().contains("100 deep"));
        assert!(Bounds::new(vec![span(0, 2); MOST_SPANS + 1], &[], 2).is_err());
        assert!(Bounds::new(vec![span(2, 3)], &[], 6).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn lookups_are_what_the_spans_say(
            pairs in prop::collection::vec((0_u32..9, 1_u32..6), 0..5), walls in prop::collection::vec(1_u32..9, 0..3),
        ) {
            let last = 9_u32;
            let mut spans: Vec<Span> = Vec::new();
            let crosses = |a: [u32; 2], b: [u32; 2]| (a[0] < b[0] && b[0] < a[1] && a[1] < b[1])
                || (b[0] < a[0] && a[0] < b[1] && b[1] < a[1]);
            for (begin, length) in pairs {
                let new = [begin, (begin + length).min(last)];
                if spans.iter().all(|old| !crosses([old.begin, old.end], new)) {
                    spans.push(span(new[0], new[1]));
                }
            }
            let bounds = Bounds::new(spans.clone(), &walls, last as usize).unwrap();
            for begin in 0..last {
                for end in begin + 1..=last {
                    let wanted = spans.iter().all(|old| !crosses([old.begin, old.end], [begin, end]))
                        && walls.iter().all(|&wall| wall <= begin || wall >= end);
                    prop_assert_eq!(bounds.allow(begin as usize, end as usize), wanted);
                    if !wanted {
                        continue;
                    }
                    for from in begin..end {
                        for to in from + 1..=end {
                            let apart = |old: &Span| {
                                let holds = begin <= old.begin && old.end <= end && (begin, end) != (old.begin, old.end);
                                let part = old.begin <= from && to <= old.end && (from, to) != (old.begin, old.end);
                                holds && part
                            };
                            if spans.iter().all(|old| !crosses([old.begin, old.end], [from, to])) {
                                prop_assert_eq!(bounds.nest_gap(begin..end, from..to), !spans.iter().any(apart));
                            }
                        }
                    }
                }
            }
        }
    }
}
