//! Reservoirs over graphs: states that settle, because every step brings them closer to each other.
//!
//! A vertex hears its own word and, through one matrix per kind of edge, its neighbours; all vertices step at once until none
//! moves. If the weighted sizes of a side's matrices sum to less than 1 there is exactly one such state, whatever the start
//! (Gallicchio and Micheli 2010; Miceli Barone 2015, section 5.1).

use hashbrown::HashMap;
use rayon::prelude::*;

use super::graph::{Graph, Neighbours, prune_children, prune_links};
use super::kernel::{Stack, padded};
use super::reservoir::Norm;
use crate::{Error, Result};

/// Recurrent matrices of one side, row by row: left, right, then align, then parent and child; as many as the model has.
pub type Matrices = Vec<Vec<f64>>;

/// How a network runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What links weigh together at a word: d of eqs. 5.5 and 5.7.
    pub links: f64,
    /// What children weigh together at their parent.
    pub children: f64,
    /// Whether a word keeps that many links and children, and hears their sum, rather than the mean of all.
    pub prune: bool,
    /// Whether states are averaged over the target rather than summed.
    pub mean: bool,
    /// It has settled when no number moves further than this.
    pub tolerance: f32,
    /// Steps at most.
    pub most: usize,
    /// Whether matrices must be so small that states surely settle.
    pub bounded: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { links: 1.0, children: 1.0, prune: false, mean: false, tolerance: 1e-6, most: 500, bounded: true }
    }
}

/// A reservoir for graphs.
#[derive(Debug, Clone)]
pub struct Network {
    size: usize,
    width: usize,
    // Without a source side it reads the target alone.
    source: Option<Stack>,
    target: Stack,
    dependencies: bool,
    settings: Settings,
    arch: pulp::Arch,
}

/// Many graphs: for each sentence its source, and for each of its translations the target and its links.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Inputs of source words, a row each.
    pub source_inputs: &'a [f32],
    /// Inputs of target words, a row each.
    pub target_inputs: &'a [f32],
    /// The graphs, those of a sentence in a row.
    pub graphs: &'a [Graph<'a>],
    /// Per sentence its first graph, and an end.
    pub begins: &'a [usize],
}

/// States of graphs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pooled {
    /// A row of states per graph.
    pub states: Vec<f32>,
    /// The steps each took.
    pub steps: Vec<u32>,
}

/// Memory of one run, used again for the next.
#[derive(Debug, Clone, Default)]
struct Work {
    links: Vec<[u32; 2]>,
    edges: Vec<[u32; 2]>,
    // For source words linked target words, and the other way round.
    linked: [Neighbours; 2],
    children: Neighbours,
    drive: [Vec<f32>; 2],
    states: [Vec<f32>; 2],
    gathered: [Vec<f32>; 2],
}

const SOURCE: usize = 0;
const TARGET: usize = 1;

impl Network {
    /// From matrices of `size` rows: for the target alone 2; or 3, with 3 or 5 for the source.
    ///
    /// # Errors
    /// Matrices that do not fit, settings that make no sense, or matrices too large for states to settle surely.
    pub fn new(size: usize, source: &[Vec<f64>], target: &[Vec<f64>], settings: Settings) -> Result<Self> {
        let fits = matches!((source.len(), target.len()), (0, 2) | (3 | 5, 3));
        if size == 0 || !fits || source.iter().chain(target).any(|matrix| matrix.len() != size * size) {
            return Err(Error::settings("the matrices of a reservoir do not fit each other"));
        }
        if source.iter().chain(target).flatten().any(|value| !value.is_finite()) {
            return Err(Error::settings("a matrix of a reservoir has a number that is not finite"));
        }
        let weighs = |weight: f64| weight.is_finite() && weight >= 0.0 && (!settings.prune || weight.fract() == 0.0);
        if !weighs(settings.links) || !weighs(settings.children) {
            let what = "the weights of links and children must be numbers of at least 0, whole ones for pruning";
            return Err(Error::settings(what));
        }
        if settings.most == 0 || !settings.tolerance.is_finite() || settings.tolerance < 0.0 {
            return Err(Error::settings("a reservoir needs a tolerance of at least 0 and at least one step"));
        }
        let weights = [1.0, 1.0, settings.links, 1.0, settings.children];
        for (name, side) in [("source", source), ("target", target)] {
            let bound: f64 =
                side.iter().zip(weights).map(|(matrix, weight)| weight * Norm::Spectral.of(matrix, size)).sum();
            if settings.bounded && bound >= 1.0 {
                let what =
                    format!("the matrices of the {name} sum to a size of {bound:.3}, so states may never settle");
                return Err(Error::settings(what).hint("lower the contractivity below 1"));
            }
        }
        let stack = |side: &[Vec<f64>]| Stack::new(&side.iter().map(Vec::as_slice).collect::<Vec<_>>(), size);
        Ok(Self {
            size,
            width: padded(size),
            source: (!source.is_empty()).then(|| stack(source)),
            target: stack(target),
            dependencies: source.len() == 5,
            settings,
            arch: pulp::Arch::new(),
        })
    }

