//! A grammar as it is kept: one outline, and levels from coarse to fine, in one memory-mapped file.

use std::path::Path;
use std::sync::Arc;

use super::level::{Level, Places};
use super::lexicon::{Lexicon, Seen};
use super::outline::Outline;
use crate::files::{Container, ContainerWriter, Section, Verify};
use crate::{Error, Result};

/// The kind of a grammar's container.
pub const KIND: &str = "constituents";
const VERSION: u32 = 1;
/// Levels there may be at most.
const MOST_LEVELS: usize = 8;

/// A grammar with variants, and coarser ones that tell which parts of its chart are worth a look.
#[derive(Debug, Clone)]
pub struct Grammar {
    outline: Arc<Outline>,
    levels: Vec<Level>,
    packed: Packed,
    settings: String,
}

/// The rules of the level without variants, side by side for the first look.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    /// Right part, parent and probability of each rule, by left parts.
    pub(super) by_left: Vec<(u16, u16, f32)>,
    /// Left part, right part and probability of each rule, by parents, and where those of each begin.
    pub(super) by_parent: Vec<(u16, u16, f32)>,
    pub(super) parents: Vec<u32>,
    /// How often each symbol is expected in a tree, in the upper storey.
    pub(super) expected: Vec<f64>,
}

impl Packed {
    fn new(outline: &Outline, level: &Level) -> Self {
        let by_left = outline.binary().iter().zip(&*level.binary).map(|(rule, &p)| (rule[1] as u16, rule[2] as u16, p));
        let by_left = by_left.collect();
        let mut rules: Vec<(u32, (u16, u16, f32))> = Vec::with_capacity(outline.binary().len());
        rules.extend(
            outline
                .binary()
                .iter()
                .zip(&*level.binary)
                .map(|(&[left, right, parent], &p)| (parent, (left as u16, right as u16, p))),
        );
        rules.sort_by_key(|rule| rule.0);
        let first = |symbol| rules.partition_point(|rule| rule.0 < symbol) as u32;
        let parents = (0..=outline.symbols() as u32).map(first).collect();
        let by_parent = rules.into_iter().map(|rule| rule.1).collect();
        Self { by_left, by_parent, parents, expected: expected(outline, level) }
    }

    /// The rules of a parent.
    pub(super) fn with_parent(&self, symbol: u32) -> &[(u16, u16, f32)] {
        &self.by_parent[self.parents[symbol as usize] as usize..self.parents[symbol as usize + 1] as usize]
    }
}

/// How often each symbol is expected, counted as deep as trees usually are.
fn expected(outline: &Outline, level: &Level) -> Vec<f64> {
    let mut layer = vec![0.0; outline.symbols()];
    layer[outline.root() as usize] = 1.0;
    let mut sums = layer.clone();
    for _ in 0..60 {
        let mut lower: Vec<f64> =
            layer.iter().zip(&*level.kept).map(|(count, &kept)| count * f64::from(kept)).collect();
        for (&[child, parent, _], &p) in outline.unary().iter().zip(&*level.unary) {
            lower[child as usize] += layer[parent as usize] * f64::from(p);
        }
        layer.fill(0.0);
        for (&[left, right, parent], &p) in outline.binary().iter().zip(&*level.binary) {
            let count = lower[parent as usize] * f64::from(p);
            layer[left as usize] += count;
            layer[right as usize] += count;
        }
        sums.iter_mut().zip(&layer).for_each(|(sum, count)| *sum += count);
    }
    sums
}

impl Grammar {
    /// Levels over an outline; the first one must have no variants.
    ///
    /// # Errors
    /// Levels that do not fit.
    pub fn new(outline: Arc<Outline>, levels: Vec<Level>, settings: String) -> Result<Self> {
        if levels.is_empty() || levels.len() > MOST_LEVELS || levels[0].places.variants.iter().any(|&count| count != 1)
        {
            return Err(Error::format("the levels of the grammar do not begin with one without variants"));
        }
        if levels.iter().any(|level| level.places.of(outline.root()) != 1) {
            return Err(Error::format("the root has several variants"));
        }
        let packed = Packed::new(&outline, &levels[0]);
        Ok(Self { outline, levels, packed, settings })
    }

    /// Its symbols and rules.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Its levels, from coarse to fine.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The level without variants.
    pub fn coarse(&self) -> &Level {
        &self.levels[0]
    }

    /// The last level.
    pub fn fine(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    /// What was stored with it, for whoever made the trees.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    pub(super) fn packed(&self) -> &Packed {
        &self.packed
    }

