//! What all searches in a cell share: combinations to look through, their exact scores, and hypotheses made of them.

use std::ops::Range;

use hashbrown::HashTable;

use super::arena::{Arena, NONE, Way};
use crate::corpus::vocabulary::EOS;
use crate::decode::effort::Effort;
use crate::decode::model::{Model, Weights};
use crate::decode::options::{LN_10, Options, TranslationOption};
use crate::lm::chart::FragmentScorer;
use crate::lm::model::LanguageModel;
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

/// An option with hypotheses in its gaps.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The option.
    pub option: u32,
    /// The hypotheses, [`NONE`] where there is no gap.
    pub tails: [u32; 2],
    /// The score of the input's arcs.
    pub input: f32,
}

/// What the language models say of the combinations of a cell, and which hypotheses there are in it.
#[derive(Debug, Default)]
pub struct Scored {
    states: Vec<Fragment>,
    lm: Vec<f32>,
    count: u32,
    seen: HashTable<u32>,
}

impl Scored {
    /// Forgets the last cell.
    pub fn clear(&mut self) {
        self.states.clear();
        self.lm.clear();
        self.count = 0;
        self.seen.clear();
    }

    /// Asks the language models; returns the exact score and the number of what they say.
    pub fn score(
        &mut self,
        options: &Options<'_>,
        arena: &Arena,
        choice: Choice,
        kind: Kind,
        effort: &mut Effort,
    ) -> (f32, u32) {
        let option = options.get(choice.option);
        let Some(weights) = options.scorer().linear(usize::from(option.voice), choice.input) else {
            return self.score_by_parts(options, arena, choice, kind, effort);
        };
        let mut score = option.score + choice.input * weights[options.model().own().input];
        for tail in choice.tails.into_iter().filter(|&tail| tail != NONE) {
            score += arena.get(tail).score;
        }
        effort.scored += 1;
        if option.arity == 0 && kind == Kind::Inside {
            let (states, lm) = options.states(option);
            self.states.extend_from_slice(states);
            self.lm.extend_from_slice(lm);
            for (lm, prob) in options.model().lms().iter().zip(lm) {
                score += prob * LN_10 * weights[lm.feature];
            }
        } else {
            for (at, lm) in options.model().lms().iter().enumerate() {
                let (prob, state) = join(options, option, arena, choice.tails, at, kind, effort);
                score += prob * LN_10 * weights[lm.feature];
                self.states.push(state);
                self.lm.push(prob);
            }
        }
        self.count += 1;
        (score, self.count - 1)
    }

    /// Like [`Scored::score`] where edges are mixed: each component scores what the option and the language models add, and
    /// their mixture is the score of the edge (Razmara 2013, section 2.3).
    fn score_by_parts(
        &mut self,
        options: &Options<'_>,
        arena: &Arena,
        choice: Choice,
        kind: Kind,
        effort: &mut Effort,
    ) -> (f32, u32) {
        let (option, model) = (options.get(choice.option), options.model());
        let first = self.lm.len();
        effort.scored += 1;
        if option.arity == 0 && kind == Kind::Inside {
            let (states, lm) = options.states(option);
            self.states.extend_from_slice(states);
            self.lm.extend_from_slice(lm);
        } else {
            for at in 0..model.lms().len() {
                let (prob, state) = join(options, option, arena, choice.tails, at, kind, effort);
                self.states.push(state);
                self.lm.push(prob);
            }
        }
        let edge = options.edge_score(option, &self.lm[first..], choice.input);
        let tails = choice.tails.into_iter().filter(|&tail| tail != NONE);
        self.count += 1;
        (edge + tails.map(|tail| arena.get(tail).score).sum::<f32>(), self.count - 1)
    }

    /// log10 of what the language models said, by its number.
    pub fn lm(&self, options: &Options<'_>, scored: u32) -> &[f32] {
        let lms = options.model().lms().len();
        &self.lm[scored as usize * lms..][..lms]
    }

    /// What must be remembered of it, by its number.
    pub fn states(&self, options: &Options<'_>, scored: u32) -> &[Fragment] {
        let lms = options.model().lms().len();
        &self.states[scored as usize * lms..][..lms]
    }

