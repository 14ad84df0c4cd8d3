//! Hypotheses grouped by what language models see of them (Heafield et al. 2013, section 3.2).
//!
//! The root of a tree stands for all hypotheses of a group. Its children know one more word of the left or of the right
//! boundary, in turn; a leaf is one hypothesis, of which all is known. A gap at the edge of a rule has words on one side
//! only, and no language model sees its other boundary: such gaps have trees by one side alone, in which hypotheses that
//! agree there follow each other by their scores. Nodes are split when search first asks for their children, which are
//! in the order of their best hypotheses.

use std::ops::Range;

use super::arena::{Arena, NONE};
use crate::lm::state::Fragment;

/// Of a leaf everything is known.
pub const ALL: u8 = u8::MAX;

/// On which sides of a gap something follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    pub left: bool,
    pub right: bool,
}

impl Sides {
    /// How many there are.
    const COUNT: usize = 4;

    fn index(self) -> usize {
        usize::from(self.left) * 2 + usize::from(self.right)
    }
}

/// Hypotheses that agree in the words known of them.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Its hypotheses, best first, as places in the trees' list.
    hypotheses: [u32; 2],
    /// How many words are known on the left and on the right; one more than there are says that there are no more.
    pub left: u8,
    pub right: u8,
    sides: Sides,
    children: [u32; 2],
}

impl Node {
    /// Whether it is one hypothesis.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.left == ALL && self.right == ALL
    }

    /// How many words are known.
    #[inline]
    pub fn known(&self) -> u32 {
        u32::from(self.left) + u32::from(self.right)
    }
}

/// The trees of a sentence.
#[derive(Debug, Default)]
pub struct Trees {
    /// The language model whose words make the trees, if there is any.
    guide: Option<usize>,
    nodes: Vec<Node>,
    /// The best hypothesis and its score, beside the nodes.
    best: Vec<(u32, f32)>,
    list: Vec<u32>,
    /// For each place of the arena's sorted list the trees of the hypotheses that begin there.
    roots: Vec<[u32; Sides::COUNT]>,
    keys: Vec<(u8, u64, u32)>,
    classes: Vec<[u32; 2]>,
}

