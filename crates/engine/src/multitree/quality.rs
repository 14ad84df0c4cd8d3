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

/// What a search knows of a word of the text.
#[derive(Debug, Clone, Copy, Default)]
struct Ahead<'a> {
    /// Where it stands in the reference.
    places: &'a [u32],
    /// Whether the same word comes again behind it.
    again: bool,
    /// Words from it on that might be one run, were all partners free.
    run: u64,
    /// The most that Σ |run|² may be of what is behind those.
    rest: u64,
}

/// Looks for the matching that counts, the one of the largest runs first.
struct Search<'a> {
    ahead: Vec<Ahead<'a>>,
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

    /// Words of the reference.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// (Σ |run|²)^½ of the matching that counts, and the e-score.
    pub fn matched(&self, text: &[u32]) -> (f64, f64) {
        self.matched_within(text, PATIENCE)
    }

    fn matched_within(&self, text: &[u32], patience: usize) -> (f64, f64) {
        let ahead = self.ahead(text);
        let mut used = vec![false; self.words.len()];
        if are_few(&ahead, patience) {
            let mut search = Search { ahead, used, now: Vec::with_capacity(text.len()), best: None };
            search.go(0, 0, 0);
            if let Some((size, score)) = search.best {
                return ((size as f64).sqrt(), score);
            }
            used = search.used;
        }
        let matching = self.greedy(text, &mut used);
        ((size(&matching) as f64).sqrt(), judge(&matching, &used))
    }

    fn of(&self, word: u32) -> &[u32] {
        self.places.get(&word).map_or(&[], Vec::as_slice)
    }

    /// What is known of each word before any has a partner.
    fn ahead(&self, text: &[u32]) -> Vec<Ahead<'_>> {
        let mut ahead: Vec<Ahead<'_>> =
            text.iter().map(|&word| Ahead { places: self.of(word), ..Ahead::default() }).collect();
        let mut next = Ahead::default();
        for (at, own) in ahead.iter_mut().enumerate().rev() {
            let follows = |&place: &u32| self.words.get(place as usize + 1) == text.get(at + 1);
            if own.places.is_empty() {
                own.rest = next.run * next.run + next.rest;
            } else if next.run > 0 && own.places.iter().any(follows) {
                (own.run, own.rest) = (next.run + 1, next.rest);
            } else {
                (own.run, own.rest) = (1, next.run * next.run + next.rest);
            }
            own.again = !own.places.is_empty() && text[at + 1..].contains(&text[at]);
            next = *own;
        }
        ahead
    }

    /// The longest run again and again; of several the first in the text, then in the reference.
    fn greedy(&self, text: &[u32], used: &mut [bool]) -> Matching {
        let mut matching = vec![NONE; text.len()];
        loop {
            let mut longest = (0, 0, 0);
            for start in 0..text.len() {
                for &place in self.of(text[start]) {
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
}

/// Whether there are at most so many matchings.
fn are_few(ahead: &[Ahead<'_>], most: usize) -> bool {
    let mut number = 1;
    ahead.iter().all(|own| {
        number *= (own.places.len() + usize::from(own.again)).max(1);
        number <= most
    })
}

/// The e-score of a matching, and of the places that it has.
fn judge(matching: &[u32], used: &[bool]) -> f64 {
    let (mut gaps, mut length) = (0_u64, 0);
    // The last one is ended by the end.
    for &place in matching.iter().chain([&0]) {
        if place == NONE {
            length += 1;
        } else {
            gaps += length * length;
            length = 0;
        }
    }
    let missing = match (used.iter().position(|&used| used), used.iter().rposition(|&used| used)) {
        (Some(first), Some(last)) => {
            let between = used[first..=last].chunk_by(|a, b| a == b).filter(|run| !run[0]);
            between.map(|run| (run.len() * run.len()) as u64).sum()
        }
        _ => 0_u64,
    };
    let root = |sum: u64| (sum as f64).sqrt();
    root(size(matching)) - 0.5 * (root(gaps) + root(missing)) - crossed(runs(matching)) as f64
}

/// First places and lengths of runs, in the order of the text.
fn runs(matching: &[u32]) -> impl Iterator<Item = (u32, u64)> + '_ {
    let goes_on = |a: &u32, b: &u32| if *a == NONE { *b == NONE } else { *b != NONE && *b == a + 1 };
    matching.chunk_by(goes_on).filter(|run| run[0] != NONE).map(|run| (run[0], run.len() as u64))
}

fn size(matching: &[u32]) -> u64 {
    runs(matching).map(|(_, length)| length * length).sum()
}

/// Runs that are not among the most that are in order.
fn crossed(runs: impl Iterator<Item = (u32, u64)>) -> usize {
    let (mut ends, mut all): (Vec<u32>, usize) = (Vec::new(), 0);
    for (place, _) in runs {
        all += 1;
        let at = ends.partition_point(|&end| end < place);
        if at == ends.len() {
            ends.push(place);
        } else {
            ends[at] = place;
        }
    }
    all - ends.len()
}

impl Search<'_> {
    /// Goes on from a word, after runs that ended (the sum of their squares), and words of the one that has not.
    fn go(&mut self, at: usize, ended: u64, run: u64) {
        let Some(&ahead) = self.ahead.get(at) else {
            let size = ended + run * run;
            if self.best.is_none_or(|best| size >= best.0) {
                let score = judge(&self.now, &self.used);
                if self.best.is_none_or(|best| size > best.0 || score > best.1) {
                    self.best = Some((size, score));
                }
            }
            return;
        };
        // What is ahead may go on with the run only as a whole.
        if self.best.is_some_and(|best| ended + (run + ahead.run) * (run + ahead.run) + ahead.rest < best.0) {
            return;
        }
        let next = self.now.last().filter(|&&last| last != NONE).map(|last| last + 1);
        let mut free = false;
        // What makes a run longer comes first: the others are then soon seen to be worse.
        for longer in [true, false] {
            for &place in ahead.places.iter().filter(|&&place| (next == Some(place)) == longer) {
                if self.used[place as usize] {
                    continue;
                }
                free = true;
                self.used[place as usize] = true;
                self.now.push(place);
                let (ended, run) = if longer { (ended, run + 1) } else { (ended + run * run, 1) };
                self.go(at + 1, ended, run);
                self.now.pop();
                self.used[place as usize] = false;
            }
        }
        // A free partner left alone makes no run longer, unless a word behind wants it.
        if !free || ahead.again {
            self.now.push(NONE);
            self.go(at + 1, ended + run * run, 0);
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
        let used = |matching: &Vec<u32>| {
            (0..reference.len() as u32).map(|place| matching.contains(&place)).collect::<Vec<_>>()
        };
        let each = found.iter().map(|matching| (size(matching), judge(matching, &used(matching))));
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
