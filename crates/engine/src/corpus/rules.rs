//! The rules of cleaning: what each looks for in one sentence pair.

use hashbrown::HashSet;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::normalise::{is_invisible, is_space, may_hold};
use super::scripts::{Script, is_letter, is_unspaced, letter_script};
use super::words::words;

/// A reason to drop a pair. The order here is the order in which rules are asked; the first that hits counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Rule {
    /// A side has nothing to see.
    Empty = 1,
    /// A side has control characters, or such as tell of a broken encoding.
    Control = 2,
    /// A side has too few or too many words, or too many characters.
    Length = 3,
    /// A side has a word that is too long to be one.
    LongWord = 4,
    /// One side is too long for the other.
    Ratio = 5,
    /// Both sides are the same, and not just a number or a name.
    Identical = 6,
    /// A side is not written in its language's script.
    Script = 7,
    /// The pair was seen before.
    Duplicate = 8,
}

impl Rule {
    /// All rules in their order; the id of `ALL[i]` is `i + 1`.
    pub const ALL: [Self; 8] = [
        Self::Empty,
        Self::Control,
        Self::Length,
        Self::LongWord,
        Self::Ratio,
        Self::Identical,
        Self::Script,
        Self::Duplicate,
    ];

    /// The name people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Control => "control",
            Self::Length => "length",
            Self::LongWord => "long-word",
            Self::Ratio => "ratio",
            Self::Identical => "identical",
            Self::Script => "script",
            Self::Duplicate => "duplicate",
        }
    }

    /// The rule of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// Nothing but spaces and characters that show nothing.
pub fn is_empty(line: &str) -> bool {
    line.chars().all(|c| is_space(c) || c.is_whitespace() || is_invisible(c) || matches!(c, '\u{200b}'..='\u{200d}'))
}

/// Control characters other than the tab, line and paragraph separators, private use and unassigned code points that
/// will never be characters, and the replacement character that a failed conversion leaves behind.
pub fn has_control(line: &str) -> bool {
    if line.bytes().fold(false, |found, byte| found | (byte.is_ascii_control() & (byte != b'\t'))) {
        return true;
    }
    // U+2028 and U+2029 begin with E2, private use and non-characters with EE, EF or more.
    may_hold(line, 0xe2..=0xff) && line.chars().any(is_control_beyond_ascii)
}

fn is_control_beyond_ascii(c: char) -> bool {
    match c {
        c if c.is_ascii() => false,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffd}' | '\u{fdd0}'..='\u{fdef}' => true,
        c if c as u32 & 0xfffe == 0xfffe => true,
        c => c.general_category() == GeneralCategory::PrivateUse,
    }
}

/// Whether a word has more than `most` characters. Characters of scripts without spaces do not count, as whole
/// sentences are one "word" there, and neither do web addresses.
pub fn has_long_word(line: &str, most: usize) -> bool {
    has_long_run(line.as_bytes(), most)
        && words(line).any(|word| word.len() > most && is_long(word, most) && !is_address(word))
}

/// Whether more than `most` bytes follow each other without white space: otherwise no word can be too long.
fn has_long_run(line: &[u8], most: usize) -> bool {
    // Of each stretch that a long run could fill, only the end is looked at, back to the last white space.
    let mut start = 0;
    while let Some(stretch) = line.get(start..).and_then(|rest| rest.get(..=most)) {
        match stretch.iter().rposition(u8::is_ascii_whitespace) {
            Some(space) => start += space + 1,
            None => return true,
        }
    }
    false
}

fn is_long(word: &str, most: usize) -> bool {
    word.chars().filter(|&c| !letter_script(c).is_some_and(is_unspaced)).nth(most).is_some()
}

fn is_address(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.") || word.starts_with("mailto:")
}

/// Whether the longer of two lengths exceeds the shorter more than `ratio` times, after an allowance that keeps the
/// rule from judging short sides.
pub fn is_lopsided(one: usize, other: usize, ratio: f64, allowance: usize) -> bool {
    one.max(other) as f64 > ratio * one.min(other) as f64 + allowance as f64
}

/// Whether a line that both sides share may still be a translation: it has no letters (numbers, codes), or it looks
/// like a name: at most `most` words, and each that has a letter begins with a capital one.
pub fn reads_the_same_in_any_language(line: &str, most: usize) -> bool {
    let mut name = true;
    let mut letters = false;
    for word in words(line) {
        if let Some(first) = word.chars().find(|&c| is_letter(c)) {
            letters = true;
            name &=
                matches!(first.general_category(), GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter);
        }
    }
    !letters || (name && words(line).count() <= most)
}

