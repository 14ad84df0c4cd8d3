//! Translation options: rules as search sees them, scored once and kept.
//!
//! Where a source's rules stay true, the options of a source side are made the first time it matches and kept from one
//! sentence to the next: the weighted score of its own features, the language models' estimate of its words, and, for
//! rules of words only, the language models' states.

mod features;
mod heard;
mod mixed;
mod other;
mod pool;
mod rivals;

use std::cell::OnceCell;
use std::ops::Range;

use hashbrown::HashMap;

use super::input::Input;
use super::model::{Model, Reordering, Weights};
use super::scorer::Scorer;
use super::walks::Walks;
use crate::Result;
use crate::forest::mixture::ALL;
use crate::grammar::source::{Asked, RuleList};
use crate::grammar::table::MOST_ARITY;
use crate::grammar::{Symbol, Walk};
use crate::lm::state::Fragment;

/// log10 to natural logarithms.
pub const LN_10: f32 = std::f32::consts::LN_10;

/// Where an option comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A rule of a source: which source, which rule.
    Rule(u32, u32),
    /// A rule that components of an ensemble have, by its number; see [`Options::spoken`].
    Mixed(u32),
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
    /// Its place among the states: for each language model those of the words before, between and behind its gaps. Glue has
    /// none.
    pub state: u32,
    /// How what language models add becomes a part of its score; see [`Scorer::voice`].
    pub voice: u16,
    /// The first of its parts, if the model has several components; see [`Options::parts`].
    pub parts: u32,
    /// What is added to its score where it is decided what is taken first.
    pub handicap: f32,
}

/// Who has a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The components, a bit for each.
    pub components: u64,
    /// Its sources and its numbers in them, in [`Options::rules_of`].
    rules: Range<u32>,
}

/// What is known of an option's score: all, or what each component says of it.
#[derive(Debug, Clone, Copy)]
enum Said<'a> {
    Score(f32),
    Parts(&'a [f32], u64),
}

/// No states are kept.
pub const NO_STATE: u32 = u32::MAX;
/// Options to keep from one sentence to the next.
const MOST_KEPT: usize = 200_000;
/// Numbers of gaps that a source side may have.
const ARITIES: u32 = MOST_ARITY as u32 + 1;

/// The options of one worker.
pub struct Options<'m> {
    model: &'m Model,
    scorer: &'m Scorer,
    weights: &'m Weights,
    /// For each component the weights of what rules score on their own: those of orientations are 0.
    static_weights: Vec<Vec<f32>>,
    /// Most options of one source side.
    limit: usize,
    /// Most words that rules cover.
    span: usize,
    options: Vec<TranslationOption>,
    symbols: Vec<Symbol>,
    /// For each place what language models remember, made when it is first asked for: most options are never tried.
    states: Vec<OnceCell<Box<[Fragment]>>>,
    /// For each option the score of each component, language models left out; empty if there is one component.
    parts: Vec<f32>,
    /// For each place and language model log10 of the probability of the words.
    lm: Vec<f32>,
    /// Room for the ids of words, and where runs of them end.
    ids: Vec<u32>,
    ends: Vec<usize>,
    /// The options of source sides: by source and number of gaps, and by the source's state.
    ranges: HashMap<(u32, u32), Range<u32>>,
    /// Those that components make together: by voice and number of gaps, and by the state of all sources.
    mixed_ranges: HashMap<(u32, u32), Range<u32>>,
    spoken: Vec<Spoken>,
    rules_of: Vec<(u32, u32)>,
    gathered: mixed::Gathered,
    /// What the parts of a switch choose their options from, if each is one table.
    pools: Option<pool::Pools>,
    /// What a switch decides by.
    rivals: rivals::Rivals,
    /// The sources of each component.
    sources_of: Vec<Vec<u32>>,
    /// What asks all voices of one table at once, if those are all components.
    chorus: Option<mixed::Chorus>,
    walks: Walks<'m>,
    /// Words of the sentence that the model does not know: their ids follow those of the model.
    copied: Vec<CopiedWord>,
    copied_ids: HashMap<String, u32>,
    /// The weights of the translations that come with the sentence, by number.
    given: Vec<f32>,
    /// How often all options were forgotten, and at how many.
    generation: u64,
    most_kept: usize,
    /// Room for the rules of a source side while its options are made, and for what language models say of one.
    listed: RuleList,
    said: Vec<f32>,
}

