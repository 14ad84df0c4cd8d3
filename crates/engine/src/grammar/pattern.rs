//! The sides of rules as people write them: words, and nonterminals as `[X,1]` or `[X]`.

use rayon::prelude::*;

use super::{Symbol, Table};
use crate::corpus::words::words;
use crate::{Error, Result};

/// The category of a token that is spelled like a nonterminal.
fn category(table: &Table, token: &str) -> Option<u32> {
    let inside = token.strip_prefix('[')?.strip_suffix(']')?;
    let name = inside.split_once(',').map_or(inside, |(name, _)| name);
    table.categories().iter().position(|category| category == name).map(|at| at as u32)
}

/// The node of a source side; none if no rule has it.
pub fn find(table: &Table, source: &str) -> Option<u32> {
    let mut node = Table::ROOT;
    for token in words(source) {
        let symbol = match category(table, token) {
            Some(category) => Symbol::nonterminal(category),
            None => Symbol::word(table.source_words().find(token)?),
        };
        node = table.step(node, symbol)?;
    }
    Some(node)
}

/// The rule with these sides; none if the table has none.
pub fn find_rule(table: &Table, source: &str, target: &str) -> Option<u32> {
    let rules = table.rules(find(table, source)?);
    let mut wanted = Vec::new();
    for token in words(target) {
        wanted.push(match place(table, token) {
            Some(place) => Symbol::nonterminal(place),
            None => Symbol::word(table.target_words().find(token)?),
        });
    }
    let (mut sides, mut found) = (table.sides(rules.start), Vec::new());
    for rule in rules {
        found.clear();
        sides.target(&mut found)?;
        if found == wanted {
            return Some(rule);
        }
    }
    None
}

/// The features of the rules with these sides, one row after the other; not a number where there is no such rule.
///
/// # Errors
/// Not as many target sides as source sides.
pub fn find_rules<S: AsRef<str> + Sync>(table: &Table, sources: &[S], targets: &[S]) -> Result<Vec<f32>> {
    if sources.len() != targets.len() {
        return Err(Error::input(format!("{} source sides and {} target sides", sources.len(), targets.len())));
    }
    let found: Vec<Option<u32>> = sources
        .par_iter()
        .zip(targets)
        .map(|(source, target)| find_rule(table, source.as_ref(), target.as_ref()))
        .collect();
    let mut rows = Vec::with_capacity(found.len() * table.feature_names().len());
    for (at, rule) in (1..).zip(found) {
        match rule {
            Some(rule) => table.features(rule, &mut rows),
            None => rows.resize(at * table.feature_names().len(), f32::NAN),
        }
    }
    Ok(rows)
}

/// The place of a token that is spelled like a nonterminal of a target side, `[X,1]`.
fn place(table: &Table, token: &str) -> Option<u32> {
    category(table, token)?;
    let number: u32 = token.strip_suffix(']')?.rsplit_once(',')?.1.parse().ok()?;
    number.checked_sub(1)
}

fn source_categories(source: &[Symbol]) -> impl Iterator<Item = u32> + '_ {
    source.iter().filter_map(|symbol| symbol.as_nonterminal())
}

/// A rule's source side.
pub fn source(table: &Table, rule: u32) -> String {
    let mut symbols = Vec::new();
    table.source(rule, &mut symbols);
    let mut places = 0;
    let shown: Vec<String> = symbols
        .iter()
        .map(|symbol| match symbol.as_nonterminal() {
            Some(category) => {
                places += 1;
                format!("[{},{places}]", table.categories()[category as usize])
            }
            None => table.source_words().word(symbol.as_word().unwrap_or_default()).to_owned(),
        })
        .collect();
    shown.join(" ")
}

/// A rule's target side; a nonterminal has the category of its partner.
pub fn target(table: &Table, rule: u32) -> String {
    let mut symbols = Vec::new();
    table.source(rule, &mut symbols);
    let categories: Vec<u32> = source_categories(&symbols).collect();
    let shown: Vec<String> = table
        .side(rule)
        .target
        .iter()
        .map(|symbol| match symbol.as_nonterminal() {
            Some(place) => {
                let category = categories.get(place as usize).map_or("X", |&c| &table.categories()[c as usize]);
                format!("[{category},{}]", place + 1)
            }
            None => table.target_words().word(symbol.as_word().unwrap_or_default()).to_owned(),
        })
        .collect();
    shown.join(" ")
}

/// Numbers: rules, source sides, source words, target words, nodes, then rules with 0, 1 and 2 nonterminals.
pub fn sizes(table: &Table) -> Vec<usize> {
    let mut arities = [0_usize; 3];
    let mut sources = 0;
    for node in 0..table.nodes() as u32 {
        if let Some(rule) = table.rules(node).next() {
            sources += 1;
            let gaps = table.side(rule).target.iter().filter(|symbol| symbol.is_nonterminal()).count();
            arities[gaps.min(2)] += table.rules(node).len();
        }
    }
    let words = [table.source_words(), table.target_words()].map(|words| words.len() - 3);
    let mut all = vec![table.len(), sources, words[0], words[1], table.nodes()];
    all.extend(arities);
    all
}
