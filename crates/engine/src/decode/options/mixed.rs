//! Options that components of an ensemble make together: rules with the same source and target side are one option,
//! whose score is the mixture of what each component says of it (Razmara 2013, section 2.3).

use std::ops::Range;

use hashbrown::HashTable;

use super::{LN_10, Options, Origin, Said, Spoken};
use crate::decode::model::Model;
use crate::grammar::Symbol;
use crate::grammar::source::RuleList;

/// No score: the component does not have the rule.
const SILENT: f32 = f32::NEG_INFINITY;

/// The rules of a source side while those of all components come together; it keeps its memory.
#[derive(Debug, Default)]
pub struct Gathered {
    symbols: Vec<Symbol>,
    /// For each rule its category and its target side.
    rules: Vec<(u8, Range<u32>)>,
    /// For each rule and component the score, or [`SILENT`], and the source and the number there.
    scores: Vec<f32>,
    places: Vec<(u32, u32)>,
    known: HashTable<u32>,
    /// Whether a component has a rule twice, as tables of other makers may.
    pub(super) doubled: bool,
    /// Rules that may become options.
    kept: Vec<bool>,
    order: Vec<u32>,
    /// What all voices of a table say of its rules.
    voices: Vec<f32>,
}

/// The components of a model whose sources are the voices of one table.
#[derive(Debug)]
pub struct Chorus {
    /// The weights of the features of each voice; 0 for those that are nobody's.
    weights: Vec<f32>,
    /// For each voice its source and its component, if it has one.
    sources: Vec<Option<[u32; 2]>>,
}

impl Chorus {
    /// What asks them all at once, if there are several components and each has one source.
    pub fn new(model: &Model, weights: &[Vec<f32>]) -> Option<Self> {
        let sources = model.sources();
        let trie = sources[0].source.trie()?;
        let [_, voices] = sources[0].source.voice()?;
        let width = sources[0].source.feature_names().len();
        if sources.len() < 2 || sources.len() != model.components() {
            return None;
        }
        let mut made = Self { weights: vec![0.0; voices * width], sources: vec![None; voices] };
        for (at, part) in (0..).zip(sources) {
            let [voice, _] = part.source.voice().filter(|_| part.source.trie() == Some(trie))?;
            if made.sources[voice].replace([at, part.component]).is_some() {
                return None;
            }
            let own = &weights[part.component as usize][part.first_feature..][..width];
            made.weights[voice * width..][..width].copy_from_slice(own);
        }
        Some(made)
    }
}

impl Gathered {
    /// For each rule what each component says of it, minus infinity if it does not have it.
    pub(super) fn scores(&self) -> &[f32] {
        &self.scores
    }

    /// The rules that may become options, each with its category and its target side.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, u8, &[Symbol])> {
        let kept = (0..self.rules.len()).filter(|&rule| self.kept[rule]);
        kept.map(|rule| (rule, self.rules[rule].0, self.target(rule as u32)))
    }

    pub(super) fn clear(&mut self) {
        self.symbols.clear();
        self.rules.clear();
        self.scores.clear();
        self.places.clear();
        self.known.clear();
        self.doubled = false;
    }

    fn target(&self, rule: u32) -> &[Symbol] {
        let target = &self.rules[rule as usize].1;
        &self.symbols[target.start as usize..target.end as usize]
    }

    /// The number of a new rule whose target side was added to the symbols from a place on.
    fn add(&mut self, lhs: u8, from: u32, components: usize) -> usize {
        let new = self.rules.len();
        self.rules.push((lhs, from..self.symbols.len() as u32));
        self.scores.resize((new + 1) * components, SILENT);
        self.places.resize((new + 1) * components, (0, 0));
        new
    }

    /// The number of the rule whose target side was added to the symbols from a place on, which may be known.
    fn number(&mut self, lhs: u8, from: u32, components: usize) -> usize {
        let hash = hash(lhs, &self.symbols[from as usize..]);
        let own = &self.symbols[from as usize..];
        let same = |&other: &u32| self.rules[other as usize].0 == lhs && self.target(other) == own;
        if let Some(&known) = self.known.find(hash, same) {
            self.symbols.truncate(from as usize);
            return known as usize;
        }
        let new = self.add(lhs, from, components);
        let (rules, symbols) = (&self.rules, &self.symbols);
        self.known.insert_unique(hash, new as u32, |&other| {
            let (lhs, target) = &rules[other as usize];
            self::hash(*lhs, &symbols[target.start as usize..target.end as usize])
        });
        new
    }
}

