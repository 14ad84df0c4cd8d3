//! The inference lexicon: which words may be fused, and which phrases translate which (Galron 2012, section 4.5.4).
//!
//! | kind | anchor | extension |
//! |---|---|---|
//! | fuse | the first word of a phrase | the words behind it, themselves a word or a fuse |
//! | bilingual composition | a source phrase | a target phrase |
//!
//! A fuse is right-branching, so that a phrase has one derivation; its entry is the whole phrase.

use std::path::Path;

use hashbrown::HashMap;

use super::counts::unsound;
use super::links::Links;
use super::phrases::{PhraseBook, Phrases};
use super::places::{Places, Turns};
use super::shares::Shares;
use super::words::WordLinks;
use crate::files::{Container, ContainerWriter, Section, Verify};
use crate::parse::Cost;
use crate::{Error, Result};

const KIND: &str = "inferences";
const VERSION: u32 = 2;
/// Longest phrase that is ever stored.
pub const MOST_FUSED: usize = 16;

/// Entries while they are collected.
#[derive(Debug, Clone, Default)]
pub struct LexiconBuilder {
    books: [PhraseBook; 2],
    fuses: [HashMap<u32, u32>; 2],
    pairs: HashMap<(u32, u32), u32>,
    /// Where neighbours of pairs are, for those of which that is known.
    places: HashMap<(u32, u32), Turns>,
    words: WordLinks,
}

/// When an entry is rare enough to be left out: all three must hold (Galron 2012, section 5.2.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pruning {
    /// Its count is less than one in so many of its anchor's.
    pub share: f64,
    /// Its count is less than this part of the anchor's most frequent entry.
    pub most: f64,
    /// Its count is less than this, for bilingual compositions.
    pub pairs: u32,
    /// Its count is less than this, for fuses.
    pub fuses: u32,
}

impl Default for Pruning {
    fn default() -> Self {
        Self { share: 5.0, most: 0.5, pairs: 3, fuses: 1 }
    }
}

impl Pruning {
    /// Whether a count goes, of an anchor with this total and this largest count.
    fn drops(&self, count: u32, total: u64, largest: u32, least: u32) -> bool {
        let count_is = f64::from(count);
        count_is < total as f64 / self.share && count_is < self.most * f64::from(largest) && count < least
    }
}

impl LexiconBuilder {
    /// Sees a phrase of one side fused, from its first word and the rest; all fuses within are seen too.
    pub fn see_fuse(&mut self, side: usize, words: &[u32], times: u32) {
        if words.len() > 1 && words.len() <= MOST_FUSED {
            let number = self.books[side].number(words);
            *self.fuses[side].entry(number).or_default() += times;
        }
    }

    /// Sees a source phrase translated by a target phrase.
    pub fn see_pair(&mut self, source: &[u32], target: &[u32], times: u32) {
        if (1..=MOST_FUSED).contains(&source.len()) && (1..=MOST_FUSED).contains(&target.len()) {
            let numbers = (self.books[0].number(source), self.books[1].number(target));
            *self.pairs.entry(numbers).or_default() += times;
        }
    }

    /// Sees where the neighbours of a pair are.
    pub fn see_places(&mut self, source: &[u32], target: &[u32], turns: &Turns) {
        if (1..=MOST_FUSED).contains(&source.len()) && (1..=MOST_FUSED).contains(&target.len()) {
            let numbers = (self.books[0].number(source), self.books[1].number(target));
            self.places.entry(numbers).or_default().add(turns);
        }
    }

    /// Sees the links of two sentences.
    pub fn see_links(&mut self, source: &[u32], target: &[u32], links: &Links) {
        self.words.see(source, target, links);
    }

    /// Everything another one saw.
    pub fn add(&mut self, other: &Self) {
        self.words.add(&other.words);
        for side in 0..2 {
            for (&number, &times) in &other.fuses[side] {
                self.see_fuse(side, other.books[side].words(number), times);
            }
        }
        for (&(source, target), &times) in &other.pairs {
            self.see_pair(other.books[0].words(source), other.books[1].words(target), times);
        }
        for (&(source, target), turns) in &other.places {
            self.see_places(other.books[0].words(source), other.books[1].words(target), turns);
        }
    }

