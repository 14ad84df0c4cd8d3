//! Lattices as text: the Python lattice format of Moses and cdec (Dyer et al. 2008).
//!
//! `((('ein',0.9,1),('kein',0.1,1),),(('haus',1.0,1),),)`: for each position but the last its arcs, each a word, a
//! number and how many positions further it ends. The text is never evaluated; what is read is this and nothing else.

use super::input::{MOST_ARCS, MOST_POSITIONS};
use crate::{Error, Result};

/// What the numbers of arcs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// Probabilities, as Moses has them; 0 counts as e⁻¹⁰⁰, as there.
    Probabilities,
    /// Natural logarithms or other scores, as cdec has them.
    Logarithms,
}

/// The logarithm of a probability of 0.
const LOWEST: f64 = -100.0;
const LONGEST_NUMBER: usize = 64;

/// An arc: where it begins and ends, its word and its score.
pub type PlfArc = (u32, u32, String, f64);

/// Reads a lattice; returns its last position and its arcs, with natural logarithms.
///
/// # Errors
/// Anything else than a lattice, with the byte where that shows; too many positions or arcs.
pub fn read(text: &str, scores: Scores) -> Result<(u32, Vec<PlfArc>)> {
    let mut reader = Reader { text, at: 0, scores, arcs: Vec::new() };
    reader.skip();
    reader.expect('(')?;
    let mut position = 0_u32;
    while !reader.closes(position == 0)? {
        if position as usize >= MOST_POSITIONS {
            return Err(Error::limit(format!("a lattice of more than {MOST_POSITIONS} positions"))
                .hint("cut it where all paths meet"));
        }
        reader.node(position)?;
        position += 1;
    }
    reader.skip();
    if reader.at < text.len() {
        return Err(reader.wrong("there is something behind the lattice").hint("write one lattice on each line"));
    }
    if let Some((begin, end, word, _)) = reader.arcs.iter().find(|arc| arc.1 > position) {
        return Err(Error::format(format!(
            "the arc {word:?} ends {} positions behind {begin}, but the lattice ends at {position}",
            end - begin
        ))
        .hint("list the arcs of every position but the last"));
    }
    Ok((position, reader.arcs))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    scores: Scores,
    arcs: Vec<PlfArc>,
}

