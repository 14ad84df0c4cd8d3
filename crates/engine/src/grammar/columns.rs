//! More features for the rules of a table, from whoever can score them. Of several voices, each gets them.

use std::path::Path;

use super::{Table, TableBuilder, pattern};
use crate::{Error, Result};

/// Rules scored at a time.
const BATCH: usize = 4096;

/// Writes a table with more features. `values` gets the source and target sides of some rules and gives their new
/// features, one row after the other; gives the number of rules.
///
/// # Errors
/// Names that are taken or badly spelled, values that are missing or not finite, what `values` or the operating system
/// says.
pub fn add_features(
    table: &Table,
    names: &[String],
    out: &Path,
    mut values: impl FnMut(Vec<String>, Vec<String>) -> Result<Vec<f32>>,
) -> Result<u64> {
    if names.is_empty() {
        return Err(Error::input("there is no feature to add"));
    }
    let mut builder = TableBuilder::like(table, names)?;
    let mut batch = Batch { table, names, nodes: Vec::new(), rules: 0 };
    table.each_source(|node, _| {
        batch.rules += table.rules(node).len();
        batch.nodes.push(node);
        if batch.rules >= BATCH { batch.score(&mut values, &mut builder) } else { Ok(()) }
    })?;
    batch.score(&mut values, &mut builder)?;
    let written = builder.len();
    builder.write(out, table.source_words(), table.target_words())?;
    Ok(written)
}

struct Batch<'a> {
    table: &'a Table,
    names: &'a [String],
    nodes: Vec<u32>,
    /// Those of the nodes.
    rules: usize,
}

impl Batch<'_> {
    fn score(
        &mut self,
        values: &mut impl FnMut(Vec<String>, Vec<String>) -> Result<Vec<f32>>,
        builder: &mut TableBuilder,
    ) -> Result<()> {
        let (table, width) = (self.table, self.names.len());
        let rules = || self.nodes.iter().flat_map(|&node| table.rules(node));
        let sources = rules().map(|rule| pattern::source(table, rule)).collect();
        let targets = rules().map(|rule| pattern::target(table, rule)).collect();
        let rows = values(sources, targets)?;
        if rows.len() != self.rules * width {
            return Err(Error::input(format!("{} values for {} features of rules", rows.len(), self.rules * width)));
        }
        let mut source = Vec::new();
        for (rule, row) in rules().zip(rows.chunks(width)) {
            if let Some(at) = row.iter().position(|value| !value.is_finite()) {
                let (source, target) = (pattern::source(table, rule), pattern::target(table, rule));
                let name = &self.names[at];
                let what = format!("the feature {name} of `{source}` and `{target}` is not a finite number");
                return Err(Error::input(what));
            }
            source.clear();
            table.source(rule, &mut source);
            builder.copy(table, rule, &source, row)?;
        }
        self.nodes.clear();
        self.rules = 0;
        Ok(())
    }
}
