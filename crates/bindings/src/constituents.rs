//! The constituency parser for Python: learning a grammar, parsing, forests.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use tolka_engine::parse::{Limits, Search};
use tolka_engine::syntax::heads::{self, HeadRules, How};
use tolka_engine::syntax::pcfg::agenda::{AgendaSettings, Semiring, parse_all};
use tolka_engine::syntax::pcfg::{self, Best, Grammar, Parsed, Parser, Refinement, Settings, Trees, Unfolding};
use tolka_engine::threads::with_threads;
use tolka_engine::{Error, Result};

use crate::error::{Guarded, raise};
use crate::forest::Forest;
use crate::forests::ConstituentForest;

/// Symbols, numbers of parts, words or chains; and whether the tree is flat for want of a better one.
type Tree = (Vec<(u32, u8, u32)>, bool);

/// A grammar of constituents.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ConstituentGrammar(Grammar);

fn settings(threshold: f64, best: &str, longest: usize) -> PyResult<Settings> {
    let best = match best {
        "rules" => Best::Rules,
        "tree" => Best::Tree,
        _ => {
            return Err(raise(Error::settings(format!("nothing is best by {best:?}")).hint("use rules or tree")));
        }
    };
    Ok(Settings { threshold, best, longest })
}

fn agenda(semiring: &str, beam: Option<usize>, seconds: Option<f64>, longest: usize) -> Result<AgendaSettings> {
    let semiring = match semiring {
        "viterbi" => Semiring::Viterbi,
        "minmerge" => Semiring::MinMerge,
        _ => return Err(Error::settings(format!("unknown semiring {semiring:?}")).hint("use viterbi or minmerge")),
    };
    if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
        return Err(Error::settings("the time for a sentence is no positive number of seconds"));
    }
    let limits = Limits { time: seconds.map(Duration::from_secs_f64), ..Limits::default() };
    Ok(AgendaSettings { semiring, search: Search { beam, ..Search::default() }, limits, longest })
}

/// Category, whether from the left, how, and wanted categories.
type Searching = (String, bool, String, Vec<String>);

/// Rules for heads as Python has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Rules {
    searches: Vec<Searching>,
    other_left: bool,
    conjunctions: Vec<String>,
    arguments: Vec<(String, Vec<String>)>,
    after_head: Vec<String>,
    adjuncts: Vec<String>,
    base: Option<[String; 3]>,
}

impl Rules {
    fn read(self) -> Result<HeadRules> {
        let mut rules = HeadRules {
            other_left: self.other_left,
            conjunctions: self.conjunctions.into_iter().collect(),
            arguments: self.arguments.into_iter().map(|(of, labels)| (of, labels.into_iter().collect())).collect(),
            after_head: self.after_head.into_iter().collect(),
            adjuncts: self.adjuncts.into_iter().collect(),
            base: self.base,
            ..HeadRules::default()
        };
        for (of, left, how, labels) in self.searches {
            let how = match how.as_str() {
                "each" => How::Each,
                "any" => How::Any,
                "end" => How::End,
                _ => return Err(Error::settings(format!("heads cannot be looked for by {how:?}"))),
            };
            rules.searches.entry(of).or_default().push(heads::Search { left, how, labels });
        }
        Ok(rules)
    }
}

fn unknown() -> PyErr {
    raise(Error::input("there is no such rule"))
}

fn shown(parsed: Parsed) -> Tree {
    (parsed.nodes, parsed.flat)
}

