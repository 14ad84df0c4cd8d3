//! Examples as the search for tests wants them: symbols and numbers replaced by cells, one for each value of a field that occurs.

use super::examples::{Examples, Field, FieldKind};

/// No cell: no symbol, or one that an earlier slot has.
pub(super) const NONE: u32 = u32::MAX;

/// Rows of cells.
#[derive(Debug)]
pub(super) struct Columns {
    kinds: Vec<FieldKind>,
    /// Where the slots of each field begin, and where the last ones end.
    slots: Vec<usize>,
    /// Where the cells of each field begin, and where the last ones end.
    begins: Vec<usize>,
    /// The value of each cell: a symbol, or the bits of a number, or of the threshold after a bin; numbers in order within a field.
    values: Vec<u32>,
    /// For each row and slot its cell.
    cells: Vec<u32>,
    /// Whether cells of numbers are bins.
    binned: bool,
}

/// What a leaf's examples have in each cell.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// What pulls at them.
    pub pulls: Vec<f64>,
    /// How many they are.
    pub counts: Vec<u32>,
}

impl Columns {
    /// The cells of some examples. Numbers are put into at most so many bins; if that is 0, each has its own cell.
    pub fn new(examples: &Examples<'_>, some: &[u32], bins: usize) -> Self {
        let fields = examples.fields;
        let kinds = fields.iter().map(Field::kind).collect();
        let slots = fields.iter().scan(0, |end, field| {
            *end += field.width();
            Some(*end)
        });
        let slots: Vec<usize> = std::iter::once(0).chain(slots).collect();
        let width = slots[fields.len()];
        let mut made = Self {
            kinds,
            slots,
            begins: vec![0],
            values: Vec::new(),
            cells: vec![NONE; some.len() * width],
            binned: bins > 0,
        };
        let stride = super::examples::slots(fields);
        let mut places: Vec<u32> = Vec::new();
        let mut known = Known::with_room(some.len() * fields.iter().map(Field::width).max().unwrap_or(0));
        for (at, field) in fields.iter().enumerate() {
            let own = |row: usize| {
                let begin = some[row] as usize * stride + field.first();
                &examples.rows[begin..begin + field.width()]
            };
            let first = made.values.len() as u32;
            match field.kind() {
                FieldKind::Symbols => {
                    known.forget();
                    for row in 0..some.len() {
                        let symbols = own(row);
                        for (slot, &symbol) in symbols.iter().enumerate() {
                            if symbol != 0 && !symbols[..slot].contains(&symbol) {
                                let cell = known.place(symbol, &mut made.values);
                                made.cells[row * width + made.slots[at] + slot] = cell;
                            }
                        }
                    }
                }
                FieldKind::Number if bins == 0 => {
                    known.forget();
                    for row in 0..some.len() {
                        let number = ordered(key(f32::from_bits(own(row)[0])));
                        made.cells[row * width + made.slots[at]] = known.place(number, &mut made.values);
                    }
                    let seen = &mut made.values[first as usize..];
                    let mut rank: Vec<(u32, u32)> = seen.iter().copied().zip(first..).collect();
                    rank.sort_unstable();
                    places.resize(rank.len(), 0);
                    for ((&(number, cell), value), place) in rank.iter().zip(seen).zip(first..) {
                        places[(cell - first) as usize] = place;
                        *value = unordered(number);
                    }
                    for row in 0..some.len() {
                        let cell = &mut made.cells[row * width + made.slots[at]];
                        *cell = places[(*cell - first) as usize];
                    }
                }
                FieldKind::Number => {
                    let keys: Vec<f32> = (0..some.len()).map(|row| key(f32::from_bits(own(row)[0]))).collect();
                    let mut sorted = keys.clone();
                    sorted.sort_unstable_by(f32::total_cmp);
                    let mut values = sorted.clone();
                    values.dedup();
                    let cuts = cuts(&sorted, &values, bins);
                    for (row, key) in keys.iter().enumerate() {
                        made.cells[row * width + made.slots[at]] = first + cuts.partition_point(|cut| key > cut) as u32;
                    }
                    // After the last bin there is no threshold.
                    made.values.extend(cuts.iter().copied().chain([f32::INFINITY]).map(f32::to_bits));
                }
            }
            made.begins.push(made.values.len());
        }
        made
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// How many slots a row has.
    pub fn width(&self) -> usize {
        self.slots[self.kinds.len()]
    }

    /// How many fields there are.
    pub fn fields(&self) -> usize {
        self.kinds.len()
    }

    /// Whether cells of numbers are bins.
    pub fn is_binned(&self) -> bool {
        self.binned
    }

    /// The kind of a field and its cells.
    pub fn field(&self, at: usize) -> (FieldKind, std::ops::Range<usize>) {
        (self.kinds[at], self.begins[at]..self.begins[at + 1])
    }

    /// The value of a test that tells a cell and all before it from the one after: the cell's symbol, or a threshold.
    pub fn test(&self, field: usize, cell: usize, after: usize) -> u32 {
        let value = |cell: usize| f32::from_bits(self.values[cell]);
        match self.kinds[field] {
            FieldKind::Number if !self.binned => between(value(cell), value(after)).to_bits(),
            _ => self.values[cell],
        }
    }

    /// The cells of a row.
    pub fn row(&self, row: u32) -> &[u32] {
        &self.cells[row as usize * self.width()..(row as usize + 1) * self.width()]
    }

    /// Whether a row has a symbol's cell, or one after that of a number.
    pub fn passes(&self, row: u32, field: usize, cell: u32) -> bool {
        let own = &self.row(row)[self.slots[field]..self.slots[field + 1]];
        match self.kinds[field] {
            FieldKind::Symbols => own.contains(&cell),
            FieldKind::Number => own[0] > cell,
        }
    }

    /// The same for some rows, which are numbered anew, with the cells that they have; and their sums.
    pub fn narrowed(&self, rows: impl ExactSizeIterator<Item = u32>, sums: &Sums) -> (Self, Sums) {
        let mut places = vec![NONE; self.len()];
        let (mut begins, mut values, mut narrow) = (vec![0], Vec::new(), Sums::default());
        for at in 0..self.fields() {
            let (_, own) = self.field(at);
            for cell in own.filter(|&cell| sums.counts[cell] > 0) {
                places[cell] = values.len() as u32;
                values.push(self.values[cell]);
                narrow.pulls.push(sums.pulls[cell]);
                narrow.counts.push(sums.counts[cell]);
            }
            begins.push(values.len());
        }
        let mut cells = Vec::with_capacity(rows.len() * self.width());
        for row in rows {
            cells.extend(self.row(row).iter().map(|&cell| places.get(cell as usize).copied().unwrap_or(NONE)));
        }
        let (kinds, slots) = (self.kinds.clone(), self.slots.clone());
        (Self { kinds, slots, begins, values, cells, binned: self.binned }, narrow)
    }
}

impl Sums {
    /// No examples.
    pub fn clear(&mut self, cells: usize) {
        self.pulls.clear();
        self.pulls.resize(cells, 0.0);
        self.counts.clear();
        self.counts.resize(cells, 0);
    }

