//! Target sides and links of rules, in as few bytes as they need.
//!
//! A rule begins with a byte that has the length of its target side and the number of its links, in half bytes. Symbols
//! follow as numbers of seven bits a byte, places first and then words, which are numbered by frequency, so most take
//! one or two; then links, a byte each. A rule that does not fit (more than 15 symbols or links, a position above 15,
//! or another category than X) begins with a zero, and has its category, the two lengths, and two bytes for a link.

use super::Symbol;
use super::code::put_number;
use super::table::{MOST_ARITY, MOST_SYMBOLS, Rule, X};

/// Links that a rule can have.
pub const MOST_LINKS: usize = MOST_SYMBOLS * MOST_SYMBOLS;

/// Appends a rule's category, target side and links.
pub fn put(rule: &Rule<'_>, out: &mut Vec<u8>) {
    let (symbols, links) = (rule.target.len(), rule.links.len());
    let short = rule.lhs == X && symbols.max(links) < 16 && rule.links.iter().flatten().all(|&at| at < 16);
    if short {
        out.push((symbols << 4 | links) as u8);
    } else {
        out.extend([0, rule.lhs]);
        put_number(out, symbols as u64);
        put_number(out, links as u64);
    }
    for symbol in rule.target {
        let code = symbol
            .as_nonterminal()
            .map_or_else(|| MOST_ARITY as u64 + u64::from(symbol.as_word().unwrap_or(0)), u64::from);
        put_number(out, code);
    }
    if short {
        out.extend(rule.links.iter().map(|&[source, target]| source << 4 | target));
    } else {
        out.extend(rule.links.iter().flatten());
    }
}

/// Reads rules one after another. Damaged bytes end it.
#[derive(Debug, Clone)]
pub struct Sides<'a> {
    bytes: &'a [u8],
    /// How many target words and categories there are.
    words: u32,
    categories: usize,
}

/// The beginning of a rule.
struct Head {
    lhs: u8,
    symbols: usize,
    links: usize,
    short: bool,
}

impl<'a> Sides<'a> {
    /// Reads from the beginning of some bytes.
    pub fn new(bytes: &'a [u8], words: usize, categories: usize) -> Self {
        Self { bytes, words: u32::try_from(words).unwrap_or(u32::MAX), categories }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// Leaves a rule out.
    #[inline]
    pub fn skip(&mut self) -> Option<()> {
        let head = self.head()?;
        for _ in 0..head.symbols {
            let end = self.bytes.iter().position(|byte| byte & 0x80 == 0)?;
            self.bytes = &self.bytes[end + 1..];
        }
        self.links(&head).map(|_| ())
    }

    /// Appends the symbols of the next rule's target side, and gives its category.
    #[inline]
    pub fn target(&mut self, target: &mut Vec<Symbol>) -> Option<u8> {
        let head = self.head()?;
        self.symbols(&head, target)?;
        self.links(&head)?;
        Some(head.lhs)
    }

    /// Like [`Sides::target`] for a rule whose source side has this many gaps. If the target side does not have each of
    /// them once, the rule is read over: nothing is appended, and there is no category.
    #[inline]
    pub fn paired(&mut self, arity: usize, target: &mut Vec<Symbol>) -> Option<Option<u8>> {
        let begin = target.len();
        let lhs = self.target(target)?;
        if pairs(&target[begin..], arity) {
            return Some(Some(lhs));
        }
        target.truncate(begin);
        Some(None)
    }

    /// Like [`Sides::target`], and appends the links.
    pub fn both(&mut self, target: &mut Vec<Symbol>, links: &mut Vec<[u8; 2]>) -> Option<u8> {
        let head = self.head()?;
        self.symbols(&head, target)?;
        let bytes = self.links(&head)?;
        if head.short {
            links.extend(bytes.iter().map(|link| [link >> 4, link & 15]));
        } else {
            links.extend(bytes.chunks_exact(2).map(|link| [link[0], link[1]]));
        }
        Some(head.lhs)
    }

    #[inline]
    fn head(&mut self) -> Option<Head> {
        let &first = self.bytes.first()?;
        self.bytes = &self.bytes[1..];
        if first >= 16 {
            return Some(Head {
                lhs: X,
                symbols: usize::from(first >> 4),
                links: usize::from(first & 15),
                short: true,
            });
        }
        let lhs = *self.bytes.first()?;
        self.bytes = &self.bytes[1..];
        let [symbols, links] = [self.number()?, self.number()?].map(|number| number as usize);
        let fits = (1..=MOST_SYMBOLS).contains(&symbols) && links <= MOST_LINKS && usize::from(lhs) < self.categories;
        let fits = fits && first == 0;
        fits.then_some(Head { lhs, symbols, links, short: false })
    }

    #[inline]
    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for at in 0..5 {
            let &byte = self.bytes.get(at)?;
            value |= u32::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.bytes = &self.bytes[at + 1..];
                return Some(value);
            }
        }
        None
    }

    #[inline]
    fn symbols(&mut self, head: &Head, target: &mut Vec<Symbol>) -> Option<()> {
        for _ in 0..head.symbols {
            let code = self.number()?;
            target.push(match code.checked_sub(MOST_ARITY as u32) {
                None => Symbol::nonterminal(code),
                Some(word) if word < self.words => Symbol::word(word),
                Some(_) => return None,
            });
        }
        Some(())
    }

    #[inline]
    fn links(&mut self, head: &Head) -> Option<&'a [u8]> {
        let (links, rest) = self.bytes.split_at_checked(if head.short { head.links } else { 2 * head.links })?;
        self.bytes = rest;
        Some(links)
    }
}

