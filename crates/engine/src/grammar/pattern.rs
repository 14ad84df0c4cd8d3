//! The sides of rules as people write them: words, and nonterminals as `[X,1]` or `[X]`.

use super::{Symbol, Table};
use crate::corpus::words::words;

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
