//! Short lists of numbers that stand for the many values of a column.
//!
//! A column with few different values is stored as their numbers in a list, which loses nothing: of exact columns up to
//! [`MOST_VALUES`], as many as a table has that several were joined in. One with more is stored as it is or, if that is
//! allowed, with each value replaced by one of a list of [`MOST_CODES`] that was fitted to it
//! (as Federico & Bertoldi 2006, *How many bits are needed to store probabilities for phrase-based translation?*, do).

use hashbrown::HashSet;

/// The longest list that values are fitted to: its numbers are bytes.
pub const MOST_CODES: usize = 256;
/// The longest list of all values that a column has.
pub const MOST_VALUES: usize = 1 << 14;
/// Values that agree in sign, exponent and the first nine bits of the fraction are taken for one.
const DROPPED_BITS: u32 = 14;
const BUCKETS: usize = 1 << (32 - DROPPED_BITS);
/// Lists of this size hardly change after so many rounds.
const ROUNDS: usize = 60;

/// What a list may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing.
    None,
    /// Little in differences, as logarithms may.
    Absolute,
    /// Little in quotients, as counts may; of numbers that are not negative.
    Relative,
}

/// What is known of the values of a column.
pub struct Survey {
    loss: Loss,
    /// The different values, as bits, while they are few.
    different: Option<HashSet<u32>>,
    last: u32,
    /// How many values there are in each bucket, and their sum; empty if nothing may be lost.
    buckets: Vec<(u64, f64)>,
}

impl Survey {
    /// Nothing yet.
    pub fn new(loss: Loss) -> Self {
        let buckets = if loss == Loss::None { Vec::new() } else { vec![(0, 0.0); BUCKETS] };
        Self { loss, different: Some(HashSet::new()), last: 0, buckets }
    }

    /// One more value.
    #[inline]
    pub fn add(&mut self, value: f32) {
        let bits = value.to_bits();
        if let Some((count, sum)) = self.buckets.get_mut((bits >> DROPPED_BITS) as usize) {
            *count += 1;
            *sum += f64::from(value);
        }
        if let Some(different) = &mut self.different
            && (bits != self.last || different.is_empty())
        {
            self.last = bits;
            different.insert(bits);
            if different.len() > if self.loss == Loss::None { MOST_VALUES } else { MOST_CODES } {
                self.different = None;
            }
        }
    }

    /// How to write the column.
    pub fn coder(self) -> Coder {
        match self.different {
            Some(different) => {
                let mut list: Vec<f32> = different.into_iter().map(f32::from_bits).collect();
                list.sort_by(f32::total_cmp);
                Coder { list, codes: Vec::new() }
            }
            None if self.buckets.is_empty() => Coder { list: Vec::new(), codes: Vec::new() },
            None => fitted(&self.buckets, self.loss == Loss::Relative),
        }
    }
}

/// Turns the values of a column into numbers of a list.
pub struct Coder {
    /// The list, in order; empty if values are written as they are.
    pub list: Vec<f32>,
    /// For each bucket the number of its values, if the list does not have all values.
    codes: Vec<u8>,
}

impl Coder {
    /// Bits for each value.
    pub fn width(&self) -> u32 {
        width(self.list.len())
    }

    /// What is written for a value.
    #[inline]
    pub fn code(&self, value: f32) -> u32 {
        if self.list.is_empty() {
            value.to_bits()
        } else if self.codes.is_empty() {
            self.list.binary_search_by(|known| known.total_cmp(&value)).unwrap_or(0) as u32
        } else {
            u32::from(self.codes[(value.to_bits() >> DROPPED_BITS) as usize])
        }
    }
}

/// Bits of numbers in a list of this length; without a list values are whole.
pub fn width(list: usize) -> u32 {
    if list == 0 { 32 } else { usize::BITS - (list - 1).leading_zeros() }
}

/// A list fitted to values by Lloyd's method (1982, *Least squares quantization in PCM*).
///
/// Values count by the root of their number: nearly all rules were seen once, but those seen often, whose values are
/// rare, are the ones that translations are made of.
fn fitted(buckets: &[(u64, f64)], relative: bool) -> Coder {
    // Zeros, if there are any, are far below the rest.
    let scale = |value: f64| if relative { value.max(1e-9).ln() } else { value };
    let mut points: Vec<(f64, f64, u32)> = (0..)
        .zip(buckets)
        .filter(|(_, (count, _))| *count > 0)
        .map(|(at, &(count, sum))| (scale(sum / count as f64), (count as f64).sqrt(), at))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
    let mut list = spread(&points);
    for _ in 0..ROUNDS {
        let mut sums = vec![(0.0_f64, 0.0_f64); list.len()];
        each_nearest(&points, &list, |code, (value, weight, _)| {
            sums[code].0 += value * weight;
            sums[code].1 += weight;
        });
        for (centre, (sum, weight)) in list.iter_mut().zip(sums) {
            if weight > 0.0 {
                *centre = sum / weight;
            }
        }
    }
    // Rounded once, and the numbers found for what is stored.
    let mut list: Vec<f32> = list.into_iter().map(|value| if relative { value.exp() } else { value } as f32).collect();
    list.dedup_by(|a, b| a.to_bits() == b.to_bits());
    let centres: Vec<f64> = list.iter().map(|&value| scale(f64::from(value))).collect();
    let mut codes = vec![0_u8; buckets.len()];
    each_nearest(&points, &centres, |code, (_, _, bucket)| codes[bucket as usize] = code as u8);
    Coder { list, codes }
}

