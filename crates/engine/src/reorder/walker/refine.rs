//! Further training of the walker on its own states and on its own beam.
//!
//! A walker that has only seen perfect prefixes is lost after its first mistake. Here it also learns from prefixes it
//! made itself: whatever was emitted, the best continuation is the first word of the reference that is left (a dynamic
//! oracle; DAgger, Ross et al. 2011). Afterwards, where the beam prefers a prefix to that of the reference, the one is
//! pushed up and the other down at the length where they differ most (max-violation, Huang et al. 2012). Steps are
//! scaled by past gradients (AdaGrad, Duchi et al. 2011), and the weights of a pass are averaged.

use super::beam::{Beam, Search};
use super::likelihood;
use super::linear::Random;
use super::model::{CLASSES, Model};
use super::scorer::Scorer;
use super::sentence::{Corpus, Sentence};
use super::state::State;
use crate::error::{Error, Result};
use crate::reorder::{check_order, in_sentence};

/// How to train.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Passes with the dynamic oracle.
    pub epochs: usize,
    /// Passes with max-violation updates.
    pub violations: usize,
    /// The size of steps.
    pub rate: f32,
    /// How much of a weight goes away when it is changed; keeps rare features small.
    pub decay: f32,
    /// How often the walker's own word is followed, after the first pass.
    pub explore: f64,
    /// Hypotheses in the beam of max-violation training.
    pub beam: usize,
    /// Of the order of sentences and of exploring.
    pub seed: u64,
}

/// How much a violation counts beside a step of the dynamic oracle: a prefix has many steps, and references from links
/// are often wrong.
const VIOLATION: f32 = 0.1;

/// A model under training.
pub struct Refiner {
    model: Model,
    // Sums of squared gradients.
    first: Vec<f32>,
    second: Vec<f32>,
    // Changes of this pass, each times the share of the pass that was over: subtracted, they leave the mean weights.
    first_late: Vec<f32>,
    second_late: Vec<f32>,
    // Gradients of the sentence at hand.
    first_steps: Vec<(u32, f32)>,
    second_steps: Vec<(u32, f32)>,
    below: Vec<f32>,
    shares: Vec<f32>,
    rate: f32,
    decay: f32,
}

impl Refiner {
    fn new(model: Model, rate: f32, decay: f32) -> Self {
        let (first, second) = (vec![1.0; model.first.len()], vec![1.0; model.second.len()]);
        let (first_late, second_late) = (vec![0.0; model.first.len()], vec![0.0; model.second.len()]);
        Self {
            model,
            first,
            second,
            first_late,
            second_late,
            first_steps: Vec::new(),
            second_steps: Vec::new(),
            below: Vec::new(),
            shares: Vec::new(),
            rate,
            decay,
        }
    }

    /// Adds the gradient of the log-probability of the step from a state towards a word, times `scale`.
    fn learn(&mut self, sentence: &Sentence, scorer: &mut Scorer, state: &State, word: u32, scale: f32) {
        let chances = scorer.chances(&self.model, sentence, state, &mut self.below);
        let emits = state.at == word;
        let to = if emits { word } else { state.toward(sentence, word) };
        let class = if emits {
            0
        } else if sentence.tree.is_within(word, state.at) {
            2
        } else {
            1
        };
        for (at, &chance) in chances.classes.iter().enumerate() {
            let step = scale * (f32::from(u8::from(at == class)) - chance.exp());
            if step.abs() < 1e-4 {
                continue;
            }
            let buckets = scorer.fixed(state.at).iter().chain(&scorer.changing);
            self.first_steps.extend(buckets.map(|&bucket| (bucket * CLASSES as u32 + at as u32, step)));
        }
        let children = scorer.children.len();
        if class != 2 || children < 2 {
            return;
        }
        // A child's score is the mean of its margins, so that a pair's gradient is the difference of the two children's.
        self.shares.clear();
        self.shares.extend(
            self.below
                .iter()
                .zip(&scorer.children)
                .map(|(&chance, &child)| f32::from(u8::from(child == to)) - (chance - chances.classes[2]).exp()),
        );
        let mut pair = 0;
        for a in 0..children {
            for b in a + 1..children {
                let step = scale * (self.shares[a] - self.shares[b]) / children as f32;
                let buckets = &scorer.pairs[scorer.pair_starts[pair] as usize..scorer.pair_starts[pair + 1] as usize];
                pair += 1;
                if step.abs() >= 1e-4 {
                    self.second_steps.extend(buckets.iter().map(|&bucket| (bucket, step)));
                }
            }
        }
    }

    /// As [`Refiner::learn`], for all steps to a word; the state comes back as it was.
    fn learn_path(&mut self, sentence: &Sentence, scorer: &mut Scorer, state: &mut State, word: u32, scale: f32) {
        let mut marks = Vec::new();
        loop {
            self.learn(sentence, scorer, state, word, scale);
            if state.at == word {
                break;
            }
            let to = state.toward(sentence, word);
            marks.push(state.go(sentence, to));
        }
        for mark in marks.into_iter().rev() {
            state.undo(mark);
        }
    }

