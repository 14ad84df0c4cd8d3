//! What the tokeniser knows about a character: one small class, from its Unicode general category.

use std::sync::LazyLock;

use unicode_properties::{GeneralCategory as Category, UnicodeGeneralCategory};

/// How a character behaves in the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// White space and the zero width space: separates tokens and is not kept.
    Space,
    /// A control character that is not white space: dropped, as Moses does.
    Control,
    /// A lower-case letter.
    Lower,
    /// Any other letter.
    Letter,
    /// A digit, or a number written as a letter (Ⅻ); not ² or ½, which are symbols.
    Number,
    /// A combining mark, a format character (ZWJ, ZWNJ, soft hyphen, bidi marks) or an emoji skin tone: belongs to
    /// whatever stands before it.
    Extend,
    /// A hyphen-minus or a grave accent: never split from its word.
    Inner,
    /// `.`
    Dot,
    /// `,`
    Comma,
    /// `'`
    Apostrophe,
    /// Everything else is a token of its own.
    Symbol,
}

impl Class {
    /// A letter, or a mark that stands where a letter would.
    pub fn is_letter(self) -> bool {
        matches!(self, Self::Lower | Self::Letter | Self::Extend)
    }
}

/// The zero width joiner, which welds emoji.
pub const JOINER: char = '\u{200D}';

/// Classes of the first two planes; the rest are asked one by one, being rare.
const TABLED: usize = 0x20000;
static CLASSES: LazyLock<Box<[Class]>> = LazyLock::new(|| {
    (0..TABLED as u32).map(|code| char::from_u32(code).map_or(Class::Symbol, derive)).collect::<Vec<_>>().into()
});

/// The class table, resolved once per line so that the scanner does not ask for it at each character.
#[derive(Clone, Copy)]
pub struct Classes(&'static [Class]);

impl Classes {
    /// The one table.
    pub fn table() -> Self {
        Self(&CLASSES)
    }

    /// The class of `c`.
    #[inline]
    pub fn of(self, c: char) -> Class {
        self.0.get(c as usize).copied().unwrap_or_else(|| derive(c))
    }

    /// The class of an ASCII byte.
    #[inline]
    pub fn of_ascii(self, byte: u8) -> Class {
        self.0[usize::from(byte)]
    }
}

fn derive(c: char) -> Class {
    match c {
        '.' => return Class::Dot,
        ',' => return Class::Comma,
        '\'' => return Class::Apostrophe,
        '-' | '`' => return Class::Inner,
        // U+001C to U+001F separate like white space in Python and Moses, and U+200B is a word boundary by definition.
        '\u{1C}'..='\u{1F}' | '\u{200B}' => return Class::Space,
        '\u{1F3FB}'..='\u{1F3FF}' => return Class::Extend,
        _ if c.is_whitespace() => return Class::Space,
        _ => {}
    }
    match c.general_category() {
        Category::Control => Class::Control,
        Category::LowercaseLetter => Class::Lower,
        Category::UppercaseLetter | Category::TitlecaseLetter | Category::ModifierLetter | Category::OtherLetter => {
            Class::Letter
        }
        Category::DecimalNumber | Category::LetterNumber => Class::Number,
        Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark | Category::Format => Class::Extend,
        _ => Class::Symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_telling_characters() {
        let classes = Classes::table();
        for (c, class) in [
            ('a', Class::Lower),
            ('Ž', Class::Letter),
            ('ह', Class::Letter),
            ('ि', Class::Extend),
            ('\u{94D}', Class::Extend),
            (JOINER, Class::Extend),
            ('७', Class::Number),
            ('²', Class::Symbol),
            ('।', Class::Symbol),
            ('’', Class::Symbol),
            ('–', Class::Symbol),
            ('-', Class::Inner),
            ('\u{A0}', Class::Space),
            ('\u{2028}', Class::Space),
            ('\u{85}', Class::Space),
            ('\u{200B}', Class::Space),
            ('\u{7F}', Class::Control),
            ('\0', Class::Control),
            ('\u{20000}', Class::Letter),
            ('\u{E0061}', Class::Extend),
            ('\u{10FFFF}', Class::Symbol),
        ] {
            assert_eq!(classes.of(c), class, "{c:?}");
        }
    }
}
