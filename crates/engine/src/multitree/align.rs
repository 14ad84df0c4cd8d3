//! The hierarchical aligner: multitrees of sentence pairs, and the lexicons that come of them (Galron 2012, sections 4.5.4
//! and 5.2).

use hashbrown::HashSet;

use super::grammars::Known;
use super::lexicon::LexiconBuilder;
use super::model::{Example, Model, Semiring};
use super::pairs::{Item, Pairs, Rule};
use super::piece::Type;
use super::places::Turns;
use crate::Result;
use crate::grammar::settings::Orientation;
use crate::grammar::{Block, Blocks, Neighbours};
use crate::parse::{Algebra, Cost, Covered, Ended, Grammar, MinMerge, Parser, Step, Viterbi, covers};

/// Covers that stand in for complete trees in a forest.
const COVERS: usize = 10;

/// What was found of a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aligned {
    /// The inferences of its best tree, or of the trees that cover most of it, parents first.
    pub steps: Vec<(Known, Cost)>,
    /// Whether one tree covers all.
    pub complete: bool,
    /// Whether a limit ended the search.
    pub limited: bool,
}

/// Finds the best multitree of a pair.
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn align(model: &Model, pair: &Example, hierarchy: &str) -> Result<Aligned> {
    match model.settings.semiring {
        Semiring::MinMerge => align_in::<MinMerge>(model, pair, hierarchy),
        Semiring::Viterbi => align_in::<Viterbi>(model, pair, hierarchy),
    }
}

fn align_in<A: Algebra>(model: &Model, pair: &Example, hierarchy: &str) -> Result<Aligned> {
    let grammar = model.supervisor(hierarchy, pair)?;
    let mut parser =
        Parser::new(model.pairs(pair), grammar, A::default(), model.settings.search, model.settings.limits());
    let ended = parser.run(Pairs::is_whole);
    let goals = match ended {
        Ended::Found(goal) => vec![goal],
        _ => pair_covers(&parser, 1).pop().unwrap_or_default(),
    };
    let steps = goals.iter().flat_map(|&goal| tree(&parser, goal)).collect();
    Ok(Aligned { steps, complete: matches!(ended, Ended::Found(_)), limited: ended == Ended::Limited })
}

/// The inferences over both languages of an item's best derivation, parents first.
fn tree<'a, G: Grammar<Pairs<'a>>, A: Algebra>(parser: &Parser<Pairs<'a>, G, A>, goal: u32) -> Vec<(Known, Cost)> {
    let mut steps = parser.derivation(goal);
    steps.reverse();
    steps.iter().filter_map(|step| Some((known(parser, step)?, step.cost))).collect()
}

fn known<'a, G: Grammar<Pairs<'a>>, A: Algebra>(parser: &Parser<Pairs<'a>, G, A>, step: &Step<Rule>) -> Option<Known> {
    let Item::Both { piece, begin, end } = *parser.item(step.item) else { return None };
    let kind = step.by.rule.kind();
    let (middle, seam) = match (kind, parser.item(step.by.left), parser.item(step.by.right)) {
        (Type::Bilingual, ..) => (0, 0),
        (_, left, right) => (left.spans().1, left.spans().2.max(right.spans().2)),
    };
    Some(Known { kind, from: piece.from, middle, to: piece.to, begin, seam, end })
}

/// Sets of items that cover much of both sentences.
fn pair_covers<'a, G: Grammar<Pairs<'a>>, A: Algebra>(
    parser: &Parser<Pairs<'a>, G, A>,
    number: usize,
) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = parser.chart().filter(|&item| parser.item(item).piece().is_some()).collect();
    let value =
        |item: u32| parser.algebra.product(parser.value(item), parser.algebra.one(), Cost::NOTHING, Cost::NOTHING);
    order.sort_by(|&a, &b| parser.algebra.compare(&value(a), &value(b)).then(a.cmp(&b)));
    let covered = |item: u32| {
        let (from, to, begin, end) = parser.item(item).spans();
        Covered { item, spans: [(from.into(), to.into()), (begin.into(), end.into())] }
    };
    let covered: Vec<Covered> = order.into_iter().map(covered).collect();
    covers(&covered, number).into_iter().map(|cover| cover.iter().map(|one| one.item).collect()).collect()
}

/// Adds the fuses and bilingual compositions of a tree to a lexicon (single tree).
pub fn see_tree(lexicon: &mut LexiconBuilder, pair: &Example, tree: &[Known]) {
    for leaf in tree.iter().filter(|one| one.kind == Type::Bilingual) {
        see_leaf(lexicon, pair, (leaf.from, leaf.to, leaf.begin, leaf.end), &mut HashSet::new());
    }
}

