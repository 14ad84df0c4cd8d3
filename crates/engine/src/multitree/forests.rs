//! All that a search inferred over two languages, as a forest of the house (Galron 2012, section 4.1: derivation forests).
//!
//! A node is an item: a label over a source span, with one target text or one target span. Each edge is one inference, and
//! its score is minus what that cost; so the best derivation of a forest is the search's own, in the search's semiring. An
//! edge of a bilingual composition has the words of both sides. The fuses of these words come before it in the search; here
//! they stand above it, one over the other, since a phrase of one language is nothing that a forest has nodes for. Features
//! are the costs by type of inference; weighted with -1 each they are the scores.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::model::{Example, Model, Semiring};
use super::options::COPY;
use super::pairs::Pairs;
use super::piece::Type;
use super::seen::{Bilingual, Seen};
use super::source::{STAR, Source};
use super::translation::Translation;
use crate::forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
use crate::grammar::Symbol;
use crate::parse::{Algebra, Cost, Grammar, Inference, MinMerge, NO_ITEM, Parser, Viterbi};
use crate::{Error, Result};

/// The types of inference whose costs are features, in their order.
pub const FEATURES: [Type; 5] = [Type::SourceFuse, Type::TargetFuse, Type::Bilingual, Type::Monotonic, Type::Inverted];

/// The forest of a sentence's translations: all that is found with the model's beam. None if no tree covers the sentence.
///
/// # Errors
/// A hierarchy with a part that is not there, a word that `names` does not have.
pub fn translations(model: &Model, source: &Source, names: &[String]) -> Result<Option<Forest>> {
    match model.settings.semiring {
        Semiring::MinMerge => translations_in::<MinMerge>(model, source, names),
        Semiring::Viterbi => translations_in::<Viterbi>(model, source, names),
    }
}

/// The same of several sentences, on the threads that there are.
///
/// # Errors
/// As for [`translations`].
pub fn translations_all(model: &Model, sources: &[Source], names: &[String]) -> Result<Vec<Option<Forest>>> {
    sources.par_iter().map(|source| translations(model, source, names)).collect()
}

fn translations_in<A: Algebra>(model: &Model, source: &Source, names: &[String]) -> Result<Option<Forest>> {
    let options = model.options(source);
    let (logic, grammar) = (model.translation(source, &options), model.predictor(model.predictor_hierarchy())?);
    let mut parser = Parser::new(logic, grammar, A::default(), model.settings.search, model.settings.limits());
    parser.run(|_, _| false);
    let goals: Vec<u32> =
        parser.chart().filter(|&item| Translation::is_whole(&parser.logic, parser.item(item))).collect();
    pack(&parser, &goals, names)
}

/// The forest of the multitrees of a pair. None if there is no complete one.
///
/// # Errors
/// As for [`translations`].
pub fn alignments(model: &Model, pair: &Example, hierarchy: &str, names: &[String]) -> Result<Option<Forest>> {
    match model.settings.semiring {
        Semiring::MinMerge => alignments_in::<MinMerge>(model, pair, hierarchy, names),
        Semiring::Viterbi => alignments_in::<Viterbi>(model, pair, hierarchy, names),
    }
}

fn alignments_in<A: Algebra>(
    model: &Model,
    pair: &Example,
    hierarchy: &str,
    names: &[String],
) -> Result<Option<Forest>> {
    let (logic, grammar) = (model.pairs(pair), model.supervisor(hierarchy, pair)?);
    let mut parser = Parser::new(logic, grammar, A::default(), model.settings.search, model.settings.limits());
    parser.run(|_, _| false);
    let goals: Vec<u32> = parser.chart().filter(|&item| Pairs::is_whole(&parser.logic, parser.item(item))).collect();
    pack(&parser, &goals, names)
}

