//! Lists of records (a key and a payload, both bytes) in memory or on disk, and merging sorted ones.
//!
//! The keys of neighbours in a sorted list begin alike, so only what is new of a key is stored.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use super::code::{put_number, take_number};
use super::tally::prefix;
use crate::Result;
use crate::files::runs::BUFFER_BYTES;
use crate::files::temporary::{disk, nameless};

enum Medium {
    Memory(Vec<u8>),
    Disk(BufWriter<File>),
}

/// Records in the order in which they were pushed.
pub struct Run {
    medium: Medium,
    last: Vec<u8>,
    head: Vec<u8>,
    bytes: usize,
    /// How many records there are.
    pub len: u64,
}

impl Run {
    /// An empty list.
    pub fn new(on_disk: bool) -> Result<Self> {
        let medium = if on_disk {
            Medium::Disk(BufWriter::with_capacity(BUFFER_BYTES, nameless()?))
        } else {
            Medium::Memory(Vec::new())
        };
        Ok(Self { medium, last: Vec::new(), head: Vec::new(), bytes: 0, len: 0 })
    }

    /// Appends a record.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        let same = self.last.iter().zip(key).take_while(|(a, b)| a == b).count();
        self.head.clear();
        put_number(&mut self.head, same as u64);
        put_number(&mut self.head, (key.len() - same) as u64);
        put_number(&mut self.head, payload.len() as u64);
        self.last.truncate(same);
        self.last.extend_from_slice(&key[same..]);
        self.len += 1;
        self.bytes += self.head.len() + key.len() - same + payload.len();
        match &mut self.medium {
            Medium::Memory(memory) => {
                memory.extend_from_slice(&self.head);
                memory.extend_from_slice(&key[same..]);
                memory.extend_from_slice(payload);
                Ok(())
            }
            Medium::Disk(file) => {
                let written = file.write_all(&self.head).and_then(|()| file.write_all(&key[same..]));
                written.and_then(|()| file.write_all(payload)).map_err(|error| disk(&error))
            }
        }
    }

    /// Whether it is on disk.
    pub fn on_disk(&self) -> bool {
        matches!(self.medium, Medium::Disk(_))
    }

    /// Bytes it takes in memory or on disk.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Turns to reading.
    pub fn read(self) -> Result<Cursor> {
        let (memory, file) = match self.medium {
            Medium::Memory(memory) => (memory, None),
            Medium::Disk(file) => {
                let mut file = file.into_inner().map_err(|error| disk(error.error()))?;
                file.seek(SeekFrom::Start(0)).map_err(|error| disk(&error))?;
                (Vec::new(), Some(BufReader::with_capacity(BUFFER_BYTES, file)))
            }
        };
        Ok(Cursor { memory, at: 0, file, len: self.len, left: self.len, key: Vec::new(), payload: Vec::new() })
    }
}

/// Reads a [`Run`].
pub struct Cursor {
    memory: Vec<u8>,
    at: usize,
    file: Option<BufReader<File>>,
    len: u64,
    left: u64,
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl Cursor {
    /// Goes back to before the first record of a list in memory.
    pub fn rewind(&mut self) {
        debug_assert!(self.file.is_none(), "a list on disk is read once");
        self.at = 0;
        self.left = self.len;
        self.key.clear();
    }

    /// Goes to the next record; false after the last.
    pub fn advance(&mut self) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        if let Some(file) = &mut self.file {
            let mut numbers = [0_usize; 3];
            for number in &mut numbers {
                *number = number_from(file)?;
            }
            let [same, new, payload] = numbers;
            self.key.truncate(same);
            self.key.resize(same + new, 0);
            file.read_exact(&mut self.key[same..]).map_err(|error| disk(&error))?;
            self.payload.resize(payload, 0);
            file.read_exact(&mut self.payload).map_err(|error| disk(&error))?;
        } else {
            let mut bytes = &self.memory[self.at..];
            let before = bytes.len();
            let same = take_number(&mut bytes) as usize;
            let new = take_number(&mut bytes) as usize;
            let payload = take_number(&mut bytes) as usize;
            self.key.truncate(same);
            self.key.extend_from_slice(&bytes[..new]);
            self.payload.clear();
            self.payload.extend_from_slice(&bytes[new..new + payload]);
            self.at += before - bytes.len() + new + payload;
        }
        Ok(true)
    }

