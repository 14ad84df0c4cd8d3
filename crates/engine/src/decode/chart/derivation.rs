//! The best derivation of a decoded sentence.

use super::ChartDecoder;
use super::arena::NONE;
use crate::decode::options::{LN_10, Origin};
use crate::decode::sparse::add_up;

/// One rule of a derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The rule.
    pub origin: Origin,
    /// The steps in its gaps, as indices into the derivation.
    pub gaps: Vec<usize>,
    /// What it adds to each language model's log10 probability.
    pub lm: Vec<f32>,
}

/// A derivation: its steps, each after those in its gaps, and what they give.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// The target words.
    pub words: Vec<String>,
    /// The score under the decoder's weights.
    pub score: f64,
    /// Features in the order of the model's names.
    pub features: Vec<f32>,
    /// Sparse features, by the model's numbers.
    pub sparse: Vec<(u32, f32)>,
    /// The rules.
    pub steps: Vec<Step>,
}

impl ChartDecoder<'_> {
    /// The best translation's words and score, or `None` if the input was empty.
    pub fn best(&self) -> Option<(String, f32)> {
        let goal = self.goal?;
        let mut text = String::new();
        self.spell(goal, &mut text);
        Some((text, self.arena.get(goal).score))
    }

    /// Writes the words of a hypothesis, without recursion: sequences are as deep as sentences are long.
    fn spell(&self, goal: u32, text: &mut String) {
        // What is still to be written, last first: hypotheses, and words of the options' target sides.
        let mut pending = vec![(goal, 0_usize)];
        while let Some((hypothesis, done)) = pending.pop() {
            let way = self.arena.way(self.arena.get(hypothesis).way);
            let target = self.options.target(self.options.get(way.option));
            let Some(symbol) = target.get(done) else { continue };
            pending.push((hypothesis, done + 1));
            match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(self.options.word(word));
                }
                (_, Some(place)) => pending.push((way.tails[place as usize], 0)),
                _ => {}
            }
        }
    }

    /// The best derivation, or `None` if the input was empty.
    pub fn derivation(&self) -> Option<Derivation> {
        let goal = self.goal?;
        let model = self.options.model();
        let mut features = vec![0.0_f32; model.feature_names().len()];
        let mut steps: Vec<Step> = Vec::new();
        let mut sparse = Vec::new();
        // Hypotheses whose gaps are done come after them; the stack holds each twice.
        let mut pending = vec![(goal, false)];
        let mut done: Vec<usize> = Vec::new();
        while let Some((hypothesis, gaps_done)) = pending.pop() {
            let number = self.arena.get(hypothesis).way;
            let way = *self.arena.way(number);
            let tails = way.tails.into_iter().filter(|&tail| tail != NONE);
            if !gaps_done {
                pending.push((hypothesis, true));
                let mut tails: Vec<u32> = tails.collect();
                tails.reverse();
                pending.extend(tails.into_iter().map(|tail| (tail, false)));
                continue;
            }
            let option = self.options.get(way.option);
            let gaps = done.split_off(done.len() - tails.count());
            let lm = self.arena.lm(number).to_vec();
            self.options.add_features(option, &mut features);
            self.options.add_sparse(option, &mut sparse);
            features[model.own().input] += way.input;
            for (lm, prob) in model.lms().iter().zip(&lm) {
                features[lm.feature] += prob * LN_10;
            }
            done.push(steps.len());
            steps.push(Step { origin: option.origin, gaps, lm });
        }
        let mut text = String::new();
        self.spell(goal, &mut text);
        let words = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        add_up(&mut sparse);
        let weights = self.options.weights();
        let products =
            features.iter().zip(weights.values()).map(|(&value, &weight)| f64::from(value) * f64::from(weight));
        let score = products.sum::<f64>() + f64::from(weights.weigh(&sparse));
        Some(Derivation { words, score, features, sparse, steps })
    }
}
