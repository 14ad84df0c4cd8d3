//! One rule a line, as other systems write them.
//!
//! - Moses phrase table: `das haus ||| the house ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-1 ||| 2 3 2`
//! - Moses rule table: `das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.4 0.7 0.6 ||| 0-0 1-1 ||| 2 3 2`
//! - cdec and Joshua: `[X] ||| das [X,1] ||| the [X,1] ||| Name=0.5 Other=1 ||| 0-0`, also `[1]` on the target side
//!   and values without names
//! - Moses reordering table: `das haus ||| the house ||| 0.6 0.2 0.2 0.6 0.2 0.2`

use crate::corpus::words::words;
use crate::{Error, Result};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Moses phrase table.
    MosesPhrases,
    /// Moses rule table.
    MosesRules,
    /// cdec, Joshua.
    Scfg,
}

impl Format {
    /// The format with this name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "moses-phrases" => Ok(Self::MosesPhrases),
            "moses-rules" => Ok(Self::MosesRules),
            "cdec" => Ok(Self::Scfg),
            other => {
                Err(Error::settings(format!("format cannot be {other:?}"))
                    .hint("say moses-phrases, moses-rules or cdec"))
            }
        }
    }

    /// The format of a line.
    pub fn of(line: &str) -> Self {
        let first = line.split("|||").next().unwrap_or("").trim();
        let last = words(first).last().unwrap_or("");
        if bracketed(first).is_some() && !first.contains(' ') && !first.contains("][") {
            Self::Scfg
        } else if words(first).count() > 1 && bracketed(last).is_some_and(|name| !name.contains(['[', ']', ','])) {
            Self::MosesRules
        } else {
            Self::MosesPhrases
        }
    }
}

/// What is between the brackets of a token like `[X]`.
fn bracketed(token: &str) -> Option<&str> {
    token.strip_prefix('[')?.strip_suffix(']').filter(|inside| !inside.is_empty())
}

