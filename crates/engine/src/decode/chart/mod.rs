//! Bottom-up decoding with synchronous context-free rules: CKY+ over the sources' source sides (Chappelier & Rajman 1998; Chiang
//! 2007), cells filled by cube pruning (Chiang 2007; Huang & Chiang 2007).
//!
//! Spans are visited from right to left by where they begin and then by where they end, so that a cell is complete
//! before it is a gap of a larger span (Sennrich 2014). Beyond the longest span only glue puts translations together.

pub(super) mod arena;
mod boundary;
mod cubes;
mod derivation;
mod force;
mod matching;
mod pack;
mod passes;
pub(super) mod scoring;
#[cfg(test)]
pub(super) mod tests;
mod trees;

use std::ops::Range;
use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::effort::Effort;
use super::input::Input;
use super::model::Model;
use super::options::Options;
use super::scorer::{Scorer, Switch, SwitchScope};
use super::search::{Search, Strategy, check_reference};
use super::undirected::forest::Forest as UndirectedForest;
use super::undirected::policy::Policy;
use crate::forest::Forest;
use crate::forest::mixture::log_add;
use crate::{Error, Result};
use arena::{Arena, NO_GROUP};
use boundary::Refiner;
use cubes::Filler;
use force::Reference;
use matching::{Item, Matcher};
use passes::Promise;
use scoring::{Cell, Cube, Kind, Scored};

/// How the best combinations of a cell are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CellSearch {
    /// Cube pruning: hypotheses in the order of their scores (Chiang 2007).
    #[default]
    Cube,
    /// Hypotheses grouped by the words that language models see of them (Heafield et al. 2013).
    Boundary,
}

/// How the chart is filled.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSettings {
    /// How cells are filled.
    pub search: CellSearch,
    /// Hypotheses taken from the cubes of a cell; 0 takes all, which makes the search exact.
    pub pop_limit: usize,
    /// Translations of a source side that are tried; 0 tries all.
    pub table_limit: usize,
    /// Positions that rules other than glue may cover.
    pub max_span: usize,
    /// How deep rules with gaps may nest (shallow-n grammars, de Gispert et al. 2010); `None` for any depth.
    pub shallow: Option<u8>,
    /// After this time for a sentence only the best of each cell is kept, so that it ends soon.
    pub time_limit: Option<Duration>,
    /// Bytes for the hypotheses of a sentence. What is too long for them is searched with fewer hypotheses in each cell;
    /// should they still be used up, the rest is done in a hurry.
    pub memory_limit: Option<usize>,
    /// 1, or 2 to find all derivations without language models first and search among those that promise most.
    pub passes: u8,
    /// With two passes, how much less than the best a derivation may promise; `None` for any.
    pub beam: Option<f32>,
    /// Whether other ways to the same hypothesis are kept, for forests and n-best lists.
    pub keep_edges: bool,
}

impl Default for ChartSettings {
    fn default() -> Self {
        Self {
            search: CellSearch::Cube,
            pop_limit: 50,
            table_limit: 30,
            max_span: 12,
            shallow: None,
            time_limit: None,
            memory_limit: Some(1 << 30),
            passes: 1,
            beam: Some(10.0),
            keep_edges: false,
        }
    }
}

impl ChartSettings {
    /// Looks for values that make no sense.
    ///
    /// # Errors
    /// Fewer than one or more than two passes, a beam that is no positive number.
    pub fn check(&self) -> Result<()> {
        if !(1..=2).contains(&self.passes) {
            return Err(
                Error::settings(format!("a chart cannot be filled in {} passes", self.passes)).hint("use 1 or 2")
            );
        }
        if self.beam.is_some_and(|beam| beam.is_nan() || beam < 0.0) {
            return Err(Error::settings("the beam is not a positive number"));
        }
        Ok(())
    }
}

/// For spans whether nobody wants them, and which part wins them.
type Verdicts = HashMap<[usize; 2], (bool, Option<u32>)>;

