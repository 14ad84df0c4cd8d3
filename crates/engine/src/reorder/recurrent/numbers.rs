//! Small loops over rows of numbers, written so that the compiler can do many at once.

/// Adds `row` to `sum`.
pub fn add(sum: &mut [f32], row: &[f32]) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

/// Adds `times` · `row` to `sum`.
pub fn add_times(sum: &mut [f32], times: f32, row: &[f32]) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum += times * x;
    }
}

/// The inner product, in eight partial sums.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in left.by_ref().zip(right.by_ref()) {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(&x, &y)| x * y).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// Adds matrix · vector to `sum`; the matrix is given row by row.
pub fn add_product(sum: &mut [f32], matrix: &[f32], vector: &[f32]) {
    for (sum, row) in sum.iter_mut().zip(matrix.chunks_exact(vector.len())) {
        *sum += dot(row, vector);
    }
}

/// The hyperbolic tangent by 1 − 2 / (e^2x + 1), with e^y as 2^n times a polynomial, all without branches; it is off by
/// less than 3e-7.
#[must_use]
pub fn tanh(x: f32) -> f32 {
    // Beyond 10 the result is 1 to the last bit.
    let power = x.clamp(-10.0, 10.0) * (2.0 * std::f32::consts::LOG2_E);
    // Adding and taking away 1.5 · 2^23 rounds to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    let whole = (power + ROUND) - ROUND;
    let part = (power - whole) * std::f32::consts::LN_2;
    // Taylor's series of e^part for |part| < 0.35.
    let series = 1.0 / 720.0 + part * (1.0 / 5040.0);
    let series = 1.0 / 24.0 + part * (1.0 / 120.0 + part * series);
    let series = 1.0 + part * (1.0 + part * (0.5 + part * (1.0 / 6.0 + part * series)));
    let scale = f32::from_bits(((whole as i32 + 127) as u32) << 23);
    1.0 - 2.0 / (series * scale + 1.0)
}

/// The logistic function.
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    0.5 + 0.5 * tanh(0.5 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_are_near() {
        for step in -200_000..=200_000 {
            let x = step as f32 * 1e-4;
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 3e-7, "{x}");
        }
        assert_eq!((tanh(f32::INFINITY), tanh(f32::NEG_INFINITY), tanh(0.0)), (1.0, -1.0, 0.0));
        assert!(tanh(f32::NAN).is_nan());
    }

    #[test]
    fn products() {
        let a: Vec<f32> = (0..19).map(|x| x as f32).collect();
        assert_eq!(dot(&a, &a), 2109.0);
        let mut sum = [1.0, 2.0];
        add_product(&mut sum, &[1.0, 2.0, 3.0, 4.0], &[10.0, 1.0]);
        assert_eq!(sum, [13.0, 36.0]);
    }
}
