//! Cube pruning: the best combinations of an option with the hypotheses in its gaps (Chiang 2007; Huang & Chiang 2007).
//!
//! The queue is lazy: a combination enters it with an estimate, the sum of its parts, and is scored by the language
//! models only when that estimate is the best there is; then it goes back to its place. Each combination has one
//! predecessor, so none enters twice and none needs to be looked for (Gesmundo & Henderson 2010).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use hashbrown::HashTable;

use super::Effort;
use super::arena::{Arena, NONE, Way};
use crate::corpus::vocabulary::EOS;
use crate::decode::options::{LN_10, NO_STATE, Options, TranslationOption};
use crate::lm::chart::FragmentScorer;
use crate::lm::state::Fragment;

/// Where in the sentence the hypotheses of a cube stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Anywhere.
    Inside,
    /// At its beginning.
    Beginning,
    /// They are all of it.
    Whole,
}

/// The cell to be filled, and how.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The positions it covers.
    pub span: [u32; 2],
    /// Combinations to take.
    pub limit: usize,
    /// Whether hypotheses nested differently deep are kept apart.
    pub by_depth: bool,
    /// Whether all ways to a hypothesis are kept.
    pub keep: bool,
}

/// All combinations of some options with the hypotheses in their gaps.
#[derive(Debug, Clone)]
pub struct Cube {
    /// The options, best estimate first.
    pub options: Range<u32>,
    /// For each gap places of the arena's sorted list, best first; the second or both are empty if there is no gap.
    pub tails: [Range<u32>; 2],
    /// The score of the input's arcs.
    pub input: f32,
    /// Where in the sentence this is.
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy)]
struct Combination {
    cube: u32,
    ranks: [u32; 3],
    /// The number of its scored states, or [`NONE`].
    scored: u32,
    score: f32,
}

/// A place in the queue: higher keys first, then whoever came first.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: f32,
    combination: u32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(other.combination.cmp(&self.combination))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// Fills cells; it keeps its memory.
#[derive(Debug, Default)]
pub struct Filler {
    cubes: Vec<Cube>,
    combinations: Vec<Combination>,
    queue: BinaryHeap<Entry>,
    states: Vec<Fragment>,
    lm: Vec<f32>,
    seen: HashTable<u32>,
}

impl Filler {
    /// Forgets the cubes of the last cell.
    pub fn begin(&mut self) {
        self.cubes.clear();
        self.combinations.clear();
        self.queue.clear();
        self.states.clear();
        self.lm.clear();
        self.seen.clear();
    }

    /// Adds a cube to the cell.
    pub fn cube(&mut self, cube: Cube) {
        self.cubes.push(cube);
    }

    /// Takes the best combinations into the arena.
    pub fn fill(&mut self, options: &Options<'_>, arena: &mut Arena, cell: Cell, effort: &mut Effort) {
        effort.cubes += self.cubes.len() as u64;
        for cube in 0..self.cubes.len() as u32 {
            self.offer(options, arena, cube, [0; 3]);
        }
        let mut pops = 0;
        while pops < cell.limit
            && let Some(entry) = self.queue.pop()
        {
            let at = entry.combination as usize;
            if self.combinations[at].scored == NONE {
                let score = self.score(options, arena, at);
                effort.scored += 1;
                self.offer_next(options, arena, at);
                if self.queue.peek().is_some_and(|next| next.key > score) {
                    self.queue.push(Entry { key: score, ..entry });
                    continue;
                }
            }
            self.take(options, arena, at, cell);
            pops += 1;
        }
        effort.pops += pops as u64;
    }

    /// Puts a combination into the queue, if there is one with these ranks.
    fn offer(&mut self, options: &Options<'_>, arena: &Arena, cube: u32, ranks: [u32; 3]) {
        let Some((option, tails)) = self.parts(options, arena, cube, ranks) else { return };
        let weight = options.weights().values()[options.model().own().input];
        let mut key = options.get(option).estimate + self.cubes[cube as usize].input * weight;
        for tail in tails.into_iter().filter(|&tail| tail != NONE) {
            key += arena.get(tail).score;
        }
        let combination = self.combinations.len() as u32;
        self.combinations.push(Combination { cube, ranks, scored: NONE, score: key });
        self.queue.push(Entry { key, combination });
    }

    /// The neighbours of which a combination is the one predecessor.
    fn offer_next(&mut self, options: &Options<'_>, arena: &Arena, at: usize) {
        let Combination { cube, ranks: [option, left, right], .. } = self.combinations[at];
        self.offer(options, arena, cube, [option, left, right + 1]);
        if right == 0 {
            self.offer(options, arena, cube, [option, left + 1, 0]);
            if left == 0 {
                self.offer(options, arena, cube, [option + 1, 0, 0]);
            }
        }
    }

