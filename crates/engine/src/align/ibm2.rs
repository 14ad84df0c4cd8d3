//! IBM Model 2 (Brown et al. 1993, section 4.4): a free table D(i | j, ℓ, m) for every cell.

use super::bitext::Shape;
use super::grids::columns;

/// The maximum-likelihood table: counts normalised over i, NULL included; a column without counts stays as it is.
pub fn fit(shape: Shape, counts: &[f64], probabilities: &mut [f32]) {
    for (_, column) in columns(shape) {
        let total: f64 = counts[column.null] + column.indices().map(|at| counts[at]).sum::<f64>();
        if total > 0.0 {
            probabilities[column.null] = (counts[column.null] / total) as f32;
            for at in column.indices() {
                probabilities[at] = (counts[at] / total) as f32;
            }
        }
    }
}
