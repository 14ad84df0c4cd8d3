//! The extension logic: pairs of words that take in their neighbours one by one (Galron 2012, section 4.2.3).
//!
//! | rule | inference |
//! |---|---|
//! | source scan | `⟨t; 1, i⟩ ⊢ [X; ∅] (i-1, i; ∅) unfinished` |
//! | target scan | `⟨t; 2, i⟩ ⊢ [∅; X] (∅; i-1, i) unfinished` |
//! | bilingual | `[Y; ∅] (τ; ∅) unfinished, [∅; Z] (∅; τ') unfinished ⊢ [X; X'] (τ; τ') unfinished` |
//! | left source extension | `[Y; ∅] (τ; ∅) unfinished, [Z; Z'] (σ; σ') unfinished ⊢ [X; X'] (τ+σ; σ') unfinished` |
//! | left target extension | `[∅; Y] (∅; τ') unfinished, [Z; Z'] (σ; σ') unfinished ⊢ [X; X'] (σ; τ'+σ') unfinished` |
//! | right extensions | the same, the word behind |
//! | finish | `[X; X'] (σ; σ') unfinished ⊢ [X; X'] (σ; σ') finished` |
//! | monotonic, inverted | as in logic MP ([`super::pairs`]), of two finished items |
//!
//! A source extension deletes a word, a target extension inserts one; there are no fuses. The thesis tried this logic
//! before the one with fuses and gave it up: what would tell a right extension from a wrong one is too rarely seen. It is
//! here as a part of that record, and as a logic with stages. Labels are functions of spans and stages, so items do not
//! repeat them.

use crate::parse::{Chart, Logic, Match, NO_ITEM};

/// A span: where it begins and where it ends.
pub type Span = (u16, u16);

/// Whether an item may still take in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// It may, and takes part in nothing else.
    Unfinished,
    /// It takes part in compositions only.
    Finished,
}

/// An item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// `[X; ∅]`, the source word behind a position; always unfinished.
    Source(u16),
    /// `[∅; X]`, the target word behind a position; always unfinished.
    Target(u16),
    /// `[X; X'] (σ; σ')`
    Both {
        /// σ
        source: Span,
        /// σ'
        target: Span,
        /// How far it is.
        stage: Stage,
    },
}

/// Where a word is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// Before what is there.
    Left,
    /// Behind it.
    Right,
}

/// An inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The source word at a position.
    SourceScan(u16),
    /// The target word at a position.
    TargetScan(u16),
    /// A source word and a target word.
    Bilingual,
    /// A source word that is not translated, and its neighbour, in the order of the sentence.
    SourceExtension(End),
    /// A target word that translates nothing, and its neighbour, in the order of the sentence.
    TargetExtension(End),
    /// No further extension.
    Finish,
    /// Two finished items in the same order.
    Monotonic,
    /// Two finished items in opposite orders.
    Inverted,
}

/// Parses a pair of sentences by extensions.
#[derive(Debug, Clone, Copy)]
pub struct Extensions {
    source: u16,
    target: u16,
}

impl Extensions {
    /// A pair of sentences of so many words.
    pub fn new(source: u16, target: u16) -> Self {
        Self { source, target }
    }

    /// The item that a parse ends with.
    pub fn goal(&self) -> Item {
        Item::Both { source: (0, self.source), target: (0, self.target), stage: Stage::Finished }
    }

    /// All spans of the source, each a cell of its own.
    fn place(&self, (from, to): Span) -> usize {
        usize::from(from) * (usize::from(self.source) + 1) + usize::from(to)
    }

    fn cell_of(&self, source: Span, stage: Stage) -> usize {
        let spans = (usize::from(self.source) + 1).pow(2);
        self.place(source) + if stage == Stage::Finished { spans } else { 0 }
    }

    fn target_cell(&self, at: u16) -> usize {
        2 * (usize::from(self.source) + 1).pow(2) + usize::from(at)
    }

