//! Leaving out the rules that cannot match a text, which changes no translation of it.

use std::path::Path;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::{Symbol, Table, TableBuilder};
use crate::{Error, Result};

/// Writes the rules of a table whose source sides match somewhere in the lines, a nonterminal standing for one word or
/// more; gives their number.
///
/// # Errors
/// Nothing matches, or what the operating system says.
pub fn filter<S: AsRef<str> + Sync>(table: &Table, lines: &[S], out: &Path) -> Result<u64> {
    let found: HashSet<u32> = lines
        .par_iter()
        .fold(HashSet::new, |mut found, line| {
            let mut ids = Vec::new();
            table.source_words().encode_into(line.as_ref(), &mut ids);
            found.extend(matching(table, &ids));
            found
        })
        .reduce(HashSet::new, |a, b| {
            let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
            large.extend(small);
            large
        });
    let mut builder = TableBuilder::like(table, &[])?;
    table.each_source_among(
        |node| found.contains(&node),
        |node, source| table.rules(node).try_for_each(|rule| builder.copy(table, rule, source, &[])),
    )?;
    if builder.is_empty() {
        return Err(Error::input("no rule of the grammar matches the text").hint("is it the source side, tokenised?"));
    }
    let rules = builder.len();
    builder.write(out, table.source_words(), table.target_words())?;
    Ok(rules)
}

/// The nodes on the way to source sides that match a sentence.
fn matching(table: &Table, words: &[u32]) -> HashSet<u32> {
    let mut seen: HashSet<(u32, u32, bool)> = HashSet::new();
    // A node, a position, and whether a nonterminal before it may reach farther.
    let mut stack: Vec<(u32, u32, bool)> = (0..words.len() as u32).map(|at| (Table::ROOT, at, false)).collect();
    let mut nodes = HashSet::new();
    while let Some((node, at, open)) = stack.pop() {
        if !seen.insert((node, at, open)) {
            continue;
        }
        nodes.insert(node);
        if at as usize >= words.len() || !table.continues(node) {
            continue;
        }
        let end = if open { words.len() as u32 } else { at + 1 };
        for next in at..end {
            if let Some(child) = table.step(node, Symbol::word(words[next as usize])) {
                stack.push((child, next + 1, false));
            }
        }
        for category in 0..table.categories().len() as u32 {
            if let Some(child) = table.step(node, Symbol::nonterminal(category)) {
                stack.push((child, at + 1, true));
            }
        }
    }
    nodes
}
