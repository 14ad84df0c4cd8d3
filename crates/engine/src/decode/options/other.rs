//! Options that no rule makes: words copied, translations that come with the input, and glue.

use std::ops::Range;

use super::{CopiedWord, NO_STATE, Options, Origin, Said, TranslationOption};
use crate::decode::input::Input;
use crate::forest::mixture::ALL;
use crate::grammar::Symbol;
use crate::grammar::table::X;

impl Options<'_> {
    /// The words of a text.
    pub fn text(&mut self, text: &str) -> Vec<u32> {
        let words = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
        words.map(|word| self.target_word(word)).collect()
    }

    /// The option that copies a word of the input, over a span of a class.
    pub fn copy(&mut self, input_word: u32, text: &str, class: usize) -> u32 {
        let word = self.target_word(text);
        let own = self.model.own();
        let weights = self.weights.values();
        let score = weights[own.unknown] + weights[own.words] + weights[own.rules];
        let from = self.symbols.len() as u32;
        self.symbols.push(Symbol::word(word));
        self.push_common(Origin::Copy(input_word), from, score, class);
        self.options.len() as u32 - 1
    }

    /// The options of a span of the input that has given translations, best first.
    pub fn given(&mut self, input: &Input, span: usize, class: usize) -> Range<u32> {
        let own = self.model.own();
        let start = self.options.len();
        for (number, (words, weight)) in input.given().targets(span) {
            if self.given.len() <= number as usize {
                self.given.resize(number as usize + 1, 0.0);
            }
            self.given[number as usize] = *weight;
            let from = self.symbols.len() as u32;
            for word in words {
                let symbol = Symbol::word(self.target_word(word));
                self.symbols.push(symbol);
            }
            let weights = self.weights.values();
            let score = weight * weights[own.given] + words.len() as f32 * weights[own.words] + weights[own.rules];
            self.push_common(Origin::Given(number), from, score, class);
        }
        self.options[start..].sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        start as u32..self.options.len() as u32
    }

    /// An option that all components have, which scores so with one component.
    fn push_common(&mut self, origin: Origin, from: u32, score: f32, class: usize) {
        let voice = self.scorer.common_voice(class);
        if self.scorer.is_single() {
            self.push(origin, X, from, Said::Score(score), voice);
            return;
        }
        let mut row = vec![0.0; self.model.feature_names().len()];
        let target = from..self.symbols.len() as u32;
        self.add_features(&TranslationOption::bare(origin, target), &mut row);
        let weighted = |values: &[f32]| row.iter().zip(values).map(|(value, weight)| value * weight).sum();
        let parts: Vec<f32> = self.scorer.components().iter().map(|one| weighted(one.values())).collect();
        self.push(origin, X, from, Said::Parts(&parts, ALL), voice);
    }

    /// The id of a target word, which the model may not know.
    fn target_word(&mut self, text: &str) -> u32 {
        let known = self.model.target_words().len();
        let before = || self.copied_ids.get(text).copied();
        self.model.target_words().find(text).or_else(before).unwrap_or_else(|| {
            let lm = self.model.lms().iter().map(|lm| lm.model.vocabulary().id(text)).collect();
            self.copied.push(CopiedWord { text: text.to_owned(), lm });
            let id = (known + self.copied.len() - 1) as u32;
            self.copied_ids.insert(text.to_owned(), id);
            id
        })
    }

    /// The options of glue over spans of a class: to begin a sequence, and to make it longer.
    pub fn glue(&mut self, class: usize) -> [u32; 2] {
        let weight = self.weights.values()[self.model.own().glue];
        let from = self.symbols.len() as u32;
        self.symbols.push(Symbol::nonterminal(0));
        self.push_common(Origin::GlueFirst, from, 0.0, class);
        let from = self.symbols.len() as u32;
        self.symbols.extend([Symbol::nonterminal(0), Symbol::nonterminal(1)]);
        self.push_common(Origin::GlueNext, from, weight, class);
        let last = self.options.len() as u32;
        [last - 2, last - 1]
    }
}

impl TranslationOption {
    /// An option of which nothing is known but where it comes from and its target side.
    fn bare(origin: Origin, target: Range<u32>) -> Self {
        Self {
            origin,
            lhs: X,
            arity: 0,
            swapped: false,
            joins: 0,
            target,
            score: 0.0,
            estimate: 0.0,
            state: NO_STATE,
            voice: 0,
            parts: 0,
            handicap: 0.0,
        }
    }
}
