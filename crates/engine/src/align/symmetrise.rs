//! One set of links from two directions (Och and Ney 2003, section 4.2; Koehn, Och and Marcu 2003).
//!
//! `grow-diag` starts from the intersection and keeps adding links of the union that touch a link already there and
//! whose source or target token is still free. A work queue visits each link once, so the time is linear in the links.

use super::posteriors::Belief;
use crate::{Error, Result};

/// A link: source position, target position, both from 0.
pub type Link = (u16, u16);

/// How two directions become one alignment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// The forward direction alone.
    Forward,
    /// The backward direction alone.
    Backward,
    /// Links both directions choose.
    Intersection,
    /// Links either direction chooses.
    Union,
    /// Intersection grown into the union along the eight neighbours.
    GrowDiag,
    /// Then links of either direction with one free token.
    GrowDiagFinal,
    /// Then links of either direction with both tokens free.
    GrowDiagFinalAnd,
    /// Links whose mean posterior reaches the threshold.
    Posterior(f32),
}

impl Method {
    /// The method called `name`; `threshold` serves `posterior`.
    ///
    /// # Errors
    /// If there is no such method, or the threshold is not in (0, 1].
    pub fn parse(name: &str, threshold: f32) -> Result<Self> {
        Ok(match name {
            "forward" => Self::Forward,
            "backward" => Self::Backward,
            "intersection" => Self::Intersection,
            "union" => Self::Union,
            "grow-diag" => Self::GrowDiag,
            "grow-diag-final" => Self::GrowDiagFinal,
            "grow-diag-final-and" => Self::GrowDiagFinalAnd,
            "posterior" => {
                if !(threshold > 0.0 && threshold <= 1.0) {
                    return Err(Error::settings(format!("threshold {threshold} is not above 0 and at most 1")));
                }
                Self::Posterior(threshold)
            }
            other => {
                return Err(Error::settings(format!("there is no symmetrisation called {other:?}")).hint(
                    "use forward, backward, intersection, union, grow-diag, grow-diag-final, grow-diag-final-and \
                     or posterior",
                ));
            }
        })
    }
}

/// The links of one pair, in order, by `method`.
pub fn links(beliefs: &[Belief], method: Method) -> Vec<Link> {
    if let Method::Posterior(threshold) = method {
        return beliefs.iter().filter(|b| b.probability() >= threshold).map(|b| (b.source, b.target)).collect();
    }
    let pick = |chosen: fn(Belief) -> bool| -> Vec<Link> {
        beliefs.iter().filter(|&&b| chosen(b)).map(|b| (b.source, b.target)).collect()
    };
    symmetrise(&pick(Belief::chosen_forward), &pick(Belief::chosen_backward), method)
}

/// Joins two sets of links. Neither needs to be sorted; duplicates count once. The result is sorted.
///
/// Without probabilities, [`Method::Posterior`] counts a link's votes: one direction is 0.5, both are 1.
pub fn symmetrise(forward: &[Link], backward: &[Link], method: Method) -> Vec<Link> {
    let mut grid = Grid::new(forward, backward);
    match method {
        Method::Forward => grid.collect(|state| state & FORWARD != 0),
        Method::Backward => grid.collect(|state| state & BACKWARD != 0),
        Method::Intersection => grid.collect(|state| state & BOTH == BOTH),
        Method::Union => grid.collect(|state| state & BOTH != 0),
        Method::Posterior(threshold) => {
            grid.collect(|state| f32::from((state & BOTH).count_ones() as u8) * 0.5 >= threshold)
        }
        Method::GrowDiag | Method::GrowDiagFinal | Method::GrowDiagFinalAnd => {
            grid.grow_diagonally();
            if method == Method::GrowDiagFinal {
                grid.complete(FORWARD, |source_free, target_free| source_free || target_free);
                grid.complete(BACKWARD, |source_free, target_free| source_free || target_free);
            } else if method == Method::GrowDiagFinalAnd {
                grid.complete(FORWARD, |source_free, target_free| source_free && target_free);
                grid.complete(BACKWARD, |source_free, target_free| source_free && target_free);
            }
            grid.collect(|state| state & TAKEN != 0)
        }
    }
}

const FORWARD: u8 = 1;
const BACKWARD: u8 = 2;
const BOTH: u8 = FORWARD | BACKWARD;
const TAKEN: u8 = 4;

/// The union of both directions, sorted, with a state for each link. Neighbours are found by binary search, so that
/// memory follows the links and not the square of the sentence.
struct Grid {
    union: Vec<Link>,
    states: Vec<u8>,
    source_taken: Vec<bool>,
    target_taken: Vec<bool>,
}

