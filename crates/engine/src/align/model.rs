//! A trained aligner: two vocabularies, a lexical table, and a model of positions.

use rayon::prelude::*;

use super::bitext::{Bitext, Shape, Side};
use super::block::{Block, BlockMut};
use super::diagonal::{self, Diagonal};
use super::em;
use super::frozen::{self, Fertile};
use super::gauss::{Bell, Variant};
use super::grids::columns;
use super::hmm::{self, Hmm};
use super::posteriors::{Belief, Choice, Posteriors, TOGETHER, beliefs};
use super::table::Table;
use crate::corpus::vocabulary::{Vocabulary, VocabularyBuilder};
use crate::files::Section;
use crate::{Error, Result};

/// What is known of positions, per shape of sentence pair.
#[derive(Debug, Clone, Default)]
pub struct Shaped {
    /// Source and target lengths, sorted.
    pub shapes: Section<u32>,
    /// Where the numbers of each shape start; one more at the end.
    pub starts: Section<u64>,
    /// A grid each (Model 2), or NULL, mean and variance for each column (Gaussian).
    pub numbers: Section<f32>,
}

impl Shaped {
    fn find(&self, shape: Shape) -> Option<&[f32]> {
        let count = self.shapes.len() / 2;
        let key = (shape.source as u32, shape.target as u32);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            let here = (self.shapes[2 * middle], self.shapes[2 * middle + 1]);
            if here < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = low < count && (self.shapes[2 * low], self.shapes[2 * low + 1]) == key;
        found.then(|| &self.numbers[self.starts[low] as usize..self.starts[low + 1] as usize])
    }
}

/// The position model, both directions.
#[derive(Debug, Clone)]
pub enum Position {
    /// IBM Model 1.
    Uniform,
    /// IBM Model 2; shapes never seen are uniform.
    Table(Shaped),
    /// Diagonal-favouring.
    Diagonal([Diagonal; 2]),
    /// One Gaussian per column; shapes never seen follow the diagonal.
    Gauss(Variant, Shaped),
    /// Hidden Markov model: p₀ and folded jump weights.
    Hmm([(f32, Section<f32>); 2]),
    /// HMM with fertilities: p₀, folded jump weights, fertility ratios.
    Fertility([(f32, Section<f32>, Section<f32>); 2]),
}

impl Position {
    /// The name users know it by.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uniform => "ibm1",
            Self::Table(_) => "ibm2",
            Self::Diagonal(_) => "diagonal",
            Self::Gauss(..) => "gauss",
            Self::Hmm(_) => "hmm",
            Self::Fertility(_) => "fertility",
        }
    }
}

/// A trained aligner.
#[derive(Debug, Clone)]
pub struct Model {
    /// Source words.
    pub source: Vocabulary,
    /// Target words.
    pub target: Vocabulary,
    /// t.
    pub table: Table,
    /// Where words go.
    pub position: Position,
}

/// Pairs aligned as one piece of parallel work.
const PIECE: usize = 64;

impl Model {
    /// Ids of new text; unknown words become `<unk>`.
    ///
    /// # Errors
    /// If the numbers of lines differ or a sentence has more than `most_tokens` tokens.
    pub fn encode(&self, sources: &[&str], targets: &[&str], most_tokens: usize) -> Result<Bitext> {
        let side = |lines: &[&str], vocabulary: &Vocabulary| {
            let mut side = Side::new([], vocabulary.len());
            let mut ids = Vec::new();
            for (number, line) in lines.iter().enumerate() {
                ids.clear();
                vocabulary.encode_into(line, &mut ids);
                check_length(ids.len(), most_tokens, number)?;
                side.push(&ids);
            }
            Ok(side)
        };
        Bitext::new(side(sources, &self.source)?, side(targets, &self.target)?)
    }

