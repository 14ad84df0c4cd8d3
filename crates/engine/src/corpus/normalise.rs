//! Changes to a line that lose no sentence: invisible characters, composed forms, spaces.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Which changes are made, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Normalisation {
    /// Remove bidi controls, soft hyphens, word joiners and byte order marks. Zero-width spaces and (non-)joiners stay:
    /// Khmer, Persian and the scripts of India spell with them.
    pub invisible: bool,
    /// Compose characters (Unicode NFC).
    pub nfc: bool,
    /// Make one plain space of each run of spaces and tabs, of whatever width, and remove it at both ends.
    pub spaces: bool,
}

/// The names of the changes, in the order of [`Normalisation`]'s fields.
pub const CHANGES: [&str; 3] = ["invisible", "nfc", "spaces"];

impl Normalisation {
    /// The line after the changes; says in `changed` which of them made a difference.
    pub fn apply<'a>(self, line: &'a str, changed: &mut [bool; 3]) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(line);
        if !line.is_ascii() {
            if self.invisible && may_hold(line, INVISIBLE_LEADS) && text.chars().any(is_invisible) {
                text = text.chars().filter(|&c| !is_invisible(c)).collect::<String>().into();
                changed[0] = true;
            }
            // Below U+0300, whose first byte is this, all characters are composed.
            if self.nfc && may_hold(&text, 0xcc..=0xff) && is_nfc_quick(text.chars()) != IsNormalized::Yes {
                let composed: String = text.nfc().collect();
                if composed != *text {
                    text = composed.into();
                    changed[1] = true;
                }
            }
        }
        if self.spaces && !has_plain_spacing(&text) {
            text = with_plain_spacing(&text).into();
            changed[2] = true;
        }
        text
    }
}

/// Characters that show nothing and change no word.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// The spaces of Unicode (general category Zs) and the tab.
pub fn is_space(c: char) -> bool {
    matches!(c, '\t' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// The first bytes of the characters of [`is_invisible`] and of all spaces beyond ASCII lie here.
const INVISIBLE_LEADS: RangeInclusive<u8> = 0xd8..=0xef;

/// Whether the text has a byte in this range, or the first byte of U+0080 to U+00BF: a quick look before a close one.
pub(super) fn may_hold(text: &str, leads: RangeInclusive<u8>) -> bool {
    text.bytes().fold(false, |found, byte| found | leads.contains(&byte) | (byte == 0xc2))
}

fn has_plain_spacing(text: &str) -> bool {
    let mut before = b' ';
    let mut doubled = false;
    for byte in text.bytes() {
        doubled |= (byte == b' ' && before == b' ') | (byte == b'\t');
        before = byte;
    }
    let plain_ends = text.is_empty() || before != b' ';
    plain_ends && !doubled && !(may_hold(text, INVISIBLE_LEADS) && text.chars().any(|c| is_space(c) && c != ' '))
}

fn with_plain_spacing(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split(is_space).filter(|part| !part.is_empty()) {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(part);
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: Normalisation = Normalisation { invisible: true, nfc: true, spaces: true };

    fn apply(line: &str) -> (String, [bool; 3]) {
        let mut changed = [false; 3];
        let text = ALL.apply(line, &mut changed).into_owned();
        (text, changed)
    }

    #[test]
    fn says_what_it_changed() {
        assert_eq!(apply("a b"), ("a b".into(), [false; 3]));
        assert_eq!(apply(" a\u{a0}\tb "), ("a b".into(), [false, false, true]));
        assert_eq!(apply("e\u{301}"), ("é".into(), [false, true, false]));
        assert_eq!(apply("\u{feff}a\u{ad}b"), ("ab".into(), [true, false, false]));
        assert_eq!(apply("क\u{200d}ष \u{3000}"), ("क\u{200d}ष".into(), [false, false, true]));
        assert_eq!(apply(" "), (String::new(), [false, false, true]));
        assert_eq!(apply(""), (String::new(), [false; 3]));
    }

    #[test]
    fn the_quick_look_misses_nothing() {
        for c in '\u{80}'..=char::MAX {
            let text = c.to_string();
            if is_invisible(c) || is_space(c) {
                assert!(may_hold(&text, INVISIBLE_LEADS), "{c:?}");
            }
            if !may_hold(&text, 0xcc..=0xff) {
                assert!(is_nfc_quick(text.chars()) == IsNormalized::Yes, "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_second_time_changes_nothing(line in "[ \\t\u{a0}\u{200e}e\u{301}\u{ad}a]{0,12}|\\PC{0,10}") {
            let (once, _) = apply(&line);
            prop_assert_eq!(apply(&once), (once.clone(), [false; 3]));
        }
    }
}
