//! What a classifier may ask of an inference (Galron 2012, section 4.5.5.2).
//!
//! Fields are symbols, sets of symbols, or numbers; an inference is a row of them. The first fields are known once the
//! source spans are, so trees are asked about them once for all inferences over the same spans; the others depend on the
//! target text. Nothing depends on a reference. Names are those of [`NAMES`], in the order of [`fields`].

use super::lexicon::Lexicon;
use super::options::COPY;
use super::piece::{Type, production, short_name};
use super::seen::Seen;
use super::source::{NONE, Source};
use crate::learn::boost::Field;

/// Dependents and siblings that are looked at.
const DEPENDENTS: u32 = 8;
const SIBLINGS: u32 = 6;

/// Symbols, sets of so many, or a number.
enum Shape {
    Symbol,
    Set(u32),
    Number,
}
use Shape::{Number, Set, Symbol};

/// All fields: name and shape.
const LAYOUT: [(&str, Shape); 57] = [
    // Words and tags around the span.
    ("word-2", Symbol),
    ("word-1", Symbol),
    ("word+1", Symbol),
    ("word+2", Symbol),
    ("tag-2", Symbol),
    ("tag-1", Symbol),
    ("tag+1", Symbol),
    ("tag+2", Symbol),
    // At its ends.
    ("first.word", Symbol),
    ("last.word", Symbol),
    ("first.tag", Symbol),
    ("last.tag", Symbol),
    // Its head, and what depends on that.
    ("head.word", Symbol),
    ("head.tag", Symbol),
    ("dependent.word", Set(DEPENDENTS)),
    ("dependent.tag", Set(DEPENDENTS)),
    ("dependent.label", Set(DEPENDENTS)),
    ("dependent.position", Set(DEPENDENTS)),
    // The largest constituent of the head, what is above and beside it.
    ("projection.label", Symbol),
    ("parent.label", Symbol),
    ("parent.tag", Symbol),
    ("parent.head", Symbol),
    ("sibling.head", Set(SIBLINGS)),
    ("sibling.label", Set(SIBLINGS)),
    ("siblings", Number),
    ("children", Number),
    // The production: labels; with the head's word; with the words of both heads.
    ("production", Symbol),
    ("production.head", Symbol),
    ("production.heads", Symbol),
    ("label", Symbol),
    // The sentence's last word.
    ("end.word", Symbol),
    ("end.tag", Symbol),
    ("crossings", Number),
    ("source.length", Number),
    // From here on the target text counts. Counts of its n-grams.
    ("lm.least.1", Number),
    ("lm.least.2", Number),
    ("lm.least.3", Number),
    ("lm.mean.1", Number),
    ("lm.mean.2", Number),
    ("lm.mean.3", Number),
    ("lm.informative.2", Number),
    ("lm.informative.3", Number),
    // Source words by target words.
    ("ratio", Number),
    ("same", Number),
    // Translations of the words at the ends, of the head, and of the head of what is joined to it.
    ("target.first", Symbol),
    ("target.last", Symbol),
    ("target.head", Symbol),
    ("target.dependent", Symbol),
    // How the parts were inferred.
    ("left.made", Symbol),
    ("right.made", Symbol),
    // Beyond the thesis: the target words that come to stand beside each other, and how they go together.
    ("seam.left", Symbol),
    ("seam.right", Symbol),
    ("seam.lm", Number),
    ("lm.word", Number),
    // Beyond the thesis: what the lexicon counted of a pair, given the source and given the target, and how often.
    ("pair.target", Number),
    ("pair.source", Number),
    ("pair.count", Number),
];

/// The first field that depends on the target.
pub const TARGET: usize = 34;
/// The first field that the thesis does not have.
pub const BEYOND: usize = 50;

/// What may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Templates {
    /// What Galron 2012 has.
    Thesis,
    /// That and what is beyond it.
    #[default]
    All,
}

impl Templates {
    fn count(self) -> usize {
        if self == Self::Thesis { BEYOND } else { LAYOUT.len() }
    }
}

/// The names of all fields, in order.
pub fn names(templates: Templates) -> Vec<&'static str> {
    LAYOUT[..templates.count()].iter().map(|(name, _)| *name).collect()
}

/// The fields of a row.
pub fn fields(templates: Templates) -> Vec<Field> {
    let mut first = 0;
    let field = |(_, shape): &(&str, Shape)| {
        let width = if let Set(width) = shape { *width } else { 1 };
        let field = if matches!(shape, Number) { Field::number(first) } else { Field::symbols(first, width) };
        first += width;
        field
    };
    LAYOUT[..templates.count()].iter().map(field).collect()
}

