//! From rules counted by folds to a table of several voices.

use std::path::Path;
use std::time::Instant;

use super::super::aligned::Aligned;
use super::super::code::symbols;
use super::super::extract::{Counted as Pass, Sums, count_by};
use super::super::hiero::ONE;
use super::super::score::{CATEGORIES, INDICATORS, Report, feature_names};
use super::super::settings::{ExtractSettings, Kind, Orientation, ScoreSettings, Several};
use super::super::voices::{Said, everyone};
use super::super::{Rule, Symbol, Table, TableBuilder, table};
use super::Folds;
use super::estimates::{Collected, Counted, Estimates, FoldCounts, Marginals, whole};
use super::group::{FoldRule, FoldRules, group};
use super::lanes::{Far, Logs, stride};
use super::prune::{FoldCovered, FoldSignificance};
use super::targets::{FoldTargets, TargetMarginals};
use super::words::FoldWords;
use crate::{Error, Result};

/// Logarithms that are no farther apart, and counts that differ by no larger a share, are taken for one where values are
/// not stored exactly.
const NEAR: f32 = 0.1;

/// Makes the table of the voices of an aligned text in a file, with at most about `memory` bytes beside what is known of
/// target sides.
///
/// # Errors
/// Settings that make no sense, a voice without rules, or what the operating system says.
pub fn make_fold_table(
    text: &Aligned,
    folds: &Folds,
    extraction: &ExtractSettings,
    scoring: &ScoreSettings,
    memory: usize,
    path: &Path,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Report> {
    let mut report = Report { pairs: text.len(), skipped: text.skipped.len(), ..Report::default() };
    let builder = score(text, folds, extraction, scoring, memory, advance, &mut report)?;
    let start = Instant::now();
    builder.write(path, &text.source, &text.target)?;
    report.seconds[2] = start.elapsed().as_secs_f64();
    Ok(report)
}

/// Makes the table of the voices of an aligned text in memory.
///
/// # Errors
/// Settings that make no sense, or a voice without rules.
pub fn table_of_folds(
    text: &Aligned,
    folds: &Folds,
    extraction: &ExtractSettings,
    scoring: &ScoreSettings,
) -> Result<Table> {
    let builder = score(text, folds, extraction, scoring, 1 << 30, &|_| true, &mut Report::default())?;
    builder.build(&text.source, &text.target)
}

fn score(
    text: &Aligned,
    folds: &Folds,
    extraction: &ExtractSettings,
    scoring: &ScoreSettings,
    memory: usize,
    advance: &(dyn Fn(usize) -> bool + Sync),
    report: &mut Report,
) -> Result<TableBuilder> {
    extraction.check()?;
    scoring.check(extraction.counting)?;
    let voices = folds.voices();
    let start = Instant::now();
    let words = FoldWords::count(text, folds);
    let Pass { runs, occurrences, spilled } = count_by(text, Some(folds), extraction, memory, advance)?;
    report.seconds[0] = start.elapsed().as_secs_f64();
    report.occurrences = occurrences;
    report.spilled = spilled;

    let start = Instant::now();
    let orientation = match extraction.kind {
        Kind::Phrase(orientation) => orientation,
        Kind::Hiero => Orientation::None,
    };
    let mut targets = FoldTargets::new(voices, memory / 4);
    let mut counts = FoldCounts::new(scoring.smoothing, voices);
    let mut covered = FoldCovered::new(scoring.singletons, text.source.len(), voices);
    let rules = group(Sums::new(runs)?, orientation, scoring.several, voices, spilled, |rule| {
        counts.add(rule);
        covered.add(rule);
        targets.add(rule)
    })?;
    report.counted = rules.len;
    let estimates = counts.finish();
    let targets = targets.finish(&estimates)?;
    let mut scorer = Scorer::new(folds, scoring, orientation, words, targets, &estimates, covered)?;
    scorer.significance = FoldSignificance::new(text, folds, scoring.significance);
    scorer.all(FoldRules::new(rules, orientation)?)?;
    report.kept = scorer.builder.len();
    report.sources = scorer.sources;
    report.seconds[1] = start.elapsed().as_secs_f64();
    let silent = (scorer.spoken ^ everyone(voices)).trailing_zeros() as usize;
    if let Some(name) = folds.names.get(silent) {
        return Err(Error::input(format!("no rule is left without {name}"))
            .hint("lower min_count or raise singletons or max_length, or make fewer folds"));
    }
    Ok(scorer.builder)
}

/// A rule that some voice may keep.
struct Candidate {
    at: usize,
    /// The voices that keep it.
    voices: u64,
}

/// Turns rules of one source side after another into rules with features.
struct Scorer<'a> {
    settings: &'a ScoreSettings,
    oriented: bool,
    voices: usize,
    stride: usize,
    words: FoldWords,
    targets: TargetMarginals,
    estimates: &'a Estimates,
    covered: FoldCovered,
    significance: Option<FoldSignificance<'a>>,
    builder: TableBuilder,
    sources: u64,
    /// The voices that have a rule.
    spoken: u64,
    candidates: Vec<Candidate>,
    order: Vec<usize>,
    arch: pulp::Arch,
    /// Of each candidate in lanes: p(target given source), p(source given target), and the target side's count.
    given_source: Vec<f64>,
    given_target: Vec<f64>,
    target_counts: Vec<f64>,
    marginal: Marginals,
    other: Marginals,
    counted: Counted,
    sides: [Vec<Symbol>; 2],
    values: Values,
}

