//! Boundary-word search (Heafield, Koehn & Lavie 2013): combinations of whole groups of hypotheses, which are made
//! smaller only where they promise most.
//!
//! A partial combination has a node of a tree in each gap, and is scored as the best hypotheses of these nodes are, with
//! what the language models say of the words known. The best one is taken from the queue; one of its nodes gives way to
//! its first child, and a second combination keeps the other children. Each combination of hypotheses is below one
//! partial combination, so that without a limit all are found.

use std::collections::BinaryHeap;

use super::arena::{Arena, NONE};
use super::scoring::{Cell, Choice, Cube, Kind, Scored, lm_weight, walk};
use super::trees::{Sides, Trees};
use crate::corpus::vocabulary::EOS;
use crate::decode::effort::Effort;
use crate::decode::model::{Model, Weights};
use crate::decode::options::{LN_10, Options, TranslationOption};
use crate::decode::queue::Entry;

/// What language models are expected to add, log10, on a side of a gap of which nothing is known, and of which not all is
/// known. Without this a combination that happens to be refined first leaves better ones behind. Found on the development
/// set of Multi30k: scores are better than cube pruning's at each pop limit; with more, time grows faster than scores.
const HOPE: [f32; 2] = [1.3, 1.0];

#[derive(Debug, Clone, Copy)]
struct Partial {
    cube: u32,
    option: u32,
    /// For each gap a node and the first of its children that belongs here; 0 if all do.
    tails: [[u32; 2]; 2],
    /// The estimate of the whole.
    score: f32,
    /// The number of what language models say of it, or [`NONE`].
    scored: u32,
    /// Whether nothing is decided yet but the option.
    first: bool,
}

/// Fills cells; it keeps its memory.
#[derive(Debug)]
pub struct Refiner {
    guide: Option<usize>,
    /// The weight of the guide, for logarithms of base 10.
    weight: f32,
    trees: Trees,
    /// What is hoped for on a side of a gap of which nothing is known yet, and where not all is known.
    hope: [f32; 2],
    partials: Vec<Partial>,
    queue: BinaryHeap<Entry>,
}

/// What a step looks at.
#[derive(Clone, Copy)]
struct Scene<'a, 'm> {
    cubes: &'a [Cube],
    options: &'a Options<'m>,
    arena: &'a Arena,
}

