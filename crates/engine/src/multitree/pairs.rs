//! Logic MP: parsing two sentences at once (Galron 2012, tables 4.2 and 4.3; after Melamed & Wang 2004).
//!
//! | rule | inference |
//! |---|---|
//! | source scan | `⟨t; 1, i⟩ ⊢ [X; ∅] (i-1, i; ∅)` |
//! | target scan | `⟨t; 2, i⟩ ⊢ [∅; X] (∅; i-1, i)` |
//! | source fuse | `[Y; ∅] (i, j; ∅), [Z; ∅] (j, k; ∅) ⊢ [X; ∅] (i, k; ∅)` |
//! | target fuse | the same on the other side |
//! | bilingual | `[Y; ∅] (i, j; ∅), [∅; Z] (∅; k, l) ⊢ [X; X'] (i, j; k, l)` |
//! | monotonic | `[Y; Y'] (i, j; i', j'), [Z; Z'] (j, k; j', k') ⊢ [X; X'] (i, k; i', k')` |
//! | inverted | `[Y; Y'] (i, j; j', k'), [Z; Z'] (j, k; i', j') ⊢ [X; X'] (i, k; i', k')` |
//!
//! An item of one language never composes with one of two: a word is deleted or inserted by being fused with another.

use super::counts::Counts;
use super::piece::{Piece, Type};
use super::source::Source;
use super::text::Text;
use crate::parse::{Chart, Logic, Match, NO_ITEM};

/// An item.
// Nearly all items are of both languages, and they are copied on the spot.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item {
    /// `[X; ∅] (from, to; ∅)`
    Source {
        /// Where it begins.
        from: u16,
        /// Where it ends.
        to: u16,
    },
    /// `[∅; X] (∅; from, to)`
    Target {
        /// Where it begins.
        from: u16,
        /// Where it ends.
        to: u16,
    },
    /// `[X; X'] (from, to; begin, end)`
    Both {
        /// Its source span, and what is known of its text.
        piece: Piece,
        /// Where its target span begins.
        begin: u16,
        /// Where it ends.
        end: u16,
    },
}

/// What an item is known by: source span and target span, (0, 0) for none.
pub type Key = (u16, u16, u16, u16);

impl Item {
    /// Its spans.
    pub fn spans(&self) -> Key {
        match *self {
            Self::Source { from, to } => (from, to, 0, 0),
            Self::Target { from, to } => (0, 0, from, to),
            Self::Both { piece, begin, end } => (piece.from, piece.to, begin, end),
        }
    }

    /// What is over both languages.
    pub fn piece(&self) -> Option<&Piece> {
        if let Self::Both { piece, .. } = self { Some(piece) } else { None }
    }
}

/// An inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The source word at a position.
    SourceScan(u16),
    /// The target word at a position.
    TargetScan(u16),
    /// Two source phrases.
    SourceFuse,
    /// Two target phrases.
    TargetFuse,
    /// A source and a target phrase.
    Bilingual,
    /// Two pieces in the same order.
    Monotonic,
    /// Two pieces in opposite orders.
    Inverted,
}

impl Rule {
    /// Its type.
    pub fn kind(self) -> Type {
        match self {
            Self::SourceScan(_) => Type::SourceScan,
            Self::TargetScan(_) => Type::TargetScan,
            Self::SourceFuse => Type::SourceFuse,
            Self::TargetFuse => Type::TargetFuse,
            Self::Bilingual => Type::Bilingual,
            Self::Monotonic => Type::Monotonic,
            Self::Inverted => Type::Inverted,
        }
    }
}

/// Parses a pair of sentences.
#[derive(Debug)]
pub struct Pairs<'a> {
    /// The source sentence and its tree.
    pub source: &'a Source,
    /// The words of the target sentence.
    pub target: &'a [u32],
    /// Target n-grams.
    pub counts: &'a Counts,
    /// Longest fuse of each side.
    longest: [usize; 2],
    words: Vec<Text>,
}

impl<'a> Pairs<'a> {
    /// A pair of sentences, with fuses of up to so many words on each side.
    pub fn new(source: &'a Source, target: &'a [u32], counts: &'a Counts, longest: [usize; 2]) -> Self {
        let words = target.iter().map(|&word| Text::word(word, counts)).collect();
        Self { source, target, counts, longest, words }
    }

    /// Whether a smoothed trigram model is asked about texts.
    #[must_use]
    pub fn smooth(mut self, smooth: bool) -> Self {
        self.words.iter_mut().for_each(|word| word.smooth = smooth);
        self
    }

    /// Whether an item covers both sentences.
    pub fn is_whole(&self, item: &Item) -> bool {
        item.piece().is_some() && item.spans() == (0, self.source.len() as u16, 0, self.target.len() as u16)
    }

    /// The longest fuse of a side.
    pub fn longest(&self, side: usize) -> usize {
        self.longest[side]
    }

    fn text(&self, from: u16, to: u16) -> Text {
        let words = self.words[usize::from(from)..usize::from(to)].iter().copied();
        words.reduce(|text, word| text.join(&word, self.counts)).expect("a span has words")
    }

    fn both_cell(&self, from: u16, to: u16) -> usize {
        usize::from(from) * (self.source.len() + 1) + usize::from(to)
    }

    fn source_cell(&self, from: u16, to: u16) -> usize {
        (self.source.len() + 1).pow(2) + self.both_cell(from, to)
    }

    fn target_cell(&self, from: u16, to: u16) -> usize {
        2 * (self.source.len() + 1).pow(2) + usize::from(from) * (self.target.len() + 1) + usize::from(to)
    }

