//! How often words are linked, for lexical weights.

use std::io::{Seek, Write};

use crate::Result;
use crate::files::{Container, ContainerWriter, Section};
use crate::grammar::lexical::NULL;

/// Counts of linked words in the order of their ids, the empty word last.
#[derive(Debug, Clone)]
pub struct Counts {
    /// A source word in the high half, a target word in the low half.
    keys: Section<u64>,
    counts: Section<u64>,
}

impl Counts {
    /// Sorts counts; those of equal words are added.
    pub fn new(mut all: Vec<(u64, u64)>) -> Self {
        all.sort_unstable();
        all.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        let (keys, counts): (Vec<u64>, Vec<u64>) = all.into_iter().unzip();
        Self { keys: keys.into(), counts: counts.into() }
    }

    /// Writes its sections.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write<W: Write + Seek>(&self, out: &mut ContainerWriter<W>) -> Result<()> {
        out.section("linked-words", &self.keys)?;
        out.section("linked-counts", &self.counts)
    }

    /// Reads what [`Counts::write`] wrote, with word ids below `words` on either side.
    ///
    /// # Errors
    /// Arrays that it would not have written.
    pub fn read(file: &Container, words: [usize; 2]) -> Result<Self> {
        let read = Self { keys: file.section("linked-words")?, counts: file.section("linked-counts")? };
        let keys: &[u64] = &read.keys;
        let known = |word: u32, words: usize| word == NULL || (word as usize) < words;
        let valid = keys.len() == read.counts.len()
            && keys.windows(2).all(|pair| pair[0] < pair[1])
            && keys.iter().all(|&key| known((key >> 32) as u32, words[0]) && known(key as u32, words[1]))
            // So that sums of many stay far from the end of 64 bits.
            && read.counts.iter().all(|&count| count > 0 && count < 1 << 48);
        if valid { Ok(read) } else { Err(file.error("the counts of linked words are not valid")) }
    }

    /// The counts of all pairs of words.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.keys.iter().copied().zip(self.counts.iter().copied())
    }

    /// The target words linked with a source word, and their counts.
    pub fn of_source(&self, source: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let keys: &[u64] = &self.keys;
        let begin = keys.partition_point(|&key| (key >> 32) < u64::from(source));
        let end = begin + keys[begin..].partition_point(|&key| (key >> 32) == u64::from(source));
        keys[begin..end].iter().map(|&key| key as u32).zip(self.counts[begin..end].iter().copied())
    }
}
