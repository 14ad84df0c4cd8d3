//! What classifiers learn from: rows of symbols and numbers, with labels.

use bytemuck::{Pod, Zeroable};

use super::Trees;
use crate::{Error, Result};

/// Slots that a row may have.
const MOST_SLOTS: u64 = 1 << 20;

/// What the slots of a field hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Symbols, each in a slot; 0 stands for none. A test asks whether a symbol is among them.
    Symbols,
    /// The bits of an `f32` in one slot; NaN stands for none. A test asks whether it is greater than a threshold, which none is.
    Number,
}

/// Where a row holds what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Field {
    first: u32,
    width: u32,
    /// 0 for symbols, 1 for a number; files have it.
    kind: u32,
}

impl Field {
    /// A set of up to `width` symbols in the slots from `first` on.
    pub const fn symbols(first: u32, width: u32) -> Self {
        Self { first, width, kind: 0 }
    }

    /// A number in one slot.
    pub const fn number(slot: u32) -> Self {
        Self { first: slot, width: 1, kind: 1 }
    }

    /// What it holds.
    #[inline]
    pub fn kind(&self) -> FieldKind {
        if self.kind == 0 { FieldKind::Symbols } else { FieldKind::Number }
    }

    /// The first of its slots.
    pub fn first(&self) -> usize {
        self.first as usize
    }

    /// How many slots it has.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Its slots in a row.
    #[inline]
    pub fn of<'a>(&self, row: &'a [u32]) -> &'a [u32] {
        &row[self.first as usize..(self.first + self.width) as usize]
    }

    /// Whether its slots pass a test: hold the symbol, or a number greater than that of these bits.
    #[inline]
    pub fn passes(&self, slots: &[u32], value: u32) -> bool {
        match self.kind() {
            FieldKind::Symbols => slots.contains(&value),
            FieldKind::Number => f32::from_bits(slots[0]) > f32::from_bits(value),
        }
    }

    /// Whether a test of this field can have this value.
    pub(super) fn allows(&self, value: u32) -> bool {
        match self.kind() {
            FieldKind::Symbols => value != 0,
            FieldKind::Number => !f32::from_bits(value).is_nan(),
        }
    }

    /// Says what is wrong with it, if anything is.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        if self.kind > 1 {
            return Some("is neither of symbols nor a number");
        }
        if self.width == 0 || (self.kind == 1 && self.width != 1) {
            return Some("has a width that its kind does not allow");
        }
        (u64::from(self.first) + u64::from(self.width) > MOST_SLOTS).then_some("lies beyond the longest row")
    }
}

/// How many slots rows of these fields have.
pub fn slots(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.first() + field.width()).max().unwrap_or(0)
}

/// Rows with labels, of one classifier.
#[derive(Debug, Clone)]
pub struct Examples<'a> {
    /// What is in a row.
    pub fields: &'a [Field],
    /// The rows, one after the other, each of [`slots`] slots.
    pub rows: Vec<u32>,
    /// Whether what a row describes is right.
    pub labels: Vec<bool>,
    /// How much each example counts (its bias b); if empty, all the same and 1 together, so that classifiers with more examples
    /// are not more confident for that alone (Galron 2012, section 4.5.5.1).
    pub weights: Vec<f64>,
    /// Scores that the rows already have from a coarser ensemble: trees learn what is to be added to them.
    pub offsets: Option<Vec<f64>>,
}

impl<'a> Examples<'a> {
    /// No examples yet.
    pub fn new(fields: &'a [Field]) -> Self {
        Self { fields, rows: Vec::new(), labels: Vec::new(), weights: Vec::new(), offsets: None }
    }

    /// Adds a row, which has all slots.
    pub fn push(&mut self, row: &[u32], label: bool) {
        self.rows.extend_from_slice(row);
        self.labels.push(label);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// A row.
    pub fn row(&self, at: usize) -> &[u32] {
        let slots = slots(self.fields);
        &self.rows[at * slots..(at + 1) * slots]
    }

    /// Adds to the offsets what a coarser ensemble says of each row.
    pub fn back_off(&mut self, coarser: Trees<'_>, snapshot: usize) {
        let mut offsets = self.offsets.take().unwrap_or_else(|| vec![0.0; self.len()]);
        for (at, offset) in offsets.iter_mut().enumerate() {
            *offset += coarser.score(self.row(at), snapshot);
        }
        self.offsets = Some(offsets);
    }

    /// Adds to the offsets the logarithm of the odds of all labels together, so that trees learn only what differs from row to
    /// row. Where all labels are the same there is nothing to tell apart, and no such number.
    pub fn offset_by_prior(&mut self) {
        let mass = |label: bool| (0..self.len()).filter(|&at| self.labels[at] == label).map(|at| self.bias(at)).sum();
        let (right, wrong): (f64, f64) = (mass(true), mass(false));
        let prior = (right / wrong).ln();
        if prior.is_finite() {
            let offsets = self.offsets.get_or_insert_with(|| vec![0.0; self.labels.len()]);
            offsets.iter_mut().for_each(|offset| *offset += prior);
        }
    }

    /// How much an example counts.
    pub(super) fn bias(&self, at: usize) -> f64 {
        self.weights.get(at).copied().unwrap_or(1.0 / self.len() as f64)
    }

    /// Makes sure that all parts fit each other.
    pub(super) fn check(&self) -> Result<()> {
        check_fields(self.fields).map_err(Error::input)?;
        let (count, slots) = (self.len(), slots(self.fields));
        if self.rows.len() != count * slots {
            let what = format!("there are {} slots for {count} rows of {slots} each", self.rows.len());
            return Err(Error::input(what).hint("give every row all slots of its fields"));
        }
        if u32::try_from(count).is_err() {
            return Err(Error::limit(format!("a classifier learns from at most {} examples", u32::MAX)));
        }
        let several = [Some(&self.weights).filter(|weights| !weights.is_empty()), self.offsets.as_ref()];
        if several.into_iter().flatten().any(|each| each.len() != count) {
            return Err(Error::input("there is not one weight and one offset for each example"));
        }
        if self.weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(Error::input("a weight is no finite number of 0 or more").hint("give weights of 0 or more"));
        }
        if self.offsets.iter().flatten().any(|offset| !offset.is_finite()) {
            return Err(Error::input("an offset is no finite number"));
        }
        Ok(())
    }
}

/// Says which field is wrong, if one is.
pub(super) fn check_fields(fields: &[Field]) -> std::result::Result<(), String> {
    match fields.iter().enumerate().find_map(|(at, field)| Some((at, field.wrong()?))) {
        Some((at, wrong)) => Err(format!("field {at} {wrong}")),
        None => Ok(()),
    }
}