    /// Fuses are right-branching: the left one is a word.
    fn match_fuses(&self, chart: &Chart<'_, Item>, item: u32, side: usize, found: &mut Vec<Match<Rule>>) {
        let (from, to, begin, end) = chart.item(item).spans();
        let (from, to, length) =
            if side == 0 { (from, to, self.source.len()) } else { (begin, end, self.target.len()) };
        let cell = |from, to| if side == 0 { self.source_cell(from, to) } else { self.target_cell(from, to) };
        let rule = if side == 0 { Rule::SourceFuse } else { Rule::TargetFuse };
        if from > 0 && usize::from(to - from) < self.longest[side] {
            found.extend(chart.cell(cell(from - 1, from)).iter().map(|&left| Match { rule, left, right: item }));
        }
        if to - from == 1 {
            for behind in to + 1..=length.min(usize::from(from) + self.longest[side]) as u16 {
                found.extend(chart.cell(cell(to, behind)).iter().map(|&right| Match { rule, left: item, right }));
            }
        }
    }

    /// All phrases of the other side.
    fn match_phrases(&self, chart: &Chart<'_, Item>, item: u32, side: usize, found: &mut Vec<Match<Rule>>) {
        let length = if side == 0 { self.target.len() } else { self.source.len() } as u16;
        for from in 0..length {
            for to in from + 1..=length.min(from + self.longest[1 - side] as u16) {
                let cell = if side == 0 { self.target_cell(from, to) } else { self.source_cell(from, to) };
                found.extend(chart.cell(cell).iter().map(|&other| {
                    let (left, right) = if side == 0 { (item, other) } else { (other, item) };
                    Match { rule: Rule::Bilingual, left, right }
                }));
            }
        }
    }

    /// The one orientation that the target spans of adjacent pieces allow.
    fn orientation(&self, left: &Item, right: &Item) -> Option<Rule> {
        let (left, right) = (left.spans(), right.spans());
        match (left.3 == right.2, right.3 == left.2) {
            (true, _) => Some(Rule::Monotonic),
            (_, true) => Some(Rule::Inverted),
            _ => None,
        }
    }

    fn match_both(&self, chart: &Chart<'_, Item>, item: u32, found: &mut Vec<Match<Rule>>) {
        let (from, to, ..) = chart.item(item).spans();
        let mut both = |left: u32, right: u32| {
            let rule = self.orientation(chart.item(left), chart.item(right));
            found.extend(rule.map(|rule| Match { rule, left, right }));
        };
        for start in 0..from {
            chart.cell(self.both_cell(start, from)).iter().for_each(|&left| both(left, item));
        }
        for end in to + 1..=self.source.len() as u16 {
            chart.cell(self.both_cell(to, end)).iter().for_each(|&right| both(item, right));
        }
    }
}

impl Logic for Pairs<'_> {
    type Item = Item;
    type Key = Key;
    type Rule = Rule;

    fn key(&self, item: &Item) -> Key {
        item.spans()
    }

    fn cell(&self, item: &Item) -> usize {
        match *item {
            Item::Source { from, to } => self.source_cell(from, to),
            Item::Target { from, to } => self.target_cell(from, to),
            Item::Both { piece, .. } => self.both_cell(piece.from, piece.to),
        }
    }

    fn cells(&self) -> usize {
        2 * (self.source.len() + 1).pow(2) + (self.target.len() + 1).pow(2)
    }

    fn competes(&self, item: &Item) -> bool {
        matches!(item, Item::Both { .. })
    }

    fn axioms(&mut self, found: &mut Vec<Match<Rule>>) {
        let given = |rule| Match { rule, left: NO_ITEM, right: NO_ITEM };
        found.extend((0..self.source.len() as u16).map(|at| given(Rule::SourceScan(at))));
        found.extend((0..self.target.len() as u16).map(|at| given(Rule::TargetScan(at))));
    }

    fn matching(&self, chart: &Chart<'_, Item>, item: u32, found: &mut Vec<Match<Rule>>) {
        let side = match chart.item(item) {
            Item::Source { .. } => 0,
            Item::Target { .. } => 1,
            Item::Both { .. } => return self.match_both(chart, item, found),
        };
        self.match_fuses(chart, item, side, found);
        self.match_phrases(chart, item, side, found);
    }

    fn infer(&mut self, rule: Rule, left: Option<&Item>, right: Option<&Item>) -> Option<Item> {
        match (rule, left, right) {
            (Rule::SourceScan(at), ..) => Some(Item::Source { from: at, to: at + 1 }),
            (Rule::TargetScan(at), ..) => Some(Item::Target { from: at, to: at + 1 }),
            (Rule::SourceFuse, Some(&Item::Source { from, to: middle }), Some(&Item::Source { from: next, to })) => {
                (middle == next && usize::from(to - from) <= self.longest[0]).then_some(Item::Source { from, to })
            }
            (Rule::TargetFuse, Some(&Item::Target { from, to: middle }), Some(&Item::Target { from: next, to })) => {
                (middle == next && usize::from(to - from) <= self.longest[1]).then_some(Item::Target { from, to })
            }
            (Rule::Bilingual, Some(&Item::Source { from, to }), Some(&Item::Target { from: begin, to: end })) => {
                Some(Item::Both { piece: Piece::leaf(from, to, self.text(begin, end)), begin, end })
            }
            (Rule::Monotonic | Rule::Inverted, Some(left), Some(right)) => {
                let (one, other) = (left.piece()?, right.piece()?);
                if one.to != other.from || self.orientation(left, right) != Some(rule) {
                    return None;
                }
                let (first, last) = if rule == Rule::Inverted { (right, left) } else { (left, right) };
                let piece = one.join(other, rule == Rule::Inverted, self.source, self.counts);
                Some(Item::Both { piece, begin: first.spans().2, end: last.spans().3 })
            }
            _ => None,
        }
    }
}
