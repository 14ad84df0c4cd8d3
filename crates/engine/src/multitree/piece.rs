//! What both logics know of an item over two languages: the part of it that features speak of.

use super::counts::Counts;
use super::options::{COPY, Pair};
use super::source::Source;
use super::text::Text;

/// How something was inferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// A source word.
    SourceScan = 1,
    /// A target word: at its position (scan), or wherever it may come to stand (load).
    TargetScan,
    /// Two adjacent source phrases become one that is translated as a whole.
    SourceFuse,
    /// Two adjacent target phrases become one.
    TargetFuse,
    /// A source and a target phrase translate each other.
    Bilingual,
    /// Two adjacent pairs in the same order on both sides.
    Monotonic,
    /// Two adjacent pairs in opposite orders.
    Inverted,
}

impl Type {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::SourceScan,
        Self::TargetScan,
        Self::SourceFuse,
        Self::TargetFuse,
        Self::Bilingual,
        Self::Monotonic,
        Self::Inverted,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        ["source scan", "target scan", "source fuse", "target fuse", "bilingual", "monotonic", "inverted"]
            [self as usize - 1]
    }

    /// Whether it joins two items of two languages.
    pub fn is_join(self) -> bool {
        matches!(self, Self::Monotonic | Self::Inverted)
    }
}

/// An item over both languages, apart from where its target text stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The word before which its source span begins.
    pub from: u16,
    /// The word before which it ends.
    pub to: u16,
    /// How it was inferred.
    pub made: Type,
    /// How many inferences down the head's path have the same production as this one.
    pub same: u16,
    /// The production, for that.
    production: u64,
    /// Its target text.
    pub text: Text,
    /// The names of the target phrases that translate its first, its last and its head word.
    pub leaves: Leaves,
    /// The first and the last leaf of its target text.
    pub edges: [Edge; 2],
}

/// A leaf at an end of a target text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its entry in the lexicon, or [`COPY`](super::options::COPY).
    pub entry: u32,
    /// Names where its neighbour beyond the end is likely to be.
    pub places: u32,
    /// Where its source span begins.
    pub from: u16,
    /// Where it ends.
    pub to: u16,
}

/// Translations of source words, as names of the phrases that have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leaves {
    /// Of the first word of a span.
    pub first: u32,
    /// Of the last.
    pub last: u32,
    /// Of the head.
    pub head: u32,
}

/// A text's name in 32 bits, never 0.
pub fn short_name(text: &Text) -> u32 {
    ((text.name ^ (text.name >> 31)) as u32).max(1)
}

/// Names a production: three labels and an orientation.
pub fn production(consequent: u32, left: u32, right: u32, inverted: bool) -> u64 {
    let mut name = u64::from(inverted) + 1;
    for label in [consequent, left, right] {
        name = (name ^ u64::from(label)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }
    name.max(1)
}

impl Piece {
    /// A source span translated by a text as a whole.
    pub fn leaf(from: u16, to: u16, text: Text) -> Self {
        let name = short_name(&text);
        let leaves = Leaves { first: name, last: name, head: name };
        let edge = Edge { entry: COPY, places: 0, from, to };
        Self { from, to, made: Type::Bilingual, same: 0, production: 0, text, leaves, edges: [edge; 2] }
    }

    /// The same, as an entry of the lexicon.
    #[must_use]
    pub fn entered(mut self, pair: &Pair) -> Self {
        self.edges.iter_mut().zip(pair.places).for_each(|(edge, places)| {
            (edge.entry, edge.places) = (pair.entry, places);
        });
        self
    }

    /// What joins to come may ask of the ends: which places their neighbours have, and whether they lie at its borders.
    pub fn ends(&self) -> u64 {
        let name = self.edges.iter().fold(1, |name: u64, edge| {
            let borders = u64::from(edge.from == self.from) | u64::from(edge.to == self.to) << 1;
            (name ^ (u64::from(edge.places) << 2 | borders)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        // Odd, so that products with it keep names apart.
        name | 1
    }

    /// Two adjacent pieces as one.
    pub fn join(&self, right: &Self, inverted: bool, source: &Source, counts: &Counts) -> Self {
        let (from, to, middle) = (usize::from(self.from), usize::from(right.to), usize::from(self.to));
        let head = if source.head(from, to) < middle { self } else { right };
        let labels = (source.label(from, to), source.label(from, middle), source.label(middle, to));
        let production = production(labels.0, labels.1, labels.2, inverted);
        Self {
            from: self.from,
            to: right.to,
            made: if inverted { Type::Inverted } else { Type::Monotonic },
            same: if head.production == production { head.same + 1 } else { 1 },
            production,
            text: if inverted { right.text.join(&self.text, counts) } else { self.text.join(&right.text, counts) },
            leaves: Leaves { first: self.leaves.first, last: right.leaves.last, head: head.leaves.head },
            edges: if inverted { [right.edges[0], self.edges[1]] } else { [self.edges[0], right.edges[1]] },
        }
    }
}
