//! Vocabularies in containers: of their own, or as sections of a model that has one.

use std::io::{Seek, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::{EMPTY, SPECIALS, TAG, Vocabulary, word_at};
use crate::Result;
use crate::files::{Container, ContainerWriter, Verify};

/// The kind of a container that holds a vocabulary and nothing else.
pub const KIND: &str = "vocabulary";
const VERSION: u32 = 1;

impl Vocabulary {
    /// Saves to a container of its own.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = ContainerWriter::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer, "word")?;
        writer.finish()
    }

    /// Opens a saved vocabulary; the words stay in the file.
    ///
    /// # Errors
    /// A file that is not a valid vocabulary, or larger than `most_bytes`.
    pub fn open(path: impl AsRef<Path>, most_bytes: u64) -> Result<Self> {
        let container = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        container.kind_version_up_to(VERSION)?;
        Self::from_sections(&container, "word")
    }

    /// Writes sections that begin with `name`: `word-bytes`, `word-ends`, `word-counts` and `word-slots` for `word`.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write_sections<W: Write + Seek>(&self, writer: &mut ContainerWriter<W>, name: &str) -> Result<()> {
        writer.section(&format!("{name}-bytes"), &self.bytes)?;
        writer.section(&format!("{name}-ends"), &self.ends)?;
        writer.section(&format!("{name}-counts"), &self.counts)?;
        writer.section(&format!("{name}-slots"), &self.slots)
    }

    /// The vocabulary in the sections of a container that begin with `name`, after checking all that lookups rely on.
    ///
    /// # Errors
    /// Sections that no vocabulary would have written.
    pub fn from_sections(container: &Container, name: &str) -> Result<Self> {
        let vocabulary = Self {
            bytes: container.section(&format!("{name}-bytes"))?,
            ends: container.section(&format!("{name}-ends"))?,
            counts: container.section(&format!("{name}-counts"))?,
            slots: container.section(&format!("{name}-slots"))?,
        };
        check(&vocabulary).map_err(|what| {
            container.error(format!("the vocabulary is not valid: {what}")).hint("make or copy the file again")
        })?;
        Ok(vocabulary)
    }

    fn arrays(&self) -> (&[u8], &[u64], &[u64], &[u64]) {
        (&self.bytes, &self.ends, &self.counts, &self.slots)
    }
}

/// Checks in one pass that each word is UTF-8, non-empty and found under its own id, and that the table has room.
fn check(vocabulary: &Vocabulary) -> std::result::Result<(), String> {
    let (bytes, ends, counts, slots) = vocabulary.arrays();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::vocabulary::VocabularyBuilder;

    fn vocabulary() -> Vocabulary {
        let mut builder = VocabularyBuilder::new();
        builder.add_line("b a c b c d e f g h i", |_| {});
        builder.finish(1, None).0
    }

    #[test]
    fn survives_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.tlk");
        let before = vocabulary();
        before.save(&path).unwrap();
        let after = Vocabulary::open(&path, 1 << 20).unwrap();
        assert_eq!(after.arrays(), before.arrays());
        assert_eq!(after.id("c"), before.id("c"));
        assert!(Vocabulary::open(&path, 10).is_err());
    }

    #[test]
    fn refuses_every_damaged_array() {
        let good = vocabulary();
        assert_eq!(check(&good), Ok(()));
        let empty = || Vocabulary {
            bytes: Vec::new().into(),
            ends: Vec::new().into(),
            counts: Vec::new().into(),
            slots: Vec::new().into(),
        };
        assert!(check(&empty()).is_err());
        assert!(check(&Vocabulary { counts: good.counts[1..].to_vec().into(), ..good.clone() }).is_err());
        for at in 0..good.slots.len() {
            for value in [EMPTY, 0, 3, u64::from(u32::MAX), good.slots[at] ^ 1, good.slots[at] ^ (1 << 40)] {
                let mut slots = good.slots.to_vec();
                slots[at] = value;
                if value != good.slots[at] {
                    let bad = Vocabulary { slots: slots.into(), ..good.clone() };
                    assert!(check(&bad).is_err(), "slot {at} = {value:x}");
                }
            }
        }
        for at in 0..good.ends.len() {
            for value in [0, 1, u64::MAX, good.ends[at] + 1, good.ends[at] - 1] {
                let mut ends = good.ends.to_vec();
                ends[at] = value;
                if value != good.ends[at] {
                    let bad = Vocabulary { ends: ends.into(), ..good.clone() };
                    assert!(check(&bad).is_err(), "end {at} = {value}");
                }
            }
        }
        for at in 0..good.bytes.len() {
            let mut bytes = good.bytes.to_vec();
            bytes[at] = 0xff;
            assert!(check(&Vocabulary { bytes: bytes.into(), ..good.clone() }).is_err(), "byte {at}");
        }
    }
}
