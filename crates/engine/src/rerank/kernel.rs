//! The inner loop of reservoirs: rows of states times a stack of matrices, and tanh.

/// Columns that are summed at once; two rows of them fit into the registers of any x86-64 or ARM machine.
pub const LANES: usize = 16;

/// Numbers that a row of `size` takes when it is filled up to whole blocks.
pub fn padded(size: usize) -> usize {
    size.div_ceil(LANES) * LANES
}

/// Matrices side by side, laid out so that the inner loop reads them in one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    // By block of columns, then by input, LANES outputs.
    values: Vec<f32>,
    inputs: usize,
}

impl Stack {
    /// From square matrices: row i of a matrix gives output i.
    pub fn new(matrices: &[&[f64]], size: usize) -> Self {
        let inputs = matrices.len() * size;
        let mut values = vec![0.0; inputs * padded(size)];
        for (number, matrix) in matrices.iter().enumerate() {
            for (output, row) in matrix.chunks_exact(size).enumerate() {
                for (input, &value) in row.iter().enumerate() {
                    let input = number * size + input;
                    values[((output / LANES) * inputs + input) * LANES + output % LANES] = value as f32;
                }
            }
        }
        Self { values, inputs }
    }

    /// Inputs of a row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// One synchronous step: each row becomes tanh(drive + stack · gathered). Gives the largest change.
    ///
    /// Only products and sums of single numbers, in one order whatever the machine's vectors: the same bits everywhere.
    pub fn step(&self, arch: pulp::Arch, gathered: &[f32], drive: &[f32], states: &mut [f32], width: usize) -> f32 {
        arch.dispatch(Step { stack: self, gathered, drive, states, width })
    }

    // Inlined into code that is compiled for the widest vectors the machine has.
    #[inline(always)]
    fn plain_step(&self, gathered: &[f32], drive: &[f32], states: &mut [f32], width: usize) -> f32 {
        let mut change = [0f32; LANES];
        let pairs = gathered.chunks(2 * self.inputs).zip(drive.chunks(2 * width)).zip(states.chunks_mut(2 * width));
        for ((gathered, drive), states) in pairs {
            let (first, second) = gathered.split_at(self.inputs);
            // The last row of an odd number goes with itself.
            let second = if second.is_empty() { first } else { second };
            for (block, matrix) in self.values.chunks_exact(self.inputs * LANES).enumerate() {
                let mut sums = [[0f32; LANES]; 2];
                for ((row, &one), &other) in matrix.as_chunks::<LANES>().0.iter().zip(first).zip(second) {
                    for lane in 0..LANES {
                        sums[0][lane] += one * row[lane];
                        sums[1][lane] += other * row[lane];
                    }
                }
                let rows = states.chunks_exact_mut(width).zip(drive.chunks_exact(width));
                for ((states, drive), sums) in rows.zip(&sums) {
                    let at = block * LANES;
                    for lane in 0..LANES {
                        let value = tanh(drive[at + lane] + sums[lane]);
                        let moved = (value - states[at + lane]).abs();
                        change[lane] = if moved > change[lane] { moved } else { change[lane] };
                        states[at + lane] = value;
                    }
                }
            }
        }
        change.into_iter().fold(0.0, f32::max)
    }
}

struct Step<'a> {
    stack: &'a Stack,
    gathered: &'a [f32],
    drive: &'a [f32],
    states: &'a mut [f32],
    width: usize,
}

impl pulp::WithSimd for Step<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f32 {
        self.stack.plain_step(self.gathered, self.drive, self.states, self.width)
    }
}

/// tanh to about two units in the last place, without branches: Lambert's continued fraction of the half, doubled.
#[inline(always)]
pub fn tanh(value: f32) -> f32 {
    let half = value.clamp(-9.0, 9.0) * 0.5;
    let square = half * half;
    let over = 34_459_425.0 + square * (4_729_725.0 + square * (135_135.0 + square * (990.0 + square)));
    let under = 34_459_425.0 + square * (16_216_200.0 + square * (945_945.0 + square * (13_860.0 + square * 45.0)));
    let part = half * over / under;
    (part + part) / (1.0 + part * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_right() {
        for at in -120_000..=120_000 {
            let value = at as f32 / 10_000.0;
            let expected = f64::from(value).tanh();
            let error = (f64::from(tanh(value)) - expected).abs();
            assert!(error <= 4e-7 * expected.abs() + 1e-12, "{value}: {error}");
        }
        assert!(tanh(0.0) == 0.0 && tanh(1e30) <= 1.0 && tanh(-1e30) >= -1.0);
    }

    #[test]
    fn a_step_is_a_product_and_a_tanh() {
        let (left, right) = ([1.0, 2.0, 3.0, 4.0], [0.5, 0.0, 0.0, 0.5]);
        let stack = Stack::new(&[&left, &right], 2);
        let gathered = [0.1, 0.2, 0.4, 0.6, 0.0, 0.1, 0.0, 0.0, 0.3, 0.0, 0.0, 0.2];
        let width = padded(2);
        let (drive, mut states) = (vec![0.0; 3 * width], vec![0.0; 3 * width]);
        let change = stack.step(pulp::Arch::new(), &gathered, &drive, &mut states, width);
        let expected: [[f32; 2]; 3] = [[0.7, 1.4], [0.2, 0.4], [0.3, 1.0]];
        for (row, expected) in states.chunks(width).zip(expected) {
            assert!(row.iter().zip(expected).all(|(value, expected)| (value - expected.tanh()).abs() < 1e-6));
        }
        assert!((change - 1.4f32.tanh()).abs() < 1e-6);
    }
}
