//! The rules of a grammar one by one, for parsers of any kind, and the plainest of them: the best derivation without pruning.
//!
//! A state is a symbol in a variant, on one of two storeys. Words and binary rules make states of the lower storey; unary
//! rules, and keeping a state as it is, make states of the upper one of them; binary rules are made of those. That is an
//! ordinary context-free grammar, so whoever applies its rules in any order finds the same derivations.

use super::grammar::Grammar;
use super::level::Level;
use crate::parse::Cost;

/// A state: lower storey first, then the upper one.
pub type State = u32;

/// What a parser asks of a grammar; costs are negative logarithms of probabilities.
pub trait Rules {
    /// What two states side by side may be parts of.
    fn binary(&self, left: State, right: State) -> impl Iterator<Item = (State, f64)>;
    /// What a state may be the only part of.
    fn unary(&self, child: State) -> impl Iterator<Item = (State, f64)>;
    /// What a word may be; whether it is the first of its sentence matters if it was never seen.
    fn lexical(&self, word: &str, first: bool) -> impl Iterator<Item = (State, f64)>;
    /// The state of whole sentences.
    fn goal(&self) -> State;
    /// How many states there are.
    fn states(&self) -> usize;
}

/// The states of one level of a grammar.
#[derive(Debug, Clone)]
pub struct LevelRules<'a> {
    grammar: &'a Grammar,
    level: &'a Level,
    /// The symbol of each state of one storey.
    symbols: Vec<u32>,
    /// Whether frequent words may have tags that they were never seen with.
    loose: bool,
}

impl<'a> LevelRules<'a> {
    /// The rules of the finest level.
    pub fn finest(grammar: &'a Grammar) -> Self {
        Self::of(grammar, grammar.fine())
    }

    /// The rules of a level.
    pub fn of(grammar: &'a Grammar, level: &'a Level) -> Self {
        let counts = level.places.variants.iter().zip(0..);
        let symbols = counts.flat_map(|(&count, symbol)| std::iter::repeat_n(symbol, count as usize)).collect();
        Self { grammar, level, symbols, loose: false }
    }

    /// The same rules for a sentence that has no tree otherwise: frequent words may have any tag of words that look alike.
    #[must_use]
    pub fn loosely(self) -> Self {
        Self { loose: true, ..self }
    }

    /// The symbol of a state, its variant, and whether it is in the upper storey.
    pub fn told(&self, state: State) -> (u32, usize, bool) {
        let (upper, at) = (state as usize >= self.symbols.len(), state as usize % self.symbols.len());
        let symbol = self.symbols[at];
        (symbol, at - self.level.places.states[symbol as usize], upper)
    }

    /// The unary rule that leads from a state to another at a cost, which chains of phrases have in common; none if the state is
    /// only kept.
    pub(super) fn unary_rule(&self, child: State, parent: State, cost: Cost) -> Option<usize> {
        let ((symbol, variant, _), (wanted, of, _)) = (self.told(child), self.told(parent));
        let kept = f64::from(self.level.kept[self.lower(symbol, variant) as usize]);
        if parent == self.upper(symbol, variant) && kept > 0.0 && Cost::of(-kept.ln()) == cost {
            return None;
        }
        self.grammar.outline().with_child(symbol).find(|&rule| {
            let deep = self.level.places.of(wanted);
            let fits = || self.level.unary[self.level.places.unary[rule] + variant * deep + of];
            self.grammar.outline().unary()[rule][1] == wanted && Cost::of(-f64::from(fits()).ln()) == cost
        })
    }

    fn lower(&self, symbol: u32, variant: usize) -> State {
        (self.level.places.states[symbol as usize] + variant) as State
    }

    fn upper(&self, symbol: u32, variant: usize) -> State {
        self.lower(symbol, variant) + self.symbols.len() as State
    }
}

fn costs(values: &[f32]) -> impl Iterator<Item = (usize, f64)> {
    values.iter().enumerate().filter(|&(_, &p)| p > 0.0).map(|(at, &p)| (at, -f64::from(p).ln()))
}

