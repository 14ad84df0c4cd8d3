//! Logic T: translating one sentence (Galron 2012, tables 4.4 and 4.5).
//!
//! | rule | inference | target text |
//! |---|---|---|
//! | source scan | `⟨t; i⟩ ⊢ [X; ∅] (i-1, i)` | |
//! | target load | `⟨t⟩ ⊢ [∅; X]` | t |
//! | source fuse | `[Y; ∅] (i, j), [Z; ∅] (j, k) ⊢ [X; ∅] (i, k)` | |
//! | target fuse | `[∅; Y], [∅; Z] ⊢ [∅; X]` | y z |
//! | bilingual | `[Y; ∅] (i, j), [∅; Z] ⊢ [X; X'] (i, j)` | z |
//! | monotonic | `[Y; Y'] (i, j), [Z; Z'] (j, k) ⊢ [X; X'] (i, k)` | y z |
//! | inverted | the same | z y |
//!
//! Labels are functions of spans here, so items do not repeat them. The target text is part of what an item is.

use super::counts::Counts;
use super::options::Options;
use super::piece::{Piece, Type};
use super::source::Source;
use super::text::Text;
use crate::parse::{Chart, Cost, Logic, Match, NO_ITEM};

/// An item.
// Nearly all items are of both languages, and they are copied on the spot.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item {
    /// `[X; ∅] (from, to)`
    Source {
        /// Where it begins.
        from: u16,
        /// Where it ends.
        to: u16,
        /// Scan or fuse.
        made: Type,
    },
    /// `[∅; X]`, a target phrase of the options.
    Target {
        /// Which.
        phrase: u32,
        /// Load or fuse.
        made: Type,
    },
    /// `[X; X'] (from, to)` and its text.
    Both(Piece),
}

impl Item {
    /// How it was inferred.
    pub fn made(&self) -> Type {
        match self {
            Self::Source { made, .. } | Self::Target { made, .. } => *made,
            Self::Both(piece) => piece.made,
        }
    }

    /// What is over both languages.
    pub fn piece(&self) -> Option<&Piece> {
        if let Self::Both(piece) = self { Some(piece) } else { None }
    }
}

/// An inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The source word at a position.
    Scan(u16),
    /// A target word.
    Load(u32),
    /// Two source phrases.
    SourceFuse,
    /// Two target phrases.
    TargetFuse,
    /// A pair of the options.
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
            Self::Scan(_) => Type::SourceScan,
            Self::Load(_) => Type::TargetScan,
            Self::SourceFuse => Type::SourceFuse,
            Self::TargetFuse => Type::TargetFuse,
            Self::Bilingual => Type::Bilingual,
            Self::Monotonic => Type::Monotonic,
            Self::Inverted => Type::Inverted,
        }
    }
}

/// Which items are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Identity {
    /// Those with the same text: features may ask for any of it.
    #[default]
    Text,
    /// Those with the same two words at each end and the same translation of the head: what later features mostly ask for.
    Boundary,
}

/// What a grammar may ask of items, beyond their texts' ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Where the neighbours of the first and the last leaf are likely to be.
    pub ends: bool,
    /// N-grams of the whole text.
    pub counts: bool,
    /// What a smoothed trigram model says of it.
    pub smooth: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Self { ends: false, counts: true, smooth: true }
    }
}

/// Translates a sentence.
#[derive(Debug)]
pub struct Translation<'a> {
    /// The sentence and its tree.
    pub source: &'a Source,
    /// What may be made of it.
    pub options: &'a Options,
    /// Target n-grams.
    pub counts: &'a Counts,
    texts: Vec<Text>,
    identity: Identity,
    asked: Asked,
    longest: usize,
    /// The largest of the least costs of words before, and from, each position.
    missing: Option<(Vec<Cost>, Vec<Cost>)>,
}

impl<'a> Translation<'a> {
    /// A sentence and what may be made of it, with source fuses of up to so many words.
    pub fn new(
        source: &'a Source,
        options: &'a Options,
        counts: &'a Counts,
        longest: usize,
        identity: Identity,
    ) -> Self {
        let text = |target: usize| Text::of(options.words(target as u32), counts).expect("a phrase has words");
        let texts = (0..options.targets.len()).map(text).collect();
        Self { source, options, counts, texts, identity, asked: Asked::default(), longest, missing: None }
    }

    /// For a grammar that asks no more than this of items.
    #[must_use]
    pub fn asked(mut self, asked: Asked) -> Self {
        self.asked = asked;
        self.texts.iter_mut().for_each(|text| (text.counted, text.smooth) = (asked.counts, asked.smooth));
        self
    }

