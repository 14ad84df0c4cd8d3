//! BLEU (Papineni et al. 2002), with the smoothings of Chen and Cherry (2014).

use super::texts::Texts;
use super::tries::{Merge, Tries};
use super::{Metric, Scratch};
use crate::{Error, Result};

/// The longest n-grams BLEU may count.
pub const MOST_ORDER: usize = 16;

/// What happens to n-gram orders without a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Smoothing {
    /// The score is 0.
    None,
    /// Matches of 1/2, 1/4, 1/8, … from one such order to the next, as mteval does.
    Exp,
    /// So many matches.
    Floor(f64),
    /// So many matches and so many n-grams more, in all orders above the first (Lin and Och 2004 add one).
    AddK(f64),
}

impl Smoothing {
    /// By its name in signatures, with its value where it has one.
    ///
    /// # Errors
    /// There is no such method, or the value is not a number it can use.
    pub fn parse(name: &str, value: Option<f64>) -> Result<Self> {
        if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
            return Err(Error::settings("the value of a smoothing must be a number of at least 0"));
        }
        match (name, value) {
            ("none", None) => Ok(Self::None),
            ("exp", None) => Ok(Self::Exp),
            ("floor", value) => Ok(Self::Floor(value.unwrap_or(0.1))),
            ("add-k", value) => Ok(Self::AddK(value.unwrap_or(1.0))),
            ("none" | "exp", Some(_)) => Err(Error::settings(format!("the smoothing {name} has no value"))),
            _ => {
                let what = format!("there is no smoothing {name:?}");
                Err(Error::settings(what).hint("use exp, floor, add-k or none"))
            }
        }
    }
}

/// How BLEU is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Words in the longest n-grams.
    pub order: usize,
    /// Of the score of a corpus.
    pub smoothing: Smoothing,
    /// Whether orders that a text is too short for are left out.
    pub effective_order: bool,
    /// Of the score of one sentence: this smoothing, with `sentence_effective_order`.
    pub sentence_smoothing: Smoothing,
    /// Whether orders that a sentence is too short for are left out.
    pub sentence_effective_order: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            order: 4,
            smoothing: Smoothing::Exp,
            effective_order: false,
            sentence_smoothing: Smoothing::Exp,
            sentence_effective_order: true,
        }
    }
}

impl Settings {
    /// For tuners that look at one sentence at a time: BLEU+1 (Lin and Och 2004).
    pub fn plus_one() -> Self {
        Self { sentence_smoothing: Smoothing::AddK(1.0), sentence_effective_order: false, ..Self::default() }
    }
}

/// BLEU with its references.
///
/// A row: hypothesis length, closest reference length, matches per order, n-grams per order.
#[derive(Debug, Clone)]
pub struct Bleu {
    settings: Settings,
    tries: Tries,
    /// Per sentence, the lengths of its references.
    lengths: Vec<u32>,
    references: usize,
}

impl Bleu {
    /// Prepares references: each a whole text, all of as many sentences.
    ///
    /// # Errors
    /// The order is 0 or too large.
    ///
    /// # Panics
    /// If the texts differ in length.
    pub fn new(references: &[&Texts], settings: Settings) -> Result<Self> {
        if settings.order == 0 || settings.order > MOST_ORDER {
            return Err(Error::settings(format!("BLEU counts n-grams of 1 to {MOST_ORDER} words")));
        }
        let sentences = references.first().map_or(0, |text| text.len());
        let mut tries = Tries::new(settings.order);
        let mut lengths = Vec::with_capacity(sentences * references.len());
        for sentence in 0..sentences {
            let words: Vec<&[u32]> = references.iter().map(|text| text.get(sentence)).collect();
            tries.push(&words, Merge::Max);
            lengths.extend(words.iter().map(|words| u32::try_from(words.len()).unwrap_or(u32::MAX)));
        }
        Ok(Self { settings, tries, lengths, references: references.len() })
    }

    /// The length of the reference closest to a hypothesis; the shorter of two as close.
    fn closest(&self, sentence: usize, length: usize) -> u32 {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        let lengths = &self.lengths[sentence * self.references..(sentence + 1) * self.references];
        lengths.iter().copied().min_by_key(|&reference| (reference.abs_diff(length), reference)).unwrap_or(0)
    }
}

impl Metric for Bleu {
    fn width(&self) -> usize {
        2 + 2 * self.settings.order
    }

    fn sentences(&self) -> usize {
        self.tries.len()
    }

    fn stats(&self, sentence: usize, hypothesis: &[u32], scratch: &mut Scratch, row: &mut [f64]) {
        let order = self.settings.order;
        row.fill(0.0);
        row[0] = hypothesis.len() as f64;
        row[1] = f64::from(self.closest(sentence, hypothesis.len()));
        let (matches, totals) = row[2..].split_at_mut(order);
        self.tries.matches(sentence, hypothesis, &mut scratch.used, |level, _| matches[level] += 1.0);
        for (n, total) in totals.iter_mut().enumerate() {
            *total = hypothesis.len().saturating_sub(n) as f64;
        }
    }

