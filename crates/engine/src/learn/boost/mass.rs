//! Which fields a classifier relies on.

use super::trees::Trees;

/// By field, how much the last tests of paths change weights (Galron 2012, section 5.6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mass {
    /// Of tests that were passed: a symbol is there, a number is greater.
    pub positive: Vec<f64>,
    /// Of tests that were not.
    pub negative: Vec<f64>,
}

impl Mass {
    /// No mass on any of these fields.
    pub fn new(fields: usize) -> Self {
        Self { positive: vec![0.0; fields], negative: vec![0.0; fields] }
    }

    /// Adds that of a classifier.
    pub fn add(&mut self, trees: Trees<'_>, snapshot: usize) {
        let count = trees.trees(snapshot);
        let end = trees.roots.get(count).map_or(trees.nodes.len(), |&root| root as usize);
        for (at, node) in trees.nodes[..end].iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let sides = [(&mut self.positive, node.yes), (&mut self.negative, node.no)];
            for (side, next) in sides.map(|(side, next)| (side, next as usize)) {
                if trees.nodes[next].is_leaf() {
                    side[node.field as usize] += (trees.weights[next] - trees.weights[at]).abs();
                }
            }
        }
    }

    /// The same as shares, which are 1 together on each side that has any.
    #[must_use]
    pub fn shares(mut self) -> Self {
        for side in [&mut self.positive, &mut self.negative] {
            let total: f64 = side.iter().sum();
            if total > 0.0 {
                side.iter_mut().for_each(|mass| *mass /= total);
            }
        }
        self
    }
}

impl Trees<'_> {
    /// By field, how much the last tests of paths change weights: of the path a, b, c the weight of all three less that of a and
    /// b as if it had ended there.
    pub fn mass(&self, snapshot: usize) -> Mass {
        let mut mass = Mass::new(self.fields.len());
        mass.add(*self, snapshot);
        mass
    }
}
