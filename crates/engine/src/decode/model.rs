//! What all decoders share: sources of rules, language models, one space of words and categories, and the names of
//! features.

use std::sync::Arc;

use hashbrown::HashMap;

use super::sparse::{Sparse, Templates};
use super::walks::Walks;
use crate::corpus::vocabulary::{UNK, Vocabulary};
use crate::forest::mixture::MOST_COMPONENTS;
use crate::grammar::source::Asked;
use crate::grammar::{RuleSource, Symbol};
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

/// A source of rules with its place among the features, and its words and categories among the model's.
#[derive(Debug, Clone)]
pub struct ModelSource {
    /// The rules.
    pub source: Arc<dyn RuleSource>,
    /// Where its features begin.
    pub first_feature: usize,
    /// The component of the model that it belongs to.
    pub component: u32,
    reordering: Option<Reordering>,
    /// `None` if its words and categories are the model's.
    spaces: Option<Arc<Spaces>>,
}

/// No word or category.
const NONE: u32 = u32::MAX;

/// How a source's words and categories are called in the model.
#[derive(Debug, Clone)]
struct Spaces {
    /// For each of the model's source words the source's id, or [`NONE`].
    source: Vec<u32>,
    /// For each of the source's target words the model's id.
    target: Vec<u32>,
    /// For each of the source's categories the model's.
    categories: Vec<u8>,
    /// For each of the model's categories the source's, or [`NONE`].
    own_categories: Vec<u32>,
}

impl ModelSource {
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

    /// The source's symbol for a word or category of the model, if it has it.
    #[inline]
    pub fn own_symbol(&self, symbol: Symbol) -> Option<Symbol> {
        let Some(spaces) = &self.spaces else { return Some(symbol) };
        let (known, symbol): (_, fn(u32) -> Symbol) = match (symbol.as_word(), symbol.as_nonterminal()) {
            (Some(word), _) => (spaces.source.get(word as usize), Symbol::word),
            (_, category) => (spaces.own_categories.get(category? as usize), Symbol::nonterminal),
        };
        known.copied().filter(|&id| id != NONE).map(symbol)
    }

    /// The model's symbol for a symbol of the source's target sides.
    #[inline]
    pub fn target_symbol(&self, symbol: Symbol) -> Symbol {
        match (&self.spaces, symbol.as_word()) {
            (Some(spaces), Some(word)) => Symbol::word(spaces.target[word as usize]),
            _ => symbol,
        }
    }

