//! The best trees, one after the other, with circles too (Jiménez & Marzal 1999; Huang & Chiang 2005, algorithm 3), and trees
//! drawn by chance.

use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::circles::{Groups, too_heavy};
use super::{ConstituentForest, NONE};
use crate::random::Random;
use crate::total::Total;
use crate::{Error, Result};

/// A tree: its nodes, parents first and from left to right, each with its edge, or [`NONE`] for a word.
pub type Chosen = Vec<(u32, u32)>;

/// After so many derivations of trees that were listed before no other tree is looked for.
const MOST_ALIKE: usize = 10_000;

/// Nodes a drawn tree may have.
const MOST_DRAWN: usize = 1 << 22;

/// The best score of each node, and the edge that has it; circles are never worth a turn.
fn viterbi(forest: &ConstituentForest) -> Result<(Vec<f64>, Vec<u32>)> {
    let count = forest.nodes.len();
    let (mut scores, mut edges) = (vec![f64::NEG_INFINITY; count], vec![NONE; count]);
    for group in Groups::new(forest).iter() {
        // As many rounds as there are nodes, and one in which nothing may change.
        for round in 0..=group.len() {
            let mut changed = false;
            for &node in group {
                if forest.is_word(node) {
                    scores[node as usize] = 0.0;
                }
                for edge in forest.edges_of(node) {
                    let score = forest.product(edge, &scores);
                    if score > scores[node as usize] {
                        (scores[node as usize], edges[node as usize]) = (score, edge as u32);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
            if round == group.len() && round > 1 {
                return Err(too_heavy(group[0]));
            }
        }
        for &node in group {
            let mut at = node;
            let leaves = (0..=group.len()).any(|_| match edges[at as usize] {
                NONE => true,
                edge => match forest.children_of(edge as usize) {
                    [child] if group.contains(child) => {
                        at = *child;
                        false
                    }
                    _ => true,
                },
            });
            if !leaves {
                return Err(too_heavy(node));
            }
        }
    }
    Ok((scores, edges))
}

/// A way to make a node: an edge, and which of the best trees of each child.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Way {
    edge: u32,
    ranks: Vec<u32>,
}

/// Ways in a queue: the best first, of equals the one that came first.
#[derive(Debug, PartialEq, Eq)]
struct Waiting {
    score: Total,
    first: std::cmp::Reverse<u32>,
    way: Way,
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.score, self.first).cmp(&(other.score, other.first))
    }
}

/// What is known of a node's best trees.
#[derive(Debug, Default)]
struct Listed {
    found: Vec<(f64, Way)>,
    waiting: BinaryHeap<Waiting>,
    seen: HashSet<(u32, Vec<u32>)>,
    begun: bool,
    /// Whether what comes after the last one found is waiting.
    followed: bool,
    exhausted: bool,
}

/// The best trees of a forest, best first; trees with the same labels and brackets come once, with their best score.
#[derive(Debug)]
pub struct Best<'a> {
    forest: &'a ConstituentForest,
    scores: Vec<f64>,
    edges: Vec<u32>,
    listed: Vec<Listed>,
    next: u32,
    shapes: HashSet<Vec<(u32, u32)>>,
}

impl<'a> Best<'a> {
    /// Begins.
    ///
    /// # Errors
    /// None that the forest's constructor would not have found, but for rounding.
    pub fn new(forest: &'a ConstituentForest) -> Result<Self> {
        let (scores, edges) = viterbi(forest)?;
        let mut listed = Vec::new();
        listed.resize_with(forest.nodes.len(), Listed::default);
        Ok(Self { forest, scores, edges, listed, next: 0, shapes: HashSet::new() })
    }

    /// The next tree with the logarithm of its weight, or none if there are no more, or 10,000 derivations bring no other.
    pub fn next_tree(&mut self) -> Option<(f64, Chosen)> {
        let root = self.forest.root;
        for _ in 0..MOST_ALIKE {
            let rank = self.next;
            self.find(root, rank);
            let score = self.listed[root as usize].found.get(rank as usize)?.0;
            self.next += 1;
            let tree = self.spelled(root, rank);
            let shape = tree.iter().map(|&(node, edge)| {
                let parts = if edge == NONE { 0 } else { self.forest.children_of(edge as usize).len() };
                (self.forest.nodes[node as usize].label, parts as u32)
            });
            if self.shapes.insert(shape.collect()) {
                return Some((score, tree));
            }
        }
        None
    }

    fn spelled(&self, root: u32, rank: u32) -> Chosen {
        let mut tree = Vec::new();
        let mut stack = vec![(root, rank)];
        while let Some((node, rank)) = stack.pop() {
            let Some((_, way)) = self.listed[node as usize].found.get(rank as usize) else {
                tree.push((node, NONE));
                continue;
            };
            tree.push((node, way.edge));
            let children = self.forest.children_of(way.edge as usize);
            stack.extend(children.iter().copied().zip(way.ranks.iter().copied()).rev());
        }
        tree
    }

    /// Finds the tree of a node with a rank, if there is one; those before have been found.
    fn find(&mut self, node: u32, rank: u32) {
        let mut wanted = vec![(node, rank)];
        while let Some(&(node, rank)) = wanted.last() {
            let list = &self.listed[node as usize];
            if self.forest.is_word(node) || list.exhausted || list.found.len() > rank as usize {
                wanted.pop();
                continue;
            }
            if !list.begun && !self.begin(node, &mut wanted) {
                continue;
            }
            if !self.listed[node as usize].followed && !self.follow(node, &mut wanted) {
                continue;
            }
            // The trees of its children may not have been asked for yet.
            let way = self.listed[node as usize].waiting.peek().map(|best| &best.way);
            let missing = way.and_then(|way| {
                let mut parts = self.forest.children_of(way.edge as usize).iter().zip(&way.ranks);
                parts.find(|&(&child, &rank)| !self.has(child, rank))
            });
            if let Some((&child, &rank)) = missing {
                wanted.push((child, rank));
                continue;
            }
            let list = &mut self.listed[node as usize];
            match list.waiting.pop() {
                Some(best) => {
                    list.found.push((best.score.0, best.way));
                    list.followed = false;
                }
                None => list.exhausted = true,
            }
        }
    }