/// The features of a rule, lanes of one after lanes of the other, and what else goes into a table.
#[derive(Default)]
struct Values {
    features: Vec<f32>,
    /// Lexical weights of one of several alignments.
    lexical: [Vec<f32>; 2],
    counts: [Vec<f32>; 3],
    /// How far a voice is from the whole.
    far: Vec<f32>,
    links: Vec<[u8; 2]>,
    general: Vec<f32>,
    who: Vec<u8>,
    own: Vec<f32>,
    own_counts: Vec<[f32; 3]>,
}

impl<'a> Scorer<'a> {
    fn new(
        folds: &'a Folds,
        settings: &'a ScoreSettings,
        orientation: Orientation,
        words: FoldWords,
        targets: TargetMarginals,
        estimates: &'a Estimates,
        covered: FoldCovered,
    ) -> Result<Self> {
        let names = feature_names(settings, orientation);
        let mut builder = TableBuilder::with_voices(folds.names.clone(), names, CATEGORIES.map(str::to_owned).into())?;
        if !settings.exact {
            builder.quantise();
        }
        Ok(Self {
            settings,
            oriented: orientation != Orientation::None,
            voices: folds.voices(),
            stride: stride(folds.voices()),
            words,
            targets,
            estimates,
            covered,
            significance: None,
            builder,
            sources: 0,
            spoken: 0,
            candidates: Vec::new(),
            order: Vec::new(),
            arch: pulp::Arch::new(),
            given_source: Vec::new(),
            given_target: Vec::new(),
            target_counts: Vec::new(),
            marginal: Marginals::default(),
            other: Marginals::default(),
            counted: Counted::default(),
            sides: Default::default(),
            values: Values::default(),
        })
    }

    /// Rules arrive in the order of their source sides, so those of one source side are together.
    fn all(&mut self, mut rules: FoldRules) -> Result<()> {
        // The rules of a source side, and the next.
        let mut group = vec![FoldRule::default()];
        let mut used = 0;
        let mut collected = Collected::new(self.voices);
        loop {
            let more = rules.next(&mut group[used])?;
            if used > 0 && (!more || group[0].source() != group[used].source()) {
                collected.lanes(self.estimates, &mut self.marginal);
                collected.clear();
                self.one_source(&group[..used])?;
                group.swap(0, used);
                used = 0;
            }
            if !more {
                return Ok(());
            }
            let next = &group[used];
            collected.add(next.total, self.estimates);
            for &(voice, part) in &next.parts {
                collected.lack(voice, next.total, part, self.estimates);
            }
            used += 1;
            if used == group.len() {
                group.push(FoldRule::default());
            }
        }
    }

    fn one_source(&mut self, group: &[FoldRule]) -> Result<()> {
        self.sides[0].clear();
        symbols(group[0].source(), &mut self.sides[0]);
        self.choose(group);
        if self.candidates.is_empty() {
            return Ok(());
        }
        self.estimate(group);
        self.cut();
        // In the order of the whole text; the target sides, by which ties are broken, all differ.
        let whole = self.voices;
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend((0..self.candidates.len()).filter(|&row| self.candidates[row].voices != 0));
        order.sort_unstable_by(|&a, &b| self.before(whole, a, b));
        self.sources += u64::from(!order.is_empty());
        for &row in &order {
            self.push(&group[self.candidates[row].at], row)?;
        }
        self.order = order;
        Ok(())
    }

