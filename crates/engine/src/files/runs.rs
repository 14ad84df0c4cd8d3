//! Sorting more records than fit in memory: sorted runs on disk, merged when read.
//!
//! A record is a fixed number of `u32`: first its key, compared word by word, then its payload.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use rayon::slice::ParallelSliceMut;

use crate::files::temporary::{disk, nameless};
use crate::{Error, Result};

/// Runs merged at a time: each needs an open file and a buffer.
pub(crate) const MOST_RUNS: usize = 128;
pub(crate) const BUFFER_BYTES: usize = 1 << 17;
/// Words and payload of the widest record.
const MOST_STRIDE: usize = 12;

/// A list of records on disk, written once and read once from its start.
pub struct Spool {
    file: BufWriter<File>,
    stride: usize,
    /// How many records there are.
    pub len: u64,
}

impl Spool {
    /// An empty list of records of `stride` numbers.
    pub fn new(stride: usize) -> Result<Self> {
        Ok(Self { file: BufWriter::with_capacity(BUFFER_BYTES, nameless()?), stride, len: 0 })
    }

    /// Appends records.
    pub fn push(&mut self, records: &[u32]) -> Result<()> {
        self.len += (records.len() / self.stride) as u64;
        self.file.write_all(bytemuck::cast_slice(records)).map_err(|error| disk(&error))
    }

    /// Turns to reading.
    pub fn read(self) -> Result<SpoolReader> {
        let mut file = self.file.into_inner().map_err(|error| disk(error.error()))?;
        file.seek(SeekFrom::Start(0)).map_err(|error| disk(&error))?;
        Ok(SpoolReader {
            file: BufReader::with_capacity(BUFFER_BYTES, file),
            left: self.len,
            record: vec![0; self.stride],
        })
    }
}

/// Reads a [`Spool`].
pub struct SpoolReader {
    file: BufReader<File>,
    left: u64,
    record: Vec<u32>,
}

impl SpoolReader {
    /// The next record.
    pub fn next(&mut self) -> Result<Option<&[u32]>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.record);
        self.file.read_exact(bytes).map_err(|error| disk(&error))?;
        Ok(Some(&self.record))
    }
}

/// Takes records in any order and gives them back sorted.
pub struct Sorter {
    stride: usize,
    /// Records that agree in all but the last number are one record with the sum of it.
    summing: bool,
    buffer: Vec<u32>,
    capacity: usize,
    runs: Vec<Spool>,
}

impl Sorter {
    /// A sorter that holds about `bytes` in memory.
    pub fn new(stride: usize, summing: bool, bytes: usize) -> Self {
        let capacity = (bytes / 4 / stride).max(1024) * stride;
        Self { stride, summing, buffer: Vec::new(), capacity, runs: Vec::new() }
    }

    /// Takes a record.
    #[inline]
    pub fn push(&mut self, record: &[u32]) -> Result<()> {
        if self.buffer.len() == self.capacity {
            self.spill()?;
        }
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(self.capacity);
        }
        self.buffer.extend_from_slice(record);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        sort(&mut self.buffer, self.stride);
        if self.summing {
            sum(&mut self.buffer, self.stride)?;
            // Text repeats itself: while summing leaves much room there is no need to write.
            if self.buffer.len() < self.capacity / 2 {
                return Ok(());
            }
        }
        if self.runs.len() == MOST_RUNS {
            let mut merged = Merged::new(std::mem::take(&mut self.runs), self.stride, self.summing)?;
            let mut run = Spool::new(self.stride)?;
            while let Some(record) = merged.next()? {
                run.push(record)?;
            }
            self.runs.push(run);
        }
        let mut run = Spool::new(self.stride)?;
        run.push(&self.buffer)?;
        self.runs.push(run);
        self.buffer.clear();
        Ok(())
    }

    /// Turns to reading.
    pub fn finish(mut self) -> Result<Merged> {
        if !self.runs.is_empty() && !self.buffer.is_empty() {
            sort(&mut self.buffer, self.stride);
            let mut run = Spool::new(self.stride)?;
            run.push(&self.buffer)?;
            self.runs.push(run);
            self.buffer = Vec::new();
        }
        if self.runs.is_empty() {
            sort(&mut self.buffer, self.stride);
            if self.summing {
                sum(&mut self.buffer, self.stride)?;
            }
            return Ok(Merged::of_memory(self.buffer, self.stride));
        }
        self.buffer = Vec::new();
        Merged::new(self.runs, self.stride, self.summing)
    }
}