/// As many points as a list has, the ends among them: at equal steps of weight and distance, each counting half, so that
/// no value is far from the list however few there are of it.
fn spread(points: &[(f64, f64, u32)]) -> Vec<f64> {
    let total: f64 = points.iter().map(|point| point.1).sum();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let range = (last.0 - first.0).max(f64::MIN_POSITIVE);
    let mut list: Vec<f64> = Vec::with_capacity(MOST_CODES);
    let mut before = 0.0;
    for &(value, weight, _) in points {
        let passed = (before / total + (value - first.0) / range) / 2.0;
        let wanted = (passed * (MOST_CODES - 1) as f64).ceil() as usize;
        if list.len() <= wanted && list.len() < MOST_CODES - 1 && list.last() != Some(&value) {
            list.push(value);
        }
        before += weight;
    }
    if list.last() != Some(&last.0) {
        list.push(last.0);
    }
    list
}

/// Gives each point with the number of the list's nearest value; both are in order.
fn each_nearest(points: &[(f64, f64, u32)], list: &[f64], mut each: impl FnMut(usize, (f64, f64, u32))) {
    let mut code = 0;
    for &point in points {
        while code + 1 < list.len() && (list[code + 1] - point.0).abs() <= (list[code] - point.0).abs() {
            code += 1;
        }
        each(code, point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coder(values: &[f32], loss: Loss) -> Coder {
        let mut survey = Survey::new(loss);
        values.iter().for_each(|&value| survey.add(value));
        survey.coder()
    }

    proptest! {
        #[test]
        fn few_values_and_exact_columns_lose_nothing(few in prop::collection::vec(any::<f32>(), 1..400), exact: bool, long: bool) {
            // Now and then more values than any list may have.
            let more = (0..MOST_VALUES as u32 + 1).map(f32::from_bits);
            let values: Vec<f32> = if exact && long { few.into_iter().chain(more).collect() } else { few };
            let values = if exact { &values[..] } else { &values[..values.len().min(MOST_CODES)] };
            let coder = coder(values, if exact { Loss::None } else { Loss::Absolute });
            for &value in values {
                let code = coder.code(value);
                let read = if coder.list.is_empty() { f32::from_bits(code) } else { coder.list[code as usize] };
                prop_assert_eq!(read.to_bits(), value.to_bits());
                prop_assert!(u64::from(code) < 1 << coder.width());
            }
        }

        #[test]
        fn a_fitted_list_is_close_and_its_nearest_value_is_taken(values in prop::collection::vec(-13.9_f32..0.0, 600..2000)) {
            let coder = coder(&values, Loss::Absolute);
            prop_assert!((2..=MOST_CODES).contains(&coder.list.len()) && coder.list.is_sorted());
            for &value in &values {
                let read = coder.list[coder.code(value) as usize];
                // Buckets are this wide, and a bucket has one number.
                let slack = value.abs() / 256.0;
                let nearest = coder.list.iter().map(|known| (known - value).abs()).fold(f32::MAX, f32::min);
                prop_assert!((read - value).abs() <= nearest + slack);
                prop_assert!((read - value).abs() < 0.2);
            }
        }
    }

    #[test]
    fn counts_keep_small_numbers_and_lose_little_of_large_ones() {
        let values: Vec<f32> = (1..3000).flat_map(|count| vec![count as f32; 1 + 3000 / count]).collect();
        let coder = coder(&values, Loss::Relative);
        for value in values {
            let read = coder.list[coder.code(value) as usize];
            let wrong = (read - value).abs() / value.max(1e-6);
            assert!(if value <= 20.0 { wrong < 1e-3 } else { wrong < 0.04 }, "{value} {read}");
        }
    }

    #[test]
    fn a_column_of_one_value_takes_no_room() {
        assert_eq!(coder(&[0.5; 9], Loss::None).width(), 0);
        assert_eq!(coder(&[0.5, 1.0], Loss::None).width(), 1);
        assert_eq!([1, 2, 3, 255, 256, 0].map(width), [0, 1, 2, 8, 8, 32]);
    }
}