    /// Adds a combination to the cell, or to the hypothesis that cannot be told from it; returns the hypothesis.
    pub fn take(
        &mut self,
        options: &Options<'_>,
        arena: &mut Arena,
        choice: Choice,
        (score, scored): (f32, u32),
        cell: Cell,
    ) -> u32 {
        let Choice { option, tails, input } = choice;
        let lms = arena.lms();
        let states = &self.states[scored as usize * lms..][..lms];
        let lm = &self.lm[scored as usize * lms..][..lms];
        let inner = tails.into_iter().filter(|&tail| tail != NONE).map(|tail| arena.get(tail).depth).max();
        let depth = if cell.by_depth { inner.map_or(0, |depth| depth.saturating_add(1)) } else { 0 };
        let category = options.get(option).lhs;
        let way = Way { option, tails, score, input };
        let hash = states.iter().fold(u64::from(category) << 8 | u64::from(depth), |hash, state| state.mix(hash));
        let same = |&other: &u32| {
            let (known, others) = (arena.get(other), arena.states(other));
            known.category == category && known.depth == depth && others == states
        };
        if let Some(&known) = self.seen.find(hash, same) {
            arena.add_way(known, way, lm, cell.keep);
            known
        } else {
            let new = arena.push((category, depth), cell.span, way, lm, states);
            let rehash = |&other: &u32| {
                let known = arena.get(other);
                let start = u64::from(known.category) << 8 | u64::from(known.depth);
                arena.states(other).iter().fold(start, |hash, state| state.mix(hash))
            };
            self.seen.insert_unique(hash, new, rehash);
            new
        }
    }
}

/// The weights of all language models together, for logarithms of base 10.
pub fn lm_weight(model: &Model, weights: &Weights) -> f32 {
    let sum: f32 = model.lms().iter().map(|lm| weights.values()[lm.feature]).sum();
    sum.max(0.0) * LN_10
}

/// Scores the target side of an option with hypotheses in its gaps.
fn join(
    options: &Options<'_>,
    option: &TranslationOption,
    arena: &Arena,
    tails: [u32; 2],
    lm: usize,
    kind: Kind,
    effort: &mut Effort,
) -> (f32, Fragment) {
    let (sum, mut scorer) = walk(options, option, lm, kind, |scorer, gap| {
        scorer.nonterminal(&arena.states(tails[gap])[lm], 0.0);
    });
    if kind == Kind::Whole {
        scorer.terminal(EOS);
    }
    effort.queries += u64::from(scorer.queries());
    let (prob, fragment) = scorer.finish();
    // Nothing follows a whole sentence, so all of them are one hypothesis.
    (sum + prob, if kind == Kind::Whole { Fragment::EMPTY } else { fragment })
}

/// Walks over the target side of an option: the words before, between and behind its gaps, which were scored on their
/// own, and `fill` for each gap. Returns the score that the words have on their own, and the scorer of the rest.
#[inline]
pub fn walk<'o>(
    options: &'o Options<'_>,
    option: &TranslationOption,
    lm: usize,
    kind: Kind,
    mut fill: impl FnMut(&mut FragmentScorer<'o, dyn LanguageModel>, usize),
) -> (f32, FragmentScorer<'o, dyn LanguageModel>) {
    let model = &*options.model().lms()[lm].model;
    let (pieces, sum) = options.pieces(option, lm);
    // A sequence already begins with the start of the sentence; the first translation in it does not.
    let begins = kind != Kind::Inside && option.arity == 1;
    let mut scorer = if begins { FragmentScorer::begin_sentence(model) } else { FragmentScorer::new(model) };
    for gap in 0..usize::from(option.arity) {
        if let Some(piece) = pieces.get(gap) {
            scorer.nonterminal(piece, 0.0);
        }
        fill(&mut scorer, if option.swapped { 1 - gap } else { gap });
    }
    if let Some(piece) = pieces.last() {
        scorer.nonterminal(piece, 0.0);
    }
    (sum, scorer)
}