    /// How many fuses of the source, fuses of the target and pairs there are.
    pub fn sizes(&self) -> [usize; 3] {
        [self.fuses[0].len(), self.fuses[1].len(), self.pairs.len()]
    }

    /// Drops rare entries.
    pub fn prune(&mut self, pruning: &Pruning) {
        let Self { books, fuses, pairs, .. } = self;
        for (book, fuses) in books.iter().zip(fuses) {
            // A word before any extension is an anchor.
            let mut anchors: HashMap<u32, (u64, u32)> = HashMap::new();
            for (&number, &count) in fuses.iter() {
                let (total, largest) = anchors.entry(book.words(number)[0]).or_default();
                (*total, *largest) = (*total + u64::from(count), (*largest).max(count));
            }
            fuses.retain(|&number, &mut count| {
                let (total, largest) = anchors[&book.words(number)[0]];
                !pruning.drops(count, total, largest, pruning.fuses)
            });
        }
        let mut anchors: HashMap<u32, (u64, u32)> = HashMap::new();
        for (&(source, _), &count) in pairs.iter() {
            let (total, largest) = anchors.entry(source).or_default();
            (*total, *largest) = (*total + u64::from(count), (*largest).max(count));
        }
        pairs.retain(|(source, _), &mut count| {
            let (total, largest) = anchors[source];
            !pruning.drops(count, total, largest, pruning.pairs)
        });
    }

    /// The lexicon.
    pub fn finish(&self) -> Lexicon {
        let frozen = [self.books[0].freeze(), self.books[1].freeze()];
        let fuses = [0, 1].map(|side| {
            let mut counts = vec![0; frozen[side].0.len()];
            for (&number, &count) in &self.fuses[side] {
                counts[frozen[side].1[number as usize] as usize] = count;
            }
            Section::from(counts)
        });
        let renumber = |side: usize, number: u32| frozen[side].1[number as usize];
        let place = |pair: &(u32, u32)| self.places.get(pair).copied().unwrap_or_default();
        let mut pairs: Vec<(u32, u32, u32, Turns)> = self
            .pairs
            .iter()
            .map(|(pair, &count)| (renumber(0, pair.0), renumber(1, pair.1), count, place(pair)))
            .collect();
        pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
        let mut rows = vec![0_u32; frozen[0].0.len() + 1];
        let mut totals = vec![0_u32; frozen[1].0.len()];
        for &(source, target, count, _) in &pairs {
            rows[source as usize + 1] += 1;
            totals[target as usize] += count;
        }
        for at in 1..rows.len() {
            rows[at] += rows[at - 1];
        }
        let [(source, _), (target, _)] = frozen;
        let words = self.words.probabilities();
        let each = pairs.iter().flat_map(|&(s, t, ..)| words.weigh(source.words(s), target.words(t)));
        let by_words = each.collect::<Vec<f32>>().into();
        let targets: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        let counts: Vec<u32> = pairs.iter().map(|pair| pair.2).collect();
        let shares = Shares::of(&rows, &targets, &counts, totals.len());
        let derivable = [derivable(&source, &fuses[0]), derivable(&target, &fuses[1])];
        Lexicon {
            phrases: [source, target],
            fuses,
            rows: rows.into(),
            targets: targets.into(),
            counts: counts.into(),
            totals: totals.into(),
            by_words,
            places: Places::of(pairs.iter().map(|pair| &pair.3)),
            shares,
            derivable,
        }
    }
}

/// What may be fused and what translates what, with how often each was seen.
#[derive(Debug, Clone)]
pub struct Lexicon {
    phrases: [Phrases; 2],
    /// Of each phrase, 0 if it must not be fused.
    fuses: [Section<u32>; 2],
    /// Where the pairs of each source phrase begin.
    rows: Section<u32>,
    targets: Section<u32>,
    counts: Section<u32>,
    /// Of each target phrase, in all pairs.
    totals: Section<u32>,
    /// Of each pair, the logarithms of target words by source words, and the reverse.
    by_words: Section<f32>,
    places: Places,
    /// Worked out of the others when it is opened: sums, and whether phrases are words or can be fused from their last word on.
    shares: Shares,
    derivable: [Vec<bool>; 2],
}

