//! What matches give: tokens that stand for words of the sentence, for words of the grammar, and for forms to be made.

use hashbrown::HashMap;

use super::rules::Part;

/// A token of an output.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// Words of the sentence: the first, and the one after the last.
    Words(u32, u32),
    /// A node, whose label and head functions may ask for.
    Node(u32),
    /// Words of the grammar by their number.
    Literal(u32),
    /// What is still to be passed from above.
    Parameter(u32),
    /// A function of the language.
    Call(u32, Vec<Sequence>),
}

/// A row of tokens; stretches of words that meet are one.
pub type Sequence = Vec<Token>;

/// Tokens that one content may have; a grammar that repeats itself on circles of a forest would make more and more.
pub const MOST_TOKENS: usize = 500;

fn push(row: &mut Sequence, token: Token) {
    match (row.last_mut(), &token) {
        (Some(Token::Words(_, end)), Token::Words(begin, after)) if end == begin => *end = *after,
        _ => row.push(token),
    }
}

/// A child, or stretch of children, that an item of a pattern matched.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The node, if the item matches one.
    pub node: Option<u32>,
    /// Its first word.
    pub begin: u32,
    /// The word after its last.
    pub end: u32,
    /// What its rule gives, if it refers to one.
    pub content: u32,
}

/// Contents by number.
#[derive(Debug, Default)]
pub struct Contents {
    all: Vec<Vec<Sequence>>,
    numbers: HashMap<Vec<Sequence>, u32>,
    /// Whether one was too long to be kept.
    pub overflow: bool,
}

impl Contents {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The members of a content.
    pub fn get(&self, number: u32) -> &[Sequence] {
        &self.all[number as usize]
    }

    /// The number of a content.
    pub fn number(&mut self, members: Vec<Sequence>) -> u32 {
        self.overflow |= members.iter().map(|member| size(member)).sum::<usize>() > MOST_TOKENS;
        if let Some(&number) = self.numbers.get(&members) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(members.clone());
        self.numbers.insert(members, number);
        number
    }

    /// What a template gives, with what items are bound to.
    pub fn filled(&self, template: &[Part], bound: &[Bound]) -> Sequence {
        let mut row = Vec::new();
        for part in template {
            match part {
                Part::Literal(words) => row.push(Token::Literal(*words)),
                Part::Stretch(item) => {
                    let bound = &bound[*item as usize];
                    match bound.node {
                        Some(node) => row.push(Token::Node(node)),
                        None if bound.begin < bound.end => push(&mut row, Token::Words(bound.begin, bound.end)),
                        None => {}
                    }
                }
                Part::Output(item, member, arguments) => {
                    let arguments: Vec<Sequence> = arguments.iter().map(|one| self.filled(one, bound)).collect();
                    let content = &self.all[bound[*item as usize].content as usize];
                    passed(&content[*member as usize], &arguments, &mut row);
                }
                Part::Parameter(number) => row.push(Token::Parameter(*number)),
                Part::Call(function, arguments) => {
                    row.push(Token::Call(*function, arguments.iter().map(|one| self.filled(one, bound)).collect()));
                }
            }
        }
        row
    }
}

/// A member with arguments in the place of parameters.
fn passed(member: &[Token], arguments: &[Sequence], row: &mut Sequence) {
    for token in member {
        match token {
            Token::Parameter(number) => arguments[*number as usize].iter().for_each(|one| push(row, one.clone())),
            Token::Call(function, inner) => {
                let inner = inner.iter().map(|one| {
                    let mut new = Vec::new();
                    passed(one, arguments, &mut new);
                    new
                });
                row.push(Token::Call(*function, inner.collect()));
            }
            other => push(row, other.clone()),
        }
    }
}

/// A row whose nodes are words only.
pub fn worded(row: Sequence, words: impl Fn(u32) -> (u32, u32)) -> Sequence {
    let mut new = Vec::with_capacity(row.len());
    for token in row {
        let token = if let Token::Node(node) = token {
            let (begin, end) = words(node);
            Token::Words(begin, end)
        } else {
            token
        };
        push(&mut new, token);
    }
    new
}

fn size(row: &[Token]) -> usize {
    row.iter()
        .map(|token| match token {
            Token::Call(_, inner) => 1 + inner.iter().map(|one| size(one)).sum::<usize>(),
            _ => 1,
        })
        .sum()
}
