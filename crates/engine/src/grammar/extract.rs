//! One pass over aligned text: every rule with its count, as sorted runs in memory or on disk.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::aligned::Aligned;
use super::code::{put_number, take_number};
use super::folds::{Folds, Parts};
use super::hiero::{self, Ways};
use super::keys::Keys;
use super::phrases::{self, Neighbours};
use super::settings::{ExtractSettings, Kind};
use super::tally::Tally;
use super::tape::{Merge, Run};
use crate::files::runs::MOST_RUNS;
use crate::{Error, Result};

/// Sentence pairs taken at a time.
const PIECE: usize = 64;
/// A tally that does not fit in the cache is slow: it becomes a run, even where memory is left.
const MOST_TALLY: usize = 8 << 20;

/// What came out of a pass.
pub struct Counted {
    /// Sorted runs of keys (see [`Keys`]) with their counts.
    pub runs: Vec<Run>,
    /// How many rules were seen, counting every occurrence.
    pub occurrences: u64,
    /// Whether memory did not suffice.
    pub spilled: bool,
}

/// Finds all rules of a text with at most about `memory` bytes. `advance` is told of sentence pairs done and stops the
/// work by giving false.
pub fn count(
    text: &Aligned,
    settings: &ExtractSettings,
    memory: usize,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Counted> {
    count_by(text, None, settings, memory, advance)
}

/// Like [`count`]; if there are folds, with [`Parts`] as counts.
pub fn count_by(
    text: &Aligned,
    folds: Option<&Folds>,
    settings: &ExtractSettings,
    memory: usize,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Counted> {
    settings.check()?;
    let threads = rayon::current_num_threads();
    let pass = Pass {
        text,
        folds,
        settings,
        most_tally: MOST_TALLY.min(memory / 4 / threads),
        most_held: memory / 2,
        next: AtomicUsize::new(0),
        occurrences: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        runs: Mutex::new(Vec::new()),
        advance,
    };
    let results: Vec<Result<()>> = rayon::broadcast(|_| pass.work());
    results.into_iter().collect::<Result<()>>()?;
    if pass.stopped.into_inner() {
        return Err(Error::input("extraction was stopped"));
    }
    let (runs, spilled) = {
        let held = pass.runs.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let spilled = held.iter().any(Run::on_disk);
        (held, spilled)
    };
    Ok(Counted { runs, occurrences: pass.occurrences.into_inner(), spilled })
}

struct Pass<'a> {
    text: &'a Aligned,
    folds: Option<&'a Folds>,
    settings: &'a ExtractSettings,
    most_tally: usize,
    most_held: usize,
    next: AtomicUsize,
    occurrences: AtomicU64,
    stopped: AtomicBool,
    runs: Mutex<Vec<Run>>,
    advance: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Pass<'_> {
    fn work(&self) -> Result<()> {
        let mut tally = Tally::default();
        let mut keys = Keys::default();
        let mut ways = Ways::default();
        let mut neighbours = Neighbours::default();
        let mut occurrences = 0;
        let mut counted = None;
        let settings = self.settings;
        while !self.stopped.load(Ordering::Relaxed) {
            let start = self.next.fetch_add(PIECE, Ordering::Relaxed);
            if start >= self.text.len() {
                break;
            }
            let end = (start + PIECE).min(self.text.len());
            for at in start..end {
                let (k, part) = self.folds.map_or((at, None), |folds| folds.pair(at));
                // A tally is of one fold: folds come one after the other, and their rules are counted like any others.
                if part != counted && !tally.is_empty() {
                    self.keep(tally.drain(false, counted)?)?;
                }
                counted = part;
                let (source, target) = (self.text.bitext.source.sentence(k), self.text.bitext.target.sentence(k));
                let links = self.text.links(k);
                if links.is_empty() {
                    continue;
                }
                keys.set(source, target, links, settings.max_length, settings.loose);
                occurrences += match settings.kind {
                    Kind::Hiero => hiero::extract(&mut keys, settings, &mut ways, &mut tally),
                    Kind::Phrase(orientation) => {
                        let lengths = (source.len(), target.len());
                        phrases::extract(&mut keys, lengths, orientation, &mut neighbours, &mut tally)
                    }
                };
                if tally.bytes() > self.most_tally {
                    self.keep(tally.drain(false, counted)?)?;
                }
            }
            if !(self.advance)(end - start) {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
        self.occurrences.fetch_add(occurrences, Ordering::Relaxed);
        if tally.is_empty() { Ok(()) } else { self.keep(tally.drain(false, counted)?) }
    }

    fn keep(&self, mut run: Run) -> Result<()> {
        let mut runs = self.runs.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let held: usize = runs.iter().filter(|run| !run.on_disk()).map(Run::bytes).sum();
        if held + run.bytes() > self.most_held {
            // Many small runs become one large one: merging all at the end needs a buffer for each.
            runs.push(run);
            let (disk, memory) = std::mem::take(&mut *runs).into_iter().partition(Run::on_disk);
            *runs = disk;
            let sum = if self.folds.is_some() { sum::<Parts> } else { sum::<u64> };
            run = sum(memory)?;
            if runs.len() >= MOST_RUNS {
                let all = std::mem::take(&mut *runs);
                runs.push(sum(all)?);
            }
        }
        runs.push(run);
        Ok(())
    }
}

/// What a key counts, as it is written beside it.
pub trait Counts: Default {
    /// Forgets what was counted.
    fn clear(&mut self);
    /// Adds what was written.
    fn add(&mut self, payload: &[u8]);
    /// Writes.
    fn put(&self, payload: &mut Vec<u8>);
}

impl Counts for u64 {
    #[inline]
    fn clear(&mut self) {
        *self = 0;
    }

    #[inline]
    fn add(&mut self, mut payload: &[u8]) {
        *self += take_number(&mut payload);
    }

    fn put(&self, payload: &mut Vec<u8>) {
        put_number(payload, *self);
    }
}

/// One run on disk of several, with the counts of equal keys added.
fn sum<C: Counts>(runs: Vec<Run>) -> Result<Run> {
    let mut out = Run::new(true)?;
    let mut merged = Sums::<C>::new(runs)?;
    let mut payload = Vec::new();
    while merged.advance()? {
        payload.clear();
        merged.count.put(&mut payload);
        out.push(&merged.key, &payload)?;
    }
    Ok(out)
}

/// Several runs as one, with the counts of equal keys added.
pub struct Sums<C = u64> {
    merge: Merge,
    more: bool,
    /// The current key.
    pub key: Vec<u8>,
    /// Its count.
    pub count: C,
}

impl<C: Counts> Sums<C> {
    /// Begins to read.
    pub fn new(runs: Vec<Run>) -> Result<Self> {
        let mut merge = Merge::new(runs)?;
        let more = merge.advance()?;
        Ok(Self { merge, more, key: Vec::new(), count: C::default() })
    }

    /// Goes to the next key; false after the last.
    pub fn advance(&mut self) -> Result<bool> {
        if !self.more {
            return Ok(false);
        }
        self.key.clear();
        self.key.extend_from_slice(self.merge.key());
        self.count.clear();
        self.count.add(self.merge.payload());
        loop {
            self.more = self.merge.advance()?;
            if !self.more || self.merge.key() != self.key {
                return Ok(true);
            }
            self.count.add(self.merge.payload());
        }
    }
}
