//! Phrases that stand where words stand: between the same two neighbours (Marton, Callison-Burch & Resnik 2009).

use hashbrown::HashMap;

use super::NONE;
use super::phrases::MOST_WORDS;
use super::text::{END, Text};
use crate::{Error, Result};

/// Phrases of up to [`MOST_WORDS`] words, filled up with [`NONE`].
type Phrase = [u32; MOST_WORDS];

impl Text {
    /// For each word the phrases of up to `longest` words that stand between two words between which it stands too, those that
    /// do so most often first, and how often. The end of a sentence may be one of the two.
    ///
    /// # Errors
    /// A text without words, and phrases of no or too many words.
    pub fn frames(&self, wanted: &[&str], longest: usize) -> Result<Vec<Vec<(String, u64)>>> {
        self.check()?;
        if longest == 0 || longest > MOST_WORDS {
            return Err(Error::settings(format!("phrases have 1 to {MOST_WORDS} words, not {longest}")));
        }
        let ids = self.ids();
        let mut of: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, word) in wanted.iter().enumerate() {
            if let Some(id) = self.names().find(word) {
                of.entry(id).or_default().push(place);
            }
        }
        // Which words a frame is of, and the left and right sides of any.
        let mut frames: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        let (mut left, mut right) = (vec![false; self.names().len() + 1], vec![false; self.names().len() + 1]);
        let side = |id: u32| if id == END { self.names().len() } else { id as usize };
        for at in (1..ids.len() - 1).filter(|&at| of.contains_key(&ids[at])) {
            let frame = (ids[at - 1], ids[at + 1]);
            if frame != (END, END) {
                (left[side(frame.0)], right[side(frame.1)]) = (true, true);
                let words = frames.entry(frame).or_default();
                if words.last() != Some(&ids[at]) {
                    words.push(ids[at]);
                }
            }
        }
        for words in frames.values_mut() {
            words.sort_unstable();
            words.dedup();
        }
        let mut found: HashMap<u32, HashMap<Phrase, u64>> = HashMap::new();
        for at in (0..ids.len() - 1).filter(|&at| left[side(ids[at])]) {
            let mut phrase = [NONE; MOST_WORDS];
            for length in 1..=longest {
                // After the last word there is an END.
                let Some((&word, &after)) = ids.get(at + length).zip(ids.get(at + length + 1)) else { break };
                if word == END {
                    break;
                }
                phrase[length - 1] = word;
                if !right[side(after)] {
                    continue;
                }
                for &of in frames.get(&(ids[at], after)).into_iter().flatten() {
                    if phrase[..length] != [of] {
                        *found.entry(of).or_default().entry(phrase).or_default() += 1;
                    }
                }
            }
        }
        let mut all: Vec<Vec<(String, u64)>> = vec![Vec::new(); wanted.len()];
        for (word, places) in &of {
            let mut some: Vec<(Phrase, u64)> = found.remove(word).into_iter().flatten().collect();
            some.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
            let some: Vec<(String, u64)> = some.iter().map(|(phrase, count)| (self.spelt(phrase), *count)).collect();
            for &place in places {
                all[place].clone_from(&some);
            }
        }
        Ok(all)
    }

    fn spelt(&self, phrase: &Phrase) -> String {
        let words: Vec<&str> = phrase.iter().filter(|&&id| id != NONE).map(|&id| self.names().get(id)).collect();
        words.join(" ")
    }
}
