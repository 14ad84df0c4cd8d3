//! Beam search over emitted words.
//!
//! The log-probability of a next word is the sum of those of the actions on the one path to it. Sums only fall along a
//! path, so that a best-first search from the last word finds the most probable next words without visiting all of the
//! tree. States right after an emission with equally many words are compared (section 4.2.5).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::model::Model;
use super::scorer::Scorer;
use super::sentence::{Corpus, Sentence};
use super::state::State;
use crate::error::Result;
use crate::syntax::NONE;
use crate::total::Total;

/// A path that begins at the word emitted last, waiting to be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    chance: Total,
    /// Of equals the first comes first.
    number: Reverse<u32>,
    node: u32,
    emits: bool,
}

/// Memory of a search for next words.
#[derive(Debug, Default)]
pub struct Search {
    heap: BinaryHeap<Waiting>,
    // Vertex and the node before it.
    nodes: Vec<(u32, u32)>,
    path: Vec<u32>,
    marks: Vec<super::state::Mark>,
    below: Vec<f32>,
    /// The words found, best first, with their log-probabilities.
    pub found: Vec<(f32, u32)>,
}

impl Search {
    /// Finds the most probable next words.
    pub fn next_words(
        &mut self,
        model: &Model,
        sentence: &Sentence,
        scorer: &mut Scorer,
        state: &mut State,
        most: usize,
    ) {
        let Self { heap, nodes, path, marks, below, found } = self;
        found.clear();
        heap.clear();
        nodes.clear();
        if state.count() + 1 == sentence.words() {
            let word = state.emitted.iter().position(|emitted| !emitted).unwrap_or(0);
            found.push((0.0, word as u32));
            return;
        }
        nodes.push((state.at, NONE));
        let mut number = 0;
        heap.push(Waiting { chance: Total(0.0), number: Reverse(number), node: 0, emits: false });
        while let Some(waiting) = heap.pop() {
            let so_far = waiting.chance.0 as f32;
            let vertex = nodes[waiting.node as usize].0;
            if waiting.emits {
                found.push((so_far, vertex));
                if found.len() == most {
                    return;
                }
                continue;
            }
            path.clear();
            let mut node = waiting.node;
            while nodes[node as usize].1 != NONE {
                path.push(nodes[node as usize].0);
                node = nodes[node as usize].1;
            }
            marks.clear();
            marks.extend(path.iter().rev().map(|&to| state.go(sentence, to)));
            let chances = scorer.chances(model, sentence, state, below);
            let mut push = |chance: f32, node: u32, emits: bool| {
                number += 1;
                let chance = Total(f64::from(so_far + chance));
                heap.push(Waiting { chance, number: Reverse(number), node, emits });
            };
            if chances.classes[0] > f32::NEG_INFINITY {
                push(chances.classes[0], waiting.node, true);
            }
            if chances.classes[1] > f32::NEG_INFINITY {
                nodes.push((sentence.tree.parent(vertex), waiting.node));
                push(chances.classes[1], nodes.len() as u32 - 1, false);
            }
            for (&child, &chance) in scorer.children.iter().zip(below.iter()) {
                nodes.push((child, waiting.node));
                push(chance, nodes.len() as u32 - 1, false);
            }
            for mark in marks.drain(..).rev() {
                state.undo(mark);
            }
        }
    }
}

/// A partial order with the state it leads to.
#[derive(Debug, Clone, Default)]
pub struct Hypothesis {
    /// Log-probability.
    pub score: f32,
    /// Words emitted.
    pub order: Vec<u32>,
    /// The walker.
    pub state: State,
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    sentence: Sentence,
    scorer: Scorer,
    beam: Beam,
}

/// The beam itself.
#[derive(Debug, Default)]
pub struct Beam {
    /// The hypotheses, best first.
    pub kept: Vec<Hypothesis>,
    spare: Vec<Hypothesis>,
    next: Vec<(f32, u32, u32)>,
    /// The search for next words.
    pub search: Search,
}

impl Beam {
    /// Begins with nothing emitted.
    pub fn start(&mut self, sentence: &Sentence) {
        self.spare.append(&mut self.kept);
        let mut first = self.spare.pop().unwrap_or_default();
        first.score = 0.0;
        first.order.clear();
        first.state.start(sentence);
        self.kept.push(first);
    }

    /// Emits one more word in every hypothesis, and keeps the best `width`.
    pub fn step(&mut self, model: &Model, sentence: &Sentence, scorer: &mut Scorer, width: usize) {
        self.next.clear();
        for (at, hypothesis) in self.kept.iter_mut().enumerate() {
            self.search.next_words(model, sentence, scorer, &mut hypothesis.state, width);
            let score = hypothesis.score;
            self.next.extend(self.search.found.iter().map(|&(chance, word)| (score + chance, at as u32, word)));
        }
        self.next.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        self.next.truncate(width);
        let mut kept = Vec::with_capacity(self.next.len());
        for &(score, at, word) in &self.next {
            let mut one = self.spare.pop().unwrap_or_default();
            let from = &self.kept[at as usize];
            one.score = score;
            one.order.clone_from(&from.order);
            one.state.clone_from(&from.state);
            one.order.push(word);
            one.state.advance(sentence, word);
            kept.push(one);
        }
        self.spare.append(&mut self.kept);
        self.kept = kept;
    }
}

/// The orders of many sentences, one after the other.
///
/// # Errors
/// The heads of one are no tree.
pub fn orders(model: &Model, corpus: Corpus<'_>, width: usize) -> Result<Vec<u32>> {
    let found: Vec<Vec<u32>> = (0..corpus.sentences.len())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, k| {
            let Scratch { sentence, scorer, beam } = scratch;
            sentence.take(corpus, k)?;
            scorer.take(model, sentence);
            beam.start(sentence);
            for _ in 0..sentence.words() {
                beam.step(model, sentence, scorer, width);
            }
            Ok(std::mem::take(&mut beam.kept[0].order))
        })
        .collect::<Result<_>>()?;
    Ok(found.concat())
}
