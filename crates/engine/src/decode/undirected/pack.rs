//! The trees that were found, as text and as a forest.

use super::UndirectedDecoder;
use super::forest::{HEAD, START};
use super::tree::Tree;
use crate::Result;
use crate::decode::chart::arena::{Arena, NONE};
use crate::decode::chart::scoring::{Cell, Choice, Scored};
use crate::decode::effort::Effort;
use crate::decode::input::Input;
use crate::decode::search::Growth;
use crate::forest::Forest;

impl UndirectedDecoder<'_> {
    /// The best translation and its score: that of its rules and words, without factors. `None` if the input was empty.
    pub fn best(&self) -> Option<(String, f32)> {
        self.forest.goal()?;
        let mut text = String::new();
        for word in self.tree.words().flatten() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.chart.options().word(word));
        }
        let lms = self.policy.lms.iter().enumerate();
        let words: f64 = lms.map(|(lm, weight)| self.tree.estimate(lm) * weight).sum();
        let rules: f64 = (0..self.tree.steps().len()).map(|step| self.rule_score(&self.tree, step)).sum();
        Some((text, (rules + words * std::f64::consts::LN_10) as f32))
    }

    /// What the rule of a step scores.
    fn rule_score(&self, tree: &Tree, step: usize) -> f64 {
        self.policy.step(&tree.steps()[step], &self.forest)
    }

    /// The trees that were found, as a forest of which each is one derivation.
    ///
    /// # Errors
    /// Scores that are not finite numbers.
    pub fn forest(&self, input: &Input) -> Result<Forest> {
        let mut arena = Arena::new(self.chart.options().model().lms().len());
        let others = self.others.iter().filter(|_| self.settings.keep).map(|(_, tree)| tree);
        let trees = std::iter::once(&self.tree).chain(others);
        let trees = trees.filter(|_| self.forest.goal().is_some());
        let tops: Vec<(&Tree, [u32; 2])> = trees.map(|tree| (tree, self.plant(tree, &mut arena))).collect();
        // The top of all comes last, as it is made of all others.
        let (mut whole, mut goal) = (Scored::default(), None);
        for (tree, tails) in tops {
            goal = Some(self.add(tree, tree.top(), tails, (&mut arena, &mut whole)));
        }
        self.chart.pack(&arena, goal, input, &[])
    }

    /// How the tree grew, rules in the order of [`postorder`].
    pub fn growth(&self) -> Vec<(u32, Growth)> {
        let how = |step: u32| match self.tree.steps()[step as usize].link {
            START => Growth::Start,
            HEAD => Growth::Down,
            _ => Growth::Up,
        };
        postorder(&self.tree).into_iter().map(|step| (step, how(step))).collect()
    }

    /// Adds all rules of a tree to a chart, bottom up, but that at its top; returns what is in the gaps of that.
    fn plant(&self, tree: &Tree, arena: &mut Arena) -> [u32; 2] {
        let mut made = vec![NONE; tree.steps().len()];
        let mut scored = Scored::default();
        for number in postorder(tree) {
            let inner = tree.steps()[number as usize].tails;
            let tails = inner.map(|tail| if tail == NONE { NONE } else { made[tail as usize] });
            if number == tree.top() {
                return tails;
            }
            scored.clear();
            made[number as usize] = self.add(tree, number, tails, (arena, &mut scored));
        }
        [NONE; 2]
    }

    /// Adds the rule of a step to a chart.
    fn add(&self, tree: &Tree, number: u32, tails: [u32; 2], (arena, scored): (&mut Arena, &mut Scored)) -> u32 {
        let (options, step) = (self.chart.options(), tree.steps()[number as usize]);
        let bundle = self.forest.bundle(step.bundle);
        let choice = Choice { option: self.forest.menus.entry(step.entry).option, tails, input: bundle.input };
        let (_, place) = scored.score(options, arena, choice, bundle.kind, &mut Effort::default());
        let said = scored.lm(options, place).iter().zip(&self.policy.lms);
        let words: f64 = said.map(|(prob, weight)| f64::from(*prob) * weight).sum();
        let inner = tails.into_iter().filter(|&tail| tail != NONE);
        let below: f64 = inner.map(|tail| f64::from(arena.get(tail).score)).sum();
        let score = self.rule_score(tree, number as usize) + words * std::f64::consts::LN_10 + below;
        let cell = Cell { span: self.forest.node(bundle.head).span, limit: usize::MAX, by_depth: false, keep: true };
        scored.take(options, arena, choice, (score as f32, place), cell)
    }
}

/// The steps of a tree, each after those in its gaps, the first gap first.
fn postorder(tree: &Tree) -> Vec<u32> {
    let mut order = Vec::with_capacity(tree.steps().len());
    let mut pending: Vec<u32> = (!tree.steps().is_empty()).then_some(tree.top()).into_iter().collect();
    while let Some(step) = pending.pop() {
        order.push(step);
        pending.extend(tree.steps()[step as usize].tails.iter().filter(|&&tail| tail != NONE));
    }
    order.reverse();
    order
}