    /// Numbers in a state.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The settled states of graphs, summed or averaged over the target. Equal graphs of a sentence are run once.
    ///
    /// # Errors
    /// Graphs that make no sense.
    pub fn pooled(&self, batch: Batch<'_>) -> Result<Pooled> {
        let rows = self.check(batch.source_inputs, batch.target_inputs)?;
        let ends = batch.begins.first() == Some(&0) && batch.begins.last() == Some(&batch.graphs.len());
        if !ends || !batch.begins.is_sorted() {
            return Err(Error::input("the lists of graphs do not fit the graphs"));
        }
        batch.graphs.par_iter().try_for_each(|graph| self.check_graph(graph, rows))?;
        let mut different = Vec::new();
        let mut places = Vec::with_capacity(batch.graphs.len());
        let mut known = HashMap::new();
        for own in batch.begins.windows(2) {
            known.clear();
            for graph in &batch.graphs[own[0]..own[1]] {
                let links = if self.source.is_some() { graph.links } else { &[] };
                places.push(*known.entry((graph.target, links)).or_insert_with(|| {
                    different.push(graph);
                    different.len() - 1
                }));
            }
        }
        let inputs = [batch.source_inputs, batch.target_inputs];
        let found: Vec<(Vec<f32>, u32)> = different
            .par_iter()
            .with_min_len(8)
            .map_init(Work::default, |work, graph| {
                let steps = self.run(inputs, graph, 0.0, work);
                (self.pool(&work.states[TARGET]), steps)
            })
            .collect();
        let mut result = Pooled::default();
        for place in places {
            let (states, steps) = &found[place];
            result.states.extend_from_slice(states);
            result.steps.push(*steps);
        }
        Ok(result)
    }

    /// The states of one graph's source and target vertices, and the steps taken, all states starting from `start`.
    ///
    /// # Errors
    /// A graph that makes no sense.
    pub fn states(&self, inputs: [&[f32]; 2], graph: &Graph<'_>, start: f32) -> Result<([Vec<f32>; 2], u32)> {
        self.check_graph(graph, self.check(inputs[SOURCE], inputs[TARGET])?)?;
        let mut work = Work::default();
        let steps = self.run(inputs, graph, start, &mut work);
        let plain = |states: &[f32]| states.chunks(self.width).flat_map(|row| row[..self.size].to_vec()).collect();
        Ok((work.states.each_ref().map(|states| plain(states)), steps))
    }

    fn check(&self, source: &[f32], target: &[f32]) -> Result<[usize; 2]> {
        if !source.len().is_multiple_of(self.size) || !target.len().is_multiple_of(self.size) {
            return Err(Error::input("inputs of words have another size than the reservoir"));
        }
        if source.iter().chain(target).any(|value| !value.is_finite()) {
            return Err(Error::input("the input of a word is not a finite number"));
        }
        Ok([source.len() / self.size, target.len() / self.size])
    }

    fn check_graph(&self, graph: &Graph<'_>, [source, target]: [usize; 2]) -> Result<()> {
        if self.source.is_none() {
            return Graph { target: graph.target, ..Graph::default() }.check(source, target);
        }
        if self.dependencies && graph.heads.len() != graph.source.len() {
            return Err(Error::input("the source has no heads").hint("give the source as trees, in CoNLL-U"));
        }
        graph.check(source, target)
    }

    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let mut sum = vec![0f32; self.size];
        for row in states.chunks(self.width) {
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        if self.settings.mean {
            let vertices = (states.len() / self.width).max(1) as f32;
            sum.iter_mut().for_each(|value| *value /= vertices);
        }
        sum
    }

    fn run(&self, inputs: [&[f32]; 2], graph: &Graph<'_>, start: f32, work: &mut Work) -> u32 {
        self.prepare(inputs, graph, start, work);
        let mut steps = 0;
        while steps < self.settings.most {
            self.gather(graph, work);
            steps += 1;
            let mut change = 0f32;
            for (side, stack) in [(SOURCE, self.source.as_ref()), (TARGET, Some(&self.target))] {
                if let Some(stack) = stack {
                    let (gathered, drive, states) = (&work.gathered[side], &work.drive[side], &mut work.states[side]);
                    let width = self.width;
                    change = change.max(stack.step(self.arch, gathered, drive, states, width));
                }
            }
            if change < self.settings.tolerance {
                break;
            }
        }
        u32::try_from(steps).unwrap_or(u32::MAX)
    }

