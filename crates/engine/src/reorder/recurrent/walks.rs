//! Walks over the tree from one word to every other: the fragments of section 4.3.2 of Miceli Barone (2015).
//!
//! The inner state after a walk depends only on its two ends, and walks from one word share their beginnings. One visit
//! of the tree from every word therefore gives all of them in O(L²) steps rather than O(L³). A word's right neighbour is
//! reached by a single step to the right instead.
//!
//! Vertices: the words, then the silent root if there is one, then (always at words + 1) the place before the sentence.
//! Steps are numbered action · (words + 2) + vertex: up from a vertex, down to a vertex, right to a word.

use super::sentence::Sentence;
use crate::syntax::NONE;

/// All walks from one place. Position 0 is the place itself.
#[derive(Debug, Clone, Default)]
pub struct Walks {
    /// The vertex at each position; the last position may be that of the step to the right.
    pub vertices: Vec<u32>,
    /// The position from which a position is reached.
    pub before: Vec<u32>,
    /// By which step.
    pub steps: Vec<u32>,
    /// For each word the position at which its walk ends.
    pub ends: Vec<u32>,
}

impl Walks {
    /// Finds the walks from the last word emitted; the length of the sentence stands for none.
    pub fn find(&mut self, sentence: &Sentence, last: usize) {
        let (words, tree) = (sentence.len(), &sentence.tree);
        let per_action = sentence.vertices() as u32;
        let start = if last >= words { words + 1 } else { last } as u32;
        for array in [&mut self.vertices, &mut self.before, &mut self.steps] {
            array.clear();
            array.push(0);
        }
        self.vertices[0] = start;
        // Breadth first: what is reached from a position comes after it.
        let mut reached = 1;
        if start as usize > words {
            reached = self.push(tree.root(), 0, start);
        }
        let mut at = reached - 1;
        while at < reached {
            let (vertex, from) = if at == 0 { (start, NONE) } else { self.place(at) };
            let above = tree.parent(vertex);
            if above != NONE && above != from {
                reached = self.push(above, at, vertex);
            }
            for &child in tree.children(vertex) {
                if child != from {
                    reached = self.push(child, at, per_action + child);
                }
            }
            at += 1;
        }
        self.ends.clear();
        self.ends.resize(words, 0);
        for (position, &vertex) in self.vertices.iter().enumerate().skip(1) {
            if (vertex as usize) < words {
                self.ends[vertex as usize] = position as u32;
            }
        }
        let right = if last >= words { 0 } else { last + 1 };
        if right < words {
            self.ends[right] = (self.push(right as u32, 0, 2 * per_action + right as u32) - 1) as u32;
        }
    }

    fn push(&mut self, vertex: u32, before: usize, step: u32) -> usize {
        self.vertices.push(vertex);
        self.before.push(before as u32);
        self.steps.push(step);
        self.vertices.len()
    }

    // A vertex and the one it was reached from.
    fn place(&self, position: usize) -> (u32, u32) {
        (self.vertices[position], self.vertices[self.before[position] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reorder::recurrent::corpus::Words;

    fn sentence(heads: &[u32]) -> Sentence {
        let ids = vec![3; heads.len()];
        let mut sentence = Sentence::default();
        sentence.read(Words { heads, tags: &ids, relations: &ids, forms: &[] }).unwrap();
        sentence
    }

    fn path(walks: &Walks, word: usize) -> Vec<u32> {
        let mut position = walks.ends[word] as usize;
        let mut steps = Vec::new();
        while position != 0 {
            steps.push(walks.steps[position]);
            position = walks.before[position] as usize;
        }
        steps.reverse();
        steps
    }

    #[test]
    fn up_down_and_right() {
        // The root is word 1, with children 0 and 3; word 2 hangs from 3.
        let sentence = sentence(&[2, 0, 4, 2]);
        let mut walks = Walks::default();
        walks.find(&sentence, 0);
        assert_eq!(path(&walks, 1), [12 + 1]);
        assert_eq!(path(&walks, 2), [0, 6 + 3, 6 + 2]);
        assert_eq!(path(&walks, 3), [0, 6 + 3]);
        walks.find(&sentence, 2);
        assert_eq!((path(&walks, 3), path(&walks, 0)), (vec![12 + 3], vec![2, 3, 6]));
        walks.find(&sentence, 4);
        assert_eq!((path(&walks, 0), path(&walks, 2)), (vec![12], vec![5, 6 + 3, 6 + 2]));
    }

    #[test]
    fn over_a_silent_root() {
        let sentence = sentence(&[0, 1, 0]);
        let mut walks = Walks::default();
        walks.find(&sentence, 1);
        assert_eq!(path(&walks, 0), [1]);
        assert_eq!(path(&walks, 2), [10 + 2]);
        walks.find(&sentence, 3);
        assert_eq!(path(&walks, 2), [4, 5 + 2]);
        walks.find(&sentence, 0);
        assert_eq!(path(&walks, 2), [0, 5 + 2]);
    }
}