impl Refiner {
    /// The language model that counts most is the guide.
    pub fn new(model: &Model, weights: &Weights) -> Self {
        let weight = |lm: usize| weights.values()[model.lms()[lm].feature];
        let guide = (0..model.lms().len()).rev().max_by(|&a, &b| weight(a).abs().total_cmp(&weight(b).abs()));
        Self {
            guide,
            weight: guide.map_or(0.0, |guide| weight(guide) * LN_10),
            trees: Trees::new(guide),
            hope: HOPE.map(|hope| hope * lm_weight(model, weights)),
            partials: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }

    /// Forgets the last sentence.
    pub fn begin(&mut self) {
        self.trees.clear();
    }

    /// Takes the best combinations of cubes into the arena.
    pub fn fill(
        &mut self,
        cubes: &[Cube],
        options: &Options<'_>,
        arena: &mut Arena,
        scored: &mut Scored,
        cell: Cell,
        effort: &mut Effort,
    ) {
        self.partials.clear();
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        entries.clear();
        let scene = Scene { cubes, options, arena };
        for (number, cube) in (0..).zip(cubes) {
            entries.extend(self.enter(scene, number, cube.options.start));
        }
        self.queue = BinaryHeap::from(entries);
        let mut pops = 0;
        while pops < cell.limit
            && let Some(&best) = self.queue.peek()
        {
            let at = best.number();
            let partial = self.partials[at];
            if partial.scored != NONE {
                self.queue.pop();
                let choice = self.choice(cubes, &partial);
                scored.take(options, arena, choice, (partial.score, partial.scored), cell);
                pops += 1;
                continue;
            }
            let scene = Scene { cubes, options, arena };
            self.refine(scene, at, scored, effort);
            let entry = entry(options, &self.partials[at], at);
            if let Some(mut best) = self.queue.peek_mut() {
                *best = entry;
            }
            if partial.first
                && let Some(entry) = self.enter(scene, partial.cube, partial.option + 1)
            {
                self.queue.push(entry);
            }
        }
        effort.pops += pops as u64;
    }

    /// The place in the queue of an option with all hypotheses, if the cube has it.
    fn enter(&mut self, scene: Scene<'_, '_>, number: u32, option: u32) -> Option<Entry> {
        let cube = &scene.cubes[number as usize];
        if option >= cube.options.end {
            return None;
        }
        let known = scene.options.get(option);
        let weight = scene.options.weights().values()[scene.options.model().own().input];
        let mut score = known.estimate + cube.input * weight;
        let mut tails = [[NONE, 0]; 2];
        for (gap, tail) in tails.iter_mut().enumerate().take(usize::from(known.arity)) {
            let places = cube.tails[gap].clone();
            if places.is_empty() {
                return None;
            }
            let sides = self.sides(scene.options, known, cube.kind, gap);
            let root = self.trees.root(scene.arena, places, sides);
            score += self.trees.best(root).1 + self.hope(scene.arena, root);
            tail[0] = root;
        }
        let partial = Partial { cube: number, option, tails, score, scored: NONE, first: true };
        self.partials.push(partial);
        Some(entry(scene.options, &partial, self.partials.len() - 1))
    }

    /// Makes a partial combination smaller, and puts what is left of it into the queue.
    fn refine(&mut self, scene: Scene<'_, '_>, at: usize, scored: &mut Scored, effort: &mut Effort) {
        let mut partial = self.partials[at];
        partial.first = false;
        if let Some(gap) = self.gap(&partial) {
            let [node, child] = partial.tails[gap];
            let children = self.trees.children(scene.arena, node);
            let here = children.start + child;
            if here + 1 < children.end {
                let mut rest = partial;
                rest.tails[gap][1] += 1;
                rest.score += self.trees.best(here + 1).1 - self.trees.best(here).1;
                self.partials.push(rest);
                // It is not better than the one it comes from, which is still the first of the queue.
                self.queue.push(entry(scene.options, &rest, self.partials.len() - 1));
            }
            partial.tails[gap] = [here, 0];
        }
        if self.gap(&partial).is_some() {
            partial.score = self.estimate(scene, &partial, effort);
        } else {
            let kind = scene.cubes[partial.cube as usize].kind;
            let choice = self.choice(scene.cubes, &partial);
            (partial.score, partial.scored) = scored.score(scene.options, scene.arena, choice, kind, effort);
        }
        self.partials[at] = partial;
    }

    /// On which sides of a gap there are words, other gaps or the ends of the sentence.
    fn sides(&self, options: &Options<'_>, option: &TranslationOption, kind: Kind, gap: usize) -> Sides {
        let pieces = self.guide.map_or(&[][..], |guide| options.pieces(option, guide).0);
        let words = |piece: usize| pieces.get(piece).is_some_and(|piece| !piece.is_empty());
        let arity = usize::from(option.arity);
        let place = if option.swapped { 1 - gap } else { gap };
        let begins = kind != Kind::Inside && arity == 1;
        Sides {
            left: place > 0 || words(place) || begins,
            right: place + 1 < arity || words(place + 1) || kind == Kind::Whole,
        }
    }

    /// What the words of a node that are not known yet are expected to add.
    fn hope(&self, arena: &Arena, node: u32) -> f32 {
        let [none, some] = self.trees.unknown(arena, node);
        none as f32 * self.hope[0] + some as f32 * self.hope[1]
    }

    /// The gap of which least is known, if there is one whose hypotheses are not decided.
    #[inline]
    fn gap(&self, partial: &Partial) -> Option<usize> {
        let open = |gap: &usize| {
            let [node, _] = partial.tails[*gap];
            node != NONE && !self.trees.node(node).is_leaf()
        };
        (0..2).filter(open).min_by_key(|&gap| self.trees.node(partial.tails[gap][0]).known())
    }

    /// The combination, once all is decided.
    fn choice(&self, cubes: &[Cube], partial: &Partial) -> Choice {
        let tails = partial.tails.map(|[node, _]| if node == NONE { NONE } else { self.trees.best(node).0 });
        Choice { option: partial.option, tails, input: cubes[partial.cube as usize].input }
    }

    /// The best score of the hypotheses of a tail.
    fn bound(&self, [node, child]: [u32; 2]) -> f32 {
        self.trees.best(self.trees.child(node, child)).1
    }

    /// The score as far as it is known.
    fn estimate(&self, scene: Scene<'_, '_>, partial: &Partial, effort: &mut Effort) -> f32 {
        let Scene { cubes, options, arena } = scene;
        let option = options.get(partial.option);
        let cube = &cubes[partial.cube as usize];
        let mut score = option.estimate + cube.input * options.weights().values()[options.model().own().input];
        for &tail in &partial.tails[..usize::from(option.arity)] {
            score += self.bound(tail) + self.hope(arena, tail[0]);
        }
        let Some(guide) = self.guide else { return score };
        let (_, mut scorer) = walk(options, option, guide, cube.kind, |scorer, gap| {
            let number = partial.tails[gap][0];
            let node = self.trees.node(number);
            let fragment = &arena.states(self.trees.best(number).0)[guide];
            if node.is_leaf() {
                scorer.nonterminal(fragment, 0.0);
            } else {
                scorer.partly(fragment, usize::from(node.left), usize::from(node.right));
            }
        });
        if cube.kind == Kind::Whole {
            scorer.terminal(EOS);
        }
        effort.queries += u64::from(scorer.queries());
        score + scorer.prob() * self.weight
    }
}

/// The place of a partial combination in the queue.
fn entry(options: &Options<'_>, partial: &Partial, number: usize) -> Entry {
    Entry::new(partial.score + options.get(partial.option).handicap, number as u32)
}