/// A word of the sentence that the model does not know.
#[derive(Debug, Clone)]
pub struct CopiedWord {
    text: String,
    /// Each language model's id.
    lm: Vec<u32>,
}

impl<'m> Options<'m> {
    /// No options yet; source sides have at most `limit` of them, and rules cover at most `span` words.
    pub fn new(model: &'m Model, scorer: &'m Scorer, limit: usize, span: usize) -> Self {
        let weights = scorer.joint();
        let mut static_weights: Vec<Vec<f32>> =
            scorer.components().iter().map(|component| component.values().to_vec()).collect();
        for part in model.sources() {
            for column in part.reordering().iter().flat_map(Reordering::columns) {
                for weights in &mut static_weights {
                    weights[part.first_feature + column] = 0.0;
                }
            }
        }
        let mut sources_of = vec![Vec::new(); scorer.components().len()];
        for (source, part) in (0..).zip(model.sources()) {
            sources_of[part.component as usize].push(source);
        }
        Self {
            model,
            scorer,
            weights,
            chorus: mixed::Chorus::new(model, &static_weights),
            static_weights,
            limit: limit.max(1),
            span,
            options: Vec::new(),
            symbols: Vec::new(),
            states: Vec::new(),
            parts: Vec::new(),
            lm: Vec::new(),
            ids: Vec::new(),
            ends: Vec::new(),
            ranges: HashMap::new(),
            mixed_ranges: HashMap::new(),
            spoken: Vec::new(),
            rules_of: Vec::new(),
            gathered: mixed::Gathered::default(),
            pools: pool::pools(scorer, &sources_of),
            rivals: rivals::Rivals::new(scorer.plan().parts.len()),
            sources_of,
            walks: Walks::new(model),
            copied: Vec::new(),
            copied_ids: HashMap::new(),
            given: Vec::new(),
            generation: 0,
            most_kept: MOST_KEPT,
            listed: RuleList::default(),
            said: Vec::new(),
        }
    }

    /// Is told of inputs to come, for sources to which that helps.
    ///
    /// # Errors
    /// Rules that cannot be made for them.
    pub fn expect(&mut self, inputs: &[&Input]) -> Result<()> {
        let words: Vec<Vec<Option<u32>>> = inputs.iter().map(|input| self.ids(input)).collect();
        let each = inputs.iter().zip(&words).map(|(input, words)| asked(input, words, self.span));
        let sentences: Vec<Asked<'_>> = each.collect();
        self.walks.expect(&sentences)
    }

    /// The model's ids of the words of an input.
    fn ids(&self, input: &Input) -> Vec<Option<u32>> {
        input.words().iter().map(|word| self.model.source_words().find(word)).collect()
    }

    /// Makes room for a new sentence. Gives the model's ids of its words, `None` for those that no source knows.
    ///
    /// # Errors
    /// Rules that cannot be made for it.
    pub fn begin_sentence(&mut self, input: &Input) -> Result<Vec<Option<u32>>> {
        self.copied.clear();
        self.copied_ids.clear();
        self.given.clear();
        if self.options.len() > self.most_kept {
            self.forget();
        }
        let words = self.ids(input);
        let ranges = &mut self.ranges;
        let gone = |source: u32| ranges.retain(|&(key, _), _| key / ARITIES != source);
        if self.walks.begin(asked(input, &words, self.span), gone)? {
            self.mixed_ranges.clear();
            self.rivals.forget();
            self.pools.iter_mut().for_each(HashMap::clear);
        }
        Ok(words)
    }

    /// Forgets all options.
    pub fn forget(&mut self) {
        self.generation += 1;
        self.options.clear();
        self.symbols.clear();
        self.states.clear();
        self.parts.clear();
        self.lm.clear();
        self.ranges.clear();
        self.mixed_ranges.clear();
        self.spoken.clear();
        self.rules_of.clear();
        self.rivals.forget();
        self.pools.iter_mut().for_each(HashMap::clear);
    }