    /// Writes the file, which appears whole or not at all.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut writer = ContainerWriter::create(path, KIND, VERSION)?;
        let outline = &self.outline;
        writer.section_bytes("settings", self.settings.as_bytes())?;
        texts(&mut writer, "symbols", outline.names())?;
        writer.section("kinds", outline.kinds())?;
        texts(&mut writer, "chains", outline.chains())?;
        writer.section("shape", &[outline.root(), self.levels.len() as u32])?;
        writer.section("binary", outline.binary().as_flattened())?;
        writer.section("unary", outline.unary().as_flattened())?;
        let lexicon = &self.coarse().lexicon;
        for (name, seen) in [("words", lexicon.words()), ("forms", lexicon.forms())] {
            texts(&mut writer, name, seen.texts())?;
            writer.section(&format!("{name}-begins"), seen.begins())?;
            writer.section(&format!("{name}-tags"), seen.tags())?;
        }
        for (number, level) in self.levels.iter().enumerate() {
            writer.section(&format!("variants-{number}"), &level.places.variants)?;
            writer.section(&format!("binary-{number}"), &level.binary)?;
            writer.section(&format!("unary-{number}"), &level.unary)?;
            writer.section(&format!("kept-{number}"), &level.kept)?;
            let [words, forms] = level.lexicon.counts();
            writer.section(&format!("words-{number}"), words)?;
            writer.section(&format!("forms-{number}"), forms)?;
        }
        writer.finish()
    }

    /// Opens a file and checks everything in it.
    ///
    /// # Errors
    /// A file of another kind, or a damaged one.
    pub fn open(path: &Path, most_bytes: u64) -> Result<Self> {
        let container = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
        Self::read(&container).map_err(|error| error.at_path(path))
    }

    fn read(container: &Container) -> Result<Self> {
        container.kind_version_up_to(VERSION)?;
        let text = |name: &str| {
            String::from_utf8(container.bytes(name)?.to_vec())
                .map_err(|_| Error::format(format!("section {name} is not UTF-8")))
        };
        let list = |name: &str| -> Result<Vec<String>> {
            let text = text(name)?;
            Ok(text.split_terminator('\n').map(str::to_owned).collect())
        };
        let rules = |name: &str| -> Result<Section<[u32; 3]>> {
            let flat = container.slice::<u32>(name)?;
            let (rules, rest) = flat.as_chunks::<3>();
            if !rest.is_empty() {
                return Err(Error::format(format!("section {name} has half a rule")));
            }
            Ok(rules.to_vec().into())
        };
        let &[root, count] = container.slice::<u32>("shape")? else {
            return Err(Error::format("section shape has not two numbers"));
        };
        if count as usize > MOST_LEVELS {
            return Err(Error::format(format!("there are {count} levels, more than {MOST_LEVELS}")));
        }
        let kinds = container.slice::<u8>("kinds")?.to_vec();
        let outline = Outline::new(list("symbols")?, kinds, list("chains")?, root, rules("binary")?, rules("unary")?)?;
        let seen = |name: &str| {
            let begins = container.slice::<u32>(&format!("{name}-begins"))?.to_vec();
            let tags = container.slice::<u32>(&format!("{name}-tags"))?.to_vec();
            Seen::new(list(name)?, begins, tags, outline.symbols()).map(Arc::new)
        };
        let (words, forms) = (seen("words")?, seen("forms")?);
        let level = |number: u32| {
            let section = |name: &str| container.section::<f32>(&format!("{name}-{number}"));
            let variants = container.slice::<u32>(&format!("variants-{number}"))?.to_vec();
            let places = Places::new(&outline, variants)?;
            let lexicon =
                Lexicon::new(words.clone(), forms.clone(), &places.variants, section("words")?, section("forms")?)?;
            let level =
                Level { places, binary: section("binary")?, unary: section("unary")?, kept: section("kept")?, lexicon };
            level.check()?;
            Ok(level)
        };
        let levels = (0..count).map(level).collect::<Result<Vec<Level>>>()?;
        Self::new(Arc::new(outline), levels, text("settings")?)
    }
}

/// Strings, one a line; none of them has a line break in it.
fn texts(writer: &mut ContainerWriter, name: &str, texts: &[String]) -> Result<()> {
    let mut all = String::new();
    for text in texts {
        if text.contains('\n') {
            return Err(Error::input(format!("{text:?} has a line break in it")));
        }
        all.push_str(text);
        all.push('\n');
    }
    writer.section_bytes(name, all.as_bytes())
}