/// What a parser inferred on the way to some items, which become one; `names` has the strings of numbers from 1 on.
///
/// # Errors
/// A word or label that has no name, more than 256 labels.
pub fn pack<L: Bilingual, G: Grammar<L>, A: Algebra>(
    parser: &Parser<L, G, A>,
    goals: &[u32],
    names: &[String],
) -> Result<Option<Forest>> {
    if goals.is_empty() {
        return Ok(None);
    }
    let features = FEATURES.map(|kind| kind.name().to_owned()).to_vec();
    let mut packing = Packing { names, categories: Vec::new(), numbers: HashMap::new(), nodes: HashMap::new() };
    let mut pending: Vec<u32> = goals.to_vec();
    // Labels first: a forest is made over all its categories.
    let mut order = Vec::new();
    while let Some(item) = pending.pop() {
        if packing.nodes.insert(item, NO_NODE).is_some() {
            continue;
        }
        order.push(item);
        for edge in parser.graph().incoming(item) {
            let seen = seen(parser, item, edge);
            packing.category(parser.logic.source(), &seen)?;
            if seen.kind.is_join() {
                pending.extend(parser.graph().tails(edge));
            }
        }
    }
    let mut builder = ForestBuilder::new(packing.categories.clone(), features);
    let source = parser.logic.source();
    let words = source.words.iter().map(|&word| packing.text(word)).collect::<Result<Vec<_>>>()?;
    builder.source(&words);
    let top = goals[0];
    for &item in &order {
        let Some(first) = parser.graph().first(item) else { continue };
        let label = packing.label(source, &seen(parser, item, first))?;
        let node = if goals.contains(&item) && item != top { None } else { Some(builder.node(label)) };
        packing.nodes.insert(item, node.unwrap_or(NO_NODE));
    }
    for &goal in goals {
        packing.nodes.insert(goal, packing.nodes[&top]);
    }
    for &item in &order {
        for edge in parser.graph().incoming(item) {
            packing.edge(&mut builder, parser, item, edge)?;
        }
    }
    builder.freeze(packing.nodes[&top]).map(Some)
}

/// What an inference of a parser is about.
fn seen<'p, L: Bilingual, G: Grammar<L>, A: Algebra>(parser: &'p Parser<L, G, A>, item: u32, edge: u32) -> Seen<'p> {
    let (rule, [left, right]) = (parser.graph().edge(edge).0, parser.graph().tails(edge));
    let of = |item: u32| (item != NO_ITEM).then(|| parser.item(item));
    parser.logic.seen(&Inference { rule, left: of(left), right: of(right), consequent: parser.item(item) })
}

struct Packing<'a> {
    names: &'a [String],
    categories: Vec<String>,
    numbers: HashMap<u32, u8>,
    /// The forest's node of each item.
    nodes: HashMap<u32, u32>,
}

