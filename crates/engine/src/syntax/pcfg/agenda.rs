//! The grammar of constituents as one of the generalised parser's: logic MonoC, any semiring, best first.
//!
//! The parser from coarse to fine looks for the tree whose rules are most probably right. This one finds the best single
//! derivation of the finest grammar, in any algebra of [`crate::parse`], and without a beam certainly so. It is slower: a
//! measure of what the other one's pruning loses, and a way to compare semirings on trees that are known.

use rayon::prelude::*;

use super::decode::{Parsed, flat};
use super::grammar::Grammar;
use super::rules::{LevelRules, Rules, State};
use crate::parse::mono::{Known, MonoC, Productions, Rule, Terms};
use crate::parse::{Algebra, Cost, Ended, Limits, MinMerge, Parser, Search, Step, Viterbi};
use crate::{Error, Result};

/// A rule of a grammar: what it makes, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Term {
    /// What it makes.
    pub state: State,
    /// Minus the logarithm of its probability.
    pub cost: Cost,
}

impl Term {
    fn of((state, cost): (State, f64)) -> Self {
        Self { state, cost: Cost::of(cost) }
    }
}

/// The rules of a grammar for one sentence, whose words are their places.
#[derive(Debug, Clone, Copy)]
pub struct Sentence<'a, R> {
    rules: &'a R,
    words: &'a [String],
}

impl<'a, R: Rules> Sentence<'a, R> {
    /// A grammar and a sentence.
    pub fn new(rules: &'a R, words: &'a [String]) -> Self {
        Self { rules, words }
    }
}

impl<R: Rules> Terms for Sentence<'_, R> {
    type Term = Term;

    fn of_word(&self, word: u32, found: impl FnMut(Term)) {
        self.rules.lexical(&self.words[word as usize], word == 0).map(Term::of).for_each(found);
    }

    fn of_one(&self, category: u32, found: impl FnMut(Term)) {
        self.rules.unary(category).map(Term::of).for_each(found);
    }

    fn of_two(&self, left: u32, right: u32, found: impl FnMut(Term)) {
        self.rules.binary(left, right).map(Term::of).for_each(found);
    }

    fn left(&self, term: Term) -> u32 {
        term.state
    }

    fn cost(&self, term: Term) -> Cost {
        term.cost
    }
}

/// In which algebra derivations are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semiring {
    /// The most probable one is best.
    #[default]
    Viterbi,
    /// The one whose least probable rules are most probable is best.
    MinMerge,
}

/// How the best derivation is looked for.
#[derive(Debug, Clone, Copy)]
pub struct AgendaSettings {
    /// What is best.
    pub semiring: Semiring,
    /// What is kept.
    pub search: Search,
    /// What ends it.
    pub limits: Limits,
    /// Sentences with more words get a flat tree.
    pub longest: usize,
}

impl Default for AgendaSettings {
    fn default() -> Self {
        let (semiring, search, limits) = (Semiring::default(), Search::default(), Limits::default());
        Self { semiring, search, limits, longest: 200 }
    }
}

/// The best derivation of each sentence as a tree, on the threads that there are; a flat tree where none was found.
///
/// # Errors
/// Settings that make no sense, an empty sentence.
pub fn parse_all(grammar: &Grammar, sentences: &[Vec<String>], settings: &AgendaSettings) -> Result<Vec<Parsed>> {
    settings.search.check()?;
    let empty = sentences.iter().position(Vec::is_empty);
    if let Some(number) = empty {
        return Err(Error::input("the sentence has no words").at_line(number as u64 + 1));
    }
    let parsed = sentences.par_iter().map(|sentence| {
        let found = match settings.semiring {
            _ if sentence.len() > settings.longest => None,
            Semiring::Viterbi => parse_in::<Viterbi>(grammar, sentence, settings),
            Semiring::MinMerge => parse_in::<MinMerge>(grammar, sentence, settings),
        };
        found.unwrap_or_else(|| flat(grammar, sentence))
    });
    Ok(parsed.collect())
}

fn parse_in<A: Algebra>(grammar: &Grammar, sentence: &[String], settings: &AgendaSettings) -> Option<Parsed> {
    let rules = LevelRules::finest(grammar);
    let found = parse_wider::<A>(grammar, &rules, sentence, *settings);
    // Like the other parser, a second time with an open mind.
    found.or_else(|| parse_wider::<A>(grammar, &rules.loosely(), sentence, *settings))
}

/// Where a beam leaves no whole tree, it is widened until one is found or all is kept.
fn parse_wider<A: Algebra>(
    grammar: &Grammar,
    rules: &LevelRules<'_>,
    sentence: &[String],
    mut settings: AgendaSettings,
) -> Option<Parsed> {
    loop {
        let found = parse_by::<A>(grammar, rules, sentence, &settings);
        match settings.search.beam {
            Some(beam) if found.is_none() && beam < rules.states() => settings.search.beam = Some(4 * beam),
            _ => return found,
        }
    }
}

fn parse_by<A: Algebra>(
    grammar: &Grammar,
    rules: &LevelRules<'_>,
    sentence: &[String],
    settings: &AgendaSettings,
) -> Option<Parsed> {
    let terms = Sentence::new(rules, sentence);
    let words: Vec<u32> = (0..sentence.len() as u32).collect();
    let logic = MonoC::new(&terms, &words);
    let goal = logic.goal(rules.goal());
    let mut parser = Parser::new(logic, Productions, A::default(), settings.search, settings.limits);
    let Ended::Found(goal) = parser.run(|_, item| *item == goal) else { return None };
    let steps = parser.derivation(goal);
    let shown = steps.iter().filter_map(|step| shown(grammar, rules, step, |item| *parser.item(item)));
    Some(Parsed { nodes: shown.collect(), flat: false })
}

/// What a tree shows of an inference.
fn shown(
    grammar: &Grammar,
    rules: &LevelRules<'_>,
    step: &Step<Rule<Term>>,
    item: impl Fn(u32) -> Known,
) -> Option<(u32, u8, u32)> {
    match (step.by.rule, item(step.item)) {
        (Rule::Scan(term), Known::Category { from, .. }) => Some((rules.told(term.state).0, 0, from)),
        (Rule::Compose(term), _) => Some((rules.told(term.state).0, 2, 0)),
        (Rule::Project(term), _) => {
            let Known::Category { category: child, .. } = item(step.by.left) else { return None };
            let rule = rules.unary_rule(child, term.state, term.cost)?;
            let [_, parent, chain] = grammar.outline().unary()[rule];
            Some((parent, 1, chain))
        }
        _ => None,
    }
}
