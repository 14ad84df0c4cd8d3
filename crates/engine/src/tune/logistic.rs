//! Logistic regression with an L2 penalty, by limited-memory BFGS (Liu and Nocedal 1989).

/// Examples that should all be positive, as sparse rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Where each row ends.
    pub ends: Vec<usize>,
    /// Places and values.
    pub cells: Vec<(u32, f64)>,
    /// What each row's score has before any weight.
    pub offsets: Vec<f64>,
}

impl Rows {
    fn row(&self, at: usize) -> &[(u32, f64)] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[begin..self.ends[at]]
    }

    /// Adds an example.
    pub fn push(&mut self, cells: impl IntoIterator<Item = (u32, f64)>, offset: f64) {
        self.cells.extend(cells);
        self.ends.push(self.cells.len());
        self.offsets.push(offset);
    }

    /// The penalised loss: the sum of ln(1 + exp(-score)), and half the penalty times the weights' squares.
    pub fn loss(&self, weights: &[f64], penalty: f64, gradient: &mut [f64]) -> f64 {
        let mut loss = 0.0;
        for (slope, weight) in gradient.iter_mut().zip(weights) {
            *slope = penalty * weight;
            loss += 0.5 * penalty * weight * weight;
        }
        for (at, offset) in self.offsets.iter().enumerate() {
            let row = self.row(at);
            let score = row.iter().fold(*offset, |sum, &(place, value)| sum + weights[place as usize] * value);
            let small = (-score.abs()).exp();
            loss += small.ln_1p() + (-score).max(0.0);
            let wrong = if score > 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
            for &(place, value) in row {
                gradient[place as usize] -= wrong * value;
            }
        }
        loss
    }

    /// The weights with the least loss, found from a start in at most so many iterations.
    pub fn fit(&self, start: &[f64], penalty: f64, iterations: usize) -> Vec<f64> {
        let mut weights = start.to_vec();
        let mut gradient = vec![0.0; weights.len()];
        let mut loss = self.loss(&weights, penalty, &mut gradient);
        let mut memory: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
        let mut next_gradient = gradient.clone();
        for _ in 0..iterations {
            let size = dot(&gradient, &gradient).sqrt();
            if size <= TOLERANCE * dot(&weights, &weights).sqrt().max(1.0) {
                break;
            }
            let mut direction = quasi_newton(&gradient, &memory);
            let mut slope = dot(&direction, &gradient);
            if slope >= 0.0 {
                memory.clear();
                direction = gradient.iter().map(|value| -value).collect();
                slope = -size * size;
            }
            let mut step = if memory.is_empty() { 1.0 / size.max(1.0) } else { 1.0 };
            let found = (0..50).find_map(|_| {
                let there: Vec<f64> = weights.iter().zip(&direction).map(|(at, along)| at + step * along).collect();
                let next = self.loss(&there, penalty, &mut next_gradient);
                if next <= loss + 1e-4 * step * slope {
                    return Some((there, next));
                }
                step *= 0.5;
                None
            });
            let Some((there, next)) = found else { break };
            let moved: Vec<f64> = there.iter().zip(&weights).map(|(new, old)| new - old).collect();
            let bent: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
            let curvature = dot(&moved, &bent);
            if curvature > 1e-12 * dot(&bent, &bent) {
                if memory.len() == MEMORY {
                    memory.remove(0);
                }
                memory.push((moved, bent, 1.0 / curvature));
            }
            weights = there;
            loss = next;
            std::mem::swap(&mut gradient, &mut next_gradient);
        }
        weights
    }
}

const MEMORY: usize = 10;
const TOLERANCE: f64 = 1e-7;

/// The two loops over past moves.
fn quasi_newton(gradient: &[f64], memory: &[(Vec<f64>, Vec<f64>, f64)]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|value| -value).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (moved, bent, inverse) in memory.iter().rev() {
        let share = inverse * dot(moved, &direction);
        axpy(&mut direction, -share, bent);
        shares.push(share);
    }
    if let Some((_, bent, inverse)) = memory.last() {
        let scale = 1.0 / (inverse * dot(bent, bent));
        direction.iter_mut().for_each(|value| *value *= scale);
    }
    for ((moved, bent, inverse), share) in memory.iter().zip(shares.iter().rev()) {
        let back = inverse * dot(bent, &direction);
        axpy(&mut direction, share - back, moved);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn axpy(sum: &mut [f64], factor: f64, vector: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += factor * value;
    }
}
