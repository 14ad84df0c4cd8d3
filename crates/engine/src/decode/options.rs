//! Translation options: rules as search sees them, scored once and kept.
//!
//! What a rule costs does not depend on the sentence, so the options of a source side are made the first time it
//! matches and kept from one sentence to the next: the weighted score of its own features, the language models' estimate
//! of its words, and, for rules of words only, the language models' states.

use std::ops::Range;

use hashbrown::HashMap;

use super::input::Input;
use super::model::{Model, Reordering, Weights};
use crate::grammar::{Symbol, Table};
use crate::lm::chart::FragmentScorer;
use crate::lm::state::Fragment;

/// log10 to natural logarithms.
pub const LN_10: f32 = std::f32::consts::LN_10;

/// Where an option comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A rule of a table: which table, which rule.
    Rule(u32, u32),
    /// A word of the input that no rule translates, copied.
    Copy(u32),
    /// A translation that comes with the input, by its number.
    Given(u32),
    /// A translation begins a sequence of them.
    GlueFirst,
    /// A sequence of translations grows by one.
    GlueNext,
}

/// A rule as search sees it.
#[derive(Debug, Clone)]
pub struct TranslationOption {
    /// Where it comes from.
    pub origin: Origin,
    /// The category of its left-hand side.
    pub lhs: u8,
    /// How many nonterminals it has.
    pub arity: u8,
    /// Whether the second nonterminal comes first in the target.
    pub swapped: bool,
    /// How often a nonterminal meets a word, another nonterminal (which counts twice) or the start of the sentence.
    pub joins: u8,
    /// Its target side, in [`Options::symbols`].
    pub target: Range<u32>,
    /// Weighted score of its features, language models left out.
    pub score: f32,
    /// The score with what the language models say of its words alone: the order in which options are tried.
    pub estimate: f32,
    /// The first of its states, and in [`Options::lm`]: for each language model those of the words before, between and
    /// behind its gaps. Glue has none.
    pub state: u32,
}

/// No states are kept.
pub const NO_STATE: u32 = u32::MAX;
/// Options to keep from one sentence to the next.
const MOST_KEPT: usize = 200_000;

/// The options of one worker.
pub struct Options<'m> {
    model: &'m Model,
    weights: &'m Weights,
    /// The weights of what rules score on their own: those of orientations are 0.
    static_weights: Vec<f32>,
    /// Most options of one source side.
    limit: usize,
    options: Vec<TranslationOption>,
    symbols: Vec<Symbol>,
    states: Vec<Fragment>,
    /// log10 of the language models' probabilities, beside the states: that of all words beside the first state.
    lm: Vec<f32>,
    ranges: HashMap<(u32, u32), Range<u32>>,
    /// Words of the sentence that the model does not know: their ids follow those of the model.
    copied: Vec<CopiedWord>,
    copied_ids: HashMap<String, u32>,
    /// The weights of the translations that come with the sentence, by number.
    given: Vec<f32>,
    /// Room for the rules of a source side while its options are made.
    scored: Vec<ScoredRule>,
    targets: Vec<Symbol>,
}

/// A rule with what it scores on its own.
struct ScoredRule {
    score: f32,
    rule: u32,
    lhs: u8,
    /// Where its target side is in a list.
    target: [u32; 2],
}

struct CopiedWord {
    text: String,
    /// Each language model's id.
    lm: Vec<u32>,
}