#[pymethods]
impl ConstituentGrammar {
    /// Learn from binarised trees; tells `told` of rounds, passes and log likelihoods.
    #[staticmethod]
    #[pyo3(signature = (*, names, kinds, chains, root, words, begins, symbols, arities, payloads, rounds, passes, merged,
        smoothing, word_smoothing, seed, threads, settings, told))]
    #[allow(clippy::too_many_arguments)]
    fn train(
        py: Python<'_>,
        names: Vec<String>,
        kinds: Vec<u8>,
        chains: Vec<String>,
        root: u32,
        words: Vec<String>,
        begins: PyReadonlyArray1<'_, u64>,
        symbols: PyReadonlyArray1<'_, u32>,
        arities: PyReadonlyArray1<'_, u8>,
        payloads: PyReadonlyArray1<'_, u32>,
        rounds: usize,
        passes: usize,
        merged: f64,
        smoothing: f64,
        word_smoothing: f64,
        seed: u64,
        threads: usize,
        settings: String,
        told: Py<PyAny>,
    ) -> PyResult<Self> {
        let (begins, symbols) = (begins.as_array().to_vec(), symbols.as_array().to_vec());
        let (arities, payloads) = (arities.as_array().to_vec(), payloads.as_array().to_vec());
        let refinement = Refinement { rounds, passes, merged, smoothing, word_smoothing, seed };
        // An exception of Python cannot pass through the engine; it waits here.
        let mut raised: Option<PyErr> = None;
        let learnt: Result<Grammar> = py.guarded(|| {
            let trees = Trees {
                names,
                kinds,
                chains,
                root,
                words,
                begins: &begins,
                symbols: &symbols,
                arities: &arities,
                payloads: &payloads,
            };
            let tell = |round: usize, pass: usize, log: f64| {
                Python::attach(|py| {
                    py.check_signals()?;
                    told.call1(py, (round, pass, log)).map(drop)
                })
            };
            let mut step = |round: usize, pass: usize, log: f64| {
                tell(round, pass, log).map_err(|error| {
                    raised = Some(error);
                    Error::input("stopped")
                })
            };
            with_threads(threads, || pcfg::learn(trees, &refinement, settings, &mut step))?
        });
        match (learnt, raised) {
            (_, Some(error)) => Err(error),
            (learnt, None) => learnt.map(Self).map_err(raise),
        }
    }

    /// Open a file.
    #[staticmethod]
    #[pyo3(signature = (path, *, most_bytes))]
    fn open(py: Python<'_>, path: PathBuf, most_bytes: u64) -> PyResult<Self> {
        py.guarded(|| Grammar::open(&path, most_bytes)).map(Self).map_err(raise)
    }

    /// Write a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.guarded(|| self.0.save(&path)).map_err(raise)
    }

    /// What was stored with it.
    #[getter]
    fn settings(&self) -> &str {
        self.0.settings()
    }

    /// Names of symbols, their kinds, and names of chains.
    #[getter]
    fn symbols(&self) -> (Vec<String>, Vec<u8>, Vec<String>) {
        let outline = self.0.outline();
        (outline.names().to_vec(), outline.kinds().to_vec(), outline.chains().to_vec())
    }

    /// How many binary rules, unary rules and words there are, and for each level how many states and numbers.
    #[getter]
    fn size(&self) -> (usize, usize, usize, Vec<(usize, usize)>) {
        let outline = self.0.outline();
        let level = |level: &pcfg::level::Level| (level.kept.len(), level.binary.len() + level.unary.len());
        let words = self.0.coarse().lexicon.words().texts().len();
        (outline.binary().len(), outline.unary().len(), words, self.0.levels().iter().map(level).collect())
    }

    /// Left part, right part and parent of a binary rule.
    fn binary(&self, rule: usize) -> PyResult<(u32, u32, u32)> {
        self.0.outline().binary().get(rule).copied().map(Into::into).ok_or_else(unknown)
    }

    /// Child, parent and chain of a unary rule.
    fn unary(&self, rule: usize) -> PyResult<(u32, u32, u32)> {
        self.0.outline().unary().get(rule).copied().map(Into::into).ok_or_else(unknown)
    }

    /// The best tree of each sentence.
    #[pyo3(signature = (sentences, *, threshold, best, longest, threads))]
    fn parse(
        &self,
        py: Python<'_>,
        sentences: Vec<Vec<String>>,
        threshold: f64,
        best: &str,
        longest: usize,
        threads: usize,
    ) -> PyResult<Vec<Tree>> {
        let settings = settings(threshold, best, longest)?;
        let found: Result<Vec<Parsed>> = py.guarded(|| {
            let parser = Parser::new(&self.0, settings)?;
            with_threads(threads, || parser.parse_all(&sentences))?
        });
        found.map(|trees| trees.into_iter().map(shown).collect()).map_err(raise)
    }

    /// The best derivation of each sentence, as a tree, by the generalised parser.
    #[pyo3(signature = (sentences, *, semiring, beam, seconds, longest, threads))]
    #[allow(clippy::too_many_arguments)]
    fn parse_agenda(
        &self,
        py: Python<'_>,
        sentences: Vec<Vec<String>>,
        semiring: &str,
        beam: Option<usize>,
        seconds: Option<f64>,
        longest: usize,
        threads: usize,
    ) -> PyResult<Vec<Tree>> {
        let settings = agenda(semiring, beam, seconds, longest).map_err(raise)?;
        let run = || with_threads(threads, || parse_all(&self.0, &sentences, &settings))?;
        py.guarded(run).map(|trees| trees.into_iter().map(shown).collect()).map_err(raise)
    }

    /// The best trees of a sentence, with logarithms of how probable they are together with its words.
    #[pyo3(signature = (sentence, count, *, threshold, best, longest))]
    fn best_trees(
        &self,
        py: Python<'_>,
        sentence: Vec<String>,
        count: usize,
        threshold: f64,
        best: &str,
        longest: usize,
    ) -> PyResult<Vec<(Tree, f64)>> {
        let settings = settings(threshold, best, longest)?;
        let found = py.guarded(|| Parser::new(&self.0, settings)?.best_trees(&sentence, count));
        found.map(|trees| trees.into_iter().map(|(tree, log)| (shown(tree), log)).collect()).map_err(raise)
    }

    /// The logarithm of how probable a sentence is, if it has a tree.
    #[pyo3(signature = (sentence, *, threshold, longest))]
    fn log_probability(
        &self,
        py: Python<'_>,
        sentence: Vec<String>,
        threshold: f64,
        longest: usize,
    ) -> PyResult<Option<f64>> {
        let settings = settings(threshold, "rules", longest)?;
        py.guarded(|| Parser::new(&self.0, settings)?.log_probability(&sentence)).map_err(raise)
    }

    /// The forest of a sentence's trees as treebanks have them, with heads and marks, if the grammar has any.
    #[pyo3(signature = (sentence, *, least, labels, chains, rules, base, arguments, threshold, longest))]
    #[allow(clippy::too_many_arguments)]
    fn constituent_forest(
        &self,
        py: Python<'_>,
        sentence: Vec<String>,
        least: f64,
        labels: Vec<String>,
        chains: Vec<Vec<String>>,
        rules: Rules,
        base: bool,
        arguments: bool,
        threshold: f64,
        longest: usize,
    ) -> PyResult<Option<ConstituentForest>> {
        let settings = settings(threshold, "rules", longest)?;
        let rules = rules.read().map_err(raise)?;
        let unfolding = Unfolding { labels, chains, rules, base, arguments };
        let found = py.guarded(|| Parser::new(&self.0, settings)?.constituent_forest(&sentence, least, &unfolding));
        found.map(|forest| forest.map(|forest| ConstituentForest(Arc::new(forest)))).map_err(raise)
    }

    /// The forest of a sentence's trees, if the grammar has any.
    #[pyo3(signature = (sentence, *, least, threshold, longest))]
    fn forest(
        &self,
        py: Python<'_>,
        sentence: Vec<String>,
        least: f64,
        threshold: f64,
        longest: usize,
    ) -> PyResult<Option<Forest>> {
        let settings = settings(threshold, "rules", longest)?;
        let found = py.guarded(|| Parser::new(&self.0, settings)?.forest(&sentence, least));
        found.map(|forest| forest.map(|forest| Forest(Arc::new(forest)))).map_err(raise)
    }
}
