//! The detokeniser: tokens put back together as people write.
//!
//! Each token says whether it stands tight to what is on its left and on its right; a space goes between two tokens
//! unless one of them is tight there. Most tokens answer from their neighbours alone; quotation marks also from what
//! has been opened before them and what is still to come. Linear in the number of tokens.

use rayon::prelude::*;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::tokenise::{Class, Classes, LOOSE as LOOSE_MARK, Language, TIGHT as TIGHT_MARK, push_unescaped};
use crate::Result;

/// Words that lose their vowel before an apostrophe (d', l', qu').
const ELIDED: &[&str] = &["d", "l", "o", "j", "m", "n", "t", "s", "c", "qu"];
/// What follows an apostrophe inside a word or contraction, where the tokeniser splits on both sides.
const SUFFIXES: &[&str] = &["s", "t", "d", "m", "n", "re", "ve", "ll", "em", "ne", "er", "ner", "nem", "nen", "ns"];
/// What follows an apostrophe in English contractions.
const CONTRACTED: &[&str] = &["s", "t", "d", "m", "re", "ve", "ll"];
/// Italian words clipped by an apostrophe that a space follows (un po' di).
const CLIPPED: &[&str] = &["po", "mo", "be", "va", "fa", "da", "di", "sta", "to", "ca"];
/// Endings people put in brackets: word(s).
const ENDINGS: &[&str] = &["s", "es", "e", "x", "n", "en", "in", "r", "a", "i", "o"];
/// Directories that begin a path rather than follow a word.
const ROOTS: &[&str] =
    &["etc", "usr", "var", "dev", "proc", "home", "bin", "tmp", "lib", "sys", "opt", "boot", "sbin", "root", "run"];

/// Buffers that one line leaves for the next.
#[derive(Debug, Default)]
pub struct Scratch {
    text: String,
    ranges: Vec<(usize, usize)>,
    quotes: Vec<char>,
    /// Whether marks say that a space goes before a token, and behind it.
    marks: Vec<(Option<bool>, Option<bool>)>,
}

/// Joins tokens of one language into text.
#[derive(Debug)]
pub struct Detokeniser {
    language: Language,
}

impl Detokeniser {
    /// A detokeniser for a language code; see [`Language::parse`].
    pub fn new(code: &str) -> Result<Self> {
        Ok(Self { language: Language::parse(code)? })
    }

    /// Appends to `out` the text that the tokens of `line`, separated by ASCII white space, stand for. Entities
    /// that the tokeniser writes for special characters are undone.
    pub fn line_into(&self, line: &str, scratch: &mut Scratch, out: &mut String) {
        let Scratch { text, ranges, quotes, marks } = scratch;
        text.clear();
        push_unescaped(line, text);
        ranges.clear();
        marks.clear();
        for token in text.split_ascii_whitespace() {
            let start = token.as_ptr() as usize - text.as_ptr() as usize;
            let (token, left, right) = unmarked(token);
            let start = start + left.map_or(0, |_| TIGHT_MARK.len_utf8());
            ranges.push((start, start + token.len()));
            marks.push((left, right));
        }
        spaces(self.language, text, ranges, quotes, |index, space| {
            let marked = index.checked_sub(1).and_then(|last| marks[last].1.or(marks[index].0));
            if index > 0 && marked.unwrap_or(space) {
                out.push(' ');
            }
            let (start, end) = ranges[index];
            let token = &text[start..end];
            out.push_str(if token == SPLIT_HYPHEN { "-" } else { token });
        });
    }

    /// The text of one line of tokens.
    pub fn line(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        self.line_into(line, &mut Scratch::default(), &mut out);
        out
    }

    /// Each line's text, in order, on the current rayon pool.
    pub fn lines<T: AsRef<str> + Sync>(&self, lines: &[T]) -> Vec<String> {
        lines
            .par_iter()
            .with_min_len(256)
            .map_init(Scratch::default, |scratch, line| {
                let mut out = String::with_capacity(line.as_ref().len());
                self.line_into(line.as_ref(), scratch, &mut out);
                out
            })
            .collect()
    }
}

