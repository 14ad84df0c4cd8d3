//! The rules of one source side in all tables.

use super::space::Space;
use super::walk::{Place, Tables};
use crate::grammar::Symbol;
use crate::{Error, Result};

/// Rules with the same source side, each table's in its order.
#[derive(Default)]
pub struct Group {
    pub rules: Vec<Member>,
    symbols: Vec<Symbol>,
    links: Vec<[u8; 2]>,
}

/// A rule of a table, in the words and categories of the space.
#[derive(Clone, Copy)]
pub struct Member {
    pub table: usize,
    pub rule: u32,
    pub lhs: u8,
    target: [usize; 2],
    links: [usize; 2],
}

impl Group {
    /// Reads the rules of these nodes in place of those that were there.
    ///
    /// # Errors
    /// Damage.
    pub fn read(&mut self, tables: &Tables<'_>, places: impl Iterator<Item = Place>) -> Result<()> {
        self.rules.clear();
        self.symbols.clear();
        self.links.clear();
        places.into_iter().try_for_each(|place| self.add(tables, place))
    }

    fn add(&mut self, tables: &Tables<'_>, Place { table, node }: Place) -> Result<()> {
        let own = tables.tables[table];
        let space: &Space = tables.space;
        let rules = own.rules(node);
        let mut sides = own.sides(rules.start);
        for rule in rules {
            let [target, links] = [self.symbols.len(), self.links.len()];
            let lhs = sides.both(&mut self.symbols, &mut self.links);
            let lhs = lhs.ok_or_else(|| Error::format(format!("rule {rule} of a table cannot be read")))?;
            self.symbols[target..].iter_mut().for_each(|symbol| *symbol = space.target(table, *symbol));
            self.rules.push(Member {
                table,
                rule,
                lhs: space.category(table, lhs),
                target: [target, self.symbols.len()],
                links: [links, self.links.len()],
            });
        }
        Ok(())
    }

    /// The target side of a rule.
    pub fn target(&self, member: &Member) -> &[Symbol] {
        &self.symbols[member.target[0]..member.target[1]]
    }

    /// The links of a rule.
    pub fn links(&self, member: &Member) -> &[[u8; 2]] {
        &self.links[member.links[0]..member.links[1]]
    }

    /// Puts rules that are the same side by side, in the order of their target sides, categories and tables.
    pub fn sort(&mut self) {
        let symbols = &self.symbols;
        let target = |member: &Member| &symbols[member.target[0]..member.target[1]];
        self.rules.sort_unstable_by(|a, b| target(a).cmp(target(b)).then((a.lhs, a.table).cmp(&(b.lhs, b.table))));
    }

    /// Whether two rules are the same.
    pub fn same(&self, a: &Member, b: &Member) -> bool {
        a.lhs == b.lhs && self.target(a) == self.target(b)
    }
}
