//! Translating short spans first, each from the best of its parts: cube pruning (Chiang 2007; Huang & Chiang 2005).
//!
//! The same logic, grammar and semiring as from the agenda, in another order. The agenda looks at every join of what two
//! cells have; here a join is looked at when the one before it, of slightly better parts, was good. With room for everything
//! the best derivation is the same.

use hashbrown::HashSet;

use super::translation::{Item, Rule, Translation};
use crate::parse::{Agenda, Algebra, Cost, Fired, Grammar, Logic, Match, Parser};

/// How often the items of a cell may come up again before it is full.
const AGAIN: usize = 4;

/// A join or a leaf that waits for its cell, and the places of a join's parts in theirs.
struct Waiting<P> {
    by: Match<Rule>,
    cost: Cost,
    value: P,
    item: Item,
    places: Option<(usize, usize, usize)>,
}

type Fire<'a, A> = Fired<Translation<'a>, <A as Algebra>::Pending>;

/// Fills the chart, with up to so many items in each cell. False if a limit was met.
pub fn search<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &mut Parser<Translation<'a>, G, A>,
    beam: usize,
) -> bool {
    let length = parser.logic.source.len();
    let mut leaves = leaves(parser);
    for width in 1..=length {
        for from in 0..=length - width {
            let own = std::mem::take(&mut leaves[parser.logic.cell_of(from, from + width)]);
            fill(parser, (from, from + width), own, beam);
            if parser.is_over() {
                return false;
            }
        }
    }
    true
}

/// What the agenda comes to without any join: leaves by their cells, the best first.
fn leaves<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &mut Parser<Translation<'a>, G, A>,
) -> Vec<Vec<Fire<'a, A>>> {
    let length = parser.logic.source.len();
    let mut leaves: Vec<Vec<Fire<'a, A>>> = Vec::new();
    leaves.resize_with((length + 1).pow(2), Vec::new);
    while let Some(fired) = parser.pop() {
        match &fired.item {
            Item::Both(piece) => {
                leaves[parser.logic.cell_of(piece.from.into(), piece.to.into())].push(fired);
            }
            _ => {
                if let Some(item) = parser.keep(&fired, true).if_new() {
                    parser.expand(item);
                }
            }
        }
    }
    leaves
}

/// Fills a cell whose parts are there.
fn fill<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &mut Parser<Translation<'a>, G, A>,
    (from, to): (usize, usize),
    leaves: Vec<Fire<'a, A>>,
    beam: usize,
) {
    let mut waiting: Agenda<Waiting<A::Pending>> = Agenda::default();
    for Fired { by, cost, value, item, .. } in leaves {
        let one = Waiting { by, cost, value, item, places: None };
        waiting.push(one, |a, b| parser.algebra.compare(&a.value, &b.value));
    }
    for middle in from + 1..to {
        for rule in [Rule::Monotonic, Rule::Inverted] {
            offer(parser, &mut waiting, (from, to), rule, (middle, 0, 0));
        }
    }
    let (mut taken, mut different) = (Vec::new(), HashSet::new());
    while let Some(best) = waiting.pop(|a, b| parser.algebra.compare(&a.value, &b.value)) {
        parser.effort.popped += 1;
        if let Some((middle, left, right)) = best.places {
            offer(parser, &mut waiting, (from, to), best.by.rule, (middle, left, right + 1));
            if right == 0 {
                offer(parser, &mut waiting, (from, to), best.by.rule, (middle, left + 1, 0));
            }
        }
        different.insert(parser.logic.key(&best.item));
        taken.push(best);
        // The same text comes of many brackets, which would leave no room for others.
        if different.len() >= beam || taken.len() >= beam.saturating_mul(AGAIN) {
            break;
        }
    }
    // What a good join led to may be better than the join itself.
    taken.sort_by(|a, b| parser.algebra.compare(&a.value, &b.value));
    for Waiting { by, cost, value, item, .. } in taken {
        let known = parser.known(&item);
        parser.keep(&Fired { by, cost, value, item, known }, true);
    }
}

/// Lets a join wait, if there are such parts. One that is forbidden takes those behind it along: whoever translates forbids
/// whole spans.
fn offer<'a, G: Grammar<Translation<'a>>, A: Algebra>(
    parser: &mut Parser<Translation<'a>, G, A>,
    waiting: &mut Agenda<Waiting<A::Pending>>,
    (from, to): (usize, usize),
    rule: Rule,
    (middle, left, right): (usize, usize, usize),
) {
    let cell = |from: usize, to: usize| parser.cell(parser.logic.cell_of(from, to));
    let (Some(&one), Some(&other)) = (cell(from, middle).get(left), cell(middle, to).get(right)) else { return };
    let by = Match { rule, left: one, right: other };
    let Some((item, cost)) = parser.cost(by) else { return };
    let value = parser.product(by, cost);
    let places = Some((middle, left, right));
    waiting.push(Waiting { by, cost, value, item, places }, |a, b| parser.algebra.compare(&a.value, &b.value));
}
