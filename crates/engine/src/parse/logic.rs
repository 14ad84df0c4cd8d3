//! Items and inferences: what a parser can know, and how it comes to know more.

use std::fmt::Debug;
use std::hash::Hash;

use super::cost::Cost;

/// The second antecedent of an inference that has one only, and both of an axiom.
pub const NO_ITEM: u32 = u32::MAX;

/// Term types, inference types and axioms (Galron 2012, section 4.1): what may be inferred from what.
pub trait Logic {
    /// Something known about a part of the input.
    type Item: Clone + Debug;
    /// Which item it is. Items with the same key are one, whatever else they know of how they came about.
    type Key: Copy + Debug + Eq + Hash;
    /// Which inference it is, with the grammar's term if there are several.
    type Rule: Copy + Debug + Eq + Hash;

    /// What an item is known by.
    fn key(&self, item: &Self::Item) -> Self::Key;

    /// The number of the chart's cell that an item stands in.
    fn cell(&self, item: &Self::Item) -> usize;

    /// How many cells there are.
    fn cells(&self) -> usize;

    /// Whether items of this kind compete for the room in their cell.
    fn competes(&self, _item: &Self::Item) -> bool {
        true
    }

    /// The inferences without antecedents.
    fn axioms(&mut self, found: &mut Vec<Match<Self::Rule>>);

    /// The inferences that an item of the chart allows, alone and with others of the chart. Those of two items are found
    /// when the later of the two comes; an item may match itself.
    fn matching(&self, chart: &Chart<'_, Self::Item>, item: u32, found: &mut Vec<Match<Self::Rule>>);

    /// The consequent, if the side conditions hold.
    fn infer(&mut self, rule: Self::Rule, left: Option<&Self::Item>, right: Option<&Self::Item>) -> Option<Self::Item>;

    /// A cell that the consequent will stand in, if it can be told beforehand at little cost: nothing is inferred into a
    /// cell that is full.
    fn target(&self, _rule: Self::Rule, _left: Option<&Self::Item>, _right: Option<&Self::Item>) -> Option<usize> {
        None
    }

    /// A cost that every complete derivation with this inference has beside those of the inference's own derivation
    /// ([`Cost::NOTHING`]: none is known). It must be consistent: no inference may have a better value with its bound than
    /// its antecedents with theirs.
    fn bound(&self, _rule: Self::Rule, _left: Option<&Self::Item>, _right: Option<&Self::Item>) -> Cost {
        Cost::NOTHING
    }
}

/// An inference that may be: its type and its antecedents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Match<R> {
    /// The type.
    pub rule: R,
    /// The first antecedent, or [`NO_ITEM`].
    pub left: u32,
    /// The second antecedent, or [`NO_ITEM`].
    pub right: u32,
}

/// An inference as a grammar sees it.
#[derive(Debug)]
pub struct Inference<'a, L: Logic + ?Sized> {
    /// The type.
    pub rule: L::Rule,
    /// The first antecedent.
    pub left: Option<&'a L::Item>,
    /// The second antecedent.
    pub right: Option<&'a L::Item>,
    /// What is inferred.
    pub consequent: &'a L::Item,
}

/// What is known, by cell.
#[derive(Debug)]
pub struct Chart<'a, I> {
    pub(super) items: &'a [I],
    pub(super) cells: &'a [Vec<u32>],
}

impl<'a, I> Chart<'a, I> {
    /// An item.
    #[inline]
    pub fn item(&self, item: u32) -> &'a I {
        &self.items[item as usize]
    }

    /// The items of a cell, in the order in which they came.
    #[inline]
    pub fn cell(&self, cell: usize) -> &'a [u32] {
        &self.cells[cell]
    }
}
