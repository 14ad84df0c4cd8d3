//! How often rules and words are expected with which variants, given trees that have none (Matsuzaki et al. 2005).

use rayon::prelude::*;

use super::level::{Level, Places};
use super::treebank::{Made, Node, Treebank};

/// Parts that trees are counted in; a fixed number, so that sums do not depend on threads.
const PARTS: usize = 4;

/// Expected counts, in the places of a level's probabilities.
#[derive(Debug, Clone)]
pub struct Counts {
    pub(super) places: Places,
    pub(super) binary: Vec<f64>,
    pub(super) unary: Vec<f64>,
    /// Of states that have no unary rule.
    pub(super) kept: Vec<f64>,
    /// Of each meeting of a tag and a word, and where they begin.
    pub(super) words: Vec<f64>,
    pub(super) word_places: Vec<usize>,
    /// For each pair of states that were one before how much likelihood is lost if they are one again.
    pub(super) losses: Vec<f64>,
    /// The logarithm of the likelihood of all trees.
    pub log_likelihood: f64,
}

impl Counts {
    fn nothing(treebank: &Treebank, places: &Places) -> Self {
        let variants = treebank.meetings.iter().map(|meeting| places.of(meeting.tag));
        let word_places = super::level::begins(variants);
        let zeros = |places: &[usize]| vec![0.0; *places.last().unwrap_or(&0)];
        Self {
            binary: zeros(&places.binary),
            unary: zeros(&places.unary),
            kept: zeros(&places.states),
            words: zeros(&word_places),
            losses: zeros(&places.states),
            places: places.clone(),
            word_places,
            log_likelihood: 0.0,
        }
    }

    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.binary, &other.binary),
            (&mut self.unary, &other.unary),
            (&mut self.kept, &other.kept),
            (&mut self.words, &other.words),
            (&mut self.losses, &other.losses),
        ];
        for (to, from) in pairs {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        self.log_likelihood += other.log_likelihood;
    }
}

/// Counts what is expected under a level. With the shares of states among their pairs, losses too.
pub fn expect(treebank: &Treebank, level: &Level, shares: Option<&[f64]>) -> Counts {
    let emissions: Vec<f32> = treebank
        .meetings
        .par_iter()
        .flat_map_iter(|meeting| level.lexicon.emission(Some(meeting.word), &meeting.forms, meeting.tag))
        .collect();
    let size = treebank.len().div_ceil(PARTS).max(1);
    let parts: Vec<Counts> = (0..PARTS)
        .into_par_iter()
        .map(|part| {
            let mut counts = Counts::nothing(treebank, &level.places);
            let mut walk = Walk { level, emissions: &emissions, shares, begins: Vec::new(), values: Vec::new() };
            for number in part * size..((part + 1) * size).min(treebank.len()) {
                let (nodes, first) = treebank.tree(number);
                walk.tree(nodes, first, &mut counts);
            }
            counts
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| Counts::nothing(treebank, &level.places));
    parts.for_each(|part| sum.add(&part));
    sum
}

struct Walk<'a> {
    level: &'a Level,
    emissions: &'a [f32],
    shares: Option<&'a [f64]>,
    begins: Vec<usize>,
    /// For each state of each node how probable what is below it is.
    values: Vec<f64>,
}