/// A token without its marks, and whether they say that a space goes before and behind it. A mark alone is a sign.
fn unmarked(token: &str) -> (&str, Option<bool>, Option<bool>) {
    let space = |mark: Option<char>| mark.filter(|&c| c == TIGHT_MARK || c == LOOSE_MARK).map(|c| c == LOOSE_MARK);
    let mut rest = token.chars();
    let left = space(rest.next()).filter(|_| !rest.as_str().is_empty());
    let inner = if left.is_some() { rest.as_str() } else { token };
    let mut rest = inner.chars();
    let right = space(rest.next_back()).filter(|_| !rest.as_str().is_empty());
    (if right.is_some() { rest.as_str() } else { inner }, left, right)
}

/// Tells of each token of `text` (its index, from the first on) whether a space goes before it.
pub(super) fn spaces(
    language: Language,
    text: &str,
    ranges: &[(usize, usize)],
    quotes: &mut Vec<char>,
    mut tell: impl FnMut(usize, bool),
) {
    quotes.clear();
    let mut reader = Reader::new(language, text, ranges, quotes);
    let mut tight = true;
    for index in 0..ranges.len() {
        let (left, right) = reader.sides(index);
        tell(index, !(tight || left));
        tight = right;
    }
}

/// A hyphen that Moses split from both its words.
const SPLIT_HYPHEN: &str = "@-@";
const TIGHT_LEFT: (bool, bool) = (true, false);
const TIGHT_RIGHT: (bool, bool) = (false, true);
const TIGHT: (bool, bool) = (true, true);
const LOOSE: (bool, bool) = (false, false);

/// Reads a line's tokens from left to right.
struct Reader<'a> {
    language: Language,
    text: &'a str,
    ranges: &'a [(usize, usize)],
    /// Curly and angled quotation marks that are open.
    quotes: &'a mut Vec<char>,
    /// Whether a straight double quotation mark, a single one, or an angle bracket is open.
    double: bool,
    single: bool,
    angle: bool,
    /// How many of each are still to come.
    doubles: usize,
    singles: usize,
    angles: usize,
}

impl<'a> Reader<'a> {
    fn new(language: Language, text: &'a str, ranges: &'a [(usize, usize)], quotes: &'a mut Vec<char>) -> Self {
        let mut reader = Self {
            language,
            text,
            ranges,
            quotes,
            double: false,
            single: false,
            angle: false,
            doubles: 0,
            singles: 0,
            angles: 0,
        };
        for index in 0..ranges.len() {
            match reader.at(index) {
                "\"" => reader.doubles += 1,
                "'" => reader.singles += 1,
                ">" => reader.angles += 1,
                _ => {}
            }
        }
        reader
    }

