//! Word classes by exchange (Kneser & Ney 1993; Martin et al. 1998): every word in turn goes to the class where the
//! text becomes most probable under a class bigram model.

use hashbrown::HashMap;

use super::corpus_ids::CorpusReader;
use crate::corpus::vocabulary::{BOS, EOS, SPECIALS};
use crate::{Error, Result};

/// Collects a corpus and groups its words.
#[derive(Default)]
pub struct Clusterer {
    corpus: CorpusReader,
    /// How often one word follows another; `<s>` and `</s>` take part as words of fixed classes.
    bigrams: HashMap<(u32, u32), u64>,
}

/// x log x, the building block of the likelihood.
fn entropy(count: i64) -> f64 {
    if count <= 0 { 0.0 } else { count as f64 * (count as f64).ln() }
}

/// The counts of pairs of classes and of classes, under a change.
struct Classes {
    number: usize,
    pairs: Vec<i64>,
    left: Vec<i64>,
    right: Vec<i64>,
}

/// A word's neighbours by class: how often each class follows and precedes it, and how often it follows itself.
struct Neighbours {
    after: Vec<(usize, i64)>,
    before: Vec<(usize, i64)>,
    own: i64,
}

impl Classes {
    fn pair(&self, a: usize, b: usize) -> i64 {
        self.pairs[a * self.number + b]
    }

    /// Puts a word into a class (`sign` 1) or takes it out (-1).
    fn shift(&mut self, class: usize, word: &Neighbours, sign: i64) {
        let mut total_after = word.own;
        for &(other, count) in &word.after {
            self.pairs[class * self.number + other] += sign * count;
            total_after += count;
        }
        let mut total_before = word.own;
        for &(other, count) in &word.before {
            self.pairs[other * self.number + class] += sign * count;
            total_before += count;
        }
        self.pairs[class * self.number + class] += sign * word.own;
        self.left[class] += sign * total_after;
        self.right[class] += sign * total_before;
    }

    /// What the log likelihood gains when a word that is in no class joins `class`.
    fn gain(&self, class: usize, word: &Neighbours) -> f64 {
        let mut gain = 0.0;
        // Pairs of the class with itself get the word's pairs from both sides at once.
        let mut itself = word.own;
        let mut total_after = word.own;
        for &(other, count) in &word.after {
            total_after += count;
            if other == class {
                itself += count;
            } else {
                let old = self.pair(class, other);
                gain += entropy(old + count) - entropy(old);
            }
        }
        let mut total_before = word.own;
        for &(other, count) in &word.before {
            total_before += count;
            if other == class {
                itself += count;
            } else {
                let old = self.pair(other, class);
                gain += entropy(old + count) - entropy(old);
            }
        }
        let old = self.pair(class, class);
        gain += entropy(old + itself) - entropy(old);
        gain -= entropy(self.left[class] + total_after) - entropy(self.left[class]);
        gain - (entropy(self.right[class] + total_before) - entropy(self.right[class]))
    }
}

impl Clusterer {
    /// Takes in a line.
    pub fn add(&mut self, line: &str) {
        let mut before = BOS;
        for &word in self.corpus.sentence(line).iter().chain([&EOS]) {
            *self.bigrams.entry((before, word)).or_default() += 1;
            before = word;
        }
    }

