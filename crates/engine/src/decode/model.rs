//! What all decoders share: tables, language models and the names of their features.

use std::sync::Arc;

use hashbrown::HashMap;

use super::sparse::{Sparse, Templates};
use crate::corpus::vocabulary::{UNK, Vocabulary};
use crate::grammar::{Symbol, Table};
use crate::lm::model::LanguageModel;
use crate::{Error, Result};

/// Features that decoders compute themselves, after those of tables and language models.
pub const OWN_FEATURES: [&str; 7] = ["word_count", "rule_count", "glue", "unknown", "input", "distortion", "given"];

/// Where the own features are, behind those of tables and language models.
#[derive(Debug, Clone, Copy)]
pub struct OwnFeatures {
    /// Target words.
    pub words: usize,
    /// Rules other than glue.
    pub rules: usize,
    /// Uses of the rule that glues one more translation to a sequence.
    pub glue: usize,
    /// Words that no rule translates.
    pub unknown: usize,
    /// Scores of the arcs of a lattice.
    pub input: usize,
    /// Source words that phrases jump over.
    pub distortion: usize,
    /// Logarithms of the weights of translations that come with the input.
    pub given: usize,
}

/// How a phrase stands to the one translated before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// It follows it in the source too.
    Mono,
    /// It comes right before it in the source.
    Swap,
    /// Anything else.
    Other,
}

/// How many orientations there are.
pub const ORIENTATIONS: usize = 3;

impl Orientation {
    /// The orientation of a phrase to the one before, as begins and ends in the source.
    #[inline]
    pub fn between(before: [u32; 2], phrase: [u32; 2]) -> Self {
        match () {
            () if before[1] == phrase[0] => Self::Mono,
            () if before[0] == phrase[1] => Self::Swap,
            () => Self::Other,
        }
    }
}

/// Columns of a table that say how likely orientations are, in the order of [`Orientation`] (lexicalised reordering,
/// Koehn et al. 2005). What a derivation gets of them depends on the order of its phrases, so they are not part of a
/// rule's own score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reordering {
    /// Of a phrase to the one before it.
    pub prev: Option<[usize; ORIENTATIONS]>,
    /// Of the next phrase to this one.
    pub next: Option<[usize; ORIENTATIONS]>,
}

impl Reordering {
    /// The columns among a table's features.
    fn find(names: &[String]) -> Result<Option<Self>> {
        let columns = |side: &str| -> Result<Option<[usize; ORIENTATIONS]>> {
            let of = |kind: &str| names.iter().position(|name| *name == format!("reorder_{side}_{kind}"));
            match [of("mono"), of("swap"), of("other")] {
                [None, None, None] => Ok(None),
                [Some(mono), Some(swap), Some(other)] => Ok(Some([mono, swap, other])),
                _ => Err(Error::input(format!("the table lacks one of reorder_{side}_mono, _swap and _other"))),
            }
        };
        let found = Self { prev: columns("prev")?, next: columns("next")? };
        Ok((found.prev.is_some() || found.next.is_some()).then_some(found))
    }

    /// The columns.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.prev.into_iter().chain(self.next).flatten()
    }
}

/// A table with its place among the features.
#[derive(Debug, Clone)]
pub struct ModelTable {
    /// The rules.
    pub table: Table,
    /// Where its features begin.
    pub first_feature: usize,
    reordering: Option<Reordering>,
    /// For each of its target words the model's id; empty if they are the same.
    words: Vec<u32>,
}

impl ModelTable {
    /// Its columns for orientations, if it has any.
    #[inline]
    pub fn reordering(&self) -> Option<Reordering> {
        self.reordering
    }

    /// Whether a column is part of what a rule scores on its own.
    #[inline]
    pub fn is_static(&self, column: usize) -> bool {
        self.reordering.is_none_or(|reordering| !reordering.columns().any(|other| other == column))
    }

    /// The model's symbol for a symbol of the table's target sides.
    #[inline]
    pub fn target_symbol(&self, symbol: Symbol) -> Symbol {
        match symbol.as_word() {
            Some(word) if !self.words.is_empty() => Symbol::word(self.words[word as usize]),
            _ => symbol,
        }
    }
}

/// A language model with its place among the features.
#[derive(Clone)]
pub struct ModelLm {
    /// The probabilities.
    pub model: Arc<dyn LanguageModel>,
    /// Its feature.
    pub feature: usize,
    /// For each of the model's target words the language model's id.
    words: Vec<u32>,
}

impl ModelLm {
    /// The language model's id of a target word.
    #[inline]
    pub fn word(&self, word: u32) -> u32 {
        self.words.get(word as usize).copied().unwrap_or(UNK)
    }
}

/// Tables and language models under one set of feature names.
#[derive(Clone)]
pub struct Model {
    tables: Vec<ModelTable>,
    lms: Vec<ModelLm>,
    names: Vec<String>,
    target_words: Vocabulary,
    own: OwnFeatures,
    sparse: Sparse,
}

