//! The trees of a sentence as a forest of the house, and the best of them.

use hashbrown::HashMap;

use super::decode::{Parsed, shown};
use super::grammar::Grammar;
use super::graph::{NONE, Step};
use super::lexicon::Emission;
use super::parser::{Best, Looked};
use crate::forest::kbest::KBest;
use crate::forest::semiring::Viterbi;
use crate::forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
use crate::grammar::Symbol;
use crate::{Error, Result};

/// The name of the feature that has the logarithm of an edge's chance.
pub const CHANCE: &str = "chance";

/// What the forest's rules are numbered by: symbols that have a word, symbols that are kept, unary and binary rules.
const TABLES: [u32; 4] = [0, 1, 2, 3];

/// Scores are logarithms of chances given the head, so that those of all trees add up to 1; a feature has chances.
pub(super) fn pack(grammar: &Grammar, sentence: &[String], looked: &Looked, threshold: f64) -> Result<Forest> {
    let outline = grammar.outline();
    let (graph, survivors) = looked.graph.pruned(&looked.chances, threshold);
    if !graph.is_whole(outline.root(), sentence.len()) {
        return Err(Error::settings(format!("no tree is left at a threshold of {threshold}")).hint("use a smaller one"));
    }
    let kept: Vec<f64> = survivors.iter().map(|&edge| looked.chances.edges[edge]).collect();
    let mut categories: Vec<String> = Vec::new();
    let mut numbers: HashMap<u32, u8> = HashMap::new();
    for node in &graph.nodes {
        if !numbers.contains_key(&node.symbol) {
            let number = u8::try_from(categories.len())
                .map_err(|_| Error::limit("the forest has more than 256 symbols").hint("use a larger threshold"))?;
            numbers.insert(node.symbol, number);
            categories.push(outline.names()[node.symbol as usize].clone());
        }
    }
    let mut builder = ForestBuilder::new(categories, vec![CHANCE.to_owned()]);
    builder.source(sentence);
    for (number, node) in graph.nodes.iter().enumerate() {
        let lhs = numbers[&node.symbol];
        let head = builder.node(NodeLabel { category: lhs, begin: node.begin, end: node.end });
        let edges = graph.incoming(number);
        let sum: f64 = kept[edges.clone()].iter().sum();
        for at in edges {
            let edge = graph.edges[at];
            let (table, rule) = match edge.step {
                Step::Word => (TABLES[0], node.symbol),
                Step::Kept => (TABLES[1], node.symbol),
                Step::Unary(rule) => (TABLES[2], rule),
                Step::Binary(rule) => (TABLES[3], rule),
            };
            let tails: Vec<u32> = edge.tails.into_iter().filter(|&tail| tail != NONE).collect();
            let (mut source, mut target) = (Vec::new(), Vec::new());
            for (place, &tail) in tails.iter().enumerate() {
                source.push(Symbol::nonterminal(u32::from(numbers[&graph.nodes[tail as usize].symbol])));
                target.push(Symbol::nonterminal(place as u32));
            }
            if edge.step == Step::Word {
                let word = Symbol::word(builder.word(&sentence[node.begin as usize]));
                source.push(word);
                target.push(word);
            }
            let kind = RuleKind::Grammar { table, rule };
            let rule = builder.rule(ForestRule { kind, lhs, source, target, ..ForestRule::default() });
            let both = [0, 1].map(|place| tails.get(place).copied().unwrap_or(NO_NODE));
            let features = [kept[at].ln() as f32];
            builder.edge(&Edge {
                head,
                tails: both,
                rule,
                score: (kept[at] / sum).ln(),
                features: &features,
                sparse: &[],
            })?;
        }
    }
    builder.finish()
}

/// Up to `count` trees, best first, with the logarithms of how probable they are together with their words.
pub(super) fn list(
    grammar: &Grammar,
    sentence: &[String],
    looked: &Looked,
    emissions: &[Vec<Emission>],
    best: Best,
    count: usize,
) -> Result<Vec<(Parsed, f64)>> {
    let forest = pack(grammar, sentence, looked, f64::MIN_POSITIVE)?;
    let mut listed = KBest::by(&forest, false, |edge| {
        Viterbi(match best {
            Best::Rules => f64::from(edge.features[0]),
            Best::Tree => edge.score,
        })
    });
    let mut found = Vec::new();
    while found.len() < count {
        let Some((_, edges)) = listed.take_valued() else { break };
        let mut parsed = Parsed::default();
        let mut values: Vec<(Vec<f64>, f64)> = Vec::with_capacity(edges.len());
        for (edge, parts) in &edges {
            let RuleKind::Grammar { table, rule } = forest.rule(*edge).kind else { continue };
            let step = match table {
                0 => Step::Word,
                1 => Step::Kept,
                2 => Step::Unary(rule),
                _ => Step::Binary(rule),
            };
            let symbol = match step {
                Step::Word | Step::Kept => rule,
                Step::Unary(rule) => grammar.outline().unary()[rule as usize][1],
                Step::Binary(rule) => grammar.outline().binary()[rule as usize][2],
            };
            let begin = forest.label(forest.edge(*edge).head).begin;
            parsed.nodes.extend(shown(grammar, symbol, begin, super::graph::Edge { step, tails: [NONE; 2] }));
            let parts: Vec<&(Vec<f64>, f64)> = parts.iter().map(|&part| &values[part]).collect();
            values.push(climb(grammar, step, symbol, begin, emissions, &parts));
        }
        let log = values.last().map_or(f64::NEG_INFINITY, |(top, log)| top.iter().sum::<f64>().ln() + log);
        found.push((parsed, log));
    }
    Ok(found)
}

/// The values of a node's variants by those of its parts, largest 1, and the logarithm of what they were divided by.
fn climb(
    grammar: &Grammar,
    step: Step,
    symbol: u32,
    begin: u32,
    emissions: &[Vec<Emission>],
    parts: &[&(Vec<f64>, f64)],
) -> (Vec<f64>, f64) {
    let level = grammar.fine();
    let places = &level.places;
    let size = places.of(symbol);
    let mut own = vec![0.0; size];
    match (step, parts) {
        (Step::Kept, [(below, _)]) => {
            let kept = &level.kept[places.states[symbol as usize]..];
            own.iter_mut().zip(below).zip(kept).for_each(|((own, value), &kept)| *own = value * f64::from(kept));
        }
        (Step::Unary(rule), [(below, _)]) => {
            let block = level.unary[places.unary[rule as usize]..].chunks_exact(size);
            for (value, ps) in below.iter().zip(block) {
                own.iter_mut().zip(ps).for_each(|(own, &p)| *own += value * f64::from(p));
            }
        }
        (Step::Binary(rule), [(left, _), (right, _)]) => {
            let mut block = level.binary[places.binary[rule as usize]..].chunks_exact(size);
            for l in left {
                for (r, ps) in right.iter().zip(&mut block) {
                    own.iter_mut().zip(ps).for_each(|(own, &p)| *own += l * r * f64::from(p));
                }
            }
        }
        _ => {
            let found = emissions[begin as usize].iter().find(|(tag, _)| *tag == symbol);
            own = found.map_or(own, |(_, values)| values.iter().map(|&value| f64::from(value)).collect());
        }
    }
    let most = own.iter().copied().fold(0.0, f64::max);
    let log: f64 = parts.iter().map(|(_, log)| log).sum();
    if most > 0.0 {
        own.iter_mut().for_each(|own| *own /= most);
        return (own, log + most.ln());
    }
    (own, f64::NEG_INFINITY)
}
