//! Partial translations beside a reference: by how much an inference makes them better (Galron 2012, formula 4.13).

use hashbrown::HashMap;

use super::piece::Type;
use super::quality::Reference;
use super::seen::Seen;

/// Changes that are no more than this are none: e-scores are sums of roots.
const SLACK: f64 = 1e-9;

/// Remembers the texts of a search and what they are worth.
#[derive(Debug)]
pub struct Judge {
    reference: Reference,
    /// Words and e-score by the name of a text: different derivations have the same text.
    known: HashMap<u64, (Vec<u32>, f64)>,
}

impl Judge {
    /// Knows the reference, and no text.
    pub fn new(reference: &[u32]) -> Self {
        Self { reference: Reference::new(reference), known: HashMap::new() }
    }

    /// Whether the text of an inference over both languages is better than its parts, whose e-scores `both` makes one of:
    /// WIQ1 with the greater one. Nothing if it is as good. Phrases of one language are neither good nor bad. Parts must have
    /// been asked about before.
    pub fn label(&mut self, seen: &Seen<'_>, both: fn(f64, f64) -> f64) -> Option<bool> {
        let name = seen.piece?.text.name;
        let before = match seen.parts {
            Some((left, right)) => both(self.known.get(&left.text.name)?.1, self.known.get(&right.text.name)?.1),
            None => 0.0,
        };
        if !self.known.contains_key(&name) {
            let words = match seen.parts {
                Some((left, right)) => {
                    let (first, last) = if seen.kind == Type::Inverted { (right, left) } else { (left, right) };
                    [&self.known[&first.text.name].0[..], &self.known[&last.text.name].0].concat()
                }
                None => seen.phrase.to_vec(),
            };
            let score = self.reference.score(&words);
            self.known.insert(name, (words, score));
        }
        let change = self.known[&name].1 - before;
        (change.abs() > SLACK).then_some(change > 0.0)
    }
}