    fn prepare(&self, inputs: [&[f32]; 2], graph: &Graph<'_>, start: f32, work: &mut Work) {
        let words = [if self.source.is_some() { graph.source } else { &[] }, graph.target];
        for side in [SOURCE, TARGET] {
            let (drive, states) = (&mut work.drive[side], &mut work.states[side]);
            drive.clear();
            drive.resize(words[side].len() * self.width, 0.0);
            states.clear();
            states.resize(drive.len(), 0.0);
            for (at, &word) in words[side].iter().enumerate() {
                let input = &inputs[side][word as usize * self.size..][..self.size];
                drive[at * self.width..][..self.size].copy_from_slice(input);
                states[at * self.width..][..self.size].fill(start);
            }
        }
        if self.source.is_none() {
            return;
        }
        let (source, target) = (graph.source.len(), graph.target.len());
        work.links.clear();
        work.links.extend_from_slice(graph.links);
        work.links.sort_unstable();
        work.links.dedup();
        if self.settings.prune {
            prune_links(&mut work.links, self.settings.links as usize, source, target);
        }
        work.linked[SOURCE].fill(source, work.links.iter().map(|&[from, to]| (from, to)));
        work.linked[TARGET].fill(target, work.links.iter().map(|&[from, to]| (to, from)));
        if self.dependencies {
            let heads = graph.heads.iter().enumerate().filter(|(_, head)| **head > 0);
            work.edges.clear();
            work.edges.extend(heads.map(|(child, &head)| [head - 1, child as u32]));
            work.edges.sort_unstable();
            if self.settings.prune {
                prune_children(&mut work.edges, self.settings.children as usize);
            }
            work.children.fill(source, work.edges.iter().map(|&[parent, child]| (parent, child)));
        }
    }

