//! The nearest neighbours of rows, found through the columns that rows have in common.

use std::sync::Arc;

use super::profiles::{Profiles, Rows, gathered};
use super::pruned::{Pruning, prune, strongest};
use super::similar::{Best, Similarity};
use crate::{Error, Result};

/// For each column the rows that have it.
#[derive(Debug)]
pub struct Index {
    profiles: Arc<Profiles>,
    similarity: Similarity,
    pruning: Option<Pruning>,
    /// The rows that may be found, ascending.
    among: Vec<u32>,
    /// What each of them has by itself.
    sizes: Vec<f64>,
    entries: Entries,
}

/// Lists of rows, one for each column.
#[derive(Debug)]
pub(super) struct Entries {
    pub starts: Vec<usize>,
    /// Places in the list of rows that may be found, and the numbers that stand there.
    pub all: Vec<(u32, f32)>,
}

/// Neighbours of rows, the nearest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Where those of each row begin, and where the last end.
    pub starts: Vec<usize>,
    /// Nodes.
    pub ids: Vec<u32>,
    /// What the edges weigh.
    pub weights: Vec<f32>,
}

/// What a thread searches with.
struct Scratch {
    sums: Vec<f64>,
    /// Where something was added to sums that were 0.
    touched: Vec<u32>,
    best: Best,
    /// Where the numbers of a row are that are looked up.
    looked_up: Vec<usize>,
    /// For pruned lists: the numbers of a row by column, and the best of its candidates.
    row: Vec<f32>,
    chosen: Best,
}

impl Index {
    /// An index of these rows, or of all; of the whole of them, or of what matters most.
    ///
    /// # Errors
    /// Rows that there are none of, profiles that cannot be compared so, and settings that make no sense.
    pub fn new(
        profiles: Arc<Profiles>,
        among: Option<&[u32]>,
        similarity: Similarity,
        pruning: Option<Pruning>,
    ) -> Result<Self> {
        similarity.check(&profiles)?;
        pruning.map_or(Ok(()), Pruning::check)?;
        let mut among = match among {
            Some(some) => some.to_vec(),
            None => (0..profiles.rows() as u32).collect(),
        };
        among.sort_unstable();
        among.dedup();
        if let Some(&last) = among.last() {
            profiles.check(last)?;
        }
        let sizes: Vec<f64> = among.iter().map(|&row| profiles.size(row as usize, similarity)).collect();
        let entries = match pruning {
            Some(pruning) => prune(&profiles, &among, &sizes, pruning),
            None => Entries::new(&profiles, &among, |_, _| true),
        };
        Ok(Self { profiles, similarity, pruning, among, sizes, entries })
    }

    /// The `k` nearest of each of these rows that have a column in common with it; never the row itself.
    ///
    /// # Errors
    /// Rows that there are none of, and no neighbours wanted.
    pub fn search(&self, of: &[u32], k: usize) -> Result<Found> {
        if k == 0 {
            return Err(Error::settings("neighbours are wanted, but 0 of them").hint("ask for one or more"));
        }
        for &row in of {
            self.profiles.check(row)?;
        }
        // One loop for each, so that nothing is decided inside of it.
        Ok(match self.similarity {
            Similarity::Cosine => self.all(of, k, |one, other| Similarity::Cosine.shared(one, other)),
            Similarity::L1 => self.all(of, k, |one, other| Similarity::L1.shared(one, other)),
            Similarity::Jsd => self.all(of, k, |one, other| Similarity::Jsd.shared(one, other)),
        })
    }

    fn all(&self, of: &[u32], k: usize, shared: impl Fn(f64, f64) -> f64 + Sync + Send) -> Found {
        let most = self.among.len().max(1);
        let scratch = || Scratch {
            sums: vec![0.0; self.among.len()],
            touched: Vec::new(),
            best: Best::new(self.pruning.map_or(k, |pruning| pruning.candidates.max(k)).min(most)),
            looked_up: Vec::new(),
            row: if self.pruning.is_some() { vec![0.0; self.profiles.shape.columns()] } else { Vec::new() },
            chosen: Best::new(k.min(most)),
        };
        let (starts, ids, weights) = gathered(of.len(), scratch, |scratch, at, rows: &mut Rows<f32>| {
            let found = self.one(of[at] as usize, scratch, &shared);
            for (weight, place) in found {
                rows.ids.push(self.among[place as usize]);
                rows.values.push(weight);
            }
        });
        Found { starts, ids, weights }
    }

