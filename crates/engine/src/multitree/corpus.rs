//! Many pairs at once: every step of training, on the threads that there are.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::align::{Aligned, align, see_forest, see_phrases, see_tree};
use super::choices::see_choices;
use super::examples::{Earlier, Labelled, Learning, With};
use super::fertility::Fertility;
use super::grammars::{Known, TreeFilter};
use super::learning::{Coordination, coordinate};
use super::lexicon::{LexiconBuilder, Pruning};
use super::model::{Example, Model};
use super::source::Source;
use crate::learn::Outcome;
use crate::{Error, Result};

/// Pairs that are worked on together before what they gave is put together in order.
const BATCH: usize = 64;

/// What the entries of a lexicon are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The best multitree of each pair.
    Tree,
    /// Some multitree of each pair.
    Forest,
    /// Anything that links allow, whether a multitree has it or not.
    Phrases,
}

/// Pairs, a model, and what the pairs taught.
#[derive(Debug)]
pub struct Corpus {
    /// What is trained.
    pub model: Model,
    /// What it is trained on.
    pub pairs: Vec<Example>,
    /// Inferences seen so far.
    pub labelled: Labelled,
    /// How classifiers were trained last, and how many examples each had.
    trained: Option<(Learning, HashMap<u64, u32>)>,
}

impl Corpus {
    /// Pairs from which nothing was learnt yet.
    pub fn new(model: Model, pairs: Vec<Example>) -> Self {
        Self { model, pairs, labelled: Labelled::default(), trained: None }
    }

