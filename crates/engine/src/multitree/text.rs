//! What is known of a piece of target text without reading it again: its features, and which text it is.

use super::counts::Counts;
use crate::lm::state::Fragment;

/// Modulus and base of the polynomial that names a text.
const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0b4d_57c3_91ea_6f23;

/// A text of one word or more. Joining two asks for the n-grams across the seam only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Text {
    /// Names the words: the same for the same words however they were joined.
    pub name: u64,
    power: u64,
    /// Words.
    pub length: u32,
    /// The first two words, 0 where there is none.
    pub first: [u32; 2],
    /// The last two words, the very last one last; 0 where there is none.
    pub last: [u32; 2],
    /// The count of the least frequent n-gram, by order.
    pub least: [u32; 3],
    /// The sum of the counts of all n-grams, by order.
    pub sums: [u64; 3],
    /// How informative the least frequent bigram and trigram are; the first of several.
    pub informative: [f32; 2],
    /// The logarithm of its probability by a smoothed trigram model, the first words without what was before them.
    pub logarithm: f32,
    /// The logarithm of the probability of the words behind the last seam, by those before it; no number in a single word.
    pub seam: f32,
    /// The logarithm of its probability by the language model, if there is one, or else [`Self::logarithm`].
    pub fluency: f32,
    /// What the language model has to know of it.
    pub fragment: Fragment,
    /// Whether its n-grams are counted; without, only name, ends and fluency are known.
    pub counted: bool,
    /// Whether the smoothed trigram model is asked; without, [`Self::logarithm`] and [`Self::seam`] mean nothing.
    pub smooth: bool,
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & MODULUS) + (product >> 61) as u64;
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

impl Text {
    /// One word.
    pub fn word(word: u32, counts: &Counts) -> Self {
        let count = counts.get(&[word]);
        let logarithm = counts.probability(&[word]).ln();
        let (fluency, fragment) = match &counts.language {
            Some(language) => language.word(word),
            None => (logarithm, Fragment::EMPTY),
        };
        Self {
            name: multiply(u64::from(word) + 1, BASE),
            power: BASE,
            length: 1,
            first: [word, 0],
            last: [0, word],
            least: [count, u32::MAX, u32::MAX],
            sums: [u64::from(count), 0, 0],
            informative: [f32::NAN; 2],
            logarithm,
            seam: f32::NAN,
            fluency,
            fragment,
            counted: true,
            smooth: true,
        }
    }

    /// Several words; nothing if there are none.
    pub fn of(words: &[u32], counts: &Counts) -> Option<Self> {
        words.iter().map(|&word| Self::word(word, counts)).reduce(|text, word| text.join(&word, counts))
    }

    /// This text and another behind it.
    #[must_use]
    pub fn join(&self, behind: &Self, counts: &Counts) -> Self {
        let mut text = Self {
            name: add(multiply(self.name, behind.power), behind.name),
            power: multiply(self.power, behind.power),
            length: self.length + behind.length,
            first: if self.length > 1 { self.first } else { [self.first[0], behind.first[0]] },
            last: if behind.length > 1 { behind.last } else { [self.last[1], behind.last[1]] },
            least: self.least,
            sums: self.sums,
            informative: self.informative,
            logarithm: self.logarithm + behind.logarithm,
            seam: 0.0,
            fluency: self.fluency + behind.fluency,
            fragment: Fragment::EMPTY,
            counted: self.counted,
            smooth: self.smooth,
        };
        if let (Some(language), false) = (&counts.language, text.counted) {
            let (change, fragment) = language.join(&self.fragment, &behind.fragment);
            (text.fluency, text.fragment) = (text.fluency + change, fragment);
            return text;
        }
        for order in 0..3 {
            text.sums[order] += behind.sums[order];
        }
        // In the order of the text, so that of several least ones the first counts.
        let (a, b) = (self.last, behind.first);
        text.see(1, &[a[1], b[0]], counts);
        if a[0] != 0 {
            text.see(2, &[a[0], a[1], b[0]], counts);
        }
        if b[1] != 0 {
            text.see(2, &[a[1], b[0], b[1]], counts);
        }
        if text.smooth {
            text.see_seam(a, b, counts);
        }
        match &counts.language {
            Some(language) => {
                let (change, fragment) = language.join(&self.fragment, &behind.fragment);
                text.fluency += change;
                text.fragment = fragment;
            }
            None => text.fluency = text.logarithm,
        }
        text.least[0] = text.least[0].min(behind.least[0]);
        for order in 1..3 {
            if behind.least[order] < text.least[order] {
                text.least[order] = behind.least[order];
                text.informative[order - 1] = behind.informative[order - 1];
            }
        }
        text
    }

