//! Line searches over all derivations of forests (Kumar, Macherey, Dyer and Och 2009).
//!
//! The envelope of a node is the envelope of the union over its edges; that of an edge is the sum of those of its tails,
//! whose breakpoints are those of the tails in one order (a Minkowski sum of convex hulls).

use rayon::prelude::*;

use super::envelope::{Line, Piece, Step, envelope, sweep};
use super::forests::{Forests, Tunable, check_sentences};
use super::mert::{Settings, Space, climb};
use super::{Tuned, gain};
use crate::Result;
use crate::forest::kbest::Edges;
use crate::metric::{Metric, Scratch, add};

/// No derivation, where an edge has fewer than two tails.
const NONE: u32 = u32::MAX;

/// Derivations that are best somewhere: an edge, and derivations of its tails.
type Arena = Vec<(u32, [u32; 2])>;

/// Tunes the dense weights that are not frozen; sparse weights stay as they are.
///
/// # Errors
/// Weights, settings or forests that make no sense.
pub fn forest_mert(
    forests: &Forests,
    metric: &dyn Metric,
    start: &[f64],
    frozen: &[usize],
    settings: &Settings,
) -> Result<Tuned> {
    check_sentences(forests, metric)?;
    climb(forests, metric, start, frozen, settings)
}

/// The derivations of a sentence that are best somewhere along a direction, from left to right, with the arena they are in.
fn derivations(tunable: &Tunable, weights: &[f64], direction: &[f64]) -> (Vec<Piece>, Arena) {
    let forest = &tunable.forest;
    let mut arena: Arena = Vec::new();
    let mut nodes: Vec<Vec<Piece>> = Vec::with_capacity(forest.nodes());
    let (mut lines, mut candidates) = (Vec::new(), Vec::new());
    for node in 0..forest.nodes() as u32 {
        lines.clear();
        candidates.clear();
        for number in forest.incoming(node) {
            let edge = forest.edge(number);
            let height = tunable.dot(&edge, weights);
            let slope = edge.features.iter().zip(direction).map(|(&value, along)| f64::from(value) * along).sum();
            let mut add = |slope: f64, height: f64, tails: [u32; 2]| {
                lines.push(Line { slope, height, item: candidates.len() as u32 });
                candidates.push((number, tails));
            };
            let tails: Vec<&Vec<Piece>> = edge.tails().map(|tail| &nodes[tail as usize]).collect();
            match tails[..] {
                [] => add(slope, height, [NONE; 2]),
                [one] => one.iter().for_each(|piece| {
                    add(slope + piece.line.slope, height + piece.line.height, [piece.line.item, NONE]);
                }),
                [one, two, ..] => pairs(one, two, |a, b| {
                    add(slope + a.slope + b.slope, height + a.height + b.height, [a.item, b.item]);
                }),
            }
        }
        let mut pieces = envelope(&mut lines);
        for piece in &mut pieces {
            arena.push(candidates[piece.line.item as usize]);
            piece.line.item = arena.len() as u32 - 1;
        }
        nodes.push(pieces);
    }
    (nodes.pop().unwrap_or_default(), arena)
}

/// The pairs of lines that are best together somewhere.
fn pairs(one: &[Piece], two: &[Piece], mut each: impl FnMut(Line, Line)) {
    let (mut a, mut b) = (0, 0);
    while a < one.len() && b < two.len() {
        each(one[a].line, two[b].line);
        let next = |pieces: &[Piece], at: usize| pieces.get(at + 1).map_or(f64::INFINITY, |piece| piece.from);
        let (next_a, next_b) = (next(one, a), next(two, b));
        // Where both break at once, both go on.
        a += usize::from(next_a <= next_b);
        b += usize::from(next_b <= next_a);
    }
}

/// A derivation of the arena as a list of edges, each after those of its tails.
fn unpack(arena: &Arena, derivation: u32) -> Edges {
    let mut edges: Edges = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    let mut pending = vec![(derivation, false)];
    while let Some((at, tails_done)) = pending.pop() {
        let (edge, tails) = arena[at as usize];
        let tails = tails.into_iter().filter(|&tail| tail != NONE);
        if tails_done {
            let places = done.split_off(done.len() - tails.count());
            done.push(edges.len());
            edges.push((edge, places));
        } else {
            pending.push((at, true));
            let first = pending.len();
            pending.extend(tails.map(|tail| (tail, false)));
            pending[first..].reverse();
        }
    }
    edges
}

/// The best derivation under weights.
pub(crate) fn viterbi(tunable: &Tunable, weights: &[f64]) -> Option<Edges> {
    let (pieces, arena) = derivations(tunable, weights, &[]);
    pieces.first().map(|piece| unpack(&arena, piece.line.item))
}

impl Space for Forests {
    fn dense(&self) -> usize {
        self.dense()
    }

    fn features(&self) -> usize {
        self.features()
    }

    fn gain(&self, metric: &dyn Metric, weights: &[f64]) -> f64 {
        let best = |scratch: &mut Scratch, (sentence, tunable): (usize, &Tunable)| {
            viterbi(tunable, weights).map(|edges| tunable.stats(metric, sentence, &edges, scratch))
        };
        let rows: Vec<_> = self.all().par_iter().enumerate().map_init(Scratch::default, best).collect();
        let mut sum = vec![0.0; metric.width()];
        rows.iter().flatten().for_each(|row| add(&mut sum, row));
        gain(metric, &sum)
    }

    fn search(&self, metric: &dyn Metric, weights: &[f64], direction: &[f64]) -> Step {
        let one = |scratch: &mut Scratch, (sentence, tunable): (usize, &Tunable)| {
            let (mut pieces, arena) = derivations(tunable, weights, direction);
            let mut rows = Vec::with_capacity(pieces.len() * metric.width());
            for (piece, number) in pieces.iter_mut().zip(0..) {
                rows.extend(tunable.stats(metric, sentence, &unpack(&arena, piece.line.item), scratch));
                piece.line.item = number;
            }
            (pieces, rows)
        };
        let found: Vec<_> = self.all().par_iter().enumerate().map_init(Scratch::default, one).collect();
        let (envelopes, rows): (Vec<Vec<Piece>>, Vec<Vec<f64>>) = found.into_iter().unzip();
        let width = metric.width();
        sweep(metric, &envelopes, |sentence, item| &rows[sentence][item as usize * width..][..width])
    }
}