    /// The model's category for one of the source's.
    #[inline]
    pub fn category(&self, own: u8) -> u8 {
        self.spaces.as_ref().map_or(own, |spaces| spaces.categories[usize::from(own)])
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

/// Sources of rules and language models under one set of feature names, words and categories.
#[derive(Clone)]
pub struct Model {
    sources: Vec<ModelSource>,
    lms: Vec<ModelLm>,
    names: Vec<String>,
    source_words: Vocabulary,
    target_words: Vocabulary,
    categories: Vec<String>,
    own: OwnFeatures,
    sparse: Sparse,
    /// The names of the components of an ensemble; one without a name if it is none.
    components: Vec<String>,
}

/// A source of rules with its name.
pub type NamedSource = (String, Arc<dyn RuleSource>);

impl Model {
    /// Brings rules and language models together. With one source its features keep their names; of several, each has a
    /// name that goes before those of its features. Words and categories with the same name are the same in all.
    ///
    /// # Errors
    /// No source, names that are used twice, rules that decoders cannot use, more than 256 categories.
    pub fn new(sources: Vec<NamedSource>, lms: Vec<(String, Arc<dyn LanguageModel>)>) -> Result<Self> {
        Self::ensemble(vec![(String::new(), sources)], lms)
    }

    /// Brings the rules of several components together with the language models of all of them; see [`Model::new`].
    ///
    /// # Errors
    /// See [`Model::new`]; a component without a source, more than [`MOST_COMPONENTS`].
    pub fn ensemble(
        components: Vec<(String, Vec<NamedSource>)>,
        lms: Vec<(String, Arc<dyn LanguageModel>)>,
    ) -> Result<Self> {
        if components.is_empty() || components.iter().any(|(_, own)| own.is_empty()) {
            return Err(Error::input("a translation model needs a table of rules"));
        }
        let count = components.len();
        if count > MOST_COMPONENTS {
            return Err(Error::limit(format!("an ensemble of {count} components, more than {MOST_COMPONENTS}")));
        }
        let owners: Vec<u32> = (0..).zip(&components).flat_map(|(at, (_, own))| vec![at; own.len()]).collect();
        let component_names = components.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let sources: Vec<NamedSource> = components.into_iter().flat_map(|(_, own)| own).collect();
        let first = Arc::clone(&sources[0].1);
        let several = sources.len() > 1;
        let named = several || component_names.iter().any(|name| !name.is_empty());
        let (source_words, target_words) = if several {
            (
                all_words(sources.iter().map(|(_, source)| source.source_words()))?,
                all_words(sources.iter().map(|(_, source)| source.target_words()))?,
            )
        } else {
            (first.source_words().clone(), first.target_words().clone())
        };
        let mut categories: Vec<String> = Vec::new();
        for category in sources.iter().flat_map(|(_, source)| source.categories()) {
            if !categories.contains(category) {
                categories.push(category.clone());
            }
        }
        if categories.len() > MOST_CATEGORIES {
            let count = categories.len();
            return Err(Error::limit(format!("{count} categories in all grammars, more than {MOST_CATEGORIES}")));
        }
        let mut names: Vec<String> = Vec::new();
        let mut placed: Vec<ModelSource> = Vec::new();
        for ((name, source), component) in sources.into_iter().zip(owners) {
            check_rules(&*source)?;
            let first_feature = names.len();
            let prefix = if named { format!("{name}.") } else { String::new() };
            names.extend(source.feature_names().iter().map(|feature| format!("{prefix}{feature}")));
            // Sources with the same trie have the same words.
            let same = |other: &&ModelSource| source.trie().is_some() && other.source.trie() == source.trie();
            let known = placed.iter().find(same).and_then(|other| other.spaces.clone());
            let new = || Arc::new(Spaces::new(&*source, [&source_words, &target_words], &categories));
            let spaces = several.then(|| known.unwrap_or_else(new));
            let reordering = Reordering::find(source.feature_names())?;
            placed.push(ModelSource { source, first_feature, component, reordering, spaces });
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
        Ok(Self {
            sources: placed,
            lms: models,
            names,
            source_words,
            target_words,
            categories,
            own,
            sparse: Sparse::default(),
            components: component_names,
        })
    }

    /// The same model with sparse features.
    ///
    /// # Errors
    /// See [`Sparse::new`].
    pub fn with_sparse(mut self, templates: Templates) -> Result<Self> {
        self.sparse = Sparse::new(templates, &self.sources)?;
        Ok(self)
    }

    /// Its sparse features.
    pub fn sparse(&self) -> &Sparse {
        &self.sparse
    }

    /// The sources of rules.
    pub fn sources(&self) -> &[ModelSource] {
        &self.sources
    }

    /// How many components there are; with more than one it is an ensemble.
    pub fn components(&self) -> usize {
        self.components.len()
    }

    /// The names of the components of an ensemble.
    pub fn component_names(&self) -> &[String] {
        if self.components.len() > 1 { &self.components } else { &[] }
    }

    /// The names of the categories of all sources.
    pub fn categories(&self) -> &[String] {
        &self.categories
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

    /// Whether a rule of any source translates each of these source words alone.
    ///
    /// # Errors
    /// Rules that cannot be made for them.
    pub fn translates<S: AsRef<str>>(&self, words: &[S]) -> Result<Vec<bool>> {
        let mut walks = Walks::new(self);
        let mut translated = Vec::with_capacity(words.len());
        for word in words {
            let id = self.source_words.find(word.as_ref());
            // Each is a sentence of its own, so that nothing else is looked for.
            walks.begin(Asked { words: &[id], ordered: true, span: 1 }, |_| ())?;
            translated.push(id.is_some_and(|id| walks.translates(id)));
        }
        Ok(translated)
    }

    /// The source words of all sources.
    pub fn source_words(&self) -> &Vocabulary {
        &self.source_words
    }

    /// The target words of all sources.
    pub fn target_words(&self) -> &Vocabulary {
        &self.target_words
    }
}

/// Categories are numbers of one byte.
const MOST_CATEGORIES: usize = 256;

impl Spaces {
    fn new(source: &dyn RuleSource, [from, to]: [&Vocabulary; 2], categories: &[String]) -> Self {
        let (known, list) = (source.source_words(), source.target_words());
        let place = |name: &String| categories.iter().position(|other| other == name).unwrap_or(0);
        let own = |name: &String| source.categories().iter().position(|other| other == name);
        Self {
            source: (0..from.len() as u32).map(|id| known.find(from.word(id)).unwrap_or(NONE)).collect(),
            target: (0..list.len() as u32).map(|id| to.id(list.word(id))).collect(),
            categories: source.categories().iter().map(|name| place(name) as u8).collect(),
            own_categories: categories.iter().map(|name| own(name).map_or(NONE, |at| at as u32)).collect(),
        }
    }
}

/// The words of several lists, each once.
fn all_words<'a>(lists: impl Iterator<Item = &'a Vocabulary>) -> Result<Vocabulary> {
    let mut seen = hashbrown::HashSet::new();
    let specials = crate::corpus::vocabulary::SPECIALS.len() as u32;
    let words = lists.flat_map(|list| (specials..list.len() as u32).map(|id| list.word(id)));
    Vocabulary::from_words(words.filter(|word| seen.insert(*word)))
}

/// A rule whose source side is one nonterminal could be applied to its own result for ever.
fn check_rules(source: &dyn RuleSource) -> Result<()> {
    let mut walk = source.walk();
    let mut categories = 0..source.categories().len() as u32;
    let root = walk.root();
    let alone = |category| walk.step(root, Symbol::nonterminal(category)).is_some_and(|state| walk.has_rules(state));
    if categories.any(alone) {
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

    /// Weights that were checked before.
    pub(super) fn from_parts(values: Vec<f32>, sparse: HashMap<u32, f32>) -> Self {
        Self { values, sparse }
    }

    /// The weights of sparse features.
    pub fn sparse(&self) -> impl Iterator<Item = (u32, f32)> {
        self.sparse.iter().map(|(&feature, &weight)| (feature, weight))
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