    /// Takes the least cost of any bilingual composition over each word as a bound: some complete derivation's costs have
    /// all of these or worse. Consistent: what a composition adds for the words it covers is no better than their least.
    pub fn expect(&mut self, least: &[Cost]) {
        let known = least.iter().map(|&cost| if cost.is_some() { cost } else { Cost::ZERO });
        let mut before = vec![Cost::ZERO];
        before.extend(known.clone().scan(Cost::ZERO, |most, cost| {
            *most = (*most).max(cost);
            Some(*most)
        }));
        let mut behind: Vec<Cost> = known.rev().collect();
        behind = std::iter::once(Cost::ZERO)
            .chain(behind.into_iter().scan(Cost::ZERO, |most, cost| {
                *most = (*most).max(cost);
                Some(*most)
            }))
            .collect();
        behind.reverse();
        self.missing = Some((before, behind));
    }

    /// Whether an item is a translation of the whole sentence.
    pub fn is_whole(&self, item: &Item) -> bool {
        item.piece().is_some_and(|piece| piece.from == 0 && usize::from(piece.to) == self.source.len())
    }

    /// The cell of all items over a span of both languages.
    pub fn cell_of(&self, from: usize, to: usize) -> usize {
        from * (self.source.len() + 1) + to
    }

    fn source_cell(&self, from: usize, to: usize) -> usize {
        (self.source.len() + 1).pow(2) + self.cell_of(from, to)
    }

    fn target_cell(&self, target: u32) -> usize {
        2 * (self.source.len() + 1).pow(2) + target as usize
    }

    fn match_source(&self, chart: &Chart<'_, Item>, item: u32, from: u16, to: u16, found: &mut Vec<Match<Rule>>) {
        let (first, end) = (usize::from(from), usize::from(to));
        let fuse = |left: u32, right: u32| Match { rule: Rule::SourceFuse, left, right };
        // Right-branching: the left one is a word.
        if first > 0 && end - first < self.longest {
            found.extend(chart.cell(self.source_cell(first - 1, first)).iter().map(|&left| fuse(left, item)));
        }
        if end - first == 1 {
            for behind in end + 1..=self.source.len().min(first + self.longest) {
                found.extend(chart.cell(self.source_cell(end, behind)).iter().map(|&right| fuse(item, right)));
            }
        }
        for pair in self.options.of_span(from, to) {
            let targets = chart.cell(self.target_cell(pair.target)).iter();
            found.extend(targets.map(|&right| Match { rule: Rule::Bilingual, left: item, right }));
        }
    }

    fn match_target(&self, chart: &Chart<'_, Item>, item: u32, phrase: u32, found: &mut Vec<Match<Rule>>) {
        for (first, rest) in self.options.fuses_of(phrase) {
            let (lefts, rights) = (chart.cell(self.target_cell(first)), chart.cell(self.target_cell(rest)));
            if let (Some(&left), Some(&right)) = (lefts.first(), rights.first()) {
                found.push(Match { rule: Rule::TargetFuse, left, right });
            }
        }
        for pair in self.options.of_target(phrase) {
            let sources = chart.cell(self.source_cell(pair.from.into(), pair.to.into())).iter();
            found.extend(sources.map(|&left| Match { rule: Rule::Bilingual, left, right: item }));
        }
    }

    fn match_both(&self, chart: &Chart<'_, Item>, item: u32, piece: &Piece, found: &mut Vec<Match<Rule>>) {
        let mut both = |left: u32, right: u32| {
            found.extend([Rule::Monotonic, Rule::Inverted].map(|rule| Match { rule, left, right }));
        };
        for start in 0..usize::from(piece.from) {
            chart.cell(self.cell_of(start, piece.from.into())).iter().for_each(|&left| both(left, item));
        }
        for end in usize::from(piece.to) + 1..=self.source.len() {
            chart.cell(self.cell_of(piece.to.into(), end)).iter().for_each(|&right| both(item, right));
        }
    }
}

/// What an item is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A source span.
    Source(u16, u16),
    /// A target phrase.
    Target(u32),
    /// A span and a name of its text.
    Both(u16, u16, u64),
}

