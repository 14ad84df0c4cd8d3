//! Sentences in, trees out: from coarse to fine, and for every sentence a tree.

use rayon::prelude::*;

use super::coarse::{Mask, look};
use super::decode::{Parsed, best, flat};
use super::grammar::Grammar;
use super::graph::{Chances, Graph};
use super::lexicon::Emission;
use super::unfold::{Unfolding, unfold};
use crate::forest::Forest;
use crate::syntax::forests::ConstituentForest;
use crate::{Error, Result};

/// What the best tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Best {
    /// The one whose rules are most probably all right: the product of their chances (Petrov and Klein 2007).
    #[default]
    Rules,
    /// The one that is most probable, as far as chances of rules given their parents tell (Matsuzaki et al. 2005); without
    /// variants that is exact.
    Tree,
}

/// How to parse.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Parts of a tree with a smaller chance are left out when the next finer level takes a look.
    pub threshold: f64,
    /// What is best.
    pub best: Best,
    /// Sentences with more words get a flat tree.
    pub longest: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threshold: 3e-4, best: Best::Rules, longest: 200 }
    }
}

impl Settings {
    /// Checks the settings.
    ///
    /// # Errors
    /// Says which makes no sense.
    pub fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.threshold) {
            return Err(Error::settings(format!("the threshold must be from 0 to below 1, not {}", self.threshold)));
        }
        if self.longest == 0 || self.longest > MOST_WORDS {
            let what = format!("the longest sentence must have 1 to {MOST_WORDS} words, not {}", self.longest);
            return Err(Error::settings(what));
        }
        Ok(())
    }
}

/// How often less is asked of a forest's edges.
const TRIES: usize = 6;

/// A chart of more words would not fit into memory.
pub const MOST_WORDS: usize = 1000;

/// What is known of a sentence after all looks.
pub(super) struct Looked {
    pub(super) graph: Graph,
    pub(super) chances: Chances,
}

/// Parses with a grammar.
#[derive(Debug, Clone)]
pub struct Parser<'a> {
    grammar: &'a Grammar,
    settings: Settings,
}

impl<'a> Parser<'a> {
    /// A parser.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(grammar: &'a Grammar, settings: Settings) -> Result<Self> {
        settings.check()?;
        Ok(Self { grammar, settings })
    }

    /// The best tree of each sentence.
    ///
    /// # Errors
    /// An empty sentence.
    pub fn parse_all(&self, sentences: &[Vec<String>]) -> Result<Vec<Parsed>> {
        sentences.iter().enumerate().try_for_each(|(number, sentence)| check(sentence, number))?;
        Ok(sentences.par_iter().map(|sentence| self.parse(sentence)).collect())
    }

    fn parse(&self, sentence: &[String]) -> Parsed {
        match self.look(sentence) {
            Some(looked) => best(self.grammar, &looked, self.settings.best),
            None => flat(self.grammar, sentence),
        }
    }

    /// The forest of a sentence's trees whose parts have a chance of at least `threshold`, or none if it has no tree.
    ///
    /// # Errors
    /// An empty sentence.
    pub fn forest(&self, sentence: &[String], threshold: f64) -> Result<Option<Forest>> {
        check(sentence, 0)?;
        let Some(looked) = self.look(sentence) else { return Ok(None) };
        super::packing::pack(self.grammar, sentence, &looked, threshold).map(Some)
    }

    /// The same with nodes as treebanks have them, each with a head word. If no tree is left, less probable edges are kept too,
    /// a tenth as probable each time; none if the sentence has no tree.
    ///
    /// # Errors
    /// An empty sentence, a threshold that makes no sense, labels that do not fit the grammar.
    pub fn constituent_forest(
        &self,
        sentence: &[String],
        least: f64,
        unfolding: &Unfolding,
    ) -> Result<Option<ConstituentForest>> {
        check(sentence, 0)?;
        unfolding.check(self.grammar)?;
        if !(least > 0.0 && least < 1.0) {
            return Err(Error::settings(format!("the least chance must be between 0 and 1, not {least}")));
        }
        let Some(looked) = self.look(sentence) else { return Ok(None) };
        let mut least = least;
        for _ in 0..TRIES {
            if let Some(found) = unfold(self.grammar, sentence, &looked, least, unfolding)? {
                return Ok(Some(found));
            }
            least *= 0.1;
        }
        Ok(None)
    }

    /// Up to so many trees of a sentence, best first, with the logarithms of how probable they are together with its words.
    ///
    /// # Errors
    /// An empty sentence.
    pub fn best_trees(&self, sentence: &[String], count: usize) -> Result<Vec<(Parsed, f64)>> {
        check(sentence, 0)?;
        let Some(looked) = self.look(sentence) else {
            return Ok(vec![(flat(self.grammar, sentence), f64::NEG_INFINITY)]);
        };
        let emissions = self.emissions(sentence, self.grammar.levels().len() - 1, looked.chances.loose);
        super::packing::list(self.grammar, sentence, &looked, &emissions, self.settings.best, count)
    }

    /// The logarithm of how probable a sentence is: the sum over the trees that were looked at; none if it has no tree.
    ///
    /// # Errors
    /// An empty sentence.
    pub fn log_probability(&self, sentence: &[String]) -> Result<Option<f64>> {
        check(sentence, 0)?;
        Ok(self.look(sentence).map(|looked| looked.chances.log))
    }

    fn emissions(&self, sentence: &[String], level: usize, loose: bool) -> Vec<Vec<Emission>> {
        let lexicon = &self.grammar.levels()[level].lexicon;
        sentence.iter().enumerate().map(|(place, word)| lexicon.emissions(word, place == 0, loose)).collect()
    }

    /// Looks at a sentence with all levels; a second time with an open mind if there was nothing to see.
    pub(super) fn look(&self, sentence: &[String]) -> Option<Looked> {
        if sentence.len() > self.settings.longest {
            return None;
        }
        let threshold = self.settings.threshold;
        let tries = [(threshold, false), (threshold * 1e-4, false), (threshold * 1e-4, true)];
        tries.into_iter().find_map(|(threshold, loose)| self.look_at(sentence, threshold, loose))
    }

    fn look_at(&self, sentence: &[String], threshold: f64, loose: bool) -> Option<Looked> {
        let levels = self.grammar.levels();
        let mask: Mask = look(self.grammar, &self.emissions(sentence, 0, loose), threshold)?;
        let mut graph = Graph::new(self.grammar, sentence.len(), &mask)?;
        let root = self.grammar.outline().root();
        for (number, level) in levels.iter().enumerate().skip(1.min(levels.len() - 1)) {
            let emissions = self.emissions(sentence, number, loose);
            let mut chances = graph.chances(level, &emissions)?;
            if number == levels.len() - 1 {
                chances.loose = loose;
                return Some(Looked { graph, chances });
            }
            graph = graph.pruned(&chances, threshold).0;
            if !graph.is_whole(root, sentence.len()) {
                return None;
            }
        }
        None
    }
}

fn check(sentence: &[String], number: usize) -> Result<()> {
    if sentence.is_empty() {
        return Err(Error::input("the sentence has no words").at_line(number as u64 + 1));
    }
    Ok(())
}
