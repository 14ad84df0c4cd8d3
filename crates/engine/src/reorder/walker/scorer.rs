//! Probabilities of the actions open at a state.

use super::features;
use super::model::{CLASSES, Model};
use super::sentence::Sentence;
use super::state::State;

/// An action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Emit the current word.
    Emit,
    /// Go up.
    Up,
    /// Go down to a child.
    Down(u32),
}

/// Scores of a sentence's states; what depends on the tree alone is looked up once.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    // Buckets of each vertex: fixed[starts[v]..starts[v + 1]].
    starts: Vec<u32>,
    fixed: Vec<u32>,
    known: Vec<[f32; CLASSES]>,
    /// Buckets of the features that belong to the state asked for last.
    pub changing: Vec<u32>,
    /// Its open children.
    pub children: Vec<u32>,
    /// Buckets of its pairs of children, one pair after the other: (0, 1), (0, 2) … (1, 2) …
    pub pairs: Vec<u32>,
    /// Where each pair's begin.
    pub pair_starts: Vec<u32>,
    margins: Vec<f32>,
    scores: Vec<f32>,
}

/// Log-probabilities of actions; those that are not open have -∞. Those of children include that of DOWN.
#[derive(Debug, Clone, Copy)]
pub struct Chances {
    /// EMIT, UP, DOWN.
    pub classes: [f32; CLASSES],
}

impl Scorer {
    /// Prepares for a sentence.
    pub fn take(&mut self, model: &Model, sentence: &Sentence) {
        self.starts.clear();
        self.fixed.clear();
        self.known.clear();
        self.starts.push(0);
        for v in 0..sentence.tree.vertices() as u32 {
            features::fixed(sentence, v, model.hasher(), &mut self.fixed);
            let mut scores = [0.0; CLASSES];
            model.add_scores(&self.fixed[self.starts[v as usize] as usize..], &mut scores);
            self.known.push(scores);
            self.starts.push(self.fixed.len() as u32);
        }
    }

    /// The buckets of a vertex that do not change.
    #[must_use]
    pub fn fixed(&self, v: u32) -> &[u32] {
        &self.fixed[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    /// The scores of the three classes; -∞ for those that are not open. Lists open children.
    pub fn classes(&mut self, model: &Model, sentence: &Sentence, state: &State) -> [f32; CLASSES] {
        self.changing.clear();
        features::changing(sentence, state, model.hasher(), &mut self.changing);
        let mut scores = self.known[state.at as usize];
        model.add_scores(&self.changing, &mut scores);
        self.children.clear();
        self.children.extend(state.open_children(sentence));
        let open = [state.can_emit(), state.can_up(sentence), !self.children.is_empty()];
        for (score, open) in scores.iter_mut().zip(open) {
            if !open {
                *score = f32::NEG_INFINITY;
            }
        }
        scores
    }

    /// How much the left child of each pair of open children is preferred.
    pub fn margins(&mut self, model: &Model, sentence: &Sentence, state: &State) -> &[f32] {
        self.pairs.clear();
        self.pair_starts.clear();
        self.pair_starts.push(0);
        self.margins.clear();
        for (at, &first) in self.children.iter().enumerate() {
            for &second in &self.children[at + 1..] {
                let begin = self.pairs.len();
                features::pair(sentence, state, first, second, model.hasher(), &mut self.pairs);
                self.margins.push(model.margin(&self.pairs[begin..]));
                self.pair_starts.push(self.pairs.len() as u32);
            }
        }
        &self.margins
    }

    /// Log-probabilities: a softmax over the open classes, and after DOWN one over open children, whose scores are the
    /// means of their margins (as if margins were differences of scores, Bradley and Terry 1952).
    pub fn chances(&mut self, model: &Model, sentence: &Sentence, state: &State, below: &mut Vec<f32>) -> Chances {
        let mut classes = self.classes(model, sentence, state);
        normalise(&mut classes);
        below.clear();
        let children = self.children.len();
        below.resize(children, 0.0);
        if children > 1 {
            self.margins(model, sentence, state);
            let mut pair = 0;
            for a in 0..children {
                for b in a + 1..children {
                    below[a] += self.margins[pair];
                    below[b] -= self.margins[pair];
                    pair += 1;
                }
            }
            below.iter_mut().for_each(|score| *score /= children as f32);
            normalise(below);
        }
        below.iter_mut().for_each(|chance| *chance += classes[2]);
        Chances { classes }
    }

    /// The best action under max-wins voting; ties go to the larger sum of margins, then to the left (section 4.2).
    pub fn best(&mut self, model: &Model, sentence: &Sentence, state: &State) -> Action {
        let scores = self.classes(model, sentence, state);
        let mut best = 0;
        for class in 1..CLASSES {
            if scores[class] > scores[best] {
                best = class;
            }
        }
        match best {
            0 => Action::Emit,
            1 => Action::Up,
            _ => Action::Down(self.winner(model, sentence, state)),
        }
    }

    fn winner(&mut self, model: &Model, sentence: &Sentence, state: &State) -> u32 {
        let children = self.children.len();
        if children == 1 {
            return self.children[0];
        }
        self.margins(model, sentence, state);
        self.scores.clear();
        self.scores.resize(2 * children, 0.0);
        let (votes, sums) = self.scores.split_at_mut(children);
        let mut pair = 0;
        for a in 0..children {
            for b in a + 1..children {
                let margin = self.margins[pair];
                votes[if margin >= 0.0 { a } else { b }] += 1.0;
                sums[a] += margin;
                sums[b] -= margin;
                pair += 1;
            }
        }
        let mut best = 0;
        for child in 1..children {
            if (votes[child], sums[child]) > (votes[best], sums[best]) {
                best = child;
            }
        }
        self.children[best]
    }
}

/// Turns scores into log-probabilities.
fn normalise(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    let log = most + sum.ln();
    scores.iter_mut().for_each(|score| *score -= log);
}