    /// Adds an example with these cells.
    #[inline]
    pub fn add(&mut self, row: &[u32], pull: f64) {
        for &cell in row.iter().filter(|&&cell| cell != NONE) {
            self.pulls[cell as usize] += pull;
            self.counts[cell as usize] += 1;
        }
    }

    /// Takes one away that was added.
    #[inline]
    pub fn remove(&mut self, row: &[u32], pull: f64) {
        for &cell in row.iter().filter(|&&cell| cell != NONE) {
            self.pulls[cell as usize] -= pull;
            self.counts[cell as usize] -= 1;
        }
    }
}

/// The cells that values of a field have by now. Sorting them instead took a fifth of training.
struct Known {
    /// Value and field, and its cell; no field has the number 0.
    places: Vec<(u64, u32)>,
    field: u64,
    shift: u32,
}

impl Known {
    /// For at most so many values of a field.
    fn with_room(values: usize) -> Self {
        let room = (2 * values).next_power_of_two().max(2);
        Self { places: vec![(0, NONE); room], field: 0, shift: 64 - room.trailing_zeros() }
    }

    /// Begins another field.
    fn forget(&mut self) {
        self.field += 1 << 32;
    }

    /// The cell of a value; a new one gets the next.
    #[inline]
    fn place(&mut self, value: u32, values: &mut Vec<u32>) -> u32 {
        let name = self.field | u64::from(value);
        let mut at = (u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        loop {
            let (taken, cell) = self.places[at];
            if taken == name {
                return cell;
            }
            // What an earlier field put there is in nobody's way.
            if taken < self.field {
                let cell = values.len() as u32;
                values.push(value);
                self.places[at] = (name, cell);
                return cell;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }
}

/// The bits of a number, such that they are in its order.
fn ordered(number: f32) -> u32 {
    let bits = number.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The bits of the number of such bits.
fn unordered(bits: u32) -> u32 {
    if bits >> 31 == 0 { !bits } else { bits & !(1 << 31) }
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