/// A decoder for one thread; it keeps its memory and its translation options from sentence to sentence.
pub struct ChartDecoder<'m> {
    options: Options<'m>,
    settings: ChartSettings,
    arena: Arena,
    /// The chart of the first pass of two, and what it is scored with while it is filled.
    bare: Arena,
    promise: Option<Promise>,
    /// What the first pass must yield, if that is given.
    reference: Option<Reference>,
    /// Of an ensemble that is forced: whether nobody wants a span, and which part wins it.
    verdicts: Option<Verdicts>,
    /// Where source sides are taken with all their options at once, and by whose weights.
    bundles: Option<(UndirectedForest, Policy)>,
    matcher: Matcher,
    cubes: Vec<Cube>,
    /// The items of a span and, of an ensemble that switches, which part each is given to.
    matching: Vec<Item>,
    winners: Vec<Option<u32>>,
    /// Room for the options of an item, of each source or of a mixture.
    found: Vec<Range<u32>>,
    filler: Filler,
    refiner: Refiner,
    scored: Scored,
    effort: Effort,
    /// Glue for each class of spans.
    glue: Vec<[u32; 2]>,
    goal: Option<u32>,
    /// Hypotheses of a cell that memory has room for.
    share: usize,
}

impl<'m> ChartDecoder<'m> {
    /// A decoder.
    pub fn new(model: &'m Model, scorer: &'m Scorer, settings: ChartSettings) -> Self {
        let limit = if settings.table_limit == 0 { usize::MAX } else { settings.table_limit };
        Self {
            options: Options::new(model, scorer, limit, settings.max_span),
            settings,
            arena: Arena::new(model.lms().len()),
            bare: Arena::new(0),
            promise: None,
            reference: None,
            verdicts: None,
            bundles: None,
            matcher: Matcher::default(),
            cubes: Vec::new(),
            matching: Vec::new(),
            winners: Vec::new(),
            found: Vec::new(),
            filler: Filler::new(model, scorer.joint()),
            refiner: Refiner::new(model, scorer.joint()),
            scored: Scored::default(),
            effort: Effort::default(),
            glue: Vec::new(),
            goal: None,
            share: usize::MAX,
        }
    }

