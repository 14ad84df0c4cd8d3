//! Forests for Python: their arrays, sums over derivations, and derivations one by one.

// Python hands its arguments over.
#![allow(clippy::needless_pass_by_value)]

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use tolka_engine::forest as engine;
use tolka_engine::forest::inside::{expected_uses, inside, outside};
use tolka_engine::forest::kbest::{Edges, KBest};
use tolka_engine::forest::min_merge::MinMerge;
use tolka_engine::forest::ngrams::Ngrams;
use tolka_engine::forest::parts::{Parts, RuleParts, SideSymbol};
use tolka_engine::forest::semiring::{Counting, LogSum, Viterbi};
use tolka_engine::forest::{Edge, RuleKind};
use tolka_engine::{Error, Result};

use crate::error::{Guarded, caught, raise};
use crate::mixture::{Mixed, missing_of};

type Ints<'py> = Bound<'py, PyArray1<u32>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Pairs<'py> = Bound<'py, PyArray2<u32>>;
type EdgeArrays<'py> = (Ints<'py>, Pairs<'py>, Ints<'py>, Floats<'py>, Pairs<'py>, Bound<'py, PyArray2<f32>>);

/// A symbol of a rule: a word or the number of a gap.
#[derive(FromPyObject, IntoPyObject)]
pub enum Part {
    /// A gap.
    Gap(u32),
    /// A word.
    Word(String),
}

/// Kind, grammar and number, left-hand side, source side, target side, links, components that have it.
type Rule = (String, Option<(u32, u32)>, u32, Vec<Part>, Vec<Part>, Vec<(u8, u8)>, u64);
/// Edge, parts, source span, target span, own source words, own target words, links.
type Step = (u32, Vec<usize>, (u32, u32), (u32, u32), Vec<u32>, Vec<u32>, Vec<(u32, u32)>);
/// Score, target words, steps.
pub type Derivation = (f64, Vec<String>, Vec<Step>);

/// A packed forest of derivations.
#[pyclass(frozen, module = "tolka._engine")]
pub struct Forest(pub Arc<engine::Forest>);

/// What Python gets of a derivation.
pub fn derivation(forest: &engine::Forest, score: f64, edges: &Edges) -> Derivation {
    let words = forest.spell(edges).into_iter().map(|word| forest.words()[word as usize].clone()).collect();
    let steps = forest.place(edges).into_iter().map(|step| {
        let links = step.links.into_iter().map(Into::into).collect();
        (step.edge, step.parts, step.source.into(), step.target.into(), step.source_words, step.target_words, links)
    });
    (score, words, steps.collect())
}

fn kind_of(name: &str, id: Option<(u32, u32)>) -> Result<RuleKind> {
    match (name, id) {
        ("rule", Some((table, rule))) => Ok(RuleKind::Grammar { table, rule }),
        ("copied", None) => Ok(RuleKind::Copied),
        ("given", None) => Ok(RuleKind::Given),
        ("glue", None) => Ok(RuleKind::Glue),
        ("other", None) => Ok(RuleKind::Other),
        ("rule" | "copied" | "given" | "glue" | "other", _) => {
            Err(Error::input("rules of grammars have an id of two numbers, and no others"))
        }
        _ => Err(Error::input(format!("unknown kind of rule `{name}`"))
            .hint("kinds are rule, copied, given, glue and other")),
    }
}

fn symbols(parts: Vec<Part>) -> Vec<SideSymbol> {
    let symbol = |part| match part {
        Part::Gap(gap) => SideSymbol::Gap(gap),
        Part::Word(word) => SideSymbol::Word(word),
    };
    parts.into_iter().map(symbol).collect()
}

fn numbers<'py, const N: usize>(py: Python<'py>, rows: &[[u32; N]]) -> PyResult<Pairs<'py>> {
    rows.iter().flatten().copied().collect::<Vec<u32>>().into_pyarray(py).reshape([rows.len(), N])
}

