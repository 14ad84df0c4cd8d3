//! Which voices keep a rule: [`super::super::covered`] and [`super::super::significance`] for all voices at a time.

use hashbrown::HashMap;

use super::super::Symbol;
use super::super::aligned::Aligned;
use super::super::code::symbols;
use super::super::hiero::ONE;
use super::super::significance::{Index, Threshold, factorials, matches, surprise};
use super::Folds;
use super::group::FoldRule;

/// Source words, each with the voices that have a rule for it other than long ones that were seen once.
pub struct FoldCovered {
    longest: Option<usize>,
    voices: usize,
    words: Vec<u64>,
    source: Vec<Symbol>,
}

impl FoldCovered {
    /// None of so many words yet.
    pub fn new(longest: Option<usize>, words: usize, voices: usize) -> Self {
        Self { longest, voices, words: vec![0; if longest.is_some() { words } else { 0 }], source: Vec::new() }
    }

    /// Looks at a rule.
    pub fn add(&mut self, rule: &FoldRule) {
        let Some(longest) = self.longest else { return };
        self.source.clear();
        symbols(rule.source(), &mut self.source);
        let least = if self.source.len() <= longest { 1 } else { ONE + 1 };
        let voices = rule.at_least(least, self.voices);
        for word in self.source.iter().filter_map(|symbol| symbol.as_word()) {
            self.words[word as usize] |= voices;
        }
    }

    /// The voices that need no long rule with this source side which was seen once; none if it is not long.
    pub fn enough(&self, source: &[Symbol]) -> u64 {
        if self.longest.is_none_or(|longest| source.len() <= longest) {
            return 0;
        }
        let words = source.iter().filter_map(|symbol| symbol.as_word());
        words.fold(u64::MAX, |voices, word| voices & self.words[word as usize])
    }
}

/// Tests rules against the texts of all voices.
pub struct FoldSignificance<'a> {
    text: &'a Aligned,
    folds: &'a Folds,
    indices: [Index<'a>; 2],
    /// ln n! for every n up to the number of pairs.
    factorials: Vec<f64>,
    /// Of each voice, its pairs and the least that counts as significant.
    voices: Vec<(usize, f64)>,
    /// The pairs that have the current source side, and how many of them each voice has.
    source: Vec<u32>,
    sources: Vec<usize>,
    /// How many pairs with each target side each voice has.
    targets: HashMap<Vec<u8>, Box<[usize]>>,
    found: Vec<u32>,
    /// What the test said, of the numbers of pairs with both sides, one, the other, and in all.
    known: HashMap<[usize; 4], f64>,
}

impl<'a> FoldSignificance<'a> {
    /// Prepares a text; none if there is nothing to test.
    pub fn new(text: &'a Aligned, folds: &'a Folds, threshold: Threshold) -> Option<Self> {
        if threshold == Threshold::None {
            return None;
        }
        let pairs = without(folds, 0..text.len() as u32);
        let least = |pairs: usize| match threshold {
            Threshold::None => f64::NEG_INFINITY,
            Threshold::Alpha(more) => (pairs as f64).ln() + more,
            Threshold::Value(value) => value,
        };
        Some(Self {
            text,
            folds,
            indices: [Index::new(&text.bitext.source), Index::new(&text.bitext.target)],
            factorials: factorials(text.len()),
            voices: pairs.into_iter().map(|pairs| (pairs, least(pairs))).collect(),
            source: Vec::new(),
            sources: Vec::new(),
            targets: HashMap::new(),
            found: Vec::new(),
            known: HashMap::new(),
        })
    }

    /// Goes to a source side.
    pub fn set_source(&mut self, source: &[Symbol]) {
        self.indices[0].matching(source, &mut self.source);
        self.sources = without(self.folds, self.source.iter().copied());
        self.known.clear();
    }

    /// The voices in whose texts the rule with the current source side and this target side (and its code) is significant.
    pub fn keeps(&mut self, target: &[Symbol], code: &[u8]) -> u64 {
        let sentence = |k: &u32| matches(target, self.text.bitext.target.sentence(*k as usize));
        let both = without(self.folds, self.source.iter().copied().filter(sentence));
        if !self.targets.contains_key(code) {
            self.indices[1].matching(target, &mut self.found);
            let alone = without(self.folds, self.found.iter().copied());
            self.targets.insert(code.to_vec(), alone.into());
        }
        let alone = &self.targets[code];
        let mut kept = 0;
        for (voice, &(pairs, least)) in self.voices.iter().enumerate() {
            let numbers = [both[voice], self.sources[voice], alone[voice], pairs];
            let test = || surprise(&self.factorials[..=pairs], numbers[0], numbers[1], numbers[2]);
            let said = *self.known.entry(numbers).or_insert_with(test);
            kept |= u64::from(said >= least) << voice;
        }
        kept
    }
}

/// How many of some sentence pairs each voice has.
fn without(folds: &Folds, pairs: impl Iterator<Item = u32>) -> Vec<usize> {
    let (mut all, mut own) = (0, vec![0; folds.voices()]);
    for k in pairs {
        all += 1;
        if let Some(voice) = folds.voice(k as usize) {
            own[voice] += 1;
        }
    }
    own.iter_mut().for_each(|own| *own = all - *own);
    own
}