/// Adds all phrase pairs that are consistent with the links (Och & Ney 2004), and where their neighbours are.
pub fn see_phrases(lexicon: &mut LexiconBuilder, pair: &Example, longest: [usize; 2]) {
    let (mut blocks, mut neighbours, mut fused) = (Blocks::default(), Neighbours::default(), HashSet::new());
    let (links, lengths) = (pair.links.all(), (pair.source.len(), pair.target.len()));
    blocks.find(lengths, &links, longest[0].max(longest[1]), true);
    neighbours.set(lengths, &links, Orientation::Phrase);
    for &block in &blocks.all {
        let Block { from, to, low, high } = block;
        if usize::from(to - from) > longest[0] || usize::from(high - low) > longest[1] {
            continue;
        }
        see_leaf(lexicon, pair, (from, to, low, high), &mut fused);
        let source = &pair.source.words[usize::from(from)..usize::from(to)];
        let target = &pair.target[usize::from(low)..usize::from(high)];
        let turns = Turns::of(neighbours.of(block, &links, Orientation::Phrase));
        lexicon.see_places(source, target, &turns);
    }
}

/// Adds a leaf and the fuses it is made of. A fuse that several leaves share counts once a pair.
fn see_leaf(
    lexicon: &mut LexiconBuilder,
    pair: &Example,
    (from, to, begin, end): (u16, u16, u16, u16),
    fused: &mut HashSet<(usize, u16, u16)>,
) {
    let source = &pair.source.words[usize::from(from)..usize::from(to)];
    let target = &pair.target[usize::from(begin)..usize::from(end)];
    lexicon.see_pair(source, target, 1);
    for (side, words, first, last) in [(0, source, from, to), (1, target, begin, end)] {
        for start in first..last.saturating_sub(1) {
            if fused.insert((side, start, last)) {
                lexicon.see_fuse(side, &words[usize::from(start - first)..], 1);
            }
        }
    }
}

/// Adds what the forest of a pair has: (a) the leaves of its complete trees, or of its best covers without one; (b) those
/// leaves that were inferred and lie within one of (a).
///
/// # Errors
/// A hierarchy with a part that is not there.
pub fn see_forest(lexicon: &mut LexiconBuilder, model: &Model, pair: &Example, hierarchy: &str) -> Result<bool> {
    match model.settings.semiring {
        Semiring::MinMerge => see_forest_in::<MinMerge>(lexicon, model, pair, hierarchy),
        Semiring::Viterbi => see_forest_in::<Viterbi>(lexicon, model, pair, hierarchy),
    }
}

fn see_forest_in<A: Algebra>(
    lexicon: &mut LexiconBuilder,
    model: &Model,
    pair: &Example,
    hierarchy: &str,
) -> Result<bool> {
    let grammar = model.supervisor(hierarchy, pair)?;
    let mut parser =
        Parser::new(model.pairs(pair), grammar, A::default(), model.settings.search, model.settings.limits());
    parser.run(|_, _| false);
    let whole = (0, pair.source.len() as u16, 0, pair.target.len() as u16);
    let goal = parser.find(&whole).filter(|&item| parser.is_charted(item));
    let mut used: HashSet<u32> = HashSet::new();
    match goal {
        Some(goal) => {
            let needed = parser.graph().needed(goal);
            used.extend((0..needed.nodes.len() as u32).filter(|&item| needed.nodes[item as usize]));
        }
        None => {
            for item in pair_covers(&parser, COVERS).into_iter().flatten() {
                used.extend(parser.derivation(item).iter().map(|step| step.item));
            }
        }
    }
    let is_leaf = |item: u32| {
        let made = parser.graph().incoming(item).any(|edge| parser.graph().edge(edge).0 == Rule::Bilingual);
        made && parser.item(item).piece().is_some()
    };
    let inside =
        |a: (u16, u16, u16, u16), b: (u16, u16, u16, u16)| b.0 <= a.0 && a.1 <= b.1 && b.2 <= a.2 && a.3 <= b.3;
    let mut taken: Vec<_> =
        used.iter().copied().filter(|&item| is_leaf(item)).map(|item| parser.item(item).spans()).collect();
    taken.sort_unstable();
    let mut fused = HashSet::new();
    for item in parser.chart().filter(|&item| is_leaf(item)) {
        let spans = parser.item(item).spans();
        if taken.iter().any(|&larger| inside(spans, larger)) {
            see_leaf(lexicon, pair, spans, &mut fused);
        }
    }
    Ok(goal.is_some())
}
