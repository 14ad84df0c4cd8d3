//! The n-grams that any of several models has, with what each model says of them.

use super::ngrams::{Level, Ngrams, child};
use crate::corpus::vocabulary::{SPECIALS, UNK, Vocabulary, VocabularyBuilder};
use crate::{Error, Result};

/// Several models on one set of n-grams. The set is closed: with an n-gram come its suffix and its context.
pub struct Union {
    /// Words and n-grams, without values.
    pub ngrams: Ngrams,
    /// The index of the context of each n-gram, per order from 2 on (empty for unigrams).
    pub contexts: Vec<Vec<u32>>,
    /// Per model and order, log10 of the probability of each n-gram, backed off where the model does not have it.
    pub probs: Vec<Vec<Vec<f32>>>,
    /// Per model and order but the highest, log10 of the back-off weight of each n-gram, 0 where it has none.
    pub backoffs: Vec<Vec<Vec<f32>>>,
    /// Per model and word, whether the model knows it.
    pub known: Vec<Vec<bool>>,
}

impl Union {
    /// Brings models together.
    ///
    /// # Errors
    /// No model, or one that is not consistent.
    pub fn new(models: &[&Ngrams]) -> Result<Self> {
        if models.is_empty() {
            return Err(Error::settings("there is no model to combine"));
        }
        let vocabulary = join_words(models)?;
        let to_union: Vec<Vec<u32>> = models
            .iter()
            .map(|model| {
                (0..model.vocabulary.len() as u32).map(|id| vocabulary.id(model.vocabulary.word(id))).collect()
            })
            .collect();
        let order = models.iter().map(|model| model.order()).max().unwrap_or(1);
        let mut levels = vec![Level { words: (0..vocabulary.len() as u32).collect(), ..Level::default() }];
        // Per model, where each of its n-grams of the order at hand is in the union, and the other way round.
        let mut places: Vec<Vec<u32>> = to_union.clone();
        for n in 2..=order {
            let (begin, words, next) = join_order(models, &to_union, &places, n, levels[n - 2].len());
            levels[n - 2].begin = begin;
            levels.push(Level { words, ..Level::default() });
            places = next;
        }
        let ngrams = Ngrams { vocabulary, levels };
        let contexts =
            ngrams.contexts().map_err(|_| Error::format("a model lacks the context of one of its n-grams"))?;
        let mut union = Self { ngrams, contexts, probs: Vec::new(), backoffs: Vec::new(), known: Vec::new() };
        for (model, words) in models.iter().zip(&to_union) {
            union.enter(model, words);
        }
        Ok(union)
    }

    /// Works out what one model says of every n-gram.
    fn enter(&mut self, model: &Ngrams, to_union: &[u32]) {
        let types = self.ngrams.vocabulary.len();
        let mut known = vec![false; types];
        // Words that the model does not know are <unk> to it.
        let mut own = vec![UNK; types];
        for (id, &word) in (0..).zip(to_union) {
            known[word as usize] = true;
            own[word as usize] = id;
        }
        let order = self.ngrams.order();
        let mut found: Vec<Option<u32>> = own.iter().map(|&id| Some(id)).collect();
        let mut probs = vec![own.iter().map(|&id| model.levels[0].prob[id as usize]).collect::<Vec<f32>>()];
        let mut backoffs = Vec::new();
        for n in 2..=order {
            let own_backoffs: &[f32] = if n <= model.order() { &model.levels[n - 2].backoff } else { &[] };
            let backoff = |found: &Option<u32>| found.and_then(|index| own_backoffs.get(index as usize).copied());
            let here: Vec<f32> = found.iter().map(|found| backoff(found).unwrap_or(0.0)).collect();
            let (lower, level) = (&self.ngrams.levels[n - 2], &self.ngrams.levels[n - 1]);
            let mut next = Vec::with_capacity(level.len());
            let mut prob = Vec::with_capacity(level.len());
            for suffix in 0..lower.len() {
                for index in lower.children(suffix as u32) {
                    let exact = found[suffix].filter(|_| n <= model.order()).and_then(|node| {
                        child(&model.levels[n - 2], &model.levels[n - 1], node, own[level.words[index] as usize])
                    });
                    let context = self.contexts[n - 1][index] as usize;
                    prob.push(match exact {
                        Some(exact) => model.levels[n - 1].prob[exact as usize],
                        None => here[context] + probs[n - 2][suffix],
                    });
                    next.push(exact);
                }
            }
            backoffs.push(here);
            probs.push(prob);
            found = next;
        }
        self.probs.push(probs);
        self.backoffs.push(backoffs);
        self.known.push(known);
    }
}

/// All words, those of the first model first.
fn join_words(models: &[&Ngrams]) -> Result<Vocabulary> {
    let mut builder = VocabularyBuilder::new();
    for model in models {
        (SPECIALS.len() as u32..model.vocabulary.len() as u32).for_each(|id| {
            builder.intern(model.vocabulary.word(id));
        });
    }
    Vocabulary::from_words((SPECIALS.len() as u32..builder.len() as u32).map(|id| builder.word(id)))
}

/// The n-grams of order `n` of all models: where the children of each suffix begin, their first words, and where each
/// model's n-grams are among them.
fn join_order(
    models: &[&Ngrams],
    to_union: &[Vec<u32>],
    places: &[Vec<u32>],
    n: usize,
    suffixes: usize,
) -> (Vec<u32>, Vec<u32>, Vec<Vec<u32>>) {
    let mut keys: Vec<(u32, u32)> = Vec::new();
    let each = |model: usize, take: &mut dyn FnMut((u32, u32))| {
        if n <= models[model].order() {
            let (lower, level) = (&models[model].levels[n - 2], &models[model].levels[n - 1]);
            for (suffix, &place) in (0..).zip(&places[model]) {
                for index in lower.children(suffix) {
                    take((place, to_union[model][level.words[index] as usize]));
                }
            }
        }
    };
    (0..models.len()).for_each(|model| each(model, &mut |key| keys.push(key)));
    keys.sort_unstable();
    keys.dedup();
    let next = (0..models.len())
        .map(|model| {
            let mut found = Vec::new();
            each(model, &mut |key| found.push(keys.partition_point(|&other| other < key) as u32));
            found
        })
        .collect();
    let mut begin = vec![0; suffixes + 1];
    keys.iter().for_each(|&(suffix, _)| begin[suffix as usize + 1] += 1);
    (1..begin.len()).for_each(|at| begin[at] += begin[at - 1]);
    (begin, keys.into_iter().map(|(_, word)| word).collect(), next)
}