    /// Words stand where no span is.
    fn source_cell(&self, at: u16) -> usize {
        self.place((at + 1, at))
    }

    fn match_source(&self, chart: &Chart<'_, Item>, item: u32, at: u16, found: &mut Vec<Match<Rule>>) {
        for other in 0..self.target {
            both(chart.cell(self.target_cell(other)), |right| (Rule::Bilingual, item, right), found);
        }
        for to in at + 2..=self.source {
            let behind = chart.cell(self.cell_of((at + 1, to), Stage::Unfinished));
            both(behind, |right| (Rule::SourceExtension(End::Left), item, right), found);
        }
        for from in 0..at {
            let before = chart.cell(self.cell_of((from, at), Stage::Unfinished));
            both(before, |left| (Rule::SourceExtension(End::Right), left, item), found);
        }
    }

    fn match_target(&self, chart: &Chart<'_, Item>, item: u32, at: u16, found: &mut Vec<Match<Rule>>) {
        for other in 0..self.source {
            both(chart.cell(self.source_cell(other)), |left| (Rule::Bilingual, left, item), found);
        }
        let spans = (0..self.source).flat_map(|from| (from + 1..=self.source).map(move |to| (from, to)));
        for &other in spans.flat_map(|span| chart.cell(self.cell_of(span, Stage::Unfinished))) {
            let Item::Both { target, .. } = *chart.item(other) else { continue };
            if target.0 == at + 1 {
                found.push(Match { rule: Rule::TargetExtension(End::Left), left: item, right: other });
            }
            if target.1 == at {
                found.push(Match { rule: Rule::TargetExtension(End::Right), left: other, right: item });
            }
        }
    }

    fn match_unfinished(
        &self,
        chart: &Chart<'_, Item>,
        item: u32,
        (source, target): (Span, Span),
        found: &mut Vec<Match<Rule>>,
    ) {
        found.push(Match { rule: Rule::Finish, left: item, right: NO_ITEM });
        if source.0 > 0 {
            let before = chart.cell(self.source_cell(source.0 - 1));
            both(before, |left| (Rule::SourceExtension(End::Left), left, item), found);
        }
        if source.1 < self.source {
            let behind = chart.cell(self.source_cell(source.1));
            both(behind, |right| (Rule::SourceExtension(End::Right), item, right), found);
        }
        if target.0 > 0 {
            let before = chart.cell(self.target_cell(target.0 - 1));
            both(before, |left| (Rule::TargetExtension(End::Left), left, item), found);
        }
        if target.1 < self.target {
            let behind = chart.cell(self.target_cell(target.1));
            both(behind, |right| (Rule::TargetExtension(End::Right), item, right), found);
        }
    }

    fn match_finished(&self, chart: &Chart<'_, Item>, item: u32, source: Span, found: &mut Vec<Match<Rule>>) {
        let mut compose = |left: u32, right: u32| {
            found.extend([Rule::Monotonic, Rule::Inverted].map(|rule| Match { rule, left, right }));
        };
        for from in 0..source.0 {
            let before = chart.cell(self.cell_of((from, source.0), Stage::Finished));
            before.iter().for_each(|&left| compose(left, item));
        }
        for to in source.1 + 1..=self.source {
            let behind = chart.cell(self.cell_of((source.1, to), Stage::Finished));
            behind.iter().for_each(|&right| compose(item, right));
        }
    }
}

/// An inference for each of some items.
fn both(items: &[u32], by: impl Fn(u32) -> (Rule, u32, u32), found: &mut Vec<Match<Rule>>) {
    found.extend(items.iter().map(|&item| {
        let (rule, left, right) = by(item);
        Match { rule, left, right }
    }));
}

/// Two spans as one, if the second follows the first.
fn joined(first: Span, second: Span) -> Option<Span> {
    (first.1 == second.0).then_some((first.0, second.1))
}

fn word(at: u16) -> Span {
    (at, at + 1)
}

impl Logic for Extensions {
    type Item = Item;
    type Key = Item;
    type Rule = Rule;