/// Whether each phrase is a word, or can be fused from its last word on.
fn derivable(phrases: &Phrases, fuses: &[u32]) -> Vec<bool> {
    let fused = |words: &[u32]| phrases.find(words).is_some_and(|phrase| fuses[phrase as usize] > 0);
    let one = |phrase: u32| {
        let words = phrases.words(phrase);
        (0..words.len().saturating_sub(1)).all(|from| fused(&words[from..]))
    };
    (0..phrases.len() as u32).map(one).collect()
}

impl Lexicon {
    /// The phrases of a side: 0 source, 1 target.
    pub fn phrases(&self, side: usize) -> &Phrases {
        &self.phrases[side]
    }

    /// How many fuses of the source, fuses of the target and pairs there are.
    pub fn sizes(&self) -> [usize; 3] {
        let fuses = |side: usize| self.fuses[side].iter().filter(|&&count| count > 0).count();
        [fuses(0), fuses(1), self.targets.len()]
    }

    /// How often a phrase was fused; 0 if never.
    pub fn fused(&self, side: usize, phrase: u32) -> u32 {
        self.fuses[side][phrase as usize]
    }

    /// Whether a phrase is a word, or can be fused from its last word on.
    pub fn is_derivable(&self, side: usize, phrase: u32) -> bool {
        self.derivable[side][phrase as usize]
    }

    /// The numbers of a source phrase's pairs.
    pub fn pairs_of(&self, source: u32) -> std::ops::Range<u32> {
        self.rows[source as usize]..self.rows[source as usize + 1]
    }

    /// The target phrase of a pair.
    pub fn target(&self, pair: u32) -> u32 {
        self.targets[pair as usize]
    }

    /// How often a pair was seen.
    pub fn count(&self, pair: u32) -> u32 {
        self.counts[pair as usize]
    }

    /// How often a target phrase was seen in pairs.
    pub fn total(&self, target: u32) -> u32 {
        self.totals[target as usize]
    }

    /// How often the source phrase of a pair was seen in pairs.
    pub fn source_total(&self, pair: u32) -> u32 {
        self.shares.source_total(self.source(pair))
    }

    /// The source phrase of a pair.
    pub fn source(&self, pair: u32) -> u32 {
        self.rows.partition_point(|&start| start <= pair) as u32 - 1
    }

    /// The smoothed probabilities of a pair's target phrase by its source phrase, and the reverse.
    pub fn by_phrases(&self, pair: u32) -> [f64; 2] {
        let (source, target) = (self.source(pair), self.target(pair));
        let kinds = self.pairs_of(source).len();
        self.shares.smoothed((source, target), self.count(pair), kinds, self.total(target), self.targets.len())
    }

    /// The logarithms of a pair's target words by its source words, and the reverse.
    pub fn by_words(&self, pair: u32) -> [f32; 2] {
        let at = 2 * pair as usize;
        [self.by_words[at], self.by_words[at + 1]]
    }

    /// The logarithms of where the neighbours of a pair are.
    pub fn places(&self, pair: u32) -> &[f32] {
        self.places.of_pair(pair)
    }

    /// The pair of two phrases.
    pub fn pair(&self, source: &[u32], target: &[u32]) -> Option<u32> {
        let (source, target) = (self.phrases[0].find(source)?, self.phrases[1].find(target)?);
        let pairs = self.pairs_of(source);
        let found = self.targets[pairs.start as usize..pairs.end as usize].binary_search(&target).ok()?;
        Some(pairs.start + found as u32)
    }