impl Packing<'_> {
    fn text(&self, number: u32) -> Result<String> {
        let name = (number as usize).checked_sub(1).and_then(|at| self.names.get(at));
        name.cloned().ok_or_else(|| Error::input(format!("symbol {number} has no name")).hint("name all of them"))
    }

    fn category(&mut self, source: &Source, seen: &Seen<'_>) -> Result<u8> {
        let label = source.label(seen.from.into(), seen.to.into());
        if let Some(&known) = self.numbers.get(&label) {
            return Ok(known);
        }
        let many = |_| Error::limit("the sentence has more than 256 labels").hint("translate a shorter one");
        let number = u8::try_from(self.categories.len()).map_err(many)?;
        // A span that nothing heads has a star only.
        let name = if label & !STAR == 0 { String::new() } else { self.text(label & !STAR)? };
        self.categories.push(if label & STAR == 0 { name } else { name + "*" });
        self.numbers.insert(label, number);
        Ok(number)
    }

    fn label(&mut self, source: &Source, seen: &Seen<'_>) -> Result<NodeLabel> {
        Ok(NodeLabel { category: self.category(source, seen)?, begin: seen.from.into(), end: seen.to.into() })
    }

    fn edge<L: Bilingual, G: Grammar<L>, A: Algebra>(
        &mut self,
        builder: &mut ForestBuilder,
        parser: &Parser<L, G, A>,
        item: u32,
        edge: u32,
    ) -> Result<()> {
        let (seen, [left, right]) = (seen(parser, item, edge), parser.graph().tails(edge));
        let source = parser.logic.source();
        let (lhs, cost) = (self.category(source, &seen)?, parser.graph().edge(edge).1);
        let table = seen.kind as u32;
        if seen.kind.is_join() {
            let tails = [left, right].map(|tail| self.nodes[&tail]);
            let parts = [(seen.from, seen.middle), (seen.middle, seen.to)];
            let gaps = parts.map(|(from, to)| self.numbers[&source.label(from.into(), to.into())]);
            let gaps = gaps.map(|category| Symbol::nonterminal(category.into())).to_vec();
            let places = if seen.kind == Type::Inverted { [1, 0] } else { [0, 1] };
            let target = places.map(Symbol::nonterminal).to_vec();
            let kind = RuleKind::Grammar { table, rule: 0 };
            let rule = builder.rule(ForestRule { kind, lhs, source: gaps, target, ..ForestRule::default() });
            return add(builder, self.nodes[&item], tails, rule, (seen.kind, cost));
        }
        // The composition itself, then the fuses above it; the last of these leads to the item.
        let fuses = fuses(parser, [left, right]);
        let label = self.label(source, &seen)?;
        let mut head = if fuses.is_empty() { self.nodes[&item] } else { builder.node(label) };
        let rule = self.leaf(builder, source, &seen, lhs)?;
        add(builder, head, [NO_NODE; 2], rule, (seen.kind, cost))?;
        for (place, &(kind, cost)) in fuses.iter().enumerate() {
            let below = head;
            head = if place + 1 == fuses.len() { self.nodes[&item] } else { builder.node(label) };
            let rule = builder.rule(ForestRule {
                kind: RuleKind::Grammar { table: kind as u32, rule: 0 },
                lhs,
                source: vec![Symbol::nonterminal(lhs.into())],
                target: vec![Symbol::nonterminal(0)],
                ..ForestRule::default()
            });
            add(builder, head, [below, NO_NODE], rule, (kind, cost))?;
        }
        Ok(())
    }

    /// The rule of a bilingual composition: all its words translate each other.
    fn leaf(&self, builder: &mut ForestBuilder, source: &Source, seen: &Seen<'_>, lhs: u8) -> Result<u32> {
        let mut words = |numbers: &[u32]| -> Result<Vec<Symbol>> {
            numbers.iter().map(|&number| Ok(Symbol::word(builder.word(&self.text(number)?)))).collect()
        };
        let (from, to) = (words(seen.words(source))?, words(seen.phrase)?);
        let links = (0..from.len() as u8).flat_map(|one| (0..to.len() as u8).map(move |other| [one, other])).collect();
        let kind = match seen.entry {
            Some(COPY) => RuleKind::Copied,
            entry => RuleKind::Grammar { table: Type::Bilingual as u32, rule: entry.unwrap_or(0) },
        };
        Ok(builder.rule(ForestRule { kind, lhs, source: from, target: to, links, ..ForestRule::default() }))
    }
}

/// The fuses that made two phrases: each has one derivation, since fuses branch to the right.
fn fuses<L: Bilingual, G: Grammar<L>, A: Algebra>(parser: &Parser<L, G, A>, phrases: [u32; 2]) -> Vec<(Type, Cost)> {
    let mut found = Vec::new();
    for mut item in phrases {
        while let Some(edge) = parser.graph().first(item) {
            let kind = seen(parser, item, edge).kind;
            if !matches!(kind, Type::SourceFuse | Type::TargetFuse) {
                break;
            }
            found.push((kind, parser.graph().edge(edge).1));
            item = parser.graph().tails(edge)[1];
        }
    }
    found.reverse();
    found
}

fn add(builder: &mut ForestBuilder, head: u32, tails: [u32; 2], rule: u32, (kind, cost): (Type, Cost)) -> Result<()> {
    let features = FEATURES.map(|one| if one == kind { cost.value() as f32 } else { 0.0 });
    builder.edge(&Edge { head, tails, rule, score: -cost.value(), features: &features, sparse: &[] })
}