    fn key(&self, item: &Item) -> Item {
        *item
    }

    fn cell(&self, item: &Item) -> usize {
        match *item {
            Item::Source(at) => self.source_cell(at),
            Item::Target(at) => self.target_cell(at),
            Item::Both { source, stage, .. } => self.cell_of(source, stage),
        }
    }

    fn cells(&self) -> usize {
        self.target_cell(self.target)
    }

    fn competes(&self, item: &Item) -> bool {
        matches!(item, Item::Both { .. })
    }

    fn axioms(&mut self, found: &mut Vec<Match<Rule>>) {
        let given = |rule| Match { rule, left: NO_ITEM, right: NO_ITEM };
        found.extend((0..self.source).map(|at| given(Rule::SourceScan(at))));
        found.extend((0..self.target).map(|at| given(Rule::TargetScan(at))));
    }

    fn matching(&self, chart: &Chart<'_, Item>, item: u32, found: &mut Vec<Match<Rule>>) {
        match *chart.item(item) {
            Item::Source(at) => self.match_source(chart, item, at, found),
            Item::Target(at) => self.match_target(chart, item, at, found),
            Item::Both { source, target, stage: Stage::Unfinished } => {
                self.match_unfinished(chart, item, (source, target), found);
            }
            Item::Both { source, stage: Stage::Finished, .. } => self.match_finished(chart, item, source, found),
        }
    }