/// Whether a target side has each gap of a source side with `arity` gaps once, and no other.
#[inline]
pub(super) fn pairs(target: &[Symbol], arity: usize) -> bool {
    let mut places = [0_usize; MOST_ARITY];
    for place in target.iter().filter_map(|symbol| symbol.as_nonterminal()) {
        match places.get_mut(place as usize) {
            Some(seen) => *seen += 1,
            None => return false,
        }
    }
    arity <= MOST_ARITY && places.iter().enumerate().all(|(at, &seen)| seen == usize::from(at < arity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn symbol() -> impl Strategy<Value = Symbol> {
        prop_oneof![
            (0_u32..300).prop_map(Symbol::word),
            (0_u32..3_000_000).prop_map(Symbol::word),
            (0_u32..2).prop_map(Symbol::nonterminal)
        ]
    }

    proptest! {
        #[test]
        fn what_is_put_is_read(
            rules in prop::collection::vec((0_u8..2, prop::collection::vec(symbol(), 1..20), prop::collection::vec(any::<[u8; 2]>(), 0..20), any::<bool>()), 1..20)
        ) {
            let rules: Vec<_> = rules.into_iter().map(|(lhs, target, mut links, near)| {
                links.iter_mut().flatten().for_each(|at| if near { *at %= 16 });
                (lhs, target, links)
            }).collect();
            let mut bytes = Vec::new();
            for (lhs, target, links) in &rules {
                put(&Rule { lhs: *lhs, source: &[], target, features: &[], links, counts: [0.0; 3] }, &mut bytes);
            }
            let mut reader = Sides::new(&bytes, 3_000_000, 2);
            let mut skipping = reader.clone();
            for (lhs, target, links) in &rules {
                let (mut found, mut found_links) = (Vec::new(), Vec::new());
                let mut again = reader.clone();
                prop_assert_eq!(reader.both(&mut found, &mut found_links), Some(*lhs));
                prop_assert_eq!((&found, &found_links), (target, links));
                found.clear();
                prop_assert_eq!(again.target(&mut found), Some(*lhs));
                prop_assert_eq!(&found, target);
                skipping.skip().unwrap();
                prop_assert_eq!(again.rest(), reader.rest());
                prop_assert_eq!(skipping.rest(), reader.rest());
            }
            prop_assert!(reader.rest().is_empty());
        }

        #[test]
        fn anything_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = Sides::new(&bytes, 100, 1);
            let (mut target, mut links) = (Vec::new(), Vec::new());
            while reader.both(&mut target, &mut links).is_some() {}
            let known = |symbol: &Symbol| symbol.as_word().is_none_or(|word| word < 100);
            prop_assert!(target.len() <= bytes.len() && target.iter().all(known));
        }
    }
}
