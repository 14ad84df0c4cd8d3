//! What tables say of the rules of another.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::group::Group;
use super::space::Space;
use super::walk::{Cutter, Piece, Tables, Wanted};
use crate::Result;
use crate::grammar::{Symbol, Table};

/// The rules of a table, and what others say of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// How often each rule was counted.
    pub counts: Vec<f32>,
    /// For each other table its features of each rule, one row after the other; NaN where it lacks the rule.
    pub features: Vec<Vec<f32>>,
}

/// Looks the rules of a table up in others.
///
/// # Errors
/// Tables that are damaged or for different categories.
pub fn look_up(asked: &Table, tables: &[&Table]) -> Result<Rows> {
    let all: Vec<&Table> = std::iter::once(asked).chain(tables.iter().copied()).collect();
    all.iter().try_for_each(|table| table.check())?;
    let space = Space::new(&all)?;
    let walked = Tables { tables: &all, space: &space, wanted: Wanted::First };
    let mut cutter = Cutter::new(&walked)?;
    let mut rows = Rows { counts: Vec::new(), features: vec![Vec::new(); tables.len()] };
    loop {
        let mut pieces = Vec::new();
        while pieces.len() < rayon::current_num_threads() {
            let Some(piece) = cutter.next()? else { break };
            pieces.push(piece);
        }
        if pieces.is_empty() {
            return Ok(rows);
        }
        let found: Vec<Rows> = pieces.par_iter().map(|piece| of_piece(&walked, piece)).collect::<Result<_>>()?;
        for part in found {
            rows.counts.extend(part.counts);
            rows.features.iter_mut().zip(part.features).for_each(|(all, own)| all.extend(own));
        }
    }
}

fn of_piece(tables: &Tables<'_>, piece: &Piece) -> Result<Rows> {
    let others = tables.tables.len() - 1;
    let mut rows = Rows { counts: Vec::new(), features: vec![Vec::new(); others] };
    let mut group = Group::default();
    tables.visit(piece, |_, places| {
        group.read(tables, places.iter().copied())?;
        let known: HashMap<(usize, u8, &[Symbol]), u32> =
            group.rules.iter().map(|rule| ((rule.table, rule.lhs, group.target(rule)), rule.rule)).collect();
        for rule in group.rules.iter().take_while(|rule| rule.table == 0) {
            rows.counts.push(tables.tables[0].counts(rule.rule)[2]);
            for (table, row) in (1..).zip(&mut rows.features) {
                match known.get(&(table, rule.lhs, group.target(rule))) {
                    Some(&found) => tables.tables[table].features(found, row),
                    None => row.resize(row.len() + tables.tables[table].feature_names().len(), f32::NAN),
                }
            }
        }
        Ok(())
    })?;
    Ok(rows)
}