    /// Aligns text in parallel.
    pub fn align(&self, bitext: &Bitext) -> Posteriors {
        let ready = Ready::new(self, bitext);
        let pieces: Vec<usize> = (0..bitext.len().div_ceil(PIECE)).collect();
        let found: Vec<Vec<Vec<Belief>>> = pieces
            .into_par_iter()
            .map(|piece| {
                let mut block = Vec::new();
                let mut scratch = hmm::Scratch::default();
                (piece * PIECE..((piece + 1) * PIECE).min(bitext.len()))
                    .map(|k| self.pair(&ready, bitext, k, &mut block, &mut scratch))
                    .collect()
            })
            .collect();
        let mut posteriors = Posteriors::new(bitext.len());
        for (k, kept) in found.into_iter().flatten().enumerate() {
            posteriors.set(k, &kept);
        }
        posteriors
    }

    /// p(word | NULL) of a target word, or of a source word if not `forward`.
    pub fn null_probability(&self, word: &str, forward: bool) -> f32 {
        if forward {
            self.table.null[0][self.target.id(word) as usize]
        } else {
            self.table.null[1][self.source.id(word) as usize]
        }
    }

    /// D(i | j, ℓ, m) for every j and every i, NULL first, if the model has such a table.
    pub fn positions(&self, source: usize, target: usize, forward: bool) -> Option<Vec<Vec<f32>>> {
        if matches!(self.position, Position::Hmm(_) | Position::Fertility(_)) {
            return None;
        }
        let shape = Shape { source, target };
        let mut grid = vec![0f32; shape.block()];
        write_grid(&self.position, shape, &mut grid);
        let wanted = columns(shape).filter(|(side, _)| *side == forward);
        Some(wanted.map(|(_, c)| std::iter::once(c.null).chain(c.indices()).map(|at| grid[at]).collect()).collect())
    }

    fn pair(
        &self,
        ready: &Ready,
        bitext: &Bitext,
        k: usize,
        block: &mut Vec<f32>,
        scratch: &mut hmm::Scratch,
    ) -> Vec<Belief> {
        let shape = bitext.shape(k);
        if shape.cells() == 0 {
            return Vec::new();
        }
        let (source, target) = (bitext.source.sentence(k), bitext.target.sentence(k));
        block.clear();
        block.resize(shape.block(), 0.0);
        self.table.fill(source, target, block);
        match (&self.position, ready) {
            (_, Ready::Hmm(models)) => {
                hmm::posteriors(models, shape, block, None, scratch);
            }
            (_, Ready::Fertility(models)) => sample(models, source, target, shape, block, scratch),
            (position, Ready::Independent) => {
                let mut grid = vec![0f32; shape.block()];
                write_grid(position, shape, &mut grid);
                for (value, p) in block.iter_mut().zip(&grid) {
                    *value *= p;
                }
                em::normalise(&mut BlockMut::new(block, shape), shape);
            }
        }
        let choice = if matches!(ready, Ready::Fertility(_)) { TOGETHER } else { Choice::Apart };
        beliefs(Block::new(block, shape), shape, choice)
    }
}

/// Jump tables long enough for the text at hand.
enum Ready {
    Independent,
    Hmm([Hmm; 2]),
    Fertility([Fertile; 2]),
}

impl Ready {
    fn new(model: &Model, bitext: &Bitext) -> Self {
        let longest = |side: &Side| (0..side.len()).map(|k| side.sentence(k).len()).max().unwrap_or(0);
        let longest = [longest(&bitext.source), longest(&bitext.target)];
        let jumps = |weights: &[f32], side: usize| super::jumps::Jumps::new(weights, longest[side]);
        match &model.position {
            Position::Hmm(both) => Self::Hmm(std::array::from_fn(|side| {
                let (null, weights) = &both[side];
                Hmm { null: *null, jumps: jumps(weights, side) }
            })),
            Position::Fertility(both) => Self::Fertility(std::array::from_fn(|side| {
                let (null, weights, ratios) = &both[side];
                Fertile { null: *null, jumps: jumps(weights, side), ratios: ratios.clone() }
            })),
            _ => Self::Independent,
        }
    }
}