impl Model {
    /// Brings tables and language models together. With one table its features keep their names; of several, each has a
    /// name that goes before those of its features.
    ///
    /// # Errors
    /// No table, names that are used twice, rules that decoders cannot use.
    pub fn new(tables: Vec<(String, Table)>, lms: Vec<(String, Arc<dyn LanguageModel>)>) -> Result<Self> {
        let Some((_, first)) = tables.first() else {
            return Err(Error::input("a translation model needs a table of rules"));
        };
        let several = tables.len() > 1;
        let target_words = if several {
            let lists = tables.iter().map(|(_, table)| table.target_words());
            let mut seen = hashbrown::HashSet::new();
            let words =
                lists.flat_map(|list| (3..list.len() as u32).map(|id| list.word(id))).filter(|word| seen.insert(*word));
            Vocabulary::from_words(words)?
        } else {
            first.target_words().clone()
        };
        let mut names: Vec<String> = Vec::new();
        let mut placed = Vec::new();
        for (name, table) in tables {
            check_rules(&table)?;
            let first_feature = names.len();
            let prefix = if several { format!("{name}.") } else { String::new() };
            names.extend(table.feature_names().iter().map(|feature| format!("{prefix}{feature}")));
            let list = table.target_words();
            let words = if several {
                (0..list.len() as u32).map(|id| target_words.id(list.word(id))).collect()
            } else {
                Vec::new()
            };
            let reordering = Reordering::find(table.feature_names())?;
            placed.push(ModelTable { table, first_feature, reordering, words });
        }
        let mut models = Vec::new();
        for (name, model) in lms {
            let known = model.vocabulary();
            let words = (0..target_words.len() as u32).map(|id| known.id(target_words.word(id))).collect();
            models.push(ModelLm { model: Arc::clone(&model), feature: names.len(), words });
            names.push(name);
        }
        let at = names.len();
        let own = OwnFeatures {
            words: at,
            rules: at + 1,
            glue: at + 2,
            unknown: at + 3,
            input: at + 4,
            distortion: at + 5,
            given: at + 6,
        };
        names.extend(OWN_FEATURES.map(str::to_owned));
        if let Some(twice) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name))
        {
            return Err(Error::input(format!("two features of the model are called `{twice}`")));
        }
        Ok(Self { tables: placed, lms: models, names, target_words, own, sparse: Sparse::default() })
    }

    /// The same model with sparse features.
    ///
    /// # Errors
    /// See [`Sparse::new`].
    pub fn with_sparse(mut self, templates: Templates) -> Result<Self> {
        self.sparse = Sparse::new(templates, &self.tables)?;
        Ok(self)
    }

    /// Its sparse features.
    pub fn sparse(&self) -> &Sparse {
        &self.sparse
    }

    /// The tables.
    pub fn tables(&self) -> &[ModelTable] {
        &self.tables
    }

    /// The language models.
    pub fn lms(&self) -> &[ModelLm] {
        &self.lms
    }

    /// The names of the features.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// Where a feature is.
    pub fn feature(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Where the features that decoders compute are.
    pub fn own(&self) -> OwnFeatures {
        self.own
    }

    /// Whether a rule of any table translates a source word alone.
    pub fn translates(&self, word: &str) -> bool {
        self.tables.iter().any(|ModelTable { table, .. }| {
            let id = table.source_words().find(word).map(Symbol::word);
            let node = id.and_then(|symbol| table.step(Table::ROOT, symbol));
            node.is_some_and(|node| !table.rules(node).is_empty())
        })
    }

    /// The target words of all tables.
    pub fn target_words(&self) -> &Vocabulary {
        &self.target_words
    }
}

/// A rule whose source side is one nonterminal could be applied to its own result for ever.
fn check_rules(table: &Table) -> Result<()> {
    let mut categories = 0..table.categories().len() as u32;
    let start = |category| table.step(Table::ROOT, Symbol::nonterminal(category));
    if categories.any(|category| start(category).is_some_and(|node| !table.rules(node).is_empty())) {
        return Err(Error::input("the grammar has rules whose source side is a single nonterminal")
            .hint("leave glue rules out: decoders have their own"));
    }
    Ok(())
}

/// One weight for each feature of a model, and those of sparse features that are not 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    values: Vec<f32>,
    sparse: HashMap<u32, f32>,
}

impl Weights {
    /// Checks and takes weights, in the order of the model's names.
    ///
    /// # Errors
    /// Not as many as features, or not finite.
    pub fn new(model: &Model, weights: &[f64]) -> Result<Self> {
        if weights.len() != model.feature_names().len() {
            let (got, wanted) = (weights.len(), model.feature_names().len());
            return Err(Error::input(format!("{got} weights for {wanted} features")));
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::input(format!("the weight of {} is not a finite number", model.feature_names()[at])));
        }
        let values = weights.iter().map(|&weight| weight as f32).collect();
        Ok(Self { values, sparse: HashMap::new() })
    }

    /// The same weights with some of sparse features.
    ///
    /// # Errors
    /// A name that no template of the model makes, or a weight that is not finite.
    pub fn with_sparse(mut self, model: &Model, weights: &[(String, f64)]) -> Result<Self> {
        for (name, weight) in weights {
            let feature = model.sparse().find(name).ok_or_else(|| {
                Error::input(format!("the model has no feature `{name}`"))
                    .hint("sparse features are made by templates; a decoder has those that it is told to have")
            })?;
            if !weight.is_finite() {
                return Err(Error::input(format!("the weight of {name} is not a finite number")));
            }
            self.sparse.insert(feature, *weight as f32);
        }
        Ok(self)
    }

    /// The weighted sum of sparse features.
    pub fn weigh(&self, features: &[(u32, f32)]) -> f32 {
        features.iter().map(|(feature, value)| value * self.sparse.get(feature).copied().unwrap_or(0.0)).sum()
    }

    /// Whether sparse features count at all.
    pub fn has_sparse(&self) -> bool {
        !self.sparse.is_empty()
    }

    /// The weights.
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}
