//! Which source words have a rule other than long ones that were seen once.
//!
//! Long rules seen once are most of a table, and translations hardly need them, unless one is all that is known of a word:
//! in small corpora many words are linked only together with others.

use super::Symbol;
use super::code::symbols;
use super::group::Grouped;
use super::hiero::ONE;

/// Source words, by id.
#[derive(Debug)]
pub struct Covered {
    /// The longest source side of rules that count no more than one.
    longest: Option<usize>,
    words: Vec<bool>,
    source: Vec<Symbol>,
}

impl Covered {
    /// None of so many words yet.
    pub fn new(longest: Option<usize>, words: usize) -> Self {
        Self { longest, words: vec![false; if longest.is_some() { words } else { 0 }], source: Vec::new() }
    }

    /// Looks at a rule.
    pub fn add(&mut self, rule: &Grouped) {
        let Some(longest) = self.longest else { return };
        self.source.clear();
        symbols(rule.source(), &mut self.source);
        if rule.count > ONE || self.source.len() <= longest {
            for word in self.source.iter().filter_map(|symbol| symbol.as_word()) {
                self.words[word as usize] = true;
            }
        }
    }

    /// Whether all words of a source side have such a rule.
    pub fn has_all(&self, source: &[Symbol]) -> bool {
        source.iter().filter_map(|symbol| symbol.as_word()).all(|word| self.words[word as usize])
    }
}
