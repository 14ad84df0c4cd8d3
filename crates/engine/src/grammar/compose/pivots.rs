//! What the second leg knows of a pivot side.

use hashbrown::HashMap;

use super::{Limits, NONE};
use crate::grammar::source::{RuleList, Walk};
use crate::grammar::table::{MOST_ARITY, X};
use crate::grammar::{RuleSource, Symbol};

/// A translation of a pivot side.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The rule of the second leg.
    pub rule: u32,
    pub score: f32,
    symbols: [u32; 2],
}

/// The second leg with all that was asked of it.
pub struct Pivots<'a> {
    pub walk: Box<dyn Walk + 'a>,
    /// For each target word of the first leg the word of the second.
    words: &'a [u32],
    /// Where the translations of a state are, by the number of gaps.
    lists: HashMap<(u32, u8), [u32; 2]>,
    targets: Vec<Target>,
    symbols: Vec<Symbol>,
    /// What the lists were weighed with.
    weights: Vec<f32>,
    listed: RuleList,
}

impl<'a> Pivots<'a> {
    pub fn new(second: &'a dyn RuleSource, words: &'a [u32]) -> Self {
        Self {
            walk: second.walk(),
            words,
            lists: HashMap::new(),
            targets: Vec::new(),
            symbols: Vec::new(),
            weights: Vec::new(),
            listed: RuleList::default(),
        }
    }

    pub fn forget(&mut self) {
        self.lists.clear();
        self.targets.clear();
        self.symbols.clear();
    }

    /// How much is remembered.
    pub fn size(&self) -> usize {
        self.targets.len() + self.symbols.len()
    }

    /// The weights that lists are in the order of from now on.
    pub fn weigh(&mut self, weights: &[f32]) {
        if self.weights != weights {
            self.forget();
            self.weights.clear();
            self.weights.extend_from_slice(weights);
        }
    }

    /// Where a pivot side, a target side of the first leg, leads in the second one.
    pub fn find(&mut self, pivot: &[Symbol]) -> Option<u32> {
        let mut state = self.walk.root();
        for symbol in pivot {
            let own = match symbol.as_word() {
                Some(word) => Symbol::word(*self.words.get(word as usize).filter(|&&word| word != NONE)?),
                None => Symbol::nonterminal(u32::from(X)),
            };
            state = self.walk.step(state, own)?;
        }
        Some(state)
    }

    /// Translations of a pivot side with so many gaps, best first.
    pub fn list(&mut self, state: u32, arity: usize) -> [u32; 2] {
        if let Some(&known) = self.lists.get(&(state, arity as u8)) {
            return known;
        }
        let begin = self.targets.len();
        if arity <= MOST_ARITY && self.walk.has_rules(state) {
            self.listed.clear();
            self.walk.rules(state, arity, &self.weights, &mut self.listed);
            for one in self.listed.rules.iter().filter(|one| one.lhs == X) {
                let first = self.symbols.len() as u32;
                self.symbols.extend_from_slice(self.listed.target(one));
                let symbols = [first, self.symbols.len() as u32];
                self.targets.push(Target { rule: one.rule, score: one.score, symbols });
            }
            self.targets[begin..].sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        let range = [begin as u32, self.targets.len() as u32];
        self.lists.insert((state, arity as u8), range);
        range
    }

    pub fn target(&self, at: u32) -> &Target {
        &self.targets[at as usize]
    }

    pub fn symbols(&self, target: &Target) -> &[Symbol] {
        &self.symbols[target.symbols[0] as usize..target.symbols[1] as usize]
    }
}

/// A pivot side of a source side with translations that are still to come.
#[derive(Debug, Clone)]
pub struct Way {
    /// The rule of the first leg, and its score.
    pub rule: u32,
    pub score: f32,
    /// What the gaps of the second leg are in the first.
    pub places: [u32; 2],
    /// The next translation, and where they end.
    pub next: u32,
    pub end: u32,
    /// Translations that are still allowed.
    pub left: usize,
    /// Links of the first leg, if there have to be some.
    pub links: Vec<[u8; 2]>,
}

impl Way {
    /// Goes on to the next translation that has links, if it must have some; whether there is one.
    pub fn settle(&mut self, pivots: &Pivots<'_>, limits: &Limits) -> bool {
        if self.left == 0 {
            return false;
        }
        while self.next < self.end {
            let target = pivots.target(self.next);
            if !limits.linked || super::legs::are_linked(&self.links, &pivots.walk.links(target.rule)) {
                return true;
            }
            self.next += 1;
        }
        false
    }

    /// The score of the next translation.
    pub fn key(&self, pivots: &Pivots<'_>) -> f32 {
        self.score + pivots.target(self.next).score
    }
}
