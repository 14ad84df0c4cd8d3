//! A trained aligner as containers: its tables, and its two vocabularies. What is read is checked before it is trusted.

use std::path::Path;

use bytemuck::Pod;

use super::bitext::Shape;
use super::diagonal::Diagonal;
use super::gauss::Variant;
use super::jumps::WIDEST;
use super::model::{Model, Position, Shaped};
use super::sampler::MOST_CHILDREN;
use super::table::Table;
use crate::Result;
use crate::corpus::vocabulary::Vocabulary;
use crate::files::{Container, ContainerWriter, Section, Verify};

const KIND: &str = "aligner";
const VERSION: u32 = 1;
const SIDES: [&str; 2] = ["forward", "backward"];

/// Writes the tables to `path` and the vocabularies to `words` (source, target); each whole or not at all.
///
/// # Errors
/// What the operating system says.
pub fn save(model: &Model, path: &Path, words: [&Path; 2]) -> Result<()> {
    model.source.save(words[0])?;
    model.target.save(words[1])?;
    let mut file = ContainerWriter::create(path, KIND, VERSION)?;
    let table = &model.table;
    file.section("table.rows", &table.rows)?;
    file.section("table.columns", &table.columns)?;
    file.section("table.forward", &table.forward)?;
    file.section("table.backward", &table.backward)?;
    for (side, name) in SIDES.iter().enumerate() {
        file.section(&format!("null.{name}"), &table.null[side])?;
        file.section(&format!("unseen.{name}"), &table.unseen[side])?;
    }
    file.section_bytes("model", model.position.name().as_bytes())?;
    match &model.position {
        Position::Uniform => {}
        Position::Table(shaped) => save_shaped(&mut file, shaped)?,
        Position::Gauss(variant, shaped) => {
            file.section("variant", &[variant_code(*variant)])?;
            save_shaped(&mut file, shaped)?;
        }
        Position::Diagonal(models) => {
            let numbers: Vec<f64> = models.iter().flat_map(|m| [m.null, m.tension]).collect();
            file.section("diagonal", &numbers)?;
        }
        Position::Hmm(both) => {
            for ((null, jumps), name) in both.iter().zip(SIDES) {
                file.section(&format!("share.{name}"), &[*null])?;
                file.section(&format!("jumps.{name}"), jumps)?;
            }
        }
        Position::Fertility(both) => {
            for ((null, jumps, ratios), name) in both.iter().zip(SIDES) {
                file.section(&format!("share.{name}"), &[*null])?;
                file.section(&format!("jumps.{name}"), jumps)?;
                file.section(&format!("ratios.{name}"), ratios)?;
            }
        }
    }
    file.finish()
}

fn save_shaped(file: &mut ContainerWriter, shaped: &Shaped) -> Result<()> {
    file.section("shapes", &shaped.shapes)?;
    file.section("shape.starts", &shaped.starts)?;
    file.section("shape.numbers", &shaped.numbers)
}

/// Opens a model. The lexical table stays in the file and is read where it is needed.
///
/// # Errors
/// If the file is not a whole, sound aligner.
pub fn load(path: &Path, words: [&Path; 2], most_bytes: u64) -> Result<Model> {
    let source = Vocabulary::open(words[0], most_bytes)?;
    let target = Vocabulary::open(words[1], most_bytes)?;
    let file = Container::open_within(path, Some(KIND), Verify::Full, most_bytes)?;
    file.kind_version_up_to(VERSION)?;
    let opened = Opened { file: &file, source: source.len(), target: target.len() };
    let table = opened.table()?;
    let position = opened.position()?;
    Ok(Model { source, target, table, position })
}

struct Opened<'a> {
    file: &'a Container,
    source: usize,
    target: usize,
}

