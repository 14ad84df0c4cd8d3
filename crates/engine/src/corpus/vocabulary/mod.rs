//! Words as numbers: a flat, immutable table of words, and the builder that makes one.
//!
//! A [`Vocabulary`] is four flat arrays (bytes, ends, counts, slots) without pointers, so that a file holding them is
//! used where it lies. Each slot of the open-addressing table holds the upper half of a word's hash beside its id:
//! nearly every comparison that would fail is settled without touching the word.

mod builder;
mod stored;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

pub use builder::VocabularyBuilder;
pub use stored::KIND;

use super::words::words;
use crate::files::Section;
use crate::{Error, Result};

/// The id of every word that is not in the vocabulary.
pub const UNK: u32 = 0;
/// The id of the sentence start.
pub const BOS: u32 = 1;
/// The id of the sentence end.
pub const EOS: u32 = 2;
/// The spellings of the ids 0, 1 and 2.
pub const SPECIALS: [&str; 3] = ["<unk>", "<s>", "</s>"];

const EMPTY: u64 = u64::MAX;
const TAG: u64 = 0xffff_ffff_0000_0000;
const LINES_PER_CHUNK: usize = 1024;

/// An immutable map between words and ids.
///
/// The ids 0, 1 and 2 are [`SPECIALS`]; the others follow by descending count, and by bytes where counts are equal.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// All words, one after the other.
    bytes: Section<u8>,
    /// Where each word ends in `bytes`.
    ends: Section<u64>,
    /// How often each word was seen.
    counts: Section<u64>,
    /// The open-addressing table: hash in the upper half, id in the lower; all ones where empty.
    slots: Section<u64>,
}

/// The same words with the same ids and counts, wherever they are held.
impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.bytes[..] == other.bytes[..] && self.ends[..] == other.ends[..] && self.counts[..] == other.counts[..]
    }
}

impl Eq for Vocabulary {}

impl Vocabulary {
    /// The vocabulary of these words in this order, after the specials; all counts are 0.
    ///
    /// # Errors
    /// A word that is empty, occurs twice, or is spelled like a special.
    pub fn from_words<'a>(listed: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut builder = VocabularyBuilder::new();
        for word in listed {
            let before = builder.len();
            builder.intern(word);
            if word.is_empty() || builder.len() == before {
                return Err(Error::input(format!("{word:?} cannot be added to the vocabulary"))
                    .hint("every word must be non-empty, listed once, and not <unk>, <s> or </s>"));
            }
        }
        Ok(builder.into_vocabulary())
    }

    fn index(bytes: Vec<u8>, ends: Vec<u64>, counts: Vec<u64>, hashes: &[u64]) -> Self {
        // At most half full: a miss, the common case for unknown words, ends after a slot or two.
        let size = (2 * hashes.len()).next_power_of_two();
        let mut slots = vec![EMPTY; size];
        for (id, &hash) in (0u32..).zip(hashes) {
            let mut at = hash as usize & (size - 1);
            while slots[at] != EMPTY {
                at = (at + 1) & (size - 1);
            }
            slots[at] = hash & TAG | u64::from(id);
        }
        Self { bytes: bytes.into(), ends: ends.into(), counts: counts.into(), slots: slots.into() }
    }

    /// The number of ids, specials included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing but the specials is known.
    pub fn is_empty(&self) -> bool {
        self.len() <= SPECIALS.len()
    }

    /// The id of a word, [`UNK`] if it has none.
    pub fn id(&self, word: &str) -> u32 {
        self.find(word).unwrap_or(UNK)
    }

    /// The id of a word, if it has one.
    pub fn find(&self, word: &str) -> Option<u32> {
        let hash = xxh3_64(word.as_bytes());
        let slots: &[u64] = &self.slots;
        let mask = slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = slots[at];
            if slot == EMPTY {
                return None;
            }
            if slot & TAG == hash & TAG && self.word_bytes(slot as u32) == word.as_bytes() {
                return Some(slot as u32);
            }
            at = (at + 1) & mask;
        }
    }

    /// The word of an id.
    ///
    /// # Panics
    /// When the id is not below [`Vocabulary::len`].
    pub fn word(&self, id: u32) -> &str {
        std::str::from_utf8(self.word_bytes(id)).expect("words are checked when they are added or opened")
    }

    /// How often the word of this id was seen when the vocabulary was built.
    ///
    /// # Panics
    /// When the id is not below [`Vocabulary::len`].
    pub fn count(&self, id: u32) -> u64 {
        self.counts[id as usize]
    }

    fn word_bytes(&self, id: u32) -> &[u8] {
        word_at(&self.bytes, &self.ends, id)
    }

    /// The id of a word met in text: a word merely spelled `<s>` or `</s>` is unknown, so that text cannot smuggle in
    /// a sentence boundary.
    pub fn text_id(&self, word: &str) -> u32 {
        match self.id(word) {
            BOS | EOS => UNK,
            id => id,
        }
    }

    /// Appends the ids of the words of a line (see [`Vocabulary::text_id`]).
    pub fn encode_into(&self, line: &str, ids: &mut Vec<u32>) {
        ids.extend(words(line).map(|word| self.text_id(word)));
    }

    /// The ids of the words of all lines, one line after the other, and where each line ends.
    pub fn encode_lines<S: AsRef<str> + Sync>(&self, lines: &[S]) -> (Vec<u32>, Vec<u64>) {
        let chunks: Vec<(Vec<u32>, Vec<usize>)> = lines
            .par_chunks(LINES_PER_CHUNK)
            .map(|chunk| {
                let (mut ids, mut ends) = (Vec::new(), Vec::with_capacity(chunk.len()));
                for line in chunk {
                    self.encode_into(line.as_ref(), &mut ids);
                    ends.push(ids.len());
                }
                (ids, ends)
            })
            .collect();
        let (mut all, mut ends) = (Vec::new(), Vec::with_capacity(lines.len()));
        for (ids, chunk_ends) in &chunks {
            ends.extend(chunk_ends.iter().map(|end| (all.len() + end) as u64));
            all.extend_from_slice(ids);
        }
        (all, ends)
    }

    /// The words of these ids with single spaces between them.
    ///
    /// # Errors
    /// An id that is not below [`Vocabulary::len`].
    pub fn decode(&self, ids: &[u32]) -> Result<String> {
        let mut line = String::new();
        for (position, &id) in ids.iter().enumerate() {
            if id as usize >= self.len() {
                return Err(Error::input(format!("{id} is not an id of this vocabulary of {} words", self.len())));
            }
            if position > 0 {
                line.push(' ');
            }
            line.push_str(self.word(id));
        }
        Ok(line)
    }
}