    fn infer(&mut self, rule: Rule, left: Option<&Item>, right: Option<&Item>) -> Option<Item> {
        use Stage::{Finished, Unfinished};
        let item = |source, target, stage| Some(Item::Both { source, target, stage });
        match (rule, left.copied(), right.copied()) {
            (Rule::SourceScan(at), ..) => Some(Item::Source(at)),
            (Rule::TargetScan(at), ..) => Some(Item::Target(at)),
            (Rule::Bilingual, Some(Item::Source(at)), Some(Item::Target(other))) => {
                item(word(at), word(other), Unfinished)
            }
            (
                Rule::SourceExtension(End::Left),
                Some(Item::Source(at)),
                Some(Item::Both { source, target, stage: Unfinished }),
            ) => item(joined(word(at), source)?, target, Unfinished),
            (
                Rule::SourceExtension(End::Right),
                Some(Item::Both { source, target, stage: Unfinished }),
                Some(Item::Source(at)),
            ) => item(joined(source, word(at))?, target, Unfinished),
            (
                Rule::TargetExtension(End::Left),
                Some(Item::Target(at)),
                Some(Item::Both { source, target, stage: Unfinished }),
            ) => item(source, joined(word(at), target)?, Unfinished),
            (
                Rule::TargetExtension(End::Right),
                Some(Item::Both { source, target, stage: Unfinished }),
                Some(Item::Target(at)),
            ) => item(source, joined(target, word(at))?, Unfinished),
            (Rule::Finish, Some(Item::Both { source, target, stage: Unfinished }), None) => {
                item(source, target, Finished)
            }
            (
                Rule::Monotonic | Rule::Inverted,
                Some(Item::Both { source, target, stage: Finished }),
                Some(Item::Both { source: next, target: other, stage: Finished }),
            ) => {
                let (first, last) = if rule == Rule::Monotonic { (target, other) } else { (other, target) };
                item(joined(source, next)?, joined(first, last)?, Finished)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse::{Algebra, Cost, Ended, Grammar, Inference, Limits, MinMerge, Parser, Search};

    fn unfinished(source: Span, target: Span) -> Item {
        Item::Both { source, target, stage: Stage::Unfinished }
    }

    fn finished(source: Span, target: Span) -> Item {
        Item::Both { source, target, stage: Stage::Finished }
    }

    /// "the Greens" and "groupe des Verts": Greens is Verts, the others are deleted and inserted, the nearest first.
    fn greens(_: &Extensions, inference: &Inference<'_, Extensions>) -> Cost {
        match (inference.rule, *inference.consequent) {
            (Rule::SourceScan(_) | Rule::TargetScan(_), _) => Cost::NOTHING,
            (Rule::Bilingual, item) if item == unfinished((1, 2), (2, 3)) => Cost::of(0.1),
            (Rule::Bilingual, _) => Cost::NEVER,
            // The article is taken in before anything is inserted.
            (Rule::SourceExtension(_), item) if item == unfinished((0, 2), (2, 3)) => Cost::of(0.2),
            (Rule::SourceExtension(_), _) => Cost::of(0.7),
            (Rule::TargetExtension(_), _) => Cost::of(0.3),
            (Rule::Finish, _) => Cost::of(0.4),
            (Rule::Monotonic | Rule::Inverted, _) => Cost::of(0.5),
        }
    }

    fn parsed<G: Grammar<Extensions>>(
        logic: Extensions,
        grammar: G,
        all: bool,
    ) -> (Parser<Extensions, G, MinMerge>, Ended) {
        let mut parser = Parser::new(logic, grammar, MinMerge::default(), Search::default(), Limits::default());
        let goal = logic.goal();
        let ended = parser.run(|_, item| !all && *item == goal);
        (parser, ended)
    }

    /// Galron 2012, figure 4.1.
    #[test]
    fn the_greens_are_groupe_des_verts() {
        let (parser, ended) = parsed(Extensions::new(2, 3), greens, false);
        let Ended::Found(goal) = ended else { panic!("no parse: {ended:?}") };
        let both = |item: &Item| matches!(item, Item::Both { .. });
        let steps: Vec<_> =
            parser.derivation(goal).iter().map(|step| (step.by.rule, *parser.item(step.item))).collect();
        let steps: Vec<_> = steps.into_iter().filter(|(_, item)| both(item)).collect();
        assert_eq!(
            steps,
            [
                (Rule::Bilingual, unfinished((1, 2), (2, 3))),
                (Rule::SourceExtension(End::Left), unfinished((0, 2), (2, 3))),
                (Rule::TargetExtension(End::Left), unfinished((0, 2), (1, 3))),
                (Rule::TargetExtension(End::Left), unfinished((0, 2), (0, 3))),
                (Rule::Finish, finished((0, 2), (0, 3))),
            ]
        );
        let costs: Vec<f64> = parser.algebra.costs(parser.value(goal)).iter().map(|cost| cost.value()).collect();
        let expected = [0.4, 0.3, 0.3, 0.2, 0.1];
        assert!(costs.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{costs:?}");
        // The article may come before, between and after the two insertions.
        let (parser, _) = parsed(Extensions::new(2, 3), greens, true);
        let goal = parser.find(&parser.logic.goal()).unwrap();
        assert_eq!(derivations(&parser, goal), 3);
    }

    fn derivations<G: Grammar<Extensions>>(parser: &Parser<Extensions, G, MinMerge>, item: u32) -> usize {
        if item == NO_ITEM {
            return 1;
        }
        let ways = parser.graph().incoming(item).map(|edge| {
            let [left, right] = parser.graph().tails(edge);
            derivations(parser, left) * derivations(parser, right)
        });
        ways.sum()
    }

    #[test]
    fn stages_say_what_an_item_may_do() {
        let mut logic = Extensions::new(4, 4);
        let (one, other) = (((1, 2), (1, 2)), ((2, 3), (2, 3)));
        let (open, closed) = (unfinished(one.0, one.1), finished(one.0, one.1));
        let words = [Item::Source(0), Item::Target(0)];
        let extensions = [Rule::SourceExtension(End::Left), Rule::TargetExtension(End::Left)];
        for (word, rule) in words.iter().zip(extensions) {
            assert!(logic.infer(rule, Some(word), Some(&open)).is_some());
            assert_eq!(logic.infer(rule, Some(word), Some(&closed)), None);
            // Not its neighbour, or on the other side of it.
            assert_eq!(logic.infer(rule, Some(word), Some(&unfinished(other.0, other.1))), None);
        }
        assert_eq!(logic.infer(Rule::Finish, Some(&closed), None), None);
        let (next, done) = (unfinished(other.0, other.1), finished(other.0, other.1));
        assert_eq!(logic.infer(Rule::Monotonic, Some(&open), Some(&next)), None);
        assert_eq!(logic.infer(Rule::Monotonic, Some(&closed), Some(&next)), None);
        assert_eq!(logic.infer(Rule::Monotonic, Some(&closed), Some(&done)), Some(finished((1, 3), (1, 3))));
        assert_eq!(logic.infer(Rule::Inverted, Some(&closed), Some(&done)), None);
        let swapped = finished((2, 3), (0, 1));
        assert_eq!(logic.infer(Rule::Inverted, Some(&closed), Some(&swapped)), Some(finished((1, 3), (0, 2))));
    }

    /// All ways to an item by the table, read from below: lists of costs.
    fn enumerate(item: Item, cost: &impl Fn(Rule, Item) -> Cost) -> Vec<Vec<Cost>> {
        let Item::Both { source, target, stage } = item else { return vec![Vec::new()] };
        let mut found = Vec::new();
        let mut add = |rule: Rule, parts: &[Item]| {
            let lists = parts.iter().map(|&part| enumerate(part, cost));
            let all = lists.fold(vec![vec![cost(rule, item)]], |all, ways| {
                all.iter().flat_map(|one| ways.iter().map(move |way| [&one[..], &way[..]].concat())).collect()
            });
            found.extend(all);
        };
        if stage == Stage::Unfinished {
            if source.1 - source.0 == 1 && target.1 - target.0 == 1 {
                add(Rule::Bilingual, &[]);
            }
            if source.1 - source.0 > 1 {
                add(Rule::SourceExtension(End::Left), &[unfinished((source.0 + 1, source.1), target)]);
                add(Rule::SourceExtension(End::Right), &[unfinished((source.0, source.1 - 1), target)]);
            }
            if target.1 - target.0 > 1 {
                add(Rule::TargetExtension(End::Left), &[unfinished(source, (target.0 + 1, target.1))]);
                add(Rule::TargetExtension(End::Right), &[unfinished(source, (target.0, target.1 - 1))]);
            }
            return found;
        }
        add(Rule::Finish, &[unfinished(source, target)]);
        for middle in source.0 + 1..source.1 {
            let (left, right) = ((source.0, middle), (middle, source.1));
            for seam in target.0 + 1..target.1 {
                let (first, last) = ((target.0, seam), (seam, target.1));
                add(Rule::Monotonic, &[finished(left, first), finished(right, last)]);
                add(Rule::Inverted, &[finished(left, last), finished(right, first)]);
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// The best of all derivations there are by the table, and as many of them.
        #[test]
        fn the_best_of_all_extensions_is_found(source in 1_u16..4, target in 1_u16..4, seed in 0_u32..1000) {
            let cost = |rule: Rule, item: Item| {
                let name = xxhash_rust::xxh3::xxh3_64(format!("{seed} {rule:?} {item:?}").as_bytes());
                Cost::of((name % 8) as f64)
            };
            let grammar = |_: &Extensions, inference: &Inference<'_, Extensions>| match inference.rule {
                Rule::SourceScan(_) | Rule::TargetScan(_) => Cost::NOTHING,
                rule => cost(rule, *inference.consequent),
            };
            let logic = Extensions::new(source, target);
            let all = enumerate(logic.goal(), &cost);
            let best = all.iter().cloned().map(|mut costs| { costs.sort_by(|a, b| b.cmp(a)); costs }).min();
            let (parser, ended) = parsed(logic, grammar, false);
            let found = match ended { Ended::Found(goal) => Some(parser.algebra.costs(parser.value(goal))), _ => None };
            prop_assert_eq!(found, best);
            let (parser, _) = parsed(logic, grammar, true);
            prop_assert_eq!(derivations(&parser, parser.find(&logic.goal()).unwrap()), all.len());
        }
    }
}