fn rows<const N: usize>(array: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<[u32; N]>> {
    let row = |row: numpy::ndarray::ArrayView1<'_, u32>| row.iter().copied().collect::<Vec<u32>>().try_into().ok();
    let all: Option<Vec<[u32; N]>> = array.as_array().rows().into_iter().map(row).collect();
    all.ok_or_else(|| raise(Error::input(format!("an array does not have {N} columns"))))
}

#[pymethods]
impl Forest {
    /// From lists of parts; everything is checked.
    #[staticmethod]
    #[pyo3(signature = (*, source, categories, features, sparse_features, components, rules, nodes, heads, tails,
        edge_rules, scores, values, spans, sparse_begins, sparse))]
    #[allow(clippy::too_many_arguments)]
    fn from_parts(
        py: Python<'_>,
        source: Vec<String>,
        categories: Vec<String>,
        features: Vec<String>,
        sparse_features: Vec<String>,
        components: Vec<String>,
        rules: Vec<Rule>,
        nodes: PyReadonlyArray2<'_, u32>,
        heads: PyReadonlyArray1<'_, u32>,
        tails: PyReadonlyArray2<'_, u32>,
        edge_rules: PyReadonlyArray1<'_, u32>,
        scores: PyReadonlyArray1<'_, f64>,
        values: PyReadonlyArray2<'_, f32>,
        spans: PyReadonlyArray2<'_, u32>,
        sparse_begins: PyReadonlyArray1<'_, u32>,
        sparse: Vec<(u32, f32)>,
    ) -> PyResult<Self> {
        let rule = |(kind, id, lhs, source, target, links, spoken): Rule| {
            let links = links.into_iter().map(Into::into).collect();
            let kind = kind_of(&kind, id)?;
            Ok(RuleParts { kind, lhs, source: symbols(source), target: symbols(target), links, spoken })
        };
        let parts = Parts {
            source,
            categories,
            feature_names: features,
            sparse_names: sparse_features,
            components,
            rules: rules.into_iter().map(rule).collect::<Result<_>>().map_err(raise)?,
            nodes: rows(&nodes)?,
            heads: heads.as_array().to_vec(),
            tails: rows(&tails)?,
            edge_rules: edge_rules.as_array().to_vec(),
            scores: scores.as_array().to_vec(),
            features: values.as_array().iter().copied().collect(),
            spans: rows(&spans)?,
            sparse_begins: sparse_begins.as_array().to_vec(),
            sparse,
        };
        py.guarded(|| engine::Forest::from_parts(&parts)).map(|forest| Self(Arc::new(forest))).map_err(raise)
    }

    /// The source sentence; empty if it is not known.
    #[getter]
    fn source(&self) -> Vec<String> {
        self.0.source().to_vec()
    }

    /// Names of categories.
    #[getter]
    fn categories(&self) -> Vec<String> {
        self.0.categories().to_vec()
    }

    /// Names of dense features.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.feature_names().to_vec()
    }

    /// Names of the components of the ensemble that made it.
    #[getter]
    fn components(&self) -> Vec<String> {
        self.0.components().to_vec()
    }

    /// Names of sparse features.
    #[getter]
    fn sparse_names(&self) -> Vec<String> {
        self.0.sparse_names().to_vec()
    }

    /// How many nodes and edges there are.
    #[getter]
    fn size(&self) -> (usize, usize) {
        (self.0.nodes(), self.0.edges())
    }

    /// For each node its category, begin and end; and where its edges begin, with an end.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<(Pairs<'py>, Ints<'py>)> {
        let nodes = 0..self.0.nodes() as u32;
        let labels = nodes.clone().map(|node| self.0.label(node));
        let labels: Vec<[u32; 3]> = labels.map(|label| [u32::from(label.category), label.begin, label.end]).collect();
        let begins: Vec<u32> = nodes.map(|node| self.0.incoming(node).start).chain([self.0.edges() as u32]).collect();
        Ok((numbers(py, &labels)?, begins.into_pyarray(py)))
    }

    /// For each edge its head, tails, rule, score, span and dense features.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<EdgeArrays<'py>> {
        let forest = &self.0;
        let edges = || (0..forest.edges() as u32).map(|edge| forest.edge(edge));
        let heads: Vec<u32> = edges().map(|edge| edge.head).collect();
        let tails: Vec<[u32; 2]> = edges().map(|edge| edge.tails).collect();
        let rules: Vec<u32> = edges().map(|edge| edge.rule).collect();
        let spans: Vec<[u32; 2]> = (0..forest.edges() as u32).map(|edge| forest.span(edge)).collect();
        let values: Vec<f32> = edges().flat_map(|edge| edge.features.iter().copied()).collect();
        Ok((
            heads.into_pyarray(py),
            numbers(py, &tails)?,
            rules.into_pyarray(py),
            forest.scores().to_vec().into_pyarray(py),
            numbers(py, &spans)?,
            values.into_pyarray(py).reshape([forest.edges(), forest.feature_names().len()])?,
        ))
    }

    /// The sparse features of an edge.
    fn sparse(&self, edge: u32) -> PyResult<Vec<(u32, f32)>> {
        if edge as usize >= self.0.edges() {
            return Err(raise(Error::input(format!("there is no edge {edge}"))));
        }
        Ok(self.0.edge(edge).sparse.to_vec())
    }

    /// The rules, spelled out.
    fn rules(&self) -> PyResult<Vec<Rule>> {
        let side = |symbols: &[tolka_engine::grammar::Symbol]| {
            let part = |symbol: &tolka_engine::grammar::Symbol| match symbol.as_word() {
                Some(word) => Part::Word(self.0.words()[word as usize].clone()),
                None => Part::Gap(symbol.as_nonterminal().unwrap_or(0)),
            };
            symbols.iter().map(part).collect()
        };
        let rules = self.0.rules().iter().map(|rule| {
            let (kind, id) = match rule.kind {
                RuleKind::Other => ("other", None),
                RuleKind::Grammar { table, rule } => ("rule", Some((table, rule))),
                RuleKind::Copied => ("copied", None),
                RuleKind::Given => ("given", None),
                RuleKind::Glue => ("glue", None),
            };
            let links = rule.links.iter().map(|&link| link.into()).collect();
            (kind.to_owned(), id, u32::from(rule.lhs), side(&rule.source), side(&rule.target), links, rule.spoken)
        });
        caught(|| rules.collect())
    }

    /// For each node the sum over its derivations (`log`, `viterbi` or `count`) of scores times `scale`.
    fn inside<'py>(&self, py: Python<'py>, semiring: &str, scale: f64) -> PyResult<Floats<'py>> {
        let forest = &*self.0;
        let sums: Option<Vec<f64>> = py.infallible(|| match semiring {
            "log" => Some(inside(forest, |_, e| LogSum(scale * e.score)).into_iter().map(|sum| sum.0).collect()),
            "viterbi" => Some(inside(forest, |_, e| Viterbi(scale * e.score)).into_iter().map(|sum| sum.0).collect()),
            "count" => Some(inside(forest, |_, _| Counting(1.0)).into_iter().map(|sum| sum.0).collect()),
            _ => None,
        })?;
        sums.map(|sums| sums.into_pyarray(py)).ok_or_else(|| unknown(semiring))
    }

    /// For each node the sum over what completes its derivations to those of the goal.
    fn outside<'py>(&self, py: Python<'py>, semiring: &str, scale: f64) -> PyResult<Floats<'py>> {
        let forest = &*self.0;
        let sums: Option<Vec<f64>> = py.infallible(|| match semiring {
            "log" => {
                let value = |_: u32, edge: &Edge<'_>| LogSum(scale * edge.score);
                Some(outside(forest, &inside(forest, value), value).into_iter().map(|sum| sum.0).collect())
            }
            "viterbi" => {
                let value = |_: u32, edge: &Edge<'_>| Viterbi(scale * edge.score);
                Some(outside(forest, &inside(forest, value), value).into_iter().map(|sum| sum.0).collect())
            }
            "count" => {
                let value = |_: u32, _: &Edge<'_>| Counting(1.0);
                Some(outside(forest, &inside(forest, value), value).into_iter().map(|sum| sum.0).collect())
            }
            _ => None,
        })?;
        sums.map(|sums| sums.into_pyarray(py)).ok_or_else(|| unknown(semiring))
    }

    /// For each node the costs of its best derivation in the MinMerge order, worst first; costs are negated scores.
    fn inside_min_merge(&self, py: Python<'_>) -> PyResult<Vec<Option<Vec<f64>>>> {
        py.infallible(|| {
            let sums = inside(&self.0, |_, edge| MinMerge::of(-edge.score));
            sums.into_iter().map(|sum| sum.costs().map(<[f64]>::to_vec)).collect()
        })
    }

    /// For each node the costs of the best completion of its derivations in the MinMerge order.
    fn outside_min_merge(&self, py: Python<'_>) -> PyResult<Vec<Option<Vec<f64>>>> {
        py.infallible(|| {
            let value = |_: u32, edge: &Edge<'_>| MinMerge::of(-edge.score);
            let sums = outside(&self.0, &inside(&self.0, value), value);
            sums.into_iter().map(|sum| sum.costs().map(<[f64]>::to_vec)).collect()
        })
    }

    /// For each edge how often derivations are expected to use it.
    fn expected_uses<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<Floats<'py>> {
        Ok(py.infallible(|| expected_uses(&self.0, scale))?.into_pyarray(py))
    }

    /// Begin to enumerate derivations, best first by `viterbi` or `minmerge`; if `unique`, those of different translations.
    #[pyo3(signature = (*, unique, semiring))]
    fn kbest(&self, py: Python<'_>, unique: bool, semiring: &str) -> PyResult<ForestKBest> {
        let forest = Arc::clone(&self.0);
        let found = py.infallible(|| match semiring {
            "viterbi" => Some(Listed::Scores(if unique { KBest::unique(forest) } else { KBest::new(forest) })),
            "minmerge" => Some(Listed::Costs(KBest::by(forest, unique, |edge| MinMerge::of(-edge.score)))),
            _ => None,
        })?;
        let unknown = || Error::settings(format!("derivations cannot be listed by `{semiring}`"));
        let found = found.ok_or_else(|| raise(unknown().hint("use viterbi or minmerge")))?;
        Ok(ForestKBest(Mutex::new(found)))
    }

    /// Draw derivations.
    #[pyo3(signature = (count, *, seed, temperature))]
    fn sample(&self, py: Python<'_>, count: usize, seed: u64, temperature: f64) -> PyResult<Vec<Derivation>> {
        let drawn = py.guarded(|| -> Result<Vec<Derivation>> {
            let drawn = self.0.sample(count, seed, temperature)?;
            Ok(drawn.iter().map(|(score, edges)| derivation(&self.0, *score, edges)).collect())
        });
        drawn.map_err(raise)
    }

    /// Leave out edges whose best derivation is more than `beam` worse than the best.
    fn pruned(&self, py: Python<'_>, beam: f64) -> PyResult<Self> {
        Ok(Self(Arc::new(py.infallible(|| self.0.pruned(beam))?)))
    }

    /// Keep the `most` edges with the best derivations through them.
    fn pruned_to(&self, py: Python<'_>, most: usize) -> PyResult<Self> {
        Ok(Self(Arc::new(py.infallible(|| self.0.pruned_to(most))?)))
    }

    /// Leave out edges that are used less often than `least` is expected.
    #[pyo3(signature = (least, *, scale))]
    fn pruned_by_posterior(&self, py: Python<'_>, least: f64, scale: f64) -> PyResult<Self> {
        let pruned = py.infallible(|| {
            let uses = expected_uses(&self.0, scale);
            self.0.filtered(|edge| uses[edge as usize] >= least)
        })?;
        Ok(Self(Arc::new(pruned)))
    }

    /// The same derivations under weights, dense and sparse ones.
    fn reweighted(&self, py: Python<'_>, dense: Vec<f64>, sparse: Vec<f64>) -> PyResult<Self> {
        let mut other = (*self.0).clone();
        py.guarded(|| other.reweight(&dense, &sparse)).map_err(raise)?;
        Ok(Self(Arc::new(other)))
    }

    /// The same derivations under the weights of components, dense and sparse ones of each and what it adds where it does not
    /// have a rule, mixed.
    fn remixed(
        &self,
        py: Python<'_>,
        weights: Vec<(Vec<f64>, Vec<f64>, f64)>,
        mixture: Mixed,
        missing: &str,
    ) -> PyResult<Self> {
        let mut other = (*self.0).clone();
        let components: Vec<_> =
            weights.iter().map(|(dense, sparse, absent)| (&dense[..], &sparse[..], *absent)).collect();
        let mixture = mixture.read(missing_of(missing)?)?;
        py.guarded(|| other.reweight_mixed(&components, &mixture)).map_err(raise)?;
        Ok(Self(Arc::new(other)))
    }

    /// The n-grams of up to `order` words of its translations.
    fn ngrams(&self, py: Python<'_>, order: usize) -> PyResult<ForestNgrams> {
        let found = py.guarded(|| Ngrams::new(&self.0, order)).map_err(raise)?;
        Ok(ForestNgrams { forest: Arc::clone(&self.0), found })
    }

    /// One line of JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.infallible(|| self.0.to_json())
    }
}

