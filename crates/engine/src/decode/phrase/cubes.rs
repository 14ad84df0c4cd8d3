//! Cube pruning for phrases (Huang & Chiang 2007, section 5): the best combinations of hypotheses with translations of
//! one more span.
//!
//! A grid has hypotheses on one side that have translated the same words and ended at the same place, and the choices
//! of a span on the other, so that all its combinations jump the same way. As in charts the queue is lazy: a
//! combination enters it with an estimate and is scored by the language models only when that is the best there is.

use std::collections::BinaryHeap;

use hashbrown::HashTable;

use super::arena::{Arena, Covering, NONE, Target, Way};
use super::choices::{Choices, Lists};
use super::future::Future;
use super::order::{may_follow, may_stand};
use super::states::{END, States};
use crate::decode::bounds::Bounds;
use crate::decode::effort::Effort;
use crate::decode::model::{Model, Orientation, Weights};
use crate::decode::queue::Entry;

/// What filling a stack looks at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub model: &'a Model,
    pub weights: &'a Weights,
    pub choices: &'a Choices,
    pub future: &'a Future,
    /// Spans that belong together, and walls.
    pub bounds: &'a Bounds,
    /// Words of the sentence.
    pub last: usize,
    /// The farthest jump.
    pub distortion: u32,
    /// Combinations to take.
    pub pops: usize,
    /// Whether all ways to a hypothesis are kept.
    pub keep: bool,
}

/// Combinations of the hypotheses of a group with the choices of a span.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// Places of the first hypothesis and the first choice in their lists, and how many there are.
    hypotheses: [u32; 2],
    choices: [u32; 2],
    target: u32,
    orientation: Orientation,
    /// The score of the jump.
    jump: f32,
}

#[derive(Debug, Clone, Copy)]
struct Combination {
    grid: u32,
    /// Ranks of the hypothesis and the choice.
    ranks: [u32; 2],
    /// What language models say, or [`NONE`] before they were asked.
    step: u32,
    score: f32,
}

/// Fills stacks; it keeps its memory.
#[derive(Debug, Default)]
pub struct Filler {
    targets: Vec<Target>,
    known_targets: HashTable<u32>,
    grids: Vec<Grid>,
    combinations: Vec<Combination>,
    queue: BinaryHeap<Entry>,
    seen: HashTable<u32>,
}

impl Filler {
    /// The targets of the last stack filled.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Makes the one target of the stack that has translated nothing.
    pub fn begin(&mut self) {
        self.targets.clear();
        self.targets.push(Target { coverage: super::Coverage::default(), begin: 0, end: 0, future: 0.0 });
    }

    /// Takes the best hypotheses that have translated `words` words into the arena.
    pub fn fill(
        &mut self,
        scene: &Scene<'_>,
        arena: &mut Arena,
        states: &mut States,
        words: usize,
        effort: &mut Effort,
    ) {
        self.gather(scene, arena, words);
        effort.cubes += self.grids.len() as u64;
        // All grids at once make a heap in linear time.
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        entries.clear();
        for grid in 0..self.grids.len() as u32 {
            entries.extend(self.enter(scene, arena, grid, [0; 2]));
        }
        self.queue = BinaryHeap::from(entries);
        let whole = words == scene.last;
        let mut pops = 0;
        while pops < scene.pops
            && let Some(&best) = self.queue.peek()
        {
            let at = best.number();
            if self.combinations[at].step != NONE {
                self.queue.pop();
                self.take(scene, arena, states, at, whole);
                pops += 1;
                continue;
            }
            let combination = &mut self.combinations[at];
            let grid = &self.grids[combination.grid as usize];
            let score = score(scene, arena, states, grid, combination, whole);
            let key = score + self.targets[grid.target as usize].future;
            effort.scored += 1;
            if let Some(mut best) = self.queue.peek_mut() {
                *best = Entry::new(key, at as u32);
            }
            let Combination { grid, ranks: [hypothesis, choice], .. } = self.combinations[at];
            if let Some(right) = self.enter(scene, arena, grid, [hypothesis, choice + 1]) {
                self.queue.push(right);
            }
            if choice == 0
                && let Some(below) = self.enter(scene, arena, grid, [hypothesis + 1, 0])
            {
                self.queue.push(below);
            }
        }
        effort.pops += pops as u64;
    }

