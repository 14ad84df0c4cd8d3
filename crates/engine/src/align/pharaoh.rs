//! Pharaoh links: `i-j` sure, `i?j` or `ipj` possible, separated by spaces, one sentence pair a line.

use super::symmetrise::Link;
use crate::{Error, Result};

/// A link of a line: its positions, whether it is sure, and its probability if one is given (`i-j:p`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// The positions, from 0.
    pub link: Link,
    /// `i-j`, as opposed to `i?j`.
    pub sure: bool,
    /// What follows a colon.
    pub probability: Option<f32>,
}

/// Reads a line whose positions count from `base` (0 or 1).
///
/// # Errors
/// If anything is not a link, with the byte where it starts.
pub fn parse(line: &str, base: u16) -> Result<Vec<Written>> {
    let mut links = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        if rest.is_empty() {
            return Ok(links);
        }
        let end = rest.find([' ', '\t', '\r']).unwrap_or(rest.len());
        let (item, after) = rest.split_at(end);
        let byte = (line.len() - rest.len() + 1) as u64;
        links.push(parse_link(item, base).map_err(|what| {
            Error::format(what).at_byte(byte).hint("write i-j for a sure link, i?j for a possible one")
        })?);
        rest = after;
    }
}

fn parse_link(item: &str, base: u16) -> std::result::Result<Written, String> {
    let shown: String = item.chars().take(40).collect();
    let wrong = || format!("{shown:?} is not a link");
    let (pair, probability) = match item.split_once(':') {
        None => (item, None),
        Some((pair, value)) => {
            let p: f32 = value.parse().map_err(|_| wrong())?;
            if !(0.0..=1.0).contains(&p) {
                return Err(format!("the probability of {shown:?} is not between 0 and 1"));
            }
            (pair, Some(p))
        }
    };
    let at = pair.find(['-', '?', 'p']).ok_or_else(wrong)?;
    let position = |text: &str| -> std::result::Result<u16, String> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        let value: u16 = text.parse().map_err(|_| format!("the position in {shown:?} is too large"))?;
        value.checked_sub(base).ok_or_else(|| format!("{shown:?} has position 0, but positions count from 1"))
    };
    let link = (position(&pair[..at])?, position(&pair[at + 1..])?);
    Ok(Written { link, sure: pair.as_bytes()[at] == b'-', probability })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_sure_and_possible_links() {
        let read = parse(" 0-1 2?3\t4p5 6-7:0.25\r", 0).unwrap();
        let plain: Vec<_> = read.iter().map(|w| (w.link, w.sure)).collect();
        assert_eq!(plain, [((0, 1), true), ((2, 3), false), ((4, 5), false), ((6, 7), true)]);
        assert_eq!(read[3].probability, Some(0.25));
        assert_eq!(parse("1-1", 1).unwrap()[0].link, (0, 0));
        assert!(parse("", 0).unwrap().is_empty());
    }

    #[test]
    fn says_where_a_line_is_wrong() {
        for (line, byte) in [("0-0 1_1", 5), ("-1", 1), ("0-0 0--1", 5), ("1-99999", 1), ("0-0:nan", 1), ("0-0:2", 1)] {
            assert_eq!(parse(line, 0).unwrap_err().place.byte, Some(byte), "{line}");
        }
        assert!(parse("0-1", 1).unwrap_err().what.contains("count from 1"));
    }

    proptest! {
        #[test]
        fn never_panics(line in "[-0-9?p: \té]{0,40}", base in 0u16..2) {
            let _ = parse(&line, base);
        }
    }
}
