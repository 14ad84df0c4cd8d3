//! The engine against exhaustive enumeration.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::mono::{ContextFree, Known, MonoC, Production, Productions, Right, Rule};
use super::*;
use crate::forest::semiring::Ordered;
use crate::forest::{Bag, Way, Ways};

fn parse<'a, A: Algebra>(
    grammar: &'a ContextFree,
    words: &'a [u32],
    algebra: A,
    search: Search,
) -> (Parser<MonoC<'a>, Productions, A>, Ended) {
    let mut parser = Parser::new(MonoC::new(grammar, words), Productions, algebra, search, Limits::default());
    let goal = parser.logic.goal(0);
    let ended = parser.run(|_, item| *item == goal);
    (parser, ended)
}

/// `S ⇒ NP VP`, `NP ⇒ D N`, `VP ⇒ v`: spans of scans and compositions.
#[test]
fn scans_and_compositions_have_spans() {
    let make = |left, right| Production { left, right, cost: Cost::of(0.5) };
    let grammar = ContextFree::new(vec![
        make(0, Right::Two(1, 2)),
        make(1, Right::Two(3, 4)),
        make(3, Right::Word(10)),
        make(4, Right::Word(11)),
        make(2, Right::Word(12)),
    ]);
    let (parser, ended) = parse(&grammar, &[10, 11, 12], MinMerge::default(), Search::default());
    let Ended::Found(goal) = ended else { panic!("no parse: {ended:?}") };
    let spans: Vec<_> = parser.derivation(goal).iter().map(|step| (step.by.rule, *parser.item(step.item))).collect();
    let category = |category, from, to| Known::Category { category, from, to };
    for expected in [
        (Rule::Scan(2), category(3, 0, 1)),
        (Rule::Scan(3), category(4, 1, 2)),
        (Rule::Compose(1), category(1, 0, 2)),
        (Rule::Scan(4), category(2, 2, 3)),
        (Rule::Compose(0), category(0, 0, 3)),
    ] {
        assert!(spans.contains(&expected), "{expected:?} is not in {spans:?}");
    }
    assert_eq!(parser.algebra.costs(parser.value(goal)), [Cost::of(0.5); 5]);
    // Words given are worth nothing; nothing is left to do without a word's production.
    assert_eq!(parse(&grammar, &[10, 10], Viterbi, Search::default()).1, Ended::Empty);
    assert_eq!(parse(&grammar, &[], Viterbi, Search::default()).1, Ended::Empty);
}

/// `S ⇒ S` at no cost: what is looked for is a part of itself, as often as one likes.
#[test]
fn a_goal_that_is_made_of_itself_for_nothing_has_no_end() {
    let make = |right, cost| Production { left: 0, right, cost: Cost::of(cost) };
    let ends = |cost| {
        let grammar = ContextFree::new(vec![make(Right::Word(1), 1.0), make(Right::One(0), cost)]);
        let (mut parser, ended) = parse(&grammar, &[1], Viterbi, Search::default());
        let Ended::Found(goal) = ended else { panic!("no parse: {ended:?}") };
        ways(&mut parser, goal, |cost| forest::Viterbi(-cost.value())).map(|ways| ways.ways.len()).ok()
    };
    assert_eq!((ends(0.0), ends(0.5)), (None, Some(1)));
}

/// Small grammars with few costs, so that values tie often.
fn grammar() -> impl Strategy<Value = ContextFree> {
    let right = prop_oneof![
        4 => (0_u32..3, 0_u32..3).prop_map(|(a, b)| Right::Two(a, b)),
        1 => (0_u32..3).prop_map(Right::One),
        2 => (0_u32..2).prop_map(Right::Word),
    ];
    let production = (0_u32..3, right, 0_u8..4).prop_map(|(left, right, cost)| Production {
        left,
        right,
        cost: Cost::of(f64::from(cost)),
    });
    prop::collection::vec(production, 1..14).prop_map(ContextFree::new)
}

/// More derivations than anybody wants to look at.
const MOST: usize = 20_000;