impl Walk<'_> {
    fn tree(&mut self, nodes: &[Node], first: usize, counts: &mut Counts) {
        self.begins = super::level::begins(nodes.iter().map(|node| self.level.places.of(node.symbol)));
        let size = *self.begins.last().unwrap_or(&0);
        self.values.clear();
        self.values.resize(size, 0.0);
        let Some(log) = self.up(nodes, first, counts) else { return };
        counts.log_likelihood += log;
        self.down(nodes, first, counts);
    }

    /// A node's values as its parent sees them: those that a binary rule or word has made may stay as they are.
    fn seen(&self, nodes: &[Node], at: usize) -> Vec<f64> {
        let values = &self.values[self.begins[at]..self.begins[at + 1]];
        if matches!(nodes[at].made, Made::Unary(_)) {
            return values.to_vec();
        }
        let state = self.level.places.states[nodes[at].symbol as usize];
        values.iter().zip(&self.level.kept[state..]).map(|(value, &kept)| value * f64::from(kept)).collect()
    }

    fn up(&mut self, nodes: &[Node], first: usize, counts: &Counts) -> Option<f64> {
        let (binary, unary): (&[f32], &[f32]) = (&self.level.binary, &self.level.unary);
        let places = &self.level.places;
        let mut log = 0.0;
        for (at, node) in nodes.iter().enumerate() {
            let size = places.of(node.symbol);
            let mut own = vec![0.0; size];
            match node.made {
                Made::Word(meeting) => {
                    let begin = counts.word_places[meeting as usize];
                    own.iter_mut().zip(&self.emissions[begin..]).for_each(|(own, &value)| *own = f64::from(value));
                }
                Made::Unary(rule) => {
                    let below = &self.values[self.begins[at - 1]..self.begins[at]];
                    let blocks = unary[places.unary[rule as usize]..].chunks_exact(size);
                    for (value, row) in below.iter().zip(blocks) {
                        own.iter_mut().zip(row).for_each(|(own, &p)| *own += value * f64::from(p));
                    }
                }
                Made::Binary(rule, [left, right]) => {
                    let (left, right) =
                        (self.seen(nodes, left as usize - first), self.seen(nodes, right as usize - first));
                    let mut rows = binary[places.binary[rule as usize]..].chunks_exact(size);
                    for l in &left {
                        for (r, row) in right.iter().zip(&mut rows) {
                            let both = l * r;
                            own.iter_mut().zip(row).for_each(|(own, &p)| *own += both * f64::from(p));
                        }
                    }
                }
            }
            let most = own.iter().copied().fold(0.0, f64::max);
            if most <= 0.0 || !most.is_finite() {
                return None;
            }
            log += most.ln();
            let begin = self.begins[at];
            self.values[begin..begin + size].iter_mut().zip(&own).for_each(|(to, own)| *to = own / most);
        }
        let top: f64 = self.seen(nodes, nodes.len() - 1).iter().sum();
        (top > 0.0).then(|| log + top.ln())
    }

    /// Hands down what is around each node and counts. Both are known up to a factor only, but what is expected at a node
    /// adds up to 1.
    fn down(&self, nodes: &[Node], first: usize, counts: &mut Counts) {
        let places = &self.level.places;
        let mut around = vec![0.0; self.values.len()];
        let last = nodes.len() - 1;
        around[self.begins[last]..].fill(1.0);
        for (at, node) in nodes.iter().enumerate().rev() {
            let span = self.begins[at]..self.begins[at + 1];
            let state = places.states[node.symbol as usize];
            // Unless a unary rule stands over it, a node was left as it is.
            let under = at < last && matches!(nodes[at + 1].made, Made::Unary(_));
            let stays = !under && !matches!(node.made, Made::Unary(_));
            let mut outer: Vec<f64> = around[span.clone()].to_vec();
            if stays {
                outer.iter_mut().zip(&self.level.kept[state..]).for_each(|(outer, &kept)| *outer *= f64::from(kept));
            }
            let values = &self.values[span];
            let sum: f64 = outer.iter().zip(values).map(|(outer, value)| outer * value).sum();
            if sum <= 0.0 {
                return;
            }
            outer.iter_mut().for_each(|outer| *outer /= sum);
            if stays {
                let kept = &mut counts.kept[state..];
                outer.iter().zip(values).zip(kept).for_each(|((outer, value), count)| *count += outer * value);
            }
            if let Some(shares) = self.shares {
                lose(&outer, values, &shares[state..], &mut counts.losses[state..]);
            }
            match node.made {
                Made::Word(meeting) => {
                    let words = &mut counts.words[counts.word_places[meeting as usize]..];
                    outer.iter().zip(values).zip(words).for_each(|((outer, value), count)| *count += outer * value);
                }
                Made::Unary(rule) => self.down_unary(rule as usize, at, &outer, &mut around, counts),
                Made::Binary(rule, parts) => {
                    let parts = parts.map(|part| part as usize - first);
                    self.down_binary(nodes, rule as usize, parts, &outer, &mut around, counts);
                }
            }
        }
    }

    fn down_unary(&self, rule: usize, at: usize, outer: &[f64], around: &mut [f64], counts: &mut Counts) {
        let block = self.level.places.unary[rule]..self.level.places.unary[rule + 1];
        let below = self.begins[at - 1]..self.begins[at];
        let probabilities = &self.level.unary[block.clone()];
        let all: f64 = probabilities
            .chunks_exact(outer.len())
            .zip(&self.values[below.clone()])
            .map(|(row, value)| value * row.iter().zip(outer).map(|(&p, o)| f64::from(p) * o).sum::<f64>())
            .sum();
        if all <= 0.0 {
            return;
        }
        let counted = &mut counts.unary[block];
        let rows = probabilities.chunks_exact(outer.len()).zip(counted.chunks_exact_mut(outer.len()));
        for (child, (row, counted)) in below.zip(rows) {
            let value = self.values[child];
            for ((&p, o), count) in row.iter().zip(outer).zip(counted) {
                let part = f64::from(p) * o;
                around[child] += part;
                *count += part * value / all;
            }
        }
    }

    fn down_binary(
        &self,
        nodes: &[Node],
        rule: usize,
        [one, two]: [usize; 2],
        outer: &[f64],
        around: &mut [f64],
        counts: &mut Counts,
    ) {
        let (left, right) = (self.seen(nodes, one), self.seen(nodes, two));
        let block = self.level.places.binary[rule]..self.level.places.binary[rule + 1];
        let probabilities = &self.level.binary[block.clone()];
        let size = outer.len();
        let sums: Vec<f64> = probabilities
            .chunks_exact(size)
            .map(|row| row.iter().zip(outer).map(|(&p, o)| f64::from(p) * o).sum())
            .collect();
        let mut all = 0.0;
        for (l, row) in left.iter().zip(sums.chunks_exact(right.len())) {
            all += l * row.iter().zip(&right).map(|(sum, r)| sum * r).sum::<f64>();
        }
        if all <= 0.0 {
            return;
        }
        let counted = &mut counts.binary[block];
        for (l, value) in left.iter().enumerate() {
            for (r, other) in right.iter().enumerate() {
                let at = l * right.len() + r;
                let (sum, both) = (sums[at], value * other / all);
                around[self.begins[one] + l] += sum * other;
                around[self.begins[two] + r] += sum * value;
                if both > 0.0 {
                    let row = probabilities[at * size..].iter().zip(outer);
                    counted[at * size..][..size].iter_mut().zip(row).for_each(|(count, (&p, o))| {
                        *count += f64::from(p) * o * both;
                    });
                }
            }
        }
    }
}

/// Adds how much less likely a tree is if the two states of each pair are one at a node (Petrov et al. 2006, section 2.3).
fn lose(outer: &[f64], values: &[f64], shares: &[f64], losses: &mut [f64]) {
    for pair in 0..values.len() / 2 {
        let [a, b] = [2 * pair, 2 * pair + 1];
        let apart = outer[a] * values[a] + outer[b] * values[b];
        let together = (shares[a] * values[a] + shares[b] * values[b]) * (outer[a] + outer[b]);
        // The products of all states add up to 1.
        losses[a] -= (1.0 - apart + together).max(1e-30).ln();
    }
}