impl Opened<'_> {
    fn section<T: Pod>(&self, name: &str, len: usize) -> Result<Section<T>> {
        let section = self.file.section::<T>(name)?;
        if section.len() == len { Ok(section) } else { Err(self.unsound(name)) }
    }

    /// A section of finite numbers from 0.
    fn numbers(&self, name: &str, len: usize) -> Result<Section<f32>> {
        let section = self.section::<f32>(name, len)?;
        if section.iter().all(|p| p.is_finite() && *p >= 0.0) { Ok(section) } else { Err(self.unsound(name)) }
    }

    fn unsound(&self, name: &str) -> crate::Error {
        self.file.error(format!("section {name} of the aligner is not sound")).hint("train and save the aligner again")
    }

    fn table(&self) -> Result<Table> {
        let rows = self.section::<u64>("table.rows", self.source + 1)?;
        let columns = self.file.section::<u32>("table.columns")?;
        let ordered = rows[0] == 0
            && rows.windows(2).all(|pair| pair[0] <= pair[1])
            && rows[self.source] == columns.len() as u64
            && columns.iter().all(|&word| (word as usize) < self.target);
        if !ordered {
            return Err(self.unsound("table.rows"));
        }
        Ok(Table {
            forward: self.numbers("table.forward", columns.len())?,
            backward: self.numbers("table.backward", columns.len())?,
            null: [self.numbers("null.forward", self.target)?, self.numbers("null.backward", self.source)?],
            unseen: [self.numbers("unseen.forward", self.source)?, self.numbers("unseen.backward", self.target)?],
            rows,
            columns,
        })
    }

    fn position(&self) -> Result<Position> {
        let name = self.file.bytes("model")?;
        let given = [self.source, self.target];
        let share = |side: usize| -> Result<f32> {
            let share = self.numbers(&format!("share.{}", SIDES[side]), 1)?[0];
            if share > 0.0 && share < 1.0 { Ok(share) } else { Err(self.unsound("share")) }
        };
        let jumps = |side: usize| self.numbers(&format!("jumps.{}", SIDES[side]), 2 * WIDEST + 1);
        let ratios = |side: usize| self.numbers(&format!("ratios.{}", SIDES[side]), given[side] * MOST_CHILDREN);
        Ok(match name {
            b"ibm1" => Position::Uniform,
            b"ibm2" => Position::Table(self.shaped(Shape::block)?),
            b"gauss" => {
                let variant = self.section::<u32>("variant", 1)?[0];
                let variant = parse_variant(variant).ok_or_else(|| self.unsound("variant"))?;
                let shaped = self.shaped(|shape| 3 * (shape.source + shape.target))?;
                let spread = shaped.numbers.chunks_exact(3).all(|column| column[0] <= 1.0 && column[2] > 0.0);
                if !spread {
                    return Err(self.unsound("shape.numbers"));
                }
                Position::Gauss(variant, shaped)
            }
            b"diagonal" => {
                let numbers = self.section::<f64>("diagonal", 4)?;
                let model = |side: usize| Diagonal { null: numbers[2 * side], tension: numbers[2 * side + 1] };
                let sound = |m: Diagonal| m.null > 0.0 && m.null < 1.0 && (0.0..=1000.0).contains(&m.tension);
                if !(sound(model(0)) && sound(model(1))) {
                    return Err(self.unsound("diagonal"));
                }
                Position::Diagonal([model(0), model(1)])
            }
            b"hmm" => Position::Hmm([(share(0)?, jumps(0)?), (share(1)?, jumps(1)?)]),
            b"fertility" => {
                Position::Fertility([(share(0)?, jumps(0)?, ratios(0)?), (share(1)?, jumps(1)?, ratios(1)?)])
            }
            _ => return Err(self.unsound("model")),
        })
    }

    fn shaped(&self, size: impl Fn(Shape) -> usize) -> Result<Shaped> {
        let shapes = self.file.section::<u32>("shapes")?;
        let count = shapes.len() / 2;
        let starts = self.section::<u64>("shape.starts", count + 1)?;
        let numbers = self.file.section::<f32>("shape.numbers")?;
        let mut end = 0u64;
        let sound = shapes.len() % 2 == 0
            && starts[0] == 0
            && (0..count).all(|at| {
                let (source, target) = (shapes[2 * at] as usize, shapes[2 * at + 1] as usize);
                let most = super::bitext::MOST_TOKENS;
                let after = source > 0 && target > 0 && source <= most && target <= most;
                let sorted = at == 0 || (shapes[2 * at - 2], shapes[2 * at - 1]) < (shapes[2 * at], shapes[2 * at + 1]);
                if after {
                    end += size(Shape { source, target }) as u64;
                }
                after && sorted && starts[at + 1] == end
            })
            && end == numbers.len() as u64;
        if !sound {
            return Err(self.unsound("shapes"));
        }
        let numbers = self.finite(numbers)?;
        Ok(Shaped { shapes, starts, numbers })
    }

    fn finite(&self, numbers: Section<f32>) -> Result<Section<f32>> {
        if numbers.iter().all(|p| p.is_finite()) { Ok(numbers) } else { Err(self.unsound("shape.numbers")) }
    }
}

fn variant_code(variant: Variant) -> u32 {
    match variant {
        Variant::Vanilla => 0,
        Variant::Deficient => 1,
        Variant::Truncated => 2,
        Variant::Integrated => 3,
    }
}

fn parse_variant(code: u32) -> Option<Variant> {
    [Variant::Vanilla, Variant::Deficient, Variant::Truncated, Variant::Integrated].get(code as usize).copied()
}
