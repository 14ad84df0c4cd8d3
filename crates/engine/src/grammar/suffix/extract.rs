//! From sentences to the table of the rules that can match them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::chunks::Chunks;
use super::index::Index;
use super::occurrences::{Factor, MOST_CHUNKS, Match, Search};
use super::pair::Pair;
use super::queries::{Core, NONE, Queries, queries};
use super::targets::{self, TargetShape};
use crate::corpus::vocabulary::Vocabulary;
use crate::grammar::code::symbols;
use crate::grammar::extract::Sums;
use crate::grammar::group::{Grouped, GroupedReader, group};
use crate::grammar::hiero::ONE;
use crate::grammar::score::{CATEGORIES, Scorer, Sink, feature_names};
use crate::grammar::settings::{ExtractSettings, Kind, Orientation, ScoreSettings, Smoothing};
use crate::grammar::significance::Threshold;
use crate::grammar::smoothing::{Estimate, Marginal};
use crate::grammar::tally::Tally;
use crate::grammar::tape::Run;
use crate::grammar::{Symbol, Table};
use crate::{Error, Result};

/// Occurrences that are held at a time.
pub const MOST_MATCHES: usize = 4 << 20;
/// Occurrences of a core's rarest chunk that are looked at for each occurrence of the core that is wanted.
pub const SCANNED: usize = 10;
/// Cores that are looked for at a time.
const PIECE: usize = 4096;
/// A tally that does not fit in the cache is slow.
const MOST_TALLY: usize = 8 << 20;
/// Counts of target sides that are remembered.
const MOST_COUNTS: usize = 4 << 20;

/// Target sides, as codes, and what they count.
type TargetCounts = HashMap<Box<[u8]>, u64>;

/// How rules are found.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// Which rules.
    pub extract: ExtractSettings,
    /// Their features.
    pub score: ScoreSettings,
    /// Occurrences of a source side, and of a target side, that are looked at; 0 for all.
    pub samples: usize,
    /// Words of a sentence that a rule covers at most; 0 for any number.
    pub max_span: usize,
}

impl Extraction {
    /// Whether the values make sense.
    ///
    /// # Errors
    /// One does not.
    pub fn check(&self) -> Result<()> {
        self.extract.check()?;
        self.score.check(self.extract.counting)?;
        if self.score.smoothing != Smoothing::None {
            return Err(Error::settings("smoothing needs the counts of all rules")
                .hint("extract a table for it, or use relative frequencies"));
        }
        if !matches!(self.score.significance, Threshold::None) {
            return Err(Error::settings("significance needs all rules").hint("extract a table for it"));
        }
        if u32::try_from(self.samples).is_err() {
            return Err(Error::settings(format!("samples cannot be {}", self.samples)));
        }
        Ok(())
    }
}

/// The rules of a growing text as it is at one moment.
#[derive(Debug)]
pub struct Rules {
    index: Index,
    settings: Extraction,
    features: Vec<String>,
    categories: Vec<String>,
    /// By a hash of the target side.
    counts: Mutex<HashMap<u128, u64>>,
}

