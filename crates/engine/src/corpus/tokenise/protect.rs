//! Web addresses, e-mail addresses, compound numbers and notation, found so that they can be left whole.

use super::classes::{Class, Classes};
use super::notation;

/// What is found besides web and e-mail addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Compound numbers: 12:30, 1/2.
    pub numbers: bool,
    /// Placeholders, variables, tags, entities and paths; see [`notation`].
    pub notation: bool,
}

/// Fills `ranges` with what is to be protected in `text`: in order, disjoint, as byte offsets. Linear: a rule that has
/// looked at a stretch of text in vain does not look at it again.
pub fn find(text: &str, kinds: Kinds, ranges: &mut Vec<(usize, usize)>) {
    let classes = Classes::table();
    ranges.clear();
    let mut offset = 0;
    for word in text.split(|c| classes.of(c) == Class::Space) {
        in_word(word, kinds, offset, ranges);
        offset += word.len();
        offset += text[offset..].chars().next().map_or(0, char::len_utf8);
    }
}

fn in_word(word: &str, kinds: Kinds, offset: usize, ranges: &mut Vec<(usize, usize)>) {
    let bytes = word.as_bytes();
    let (mut no_mail_before, mut no_number_before) = (0, 0);
    let mut at = 0;
    if kinds.notation && bytes.iter().any(|byte| b"/\\%${".contains(byte)) {
        let (start, end) = notation::core(word);
        if notation::is_path(&bytes[start..end]) || notation::has_placeholder(&bytes[start..end]) {
            ranges.push((offset + start, offset + end));
            at = end;
        }
    }
    while at < bytes.len() {
        if kinds.notation
            && let Some(end) = notation::item(bytes, at)
            && !follows_joiner(word, at)
        {
            ranges.push((offset + at, offset + end));
            at = end;
            continue;
        }
        if !bytes[at].is_ascii_alphanumeric() || (at > 0 && is_word(bytes[at - 1])) {
            at += 1;
            continue;
        }
        let mut end = web_address(word, at);
        if end.is_none() && at >= no_mail_before {
            end = mail_address(bytes, at).map_err(|looked_at| no_mail_before = looked_at).ok();
        }
        if end.is_none() && kinds.numbers && bytes[at].is_ascii_digit() && at >= no_number_before {
            end = number(bytes, at).map_err(|looked_at| no_number_before = looked_at).ok();
        }
        if let Some(end) = end {
            ranges.push((offset + at, offset + end));
            at = end;
        } else {
            at += 1;
        }
    }
}

/// Whether a joiner stands before `at`, which may weld the sign there to what is before it.
fn follows_joiner(word: &str, at: usize) -> bool {
    word[..at].ends_with(super::classes::JOINER)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
}

/// `https://…`, `ftp://…`, `www.…`: to the end of the word, less the punctuation that closes the sentence around it.
fn web_address(word: &str, at: usize) -> Option<usize> {
    let rest = &word.as_bytes()[at..];
    let scheme = ["https://", "http://", "ftp://", "www."]
        .iter()
        .find(|scheme| rest.len() > scheme.len() && rest[..scheme.len()].eq_ignore_ascii_case(scheme.as_bytes()))?;
    let body = &word[at + scheme.len()..];
    let opened = body.contains('(');
    let kept = body.trim_end_matches(|c: char| {
        matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | ']' | '}' | '>' | '»' | '”' | '’' | '“' | '…')
            || (c == ')' && !opened)
    });
    (!kept.is_empty()).then(|| at + scheme.len() + kept.len())
}

/// `name@host.domain`: its end, or where the search for one that begins here gave up.
fn mail_address(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let local = bytes[at..].iter().take_while(|&&byte| is_local(byte)).count();
    if bytes.get(at + local) != Some(&b'@') {
        return Err(at + local);
    }
    let host = at + local + 1;
    let length =
        bytes[host..].iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)).count();
    let trailing = bytes[host..host + length].iter().rev().take_while(|&&byte| b".-".contains(&byte)).count();
    let name = &bytes[host..host + length - trailing];
    let mut labels = name.rsplit(|&byte| byte == b'.');
    let top = labels.next().unwrap_or_default();
    let sound = top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic);
    let sound = sound && name.len() > top.len() && labels.all(|label| !label.is_empty());
    if sound { Ok(host + name.len()) } else { Err(at + local) }
}

/// Digits joined by single marks: `12:30`, `1/2`, `2024-05-01`, `1'000.50`; its end, or where the search gave up.
fn number(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = at + digits(at);
    let first = end;
    while end < bytes.len() && b".,:/'-".contains(&bytes[end]) {
        let more = digits(end + 1);
        if more == 0 {
            break;
        }
        end += 1 + more;
    }
    if end > first && bytes.get(end).is_none_or(|&byte| !is_word(byte)) { Ok(end) } else { Err(end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut ranges = Vec::new();
        find(text, Kinds { numbers: true, notation: false }, &mut ranges);
        ranges.iter().map(|&(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn addresses_and_numbers() {
        assert_eq!(found("see (https://a.org/b?c=d), or www.x.de."), ["https://a.org/b?c=d", "www.x.de"]);
        assert_eq!(found("https://a.org/x_(y) <me.too@mail.a-b.org>,"), ["https://a.org/x_(y)", "me.too@mail.a-b.org"]);
        assert_eq!(found("12:30, 1/2 and 2024-05-01\u{A0}1'000.50"), ["12:30", "1/2", "2024-05-01", "1'000.50"]);
        assert_eq!(found("a@b a@b.c @x 5 5a 1.2x www. http:// é@x.org"), [""; 0]);
    }
}
