//! Grammars as the transducer needs them: patterns over children, and templates of what matches give.

use crate::{Error, Result};

/// What children of a node are to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// One node that passes a test on its label or words.
    Test(u32),
    /// One node that a rule matches.
    Named(u32),
    /// One node that a pattern does not match.
    Not(Box<Pattern>),
    /// Any number of times in a row.
    Star(Box<Pattern>),
    /// All of these.
    And(Vec<Pattern>),
    /// One of these.
    Or(Vec<Pattern>),
    /// One after the other.
    Concat(Vec<Pattern>),
}

impl Pattern {
    /// The rules that it refers to.
    pub fn rules(&self, found: &mut Vec<u32>) {
        match self {
            Self::Test(_) => {}
            Self::Named(rule) => found.push(*rule),
            Self::Not(inner) | Self::Star(inner) => inner.rules(found),
            Self::And(all) | Self::Or(all) | Self::Concat(all) => all.iter().for_each(|one| one.rules(found)),
        }
    }

    /// Whether it matches one node whatever happens.
    pub fn is_single(&self) -> bool {
        match self {
            Self::Test(_) | Self::Named(_) | Self::Not(_) => true,
            Self::Star(_) | Self::Concat(_) => false,
            Self::And(all) | Self::Or(all) => all.iter().all(Self::is_single),
        }
    }
}

/// A part of what a match gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words by the number of their list.
    Literal(u32),
    /// The words of an item.
    Stretch(u32),
    /// A member of what the rule that an item refers to gives, with arguments.
    Output(u32, u32, Vec<Vec<Part>>),
    /// What is passed from above.
    Parameter(u32),
    /// What a function of the language makes of its arguments.
    Call(u32, Vec<Vec<Part>>),
}

/// One way for a rule to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// What the node is to be.
    pub node: Pattern,
    /// What its children are to be, if that matters.
    pub items: Option<Vec<Pattern>>,
    /// What it gives; nothing if it gives the node itself.
    pub members: Vec<Vec<Part>>,
}

/// Rules, each after those that it matches at the node that it is at, and those that give whole outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The rules: their alternatives.
    pub rules: Vec<Vec<Alternative>>,
    /// The rules that give whole outputs.
    pub roots: Vec<u32>,
    /// Whether what a rule matches depends on what is below the node.
    pub deep: Vec<bool>,
    /// Whether functions may ask for the nodes of what a rule gives, for each of its members; words are enough otherwise.
    pub nodes: Vec<Vec<bool>>,
    tests: u32,
}

const DEEPEST: usize = 400;

impl Rules {
    /// Reads rules from numbers: each thing says first which it is or how many, then its parts.
    ///
    /// # Errors
    /// The numbers are not those of rules.
    pub fn decode(code: &[u32], roots: Vec<u32>) -> Result<Self> {
        let mut reader = Reader { code, at: 0, tests: 0, rules: 0 };
        let rules = reader.many(|reader| reader.many(Reader::alternative))?;
        let given = rules.len();
        let known = reader.rules.max(roots.iter().map(|root| root + 1).max().unwrap_or(0)) as usize;
        if reader.at != code.len() || known > given {
            return Err(Error::internal("the numbers are not those of rules"));
        }
        let deep = deep(&rules);
        let nodes = nodes(&rules);
        Ok(Self { rules, roots, deep, nodes, tests: reader.tests })
    }

    /// How many tests there must be at least.
    pub fn tests(&self) -> usize {
        self.tests as usize
    }
}

/// Those with children in an alternative, and those that refer to one of them; whatever the order, until nothing changes.
fn deep(rules: &[Vec<Alternative>]) -> Vec<bool> {
    let mut deep: Vec<bool> = rules.iter().map(|rule| rule.iter().any(|one| one.items.is_some())).collect();
    loop {
        let before = deep.clone();
        for (at, rule) in rules.iter().enumerate() {
            let mut below = Vec::new();
            rule.iter().for_each(|one| one.node.rules(&mut below));
            deep[at] |= below.iter().any(|&one| before[one as usize]);
        }
        if deep == before {
            return deep;
        }
    }
}

