//! Collecting words and their counts.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use super::{SPECIALS, UNK, Vocabulary, word_at};
use crate::corpus::words::words;

/// Collects words and their counts; ids are given in the order in which words are first seen.
#[derive(Debug, Clone)]
pub struct VocabularyBuilder {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    counts: Vec<u64>,
    hashes: Vec<u64>,
    table: HashTable<u32>,
}

impl Default for VocabularyBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl VocabularyBuilder {
    /// A builder that knows the specials and nothing else.
    pub fn new() -> Self {
        let mut builder = Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            hashes: Vec::new(),
            table: HashTable::new(),
        };
        for special in SPECIALS {
            builder.intern(special);
        }
        builder
    }

    /// The number of ids given so far, specials included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing but the specials is known.
    pub fn is_empty(&self) -> bool {
        self.len() <= SPECIALS.len()
    }

    /// Counts a word once; gives its provisional id.
    pub fn add(&mut self, word: &str) -> u32 {
        self.add_times(word, 1)
    }

    /// Counts a word so many times; gives its provisional id.
    pub fn add_times(&mut self, word: &str, times: u64) -> u32 {
        let id = self.intern(word);
        let count = &mut self.counts[id as usize];
        *count = count.saturating_add(times);
        id
    }

    /// The provisional id of a word, without counting it.
    ///
    /// # Panics
    /// At more than 2^32 different words.
    pub fn intern(&mut self, word: &str) -> u32 {
        let Self { bytes, ends, counts, hashes, table } = self;
        let hash = xxh3_64(word.as_bytes());
        let same = |&id: &u32| hashes[id as usize] == hash && word_at(bytes, ends, id) == word.as_bytes();
        if let Some(&id) = table.find(hash, same) {
            return id;
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 different words");
        bytes.extend_from_slice(word.as_bytes());
        ends.push(bytes.len() as u64);
        counts.push(0);
        hashes.push(hash);
        table.insert_unique(hash, id, |&id| hashes[id as usize]);
        id
    }

    /// The id of a word, if it has one.
    pub fn find(&self, word: &str) -> Option<u32> {
        let hash = xxh3_64(word.as_bytes());
        let same =
            |&id: &u32| self.hashes[id as usize] == hash && word_at(&self.bytes, &self.ends, id) == word.as_bytes();
        self.table.find(hash, same).copied()
    }

    /// The word of a provisional id.
    ///
    /// # Panics
    /// When the id was not given by this builder.
    pub fn word(&self, id: u32) -> &str {
        std::str::from_utf8(word_at(&self.bytes, &self.ends, id)).expect("words are added as strings")
    }

    /// How often a word was added.
    ///
    /// # Panics
    /// When the id was not given by this builder.
    pub fn count(&self, id: u32) -> u64 {
        self.counts[id as usize]
    }

    /// Counts the words of a line and hands each provisional id to `each`; words merely spelled `<s>` or `</s>` count
    /// as `<unk>`, as in [`Vocabulary::text_id`].
    pub fn add_line(&mut self, line: &str, mut each: impl FnMut(u32)) {
        for word in words(line) {
            each(match word {
                "<s>" | "</s>" => self.add(SPECIALS[UNK as usize]),
                word => self.add(word),
            });
        }
    }

    /// The vocabulary of all words, each with the id it has here.
    pub(super) fn into_vocabulary(self) -> Vocabulary {
        Vocabulary::index(self.bytes, self.ends, self.counts, &self.hashes)
    }

    /// The vocabulary of the words seen at least `min_count` times, the most frequent ones if there would be more than
    /// `max_size` ids (specials included); and for each provisional id its final one.
    ///
    /// Words left out map to [`UNK`], which inherits their counts.
    pub fn finish(self, min_count: u64, max_size: Option<usize>) -> (Vocabulary, Vec<u32>) {
        let Self { bytes, ends, mut counts, hashes, .. } = self;
        let first = SPECIALS.len() as u32;
        let mut order: Vec<u32> = (first..ends.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_count = counts[b as usize].cmp(&counts[a as usize]);
            by_count.then_with(|| word_at(&bytes, &ends, a).cmp(word_at(&bytes, &ends, b)))
        });
        let frequent = order.partition_point(|&id| counts[id as usize] >= min_count);
        let kept = frequent.min(max_size.map_or(usize::MAX, |size| size.saturating_sub(SPECIALS.len())));
        counts[UNK as usize] += order[kept..].iter().map(|&id| counts[id as usize]).sum::<u64>();

        let mut renumbered = vec![UNK; ends.len()];
        let mut final_bytes = Vec::new();
        let mut final_ends = Vec::with_capacity(kept + SPECIALS.len());
        for (new, old) in (0u32..).zip((0..first).chain(order[..kept].iter().copied())) {
            renumbered[old as usize] = new;
            final_bytes.extend_from_slice(word_at(&bytes, &ends, old));
            final_ends.push(final_bytes.len() as u64);
        }
        let pick = |from: &[u64]| -> Vec<u64> {
            (0..first).chain(order[..kept].iter().copied()).map(|old| from[old as usize]).collect()
        };
        (Vocabulary::index(final_bytes, final_ends, pick(&counts), &pick(&hashes)), renumbered)
    }
}
