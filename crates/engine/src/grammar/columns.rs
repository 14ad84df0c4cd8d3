//! More features for the rules of a table, from whoever can score them.

use std::path::Path;

use super::{Rule, Table, TableBuilder, pattern};
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
    let all: Vec<String> = table.feature_names().iter().chain(names).cloned().collect();
    let mut builder = TableBuilder::new(all, table.categories().to_vec())?;
    let rules = table.len() as u32;
    let (mut source, mut features) = (Vec::new(), Vec::new());
    for first in (0..rules).step_by(BATCH) {
        let batch = first..rules.min(first + BATCH as u32);
        let sources = batch.clone().map(|rule| pattern::source(table, rule)).collect();
        let targets = batch.clone().map(|rule| pattern::target(table, rule)).collect();
        let rows = values(sources, targets)?;
        if rows.len() != batch.len() * names.len() {
            let (got, wanted) = (rows.len(), batch.len() * names.len());
            return Err(Error::input(format!("{got} values for {wanted} features of rules")));
        }
        for (rule, row) in batch.zip(rows.chunks(names.len())) {
            if let Some(at) = row.iter().position(|value| !value.is_finite()) {
                let (source, target) = (pattern::source(table, rule), pattern::target(table, rule));
                let what = format!("the feature {} of `{source}` and `{target}` is not a finite number", names[at]);
                return Err(Error::input(what));
            }
            source.clear();
            table.source(rule, &mut source);
            features.clear();
            features.extend_from_slice(table.features(rule));
            features.extend_from_slice(row);
            builder.push(&Rule {
                lhs: table.lhs(rule),
                source: &source,
                target: table.target(rule),
                features: &features,
                links: table.links(rule),
                counts: table.counts(rule),
            })?;
        }
    }
    let written = builder.len();
    builder.write(out, table.source_words(), table.target_words())?;
    Ok(written)
}