impl Rules {
    /// Brings a text and settings together.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(index: Index, settings: Extraction) -> Result<Self> {
        settings.check()?;
        let mut made = Self {
            index,
            settings,
            features: Vec::new(),
            categories: CATEGORIES.map(str::to_owned).into(),
            counts: Mutex::default(),
        };
        made.features = feature_names(&made.settings.score, made.orientation());
        Ok(made)
    }

    /// The text.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The settings.
    pub fn settings(&self) -> &Extraction {
        &self.settings
    }

    /// The names of the features of rules.
    pub fn feature_names(&self) -> &[String] {
        &self.features
    }

    /// The names of the categories.
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// The table of the rules whose source sides match in one of these sentences.
    ///
    /// # Errors
    /// More rules than a table can hold.
    pub fn table<S: AsRef<str> + Sync>(&self, sentences: &[S]) -> Result<Table> {
        let words = self.index.words(0);
        let encode = |sentence: &S| {
            let mut ids = Vec::new();
            words.encode_into(sentence.as_ref(), &mut ids);
            ids
        };
        let ids: Vec<Vec<u32>> = sentences.par_iter().map(encode).collect();
        let Extraction { extract, score, samples, max_span } = &self.settings;
        let asked = queries(&self.index, &ids, extract, *max_span, *samples);
        let sources: HashSet<u32> = ids.into_iter().flatten().collect();
        let (mut reader, wanted, counts) = self.counted(&asked, &sources)?;
        reader.rewind();
        let (source_words, source_ids) = self.vocabulary(0, &wanted.words[0])?;
        let (target_words, target_ids) = self.vocabulary(1, &wanted.words[1])?;
        let estimate = Estimate::Frequency;
        let mut scorer = Scorer::new(score, self.orientation(), &estimate)?;
        scorer.renumber = Some([source_ids, target_ids]);
        scorer.all(reader, |rule| Ok(marginal(rule, &counts)))?;
        scorer.sink.build(&source_words, &target_words)
    }

    /// Hands the rules that are asked for, some of which have these source words, to a sink in the order of their source
    /// sides. Words keep the ids of the text.
    pub(super) fn find<S: Sink>(&self, asked: &Queries, sources: &HashSet<u32>, sink: S) -> Result<()> {
        let (mut reader, _, counts) = self.counted(asked, sources)?;
        reader.rewind();
        let estimate = Estimate::Frequency;
        Scorer::into(sink, &self.settings.score, self.orientation(), &estimate)
            .all(reader, |rule| Ok(marginal(rule, &counts)))
    }

    /// What is asked for, counted: the rules, what is wanted of them, and the counts of their target sides.
    fn counted(&self, asked: &Queries, sources: &HashSet<u32>) -> Result<(GroupedReader, Wanted, TargetCounts)> {
        let word_table = self.index.word_table(sources.iter().copied());
        let runs = self.rules(asked)?;
        let several = self.settings.score.several;
        let grouped = group(Sums::new(runs)?, self.orientation(), several, &word_table, false, |_| Ok(()))?;
        let mut reader = GroupedReader::new(grouped)?;
        let wanted = self.wanted(&mut reader)?;
        let counts = self.target_counts(&wanted.targets);
        Ok((reader, wanted, counts))
    }

    fn orientation(&self) -> Orientation {
        match self.settings.extract.kind {
            Kind::Phrase(orientation) => orientation,
            Kind::Hiero => Orientation::None,
        }
    }

    /// All rules of the cores, counted.
    fn rules(&self, asked: &Queries) -> Result<Vec<Run>> {
        let settings = &self.settings.extract;
        let Queries { chunks, cores } = asked;
        let search = Search {
            index: &self.index,
            chunks,
            longest: settings.max_length,
            samples: self.settings.samples,
            scanned: SCANNED,
        };
        let mut runs = Vec::new();
        let mut next = 0;
        while next < cores.len() {
            let first = next;
            let mut matches: Vec<Match> = Vec::new();
            let mut factors: Vec<Factor> = Vec::new();
            while next < cores.len() && matches.len() < MOST_MATCHES {
                let end = cores.len().min(next + PIECE);
                let found: Vec<(Vec<Match>, Factor)> = cores[next..end]
                    .par_iter()
                    .enumerate()
                    .map(|(at, core)| {
                        let mut out = Vec::new();
                        let factor = search.find(&core.pattern(settings), (next + at) as u32, &mut out);
                        (out, factor)
                    })
                    .collect();
                for (out, factor) in found {
                    matches.extend(out);
                    factors.push(factor);
                }
                next = end;
            }
            let workers = by_pair(
                &mut matches,
                || (Pair::new(settings), Tally::default(), Vec::new()),
                |(pair, tally, runs), group| {
                    pair.set(&self.index, group[0].pair);
                    for found in group {
                        let core: &Core = &cores[found.pattern as usize];
                        let factor = factors[found.pattern as usize - first];
                        let mut lengths = [0; MOST_CHUNKS];
                        for (length, &chunk) in
                            lengths.iter_mut().zip(&core.chunks).filter(|(_, chunk)| **chunk != NONE)
                        {
                            *length = chunks.words(chunk).len() as u16;
                        }
                        pair.rules(found, &lengths, core.number(), core.wanted, |key, count| {
                            tally.add(key, factor.of(count));
                        });
                    }
                    if tally.bytes() > MOST_TALLY {
                        runs.push(tally.drain(false, None)?);
                    }
                    Ok(())
                },
            )?;
            for (_, mut tally, own) in workers {
                runs.extend(own);
                if !tally.is_empty() {
                    runs.push(tally.drain(false, None)?);
                }
            }
        }
        Ok(runs)
    }

    /// The target sides whose counts are needed, and the words of both sides that the table will have.
    fn wanted(&self, reader: &mut GroupedReader) -> Result<Wanted> {
        let mut wanted = Wanted {
            targets: HashSet::new(),
            words: [0, 1].map(|side| vec![false; self.index.words(side).len()]),
            symbols: Vec::new(),
        };
        let score = &self.settings.score;
        let limit = if score.limit == 0 { usize::MAX } else { score.limit };
        let mut group: Vec<Grouped> = Vec::new();
        let mut counts: Vec<u64> = Vec::new();
        let mut next = Grouped::default();
        loop {
            let more = reader.next(&mut next)?;
            if !group.is_empty() && (!more || group[0].source() != next.source()) {
                counts.clear();
                counts.extend(group.iter().map(|rule| rule.count));
                let mut least = (score.min_count * ONE as f64).ceil() as u64;
                if counts.len() > limit {
                    let (_, last, _) = counts.select_nth_unstable_by(limit - 1, |a, b| b.cmp(a));
                    least = least.max(*last);
                }
                wanted.take(&group, least);
                group.clear();
            }
            if !more {
                return Ok(wanted);
            }
            group.push(std::mem::take(&mut next));
        }
    }

    /// Counts of target sides, some of which may be known from before.
    fn target_counts(&self, wanted: &HashSet<Box<[u8]>>) -> TargetCounts {
        let mut known: TargetCounts = HashMap::with_capacity(wanted.len());
        let mut missing: Vec<(&[u8], u128)> = Vec::new();
        {
            let remembered = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for target in wanted {
                let hash = xxh3_128(target);
                match remembered.get(&hash) {
                    Some(&count) => {
                        known.insert(target.clone(), count);
                    }
                    None => missing.push((target, hash)),
                }
            }
        }
        missing.sort_unstable();
        let mut chunks = Chunks::new(&self.index, 1);
        let (mut side, mut words) = (Vec::new(), Vec::new());
        let shapes: Vec<TargetShape> = missing
            .iter()
            .map(|(target, _)| {
                side.clear();
                symbols(target, &mut side);
                TargetShape::new(&side, &mut chunks, &mut words)
            })
            .collect();
        chunks.resolve(&self.index);
        let counts = targets::count(&self.index, &chunks, &shapes, &self.settings.extract, self.settings.samples);
        let mut remembered = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if remembered.len() + missing.len() > MOST_COUNTS {
            remembered.clear();
        }
        for ((target, hash), count) in missing.into_iter().zip(counts) {
            remembered.insert(hash, count);
            known.insert(target.into(), count);
        }
        known
    }

    /// The words that are used, in their order, and for each word its new id.
    fn vocabulary(&self, side: usize, used: &[bool]) -> Result<(Vocabulary, Vec<u32>)> {
        let words = self.index.words(side);
        let specials = crate::corpus::vocabulary::SPECIALS.len() as u32;
        let mut ids: Vec<u32> = (0..specials).collect();
        let mut next = specials;
        for &used in &used[specials as usize..] {
            ids.push(next);
            next += u32::from(used);
        }
        let listed = (specials..words.len() as u32).filter(|&id| used[id as usize]).map(|id| words.word(id));
        Ok((Vocabulary::from_words(listed)?, ids))
    }
}