impl Logic for Translation<'_> {
    type Item = Item;
    type Key = Key;
    type Rule = Rule;

    fn key(&self, item: &Item) -> Key {
        match item {
            Item::Source { from, to, .. } => Key::Source(*from, *to),
            Item::Target { phrase, .. } => Key::Target(*phrase),
            Item::Both(piece) => {
                let ends = if self.asked.ends { piece.ends() } else { 1 };
                let name = match self.identity {
                    // Nothing is joined to a whole translation, so nothing is gained by taking two for one.
                    _ if self.is_whole(item) => piece.text.name,
                    // The same text may have other leaves at its ends.
                    Identity::Text => piece.text.name.wrapping_mul(ends),
                    Identity::Boundary if self.counts.language.is_some() => piece.text.fragment.mix(ends),
                    Identity::Boundary => {
                        let Text { first, last, .. } = piece.text;
                        let parts = [first[0], first[1], last[0], last[1], piece.leaves.head];
                        parts.iter().fold(1, |name: u64, &part| {
                            (name ^ u64::from(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
                        })
                    }
                };
                Key::Both(piece.from, piece.to, name)
            }
        }
    }

    fn cell(&self, item: &Item) -> usize {
        match item {
            Item::Source { from, to, .. } => self.source_cell((*from).into(), (*to).into()),
            Item::Target { phrase, .. } => self.target_cell(*phrase),
            Item::Both(piece) => self.cell_of(piece.from.into(), piece.to.into()),
        }
    }

    fn cells(&self) -> usize {
        2 * (self.source.len() + 1).pow(2) + self.options.targets.len()
    }

    /// Target phrases have no span, and the lexicon bounds them.
    fn competes(&self, item: &Item) -> bool {
        matches!(item, Item::Both(_))
    }

    fn axioms(&mut self, found: &mut Vec<Match<Rule>>) {
        let given = |rule| Match { rule, left: NO_ITEM, right: NO_ITEM };
        found.extend((0..self.source.len() as u16).map(|at| given(Rule::Scan(at))));
        let words = self.options.targets.iter().enumerate().filter(|(_, target)| target.parts.is_none());
        found.extend(words.map(|(word, _)| given(Rule::Load(word as u32))));
    }

    fn matching(&self, chart: &Chart<'_, Item>, item: u32, found: &mut Vec<Match<Rule>>) {
        match chart.item(item) {
            Item::Source { from, to, .. } => self.match_source(chart, item, *from, *to, found),
            Item::Target { phrase, .. } => self.match_target(chart, item, *phrase, found),
            Item::Both(piece) => self.match_both(chart, item, piece, found),
        }
    }

    fn infer(&mut self, rule: Rule, left: Option<&Item>, right: Option<&Item>) -> Option<Item> {
        let made = rule.kind();
        match (rule, left, right) {
            (Rule::Scan(at), ..) => Some(Item::Source { from: at, to: at + 1, made }),
            (Rule::Load(phrase), ..) => Some(Item::Target { phrase, made }),
            (
                Rule::SourceFuse,
                Some(&Item::Source { from, to: middle, .. }),
                Some(&Item::Source { from: next, to, .. }),
            ) => (middle == next && usize::from(to - from) <= self.longest).then_some(Item::Source { from, to, made }),
            (Rule::TargetFuse, Some(&Item::Target { phrase: first, .. }), Some(&Item::Target { phrase: rest, .. })) => {
                let words = [self.options.words(first), self.options.words(rest)].concat();
                self.options.find(&words).map(|phrase| Item::Target { phrase, made })
            }
            (Rule::Bilingual, Some(&Item::Source { from, to, .. }), Some(&Item::Target { phrase, .. })) => {
                let piece = Piece::leaf(from, to, self.texts[phrase as usize]);
                let pair = self.options.pair(from, to, phrase);
                Some(Item::Both(pair.map_or(piece, |pair| piece.entered(pair))))
            }
            (Rule::Monotonic | Rule::Inverted, Some(Item::Both(left)), Some(Item::Both(right))) => {
                let inverted = rule == Rule::Inverted;
                (left.to == right.from).then(|| Item::Both(left.join(right, inverted, self.source, self.counts)))
            }
            _ => None,
        }
    }

    fn target(&self, rule: Rule, left: Option<&Item>, right: Option<&Item>) -> Option<usize> {
        match (rule, left, right) {
            (Rule::Bilingual, Some(&Item::Source { from, to, .. }), _) => Some(self.cell_of(from.into(), to.into())),
            (Rule::Monotonic | Rule::Inverted, Some(Item::Both(left)), Some(Item::Both(right))) => {
                Some(self.cell_of(left.from.into(), right.to.into()))
            }
            _ => None,
        }
    }

    fn bound(&self, rule: Rule, left: Option<&Item>, right: Option<&Item>) -> Cost {
        let Some((before, behind)) = &self.missing else { return Cost::NOTHING };
        let (from, to) = match (rule, left, right) {
            (Rule::Bilingual, Some(Item::Source { from, to, .. }), _) => (*from, *to),
            (Rule::Monotonic | Rule::Inverted, Some(Item::Both(left)), Some(Item::Both(right))) => {
                (left.from, right.to)
            }
            // Phrases of one language are few and cheap.
            _ => return Cost::NOTHING,
        };
        let most = before[usize::from(from)].max(behind[usize::from(to)]);
        // A bound of nothing must not count as a cost of 0.
        if most == Cost::ZERO { Cost::NOTHING } else { most }
    }
}