    /// Which rules of a source side which voices may keep.
    fn choose(&mut self, group: &[FoldRule]) {
        let least = ((self.settings.min_count * ONE as f64).ceil() as u64).max(1);
        let enough = self.covered.enough(&self.sides[0]);
        if let Some(significance) = &mut self.significance {
            significance.set_source(&self.sides[0]);
        }
        self.candidates.clear();
        for (at, rule) in group.iter().enumerate() {
            let mut voices = rule.at_least(least, self.voices);
            if enough & voices != 0 {
                voices &= !enough | rule.at_least(least.max(ONE + 1), self.voices);
            }
            if let Some(significance) = self.significance.as_mut().filter(|_| voices != 0) {
                self.sides[1].clear();
                symbols(rule.target(), &mut self.sides[1]);
                voices &= significance.keeps(&self.sides[1], rule.target());
            }
            if voices != 0 {
                self.candidates.push(Candidate { at, voices });
            }
        }
    }

    /// The probabilities of the candidates.
    fn estimate(&mut self, group: &[FoldRule]) {
        let size = self.candidates.len() * self.stride;
        for lanes in [&mut self.given_source, &mut self.given_target, &mut self.target_counts] {
            lanes.resize(size, 0.0);
        }
        for (row, candidate) in self.candidates.iter().enumerate() {
            let (rule, lanes) = (&group[candidate.at], row * self.stride..(row + 1) * self.stride);
            self.counted.set(rule, self.estimates);
            self.targets.of(rule.number, self.estimates, &mut self.other);
            let (source, target) = (&self.marginal, &self.other);
            self.estimates.probabilities(&self.counted, source, target, &mut self.given_source[lanes.clone()]);
            self.estimates.probabilities(&self.counted, target, source, &mut self.given_target[lanes.clone()]);
            self.target_counts[lanes].copy_from_slice(&self.other.total);
        }
    }

    /// Which of two candidates comes first in a lane.
    fn before(&self, lane: usize, a: usize, b: usize) -> std::cmp::Ordering {
        let (a, b) = (a * self.stride + lane, b * self.stride + lane);
        let by = |all: &[f64]| all[b].total_cmp(&all[a]);
        by(&self.given_source).then_with(|| by(&self.given_target)).then(a.cmp(&b))
    }

    /// Leaves to each voice its most probable rules.
    fn cut(&mut self) {
        let limit = self.settings.limit;
        if limit == 0 || self.candidates.len() <= limit {
            return;
        }
        for voice in 0..self.voices {
            let has = |row: &usize| self.candidates[*row].voices >> voice & 1 == 1;
            let mut rows: Vec<usize> = (0..self.candidates.len()).filter(has).collect();
            if rows.len() > limit {
                rows.select_nth_unstable_by(limit, |&a, &b| self.before(voice, a, b));
                rows[limit..].iter().for_each(|&row| self.candidates[row].voices &= !(1 << voice));
            }
        }
    }

    fn push(&mut self, rule: &FoldRule, row: usize) -> Result<()> {
        let spoken = self.candidates[row].voices;
        self.spoken |= spoken;
        self.sides[1].clear();
        symbols(rule.target(), &mut self.sides[1]);
        self.fill(rule, row);
        self.compare(spoken);
        let values = &mut self.values;
        values.links.clear();
        values.links.extend(rule.links(0).iter().map(|&link| [link >> 4, link & 15]));
        let (stride, whole) = (self.stride, self.voices);
        let said = |lane: usize| values.features.chunks_exact(stride).map(move |lanes| lanes[lane]);
        let counts = |lane: usize| [0, 1, 2].map(|column| values.counts[column][lane]);
        values.general.clear();
        values.general.extend(said(whole));
        values.own.clear();
        values.own_counts.clear();
        for &voice in &values.who {
            values.own.extend(said(voice.into()));
            values.own_counts.push(counts(voice.into()));
        }
        let rule = Rule {
            lhs: table::X,
            source: &self.sides[0],
            target: &self.sides[1],
            features: &values.general,
            links: &values.links,
            counts: counts(whole),
        };
        let said = Said { spoken, who: &values.who, features: &values.own, counts: &values.own_counts };
        self.builder.push_said(&rule, &said)
    }

