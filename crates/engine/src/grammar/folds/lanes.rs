#![allow(clippy::inline_always)] // What is compiled for a processor must be one function.
//! Numbers in lanes, one for each voice and one for the whole text.

/// Lanes come in steps of this many, so that loops over them have no rest.
const STEP: usize = 8;

/// How many numbers there are for so many voices and the whole.
pub fn stride(voices: usize) -> usize {
    (voices + 1).next_multiple_of(STEP)
}

/// The natural logarithm of a positive normal number, to a few units in the last place (Moshier's Cephes, `logf`): without
/// branches, so that many are found at a time.
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub fn ln(value: f32) -> f32 {
    const ROOT_OF_HALF: u32 = 0x3f35_04f3;
    const COEFFICIENTS: [f32; 8] = [
        -1.151_461_031_0e-1,
        1.167_699_874_0e-1,
        -1.242_014_084_6e-1,
        1.424_932_278_7e-1,
        -1.666_805_766_5e-1,
        2.000_071_476_5e-1,
        -2.499_999_399_3e-1,
        3.333_333_117_4e-1,
    ];
    let bits = value.to_bits();
    let exponent = bits.wrapping_sub(ROOT_OF_HALF) as i32 >> 23;
    let part = f32::from_bits(bits.wrapping_sub((exponent << 23) as u32)) - 1.0;
    let exponent = exponent as f32;
    let square = part * part;
    let sum = COEFFICIENTS.iter().fold(7.037_683_629_2e-2, |sum, coefficient| sum * part + coefficient);
    let small = sum * part * square - exponent * 2.121_944_40e-4 - 0.5 * square;
    part + small + exponent * 0.693_359_375
}

/// Replaces probabilities by their logarithms, which are between that of the floor and 0.
pub struct Logs<'a> {
    pub values: &'a mut [f32],
    /// The logarithm of the lowest probability.
    pub floor: f32,
}

impl pulp::WithSimd for Logs<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for value in self.values {
            let most = if *value < 1.0 { *value } else { 1.0 };
            let log = ln(most);
            *value = if most < f32::MIN_POSITIVE || log < self.floor { self.floor } else { log };
        }
    }
}

/// Finds how far each lane of logarithms or of counts is from the whole at most: by difference, or by share.
pub struct Far<'a> {
    pub far: &'a mut [f32],
    /// Rows of logarithms.
    pub features: &'a [f32],
    pub counts: &'a [Vec<f32>; 3],
    /// The lane of the whole.
    pub whole: usize,
}

impl pulp::WithSimd for Far<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let mut take = |lanes: &[f32], scale: f32| {
            let general = lanes[self.whole];
            for (far, lane) in self.far.iter_mut().zip(lanes) {
                *far = far.max((lane - general).abs() * scale);
            }
        };
        for lanes in self.features.chunks_exact(self.counts[0].len()) {
            take(lanes, 1.0);
        }
        for lanes in self.counts {
            take(lanes, 1.0 / lanes[self.whole]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithms_are_those_of_the_library(value in f32::MIN_POSITIVE..=1.0, exponent in 0..126_i32) {
            for value in [value, value.max(0.5) * 2.0_f32.powi(-exponent)] {
                let wanted = f64::from(value).ln();
                prop_assert!((f64::from(ln(value)) - wanted).abs() <= 2e-7 * wanted.abs().max(0.5), "{value} {}", ln(value));
            }
        }
    }

    #[test]
    fn logarithms_end_at_the_floor_and_at_nothing() {
        let mut values = [1.0, 0.5, 1e-7, 0.0, 1e-42, 1.5];
        pulp::Arch::new().dispatch(Logs { values: &mut values, floor: -13.5 });
        assert_eq!(values[0].to_bits(), 0);
        assert!((values[1] + 2.0_f32.ln()).abs() < 1e-7);
        assert_eq!(values[2..], [-13.5, -13.5, -13.5, 0.0]);
    }
}