    /// The token at `index` without the marks that extend its last character; empty outside the line.
    fn at(&self, index: usize) -> &'a str {
        let Some(&(start, end)) = self.ranges.get(index) else { return "" };
        let token = &self.text[start..end];
        let base = if token.is_ascii() { token } else { token.trim_end_matches(is_mark) };
        if base.is_empty() { token } else { base }
    }

    /// Whether the token at `index` stands tight to its left, and to its right.
    fn sides(&mut self, index: usize) -> (bool, bool) {
        let token = self.at(index);
        let before = index.checked_sub(1).map_or("", |index| self.at(index));
        let after = self.at(index + 1);
        match token {
            SPLIT_HYPHEN => TIGHT,
            "\"" => self.straight_double(before, after),
            "'" => self.straight_single(index, before, after),
            "’" => self.apostrophe(before, after),
            "„" | "‚" | "“" | "‘" | "”" | "«" | "»" | "‹" | "›" => self.quote(token, before, after),
            _ if self.language == Language::English && token.starts_with('\'') => TIGHT_LEFT,
            _ if self.elides() && token.ends_with('\'') => TIGHT_RIGHT,
            _ if token.len() > 1 && token.starts_with('-') && is_word(token) => {
                let closed = [")", "]", "}", "”", "“", "»", "«", "+", "%", "’"].contains(&before);
                (closed || (before == "\"" && !self.double), false)
            }
            _ => self.mark(index, token, before, after),
        }
    }

    fn elides(&self) -> bool {
        matches!(self.language, Language::French | Language::Italian | Language::Catalan)
    }

    fn mark(&mut self, index: usize, token: &str, before: &str, after: &str) -> (bool, bool) {
        let french = self.language == Language::French;
        match token {
            "," | "." | ")" | "]" | "}" | "।" | "॥" | "،" | "؟" | "。" | "、" | "，" | "！" | "？" => {
                TIGHT_LEFT
            }
            "(" => {
                let ending = after == ")" || (ENDINGS.contains(&after) && self.at(index + 2) == ")");
                // Article 5(2).
                let clause =
                    ends_in_digit(before) && after.len() <= 2 && starts_with_digit(after) && self.at(index + 2) == ")";
                (clause || (is_word(before) && ending), true)
            }
            "[" | "{" | "¿" | "¡" | "#" | "~" => TIGHT_RIGHT,
            ":" if ends_in_digit(before) && starts_with_digit(after) => TIGHT,
            ":" if before == ":" || ["/", "\\", ":"].contains(&after) => TIGHT,
            "!" | "?" | ";" | ":" => {
                let spaced = french && !["", "!", "?", "("].contains(&before);
                (!spaced, false)
            }
            "%" | "‰" => {
                let spaced = matches!(self.language, Language::German | Language::French | Language::Czech);
                (ends_in_digit(before) && (!spaced || (after.len() > 1 && after.starts_with('-'))), false)
            }
            "/" => {
                let path_so_far = index >= 2 && self.at(index - 2) == "/";
                let joins =
                    is_word(before) || ["/", ":", ".", ">", "~", "-", "*", "}", "]", ")", "+"].contains(&before);
                (joins && (path_so_far || !ROOTS.contains(&after)), true)
            }
            "_" => (is_word(before) && is_word(after), is_word(after)),
            "\\" | "^" => TIGHT,
            "=" => (["<", ">", "=", "!", ":", "+"].contains(&before), false),
            "|" => (before == "|", false),
            "@" => (is_word(before), is_word(after)),
            "*" => (false, after.starts_with('.') || (is_word(after) && !is_word(before))),
            "<" => {
                self.angle = self.angles > 0;
                (false, self.angle || after.starts_with('-'))
            }
            ">" => {
                self.angles -= 1;
                let closing = std::mem::take(&mut self.angle);
                (closing || before.ends_with(['-', '=']), false)
            }
            "&" => {
                let initials = is_capital(before) && is_capital(after.strip_suffix('.').unwrap_or(after));
                (initials, initials)
            }
            "+" => {
                // C++, GTK+ 3, Gtk+ is; but not a + b.
                let name = !is_word(after)
                    || (in_capitals(before) && before.len() > 1 && starts_with_digit(after))
                    || (before.starts_with(char::is_uppercase) && after.len() > 1 && after.starts_with(is_lower));
                let joins = before == "+" || (is_word(before) && !ends_in_digit(before) && name);
                (joins, !joins && starts_with_digit(after) && !ends_in_digit(before))
            }
            "°" => {
                let degrees = after == "C" || after == "F";
                let spaced = degrees && self.language != Language::English;
                ((ends_in_digit(before) && !spaced) || before == "n" || before == "N", degrees)
            }
            "™" | "®" | "²" | "³" | "¹" | "′" | "″" | "º" | "ª" => TIGHT_LEFT,
            "½" | "¼" | "¾" => (ends_in_digit(before), false),
            "–" | "−" => {
                let range = ends_in_digit(before) && starts_with_digit(after);
                (range || before == token, range)
            }
            "—" if self.language == Language::English => TIGHT,
            _ if token == "…" || (token.len() > 1 && token.bytes().all(|byte| byte == b'.')) => {
                (before != ",", ["", "(", "[", "„", "“", "«", "¿", "¡"].contains(&before))
            }
            // Not placeholders that begin so: `$1 39` is no $139.
            _ if !token.is_empty() && token.chars().all(is_currency) => {
                let dollars = in_capitals(before) && before.len() == 2; // US$5
                (dollars, starts_with_digit(after) && !ends_in_digit(before))
            }
            _ => LOOSE,
        }
    }

    /// „ “ ” « » and their like: which side they are on depends on what is open.
    fn quote(&mut self, token: &str, before: &str, after: &str) -> (bool, bool) {
        let mark = token.chars().next().unwrap_or_default();
        let backwards = matches!(self.language, Language::German | Language::Czech);
        let closing = if self.quotes.last().is_some_and(|&open| closes(open, mark)) {
            self.quotes.pop();
            true
        } else {
            match mark {
                '”' => !before.is_empty(),
                '»' | '›' => !backwards || !is_word(after),
                '“' | '‘' => !before.is_empty() && !is_word(after),
                _ => false,
            }
        };
        if !closing && mark != '”' {
            self.quotes.push(mark);
        }
        if self.language == Language::French && matches!(mark, '«' | '»' | '‹' | '›') {
            return LOOSE;
        }
        if closing { TIGHT_LEFT } else { TIGHT_RIGHT }
    }

    fn straight_double(&mut self, before: &str, after: &str) -> (bool, bool) {
        self.doubles -= 1;
        // Speech begins after a colon, whether or not an earlier quotation was ever closed.
        if self.double && before == ":" && is_word(after) {
            return TIGHT_RIGHT;
        }
        if std::mem::take(&mut self.double) {
            return TIGHT_LEFT;
        }
        // Nothing is open here, yet it can only close: an earlier line opened it.
        if !before.is_empty() && ["", ",", ".", ";", ":", "!", "?", ")"].contains(&after) {
            return TIGHT_LEFT;
        }
        if self.doubles > 0 {
            self.double = true;
            return TIGHT_RIGHT;
        }
        // Alone, it opens what a later line closes, closes what an earlier one opened, or means inches.
        let speech = [",", ".", "!", "?"].contains(&before) && after.starts_with(is_lower);
        self.double = is_word(after) && !ends_in_digit(before) && !speech;
        if self.double { TIGHT_RIGHT } else { TIGHT_LEFT }
    }

    fn straight_single(&mut self, index: usize, before: &str, after: &str) -> (bool, bool) {
        self.singles -= 1;
        let between = is_word(before) && is_word(after);
        let split_both_sides = !self.elides() && self.language != Language::English;
        if split_both_sides && between && (listed(SUFFIXES, after) || listed(ELIDED, before)) {
            return TIGHT;
        }
        // Contractions that someone split on both sides: yesterday ' s.
        if self.language == Language::English && between && listed(CONTRACTED, after) {
            return TIGHT;
        }
        // De l'"axe".
        if self.elides() && listed(ELIDED, before) && ["\"", "«", "“", "»"].contains(&after) {
            return TIGHT;
        }
        // Six feet seven: 6'7".
        if ends_in_digit(before) && starts_with_digit(after) {
            return TIGHT;
        }
        if std::mem::take(&mut self.single) {
            return TIGHT_LEFT;
        }
        if self.language == Language::Italian && listed(CLIPPED, before) {
            return TIGHT_LEFT;
        }
        // The '60s.
        if is_decade(after) {
            return TIGHT_RIGHT;
        }
        let quotation = self.singles > 0 && !(is_plural(before) && self.next_closes_nothing(index));
        if quotation && (before.is_empty() || is_word(after)) {
            self.single = true;
            return TIGHT_RIGHT;
        }
        if ends_in_digit(before) || before.ends_with(SIBILANTS) || (!before.is_empty() && !is_word(after)) {
            return TIGHT_LEFT;
        }
        // A quotation that opens with " and closes with '.
        if self.double && self.doubles == 0 && is_word(before) {
            self.double = false;
            return TIGHT_LEFT;
        }
        if between && self.language != Language::English { TIGHT } else { TIGHT_RIGHT }
    }

    /// Whether the next lone apostrophe after `index` follows a word in s or precedes a decade, and so closes nothing.
    fn next_closes_nothing(&self, index: usize) -> bool {
        let next = (index + 1..self.ranges.len()).find(|&next| self.at(next) == "'");
        next.is_some_and(|next| self.at(next - 1).ends_with('s') || is_decade(self.at(next + 1)))
    }

    /// The curly apostrophe, which is also a closing quotation mark.
    fn apostrophe(&mut self, before: &str, after: &str) -> (bool, bool) {
        let between = is_word(before) && is_word(after);
        if between && (self.elides() || listed(SUFFIXES, after) || listed(ELIDED, before)) {
            return TIGHT;
        }
        if self.quotes.last().is_some_and(|&open| closes(open, '’')) {
            self.quotes.pop();
            return TIGHT_LEFT;
        }
        if before.is_empty() {
            TIGHT_RIGHT
        } else if before.ends_with(SIBILANTS) || !is_word(after) {
            TIGHT_LEFT
        } else {
            TIGHT
        }
    }
}

