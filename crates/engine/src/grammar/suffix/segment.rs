//! A part of an aligned text that never changes: made of new sentence pairs, or of older segments.

use std::path::Path;

use super::counts::Counts;
use super::side::{END, Side};
use crate::corpus::vocabulary::{SPECIALS, Vocabulary};
use crate::files::{Container, ContainerWriter, Section, Verify};
use crate::grammar::aligned::{Aligned, Link};
use crate::grammar::lexical::{NULL, link_counts};
use crate::{Error, Result};

/// The kind of a container that holds a segment.
pub const KIND: &str = "suffix-segment";
const VERSION: u32 = 1;

const NAMES: [&str; 2] = ["source", "target"];

/// Sentence pairs with links, the suffix arrays of both sides, and what is counted of words.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Source and target.
    pub(super) sides: [Side; 2],
    /// Source position in the high half, target position in the low half; sorted within each pair.
    links: Section<u32>,
    link_ends: Section<u32>,
    /// Of all pairs that were taken in, also those without links, which are not in the text.
    pub(super) counts: Counts,
    /// Ids that were taken before this segment's own words.
    first: [u32; 2],
    /// The words that are new in this segment.
    own: [Vocabulary; 2],
    /// Pairs taken in.
    taken: u64,
}

impl Segment {
    /// Makes a segment of a text. Its words get ids after those that are known.
    ///
    /// # Errors
    /// More text than 32 bits can address.
    pub fn new(text: &Aligned, known: [&Vocabulary; 2]) -> Result<Self> {
        let first = known.map(|words| words.len() as u32);
        let mut own: [Vec<&str>; 2] = Default::default();
        let mut ids: [Vec<u32>; 2] = Default::default();
        for (side, words) in [&text.source, &text.target].into_iter().enumerate() {
            let specials = SPECIALS.len() as u32;
            ids[side] = (0..specials).collect();
            for word in (specials..words.len() as u32).map(|id| words.word(id)) {
                ids[side].push(known[side].find(word).unwrap_or_else(|| {
                    own[side].push(word);
                    first[side] + own[side].len() as u32 - 1
                }));
            }
        }
        let mut texts: [(Vec<u32>, Vec<u32>); 2] = Default::default();
        let (mut links, mut link_ends) = (Vec::new(), Vec::new());
        for k in 0..text.len() {
            let pair = text.links(k);
            if pair.is_empty() {
                continue;
            }
            for (side, words) in [&text.bitext.source, &text.bitext.target].into_iter().enumerate() {
                let (out, ends) = &mut texts[side];
                out.extend(words.sentence(k).iter().map(|&word| ids[side][word as usize]));
                ends.push(out.len() as u32);
                out.push(END);
            }
            links.extend(pair.iter().map(|&(i, j)| u32::from(i) << 16 | u32::from(j)));
            link_ends.push(links.len() as u32);
        }
        check_size([texts[0].0.len(), texts[1].0.len(), links.len()])?;
        let renumber = |word: u32, ids: &[u32]| if word == NULL { NULL } else { ids[word as usize] };
        let counted = link_counts(text).into_iter().map(|(key, count)| {
            let (source, target) = (renumber((key >> 32) as u32, &ids[0]), renumber(key as u32, &ids[1]));
            (u64::from(source) << 32 | u64::from(target), count)
        });
        let counts = Counts::new(counted.collect());
        let [own_source, own_target] = own;
        Ok(Self {
            sides: texts.map(|(text, ends)| Side::new(text, ends)),
            links: links.into(),
            link_ends: link_ends.into(),
            counts,
            first,
            own: [Vocabulary::from_words(own_source)?, Vocabulary::from_words(own_target)?],
            taken: text.len() as u64,
        })
    }

    /// Makes one segment of several that follow each other.
    ///
    /// # Errors
    /// More text than 32 bits can address; segments that do not follow each other; none.
    pub fn merge(parts: &[Self]) -> Result<Self> {
        let Some(head) = parts.first() else { return Err(Error::input("there is no segment to merge")) };
        let total = |of: fn(&Self) -> usize| parts.iter().map(of).sum::<usize>();
        check_size([
            total(|part| part.sides[0].text().len()),
            total(|part| part.sides[1].text().len()),
            total(|part| part.links.len()),
        ])?;
        let side = |side: usize| {
            let (mut text, mut ends) = (Vec::new(), Vec::new());
            for part in parts {
                let start = text.len() as u32;
                text.extend_from_slice(part.sides[side].text());
                ends.extend(part.sides[side].ends().iter().map(|end| end + start));
            }
            Side::new(text, ends)
        };
        let (mut links, mut link_ends) = (Vec::new(), Vec::new());
        for part in parts {
            let start = links.len() as u32;
            links.extend_from_slice(&part.links);
            link_ends.extend(part.link_ends.iter().map(|end| end + start));
        }
        let own = |side: usize| {
            let words = parts.iter().flat_map(|part| words(&part.own[side]));
            Vocabulary::from_words(words)
        };
        if parts.windows(2).any(|two| two[0].known() != two[1].first) {
            return Err(Error::input("segments do not follow each other"));
        }
        Ok(Self {
            sides: [side(0), side(1)],
            links: links.into(),
            link_ends: link_ends.into(),
            counts: Counts::new(parts.iter().flat_map(|part| part.counts.iter()).collect()),
            first: head.first,
            own: [own(0)?, own(1)?],
            taken: parts.iter().map(|part| part.taken).sum(),
        })
    }

