//! From counted rules to a table.

use std::path::Path;
use std::time::Instant;

use super::aligned::Aligned;
use super::code::symbols;
use super::covered::Covered;
use super::extract::{Counted, Sums, count};
use super::group::{Grouped, GroupedReader, group};
use super::hiero::ONE;
use super::lexical::WordTable;
use super::marginal::TargetCounts;
use super::settings::{ExtractSettings, Kind, Orientation, ScoreSettings};
use super::significance::Significance;
use super::smoothing::{CountOfCounts, Estimate, Marginal};
use super::{Rule, Symbol, Table, TableBuilder};
use crate::{Error, Result};

/// The features of every extracted rule: log p(f|e), lex(f|e), p(e|f), lex(e|f).
pub const FEATURES: [&str; 4] = ["phrase_fe", "lex_fe", "phrase_ef", "lex_ef"];
/// The features of phrases with orientations.
pub const ORIENTATIONS: [&str; 6] = [
    "reorder_prev_mono",
    "reorder_prev_swap",
    "reorder_prev_other",
    "reorder_next_mono",
    "reorder_next_swap",
    "reorder_next_other",
];
/// The features that say how often a rule was seen, and the largest counts that they fire for.
pub const INDICATORS: [(&str, f64); 4] =
    [("count_1", 1.0), ("count_2", 2.0), ("count_3_5", 5.0), ("count_6_more", f64::INFINITY)];
/// The categories of extracted rules; S is there for the glue rules of decoders.
pub const CATEGORIES: [&str; 2] = ["X", "S"];

/// What making a table found out.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Sentence pairs.
    pub pairs: usize,
    /// Sentence pairs left out because a word is spelled like a special.
    pub skipped: usize,
    /// Occurrences of rules.
    pub occurrences: u64,
    /// Different rules.
    pub counted: u64,
    /// Rules in the table.
    pub kept: u64,
    /// Source sides in the table.
    pub sources: u64,
    /// Whether memory did not suffice.
    pub spilled: bool,
    /// Seconds for extraction, scoring and writing.
    pub seconds: [f64; 3],
}

