//! Labelled inferences, and the classifiers that are made of them.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::counts::Counts;
use super::features::{Features, Place};
use super::grammars::{coarse_key, join_key, pair_key};
use super::lexicon::Lexicon;
use super::model::Example;
use super::piece::{Piece, Type};
use super::seen::Seen;
use super::source::Source;
use super::text::Text;
use crate::Result;
use crate::learn::boost::{self, Classifiers, Ensemble, Examples};

/// Inferences with labels, as little of each as its features can be worked out from.
#[derive(Debug, Clone, Default)]
pub struct Labelled {
    pub(super) sentences: Vec<u32>,
    pub(super) places: Vec<Place>,
    /// The lexicon's entry for pairs; where the target slots are for joins.
    pub(super) details: Vec<u32>,
    pub(super) labels: Vec<bool>,
    /// How many examples each stands for.
    pub(super) weights: Vec<f32>,
    /// What the target text decides of joins' rows.
    pub(super) slots: Vec<u32>,
    pub(super) names: Vec<u64>,
    pub(super) seen: HashSet<u64>,
}

/// An inference with its label.
#[derive(Debug, Clone, Copy)]
pub struct Lesson<'a> {
    /// The number of its sentence.
    pub sentence: u32,
    /// The sentence.
    pub source: &'a Source,
    /// What the inference is about.
    pub seen: Seen<'a>,
    /// The lexicon's entry, for pairs.
    pub entry: u32,
    /// Whether it is right.
    pub label: bool,
}

/// How classifiers are trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// How each is.
    pub boost: boost::Settings,
    /// The penalty of coarser classifiers, one for each type of inference, that finer ones add to; none for none.
    pub coarse: Option<f64>,
    /// Most examples of a classifier: of more, a sample.
    pub most: usize,
    /// Most examples of a coarser one.
    pub most_coarse: usize,
    /// With fewer right or fewer wrong examples no classifier is made.
    pub fewest: usize,
    /// Whether a classifier learns only what context adds to how often its inferences are right anyway, for grammars that
    /// know the latter from elsewhere.
    pub prior: bool,
}

impl Default for Learning {
    fn default() -> Self {
        let (boost, coarse) = (boost::Settings::default(), Some(3.0 / 4096.0));
        Self { boost, coarse, most: 10_000, most_coarse: 200_000, fewest: 0, prior: false }
    }
}

/// Classifiers of an earlier training, and how many examples each had: examples are only ever added, so one with as many as
/// then would be the same again.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    /// The classifiers.
    pub classifiers: &'a Classifiers,
    /// Examples by key.
    pub examples: &'a HashMap<u64, u32>,
}

