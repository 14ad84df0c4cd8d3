//! Which properties of words make features, and the distance between words in few steps.

/// Something of a word or of one of its neighbours: tags are even, relations odd.
pub type Atom = usize;

/// The word itself, its left and right neighbours in the sentence and its parent: two atoms each.
pub const ATOMS: usize = 8;

/// One template: the atoms that together are its value.
pub type Template = &'static [Atom];

/// Features of a word alone (Miceli Barone 2015, section 4.3.1): itself, neighbours, pairs, triples.
pub const TEXT: [Template; 27] = [
    &[0],
    &[1],
    &[0, 1],
    &[2],
    &[3],
    &[2, 3],
    &[4],
    &[5],
    &[4, 5],
    &[6],
    &[7],
    &[6, 7],
    &[0, 2],
    &[0, 3],
    &[1, 2],
    &[1, 3],
    &[0, 4],
    &[0, 5],
    &[1, 4],
    &[1, 5],
    &[0, 6],
    &[0, 7],
    &[1, 6],
    &[1, 7],
    &[0, 2, 4],
    &[0, 2, 6],
    &[0, 4, 6],
];

/// The same without mixed pairs of a word and its linear neighbours, as the author's released program has them.
pub const RELEASED: [Template; 23] = [
    &[0],
    &[1],
    &[0, 1],
    &[2],
    &[3],
    &[2, 3],
    &[4],
    &[5],
    &[4, 5],
    &[6],
    &[7],
    &[6, 7],
    &[0, 2],
    &[1, 3],
    &[0, 4],
    &[1, 5],
    &[0, 6],
    &[0, 7],
    &[1, 6],
    &[1, 7],
    &[0, 2, 4],
    &[0, 2, 6],
    &[0, 4, 6],
];

/// Features of a word (atoms 0, 1) and the last one emitted (2, 3).
pub const PAIRS: [Template; 3] = [&[0, 2], &[0, 3], &[1, 2]];

/// Relations in the tree: the last word is the parent, is a child, is a sibling.
pub const TOPOLOGY: usize = 3;

/// What the released program joins each such relation with, in place of the bare relation.
pub const TOPOLOGY_TAGS: [Template; 2] = [&[0, 2], &[1, 3]];

/// Features of a word and the last two emitted (atoms 4, 5 of the earlier one), in the released program.
pub const TRIPLES: [Template; 2] = [&[0, 2, 4], &[1, 3, 5]];

/// Features of one step of a walk: where it arrives (0, 1) and where it comes from (2, 3).
pub const STEPS: [Template; 4] = [&[0, 2], &[0, 3], &[1, 2], &[1, 3]];

/// Actions of a walk: up, down, or right to the next word.
pub const ACTIONS: usize = 3;

/// Steps of distance.
pub const BINS: usize = 12;

/// Rows of a value joined with distances: the first is of the value alone.
pub const JOINED: usize = BINS + 1;

/// Which step of distance `d` is in: -10 (and less), -5 (and down to -9), -4, …, -1, 1, …, 4, 5 (to 9), 10 (and more).
#[must_use]
pub fn bin(d: isize) -> usize {
    match d {
        ..=-10 => 0,
        -9..=-5 => 1,
        -4..=-1 => (d + 6) as usize,
        // Distance 0 is only between two places that stand for no word.
        0..=4 => (d + 5) as usize,
        5..=9 => 10,
        10.. => 11,
    }
}

/// Bits for each symbol of a key.
pub const SYMBOL_BITS: u32 = 19;

/// A template's value as one number.
#[must_use]
pub fn key(template: usize, atoms: Template, seen: &[u32]) -> u64 {
    let symbols = atoms.iter().fold(0, |symbols, &atom| symbols << SYMBOL_BITS | u64::from(seen[atom]));
    // Symbols in the lower 57 bits, at most three: a template never shares a key with another.
    (template as u64) << (3 * SYMBOL_BITS) | symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_in_steps() {
        let steps = [-10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10];
        let cases = [(-25, -10), (-10, -10), (-9, -5), (-6, -5), (-5, -5), (-4, -4), (-1, -1), (1, 1), (2, 2), (4, 4)];
        for (d, q) in cases.into_iter().chain([(5, 5), (6, 5), (9, 5), (10, 10), (11, 10)]) {
            assert_eq!(steps[bin(d)], q, "{d}");
        }
    }

    #[test]
    fn templates_differ() {
        for templates in [&TEXT[..], &RELEASED[..]] {
            for (at, template) in templates.iter().enumerate() {
                assert!(!templates[..at].contains(template));
            }
        }
    }
}