    /// The neighbours of a row, by their places among those that may be found.
    fn one<'s>(
        &self,
        row: usize,
        scratch: &'s mut Scratch,
        shared: impl Fn(f64, f64) -> f64,
    ) -> std::vec::Drain<'s, (f32, u32)> {
        let Scratch { sums, touched, best, looked_up, row: numbers, chosen } = scratch;
        let (profiles, similarity) = (&*self.profiles, self.similarity);
        let own = profiles.size(row, similarity);
        match self.pruning {
            None => looked_up.extend(profiles.part(row)),
            Some(pruning) => strongest(profiles, row, pruning.columns, looked_up),
        }
        let list = |at: usize| {
            let column = profiles.ids[at] as usize;
            &self.entries.all[self.entries.starts[column]..self.entries.starts[column + 1]]
        };
        let itself = self.among.binary_search(&(row as u32)).unwrap_or(usize::MAX);
        // Places ascend as nodes do.
        let mut offer = |place: usize, sum: &mut f64| {
            let sum = std::mem::take(sum);
            if sum != 0.0 && place != itself {
                let weight = similarity.weight(similarity.raw(sum, own, self.sizes[place]));
                best.offer(weight as f32, place as u32);
            }
        };
        // Few sums are remembered; many are quicker looked through than remembered.
        if looked_up.iter().map(|&at| list(at).len()).sum::<usize>() < self.among.len() / 2 {
            for at in looked_up.drain(..) {
                let value = f64::from(profiles.single(at));
                for &(place, other) in list(at) {
                    let sum = &mut sums[place as usize];
                    if *sum == 0.0 {
                        touched.push(place);
                    }
                    *sum += shared(value, f64::from(other));
                }
            }
            touched.drain(..).for_each(|place| offer(place as usize, &mut sums[place as usize]));
        } else {
            for at in looked_up.drain(..) {
                let value = f64::from(profiles.single(at));
                for &(place, other) in list(at) {
                    sums[place as usize] += shared(value, f64::from(other));
                }
            }
            sums.iter_mut().enumerate().for_each(|(place, sum)| offer(place, sum));
        }
        if self.pruning.is_none() {
            return best.take();
        }
        // The lists lack most of what rows have in common: compare the best again, with all they have.
        for at in profiles.part(row) {
            numbers[profiles.ids[at] as usize] = profiles.single(at);
        }
        for (_, place) in best.take_in_order() {
            let mut sum = 0.0;
            for at in profiles.part(self.among[place as usize] as usize) {
                let value = numbers[profiles.ids[at] as usize];
                if value != 0.0 {
                    sum += shared(f64::from(value), f64::from(profiles.single(at)));
                }
            }
            let raw = similarity.raw(sum, own, self.sizes[place as usize]);
            chosen.offer(similarity.weight(raw) as f32, place);
        }
        for at in profiles.part(row) {
            numbers[profiles.ids[at] as usize] = 0.0;
        }
        chosen.take()
    }
}

impl Entries {
    /// The entries of these rows that are `kept`, by their row's place and by where they are.
    pub fn new(profiles: &Profiles, among: &[u32], kept: impl Fn(usize, usize) -> bool) -> Self {
        let each = |found: &mut dyn FnMut(u32, usize)| {
            for (place, &row) in (0..).zip(among) {
                profiles.part(row as usize).filter(|&at| kept(place as usize, at)).for_each(|at| found(place, at));
            }
        };
        let mut starts = vec![0_usize; profiles.shape.columns() + 1];
        each(&mut |_, at| starts[profiles.ids[at] as usize + 1] += 1);
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
        let mut all = vec![(0, 0.0); starts[starts.len() - 1]];
        let mut free = starts.clone();
        each(&mut |place, at| {
            let next = &mut free[profiles.ids[at] as usize];
            all[*next] = (place, profiles.single(at));
            *next += 1;
        });
        Self { starts, all }
    }
}
