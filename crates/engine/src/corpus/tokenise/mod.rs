//! The tokeniser: text as people write it, cut into the tokens that models count.
//!
//! The rules are those of the Moses tokeniser (Koehn et al. 2007), without its regular expressions: [`scan`] decides
//! each cut from the characters around it, then the periods that end words are settled with the abbreviations of the
//! language and the token that follows. `docs/tokenise.md` states the rules and where they differ from Moses.

mod abbreviations;
mod classes;
mod escape;
mod language;
mod notation;
mod protect;
mod scan;

use hashbrown::HashSet;
use rayon::prelude::*;

pub use classes::{Class, Classes};
pub use escape::push_unescaped;
pub use language::Language;

use super::detokenise;
use crate::Result;
use scan::Span;

/// What a [`Tokeniser`] does besides cutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Write `& | < > ' " [ ]` as Moses does, so that no token can be mistaken for the syntax of a phrase table.
    pub escape: bool,
    /// Leave web addresses, e-mail addresses and compound numbers (12:30, 1/2) whole.
    pub protect: bool,
    /// Leave placeholders (`%s`, `${name}`), tags, addresses and paths whole, and mark signs whose spacing the
    /// detokeniser would not know (`Super ￭+￭ L`), see [`TIGHT`] and [`LOOSE`].
    pub notation: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { escape: true, protect: false, notation: true }
    }
}

/// Buffers that one line leaves for the next.
#[derive(Debug, Default)]
pub struct Scratch {
    clean: String,
    spans: Vec<Span>,
    protected: Vec<(usize, usize)>,
    tokens: Vec<(usize, usize)>,
    quotes: Vec<char>,
    marks: Vec<(Option<char>, Option<char>)>,
}

/// Stands at the side of a token where no space goes, whatever the language does there.
pub const TIGHT: char = '\u{FFED}';
/// Stands at the side of a token where a space goes, whatever the language does there.
pub const LOOSE: char = '\u{2581}';

/// Cuts lines of one language into tokens.
#[derive(Debug)]
pub struct Tokeniser {
    language: Language,
    settings: Settings,
    /// Words that keep their period.
    always: HashSet<String>,
    /// Words that keep it before a digit.
    before_number: HashSet<String>,
}

impl Tokeniser {
    /// A tokeniser for a language code; see [`Language::parse`].
    pub fn new(code: &str, settings: Settings) -> Result<Self> {
        let language = Language::parse(code)?;
        let (always, before_number) = abbreviations::of(language);
        Ok(Self { language, settings, always, before_number })
    }

    /// Adds words, without their period, that keep it wherever they stand.
    #[must_use]
    pub fn with_abbreviations(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.always.extend(words);
        self
    }

    /// The words that keep their period always, and those that keep it before a digit, each in order.
    pub fn abbreviations(&self) -> (Vec<&str>, Vec<&str>) {
        (sorted(&self.always), sorted(&self.before_number))
    }

    /// Appends the tokens of `text` to `out`, with single spaces between them.
    pub fn line_into(&self, text: &str, scratch: &mut Scratch, out: &mut String) {
        let Scratch { clean, spans, protected, tokens, quotes, marks } = scratch;
        let text = without_controls(text, clean);
        let Settings { escape, protect, notation } = self.settings;
        protected.clear();
        if protect || notation {
            protect::find(text, protect::Kinds { numbers: protect, notation }, protected);
        }
        self.cut(text, protected, spans, tokens);
        marks.clear();
        marks.resize(tokens.len(), (None, None));
        if notation {
            self.mark(text, tokens, protected, quotes, marks);
        }
        for (index, &(start, end)) in tokens.iter().enumerate() {
            if index > 0 {
                out.push(' ');
            }
            out.extend(marks[index].0);
            if escape {
                escape::push_escaped(&text[start..end], out);
            } else {
                out.push_str(&text[start..end]);
            }
            out.extend(marks[index].1);
        }
    }

