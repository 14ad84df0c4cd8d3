//! Walking through the source sides of several tables at once, as if they were one trie.
//!
//! A source side is a node in each table that has it. Its children are those of these nodes, by their symbols in the
//! common space; so a walk visits each node of each table once, in the order in which a table is written, and holds
//! no more than the way to where it is.

use super::space::Space;
use crate::grammar::{Symbol, Table};
use crate::{Error, Result};

/// Rules of a piece of the walk: small enough to be held, large enough to be worth a thread.
const PIECE: u64 = 1 << 14;

/// A node of one of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub table: usize,
    pub node: u32,
}

/// Which source sides are worth a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    Any,
    /// Those of the first table.
    First,
    /// Those that all tables have.
    All,
}

/// The tables that are walked through.
pub struct Tables<'a> {
    pub tables: &'a [&'a Table],
    pub space: &'a Space,
    pub wanted: Wanted,
}

/// A part of the walk: a source side, alone or with all that begin with it.
struct Part {
    source: Vec<Symbol>,
    places: Vec<Place>,
    whole: bool,
}

/// Parts that follow each other.
#[derive(Default)]
pub struct Piece {
    parts: Vec<Part>,
    /// The rules of the tables in them.
    pub rules: u64,
}

impl Tables<'_> {
    /// The children of a source side, those with the same symbol side by side.
    fn children(&self, places: &[Place]) -> Result<Vec<(Symbol, Place)>> {
        let mut children = Vec::new();
        for &Place { table, node } in places {
            let own = self.tables[table].children(node);
            children.extend(own.map(|(symbol, node)| (self.space.source(table, symbol), Place { table, node })));
        }
        children.sort_unstable_by_key(|(symbol, place)| (*symbol, place.table));
        let twice = |pair: &[(Symbol, Place)]| pair[0].0 == pair[1].0 && pair[0].1.table == pair[1].1.table;
        if children.windows(2).any(twice) {
            return Err(Error::format("a table has the same source side twice").hint("make or copy the file again"));
        }
        Ok(children)
    }

    fn wants(&self, family: &[(Symbol, Place)]) -> bool {
        match self.wanted {
            Wanted::Any => true,
            Wanted::First => family[0].1.table == 0,
            Wanted::All => family.len() == self.tables.len(),
        }
    }

    /// The rules of a source side and of all that begin with it. Those of neighbours have neighbours for children, so
    /// this takes a step for each length.
    fn rules_below(&self, place: Place) -> u64 {
        let table = self.tables[place.table];
        let (mut nodes, mut rules) = (place.node..place.node + 1, 0);
        while !nodes.is_empty() {
            rules += u64::from(table.rules(nodes.end - 1).end - table.rules(nodes.start).start);
            nodes = table.family(nodes.start).start..table.family(nodes.end - 1).end;
        }
        rules
    }

    /// Visits a source side and all that begin with it.
    fn descend(
        &self,
        source: &mut Vec<Symbol>,
        places: &[Place],
        visit: &mut impl FnMut(&[Symbol], &[Place]) -> Result<()>,
    ) -> Result<()> {
        visit(source, places)?;
        let children = self.children(places)?;
        let mut places = Vec::new();
        for family in children.chunk_by(|a, b| a.0 == b.0).filter(|family| self.wants(family)) {
            places.clear();
            places.extend(family.iter().map(|&(_, place)| place));
            source.push(family[0].0);
            self.descend(source, &places, visit)?;
            source.pop();
        }
        Ok(())
    }

    /// Visits the source sides of a piece, each with the nodes of the tables that have it.
    ///
    /// # Errors
    /// What `visit` says, or a table that has a source side twice.
    pub fn visit(&self, piece: &Piece, mut visit: impl FnMut(&[Symbol], &[Place]) -> Result<()>) -> Result<()> {
        let mut source = Vec::new();
        for part in &piece.parts {
            if part.whole {
                source.clear();
                source.extend_from_slice(&part.source);
                self.descend(&mut source, &part.places, &mut visit)?;
            } else {
                visit(&part.source, &part.places)?;
            }
        }
        Ok(())
    }
}

/// Cuts a walk into pieces, in order.
pub struct Cutter<'a> {
    tables: &'a Tables<'a>,
    source: Vec<Symbol>,
    /// The children of the source sides on the way, and how many of them were taken.
    stack: Vec<(Vec<(Symbol, Place)>, usize)>,
}

impl<'a> Cutter<'a> {
    /// The pieces of the whole walk.
    ///
    /// # Errors
    /// A table that has a source side twice.
    pub fn new(tables: &'a Tables<'a>) -> Result<Self> {
        let roots: Vec<Place> = (0..tables.tables.len()).map(|table| Place { table, node: Table::ROOT }).collect();
        Ok(Self { tables, source: Vec::new(), stack: vec![(tables.children(&roots)?, 0)] })
    }

    /// The next piece, if there is one.
    ///
    /// # Errors
    /// A table that has a source side twice.
    pub fn next(&mut self) -> Result<Option<Piece>> {
        let mut piece = Piece::default();
        while let Some((children, taken)) = self.stack.last_mut() {
            let Some(family) = children[*taken..].chunk_by(|a, b| a.0 == b.0).next() else {
                self.stack.pop();
                self.source.pop();
                continue;
            };
            *taken += family.len();
            if !self.tables.wants(family) {
                continue;
            }
            self.source.push(family[0].0);
            let places: Vec<Place> = family.iter().map(|&(_, place)| place).collect();
            let below: u64 = places.iter().map(|&place| self.tables.rules_below(place)).sum();
            let whole = below <= PIECE;
            let own = |place: &Place| self.tables.tables[place.table].rules(place.node).len() as u64;
            piece.rules += if whole { below } else { places.iter().map(own).sum() };
            if !whole {
                self.stack.push((self.tables.children(&places)?, 0));
            }
            piece.parts.push(Part { source: self.source.clone(), places, whole });
            if whole {
                self.source.pop();
            }
            if piece.rules >= PIECE {
                break;
            }
        }
        Ok((!piece.parts.is_empty()).then_some(piece))
    }
}