impl Rules for LevelRules<'_> {
    fn binary(&self, left: State, right: State) -> impl Iterator<Item = (State, f64)> {
        let ((left, l, one), (right, r, two)) = (self.told(left), self.told(right));
        let rules = self.grammar.outline().with_left(left);
        let known = &self.grammar.outline().binary()[rules.clone()];
        let (first, last) =
            (known.partition_point(|rule| rule[1] < right), known.partition_point(|rule| rule[1] <= right));
        let (first, last) = if one && two { (first, last) } else { (0, 0) };
        (rules.start + first..rules.start + last).flat_map(move |rule| {
            let parent = self.grammar.outline().binary()[rule][2];
            let places = &self.level.places;
            let (wide, deep) = (places.of(right), places.of(parent));
            let row = &self.level.binary[places.binary[rule] + (l * wide + r) * deep..][..deep];
            costs(row).map(move |(variant, cost)| (self.lower(parent, variant), cost))
        })
    }

    fn unary(&self, child: State) -> impl Iterator<Item = (State, f64)> {
        let (child, variant, upper) = self.told(child);
        let rules = if upper { 0..0 } else { self.grammar.outline().with_child(child) };
        let kept = f64::from(self.level.kept[self.lower(child, variant) as usize]);
        let same = (!upper && kept > 0.0).then(|| (self.upper(child, variant), -kept.ln()));
        let others = rules.flat_map(move |rule| {
            let parent = self.grammar.outline().unary()[rule][1];
            let deep = self.level.places.of(parent);
            let row = &self.level.unary[self.level.places.unary[rule] + variant * deep..][..deep];
            costs(row).map(move |(variant, cost)| (self.upper(parent, variant), cost))
        });
        same.into_iter().chain(others)
    }

    fn lexical(&self, word: &str, first: bool) -> impl Iterator<Item = (State, f64)> {
        let found = self.level.lexicon.emissions(word, first, self.loose);
        found.into_iter().flat_map(move |(tag, values)| {
            let all: Vec<(usize, f64)> = costs(&values).collect();
            all.into_iter().map(move |(variant, cost)| (self.lower(tag, variant), cost))
        })
    }

    fn goal(&self) -> State {
        self.upper(self.grammar.outline().root(), 0)
    }

    fn states(&self) -> usize {
        2 * self.symbols.len()
    }
}

/// The cost of the best derivation of a sentence, by filling the whole chart (Cocke, Kasami and Younger); infinite if there
/// is none. It takes all the time it needs: a measure of what quicker parsers find.
pub fn best_cost(rules: &impl Rules, sentence: &[String]) -> f64 {
    let (words, states) = (sentence.len(), rules.states());
    if words == 0 {
        return f64::INFINITY;
    }
    let mut chart: Vec<Vec<(State, f64)>> = vec![Vec::new(); words * (words + 1)];
    let mut row = vec![f64::INFINITY; states];
    for width in 1..=words {
        for begin in 0..=words - width {
            row.fill(f64::INFINITY);
            let improve = |row: &mut Vec<f64>, state: State, cost: f64| {
                row[state as usize] = row[state as usize].min(cost);
            };
            if width == 1 {
                rules.lexical(&sentence[begin], begin == 0).for_each(|(state, cost)| improve(&mut row, state, cost));
            }
            for middle in begin + 1..begin + width {
                for &(left, one) in &chart[begin * (words + 1) + middle] {
                    for &(right, two) in &chart[middle * (words + 1) + begin + width] {
                        rules.binary(left, right).for_each(|(state, cost)| improve(&mut row, state, cost + one + two));
                    }
                }
            }
            let below: Vec<(State, f64)> = found(&row);
            for (child, cost) in below {
                rules.unary(child).for_each(|(state, more)| improve(&mut row, state, cost + more));
            }
            chart[begin * (words + 1) + begin + width] = found(&row);
        }
    }
    let goal = rules.goal();
    let whole = &chart[words];
    whole.iter().find(|&&(state, _)| state == goal).map_or(f64::INFINITY, |&(_, cost)| cost)
}

fn found(row: &[f64]) -> Vec<(State, f64)> {
    row.iter().zip(0..).filter(|(cost, _)| cost.is_finite()).map(|(&cost, state)| (state, cost)).collect()
}
