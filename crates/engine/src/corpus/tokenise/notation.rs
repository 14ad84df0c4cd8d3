//! Text that is not words: placeholders, variables, tags, entities and paths, found so that they can be left whole.
//!
//! A word with a placeholder in it is one token, but for the punctuation around it; [`core`] says what that is. The signs
//! of other notation (`look(1)`, `Super+L`, `**bold**`) are tokens that say by marks how they are spaced.

use super::classes::{Class, Classes};

/// Longest name between braces or brackets, so that a line of opening ones costs linear time.
const LONGEST: usize = 128;
/// Brackets around a word that are looked into.
const DEEPEST: usize = 4;
/// What detokenising undoes; as an entity of the text it would be lost in text that is not escaped.
const ESCAPES: [&[u8]; 10] =
    [b"amp;", b"#124;", b"lt;", b"gt;", b"apos;", b"quot;", b"#91;", b"#93;", b"bar;", b"bra;"];

/// The end of a placeholder, variable, tag or entity that begins at `at`.
pub fn item(word: &[u8], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|before| word[before]);
    match word[at] {
        b'%' if !before.is_some_and(|byte| byte.is_ascii_digit()) => percent(word, at + 1),
        b'$' if !before.is_some_and(is_word) => dollar(word, at + 1),
        b'{' => braces(word, at),
        b'&' => entity(word, at + 1),
        b'<' => tag(word, at + 1),
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes from `at` on are `kept`, at most [`LONGEST`].
fn run(word: &[u8], at: usize, kept: impl Fn(u8) -> bool) -> usize {
    word.get(at..).map_or(0, |rest| rest.iter().take(LONGEST).take_while(|&&byte| kept(byte)).count())
}

fn has(word: &[u8], at: usize, byte: u8) -> bool {
    word.get(at) == Some(&byte)
}

fn ends(word: &[u8], at: usize) -> Option<usize> {
    word.get(at).is_none_or(|&byte| !is_word(byte)).then_some(at)
}

/// `%s`, `%-10.2f`, `%1$s`, `%(name)s`; `%1`; `%PRODUCTNAME`, `%PRODUCTNAME%`.
fn percent(word: &[u8], at: usize) -> Option<usize> {
    if let Some(end) = printf(word, at) {
        return Some(end);
    }
    let digits = run(word, at, |byte| byte.is_ascii_digit());
    if digits > 0 {
        return if digits <= 2 { ends(word, at + digits) } else { None };
    }
    let name = run(word, at, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if name < 2 || !word[at].is_ascii_uppercase() {
        return None;
    }
    let end = ends(word, at + name)?;
    Some(end + usize::from(has(word, end, b'%')))
}

fn printf(word: &[u8], mut at: usize) -> Option<usize> {
    if has(word, at, b'(') {
        let name = run(word, at + 1, |byte| is_name(byte) || b".-".contains(&byte));
        at += 1 + name;
        if name == 0 || !has(word, at, b')') {
            return None;
        }
        at += 1;
    } else {
        let digits = run(word, at, |byte| byte.is_ascii_digit());
        if (1..=2).contains(&digits) && has(word, at + digits, b'$') {
            at += digits + 1;
        }
    }
    at += run(word, at, |byte| b"-+#0".contains(&byte));
    at += if has(word, at, b'*') { 1 } else { run(word, at, |byte| byte.is_ascii_digit()) };
    if has(word, at, b'.') {
        at += 1 + run(word, at + 1, |byte| byte.is_ascii_digit());
    }
    at += run(word, at, |byte| b"hlLqjzt".contains(&byte)).min(2);
    let conversion = *word.get(at)?;
    if b"diouxXeEfFgGcCrsSapn@".contains(&conversion) { ends(word, at + 1) } else { None }
}

/// `${name}`, `$(name)`, `$[name]`, `$name`, `$name$`, `$unit.name|`, `$A$1`, `$1`; but not `$5.50` or `$20`, which are money.
fn dollar(word: &[u8], at: usize) -> Option<usize> {
    let closed = |length: usize, by: u8| (length > 0 && has(word, at + 1 + length, by)).then_some(at + length + 2);
    match *word.get(at)? {
        b'{' => closed(run(word, at + 1, |byte| !b"{}".contains(&byte)), b'}'),
        b'(' => closed(run(word, at + 1, |byte| is_name(byte) || b".-".contains(&byte)), b')'),
        b'[' => closed(run(word, at + 1, |byte| is_name(byte) || b".-".contains(&byte)), b']'),
        digit if digit.is_ascii_digit() => {
            let price = word.get(at + 1).is_some_and(|byte| b".,".contains(byte))
                && word.get(at + 2).is_some_and(u8::is_ascii_digit);
            if price { None } else { ends(word, at + 1) }
        }
        first if is_name(first) => {
            let mut end = at + run(word, at, is_name);
            while has(word, end, b'.') && run(word, end + 1, is_name) > 0 && end - at < LONGEST {
                end += 1 + run(word, end + 1, is_name);
            }
            if has(word, end, b'$') {
                // $name$, or $A$1 of a sheet.
                let row = run(word, end + 1, |byte| byte.is_ascii_digit());
                end += ends(word, end + 1 + row).map_or(0, |_| 1 + row);
            }
            Some(end + usize::from(has(word, end, b'|')))
        }
        _ => None,
    }
}

/// `{0}`, `{name}`, `{name:>8}`, `{}`, `{{name}}`.
fn braces(word: &[u8], at: usize) -> Option<usize> {
    let double = usize::from(has(word, at + 1, b'{'));
    let start = at + 1 + double;
    let end = start + run(word, start, |byte| is_name(byte) || b".:!<>[]-".contains(&byte));
    if !has(word, end, b'}') || (double == 1 && !has(word, end + 1, b'}')) {
        return None;
    }
    Some(end + 1 + double)
}

/// `&nbsp;`, `&#160;`, `&brandShortName;`.
fn entity(word: &[u8], at: usize) -> Option<usize> {
    let sign = usize::from(has(word, at, b'#'));
    let name = run(word, at + sign, |byte| byte.is_ascii_alphanumeric());
    let end = at + sign + name;
    let escape = ESCAPES.iter().any(|escape| word[at..].starts_with(escape)) || word[at..].starts_with(b"ket;");
    (name >= 2 && has(word, end, b';') && !escape).then_some(end + 1)
}

/// `<b>`, `</b>`, `<br/>`: tags without attributes, which have spaces before them.
fn tag(word: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(has(word, at, b'/'));
    let name = run(word, start, |byte| is_name(byte) || b":-".contains(&byte));
    if name == 0 || !word[start].is_ascii_alphabetic() {
        return None;
    }
    let end = start + name;
    let end = end + usize::from(start == at && has(word, end, b'/'));
    has(word, end, b'>').then_some(end + 1)
}

/// Whether `core` is a path: `/etc/fstab`, `~/x`, `./x`, `../x`, `C:\x`.
pub fn is_path(core: &[u8]) -> bool {
    let rest = [&b"/"[..], b"~/", b"./", b"../"].iter().find_map(|root| core.strip_prefix(*root));
    match (rest, core) {
        (Some([first, ..]), _) => is_name(*first) || *first == b'.',
        (None, [drive, b':', b'\\', ..]) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// What is left of a word without the punctuation around it, as byte offsets. Brackets go if their partners are missing.
pub fn core(word: &str) -> (usize, usize) {
    let classes = Classes::table();
    let mut open = [0_i64; 3];
    for byte in word.bytes() {
        if let Some((kind, step)) = bracket(char::from(byte)) {
            open[kind] += step;
        }
    }
    let mut start = 0;
    let mut rest = word.chars().peekable();
    while let Some(c) = rest.next() {
        let loose = match bracket(c) {
            Some((kind, step)) => step > 0 && open[kind] > 0,
            None => matches!(c, '"' | '\'' | '“' | '„' | '‘' | '‚' | '«' | '‹' | '»' | '›' | '”' | '’' | '¿' | '¡'),
        };
        // A mark belongs to what is before it.
        if !loose || rest.peek().is_some_and(|&next| classes.of(next) == Class::Extend) {
            break;
        }
        if let Some((kind, _)) = bracket(c) {
            open[kind] -= 1;
        }
        start += c.len_utf8();
    }
    let mut end = word.len();
    for c in word[start..].chars().rev() {
        let loose = match bracket(c) {
            Some((kind, step)) => step < 0 && open[kind] < 0,
            None => {
                matches!(
                    c,
                    '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '”' | '’' | '“' | '‘' | '»' | '›' | '«' | '…'
                )
            }
        };
        if !loose {
            break;
        }
        if let Some((kind, _)) = bracket(c) {
            open[kind] += 1;
        }
        end -= c.len_utf8();
    }
    within(word, start, end.max(start))
}

/// What is inside of the brackets that are around all of a stretch of a word, and of the quotation marks in them.
fn within(word: &str, mut start: usize, mut end: usize) -> (usize, usize) {
    for _ in 0..DEEPEST {
        let inner = &word.as_bytes()[start..end];
        let around = match inner {
            [b'(', .., b')'] => partner(inner, b'(', b')'),
            [b'[', .., b']'] => partner(inner, b'[', b']'),
            [b'"', .., b'"'] => inner[1..].iter().position(|&byte| byte == b'"').map(|at| at + 1),
            _ => None,
        };
        if around.is_none_or(|last| last + 1 != inner.len() || last == 1) {
            break;
        }
        (start, end) = (start + 1, end - 1);
    }
    (start, end)
}

/// Where the bracket closes that the bytes begin with.
fn partner(bytes: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    bytes.iter().position(|&byte| {
        depth += usize::from(byte == open);
        depth -= usize::from(byte == close);
        depth == 0
    })
}

fn bracket(c: char) -> Option<(usize, i64)> {
    Some(match c {
        '(' => (0, 1),
        ')' => (0, -1),
        '[' => (1, 1),
        ']' => (1, -1),
        '{' => (2, 1),
        '}' => (2, -1),
        _ => return None,
    })
}

/// Whether a placeholder or variable is in a word: what makes all of the word's core one token.
pub fn has_placeholder(word: &[u8]) -> bool {
    (0..word.len()).any(|at| b"%${".contains(&word[at]) && item(word, at).is_some())
}

/// Whether a text has signs of notation, or those that prose has too, but rarely between words.
pub fn has_sign(text: &str) -> bool {
    has_hard_sign(text) || text.bytes().any(|byte| b"()/&".contains(&byte))
}

/// Whether a token is punctuation that prose sets a space behind.
pub fn is_stop(token: &str) -> bool {
    matches!(token, ":" | ";" | "!" | "?")
}

/// Whether a text has signs that only notation has.
pub fn has_hard_sign(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, &byte)| match byte {
        b'%' => !at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_digit() || bytes[before] == b' '),
        _ => b"${}<>[]=+*_\\|~^#@`".contains(&byte),
    })
}

/// Whether a token has neither letters nor digits.
pub fn is_mark(token: &str) -> bool {
    let classes = Classes::table();
    !token.chars().any(|c| classes.of(c).is_letter() || classes.of(c) == Class::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items() {
        let whole = |text: &str| item(text.as_bytes(), 0) == Some(text.len());
        for text in [
            "%s",
            "%d",
            "%-10s",
            "%.2f",
            "%05d",
            "%ld",
            "%zu",
            "%1$s",
            "%2$d",
            "%(name)s",
            "%(x)d",
            "%1",
            "%12",
            "%@",
            "%PRODUCTNAME",
            "%PRODUCTNAME%",
            "${name}",
            "${a.b}",
            "$(x)",
            "$[office]",
            "$name",
            "$unit.name|",
            "$name$",
            "$A$1",
            "$1",
            "{0}",
            "{}",
            "{name}",
            "{name:>8}",
            "{{name}}",
            "&nbsp;",
            "&#160;",
            "&brandName;",
            "<b>",
            "</b>",
            "<br/>",
        ] {
            assert!(whole(text), "{text}");
        }
        for text in [
            "%",
            "%%",
            "%sx",
            "%y",
            "%123",
            "%Pr",
            "%(s",
            "$",
            "$5.50",
            "$20",
            "$A$x",
            "${",
            "${}",
            "{a b}",
            "{{a}",
            "&amp;",
            "&lt;",
            "&ket;",
            "&;",
            "<",
            "<>",
            "<3>",
            "<a@b.org>",
            "<b",
            "</b/>",
        ] {
            assert!(!whole(text), "{text}");
        }
    }

    #[test]
    fn cores() {
        for (word, expected) in [
            ("(%s),", "%s"),
            ("look(1).", "look(1)"),
            ("\"a\":", "a"),
            ("f(x)", "f(x)"),
            ("((a)", "a"),
            ("(a))", "a"),
            ("(re)do", "(re)do"),
            ("()", "()"),
            ("(\"a\")", "a"),
            ("...", ""),
            ("", ""),
            ("«é»", "é"),
            ("a[]", "a[]"),
            ("[a", "a"),
        ] {
            let (start, end) = core(word);
            assert_eq!(&word[start..end], expected, "{word}");
        }
    }

    #[test]
    fn paths_and_signs() {
        assert!(["/etc", "~/a", "./a", "../a", "C:\\a", "/.x"].iter().all(|path| is_path(path.as_bytes())));
        assert!(!["/", "a/b", "//", ".a", "12:\\"].iter().any(|path| is_path(path.as_bytes())));
        assert!(["a_b", "x=1", "%s", "[a]"].iter().all(|word| has_hard_sign(word)));
        assert!(!["a", "5%", "5 %", "a-b", "a:b", "l'a", "(a)"].iter().any(|word| has_hard_sign(word)));
        assert!(["(a)", "a/b", "x=1"].iter().all(|word| has_sign(word)));
        assert!(["x%s", "a{0}b"].iter().all(|word| has_placeholder(word.as_bytes())));
        assert!(!["50%", "$5.50", "<b>"].iter().any(|word| has_placeholder(word.as_bytes())));
    }
}
