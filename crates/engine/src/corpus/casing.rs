//! Upper and lower case of words, by Unicode's rules and those of Turkish where asked for.

use rayon::prelude::*;

/// Whose rules of casing hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Casing {
    /// Unicode's, for all languages.
    #[default]
    Unicode,
    /// Turkish and Azerbaijani: dotted i and dotless ı are two letters.
    Turkic,
}

impl Casing {
    /// The rules of a language; no language means Unicode's.
    pub fn of(language: &str) -> Self {
        match language.split(['-', '_']).next().unwrap_or_default() {
            "tr" | "tur" | "az" | "aze" | "azj" => Self::Turkic,
            _ => Self::Unicode,
        }
    }

    /// The text in lower case. A sigma at the end of a word becomes ς.
    pub fn lower(self, text: &str) -> String {
        match self {
            Self::Unicode => text.to_lowercase(),
            // İ may also come decomposed, as I and a dot above.
            Self::Turkic => text.replace("I\u{307}", "i").replace('İ', "i").replace('I', "ı").to_lowercase(),
        }
    }

    /// Appends the word with its first character in upper case, the others as they are.
    pub fn capitalise_into(self, word: &str, out: &mut String) {
        let mut rest = word.chars();
        let Some(first) = rest.next() else { return };
        match (self, first) {
            (Self::Turkic, 'i') => out.push('İ'),
            _ => {
                // One letter may become several (ŉ, ﬁ): only the first of them is a capital.
                let mut upper = first.to_uppercase();
                out.extend(upper.next());
                out.extend(upper.flat_map(char::to_lowercase));
            }
        }
        out.push_str(rest.as_str());
    }
}

/// Many lines in lower case.
pub fn lower_lines<S: AsRef<str> + Sync>(casing: Casing, lines: &[S]) -> Vec<String> {
    lines.par_iter().map(|line| casing.lower(line.as_ref())).collect()
}

/// How a word is cased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// No letter has case.
    Uncased,
    /// The first letter with case is a small one.
    Lower,
    /// The first letter with case is a capital, and another one is small, or it is the only one.
    Capital,
    /// Two or more letters have case and all are capitals.
    AllCaps,
}

impl Shape {
    /// The shape of a word.
    pub fn of(word: &str) -> Self {
        let (mut first_upper, mut upper, mut lower) = (false, 0, 0);
        for c in word.chars() {
            let (is_upper, is_lower) = (c.is_uppercase(), c.is_lowercase());
            if upper + lower == 0 {
                first_upper = is_upper;
            }
            upper += usize::from(is_upper);
            lower += usize::from(is_lower && !is_upper);
        }
        match (upper, lower) {
            (0, 0) => Self::Uncased,
            (2.., 0) => Self::AllCaps,
            _ if first_upper => Self::Capital,
            _ => Self::Lower,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_knows_sigma_and_turkish() {
        assert_eq!(Casing::Unicode.lower("ΟΔΥΣΣΕΥΣ ΚΑΙ"), "οδυσσευς και");
        assert_eq!(Casing::Unicode.lower("DİYARBAKIR"), "di\u{307}yarbakir");
        assert_eq!(Casing::Turkic.lower("DİYARBAKIR I\u{307}"), "diyarbakır i");
        assert_eq!(Casing::of("tr-TR"), Casing::Turkic);
        assert_eq!(Casing::of("de"), Casing::Unicode);
    }

    #[test]
    fn capitals() {
        let capital = |casing: Casing, word: &str| {
            let mut out = String::new();
            casing.capitalise_into(word, &mut out);
            out
        };
        assert_eq!(capital(Casing::Unicode, "élan"), "Élan");
        assert_eq!(capital(Casing::Unicode, "ßx"), "Ssx");
        assert_eq!(capital(Casing::Turkic, "istanbul"), "İstanbul");
        assert_eq!(capital(Casing::Unicode, ""), "");
    }

    #[test]
    fn shapes() {
        for (word, shape) in [
            ("12", Shape::Uncased),
            ("漢字", Shape::Uncased),
            ("haus", Shape::Lower),
            ("iPhone", Shape::Lower),
            ("Haus", Shape::Capital),
            ("A", Shape::Capital),
            ("McX", Shape::Capital),
            ("NATO", Shape::AllCaps),
            ("3-D-X", Shape::AllCaps),
        ] {
            assert_eq!(Shape::of(word), shape, "{word}");
        }
    }
}