/// Writes rows.
#[derive(Debug, Clone)]
pub struct Features {
    fields: Vec<Field>,
    slots: usize,
    target_slots: usize,
}

/// Spans and type of an inference over both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Bilingual, monotonic or inverted.
    pub kind: Type,
    /// The source span.
    pub from: u16,
    /// Where the second part begins; `from` for leaves.
    pub middle: u16,
    /// The end of the span.
    pub to: u16,
}

impl Place {
    /// Where an inference takes place.
    pub fn of(seen: &Seen<'_>) -> Self {
        let middle = if seen.kind.is_join() { seen.middle } else { seen.from };
        Self { kind: seen.kind, from: seen.from, middle, to: seen.to }
    }

    /// The three labels of a join.
    pub fn labels(&self, source: &Source) -> (u32, u32, u32) {
        let (from, middle, to) = (self.from.into(), self.middle.into(), self.to.into());
        (source.label(from, to), source.label(from, middle), source.label(middle, to))
    }
}

impl Features {
    /// Rows with these templates.
    pub fn new(templates: Templates) -> Self {
        let fields = fields(templates);
        let slots = crate::learn::boost::slots(&fields);
        let target_slots = fields[TARGET].first();
        Self { fields, slots, target_slots }
    }

    /// What is in a row.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether there are fields that the thesis does not have.
    pub fn are_beyond(&self) -> bool {
        self.fields.len() > BEYOND
    }

    /// Slots of a row.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The first slot that depends on the target.
    pub fn first_target_slot(&self) -> usize {
        self.target_slots
    }

    fn put(&self, row: &mut [u32], field: usize, symbol: u32) {
        row[self.fields[field].first()] = symbol;
    }

    fn number(&self, row: &mut [u32], field: usize, number: f32) {
        row[self.fields[field].first()] = number.to_bits();
    }

    /// The part of a row that its spans decide; the rest is left as it is.
    pub fn fill_source(&self, source: &Source, place: Place, row: &mut [u32]) {
        row[..self.target_slots].fill(NONE);
        let (from, to) = (usize::from(place.from), usize::from(place.to));
        let around = [from.checked_sub(2), from.checked_sub(1), Some(to), Some(to + 1)];
        for (field, at) in around.into_iter().enumerate() {
            if let Some(at) = at.filter(|&at| at < source.len()) {
                self.put(row, field, source.words[at]);
                self.put(row, 4 + field, source.tags[at]);
            }
        }
        for (field, at) in [(8, from), (9, to - 1)] {
            self.put(row, field, source.words[at]);
            self.put(row, field + 2, source.tags[at]);
        }
        let head = source.head(from, to);
        self.put(row, 12, source.words[head]);
        self.put(row, 13, source.tags[head]);
        self.fill_tree(source, head, row);
        if place.kind.is_join() {
            self.fill_production(source, place, row);
        }
        self.put(row, 29, source.label(from, to));
        let last = source.len() - 1;
        self.put(row, 30, source.words[last]);
        self.put(row, 31, source.tags[last]);
        self.number(row, 32, source.crossings(from, to) as f32);
        self.number(row, 33, (to - from) as f32);
    }

    fn fill_tree(&self, source: &Source, head: usize, row: &mut [u32]) {
        let label_of = |word: usize| match source.projections[word] {
            Some(node) => source.nodes[node as usize].label,
            None => source.tags[word],
        };
        let (mut dependents, mut siblings, mut children) = (0, 0, 0);
        let above = source.above[head];
        // Words left of the head count down from -1, those right of it up from 1.
        let left = (0..head).filter(|&word| depends(source, word, head)).count() as i32;
        for word in (0..source.len()).filter(|&word| word != head) {
            if depends(source, word, head) {
                if dependents < DEPENDENTS {
                    let position = if word < head { dependents as i32 - left } else { dependents as i32 - left + 1 };
                    let slot = |field: usize| self.fields[field].first() + dependents as usize;
                    row[slot(14)] = source.words[word];
                    row[slot(15)] = source.tags[word];
                    row[slot(16)] = label_of(word);
                    row[slot(17)] = label_of(word).wrapping_mul(64).wrapping_add((position + 32) as u32).max(1);
                }
                dependents += 1;
                children += 1;
            } else if above.is_some() && source.above[word] == above {
                if siblings < SIBLINGS {
                    let slot = |field: usize| self.fields[field].first() + siblings as usize;
                    row[slot(22)] = source.words[word];
                    row[slot(23)] = label_of(word);
                }
                siblings += 1;
            }
        }
        self.put(row, 18, label_of(head));
        if let Some(above) = above {
            let parent = &source.nodes[above as usize];
            self.put(row, 19, parent.label);
            self.put(row, 20, source.tags[usize::from(parent.head)]);
            self.put(row, 21, source.words[usize::from(parent.head)]);
        }
        self.number(row, 24, siblings as f32);
        self.number(row, 25, (children + 1) as f32);
    }