    /// What a fuse costs: `scale` by how often it was seen (section 4.5.4, α/n).
    pub fn fuse_cost(&self, side: usize, words: &[u32], scale: f64) -> Cost {
        let phrase = self.phrases[side].find(words);
        match phrase.map_or(0, |phrase| self.fused(side, phrase)) {
            0 => Cost::NEVER,
            count => Cost::of(scale / f64::from(count)),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut file = ContainerWriter::create(path, KIND, VERSION)?;
        for (side, name) in ["source", "target"].into_iter().enumerate() {
            self.phrases[side].write(&mut file, name)?;
            file.section(&format!("{name}.fuses"), &self.fuses[side])?;
        }
        file.section("pairs.rows", &self.rows)?;
        file.section("pairs.targets", &self.targets)?;
        file.section("pairs.counts", &self.counts)?;
        file.section("target.totals", &self.totals)?;
        file.section("pairs.words", &self.by_words)?;
        self.places.write(&mut file)?;
        file.finish()
    }

    /// Opens it.
    ///
    /// # Errors
    /// A file that is no sound lexicon.
    pub fn open(path: &Path, most_bytes: u64) -> Result<Self> {
        let file = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        file.kind_version_up_to(VERSION)?;
        let mut lexicon = Self {
            phrases: [Phrases::read(&file, "source")?, Phrases::read(&file, "target")?],
            fuses: [file.section("source.fuses")?, file.section("target.fuses")?],
            rows: file.section("pairs.rows")?,
            targets: file.section("pairs.targets")?,
            counts: file.section("pairs.counts")?,
            totals: file.section("target.totals")?,
            by_words: file.section("pairs.words")?,
            places: Places::read(&file)?,
            shares: Shares::of(&[], &[], &[], 0),
            derivable: Default::default(),
        };
        lexicon.check(&file)?;
        lexicon.shares = Shares::of(&lexicon.rows, &lexicon.targets, &lexicon.counts, lexicon.totals.len());
        lexicon.derivable = [0, 1].map(|side| derivable(&lexicon.phrases[side], &lexicon.fuses[side]));
        Ok(lexicon)
    }

    fn check(&self, file: &Container) -> Result<()> {
        let [source, target] = [self.phrases[0].len(), self.phrases[1].len()];
        let rows = &self.rows[..];
        let ordered = rows.len() == source + 1
            && rows[0] == 0
            && rows.windows(2).all(|pair| pair[0] <= pair[1])
            && rows[source] as usize == self.targets.len();
        if !ordered {
            return Err(unsound(file, "pairs.rows"));
        }
        let sorted = rows.windows(2).all(|pair| {
            let row = &self.targets[pair[0] as usize..pair[1] as usize];
            row.windows(2).all(|two| two[0] < two[1])
        });
        if !sorted || self.targets.iter().any(|&phrase| phrase as usize >= target) {
            return Err(unsound(file, "pairs.targets"));
        }
        if self.counts.len() != self.targets.len() || self.totals.len() != target {
            return Err(unsound(file, "pairs.counts"));
        }
        let weighed = self.by_words.len() == 2 * self.targets.len();
        if !weighed || self.by_words.iter().any(|weight| !(weight.is_finite() && *weight <= 0.0)) {
            return Err(unsound(file, "pairs.words"));
        }
        if !self.places.is_sound(self.targets.len()) {
            return Err(unsound(file, "pairs.places"));
        }
        let fuses = [(0, source), (1, target)].iter().all(|&(side, phrases)| self.fuses[side].len() == phrases);
        if !fuses {
            return Err(unsound(file, "source.fuses"));
        }
        let long = |phrases: &Phrases| (0..phrases.len() as u32).any(|phrase| phrases.words(phrase).len() > MOST_FUSED);
        if self.phrases.iter().any(long) { Err(unsound(file, "source.ends")) } else { Ok(()) }
    }

    /// Makes sure that all words are among so many, which are numbered from 1 on.
    ///
    /// # Errors
    /// A word that is not.
    pub fn check_words(&self, symbols: usize) -> Result<()> {
        let unknown =
            self.phrases.iter().flat_map(Phrases::all_words).find(|&&word| word == 0 || word as usize > symbols);
        match unknown {
            None => Ok(()),
            Some(word) => {
                let what = format!("the lexicon has the word {word}, but there are {symbols} symbols");
                Err(Error::format(what).hint("train the model again"))
            }
        }
    }
}

impl Pruning {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Shares that are no positive numbers.
    pub fn check(&self) -> Result<()> {
        let sound = |value: f64| value.is_finite() && value > 0.0;
        if sound(self.share) && sound(self.most) {
            return Ok(());
        }
        Err(Error::settings("the shares of pruning must be positive numbers").hint("use 5 and 0.5"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the sample (Galron 2012, table 4.6) by number.
    const WORDS: [&str; 12] =
        ["we", "are", "talking", "about", "il", "s'", "agit", "de", "nous", "en", "parlons", "parler"];

    fn ids(text: &str) -> Vec<u32> {
        let id = |word| WORDS.iter().position(|known| *known == word).unwrap() as u32 + 1;
        text.split(' ').map(id).collect()
    }

    fn sample() -> LexiconBuilder {
        let mut builder = LexiconBuilder::default();
        for (text, count) in [
            ("we are", 58),
            ("we are talking", 3),
            ("we are talking about", 2),
            ("are talking", 8),
            ("are talking about", 5),
            ("talking about", 12),
        ] {
            builder.see_fuse(0, &ids(text), count);
        }
        for (text, count) in [
            ("il s'", 108),
            ("il s' agit", 81),
            ("il s' agit de", 11),
            ("s' agit", 179),
            ("s' agit de", 22),
            ("agit de", 22),
        ] {
            builder.see_fuse(1, &ids(text), count);
        }
        for (source, target, count) in [
            ("we are", "nous", 22),
            ("we are", "en", 3),
            ("we are talking", "nous parlons", 1),
            ("we are talking", "il s' agit de", 2),
            ("talking", "parler", 2),
            ("talking", "parlons", 1),
        ] {
            builder.see_pair(&ids(source), &ids(target), count);
        }
        builder
    }

    #[test]
    fn the_sample_is_pruned_as_printed() {
        let mut builder = sample();
        builder.prune(&Pruning::default());
        assert_eq!(builder.sizes(), [6, 6, 6]);
        let kept = |builder: &LexiconBuilder| builder.finish().pair(&ids("we are"), &ids("en")).is_some();
        assert!(kept(&builder));
        builder.prune(&Pruning { pairs: 4, ..Pruning::default() });
        assert!(!kept(&builder));
        assert!(builder.finish().pair(&ids("we are"), &ids("nous")).is_some());
        assert!(Pruning { share: 0.0, ..Pruning::default() }.check().is_err());
    }

    #[test]
    fn fuses_cost_less_the_more_frequent_they_are() {
        let lexicon = sample().finish();
        assert_eq!(lexicon.fuse_cost(0, &ids("we are"), 2.0), Cost::of(2.0 / 58.0));
        assert_eq!(lexicon.fuse_cost(0, &ids("about we"), 2.0), Cost::NEVER);
        let derivable = |side, text| lexicon.is_derivable(side, lexicon.phrases(side).find(&ids(text)).unwrap());
        assert!(derivable(1, "il s' agit de"));
        assert!(derivable(0, "talking"));
        // There is no fuse "nous parlons".
        assert!(!derivable(1, "nous parlons"));
        let pair = lexicon.pair(&ids("talking"), &ids("parler")).unwrap();
        assert_eq!((lexicon.count(pair), lexicon.total(lexicon.target(pair))), (2, 2));
        assert_eq!(lexicon.pair(&ids("talking"), &ids("de")), None);
    }

    #[test]
    fn what_several_saw_is_what_one_saw() {
        let (mut twice, once) = (sample(), sample());
        twice.add(&once);
        let (twice, once) = (twice.finish(), once.finish());
        assert_eq!(twice.sizes(), once.sizes());
        for pair in 0..once.sizes()[2] as u32 {
            assert_eq!(twice.count(pair), 2 * once.count(pair));
        }
    }

    #[test]
    fn it_is_the_same_from_disk() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lexicon");
        let lexicon = sample().finish();
        lexicon.save(&path).unwrap();
        let opened = Lexicon::open(&path, u64::MAX).unwrap();
        assert_eq!(opened.sizes(), lexicon.sizes());
        assert_eq!(opened.pair(&ids("we are"), &ids("nous")), lexicon.pair(&ids("we are"), &ids("nous")));
    }
}