/// After these, an apostrophe alone is a genitive: Hans' Auto, the dogs' tails.
const SIBILANTS: [char; 4] = ['s', 'x', 'z', 'ß'];

fn closes(open: char, mark: char) -> bool {
    match open {
        '„' => matches!(mark, '“' | '”'),
        '‚' => matches!(mark, '‘' | '’'),
        '“' => mark == '”',
        '‘' => mark == '’',
        '«' => mark == '»',
        '»' => mark == '«',
        '‹' => mark == '›',
        '›' => mark == '‹',
        _ => false,
    }
}

fn listed(words: &[&str], token: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(token))
}

fn is_mark(c: char) -> bool {
    Classes::table().of(c) == Class::Extend
}

fn is_lower(c: char) -> bool {
    Classes::table().of(c) == Class::Lower
}

fn is_digit(c: char) -> bool {
    Classes::table().of(c) == Class::Number
}

fn is_word(token: &str) -> bool {
    let classes = Classes::table();
    token.chars().any(|c| classes.of(c).is_letter() || classes.of(c) == Class::Number)
}

fn is_currency(c: char) -> bool {
    c == '$' || (!c.is_ascii() && c.general_category() == GeneralCategory::CurrencySymbol)
}

fn is_capital(token: &str) -> bool {
    in_capitals(token) && token.chars().nth(1).is_none()
}

