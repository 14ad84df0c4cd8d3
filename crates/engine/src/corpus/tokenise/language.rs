//! Languages: which rules and which abbreviations a code stands for.

use crate::{Error, Result};

/// How an apostrophe between letters is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apostrophe {
    /// With what follows, as English: `don 't`.
    WithNext,
    /// With what precedes, as French and Italian: `l' homme`.
    WithPrevious,
    /// From both sides.
    Alone,
}

/// A language the tokeniser and detokeniser know, or the default that serves any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Czech.
    Czech,
    /// Hindi.
    Hindi,
    /// Catalan, which elides as French does.
    Catalan,
    /// Any other language.
    Other,
}

impl Language {
    /// Reads a language code: two or three letters, optionally followed by script or region (`de`, `deu`, `de-CH`,
    /// `hin_Deva`). A code that is well formed but unknown is [`Language::Other`].
    pub fn parse(code: &str) -> Result<Self> {
        let mut parts = code.split(['-', '_']);
        let primary = parts.next().unwrap_or_default();
        let well_formed = (2..=3).contains(&primary.len())
            && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
            && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if !well_formed {
            return Err(Error::settings(format!("{code:?} is not a language code"))
                .hint("give two or three letters, as in en, de or hin_Deva"));
        }
        Ok(match primary.to_ascii_lowercase().as_str() {
            "en" | "eng" => Self::English,
            "de" | "deu" | "ger" => Self::German,
            "fr" | "fra" | "fre" => Self::French,
            "es" | "spa" => Self::Spanish,
            "it" | "ita" => Self::Italian,
            "cs" | "ces" | "cze" => Self::Czech,
            "hi" | "hin" => Self::Hindi,
            "ca" | "cat" => Self::Catalan,
            _ => Self::Other,
        })
    }

    /// Whether a number with a period is an ordinal: `am 3. Oktober`, `ve 20. století`.
    pub fn dots_ordinals(self) -> bool {
        matches!(self, Self::German | Self::Czech)
    }

    /// How this language splits an apostrophe between letters.
    pub fn apostrophe(self) -> Apostrophe {
        match self {
            Self::English => Apostrophe::WithNext,
            Self::French | Self::Italian | Self::Catalan => Apostrophe::WithPrevious,
            _ => Apostrophe::Alone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        assert_eq!(Language::parse("de").unwrap(), Language::German);
        assert_eq!(Language::parse("DE-ch").unwrap(), Language::German);
        assert_eq!(Language::parse("hin_Deva").unwrap(), Language::Hindi);
        assert_eq!(Language::parse("yo").unwrap(), Language::Other);
        for code in ["", "e", "engl", "d3", "de-", "de--x", "de fr", "é", "../x"] {
            assert!(Language::parse(code).is_err(), "{code:?}");
        }
    }
}