    /// What its examples are worked out with.
    pub fn with(&self) -> With<'_> {
        let model = &self.model;
        With { pairs: &self.pairs, lexicon: &model.lexicon, counts: &model.counts, features: &model.features }
    }

    fn pairs_of(&self, which: &[u32]) -> Result<Vec<(u32, &Example)>> {
        let one = |&number: &u32| {
            let pair = self.pairs.get(number as usize);
            pair.map(|pair| (number, pair)).ok_or_else(|| Error::input(format!("there is no pair {number}")))
        };
        which.iter().map(one).collect()
    }

    /// Learns fertilities from all pairs.
    pub fn see_fertility(&mut self) {
        let longest = self.model.settings.longest;
        let seen = self.pairs.par_chunks(BATCH).map(|pairs| {
            let mut fertility = Fertility::default();
            pairs.iter().for_each(|pair| fertility.see(&pair.source, pair.target.len(), &pair.links, longest));
            fertility
        });
        let mut fertility = Fertility::default();
        seen.collect::<Vec<_>>().iter().for_each(|one| fertility.add(one));
        self.model.fertility = fertility;
    }

    /// The best multitrees of pairs.
    ///
    /// # Errors
    /// A hierarchy with a part that is not there.
    pub fn align(&self, which: &[u32], hierarchy: &str) -> Result<Vec<Aligned>> {
        self.pairs_of(which)?.par_iter().map(|(_, pair)| align(&self.model, pair, hierarchy)).collect()
    }

    /// Lets supervisors of a pair know these inferences only.
    ///
    /// # Errors
    /// No such pair, or inferences whose spans do not fit it.
    pub fn set_tree(&mut self, pair: u32, inferences: &[Known]) -> Result<()> {
        let pair = self.pairs.get_mut(pair as usize).ok_or_else(|| Error::input(format!("there is no pair {pair}")))?;
        let (words, others) = (pair.source.len(), pair.target.len());
        if inferences.iter().any(|one| usize::from(one.to) > words || usize::from(one.end) > others) {
            return Err(
                Error::input("a multitree has more words than its sentences").hint("give the trees of these pairs")
            );
        }
        pair.tree = Some(TreeFilter::new(inferences)?);
        Ok(())
    }

    /// Gives the translation of a pair its tree, whose brackets are crossed like those of the source.
    ///
    /// # Errors
    /// No such pair, or a tree of other words.
    pub fn set_target_tree(&mut self, pair: u32, tree: Source) -> Result<()> {
        let pair = self.pairs.get_mut(pair as usize).ok_or_else(|| Error::input(format!("there is no pair {pair}")))?;
        if tree.words != pair.target {
            return Err(Error::input("the tree of a translation has other words").hint("give the trees of these pairs"));
        }
        pair.target_tree = Some(tree);
        Ok(())
    }

    /// Makes a lexicon of the pairs, and says of how many pairs a tree covered all; of none where no tree was looked for.
    ///
    /// # Errors
    /// A hierarchy with a part that is not there.
    pub fn see_lexicon(&mut self, which: &[u32], origin: Origin, hierarchy: &str, pruning: &Pruning) -> Result<usize> {
        pruning.check()?;
        let pairs = self.pairs_of(which)?;
        let (mut lexicon, mut complete) = (LexiconBuilder::default(), 0);
        for some in pairs.chunks(BATCH * rayon::current_num_threads()) {
            let seen = some.par_chunks(BATCH).map(|pairs| {
                let (mut lexicon, mut complete) = (LexiconBuilder::default(), 0);
                for (_, pair) in pairs {
                    lexicon.see_links(&pair.source.words, &pair.target, &pair.links);
                    match origin {
                        Origin::Forest => {
                            complete += usize::from(see_forest(&mut lexicon, &self.model, pair, hierarchy)?);
                        }
                        Origin::Tree => {
                            let found = align(&self.model, pair, hierarchy)?;
                            complete += usize::from(found.complete);
                            see_tree(&mut lexicon, pair, &found.steps.iter().map(|step| step.0).collect::<Vec<_>>());
                        }
                        Origin::Phrases => see_phrases(&mut lexicon, pair, self.model.settings.longest),
                    }
                }
                Ok((lexicon, complete))
            });
            for (one, whole) in seen.collect::<Result<Vec<_>>>()? {
                lexicon.add(&one);
                complete += whole;
            }
        }
        lexicon.prune(pruning);
        self.model.lexicon = lexicon.finish();
        Ok(complete)
    }

    /// Takes examples of pairs of phrases from pairs of sentences, without a search.
    ///
    /// # Errors
    /// There is no such pair.
    pub fn see_choices(&mut self, which: &[u32]) -> Result<()> {
        for some in which.chunks(BATCH * rayon::current_num_threads()) {
            let seen = self.pairs_of(some)?.into_par_iter().map(|(number, pair)| {
                let mut labelled = Labelled::default();
                see_choices(&self.model, number, pair, &mut labelled);
                labelled
            });
            for one in seen.collect::<Vec<_>>() {
                self.labelled.add(&one, &self.model.features);
            }
        }
        Ok(())
    }

    /// Coordinates the searches of pairs; what they teach is kept with what others taught.
    ///
    /// # Errors
    /// A hierarchy with a part that is not there.
    pub fn coordinate(&mut self, which: &[u32], how: &Coordination) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(which.len());
        for some in which.chunks(BATCH * rayon::current_num_threads()) {
            let pairs = self.pairs_of(some)?;
            let taught = pairs.par_chunks(4).map(|pairs| {
                let mut taught = Vec::with_capacity(pairs.len());
                for (number, pair) in pairs {
                    let mut labelled = Labelled::default();
                    let outcome = coordinate(&self.model, *number, pair, how, &mut labelled)?;
                    labelled.thin(how.most);
                    taught.push((labelled, outcome));
                }
                Ok(taught)
            });
            let taught = taught.collect::<Result<Vec<_>>>()?;
            for (labelled, outcome) in taught.into_iter().flatten() {
                self.labelled.add(&labelled, &self.model.features);
                outcomes.push(outcome);
            }
        }
        Ok(outcomes)
    }

    /// Trains classifiers on all inferences so far.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn train(&mut self, learning: &Learning) -> Result<()> {
        let trained = self.trained.as_ref().filter(|trained| trained.0 == *learning);
        let earlier = match (&self.model.classifiers, trained) {
            (Some(classifiers), Some((_, examples))) => Some(Earlier { classifiers, examples }),
            _ => None,
        };
        let (classifiers, examples) = self.labelled.train(&self.with(), learning, earlier)?;
        self.model.classifiers = Some(classifiers);
        (self.model.coarse, self.model.prior) = (learning.coarse, learning.prior);
        self.trained = Some((learning.clone(), examples));
        Ok(())
    }
}