/// Whether less than `share` of a line's letters are in one of these scripts. Words that the other side has too are not
/// judged: names and placeholders stay as they are in any language.
pub fn has_wrong_script(line: &str, other: &str, expected: &[Script], share: f64) -> bool {
    let (right, all) = letters_in([line], expected);
    if right as f64 >= share * all as f64 {
        return false;
    }
    let shared: HashSet<&str> = words(other).collect();
    let (right, all) = letters_in(words(line).filter(|word| !shared.contains(word)), expected);
    (right as f64) < share * all as f64
}

/// How many letters are in one of these scripts, and how many are in any.
fn letters_in<'a>(texts: impl IntoIterator<Item = &'a str>, expected: &[Script]) -> (usize, usize) {
    let latin = expected.contains(&Script::Latin);
    let (mut right, mut all) = (0, 0);
    for text in texts {
        // Bytes are enough for the letters of ASCII, which are most of most text.
        let ascii = text.bytes().filter(u8::is_ascii_alphabetic).count();
        all += ascii;
        right += if latin { ascii } else { 0 };
        if !text.is_ascii() {
            for script in text.chars().filter(|c| !c.is_ascii()).filter_map(letter_script) {
                all += 1;
                right += usize::from(expected.contains(&script));
            }
        }
    }
    (right, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_order() {
        for (position, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, position + 1);
            assert_eq!(Rule::parse(rule.name()), Some(rule));
        }
    }

    #[test]
    fn empty_and_control() {
        assert!(is_empty("") && is_empty(" \u{a0}\u{200e}\u{200b}\u{3000}") && !is_empty("\0"));
        for bad in ["\0", "a\r", "é\u{85}", "\u{fffd}", "\u{e000}", "\u{2028}", "\u{ffff}", "\u{1fffe}", "\u{7f}"] {
            assert!(has_control(bad), "{bad:?}");
        }
        assert!(!has_control("a\tb") && !has_control("é\t\u{200d}😀"));
    }

    #[test]
    fn the_quick_look_misses_no_control() {
        for c in ('\u{80}'..=char::MAX).filter(|&c| is_control_beyond_ascii(c)) {
            assert!(has_control(&c.to_string()), "{c:?}");
        }
    }

    #[test]
    fn long_words_are_not_addresses_nor_sentences_without_spaces() {
        assert!(has_long_word("a bbbb", 3) && !has_long_word("a bbb", 3) && !has_long_word("éé éé", 3));
        assert!(
            has_long_word("bbbb", 3)
                && has_long_word(" a bb bbbb", 3)
                && !has_long_word("", 0)
                && has_long_word("a", 0)
        );
        assert!(!has_long_word("http://a.b/c", 3) && !has_long_word("漢字漢字漢字", 3) && has_long_word("漢abcd", 3));
    }

    #[test]
    fn short_sides_are_not_judged_by_their_ratio() {
        assert!(!is_lopsided(1, 9, 3.0, 6) && is_lopsided(1, 10, 3.0, 6));
        assert!(!is_lopsided(36, 10, 3.0, 6) && is_lopsided(37, 10, 3.0, 6));
    }

    #[test]
    fn numbers_and_names_read_the_same() {
        for same in ["42", "", "2024-01-02 .", "New York", "ABC 12 -"] {
            assert!(reads_the_same_in_any_language(same, 4), "{same}");
        }
        for other in ["hello", "New york", "One Two Three Four Five", "漢字"] {
            assert!(!reads_the_same_in_any_language(other, 4), "{other}");
        }
    }

    #[test]
    fn scripts_are_counted_over_letters_only() {
        let cyrillic = [Script::Cyrillic];
        assert!(!has_wrong_script("12 + 3", "", &cyrillic, 0.5));
        assert!(has_wrong_script("привет hello you", "hi", &cyrillic, 0.5));
        assert!(!has_wrong_script("привет hello", "hi", &cyrillic, 0.5));
    }

    #[test]
    fn words_of_both_sides_are_in_no_wrong_script() {
        let cyrillic = [Script::Cyrillic];
        assert!(has_wrong_script("в LibreOffice Writer", "text", &cyrillic, 0.5));
        assert!(!has_wrong_script("в LibreOffice Writer", "in LibreOffice Writer", &cyrillic, 0.5));
        assert!(has_wrong_script("LibreOffice Writer foo", "in LibreOffice Writer", &cyrillic, 0.5));
        assert!(!has_wrong_script("New York", "New York", &cyrillic, 0.5));
    }
}