    /// Fills `tokens` with where tokens of `text` begin and end.
    fn cut(&self, text: &str, protected: &[(usize, usize)], spans: &mut Vec<Span>, tokens: &mut Vec<(usize, usize)>) {
        spans.clear();
        scan::scan(text, self.language.apostrophe(), protected, spans);
        tokens.clear();
        for (index, span) in spans.iter().enumerate() {
            let next = spans.get(index + 1).and_then(|next| text[next.start..].chars().next());
            if span.period == span.end || self.keeps_period(&text[span.start..span.period], next) {
                tokens.push((span.start, span.end));
            } else {
                tokens.extend([(span.start, span.period), (span.period, span.end)]);
            }
        }
    }

    /// Marks tokens where the detokeniser would change the spacing of signs, or of anything in a line of notation.
    fn mark(
        &self,
        text: &str,
        tokens: &[(usize, usize)],
        protected: &[(usize, usize)],
        quotes: &mut Vec<char>,
        marks: &mut [(Option<char>, Option<char>)],
    ) {
        let notable = notation::has_hard_sign(text);
        // Placeholders stay as they are; tags are signs.
        let whole =
            |range: &(usize, usize)| !text[range.0..].starts_with('<') && protected.binary_search(range).is_ok();
        let is_sign = |token: &str| token.starts_with('<') || notation::is_mark(token);
        detokenise::spaces(self.language, text, tokens, quotes, |index, space| {
            let Some(last) = index.checked_sub(1) else { return };
            let (before, own) = (tokens[last], tokens[index]);
            let apart = own.0 > before.1;
            let (left, right) = (&text[before.0..before.1], &text[own.0..own.1]);
            // Other punctuation is spaced as the language does, but in the middle of a word: `a:b`.
            let inside = !apart && notation::is_stop(left) && !notation::is_mark(right);
            let sign = notation::has_sign(left) || notation::has_sign(right) || marks[last].0.is_some();
            if apart == space || !(notable || sign || inside) {
                return;
            }
            let mark = Some(if apart { LOOSE } else { TIGHT });
            // Signs carry marks, so that words stay the words that models know.
            let on_right = !whole(&own) && (whole(&before) || is_sign(right) || !is_sign(left));
            if on_right {
                marks[index].0 = mark;
            } else {
                marks[last].1 = mark;
            }
        });
    }

    /// Whether the period after `word` belongs to it, when the next token begins with `next`.
    fn keeps_period(&self, word: &str, next: Option<char>) -> bool {
        let classes = Classes::table();
        next.is_some_and(|c| classes.of(c) == Class::Lower)
            || is_initial(word)
            || (next.is_some() && self.language.dots_ordinals() && is_ordinal(word))
            || self.always.contains(word)
            || (next.is_some_and(|c| c.is_ascii_digit()) && self.before_number.contains(word))
            || (word.contains('.') && word.chars().any(|c| classes.of(c).is_letter()))
    }

    /// The tokens of `text`, joined by spaces.
    pub fn line(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 4);
        self.line_into(text, &mut Scratch::default(), &mut out);
        out
    }

    /// Each line tokenised, in order, on the current rayon pool.
    pub fn lines<T: AsRef<str> + Sync>(&self, lines: &[T]) -> Vec<String> {
        lines
            .par_iter()
            .with_min_len(256)
            .map_init(Scratch::default, |scratch, line| {
                let line = line.as_ref();
                let mut out = String::with_capacity(line.len() + line.len() / 4);
                self.line_into(line, scratch, &mut out);
                out
            })
            .collect()
    }
}

fn sorted(words: &HashSet<String>) -> Vec<&str> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.sort_unstable();
    words
}

/// A single capital letter, as in `J. S. Bach`, whatever its script.
fn is_initial(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next().is_none()
}

/// One or two digits: `am 3. Oktober`.
fn is_ordinal(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `text` itself, or its copy in `clean` without control characters.
fn without_controls<'a>(text: &'a str, clean: &'a mut String) -> &'a str {
    let classes = Classes::table();
    // C1 controls begin with the byte C2; only a line that has such bytes is looked at character by character.
    let suspect = text.bytes().any(|byte| byte < 0x20 || byte == 0x7F || byte == 0xC2);
    if !suspect || !text.chars().any(|c| classes.of(c) == Class::Control) {
        return text;
    }
    clean.clear();
    clean.extend(text.chars().filter(|&c| classes.of(c) != Class::Control));
    clean
}

#[cfg(test)]
mod tests;
