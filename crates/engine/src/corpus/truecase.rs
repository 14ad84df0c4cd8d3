//! Truecasing: giving words at the start of a sentence the case they have elsewhere.
//!
//! The model of Lita et al. (2003, section 3.1, the unigram baseline) as the Moses scripts made it common: each word
//! gets the casing that is most frequent in places where the language, not the position, decides.

use std::path::Path;

use hashbrown::HashMap;
use rayon::prelude::*;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::casing::{Casing, Shape};
use super::vocabulary::VocabularyBuilder;
use super::words::words;
use crate::Result;
use crate::files::{Container, ContainerWriter, Verify};

/// The kind of a truecaser's container.
pub const KIND: &str = "truecaser";
const VERSION: u32 = 1;

/// Words with case a line must have to be taken for a headline by capitals alone; German sentences of three
/// capitalised words are common.
const HEADLINE_WORDS: usize = 4;

/// How often a casing was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// In places where the position does not ask for a capital.
    pub inside: u64,
    /// At starts of sentences, after colons, opening quotes and brackets.
    pub initial: u64,
}

/// Counts casings.
#[derive(Debug, Clone)]
pub struct TruecaserBuilder {
    language: String,
    variants: VocabularyBuilder,
    seen: Vec<Seen>,
}

impl TruecaserBuilder {
    /// A builder that has seen nothing; the language decides the rules of casing.
    pub fn new(language: &str) -> Self {
        Self { language: language.to_owned(), variants: VocabularyBuilder::new(), seen: Vec::new() }
    }

    /// Counts the words of a tokenised line. A headline (see [`is_headline`]) says nothing about its words' case and
    /// is passed over.
    pub fn add_line(&mut self, line: &str) {
        if is_headline(line) {
            return;
        }
        let mut place = Place::start();
        for word in words(line) {
            let initial = place.step(word);
            if Shape::of(word) != Shape::Uncased {
                let times = if initial { Seen { inside: 0, initial: 1 } } else { Seen { inside: 1, initial: 0 } };
                self.add(word, times);
            }
        }
    }

    /// Counts a casing.
    pub fn add(&mut self, word: &str, times: Seen) {
        let id = self.variants.intern(word) as usize;
        if id >= self.seen.len() {
            self.seen.resize(id + 1, Seen::default());
        }
        self.seen[id].inside = self.seen[id].inside.saturating_add(times.inside);
        self.seen[id].initial = self.seen[id].initial.saturating_add(times.initial);
    }

    /// The truecaser of what was counted.
    pub fn finish(&self) -> Truecaser {
        let mut variants: Vec<(&str, Seen)> = (0u32..)
            .zip(&self.seen)
            .filter(|(_, seen)| **seen != Seen::default())
            .map(|(id, seen)| (self.variants.word(id), *seen))
            .collect();
        variants.sort_unstable_by_key(|&(word, _)| word);

        let casing = Casing::of(&self.language);
        let mut words: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, (word, _)) in (0u32..).zip(&variants) {
            words.entry(casing.lower(word)).or_default().push(index);
        }
        let mut best = HashMap::with_capacity(words.len());
        let mut known = HashMap::with_capacity(variants.len());
        for (lower, members) in words {
            let seen = |index: &u32| variants[*index as usize].1;
            // Starts of sentences count only for words that were never seen elsewhere.
            let elsewhere = members.iter().any(|index| seen(index).inside > 0);
            let weight = |index: &u32| if elsewhere { seen(index).inside } else { seen(index).initial };
            let winner = members
                .iter()
                .copied()
                // The most frequent; of equals the one in lower case, else the first by bytes.
                .max_by_key(|index| (weight(index), variants[*index as usize].0 == lower, std::cmp::Reverse(*index)))
                .expect("every entry has a member");
            for index in &members {
                known.insert(variants[*index as usize].0.into(), weight(index) > 0);
            }
            best.insert(lower.into(), variants[winner as usize].0.into());
        }
        let variants = variants.into_iter().map(|(word, seen)| (word.into(), seen)).collect();
        Truecaser { language: self.language.clone(), variants, best, known }
    }
}

/// Knows the usual casing of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truecaser {
    language: String,
    variants: Vec<(Box<str>, Seen)>,
    /// Lower case to the usual casing.
    best: HashMap<Box<str>, Box<str>>,
    /// Casings that were seen, and whether they took part in the vote.
    known: HashMap<Box<str>, bool>,
}

impl Truecaser {
    /// The language, as it was given for training.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The language's rules of casing.
    pub fn casing(&self) -> Casing {
        Casing::of(&self.language)
    }

    /// The number of words known, whatever their case.
    pub fn len(&self) -> usize {
        self.best.len()
    }

    /// Whether no word is known.
    pub fn is_empty(&self) -> bool {
        self.best.is_empty()
    }

    /// All casings seen, in the order of their bytes.
    pub fn variants(&self) -> &[(Box<str>, Seen)] {
        &self.variants
    }

