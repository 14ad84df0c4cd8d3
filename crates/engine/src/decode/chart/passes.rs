//! Two passes: all derivations without language models, of which those that promise little are dropped, and then search
//! with language models among the rest.
//!
//! Without language models the hypotheses of a cell differ in their category alone, so the first pass is cheap and
//! nothing of it needs to be left out. What a derivation promises is the score of its rules with what the language
//! models say of each rule's words on their own.

use std::time::Instant;

use super::ChartDecoder;
use super::arena::{Arena, NO_GROUP, NONE};
use super::scoring::{Cell, Choice, Cube, Kind, Scored};
use crate::Result;
use crate::decode::input::Input;
use crate::decode::options::{Options, Origin};
use crate::decode::undirected::context::beside;
use crate::decode::undirected::forest::Forest as UndirectedForest;
use crate::decode::undirected::policy::Policy;
use crate::forest::Forest;
use crate::forest::inside::hand_down;

/// What the rules of a first pass are scored with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Their own features.
    Rules,
    /// Those and the language models' estimate of their words.
    RulesAndWords,
}

impl ChartDecoder<'_> {
    /// All derivations of an input as far as rules go, without language models, as a forest: its nodes are categories
    /// over spans.
    ///
    /// # Errors
    /// Scores that are not finite numbers, rules that cannot be made.
    pub fn context_free(&mut self, input: &Input) -> Result<Forest> {
        let words = self.options.begin_sentence(input)?;
        self.first_pass(input, &words, Promise::Rules);
        let goal = self.goal.take();
        self.pack(&self.bare, goal, input, &[])
    }

    /// All derivations of an input as far as rules go, packed by source sides.
    ///
    /// # Errors
    /// Rules that cannot be made.
    pub fn bundle(
        &mut self,
        input: &Input,
        forest: &mut UndirectedForest,
        policy: &Policy,
        prune: Option<f64>,
    ) -> Result<()> {
        let started = Instant::now();
        let words = self.options.begin_sentence(input)?;
        if forest.kept != self.options.generation() {
            forest.menus.clear();
            forest.kept = self.options.generation();
        }
        forest.begin();
        forest.words.clear();
        if policy.context.is_some() {
            beside(input, &mut forest.words);
        }
        self.bundles = Some((std::mem::take(forest), policy.clone()));
        self.visit(input, &words);
        if let Some((found, _)) = self.bundles.take() {
            *forest = found;
        }
        let parsed = started.elapsed();
        forest.finish(&self.arena, policy, self.goal.take(), prune);
        let joined = forest.joining();
        self.effort.parsing = parsed.saturating_sub(joined);
        self.effort.factors = started.elapsed().saturating_sub(self.effort.parsing);
        Ok(())
    }

    /// Fills the chart without language models; `goal` is then a hypothesis of that chart.
    pub(super) fn first_pass(&mut self, input: &Input, words: &[Option<u32>], promise: Promise) {
        self.promise = Some(promise);
        std::mem::swap(&mut self.arena, &mut self.bare);
        self.visit(input, words);
        std::mem::swap(&mut self.arena, &mut self.bare);
        self.promise = None;
        self.arena.clear();
    }

    /// Searches with language models among what the first pass found.
    pub(super) fn second_pass(&mut self) {
        let Some(goal) = self.goal.take() else { return };
        let bare = std::mem::replace(&mut self.bare, Arena::new(0));
        let around = outside(&bare, goal);
        let worst = self.settings.beam.map_or(f32::NEG_INFINITY, |beam| bare.get(goal).score - beam);
        let mut groups = vec![NO_GROUP; goal as usize + 1];
        let mut ways: Vec<u32> = Vec::new();
        for node in (0..=goal).filter(|&node| around[node as usize] > f32::NEG_INFINITY) {
            ways.clear();
            // Sums in another order may differ in the last bits.
            let promises = |&way: &u32| around[node as usize] + bare.way(way).score >= worst - 1e-3;
            ways.extend(bare.ways(node).filter(promises));
            if ways.is_empty() {
                continue;
            }
            let key = |way: u32| (bare.way(way).tails, bare.way(way).input.to_bits(), bare.way(way).option);
            ways.sort_unstable_by_key(|&way| key(way));
            self.cubes.clear();
            for at in 0..ways.len() {
                let (tails, input, option) = key(ways[at]);
                // Options of one source side follow each other, the best one first.
                if at > 0 && key(ways[at - 1]) == (tails, input, option.wrapping_sub(1)) {
                    if let Some(cube) = self.cubes.last_mut() {
                        cube.options.end = option + 1;
                    }
                    continue;
                }
                let range = |tail: u32| if tail == NONE { 0..0 } else { self.arena.all(groups[tail as usize]) };
                let kind = match self.options.get(option).origin {
                    Origin::GlueFirst | Origin::GlueNext if node == goal => Kind::Whole,
                    Origin::GlueFirst | Origin::GlueNext => Kind::Beginning,
                    _ => Kind::Inside,
                };
                let input = bare.way(ways[at]).input;
                self.cubes.push(Cube { options: option..option + 1, tails: tails.map(range), input, kind });
            }
            let [begin, end] = bare.get(node).span;
            groups[node as usize] = self.take(begin as usize, end as usize, None).next().unwrap_or(NO_GROUP);
        }
        self.bare = bare;
        let group = groups[goal as usize];
        self.goal = (group != NO_GROUP).then(|| self.arena.sorted(self.arena.all(group).start));
    }
}

/// For each hypothesis the best that completes it to a derivation of the goal (its outside score). The score of a way has
/// those of its tails in it.
fn outside(arena: &Arena, goal: u32) -> Vec<f32> {
    let hand = |above: &f32, way: u32, place: usize| {
        let way = arena.way(way);
        above + way.score - arena.get(way.tails[place]).score
    };
    hand_down(arena.graph(), goal, [f32::NEG_INFINITY, 0.0], |a, b| a.max(*b), hand)
}

/// Takes all combinations of cubes without asking language models.
pub fn take_all(
    cubes: &[Cube],
    options: &Options<'_>,
    arena: &mut Arena,
    scored: &mut Scored,
    cell: Cell,
    promise: Promise,
) {
    let weight = options.weights().values()[options.model().own().input];
    let cell = Cell { keep: true, ..cell };
    for cube in cubes {
        for number in cube.options.clone() {
            let option = options.get(number);
            let own = match promise {
                Promise::Rules => options.bare_score(option, cube.input),
                Promise::RulesAndWords => option.estimate + cube.input * weight,
            };
            let arity = usize::from(option.arity);
            let places = |gap: usize| if gap < arity { cube.tails[gap].clone() } else { 0..1 };
            for one in places(0) {
                for other in places(1) {
                    let mut tails = [NONE; 2];
                    let mut score = own;
                    for (tail, place) in tails.iter_mut().zip([one, other]).take(arity) {
                        *tail = arena.sorted(place);
                        score += arena.get(*tail).score;
                    }
                    let choice = Choice { option: number, tails, input: cube.input };
                    scored.take(options, arena, choice, (score, 0), cell);
                }
            }
        }
    }
}