    fn score(&self, sum: &[f64]) -> f64 {
        score(sum, self.settings.smoothing, self.settings.effective_order)
    }

    fn sentence_score(&self, row: &[f64]) -> f64 {
        score(row, self.settings.sentence_smoothing, self.settings.sentence_effective_order)
    }
}

/// BLEU, from 0 to 100, of a row as [`Bleu`] makes it.
pub fn score(row: &[f64], smoothing: Smoothing, effective_order: bool) -> f64 {
    let (precisions, order) = precisions(row, smoothing, effective_order);
    if order == 0 {
        return 0.0;
    }
    let logs: f64 = precisions[..order].iter().map(|&p| if p == 0.0 { NO_MATCH } else { p.ln() }).sum();
    brevity(row[0], row[1]) * (logs / order as f64).exp()
}

/// What sacrebleu takes for the logarithm of 0: it makes any score 0.
const NO_MATCH: f64 = -9_999_999_999.0;

/// The brevity penalty of a hypothesis length and a reference length.
pub fn brevity(hypothesis: f64, reference: f64) -> f64 {
    if hypothesis >= reference {
        1.0
    } else if hypothesis > 0.0 {
        (1.0 - reference / hypothesis).exp()
    } else {
        0.0
    }
}

/// Smoothed precisions in percent, and how many orders count: 0 if nothing matches at all.
pub fn precisions(row: &[f64], smoothing: Smoothing, effective_order: bool) -> ([f64; MOST_ORDER], usize) {
    let order = (row.len() - 2) / 2;
    let (matches, totals) = row[2..].split_at(order);
    let mut precisions = [0.0; MOST_ORDER];
    if matches.iter().all(|&count| count == 0.0) {
        return (precisions, 0);
    }
    let mut halving = 1.0;
    let mut counted = order;
    for n in 0..order {
        let more = if let (Smoothing::AddK(k), true) = (smoothing, n > 0) { k } else { 0.0 };
        let (matched, total) = (matches[n] + more, totals[n] + more);
        if total == 0.0 {
            break;
        }
        if effective_order {
            counted = n + 1;
        }
        precisions[n] = if matched > 0.0 {
            100.0 * matched / total
        } else {
            match smoothing {
                Smoothing::Exp => {
                    halving *= 2.0;
                    100.0 / (halving * total)
                }
                Smoothing::Floor(value) => 100.0 * value / total,
                Smoothing::None | Smoothing::AddK(_) => 0.0,
            }
        };
    }
    (precisions, counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(references: &[&[u32]], hypothesis: &[u32]) -> (Bleu, Vec<f64>) {
        let texts: Vec<Texts> = references.iter().map(|words| [words].into_iter().collect()).collect();
        let bleu = Bleu::new(&texts.iter().collect::<Vec<_>>(), Settings::default()).unwrap();
        let mut row = vec![0.0; bleu.width()];
        bleu.stats(0, hypothesis, &mut Scratch::default(), &mut row);
        (bleu, row)
    }

    #[test]
    fn clips_as_papineni() {
        // "the the the the the the the" against "the cat is on the mat" and "there is a cat on the mat": 2 of 7.
        let (the, cat, is, on, mat, there, a) = (0, 1, 2, 3, 4, 5, 6);
        let (_, row) = row(&[&[the, cat, is, on, the, mat], &[there, is, a, cat, on, the, mat]], &[the; 7]);
        assert_eq!(row, [7.0, 7.0, 2.0, 0.0, 0.0, 0.0, 7.0, 6.0, 5.0, 4.0]);
    }

    #[test]
    fn the_shorter_of_two_close_references() {
        let (_, row) = row(&[&[1; 6], &[1; 4], &[1; 9]], &[1; 5]);
        assert_eq!(row[1], 4.0);
    }

    #[test]
    fn perfect_and_empty() {
        let (bleu, row) = row(&[&[1, 2, 3, 4, 5]], &[1, 2, 3, 4, 5]);
        assert!((bleu.score(&row) - 100.0).abs() < 1e-9);
        assert_eq!(bleu.score(&[0.0; 10]), 0.0);
    }

    #[test]
    fn smoothings() {
        // Four words, two right but not beside each other; the reference has four words.
        let row = [4.0, 4.0, 2.0, 0.0, 0.0, 0.0, 4.0, 3.0, 2.0, 1.0];
        let root = |p: [f64; 4]| 100.0 * p.iter().product::<f64>().powf(0.25);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(score(&row, Smoothing::None, false), 0.0);
        close(score(&row, Smoothing::Exp, false), root([0.5, 1.0 / 6.0, 1.0 / 8.0, 1.0 / 8.0]));
        close(score(&row, Smoothing::Floor(0.1), false), root([0.5, 0.1 / 3.0, 0.1 / 2.0, 0.1]));
        close(score(&row, Smoothing::AddK(1.0), false), root([0.5, 0.25, 1.0 / 3.0, 0.5]));
        assert!(Smoothing::parse("exp", Some(1.0)).is_err());
        assert!(Smoothing::parse("floor", Some(f64::NAN)).is_err());
    }
}