    /// The key of the current record.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The payload of the current record.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }
}

fn number_from(file: &mut impl Read) -> Result<usize> {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let mut byte = [0];
        file.read_exact(&mut byte).map_err(|error| disk(&error))?;
        value |= usize::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(value);
        }
        shift += 7;
    }
}

/// Sorted lists read as one sorted list.
pub struct Merge {
    cursors: Vec<Cursor>,
    /// A binary heap of the cursors' next records: the first bytes of the key, and which cursor.
    heap: Vec<(u64, u32)>,
    started: bool,
}

impl Merge {
    /// Begins to read.
    pub fn new(runs: Vec<Run>) -> Result<Self> {
        let mut merge = Self { cursors: Vec::with_capacity(runs.len()), heap: Vec::new(), started: false };
        for run in runs {
            let mut cursor = run.read()?;
            if cursor.advance()? {
                merge.heap.push((prefix(cursor.key()), merge.cursors.len() as u32));
                merge.cursors.push(cursor);
            }
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sink(at);
        }
        Ok(merge)
    }

    fn less(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.heap[a], self.heap[b]);
        let keys = |run: u32| self.cursors[run as usize].key();
        a.0.cmp(&b.0).then_with(|| keys(a.1).cmp(keys(b.1))).then(a.1.cmp(&b.1)).is_lt()
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                return;
            }
            if child + 1 < self.heap.len() && self.less(child + 1, child) {
                child += 1;
            }
            if !self.less(child, at) {
                return;
            }
            self.heap.swap(at, child);
            at = child;
        }
    }

    /// Goes to the next record; false after the last.
    pub fn advance(&mut self) -> Result<bool> {
        if self.started && !self.heap.is_empty() {
            let run = self.heap[0].1;
            if self.cursors[run as usize].advance()? {
                self.heap[0].0 = prefix(self.cursors[run as usize].key());
            } else {
                self.heap.swap_remove(0);
            }
            self.sink(0);
        }
        self.started = true;
        Ok(!self.heap.is_empty())
    }

    /// The key of the current record.
    pub fn key(&self) -> &[u8] {
        self.cursors[self.heap[0].1 as usize].key()
    }

    /// The payload of the current record.
    pub fn payload(&self) -> &[u8] {
        self.cursors[self.heap[0].1 as usize].payload()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Tally;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn merges_what_was_tallied(
            added in prop::collection::vec((prop::collection::vec(0_u8..4, 0..12), 1_u64..1000, 0_usize..4), 0..400),
            on_disk: bool,
        ) {
            let mut tallies = [Tally::default(), Tally::default(), Tally::default(), Tally::default()];
            let mut expected = BTreeMap::new();
            for (key, count, which) in &added {
                tallies[*which].add(key, *count);
                *expected.entry(key.clone()).or_insert(0) += count;
            }
            let mut runs: Vec<Run> = tallies.iter_mut().map(|tally| tally.drain(on_disk, None).unwrap()).collect();
            runs.push(tallies[0].drain(!on_disk, None).unwrap());
            let mut merge = Merge::new(runs).unwrap();
            let mut found: Vec<(Vec<u8>, u64)> = Vec::new();
            while merge.advance().unwrap() {
                let count = take_number(&mut merge.payload());
                match found.last_mut() {
                    Some(last) if last.0 == merge.key() => last.1 += count,
                    _ => found.push((merge.key().to_vec(), count)),
                }
            }
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
