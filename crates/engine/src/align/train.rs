//! Training: any model, both directions, in shards if memory asks for it.

use super::bitext::{Bitext, Shape};
use super::block::{Block, BlockMut};
use super::cells::Cells;
use super::diagonal::{self, Diagonal};
use super::em::{self, Batches, LogLikelihood};
use super::gauss::{self, Gauss};
use super::gibbs::{self, Sampled};
use super::grids::{Grids, columns};
use super::hmm::{self, Hmm};
use super::ibm2;
use super::jumps::Jumps;
use super::lexicon::CellLexicon;
use super::model::{Model, Position, Shaped};
use super::posteriors::{Choice, Posteriors, TOGETHER, beliefs};
use super::settings::{Kind, Settings};
use super::table::Table;
use crate::corpus::vocabulary::Vocabulary;
use crate::{Error, Kind as Family, Result};

/// What training gives.
#[derive(Debug)]
pub struct Trained {
    /// The model, for new text.
    pub model: Model,
    /// What it believes about the text it was trained on.
    pub posteriors: Posteriors,
    /// Log-likelihood of both directions before each iteration; empty for sampled models.
    pub history: Vec<LogLikelihood>,
    /// How many shards the corpus was cut into.
    pub shards: usize,
}

/// Called once per [`Settings::steps`]; false stops training.
pub type Step<'a> = &'a (dyn Fn() -> bool + Sync);

/// Bytes of working memory for one token pair, measured: its cell number, its share of the tables, what is believed of
/// it in the end. Sampling keeps only what is linked, a few entries for each token.
fn bytes_per_token_pair(settings: &Settings) -> u64 {
    if settings.kind == Kind::Fertility { 8 } else { 16 }
}

/// Into how many shards a corpus must be cut to stay within the memory setting.
pub fn shards(bitext: &Bitext, settings: &Settings) -> usize {
    let pairs: u64 = (0..bitext.len()).map(|k| bitext.shape(k).cells() as u64).sum();
    usize::try_from((pairs * bytes_per_token_pair(settings)).div_ceil(settings.memory)).unwrap_or(usize::MAX).max(1)
}

/// Trains a model.
///
/// A corpus that does not fit into memory is dealt out to shards, pair by pair; each is trained and aligned on its own,
/// and the model's lexical table comes from the expected links of all of them, its positions from the first.
///
/// # Errors
/// If a setting makes no sense, or `step` stops the work.
pub fn train(
    bitext: &Bitext,
    source: Vocabulary,
    target: Vocabulary,
    settings: &Settings,
    step: Step<'_>,
) -> Result<Trained> {
    settings.check()?;
    let shards = shards(bitext, settings);
    let fits = |k: usize| {
        let shape = bitext.shape(k);
        shape.cells() > 0 && shape.source <= settings.longest && shape.target <= settings.longest
    };
    let mut posteriors = Posteriors::new(bitext.len());
    let mut history = Vec::new();
    let mut position = None;
    let mut table = None;
    for shard in 0..shards {
        let pairs: Vec<u32> = (0..bitext.len()).filter(|&k| k % shards == shard && fits(k)).map(|k| k as u32).collect();
        let Fitted { position: fitted, table: exact, history: log } = if settings.kind == Kind::Fertility {
            sample(bitext, &pairs, settings, step, &mut posteriors)?
        } else {
            Part::new(bitext, &pairs)?.fit(settings, step, &mut posteriors)?
        };
        if shard == 0 {
            position = Some(fitted);
            history = log;
            table = exact;
        }
    }
    let alpha = settings.priors.lexical;
    let table = match table {
        Some(table) if shards == 1 => table,
        _ => Table::from_posteriors(bitext, &posteriors, alpha),
    };
    let position = position.expect("there is at least one shard");
    let model = Model { source, target, table, position };
    // Pairs too long to train on are aligned like new text.
    let late: Vec<usize> = (0..bitext.len()).filter(|&k| !fits(k) && bitext.shape(k).cells() > 0).collect();
    if !late.is_empty() {
        let pick = |side: &super::bitext::Side| {
            super::bitext::Side::new(late.iter().map(|&k| side.sentence(k)), side.vocabulary())
        };
        let aligned = model.align(&Bitext::new(pick(&bitext.source), pick(&bitext.target))?);
        for (at, &k) in late.iter().enumerate() {
            posteriors.set(k, aligned.of(at));
        }
    }
    Ok(Trained { model, posteriors, history, shards })
}

fn stopped() -> Error {
    Error::new(Family::Input, "training was interrupted")
}

/// The pairs of one shard with their cells.
struct Part<'a> {
    bitext: &'a Bitext,
    pairs: &'a [u32],
    cells: Cells,
}