fn in_capitals(token: &str) -> bool {
    token.chars().any(char::is_uppercase) && !token.chars().any(is_lower)
}

/// 60s, or 98.
fn is_decade(token: &str) -> bool {
    starts_with_digit(token) && (token.ends_with('s') || (token.len() == 2 && ends_in_digit(token)))
}

fn is_plural(token: &str) -> bool {
    token.ends_with('s') && token.chars().nth(3).is_some()
}

fn ends_in_digit(token: &str) -> bool {
    token.chars().next_back().is_some_and(is_digit)
}

/// A digit, or one after a sign or separator: 5, -5, .5.
fn starts_with_digit(token: &str) -> bool {
    let mut chars = token.chars();
    match chars.next() {
        Some('.' | ',' | '-') => chars.next().is_some_and(is_digit),
        first => first.is_some_and(is_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tokenise::{Settings, Tokeniser};
    use proptest::prelude::*;

    fn returns(code: &str, text: &str) {
        let tokens = Tokeniser::new(code, Settings::default()).unwrap().line(text);
        assert_eq!(Detokeniser::new(code).unwrap().line(&tokens), text, "{tokens}");
    }

    #[test]
    fn placeholders_do_not_run_into_numbers() {
        let detokeniser = Detokeniser::new("en").unwrap();
        for (tokens, text) in [("$1 39", "$1 39"), ("${x} 39", "${x} 39"), ("$ 39", "$39"), ("US $ 5", "US$5")] {
            assert_eq!(detokeniser.line(tokens), text);
        }
    }

    #[test]
    fn ordinary_text_returns() {
        returns("en", "\"Don't,\" she said (twice), 'it's 5:30' and $5 or 10% off... R&D?");
        returns("en", "The dogs' tails, the girls' school; the '60s; a well-known—so to say—man/woman.");
        returns("en", "“I’m ‘here’,” he said. See C++ and <tag> [X] a || b.");
        returns("de", "„Geht's?“, fragte Hans' Frau am 3. Oktober; 5 % von »slow«-Schildern.");
        returns("fr", "« L'homme qu'on voit ? » dit-il : c'est l’été, à 12:30 !");
        returns("it", "Un po' d'acqua per l'uomo: costa 5 €.");
        returns("es", "¿Qué? ¡No! «Sí», dijo.");
        returns("cs", "„Ano,“ řekl 3. ledna; 5 % lidí.");
        returns("de", "Es ist komplexer\", sagte er, \"als man denkt\".");
        returns("hi", "वह आया। \"क्या?\" उसने कहा।");
    }

    #[test]
    fn moses_corpora() {
        let detokeniser = Detokeniser::new("en").unwrap();
        assert_eq!(detokeniser.line("a well @-@ known &bra;X&ket; man"), "a well-known [X] man");
        assert_eq!(detokeniser.line("  \t "), "");
    }

    proptest! {
        #[test]
        fn keeps_every_visible_character(text in "\\PC{0,40}", code in "(en|de|fr|it|xx)") {
            let text = text.replace([TIGHT_MARK, LOOSE_MARK], "");
            let joined = Detokeniser::new(&code).unwrap().line(&text.replace('&', ""));
            let visible = |text: &str| text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>();
            prop_assert_eq!(visible(&joined), visible(&text.replace('&', "")).replace("@-@", "-"));
        }
    }
}