    fn see(&mut self, order: usize, words: &[u32], counts: &Counts) {
        let count = counts.get(words);
        self.sums[order] += u64::from(count);
        if count < self.least[order] {
            self.least[order] = count;
            // Most n-grams across a seam were never seen, and nothing else is asked of those.
            self.informative[order - 1] = if count == 0 { 0.0 } else { counts.informativeness(words) };
        }
    }

    /// The first two words behind a seam now have something before them.
    fn see_seam(&mut self, a: [u32; 2], b: [u32; 2], counts: &Counts) {
        let gram = [a[0], a[1], b[0], b[1]];
        let known = &gram[usize::from(a[0] == 0)..3];
        self.seam = counts.probability(known).ln();
        let mut change = self.seam - counts.probability(&gram[2..3]).ln();
        if b[1] != 0 {
            let second = counts.probability(&gram[1..4]).ln();
            self.seam += second;
            change += second - counts.probability(&gram[2..4]).ln();
        }
        self.logarithm += change;
    }

    /// The least count of an order, no number if the text is shorter.
    pub fn least(&self, order: usize) -> f32 {
        if self.length as usize > order { self.least[order] as f32 } else { f32::NAN }
    }

    /// The mean count of an order, no number if the text is shorter.
    pub fn mean(&self, order: usize) -> f32 {
        let length = self.length as usize;
        if length > order { self.sums[order] as f32 / (length - order) as f32 } else { f32::NAN }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(words: &[u32], order: usize, counts: &Counts) -> (f32, f32, f32) {
        let grams: Vec<&[u32]> = words.windows(order + 1).collect();
        let Some(least) = grams.iter().min_by_key(|gram| counts.get(gram)) else {
            return (f32::NAN, f32::NAN, f32::NAN);
        };
        let sum: u32 = grams.iter().map(|gram| counts.get(gram)).sum();
        let informative = if order > 0 { counts.informativeness(least) } else { f32::NAN };
        (counts.get(least) as f32, sum as f32 / grams.len() as f32, informative)
    }

    proptest! {
        #[test]
        fn joined_anyhow_a_text_is_the_same(
            text in prop::collection::vec(prop::collection::vec(1_u32..5, 1..8), 1..9),
            words in prop::collection::vec(1_u32..6, 1..9), cuts in prop::collection::vec(any::<u8>(), 9),
        ) {
            let counts = Counts::of(text.iter().map(Vec::as_slice));
            let mut parts: Vec<Text> = words.iter().map(|&word| Text::word(word, &counts)).collect();
            for cut in cuts {
                if parts.len() > 1 {
                    let at = usize::from(cut) % (parts.len() - 1);
                    let right = parts.remove(at + 1);
                    parts[at] = parts[at].join(&right, &counts);
                }
            }
            let whole = Text::of(&words, &counts).unwrap();
            prop_assert_eq!(parts.len(), 1);
            prop_assert_eq!(parts[0].name, whole.name);
            prop_assert_eq!((parts[0].first, parts[0].last, parts[0].length), (whole.first, whole.last, words.len() as u32));
            for order in 0..3 {
                let (least, mean, informative) = naive(&words, order, &counts);
                let same = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
                prop_assert!(same(parts[0].least(order), least));
                prop_assert!(same(parts[0].mean(order), mean));
                if order > 0 {
                    prop_assert!(same(parts[0].informative[order - 1], informative));
                }
            }
            let other: Vec<u32> = words.iter().rev().copied().collect();
            let logarithm: f32 = (0..words.len()).map(|at| counts.probability(&words[at.saturating_sub(2)..=at]).ln()).sum();
            prop_assert!((parts[0].logarithm - logarithm).abs() < 1e-3);
            prop_assert_eq!(Text::of(&other, &counts).unwrap().name == whole.name, other == words);
        }
    }
}
