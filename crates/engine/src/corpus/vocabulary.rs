//! Words as numbers: a flat, immutable table of words, and the builder that makes one.
//!
//! A [`Vocabulary`] is four flat arrays (bytes, ends, counts, slots) without pointers, so that a file holding them can
//! be used where it lies. Each slot of the open-addressing table holds the upper half of a word's hash beside its id:
//! nearly every comparison that would fail is settled without touching the word.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use super::words::words;
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

/// An immutable map between words and ids.
///
/// The ids 0, 1 and 2 are [`SPECIALS`]; the others follow by descending count, and by bytes where counts are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    counts: Vec<u64>,
    slots: Vec<u64>,
}

/// The flat arrays of a [`Vocabulary`], as a file holds them.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// All words, one after the other.
    pub bytes: &'a [u8],
    /// Where each word ends in `bytes`.
    pub ends: &'a [u64],
    /// How often each word was seen.
    pub counts: &'a [u64],
    /// The open-addressing table: hash in the upper half, id in the lower; all ones where empty.
    pub slots: &'a [u64],
}

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
        Ok(Self::index(builder.bytes, builder.ends, builder.counts, &builder.hashes))
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
        Self { bytes, ends, counts, slots }
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
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
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

    /// The flat arrays, to be written to a file.
    pub fn parts(&self) -> Parts<'_> {
        Parts { bytes: &self.bytes, ends: &self.ends, counts: &self.counts, slots: &self.slots }
    }

    /// A vocabulary from arrays that came from outside, after checking all that lookups rely on.
    ///
    /// # Errors
    /// Arrays that no vocabulary would have written.
    pub fn from_parts(parts: Parts<'_>) -> Result<Self> {
        check_parts(parts).map_err(|what| Error::format(format!("not a valid vocabulary: {what}")))?;
        Ok(Self {
            bytes: parts.bytes.to_vec(),
            ends: parts.ends.to_vec(),
            counts: parts.counts.to_vec(),
            slots: parts.slots.to_vec(),
        })
    }
}

const TAG: u64 = 0xffff_ffff_0000_0000;

fn word_at<'a>(bytes: &'a [u8], ends: &[u64], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] as usize };
    &bytes[start..ends[id] as usize]
}

/// Checks in one pass that each word is UTF-8, non-empty and found under its own id, and that the table has room.
fn check_parts(parts: Parts<'_>) -> std::result::Result<(), String> {
    let Parts { bytes, ends, counts, slots } = parts;
    if ends.len() < SPECIALS.len() || u32::try_from(ends.len()).is_err() {
        return Err(format!("{} words", ends.len()));
    }
    if counts.len() != ends.len() {
        return Err(format!("{} counts for {} words", counts.len(), ends.len()));
    }
    if ends.last() != Some(&(bytes.len() as u64)) || ends[0] == 0 || ends.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err("the word boundaries are out of order".into());
    }
    if slots.len() != (2 * ends.len()).next_power_of_two() {
        return Err(format!("a table of {} slots for {} words", slots.len(), ends.len()));
    }
    // Exactly one slot per word leaves half of the table empty, so every lookup ends.
    if slots.iter().filter(|&&slot| slot != EMPTY).count() != ends.len() {
        return Err("the table does not hold each word once".into());
    }
    for id in 0..ends.len() as u32 {
        let word = word_at(bytes, ends, id);
        if std::str::from_utf8(word).is_err() {
            return Err(format!("word {id} is not UTF-8"));
        }
        if SPECIALS.get(id as usize).is_some_and(|special| special.as_bytes() != word) {
            return Err(format!("word {id} is not {}", SPECIALS[id as usize]));
        }
        let hash = xxh3_64(word);
        let mut at = hash as usize & (slots.len() - 1);
        while slots[at] != (hash & TAG | u64::from(id)) {
            let slot = slots[at];
            let same = slot & TAG == hash & TAG
                && (slot as u32) < ends.len() as u32
                && word_at(bytes, ends, slot as u32) == word;
            if slot == EMPTY || slot as u32 >= ends.len() as u32 || same {
                return Err(format!("word {id} is not found in the table"));
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }
    Ok(())
}

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
        let id = self.intern(word);
        self.counts[id as usize] += 1;
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

    #[test]
    fn refuses_every_damaged_array() {
        let (vocabulary, _) = build(&["b a c", "b c d e f g h i"], 1, None);
        let good = vocabulary.parts();
        assert_eq!(Vocabulary::from_parts(good).unwrap(), vocabulary);
        assert!(Vocabulary::from_parts(Parts { bytes: &[], ends: &[], counts: &[], slots: &[] }).is_err());
        assert!(Vocabulary::from_parts(Parts { counts: &good.counts[1..], ..good }).is_err());
        for at in 0..good.slots.len() {
            for value in [EMPTY, 0, 3, u64::from(u32::MAX), good.slots[at] ^ 1, good.slots[at] ^ (1 << 40)] {
                let mut slots = good.slots.to_vec();
                slots[at] = value;
                if value != good.slots[at] {
                    assert!(Vocabulary::from_parts(Parts { slots: &slots, ..good }).is_err(), "slot {at} = {value:x}");
                }
            }
        }
        for at in 0..good.ends.len() {
            for value in [0, 1, u64::MAX, good.ends[at] + 1, good.ends[at] - 1] {
                let mut ends = good.ends.to_vec();
                ends[at] = value;
                if value != good.ends[at] {
                    assert!(Vocabulary::from_parts(Parts { ends: &ends, ..good }).is_err(), "end {at} = {value}");
                }
            }
        }
        for at in 0..good.bytes.len() {
            let mut bytes = good.bytes.to_vec();
            bytes[at] = 0xff;
            assert!(Vocabulary::from_parts(Parts { bytes: &bytes, ..good }).is_err(), "byte {at}");
        }
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
                prop_assert_eq!(vocabulary.id(word), renumbered[*old as usize]);
            }
            let total: u64 = (0..vocabulary.len() as u32).map(|id| vocabulary.count(id)).sum();
            prop_assert_eq!(total, seen.len() as u64);
            prop_assert_eq!(Vocabulary::from_parts(vocabulary.parts()).unwrap(), vocabulary);
        }
    }
}
