//! Strings with numbers, in one piece of memory.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// Different strings, numbered in the order in which they came.
#[derive(Debug, Clone, Default)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of a string, a new one if it has none.
    ///
    /// # Panics
    /// At nearly 2^32 different strings.
    pub fn intern(&mut self, name: &str) -> u32 {
        let Self { bytes, ends, table } = self;
        let hash = xxh3_64(name.as_bytes());
        if let Some(&id) = table.find(hash, |&id| at(bytes, ends, id) == name.as_bytes()) {
            return id;
        }
        let id = u32::try_from(ends.len()).ok().filter(|&id| id < super::NONE).expect("fewer than 2^32 names");
        bytes.extend_from_slice(name.as_bytes());
        ends.push(bytes.len());
        table.insert_unique(hash, id, |&id| xxh3_64(at(bytes, ends, id)));
        id
    }

    /// The number of a string, if it has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        let same = |&id: &u32| at(&self.bytes, &self.ends, id) == name.as_bytes();
        self.table.find(xxh3_64(name.as_bytes()), same).copied()
    }

    /// The string of a number.
    ///
    /// # Panics
    /// When the number was not given here.
    pub fn get(&self, id: u32) -> &str {
        std::str::from_utf8(at(&self.bytes, &self.ends, id)).expect("names are added as strings")
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|id| self.get(id))
    }
}

fn at<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let begin = if id == 0 { 0 } else { ends[id - 1] };
    &bytes[begin..ends[id]]
}
