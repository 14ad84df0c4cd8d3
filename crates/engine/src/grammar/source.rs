//! Where rules come from: what a decoder asks a grammar for, whatever kind of grammar it is.
//!
//! A [`RuleSource`] is shared by all threads and never changes. Each thread walks through it with a [`Walk`] of its own,
//! which may remember what it found: states stand for the beginnings of source sides, as nodes of a trie do. Words and
//! categories are the source's own here; a decoder's model gives all its sources one space of words and one of
//! categories.

use std::sync::Arc;

use super::Symbol;
use super::table::Table;
use crate::corpus::vocabulary::Vocabulary;
use crate::{Error, Result};

/// What stays true of what a walk answered, when a sentence begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything: whoever asked may go on remembering states and rules.
    Model,
    /// Nothing: states and rules of earlier sentences are no more.
    Sentence,
}

/// What is about to be translated, as a source sees it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The source words, `None` where the source does not know a word.
    pub words: &'a [Option<u32>],
    /// Whether they follow each other so; in a lattice any two may.
    pub ordered: bool,
    /// The most words that a rule may cover.
    pub span: usize,
}

/// Rules by their source sides.
pub trait RuleSource: Send + Sync + std::fmt::Debug {
    /// The names of the features that each rule has.
    fn feature_names(&self) -> &[String];
    /// The names of the categories; the first is that of translations.
    fn categories(&self) -> &[String];
    /// The words of source sides.
    fn source_words(&self) -> &Vocabulary;
    /// The words of target sides.
    fn target_words(&self) -> &Vocabulary;
    /// What one thread walks with.
    fn walk(&self) -> Box<dyn Walk + '_>;
    /// Whether walks find rules with less work if they know several sentences beforehand.
    fn looks_ahead(&self) -> bool {
        false
    }
    /// What its source sides are kept in: sources with the same walk through the same states.
    fn trie(&self) -> Option<usize> {
        None
    }
    /// Which voice of a table it is, and how many that has, if it has several.
    fn voice(&self) -> Option<[usize; 2]> {
        None
    }
    /// The table of all rules, where there is one.
    fn as_table(&self) -> Option<&Table> {
        None
    }
}

/// A walk through the source sides of a source: dotted rules are states of it (Chappelier & Rajman 1998).
pub trait Walk: Send {
    /// Is told of sentences to come, so that what they ask for can be found together.
    ///
    /// # Errors
    /// Rules that cannot be made for them.
    fn expect(&mut self, _sentences: &[Asked<'_>]) -> Result<()> {
        Ok(())
    }

    /// Prepares for a sentence; says what of earlier answers may be kept.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    fn begin(&mut self, _sentence: Asked<'_>) -> Result<Scope> {
        Ok(Scope::Model)
    }

    /// The state of the empty source side.
    fn root(&self) -> u32;

    /// The state after a word or a category.
    fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32>;

    /// Whether longer source sides begin with this one.
    fn continues(&self, state: u32) -> bool;

    /// Whether a source side ends here.
    fn has_rules(&self, state: u32) -> bool;

    /// Appends the rules of a state, each with the weighted sum of its features. The source side has `arity` gaps; whatever
    /// does not have each of them once on the target side is no rule.
    fn rules(&mut self, state: u32, arity: usize, weights: &[f32], out: &mut RuleList);

    /// Like [`Walk::rules`] for all voices of the table that it walks through: `weights` has those of each voice after the
    /// other, and each rule appends to `scores` what each voice says, minus infinity if it does not have the rule. Gives
    /// whether it can do that.
    fn chorus(
        &mut self,
        _state: u32,
        _arity: usize,
        _weights: &[f32],
        _out: &mut RuleList,
        _scores: &mut Vec<f32>,
    ) -> bool {
        false
    }

    /// Touches the memory where the rules of a state lie, if they lie anywhere; what it gives means nothing.
    fn warm(&self, _state: u32) -> u8 {
        0
    }

    /// A feature of a rule.
    fn feature(&self, rule: u32, column: usize) -> f32;

    /// Appends the source side of a rule.
    fn source(&self, rule: u32, source: &mut Vec<Symbol>);

    /// Positions in the two sides of a rule whose words translate each other.
    fn links(&self, rule: u32) -> Vec<[u8; 2]>;
}

/// A rule of a state, as it is listed.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// Its number in the source.
    pub rule: u32,
    /// The category of its left-hand side.
    pub lhs: u8,
    /// The weighted sum of its features.
    pub score: f32,
    target: [u32; 2],
}

/// The rules of a state, in the order of the source; it keeps its memory.
#[derive(Debug, Default)]
pub struct RuleList {
    /// The rules.
    pub rules: Vec<Listed>,
    targets: Vec<Symbol>,
}

impl RuleList {
    /// Forgets all rules.
    pub fn clear(&mut self) {
        self.rules.clear();
        self.targets.clear();
    }

    /// Appends a rule whose target side `read` appends; `read` gives its number and its category, or nothing if there is no
    /// more.
    #[inline]
    pub fn push(
        &mut self,
        read: impl FnOnce(&mut Vec<Symbol>) -> Option<(u32, u8)>,
        score: impl FnOnce(u32) -> f32,
    ) -> Option<()> {
        self.push_some(read, |rule| Some(score(rule)))
    }

    /// The same, but that rules without a score are left out.
    #[inline]
    fn push_some(
        &mut self,
        read: impl FnOnce(&mut Vec<Symbol>) -> Option<(u32, u8)>,
        score: impl FnOnce(u32) -> Option<f32>,
    ) -> Option<()> {
        let begin = self.targets.len() as u32;
        let (rule, lhs) = read(&mut self.targets)?;
        match score(rule) {
            Some(score) => self.rules.push(Listed { rule, lhs, score, target: [begin, self.targets.len() as u32] }),
            None => self.targets.truncate(begin as usize),
        }
        Some(())
    }

