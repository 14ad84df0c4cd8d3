//! Many classifiers in flat arrays, in memory or mapped from a file.

use std::path::Path;

use super::ensemble::Ensemble;
use super::examples::Field;
use super::mass::Mass;
use super::trees::{Node, Snapshot, Trees};
use crate::files::{Container, ContainerWriter, Section, Verify};
use crate::{Error, Result};

/// The kind of a file that holds nothing but classifiers.
pub const KIND: &str = "classifiers";
const VERSION: u32 = 1;

/// Classifiers by key, all of the same fields.
#[derive(Debug, Clone)]
pub struct Classifiers {
    fields: Section<Field>,
    /// In order.
    keys: Section<u64>,
    /// Where each classifier's nodes, trees and snapshots begin, and where the last ones end.
    begins: Section<Begins>,
    nodes: Section<Node>,
    weights: Section<f64>,
    /// Within the classifier's own nodes.
    roots: Section<u32>,
    snapshots: Section<Snapshot>,
}

type Begins = [u64; 3];

impl Classifiers {
    /// Classifiers of these ensembles.
    ///
    /// # Errors
    /// Two of the same key, or one of other fields.
    pub fn new(fields: &[Field], mut all: Vec<(u64, Ensemble)>) -> Result<Self> {
        all.sort_by_key(|(key, _)| *key);
        if let Some(two) = all.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(Error::input(format!("there are two classifiers of the key {}", two[0].0)));
        }
        if all.iter().any(|(_, ensemble)| ensemble.fields != fields) {
            return Err(Error::input("classifiers of other fields cannot be kept together"));
        }
        let mut begins = vec![[0; 3]];
        let (mut nodes, mut weights, mut roots, mut snapshots) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (_, ensemble) in &all {
            nodes.extend_from_slice(&ensemble.nodes);
            weights.extend_from_slice(&ensemble.weights);
            roots.extend_from_slice(&ensemble.roots);
            snapshots.extend_from_slice(&ensemble.snapshots);
            begins.push([nodes.len() as u64, roots.len() as u64, snapshots.len() as u64]);
        }
        Ok(Self {
            fields: fields.to_vec().into(),
            keys: all.iter().map(|(key, _)| *key).collect::<Vec<_>>().into(),
            begins: begins.into(),
            nodes: nodes.into(),
            weights: weights.into(),
            roots: roots.into(),
            snapshots: snapshots.into(),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What is in a row.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The keys, in order.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The classifier of a key.
    pub fn get(&self, key: u64) -> Option<Trees<'_>> {
        self.find(key).map(|at| self.at(at))
    }

    /// The place of a key among all.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// The classifier at a place.
    pub fn at(&self, at: usize) -> Trees<'_> {
        let (from, to) = (self.begins[at], self.begins[at + 1]);
        let range = |part: usize| from[part] as usize..to[part] as usize;
        Trees {
            fields: &self.fields,
            nodes: &self.nodes[range(0)],
            weights: &self.weights[range(0)],
            roots: &self.roots[range(1)],
            snapshots: &self.snapshots[range(2)],
        }
    }

    /// All, in order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Trees<'_>)> {
        (0..self.len()).map(|at| (self.keys[at], self.at(at)))
    }

    /// By field, how much the last tests of paths change weights, over all classifiers at a penalty.
    pub fn mass(&self, penalty: f64) -> Mass {
        let mut mass = Mass::new(self.fields.len());
        for (_, trees) in self.iter() {
            if let Some(snapshot) = trees.snapshot(penalty) {
                mass.add(trees, snapshot);
            }
        }
        mass
    }

    /// Adds them to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write<W: std::io::Write + std::io::Seek>(&self, out: &mut ContainerWriter<W>) -> Result<()> {
        out.section("tree-fields", &self.fields)?;
        out.section("tree-keys", &self.keys)?;
        out.section("tree-begins", &self.begins)?;
        out.section("tree-nodes", &self.nodes)?;
        out.section("tree-weights", &self.weights)?;
        out.section("tree-roots", &self.roots)?;
        out.section("tree-snapshots", &self.snapshots)
    }

    /// Those of a file, where they are mapped.
    ///
    /// # Errors
    /// Sections that are missing or do not fit each other.
    pub fn from_container(file: &Container) -> Result<Self> {
        let found = Self {
            fields: file.section("tree-fields")?,
            keys: file.section("tree-keys")?,
            begins: file.section("tree-begins")?,
            nodes: file.section("tree-nodes")?,
            weights: file.section("tree-weights")?,
            roots: file.section("tree-roots")?,
            snapshots: file.section("tree-snapshots")?,
        };
        found.check().map_err(|what| file.error(what).hint("copy or make it again"))?;
        Ok(found)
    }

    /// Writes a file that holds nothing else.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut out = ContainerWriter::create(path, KIND, VERSION)?;
        self.write(&mut out)?;
        out.finish()
    }

    /// Opens a file that [`Classifiers::save`] has written.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<Self> {
        let file = Container::open(path, KIND, Verify::Full)?;
        file.kind_version_up_to(VERSION)?;
        Self::from_container(&file)
    }

    fn check(&self) -> std::result::Result<(), String> {
        Trees::check_fields(&self.fields)?;
        if self.keys.windows(2).any(|two| two[0] >= two[1]) {
            return Err("the keys of the classifiers are not in order".to_owned());
        }
        let ends = [self.nodes.len(), self.roots.len(), self.snapshots.len()].map(|length| length as u64);
        let begins = &self.begins;
        let rise = |two: &[Begins]| two[0].iter().zip(&two[1]).all(|(from, to)| from <= to);
        let fit = begins.len() == self.keys.len() + 1 && begins[0] == [0; 3] && begins.windows(2).all(rise);
        if !fit || begins[self.keys.len()] != ends || self.weights.len() != self.nodes.len() {
            return Err("the parts of the classifiers do not fit each other".to_owned());
        }
        let mut pending = Vec::new();
        for (key, trees) in self.iter() {
            trees.check(&mut pending).map_err(|what| format!("classifier {key}: {what}"))?;
        }
        Ok(())
    }
}

impl Trees<'_> {
    /// A copy that stands by itself.
    pub fn to_ensemble(&self) -> Ensemble {
        Ensemble {
            fields: self.fields.to_vec(),
            nodes: self.nodes.to_vec(),
            weights: self.weights.to_vec(),
            roots: self.roots.to_vec(),
            snapshots: self.snapshots.to_vec(),
            risks: Vec::new(),
        }
    }
}
