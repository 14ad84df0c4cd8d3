//! Splitting compounds into words that occur on their own (Koehn & Knight 2003, section 2.3).
//!
//! Of all ways to cut a word into known words, with a few letters between them that join compounds, the one is chosen
//! whose parts have the highest geometric mean of counts; the word itself is one of the ways.

use std::path::Path;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::casing::Casing;
use super::truecase::map_words;
use super::words::words;
use crate::files::{Container, ContainerWriter, Verify};
use crate::{Error, Result};

/// The kind of a splitter's container.
pub const KIND: &str = "compounds";
const VERSION: u32 = 1;
/// Longer words, in characters, are left whole: they are no words.
const LONGEST: usize = 64;
/// What a word that was never seen counts, against the mean of its parts.
const UNSEEN: f64 = 0.5;

/// What may be a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Letters of a part, at least.
    pub min_length: usize,
    /// Occurrences of a part, at least.
    pub min_count: u64,
    /// Parts of a word, at most.
    pub max_parts: usize,
    /// Letters that may stand behind a part and belong to none.
    pub fillers: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let fillers = ["s", "es", "n", "en"].map(str::to_owned).to_vec();
        Self { min_length: 4, min_count: 5, max_parts: 4, fillers }
    }
}

impl Settings {
    fn check(&self) -> Result<()> {
        if !(1..=LONGEST).contains(&self.min_length) || self.min_count == 0 || !(2..=8).contains(&self.max_parts) {
            let what = "compounds need parts of 1 to 64 letters and at least one occurrence, and 2 to 8 of them";
            return Err(Error::settings(what));
        }
        if self.fillers.len() > 64 || self.fillers.iter().any(|filler| filler.is_empty() || filler.contains(' ')) {
            return Err(Error::settings(
                "letters between parts must be at least one, without spaces, in at most 64 ways",
            ));
        }
        Ok(())
    }
}

/// Counts words.
#[derive(Debug, Clone)]
pub struct CompoundsBuilder {
    settings: Settings,
    language: String,
    counts: HashMap<String, u64>,
}

impl CompoundsBuilder {
    /// A builder that has seen nothing; the language decides the rules of casing.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(language: &str, settings: Settings) -> Result<Self> {
        settings.check()?;
        Ok(Self { settings, language: language.to_owned(), counts: HashMap::new() })
    }

    /// Counts the words of a tokenised line.
    pub fn add_line(&mut self, line: &str) {
        for word in words(line).filter(|word| word.chars().all(char::is_alphabetic)) {
            self.add(word, 1);
        }
    }

    fn add(&mut self, word: &str, times: u64) {
        let count = self.counts.entry_ref(word).or_default();
        *count = count.saturating_add(times);
    }

    /// The splitter of what was counted.
    pub fn finish(&self) -> Compounds {
        let casing = Casing::of(&self.language);
        let mut variants: Vec<(&str, u64)> = self.counts.iter().map(|(word, &count)| (word.as_str(), count)).collect();
        variants.sort_unstable();
        let mut parts: HashMap<Box<str>, Part> = HashMap::new();
        for &(word, count) in &variants {
            let part = parts.entry(casing.lower(word).into()).or_default();
            part.count = part.count.saturating_add(count);
            // The most frequent casing; of equals the last by bytes, which is the one in lower case.
            if count >= part.usual_count {
                (part.usual, part.usual_count) = (word.into(), count);
            }
        }
        let variants = variants.into_iter().map(|(word, count)| (word.into(), count)).collect();
        Compounds { settings: self.settings.clone(), language: self.language.clone(), variants, parts }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Part {
    count: u64,
    usual: Box<str>,
    usual_count: u64,
}

/// Splits compounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compounds {
    settings: Settings,
    language: String,
    variants: Vec<(Box<str>, u64)>,
    /// By their lower case.
    parts: HashMap<Box<str>, Part>,
}

/// A way to cut what is left of a word into a number of parts.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The sum of the logarithms of the parts' counts.
    sum: f64,
    /// Where the first part ends, and where the second begins.
    first: [usize; 2],
}

impl Compounds {
    /// The language, as it was given for training.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// What may be a part.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of words known, whatever their case.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether no word is known.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts of a word in their usual case; none if it stays whole.
    pub fn parts(&self, word: &str) -> Vec<&str> {
        let least = 2 * self.settings.min_length;
        if word.len() < least || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let lower = Casing::of(&self.language).lower(word);
        let mut ends: Vec<usize> = lower.char_indices().map(|(at, _)| at).collect();
        ends.push(lower.len());
        let letters = ends.len() - 1;
        if letters < least || letters > LONGEST {
            return Vec::new();
        }
        let whole = self.parts.get(lower.as_str()).map_or(UNSEEN, |part| part.count as f64).ln();
        let cuts = self.cuts(&lower, &ends);
        // The fewest parts of equals.
        let mut best = (whole, 1);
        for (parts, row) in cuts.iter().enumerate().skip(1) {
            if let Some(cut) = row[0]
                && cut.sum / (parts + 1) as f64 > best.0
            {
                best = (cut.sum / (parts + 1) as f64, parts + 1);
            }
        }
        let mut found = Vec::new();
        let mut at = 0;
        for left in (0..best.1).rev().take_while(|_| best.1 > 1) {
            let Some([end, next]) = cuts[left][at].map(|cut| cut.first) else { return Vec::new() };
            found.extend(self.parts.get(&lower[ends[at]..ends[end]]).map(|part| &*part.usual));
            at = next;
        }
        found
    }