    /// Groups the words into `number` classes; gives each word with its class. It ends when no word moves, or after
    /// `rounds` over all words.
    ///
    /// # Errors
    /// An empty corpus, or a number of classes that makes no sense.
    pub fn finish(self, number: usize, rounds: usize) -> Result<Vec<(String, u32)>> {
        let vocabulary = self.corpus.vocabulary()?;
        let first = SPECIALS.len();
        if vocabulary.is_empty() {
            return Err(super::estimate::empty_corpus());
        }
        if number == 0 || number > 10_000 {
            return Err(Error::settings(format!("{number} classes; 1 to 10000 work")));
        }
        let types = vocabulary.len();
        let mut after: Vec<Vec<(u32, i64)>> = vec![Vec::new(); types];
        let mut before: Vec<Vec<(u32, i64)>> = vec![Vec::new(); types];
        let mut frequency = vec![0; types];
        let mut sorted: Vec<((u32, u32), u64)> = self.bigrams.into_iter().collect();
        sorted.sort_unstable();
        for ((a, b), count) in sorted {
            after[a as usize].push((b, count as i64));
            before[b as usize].push((a, count as i64));
            frequency[b as usize] += count;
        }
        // Most frequent first, both to begin with (dealt out in turn) and when words move; ties by id.
        let mut order: Vec<usize> = (first..types).collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(frequency[word]), word));
        // Classes 0 and 1 are <s> and </s>.
        let mut class_of = vec![0_usize; types];
        class_of[EOS as usize] = 1;
        order.iter().enumerate().for_each(|(rank, &word)| class_of[word] = 2 + rank % number);
        let all = number + 2;
        let mut classes = Classes { number: all, pairs: vec![0; all * all], left: vec![0; all], right: vec![0; all] };
        for (a, follows) in after.iter().enumerate() {
            for &(b, count) in follows {
                classes.pairs[class_of[a] * all + class_of[b as usize]] += count;
                classes.left[class_of[a]] += count;
                classes.right[class_of[b as usize]] += count;
            }
        }
        let mut sums = vec![0; all];
        for _ in 0..rounds {
            let mut moved = false;
            for &word in &order {
                let (follows, own) = by_class(&after[word], word, &class_of, &mut sums);
                let (precedes, _) = by_class(&before[word], word, &class_of, &mut sums);
                let neighbours = Neighbours { after: follows, before: precedes, own };
                let old = class_of[word];
                classes.shift(old, &neighbours, -1);
                let mut best = (classes.gain(old, &neighbours), old);
                for class in 2..all {
                    let gain = classes.gain(class, &neighbours);
                    // A word moves only for a real gain, so that rounding cannot make it wander.
                    if gain > best.0 + 1e-9 {
                        best = (gain, class);
                    }
                }
                classes.shift(best.1, &neighbours, 1);
                class_of[word] = best.1;
                moved |= best.1 != old;
            }
            if !moved {
                break;
            }
        }
        Ok((first..types).map(|id| (vocabulary.word(id as u32).to_owned(), class_of[id] as u32 - 2)).collect())
    }
}

/// The neighbours of a word summed by class, itself apart.
fn by_class(words: &[(u32, i64)], word: usize, class_of: &[usize], sums: &mut [i64]) -> (Vec<(usize, i64)>, i64) {
    let mut own = 0;
    let mut touched = Vec::new();
    for &(other, count) in words {
        if other as usize == word {
            own += count;
            continue;
        }
        let class = class_of[other as usize];
        if sums[class] == 0 {
            touched.push(class);
        }
        sums[class] += count;
    }
    let listed = touched.iter().map(|&class| (class, std::mem::take(&mut sums[class]))).collect();
    (listed, own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_like_use_come_together() {
        let mut clusterer = Clusterer::default();
        for determiner in ["the", "a"] {
            for noun in ["dog", "cat", "bird"] {
                for verb in ["runs", "sleeps"] {
                    clusterer.add(&format!("{determiner} {noun} {verb}"));
                }
            }
        }
        let classes: HashMap<String, u32> = clusterer.finish(3, 20).unwrap().into_iter().collect();
        assert_eq!(classes["the"], classes["a"]);
        assert!(classes["dog"] == classes["cat"] && classes["cat"] == classes["bird"]);
        assert_eq!(classes["runs"], classes["sleeps"]);
        assert!(
            classes["the"] != classes["dog"] && classes["dog"] != classes["runs"] && classes["the"] != classes["runs"]
        );
    }
}