    /// Forgets no option from now on unless it is told to, so that what refers to them stays.
    pub fn keep_all(&mut self) {
        self.most_kept = usize::MAX;
    }

    /// About how many bytes all options have; what language models remember of those that were tried is more.
    pub fn bytes(&self) -> usize {
        let each = size_of::<TranslationOption>() + size_of::<OnceCell<Box<[Fragment]>>>();
        self.options.len() * each + size_of_val(&self.symbols[..]) + size_of_val(&self.lm[..])
    }

    /// The words of the sentence that the model does not know, to be set aside.
    pub fn copied(&self) -> Vec<CopiedWord> {
        self.copied.clone()
    }

    /// Takes words that were set aside, for options of that sentence.
    pub fn set_copied(&mut self, copied: &[CopiedWord]) {
        self.copied.clear();
        self.copied.extend_from_slice(copied);
        self.copied_ids.clear();
    }

    /// How often all options were forgotten: what is known of an option by its number holds until then.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The walk through the sources.
    #[inline]
    pub fn walks(&mut self) -> &mut Walks<'m> {
        &mut self.walks
    }

    /// The walk through one source.
    pub fn walk(&self, source: u32) -> &(dyn Walk + 'm) {
        self.walks.walk(source)
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

    /// Appends the options of a source side with so many gaps, for a span of a class: those that an ensemble makes together
    /// or, of a component alone, those of each source that has it; best first, at most as many as the limit of each
    /// component; ties in the source's order. Of an ensemble that switches, those of the part `wanted`.
    #[inline]
    pub fn of_state(&mut self, state: u32, arity: u8, class: usize, wanted: Option<u32>, found: &mut Vec<Range<u32>>) {
        let part = wanted.unwrap_or(0) as usize;
        let voice = self.scorer.part_voice(part, class);
        match self.scorer.plan().parts[part][class].only() {
            Some(component) => {
                for at in 0..self.sources_of[component as usize].len() {
                    let source = self.sources_of[component as usize][at];
                    if let Some(own) = self.walks.part(state, source) {
                        let key = (source * ARITIES + u32::from(arity), own);
                        let range = match self.ranges.get(&key) {
                            Some(range) => range.clone(),
                            None => match self.pool_of(state, arity) {
                                Some(pool) => self.make_of_pool(component, pool, key, voice),
                                None => self.make(source, own, key, voice),
                            },
                        };
                        found.push(range);
                    }
                }
            }
            None => {
                let key = (voice as u32 * ARITIES + u32::from(arity), state);
                let range = match self.mixed_ranges.get(&key) {
                    Some(range) => range.clone(),
                    None => {
                        let made = self.make_mixed(voice, state, arity, self.limit, |_| true);
                        self.mixed_ranges.insert(key, made.clone());
                        made
                    }
                };
                if !range.is_empty() {
                    found.push(range);
                }
            }
        }
    }

    /// Makes the options of a source's state.
    fn make(&mut self, source: u32, own: u32, key: (u32, u32), voice: usize) -> Range<u32> {
        let part = &self.model.sources()[source as usize];
        let (start, first_state) = (self.options.len() as u32, self.states.len());
        let mut listed = std::mem::take(&mut self.listed);
        self.list(source, own, key.0 % ARITIES, &mut listed);
        // Only the best by their own features are worth asking the language models about.
        let most = self.limit.saturating_mul(4);
        if listed.rules.len() > most {
            listed.rules.select_nth_unstable_by(most, |a, b| b.score.total_cmp(&a.score).then(a.rule.cmp(&b.rule)));
            listed.rules.truncate(most);
            listed.rules.sort_unstable_by_key(|one| one.rule);
        }
        for one in &listed.rules {
            let from = self.symbols.len() as u32;
            self.symbols.extend(listed.target(one).iter().map(|&symbol| part.target_symbol(symbol)));
            let origin = Origin::Rule(source, one.rule);
            self.push_unheard(origin, part.category(one.lhs), from, Said::Score(one.score), voice);
        }
        self.listed = listed;
        self.hear_from(start as usize);
        let made = &mut self.options[start as usize..];
        made.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        let end = start + (made.len().min(self.limit)) as u32;
        if self.options.len() > end as usize {
            self.options.truncate(end as usize);
            self.compact(start, first_state);
        }
        self.ranges.insert(key, start..end);
        start..end
    }

    /// Appends the options of a source side with so many gaps whose words pass, all of them, in the sources' order; see
    /// [`Options::of_state`].
    pub fn of_state_among(
        &mut self,
        state: u32,
        arity: u8,
        class: usize,
        wanted: Option<u32>,
        passes: impl Fn(u32) -> bool,
        found: &mut Vec<Range<u32>>,
    ) {
        let part = wanted.unwrap_or(0) as usize;
        let voice = self.scorer.part_voice(part, class);
        let Some(component) = self.scorer.plan().parts[part][class].only() else {
            found.push(self.make_mixed(voice, state, arity, usize::MAX, &passes));
            return;
        };
        let mut listed = std::mem::take(&mut self.listed);
        for at in 0..self.sources_of[component as usize].len() {
            let source = self.sources_of[component as usize][at];
            let Some(own) = self.walks.part(state, source) else { continue };
            let known = &self.model.sources()[source as usize];
            let start = self.options.len() as u32;
            self.list(source, own, u32::from(arity), &mut listed);
            for one in &listed.rules {
                let target = listed.target(one).iter().map(|&symbol| known.target_symbol(symbol));
                if target.clone().all(|symbol| symbol.as_word().is_none_or(&passes)) {
                    let from = self.symbols.len() as u32;
                    self.symbols.extend(target);
                    let origin = Origin::Rule(source, one.rule);
                    self.push(origin, known.category(one.lhs), from, Said::Score(one.score), voice);
                }
            }
            found.push(start..self.options.len() as u32);
        }
        self.listed = listed;
    }

    /// Lists the rules of a source's state, with the weighted features that do not depend on other rules.
    fn list(&mut self, source: u32, own: u32, arity: u32, listed: &mut RuleList) {
        let part = &self.model.sources()[source as usize];
        let features = self.model.own();
        let weights = &self.static_weights[part.component as usize];
        let sparse_weights = &self.scorer.components()[part.component as usize];
        listed.clear();
        self.walks.walk_mut(source).rules(own, arity as usize, &weights[part.first_feature..], listed);
        let mut sparse = Vec::new();
        for at in 0..listed.rules.len() {
            let words = listed.target(&listed.rules[at]).len() - arity as usize;
            let one = &mut listed.rules[at];
            one.score = one.score + words as f32 * weights[features.words] + weights[features.rules];
            if sparse_weights.has_sparse() {
                sparse.clear();
                self.model.sparse().of_rule(source, part, one.rule, &mut sparse);
                one.score += sparse_weights.weigh(&sparse);
            }
        }
    }

    /// Adds an option with what language models say of its words.
    fn push(&mut self, origin: Origin, lhs: u8, from: u32, said: Said<'_>, voice: usize) {
        self.push_unheard(origin, lhs, from, said, voice);
        self.hear_from(self.options.len() - 1);
    }

    /// Adds an option of which language models have yet to be asked; see [`Options::hear_from`].
    fn push_unheard(&mut self, origin: Origin, lhs: u8, from: u32, said: Said<'_>, voice: usize) {
        let target = from..self.symbols.len() as u32;
        let symbols = &self.symbols[from as usize..];
        let arity = symbols.iter().filter(|symbol| symbol.is_nonterminal()).count() as u8;
        let score = match said {
            Said::Score(score) => score,
            Said::Parts(parts, spoken) => self.scorer.rule(voice, parts, spoken),
        };
        let swapped = symbols.iter().find_map(|symbol| symbol.as_nonterminal()) == Some(1);
        let gap = |at: usize| symbols.get(at).is_some_and(|symbol| symbol.is_nonterminal());
        let joins: u8 = (1..symbols.len()).map(|at| u8::from(gap(at)) + u8::from(gap(at - 1))).sum();
        let joins = joins + u8::from(origin == Origin::GlueFirst);
        let glue = matches!(origin, Origin::GlueFirst | Origin::GlueNext);
        let state = if glue { NO_STATE } else { self.states.len() as u32 };
        if !glue {
            self.states.push(OnceCell::new());
            self.lm.resize(self.lm.len() + self.model.lms().len(), 0.0);
        }
        let parts = self.parts.len() as u32;
        if let Said::Parts(said, _) = said {
            self.parts.extend_from_slice(said);
        }
        self.options.push(TranslationOption {
            origin,
            lhs,
            arity,
            swapped,
            joins,
            target,
            score,
            estimate: score,
            state,
            voice: voice as u16,
            parts,
            handicap: 0.0,
        });
    }

    /// The score of an option by each component, language models left out.
    #[inline]
    pub fn parts(&self, option: &TranslationOption) -> &[f32] {
        &self.parts[option.parts as usize..][..self.scorer.components().len()]
    }

    /// The score of an edge: an option with what language models say of the words that it adds, log10, and the score of the
    /// input's arcs.
    pub fn edge_score(&self, option: &TranslationOption, lm: &[f32], input: f32) -> f32 {
        match self.scorer.linear(usize::from(option.voice), input) {
            Some(weights) => {
                let said = self.model.lms().iter().zip(lm).map(|(lm, prob)| prob * LN_10 * weights[lm.feature]);
                option.score + input * weights[self.model.own().input] + said.sum::<f32>()
            }
            None => {
                let (parts, spoken) = (self.parts(option), self.spoken(option));
                self.scorer.edge(usize::from(option.voice), parts, spoken, lm, input)
            }
        }
    }

    /// The score of an option with the score of the input's arcs, language models left out.
    #[inline]
    pub fn bare_score(&self, option: &TranslationOption, input: f32) -> f32 {
        match self.scorer.linear(usize::from(option.voice), input) {
            Some(weights) => option.score + input * weights[self.model.own().input],
            None if input == 0.0 => option.score,
            None => self.edge_score(option, &vec![0.0; self.model.lms().len()], input),
        }
    }

    /// Who has the rule of an option: everybody has glue, copied words and given translations.
    pub fn spoken(&self, option: &TranslationOption) -> u64 {
        match option.origin {
            Origin::Rule(source, _) => 1 << self.model.sources()[source as usize].component,
            Origin::Mixed(number) => self.spoken[number as usize].components,
            _ => ALL,
        }
    }

    /// The sources that an option comes from, each with the number of the rule there.
    pub fn rules_of(&self, origin: Origin) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (one, more) = match origin {
            Origin::Rule(source, rule) => (Some((source, rule)), 0..0),
            Origin::Mixed(number) => (None, self.spoken[number as usize].rules.clone()),
            _ => (None, 0..0),
        };
        one.into_iter().chain(self.rules_of[more.start as usize..more.end as usize].iter().copied())
    }

    /// What turns features into scores.
    #[inline]
    pub fn scorer(&self) -> &'m Scorer {
        self.scorer
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The weights of one linear model.
    pub fn weights(&self) -> &'m Weights {
        self.weights
    }

    /// The source side of a rule in the model's categories and, spelled by `word`, any words.
    pub fn source(&self, source: u32, rule: u32, mut word: impl FnMut(&str) -> u32) -> Vec<Symbol> {
        let part = &self.model.sources()[source as usize];
        let mut side = Vec::new();
        self.walk(source).source(rule, &mut side);
        for symbol in &mut side {
            *symbol = match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(own), _) => Symbol::word(word(part.source.source_words().word(own))),
                (_, category) => Symbol::nonterminal(u32::from(part.category(category.unwrap_or(0) as u8))),
            };
        }
        side
    }
}

/// What sources are asked for an input whose words have these ids.
fn asked<'a>(input: &Input, words: &'a [Option<u32>], span: usize) -> Asked<'a> {
    Asked { words, ordered: input.as_sentence().is_some(), span }
}
