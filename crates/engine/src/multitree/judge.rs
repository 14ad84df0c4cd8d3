//! Partial translations beside a reference: by how much an inference makes them better (Galron 2012, formula 4.13).

use hashbrown::HashMap;

use super::piece::Type;
use super::quality::Reference;
use super::seen::Seen;

/// Changes that are no more than this are none: e-scores are sums of roots.
const SLACK: f64 = 1e-9;

/// What a partial translation is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Worth {
    /// Its e-score, which asks nothing of the reference beyond its own hits.
    #[default]
    Quality,
    /// F of the General Text Matcher with exponent 2 beside the whole reference. It nearly always grows, so that too much is right
    /// by it (section 4.8.2).
    F,
}

/// Remembers the texts of a search and what they are worth.
#[derive(Debug)]
pub struct Judge {
    reference: Reference,
    worth: Worth,
    /// Words and worth by the name of a text: different derivations have the same text.
    known: HashMap<u64, (Vec<u32>, f64)>,
}

impl Judge {
    /// Knows the reference, and no text.
    pub fn new(reference: &[u32]) -> Self {
        Self::by(Worth::default(), reference)
    }

    /// Judges by another worth.
    pub fn by(worth: Worth, reference: &[u32]) -> Self {
        Self { reference: Reference::new(reference), worth, known: HashMap::new() }
    }

    /// Whether the text of an inference over both languages is better than its parts, whose worths `both` makes one of:
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
            let score = match self.worth {
                Worth::Quality => self.reference.score(&words),
                Worth::F => 2.0 * self.reference.matched(&words).0 / (words.len() + self.reference.len()) as f64,
            };
            self.known.insert(name, (words, score));
        }
        let change = self.known[&name].1 - before;
        (change.abs() > SLACK).then_some(change > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::Counts;
    use super::super::piece::Piece;
    use super::super::source::Source;
    use super::super::text::Text;
    use super::*;

    const ARMS: &str = "Pourquoi donc les producteurs d' armes de l' UE devraient ils s' enrichir sur le dos de personnes innocentes ?";
    const REPORT: &str = "Le paragraphe 54 de mon rapport fixe les conditions pour que le Parlement autorise le transfert de fonds \
                          de la réserve du budget 1998 .";
    const UNION: &str = "sur l' Union européenne";

    fn labels(reference: &str, left: &str, right: &str) -> [Option<bool>; 3] {
        labels_by(Worth::Quality, reference, left, right)
    }

    /// The labels of two texts and of what is joined of them.
    fn labels_by(worth: Worth, reference: &str, left: &str, right: &str) -> [Option<bool>; 3] {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut ids = |text: &str| -> Vec<u32> {
            let id = |word: &str| {
                let next = numbers.len() as u32 + 1;
                *numbers.entry(word.to_owned()).or_insert(next)
            };
            text.split(' ').map(id).collect()
        };
        let (counts, source) = (Counts::of([]), Source::new(vec![1, 2], vec![1, 2], vec![]).unwrap());
        let mut judge = Judge::by(worth, &ids(reference));
        let [left, right] = [left, right].map(ids);
        let leaf = |at, words: &[u32]| Piece::leaf(at, at + 1, Text::of(words, &counts).unwrap());
        let (one, other) = (leaf(0, &left), leaf(1, &right));
        let joined = one.join(&other, false, &source, &counts);
        let both =
            Seen { kind: Type::Monotonic, piece: Some(&joined), parts: Some((&one, &other)), ..Seen::leaf(&one, &[]) };
        [Seen::leaf(&one, &left), Seen::leaf(&other, &right), both].map(|seen| judge.label(&seen, f64::max))
    }

    /// Galron 2012, section 4.8.2: the same text is right or wrong by what it was made of.
    #[test]
    fn the_worked_labels() {
        for (reference, left, right, label) in [
            (ARMS, "coût d'", "personnes innocentes", false),
            (ARMS, "dépens des", "personnes innocentes", false),
            (ARMS, "s' enrichir sur", "de personnes innocentes", true),
            (UNION, "sur", "Union européenne", false),
            (UNION, "sur Union", "européenne", true),
            (REPORT, "les fixe", "les conditions", true),
            (REPORT, "contingents applicables jusque les", "les conditions", false),
            ("discussion commune", "commune", "discussion", false),
            ("discussion commune", "discussion", "commune", true),
            ("discussion commune", "commune", "débat", false),
            ("discussion commune", "conjoint", "débat", false),
        ] {
            assert_eq!(labels(reference, left, right)[2], Some(label), "{left} + {right}");
        }
        // Phrases by themselves are right if they have more hits than misses; as good as nothing is no example.
        assert_eq!(labels(ARMS, "coût d'", "dépens des")[..2], [Some(true), Some(false)]);
        assert_eq!(labels(REPORT, "contingents applicables jusque les les conditions", "le")[0], None);
        // By F of the whole reference a hit more is better whatever stands between: 2 √5 / 24 > 2 · 2 / 22.
        assert_eq!(labels_by(Worth::F, ARMS, "coût d'", "personnes innocentes")[2], Some(true));
        assert_eq!(labels_by(Worth::F, ARMS, "dépens des", "personnes innocentes"), [None, Some(true), Some(false)]);
    }
}