impl Trees {
    /// No trees yet.
    pub fn new(guide: Option<usize>) -> Self {
        Self { guide, ..Self::default() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.best.clear();
        self.list.clear();
        self.roots.clear();
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The best hypothesis of a node, and its score.
    #[inline]
    pub fn best(&self, node: u32) -> (u32, f32) {
        self.best[node as usize]
    }

    /// The root of the tree of the hypotheses at these places of the arena's sorted list.
    pub fn root(&mut self, arena: &Arena, places: Range<u32>, sides: Sides) -> u32 {
        let at = places.start as usize;
        if at >= self.roots.len() {
            self.roots.resize(at + 1, [NONE; Sides::COUNT]);
        }
        let tree = sides.index();
        if self.roots[at][tree] == NONE {
            let begin = self.list.len() as u32;
            self.list.extend(places.map(|place| arena.sorted(place)));
            self.roots[at][tree] = self.push(arena, begin, sides, [0, 0]);
        }
        self.roots[at][tree]
    }

    /// A child of a node by its number; for 0 the node itself, whose best hypothesis is that of its first child.
    #[inline]
    pub fn child(&self, node: u32, child: u32) -> u32 {
        if child == 0 { node } else { self.nodes[node as usize].children[0] + child }
    }

    /// The children of a node that is no leaf.
    pub fn children(&mut self, arena: &Arena, node: u32) -> Range<u32> {
        let [first, end] = self.nodes[node as usize].children;
        if first == NONE { self.split(arena, node) } else { first..end }
    }

    /// Adds the node of the hypotheses from a place of the list to its end.
    fn push(&mut self, arena: &Arena, begin: u32, sides: Sides, [left, right]: [u8; 2]) -> u32 {
        let hypotheses = [begin, self.list.len() as u32];
        let first = self.list[begin as usize];
        let mut node = Node { hypotheses, left, right, sides, children: [NONE; 2] };
        if hypotheses[1] - hypotheses[0] == 1 {
            (node.left, node.right) = (ALL, ALL);
        } else if let Some(guide) = self.guide {
            // What all hypotheses have in common is known at once.
            let others = &self.list[begin as usize + 1..];
            let fragment = &arena.states(first)[guide];
            let all = |key: &dyn Fn(&Fragment) -> (u8, u64)| {
                let wanted = key(fragment);
                others.iter().all(|&other| key(&arena.states(other)[guide]) == wanted)
            };
            while sides.left
                && usize::from(node.left) <= fragment.open_words()
                && all(&|f| f.left_key(usize::from(node.left)))
            {
                node.left += 1;
            }
            let words = fragment.right.words().len();
            while sides.right && usize::from(node.right) <= words && all(&|f| f.right_key(usize::from(node.right))) {
                node.right += 1;
            }
        }
        self.nodes.push(node);
        self.best.push((first, arena.get(first).score));
        self.nodes.len() as u32 - 1
    }

    fn split(&mut self, arena: &Arena, number: u32) -> Range<u32> {
        let node = self.nodes[number as usize];
        let [begin, end] = node.hypotheses;
        let range = begin as usize..end as usize;
        let side = self.guide.and_then(|guide| {
            let fragment = &arena.states(self.list[begin as usize])[guide];
            let left = node.sides.left && usize::from(node.left) <= fragment.open_words();
            let right = node.sides.right && usize::from(node.right) <= fragment.right.words().len();
            // The side of which less is known, the left one first.
            (left || right).then_some((guide, left && (node.left <= node.right || !right)))
        });
        self.keys.clear();
        let hypotheses = self.list[range].iter().zip(0_u32..);
        match side {
            Some((guide, left)) => self.keys.extend(hypotheses.map(|(&hypothesis, rank)| {
                let fragment = &arena.states(hypothesis)[guide];
                let at = usize::from(if left { node.left } else { node.right });
                let (kind, key) = if left { fragment.left_key(at) } else { fragment.right_key(at) };
                (kind, key, rank)
            })),
            // The language model cannot tell them apart from here.
            None => self.keys.extend(hypotheses.map(|(_, rank)| (0, u64::from(rank), rank))),
        }
        self.keys.sort_unstable();
        self.classes.clear();
        let mut from = 0;
        for at in 1..=self.keys.len() {
            let (kind, key, _) = self.keys[from];
            if at == self.keys.len() || (self.keys[at].0, self.keys[at].1) != (kind, key) {
                self.classes.push([from as u32, at as u32]);
                from = at;
            }
        }
        let (keys, classes) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.classes));
        let mut sorted = classes;
        sorted.sort_unstable_by_key(|class| keys[class[0] as usize].2);
        let known = match side {
            Some((_, true)) => [node.left + 1, node.right],
            Some((_, false)) => [node.left, node.right + 1],
            None => [node.left, node.right],
        };
        // Nodes made on the way follow each other.
        let first = self.nodes.len() as u32;
        for class in &sorted {
            let start = self.list.len() as u32;
            for &(_, _, rank) in &keys[class[0] as usize..class[1] as usize] {
                self.list.push(self.list[(begin + rank) as usize]);
            }
            self.push(arena, start, node.sides, known);
        }
        (self.keys, self.classes) = (keys, sorted);
        let children = [first, self.nodes.len() as u32];
        self.nodes[number as usize].children = children;
        children[0]..children[1]
    }

    /// How many sides matter of which nothing, and of which something but not all is known.
    #[inline]
    pub fn unknown(&self, arena: &Arena, number: u32) -> [u32; 2] {
        let node = self.node(number);
        let mut count = [0; 2];
        let Some(guide) = self.guide.filter(|_| !node.is_leaf()) else { return count };
        let fragment = &arena.states(self.best(number).0)[guide];
        let left = (node.sides.left, usize::from(node.left), fragment.open_words());
        let right = (node.sides.right, usize::from(node.right), fragment.right.words().len());
        for (_, known, words) in [left, right].into_iter().filter(|side| side.0) {
            if known <= words {
                count[usize::from(known > 0)] += 1;
            }
        }
        count
    }
}
