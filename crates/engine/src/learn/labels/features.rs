//! What a classifier may ask about a label: words around it, how its word is written, and the labels before it.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::logic::{Item, Label};
use crate::learn::boost::Field;

/// The fields by name, in their order. Those from `label-1` on depend on the labels before.
pub const NAMES: [&str; 11] =
    ["word", "word-1", "word-2", "word+1", "word+2", "end", "beginning", "form", "label-1", "label-2", "labels"];

/// The fields of a row.
pub const FIELDS: [Field; 11] = [
    Field::symbols(0, 1),
    Field::symbols(1, 1),
    Field::symbols(2, 1),
    Field::symbols(3, 1),
    Field::symbols(4, 1),
    Field::symbols(5, 4),
    Field::symbols(9, 3),
    Field::symbols(12, 4),
    Field::symbols(16, 1),
    Field::symbols(17, 1),
    Field::symbols(18, 1),
];

/// The first field that depends on labels.
pub const HISTORY: usize = 8;
/// The slots of a row, and the first one that depends on labels.
pub const SLOTS: usize = 19;
const FIRST_OF_HISTORY: usize = 16;

/// Beyond the ends of a sentence.
const EDGE: u32 = 1;

/// How many words around a word are seen, up to two on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Before it.
    pub before: u32,
    /// Behind it.
    pub behind: u32,
}

impl Default for Window {
    fn default() -> Self {
        Self { before: 2, behind: 2 }
    }
}

/// A string as a number above 1: 32 bits that look random.
pub fn symbol(text: &str) -> u32 {
    (xxh3_64_with_seed(text.as_bytes(), 0) as u32).max(2)
}

/// A string as a number of 64 bits.
pub fn name(text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), 0)
}

/// What does not depend on labels, for each word of a sentence.
pub fn rows(words: &[String], window: Window) -> Vec<[u32; SLOTS]> {
    let symbols: Vec<u32> = words.iter().map(|word| symbol(word)).collect();
    let at = |place: i64| match usize::try_from(place) {
        Ok(place) => symbols.get(place).copied().unwrap_or(EDGE),
        Err(_) => EDGE,
    };
    let each = words.iter().enumerate().map(|(place, word)| {
        let mut row = [0; SLOTS];
        row[0] = symbols[place];
        for (slot, step, far) in
            [(1, -1, window.before), (2, -2, window.before), (3, 1, window.behind), (4, 2, window.behind)]
        {
            if i64::abs(step) <= i64::from(far) {
                row[slot] = at(place as i64 + step);
            }
        }
        written(word, place == 0, &mut row);
        row
    });
    each.collect()
}

/// Endings, beginnings and the form of a word.
fn written(word: &str, first: bool, row: &mut [u32; SLOTS]) {
    let signs: Vec<(usize, char)> = word.char_indices().collect();
    for length in 1..=4.min(signs.len()) {
        row[4 + length] = symbol(&word[signs[signs.len() - length].0..]);
        if length <= 3 {
            let end = signs.get(length).map_or(word.len(), |sign| sign.0);
            row[8 + length] = symbol(&word[..end]);
        }
    }
    let any = |is: fn(char) -> bool| signs.iter().any(|sign| is(sign.1));
    let upper = signs.first().is_some_and(|sign| sign.1.is_uppercase());
    // The first word of a sentence is written large anyway.
    row[12] = if upper { 2 + u32::from(first) } else { 0 };
    row[13] = if upper && signs.len() > 1 && !any(char::is_lowercase) { 4 } else { 0 };
    row[14] = if any(char::is_numeric) { 5 } else { 0 };
    row[15] = if any(char::is_alphanumeric) && any(|sign| !sign.is_alphanumeric()) {
        6
    } else {
        u32::from(!any(char::is_alphanumeric)) * 7
    };
}

/// Adds what the labels before a word say; none is a label, too.
pub fn fill_history(item: &Item, row: &mut [u32]) {
    let number = |label: Label| u32::from(label) + 1;
    let [before, last] = item.last.map(number);
    row[FIRST_OF_HISTORY] = last;
    row[FIRST_OF_HISTORY + 1] = before;
    row[FIRST_OF_HISTORY + 2] = before << 16 | last;
}
