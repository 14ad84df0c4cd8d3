//! The best translation of a decoded sentence, and what a phrase adds to its features.

use super::PhraseDecoder;
use super::arena::{NONE, Way};
use super::choices::Choice;
use super::states::END;
use crate::decode::model::Orientation;
use crate::decode::options::{LN_10, Origin};
use crate::decode::sparse::add_up;

/// A phrase of a derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// The rule, or the word copied.
    pub origin: Origin,
    /// Begin and end of the source words.
    pub source: [u32; 2],
    /// Begin and end of the target words.
    pub target: [u32; 2],
    /// What it adds to the score.
    pub score: f32,
}

/// A derivation: phrases in the order of the target, and what they give.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseDerivation {
    /// The target words.
    pub words: Vec<String>,
    /// The score under the decoder's weights.
    pub score: f64,
    /// Features in the order of the model's names.
    pub features: Vec<f32>,
    /// Sparse features, by the model's numbers.
    pub sparse: Vec<(u32, f32)>,
    /// The phrases.
    pub phrases: Vec<Phrase>,
    /// Source and target words that translate each other, by the links of the rules, sorted.
    pub links: Vec<[u32; 2]>,
}

impl PhraseDecoder<'_> {
    /// The best translation's words and score, or `None` if the input was empty.
    pub fn best(&self) -> Option<(String, f32)> {
        let goal = self.goal?;
        let mut text = String::new();
        for number in self.best_ways(goal) {
            let option = self.options.get(self.choices.get(self.arena.way(number).choice).option);
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
    fn best_ways(&self, goal: u32) -> Vec<u32> {
        let mut ways = Vec::new();
        let mut at = self.arena.get(goal).way;
        while at != NONE {
            ways.push(at);
            at = self.arena.get(self.arena.way(at).tail).way;
        }
        ways.reverse();
        ways
    }

    /// The best derivation, or `None` if the input was empty.
    pub fn derivation(&self) -> Option<PhraseDerivation> {
        let goal = self.goal?;
        let mut features = vec![0.0_f32; self.options.model().feature_names().len()];
        let (mut words, mut phrases, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut sparse = Vec::new();
        let ways = self.best_ways(goal);
        for (at, &number) in ways.iter().enumerate() {
            let way = self.arena.way(number);
            self.add_features(way, at + 1 == ways.len(), &mut features);
            let &Choice { option, begin, end, .. } = self.choices.get(way.choice);
            let option = self.options.get(option);
            self.options.add_sparse(option, &mut sparse);
            let start = words.len() as u32;
            let target = self.options.target(option).iter().filter_map(|symbol| symbol.as_word());
            words.extend(target.map(|word| self.options.word(word).to_owned()));
            let inside = match option.origin {
                Origin::Rule(table, rule) => self.options.walk(table).links(rule),
                Origin::Copy(_) => vec![[0, 0]],
                _ => Vec::new(),
            };
            links.extend(inside.iter().map(|&[source, target]| [begin + u32::from(source), start + u32::from(target)]));
            let score = way.score - self.arena.get(way.tail).score;
            let target = [start, words.len() as u32];
            phrases.push(Phrase { origin: option.origin, source: [begin, end], target, score });
        }
        links.sort_unstable();
        add_up(&mut sparse);
        let weights = self.options.weights();
        let products =
            features.iter().zip(weights.values()).map(|(&value, &weight)| f64::from(value) * f64::from(weight));
        let score = products.sum::<f64>() + f64::from(weights.weigh(&sparse));
        Some(PhraseDerivation { words, score, features, sparse, phrases, links })
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
        let tail = self.arena.get(way.tail).way;
        let tail = (tail != NONE).then(|| self.choices.get(self.arena.way(tail).choice));
        for (choice, is_tail) in [(Some(choice), false), (tail, true)] {
            let Some(Origin::Rule(table, rule)) = choice.map(|choice| self.options.get(choice.option).origin) else {
                continue;
            };
            let part = &model.sources()[table as usize];
            let columns = part.reordering().and_then(|columns| if is_tail { columns.next } else { columns.prev });
            if let Some(columns) = columns {
                let column = columns[orientation];
                row[part.first_feature + column] += self.options.walk(table).feature(rule, column);
            }
        }
    }
}