    /// What each vertex hears, edge kind after edge kind.
    fn gather(&self, graph: &Graph<'_>, work: &mut Work) {
        let (size, width) = (self.size, self.width);
        for (side, stack) in [(SOURCE, self.source.as_ref()), (TARGET, Some(&self.target))] {
            let Some(stack) = stack else { continue };
            let [own, others] = if side == SOURCE { [SOURCE, TARGET] } else { [TARGET, SOURCE] };
            let (own, others) = (&work.states[own], &work.states[others]);
            let vertices = own.len() / width;
            let gathered = &mut work.gathered[side];
            gathered.clear();
            gathered.resize(vertices * stack.inputs(), 0.0);
            for (at, heard) in gathered.chunks_exact_mut(stack.inputs()).enumerate() {
                let mut parts = heard.chunks_exact_mut(size);
                let mut next = || parts.next().unwrap_or_default();
                let row = |states: &'_ [f32], at: usize| -> std::ops::Range<usize> {
                    debug_assert!(at * width < states.len());
                    at * width..at * width + size
                };
                let left = next();
                if at > 0 {
                    left.copy_from_slice(&own[row(own, at - 1)]);
                }
                let right = next();
                if at + 1 < vertices {
                    right.copy_from_slice(&own[row(own, at + 1)]);
                }
                if self.source.is_none() {
                    continue;
                }
                self.mix(next(), others, work.linked[side].of(at), self.settings.links);
                if side == SOURCE && self.dependencies {
                    let parent = next();
                    if graph.heads[at] > 0 {
                        parent.copy_from_slice(&own[row(own, graph.heads[at] as usize - 1)]);
                    }
                    self.mix(next(), own, work.children.of(at), self.settings.children);
                }
            }
        }
    }

    /// The mean of some states times a weight; their plain sum where there are only as many as the weight allows.
    fn mix(&self, into: &mut [f32], states: &[f32], members: &[u32], weight: f64) {
        for &member in members {
            let row = &states[member as usize * self.width..][..self.size];
            into.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        if !self.settings.prune && !members.is_empty() {
            let factor = weight as f32 / members.len() as f32;
            into.iter_mut().for_each(|value| *value *= factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rerank::reservoir::scale;

    // Miceli Barone's sizes: sigma 0.99 over the degree. The figures were computed in double precision.
    fn scaled(matrix: [f64; 4], wanted: f64) -> Vec<f64> {
        let mut matrix = matrix.to_vec();
        scale(&mut matrix, 2, Norm::Spectral, wanted);
        matrix
    }

    fn inputs(rows: &[[f64; 2]]) -> Vec<f32> {
        let drive = |[one, other]: &[f64; 2]| [0.5 * one - 0.3 * other, 0.2 * one + 0.4 * other];
        rows.iter().flat_map(drive).map(|value| value as f32).collect()
    }

    fn close(found: &[f32], expected: &[f32]) {
        let pairs = found.iter().zip(expected);
        assert!(found.len() == expected.len() && pairs.clone().all(|(a, b)| (a - b).abs() < 2e-6), "{found:?}");
    }

    const LEFT: [f64; 4] = [0.6, -0.8, 0.8, 0.6];
    const RIGHT: [f64; 4] = [1.0, 0.5, -0.5, 1.0];
    const WORDS: Graph<'_> = Graph { source: &[], heads: &[], target: &[0, 1, 2], links: &[] };

    #[test]
    fn a_sequence_settles() {
        let matrices = [scaled(LEFT, 0.495), scaled(RIGHT, 0.495)];
        assert!((matrices[0][1] + 0.396).abs() < 1e-9 && (matrices[1][1] - 0.221371).abs() < 1e-6);
        let target = inputs(&[[1.0, 0.0], [0.0, 1.0], [0.5, -0.5]]);
        let network = |most| Network::new(2, &[], &matrices, Settings { most, ..Settings::default() }).unwrap();
        let ([_, first], _) = network(1).states([&[], &target], &WORDS, 0.0).unwrap();
        close(&first, &[0.462117, 0.197375, -0.291313, 0.379949, 0.379949, -0.099668]);
        let ([_, last], steps) = network(500).states([&[], &target], &WORDS, 0.0).unwrap();
        close(&last, &[0.450707, 0.490394, -0.330130, 0.595152, 0.066175, -0.053919]);
        assert_eq!(steps, 26);
        let ([_, other], _) = network(500).states([&[], &target], &WORDS, 0.9).unwrap();
        close(&other, &last);
        let batch = Batch { source_inputs: &[], target_inputs: &target, graphs: &[WORDS, WORDS], begins: &[0, 2] };
        close(&network(500).pooled(batch).unwrap().states, &[0.186751, 1.031627, 0.186751, 1.031627]);
        let settings = Settings { mean: true, ..Settings::default() };
        close(
            &Network::new(2, &[], &matrices, settings).unwrap().pooled(batch).unwrap().states[..2],
            &[0.062250, 0.343876],
        );
    }

    #[test]
    fn a_pair_with_dependencies_settles() {
        let align = [0.0, 1.0, 1.0, 0.0];
        let source: Matrices = [LEFT, RIGHT, align, [1.0, 1.0, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0]]
            .map(|matrix| scaled(matrix, 0.99 / 5.0))
            .to_vec();
        let target: Matrices = [LEFT, RIGHT, align].map(|matrix| scaled(matrix, 0.99 / 3.0)).to_vec();
        let settings = Settings { tolerance: 1e-7, ..Settings::default() };
        let network = Network::new(2, &source, &target, settings).unwrap();
        let tables = [inputs(&[[0.2, 0.1], [-0.3, 0.4], [0.5, -0.5]]), inputs(&[[1.0, 0.0], [0.0, 1.0], [0.5, -0.5]])];
        let graph = Graph { source: &[0, 1, 2], heads: &[2, 0, 0], target: &[0, 1, 2], links: &[[0, 1], [1, 0]] };
        let (states, _) = network.states([&tables[0], &tables[1]], &graph, 0.0).unwrap();
        close(&states[0], &[0.190345, 0.115332, -0.107768, 0.211602, 0.339635, -0.091674]);
        close(&states[1], &[0.534783, 0.342165, -0.187185, 0.557261, 0.212531, -0.039059]);
        let batch = Batch { source_inputs: &tables[0], target_inputs: &tables[1], graphs: &[graph], begins: &[0, 1] };
        close(&network.pooled(batch).unwrap().states, &[0.560128, 0.860367]);
    }

    #[test]
    fn refuses_what_may_never_settle() {
        let large = [scaled(LEFT, 0.6), scaled(RIGHT, 0.5)];
        assert!(Network::new(2, &[], &large, Settings::default()).is_err());
        assert!(Network::new(2, &[], &large, Settings { bounded: false, ..Settings::default() }).is_ok());
        assert!(Network::new(2, &[], &large[..1], Settings::default()).is_err());
    }

    #[test]
    fn refuses_links_that_lead_outside() {
        let matrices: Matrices = vec![scaled(LEFT, 0.3); 3];
        let network = Network::new(2, &matrices, &matrices, Settings::default()).unwrap();
        let table = inputs(&[[1.0, 0.0]]);
        for (links, heads) in [(&[[0, 1]], &[][..]), (&[[1, 0]], &[]), (&[[0, 0]], &[2, 0])] {
            let graph = Graph { source: &[0, 0], heads, target: &[0, 0], links };
            assert!(network.states([&table, &table], &graph, 0.0).is_err());
        }
    }
}
