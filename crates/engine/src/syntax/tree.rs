//! One dependency tree, prepared for walks: parents, ordered children, depths, spans, ancestors in constant time.
//!
//! Vertices are words counted from 0. A sentence with several roots gets one more vertex above them, the silent root,
//! which stands for no word (Miceli Barone, section 3.3.1).

use crate::error::{Error, Result};

/// No vertex: the parent of the root.
pub const NONE: u32 = u32::MAX;

/// A tree over the words of one sentence; [`Tree::rebuild`] uses its memory again for the next one.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    words: usize,
    root: u32,
    parent: Vec<u32>,
    // Children of v: child[start[v]..start[v + 1]], in the order of the sentence.
    start: Vec<u32>,
    child: Vec<u32>,
    depth: Vec<u32>,
    // Place in a depth-first visit, parents first; a subtree is order[enter[v]..enter[v] + size[v]].
    enter: Vec<u32>,
    order: Vec<u32>,
    size: Vec<u32>,
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Tree {
    /// The tree of the heads of a sentence, as in CoNLL: counted from 1, with 0 for a root.
    ///
    /// # Errors
    /// There is no word, a head is outside the sentence, or heads run in a circle.
    pub fn new(heads: &[u32]) -> Result<Self> {
        let mut tree = Self::default();
        tree.rebuild(heads)?;
        Ok(tree)
    }

    /// Like [`Tree::new`], in the memory of this tree, which is of no use after an error.
    ///
    /// # Errors
    /// As for [`Tree::new`].
    pub fn rebuild(&mut self, heads: &[u32]) -> Result<()> {
        let words = heads.len();
        if words == 0 || words >= NONE as usize - 1 {
            return Err(Error::input("a tree has no words"));
        }
        if let Some(word) = heads.iter().position(|&head| head as usize > words) {
            let (head, word) = (heads[word], word + 1);
            return Err(Error::input(format!("word {word} of {words} has head {head}")));
        }
        self.words = words;
        let roots = heads.iter().filter(|&&head| head == 0).count();
        let silent = roots > 1;
        let vertices = words + usize::from(silent);
        let above = if silent { words as u32 } else { NONE };
        self.parent.clear();
        self.parent.extend(heads.iter().map(|&head| if head == 0 { above } else { head - 1 }));
        if silent {
            self.parent.push(NONE);
        }
        self.root = self.parent.iter().position(|&parent| parent == NONE).unwrap_or(0) as u32;
        self.list_children(vertices);
        self.visit(vertices);
        if roots == 0 || self.order.len() < vertices {
            let lost = (0..words).find(|&word| self.size[word] == 0).unwrap_or(0) + 1;
            return Err(Error::input(format!("the heads of word {lost} run in a circle and never reach a root")));
        }
        self.measure(vertices);
        Ok(())
    }

    fn list_children(&mut self, vertices: usize) {
        self.start.clear();
        self.start.resize(vertices + 2, 0);
        for &parent in &self.parent {
            if parent != NONE {
                self.start[parent as usize + 2] += 1;
            }
        }
        for v in 2..vertices + 2 {
            self.start[v] += self.start[v - 1];
        }
        self.child.clear();
        self.child.resize(self.start[vertices + 1] as usize, 0);
        for (v, &parent) in self.parent.iter().enumerate() {
            if parent != NONE {
                let place = &mut self.start[parent as usize + 1];
                self.child[*place as usize] = v as u32;
                *place += 1;
            }
        }
        self.start.truncate(vertices + 1);
    }

    fn visit(&mut self, vertices: usize) {
        for array in [&mut self.depth, &mut self.enter, &mut self.size] {
            array.clear();
            array.resize(vertices, 0);
        }
        self.order.clear();
        if self.parent[self.root as usize] != NONE {
            return;
        }
        // Without a stack: down to the first child, else right to the next sibling of the nearest ancestor that has one.
        let mut v = self.root;
        loop {
            self.enter[v as usize] = self.order.len() as u32;
            self.size[v as usize] = 1;
            self.order.push(v);
            let depth = self.depth[v as usize];
            if let Some(&down) = self.children(v).first() {
                self.depth[down as usize] = depth + 1;
                v = down;
                continue;
            }
            loop {
                let parent = self.parent[v as usize];
                if parent == NONE {
                    return;
                }
                let siblings = self.children(parent);
                let next = siblings.partition_point(|&sibling| sibling <= v);
                if let Some(&right) = siblings.get(next) {
                    self.depth[right as usize] = self.depth[v as usize];
                    v = right;
                    break;
                }
                v = parent;
            }
        }
    }

    fn measure(&mut self, vertices: usize) {
        self.first.clear();
        self.first.extend(0..vertices as u32);
        self.last.clear();
        self.last.extend(0..vertices as u32);
        if vertices > self.words {
            self.first[self.words] = NONE;
            self.last[self.words] = 0;
        }
        for &v in self.order.iter().rev() {
            let parent = self.parent[v as usize];
            if parent != NONE {
                let (v, parent) = (v as usize, parent as usize);
                self.size[parent] += self.size[v];
                self.first[parent] = self.first[parent].min(self.first[v]);
                self.last[parent] = self.last[parent].max(self.last[v]);
            }
        }
    }

    /// How many words the sentence has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many vertices: the words, and the silent root if there is one.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.parent.len()
    }

    /// The root: a word, or the silent vertex above several.
    #[must_use]
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Whether the vertex stands for no word.
    #[must_use]
    pub fn is_silent(&self, v: u32) -> bool {
        v as usize == self.words
    }

    /// The vertex above, or [`NONE`].
    #[must_use]
    pub fn parent(&self, v: u32) -> u32 {
        self.parent[v as usize]
    }

    /// The vertices below, in the order of the sentence.
    #[must_use]
    pub fn children(&self, v: u32) -> &[u32] {
        &self.child[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }

    /// How many edges lie between the vertex and the root.
    #[must_use]
    pub fn depth(&self, v: u32) -> u32 {
        self.depth[v as usize]
    }

    /// How many vertices the subtree has.
    #[must_use]
    pub fn size(&self, v: u32) -> u32 {
        self.size[v as usize]
    }

    /// The vertices of a subtree, parents before children.
    #[must_use]
    pub fn subtree(&self, v: u32) -> &[u32] {
        let enter = self.enter[v as usize] as usize;
        &self.order[enter..enter + self.size[v as usize] as usize]
    }

    /// The first and the last word of a subtree.
    #[must_use]
    pub fn span(&self, v: u32) -> (u32, u32) {
        (self.first[v as usize], self.last[v as usize])
    }

    /// Whether the words of a subtree stand side by side.
    #[must_use]
    pub fn is_contiguous(&self, v: u32) -> bool {
        let silent = u32::from(self.is_silent(v));
        self.last[v as usize] - self.first[v as usize] + 1 == self.size[v as usize] - silent
    }

    /// Whether every subtree is contiguous.
    #[must_use]
    pub fn is_projective(&self) -> bool {
        (0..self.words as u32).all(|v| self.is_contiguous(v))
    }

    /// Whether `above` is `below` or stands above it.
    #[must_use]
    pub fn is_within(&self, below: u32, above: u32) -> bool {
        let place = self.enter[below as usize].wrapping_sub(self.enter[above as usize]);
        place < self.size[above as usize]
    }

    /// The lowest vertex that has both in its subtree.
    #[must_use]
    pub fn meeting(&self, a: u32, b: u32) -> u32 {
        let mut v = a;
        while !self.is_within(b, v) {
            v = self.parent(v);
        }
        v
    }

    /// The child of `above` whose subtree has `below`; they differ, and `below` is within `above`.
    #[must_use]
    pub fn branch(&self, above: u32, below: u32) -> u32 {
        let children = self.children(above);
        // Children are entered in their order, so that the wanted one is the last entered no later than `below`.
        let place = self.enter[below as usize];
        children[children.partition_point(|&child| self.enter[child as usize] <= place) - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_with_a_gap() {
        // Miceli Barone, section 3.4.4: die Währungsreserven anfangs lediglich zur Verteidigung dienen sollten.
        let tree = Tree::new(&[2, 7, 8, 5, 7, 5, 8, 0]).unwrap();
        assert_eq!((tree.words(), tree.vertices(), tree.root()), (8, 8, 7));
        assert_eq!(tree.children(7), [2, 6]);
        assert_eq!(tree.children(6), [1, 4]);
        assert_eq!((tree.size(6), tree.span(6)), (6, (0, 6)));
        assert!(!tree.is_contiguous(6) && !tree.is_projective());
        assert!(tree.is_within(3, 6) && !tree.is_within(6, 3) && tree.is_within(4, 4));
        assert_eq!((tree.meeting(3, 0), tree.meeting(3, 2), tree.meeting(3, 4)), (6, 7, 4));
        assert_eq!((tree.branch(7, 0), tree.branch(6, 0), tree.branch(6, 5)), (6, 1, 4));
        assert_eq!((tree.depth(7), tree.depth(3)), (0, 3));
        let mut below = tree.subtree(4).to_vec();
        below.sort_unstable();
        assert_eq!(below, [3, 4, 5]);
    }

    #[test]
    fn several_roots_meet_in_a_silent_one() {
        let tree = Tree::new(&[0, 1, 0]).unwrap();
        assert_eq!((tree.vertices(), tree.root()), (4, 3));
        assert!(tree.is_silent(3) && !tree.is_silent(0));
        assert_eq!((tree.parent(0), tree.parent(3)), (3, NONE));
        assert!(tree.is_projective() && tree.is_contiguous(3));
        assert_eq!(tree.meeting(1, 2), 3);
    }

    #[test]
    fn memory_is_used_again() {
        let mut tree = Tree::new(&[0, 1, 0]).unwrap();
        assert!(tree.rebuild(&[2, 1]).is_err());
        tree.rebuild(&[0]).unwrap();
        assert_eq!((tree.vertices(), tree.root(), tree.size(0)), (1, 0, 1));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert!(Tree::new(&[]).unwrap_err().what.contains("no words"));
        assert!(Tree::new(&[0, 3]).unwrap_err().what.contains("word 2 of 2 has head 3"));
        assert!(Tree::new(&[1]).unwrap_err().what.contains("circle"));
        assert!(Tree::new(&[0, 3, 2]).unwrap_err().what.contains("word 2"));
    }
}
