//! Logic MonoC: context-free parsing of one sentence (Galron 2012, table 4.1).
//!
//! | | |
//! |---|---|
//! | items | `⟨t, i⟩` a word, `[X; (i, j)]` a category over a span |
//! | Scan | `⟨t, i⟩, X ⇒ t ⊢ [X; (i-1, i)]` |
//! | Compose | `[Y; (i, j)], [Z; (j, k)], X ⇒ Y Z ⊢ [X; (i, k)]` |
//! | Project | `[Y; (i, j)], X ⇒ Y ⊢ [X; (i, j)]` |
//!
//! The table is in Chomsky's normal form and has no projections; treebanks have.

use std::fmt::Debug;
use std::hash::Hash;

use hashbrown::HashMap;

use super::cost::Cost;
use super::grammar::Grammar;
use super::logic::{Chart, Inference, Logic, Match, NO_ITEM};

/// What a production has on its right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// `X ⇒ t`
    Word(u32),
    /// `X ⇒ Y`
    One(u32),
    /// `X ⇒ Y Z`
    Two(u32, u32),
}

/// `X ⇒ …` and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Production {
    /// X.
    pub left: u32,
    /// What X is rewritten as.
    pub right: Right,
    /// Minus the logarithm of its probability, for a probabilistic grammar.
    pub cost: Cost,
}

/// A context-free grammar: productions by their right sides.
#[derive(Debug, Clone, Default)]
pub struct ContextFree {
    productions: Vec<Production>,
    by_right: HashMap<Right, Vec<u32>>,
}

impl ContextFree {
    /// A grammar of these productions.
    pub fn new(productions: Vec<Production>) -> Self {
        let mut by_right: HashMap<Right, Vec<u32>> = HashMap::new();
        for (number, production) in productions.iter().enumerate() {
            by_right.entry(production.right).or_default().push(number as u32);
        }
        Self { productions, by_right }
    }

    /// A production, if there are so many.
    pub fn get(&self, number: u32) -> Option<Production> {
        self.productions.get(number as usize).copied()
    }

    /// A production.
    pub fn production(&self, number: u32) -> Production {
        self.productions[number as usize]
    }

    fn of(&self, right: Right) -> &[u32] {
        self.by_right.get(&right).map_or(&[], Vec::as_slice)
    }
}

/// What [`MonoC`] asks of a context-free grammar: which terms have which right sides.
pub trait Terms {
    /// A production, as far as it is asked for.
    type Term: Copy + Debug + Eq + Hash;

    /// The productions `X ⇒ t`.
    fn of_word(&self, word: u32, found: impl FnMut(Self::Term));
    /// The productions `X ⇒ Y`.
    fn of_one(&self, category: u32, found: impl FnMut(Self::Term));
    /// The productions `X ⇒ Y Z`.
    fn of_two(&self, left: u32, right: u32, found: impl FnMut(Self::Term));
    /// X.
    fn left(&self, term: Self::Term) -> u32;
    /// What it costs.
    fn cost(&self, term: Self::Term) -> Cost;
}

impl Terms for ContextFree {
    /// By number.
    type Term = u32;

    fn of_word(&self, word: u32, found: impl FnMut(u32)) {
        self.of(Right::Word(word)).iter().copied().for_each(found);
    }

    fn of_one(&self, category: u32, found: impl FnMut(u32)) {
        self.of(Right::One(category)).iter().copied().for_each(found);
    }

    fn of_two(&self, left: u32, right: u32, found: impl FnMut(u32)) {
        self.of(Right::Two(left, right)).iter().copied().for_each(found);
    }

    fn left(&self, term: u32) -> u32 {
        self.production(term).left
    }

    fn cost(&self, term: u32) -> Cost {
        self.production(term).cost
    }
}

/// An item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// `⟨t, i⟩`, positions from 1.
    Word {
        /// t
        word: u32,
        /// i
        at: u32,
    },
    /// `[X; (i, j)]`
    Category {
        /// X
        category: u32,
        /// i
        from: u32,
        /// j
        to: u32,
    },
}

/// An inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule<T = u32> {
    /// The word at a position is given.
    Axiom(u32),
    /// By a production `X ⇒ t`.
    Scan(T),
    /// By a production `X ⇒ Y`.
    Project(T),
    /// By a production `X ⇒ Y Z`.
    Compose(T),
}

