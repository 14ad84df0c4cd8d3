//! The best tree of a phrase, wherever in a forest it is.

use hashbrown::HashMap;

use crate::syntax::forests::ConstituentForest;

/// The best tree below each of some nodes: its nodes with their edges, parents first; words have none.
pub struct Phrases<'a> {
    forest: &'a ConstituentForest,
    scores: HashMap<u32, (f64, Option<u32>)>,
}

impl<'a> Phrases<'a> {
    /// For a forest.
    pub fn new(forest: &'a ConstituentForest) -> Self {
        Self { forest, scores: HashMap::new() }
    }

    /// The best tree of a node; nothing if it has none.
    pub fn best(&mut self, node: u32) -> Vec<(u32, Option<u32>)> {
        self.score(node);
        let mut found = Vec::new();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let (score, edge) = self.scores[&node];
            if score == f64::NEG_INFINITY || found.len() > self.forest.nodes.len() {
                return Vec::new();
            }
            found.push((node, edge));
            if let Some(edge) = edge {
                stack.extend(self.forest.children_of(edge as usize).iter().rev());
            }
        }
        found
    }

    /// Scores all below a node: the shortest first, those of one length until nothing changes, since unary edges join them.
    fn score(&mut self, node: u32) {
        let forest = self.forest;
        let mut below = vec![node];
        let mut at = 0;
        while at < below.len() {
            let one = below[at];
            at += 1;
            if self.scores.contains_key(&one) {
                continue;
            }
            let own = if forest.is_word(one) { 0.0 } else { f64::NEG_INFINITY };
            self.scores.insert(one, (own, None));
            below.extend(forest.edges_of(one).flat_map(|edge| forest.children_of(edge)));
        }
        below.sort_unstable();
        below.dedup();
        below.sort_by_key(|&one| forest.nodes[one as usize].end - forest.nodes[one as usize].begin);
        let length = |one: &u32| forest.nodes[*one as usize].end - forest.nodes[*one as usize].begin;
        for group in below.chunk_by(|one, other| length(one) == length(other)) {
            // Turns in a circle are never better, as circles weigh less than 1; this many rounds are enough for any path.
            for _ in 0..=group.len() {
                let changed = group.iter().filter(|&&one| self.improve(one)).count();
                if changed == 0 {
                    break;
                }
            }
        }
    }

    fn improve(&mut self, node: u32) -> bool {
        let forest = self.forest;
        let mut changed = false;
        for edge in forest.edges_of(node) {
            let below: f64 = forest.children_of(edge).iter().map(|child| self.scores[child].0).sum();
            let score = forest.edges[edge].score + below;
            if score > self.scores[&node].0 {
                self.scores.insert(node, (score, Some(edge as u32)));
                changed = true;
            }
        }
        changed
    }
}
