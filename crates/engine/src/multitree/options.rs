//! What a lexicon offers for one sentence: lazy axioms (Galron 2012, section 4.2.2).
//!
//! The logic of translation has an axiom for each word of the target language. Those that no entry for the sentence needs
//! can never be part of a translation; so here are the target phrases of the sentence's entries, and what they are fused of.

use hashbrown::HashMap;

use super::lexicon::Lexicon;

/// The entry of a word that is copied.
pub const COPY: u32 = u32::MAX;

/// A target phrase that may be needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetPhrase {
    start: u32,
    end: u32,
    /// Its number in the lexicon, if it is there.
    pub phrase: Option<u32>,
    /// The options for its first word and for the rest, if it has several words.
    pub parts: Option<(u32, u32)>,
}

/// A bilingual composition that may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Where its source span begins.
    pub from: u16,
    /// Where it ends.
    pub to: u16,
    /// Its target phrase here.
    pub target: u32,
    /// Its entry in the lexicon, or [`COPY`].
    pub entry: u32,
    /// Names where the neighbours before and behind it are likely to be: the same for the same probabilities.
    pub places: [u32; 2],
}

/// All that may be made of a sentence.
#[derive(Debug, Clone, Default)]
pub struct Options {
    words: Vec<u32>,
    /// Target phrases.
    pub targets: Vec<TargetPhrase>,
    /// Sorted by span.
    pub pairs: Vec<Pair>,
    by_words: HashMap<Box<[u32]>, u32>,
    /// Pairs by target.
    by_target: Vec<u32>,
    target_rows: Vec<u32>,
    /// Target phrases, with one that is fused of each: sorted.
    by_part: Vec<(u32, u32)>,
}

impl Options {
    /// What a lexicon offers, for source phrases of up to so many words. A word it knows no translation of is copied.
    pub fn new(lexicon: &Lexicon, sentence: &[u32], longest: usize) -> Self {
        Self::best(lexicon, sentence, longest, usize::MAX, |_| 0.0)
    }

    /// The same, of each source phrase only so many, those that are worth most.
    pub fn best(
        lexicon: &Lexicon,
        sentence: &[u32],
        longest: usize,
        most: usize,
        mut worth: impl FnMut(u32) -> f64,
    ) -> Self {
        let mut entries: Vec<(f64, u32)> = Vec::new();
        let mut options = Self::default();
        for from in 0..sentence.len() {
            for to in from + 1..=sentence.len().min(from + longest) {
                let words = &sentence[from..to];
                let before = options.pairs.len();
                if let Some(phrase) = lexicon.phrases(0).find(words).filter(|&phrase| lexicon.is_derivable(0, phrase)) {
                    let target = |entry: u32| lexicon.phrases(1).words(lexicon.target(entry));
                    let derivable =
                        lexicon.pairs_of(phrase).filter(|&entry| lexicon.is_derivable(1, lexicon.target(entry)));
                    entries.clear();
                    entries.extend(derivable.map(|entry| (0.0, entry)));
                    if entries.len() > most {
                        entries.iter_mut().for_each(|(value, entry)| *value = worth(*entry));
                        entries.sort_by(|a, b| b.0.total_cmp(&a.0));
                        entries.truncate(most);
                        entries.sort_by_key(|&(_, entry)| entry);
                    }
                    for &(_, entry) in &entries {
                        options.offer(from, to, target(entry), entry, Some(lexicon));
                    }
                }
                if options.pairs.len() == before && to == from + 1 {
                    options.offer(from, to, words, COPY, Some(lexicon));
                }
            }
        }
        options.finish();
        options
    }

    /// Offers a translation.
    pub fn offer(&mut self, from: usize, to: usize, target: &[u32], entry: u32, lexicon: Option<&Lexicon>) {
        let target = self.target(target, lexicon);
        let places = lexicon.filter(|_| entry != COPY).map_or([0; 2], |lexicon| {
            let places = lexicon.places(entry);
            let name =
                |own: &[f32]| own.iter().fold(1, |name: u32, one| (name ^ one.to_bits()).wrapping_mul(0x9e37_79b1));
            [name(&places[..3]), name(&places[3..])]
        });
        self.pairs.push(Pair { from: from as u16, to: to as u16, target, entry, places });
    }

    /// After the last offer.
    pub fn finish(&mut self) {
        self.pairs.sort_by_key(|pair| (pair.from, pair.to));
        self.target_rows = vec![0; self.targets.len() + 1];
        for pair in &self.pairs {
            self.target_rows[pair.target as usize + 1] += 1;
        }
        for at in 1..self.target_rows.len() {
            self.target_rows[at] += self.target_rows[at - 1];
        }
        let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
        order.sort_by_key(|&pair| self.pairs[pair as usize].target);
        self.by_target = order;
        let wholes = self.targets.iter().enumerate().filter_map(|(whole, target)| Some((whole as u32, target.parts?)));
        self.by_part = wholes.flat_map(|(whole, (first, rest))| [(first, whole), (rest, whole)]).collect();
        self.by_part.sort_unstable();
        // Both parts may be the same.
        self.by_part.dedup();
    }

    /// The words of a target phrase.
    pub fn words(&self, target: u32) -> &[u32] {
        let TargetPhrase { start, end, .. } = self.targets[target as usize];
        &self.words[start as usize..end as usize]
    }

    /// The pairs of a span.
    pub fn of_span(&self, from: u16, to: u16) -> &[Pair] {
        let start = self.pairs.partition_point(|pair| (pair.from, pair.to) < (from, to));
        let end = self.pairs.partition_point(|pair| (pair.from, pair.to) <= (from, to));
        &self.pairs[start..end]
    }

    /// The pairs of a target phrase.
    pub fn of_target(&self, target: u32) -> impl Iterator<Item = &Pair> {
        let rows = self.target_rows[target as usize] as usize..self.target_rows[target as usize + 1] as usize;
        self.by_target[rows].iter().map(|&pair| &self.pairs[pair as usize])
    }

    /// First word and rest of the phrases that a target phrase is a part of.
    pub fn fuses_of(&self, part: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let first = self.by_part.partition_point(|&(known, _)| known < part);
        let same = self.by_part[first..].iter().take_while(move |(known, _)| *known == part);
        same.filter_map(|&(_, whole)| self.targets[whole as usize].parts)
    }

    /// The pair of a span and a target phrase.
    pub fn pair(&self, from: u16, to: u16, target: u32) -> Option<&Pair> {
        self.of_span(from, to).iter().find(|pair| pair.target == target)
    }

    /// The target phrase of these words.
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        self.by_words.get(words).copied()
    }

    fn target(&mut self, words: &[u32], lexicon: Option<&Lexicon>) -> u32 {
        if let Some(known) = self.find(words) {
            return known;
        }
        // What it is fused of comes first.
        let parts = (words.len() > 1).then(|| (self.target(&words[..1], lexicon), self.target(&words[1..], lexicon)));
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        let phrase = lexicon.and_then(|lexicon| lexicon.phrases(1).find(words));
        let number = self.targets.len() as u32;
        self.targets.push(TargetPhrase { start, end: self.words.len() as u32, phrase, parts });
        self.by_words.insert(words.into(), number);
        number
    }
}