/// Members that are arguments, or whole parts of members that are; whatever the order, until nothing changes.
fn nodes(rules: &[Vec<Alternative>]) -> Vec<Vec<bool>> {
    let members = |rule: &Vec<Alternative>| rule.iter().map(|one| one.members.len()).max().unwrap_or(0).max(1);
    let mut nodes: Vec<Vec<bool>> = rules.iter().map(|rule| vec![false; members(rule)]).collect();
    loop {
        let before = nodes.clone();
        for (at, rule) in rules.iter().enumerate() {
            for one in rule {
                for (member, template) in one.members.iter().enumerate() {
                    ask(template, before[at][member], one.items.as_deref().unwrap_or_default(), &mut nodes);
                }
            }
        }
        if nodes == before {
            return nodes;
        }
    }
}

fn ask(template: &[Part], asked: bool, items: &[Pattern], nodes: &mut [Vec<bool>]) {
    for part in template {
        match part {
            Part::Output(item, member, arguments) => {
                let rule = items.get(*item as usize).map(|item| match item {
                    Pattern::Named(rule) => *rule as usize,
                    _ => usize::MAX,
                });
                let found = rule.and_then(|rule| nodes.get_mut(rule)?.get_mut(*member as usize));
                found.into_iter().for_each(|found| *found |= asked);
                arguments.iter().for_each(|one| ask(one, true, items, nodes));
            }
            Part::Call(_, arguments) => arguments.iter().for_each(|one| ask(one, true, items, nodes)),
            Part::Literal(_) | Part::Stretch(_) | Part::Parameter(_) => {}
        }
    }
}

struct Reader<'a> {
    code: &'a [u32],
    at: usize,
    tests: u32,
    rules: u32,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<u32> {
        let found = self.code.get(self.at).copied().ok_or_else(|| Error::internal("the numbers of rules end early"))?;
        self.at += 1;
        Ok(found)
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.next()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn alternative(&mut self) -> Result<Alternative> {
        let node = self.pattern(0)?;
        let items = if self.next()? == 0 { None } else { Some(self.many(|reader| reader.pattern(0))?) };
        Ok(Alternative { node, items, members: self.many(|reader| reader.template(0))? })
    }

    fn pattern(&mut self, depth: usize) -> Result<Pattern> {
        if depth > DEEPEST {
            return Err(Error::internal("patterns stand too deep"));
        }
        let inside = |reader: &mut Self| reader.pattern(depth + 1);
        Ok(match self.next()? {
            0 => {
                let test = self.next()?;
                self.tests = self.tests.max(test.saturating_add(1));
                Pattern::Test(test)
            }
            1 => {
                let rule = self.next()?;
                self.rules = self.rules.max(rule.saturating_add(1));
                Pattern::Named(rule)
            }
            2 => Pattern::Not(Box::new(inside(self)?)),
            3 => Pattern::Star(Box::new(inside(self)?)),
            4 => Pattern::And(self.many(inside)?),
            5 => Pattern::Or(self.many(inside)?),
            6 => Pattern::Concat(self.many(inside)?),
            other => return Err(Error::internal(format!("there is no pattern {other}"))),
        })
    }

    fn template(&mut self, depth: usize) -> Result<Vec<Part>> {
        if depth > DEEPEST {
            return Err(Error::internal("templates stand too deep"));
        }
        let inside = |reader: &mut Self| reader.template(depth + 1);
        self.many(|reader| {
            Ok(match reader.next()? {
                0 => Part::Literal(reader.next()?),
                1 => Part::Stretch(reader.next()?),
                2 => Part::Output(reader.next()?, reader.next()?, reader.many(inside)?),
                3 => Part::Parameter(reader.next()?),
                4 => Part::Call(reader.next()?, reader.many(inside)?),
                other => return Err(Error::internal(format!("there is no part {other}"))),
            })
        })
    }
}