    /// Takes all hypotheses that have translated `words` words into the arena whose last step `fits`: a state and the
    /// number of a choice. What promises most comes first. When the arena has grown beyond `budget` bytes and the stack
    /// has as many pops as the scene wants, the rest is left out.
    pub fn follow(
        &mut self,
        scene: &Scene<'_>,
        (arena, states): (&mut Arena, &mut States),
        words: usize,
        budget: usize,
        effort: &mut Effort,
        fits: impl Fn(u32, u32) -> bool,
    ) {
        self.gather(scene, arena, words);
        effort.cubes += self.grids.len() as u64;
        let promise =
            |grid: &Grid| arena.sorted(grid.hypotheses[0]).0 + grid.jump + self.targets[grid.target as usize].future;
        // What nothing completes promises nothing.
        let promises = (0_u32..).zip(&self.grids).map(|(number, grid)| (promise(grid), number));
        let mut order: Vec<(f32, u32)> = promises.filter(|&(promise, _)| promise > f32::NEG_INFINITY).collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let whole = words == scene.last;
        let mut pops = 0;
        'stack: for (_, number) in order {
            let grid = self.grids[number as usize];
            for hypothesis in 0..grid.hypotheses[1] {
                if pops >= scene.pops && arena.bytes() > budget {
                    effort.hurried = true;
                    break 'stack;
                }
                let state = arena.get(arena.sorted(grid.hypotheses[0] + hypothesis).1).state;
                for choice in 0..grid.choices[1] {
                    if !fits(state, scene.choices.listed(grid.choices[0] + choice).1) {
                        continue;
                    }
                    let mut combination =
                        Combination { grid: number, ranks: [hypothesis, choice], step: NONE, score: 0.0 };
                    score(scene, arena, states, &grid, &mut combination, whole);
                    self.combinations.clear();
                    self.combinations.push(combination);
                    self.take(scene, arena, states, 0, whole);
                    pops += 1;
                }
            }
        }
        effort.scored += pops as u64;
        effort.pops += pops as u64;
    }

    /// Makes all grids of a stack.
    fn gather(&mut self, scene: &Scene<'_>, arena: &Arena, words: usize) {
        self.targets.clear();
        self.known_targets.clear();
        self.grids.clear();
        self.combinations.clear();
        self.seen.clear();
        for length in 1..=scene.choices.longest().min(words) {
            for covering in arena.stack(words - length) {
                self.extend(scene, arena, covering, length as u32);
            }
        }
    }

    /// Makes the grids of hypotheses that cover the same words with spans of a length.
    fn extend(&mut self, scene: &Scene<'_>, arena: &Arena, covering: &Covering, length: u32) {
        let first = covering.coverage.first;
        let weight = scene.weights.values()[scene.model.own().distortion];
        let last = (scene.last as u32 - length).min((first + scene.distortion).saturating_sub(length).max(first));
        for begin in first..=last {
            let Lists { start, count } = scene.choices.lists(begin as usize, length as usize);
            if count == 0 {
                continue;
            }
            let Some(coverage) = covering.coverage.with(begin, length, scene.distortion) else { continue };
            let (before, phrase) = (covering.coverage, [begin, begin + length]);
            if !may_stand(scene.bounds, before, phrase, scene.distortion) {
                continue;
            }
            let mut target = NONE;
            for group in arena.groups(covering) {
                let jump = begin.abs_diff(group.end);
                if jump > scene.distortion || !may_follow(scene.bounds, before, group.end, phrase) {
                    continue;
                }
                if target == NONE {
                    target = self.target(scene, coverage, [begin, begin + length]);
                }
                let orientation = Orientation::between([group.begin, group.end], [begin, begin + length]);
                let order = if scene.choices.lexicalised() { orientation as u32 } else { 0 };
                self.grids.push(Grid {
                    hypotheses: [group.start + order * group.count, group.count],
                    choices: [start + order * count, count],
                    target,
                    orientation,
                    jump: jump as f32 * weight,
                });
            }
        }
    }

    /// The number of what hypotheses share that cover these words and end with this span.
    fn target(&mut self, scene: &Scene<'_>, coverage: super::Coverage, [begin, end]: [u32; 2]) -> u32 {
        let whole = coverage.first as usize == scene.last;
        // Nothing follows a whole sentence; and where the last phrase began matters to orientations alone.
        let begin = if scene.choices.lexicalised() && !whole { begin } else { 0 };
        let end = if whole { 0 } else { end };
        let targets = &self.targets;
        let same = |&known: &u32| {
            let target = &targets[known as usize];
            target.coverage == coverage && target.end == end && target.begin == begin
        };
        let hash = |target: &Target| {
            let small = u64::from(target.coverage.first) << 42 ^ u64::from(target.end) << 21 ^ u64::from(target.begin);
            stir(small ^ target.coverage.window.wrapping_mul(0xd6e8_feb8_6659_fd93))
        };
        let mut new = Target { coverage, begin, end, future: 0.0 };
        if let Some(&known) = self.known_targets.find(hash(&new), same) {
            return known;
        }
        new.future = scene.future.of(coverage) + scene.future.jumps(coverage, end);
        let number = self.targets.len() as u32;
        self.known_targets.insert_unique(hash(&new), number, |&known| hash(&targets[known as usize]));
        self.targets.push(new);
        number
    }

    /// A new combination for the queue, if there is one with these ranks.
    #[inline]
    fn enter(&mut self, scene: &Scene<'_>, arena: &Arena, number: u32, ranks: [u32; 2]) -> Option<Entry> {
        let grid = &self.grids[number as usize];
        if ranks[0] >= grid.hypotheses[1] || ranks[1] >= grid.choices[1] {
            return None;
        }
        let before = arena.sorted(grid.hypotheses[0] + ranks[0]).0;
        let estimate = scene.choices.listed(grid.choices[0] + ranks[1]).0;
        let key = before + estimate + grid.jump + self.targets[grid.target as usize].future;
        let combination = self.combinations.len() as u32;
        self.combinations.push(Combination { grid: number, ranks, step: NONE, score: 0.0 });
        Some(Entry::new(key, combination))
    }

    /// Adds a combination to the stack, or to the hypothesis that cannot be told from it.
    fn take(&mut self, scene: &Scene<'_>, arena: &mut Arena, states: &States, at: usize, whole: bool) {
        let Combination { grid, ranks, step, score } = self.combinations[at];
        let grid = &self.grids[grid as usize];
        let tail = arena.sorted(grid.hypotheses[0] + ranks[0]).1;
        let choice = scene.choices.listed(grid.choices[0] + ranks[1]).1;
        let way = Way { choice, tail, step, score };
        let (state, next) = if whole { (0, 0) } else { (states.get(step).to, scene.choices.get(choice).next) };
        let target = grid.target;
        let hash = |target: u32, state: u32, next: u32| {
            stir(u64::from(target) << 32 ^ u64::from(state) ^ u64::from(next).rotate_left(48))
        };
        let same = |&other: &u32| {
            let other = arena.get(other);
            other.group == target && other.state == state && other.next == next
        };
        let place = hash(target, state, next);
        if let Some(&known) = self.seen.find(place, same) {
            arena.add_way(known, way, scene.keep);
        } else {
            let new = arena.push(way, target, state, next);
            self.seen.insert_unique(place, new, |&other| {
                let other = arena.get(other);
                hash(other.group, other.state, other.next)
            });
        }
    }
}

/// Asks the language models; returns the exact score with what is to come.
#[inline]
fn score(
    scene: &Scene<'_>,
    arena: &Arena,
    states: &mut States,
    grid: &Grid,
    combination: &mut Combination,
    whole: bool,
) -> f32 {
    let (before, hypothesis) = arena.sorted(grid.hypotheses[0] + combination.ranks[0]);
    let choice = scene.choices.get(scene.choices.listed(grid.choices[0] + combination.ranks[1]).1);
    let state = arena.get(hypothesis).state;
    let mut score = before + choice.score + choice.prev[grid.orientation as usize] + grid.jump;
    combination.step = states.step(scene.model, scene.weights, scene.choices, state, choice.text);
    let step = *states.get(combination.step);
    score += step.score;
    if whole {
        let end = states.step(scene.model, scene.weights, scene.choices, step.to, END);
        score += states.get(end).score;
    }
    combination.score = score;
    score
}

#[inline]
fn stir(value: u64) -> u64 {
    let hash = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
