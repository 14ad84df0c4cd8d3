//! Many tables from one pass: for each of some folds of a text, the table of the text without it.
//!
//! Stacking trains a model on all folds but one, for every fold (Razmara 2013, section 4.3, algorithm 1). Each sentence
//! pair then serves all models but one, so rules are counted once, with what each fold adds: what a model counts is the
//! whole less its fold. Everything that follows from counts is reckoned for all models at a time, in lanes: lane `v` is the
//! voice that does without fold `v`, and the last lane the whole text.

mod estimates;
mod group;
mod lanes;
mod prune;
mod score;
mod targets;
#[cfg(test)]
mod tests;
mod words;

use hashbrown::HashMap;

use super::aligned::Aligned;
use super::code::{put_number, take_number};
use super::extract::Counts;
use super::voices::MOST_VOICES;
use crate::{Error, Result};

pub use score::{make_fold_table, table_of_folds};

/// The part of a text that no voice does without.
const REST: u8 = u8::MAX;

/// Which sentence pairs each of several voices does without.
#[derive(Debug, Clone)]
pub struct Folds {
    names: Vec<String>,
    /// Of each pair the voice, or [`REST`].
    slots: Vec<u8>,
    /// The pairs by their voices.
    order: Vec<u32>,
}

impl Folds {
    /// Takes the fold of each pair of a text, also of those that were left out of it, and the folds that voices do without:
    /// voice `v` does without fold `voices[v]`.
    ///
    /// # Errors
    /// Folds that do not fit the text, voices that are too many or there twice, or one that has no pair or all pairs.
    pub fn new(text: &Aligned, folds: &[u32], voices: &[u32]) -> Result<Self> {
        if folds.len() != text.len() + text.skipped.len() {
            let pairs = text.len() + text.skipped.len();
            return Err(Error::input(format!("there are {} folds for {pairs} sentence pairs", folds.len()))
                .hint("give one for each line"));
        }
        if voices.is_empty() || voices.len() > MOST_VOICES {
            let what = format!("there are {} folds to do without, not 1 to {MOST_VOICES}", voices.len());
            return Err(Error::settings(what).hint("take some of the folds as voices, such as every fifth"));
        }
        let mut places: HashMap<u32, u8> = HashMap::new();
        for (voice, &fold) in (0..).zip(voices) {
            if places.insert(fold, voice).is_some() {
                return Err(Error::settings(format!("fold {fold} is there twice among the voices")));
            }
        }
        let mut left_out = text.skipped.iter().peekable();
        let kept = folds.iter().enumerate().filter(|(at, _)| left_out.next_if(|skipped| *skipped == at).is_none());
        let slots: Vec<u8> = kept.map(|(_, fold)| places.get(fold).copied().unwrap_or(REST)).collect();
        for (voice, fold) in (0..).zip(voices) {
            let pairs = slots.iter().filter(|&&slot| slot == voice).count();
            if pairs == 0 || pairs == slots.len() {
                let what = if pairs == 0 { "no sentence pair is" } else { "all sentence pairs are" };
                return Err(Error::input(format!("{what} in fold {fold}")).hint("name folds that the lines have"));
            }
        }
        let mut order: Vec<u32> = (0..slots.len() as u32).collect();
        order.sort_by_key(|&k| slots[k as usize]);
        Ok(Self { names: voices.iter().map(|fold| format!("fold{fold}")).collect(), slots, order })
    }

    /// How many voices there are.
    pub fn voices(&self) -> usize {
        self.names.len()
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The pair at a place of the order in which those of a fold are together, and the part of the text it belongs to.
    #[inline]
    pub fn pair(&self, at: usize) -> (usize, Option<u8>) {
        let k = self.order[at] as usize;
        (k, Some(self.slots[k]))
    }

    /// The voice that does without a pair.
    #[inline]
    fn voice(&self, k: usize) -> Option<usize> {
        (self.slots[k] != REST).then_some(usize::from(self.slots[k]))
    }
}

/// What each part of a text counts, in the order of the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(pub Vec<(u8, u64)>);

impl Parts {
    /// Adds to a part.
    #[inline]
    fn grow(&mut self, part: u8, count: u64) {
        // Parts mostly come in order.
        let at = self.0.iter().rposition(|&(known, _)| known <= part);
        match at {
            Some(at) if self.0[at].0 == part => self.0[at].1 += count,
            _ => self.0.insert(at.map_or(0, |at| at + 1), (part, count)),
        }
    }
}

impl Counts for Parts {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, mut payload: &[u8]) {
        while let Some((&part, rest)) = payload.split_first() {
            payload = rest;
            let count = take_number(&mut payload);
            self.grow(part, count);
        }
    }

    fn put(&self, payload: &mut Vec<u8>) {
        for &(part, count) in &self.0 {
            payload.push(part);
            put_number(payload, count);
        }
    }
}
