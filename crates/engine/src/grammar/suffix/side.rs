//! One side of a segment: its words, and the places where they stand in the order of what follows them.

use std::io::{Seek, Write};
use std::ops::Range;

use rayon::prelude::*;

use crate::Result;
use crate::files::{Container, ContainerWriter, Section};
use crate::grammar::settings::MOST_LENGTH;

/// Stands after each sentence. It is the id of the unknown word, which these texts do not have, and below all others.
pub const END: u32 = 0;
/// Words for which the pair they are in is noted.
const STEP: usize = 32;

/// The words of all sentences in a row, each sentence followed by [`END`], and a suffix array of them.
///
/// No pattern has more than [`MOST_LENGTH`] words in a row, so suffixes are sorted by that many and then by place.
#[derive(Debug, Clone)]
pub struct Side {
    text: Section<u32>,
    /// Where the [`END`] of each sentence is.
    ends: Section<u32>,
    suffixes: Section<u32>,
    /// For every [`STEP`]th place the first sentence that ends there or later.
    sentences: Vec<u32>,
}

impl Side {
    /// Sorts the suffixes of a text.
    pub fn new(text: Vec<u32>, ends: Vec<u32>) -> Self {
        let suffixes = sort(&text);
        let sentences = sentences(text.len(), &ends);
        Self { text: text.into(), ends: ends.into(), suffixes: suffixes.into(), sentences }
    }

    /// Writes sections that begin with `name`.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write<W: Write + Seek>(&self, out: &mut ContainerWriter<W>, name: &str) -> Result<()> {
        out.section(&format!("{name}-text"), &self.text)?;
        out.section(&format!("{name}-ends"), &self.ends)?;
        out.section(&format!("{name}-suffixes"), &self.suffixes)
    }

    /// Reads what [`Side::write`] wrote, with word ids below `words`.
    ///
    /// # Errors
    /// Arrays that it would not have written.
    pub fn read(file: &Container, name: &str, words: usize) -> Result<Self> {
        let text: Section<u32> = file.section(&format!("{name}-text"))?;
        let ends: Section<u32> = file.section(&format!("{name}-ends"))?;
        let suffixes: Section<u32> = file.section(&format!("{name}-suffixes"))?;
        check(&text, &ends, &suffixes, words).map_err(|what| {
            file.error(format!("the {name} side is not valid: {what}")).hint("make or copy the file again")
        })?;
        let sentences = sentences(text.len(), &ends);
        Ok(Self { text, ends, suffixes, sentences })
    }

    /// All words with their [`END`]s.
    pub fn text(&self) -> &[u32] {
        &self.text
    }

    /// Where the sentences end.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The places of words in the order of what follows them.
    pub fn suffixes(&self) -> &[u32] {
        &self.suffixes
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.suffixes.len()
    }

    /// Where a sentence is in the text.
    #[inline]
    pub fn span(&self, sentence: usize) -> Range<usize> {
        let start = if sentence == 0 { 0 } else { self.ends[sentence - 1] as usize + 1 };
        start..self.ends[sentence] as usize
    }

    /// The words of a sentence.
    #[inline]
    pub fn sentence(&self, sentence: usize) -> &[u32] {
        &self.text[self.span(sentence)]
    }

    /// The sentence that a place is in.
    #[inline]
    pub fn sentence_at(&self, place: u32) -> usize {
        let ends: &[u32] = &self.ends;
        let mut sentence = self.sentences[place as usize / STEP] as usize;
        while ends[sentence] < place {
            sentence += 1;
        }
        sentence
    }

    /// The suffixes that begin with these words.
    pub fn find(&self, words: &[u32]) -> Range<u32> {
        let (text, suffixes): (&[u32], &[u32]) = (&self.text, &self.suffixes);
        let head = |&place: &u32| &text[place as usize..text.len().min(place as usize + words.len())];
        let low = suffixes.partition_point(|place| head(place) < words);
        let count = suffixes[low..].partition_point(|place| head(place) == words);
        low as u32..(low + count) as u32
    }
}

fn sort(text: &[u32]) -> Vec<u32> {
    let word = |at: usize| text.get(at).copied().unwrap_or(END);
    // Two words beside each place decide most comparisons without a look at the text.
    let mut places: Vec<(u64, u32)> = (0..text.len())
        .into_par_iter()
        .filter(|&at| text[at] != END)
        .map(|at| (u64::from(word(at)) << 32 | u64::from(word(at + 1)), at as u32))
        .collect();
    let rest = |at: u32| &text[text.len().min(at as usize + 2)..text.len().min(at as usize + MOST_LENGTH)];
    places.par_sort_unstable_by(|&(a, i), &(b, j)| a.cmp(&b).then_with(|| rest(i).cmp(rest(j))).then(i.cmp(&j)));
    places.into_iter().map(|(_, at)| at).collect()
}

fn sentences(length: usize, ends: &[u32]) -> Vec<u32> {
    let mut sentence = 0;
    let mut first = Vec::with_capacity(length / STEP + 1);
    for place in (0..length).step_by(STEP) {
        while (ends[sentence] as usize) < place {
            sentence += 1;
        }
        first.push(sentence as u32);
    }
    first
}

/// Checks all that reading relies on; the order of suffixes is not among it.
fn check(text: &[u32], ends: &[u32], suffixes: &[u32], words: usize) -> std::result::Result<(), String> {
    if u32::try_from(text.len()).is_err() {
        return Err("it is too long".into());
    }
    if ends.last().map_or(0, |&end| end as usize + 1) != text.len() || ends.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err("the sentences are out of order".into());
    }
    if ends.iter().any(|&end| text[end as usize] != END) || suffixes.len() + ends.len() != text.len() {
        return Err("the sentences do not end where they should".into());
    }
    if text.iter().any(|&word| word as usize >= words) {
        return Err("a word is unknown".into());
    }
    // As many as there are words, so there is no other end of a sentence.
    if suffixes.iter().any(|&place| text.get(place as usize).is_none_or(|&word| word == END)) {
        return Err("a suffix begins nowhere".into());
    }
    Ok(())
}