    /// Writes the segment to a file, whole or not at all.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut out = ContainerWriter::create(path, KIND, VERSION)?;
        out.section("first-words", &self.first)?;
        out.section("pairs-taken", &[self.taken])?;
        for (side, name) in NAMES.iter().enumerate() {
            self.own[side].write_sections(&mut out, &format!("{name}-word"))?;
            self.sides[side].write(&mut out, name)?;
        }
        out.section("links", &self.links)?;
        out.section("link-ends", &self.link_ends)?;
        self.counts.write(&mut out)?;
        out.finish()
    }

    /// Opens a segment, which stays in its file.
    ///
    /// # Errors
    /// A file that is not a segment, is damaged or is newer than this code.
    pub fn open(path: impl AsRef<Path>, verify: Verify) -> Result<Self> {
        let file = Container::open(path, KIND, verify)?;
        file.kind_version_up_to(VERSION)?;
        let broken =
            |what: &str| file.error(format!("the segment is not valid: {what}")).hint("make or copy the file again");
        let (&[first_source, first_target], &[taken]) =
            (file.slice::<u32>("first-words")?, file.slice::<u64>("pairs-taken")?)
        else {
            return Err(broken("its numbers are missing"));
        };
        let first = [first_source, first_target];
        let own = [Vocabulary::from_sections(&file, "source-word")?, Vocabulary::from_sections(&file, "target-word")?];
        let known = |side: usize| (first[side] as usize).saturating_add(own[side].len() - SPECIALS.len());
        let words = [known(0), known(1)];
        if first.iter().any(|&first| (first as usize) < SPECIALS.len()) || words.iter().any(|&all| all >= 1 << 31) {
            return Err(broken("its words have impossible numbers"));
        }
        // So that sums of many stay far from the end of 64 bits.
        if taken >= 1 << 48 {
            return Err(broken("it was made of impossibly many pairs"));
        }
        let sides = [Side::read(&file, NAMES[0], words[0])?, Side::read(&file, NAMES[1], words[1])?];
        let links: Section<u32> = file.section("links")?;
        let link_ends: Section<u32> = file.section("link-ends")?;
        let counts = Counts::read(&file, words)?;
        let segment = Self { sides, links, link_ends, counts, first, own, taken };
        segment.check_links().map_err(broken)?;
        Ok(segment)
    }

    fn check_links(&self) -> std::result::Result<(), &'static str> {
        let pairs = self.len();
        if self.sides[1].ends().len() != pairs || self.link_ends.len() != pairs {
            return Err("its parts differ in length");
        }
        if self.link_ends.last().map_or(0, |&end| end as usize) != self.links.len()
            || self.link_ends.windows(2).any(|two| two[0] > two[1])
        {
            return Err("its links are out of order");
        }
        for pair in 0..pairs {
            let lengths = [0, 1].map(|side| self.sides[side].span(pair).len());
            if lengths.iter().any(|&length| length > crate::align::bitext::MOST_TOKENS) {
                return Err("a sentence is too long");
            }
            let links = &self.links[self.link_span(pair)];
            let inside = |&link: &u32| ((link >> 16) as usize) < lengths[0] && ((link & 0xffff) as usize) < lengths[1];
            if !links.iter().all(inside) || links.windows(2).any(|two| two[0] >= two[1]) {
                return Err("a link is out of place");
            }
        }
        Ok(())
    }

    fn link_span(&self, pair: usize) -> std::ops::Range<usize> {
        let start = if pair == 0 { 0 } else { self.link_ends[pair - 1] as usize };
        start..self.link_ends[pair] as usize
    }

    /// Puts the links of a pair into `links`.
    pub fn links(&self, pair: usize, links: &mut Vec<Link>) {
        links.clear();
        links.extend(self.links[self.link_span(pair)].iter().map(|&link| ((link >> 16) as u16, link as u16)));
    }

    /// Pairs in the text.
    pub fn len(&self) -> usize {
        self.sides[0].ends().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Pairs taken in, also those without links.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Words of both sides, by which merging decides.
    pub fn size(&self) -> usize {
        self.sides.iter().map(Side::words).sum()
    }

    /// The ids that were taken before this segment.
    pub(super) fn first(&self) -> [u32; 2] {
        self.first
    }

    /// The ids that are taken after it.
    pub(super) fn known(&self) -> [u32; 2] {
        [0, 1].map(|side| self.first[side] + (self.own[side].len() - SPECIALS.len()) as u32)
    }

    /// The words that are new in it.
    pub(super) fn own(&self, side: usize) -> &Vocabulary {
        &self.own[side]
    }
}

/// The words of a vocabulary without the specials.
pub(super) fn words(vocabulary: &Vocabulary) -> impl Iterator<Item = &str> {
    (SPECIALS.len() as u32..vocabulary.len() as u32).map(|id| vocabulary.word(id))
}

fn check_size(lengths: [usize; 3]) -> Result<()> {
    if lengths.iter().any(|&length| u32::try_from(length).is_err()) {
        return Err(Error::limit("a segment would have more than 4 billion words or links"));
    }
    Ok(())
}
