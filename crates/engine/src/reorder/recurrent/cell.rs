//! One step of the recurrent state.

use super::numbers::{add_product, dot, sigmoid, tanh};
use super::shape::Cell;

/// Moves a state on: `input` is what the emitted word tells it, already through Θ1, and is used up.
///
/// Gates are named here as by Cho et al. (2014): update z keeps the old state, reset r acts on it within the candidate.
/// Eq. 4.10 of Miceli Barone (2015) has the names the other way round. Rows of the matrix: z, r, candidate.
pub fn step(cell: Cell, matrix: &[f32], input: &mut [f32], state: &[f32], next: &mut [f32]) {
    let units = state.len();
    if cell == Cell::Simple {
        add_product(input, matrix, state);
        for (next, &x) in next.iter_mut().zip(&*input) {
            *next = tanh(x);
        }
        return;
    }
    let (gates, candidate) = input.split_at_mut(2 * units);
    let (gate_matrix, matrix) = matrix.split_at(2 * units * units);
    add_product(gates, gate_matrix, state);
    gates.iter_mut().for_each(|x| *x = sigmoid(*x));
    let (update, reset) = gates.split_at_mut(units);
    if cell == Cell::Gated {
        reset.iter_mut().zip(state).for_each(|(r, &v)| *r *= v);
        add_product(candidate, matrix, reset);
    } else {
        for ((x, row), &r) in candidate.iter_mut().zip(matrix.chunks_exact(units)).zip(&*reset) {
            *x += r * dot(row, state);
        }
    }
    for (((next, &z), &x), &old) in next.iter_mut().zip(&*update).zip(&*candidate).zip(state) {
        *next = z * old + (1.0 - z) * tanh(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_gated_unit() {
        let matrix = [0.1, 0.2, -0.3, 0.4, 0.5, -0.1, 0.2, 0.3, 0.6, -0.2, 0.1, 0.7];
        for (cell, wanted) in [(Cell::Gated, [0.433_040, -0.567_119]), (Cell::GatedAfter, [0.433_319, -0.567_214])] {
            let mut input = [0.2, -0.1, 0.0, 0.3, 0.5, -0.4];
            let mut next = [0.0; 2];
            step(cell, &matrix, &mut input, &[0.3, -0.6], &mut next);
            for (x, wanted) in next.into_iter().zip(wanted) {
                assert!((x - wanted).abs() < 1e-6, "{x} {wanted}");
            }
        }
    }
}