    fn fill_production(&self, source: &Source, place: Place, row: &mut [u32]) {
        let (from, middle, to) = (place.from.into(), place.middle.into(), place.to.into());
        let labels = place.labels(source);
        let name = production(labels.0, labels.1, labels.2, place.kind == Type::Inverted);
        let short = |name: u64| ((name ^ (name >> 32)) as u32).max(1);
        let with = |name: u64, word: u32| (name ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        let word = |from: usize, to: usize| source.words[source.head(from, to)];
        self.put(row, 26, short(name));
        self.put(row, 27, short(with(name, word(from, to))));
        self.put(row, 28, short(with(with(name, word(from, middle)), word(middle, to))));
    }

    /// The part of a row that the target text decides, for a join.
    pub fn fill_join(&self, source: &Source, seen: &Seen<'_>, row: &mut [u32]) {
        let (Some(piece), Some((left, right))) = (seen.piece, seen.parts) else { return };
        let text = &piece.text;
        for order in 0..3 {
            self.number(row, 34 + order, text.least(order));
            self.number(row, 37 + order, text.mean(order));
        }
        self.number(row, 40, text.informative[0]);
        self.number(row, 41, text.informative[1]);
        self.number(row, 42, f32::from(seen.to - seen.from) / text.length as f32);
        self.number(row, 43, f32::from(piece.same));
        let in_left = source.head(seen.from.into(), seen.to.into()) < usize::from(seen.middle);
        let dependent = if in_left { right } else { left };
        self.put(row, 44, piece.leaves.first);
        self.put(row, 45, piece.leaves.last);
        self.put(row, 46, piece.leaves.head);
        self.put(row, 47, dependent.leaves.head);
        self.put(row, 48, left.made as u32);
        self.put(row, 49, right.made as u32);
        if self.are_beyond() {
            let (before, behind) = if seen.kind == Type::Inverted { (right, left) } else { (left, right) };
            self.put(row, 50, before.text.last[1]);
            self.put(row, 51, behind.text.first[0]);
            self.number(row, 52, text.seam);
            self.number(row, 53, text.logarithm / text.length as f32);
            (54..57).for_each(|field| self.number(row, field, f32::NAN));
        }
    }

    /// The part of a row that the target text decides, for a pair of the lexicon. Within one pair nothing of it changes; it
    /// tells pairs apart for classifiers that several share.
    pub fn fill_pair(&self, lexicon: &Lexicon, seen: &Seen<'_>, entry: u32, row: &mut [u32]) {
        (34..44).for_each(|field| self.number(row, field, f32::NAN));
        (44..50).for_each(|field| self.put(row, field, NONE));
        let Some(piece) = seen.piece else { return };
        self.number(row, 42, f32::from(seen.to - seen.from) / piece.text.length as f32);
        if self.are_beyond() {
            self.put(row, 44, short_name(&piece.text));
            self.put(row, 50, NONE);
            self.put(row, 51, NONE);
            self.number(row, 52, f32::NAN);
            self.number(row, 53, piece.text.logarithm / piece.text.length as f32);
            let (mut of_source, mut of_target, mut count) = (f32::NAN, f32::NAN, 0.0);
            if entry != COPY {
                count = lexicon.count(entry) as f32;
                of_source = count / lexicon.source_total(entry) as f32;
                of_target = count / lexicon.total(lexicon.target(entry)) as f32;
            }
            self.number(row, 54, of_source);
            self.number(row, 55, of_target);
            self.number(row, 56, count);
        }
    }
}

/// Whether a word depends on another: its largest constituent, or it, is right below one that the other heads.
fn depends(source: &Source, word: usize, head: usize) -> bool {
    source.above[word].is_some_and(|above| usize::from(source.nodes[above as usize].head) == head) && word != head
}
