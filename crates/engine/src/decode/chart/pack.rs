//! The chart as a forest.

use hashbrown::HashMap;

use super::arena::{Arena, NONE};
use super::{ChartDecoder, SEQUENCE};
use crate::Result;
use crate::decode::input::Input;
use crate::decode::options::{LN_10, Options, Origin, TranslationOption};
use crate::decode::packing::forest_word;
use crate::decode::sparse::SparseNames;
use crate::forest::mixture::ALL;
use crate::forest::walk::reachable;
use crate::forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
use crate::grammar::Symbol;

impl ChartDecoder<'_> {
    /// All that the chart holds of derivations of the whole input. Alternatives are there if the settings keep edges.
    ///
    /// # Errors
    /// Scores that are not finite numbers.
    pub fn forest(&self, input: &Input) -> Result<Forest> {
        self.pack(&self.arena, self.goal, input, &[])
    }

    /// The derivations of a hypothesis. Of a chart without language models, `whole` is log10 of what each of them says
    /// of all derivations.
    pub(in crate::decode) fn pack(
        &self,
        arena: &Arena,
        goal: Option<u32>,
        input: &Input,
        whole: &[f32],
    ) -> Result<Forest> {
        let model = self.options.model();
        let mut categories = model.categories().to_vec();
        let sequence = categories.iter().position(|name| name == SEQUENCE).unwrap_or_else(|| {
            categories.push(SEQUENCE.to_owned());
            categories.len() - 1
        }) as u8;
        let mut builder = ForestBuilder::new(categories, model.feature_names().to_vec());
        let Some(goal) = goal else { return builder.finish() };
        let needed = reachable(arena.graph(), goal);
        let mut nodes = vec![NO_NODE; goal as usize + 1];
        let mut row = vec![0.0_f32; model.feature_names().len()];
        builder.source(input.as_sentence().unwrap_or_default());
        builder.components(model.component_names().to_vec());
        let mut names = SparseNames::default();
        let mut rules: HashMap<u32, u32> = HashMap::new();
        for hypothesis in (0..=goal).filter(|&h| needed[h as usize]) {
            let known = arena.get(hypothesis);
            let ways: Vec<u32> = arena.ways(hypothesis).collect();
            let glued = |way: u32| {
                matches!(self.options.get(arena.way(way).option).origin, Origin::GlueFirst | Origin::GlueNext)
            };
            let category = if glued(ways[0]) { sequence } else { known.category };
            let [begin, end] = known.span;
            let head = builder.node(NodeLabel { category, begin, end });
            nodes[hypothesis as usize] = head;
            for number in ways {
                let way = arena.way(number);
                let option = self.options.get(way.option);
                row.fill(0.0);
                self.options.add_features(option, &mut row);
                row[model.own().input] += way.input;
                for (lm, prob) in model.lms().iter().zip(arena.lm(number)) {
                    row[lm.feature] += prob * LN_10;
                }
                let mut score = f64::from(way.score);
                if hypothesis == goal {
                    for (lm, prob) in model.lms().iter().zip(whole) {
                        row[lm.feature] += prob * LN_10;
                        // Otherwise edges were scored with them.
                        if self.options.scorer().is_uniform() {
                            score += f64::from(prob * LN_10 * self.options.weights().values()[lm.feature]);
                        }
                    }
                }
                let rule = *rules.entry(way.option).or_insert_with(|| {
                    let rule = builder_rule(&mut builder, &self.options, option, input, sequence);
                    builder.rule(rule)
                });
                let sparse = names.of(&mut builder, &self.options, option);
                let mut tails = [NO_NODE; 2];
                for (place, &tail) in tails.iter_mut().zip(&way.tails).filter(|(_, tail)| **tail != NONE) {
                    *place = nodes[tail as usize];
                    score -= f64::from(arena.get(tail).score);
                }
                debug_assert!(way.score <= known.score);
                builder.edge(&Edge { head, tails, rule, score, features: &row, sparse })?;
            }
        }
        builder.finish()
    }
}

fn builder_rule(
    builder: &mut ForestBuilder,
    options: &Options<'_>,
    option: &TranslationOption,
    input: &Input,
    sequence: u8,
) -> ForestRule {
    let target = options.target(option).iter().map(|symbol| match symbol.as_word() {
        Some(word) => Symbol::word(forest_word(builder, options, word)),
        None => *symbol,
    });
    let target: Vec<Symbol> = target.collect();
    let sequence_symbol = Symbol::nonterminal(u32::from(sequence));
    let x = Symbol::nonterminal(u32::from(crate::grammar::table::X));
    let spoken = if options.model().components() > 1 { options.spoken(option) } else { 0 };
    let (kind, lhs, source, links) = match option.origin {
        Origin::Rule(..) | Origin::Mixed(_) => {
            // Of several that have it the first.
            let (number, rule) = options.rules_of(option.origin).next().unwrap_or_default();
            let source = options.source(number, rule, |word| builder.word(word));
            (RuleKind::Grammar { table: number, rule }, option.lhs, source, options.walk(number).links(rule))
        }
        Origin::Copy(word) => {
            let word = Symbol::word(builder.word(&input.words()[word as usize]));
            (RuleKind::Copied, option.lhs, vec![word], vec![[0, 0]])
        }
        Origin::Given(number) => {
            let words = &input.words()[input.given().translation(number).0.span()];
            let source = words.iter().map(|word| Symbol::word(builder.word(word))).collect();
            (RuleKind::Given, option.lhs, source, Vec::new())
        }
        Origin::GlueFirst => (RuleKind::Glue, sequence, vec![x], Vec::new()),
        Origin::GlueNext => (RuleKind::Glue, sequence, vec![sequence_symbol, x], Vec::new()),
    };
    ForestRule { kind, lhs, source, target, links, spoken: if spoken == ALL { 0 } else { spoken } }
}