/// What a rule's target side counts. Those that are not wanted stay behind the limit whatever that is.
fn marginal(rule: &Grouped, counts: &TargetCounts) -> Marginal {
    let total = counts.get(rule.target()).copied().unwrap_or(0).max(rule.count);
    Marginal { total, ..Marginal::default() }
}

struct Wanted {
    targets: HashSet<Box<[u8]>>,
    words: [Vec<bool>; 2],
    symbols: Vec<Symbol>,
}

impl Wanted {
    /// The rules of one source side that count at least so much.
    fn take(&mut self, group: &[Grouped], least: u64) {
        let mut any = false;
        for rule in group.iter().filter(|rule| rule.count >= least) {
            any = true;
            if !self.targets.contains(rule.target()) {
                self.targets.insert(rule.target().into());
                self.mark(1, rule.target());
            }
        }
        if any {
            self.mark(0, group[0].source());
        }
    }

    fn mark(&mut self, side: usize, code: &[u8]) {
        self.symbols.clear();
        symbols(code, &mut self.symbols);
        for word in self.symbols.iter().filter_map(|symbol| symbol.as_word()) {
            self.words[side][word as usize] = true;
        }
    }
}

/// Works on the occurrences of each sentence pair together; gives the states of the threads.
///
/// # Errors
/// The first that the work has.
pub fn by_pair<T: Send>(
    matches: &mut [Match],
    state: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, &[Match]) -> Result<()> + Sync,
) -> Result<Vec<T>> {
    matches.par_sort_unstable();
    let mut starts: Vec<usize> =
        (0..matches.len()).filter(|&at| at == 0 || matches[at - 1].pair != matches[at].pair).collect();
    starts.push(matches.len());
    let next = AtomicUsize::new(0);
    let pairs = starts.len() - 1;
    let states: Vec<Result<T>> = rayon::broadcast(|_| {
        let mut own = state();
        loop {
            let first = next.fetch_add(64, Ordering::Relaxed);
            if first >= pairs {
                return Ok(own);
            }
            for at in first..pairs.min(first + 64) {
                work(&mut own, &matches[starts[at]..starts[at + 1]])?;
            }
        }
    });
    states.into_iter().collect()
}