    /// Fills the chart for an input; what was found stays until the next one.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    pub fn decode(&mut self, input: &Input) -> Result<()> {
        let started = Instant::now();
        let words = self.options.begin_sentence(input)?;
        let mut parsing = Duration::ZERO;
        if self.settings.passes == 2 {
            self.first_pass(input, &words, Promise::RulesAndWords);
            parsing = started.elapsed();
            self.second_pass();
        } else {
            self.visit(input, &words);
        }
        (self.effort.parsing, self.effort.rescoring) = (parsing, started.elapsed() - parsing);
        self.effort.hypotheses = u64::from(self.arena.hypotheses());
        self.effort.recombined = self.effort.pops - self.effort.hypotheses;
        Ok(())
    }

    /// Fills all cells.
    fn visit(&mut self, input: &Input, words: &[Option<u32>]) {
        let started = Instant::now();
        let classes = self.options.scorer().classes();
        self.glue = (0..classes).map(|class| self.options.glue(class)).collect();
        self.arena.clear();
        self.refiner.begin();
        self.effort = Effort::default();
        self.goal = None;
        let last = input.last();
        self.matcher.begin(&mut self.options, input, words, self.settings.max_span);
        let cells = last * self.matcher.span() + last;
        self.share = match (self.settings.memory_limit, self.settings.pop_limit) {
            (Some(limit), 1..) => {
                let each = Arena::hypothesis_bytes(self.options.model().lms().len());
                (limit / (cells.max(1) * each)).max(1)
            }
            _ => usize::MAX,
        };
        for begin in (0..last).rev() {
            self.matcher.begin_row(&mut self.options, begin);
            for end in begin..=last.min(begin + self.matcher.span()) {
                if let Some(limit) = self.settings.time_limit
                    && !self.effort.hurried
                {
                    self.effort.hurried = started.elapsed() > limit;
                }
                let packed = self.bundles.as_ref().map_or(0, |(forest, _)| forest.bytes());
                let full = self.settings.memory_limit.is_some_and(|limit| self.arena.bytes() + packed > limit);
                self.effort.hurried |= full;
                if end > begin && input.allows(begin, end) {
                    self.fill(input, begin, end);
                }
                self.matcher.extend(&mut self.options, input, &self.arena, end);
            }
            // Given translations may cover more than rules do; glue takes them.
            let mut reach = begin + self.matcher.span();
            for given in input.given().from(begin) {
                if given.end as usize > reach {
                    reach = given.end as usize;
                    self.fill_given(input, begin, reach);
                }
            }
        }
        self.join(input, input.given().longest().max(self.matcher.span()));
    }

    fn pop_limit(&self) -> usize {
        match self.settings.pop_limit {
            _ if self.effort.hurried => 1,
            0 => usize::MAX,
            limit => limit.min(self.share),
        }
    }

    /// Fills the cell of a span with translations.
    fn fill(&mut self, input: &Input, begin: usize, end: usize) {
        let class = self.options.scorer().class(end - begin);
        let (plan, forced) = (self.options.scorer().plan(), self.reference.is_some());
        self.match_span(input, [begin, end]);
        let verdict = self.verdicts.as_ref().filter(|_| forced).and_then(|all| all.get(&[begin, end]).copied());
        let bare = match (&plan.switch, verdict) {
            (Some(Switch { scope: SwitchScope::Cell, .. }), Some((bare, winner))) => {
                self.winners.resize(self.matching.len(), winner);
                bare
            }
            (Some(switch), _) => {
                let bare = self.choose(switch, class);
                verdict.map_or(bare, |(bare, _)| bare)
            }
            (None, Some((bare, _))) => bare,
            (None, None) if forced => false,
            (None, None) => {
                self.propose(class, false);
                self.cubes.is_empty()
            }
        };
        if let Some(verdicts) = self.verdicts.as_mut().filter(|_| !forced) {
            verdicts.insert([begin, end], (bare, self.winners.first().copied().flatten()));
        }
        if forced || plan.switch.is_some() {
            self.propose(class, forced);
        }
        if plan.normalise && plan.switch.is_none() && !forced {
            self.normalise();
        }
        // A veto may leave nothing of the rules of a word, which is then as unknown as any.
        let bare = bare && !self.options.scorer().is_single();
        for arc in input.from(begin).iter().filter(|arc| arc.end as usize == end) {
            if bare || !self.matcher.translates(arc.word) {
                let option = self.options.copy(arc.word, &input.words()[arc.word as usize], class);
                let cube =
                    Cube { options: option..option + 1, tails: [0..0, 0..0], input: arc.score, kind: Kind::Inside };
                self.cubes.push(cube);
            }
        }
        self.offer_given(input, begin, end);
        let groups = self.take(begin, end, self.settings.shallow);
        self.matcher.complete_cell(begin, end, groups);
    }

    /// Lists the items of a span whose rules may be used.
    fn match_span(&mut self, input: &Input, [begin, end]: [usize; 2]) {
        let mut matching = std::mem::take(&mut self.matching);
        matching.clear();
        matching.extend(self.matcher.complete(end).filter(|item| {
            let gaps = &item.gaps[..usize::from(item.arity)];
            let hurries = self.effort.hurried && item.arity > 0;
            !hurries && (!input.is_constrained() || self.nests(input, [begin, end], gaps))
        }));
        self.matching = matching;
        self.winners.clear();
    }

    /// Gives the cell, or each source side, to a part of the ensemble. Gives whether nobody wants any of it.
    fn choose(&mut self, switch: &Switch, class: usize) -> bool {
        let states = self.matching.iter().map(|item| (item.state, item.arity));
        match switch.scope {
            SwitchScope::Cell => {
                let winner = self.options.winner(switch, class, states);
                self.winners.resize(self.matching.len(), winner);
            }
            SwitchScope::Pattern => {
                self.winners.extend(states.map(|state| self.options.winner(switch, class, [state])));
            }
        }
        self.winners.iter().all(Option::is_none)
    }

    /// Makes cubes of the rules that match a span: of the best ones, or of all whose words the reference has, if `forced`.
    fn propose(&mut self, class: usize, forced: bool) {
        self.cubes.clear();
        let switches = self.options.scorer().plan().switch.is_some();
        for (at, item) in self.matching.iter().enumerate() {
            let winner = self.winners.get(at).copied().flatten();
            if switches && winner.is_none() {
                continue;
            }
            let &Item { state, arity, .. } = item;
            self.found.clear();
            match self.reference.as_ref().filter(|_| forced) {
                Some(reference) => {
                    self.options.of_state_among(
                        state,
                        arity,
                        class,
                        winner,
                        |word| reference.has(word),
                        &mut self.found,
                    );
                }
                None => self.options.of_state(state, arity, class, winner, &mut self.found),
            }
            let mut tails = [0..0, 0..0];
            for (range, &group) in tails.iter_mut().zip(&item.gaps[..usize::from(arity)]) {
                *range = self.arena.inner(group);
            }
            for options in self.found.drain(..) {
                self.cubes.push(Cube { options, tails: tails.clone(), input: item.input, kind: Kind::Inside });
            }
        }
    }

    /// Lets each component normalise its scores over the rules of the cell; what is taken first depends on those.
    fn normalise(&mut self) {
        let components = self.options.scorer().components().len();
        let mut sums = vec![f64::NEG_INFINITY; components];
        for cube in &self.cubes {
            for number in cube.options.clone() {
                let option = self.options.get(number);
                let spoken = self.options.spoken(option);
                for (m, sum) in sums.iter_mut().enumerate().filter(|(m, _)| spoken >> m & 1 == 1) {
                    *sum = log_add(*sum, f64::from(self.options.parts(option)[m]));
                }
            }
        }
        let shift: Vec<f32> = sums.iter().map(|&sum| if sum.is_finite() { sum as f32 } else { 0.0 }).collect();
        for at in 0..self.cubes.len() {
            self.cubes[at].options = self.options.handicapped(self.cubes[at].options.clone(), &shift);
        }
    }

    /// Whether a rule over a span may have these gaps.
    fn nests(&self, input: &Input, [begin, end]: [usize; 2], gaps: &[u32]) -> bool {
        gaps.iter().all(|&group| {
            let [from, to] = self.arena.get(self.arena.sorted(self.arena.all(group).start)).span;
            input.bounds().nest_gap(begin as u32..end as u32, from..to)
        })
    }

    /// Fills the cell of a span that no rule may cover with the translations that come with the input.
    fn fill_given(&mut self, input: &Input, begin: usize, end: usize) {
        self.cubes.clear();
        self.offer_given(input, begin, end);
        let groups = self.take(begin, end, self.settings.shallow);
        self.matcher.complete_cell(begin, end, groups);
    }

    fn offer_given(&mut self, input: &Input, begin: usize, end: usize) {
        let class = self.options.scorer().class(end - begin);
        for span in input.given().between(begin, end) {
            let options = self.options.given(input, span, class);
            self.cubes.push(Cube { options, tails: [0..0, 0..0], input: 0.0, kind: Kind::Inside });
        }
    }

    /// Fills the cell of a span from its cubes; returns the groups of its hypotheses.
    fn take(&mut self, begin: usize, end: usize, shallow: Option<u8>) -> Range<u32> {
        let span = [begin as u32, end as u32];
        let first = self.arena.hypotheses();
        let (by_depth, keep) = (shallow.is_some(), self.settings.keep_edges);
        let cell = Cell { span, limit: self.pop_limit(), by_depth, keep };
        self.effort.cells += 1;
        self.effort.cubes += self.cubes.len() as u64;
        self.scored.clear();
        let (cubes, options, arena, scored) = (&self.cubes, &self.options, &mut self.arena, &mut self.scored);
        if let Some(reference) = &mut self.reference {
            reference.take_all(cubes, options, arena, cell);
            return self.arena.group_from(first, shallow.unwrap_or(u8::MAX));
        }
        if let Some((forest, policy)) = &mut self.bundles {
            forest.take(cubes, options, policy, (arena, scored), cell, &mut self.effort);
            return self.arena.group_from(first, shallow.unwrap_or(u8::MAX));
        }
        if let Some(promise) = self.promise {
            passes::take_all(cubes, options, arena, scored, cell, promise);
            return self.arena.group_from(first, shallow.unwrap_or(u8::MAX));
        }
        match self.settings.search {
            CellSearch::Cube => self.filler.fill(cubes, options, arena, scored, cell, &mut self.effort),
            CellSearch::Boundary => self.refiner.fill(cubes, options, arena, scored, cell, &mut self.effort),
        }
        self.arena.group_from(first, shallow.unwrap_or(u8::MAX))
    }

    /// Puts translations of at most `longest` positions together to sequences from the beginning of the sentence (glue).
    fn join(&mut self, input: &Input, longest: usize) {
        let last = input.last();
        let closed = input.bounds().closed(|begin, end| !self.matcher.cell(begin, end).is_empty());
        let mut sequences: Vec<u32> = vec![NO_GROUP; last + 1];
        for end in (1..=last).filter(|&end| !closed.get(end).is_some_and(|&is| is)) {
            self.cubes.clear();
            let kind = if end == last { Kind::Whole } else { Kind::Beginning };
            let [first, next] = self.glue[self.options.scorer().class(end)];
            for group in self.matcher.cell(0, end) {
                let tails = [self.arena.all(group), 0..0];
                self.cubes.push(Cube { options: first..first + 1, tails, input: 0.0, kind });
            }
            let nearest = end.saturating_sub(longest).max(1);
            let sequences_before = sequences.iter().enumerate().take(end).skip(nearest);
            for (middle, &before) in sequences_before.filter(|(_, group)| **group != NO_GROUP) {
                for group in self.matcher.cell(middle, end) {
                    let tails = [self.arena.all(before), self.arena.all(group)];
                    self.cubes.push(Cube { options: next..next + 1, tails, input: 0.0, kind });
                }
            }
            sequences[end] = self.take(0, end, None).next().unwrap_or(NO_GROUP);
        }
        let best = sequences.last().filter(|_| last > 0).filter(|&&group| group != NO_GROUP);
        self.goal = best.and_then(|&group| self.arena.all(group).next()).map(|place| self.arena.sorted(place));
    }

    /// What decoding the last input took.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The translation options.
    pub(super) fn options(&self) -> &Options<'m> {
        &self.options
    }

    /// The translation options, to be changed.
    pub(super) fn options_mut(&mut self) -> &mut Options<'m> {
        &mut self.options
    }
}

