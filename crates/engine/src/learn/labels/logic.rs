//! The logic of labelling from left to right.
//!
//! | rule | inference |
//! |---|---|
//! | start | `⊢ [0; ∅ ∅]` |
//! | label | `[i; x y], z ⊢ [i+1; y z]` where z is a label that word i+1 may have |
//!
//! The last two labels are all that is remembered, so sentences that agree in them are one item.

use crate::learn::Mapper;
use crate::parse::{Chart, Logic, Match, NO_ITEM};

/// A label, from 1 on; 0 is none.
pub type Label = u16;

/// How many words have labels, and the last two of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Item {
    /// How many words.
    pub at: u32,
    /// The labels of the last but one and of the last.
    pub last: [Label; 2],
}

/// An inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// No word has a label.
    Start,
    /// The next word gets one.
    Label(Label),
}

/// Labels a sentence.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// For each word the labels it may have.
    allowed: &'a [Vec<Label>],
}

impl<'a> Labels<'a> {
    /// A sentence by the labels that its words may have.
    pub fn new(allowed: &'a [Vec<Label>]) -> Self {
        Self { allowed }
    }

    /// Whether all words have labels.
    pub fn is_whole(&self, item: &Item) -> bool {
        item.at as usize == self.allowed.len()
    }
}

impl Logic for Labels<'_> {
    type Item = Item;
    type Key = Item;
    type Rule = Rule;

    fn key(&self, item: &Item) -> Item {
        *item
    }

    fn cell(&self, item: &Item) -> usize {
        item.at as usize
    }

    fn cells(&self) -> usize {
        self.allowed.len() + 1
    }

    fn axioms(&mut self, found: &mut Vec<Match<Rule>>) {
        found.push(Match { rule: Rule::Start, left: NO_ITEM, right: NO_ITEM });
    }

    fn matching(&self, chart: &Chart<'_, Item>, item: u32, found: &mut Vec<Match<Rule>>) {
        let Some(allowed) = self.allowed.get(chart.item(item).at as usize) else { return };
        found.extend(allowed.iter().map(|&label| Match { rule: Rule::Label(label), left: item, right: NO_ITEM }));
    }

    fn infer(&mut self, rule: Rule, left: Option<&Item>, _right: Option<&Item>) -> Option<Item> {
        match (rule, left) {
            (Rule::Start, None) => Some(Item { at: 0, last: [0; 2] }),
            (Rule::Label(label), Some(&Item { at, last: [_, last] })) => {
                let allowed = self.allowed.get(at as usize)?.contains(&label);
                allowed.then_some(Item { at: at + 1, last: [last, label] })
            }
            _ => None,
        }
    }

    fn target(&self, rule: Rule, left: Option<&Item>, _right: Option<&Item>) -> Option<usize> {
        match rule {
            Rule::Start => None,
            Rule::Label(_) => left.map(|item| item.at as usize + 1),
        }
    }
}

/// Both searches have the same logic.
#[derive(Debug, Clone, Copy, Default)]
pub struct Same;

impl<'a> Mapper<Labels<'a>, Labels<'a>> for Same {
    fn forward(&self, _: &Labels<'a>, _: &Labels<'a>, rule: Rule, _: &Item, rules: &mut Vec<Rule>) {
        rules.push(rule);
    }

    fn backward(&self, _: &Labels<'a>, _: &Labels<'a>, rule: Rule, _: &Item) -> Option<Rule> {
        Some(rule)
    }

    fn is_neutral(&self, _: &Labels<'a>, _: &Item) -> bool {
        false
    }
}
