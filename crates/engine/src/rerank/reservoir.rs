//! Random matrices of a given size: what a reservoir is made of.

use crate::random::Random;
use crate::{Error, Result};

/// What is meant by the size of a recurrent matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The largest singular value; it bounds how far a step can carry two states apart.
    Spectral,
    /// The root of the sum of squares, never below the spectral norm.
    Frobenius,
    /// The largest absolute eigenvalue, never above the spectral norm: livelier, but no bound.
    Radius,
}

impl Norm {
    /// From its name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "spectral" => Ok(Self::Spectral),
            "frobenius" => Ok(Self::Frobenius),
            "radius" => Ok(Self::Radius),
            _ => Err(Error::settings(format!("unknown norm {name:?}")).hint("use spectral, frobenius or radius")),
        }
    }

    /// The size of a square matrix.
    pub fn of(self, matrix: &[f64], size: usize) -> f64 {
        match self {
            Self::Spectral => {
                let mut gram = vec![0.0; size * size];
                for row in matrix.chunks_exact(size) {
                    for (at, &left) in row.iter().enumerate() {
                        for (sum, &right) in gram[at * size..].iter_mut().zip(row) {
                            *sum += left * right;
                        }
                    }
                }
                radius(gram, size).sqrt()
            }
            Self::Frobenius => frobenius(matrix),
            Self::Radius => radius(matrix.to_vec(), size),
        }
    }
}

/// A matrix with numbers uniform in [-bound, bound], each kept with the probability `density`, else 0. The `stream` tells
/// apart the matrices of one seed.
pub fn draw(rows: usize, columns: usize, bound: f64, density: f64, seed: u64, stream: u64) -> Vec<f64> {
    let mut random = Random::new([seed, 0x6765_736e, stream]);
    (0..rows * columns)
        .map(|_| {
            let (value, kept) = (random.uniform_f64() * 2.0 - 1.0, random.uniform_f64() < density);
            if kept { value * bound } else { 0.0 }
        })
        .collect()
}

/// Scales a square matrix to a size; a matrix of size 0 stays as it is.
pub fn scale(matrix: &mut [f64], size: usize, norm: Norm, wanted: f64) {
    let now = norm.of(matrix, size);
    if now > 0.0 {
        matrix.iter_mut().for_each(|value| *value *= wanted / now);
    }
}

fn frobenius(matrix: &[f64]) -> f64 {
    matrix.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The spectral radius as the limit of |W^k|^(1/k) (Gelfand 1941), with k doubling: also right for complex eigenvalues.
fn radius(mut power: Vec<f64>, size: usize) -> f64 {
    let (mut logarithm, mut exponent) = (0.0, 1.0);
    for _ in 0..DOUBLINGS {
        let norm = frobenius(&power);
        if norm == 0.0 {
            return 0.0;
        }
        power.iter_mut().for_each(|value| *value /= norm);
        logarithm += norm.ln() / exponent;
        exponent *= 2.0;
        let mut square = vec![0.0; size * size];
        for (row, sums) in power.chunks_exact(size).zip(square.chunks_exact_mut(size)) {
            for (&left, line) in row.iter().zip(power.chunks_exact(size)) {
                for (sum, &right) in sums.iter_mut().zip(line) {
                    *sum += left * right;
                }
            }
        }
        power = square;
    }
    logarithm.exp()
}

/// The factor that is left out is at most |W|^(2^-DOUBLINGS).
const DOUBLINGS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_known_matrices() {
        let shear = [1.0, 1.0, 0.0, 1.0];
        let golden = f64::midpoint(1.0, 5f64.sqrt());
        assert!((Norm::Spectral.of(&shear, 2) - golden).abs() < 1e-9);
        assert!((Norm::Frobenius.of(&shear, 2) - 3f64.sqrt()).abs() < 1e-12);
        assert!((Norm::Radius.of(&shear, 2) - 1.0).abs() < 1e-6);
        let turn = [0.0, -2.0, 2.0, 0.0]; // eigenvalues 2i and -2i
        assert!((Norm::Radius.of(&turn, 2) - 2.0).abs() < 1e-9);
        assert!(Norm::Radius.of(&[0.0, 1.0, 0.0, 0.0], 2).abs() < f64::EPSILON);
    }

    #[test]
    fn drawn_matrices_have_the_size_asked_for() {
        for norm in [Norm::Spectral, Norm::Frobenius, Norm::Radius] {
            let mut matrix = draw(30, 30, 1.0, 0.3, 7, 0);
            scale(&mut matrix, 30, norm, 0.495);
            assert!((norm.of(&matrix, 30) - 0.495).abs() < 1e-9);
            assert!(matrix.iter().filter(|&&value| value == 0.0).count() > 500);
        }
        assert_ne!(draw(3, 3, 1.0, 1.0, 7, 0), draw(3, 3, 1.0, 1.0, 7, 1));
    }
}