/// Parses the words of a sentence with a context-free grammar.
#[derive(Debug)]
pub struct MonoC<'a, G = ContextFree> {
    grammar: &'a G,
    words: &'a [u32],
}

impl<'a, G: Terms> MonoC<'a, G> {
    /// A sentence and its grammar.
    pub fn new(grammar: &'a G, words: &'a [u32]) -> Self {
        Self { grammar, words }
    }

    /// The item that a parse ends with.
    pub fn goal(&self, category: u32) -> Known {
        Known::Category { category, from: 0, to: self.words.len() as u32 }
    }

    fn place(&self, from: u32, to: u32) -> usize {
        from as usize * (self.words.len() + 1) + to as usize
    }
}

impl<G: Terms> Logic for MonoC<'_, G> {
    type Item = Known;
    type Key = Known;
    type Rule = Rule<G::Term>;

    fn key(&self, item: &Known) -> Known {
        *item
    }

    /// Words stand where no span is.
    fn cell(&self, item: &Known) -> usize {
        match *item {
            Known::Word { at, .. } => self.place(at, at - 1),
            Known::Category { from, to, .. } => self.place(from, to),
        }
    }

    fn cells(&self) -> usize {
        (self.words.len() + 1) * (self.words.len() + 1)
    }

    fn axioms(&mut self, found: &mut Vec<Match<Self::Rule>>) {
        let words = 1..=self.words.len() as u32;
        found.extend(words.map(|at| Match { rule: Rule::Axiom(at), left: NO_ITEM, right: NO_ITEM }));
    }

    fn matching(&self, chart: &Chart<'_, Known>, item: u32, found: &mut Vec<Match<Self::Rule>>) {
        let (category, from, to) = match *chart.item(item) {
            Known::Word { word, .. } => {
                let scan = |term| found.push(Match { rule: Rule::Scan(term), left: item, right: NO_ITEM });
                return self.grammar.of_word(word, scan);
            }
            Known::Category { category, from, to } => (category, from, to),
        };
        self.grammar.of_one(category, |term| {
            found.push(Match { rule: Rule::Project(term), left: item, right: NO_ITEM });
        });
        let mut both = |left: u32, right: u32| {
            let label = |item: u32| match *chart.item(item) {
                Known::Category { category, .. } => category,
                Known::Word { word, .. } => word,
            };
            self.grammar.of_two(label(left), label(right), |term| {
                found.push(Match { rule: Rule::Compose(term), left, right });
            });
        };
        for start in 0..from {
            chart.cell(self.place(start, from)).iter().for_each(|&left| both(left, item));
        }
        for end in to + 1..=self.words.len() as u32 {
            chart.cell(self.place(to, end)).iter().for_each(|&right| both(item, right));
        }
    }

    fn infer(&mut self, rule: Self::Rule, left: Option<&Known>, right: Option<&Known>) -> Option<Known> {
        let labelled =
            |term: G::Term, from: u32, to: u32| Some(Known::Category { category: self.grammar.left(term), from, to });
        match (rule, left, right) {
            (Rule::Axiom(at), ..) => Some(Known::Word { word: self.words[at as usize - 1], at }),
            (Rule::Scan(by), Some(&Known::Word { at, .. }), _) => labelled(by, at - 1, at),
            (Rule::Project(by), Some(&Known::Category { from, to, .. }), _) => labelled(by, from, to),
            (
                Rule::Compose(by),
                Some(&Known::Category { from, to: middle, .. }),
                Some(&Known::Category { from: next, to, .. }),
            ) => labelled(by, from, to).filter(|_| middle == next),
            _ => None,
        }
    }

    fn target(&self, rule: Self::Rule, left: Option<&Known>, right: Option<&Known>) -> Option<usize> {
        match (rule, left, right) {
            (Rule::Compose(_), Some(&Known::Category { from, .. }), Some(&Known::Category { to, .. })) => {
                Some(self.place(from, to))
            }
            _ => None,
        }
    }
}

/// The costs of the productions themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Productions;

impl<G: Terms> Grammar<MonoC<'_, G>> for Productions {
    fn cost(&mut self, logic: &MonoC<'_, G>, inference: &Inference<'_, MonoC<'_, G>>) -> Cost {
        match inference.rule {
            Rule::Axiom(_) => Cost::NOTHING,
            Rule::Scan(by) | Rule::Project(by) | Rule::Compose(by) => logic.grammar.cost(by),
        }
    }
}