fn sample(
    models: &[Fertile; 2],
    source: &[u32],
    target: &[u32],
    shape: Shape,
    block: &mut [f32],
    scratch: &mut hmm::Scratch,
) {
    let mut start = block.to_vec();
    let plain = [0, 1].map(|side: usize| Hmm { null: models[side].null, jumps: models[side].jumps.clone() });
    hmm::posteriors(&plain, shape, &mut start, None, scratch);
    let start = Block::new(&start, shape);
    let view = BlockMut::new(block, shape);
    let mut turned = turn(view.forward, shape);
    let begin = (&*turn(start.forward, shape), start.forward_null);
    frozen::marginals(&models[0], source, target, begin, &mut turned, view.forward_null);
    for (j, column) in turned.chunks_exact(shape.source).enumerate() {
        for (i, &p) in column.iter().enumerate() {
            view.forward[i * shape.target + j] = p;
        }
    }
    let begin = (start.backward, start.backward_null);
    frozen::marginals(&models[1], target, source, begin, view.backward, view.backward_null);
}

/// Source-major numbers as target-major ones.
fn turn(numbers: &[f32], shape: Shape) -> Vec<f32> {
    (0..shape.target).flat_map(|j| numbers[j..].iter().step_by(shape.target).take(shape.source).copied()).collect()
}

/// The grid of a shape under a position model whose tokens are independent.
fn write_grid(position: &Position, shape: Shape, grid: &mut [f32]) {
    let uniform = |grid: &mut [f32]| {
        for (_, column) in columns(shape) {
            let p = 1.0 / (column.len + 1) as f32;
            grid[column.null] = p;
            for at in column.indices() {
                grid[at] = p;
            }
        }
    };
    match position {
        Position::Diagonal(models) => diagonal::write(models, shape, grid),
        Position::Table(shaped) => match shaped.find(shape) {
            Some(numbers) => grid.copy_from_slice(numbers),
            None => uniform(grid),
        },
        Position::Gauss(variant, shaped) => {
            let numbers = shaped.find(shape);
            for (at, (_, column)) in columns(shape).enumerate() {
                let (null, bell) = match numbers {
                    Some(numbers) => {
                        let [null, mean, variance] = std::array::from_fn(|n| f64::from(numbers[3 * at + n]));
                        (null, Bell { mean, variance })
                    }
                    None => (1.0 / (column.len + 1) as f64, Bell::prior(column.len, column.own, column.own_len)),
                };
                grid[column.null] = null as f32;
                for (at, p) in column.indices().zip(bell.spread(*variant, column.len)) {
                    grid[at] = ((1.0 - null) * p) as f32;
                }
            }
        }
        _ => uniform(grid),
    }
}

/// Reads training text: ids by descending frequency, and the vocabularies that say what they stand for.
///
/// # Errors
/// If the numbers of lines differ, there is no pair with words on both sides, or a sentence is too long.
pub fn read(sources: &[&str], targets: &[&str], most_tokens: usize) -> Result<(Bitext, Vocabulary, Vocabulary)> {
    let side = |lines: &[&str]| -> Result<(Side, Vocabulary)> {
        let mut builder = VocabularyBuilder::new();
        let mut side = Side::new([], 0);
        let mut ids: Vec<u32> = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            ids.clear();
            builder.add_line(line, |id| ids.push(id));
            check_length(ids.len(), most_tokens, number)?;
            side.push(&ids);
        }
        let (vocabulary, renumbered) = builder.finish(0, None);
        side.renumber(&renumbered, vocabulary.len());
        Ok((side, vocabulary))
    };
    let ((source, source_words), (target, target_words)) = (side(sources)?, side(targets)?);
    let bitext = Bitext::new(source, target)?;
    if (0..bitext.len()).all(|k| bitext.shape(k).cells() == 0) {
        return Err(Error::input("no sentence pair has words on both sides")
            .hint("give two texts with one sentence a line, translation by translation"));
    }
    Ok((bitext, source_words, target_words))
}

fn check_length(tokens: usize, most: usize, number: usize) -> Result<()> {
    if tokens <= most {
        return Ok(());
    }
    Err(Error::limit(format!("the sentence has {tokens} tokens, more than {most}"))
        .at_line(number as u64 + 1)
        .hint("split it, leave it out, or raise the limit: TOLKA_SENTENCE_TOKENS"))
}
