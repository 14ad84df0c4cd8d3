//! Two grammars as one, by the language between them (triangulation): rules of source to pivot and of pivot to target
//! whose pivot sides are the same make rules of source to target (Razmara 2013, chapter 3).
//!
//! [`Composed`] is a source of rules that are made while decoders ask for them, each with the features of both legs, so
//! that it has the score max over pivots i of w₁·φ₁(f, i) + w₂·φ₂(i, e). A leg may be composed itself. [`compose_tables`]
//! makes a table of sums or maxima of products of probabilities instead (Utiyama & Isahara 2007; Cohn & Lapata 2007).

mod fixed;
mod legs;
mod pivots;
#[cfg(test)]
mod tests;
mod walk;

use std::cell::Cell;
use std::sync::Arc;

use hashbrown::HashMap;

use super::score::{CATEGORIES, ORIENTATIONS};
use super::source::{RuleSource, Walk};
use super::{Symbol, Table};
use crate::corpus::vocabulary::{SPECIALS, Vocabulary};
use crate::{Error, Result};

pub use fixed::{FixedSettings, Lexical, Made, Sum, compose_tables};

use self::walk::ComposedWalk;

/// No word.
const NONE: u32 = u32::MAX;

/// How much of what could be composed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Translations of a source side, the best; 0 for all.
    pub rules: usize,
    /// Pivot sides of a source side, the best that have translations; 0 for all.
    pub pivots: usize,
    /// Translations of a pivot side, the best; 0 for all.
    pub targets: usize,
    /// Whether there must be a source word whose link leads through a pivot word to a target word.
    pub linked: bool,
}

impl Limits {
    /// All that there is.
    pub const NONE: Self = Self { rules: 0, pivots: 0, targets: 0, linked: false };
}

/// What becomes of several ways through the pivot to the same rule.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// The best way: a rule has the features of both its legs.
    Max,
    /// The logarithm of the sum of exp(w₁·φ₁ + w₂·φ₂), which is the only feature, with these weights of both legs.
    Sum([Vec<f32>; 2]),
}

/// The name of the feature of [`How::Sum`].
pub const SUM: &str = "through";

/// The rules of source to pivot and of pivot to target as rules of source to target.
#[derive(Debug)]
pub struct Composed {
    legs: [Arc<dyn RuleSource>; 2],
    how: How,
    limits: Limits,
    /// For each target word of the first leg the source word of the second.
    words: Vec<u32>,
    names: Vec<String>,
    /// The columns of each leg that are features of composed rules, but those of orientations.
    columns: [Vec<usize>; 2],
    /// The columns of orientations in each leg, if both have them.
    orientations: Option<[[usize; ORIENTATIONS.len()]; 2]>,
}

impl Composed {
    /// Composes two sources of rules, whose features get these names before their own. If words of the pivot are `recased`, those
    /// of the first leg that the second one has only in another case are the same.
    ///
    /// # Errors
    /// No word of the pivot that both know, weights of a sum that are not those of the legs, categories other than X, or
    /// rules that are only found on demand.
    pub fn new(legs: [(String, Arc<dyn RuleSource>); 2], how: How, limits: Limits, recased: bool) -> Result<Self> {
        let [(first_name, first), (second_name, second)] = legs;
        for leg in [&first, &second] {
            check(&**leg)?;
        }
        let columns = [&first, &second].map(|leg| static_columns(leg.feature_names()));
        let words = pivot_words(first.target_words(), second.source_words(), recased)?;
        let orientations = match [&first, &second].map(|leg| orientation_columns(leg.feature_names())) {
            [Some(own), Some(other)] if how == How::Max => Some([own, other]),
            _ => None,
        };
        let names = match &how {
            How::Max => {
                let of = |name: &str, leg: &Arc<dyn RuleSource>, columns: &[usize]| -> Vec<String> {
                    let full = |&column: &usize| {
                        let own = &leg.feature_names()[column];
                        if name.is_empty() { own.clone() } else { format!("{name}.{own}") }
                    };
                    columns.iter().map(full).collect()
                };
                let more = if orientations.is_some() { &ORIENTATIONS[..] } else { &[] };
                let legs = [of(&first_name, &first, &columns[0]), of(&second_name, &second, &columns[1])].concat();
                legs.into_iter().chain(more.iter().map(|&name| name.to_owned())).collect()
            }
            How::Sum(weights) => {
                for ((weights, leg), columns) in weights.iter().zip([&first, &second]).zip(&columns) {
                    if weights.len() != columns.len() || weights.iter().any(|weight| !weight.is_finite()) {
                        let what = format!("{} weights for {} features of a leg", weights.len(), columns.len());
                        let hint = format!("its features are {}", leg.feature_names().join(", "));
                        return Err(Error::settings(what).hint(hint));
                    }
                }
                vec![SUM.to_owned()]
            }
        };
        if let Some(name) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name)) {
            return Err(
                Error::settings(format!("both legs have a feature {name}")).hint("give the legs different names")
            );
        }
        Ok(Self { legs: [first, second], how, limits, words, names, columns, orientations })
    }

    /// How many words of the pivot both legs have.
    pub fn shared_words(&self) -> usize {
        self.words.iter().filter(|&&word| word != NONE).count()
    }

    /// Whether any source side of a table, which the first leg's rules are in, leads through the pivot.
    pub fn meets(&self, first: &Table) -> bool {
        let mut walk = self.walk();
        let found = Cell::new(false);
        let look = |_, source: &[Symbol]| {
            let end = source.iter().try_fold(walk.root(), |state, &symbol| walk.step(state, symbol));
            found.set(end.is_some_and(|state| walk.has_rules(state)));
            Ok(())
        };
        // Nothing is wanted any more once one is found.
        first.each_source_among(|_| !found.get(), look).is_ok() && found.get()
    }

    /// The features of each leg that composed rules have, or sums are made of.
    pub fn leg_features(&self) -> [Vec<String>; 2] {
        [0, 1].map(|leg| self.columns[leg].iter().map(|&at| self.legs[leg].feature_names()[at].clone()).collect())
    }
}