struct Fitted {
    position: Position,
    /// None where the expected links make the table.
    table: Option<Table>,
    history: Vec<LogLikelihood>,
}

impl<'a> Part<'a> {
    fn new(bitext: &'a Bitext, pairs: &'a [u32]) -> Result<Self> {
        Ok(Self { bitext, pairs, cells: Cells::new(bitext, pairs)? })
    }

    fn fit(self, settings: &Settings, step: Step<'_>, found: &mut Posteriors) -> Result<Fitted> {
        let batches = Batches::new(self.bitext, self.pairs);
        let mut lexicon = CellLexicon::uniform(&self.cells, self.bitext);
        let mut grids = Grids::uniform(self.bitext, &self.cells);
        let mut history = Vec::new();
        let mut iterate = |lexicon: &mut CellLexicon, grids: &mut Grids, fit: &mut dyn FnMut(&mut Grids)| {
            history.push(em::expect(self.bitext, &self.cells, &batches, lexicon, grids, settings.agree));
            lexicon.maximise(&self.cells, settings.prior);
            fit(grids);
            if step() { Ok(()) } else { Err(stopped()) }
        };
        let lead = if settings.kind == Kind::Ibm1 { settings.warm_up + settings.iterations } else { settings.warm_up };
        for _ in 0..lead {
            iterate(&mut lexicon, &mut grids, &mut |grids| grids.maximise(|_, _, _| {}))?;
        }
        let position = match settings.kind {
            Kind::Ibm1 | Kind::Fertility => Position::Uniform,
            Kind::Ibm2 => {
                for _ in 0..settings.iterations {
                    iterate(&mut lexicon, &mut grids, &mut |grids| grids.maximise(ibm2::fit))?;
                }
                Position::Table(shaped(grids.probabilities().map(|(shape, numbers)| (shape, numbers.to_vec()))))
            }
            Kind::Gauss(variant) => {
                let gauss = Gauss { variant, floor: 0.01, shrink: settings.shrink };
                let mut bells = Vec::new();
                for _ in 0..settings.iterations {
                    iterate(&mut lexicon, &mut grids, &mut |grids| {
                        bells = describe(gauss, grids);
                        grids.maximise(|shape, counts, grid| gauss::fit(gauss, shape, counts, grid));
                    })?;
                }
                Position::Gauss(variant, shaped(bells.into_iter()))
            }
            Kind::Diagonal => {
                let mut models = [Diagonal { null: settings.null, tension: 4.0 }; 2];
                grids.maximise(|shape, _, grid| diagonal::write(&models, shape, grid));
                for _ in 0..settings.iterations {
                    iterate(&mut lexicon, &mut grids, &mut |grids| {
                        diagonal::fit(&mut models, grids);
                        grids.maximise(|shape, _, grid| diagonal::write(&models, shape, grid));
                    })?;
                }
                Position::Diagonal(models)
            }
            Kind::Hmm => {
                drop(grids);
                let weights = self.fit_hmm(settings, &batches, &mut lexicon, &mut history, step)?;
                let models = self.hmms(&weights, settings);
                batches.run(
                    |k, shape, block| self.hmm_posteriors(&models, &lexicon, k, shape, block, None),
                    |k, shape, block, _| found.set(k, &beliefs(Block::new(block, shape), shape, Choice::Apart)),
                );
                let table = Some(Table::from_cells(&self.cells.into_rows(), &lexicon, self.bitext));
                let position = Position::Hmm(weights.map(|weights| (settings.null as f32, weights.into())));
                return Ok(Fitted { position, table, history });
            }
        };
        let (bitext, cells) = (self.bitext, &self.cells);
        batches.run(
            |k, shape, block| {
                em::posteriors(bitext, cells, &lexicon, grids.of_pair(k), k, shape, block);
                beliefs(Block::new(block, shape), shape, Choice::Apart)
            },
            |k, _, _, kept| found.set(k, &kept),
        );
        drop(grids);
        Ok(Fitted { position, table: Some(Table::from_cells(&self.cells.into_rows(), &lexicon, bitext)), history })
    }

    fn hmms(&self, weights: &[Vec<f32>; 2], settings: &Settings) -> [Hmm; 2] {
        let hmm = |side: usize| Hmm { null: settings.null as f32, jumps: Jumps::new(&weights[side], settings.longest) };
        [hmm(0), hmm(1)]
    }