fn sort(records: &mut [u32], stride: usize) {
    macro_rules! by_stride {
        ($($width:literal)*) => {
            match stride {
                $($width => bytemuck::cast_slice_mut::<u32, [u32; $width]>(records).par_sort_unstable(),)*
                _ => unreachable!("records have 2 to {MOST_STRIDE} numbers"),
            }
        };
    }
    by_stride!(2 3 4 5 6 7 8 9 10 11 12);
}

fn add(total: &mut u32, count: u32) -> Result<()> {
    *total = total.checked_add(count).ok_or_else(|| Error::limit("something is counted more than 2^32 times"))?;
    Ok(())
}

/// Adds up records of a sorted list that agree in all but the last number.
fn sum(records: &mut Vec<u32>, stride: usize) -> Result<()> {
    let mut kept = 0;
    for at in (0..records.len()).step_by(stride) {
        let same = kept > 0 && records[kept - stride..kept - 1] == records[at..at + stride - 1];
        if same {
            let count = records[at + stride - 1];
            add(&mut records[kept - 1], count)?;
        } else {
            records.copy_within(at..at + stride, kept);
            kept += stride;
        }
    }
    records.truncate(kept);
    Ok(())
}

/// Sorted records, merged as they are read.
pub struct Merged {
    stride: usize,
    summing: bool,
    memory: Vec<u32>,
    at: usize,
    runs: Vec<SpoolReader>,
    /// The next record of each run, smallest first.
    heap: BinaryHeap<Reverse<([u32; MOST_STRIDE], usize)>>,
    current: [u32; MOST_STRIDE],
}

impl Merged {
    fn of_memory(memory: Vec<u32>, stride: usize) -> Self {
        let current = [0; MOST_STRIDE];
        Self { stride, summing: false, memory, at: 0, runs: Vec::new(), heap: BinaryHeap::new(), current }
    }

    fn new(runs: Vec<Spool>, stride: usize, summing: bool) -> Result<Self> {
        let mut merged = Self::of_memory(Vec::new(), stride);
        merged.summing = summing;
        merged.runs = runs.into_iter().map(Spool::read).collect::<Result<_>>()?;
        for run in 0..merged.runs.len() {
            merged.advance(run)?;
        }
        Ok(merged)
    }

    fn advance(&mut self, run: usize) -> Result<()> {
        if let Some(record) = self.runs[run].next()? {
            let mut padded = [0; MOST_STRIDE];
            padded[..record.len()].copy_from_slice(record);
            self.heap.push(Reverse((padded, run)));
        }
        Ok(())
    }

    /// The next record.
    pub fn next(&mut self) -> Result<Option<&[u32]>> {
        if self.runs.is_empty() {
            let record = self.memory.get(self.at..self.at + self.stride);
            self.at += self.stride;
            return Ok(record);
        }
        let Some(Reverse((record, run))) = self.heap.pop() else { return Ok(None) };
        self.current = record;
        self.advance(run)?;
        if self.summing {
            let key = self.stride - 1;
            while let Some(Reverse((next, run))) = self.heap.peek().copied() {
                if next[..key] != self.current[..key] {
                    break;
                }
                add(&mut self.current[key], next[key])?;
                self.heap.pop();
                self.advance(run)?;
            }
        }
        Ok(Some(&self.current[..self.stride]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_back_what_it_took_sorted_and_summed(
            records in prop::collection::vec((0_u32..30, 0_u32..30), 0..6000),
            spill in any::<bool>(),
        ) {
            // The smallest buffer has 1024 records.
            let mut sorter = Sorter::new(3, true, if spill { 1 } else { 1 << 20 });
            let mut expected = std::collections::BTreeMap::new();
            for &(a, b) in &records {
                sorter.push(&[a, b, 1]).unwrap();
                *expected.entry((a, b)).or_insert(0) += 1;
            }
            let mut merged = sorter.finish().unwrap();
            for ((a, b), count) in expected {
                prop_assert_eq!(merged.next().unwrap(), Some(&[a, b, count][..]));
            }
            prop_assert_eq!(merged.next().unwrap(), None);
        }

        #[test]
        fn many_runs(records in prop::collection::vec(any::<(u32, u32)>(), 3000..9000)) {
            let mut sorter = Sorter::new(2, false, 1);
            records.iter().for_each(|&(a, b)| sorter.push(&[a, b]).unwrap());
            let mut expected = records.clone();
            expected.sort_unstable();
            let mut merged = sorter.finish().unwrap();
            for (a, b) in expected {
                prop_assert_eq!(merged.next().unwrap(), Some(&[a, b][..]));
            }
            prop_assert_eq!(merged.next().unwrap(), None);
        }
    }
}