    fn wait(&mut self, node: u32, score: f64, way: Way) {
        let list = &mut self.listed[node as usize];
        if score > f64::NEG_INFINITY && list.seen.insert((way.edge, way.ranks.clone())) {
            let first = std::cmp::Reverse(list.seen.len() as u32);
            list.waiting.push(Waiting { score: Total(score), first, way });
        }
    }

    /// The best tree of a node, by the edge that is known to have it, and all other edges in the queue. False if children
    /// have to be found first.
    fn begin(&mut self, node: u32, wanted: &mut Vec<(u32, u32)>) -> bool {
        let forest = self.forest;
        let best = self.edges[node as usize];
        if best == NONE {
            self.listed[node as usize].exhausted = true;
            return false;
        }
        let before = wanted.len();
        wanted.extend(
            forest.children_of(best as usize).iter().filter(|&&child| !self.has(child, 0)).map(|&child| (child, 0)),
        );
        if wanted.len() > before {
            return false;
        }
        for edge in forest.edges_of(node) {
            let way = Way { edge: edge as u32, ranks: vec![0; forest.children_of(edge).len()] };
            if edge as u32 == best {
                let list = &mut self.listed[node as usize];
                list.seen.insert((way.edge, way.ranks.clone()));
                list.found.push((self.scores[node as usize], way));
            } else {
                self.wait(node, forest.product(edge, &self.scores), way);
            }
        }
        self.listed[node as usize].begun = true;
        false
    }

    fn has(&self, node: u32, rank: u32) -> bool {
        self.forest.is_word(node) || self.listed[node as usize].found.len() > rank as usize
    }

    /// Puts what comes after a node's last tree into its queue. False if trees of children have to be found first.
    fn follow(&mut self, node: u32, wanted: &mut Vec<(u32, u32)>) -> bool {
        let forest = self.forest;
        let Some((_, last)) = self.listed[node as usize].found.last().cloned() else { return true };
        let children = forest.children_of(last.edge as usize);
        let before = wanted.len();
        for (&child, &rank) in children.iter().zip(&last.ranks) {
            if !self.has(child, rank + 1) && !self.listed[child as usize].exhausted {
                wanted.push((child, rank + 1));
            }
        }
        if wanted.len() > before {
            return false;
        }
        for place in 0..children.len() {
            let mut way = last.clone();
            way.ranks[place] += 1;
            if forest.is_word(children[place]) || !self.has(children[place], way.ranks[place]) {
                continue;
            }
            let parts: f64 = children.iter().zip(&way.ranks).map(|(&child, &rank)| self.score(child, rank)).sum();
            self.wait(node, forest.edges[way.edge as usize].score + parts, way);
        }
        self.listed[node as usize].followed = true;
        true
    }

    fn score(&self, node: u32, rank: u32) -> f64 {
        self.listed[node as usize].found.get(rank as usize).map_or(0.0, |found| found.0)
    }
}

impl ConstituentForest {
    /// The best tree with the logarithm of its weight.
    ///
    /// # Errors
    /// None that the constructor would not have found, but for rounding.
    pub fn best(&self) -> Result<(f64, Chosen)> {
        let (scores, edges) = viterbi(self)?;
        let tree = self.chosen(|node| Ok(edges[node as usize]))?;
        Ok((scores[self.root as usize], tree))
    }

    /// Up to so many best trees, best first, with the logarithms of their weights; each labelled bracketing once.
    ///
    /// # Errors
    /// None that the constructor would not have found, but for rounding.
    pub fn nbest(&self, count: usize) -> Result<Vec<(f64, Chosen)>> {
        let mut best = Best::new(self)?;
        Ok(std::iter::from_fn(|| best.next_tree()).take(count).collect())
    }

    /// Trees drawn by their weights.
    ///
    /// # Errors
    /// A tree that goes round in a circle for too long.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Chosen>> {
        let inside = self.inside();
        (0..count)
            .map(|number| {
                let mut random = Random::new([seed, number as u64, 0xF0]);
                self.chosen(|node| {
                    let mut left = random.uniform_f64();
                    let mut last = NONE;
                    for edge in self.edges_of(node) {
                        let chance = (self.product(edge, inside) - inside[node as usize]).exp();
                        if chance > 0.0 {
                            last = edge as u32;
                            left -= chance;
                            if left < 0.0 {
                                break;
                            }
                        }
                    }
                    Ok(last)
                })
            })
            .collect()
    }

    fn chosen(&self, mut choose: impl FnMut(u32) -> Result<u32>) -> Result<Chosen> {
        let mut tree = Vec::new();
        let mut stack = vec![self.root];
        while let Some(node) = stack.pop() {
            let edge = if self.is_word(node) { NONE } else { choose(node)? };
            tree.push((node, edge));
            if tree.len() > MOST_DRAWN {
                let what = format!("a tree of the forest has more than {MOST_DRAWN} nodes");
                return Err(Error::limit(what).hint("a circle of unary edges weighs nearly 1: lower its scores"));
            }
            if edge != NONE {
                stack.extend(self.children_of(edge as usize).iter().rev());
            }
        }
        Ok(tree)
    }
}