    /// The usual casing of a word, if the word is known in any casing.
    pub fn usual(&self, word: &str) -> Option<&str> {
        self.best.get(self.casing().lower(word).as_str()).map(AsRef::as_ref)
    }

    /// The tokenised line with each word in its usual case.
    ///
    /// At the start of a sentence a known word takes its usual casing; elsewhere a casing that was seen in training
    /// stays, and an unseen one becomes the usual one. Unknown words stay as they are. In a headline every word is
    /// treated as if it began a sentence. Spaces stay as they are.
    pub fn truecase(&self, line: &str) -> String {
        let headline = is_headline(line);
        let mut place = Place::start();
        map_words(line, |word, out| {
            let initial = place.step(word) || headline;
            let stays = Shape::of(word) == Shape::Uncased || (!initial && self.known.get(word).copied() == Some(true));
            let usual = if stays { None } else { self.usual(word) };
            out.push_str(usual.unwrap_or(word));
        })
    }

    /// Saves to a container.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(self.variants.len());
        for (word, _) in &self.variants {
            bytes.extend_from_slice(word.as_bytes());
            ends.push(bytes.len() as u64);
        }
        let column =
            |count: fn(&Seen) -> u64| -> Vec<u64> { self.variants.iter().map(|(_, seen)| count(seen)).collect() };
        let mut writer = ContainerWriter::create(path, KIND, VERSION)?;
        writer.section_bytes("language", self.language.as_bytes())?;
        writer.section("word-bytes", &bytes)?;
        writer.section("word-ends", &ends)?;
        writer.section("inside", &column(|seen| seen.inside))?;
        writer.section("initial", &column(|seen| seen.initial))?;
        writer.finish()
    }

    /// Opens a saved truecaser.
    ///
    /// # Errors
    /// A file that is not a valid truecaser, or larger than `most_bytes`.
    pub fn open(path: impl AsRef<Path>, most_bytes: u64) -> Result<Self> {
        let container = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        container.kind_version_up_to(VERSION)?;
        let damaged = || container.error("the truecaser is not valid").hint("make or copy the file again");
        let language = std::str::from_utf8(container.bytes("language")?).map_err(|_| damaged())?;
        let bytes: &[u8] = container.slice("word-bytes")?;
        let ends: &[u64] = container.slice("word-ends")?;
        let inside: &[u64] = container.slice("inside")?;
        let initial: &[u64] = container.slice("initial")?;
        if inside.len() != ends.len() || initial.len() != ends.len() {
            return Err(damaged());
        }
        let mut builder = TruecaserBuilder::new(language);
        let mut start = 0;
        for ((&end, &inside), &initial) in ends.iter().zip(inside).zip(initial) {
            let word = usize::try_from(end).ok().and_then(|end| bytes.get(start..end)).ok_or_else(damaged)?;
            builder.add(std::str::from_utf8(word).map_err(|_| damaged())?, Seen { inside, initial });
            start = end as usize;
        }
        Ok(builder.finish())
    }

    /// Many lines, truecased.
    pub fn truecase_lines<S: AsRef<str> + Sync>(&self, lines: &[S]) -> Vec<String> {
        lines.par_iter().map(|line| self.truecase(line.as_ref())).collect()
    }
}

/// Many lines, recased.
pub fn recase_lines<S: AsRef<str> + Sync>(casing: Casing, lines: &[S]) -> Vec<String> {
    lines.par_iter().map(|line| recase(casing, line.as_ref())).collect()
}

/// The tokenised line with a capital at the start of each sentence: of the line, and after `.`, `?` and `!`, but not
/// after a colon. A word with a capital further in (iPhone) stays as it is.
pub fn recase(casing: Casing, line: &str) -> String {
    let mut start = true;
    map_words(line, |word, out| {
        if start && !word.chars().any(char::is_uppercase) && word.chars().next().is_some_and(char::is_alphabetic) {
            casing.capitalise_into(word, out);
        } else {
            out.push_str(word);
        }
        start = ends_sentence(word) || (start && !word.chars().any(char::is_alphanumeric));
    })
}

/// Rewrites each word and keeps what is between them.
pub(super) fn map_words(line: &str, mut rewrite: impl FnMut(&str, &mut String)) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut done = 0;
    for word in words(line) {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        out.push_str(&line[done..start]);
        rewrite(word, &mut out);
        done = start + word.len();
    }
    out.push_str(&line[done..]);
    out
}

/// Whether the case of a line's words tells of its layout only: all its words with case are in capitals and there are
/// at least two, or all begin with a capital and there are at least four.
pub fn is_headline(line: &str) -> bool {
    let (mut cased, mut caps) = (0, 0);
    for word in words(line) {
        match Shape::of(word) {
            Shape::Uncased => {}
            Shape::Lower => return false,
            Shape::Capital => cased += 1,
            Shape::AllCaps => {
                cased += 1;
                caps += 1;
            }
        }
    }
    cased >= HEADLINE_WORDS || (cased >= 2 && cased == caps)
}

