//! What two rules with the same pivot side say together.

use crate::grammar::Symbol;
use crate::grammar::score::ORIENTATIONS;

/// Kinds of orientation: following, before, elsewhere.
const KINDS: usize = 3;

/// The places of the gaps of a pivot side, from left to right: what each gap of the second leg's source side is in that of
/// the first. Nothing if it has more than two.
pub fn gaps(pivot: &[Symbol]) -> Option<([u32; 2], usize)> {
    let (mut places, mut count) = ([0; 2], 0);
    for place in pivot.iter().filter_map(|symbol| symbol.as_nonterminal()) {
        *places.get_mut(count)? = place;
        count += 1;
    }
    Some((places, count))
}

/// A target side of the second leg with the gaps of the first one's source side.
pub fn renumber(target: &[Symbol], places: [u32; 2], out: &mut Vec<Symbol>) {
    out.extend(target.iter().map(|&symbol| match symbol.as_nonterminal() {
        Some(gap) => Symbol::nonterminal(places[gap as usize & 1]),
        None => symbol,
    }));
}

/// Source and target positions that a pivot position links, in order.
pub fn compose_links(first: &[[u8; 2]], second: &[[u8; 2]]) -> Vec<[u8; 2]> {
    let through = |&[source, pivot]: &[u8; 2]| {
        second.iter().filter(move |link| link[0] == pivot).map(move |link| [source, link[1]])
    };
    let mut links: Vec<[u8; 2]> = first.iter().flat_map(through).collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// Whether any pivot position links a source and a target position.
pub fn are_linked(first: &[[u8; 2]], second: &[[u8; 2]]) -> bool {
    first.iter().any(|one| second.iter().any(|other| other[0] == one[1]))
}

/// Logarithms of the probabilities of orientations of both legs, one after the other as [`ORIENTATIONS`] are, as those
/// of the composed rule, if what either leg does does not depend on the other: twice the other way round is straight on.
pub fn orient(first: [f32; ORIENTATIONS.len()], second: [f32; ORIENTATIONS.len()]) -> [f32; ORIENTATIONS.len()] {
    let mut made = [0.0; ORIENTATIONS.len()];
    for side in (0..ORIENTATIONS.len()).step_by(KINDS) {
        let own = |logs: &[f32]| [0, 1, 2].map(|kind| f64::from(logs[side + kind]).exp());
        let ([mono, swap, other], [mono2, swap2, other2]) = (own(&first), own(&second));
        let whole = (mono + swap + other) * (mono2 + swap2 + other2);
        let straight = mono * mono2 + swap * swap2;
        let turned = mono * swap2 + swap * mono2;
        let rest = (whole - straight - turned).max(f64::MIN_POSITIVE);
        for (place, probability) in made[side..].iter_mut().zip([straight, turned, rest]) {
            *place = (probability / whole).max(1e-9).ln() as f32;
        }
    }
    made
}
