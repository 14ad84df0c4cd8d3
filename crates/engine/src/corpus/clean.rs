//! Cleaning sentence pairs: each pair is kept, or dropped under the first rule that hits.

use std::borrow::Cow;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::normalise::Normalisation;
use super::pair_key::SameBy;
use super::rules::{self, Rule};
use super::scripts::{Script, scripts_of, writes_without_spaces};
use super::words::count_words;
use crate::{Error, Result};

/// What lengths are compared in by the ratio rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RatioUnit {
    /// Words, unless a language is written without spaces; then the rule is not applied.
    #[default]
    Auto,
    /// Words.
    Tokens,
    /// Characters.
    Characters,
}

impl RatioUnit {
    /// Reads `auto`, `tokens` or `characters`.
    ///
    /// # Errors
    /// Any other word.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "tokens" => Ok(Self::Tokens),
            "characters" => Ok(Self::Characters),
            _ => Err(Error::settings(format!("lengths cannot be compared in {name:?}"))
                .hint("choose auto, tokens or characters")),
        }
    }
}

/// An allowance of one word is one of so many characters, about the mean length of a word and its space.
const CHARACTERS_PER_WORD: usize = 6;

/// All that can be set; the defaults are in the Python face.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanSettings {
    /// The languages of the two sides, if known.
    pub languages: Option<[String; 2]>,
    /// Fewest words of a side.
    pub min_tokens: usize,
    /// Most words of a side.
    pub max_tokens: usize,
    /// Most characters of a side.
    pub max_characters: usize,
    /// Most characters of a word.
    pub max_word_characters: usize,
    /// How many times longer one side may be, beyond the allowance.
    pub max_ratio: f64,
    /// How many words longer a side may be whatever the ratio.
    pub ratio_allowance: usize,
    /// What the two settings above are counted in.
    pub ratio_unit: RatioUnit,
    /// Most words of a pair with identical sides that may be a name.
    pub identical_name_tokens: usize,
    /// The least share of letters in a script of the language.
    pub min_script_share: f64,
    /// What makes two pairs duplicates.
    pub duplicate_by: SameBy,
    /// Rules that are not applied.
    pub without: Vec<Rule>,
    /// What is changed before the rules look.
    pub normalisation: Normalisation,
}

/// Cleans pairs batch by batch; remembers the pairs it has kept to know their duplicates.
#[derive(Debug, Clone)]
pub struct Cleaner {
    settings: CleanSettings,
    scripts: [Option<Vec<Script>>; 2],
    ratio: bool,
    notes: Vec<String>,
    kept: HashSet<u128>,
}

/// A cleaned batch.
#[derive(Debug)]
pub struct Cleaned<'a> {
    /// The normalised sides of each pair, kept or not.
    pub pairs: Vec<[Cow<'a, str>; 2]>,
    /// For each pair 0 if it is kept, else the id of the [`Rule`] that dropped it.
    pub verdicts: Vec<u8>,
    /// For source and target, how many lines each change of [`Normalisation`] altered.
    pub changed: [[u64; 3]; 2],
}

impl Cleaner {
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: CleanSettings) -> Result<Self> {
        check(&settings)?;
        let mut notes = Vec::new();
        let scripts = match &settings.languages {
            Some(languages) => languages.each_ref().map(|language| scripts_of(language)),
            None => [None, None],
        };
        if !settings.without.contains(&Rule::Script) {
            match &settings.languages {
                None => notes.push("script: not applied, because the languages were not given".to_owned()),
                Some(languages) => {
                    for (language, known) in languages.iter().zip(&scripts) {
                        if known.is_none() {
                            notes.push(format!("script: not applied to {language}, whose scripts are not known"));
                        }
                    }
                }
            }
        }
        let unspaced = scripts.iter().flatten().any(|known| writes_without_spaces(known));
        let ratio = settings.ratio_unit != RatioUnit::Auto || !unspaced;
        if !ratio && !settings.without.contains(&Rule::Ratio) {
            notes.push(
                "ratio: not applied, because a language is written without spaces; if the text is tokenised, set the \
                 unit to tokens"
                    .to_owned(),
            );
        }
        Ok(Self { settings, scripts, ratio, notes, kept: HashSet::new() })
    }

    /// Which rules could not be applied, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Normalises and judges the next pairs; `sources` and `targets` are of equal length.
    pub fn clean<'a, S: AsRef<str> + Sync>(&mut self, sources: &'a [S], targets: &'a [S]) -> Cleaned<'a> {
        let normalisation = self.settings.normalisation;
        let judged: Vec<_> = sources
            .par_iter()
            .zip(targets)
            .map_init(Vec::new, |scratch, (source, target)| {
                let mut changed = [[false; 3]; 2];
                let source = normalisation.apply(source.as_ref(), &mut changed[0]);
                let target = normalisation.apply(target.as_ref(), &mut changed[1]);
                let verdict = self.judge(&source, &target);
                let key = self.settings.duplicate_by.key(&source, &target, 0, scratch);
                ([source, target], changed, verdict, key)
            })
            .collect();

        let mut cleaned =
            Cleaned { pairs: Vec::new(), verdicts: Vec::with_capacity(judged.len()), changed: [[0; 3]; 2] };
        let duplicates = !self.settings.without.contains(&Rule::Duplicate);
        for (pair, changed, verdict, key) in judged {
            // Only kept pairs are remembered: a duplicate is one of a pair that is in the result.
            let verdict = match verdict {
                None if duplicates && !self.kept.insert(key) => Some(Rule::Duplicate),
                verdict => verdict,
            };
            cleaned.verdicts.push(verdict.map_or(0, |rule| rule as u8));
            cleaned.pairs.push(pair);
            for (total, changed) in cleaned.changed.iter_mut().flatten().zip(changed.iter().flatten()) {
                *total += u64::from(*changed);
            }
        }
        cleaned
    }

    /// The first rule that hits, of those that need no memory.
    fn judge(&self, source: &str, target: &str) -> Option<Rule> {
        let set = &self.settings;
        let sides = [source, target];
        let tokens = sides.map(count_words);
        let characters = sides.map(|side| side.chars().count());
        Rule::ALL.into_iter().filter(|rule| !set.without.contains(rule)).find(|rule| match rule {
            Rule::Empty => sides.into_iter().any(rules::is_empty),
            Rule::Control => sides.into_iter().any(rules::has_control),
            Rule::Length => {
                tokens.iter().any(|tokens| !(set.min_tokens..=set.max_tokens).contains(tokens))
                    || characters.iter().any(|&characters| characters > set.max_characters)
            }
            Rule::LongWord => sides.into_iter().any(|side| rules::has_long_word(side, set.max_word_characters)),
            Rule::Ratio if !self.ratio => false,
            Rule::Ratio if set.ratio_unit == RatioUnit::Characters => {
                let allowance = set.ratio_allowance.saturating_mul(CHARACTERS_PER_WORD);
                rules::is_lopsided(characters[0], characters[1], set.max_ratio, allowance)
            }
            Rule::Ratio => rules::is_lopsided(tokens[0], tokens[1], set.max_ratio, set.ratio_allowance),
            Rule::Identical => {
                source == target && !rules::reads_the_same_in_any_language(source, set.identical_name_tokens)
            }
            Rule::Script => {
                [(source, target), (target, source)].into_iter().zip(&self.scripts).any(|((side, other), scripts)| {
                    scripts
                        .as_ref()
                        .is_some_and(|scripts| rules::has_wrong_script(side, other, scripts, set.min_script_share))
                })
            }
            Rule::Duplicate => false,
        })
    }
}