impl Reader<'_> {
    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::format(what).at_byte(self.at as u64 + 1)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip(&mut self) {
        self.at += self.text[self.at..].bytes().take_while(|byte| b" \t\r\n".contains(byte)).count();
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            self.skip();
            return Ok(());
        }
        let found = self.peek().map_or_else(|| "the line ends".to_owned(), |found| format!("there is {found:?}"));
        Err(self
            .wrong(format!("{found} where `{wanted}` is due in a lattice"))
            .hint("write lattices like ((('a',0.5,1),('b',0.5,1),),(('c',1.0,1),),)"))
    }

    /// Whether a tuple ends here; if not, it goes on behind a comma, unless this is its beginning.
    fn closes(&mut self, is_first: bool) -> Result<bool> {
        if !is_first && self.peek() != Some(')') {
            self.expect(',')?;
        }
        if self.peek() == Some(')') {
            self.expect(')')?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The arcs of a position.
    fn node(&mut self, position: u32) -> Result<()> {
        self.expect('(')?;
        let mut is_first = true;
        while !self.closes(is_first)? {
            is_first = false;
            if self.arcs.len() >= MOST_ARCS {
                return Err(Error::limit(format!("a lattice of more than {MOST_ARCS} arcs"))
                    .hint("leave out the arcs with the lowest scores"));
            }
            self.expect('(')?;
            let word = self.word()?;
            self.expect(',')?;
            let score = self.score()?;
            self.expect(',')?;
            let steps = self.steps()?;
            if self.peek() == Some(',') {
                self.expect(',')?;
            }
            self.expect(')')?;
            self.arcs.push((position, position + steps, word, score));
        }
        Ok(())
    }

    fn word(&mut self) -> Result<String> {
        let Some(quote) = self.peek().filter(|sign| "'\"".contains(*sign)) else {
            return Err(self.wrong("a word without quotes").hint("write words like 'haus'"));
        };
        let begin = self.at;
        self.at += 1;
        let mut word = String::new();
        while let Some(sign) = self.peek() {
            self.at += sign.len_utf8();
            match sign {
                '\\' => match self.peek() {
                    Some(escaped) if "\\'\"".contains(escaped) => {
                        self.at += 1;
                        word.push(escaped);
                    }
                    _ => {
                        self.at -= 1;
                        return Err(self
                            .wrong("a backslash that escapes nothing")
                            .hint("write \\\\ for the sign itself"));
                    }
                },
                _ if sign == quote => {
                    if word.is_empty() || word.contains([' ', '\t', '\r', '\n']) {
                        self.at = begin;
                        return Err(self
                            .wrong(format!("{word:?} for a word"))
                            .hint("give each arc one word without blanks; *EPS* for none"));
                    }
                    self.skip();
                    return Ok(word);
                }
                _ => word.push(sign),
            }
        }
        self.at = begin;
        Err(self.wrong("a word whose quotes do not end").hint("write \\' for the sign itself"))
    }

    fn number(&mut self) -> &str {
        let begin = self.at;
        let signs = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = self.text[begin..].bytes().take_while(signs).take(LONGEST_NUMBER).count();
        &self.text[begin..begin + length]
    }

    fn score(&mut self) -> Result<f64> {
        let number = self.number();
        let (length, value) = (number.len(), number.parse::<f64>().ok().filter(|value| value.is_finite()));
        let Some(value) = value else {
            return Err(self.wrong("the number of an arc is not a number").hint("write it like 0.25 or 1e-3"));
        };
        let score = match self.scores {
            Scores::Logarithms => value,
            Scores::Probabilities if value > 0.0 => value.ln(),
            Scores::Probabilities if value == 0.0 => LOWEST,
            Scores::Probabilities => {
                return Err(self
                    .wrong(format!("{value} for the probability of an arc"))
                    .hint("if the numbers are logarithms, say so"));
            }
        };
        self.at += length;
        self.skip();
        Ok(score)
    }

    fn steps(&mut self) -> Result<u32> {
        let number = self.number();
        let (length, value) = (number.len(), number.parse::<u32>().ok());
        let Some(value) = value.filter(|&value| (1..=MOST_POSITIONS as u32).contains(&value)) else {
            return Err(self
                .wrong("an arc does not say how many positions further it ends")
                .hint("write a whole number from 1 on"));
        };
        self.at += length;
        self.skip();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_moses_is_read() {
        let text = "((('einen',1.0,1),),(('wettbewerbs\\'',0.5,2),(\"w\\\\\" , .25 , 1,),),(('b',1,1)))\n";
        let (last, arcs) = read(text, Scores::Probabilities).unwrap();
        assert_eq!(last, 3);
        let plain: Vec<(u32, u32, &str)> = arcs.iter().map(|arc| (arc.0, arc.1, arc.2.as_str())).collect();
        assert_eq!(plain, [(0, 1, "einen"), (1, 3, "wettbewerbs'"), (1, 2, "w\\"), (2, 3, "b")]);
        assert_eq!(arcs[2].3, 0.25_f64.ln());
        assert_eq!(read("((('a',-2.5,1)))", Scores::Logarithms).unwrap().1[0].3, -2.5);
        assert_eq!(read("((('a',0,1)))", Scores::Probabilities).unwrap().1[0].3, LOWEST);
        assert_eq!(read(" () ", Scores::Probabilities).unwrap(), (0, vec![]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_byte() {
        for (text, byte, what) in [
            ("", 1, "the line ends where `(` is due"),
            ("das haus", 1, "'d' where `(` is due"),
            ("((('a',1.0,1),),", 17, "the line ends"),
            ("(((a,1.0,1),),)", 4, "without quotes"),
            ("((('a b',1.0,1),),)", 4, "for a word"),
            ("((('',1.0,1),),)", 4, "for a word"),
            ("((('a,1.0,1),),)", 4, "do not end"),
            ("((('a\\n',1.0,1),),)", 6, "escapes nothing"),
            ("((('a',x,1),),)", 8, "not a number"),
            ("((('a',1e999,1),),)", 8, "not a number"),
            ("((('a',-1.0,1),),)", 8, "-1 for the probability"),
            ("((('a',1.0,0),),)", 12, "positions further"),
            ("((('a',1.0,-1),),)", 12, "positions further"),
            ("((('a',1.0,1),),))", 18, "behind the lattice"),
            ("((('ä',1.0,1)('b',1.0,1)))", 15, "where `,` is due"),
        ] {
            let error = read(text, Scores::Probabilities).unwrap_err();
            assert_eq!(error.place.byte, Some(byte), "{text}: {error}");
            assert!(error.to_string().contains(what), "{text}: {error}");
            assert!(!error.hint.is_empty());
        }
        assert!(read("((('a',1.0,2),),)", Scores::Probabilities).unwrap_err().to_string().contains("ends at 1"));
        let many = format!("({})", "(('a',1,1)),".repeat(MOST_POSITIONS + 1));
        assert!(read(&many, Scores::Probabilities).unwrap_err().to_string().contains("positions"));
        let wide = format!("(({}))", "('a',1,1),".repeat(MOST_ARCS + 1));
        assert!(read(&wide, Scores::Probabilities).unwrap_err().to_string().contains("arcs"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_lattice_or_an_error(text in "[(),'\"\\\\0-9.eä -]{0,40}") {
            let _ = read(&text, Scores::Logarithms);
        }

        #[test]
        fn a_damaged_lattice_is_a_lattice_or_an_error(at in 0_usize..50, sign in any::<char>(), cut in any::<bool>()) {
            let text = "((('ein',0.9,1),('kein',0.1,2),),(('haus',1.0,1),),)";
            let at = at.min(text.len() - 1);
            let rest = &text[at + usize::from(cut)..];
            let _ = read(&format!("{}{sign}{rest}", &text[..at]), Scores::Probabilities);
        }
    }
}