impl<'m> Options<'m> {
    /// No options yet.
    pub fn new(model: &'m Model, weights: &'m Weights, limit: usize) -> Self {
        let mut static_weights = weights.values().to_vec();
        for part in model.tables() {
            for column in part.reordering().iter().flat_map(Reordering::columns) {
                static_weights[part.first_feature + column] = 0.0;
            }
        }
        Self {
            model,
            weights,
            static_weights,
            limit: limit.max(1),
            options: Vec::new(),
            symbols: Vec::new(),
            states: Vec::new(),
            lm: Vec::new(),
            ranges: HashMap::new(),
            copied: Vec::new(),
            copied_ids: HashMap::new(),
            given: Vec::new(),
            scored: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Makes room for a new sentence.
    pub fn begin_sentence(&mut self) {
        self.copied.clear();
        self.copied_ids.clear();
        self.given.clear();
        if self.options.len() > MOST_KEPT {
            self.options.clear();
            self.symbols.clear();
            self.states.clear();
            self.lm.clear();
            self.ranges.clear();
        }
    }

    /// An option.
    #[inline]
    pub fn get(&self, option: u32) -> &TranslationOption {
        &self.options[option as usize]
    }

    /// The target side of an option.
    #[inline]
    pub fn target(&self, option: &TranslationOption) -> &[Symbol] {
        &self.symbols[option.target.start as usize..option.target.end as usize]
    }

    /// The states of an option of words, and log10 of their probabilities.
    #[inline]
    pub fn states(&self, option: &TranslationOption) -> (&[Fragment], &[f32]) {
        let at = option.state as usize;
        let count = self.model.lms().len();
        (&self.states[at..at + count], &self.lm[at..at + count])
    }

    /// What a language model remembers of the words before, between and behind the gaps of an option, and log10 of
    /// the probability of all of them; nothing for glue.
    #[inline]
    pub fn pieces(&self, option: &TranslationOption, lm: usize) -> (&[Fragment], f32) {
        if option.state == NO_STATE {
            return (&[], 0.0);
        }
        let count = usize::from(option.arity) + 1;
        let at = option.state as usize + lm * count;
        (&self.states[at..at + count], self.lm[at])
    }

    /// A language model's id of a target word, which may be copied from the input.
    #[inline]
    pub fn lm_word(&self, lm: usize, word: u32) -> u32 {
        let known = self.model.target_words().len();
        if (word as usize) < known {
            self.model.lms()[lm].word(word)
        } else {
            self.copied[word as usize - known].lm[lm]
        }
    }

    /// A target word.
    pub fn word(&self, word: u32) -> &str {
        let known = self.model.target_words().len();
        if (word as usize) < known {
            self.model.target_words().word(word)
        } else {
            &self.copied[word as usize - known].text
        }
    }

    /// The options of a source side, best first, at most as many as the limit; ties in the table's order.
    pub fn of_node(&mut self, table: u32, node: u32) -> Range<u32> {
        if let Some(range) = self.ranges.get(&(table, node)) {
            return range.clone();
        }
        let model = self.model;
        let part = &model.tables()[table as usize];
        let (start, first_state) = (self.options.len() as u32, self.states.len());
        let (mut scored, mut targets) = (std::mem::take(&mut self.scored), std::mem::take(&mut self.targets));
        self.score_rules(table, node, &mut scored, &mut targets);
        // Only the best by their own features are worth asking the language models about.
        let most = self.limit.saturating_mul(4);
        if scored.len() > most {
            scored.select_nth_unstable_by(most, |a, b| b.score.total_cmp(&a.score).then(a.rule.cmp(&b.rule)));
            scored.truncate(most);
            scored.sort_unstable_by_key(|one| one.rule);
        }
        for one in &scored {
            let from = self.symbols.len() as u32;
            let target = &targets[one.target[0] as usize..one.target[1] as usize];
            self.symbols.extend(target.iter().map(|&symbol| part.target_symbol(symbol)));
            self.push(Origin::Rule(table, one.rule), one.lhs, from, one.score);
        }
        (self.scored, self.targets) = (scored, targets);
        let made = &mut self.options[start as usize..];
        made.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        let end = start + (made.len().min(self.limit)) as u32;
        if self.options.len() > end as usize {
            self.options.truncate(end as usize);
            self.compact(start, first_state);
        }
        self.ranges.insert((table, node), start..end);
        start..end
    }

    /// The options of a source side whose words pass, all of them, in the table's order.
    pub fn of_node_among(&mut self, table: u32, node: u32, passes: impl Fn(u32) -> bool) -> Range<u32> {
        let model = self.model;
        let part = &model.tables()[table as usize];
        let start = self.options.len() as u32;
        let (mut scored, mut targets) = (Vec::new(), Vec::new());
        self.score_rules(table, node, &mut scored, &mut targets);
        for one in scored {
            let target = &targets[one.target[0] as usize..one.target[1] as usize];
            let target = target.iter().map(|&symbol| part.target_symbol(symbol));
            if target.clone().all(|symbol| symbol.as_word().is_none_or(&passes)) {
                let from = self.symbols.len() as u32;
                self.symbols.extend(target);
                self.push(Origin::Rule(table, one.rule), one.lhs, from, one.score);
            }
        }
        start..self.options.len() as u32
    }

    /// The words of a text.
    pub fn text(&mut self, text: &str) -> Vec<u32> {
        let words = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
        words.map(|word| self.target_word(word)).collect()
    }

    /// Keeps of the states from `first` on those that options from `start` on refer to.
    fn compact(&mut self, start: u32, first: usize) {
        let (states, lm) = (self.states.split_off(first), self.lm.split_off(first));
        for option in &mut self.options[start as usize..] {
            let old = option.state as usize - first;
            let count = (usize::from(option.arity) + 1) * self.model.lms().len();
            option.state = self.states.len() as u32;
            self.states.extend_from_slice(&states[old..old + count]);
            self.lm.extend_from_slice(&lm[old..old + count]);
        }
    }

    /// The option that copies a word of the input.
    pub fn copy(&mut self, input_word: u32, text: &str) -> u32 {
        let word = self.target_word(text);
        let own = self.model.own();
        let weights = self.weights.values();
        let score = weights[own.unknown] + weights[own.words] + weights[own.rules];
        let from = self.symbols.len() as u32;
        self.symbols.push(Symbol::word(word));
        self.push(Origin::Copy(input_word), crate::grammar::table::X, from, score);
        self.options.len() as u32 - 1
    }

    /// The options of a span of the input that has given translations, best first.
    pub fn given(&mut self, input: &Input, span: usize) -> Range<u32> {
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
            self.push(Origin::Given(number), crate::grammar::table::X, from, score);
        }
        self.options[start..].sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        start as u32..self.options.len() as u32
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

    /// The options of glue: to begin a sequence, and to make it longer.
    pub fn glue(&mut self) -> [u32; 2] {
        let weight = self.weights.values()[self.model.own().glue];
        let from = self.symbols.len() as u32;
        self.symbols.push(Symbol::nonterminal(0));
        self.push(Origin::GlueFirst, crate::grammar::table::X, from, 0.0);
        let from = self.symbols.len() as u32;
        self.symbols.extend([Symbol::nonterminal(0), Symbol::nonterminal(1)]);
        self.push(Origin::GlueNext, crate::grammar::table::X, from, weight);
        let last = self.options.len() as u32;
        [last - 2, last - 1]
    }

    /// Reads the rules of a node, with the weighted features that do not depend on other rules.
    fn score_rules(&self, table: u32, node: u32, scored: &mut Vec<ScoredRule>, targets: &mut Vec<Symbol>) {
        scored.clear();
        targets.clear();
        let part = &self.model.tables()[table as usize];
        let own = self.model.own();
        let weights = &self.static_weights;
        let features = &weights[part.first_feature..];
        let rules = part.table.rules(node);
        let mut sides = part.table.sides(rules.start);
        for rule in rules {
            let begin = targets.len();
            let Some(lhs) = sides.target(targets) else {
                break;
            };
            let words = targets[begin..].iter().filter(|symbol| !symbol.is_nonterminal()).count();
            let rated = part.table.weighted(rule, features);
            let mut score = rated + words as f32 * weights[own.words] + weights[own.rules];
            if self.weights.has_sparse() {
                let mut sparse = Vec::new();
                self.model.sparse().of_rule(table, part, rule, &mut sparse);
                score += self.weights.weigh(&sparse);
            }
            scored.push(ScoredRule { score, rule, lhs, target: [begin, targets.len()].map(|at| at as u32) });
        }
    }

    fn push(&mut self, origin: Origin, lhs: u8, from: u32, score: f32) {
        let target = from..self.symbols.len() as u32;
        let symbols = &self.symbols[from as usize..];
        let arity = symbols.iter().filter(|symbol| symbol.is_nonterminal()).count() as u8;
        let mut estimate = score;
        let swapped = symbols.iter().find_map(|symbol| symbol.as_nonterminal()) == Some(1);
        let gap = |at: usize| symbols.get(at).is_some_and(|symbol| symbol.is_nonterminal());
        let joins: u8 = (1..symbols.len()).map(|at| u8::from(gap(at)) + u8::from(gap(at - 1))).sum();
        let joins = joins + u8::from(origin == Origin::GlueFirst);
        let glue = matches!(origin, Origin::GlueFirst | Origin::GlueNext);
        let state = if glue { NO_STATE } else { self.states.len() as u32 };
        let model = self.model;
        for (at, lm) in model.lms().iter().enumerate() {
            if glue {
                break;
            }
            // Words on either side of a gap are not each other's context.
            let mut sum = 0.0;
            let first = self.lm.len();
            let mut scorer = FragmentScorer::new(&*lm.model);
            for symbol in symbols {
                match symbol.as_word() {
                    Some(word) => scorer.terminal(self.lm_word(at, word)),
                    None => {
                        let (prob, fragment) = scorer.finish();
                        sum += prob;
                        self.states.push(fragment);
                        self.lm.push(0.0);
                        scorer = FragmentScorer::new(&*lm.model);
                    }
                }
            }
            let (prob, fragment) = scorer.finish();
            sum += prob;
            estimate += sum * LN_10 * self.weights.values()[lm.feature];
            self.states.push(fragment);
            self.lm.push(0.0);
            self.lm[first] = sum;
        }
        self.options.push(TranslationOption { origin, lhs, arity, swapped, joins, target, score, estimate, state });
    }

    /// Adds the features of an option, language models and orientations left out, to a row.
    pub fn add_features(&self, option: &TranslationOption, row: &mut [f32]) {
        let own = self.model.own();
        match option.origin {
            Origin::Rule(table, rule) => {
                let part = &self.model.tables()[table as usize];
                let columns = 0..part.table.feature_names().len();
                for column in columns.filter(|&column| part.is_static(column)) {
                    row[part.first_feature + column] += part.table.feature(rule, column);
                }
                row[own.rules] += 1.0;
                row[own.words] += self.target(option).iter().filter(|symbol| !symbol.is_nonterminal()).count() as f32;
            }
            Origin::Copy(_) => {
                row[own.unknown] += 1.0;
                row[own.rules] += 1.0;
                row[own.words] += 1.0;
            }
            Origin::Given(number) => {
                row[own.given] += self.given[number as usize];
                row[own.rules] += 1.0;
                row[own.words] += self.target(option).len() as f32;
            }
            Origin::GlueFirst => {}
            Origin::GlueNext => row[own.glue] += 1.0,
        }
    }

    /// Adds the sparse features of an option to a list, by number.
    pub fn add_sparse(&self, option: &TranslationOption, found: &mut Vec<(u32, f32)>) {
        if let Origin::Rule(table, rule) = option.origin
            && !self.model.sparse().is_empty()
        {
            self.model.sparse().of_rule(table, &self.model.tables()[table as usize], rule, found);
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The weights.
    pub fn weights(&self) -> &'m Weights {
        self.weights
    }

    /// The rules of a table's node, if it is one with rules.
    pub fn table(&self, table: u32) -> &'m Table {
        &self.model.tables()[table as usize].table
    }
}