impl Search for ChartDecoder<'_> {
    fn expect(&mut self, inputs: &[&Input]) -> Result<()> {
        self.options.expect(inputs)
    }

    fn decode(&mut self, input: &Input) -> Result<()> {
        Self::decode(self, input)
    }

    fn best(&self) -> Option<(String, f32)> {
        Self::best(self)
    }

    fn forest(&self, input: &Input) -> Result<Forest> {
        Self::forest(self, input)
    }

    fn force(&mut self, input: &Input, reference: &str) -> Result<Forest> {
        check_reference(reference)?;
        Self::force(self, input, reference)
    }

    fn context_free(&mut self, input: &Input) -> Result<Forest> {
        Self::context_free(self, input)
    }

    fn effort(&self) -> Effort {
        Self::effort(self)
    }
}

impl Strategy for ChartSettings {
    fn search<'m>(&self, model: &'m Model, scorer: &'m Scorer) -> Result<Box<dyn Search + 'm>> {
        self.check()?;
        Ok(Box::new(ChartDecoder::new(model, scorer, self.clone())))
    }

    fn keeping_alternatives(&self) -> Box<dyn Strategy> {
        Box::new(Self { keep_edges: true, ..self.clone() })
    }
}

/// The category of sequences of translations, in forests.
pub const SEQUENCE: &str = "S";