    fn learn_prefix(&mut self, sentence: &Sentence, scorer: &mut Scorer, state: &mut State, words: &[u32], scale: f32) {
        state.start(sentence);
        for &word in words {
            self.learn_path(sentence, scorer, state, word, scale);
            state.advance(sentence, word);
        }
    }

    /// Changes the weights; `over` is the share of the pass that is over.
    fn apply(&mut self, over: f32) {
        let (rate, decay) = (self.rate, self.decay);
        for (steps, sums, lates, weights) in [
            (&mut self.first_steps, &mut self.first, &mut self.first_late, &mut self.model.first),
            (&mut self.second_steps, &mut self.second, &mut self.second_late, &mut self.model.second),
        ] {
            for (at, step) in steps.drain(..) {
                let at = at as usize;
                sums[at] += step * step;
                let change = rate * (step - decay * weights[at]) / sums[at].sqrt();
                weights[at] += change;
                lates[at] += over * change;
            }
        }
    }

    /// The mean weights of the pass that ends.
    fn mean(&mut self) -> Model {
        let mut mean = self.model.clone();
        for (weights, lates) in [(&mut mean.first, &mut self.first_late), (&mut mean.second, &mut self.second_late)] {
            for (weight, late) in weights.iter_mut().zip(lates) {
                *weight -= std::mem::take(late);
            }
        }
        mean
    }
}

/// Trains a model further; gives the mean of its weights in each pass.
///
/// # Errors
/// A sentence's heads are no tree, or its order is no permutation.
pub fn refine(
    model: Model,
    corpus: Corpus<'_>,
    orders: &[u32],
    set: &Settings,
    report: &dyn Fn(usize) -> bool,
) -> Result<Vec<Model>> {
    let mut refiner = Refiner::new(model, set.rate, set.decay);
    let mut means = Vec::with_capacity(set.epochs + set.violations);
    let (mut sentence, mut scorer, mut state) = (Sentence::default(), Scorer::default(), State::default());
    let (mut beam, mut search, mut seen) = (Beam::default(), Search::default(), Vec::new());
    let mut random = Random(set.seed);
    let mut turn: Vec<usize> = (0..corpus.sentences.len()).collect();
    for epoch in 0..set.epochs + set.violations {
        random.shuffle(&mut turn);
        for (number, &k) in turn.iter().enumerate() {
            sentence.take(corpus, k)?;
            let order = &orders[corpus.sentences.range(k)];
            check_order(order, sentence.words(), &mut seen).map_err(in_sentence(k))?;
            scorer.take(&refiner.model, &sentence);
            if epoch < set.epochs {
                let explore = if epoch == 0 { 0.0 } else { set.explore };
                state.start(&sentence);
                follow(&mut refiner, &sentence, &mut scorer, &mut state, order, explore, &mut search, &mut random);
            } else {
                violate(&mut refiner, &sentence, &mut scorer, &mut state, order, &mut beam, set.beam);
            }
            refiner.apply(number as f32 / turn.len() as f32);
            if number % 256 == 255 && !report(256) {
                return Err(Error::input("training was stopped"));
            }
        }
        means.push(refiner.mean());
    }
    Ok(means)
}

/// Learns at every state of a walk that sometimes goes its own way.
#[allow(clippy::too_many_arguments)]
fn follow(
    refiner: &mut Refiner,
    sentence: &Sentence,
    scorer: &mut Scorer,
    state: &mut State,
    order: &[u32],
    explore: f64,
    search: &mut Search,
    random: &mut Random,
) {
    let mut left = 0;
    while state.count() + 1 < sentence.words() {
        while state.emitted[order[left] as usize] {
            left += 1;
        }
        let wanted = order[left];
        refiner.learn_path(sentence, scorer, state, wanted, 1.0);
        let own = explore > 0.0 && random.share() < explore;
        let word = if own {
            search.next_words(&refiner.model, sentence, scorer, state, 1);
            search.found.first().map_or(wanted, |found| found.1)
        } else {
            wanted
        };
        state.advance(sentence, word);
    }
}

/// Learns from the prefix of the beam that beats the reference's by most.
fn violate(
    refiner: &mut Refiner,
    sentence: &Sentence,
    scorer: &mut Scorer,
    state: &mut State,
    order: &[u32],
    beam: &mut Beam,
    width: usize,
) {
    beam.start(sentence);
    state.start(sentence);
    let mut score = 0.0;
    let mut worst = 0.0;
    let mut wrong: Vec<u32> = Vec::new();
    for (at, &word) in order.iter().enumerate() {
        if at + 1 < order.len() {
            score += likelihood::of_word(&refiner.model, sentence, scorer, state, word, &mut refiner.below);
        }
        state.advance(sentence, word);
        beam.step(&refiner.model, sentence, scorer, width);
        let best = &beam.kept[0];
        if best.order != order[..=at] && best.score - score > worst {
            worst = best.score - score;
            wrong.clone_from(&best.order);
        }
    }
    if wrong.is_empty() {
        return;
    }
    // Up to the first difference both are the same, and their gradients cancel.
    refiner.learn_prefix(sentence, scorer, state, &order[..wrong.len()], VIOLATION);
    refiner.learn_prefix(sentence, scorer, state, &wrong, -VIOLATION);
}
