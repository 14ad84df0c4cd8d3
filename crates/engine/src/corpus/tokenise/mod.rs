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
    /// Leave notation whole: placeholders (`%s`, `${name}`), tags, addresses and paths always, other words with signs
    /// in them (`look(1)`, `Super+L`) where the detokeniser would not put them together again.
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
}

/// How often notation is looked for again among tokens that left others whole; more than two is rare.
const ROUNDS: usize = 4;

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
        let Scratch { clean, spans, protected, tokens, quotes } = scratch;
        let text = without_controls(text, clean);
        let Settings { escape, protect, notation } = self.settings;
        protected.clear();
        if protect || notation {
            protect::find(text, protect::Kinds { numbers: protect, notation }, protected);
        }
        self.cut(text, protected, spans, tokens);
        if notation && notation::is_technical(text) {
            for _ in 0..ROUNDS {
                if !self.weld(text, tokens, quotes, protected) {
                    break;
                }
                self.cut(text, protected, spans, tokens);
            }
        }
        for (index, &(start, end)) in tokens.iter().enumerate() {
            if index > 0 {
                out.push(' ');
            }
            if escape {
                escape::push_escaped(&text[start..end], out);
            } else {
                out.push_str(&text[start..end]);
            }
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

    /// Protects words with signs in them whose tokens the detokeniser would put a space between; whether there are any.
    fn weld(
        &self,
        text: &str,
        tokens: &[(usize, usize)],
        quotes: &mut Vec<char>,
        protected: &mut Vec<(usize, usize)>,
    ) -> bool {
        let mut found = Vec::new();
        // The word so far: where it begins and ends, and where its spacing would change.
        let (mut start, mut end) = (0, 0);
        let mut broken: Vec<usize> = Vec::new();
        detokenise::spaces(self.language, text, tokens, quotes, |index, space| {
            let (from, to) = tokens[index];
            if index == 0 || from > end {
                // Joined with the word before though there was a space: the sign at the edge of one of them did it.
                if index > 0 && !space && text[..end].ends_with(|c: char| c.is_ascii() && notation::is_sign(c as u8)) {
                    broken.push(end);
                }
                found.extend(whole(text, start, end, &broken));
                broken.clear();
                if index > 0 && !space {
                    broken.push(from);
                }
                start = from;
            } else if space {
                broken.push(from);
            }
            end = to;
        });
        found.extend(whole(text, start, end, &broken));
        // Tokens already.
        found.retain(|range| tokens.binary_search(range).is_err());
        let any = !found.is_empty();
        protected.append(&mut found);
        merge(protected);
        any
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

/// What is to stay whole of the word of `text` from `start` to `end` whose spacing would change at `broken`: what is
/// inside its punctuation if that is enough, or else with the quotation marks around it.
fn whole(text: &str, start: usize, end: usize, broken: &[usize]) -> Option<(usize, usize)> {
    if broken.is_empty() || !notation::is_technical(&text[start..end]) {
        return None;
    }
    let (from, to) = notation::core(&text[start..end]);
    let (from, to) = (start + from, start + to);
    let edges = (from == start && broken.contains(&start)) || (to == end && broken.contains(&end));
    if edges || broken.iter().all(|&at| (from < at && at < to) || at == start || at == end) {
        return (from < to && notation::is_technical(&text[from..to])).then_some((from, to));
    }
    let (from, to) = notation::quoted(&text[start..end]);
    (from < to).then_some((start + from, start + to))
}

/// Puts ranges in order, and those that overlap together.
fn merge(ranges: &mut Vec<(usize, usize)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let overlap = next.0 < last.1;
        if overlap {
            last.1 = last.1.max(next.1);
        }
        overlap
    });
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