/// Refuses what cannot be a leg.
fn check(leg: &dyn RuleSource) -> Result<()> {
    if leg.looks_ahead() {
        return Err(Error::settings("a model that finds its rules in its text cannot be a leg")
            .hint("use a model that has a table, as training without --grow makes"));
    }
    match leg.categories().iter().find(|name| !CATEGORIES.contains(&name.as_str())) {
        Some(name) => Err(Error::settings(format!("rules of the category {name} cannot be composed"))
            .hint("both legs need rules with X as their only category")),
        None => Ok(()),
    }
}

/// The features that rules have on their own.
fn static_columns(names: &[String]) -> Vec<usize> {
    (0..names.len()).filter(|&at| !ORIENTATIONS.contains(&names[at].as_str())).collect()
}

/// Where the orientations are, if all are there.
fn orientation_columns(names: &[String]) -> Option<[usize; ORIENTATIONS.len()]> {
    let mut columns = [0; ORIENTATIONS.len()];
    for (column, wanted) in columns.iter_mut().zip(ORIENTATIONS) {
        *column = names.iter().position(|name| name == wanted)?;
    }
    Some(columns)
}

/// For each target word of the first leg the source word of the second, if it has one: the same or, if words are `recased`
/// and it does not have that, the only one that differs in case alone.
fn pivot_words(first: &Vocabulary, second: &Vocabulary, recased: bool) -> Result<Vec<u32>> {
    let specials = SPECIALS.len() as u32;
    let mut lower: HashMap<String, u32> = HashMap::new();
    for id in (specials..second.len() as u32).filter(|_| recased) {
        lower.entry(second.word(id).to_lowercase()).and_modify(|known| *known = NONE).or_insert(id);
    }
    let find = |word: &str| second.find(word).or_else(|| lower.get(&word.to_lowercase()).copied()).unwrap_or(NONE);
    let words: Vec<u32> =
        (0..first.len() as u32).map(|id| if id < specials { NONE } else { find(first.word(id)) }).collect();
    if words.iter().all(|&word| word == NONE) {
        return Err(Error::input("the target side of the first leg and the source side of the second share no word")
            .hint("name the model of source and pivot first, then that of pivot and target"));
    }
    Ok(words)
}

impl RuleSource for Composed {
    fn feature_names(&self) -> &[String] {
        &self.names
    }

    fn categories(&self) -> &[String] {
        self.legs[0].categories()
    }

    fn source_words(&self) -> &Vocabulary {
        self.legs[0].source_words()
    }

    fn target_words(&self) -> &Vocabulary {
        self.legs[1].target_words()
    }

    fn walk(&self) -> Box<dyn Walk + '_> {
        Box::new(ComposedWalk::new(self))
    }
}
