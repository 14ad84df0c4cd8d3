//! Parallel text with the links between its words.

use crate::align::bitext::{Bitext, MOST_TOKENS, Side};
use crate::corpus::vocabulary::{UNK, Vocabulary, VocabularyBuilder};
use crate::{Error, Result};

/// Source position, target position, both from 0.
pub type Link = (u16, u16);

/// Sentence pairs and their links.
#[derive(Debug)]
pub struct Aligned {
    /// The sentences.
    pub bitext: Bitext,
    /// All links, pair by pair, sorted within each pair and without repetition.
    links: Vec<Link>,
    ends: Vec<usize>,
    /// Source words.
    pub source: Vocabulary,
    /// Target words.
    pub target: Vocabulary,
    /// Pairs left out because a word is spelled like a special, by their numbers from 0.
    pub skipped: Vec<usize>,
}

impl Aligned {
    /// The links of pair `k`.
    pub fn links(&self, k: usize) -> &[Link] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.links[start..self.ends[k]]
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.bitext.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bitext.is_empty()
    }
}

/// Collects sentence pairs.
#[derive(Default)]
pub struct AlignedBuilder {
    words: [VocabularyBuilder; 2],
    ids: [Vec<u32>; 2],
    id_ends: [Vec<usize>; 2],
    links: Vec<Link>,
    ends: Vec<usize>,
    skipped: Vec<usize>,
}

impl AlignedBuilder {
    /// A builder with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many pairs were taken in, also such as were left out.
    pub fn len(&self) -> usize {
        self.ends.len() + self.skipped.len()
    }

    /// Whether there was no pair so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes in a pair. A pair with a word spelled like a special is left out and counted.
    ///
    /// # Errors
    /// A link to a word that is not there, or a sentence that is too long to address.
    pub fn push(&mut self, source: &str, target: &str, links: impl IntoIterator<Item = Link>) -> Result<()> {
        let number = self.len() + 1;
        let before = self.ids.each_ref().map(Vec::len);
        let mut special = false;
        for (side, line) in [source, target].into_iter().enumerate() {
            let ids = &mut self.ids[side];
            self.words[side].add_line(line, |id| {
                special |= id == UNK;
                ids.push(id);
            });
        }
        if special {
            self.ids[0].truncate(before[0]);
            self.ids[1].truncate(before[1]);
            self.skipped.push(number - 1);
            return Ok(());
        }
        let length = |side: usize| self.ids[side].len() - before[side];
        if length(0).max(length(1)) > MOST_TOKENS {
            return Err(Error::limit(format!("sentence pair {number} has more than {MOST_TOKENS} tokens"))
                .hint("split it or leave it out"));
        }
        let start = self.links.len();
        self.links.extend(links);
        let own = &mut self.links[start..];
        own.sort_unstable();
        if let Some(&(i, j)) = own
            .iter()
            .find(|&&(i, j)| i as usize >= self.ids[0].len() - before[0] || j as usize >= self.ids[1].len() - before[1])
        {
            return Err(Error::input(format!(
                "sentence pair {number} has {} source and {} target words, but a link {i}-{j}",
                length(0),
                length(1)
            ))
            .hint("the links must be of these two texts, as source-target, counted from 0"));
        }
        let mut kept = start;
        for at in start..self.links.len() {
            if at == start || self.links[at] != self.links[kept - 1] {
                self.links[kept] = self.links[at];
                kept += 1;
            }
        }
        self.links.truncate(kept);
        self.ends.push(kept);
        for side in 0..2 {
            self.id_ends[side].push(self.ids[side].len());
        }
        Ok(())
    }

    /// Ends the collection.
    ///
    /// # Errors
    /// There is no link in it.
    pub fn finish(self) -> Result<Aligned> {
        if self.links.is_empty() {
            return Err(Error::input("there are no links between words").hint("align the text with tolka align"));
        }
        let [source, target] = self.words.map(|words| words.finish(0, None));
        let [source_ids, target_ids] = self.ids;
        let [source_ends, target_ends] = self.id_ends;
        let side = |ids: &[u32], ends: &[usize], (vocabulary, renumbered): &(Vocabulary, Vec<u32>)| {
            let mut side = Side::new([], vocabulary.len());
            let mut sentence = Vec::new();
            let mut start = 0;
            for &end in ends {
                sentence.clear();
                sentence.extend(ids[start..end].iter().map(|&id| renumbered[id as usize]));
                side.push(&sentence);
                start = end;
            }
            side
        };
        let bitext = Bitext::new(side(&source_ids, &source_ends, &source), side(&target_ids, &target_ends, &target))?;
        Ok(Aligned {
            bitext,
            links: self.links,
            ends: self.ends,
            source: source.0,
            target: target.0,
            skipped: self.skipped,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_links_and_leaves_out_specials() {
        let mut builder = AlignedBuilder::new();
        builder.push("a b", "x", [(1, 0), (0, 0), (1, 0)]).unwrap();
        builder.push("a <s>", "x y", [(0, 0)]).unwrap();
        builder.push("", "", []).unwrap();
        assert_eq!(builder.len(), 3);
        let text = builder.finish().unwrap();
        assert_eq!((text.len(), &text.skipped[..]), (2, &[1][..]));
        assert_eq!(text.links(0), [(0, 0), (1, 0)]);
        assert!(text.links(1).is_empty());
        assert_eq!(text.source.word(text.bitext.source.sentence(0)[1]), "b");
    }

    #[test]
    fn refuses_links_to_nowhere() {
        let wrong = AlignedBuilder::new().push("a", "x", [(0, 1)]).unwrap_err();
        assert!(wrong.to_string().contains("pair 1") && wrong.what.contains("0-1"), "{wrong}");
        assert!(AlignedBuilder::new().finish().is_err());
    }
}
