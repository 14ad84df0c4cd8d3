//! The classifier grammar: an inference costs the less the surer a classifier is that it is right (Galron 2012, section
//! 4.5.5, formula 4.2).

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::super::features::{Features, Place, TARGET};
use super::super::lexicon::Lexicon;
use super::super::options::COPY;
use super::super::piece::{Type, production};
use super::super::seen::{Bilingual, Seen};
use super::super::source::Source;
use crate::learn::boost::{Classifiers, Residual, cost};
use crate::parse::{Cost, Grammar, Inference};

/// Classifiers, which of their snapshots count, and what is done without one.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    /// One for each type of inference, and coarser ones.
    pub classifiers: &'a Classifiers,
    /// The penalty whose snapshots count.
    pub penalty: f64,
    /// The penalty of coarser classifiers, which finer ones add to; none if there are none.
    pub coarse: Option<f64>,
    /// What an inference costs that no classifier knows.
    pub missing: f64,
}

/// Keys of classifiers that all inferences of a type share.
pub fn coarse_key(kind: Type) -> u64 {
    kind as u64
}

/// The key of a pair's classifier: its words.
pub fn pair_key(source: &[u32], target: &[u32]) -> u64 {
    let mut words = Vec::with_capacity(source.len() + target.len() + 1);
    words.extend_from_slice(source);
    words.push(0);
    words.extend_from_slice(target);
    xxh3_64(bytemuck::cast_slice(&words)) | 1 << 63
}

/// The key of a join's classifier: orientation and production.
pub fn join_key(source: &Source, place: Place) -> u64 {
    let labels = place.labels(source);
    production(labels.0, labels.1, labels.2, place.kind == Type::Inverted) & !(1 << 63) | 1 << 62
}

/// Whether any of these classifiers is of joins. Keys of pairs are the largest.
pub fn knows_joins(classifiers: &Classifiers) -> bool {
    classifiers.keys().iter().any(|&key| key >> 62 == 1 || key == coarse_key(Type::Monotonic))
}

/// Costs of bilingual compositions and joins; everything else costs nothing here.
#[derive(Debug)]
pub struct Classified<'a> {
    judgement: Judgement<'a>,
    features: &'a Features,
    lexicon: &'a Lexicon,
    row: Vec<u32>,
    /// What classifiers have left to ask about a place, if there are any.
    joins: HashMap<Place, Option<Residual>>,
    pairs: HashMap<(u16, u16, u32), Option<f64>>,
}

impl<'a> Classified<'a> {
    /// For one sentence.
    pub fn new(judgement: Judgement<'a>, features: &'a Features, lexicon: &'a Lexicon) -> Self {
        let row = vec![0; features.slots()];
        Self { judgement, features, lexicon, row, joins: HashMap::new(), pairs: HashMap::new() }
    }

    /// How sure classifiers are of a pair of the lexicon at its place, if any knows it: that does not depend on anything else,
    /// and is worked out once.
    pub fn sure_of_pair(&mut self, source: &Source, seen: &Seen<'_>, entry: u32) -> Option<f64> {
        if entry == COPY {
            return None;
        }
        let at = (seen.from, seen.to, entry);
        if let Some(&known) = self.pairs.get(&at) {
            return known;
        }
        self.features.fill_source(source, Place::of(seen), &mut self.row);
        self.features.fill_pair(self.lexicon, seen, entry, &mut self.row);
        let score = self.score(pair_key(seen.words(source), seen.phrase), Type::Bilingual);
        self.pairs.insert(at, score);
        score
    }

    /// What an inference costs of which classifiers are so sure.
    pub fn cost_of(&self, score: Option<f64>) -> Cost {
        Cost::of(score.map_or(self.judgement.missing, cost))
    }

    /// The sum of what the classifiers say that there are.
    fn score(&self, key: u64, kind: Type) -> Option<f64> {
        let all = [(Some(self.judgement.penalty), key), (self.judgement.coarse, coarse_key(kind))];
        let each = all.into_iter().filter_map(|(penalty, key)| {
            let trees = self.judgement.classifiers.get(key)?;
            Some(trees.score(&self.row, trees.snapshot(penalty?)?))
        });
        each.reduce(|a, b| a + b)
    }

    /// How sure classifiers are of a join at its place, if any knows it.
    pub fn sure_of_join(&mut self, source: &Source, seen: &Seen<'_>) -> Option<f64> {
        let place = Place::of(seen);
        if !self.joins.contains_key(&place) {
            let residual = self.residual(source, place);
            self.joins.insert(place, residual);
        }
        let residual = self.joins[&place].as_ref()?;
        if residual.is_constant() {
            return Some(residual.constant);
        }
        self.features.fill_join(source, seen, &mut self.row);
        Some(residual.score(&self.row))
    }

    fn residual(&mut self, source: &Source, place: Place) -> Option<Residual> {
        self.features.fill_source(source, place, &mut self.row);
        let (fields, row) = (self.features.fields(), &self.row);
        let known = |field: usize| (field < TARGET).then(|| fields[field].of(row));
        let Judgement { classifiers, penalty, coarse, .. } = self.judgement;
        let all = [(Some(penalty), join_key(source, place)), (coarse, coarse_key(place.kind))];
        let each = all.into_iter().filter_map(|(penalty, key)| {
            let trees = classifiers.get(key)?;
            Some(trees.specialise(trees.snapshot(penalty?)?, known))
        });
        each.reduce(|mut a, b| {
            a.append(&b);
            a
        })
    }
}

impl<L: Bilingual> Grammar<L> for Classified<'_> {
    fn cost(&mut self, logic: &L, inference: &Inference<'_, L>) -> Cost {
        let seen = logic.seen(inference);
        match seen.kind {
            Type::Bilingual => {
                let words = seen.words(logic.source());
                match seen.entry.or_else(|| self.lexicon.pair(words, seen.phrase)) {
                    Some(entry) => {
                        let score = self.sure_of_pair(logic.source(), &seen, entry);
                        self.cost_of(score)
                    }
                    None => self.cost_of(None),
                }
            }
            Type::Monotonic | Type::Inverted => {
                let score = self.sure_of_join(logic.source(), &seen);
                self.cost_of(score)
            }
            _ => Cost::NOTHING,
        }
    }
}
