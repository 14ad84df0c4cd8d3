//! What all levels of a grammar share: its symbols and which rules there are, without their probabilities.

use crate::files::Section;
use crate::{Error, Result};

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// The tag of a word.
    Tag,
    /// A phrase.
    Phrase,
    /// A part of a phrase, which binarisation has made.
    Part,
}

impl SymbolKind {
    /// The kind with a number.
    pub fn of(number: u8) -> Option<Self> {
        [Self::Tag, Self::Phrase, Self::Part].get(usize::from(number)).copied()
    }
}

/// Symbols there may be at most.
pub const MOST_SYMBOLS: usize = 1 << 15;

/// Symbols and rules.
///
/// A phrase over two others is a binary rule; a chain of phrases over one span is one unary rule, which knows the chain. A
/// node therefore has two storeys: below it was made of two others or of a word, above it perhaps by one unary rule.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    names: Vec<String>,
    kinds: Vec<u8>,
    chains: Vec<String>,
    root: u32,
    /// Left, right and parent of each binary rule, sorted.
    binary: Section<[u32; 3]>,
    /// Child, parent and chain of each unary rule, sorted.
    unary: Section<[u32; 3]>,
    left_begins: Vec<u32>,
    child_begins: Vec<u32>,
}

impl Outline {
    /// Checks rules, which must be sorted and different.
    ///
    /// # Errors
    /// Numbers that stand for nothing, rules out of order, tags that are made of others.
    pub fn new(
        names: Vec<String>,
        kinds: Vec<u8>,
        chains: Vec<String>,
        root: u32,
        binary: Section<[u32; 3]>,
        unary: Section<[u32; 3]>,
    ) -> Result<Self> {
        let count = names.len();
        if count == 0 || count > MOST_SYMBOLS {
            return Err(Error::format(format!("the grammar has {count} symbols, which is not 1 to {MOST_SYMBOLS}")));
        }
        if kinds.len() != count || kinds.iter().any(|&kind| SymbolKind::of(kind).is_none()) {
            return Err(Error::format("the kinds of symbols do not fit the symbols"));
        }
        let is = |symbol: u32, wanted: SymbolKind| SymbolKind::of(kinds[symbol as usize]) == Some(wanted);
        let known = |symbols: &[u32]| symbols.iter().all(|&symbol| (symbol as usize) < count);
        if !known(&[root]) || !is(root, SymbolKind::Phrase) {
            return Err(Error::format("the root is no phrase"));
        }
        let (pairs, singles): (&[[u32; 3]], &[[u32; 3]]) = (&binary, &unary);
        if !pairs.is_sorted_by(|a, b| a < b) || !singles.is_sorted_by(|a, b| a < b) {
            return Err(Error::format("rules of the grammar are not in order"));
        }
        if pairs.iter().any(|rule| !known(rule) || is(rule[2], SymbolKind::Tag)) {
            return Err(Error::format("a rule with two parts has a symbol that cannot stand there"));
        }
        let fits = |rule: &[u32; 3]| known(&rule[..2]) && (rule[2] as usize) < chains.len();
        if singles.iter().any(|rule| !fits(rule) || !is(rule[1], SymbolKind::Phrase)) {
            return Err(Error::format("a rule with one part has a symbol that cannot stand there"));
        }
        let begins = |rules: &[[u32; 3]]| {
            (0..=count as u32).map(|symbol| rules.partition_point(|rule| rule[0] < symbol) as u32).collect()
        };
        let (left_begins, child_begins) = (begins(pairs), begins(singles));
        Ok(Self { names, kinds, chains, root, left_begins, child_begins, binary, unary })
    }

    /// How many symbols there are.
    pub fn symbols(&self) -> usize {
        self.names.len()
    }

    /// The symbols' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The kinds of symbols, as numbers.
    pub fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// Whether a symbol is a tag.
    pub fn is_tag(&self, symbol: u32) -> bool {
        self.kinds[symbol as usize] == 0
    }

    /// The names of chains of phrases that unary rules stand for.
    pub fn chains(&self) -> &[String] {
        &self.chains
    }

    /// The symbol of whole sentences.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Left, right and parent of each binary rule.
    pub fn binary(&self) -> &[[u32; 3]] {
        &self.binary
    }

    /// Child, parent and chain of each unary rule.
    pub fn unary(&self) -> &[[u32; 3]] {
        &self.unary
    }

    /// The numbers of the binary rules with a left part.
    pub fn with_left(&self, symbol: u32) -> std::ops::Range<usize> {
        self.left_begins[symbol as usize] as usize..self.left_begins[symbol as usize + 1] as usize
    }

    /// The numbers of the unary rules over a symbol.
    pub fn with_child(&self, symbol: u32) -> std::ops::Range<usize> {
        self.child_begins[symbol as usize] as usize..self.child_begins[symbol as usize + 1] as usize
    }
}