/// All derivations of a category over a span, as lists of costs, with at most `chain` projections one upon the other; nothing
/// if they are too many.
fn enumerate(grammar: &ContextFree, words: &[u32], category: u32, chain: usize) -> Option<Vec<Vec<Cost>>> {
    let mut found = Vec::new();
    for number in 0.. {
        let Some(production) = grammar.get(number) else { break };
        if production.left != category {
            continue;
        }
        match production.right {
            Right::Word(word) if words == [word] => found.push(vec![production.cost]),
            Right::Word(_) => {}
            Right::One(below) if chain > 0 => {
                let ways = enumerate(grammar, words, below, chain - 1)?;
                found.extend(ways.into_iter().map(|way| [way, vec![production.cost]].concat()));
            }
            Right::One(_) => {}
            Right::Two(left, right) => {
                for middle in 1..words.len() {
                    let rights = enumerate(grammar, &words[middle..], right, 2)?;
                    for one in enumerate(grammar, &words[..middle], left, 2)? {
                        found.extend(rights.iter().map(|other| [&one[..], other, &[production.cost]].concat()));
                        if found.len() > MOST {
                            return None;
                        }
                    }
                }
            }
        }
    }
    (found.len() <= MOST).then_some(found)
}

mod forest {
    pub use crate::forest::min_merge::MinMerge;
    pub use crate::forest::semiring::Viterbi;
}

/// All best derivations of an item; the parser's own must be one of them, and the chosen one the least of them.
fn ways<A: Algebra, S: Ordered + PartialEq + std::fmt::Debug>(
    parser: &mut Parser<MonoC<'_>, Productions, A>,
    goal: u32,
    value: impl Fn(Cost) -> S,
) -> crate::Result<Ways<S>> {
    assert!(parser.run_ties(goal));
    let worth = |cost: Cost| if cost == Cost::NOTHING { S::one() } else { value(cost) };
    let ways = parser.sum_of_best(goal, |edge, cost| Ways::of(worth(cost), edge))?;
    let chosen = parser.sum_of_best(goal, |edge, cost| Way::of(worth(cost), edge))?;
    assert_eq!(chosen.way.as_ref(), ways.ways.first());
    assert_eq!(chosen.value, ways.value);
    let graph = parser.graph();
    let own = parser
        .derivation(goal)
        .iter()
        .fold(Bag::default(), |bag, step| bag.join(&Bag::of(graph.first(step.item).unwrap())));
    assert!(ways.ways.contains(&own));
    Ok(ways)
}

