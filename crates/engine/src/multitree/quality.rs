//! How much better a partial translation became by an inference (Galron 2012, section 4.8.2).
//!
//! ```text
//! e(i|r)    = (Σ |run|²)^½ - ½ [ (Σ |gap in the text|²)^½ + (Σ |gap in the reference|²)^½ ] - χ        (4.12)
//! WIQ1(f|r) = e(consequent|r) - max e(antecedent|r)                                                     (4.13)
//! ```
//!
//! Runs are words that stand in the text as in the reference, one behind the other; χ is the least number of runs that are
//! out of order. Gaps of the reference count between the first and the last word that is matched: what a partial
//! translation has not come to yet is no fault of it.

use hashbrown::HashMap;

/// Most matchings that are looked at; of more, a greedy one is taken.
const PATIENCE: usize = 64;
/// No partner.
const NONE: u32 = u32::MAX;

/// A reference, ready to be compared with.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    words: Vec<u32>,
    places: HashMap<u32, Vec<u32>>,
}

/// A matching: for each word of the text its place in the reference, or none.
type Matching = Vec<u32>;

struct Search<'a> {
    text: &'a [u32],
    reference: &'a Reference,
    used: Vec<bool>,
    now: Matching,
    best: Option<(u64, f64)>,
}

impl Reference {
    /// The words of a reference.
    pub fn new(words: &[u32]) -> Self {
        let mut places: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, &word) in words.iter().enumerate() {
            places.entry(word).or_default().push(at as u32);
        }
        Self { words: words.to_vec(), places }
    }

    /// The e-score of a text. Of all matchings those with the largest runs count (Σ |run|²), and of these the best one;
    /// texts with many repeated words have a matching that takes the longest run first.
    pub fn score(&self, text: &[u32]) -> f64 {
        self.matched(text).1
    }

    /// (Σ |run|²)^½ of the matching that counts, and the e-score.
    pub fn matched(&self, text: &[u32]) -> (f64, f64) {
        self.matched_within(text, PATIENCE)
    }

    fn matched_within(&self, text: &[u32], patience: usize) -> (f64, f64) {
        if self.matchings(text, patience) {
            let (used, now) = (vec![false; self.words.len()], Vec::with_capacity(text.len()));
            let mut search = Search { text, reference: self, used, now, best: None };
            search.go(0);
            if let Some((size, score)) = search.best {
                return ((size as f64).sqrt(), score);
            }
        }
        let matching = self.greedy(text);
        ((size(&matching) as f64).sqrt(), self.judge(&matching))
    }

    /// Whether there are at most so many matchings.
    fn matchings(&self, text: &[u32], most: usize) -> bool {
        let mut number = 1;
        for (at, word) in text.iter().enumerate() {
            let places = self.places.get(word).map_or(0, Vec::len);
            number *= (places + usize::from(text[at + 1..].contains(word))).max(1);
            if number > most {
                return false;
            }
        }
        true
    }

    /// The longest run again and again; of several the first in the text, then in the reference.
    fn greedy(&self, text: &[u32]) -> Matching {
        let mut matching = vec![NONE; text.len()];
        let mut used = vec![false; self.words.len()];
        loop {
            let mut longest = (0, 0, 0);
            for start in 0..text.len() {
                for &place in self.places.get(&text[start]).map_or(&[][..], Vec::as_slice) {
                    let free = |step: &usize| {
                        let (at, there) = (start + step, place as usize + step);
                        at < text.len()
                            && there < used.len()
                            && matching[at] == NONE
                            && !used[there]
                            && text[at] == self.words[there]
                    };
                    let length = (0..).take_while(free).count();
                    if length > longest.0 {
                        longest = (length, start, place as usize);
                    }
                }
            }
            let (length, start, place) = longest;
            if length == 0 {
                return matching;
            }
            for step in 0..length {
                matching[start + step] = (place + step) as u32;
                used[place + step] = true;
            }
        }
    }

    /// The e-score of a matching.
    fn judge(&self, matching: &[u32]) -> f64 {
        let (runs, mut gaps) = (runs(matching), 0_u64);
        let mut length = 0;
        for &place in matching.iter().chain([&0]) {
            if place == NONE {
                length += 1;
            } else {
                gaps += length * length;
                length = 0;
            }
        }
        // The last one is ended by the end.
        let matched: Vec<u32> = matching.iter().copied().filter(|&place| place != NONE).collect();
        let missing = match (matched.iter().min(), matched.iter().max()) {
            (Some(&first), Some(&last)) => {
                let mut there = vec![false; (last - first + 1) as usize];
                matched.iter().for_each(|place| there[(place - first) as usize] = true);
                there.chunk_by(|a, b| a == b).filter(|run| !run[0]).map(|run| (run.len() * run.len()) as u64).sum()
            }
            _ => 0_u64,
        };
        let root = |sum: u64| (sum as f64).sqrt();
        root(size(matching)) - 0.5 * (root(gaps) + root(missing)) - crossed(&runs) as f64
    }
}

/// First places and lengths of runs, in the order of the text.
fn runs(matching: &[u32]) -> Vec<(u32, u64)> {
    let mut runs: Vec<(u32, u64)> = Vec::new();
    let mut next = NONE;
    for &place in matching {
        match runs.last_mut() {
            Some((_, length)) if place != NONE && place == next => *length += 1,
            _ if place != NONE => runs.push((place, 1)),
            _ => {}
        }
        next = if place == NONE { NONE } else { place + 1 };
    }
    runs
}

fn size(matching: &[u32]) -> u64 {
    runs(matching).iter().map(|(_, length)| length * length).sum()
}

