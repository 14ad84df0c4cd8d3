//! What is extracted, and how it becomes a table.

use super::significance::Threshold;
use crate::{Error, Result};

/// Positions in a rule are stored in half a byte, and the number of its links in one.
pub const MOST_LENGTH: usize = 15;

/// What kind of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pairs of phrases, with the orientation of their neighbours if wanted.
    Phrase(Orientation),
    /// Rules with gaps (Chiang 2007).
    Hiero,
}

/// How the orientation of a phrase to its neighbours is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Not at all.
    None,
    /// By the links of the neighbouring words (Moses' default, "wbe").
    Word,
    /// By the phrase pairs of any length that touch the corners (Tillmann 2004; Moses' "phrase").
    Phrase,
}

/// What one occurrence of a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// One.
    Unit,
    /// A share: each initial phrase pair counts one, divided among the rules taken from it (Chiang 2007, section 3.3).
    Fractional,
}

/// Which lexical weight a rule has that was seen with several alignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Several {
    /// That of its most frequent alignment.
    Frequent,
    /// The lowest.
    Min,
    /// The highest (Koehn, Och & Marcu 2003).
    Max,
}

/// How counts become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Smoothing {
    /// Relative frequencies.
    None,
    /// Good-Turing discounted counts (Foster, Kuhn & Johnson 2006, section 3.1).
    GoodTuring,
    /// Modified Kneser-Ney (Foster, Kuhn & Johnson 2006, section 3.2).
    KneserNey,
}

/// The settings of extraction.
#[derive(Debug, Clone)]
pub struct ExtractSettings {
    /// What to extract.
    pub kind: Kind,
    /// Words of an initial phrase pair, on either side.
    pub max_length: usize,
    /// Symbols on the source side of a rule with gaps.
    pub max_symbols: usize,
    /// Gaps of a rule: 0, 1 or 2.
    pub max_gaps: usize,
    /// Source words that a gap covers at least.
    pub min_gap: usize,
    /// Whether two gaps may stand side by side on the source side.
    pub adjacent: bool,
    /// Whether phrases may begin or end with words without links.
    pub loose: bool,
    /// How occurrences count.
    pub counting: Counting,
}

/// The settings of scoring.
#[derive(Debug, Clone)]
pub struct ScoreSettings {
    /// How counts become probabilities.
    pub smoothing: Smoothing,
    /// Which alignment gives the lexical weights.
    pub several: Several,
    /// No probability is taken to be below this.
    pub floor: f64,
    /// Rules counted less are left out.
    pub min_count: f64,
    /// The longest source side of rules that count no more than one, but for rules with a word that no other rule has; any
    /// if there is no such length.
    pub singletons: Option<usize>,
    /// Which rules are significant enough.
    pub significance: Threshold,
    /// Rules kept for one source side, the most probable ones; 0 for all.
    pub limit: usize,
    /// Added to each count of an orientation.
    pub orientation_prior: f64,
    /// Whether further columns say how often a rule was seen.
    pub indicators: bool,
    /// Whether values of features are stored as they are, instead of as the nearest of 256 for each feature.
    pub exact: bool,
}

fn unknown(setting: &str, given: &str, known: &str) -> Error {
    Error::settings(format!("{setting} cannot be {given:?}")).hint(format!("say {known}"))
}

impl ExtractSettings {
    /// Chiang (2007) with gaps of one word allowed.
    pub fn hiero() -> Self {
        Self {
            kind: Kind::Hiero,
            max_length: 10,
            max_symbols: 5,
            max_gaps: 2,
            min_gap: 1,
            adjacent: false,
            loose: false,
            counting: Counting::Fractional,
        }
    }

    /// Koehn, Och & Marcu (2003), as in Moses.
    pub fn phrase() -> Self {
        Self {
            kind: Kind::Phrase(Orientation::Word),
            max_length: 7,
            max_symbols: 7,
            max_gaps: 0,
            min_gap: 1,
            adjacent: false,
            loose: true,
            counting: Counting::Unit,
        }
    }