/// A symbol of a line: a word, or the category and the place of a nonterminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'a> {
    /// A word.
    Word(&'a str),
    /// A nonterminal: its category and, on the target side, the place of its partner.
    Gap(&'a str, u32),
}

/// A rule of a line.
#[derive(Debug, Default, PartialEq)]
pub struct LineRule<'a> {
    /// The category of its left-hand side.
    pub lhs: &'a str,
    /// The source side.
    pub source: Vec<Token<'a>>,
    /// The target side.
    pub target: Vec<Token<'a>>,
    /// Features with names (empty if they are told by position), natural logarithms where the format has probabilities.
    pub features: Vec<(&'a str, f32)>,
    /// Links of words.
    pub links: Vec<[u8; 2]>,
    /// Counts of the target side, the source side and both.
    pub counts: [f32; 3],
}

/// Probabilities of 0 become this.
const LEAST: f64 = 1e-30;

impl<'a> LineRule<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, without its place.
    pub fn parse(line: &'a str, format: Format) -> Result<Self> {
        let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
        let (least, most) = if format == Format::Scfg { (3, 5) } else { (3, 7) };
        if !(least..=most).contains(&fields.len()) {
            return Err(Error::format(format!("{} fields instead of {least} to {most}", fields.len()))
                .hint("fields are separated by |||"));
        }
        let mut rule = Self::default();
        if format == Format::Scfg {
            rule.scfg(&fields)?;
        } else {
            rule.moses(&fields, format)?;
        }
        if rule.source.is_empty() || rule.target.is_empty() {
            return Err(Error::format("a side of the rule is empty"));
        }
        Ok(rule)
    }

    fn scfg(&mut self, fields: &[&'a str]) -> Result<()> {
        let name = bracketed(fields[0]).filter(|name| !name.contains([' ', '[', ']', ',']));
        self.lhs = name.ok_or_else(|| Error::format(format!("{:?} is not a left-hand side like [X]", fields[0])))?;
        let mut indices: Vec<&str> = Vec::new();
        for token in words(fields[1]) {
            self.source.push(match bracketed(token).and_then(|inside| inside.split_once(',')) {
                Some((category, index)) if is_number(index) => {
                    if indices.contains(&index) {
                        return Err(Error::format(format!("the source side has {token} twice")));
                    }
                    indices.push(index);
                    Token::Gap(category, indices.len() as u32 - 1)
                }
                _ => Token::Word(token),
            });
        }
        for token in words(fields[2]) {
            let inside = bracketed(token);
            let index = inside.map(|inside| inside.split_once(',').map_or(inside, |(_, index)| index));
            let index = index.filter(|index| is_number(index));
            self.target.push(match index {
                Some(index) => {
                    let place = indices.iter().position(|known| known == &index);
                    let place = place.ok_or_else(|| {
                        Error::format(format!("{token} of the target side has no partner on the source side"))
                    })?;
                    Token::Gap("", place as u32)
                }
                None => Token::Word(token),
            });
        }
        for value in words(fields.get(3).unwrap_or(&"")) {
            let (name, value) = value.rsplit_once('=').unwrap_or(("", value));
            self.features.push((name, number(value)? as f32));
        }
        self.links = links(fields.get(4).unwrap_or(&""))?;
        // Some write links of nonterminals too; those are told by their indices.
        let (source, target) = (&self.source, &self.target);
        let word = |side: &[Token<'_>], at: u8| !matches!(side.get(at as usize), Some(Token::Gap(..)));
        self.links.retain(|&[s, t]| word(source, s) && word(target, t));
        Ok(())
    }

    fn moses(&mut self, fields: &[&'a str], format: Format) -> Result<()> {
        self.lhs = "X";
        let mut source: Vec<&str> = words(fields[0]).collect();
        let mut target: Vec<&str> = words(fields[1]).collect();
        self.links = links(fields.get(3).unwrap_or(&""))?;
        if format == Format::MosesRules {
            for side in [&mut source, &mut target] {
                let last = side.pop().and_then(bracketed).filter(|name| !name.contains(['[', ']']));
                self.lhs = last.ok_or_else(|| Error::format("a side does not end in a left-hand side like [X]"))?;
            }
            self.pair(&source, &target)?;
        } else {
            self.source = source.into_iter().map(Token::Word).collect();
            self.target = target.into_iter().map(Token::Word).collect();
        }
        for value in words(fields[2]) {
            let p = number(value)?;
            if p < 0.0 {
                return Err(
                    Error::format(format!("the score {value} is negative")).hint("Moses' tables hold probabilities")
                );
            }
            self.features.push(("", p.max(LEAST).ln() as f32));
        }
        for (kept, value) in self.counts.iter_mut().zip(words(fields.get(4).unwrap_or(&""))) {
            *kept = number(value)? as f32;
        }
        Ok(())
    }

    /// Nonterminals are written `[source category][target category]` on both sides and paired by links.
    fn pair(&mut self, source: &[&'a str], target: &[&'a str]) -> Result<()> {
        let category = |token: &'a str| {
            let (own, other) = token.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
            (!own.is_empty() && !other.is_empty()).then_some(other)
        };
        let mut places = Vec::new();
        for (at, &token) in source.iter().enumerate() {
            self.source.push(match category(token) {
                Some(category) => {
                    places.push(at);
                    Token::Gap(category, places.len() as u32 - 1)
                }
                None => Token::Word(token),
            });
        }
        for (at, &token) in target.iter().enumerate() {
            if category(token).is_none() {
                self.target.push(Token::Word(token));
                continue;
            }
            let partner = self.links.iter().find(|&&[_, t]| usize::from(t) == at);
            let place = partner.and_then(|&[s, _]| places.iter().position(|&place| place == usize::from(s)));
            let place = place.ok_or_else(|| {
                Error::format(format!("no link says what the nonterminal at target position {at} stands for"))
            })?;
            self.target.push(Token::Gap("", place as u32));
        }
        let (source, target) = (&self.source, &self.target);
        let word = |side: &[Token<'_>], at: u8| !matches!(side.get(at as usize), Some(Token::Gap(..)));
        self.links.retain(|&[s, t]| word(source, s) && word(target, t));
        Ok(())
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str) -> Result<f64> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| Error::format(format!("{text:?} is not a finite number")))
}

fn links(field: &str) -> Result<Vec<[u8; 2]>> {
    let link = |token: &str| {
        let (source, target) = token.split_once('-')?;
        Some([source.parse().ok()?, target.parse().ok()?])
    };
    words(field)
        .map(|token| link(token).ok_or_else(|| Error::format(format!("{token:?} is not a link like 0-0"))))
        .collect()
}

/// Undoes what [`escaped`] does.
pub fn unescaped(word: &str) -> std::borrow::Cow<'_, str> {
    if !word.contains("&#") {
        return word.into();
    }
    word.replace("&#124;", "|").replace("&#91;", "[").replace("&#93;", "]").into()
}

/// A word without the characters that have a meaning in these files, as Moses writes it.
pub fn escaped(word: &str) -> std::borrow::Cow<'_, str> {
    if !word.contains(['|', '[', ']']) {
        return word.into();
    }
    word.replace('|', "&#124;").replace('[', "&#91;").replace(']', "&#93;").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn recognises_formats() {
        for (line, format) in [
            ("das ||| the ||| 1 1 1 1", Format::MosesPhrases),
            ("das haus ||| the ||| 1", Format::MosesPhrases),
            ("das [X][X] [X] ||| the [X][X] [X] ||| 1 ||| 1-1", Format::MosesRules),
            ("[X] ||| das [X,1] ||| the [1] ||| A=1", Format::Scfg),
        ] {
            assert_eq!(Format::of(line), format, "{line}");
        }
    }

    #[test]
    fn reads_each_format() {
        let line = "das [X][X] haus [X][X] [X] ||| [X][X] the [X][X] [X] ||| 0.5 1 ||| 0-1 1-2 3-0 ||| 4 2 1";
        let rule = LineRule::parse(line, Format::MosesRules).unwrap();
        assert_eq!(rule.target, [Token::Gap("", 1), Token::Word("the"), Token::Gap("", 0)]);
        assert_eq!((&rule.links[..], rule.counts), (&[[0, 1]][..], [4.0, 2.0, 1.0]));
        assert_eq!(rule.features, [("", 0.5_f32.ln()), ("", 0.0)]);
        let line = "[S] ||| [S,1] das [X,2] ||| [2] the [S,1] ||| P=-0.5 Q=2 ||| 1-1 0-2";
        let rule = LineRule::parse(line, Format::Scfg).unwrap();
        assert_eq!(rule.source, [Token::Gap("S", 0), Token::Word("das"), Token::Gap("X", 1)]);
        assert_eq!(rule.target, [Token::Gap("", 1), Token::Word("the"), Token::Gap("", 0)]);
        assert_eq!((&rule.links[..], &rule.features[..]), (&[[1, 1]][..], &[("P", -0.5), ("Q", 2.0)][..]));
    }

    #[test]
    fn refuses_what_is_malformed() {
        for (line, format) in [
            ("das ||| the", Format::MosesPhrases),
            ("das ||| the ||| x", Format::MosesPhrases),
            ("das ||| the ||| nan", Format::MosesPhrases),
            ("das ||| the ||| -1", Format::MosesPhrases),
            ("das ||| ||| 1", Format::MosesPhrases),
            ("das ||| the ||| 1 ||| 0:0", Format::MosesPhrases),
            ("das [X][X] [X] ||| the [X][X] [X] ||| 1 ||| 0-0", Format::MosesRules),
            ("das [X][X] ||| the [X][X] ||| 1 ||| 1-1", Format::MosesRules),
            ("X ||| das ||| the ||| 1", Format::Scfg),
            ("[X] ||| [X,1] ||| [X,2] ||| 1", Format::Scfg),
            ("[X] ||| [X,1] [X,1] ||| [X,1] ||| 1", Format::Scfg),
        ] {
            assert!(LineRule::parse(line, format).is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(line in "([\\[X\\],120a= -]|\\|\\|\\|){0,30}") {
            for format in [Format::MosesPhrases, Format::MosesRules, Format::Scfg] {
                let _ = LineRule::parse(&line, format);
            }
        }

        #[test]
        fn escapes_come_back(word in "[a|\\[\\]é]{1,8}") {
            let written = escaped(&word);
            prop_assert_eq!(unescaped(&written), &word[..]);
        }
    }
}