/// Runs that are not among the most that are in order.
fn crossed(runs: &[(u32, u64)]) -> usize {
    let mut ends: Vec<u32> = Vec::new();
    for &(place, _) in runs {
        let at = ends.partition_point(|&end| end < place);
        if at == ends.len() {
            ends.push(place);
        } else {
            ends[at] = place;
        }
    }
    runs.len() - ends.len()
}

impl Search<'_> {
    fn go(&mut self, at: usize) {
        if at == self.text.len() {
            let size = size(&self.now);
            if self.best.as_ref().is_some_and(|best| size < best.0) {
                return;
            }
            let score = self.reference.judge(&self.now);
            if self.best.as_ref().is_none_or(|best| size > best.0 || score > best.1) {
                self.best = Some((size, score));
            }
            return;
        }
        let reference = self.reference;
        let places = reference.places.get(&self.text[at]).map_or(&[][..], Vec::as_slice);
        let free: Vec<u32> = places.iter().copied().filter(|&place| !self.used[place as usize]).collect();
        for &place in &free {
            self.used[place as usize] = true;
            self.now.push(place);
            self.go(at + 1);
            self.now.pop();
            self.used[place as usize] = false;
        }
        // A free partner left alone makes no run longer, unless a word behind wants it.
        let wanted = free.is_empty() || self.text[at + 1..].contains(&self.text[at]);
        if wanted {
            self.now.push(NONE);
            self.go(at + 1);
            self.now.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scored(reference: &str, text: &str) -> (f64, f64) {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut ids = |text: &str| -> Vec<u32> {
            text.split(' ')
                .map(|word| {
                    let next = numbers.len() as u32;
                    *numbers.entry(word.to_owned()).or_insert(next)
                })
                .collect()
        };
        let reference = ids(reference);
        Reference::new(&reference).matched(&ids(text))
    }

    const ARMS: &str = "Pourquoi donc les producteurs d' armes de l' UE devraient ils s' enrichir sur le dos de personnes innocentes ?";
    const REPORT: &str = "Le paragraphe 54 de mon rapport fixe les conditions pour que le Parlement autorise le transfert de fonds \
                          de la réserve du budget 1998 .";

    #[test]
    fn the_worked_examples() {
        for (reference, text, size, score) in [
            (ARMS, "coût d'", 1.0, 0.5),
            (ARMS, "personnes innocentes", 2.0, 2.0),
            (ARMS, "dépens des", 0.0, -1.0),
            (ARMS, "s' enrichir sur", 3.0, 3.0),
            (ARMS, "de personnes innocentes", 3.0, 3.0),
            (ARMS, "coût d' personnes innocentes", 2.2361, -4.26393),
            (ARMS, "dépens des personnes innocentes", 2.0, 1.0),
            (ARMS, "s' enrichir sur de personnes innocentes", 4.2426, 3.24264),
            (ARMS, "s' enrichir sur de personnes innocentes le dos", 4.6904, 3.69042),
            ("sur l' Union européenne", "sur", 1.0, 1.0),
            ("sur l' Union européenne", "Union européenne", 2.0, 2.0),
            ("sur l' Union européenne", "sur Union", 2.0_f64.sqrt(), 0.9142),
            ("sur l' Union européenne", "européenne", 1.0, 1.0),
            ("sur l' Union européenne", "sur Union européenne", 5.0_f64.sqrt(), 1.7361),
            (REPORT, "les conditions", 2.0, 2.0),
            (REPORT, "les fixe", 2.0_f64.sqrt(), 0.4142),
            (REPORT, "les fixe les conditions", 3.0, 2.5),
            (REPORT, "contingents applicables jusque les les conditions", 2.0, 0.0),
            ("x a y", "x y", 2.0_f64.sqrt(), 0.9142),
            ("x a y", "y x", 2.0_f64.sqrt(), -0.0858),
            ("discussion commune", "commune discussion", 2.0_f64.sqrt(), 0.4142),
            ("discussion commune", "conjoint débat", 0.0, -1.0),
        ] {
            let found = scored(reference, text);
            assert!((found.0 - size).abs() < 1e-4 && (found.1 - score).abs() < 1e-4, "{text}: {found:?}");
        }
    }

    /// All matchings, one by one.
    fn brute_force(reference: &[u32], text: &[u32]) -> (u64, f64) {
        fn all(reference: &[u32], text: &[u32], now: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
            if now.len() == text.len() {
                return found.push(now.clone());
            }
            let word = text[now.len()];
            let places = (0..reference.len() as u32).filter(|&place| reference[place as usize] == word);
            for place in places.chain([NONE]).collect::<Vec<_>>() {
                if place == NONE || !now.contains(&place) {
                    now.push(place);
                    all(reference, text, now, found);
                    now.pop();
                }
            }
        }
        let mut found = Vec::new();
        all(reference, text, &mut Vec::new(), &mut found);
        let judge = Reference::new(reference);
        let each = found.iter().map(|matching| (size(matching), judge.judge(matching)));
        each.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).unwrap()
    }

    proptest! {
        #[test]
        fn the_best_of_all_matchings(
            reference in prop::collection::vec(0_u32..4, 0..6), text in prop::collection::vec(0_u32..5, 0..5),
        ) {
            let (size, score) = brute_force(&reference, &text);
            let found = Reference::new(&reference).matched_within(&text, usize::MAX);
            prop_assert!((found.0 - (size as f64).sqrt()).abs() < 1e-9);
            prop_assert!((found.1 - score).abs() < 1e-9, "{} {}", found.1, score);
        }
    }

    #[test]
    fn texts_of_one_word_again_and_again_end() {
        assert!(Reference::new(&[1; 300]).score(&[1; 200]).is_finite());
    }
}
