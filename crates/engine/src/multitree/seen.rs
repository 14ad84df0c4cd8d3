//! An inference of either logic, as grammars, features and labels see it.

use super::pairs::{self, Pairs};
use super::piece::{Piece, Type};
use super::source::Source;
use super::translation::{self, Translation};
use crate::parse::{Inference, Logic};

/// What an inference is about.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its type.
    pub kind: Type,
    /// Where the consequent's source span begins; 0 if it has none.
    pub from: u16,
    /// Where the second antecedent begins, for joins and source fuses.
    pub middle: u16,
    /// Where the span ends.
    pub to: u16,
    /// The consequent's target span, where positions are known.
    pub block: Option<(u16, u16)>,
    /// Where the two antecedents' target spans meet, for joins where positions are known.
    pub seam: u16,
    /// The words of the target phrase, for target fuses and bilingual compositions.
    pub phrase: &'a [u32],
    /// The pair's entry in the lexicon, if that is known.
    pub entry: Option<u32>,
    /// The consequent, if it is of both languages.
    pub piece: Option<&'a Piece>,
    /// Its antecedents, for joins.
    pub parts: Option<(&'a Piece, &'a Piece)>,
}

impl<'a> Seen<'a> {
    /// A bilingual composition.
    pub fn leaf(piece: &'a Piece, phrase: &'a [u32]) -> Self {
        Self { kind: Type::Bilingual, from: piece.from, to: piece.to, piece: Some(piece), phrase, ..NOTHING }
    }

    /// The source words of the span.
    pub fn words<'s>(&self, source: &'s Source) -> &'s [u32] {
        &source.words[usize::from(self.from)..usize::from(self.to)]
    }
}

/// A logic over a source sentence with a tree and target words.
pub trait Bilingual: Logic {
    /// The source sentence.
    fn source(&self) -> &Source;

    /// What an inference is about.
    fn seen<'a>(&'a self, inference: &Inference<'a, Self>) -> Seen<'a>;
}

const NOTHING: Seen<'static> = Seen {
    kind: Type::SourceScan,
    from: 0,
    middle: 0,
    to: 0,
    block: None,
    seam: 0,
    phrase: &[],
    entry: None,
    piece: None,
    parts: None,
};

impl Bilingual for Translation<'_> {
    fn source(&self) -> &Source {
        self.source
    }

    fn seen<'a>(&'a self, inference: &Inference<'a, Self>) -> Seen<'a> {
        use translation::Item;
        let seen = Seen { kind: inference.rule.kind(), ..NOTHING };
        match inference.consequent {
            &Item::Source { from, to, .. } => Seen { from, to, middle: from + 1, ..seen },
            &Item::Target { phrase, .. } => Seen { phrase: self.options.words(phrase), ..seen },
            Item::Both(piece) => {
                let seen = Seen { from: piece.from, to: piece.to, piece: Some(piece), ..seen };
                match (inference.left, inference.right) {
                    (_, Some(&Item::Target { phrase, .. })) => {
                        let entry = self.options.pair(piece.from, piece.to, phrase).map(|pair| pair.entry);
                        Seen { phrase: self.options.words(phrase), entry, ..seen }
                    }
                    (Some(Item::Both(left)), Some(Item::Both(right))) => {
                        Seen { middle: left.to, parts: Some((left, right)), ..seen }
                    }
                    _ => seen,
                }
            }
        }
    }
}

impl Bilingual for Pairs<'_> {
    fn source(&self) -> &Source {
        self.source
    }

    fn seen<'a>(&'a self, inference: &Inference<'a, Self>) -> Seen<'a> {
        use pairs::Item;
        let seen = Seen { kind: inference.rule.kind(), ..NOTHING };
        let words = |begin: u16, end: u16| &self.target[usize::from(begin)..usize::from(end)];
        match inference.consequent {
            &Item::Source { from, to } => Seen { from, to, middle: from + 1, ..seen },
            &Item::Target { from: begin, to: end } => {
                Seen { block: Some((begin, end)), phrase: words(begin, end), ..seen }
            }
            Item::Both { piece, begin, end } => {
                let block = Some((*begin, *end));
                let seen = Seen { from: piece.from, to: piece.to, block, piece: Some(piece), ..seen };
                match (inference.left, inference.right) {
                    (
                        Some(Item::Both { piece: left, begin: first, .. }),
                        Some(Item::Both { piece: right, begin: second, .. }),
                    ) => {
                        let seam = *first.max(second);
                        Seen { middle: left.to, seam, parts: Some((left, right)), ..seen }
                    }
                    _ => Seen { phrase: words(*begin, *end), ..seen },
                }
            }
        }
    }
}