fn check(settings: &CleanSettings) -> Result<()> {
    if settings.min_tokens > settings.max_tokens {
        let what = format!("no line has at least {} and at most {} tokens", settings.min_tokens, settings.max_tokens);
        return Err(Error::settings(what));
    }
    if !(settings.max_ratio >= 1.0 && settings.max_ratio.is_finite()) {
        return Err(Error::settings(format!("the largest ratio must be a number from 1, not {}", settings.max_ratio)));
    }
    if !(0.0..=1.0).contains(&settings.min_script_share) {
        let what = format!("the share of letters must be between 0 and 1, not {}", settings.min_script_share);
        return Err(Error::settings(what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> CleanSettings {
        CleanSettings {
            languages: Some(["de".into(), "en".into()]),
            min_tokens: 1,
            max_tokens: 5,
            max_characters: 100,
            max_word_characters: 20,
            max_ratio: 2.0,
            ratio_allowance: 1,
            ratio_unit: RatioUnit::Auto,
            identical_name_tokens: 4,
            min_script_share: 0.5,
            duplicate_by: SameBy::Pair,
            without: Vec::new(),
            normalisation: Normalisation { invisible: true, nfc: true, spaces: true },
        }
    }

    fn verdicts(settings: CleanSettings, pairs: &[(&str, &str)]) -> Vec<u8> {
        let (sources, targets): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        Cleaner::new(settings).unwrap().clean(&sources, &targets).verdicts
    }

    #[test]
    fn the_first_rule_that_hits_counts() {
        let long = "x".repeat(21);
        let pairs = [
            ("ein Haus", "a house"),
            (" ", "a house"),
            ("\0 \0 \0 \0 \0 \0", "a"),
            ("a b c d e f", "a"),
            (&long, "a b c d"),
            ("a b c d", "x"),
            ("das hier", "das hier"),
            ("дом", "house"),
            ("ein  Haus ", "a\u{a0}house"),
        ];
        assert_eq!(verdicts(settings(), &pairs), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn duplicates_are_those_of_kept_pairs_in_any_batch() {
        let mut cleaner = Cleaner::new(CleanSettings { duplicate_by: SameBy::Target, ..settings() }).unwrap();
        assert_eq!(cleaner.clean(&["дом", "Haus"], &["house", "house"]).verdicts, [7, 0]);
        assert_eq!(cleaner.clean(&["Häuschen"], &["house"]).verdicts, [8]);
    }

    #[test]
    fn rules_that_cannot_be_applied_say_so() {
        let zh = CleanSettings { languages: Some(["zh".into(), "xx".into()]), ..settings() };
        let cleaner = Cleaner::new(zh.clone()).unwrap();
        assert_eq!(cleaner.notes().len(), 2);
        assert_eq!(verdicts(zh.clone(), &[("漢字漢字漢字", "a b c d e")]), [0]);
        let tokens = CleanSettings { ratio_unit: RatioUnit::Tokens, ..zh };
        assert_eq!(verdicts(tokens, &[("漢字漢字漢字", "a b c d e")]), [5]);
        let ko = CleanSettings { languages: Some(["ko".into(), "en".into()]), ..settings() };
        assert!(Cleaner::new(ko).unwrap().notes().is_empty());
    }

    #[test]
    fn refuses_settings_without_sense() {
        for bad in [
            CleanSettings { min_tokens: 6, ..settings() },
            CleanSettings { max_ratio: f64::NAN, ..settings() },
            CleanSettings { max_ratio: 0.5, ..settings() },
            CleanSettings { min_script_share: 1.5, ..settings() },
        ] {
            assert!(Cleaner::new(bad).is_err());
        }
    }
}