impl Grid {
    fn new(forward: &[Link], backward: &[Link]) -> Self {
        let mut marked: Vec<(Link, u8)> =
            forward.iter().map(|&l| (l, FORWARD)).chain(backward.iter().map(|&l| (l, BACKWARD))).collect();
        marked.sort_unstable();
        let mut union: Vec<Link> = Vec::with_capacity(marked.len());
        let mut states: Vec<u8> = Vec::with_capacity(marked.len());
        for (link, state) in marked {
            if union.last() == Some(&link) {
                *states.last_mut().expect("as long as the union") |= state;
            } else {
                union.push(link);
                states.push(state);
            }
        }
        let sources = union.iter().map(|l| l.0 as usize + 1).max().unwrap_or(0);
        let targets = union.iter().map(|l| l.1 as usize + 1).max().unwrap_or(0);
        Self { union, states, source_taken: vec![false; sources], target_taken: vec![false; targets] }
    }

    fn take(&mut self, at: usize) {
        let (i, j) = self.union[at];
        self.states[at] |= TAKEN;
        self.source_taken[i as usize] = true;
        self.target_taken[j as usize] = true;
    }

    /// Breadth first from the intersection, in a fixed order of neighbours.
    fn grow_diagonally(&mut self) {
        let mut queue: Vec<usize> = (0..self.union.len()).filter(|&at| self.states[at] & BOTH == BOTH).collect();
        for &at in &queue {
            self.take(at);
        }
        const NEIGHBOURS: [(i32, i32); 8] = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];
        let mut head = 0;
        while head < queue.len() {
            let (i, j) = self.union[queue[head]];
            head += 1;
            for (down, right) in NEIGHBOURS {
                let (Ok(near_i), Ok(near_j)) =
                    (u16::try_from(i32::from(i) + down), u16::try_from(i32::from(j) + right))
                else {
                    continue;
                };
                let Ok(at) = self.union.binary_search(&(near_i, near_j)) else { continue };
                let free = !self.source_taken[near_i as usize] || !self.target_taken[near_j as usize];
                if self.states[at] & TAKEN == 0 && free {
                    self.take(at);
                    queue.push(at);
                }
            }
        }
    }

    fn complete(&mut self, direction: u8, wanted: fn(bool, bool) -> bool) {
        for at in 0..self.union.len() {
            let (i, j) = self.union[at];
            let source_free = !self.source_taken[i as usize];
            let target_free = !self.target_taken[j as usize];
            if self.states[at] & direction != 0 && self.states[at] & TAKEN == 0 && wanted(source_free, target_free) {
                self.take(at);
            }
        }
    }

    fn collect(&self, wanted: impl Fn(u8) -> bool) -> Vec<Link> {
        self.union.iter().zip(&self.states).filter(|&(_, &state)| wanted(state)).map(|(&link, _)| link).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORWARD_LINKS: [Link; 4] = [(0, 0), (1, 1), (1, 2), (3, 4)];
    const BACKWARD_LINKS: [Link; 4] = [(0, 0), (1, 1), (2, 2), (5, 5)];

    fn run(name: &str) -> Vec<Link> {
        symmetrise(&FORWARD_LINKS, &BACKWARD_LINKS, Method::parse(name, 0.5).unwrap())
    }

    #[test]
    fn joins_two_directions() {
        assert_eq!(run("intersection"), [(0, 0), (1, 1)]);
        assert_eq!(run("union"), [(0, 0), (1, 1), (1, 2), (2, 2), (3, 4), (5, 5)]);
        assert_eq!(run("grow-diag"), [(0, 0), (1, 1), (1, 2), (2, 2)]);
        assert_eq!(run("grow-diag-final"), [(0, 0), (1, 1), (1, 2), (2, 2), (3, 4), (5, 5)]);
        assert_eq!(run("grow-diag-final-and"), [(0, 0), (1, 1), (1, 2), (2, 2), (3, 4), (5, 5)]);
        assert_eq!(run("posterior"), run("union"));
    }

    #[test]
    fn the_last_step_wants_both_tokens_free() {
        let forward = [(0, 0), (0, 3)];
        let backward = [(0, 0)];
        assert_eq!(symmetrise(&forward, &backward, Method::GrowDiagFinalAnd), [(0, 0)]);
        assert_eq!(symmetrise(&forward, &backward, Method::GrowDiagFinal), [(0, 0), (0, 3)]);
    }

    #[test]
    fn unknown_method_is_refused() {
        assert!(Method::parse("grow", 0.5).is_err());
        assert!(Method::parse("posterior", f32::NAN).is_err());
    }
}