    /// For each number of parts less one and each place the best way to cut the rest of the word.
    fn cuts(&self, lower: &str, ends: &[usize]) -> Vec<Vec<Option<Cut>>> {
        let letters = ends.len() - 1;
        let Settings { min_length, min_count, max_parts, fillers } = &self.settings;
        let weight = |begin: usize, end: usize| {
            let part = self.parts.get(&lower[ends[begin]..ends[end]])?;
            (end - begin >= *min_length && part.count >= *min_count).then(|| (part.count as f64).ln())
        };
        let mut cuts = vec![vec![None; letters + 1]; *max_parts];
        for begin in (0..letters).rev() {
            cuts[0][begin] = weight(begin, letters).map(|sum| Cut { sum, first: [letters, letters] });
            for end in begin + min_length..letters {
                let Some(own) = weight(begin, end) else { continue };
                let rest = &lower[ends[end]..];
                let skips = fillers.iter().filter(|filler| rest.starts_with(filler.as_str()));
                let skips = std::iter::once(0).chain(skips.map(|filler| filler.chars().count()));
                for next in skips.map(|skip| end + skip) {
                    for parts in 1..*max_parts {
                        let Some(Cut { sum, .. }) = cuts[parts - 1][next] else { continue };
                        if cuts[parts][begin].is_none_or(|best: Cut| own + sum > best.sum) {
                            cuts[parts][begin] = Some(Cut { sum: own + sum, first: [end, next] });
                        }
                    }
                }
            }
        }
        cuts
    }

    /// The tokenised line with compounds split; other words and spaces stay as they are.
    pub fn split(&self, line: &str) -> String {
        map_words(line, |word, out| match self.parts(word).split_first() {
            None => out.push_str(word),
            Some((first, others)) => {
                out.push_str(first);
                for part in others {
                    out.push(' ');
                    out.push_str(part);
                }
            }
        })
    }

    /// Many lines, split.
    pub fn split_lines<S: AsRef<str> + Sync>(&self, lines: &[S]) -> Vec<String> {
        lines.par_iter().map(|line| self.split(line.as_ref())).collect()
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
        let counts: Vec<u64> = self.variants.iter().map(|&(_, count)| count).collect();
        let Settings { min_length, min_count, max_parts, fillers } = &self.settings;
        let mut writer = ContainerWriter::create(path, KIND, VERSION)?;
        writer.section_bytes("language", self.language.as_bytes())?;
        writer.section("settings", &[*min_length as u64, *min_count, *max_parts as u64])?;
        writer.section_bytes("fillers", fillers.join(" ").as_bytes())?;
        writer.section("word-bytes", &bytes)?;
        writer.section("word-ends", &ends)?;
        writer.section("counts", &counts)?;
        writer.finish()
    }

    /// Opens a saved splitter.
    ///
    /// # Errors
    /// A file that is not a valid splitter, or larger than `most_bytes`.
    pub fn open(path: impl AsRef<Path>, most_bytes: u64) -> Result<Self> {
        let container = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        container.kind_version_up_to(VERSION)?;
        let damaged = || container.error("the compounds are not valid").hint("make or copy the file again");
        let text = |name| std::str::from_utf8(container.bytes(name)?).map_err(|_| damaged());
        let &[min_length, min_count, max_parts] = container.slice::<u64>("settings")? else { return Err(damaged()) };
        let fillers = text("fillers")?.split(' ').filter(|filler| !filler.is_empty()).map(str::to_owned).collect();
        let narrow = |value: u64| usize::try_from(value).map_err(|_| damaged());
        let settings = Settings { min_length: narrow(min_length)?, min_count, max_parts: narrow(max_parts)?, fillers };
        let mut builder = CompoundsBuilder::new(text("language")?, settings)?;
        let bytes: &[u8] = container.slice("word-bytes")?;
        let ends: &[u64] = container.slice("word-ends")?;
        let counts: &[u64] = container.slice("counts")?;
        if counts.len() != ends.len() {
            return Err(damaged());
        }
        let mut start = 0;
        for (&end, &count) in ends.iter().zip(counts) {
            let word = usize::try_from(end).ok().and_then(|end| bytes.get(start..end)).ok_or_else(damaged)?;
            builder.add(std::str::from_utf8(word).map_err(|_| damaged())?, count);
            start = end as usize;
        }
        Ok(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splitter(counts: &[(&str, u64)]) -> Compounds {
        let mut builder = CompoundsBuilder::new("de", Settings { min_length: 3, ..Settings::default() }).unwrap();
        counts.iter().for_each(|&(word, count)| builder.add(word, count));
        builder.finish()
    }

    /// Koehn & Knight's example: the counts of section 2.3 and the means they print.
    #[test]
    fn aktionsplan() {
        let counts = [("aktionsplan", 852), ("Aktion", 960), ("aktions", 5), ("Plan", 710), ("Akt", 224), ("Ion", 1)];
        let splitter = splitter(&counts);
        // One is (960 * 710)^(1/2) = 825.6, less than 852.
        assert!(splitter.parts("aktionsplan").is_empty());
        let rarer: Vec<_> =
            counts.iter().map(|&(word, count)| (word, if count == 852 { 825 } else { count })).collect();
        assert_eq!(self::splitter(&rarer).parts("Aktionsplan"), ["Aktion", "Plan"]);
    }

    #[test]
    fn words_that_are_none_stay_whole() {
        let splitter = splitter(&[("haus", 10), ("boot", 10)]);
        assert_eq!(splitter.split("das Hausboot  und hausboot1 haus"), "das haus boot  und hausboot1 haus");
        assert!(splitter.parts(&"haus".repeat(17)).is_empty());
        assert!(splitter.parts(&"haus".repeat(5)).is_empty());
        assert!(splitter.parts("").is_empty());
    }
}
