//! The best translation of a decoded sentence, and what a phrase adds to its features.

use super::PhraseDecoder;
use super::arena::Way;
use super::states::END;
use crate::decode::model::Orientation;
use crate::decode::options::LN_10;

impl PhraseDecoder<'_> {
    /// The best translation (the yield of the best derivation) and its score, or `None` if the input was empty.
    pub fn best(&self) -> Option<(String, f32)> {
        let goal = self.goal?;
        let mut text = String::new();
        for way in self.best_ways(goal) {
            let option = self.options.get(self.choices.get(way.choice).option);
            for word in self.options.target(option).iter().filter_map(|symbol| symbol.as_word()) {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(self.options.word(word));
            }
        }
        Some((text, self.arena.get(goal).score))
    }

    /// The best ways to a hypothesis and those before it, the first one first.
    fn best_ways(&self, goal: u32) -> Vec<Way> {
        let before = |way: &Way| self.arena.best(way.tail);
        let mut ways: Vec<Way> = std::iter::successors(self.arena.best(goal), before).collect();
        ways.reverse();
        ways
    }

    /// Adds what the last phrase of a way adds to the features.
    pub(super) fn add_features(&self, way: &Way, whole: bool, row: &mut [f32]) {
        let model = self.options.model();
        let choice = self.choices.get(way.choice);
        self.options.add_features(self.options.get(choice.option), row);
        let step = self.states.get(way.step);
        let end = if whole { self.states.find(step.to, END) } else { None };
        for step in std::iter::once(way.step).chain(end) {
            for (lm, prob) in model.lms().iter().zip(self.states.probs(step)) {
                row[lm.feature] += prob * LN_10;
            }
        }
        let before = self.arena.group(way.tail);
        row[model.own().distortion] += choice.begin.abs_diff(before.end) as f32;
        let orientation = Orientation::between([before.begin, before.end], [choice.begin, choice.end]) as usize;
        let tail = self.arena.best(way.tail).map(|before| self.choices.get(before.choice));
        for (choice, is_tail) in [(Some(choice), false), (tail, true)] {
            let Some(choice) = choice else { continue };
            for (table, rule) in self.options.rules_of(self.options.get(choice.option).origin) {
                let part = &model.sources()[table as usize];
                let columns = part.reordering().and_then(|columns| if is_tail { columns.next } else { columns.prev });
                if let Some(columns) = columns {
                    let column = columns[orientation];
                    row[part.first_feature + column] += self.options.walk(table).feature(rule, column);
                }
            }
        }
    }
}