    /// The settings of a kind of rules by the names of choices.
    ///
    /// # Errors
    /// A name that is unknown.
    pub fn parse(kind: &str, orientation: &str, counting: &str) -> Result<Self> {
        let orientation = match orientation {
            "none" => Orientation::None,
            "word" => Orientation::Word,
            "phrase" => Orientation::Phrase,
            other => return Err(unknown("orientation", other, "none, word or phrase")),
        };
        let counting = match counting {
            "unit" => Counting::Unit,
            "fractional" => Counting::Fractional,
            other => return Err(unknown("counting", other, "unit or fractional")),
        };
        match kind {
            "hiero" => Ok(Self { counting, ..Self::hiero() }),
            "phrase" => Ok(Self { kind: Kind::Phrase(orientation), counting, ..Self::phrase() }),
            other => Err(unknown("kind", other, "hiero or phrase")),
        }
    }

    /// Whether the values make sense.
    ///
    /// # Errors
    /// One does not.
    pub fn check(&self) -> Result<()> {
        let within = |name: &str, value: usize, least: usize, most: usize| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(Error::settings(format!("{name} must be from {least} to {most}, not {value}")))
        };
        if matches!(self.kind, Kind::Phrase(_)) && self.counting == Counting::Fractional {
            return Err(Error::settings("phrase pairs count one each").hint("fractional counts are for hiero"));
        }
        within("max_length", self.max_length, 1, MOST_LENGTH)?;
        within("max_symbols", self.max_symbols, 1, MOST_LENGTH)?;
        within("max_gaps", self.max_gaps, 0, 2)?;
        within("min_gap", self.min_gap, 1, MOST_LENGTH)
    }
}

impl ScoreSettings {
    /// Relative frequencies, floor 1e-6 (Razmara 2013, section 2.5), at most 100 rules for one source side.
    pub fn new() -> Self {
        Self {
            smoothing: Smoothing::None,
            several: Several::Frequent,
            floor: 1e-6,
            min_count: 0.0,
            singletons: None,
            significance: Threshold::None,
            limit: 100,
            orientation_prior: 0.5,
            indicators: false,
            exact: false,
        }
    }

    /// The settings by the names of choices.
    ///
    /// # Errors
    /// A name that is unknown.
    pub fn parse(smoothing: &str, several: &str) -> Result<Self> {
        let smoothing = match smoothing {
            "none" => Smoothing::None,
            "good-turing" => Smoothing::GoodTuring,
            "kneser-ney" => Smoothing::KneserNey,
            other => return Err(unknown("smoothing", other, "none, good-turing or kneser-ney")),
        };
        let several = match several {
            "frequent" => Several::Frequent,
            "min" => Several::Min,
            "max" => Several::Max,
            other => return Err(unknown("several", other, "frequent, min or max")),
        };
        Ok(Self { smoothing, several, ..Self::new() })
    }

    /// Whether the values make sense, also together with how was counted.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self, counting: Counting) -> Result<()> {
        if !(self.floor > 0.0 && self.floor < 1.0) {
            return Err(Error::settings(format!("floor must be between 0 and 1, not {}", self.floor)));
        }
        if !(self.min_count >= 0.0 && self.min_count.is_finite()) {
            return Err(Error::settings(format!("min_count must be a number from 0, not {}", self.min_count)));
        }
        if let Threshold::Alpha(value) | Threshold::Value(value) = self.significance
            && !value.is_finite()
        {
            return Err(Error::settings("significance must be a number"));
        }
        if !(self.orientation_prior > 0.0 && self.orientation_prior.is_finite()) {
            return Err(Error::settings("orientation_prior must be a number above 0"));
        }
        if self.smoothing == Smoothing::GoodTuring && counting == Counting::Fractional {
            return Err(Error::settings("Good-Turing smoothing needs whole counts").hint("set counting to unit"));
        }
        Ok(())
    }
}

impl Default for ScoreSettings {
    fn default() -> Self {
        Self::new()
    }
}
