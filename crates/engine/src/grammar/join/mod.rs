//! One table of several: rules that tables share meet, whatever numbers their words have there.
//!
//! The tables are walked through together in the order of their common words, so the joined table is written as it
//! comes; pieces of the walk are joined by several threads and taken in order.

mod group;
mod joiner;
mod look_up;
mod row;
mod space;
#[cfg(test)]
mod tests;
mod walk;

use std::path::Path;

use rayon::prelude::*;

pub use look_up::{Rows, look_up};
pub use row::How;

use self::joiner::{Joined, Joiner};
use self::row::Maker;
use self::space::Space;
use self::walk::{Cutter, Tables, Wanted};
use super::{Table, TableBuilder};
use crate::{Error, Result};

/// Tables that can be joined.
pub const MOST_TABLES: usize = 64;
/// Pieces that a thread has before it.
const AHEAD: usize = 2;

/// What a joined table is like.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinSettings {
    /// How features are made.
    pub how: How,
    /// The least probability.
    pub floor: f64,
    /// Whether values are stored as they are, instead of as the nearest of 256 for each feature.
    pub exact: bool,
}

/// Writes the table of the rules of several; gives their number. `advance` is told of rules read, and may say no.
///
/// # Errors
/// Fewer than two tables, one without rules, features or weights that do not go together, damage, no rule, or what the
/// operating system says.
pub fn join(
    tables: &[(String, &Table)],
    settings: &JoinSettings,
    out: &Path,
    advance: &(dyn Fn(usize) -> bool + Sync),
) -> Result<u64> {
    if tables.len() < 2 {
        return Err(Error::settings("fewer than two tables to join"));
    }
    if tables.len() > MOST_TABLES {
        return Err(Error::limit(format!("{} tables, more than {MOST_TABLES}", tables.len())));
    }
    if let Some((name, _)) = tables.iter().find(|(_, table)| table.is_empty()) {
        return Err(Error::input(format!("the table {name} has no rules")));
    }
    if settings.how == How::Voices
        && let Some((name, _)) = tables.iter().find(|(_, table)| table.voices() > 1)
    {
        let what = format!("the table {name} speaks for several models already");
        return Err(Error::input(what).hint("write what each says as a table of its own, see `Grammar.voice`"));
    }
    let names: Vec<_> = tables.iter().map(|(name, table)| (name.clone(), table.feature_names())).collect();
    let counted = tables.iter().all(|(_, table)| table.has_counts());
    let maker = Maker::new(&settings.how, &names, counted, settings.floor)?;
    for (name, table) in tables {
        table.check().map_err(|error| Error { what: format!("the table {name}: {}", error.what), ..error })?;
    }
    let opened: Vec<&Table> = tables.iter().map(|(_, table)| *table).collect();
    let space = Space::new(&opened)?;
    let mut builder = if settings.how == How::Voices {
        let voices = names.iter().map(|(name, _)| name.clone()).collect();
        TableBuilder::with_voices(voices, names[0].1.to_vec(), space.categories.clone())?
    } else {
        TableBuilder::new(maker.names.clone(), space.categories.clone())?
    };
    if !settings.exact {
        builder.quantise();
    }
    let wanted = if settings.how == How::Intersection { Wanted::All } else { Wanted::Any };
    let walked = Tables { tables: &opened, space: &space, wanted };
    let joiner = Joiner { tables: &walked, names: &names, maker: &maker, how: &settings.how, counted };
    let mut cutter = Cutter::new(&walked)?;
    let mut done: Vec<Joined> = Vec::new();
    loop {
        let mut pieces = Vec::new();
        while pieces.len() < AHEAD * rayon::current_num_threads() {
            let Some(piece) = cutter.next()? else { break };
            pieces.push(piece);
        }
        if pieces.is_empty() && done.is_empty() {
            break;
        }
        let (taken, joined) = rayon::join(
            || done.iter().try_for_each(|joined| joined.push_to(&mut builder)),
            || pieces.par_iter().map(|piece| joiner.join(piece)).collect::<Result<Vec<_>>>(),
        );
        taken?;
        done = joined?;
        if !advance(pieces.iter().map(|piece| piece.rules as usize).sum()) {
            return Err(Error::input("joining was stopped"));
        }
    }
    if builder.is_empty() {
        return Err(Error::input("no rule is in all tables"));
    }
    let rules = builder.len();
    builder.write(out, &space.source, &space.target)?;
    Ok(rules)
}