fn descending(mut costs: Vec<Cost>) -> Vec<Cost> {
    costs.sort_by(|a, b| b.cmp(a));
    costs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 64 } else { 512 }))]

    /// Without pruning the first parse is the best of all, and the same with the axioms of a bound that says nothing.
    #[test]
    fn the_first_parse_is_the_best(grammar in grammar(), words in prop::collection::vec(0_u32..2, 1..5)) {
        // Two projections reach every category from every other; longer chains only cost more.
        let all = enumerate(&grammar, &words, 0, 2);
        prop_assume!(all.is_some());
        let all = all.unwrap_or_default();
        let (parser, ended) = parse(&grammar, &words, MinMerge::default(), Search::default());
        let best = all.iter().cloned().map(descending).min();
        let found = match ended { Ended::Found(goal) => Some(parser.algebra.costs(parser.value(goal))), _ => None };
        prop_assert_eq!(&found, &best);
        if let Ended::Found(goal) = ended {
            let steps = parser.derivation(goal);
            let costs = steps.iter().map(|step| step.cost).filter(|cost| cost.is_some()).collect();
            prop_assert_eq!(Some(descending(costs)), best);
        }
        let (parser, ended) = parse(&grammar, &words, Viterbi, Search::default());
        let best = all.iter().map(|way| way.iter().fold(Cost::NOTHING, |sum, cost| sum.and(*cost))).min();
        let found = match ended { Ended::Found(goal) => Some(parser.algebra.costs(parser.value(goal))[0]), _ => None };
        prop_assert_eq!(found, best);
    }

    /// Viterbi-derivation and MinMerge-derivation: all trees that tie are found, and the parser's is one of them.
    #[test]
    fn all_best_derivations_are_found(grammar in grammar(), words in prop::collection::vec(0_u32..2, 1..5)) {
        let all = enumerate(&grammar, &words, 0, 2);
        prop_assume!(all.is_some());
        let all = all.unwrap_or_default();
        let (mut parser, ended) = parse(&grammar, &words, MinMerge::default(), Search::default());
        if let Ended::Found(goal) = ended {
            let lists: Vec<_> = all.iter().cloned().map(descending).collect();
            let best = lists.iter().min().unwrap();
            let found = ways(&mut parser, goal, |cost| forest::MinMerge::of(cost.value())).unwrap();
            prop_assert_eq!(found.ways.len(), lists.iter().filter(|&list| list == best).count());
            prop_assert_eq!(found.value.costs().unwrap().to_vec(), best.iter().map(|cost| cost.value()).collect::<Vec<_>>());
        }
        let (mut parser, ended) = parse(&grammar, &words, Viterbi, Search::default());
        if let Ended::Found(goal) = ended {
            let sums: Vec<f64> = all.iter().map(|list| list.iter().map(|cost| cost.value()).sum()).collect();
            let best = sums.iter().copied().fold(f64::INFINITY, f64::min);
            // Productions of no cost may lead round and round.
            if let Ok(found) = ways(&mut parser, goal, |cost| forest::Viterbi(-cost.value())) {
                prop_assert_eq!(found.ways.len(), sums.iter().filter(|&&sum| sum == best).count());
                prop_assert_eq!(found.value.0, -best);
            }
        }
    }

    /// With a beam nothing is found that is better, and no cell has more.
    #[test]
    fn a_beam_only_loses(
        grammar in grammar(), words in prop::collection::vec(0_u32..2, 1..6), beam in 1_usize..3, times in 1.0..3.0,
    ) {
        let (all, whole) = parse(&grammar, &words, MinMerge::default(), Search::default());
        let search = Search { beam: Some(beam), threshold: Some(times), ..Search::default() };
        search.check().unwrap();
        let (some, pruned) = parse(&grammar, &words, MinMerge::default(), search);
        if let Ended::Found(goal) = pruned {
            let Ended::Found(best) = whole else { panic!("found with a beam only") };
            let (found, best) = (some.algebra.costs(some.value(goal)), all.algebra.costs(all.value(best)));
            prop_assert_ne!(found.cmp(&best), Ordering::Less);
        }
        let mut cells = std::collections::HashMap::new();
        for item in some.chart() {
            *cells.entry(some.logic.cell(some.item(item))).or_insert(0) += 1;
        }
        prop_assert!(cells.values().all(|&items| items <= beam));
    }

    /// The product and the order of values against lists of costs.
    #[test]
    fn values_are_semirings(
        lists in prop::collection::vec(prop::collection::vec(0_u8..5, 0..9), 4), costs in prop::array::uniform4(0_u8..7),
    ) {
        let cost = |cost: u8| if cost == 6 { Cost::NOTHING } else { Cost::of(f64::from(cost)) };
        let listed = |parts: &[&[u8]]| descending(parts.concat().iter().filter(|&&one| one != 6).map(|&one| cost(one)).collect());
        let mut merge = MinMerge::default();
        let values: Vec<_> = lists.iter().map(|list| list.iter().fold(merge.one(), |value, &one| {
            let product = merge.product(value, merge.one(), cost(one), Cost::NOTHING);
            merge.settle(&product)
        })).collect();
        let pending = |merge: &MinMerge, a: usize, b: usize, by: [u8; 2]| merge.product(values[a], values[b], cost(by[0]), cost(by[1]));
        let (p, q) = (pending(&merge, 0, 1, [costs[0], costs[1]]), pending(&merge, 2, 3, [costs[2], costs[3]]));
        let with_bounds = listed(&[&lists[0], &lists[1], &costs[..2]]).cmp(&listed(&[&lists[2], &lists[3], &costs[2..]]));
        prop_assert_eq!(merge.compare(&p, &q), with_bounds);
        let settled = merge.settle(&p);
        let without = listed(&[&lists[0], &lists[1], &costs[..1]]);
        prop_assert_eq!(merge.figure(&p), without.first().map_or(0.0, |worst| worst.value()));
        prop_assert_eq!(merge.costs(settled), without);
        // Settled, and compared again.
        let one = merge.one();
        let again = merge.product(settled, one, Cost::NOTHING, cost(costs[1]));
        prop_assert_eq!(merge.compare(&again, &p), Ordering::Equal);
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for search in [
        Search { beam: Some(0), ..Search::default() },
        Search { threshold: Some(0.5), ..Search::default() },
        Search { threshold: Some(f64::NAN), ..Search::default() },
    ] {
        assert!(search.check().is_err());
    }
    let limits = Limits { inferences: 3, ..Limits::default() };
    let make = |left, right| Production { left, right, cost: Cost::ZERO };
    let grammar = ContextFree::new(vec![make(0, Right::Two(0, 0)), make(0, Right::Word(1))]);
    let mut parser = Parser::new(MonoC::new(&grammar, &[1; 9]), Productions, Viterbi, Search::default(), limits);
    assert_eq!(parser.run(|_, _| false), Ended::Limited);
    // The clock ends a search as well.
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let mut parser = Parser::new(MonoC::new(&grammar, &[1; 99]), Productions, Viterbi, Search::default(), limits);
    assert_eq!(parser.run(|_, _| false), Ended::Limited);
}
