//! The tokenisations that scores are computed on. They follow mteval-v13a and sacrebleu to the letter, because a score
//! means something only together with its tokenisation; for text that models see, use `corpus::tokenise`.

use crate::{Error, Result};

/// How a line becomes tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokeniser {
    /// mteval-v13a: punctuation and symbols of ASCII apart, digits with their points and commas together.
    V13a,
    /// At white space only.
    None,
    /// Every character that is not white space.
    Char,
}

/// Memory for [`Tokeniser::each_token`].
pub type Buffers = (Vec<u8>, Vec<u8>);

impl Tokeniser {
    /// By its name in signatures.
    ///
    /// # Errors
    /// There is no such tokenisation.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "13a" => Ok(Self::V13a),
            "none" => Ok(Self::None),
            "char" => Ok(Self::Char),
            _ => Err(Error::settings(format!("there is no tokenisation {name:?}")).hint("use 13a, none or char")),
        }
    }

    /// Calls `take` with each token of a line.
    pub fn each_token(self, line: &str, buffers: &mut Buffers, mut take: impl FnMut(&str)) {
        match self {
            Self::V13a => {
                let (text, other) = buffers;
                unescape(line, text);
                separate(text, other);
                // Only ASCII was inserted, and only between characters or beside ASCII ones.
                let text = std::str::from_utf8(text).expect("separating keeps UTF-8 whole");
                words(text).for_each(take);
            }
            Self::None => words(line).for_each(take),
            Self::Char => {
                let mut bytes = [0; 4];
                for symbol in line.chars().filter(|&symbol| !is_space(symbol)) {
                    take(symbol.encode_utf8(&mut bytes));
                }
            }
        }
    }
}

/// White space as Python's `str.split` knows it, which sacrebleu splits with: Unicode's and four separators of ASCII.
pub fn is_space(symbol: char) -> bool {
    symbol.is_whitespace() || matches!(symbol, '\x1c'..='\x1f')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// A space, the line without mteval's markup, a space.
fn unescape(line: &str, text: &mut Vec<u8>) {
    text.clear();
    text.push(b' ');
    let line = line.trim_end_matches(is_space);
    if line.contains('<') || line.contains('&') || line.contains('\n') {
        // One after the other, as `&amp;lt;` becomes `<` in mteval.
        let plain = line.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
        let plain = plain.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
        text.extend_from_slice(plain.as_bytes());
    } else {
        text.extend_from_slice(line.as_bytes());
    }
    text.push(b' ');
}

/// mteval's four substitutions, each over the result of the one before.
///
/// On bytes: all that is tested is ASCII, and a byte of a longer character is, like the character, not a digit.
fn separate(text: &mut Vec<u8>, other: &mut Vec<u8>) {
    other.clear();
    for &byte in text.iter() {
        if matches!(byte, b'{'..=b'~' | b'['..=b'`' | b' '..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/') {
            other.extend_from_slice(&[b' ', byte, b' ']);
        } else {
            other.push(byte);
        }
    }
    pairs(other, text, |a, b| (!a.is_ascii_digit() && is_point(b)).then_some([a, b' ', b, b' ']));
    pairs(text, other, |a, b| (is_point(a) && !b.is_ascii_digit()).then_some([b' ', a, b' ', b]));
    pairs(other, text, |a, b| (a.is_ascii_digit() && b == b'-').then_some([a, b' ', b, b' ']));
}

fn is_point(byte: u8) -> bool {
    matches!(byte, b'.' | b',')
}

/// Replaces pairs of bytes from left to right; a byte belongs to one pair at most.
fn pairs(from: &[u8], to: &mut Vec<u8>, replace: impl Fn(u8, u8) -> Option<[u8; 4]>) {
    to.clear();
    let mut at = 0;
    while at < from.len() {
        match from.get(at + 1).and_then(|&next| replace(from[at], next)) {
            Some(replaced) => {
                to.extend_from_slice(&replaced);
                at += 2;
            }
            None => {
                to.push(from[at]);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokeniser: Tokeniser, line: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokeniser.each_token(line, &mut Buffers::default(), |token| found.push(token.to_owned()));
        found
    }

    #[test]
    fn as_mteval() {
        let line = "He paid $3,000.50 (yes), in 1990-2000; &quot;ok&quot;… naïve, don't.  ";
        let expected = "He paid $ 3,000.50 ( yes ) , in 1990 - 2000 ; \" ok \" … naïve , don't .";
        assert_eq!(tokens(Tokeniser::V13a, line).join(" "), expected);
        assert_eq!(tokens(Tokeniser::V13a, "").len(), 0);
    }

    #[test]
    fn the_others() {
        assert_eq!(tokens(Tokeniser::None, " a\u{a0}b \x1cc."), ["a", "b", "c."]);
        assert_eq!(tokens(Tokeniser::Char, "aé b"), ["a", "é", "b"]);
        assert!(Tokeniser::parse("intl").is_err());
    }
}