fn hash(lhs: u8, symbols: &[Symbol]) -> u64 {
    let mixed = symbols.iter().fold(u64::from(lhs), |hash, symbol| {
        let value = symbol.as_word().map_or_else(|| !u64::from(symbol.as_nonterminal().unwrap_or(0)), u64::from);
        (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mixed ^ mixed >> 32
}

impl Options<'_> {
    /// Makes the options of a source side with so many gaps that the components of a voice have together: of each
    /// component its best, as many as the limit. A rule of one component's best has the scores of all that know it.
    pub(super) fn make_mixed(
        &mut self,
        voice: usize,
        state: u32,
        arity: u8,
        limit: usize,
        passes: impl Fn(u32) -> bool,
    ) -> Range<u32> {
        let classes = self.scorer.classes();
        let members = self.scorer.plan().parts[voice / classes][voice % classes].members();
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.clear();
        self.gather(&mut gathered, members, state, arity, passes);
        self.keep_best(&mut gathered, limit.saturating_mul(4));
        let start = self.options.len() as u32;
        let first_state = self.states.len();
        let first_part = self.parts.len();
        let (components, words_at, rules_at) =
            (self.scorer.components().len(), self.model.own().words, self.model.own().rules);
        let absent = if self.scorer.silences(voice) { SILENT } else { self.scorer.absent() };
        let mut parts = vec![0.0_f32; components];
        for rule in (0..gathered.rules.len()).filter(|&rule| gathered.kept[rule]) {
            let scores = &gathered.scores[rule * components..][..components];
            let target = gathered.target(rule as u32);
            let words = (target.len() - usize::from(arity)) as f32;
            for (m, part) in parts.iter_mut().enumerate().filter(|(m, _)| members >> m & 1 == 1) {
                *part = scores[m];
                if scores[m] == SILENT {
                    let weights = self.scorer.components()[m].values();
                    *part = absent + words * weights[words_at] + weights[rules_at];
                }
            }
            let from = self.symbols.len() as u32;
            self.symbols.extend_from_slice(target);
            let (origin, spoken) = self.note(&gathered, rule);
            self.push(origin, gathered.rules[rule].0, from, Said::Parts(&parts, spoken), voice);
        }
        self.gathered = gathered;
        let union = if limit < usize::MAX { self.scorer.plan().union_limit } else { 0 };
        let made = &mut self.options[start as usize..];
        made.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        // A veto leaves nothing of a rule.
        if made.len() > limit || union > 0 || made.iter().any(|option| option.score == f32::NEG_INFINITY) {
            let mut made = self.options.split_off(start as usize);
            made.retain(|option| option.score > f32::NEG_INFINITY);
            if made.len() > limit {
                self.cut(&mut made, limit);
            }
            made.truncate(if union > 0 { union } else { usize::MAX });
            self.options.append(&mut made);
            self.compact(start, first_state);
            self.compact_parts(start, first_part);
        }
        start..self.options.len() as u32
    }

    /// Notes who has a gathered rule.
    pub(super) fn note(&mut self, gathered: &Gathered, rule: usize) -> (Origin, u64) {
        let components = self.scorer.components().len();
        let own = rule * components..(rule + 1) * components;
        let first = self.rules_of.len() as u32;
        let mut spoken = 0_u64;
        for (m, (score, place)) in gathered.scores[own.clone()].iter().zip(&gathered.places[own]).enumerate() {
            if *score > SILENT {
                spoken |= 1 << m;
                self.rules_of.push(*place);
            }
        }
        self.spoken.push(Spoken { components: spoken, rules: first..self.rules_of.len() as u32 });
        (Origin::Mixed(self.spoken.len() as u32 - 1), spoken)
    }

    /// Brings the rules of all sources of some components together.
    pub(super) fn gather(
        &mut self,
        gathered: &mut Gathered,
        members: u64,
        state: u32,
        arity: u8,
        passes: impl Fn(u32) -> bool,
    ) {
        let components = self.scorer.components().len();
        let mut listed: RuleList = std::mem::take(&mut self.listed);
        if let Some(chorus) = self.chorus.take() {
            self.gather_chorus(&chorus, gathered, members, state, arity, &passes, &mut listed);
            self.chorus = Some(chorus);
            self.listed = listed;
            return;
        }
        self.walks.warm(state);
        for source in 0..self.walks.sources() {
            let part = &self.model.sources()[source as usize];
            let own = self.walks.part(state, source).filter(|_| members >> part.component & 1 == 1);
            let Some(own) = own else { continue };
            self.list(source, own, u32::from(arity), &mut listed);
            for one in &listed.rules {
                let from = gathered.symbols.len();
                gathered.symbols.extend(listed.target(one).iter().map(|&symbol| part.target_symbol(symbol)));
                let own = &gathered.symbols[from..];
                if !own.iter().all(|symbol| symbol.as_word().is_none_or(&passes)) {
                    gathered.symbols.truncate(from);
                    continue;
                }
                let number = gathered.number(part.category(one.lhs), from as u32, components);
                let at = number * components + part.component as usize;
                gathered.doubled |= gathered.scores[at] > SILENT;
                // Of several tables of a component the one that thinks best of a rule speaks.
                if one.score > gathered.scores[at] {
                    gathered.scores[at] = one.score;
                    gathered.places[at] = (source, one.rule);
                }
            }
        }
        self.listed = listed;
    }

    /// Brings the rules of all voices of a table together.
    #[allow(clippy::too_many_arguments)]
    fn gather_chorus(
        &mut self,
        chorus: &Chorus,
        gathered: &mut Gathered,
        members: u64,
        state: u32,
        arity: u8,
        passes: impl Fn(u32) -> bool,
        listed: &mut RuleList,
    ) {
        let (components, own) = (self.scorer.components().len(), self.model.own());
        let Some(at) = self.walks.part(state, 0) else { return };
        let mut scores = std::mem::take(&mut gathered.voices);
        listed.clear();
        scores.clear();
        self.walks.walk_mut(0).chorus(at, usize::from(arity), &chorus.weights, listed, &mut scores);
        let part = &self.model.sources()[0];
        for (one, scores) in listed.rules.iter().zip(scores.chunks_exact(chorus.sources.len())) {
            let from = gathered.symbols.len();
            gathered.symbols.extend(listed.target(one).iter().map(|&symbol| part.target_symbol(symbol)));
            let target = &gathered.symbols[from..];
            let spoken = || chorus.sources.iter().zip(scores).filter(|(_, score)| **score > SILENT);
            if !target.iter().all(|symbol| symbol.as_word().is_none_or(&passes))
                || !spoken().any(|(source, _)| source.is_some_and(|[_, m]| members >> m & 1 == 1))
            {
                gathered.symbols.truncate(from);
                continue;
            }
            let words = (target.len() - usize::from(arity)) as f32;
            // Tables of voices are made by extraction and by joining, which have each rule once.
            let number = gathered.add(part.category(one.lhs), from as u32, components);
            for (source, score) in spoken() {
                let Some([source, m]) = source.filter(|[_, m]| members >> m & 1 == 1) else { continue };
                let at = number * components + m as usize;
                let weights = &self.static_weights[m as usize];
                gathered.scores[at] = score + words * weights[own.words] + weights[own.rules];
                gathered.places[at] = (source, one.rule);
            }
        }
        gathered.voices = scores;
    }

    /// Keeps the best rules of each component, so many of each.
    pub(super) fn keep_best(&self, gathered: &mut Gathered, most: usize) {
        let (count, components) = (gathered.rules.len(), self.scorer.components().len());
        gathered.kept.clear();
        gathered.kept.resize(count, false);
        if count <= most {
            gathered.kept.fill(true);
            return;
        }
        for m in 0..components {
            let mut order = std::mem::take(&mut gathered.order);
            order.clear();
            let of = |rule: u32| gathered.scores[rule as usize * components + m];
            order.extend((0..count as u32).filter(|&rule| of(rule) > SILENT));
            if order.len() > most {
                order.select_nth_unstable_by(most, |&a, &b| of(b).total_cmp(&of(a)).then(a.cmp(&b)));
                order.truncate(most);
            }
            order.iter().for_each(|&rule| gathered.kept[rule as usize] = true);
            gathered.order = order;
        }
    }

    /// Keeps of the options made those that are among the best of a component, by what it says of them with language models.
    pub(super) fn cut(&self, made: &mut Vec<super::TranslationOption>, limit: usize) {
        let mut kept = vec![false; made.len()];
        for (m, component) in self.scorer.components().iter().enumerate() {
            let mut order: Vec<(f32, usize)> = Vec::new();
            for (at, option) in made.iter().enumerate().filter(|(_, option)| self.spoken(option) >> m & 1 == 1) {
                let lms = self.model.lms().iter().enumerate();
                let said = lms.map(|(lm, part)| self.lm_score(option, lm) * LN_10 * component.values()[part.feature]);
                order.push((self.parts(option)[m] + said.sum::<f32>(), at));
            }
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            order.iter().take(limit).for_each(|&(_, at)| kept[at] = true);
        }
        let mut at = 0..;
        made.retain(|_| at.next().is_some_and(|at: usize| kept[at]));
    }

    /// Keeps of the parts from `first` on those that options from `start` on refer to.
    pub(super) fn compact_parts(&mut self, start: u32, first: usize) {
        let components = self.scorer.components().len();
        let parts = self.parts.split_off(first);
        for option in &mut self.options[start as usize..] {
            let old = option.parts as usize - first;
            option.parts = self.parts.len() as u32;
            self.parts.extend_from_slice(&parts[old..old + components]);
        }
    }

    /// The same options with other beliefs about what is worth taking first: each component's scores are normalised over the
    /// rules of a cell, which `shift` has the logarithms of the sums of. Their scores stay (span-wise normalisation, Razmara
    /// 2013, section 2.3.3).
    pub fn handicapped(&mut self, options: Range<u32>, shift: &[f32]) -> Range<u32> {
        let start = self.options.len();
        for number in options {
            let mut option = self.options[number as usize].clone();
            let parts: Vec<f32> = self.parts(&option).iter().zip(shift).map(|(part, shift)| part - shift).collect();
            let normal = self.scorer.rule(usize::from(option.voice), &parts, self.spoken(&option));
            option.handicap = normal - option.score;
            self.options.push(option);
        }
        let key = |option: &super::TranslationOption| option.estimate + option.handicap;
        self.options[start..].sort_by(|a, b| key(b).total_cmp(&key(a)));
        start as u32..self.options.len() as u32
    }
}