fn mix(parts: &[u64]) -> u64 {
    let mut name = 0x51ed_270b_9f8c_3a5d;
    for part in parts {
        name = (name ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        name ^= name >> 29;
    }
    name
}

impl Labelled {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Positive and negative pairs, positive and negative joins.
    pub fn tally(&self) -> [usize; 4] {
        let mut tally = [0; 4];
        for (place, label) in self.places.iter().zip(&self.labels) {
            tally[2 * usize::from(place.kind.is_join()) + usize::from(!label)] += 1;
        }
        tally
    }

    /// Bytes, about.
    pub fn bytes(&self) -> usize {
        self.len() * (4 + size_of::<Place>() + 4 + 1 + 4 + 8 + 10) + self.slots.len() * 4
    }

    /// Adds an inference of a sentence, unless it is there. The row is room to work in.
    pub fn see(&mut self, lesson: &Lesson<'_>, features: &Features, row: &mut [u32]) {
        let Lesson { sentence, source, ref seen, entry, label } = *lesson;
        let place = Place::of(seen);
        let text = |piece: &Piece| piece.text.name;
        let (left, right) = seen.parts.map_or((u64::from(entry), 0), |(left, right)| (text(left), text(right)));
        let at = u64::from(place.from) << 32 | u64::from(place.middle) << 16 | u64::from(place.to);
        let name = mix(&[sentence.into(), place.kind as u64, at, left, right, u64::from(label)]);
        if !self.seen.insert(name) {
            return;
        }
        let detail = if place.kind.is_join() {
            let first = features.first_target_slot();
            features.fill_join(source, seen, row);
            let detail = (self.slots.len() / (features.slots() - first)) as u32;
            self.slots.extend_from_slice(&row[first..features.slots()]);
            detail
        } else {
            entry
        };
        self.sentences.push(sentence);
        self.places.push(place);
        self.details.push(detail);
        self.labels.push(label);
        self.weights.push(1.0);
        self.names.push(name);
    }

    /// Keeps at most so many joins of each label, a sample in which each stands for those left out.
    pub fn thin(&mut self, most: usize) {
        for label in [true, false] {
            let of = |at: &u32| self.labels[*at as usize] == label && self.places[*at as usize].kind.is_join();
            let mut joins: Vec<u32> = (0..self.len() as u32).filter(of).collect();
            if joins.len() <= most {
                continue;
            }
            // Names look random, and are the same whoever runs this.
            joins.sort_unstable_by_key(|&at| self.names[at as usize]);
            let weight = joins.len() as f32 / most as f32;
            for (place, &at) in joins.iter().enumerate() {
                self.weights[at as usize] = if place < most { weight } else { 0.0 };
            }
        }
    }

    /// Adds those of another.
    pub fn add(&mut self, other: &Self, features: &Features) {
        let width = features.slots() - features.first_target_slot();
        for at in 0..other.len() {
            if other.weights[at] == 0.0 || !self.seen.insert(other.names[at]) {
                continue;
            }
            let mut detail = other.details[at];
            if other.places[at].kind.is_join() {
                let start = detail as usize * width;
                detail = (self.slots.len() / width) as u32;
                self.slots.extend_from_slice(&other.slots[start..start + width]);
            }
            self.sentences.push(other.sentences[at]);
            self.places.push(other.places[at]);
            self.details.push(detail);
            self.labels.push(other.labels[at]);
            self.weights.push(other.weights[at]);
            self.names.push(other.names[at]);
        }
    }

    /// The key of an example's classifier.
    fn key(&self, at: usize, pairs: &[Example], lexicon: &Lexicon) -> u64 {
        let (place, source) = (self.places[at], &pairs[self.sentences[at] as usize].source);
        if place.kind.is_join() {
            return join_key(source, place);
        }
        let words = &source.words[usize::from(place.from)..usize::from(place.to)];
        pair_key(words, lexicon.phrases(1).words(lexicon.target(self.details[at])))
    }

    fn fill(&self, at: usize, with: &With<'_>, row: &mut [u32]) {
        let (place, source) = (self.places[at], &with.pairs[self.sentences[at] as usize].source);
        with.features.fill_source(source, place, row);
        let first = with.features.first_target_slot();
        if place.kind.is_join() {
            let width = with.features.slots() - first;
            let start = self.details[at] as usize * width;
            row[first..].copy_from_slice(&self.slots[start..start + width]);
            return;
        }
        let entry = self.details[at];
        let phrase = with.lexicon.phrases(1).words(with.lexicon.target(entry));
        let Some(text) = Text::of(phrase, with.counts) else { return };
        let piece = Piece::leaf(place.from, place.to, text);
        let seen = Seen::leaf(&piece, phrase);
        with.features.fill_pair(with.lexicon, &seen, entry, row);
    }

    /// Some examples of a type, at most so many.
    pub(super) fn sample(&self, kind: Type, most: usize) -> Vec<u32> {
        self.some((0..self.len() as u32).filter(|&at| self.places[at as usize].kind == kind).collect(), most)
    }

    /// Fills the row of an example; the key of its classifier, and its label.
    pub(super) fn row(&self, at: u32, with: &With<'_>, row: &mut [u32]) -> (u64, bool) {
        self.fill(at as usize, with, row);
        (self.key(at as usize, with.pairs, with.lexicon), self.labels[at as usize])
    }

    fn some(&self, mut which: Vec<u32>, most: usize) -> Vec<u32> {
        if which.len() > most {
            // Names look random, and are the same whoever runs this.
            which.sort_unstable_by_key(|&at| self.names[at as usize]);
            which.truncate(most);
            which.sort_unstable();
        }
        which
    }

    /// Rows and labels of some examples, at most so many. Nobody asks what tells examples apart that are all right or all
    /// wrong: their rows are empty, unless they are wanted `anyway`.
    fn gather<'a>(&self, which: Vec<u32>, most: usize, with: &With<'a>, anyway: bool) -> Examples<'a> {
        let which = self.some(which, most);
        let mut examples = Examples::new(with.features.fields());
        let mut row = vec![0; with.features.slots()];
        let all: f64 = which.iter().map(|&at| f64::from(self.weights[at as usize])).sum();
        let mixed = which.windows(2).any(|two| self.labels[two[0] as usize] != self.labels[two[1] as usize]);
        for at in which {
            if mixed || anyway {
                self.fill(at as usize, with, &mut row);
            }
            examples.push(&row, self.labels[at as usize]);
            examples.weights.push(f64::from(self.weights[at as usize]) / all);
        }
        examples
    }

    /// Trains a classifier for each type of inference; says how many examples each had. Those of an earlier training with the
    /// same settings are taken as they are where nothing was added.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn train(
        &self,
        with: &With<'_>,
        learning: &Learning,
        earlier: Option<Earlier<'_>>,
    ) -> Result<(Classifiers, HashMap<u64, u32>)> {
        learning.boost.check()?;
        // A coarser classifier that has changed changes all that add to it.
        let earlier = earlier.filter(|_| learning.coarse.is_none());
        let mut coarse: Vec<(u64, Ensemble)> = Vec::new();
        if let Some(penalty) = learning.coarse {
            let kinds = [Type::Bilingual, Type::Monotonic, Type::Inverted];
            let settings =
                boost::Settings { least: penalty, start: learning.boost.start.max(penalty), ..learning.boost.clone() };
            let each = kinds.into_par_iter().map(|kind| {
                let which = (0..self.len() as u32).filter(|&at| self.places[at as usize].kind == kind).collect();
                let examples = self.gather(which, learning.most_coarse, with, true);
                Ok((coarse_key(kind), boost::train(&examples, &settings, None)?))
            });
            coarse = each.collect::<Result<_>>()?;
        }
        let mut keyed: Vec<(u64, u32)> =
            (0..self.len()).into_par_iter().map(|at| (self.key(at, with.pairs, with.lexicon), at as u32)).collect();
        keyed.par_sort_unstable();
        let enough = |group: &&[(u64, u32)]| {
            let right = group.iter().filter(|(_, at)| self.labels[*at as usize]).count();
            right.min(group.len() - right) >= learning.fewest
        };
        let groups: Vec<&[(u64, u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).filter(enough).collect();
        let fine = groups.par_iter().map(|group| {
            let (key, count) = (group[0].0, group.len() as u32);
            if let Some(known) = earlier.filter(|earlier| earlier.examples.get(&key) == Some(&count))
                && let Some(same) = known.classifiers.get(key)
            {
                return Ok((key, same.to_ensemble()));
            }
            // What shared classifiers say of a row depends on what is in it.
            let which = group.iter().map(|one| one.1).collect();
            let mut examples = self.gather(which, learning.most, with, learning.coarse.is_some());
            let kind = self.places[group[0].1 as usize].kind;
            if let Some((_, shared)) = coarse.iter().find(|(key, _)| *key == coarse_key(kind)) {
                examples.back_off(shared.view(), usize::MAX);
            }
            if learning.prior {
                examples.offset_by_prior();
            }
            Ok((key, boost::train(&examples, &learning.boost, None)?))
        });
        let mut all = fine.collect::<Result<Vec<_>>>()?;
        all.extend(coarse);
        let counts = groups.iter().map(|group| (group[0].0, group.len() as u32)).collect();
        Ok((Classifiers::new(with.features.fields(), all)?, counts))
    }
}

/// What examples are worked out with.
#[derive(Debug, Clone, Copy)]
pub struct With<'a> {
    /// The pairs they are from.
    pub pairs: &'a [Example],
    /// The lexicon whose entries they name.
    pub lexicon: &'a Lexicon,
    /// Target n-grams.
    pub counts: &'a Counts,
    /// What is in a row.
    pub features: &'a Features,
}