/// Makes the table of an aligned text in a file, with at most about `memory` bytes.
///
/// # Errors
/// Settings that make no sense, or what the operating system says.
pub fn make_table(
    text: &Aligned,
    extraction: &ExtractSettings,
    scoring: &ScoreSettings,
    memory: usize,
    path: &Path,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Report> {
    let mut report = Report { pairs: text.len(), skipped: text.skipped.len(), ..Report::default() };
    let builder = score(text, extraction, scoring, memory, advance, &mut report)?;
    let start = Instant::now();
    builder.write(path, &text.source, &text.target)?;
    report.seconds[2] = start.elapsed().as_secs_f64();
    Ok(report)
}

/// Makes the table of an aligned text in memory.
///
/// # Errors
/// Settings that make no sense.
pub fn table_of(text: &Aligned, extraction: &ExtractSettings, scoring: &ScoreSettings) -> Result<Table> {
    let builder = score(text, extraction, scoring, 1 << 30, &|_| true, &mut Report::default())?;
    builder.build(&text.source, &text.target)
}

fn score(
    text: &Aligned,
    extraction: &ExtractSettings,
    scoring: &ScoreSettings,
    memory: usize,
    advance: &(dyn Fn(usize) -> bool + Sync),
    report: &mut Report,
) -> Result<TableBuilder> {
    extraction.check()?;
    scoring.check(extraction.counting)?;
    let start = Instant::now();
    let words = WordTable::count(text);
    let Counted { runs, occurrences, spilled } = count(text, extraction, memory, advance)?;
    report.seconds[0] = start.elapsed().as_secs_f64();
    report.occurrences = occurrences;
    report.spilled = spilled;

    let start = Instant::now();
    let orientation = match extraction.kind {
        Kind::Phrase(orientation) => orientation,
        Kind::Hiero => Orientation::None,
    };
    let mut targets = TargetCounts::new(memory / 4);
    let mut counts = CountOfCounts::default();
    let mut covered = Covered::new(scoring.singletons, text.source.len());
    let rules = group(Sums::new(runs)?, orientation, scoring.several, &words, spilled, |rule| {
        counts.add(rule.count);
        covered.add(rule);
        targets.add(rule)
    })?;
    report.counted = rules.len;
    let estimate = Estimate::new(scoring.smoothing, &counts);
    let mut marginals = targets.finish(&estimate)?;
    let mut scorer = Scorer::new(scoring, orientation, &estimate)?;
    if !scoring.exact {
        scorer.sink.quantise();
    }
    scorer.significance = Significance::new(text, scoring.significance);
    scorer.covered = Some(covered);
    scorer.all(GroupedReader::new(rules)?, |_| marginals.next())?;
    report.kept = scorer.sink.len();
    report.sources = scorer.sources;
    report.seconds[1] = start.elapsed().as_secs_f64();
    if scorer.sink.is_empty() {
        return Err(Error::input("no rule is left").hint("lower min_count or raise singletons or max_length"));
    }
    Ok(scorer.sink)
}

/// The names of the features that rules get.
pub(super) fn feature_names(settings: &ScoreSettings, orientation: Orientation) -> Vec<String> {
    let mut names: Vec<String> = FEATURES.map(str::to_owned).into();
    if orientation != Orientation::None {
        names.extend(ORIENTATIONS.map(str::to_owned));
    }
    if settings.indicators {
        names.extend(INDICATORS.map(|(name, _)| name.to_owned()));
    }
    names
}

/// Takes rules in the order of their source sides.
pub(super) trait Sink {
    /// Takes the next rule.
    fn take(&mut self, rule: &Rule<'_>) -> Result<()>;
}

impl Sink for TableBuilder {
    fn take(&mut self, rule: &Rule<'_>) -> Result<()> {
        self.push(rule)
    }
}

/// Turns counted rules into rules with features.
pub(super) struct Scorer<'a, S> {
    settings: &'a ScoreSettings,
    orientation: Orientation,
    estimate: &'a Estimate,
    pub sink: S,
    /// New ids of source and target words, in the same order as the old ones.
    pub renumber: Option<[Vec<u32>; 2]>,
    significance: Option<Significance<'a>>,
    /// The words that need no long rule which was seen once; if not known, all of them.
    covered: Option<Covered>,
    sources: u64,
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<[u8; 2]>,
    features: Vec<f32>,
}

impl<'a> Scorer<'a, TableBuilder> {
    /// Rules for a table.
    pub fn new(settings: &'a ScoreSettings, orientation: Orientation, estimate: &'a Estimate) -> Result<Self> {
        let names = feature_names(settings, orientation);
        let builder = TableBuilder::new(names, CATEGORIES.map(str::to_owned).into())?;
        Ok(Self::into(builder, settings, orientation, estimate))
    }
}

impl<'a, S: Sink> Scorer<'a, S> {
    /// Rules for whoever takes them.
    pub fn into(sink: S, settings: &'a ScoreSettings, orientation: Orientation, estimate: &'a Estimate) -> Self {
        Self {
            settings,
            orientation,
            estimate,
            sink,
            renumber: None,
            significance: None,
            covered: None,
            sources: 0,
            source: Vec::new(),
            target: Vec::new(),
            links: Vec::new(),
            features: Vec::new(),
        }
    }

    /// Rules arrive in the order of their source sides, so those of one source side are together.
    pub fn all(
        &mut self,
        mut rules: GroupedReader,
        mut marginal_of: impl FnMut(&Grouped) -> Result<Marginal>,
    ) -> Result<()> {
        let mut group: Vec<(Grouped, Marginal)> = Vec::new();
        let mut used = 0;
        let mut next = Grouped::default();
        loop {
            let more = rules.next(&mut next)?;
            if used > 0 && (!more || group[0].0.source() != next.source()) {
                self.one_source(&mut group[..used])?;
                used = 0;
            }
            if !more {
                return Ok(());
            }
            let marginal = marginal_of(&next)?;
            if used == group.len() {
                group.push((Grouped::default(), marginal));
            }
            std::mem::swap(&mut group[used].0, &mut next);
            group[used].1 = marginal;
            used += 1;
        }
    }

    fn one_source(&mut self, group: &mut [(Grouped, Marginal)]) -> Result<()> {
        let mut marginal = Marginal::default();
        group.iter().for_each(|(rule, _)| marginal.add(rule.count, self.estimate));
        let mut least = (self.settings.min_count * ONE as f64).ceil() as u64;
        let limit = if self.settings.limit == 0 { usize::MAX } else { self.settings.limit };
        self.source.clear();
        symbols(group[0].0.source(), &mut self.source);
        if let Some([ids, _]) = &self.renumber {
            renumber(&mut self.source, ids);
        }
        if let Some(significance) = &mut self.significance {
            significance.set_source(&self.source);
        }
        let is_long = self.settings.singletons.is_some_and(|longest| self.source.len() > longest);
        if is_long && self.covered.as_ref().is_none_or(|covered| covered.has_all(&self.source)) {
            least = least.max(ONE + 1);
        }
        // The target sides, by which ties are broken, all differ.
        let mut enough: Vec<usize> = (0..group.len()).filter(|&at| group[at].0.count >= least).collect();
        if let Some(significance) = &mut self.significance {
            let target = &mut self.target;
            enough.retain(|&at| {
                let code = group[at].0.target();
                target.clear();
                symbols(code, target);
                significance.keeps(target, code)
            });
        }
        let mut order: Vec<(f64, f64, usize)> = enough
            .into_iter()
            .map(|at| {
                let (rule, target) = &group[at];
                let given_source = self.estimate.probability(rule.count, &marginal, target);
                let given_target = self.estimate.probability(rule.count, target, &marginal);
                (given_source, given_target, at)
            })
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        order.truncate(limit);
        if order.is_empty() {
            return Ok(());
        }
        self.sources += 1;
        for (given_source, given_target, at) in order {
            let (rule, target) = &group[at];
            self.push(rule, [given_target, given_source], [target.total, marginal.total])?;
        }
        Ok(())
    }

    /// Takes p(f|e) and p(e|f), c(e) and c(f).
    fn push(&mut self, rule: &Grouped, probabilities: [f64; 2], totals: [u64; 2]) -> Result<()> {
        let floor = self.settings.floor;
        let log = |p: f64| p.max(floor).min(1.0).ln() as f32;
        self.features.clear();
        for (probability, lexical) in probabilities.into_iter().zip(rule.lexical) {
            self.features.extend([log(probability), log(f64::from(lexical))]);
        }
        if self.orientation != Orientation::None {
            let prior = self.settings.orientation_prior;
            for three in rule.orientations.chunks_exact(3) {
                let counts = [three[0], three[1], three[2]].map(|count| count as f64 / ONE as f64 + prior);
                let total: f64 = counts.iter().sum();
                self.features.extend(counts.map(|count| log(count / total)));
            }
        }
        let whole = |count: u64| (count as f64 / ONE as f64) as f32;
        if self.settings.indicators {
            let count = rule.count as f64 / ONE as f64;
            let fires = INDICATORS.iter().position(|&(_, most)| count <= most + 1e-6);
            self.features.extend((0..INDICATORS.len()).map(|at| f32::from(u8::from(fires == Some(at)))));
        }
        self.target.clear();
        symbols(rule.target(), &mut self.target);
        if let Some([_, ids]) = &self.renumber {
            renumber(&mut self.target, ids);
        }
        self.links.clear();
        self.links.extend(rule.links.iter().map(|&link| [link >> 4, link & 15]));
        self.sink.take(&Rule {
            lhs: super::table::X,
            source: &self.source,
            target: &self.target,
            features: &self.features,
            links: &self.links,
            counts: [whole(totals[0]), whole(totals[1]), whole(rule.count)],
        })
    }
}

fn renumber(side: &mut [Symbol], ids: &[u32]) {
    for symbol in side {
        *symbol = symbol.as_word().map_or(*symbol, |word| Symbol::word(ids[word as usize]));
    }
}
