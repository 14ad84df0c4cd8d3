//! Examples as the search for tests wants them: by column, symbols and numbers replaced by their places among those that occur.

use super::examples::{Examples, FieldKind};

/// A field of all examples.
#[derive(Debug)]
pub(super) enum Column {
    /// Nothing tells examples apart.
    Constant,
    /// Sets of symbols.
    Symbols {
        /// Slots of each example: the place of its symbol in `values` and 1, or 0 for none and for what an earlier slot has.
        places: Vec<u32>,
        width: usize,
        /// The symbols that occur, in order.
        values: Vec<u32>,
    },
    /// Numbers.
    Number {
        /// The place of each example's number in `values`.
        ranks: Vec<u32>,
        /// The numbers that occur, in order; that of examples without one is negative infinity.
        values: Vec<f32>,
        /// The bin of each example's number: how many cuts it is greater than. Empty if there are no bins.
        bins: Vec<u8>,
        /// Thresholds, in order.
        cuts: Vec<f32>,
    },
}

impl Column {
    /// The column of a field; numbers are put into at most so many bins, and into none if that is 0.
    pub fn new(examples: &Examples<'_>, field: usize, most_bins: usize) -> Self {
        let field = &examples.fields[field];
        match field.kind() {
            FieldKind::Symbols => {
                let slots = (0..examples.len()).map(|at| field.of(examples.row(at)));
                Self::symbols(slots, field.width())
            }
            FieldKind::Number => {
                let numbers = (0..examples.len()).map(|at| key(f32::from_bits(field.of(examples.row(at))[0])));
                Self::numbers(&numbers.collect::<Vec<_>>(), most_bins)
            }
        }
    }

    fn symbols<'a>(rows: impl Iterator<Item = &'a [u32]> + Clone, width: usize) -> Self {
        let mut values: Vec<u32> = rows.clone().flatten().copied().filter(|&symbol| symbol != 0).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            return Self::Constant;
        }
        let mut places = Vec::new();
        for row in rows {
            for (slot, symbol) in row.iter().enumerate() {
                let is_new = *symbol != 0 && !row[..slot].contains(symbol);
                places.push(if is_new { values.partition_point(|value| value < symbol) as u32 + 1 } else { 0 });
            }
        }
        Self::Symbols { places, width, values }
    }

    fn numbers(keys: &[f32], most_bins: usize) -> Self {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let mut values = sorted.clone();
        values.dedup();
        if values.len() < 2 {
            return Self::Constant;
        }
        let place = |key: &f32| values.partition_point(|value| value < key) as u32;
        let ranks: Vec<u32> = keys.iter().map(place).collect();
        if most_bins == 0 {
            return Self::Number { ranks, values, bins: Vec::new(), cuts: Vec::new() };
        }
        let cuts = cuts(&sorted, &values, most_bins);
        let bin_of: Vec<u8> = values.iter().map(|value| cuts.partition_point(|cut| value > cut) as u8).collect();
        let bins = ranks.iter().map(|&rank| bin_of[rank as usize]).collect();
        Self::Number { ranks, values, bins, cuts }
    }

    /// Whether an example passes a test.
    #[inline]
    pub fn passes(&self, example: u32, value: u32) -> bool {
        match self {
            Self::Constant => false,
            Self::Symbols { places, width, values } => {
                let own = &places[example as usize * width..(example as usize + 1) * width];
                own.iter().any(|&place| place != 0 && values[place as usize - 1] == value)
            }
            Self::Number { ranks, values, .. } => values[ranks[example as usize] as usize] > f32::from_bits(value),
        }
    }
}

/// What a number is sorted by: none, like negative infinity, is greater than nothing; there is one zero.
fn key(number: f32) -> f32 {
    if number.is_nan() { f32::NEG_INFINITY } else { number + 0.0 }
}

/// A threshold that only the greater of two numbers is greater than: their middle if there is one.
pub(super) fn between(below: f32, above: f32) -> f32 {
    let middle = f64::midpoint(f64::from(below), f64::from(above)) as f32;
    if middle >= below && middle < above { middle } else { below }
}

/// Thresholds for at most so many bins: between all numbers if they are few, else at quantiles, and always between those that
/// have a number and those that have none.
fn cuts(sorted: &[f32], values: &[f32], most_bins: usize) -> Vec<f32> {
    let boundaries = values.windows(2).map(|two| between(two[0], two[1]));
    if values.len() <= most_bins {
        return boundaries.collect();
    }
    let absent = sorted.partition_point(|&key| key == f32::NEG_INFINITY);
    let present = &sorted[absent..];
    let bins = most_bins - usize::from(absent > 0);
    let mut cuts: Vec<f32> = Vec::with_capacity(most_bins);
    cuts.extend((absent > 0).then_some(f32::NEG_INFINITY));
    for bin in 1..bins {
        let below = present[(bin * present.len() / bins).max(1) - 1];
        let Some(&above) = values.get(values.partition_point(|&value| value <= below)) else {
            break;
        };
        let cut = between(below, above);
        if cuts.last().is_none_or(|&last| last < cut) {
            cuts.push(cut);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_between() {
        assert_eq!(between(1.0, 2.0), 1.5);
        assert_eq!(between(f32::NEG_INFINITY, 2.0), f32::NEG_INFINITY);
        assert_eq!(between(2.0, f32::INFINITY), 2.0);
        assert_eq!(between(f32::MIN, f32::MAX), 0.0);
        let next = f32::from_bits(1.0_f32.to_bits() + 1);
        assert_eq!(between(1.0, next), 1.0);
    }

    #[test]
    fn bins_are_quantiles() {
        let mut sorted: Vec<f32> = (0..1000_u16).map(f32::from).collect();
        let found = cuts(&sorted, &sorted, 4);
        assert_eq!(found, [249.5, 499.5, 749.5]);
        assert_eq!(cuts(&sorted, &sorted, 1000).len(), 999);
        sorted[..10].fill(f32::NEG_INFINITY);
        let mut values = sorted.clone();
        values.dedup();
        assert_eq!(cuts(&sorted, &values, 4), [f32::NEG_INFINITY, 339.5, 669.5]);
        // One number fills most bins; the others are still told apart.
        let most = [&[1.0; 98][..], &[2.0, 3.0]].concat();
        assert_eq!(cuts(&most, &[1.0, 2.0, 3.0], 2), [1.5]);
    }
}
