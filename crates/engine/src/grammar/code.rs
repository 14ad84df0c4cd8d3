//! Rules as strings of bytes whose order is the order of their symbols.
//!
//! Extraction makes many more rules than it keeps, so they are short and cheap to hash, compare and write: frequent
//! words, which have small ids, take one byte, most others two. Every code is a prefix code that preserves order, and
//! [`END`] is below all of them, so comparing bytes compares sequences of symbols.

use super::symbol::Symbol;

/// Ends a side of a rule.
pub const END: u8 = 0;

/// The first bytes of codes of 2, 3, 4 and 5 bytes, and of nonterminals.
const TWO: u32 = 0xb0;
const THREE: u32 = 0xf0;
const FOUR: u32 = 0xf8;
const FIVE: u32 = 0xfd;
const GAP: u8 = 0xfe;

/// The first ids (plus one, as 0 is taken) that need 2, 3, 4 and 5 bytes.
const FROM_TWO: u32 = TWO;
const FROM_THREE: u32 = FROM_TWO + ((THREE - TWO) << 8);
const FROM_FOUR: u32 = FROM_THREE + ((FOUR - THREE) << 16);
const FROM_FIVE: u32 = FROM_FOUR + ((FIVE - FOUR) << 24);

/// Appends the code of a word.
pub fn put_word(out: &mut Vec<u8>, id: u32) {
    let value = id + 1;
    if value < FROM_TWO {
        out.push(value as u8);
    } else if value < FROM_THREE {
        let value = value - FROM_TWO + (TWO << 8);
        out.extend_from_slice(&value.to_be_bytes()[2..]);
    } else if value < FROM_FOUR {
        let value = value - FROM_THREE + (THREE << 16);
        out.extend_from_slice(&value.to_be_bytes()[1..]);
    } else if value < FROM_FIVE {
        let value = value - FROM_FOUR + (FOUR << 24);
        out.extend_from_slice(&value.to_be_bytes());
    } else {
        out.push(FIVE as u8);
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// Appends the code of a nonterminal: its category on the source side, its index on the target side.
#[inline]
pub fn put_gap(out: &mut Vec<u8>, number: u16) {
    let [high, low] = number.to_be_bytes();
    out.extend_from_slice(&[GAP, high, low]);
}

/// Appends the code of any symbol.
pub fn put(out: &mut Vec<u8>, symbol: Symbol) {
    match symbol.as_nonterminal() {
        Some(number) => put_gap(out, number as u16),
        None => put_word(out, symbol.as_word().unwrap_or_default()),
    }
}

/// How many bytes the code that starts with this byte has.
#[inline]
fn width(first: u8) -> usize {
    match u32::from(first) {
        0..TWO => 1,
        TWO..THREE => 2,
        THREE..FOUR => 3,
        FOUR..FIVE => 4,
        FIVE => 5,
        _ => 3,
    }
}

/// How many bytes a side has before its [`END`].
#[inline]
pub fn side(bytes: &[u8]) -> usize {
    let mut at = 0;
    while bytes[at] != END {
        at += width(bytes[at]);
    }
    at
}

/// Appends the symbols of a side, which may but need not be followed by its [`END`].
pub fn symbols(mut bytes: &[u8], out: &mut Vec<Symbol>) {
    while let Some(&first) = bytes.first() {
        if first == END {
            break;
        }
        let (code, rest) = bytes.split_at(width(first));
        let value = |skip: usize| code[skip..].iter().fold(0_u32, |value, &byte| value << 8 | u32::from(byte));
        out.push(if first == GAP {
            Symbol::nonterminal(value(1))
        } else {
            Symbol::word(
                match code.len() {
                    1 => value(0),
                    2 => value(0) - (TWO << 8) + FROM_TWO,
                    3 => value(0) - (THREE << 16) + FROM_THREE,
                    4 => value(0) - (FOUR << 24) + FROM_FOUR,
                    _ => value(1),
                } - 1,
            )
        });
        bytes = rest;
    }
}

/// Appends a number in as few bytes as it needs.
#[inline]
pub fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number off the front.
#[inline]
pub fn take_number(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn symbol() -> impl Strategy<Value = Symbol> {
        prop_oneof![
            (0_u32..200).prop_map(Symbol::word),
            (0_u32..1_000_000).prop_map(Symbol::word),
            (0_u32..1 << 31).prop_map(Symbol::word),
            (0_u32..1 << 16).prop_map(Symbol::nonterminal),
        ]
    }

    fn encode(symbols: &[Symbol]) -> Vec<u8> {
        let mut out = Vec::new();
        symbols.iter().for_each(|&symbol| put(&mut out, symbol));
        out.push(END);
        out
    }

    proptest! {
        #[test]
        fn order_of_bytes_is_order_of_symbols(
            a in prop::collection::vec(symbol(), 0..4),
            b in prop::collection::vec(symbol(), 0..4),
        ) {
            prop_assert_eq!(encode(&a).cmp(&encode(&b)), a.cmp(&b));
            let mut back = Vec::new();
            symbols(&encode(&a), &mut back);
            prop_assert_eq!(&back, &a);
            prop_assert_eq!(side(&encode(&a)) + 1, encode(&a).len());
        }

        #[test]
        fn numbers_come_back(value: u64) {
            let mut out = Vec::new();
            put_number(&mut out, value);
            let mut bytes = &out[..];
            prop_assert_eq!(take_number(&mut bytes), value);
            prop_assert!(bytes.is_empty());
        }
    }

    #[test]
    fn the_borders_between_widths() {
        for border in [FROM_TWO, FROM_THREE, FROM_FOUR, FROM_FIVE] {
            for id in border - 3..border + 3 {
                let mut back = Vec::new();
                symbols(&encode(&[Symbol::word(id)]), &mut back);
                assert_eq!(back, [Symbol::word(id)]);
                assert!(encode(&[Symbol::word(id)]) < encode(&[Symbol::word(id + 1)]));
            }
        }
    }
}