fn word_at<'a>(bytes: &'a [u8], ends: &[u64], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] as usize };
    &bytes[start..ends[id] as usize]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn build(lines: &[&str], min_count: u64, max_size: Option<usize>) -> (Vocabulary, Vec<u32>) {
        let mut builder = VocabularyBuilder::new();
        for line in lines {
            builder.add_line(line, |_| {});
        }
        builder.finish(min_count, max_size)
    }

    #[test]
    fn orders_by_count_then_bytes() {
        let (vocabulary, renumbered) = build(&["b a c", "b c <s> é"], 1, None);
        let listed: Vec<&str> = (0..vocabulary.len() as u32).map(|id| vocabulary.word(id)).collect();
        assert_eq!(listed, ["<unk>", "<s>", "</s>", "b", "c", "a", "é"]);
        assert_eq!(renumbered, [0, 1, 2, 3, 5, 4, 6]);
        assert_eq!((vocabulary.count(UNK), vocabulary.count(BOS), vocabulary.count(3)), (1, 0, 2));
        assert_eq!(vocabulary.id("<s>"), BOS);
        let mut ids = Vec::new();
        vocabulary.encode_into("a <s> zebra b", &mut ids);
        assert_eq!(ids, [5, UNK, UNK, 3]);
        assert_eq!(vocabulary.decode(&ids).unwrap(), "a <unk> <unk> b");
        assert!(vocabulary.decode(&[7]).is_err());
    }

    #[test]
    fn cuts_rare_words() {
        let (vocabulary, renumbered) = build(&["a a a b b c"], 2, Some(4));
        assert_eq!((vocabulary.len(), vocabulary.id("a"), vocabulary.id("b")), (4, 3, UNK));
        assert_eq!(renumbered, [0, 1, 2, 3, UNK, UNK]);
        assert_eq!(vocabulary.count(UNK), 3);
    }

    #[test]
    fn refuses_words_that_cannot_be_told_apart() {
        assert!(Vocabulary::from_words(["a", "a"]).is_err());
        assert!(Vocabulary::from_words(["<s>"]).is_err());
        assert!(Vocabulary::from_words([""]).is_err());
        assert_eq!(Vocabulary::from_words(["b", "a"]).unwrap().id("a"), 4);
    }

    proptest! {
        #[test]
        fn every_word_is_found_under_its_id(lines in prop::collection::vec("[a-cé ]{0,12}|\\PC{0,8}", 0..30)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let mut builder = VocabularyBuilder::new();
            let mut seen = Vec::new();
            for line in &lines {
                builder.add_line(line, |id| seen.push(id));
            }
            let spelled: Vec<String> = seen.iter().map(|&id| builder.word(id).to_owned()).collect();
            let (vocabulary, renumbered) = builder.finish(1, None);
            for (old, word) in seen.iter().zip(&spelled) {
                prop_assert_eq!(vocabulary.word(renumbered[*old as usize]), word);
                prop_assert_eq!(vocabulary.find(word), Some(renumbered[*old as usize]));
                prop_assert_eq!(vocabulary.id(word), renumbered[*old as usize]);
            }
            let total: u64 = (0..vocabulary.len() as u32).map(|id| vocabulary.count(id)).sum();
            prop_assert_eq!(total, seen.len() as u64);
            let unseen = "never seen";
            prop_assert_eq!((vocabulary.find(unseen), vocabulary.id(unseen)), (None, UNK));
            let (flat, ends) = vocabulary.encode_lines(&lines);
            let expected: Vec<u32> = seen.iter().map(|&old| renumbered[old as usize]).collect();
            prop_assert_eq!(&flat, &expected);
            prop_assert_eq!(ends.len(), lines.len());
            prop_assert_eq!(ends.last().copied().unwrap_or(0), flat.len() as u64);
        }
    }
}
