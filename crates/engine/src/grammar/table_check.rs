//! What must hold of a table that was opened.

use rayon::prelude::*;

use super::Symbol;
use super::rows::Rows;
use super::sides::pairs;
use super::table::{MOST_ARITY, MOST_SYMBOLS, STRIDE, Table};
use super::voices::Voices;

type Checked = Result<(), String>;

/// Checks what takes no longer for a larger table: the lengths of its arrays, and their ends.
pub(super) fn ends(table: &Table) -> Checked {
    if table.categories.is_empty() {
        return Err("it has no category".into());
    }
    let (Some(first), Some(last)) = (table.nodes.first(), table.nodes.last()) else {
        return Err("it has no nodes".into());
    };
    let nodes = table.nodes.len() - 1;
    if nodes == 0 || first.children != 1 || first.rules != 0 || last.children as usize != nodes {
        return Err("the trie's children are out of order".into());
    }
    if !table.rules(Table::ROOT).is_empty() {
        return Err("a rule has no source side".into());
    }
    if table.places.len() != table.len().div_ceil(STRIDE) {
        return Err("there are not as many target sides as rules".into());
    }
    Ok(())
}

/// Checks every node and every rule.
pub(super) fn contents(table: &Table) -> Checked {
    trie(table)?;
    rules(table)?;
    table.said.as_ref().map_or(Ok(()), Voices::check)?;
    let finite = table.values.are_finite() && table.counts.as_ref().is_none_or(Rows::are_finite);
    if finite { Ok(()) } else { Err("a feature is not a finite number".into()) }
}

fn trie(table: &Table) -> Checked {
    let nodes = &table.nodes[..];
    let wrong = (0..nodes.len() - 1).into_par_iter().with_min_len(1 << 16).find_map_first(|node| {
        let (this, next) = (nodes[node], nodes[node + 1]);
        // Breadth first, children come after their parents, so that walks up and down end.
        if this.children as usize <= node || this.children > next.children {
            return Some(format!("the children of node {node} are not behind it"));
        }
        if this.rules > next.rules {
            return Some(format!("the rules of node {node} are out of order"));
        }
        let children = nodes.get(this.children as usize..next.children as usize).unwrap_or_default();
        let ordered = children.windows(2).all(|pair| pair[0].symbol < pair[1].symbol);
        (!ordered).then(|| format!("the children of node {node} are out of order"))
    });
    if let Some(what) = wrong {
        return Err(what);
    }
    let symbol_is_known = |symbol: Symbol| match symbol.as_nonterminal() {
        Some(category) => (category as usize) < table.categories.len(),
        None => symbol.as_word().is_some_and(|word| (word as usize) < table.source_words().len()),
    };
    if nodes[1..nodes.len() - 1].par_iter().all(|node| symbol_is_known(node.symbol)) {
        Ok(())
    } else {
        Err("a source side has an unknown symbol".into())
    }
}

/// Each rule can be read and is where it is looked for, with at most two nonterminals, each once on either side.
fn rules(table: &Table) -> Checked {
    let nodes = table.nodes();
    let mut shapes = vec![(0_u8, 0_u8); nodes];
    let mut sides = table.sides(0);
    let (mut target, mut links) = (Vec::new(), Vec::new());
    for node in 0..nodes {
        let (arity, depth) = shapes[node];
        if usize::from(arity) > MOST_ARITY || usize::from(depth) > MOST_SYMBOLS {
            return Err("a source side is too long or has too many nonterminals".into());
        }
        for child in table.family(node as u32) {
            let gap = u8::from(table.nodes[child as usize].symbol.is_nonterminal());
            shapes[child as usize] = (arity + gap, depth.saturating_add(1));
        }
        if usize::from(depth) == MOST_SYMBOLS && table.continues(node as u32) {
            return Err("a source side is too long or has too many nonterminals".into());
        }
        for rule in table.rules(node as u32) {
            let place = table.sides.len() - sides.rest().len();
            if (rule as usize).is_multiple_of(STRIDE) && table.places[rule as usize / STRIDE] != place as u64 {
                return Err(format!("rule {rule} is not where it is looked for"));
            }
            target.clear();
            links.clear();
            if sides.both(&mut target, &mut links).is_none() {
                return Err(format!("rule {rule} cannot be read or has an unknown symbol or category"));
            }
            if !pairs(&target, usize::from(arity)) {
                return Err(format!("rule {rule} does not pair its nonterminals"));
            }
            let outside = |&[s, t]: &[u8; 2]| s >= depth || usize::from(t) >= target.len();
            if links.iter().any(outside) {
                return Err(format!("rule {rule} has a link outside"));
            }
        }
    }
    if sides.rest().is_empty() { Ok(()) } else { Err("there are target sides without rules".into()) }
}