    fn hmm_posteriors(
        &self,
        models: &[Hmm; 2],
        lexicon: &CellLexicon,
        k: usize,
        shape: Shape,
        block: &mut [f32],
        counts: Option<&mut [hmm::JumpCounts; 2]>,
    ) -> LogLikelihood {
        block.fill(1.0);
        let (source, target) = (self.bitext.source.sentence(k), self.bitext.target.sentence(k));
        lexicon.multiply(self.cells.of(k), source, target, &mut BlockMut::new(block, shape));
        thread_local! {
            static SCRATCH: std::cell::RefCell<hmm::Scratch> = std::cell::RefCell::default();
        }
        SCRATCH.with_borrow_mut(|scratch| hmm::posteriors(models, shape, block, counts, scratch))
    }

    fn fit_hmm(
        &self,
        settings: &Settings,
        batches: &Batches,
        lexicon: &mut CellLexicon,
        history: &mut Vec<LogLikelihood>,
        step: Step<'_>,
    ) -> Result<[Vec<f32>; 2]> {
        let mut weights = [Jumps::initial(), Jumps::initial()];
        for _ in 0..settings.iterations {
            let models = self.hmms(&weights, settings);
            let mut likelihood = [0.0; 2];
            let mut jumps = [hmm::no_jumps(), hmm::no_jumps()];
            let shared = std::sync::RwLock::new(&mut *lexicon);
            batches.run(
                |k, shape, block| {
                    let mut counts = [hmm::no_jumps(), hmm::no_jumps()];
                    let guard = shared.read().expect("no writer panics");
                    let pair = self.hmm_posteriors(&models, &guard, k, shape, block, Some(&mut counts));
                    if settings.agree {
                        em::multiply_directions(block, shape);
                    }
                    (pair, counts)
                },
                |k, shape, block, (pair, counts)| {
                    let (source, target) = (self.bitext.source.sentence(k), self.bitext.target.sentence(k));
                    let mut guard = shared.write().expect("no writer panics");
                    guard.collect(self.cells.of(k), source, target, Block::new(block, shape));
                    for side in 0..2 {
                        likelihood[side] += pair[side];
                        for (sum, count) in jumps[side].iter_mut().zip(&counts[side]) {
                            *sum += count;
                        }
                    }
                },
            );
            history.push(likelihood);
            lexicon.maximise(&self.cells, settings.prior);
            for (weights, counts) in weights.iter_mut().zip(&jumps) {
                let total: f64 = counts.iter().sum::<f64>().max(1.0);
                *weights = counts.iter().map(|count| ((count + 0.5) / total) as f32).collect();
            }
            if !step() {
                return Err(stopped());
            }
        }
        Ok(weights)
    }
}

/// Samples the fertility model on the pairs of one shard.
fn sample(
    bitext: &Bitext,
    pairs: &[u32],
    settings: &Settings,
    step: Step<'_>,
    found: &mut Posteriors,
) -> Result<Fitted> {
    let Sampled { tally, jumps, ratios } = gibbs::sample(bitext, pairs, settings, step).ok_or_else(stopped)?;
    Batches::new(bitext, pairs).run(
        |k, shape, block| {
            tally.take(k, shape, block);
            beliefs(Block::new(block, shape), shape, TOGETHER)
        },
        |k, _, _, kept| found.set(k, &kept),
    );
    let mut parts = jumps.into_iter().zip(ratios);
    let mut side = || {
        let (jumps, ratios) = parts.next().expect("two directions");
        (settings.priors.null, jumps.into(), ratios.into())
    };
    Ok(Fitted { position: Position::Fertility([side(), side()]), table: None, history: Vec::new() })
}

/// NULL, mean and variance of every column of every shape.
fn describe(gauss: Gauss, grids: &Grids) -> Vec<(Shape, Vec<f32>)> {
    let describe = |(shape, counts): (Shape, &[f64])| {
        let numbers = columns(shape).flat_map(|(_, column)| {
            let fitted = gauss::fit_column(gauss, column, counts);
            let (null, bell) = fitted
                .unwrap_or((1.0 / (column.len + 1) as f64, gauss::Bell::prior(column.len, column.own, column.own_len)));
            [null as f32, bell.mean as f32, bell.variance as f32]
        });
        (shape, numbers.collect())
    };
    grids.counts().map(describe).collect()
}

fn shaped(parts: impl Iterator<Item = (Shape, Vec<f32>)>) -> Shaped {
    let (mut shapes, mut starts, mut numbers) = (Vec::new(), vec![0u64], Vec::new());
    for (shape, part) in parts {
        shapes.extend([shape.source as u32, shape.target as u32]);
        numbers.extend(part);
        starts.push(numbers.len() as u64);
    }
    Shaped { shapes: shapes.into(), starts: starts.into(), numbers: numbers.into() }
}