    /// The features and counts of a candidate in all lanes.
    fn fill(&mut self, rule: &FoldRule, row: usize) {
        let stride = self.stride;
        let log_floor = self.settings.floor.ln() as f32;
        let values = &mut self.values;
        values.features.clear();
        values.features.resize(4 * stride, 1.0);
        let lanes = row * stride..(row + 1) * stride;
        let [given_target, fe, given_source, ef] = parts(&mut values.features, stride);
        for (from, to) in [(&self.given_target, given_target), (&self.given_source, given_source)] {
            to.iter_mut().zip(&from[lanes.clone()]).for_each(|(to, from)| *to = *from as f32);
        }
        let [source, target] = &self.sides;
        self.words.weights(source, target, rule.links(0), fe, ef);
        for at in 1..rule.alignments.len() {
            values.lexical.iter_mut().for_each(|lanes| {
                lanes.clear();
                lanes.resize(stride, 1.0);
            });
            let [more_fe, more_ef] = &mut values.lexical;
            self.words.weights(source, target, rule.links(at), more_fe, more_ef);
            let mask = rule.alignments[at].0;
            let earlier = rule.alignments[..at].iter().fold(0, |mask, earlier| mask | earlier.0);
            blend(self.settings.several, mask, earlier, self.voices, more_fe, fe);
            blend(self.settings.several, mask, earlier, self.voices, more_ef, ef);
        }
        self.arch.dispatch(Logs { values: &mut values.features, floor: log_floor });
        let [targets, sources, both] = &mut values.counts;
        copy(&self.target_counts[lanes], targets);
        copy(&self.marginal.total, sources);
        both.clear();
        both.resize(stride, whole(rule.total) as f32);
        for &(voice, part) in &rule.parts {
            both[usize::from(voice)] = whole(rule.total - part) as f32;
        }
        if self.oriented {
            self.orient(rule, log_floor);
        }
        if self.settings.indicators {
            let start = self.values.features.len();
            let Values { features, counts, .. } = &mut self.values;
            features.resize(start + INDICATORS.len() * stride, 0.0);
            for (lane, &count) in counts[2].iter().enumerate() {
                let fires = INDICATORS.iter().position(|&(_, most)| f64::from(count) <= most + 1e-6);
                features[start + fires.unwrap_or(0) * stride + lane] = 1.0;
            }
        }
    }

    /// Adds the orientations of a rule.
    fn orient(&mut self, rule: &FoldRule, log_floor: f32) {
        let prior = self.settings.orientation_prior;
        let start = self.values.features.len();
        self.values.features.resize(start + 6 * self.stride, 0.0);
        let mut put = |lanes: std::ops::Range<usize>, all: [u64; 6]| {
            for (first, three) in [(0, &all[..3]), (3, &all[3..])] {
                let counts = [three[0], three[1], three[2]].map(|count| whole(count) + prior);
                let total: f64 = counts.iter().sum();
                for (at, count) in counts.into_iter().enumerate() {
                    let log = ((count / total).min(1.0).ln() as f32).max(log_floor);
                    self.values.features[start + (first + at) * self.stride..][lanes.clone()].fill(log);
                }
            }
        };
        put(0..self.stride, rule.orientations);
        for (&(voice, _), own) in rule.parts.iter().zip(&rule.part_orientations) {
            let voice = usize::from(voice);
            put(voice..voice + 1, std::array::from_fn(|at| rule.orientations[at] - own[at]));
        }
    }

    /// Finds the voices that say something else than the whole.
    fn compare(&mut self, spoken: u64) {
        let near = if self.settings.exact { 0.0 } else { NEAR };
        let Values { features, counts, far, who, .. } = &mut self.values;
        far.clear();
        far.resize(self.stride, 0.0);
        self.arch.dispatch(Far { far, features, counts, whole: self.voices });
        who.clear();
        let mut left = spoken;
        while left != 0 {
            let voice = left.trailing_zeros() as u8;
            left &= left - 1;
            if far[usize::from(voice)] > near {
                who.push(voice);
            }
        }
    }
}

/// Four rows of lanes.
fn parts(features: &mut [f32], stride: usize) -> [&mut [f32]; 4] {
    let (one, rest) = features.split_at_mut(stride);
    let (two, rest) = rest.split_at_mut(stride);
    let (three, four) = rest.split_at_mut(stride);
    [one, two, three, four]
}

fn copy(from: &[f64], to: &mut Vec<f32>) {
    to.clear();
    to.extend(from.iter().map(|&value| value as f32));
}

/// Takes in the lexical weights of a further alignment: of voices that have it and no earlier one, and else as `several`
/// says. The whole has the first alignment, or all of them.
fn blend(several: Several, mask: u64, earlier: u64, voices: usize, more: &[f32], lanes: &mut [f32]) {
    for lane in 0..=voices {
        let is_whole = lane == voices;
        let in_mask = |mask: u64| if is_whole { several != Several::Frequent } else { mask >> lane & 1 == 1 };
        if in_mask(mask) {
            lanes[lane] = match several {
                Several::Min if in_mask(earlier) => lanes[lane].min(more[lane]),
                Several::Max if in_mask(earlier) => lanes[lane].max(more[lane]),
                _ => more[lane],
            };
        }
    }
}
