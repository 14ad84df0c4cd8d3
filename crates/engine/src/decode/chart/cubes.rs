//! Cube pruning: the best combinations of an option with the hypotheses in its gaps (Chiang 2007; Huang & Chiang 2007).
//!
//! The queue is lazy: a combination enters it with an estimate, the sum of its parts, and is scored by the language
//! models only when that estimate is the best there is; then it goes back to its place. Good neighbours make each other
//! likelier, so the estimate hopes for something wherever a gap meets words; without that whatever is scored first would
//! leave behind what is not scored yet. Each combination has one
//! predecessor, so none enters twice and none needs to be looked for (Gesmundo & Henderson 2010).

use std::collections::BinaryHeap;

use super::arena::{Arena, NONE};
use super::scoring::{Cell, Choice, Cube, Scored, lm_weight};
use crate::decode::effort::Effort;
use crate::decode::model::{Model, Weights};
use crate::decode::options::Options;
use crate::decode::queue::Entry;

#[derive(Debug, Clone, Copy)]
struct Combination {
    cube: u32,
    ranks: [u32; 3],
    /// The number of what language models say of it, or [`NONE`].
    scored: u32,
    score: f32,
}

/// Fills cells; it keeps its memory.
#[derive(Debug, Default)]
pub struct Filler {
    combinations: Vec<Combination>,
    queue: BinaryHeap<Entry>,
    /// What is hoped for where a gap meets words or another gap.
    hope: f32,
}

/// What language models are expected to add, log10, where a gap meets words or another gap: a combination that is not
/// scored yet is compared with others that are. Found on Multi30k; with more, more is scored for each that is taken.
const HOPE: f32 = 0.3;

impl Filler {
    /// A filler.
    pub fn new(model: &Model, weights: &Weights) -> Self {
        Self { hope: HOPE * lm_weight(model, weights), ..Self::default() }
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
        self.combinations.clear();
        // All cubes at once make a heap in linear time.
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        entries.clear();
        for cube in 0..cubes.len() as u32 {
            entries.extend(self.enter(cubes, options, arena, cube, [0; 3]));
        }
        self.queue = BinaryHeap::from(entries);
        let mut pops = 0;
        while pops < cell.limit
            && let Some(&best) = self.queue.peek()
        {
            let at = best.number();
            let Combination { cube, ranks, .. } = self.combinations[at];
            let Some(choice) = choice(&cubes[cube as usize], options, arena, ranks) else { break };
            if self.combinations[at].scored != NONE {
                self.queue.pop();
                let Combination { score, scored: number, .. } = self.combinations[at];
                scored.take(options, arena, choice, (score, number), cell);
                pops += 1;
                continue;
            }
            let (score, number) = scored.score(options, arena, choice, cubes[cube as usize].kind, effort);
            (self.combinations[at].score, self.combinations[at].scored) = (score, number);
            if let Some(mut best) = self.queue.peek_mut() {
                *best = Entry::new(score + options.get(choice.option).handicap, at as u32);
            }
            self.offer_next(cubes, options, arena, cube, ranks);
        }
        effort.pops += pops as u64;
    }

    /// The place in the queue of a combination, if there is one with these ranks.
    #[inline]
    fn enter(
        &mut self,
        cubes: &[Cube],
        options: &Options<'_>,
        arena: &Arena,
        number: u32,
        ranks: [u32; 3],
    ) -> Option<Entry> {
        let cube = &cubes[number as usize];
        let choice = choice(cube, options, arena, ranks)?;
        let weight = options.weights().values()[options.model().own().input];
        let option = options.get(choice.option);
        let mut key = option.estimate + option.handicap + f32::from(option.joins) * self.hope + cube.input * weight;
        for tail in choice.tails.into_iter().filter(|&tail| tail != NONE) {
            key += arena.get(tail).score;
        }
        let combination = self.combinations.len() as u32;
        self.combinations.push(Combination { cube: number, ranks, scored: NONE, score: key });
        Some(Entry::new(key, combination))
    }

    /// The neighbours of which a combination is the one predecessor.
    fn offer_next(&mut self, cubes: &[Cube], options: &Options<'_>, arena: &Arena, cube: u32, ranks: [u32; 3]) {
        let [option, left, right] = ranks;
        let mut offer = |ranks| {
            if let Some(entry) = self.enter(cubes, options, arena, cube, ranks) {
                self.queue.push(entry);
            }
        };
        offer([option, left, right + 1]);
        if right == 0 {
            offer([option, left + 1, 0]);
            if left == 0 {
                offer([option + 1, 0, 0]);
            }
        }
    }
}

#[inline]
fn choice(cube: &Cube, options: &Options<'_>, arena: &Arena, ranks: [u32; 3]) -> Option<Choice> {
    let option = cube.options.start + ranks[0];
    if option >= cube.options.end {
        return None;
    }
    let arity = usize::from(options.get(option).arity);
    let mut tails = [NONE; 2];
    for gap in 0..2 {
        let place = cube.tails[gap].start + ranks[gap + 1];
        if gap >= arity {
            if ranks[gap + 1] > 0 {
                return None;
            }
        } else if place < cube.tails[gap].end {
            tails[gap] = arena.sorted(place);
        } else {
            return None;
        }
    }
    Some(Choice { option, tails, input: cube.input })
}