    /// The target side of a rule of the list.
    #[inline]
    pub fn target(&self, listed: &Listed) -> &[Symbol] {
        &self.targets[listed.target[0] as usize..listed.target[1] as usize]
    }
}

impl RuleSource for Table {
    fn feature_names(&self) -> &[String] {
        self.feature_names()
    }

    fn categories(&self) -> &[String] {
        self.categories()
    }

    fn source_words(&self) -> &Vocabulary {
        self.source_words()
    }

    fn target_words(&self) -> &Vocabulary {
        self.target_words()
    }

    fn walk(&self) -> Box<dyn Walk + '_> {
        Box::new(self)
    }

    fn trie(&self) -> Option<usize> {
        Some(std::ptr::from_ref(self) as usize)
    }

    fn as_table(&self) -> Option<&Table> {
        Some(self)
    }
}

/// A table remembers nothing of a walk: its trie's nodes are the states.
impl Walk for &Table {
    fn root(&self) -> u32 {
        Table::ROOT
    }

    #[inline]
    fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        Table::step(self, state, symbol)
    }

    #[inline]
    fn continues(&self, state: u32) -> bool {
        Table::continues(self, state)
    }

    fn has_rules(&self, state: u32) -> bool {
        !Table::rules(self, state).is_empty()
    }

    fn rules(&mut self, state: u32, arity: usize, weights: &[f32], out: &mut RuleList) {
        let mut targets = self.targets(state, arity);
        while out.push(|target| targets.next(target), |rule| self.weighted(rule, weights)).is_some() {}
    }

    fn warm(&self, state: u32) -> u8 {
        Table::warm(self, state)
    }

    fn feature(&self, rule: u32, column: usize) -> f32 {
        Table::feature(self, rule, column)
    }

    fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        Table::source(self, rule, source);
    }

    fn links(&self, rule: u32) -> Vec<[u8; 2]> {
        self.side(rule).links
    }
}

/// One voice of a table that speaks for several components: the rules that it has, with what it says of them.
#[derive(Debug)]
pub struct Voice {
    table: Arc<Table>,
    voice: usize,
}

impl Voice {
    /// A voice of a table, by its number.
    ///
    /// # Errors
    /// A voice that the table does not have.
    pub fn new(table: Arc<Table>, voice: usize) -> Result<Self> {
        if voice >= table.voices() {
            return Err(Error::input(format!("there is no voice {voice} in a table of {}", table.voices())));
        }
        Ok(Self { table, voice })
    }
}

impl RuleSource for Voice {
    fn feature_names(&self) -> &[String] {
        self.table.voice_feature_names()
    }

    fn categories(&self) -> &[String] {
        self.table.categories()
    }

    fn source_words(&self) -> &Vocabulary {
        self.table.source_words()
    }

    fn target_words(&self) -> &Vocabulary {
        self.table.target_words()
    }

    fn walk(&self) -> Box<dyn Walk + '_> {
        Box::new(VoiceWalk { table: &self.table, voice: self.voice })
    }

    fn trie(&self) -> Option<usize> {
        self.table.trie()
    }

    fn voice(&self) -> Option<[usize; 2]> {
        Some([self.voice, self.table.voices()])
    }
}

/// A walk through a table for one of its voices.
struct VoiceWalk<'a> {
    table: &'a Table,
    voice: usize,
}

impl Walk for VoiceWalk<'_> {
    fn root(&self) -> u32 {
        Table::ROOT
    }

    #[inline]
    fn step(&mut self, state: u32, symbol: Symbol) -> Option<u32> {
        self.table.step(state, symbol)
    }

    #[inline]
    fn continues(&self, state: u32) -> bool {
        self.table.continues(state)
    }

    fn has_rules(&self, state: u32) -> bool {
        self.table.rules(state).any(|rule| self.table.spoken(rule) >> self.voice & 1 == 1)
    }

    fn rules(&mut self, state: u32, arity: usize, weights: &[f32], out: &mut RuleList) {
        let mut targets = self.table.targets(state, arity);
        let weights = &weights[..self.table.width()];
        let Some(mut speaking) = self.table.speaking(self.table.rules(state).start) else {
            return Walk::rules(&mut self.table, state, arity, weights, out);
        };
        let mut score = |rule| speaking.weighted(rule, self.voice, weights);
        while out.push_some(|target| targets.next(target), &mut score).is_some() {}
    }

    fn chorus(&mut self, state: u32, arity: usize, weights: &[f32], out: &mut RuleList, scores: &mut Vec<f32>) -> bool {
        let mut targets = self.table.targets(state, arity);
        let voices = self.table.voices();
        let Some(mut speaking) = self.table.speaking(self.table.rules(state).start) else { return false };
        let mut score = |rule: u32| {
            let start = scores.len();
            scores.resize(start + voices, 0.0);
            speaking.scores(rule, weights, &mut scores[start..]);
            0.0
        };
        while out.push(|target| targets.next(target), &mut score).is_some() {}
        true
    }

    fn feature(&self, rule: u32, column: usize) -> f32 {
        self.table.feature(rule, self.voice * self.table.width() + column)
    }

    fn source(&self, rule: u32, source: &mut Vec<Symbol>) {
        Table::source(self.table, rule, source);
    }

    fn links(&self, rule: u32) -> Vec<[u8; 2]> {
        self.table.side(rule).links
    }
}