fn ends_sentence(word: &str) -> bool {
    matches!(word, "." | "?" | "!" | "…" | "..." | "。" | "؟" | "।" | "։")
}

/// Where in a line we are, as far as it decides whether the next word gets a capital whatever it is.
struct Place {
    initial: bool,
}

impl Place {
    fn start() -> Self {
        Self { initial: true }
    }

    /// Whether this word is at a place that asks for a capital; moves on behind it.
    fn step(&mut self, word: &str) -> bool {
        let initial = self.initial;
        // A token without letters or digits (quotes, dashes, bullets) leaves the start of a sentence to the next.
        self.initial =
            ends_sentence(word) || word == ":" || opens(word) || (initial && !word.chars().any(char::is_alphanumeric));
        initial
    }
}

/// Opening brackets and quotes. Quotes that look the same at both ends count too: a few words after closing ones go
/// uncounted, which costs less than counting a quoted sentence's capital.
fn opens(word: &str) -> bool {
    // What the Moses tokeniser makes of quotes and brackets.
    if matches!(word, "&quot;" | "&apos;" | "&#91;" | "``" | "''") {
        return true;
    }
    let mut characters = word.chars();
    let (Some(only), None) = (characters.next(), characters.next()) else { return false };
    match only {
        '"' | '\'' | '`' | '¿' | '¡' => true,
        // Nearly always an apostrophe.
        '’' => false,
        only => matches!(
            only.general_category(),
            GeneralCategory::OpenPunctuation | GeneralCategory::InitialPunctuation | GeneralCategory::FinalPunctuation
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn train(lines: &[&str]) -> Truecaser {
        let mut builder = TruecaserBuilder::new("de");
        for line in lines {
            builder.add_line(line);
        }
        builder.finish()
    }

    #[test]
    fn starts_of_sentences_do_not_vote() {
        let truecaser = train(&["The cat sees the dog .", "The end . The rest of it", "Yes : The \" The \" ( The ) x"]);
        assert_eq!(truecaser.usual("THE"), Some("the"));
        assert_eq!(truecaser.truecase("The  cat :  The dog "), "the  cat :  the dog ");
    }

    #[test]
    fn words_seen_only_at_starts_fall_back_on_them() {
        let truecaser = train(&["Berlin is big", "Berlin is old", "berlin x"]);
        assert_eq!(truecaser.truecase("berlin"), "Berlin");
    }

    #[test]
    fn a_seen_casing_stays_inside_a_sentence() {
        let truecaser = train(&["we march in March or march", "we march", "a dog and a Cat"]);
        assert_eq!(truecaser.truecase("March in March with CATS and CAT"), "march in March with CATS and Cat");
    }

    #[test]
    fn ties_go_to_lower_case_then_bytes() {
        assert_eq!(train(&["a ab AB Ab"]).usual("ab"), Some("ab"));
        assert_eq!(train(&["a Ab AB"]).usual("ab"), Some("AB"));
    }

    #[test]
    fn headlines_are_not_learned_from_and_are_truecased_throughout() {
        let truecaser = train(&["we like the Big house of NATO today", "THE BIG HOUSE", "The New House Today"]);
        assert_eq!(truecaser.usual("house"), Some("house"));
        assert_eq!(truecaser.truecase("THE HOUSE OF NATO"), "the house of NATO");
        assert_eq!(truecaser.truecase("The House Of Nato Today"), "the house of NATO today");
        assert!(!is_headline("NATO") && !is_headline("Angela Merkel Besucht") && !is_headline("12 ."));
    }

    #[test]
    fn survives_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("de.tlk");
        let truecaser = train(&["the Cat sees the cat", "Dogs see the Cat", "<s> X"]);
        truecaser.save(&path).unwrap();
        assert_eq!(Truecaser::open(&path, 1 << 20).unwrap(), truecaser);
        assert!(Truecaser::open(&path, 10).is_err());

        let mut writer = ContainerWriter::create(&path, KIND, VERSION).unwrap();
        writer.section_bytes("language", b"de").unwrap();
        writer.section("word-bytes", b"ab").unwrap();
        writer.section("word-ends", &[2u64, 1]).unwrap();
        writer.section("inside", &[1u64, 1]).unwrap();
        writer.section("initial", &[1u64, 1]).unwrap();
        writer.finish().unwrap();
        assert!(Truecaser::open(&path, 1 << 20).is_err());
    }

    #[test]
    fn recasing_capitalises_starts() {
        let recased = recase(Casing::Unicode, "\" yes . no : x ! iPhone . 3 y");
        assert_eq!(recased, "\" Yes . No : x ! iPhone . 3 y");
        assert_eq!(recase(Casing::Unicode, ""), "");
    }
}