fn unknown(semiring: &str) -> PyErr {
    raise(Error::settings(format!("unknown semiring `{semiring}`")).hint("use log, viterbi, count or minmerge"))
}

/// Derivations by their scores, or by their worst costs.
enum Listed {
    Scores(KBest<Arc<engine::Forest>>),
    Costs(KBest<Arc<engine::Forest>, MinMerge>),
}

/// Derivations of a forest, best first.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ForestKBest(Mutex<Listed>);

#[pymethods]
impl ForestKBest {
    /// The next derivation, if there is one.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Derivation>> {
        py.infallible(|| {
            let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *found {
                Listed::Scores(found) => {
                    let (score, edges) = found.take_next()?;
                    Some(derivation(found.forest(), score, &edges))
                }
                Listed::Costs(found) => {
                    let (_, edges) = found.take_valued()?;
                    let score = edges.iter().map(|&(edge, _)| found.forest().edge(edge).score).sum();
                    Some(derivation(found.forest(), score, &edges))
                }
            }
        })
    }
}

/// The n-grams of a forest's translations.
#[pyclass(frozen, module = "tolka._engine")]
pub struct ForestNgrams {
    forest: Arc<engine::Forest>,
    found: Ngrams,
}

#[pymethods]
impl ForestNgrams {
    /// The n-grams.
    fn ngrams(&self) -> PyResult<Vec<Vec<String>>> {
        let spell = |words: &Vec<u32>| words.iter().map(|&word| self.forest.words()[word as usize].clone()).collect();
        caught(|| self.found.ngrams().iter().map(spell).collect())
    }

    /// How often each n-gram is expected, and how many words.
    fn expected<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<(Floats<'py>, f64)> {
        let (sums, length) = py.infallible(|| self.found.expected(scale))?;
        Ok((sums.into_pyarray(py), length))
    }

    /// How likely each n-gram is to be there at least once.
    fn posteriors<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<Floats<'py>> {
        Ok(py.infallible(|| self.found.posteriors(scale))?.into_pyarray(py))
    }

    /// The derivation whose n-grams and words are worth most, and its worth; none if there is no derivation.
    fn best(
        &self,
        py: Python<'_>,
        ngram_gains: PyReadonlyArray1<'_, f64>,
        word_gain: f64,
    ) -> PyResult<Option<(f64, Derivation)>> {
        let gains = ngram_gains.as_array().to_vec();
        if gains.len() != self.found.ngrams().len() {
            let what = format!("{} gains for {} n-grams", gains.len(), self.found.ngrams().len());
            return Err(raise(Error::input(what)));
        }
        py.infallible(|| {
            let (gain, edges) = self.found.best(&gains, word_gain)?;
            let score = edges.iter().map(|&(edge, _)| self.forest.edge(edge).score).sum();
            Some((gain, derivation(&self.forest, score, &edges)))
        })
    }
}
