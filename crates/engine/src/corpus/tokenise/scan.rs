//! The scanner: one pass over a line that finds where tokens begin and end.
//!
//! It sees the text as clusters, a character and the marks that extend it, and decides at each cluster from its class
//! and its two neighbours alone. Periods at the end of a word need the next token too, so they are only noted here
//! and settled in a second pass (see the module above). Both passes are linear whatever the text.

use super::classes::{Class, Classes, JOINER};
use super::language::Apostrophe;

/// A piece of the line that no rule has split, as byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Where its final period begins if it is a word that ends with one, else `end`.
    pub period: usize,
}

/// Fills `spans` with the pieces of `text`, which must be free of [`Class::Control`]. The `protected` ranges are in
/// order, disjoint, non-empty, and become pieces as they are.
pub fn scan(text: &str, apostrophe: Apostrophe, protected: &[(usize, usize)], spans: &mut Vec<Span>) {
    let mut scanner = Scanner { text, classes: Classes::table(), spans, open: None, period: None };
    let mut protected = protected.iter().copied().peekable();
    let mut previous = Class::Space;
    let mut at = 0;
    while at < text.len() {
        if let Some((start, end)) = protected.next_if(|range| range.0 <= at) {
            at = scanner.extended(end);
            scanner.close(start);
            scanner.alone(start, at);
            previous = Class::Symbol;
            continue;
        }
        let (class, c) = scanner.class_at(at);
        let first = at + c.len_utf8();
        let end = if class == Class::Space { first } else { scanner.extended(first) };
        match class {
            Class::Space => scanner.close(at),
            Class::Lower | Class::Letter | Class::Number | Class::Extend | Class::Inner | Class::Control => {
                scanner.word(at);
            }
            Class::Dot if text.as_bytes().get(first) == Some(&b'.') => {
                let run = text.as_bytes()[at..].iter().take_while(|&&byte| byte == b'.').count();
                let end = scanner.extended(at + run);
                scanner.close(at);
                scanner.alone(at, end);
                previous = Class::Symbol;
                at = end;
                continue;
            }
            Class::Dot => {
                scanner.word(at);
                scanner.period = Some(at);
            }
            Class::Comma => {
                if previous == Class::Number && scanner.class_after(end) == Class::Number {
                    scanner.word(at);
                } else {
                    scanner.close(at);
                    scanner.alone(at, end);
                }
            }
            Class::Apostrophe => scanner.apostrophe(at, end, previous, apostrophe),
            Class::Symbol => {
                let end = scanner.welded(c, end);
                scanner.close(at);
                scanner.alone(at, end);
                previous = class;
                at = end;
                continue;
            }
        }
        previous = class;
        at = end;
    }
    scanner.close(text.len());
}

struct Scanner<'a> {
    text: &'a str,
    classes: Classes,
    spans: &'a mut Vec<Span>,
    /// Where the current word began.
    open: Option<usize>,
    /// Where the period is that is the last thing in the current word so far.
    period: Option<usize>,
}

impl Scanner<'_> {
    #[inline]
    fn class_at(&self, at: usize) -> (Class, char) {
        let byte = self.text.as_bytes()[at];
        if byte < 0x80 {
            return (self.classes.of_ascii(byte), char::from(byte));
        }
        let c = self.text[at..].chars().next().unwrap_or_default();
        (self.classes.of(c), c)
    }

    /// The class of what stands at `at`; the end of the line is a space.
    fn class_after(&self, at: usize) -> Class {
        if at < self.text.len() { self.class_at(at).0 } else { Class::Space }
    }

    /// The end of the cluster whose first character ends at `at`.
    #[inline]
    fn extended(&self, mut at: usize) -> usize {
        while at < self.text.len() && self.text.as_bytes()[at] >= 0x80 {
            let (class, c) = self.class_at(at);
            if class != Class::Extend {
                break;
            }
            at += c.len_utf8();
        }
        at
    }

    /// The end of a symbol that begins with `first` and whose cluster ends at `end`: a zero width joiner welds it to
    /// the symbol after it, and two regional indicators are a flag.
    fn welded(&self, first: char, mut end: usize) -> usize {
        if is_regional(first)
            && let Some(second) = self.text[end..].chars().next()
            && is_regional(second)
        {
            end = self.extended(end + second.len_utf8());
        }
        while self.text[..end].ends_with(JOINER) && self.class_after(end) == Class::Symbol {
            end = self.extended(end + self.class_at(end).1.len_utf8());
        }
        end
    }

    fn word(&mut self, at: usize) {
        self.open.get_or_insert(at);
        self.period = None;
    }

    fn close(&mut self, end: usize) {
        if let Some(start) = self.open.take() {
            let period = self.period.take().filter(|&period| period > start).unwrap_or(end);
            self.spans.push(Span { start, end, period });
        }
    }

    fn alone(&mut self, start: usize, end: usize) {
        self.spans.push(Span { start, end, period: end });
    }

    fn apostrophe(&mut self, at: usize, end: usize, previous: Class, style: Apostrophe) {
        let (next, c) = if end < self.text.len() { self.class_at(end) } else { (Class::Space, ' ') };
        match style {
            Apostrophe::WithNext if previous.is_letter() && next.is_letter() => {
                self.close(at);
                self.word(at);
            }
            // 1990's splits; any other letter after a number keeps the apostrophe inside, as in 70'er.
            Apostrophe::WithNext if previous == Class::Number && next.is_letter() => {
                if c == 's' {
                    self.close(at);
                }
                self.word(at);
            }
            Apostrophe::WithPrevious if previous.is_letter() && next.is_letter() => {
                self.word(at);
                self.close(end);
            }
            _ => {
                self.close(at);
                self.alone(at, end);
            }
        }
    }
}

fn is_regional(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}
