//! Sorting records of bytes that may not fit in memory.

use rayon::slice::ParallelSliceMut;

use super::tally::prefix;
use super::tape::{Merge, Run};
use crate::Result;

/// Takes records in any order and gives them back in the order of their keys, then of their payloads.
pub struct Sorter {
    arena: Vec<u8>,
    /// Of each record the first bytes of its key, where it starts, and the lengths of key and payload.
    records: Vec<(u64, usize, u32, u32)>,
    runs: Vec<Run>,
    memory: usize,
}

impl Sorter {
    /// A sorter that holds about `memory` bytes.
    pub fn new(memory: usize) -> Self {
        Self { arena: Vec::new(), records: Vec::new(), runs: Vec::new(), memory }
    }

    /// Takes a record.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        self.records.push((prefix(key), self.arena.len(), key.len() as u32, payload.len() as u32));
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(payload);
        if self.arena.len() + 24 * self.records.len() > self.memory {
            let run = self.drain(true)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn drain(&mut self, on_disk: bool) -> Result<Run> {
        let arena = &self.arena;
        let both = |&(_, start, key, payload): &(u64, usize, u32, u32)| {
            let middle = start + key as usize;
            (&arena[start..middle], &arena[middle..middle + payload as usize])
        };
        self.records.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| both(a).cmp(&both(b))));
        let mut run = Run::new(on_disk)?;
        for record in &self.records {
            let (key, payload) = both(record);
            run.push(key, payload)?;
        }
        self.records.clear();
        self.arena.clear();
        Ok(run)
    }

    /// Turns to reading.
    pub fn finish(mut self) -> Result<Merge> {
        let run = self.drain(false)?;
        self.runs.push(run);
        Merge::new(self.runs)
    }
}