    fn parts(&self, options: &Options<'_>, arena: &Arena, cube: u32, ranks: [u32; 3]) -> Option<(u32, [u32; 2])> {
        let cube = &self.cubes[cube as usize];
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
        Some((option, tails))
    }

    /// Asks the language models; returns the exact score.
    fn score(&mut self, options: &Options<'_>, arena: &Arena, at: usize) -> f32 {
        let Combination { cube, ranks, .. } = self.combinations[at];
        let Some((number, tails)) = self.parts(options, arena, cube, ranks) else { return f32::NEG_INFINITY };
        let option = options.get(number);
        let kind = self.cubes[cube as usize].kind;
        let weights = options.weights().values();
        let mut score = option.score + self.cubes[cube as usize].input * weights[options.model().own().input];
        for tail in tails.into_iter().filter(|&tail| tail != NONE) {
            score += arena.get(tail).score;
        }
        let scored = self.lm.len() / options.model().lms().len().max(1);
        if option.state != NO_STATE && kind == Kind::Inside {
            let (states, lm) = options.states(option);
            self.states.extend_from_slice(states);
            self.lm.extend_from_slice(lm);
            for (lm, prob) in options.model().lms().iter().zip(lm) {
                score += prob * LN_10 * weights[lm.feature];
            }
        } else {
            for (at, lm) in options.model().lms().iter().enumerate() {
                let (prob, state) = join(options, option, arena, tails, at, kind);
                score += prob * LN_10 * weights[lm.feature];
                self.states.push(state);
                self.lm.push(prob);
            }
        }
        self.combinations[at].scored = scored as u32;
        self.combinations[at].score = score;
        score
    }

    /// Adds a combination to the cell, or to the hypothesis that cannot be told from it.
    fn take(&mut self, options: &Options<'_>, arena: &mut Arena, at: usize, cell: Cell) {
        let Combination { cube, ranks, scored, score } = self.combinations[at];
        let Some((number, tails)) = self.parts(options, arena, cube, ranks) else { return };
        let option = options.get(number);
        let lms = options.model().lms().len();
        let states = &self.states[scored as usize * lms..][..lms];
        let lm = &self.lm[scored as usize * lms..][..lms];
        let inner = tails.into_iter().filter(|&tail| tail != NONE).map(|tail| arena.get(tail).depth).max();
        let depth = if cell.by_depth { inner.map_or(0, |depth| depth.saturating_add(1)) } else { 0 };
        let category = option.lhs;
        let way = Way { option: number, tails, score, input: self.cubes[cube as usize].input, next: NONE };
        let hash = states.iter().fold(u64::from(category) << 8 | u64::from(depth), |hash, state| state.mix(hash));
        let same = |&other: &u32| {
            let (known, others) = (arena.get(other), arena.states(other));
            known.category == category && known.depth == depth && others == states
        };
        if let Some(&known) = self.seen.find(hash, same) {
            arena.add_way(known, way, lm, cell.keep);
        } else {
            let new = arena.push((category, depth), cell.span, way, lm, states);
            let rehash = |&other: &u32| {
                let known = arena.get(other);
                let start = u64::from(known.category) << 8 | u64::from(known.depth);
                arena.states(other).iter().fold(start, |hash, state| state.mix(hash))
            };
            self.seen.insert_unique(hash, new, rehash);
        }
    }
}

/// Scores the target side of an option with hypotheses in its gaps.
fn join(
    options: &Options<'_>,
    option: &TranslationOption,
    arena: &Arena,
    tails: [u32; 2],
    lm: usize,
    kind: Kind,
) -> (f32, Fragment) {
    let model = &*options.model().lms()[lm].model;
    // A sequence already begins with the start of the sentence; the first translation in it does not.
    let begins = kind != Kind::Inside && option.arity == 1;
    let mut scorer = if begins { FragmentScorer::begin_sentence(model) } else { FragmentScorer::new(model) };
    for symbol in options.target(option) {
        match (symbol.as_word(), symbol.as_nonterminal()) {
            (Some(word), _) => scorer.terminal(options.lm_word(lm, word)),
            (_, Some(place)) => scorer.nonterminal(&arena.states(tails[place as usize])[lm], 0.0),
            _ => {}
        }
    }
    if kind != Kind::Whole {
        return scorer.finish();
    }
    scorer.terminal(EOS);
    // Nothing follows a whole sentence, so all of them are one hypothesis.
    (scorer.finish().0, Fragment::EMPTY)
}
