//! The stacks as a forest: each phrase is a rule that makes a sequence longer.

use hashbrown::HashMap;

use super::PhraseDecoder;
use crate::Result;
use crate::decode::chart::SEQUENCE;
use crate::decode::input::Input;
use crate::decode::options::Origin;
use crate::decode::packing::forest_word;
use crate::decode::sparse::SparseNames;
use crate::forest::mixture::ALL;
use crate::forest::walk::reachable;
use crate::forest::{Edge, Forest, ForestBuilder, ForestRule, NO_NODE, NodeLabel, RuleKind};
use crate::grammar::Symbol;

impl PhraseDecoder<'_> {
    /// All that the stacks hold of translations of the whole sentence. Alternatives are there if the settings keep
    /// edges. A node is a sequence that stands for as many source words as it has translated, whichever they are.
    ///
    /// # Errors
    /// Scores that are not finite numbers.
    pub fn forest(&self, input: &Input) -> Result<Forest> {
        let model = self.options.model();
        let names = model.feature_names().to_vec();
        let mut builder = ForestBuilder::new(vec![SEQUENCE.to_owned()], names);
        builder.source(input.as_sentence().unwrap_or_default());
        builder.components(model.component_names().to_vec());
        let Some(goal) = self.goal else { return builder.finish() };
        let needed = reachable(self.arena.graph(), goal);
        let mut nodes = vec![NO_NODE; goal as usize + 1];
        // The empty hypothesis is no node: the first phrase has no gap.
        let mut covered = vec![0_u32; goal as usize + 1];
        let mut row = vec![0.0_f32; model.feature_names().len()];
        let mut names = SparseNames::default();
        let mut rules: HashMap<(u32, bool), u32> = HashMap::new();
        for hypothesis in (1..=goal).filter(|&h| needed[h as usize]) {
            let Some(first) = self.arena.best(hypothesis) else { continue };
            let choice = self.choices.get(first.choice);
            let end = covered[first.tail as usize] + choice.end - choice.begin;
            covered[hypothesis as usize] = end;
            let head = builder.node(NodeLabel { category: 0, begin: 0, end });
            nodes[hypothesis as usize] = head;
            for number in self.arena.ways(hypothesis) {
                let way = self.arena.way(number);
                row.fill(0.0);
                self.add_features(&way, hypothesis == goal, &mut row);
                let tail = nodes[way.tail as usize];
                let follows = tail != NO_NODE;
                let rule = *rules.entry((way.choice, follows)).or_insert_with(|| {
                    let rule = self.rule(&mut builder, way.choice, input, follows);
                    builder.rule(rule)
                });
                let option = self.options.get(self.choices.get(way.choice).option);
                let sparse = names.of(&mut builder, &self.options, option);
                let score = f64::from(way.score) - f64::from(self.arena.get(way.tail).score);
                let edge = Edge { head, tails: [tail, NO_NODE], rule, score, features: &row, sparse };
                let choice = self.choices.get(way.choice);
                builder.edge_over(&edge, [choice.begin, choice.end])?;
            }
        }
        builder.finish()
    }

    fn rule(&self, builder: &mut ForestBuilder, choice: u32, input: &Input, follows: bool) -> ForestRule {
        let choice = self.choices.get(choice);
        let option = self.options.get(choice.option);
        let gap = follows.then_some(Symbol::nonterminal(0));
        let words = &input.words()[choice.begin as usize..choice.end as usize];
        let source = gap.into_iter().chain(words.iter().map(|word| Symbol::word(builder.word(word)))).collect();
        let target = self.options.target(option).iter().filter_map(|symbol| symbol.as_word());
        let target = target.map(|word| Symbol::word(forest_word(builder, &self.options, word)));
        let target = gap.into_iter().chain(target).collect();
        let (kind, inside) = match option.origin {
            Origin::Rule(..) | Origin::Mixed(_) => {
                // Of several that have it the first.
                let (table, rule) = self.options.rules_of(option.origin).next().unwrap_or_default();
                (RuleKind::Grammar { table, rule }, self.options.walk(table).links(rule))
            }
            Origin::Copy(_) => (RuleKind::Copied, vec![[0, 0]]),
            Origin::Given(_) => (RuleKind::Given, Vec::new()),
            Origin::GlueFirst | Origin::GlueNext => (RuleKind::Glue, Vec::new()),
        };
        let links = inside.iter().map(|link| link.map(|at| at + u8::from(follows))).collect();
        let spoken = if self.options.model().components() > 1 { self.options.spoken(option) } else { 0 };
        ForestRule { kind, lhs: 0, source, target, links, spoken: if spoken == ALL { 0 } else { spoken } }
    }
}
