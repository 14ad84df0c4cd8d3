//! The words and categories of several tables in one space.

use crate::corpus::vocabulary::{Vocabulary, VocabularyBuilder};
use crate::grammar::{Symbol, Table};
use crate::{Error, Result};

/// What tables have in common once each of their words and categories has one number.
pub struct Space {
    /// The words of all source sides, the most frequent first.
    pub source: Vocabulary,
    /// The words of all target sides, likewise.
    pub target: Vocabulary,
    /// The categories, those of the first table first.
    pub categories: Vec<String>,
    ids: Vec<Ids>,
}

/// What a table's words and categories are called in the space.
struct Ids {
    source: Vec<u32>,
    target: Vec<u32>,
    categories: Vec<u8>,
}

impl Space {
    /// The space of these tables; it does not depend on their order, but for the order of further categories.
    ///
    /// # Errors
    /// Tables for different categories, or more than 256 of these.
    pub fn new(tables: &[&Table]) -> Result<Self> {
        let mut categories: Vec<String> = Vec::new();
        for category in tables.iter().flat_map(|table| table.categories()) {
            if !categories.contains(category) {
                categories.push(category.clone());
            }
        }
        let first = |table: &Table| table.categories().first().cloned();
        if tables.windows(2).any(|pair| first(pair[0]) != first(pair[1])) {
            return Err(Error::input("the first categories of the tables, those of translations, are not the same"));
        }
        let (source, sources) = merged(tables.iter().map(|table| table.source_words()));
        let (target, targets) = merged(tables.iter().map(|table| table.target_words()));
        let mut ids = Vec::with_capacity(tables.len());
        for ((table, source), target) in tables.iter().zip(sources).zip(targets) {
            let place = |name: &String| {
                let at = categories.iter().position(|known| known == name).unwrap_or_default();
                u8::try_from(at).map_err(|_| Error::limit("the tables have more than 256 categories"))
            };
            let categories = table.categories().iter().map(place).collect::<Result<_>>()?;
            ids.push(Ids { source, target, categories });
        }
        Ok(Self { source, target, categories, ids })
    }

    /// The symbol of the space for one of a table's source sides.
    #[inline]
    pub fn source(&self, table: usize, symbol: Symbol) -> Symbol {
        let ids = &self.ids[table];
        match symbol.as_nonterminal() {
            Some(category) => Symbol::nonterminal(u32::from(ids.categories[category as usize])),
            None => Symbol::word(ids.source[symbol.as_word().unwrap_or_default() as usize]),
        }
    }

    /// The symbol of the space for one of a table's target sides.
    #[inline]
    pub fn target(&self, table: usize, symbol: Symbol) -> Symbol {
        symbol.as_word().map_or(symbol, |word| Symbol::word(self.ids[table].target[word as usize]))
    }

    /// The category of the space for a table's.
    #[inline]
    pub fn category(&self, table: usize, category: u8) -> u8 {
        self.ids[table].categories[usize::from(category)]
    }
}

/// All words with their counts added, and for each list the new ids of its words.
fn merged<'a>(lists: impl Iterator<Item = &'a Vocabulary>) -> (Vocabulary, Vec<Vec<u32>>) {
    let mut all = VocabularyBuilder::new();
    let mut ids: Vec<Vec<u32>> = lists
        .map(|words| (0..words.len() as u32).map(|id| all.add_times(words.word(id), words.count(id))).collect())
        .collect();
    let (vocabulary, renumbered) = all.finish(0, None);
    for id in ids.iter_mut().flatten() {
        *id = renumbered[*id as usize];
    }
    (vocabulary, ids)
}
