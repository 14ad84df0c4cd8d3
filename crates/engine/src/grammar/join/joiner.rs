//! The rules of a piece of the walk, joined.

use super::group::{Group, Member};
use super::row::{How, Maker, Met};
use super::walk::{Piece, Place, Tables};
use crate::grammar::voices::Said;
use crate::grammar::{Rule, Symbol, TableBuilder};
use crate::{Error, Result};

/// Joined rules, in order.
#[derive(Default)]
pub struct Joined {
    rules: Vec<Stored>,
    symbols: Vec<Symbol>,
    links: Vec<[u8; 2]>,
    features: Vec<f32>,
    width: usize,
    /// Of voices: the tables that have each rule, and what each counted.
    spoken: Vec<u64>,
    counted: Vec<[f32; 3]>,
}

/// A rule, and where its symbols and links are.
struct Stored {
    lhs: u8,
    source: [usize; 2],
    target: [usize; 2],
    links: [usize; 2],
    counts: [f32; 3],
}

impl Joined {
    /// Gives the rules to a builder.
    ///
    /// # Errors
    /// What the builder says.
    pub fn push_to(&self, builder: &mut TableBuilder) -> Result<()> {
        let mut rows = VoiceRows::default();
        for (at, rule) in self.rules.iter().enumerate() {
            let made = Rule {
                lhs: rule.lhs,
                source: &self.symbols[rule.source[0]..rule.source[1]],
                target: &self.symbols[rule.target[0]..rule.target[1]],
                features: &self.features[at * self.width..(at + 1) * self.width],
                links: &self.links[rule.links[0]..rule.links[1]],
                counts: rule.counts,
            };
            match self.spoken.get(at) {
                None => builder.push(&made)?,
                Some(&spoken) => {
                    let tables = self.counted.len() / self.rules.len();
                    let counted = &self.counted[at * tables..(at + 1) * tables];
                    let general = rows.part(made.features, counted, spoken);
                    let said = Said { spoken, who: &rows.who, features: &rows.features, counts: &rows.counts };
                    let (features, counts) = (general.0, general.1);
                    builder.push_said(&Rule { features, counts, ..made }, &said)?;
                }
            }
        }
        Ok(())
    }
}

/// What voices say of a rule that say something else than the first that has it; kept to be filled again.
#[derive(Default)]
struct VoiceRows {
    who: Vec<u8>,
    features: Vec<f32>,
    counts: Vec<[f32; 3]>,
}

impl VoiceRows {
    /// Parts what all voices say; gives what the first of them says.
    fn part<'r>(&mut self, features: &'r [f32], counted: &[[f32; 3]], spoken: u64) -> (&'r [f32], [f32; 3]) {
        let width = features.len() / counted.len();
        let own = |voice: usize| &features[voice * width..][..width];
        let first = spoken.trailing_zeros() as usize;
        self.who.clear();
        self.features.clear();
        self.counts.clear();
        for voice in (first + 1..counted.len()).filter(|voice| spoken >> voice & 1 == 1) {
            if own(voice) != own(first) || counted[voice] != counted[first] {
                self.who.push(voice as u8);
                self.features.extend_from_slice(own(voice));
                self.counts.push(counted[voice]);
            }
        }
        (own(first), counted[first])
    }
}

/// Appends items, and says where.
fn put<T: Copy>(all: &mut Vec<T>, items: &[T]) -> [usize; 2] {
    let begin = all.len();
    all.extend_from_slice(items);
    [begin, all.len()]
}

/// Joins the rules of source sides.
pub struct Joiner<'a> {
    pub tables: &'a Tables<'a>,
    /// Of the tables and their features.
    pub names: &'a [(String, &'a [String])],
    pub maker: &'a Maker,
    pub how: &'a How,
    /// Whether all tables have counts.
    pub counted: bool,
}

/// What is made of the rules of one source side; kept to be filled again.
#[derive(Default)]
struct Made {
    /// What rules are ordered by, their first members, and their counts.
    rules: Vec<([f32; 2], Member, [f32; 3])>,
    features: Vec<f32>,
    /// Of voices, as in [`Joined`].
    spoken: Vec<u64>,
    counted: Vec<[f32; 3]>,
    starts: Vec<usize>,
    values: Vec<f32>,
}

impl Joiner<'_> {
    /// The rules of a piece.
    ///
    /// # Errors
    /// Damage.
    pub fn join(&self, piece: &Piece) -> Result<Joined> {
        let mut joined = Joined { width: self.maker.names.len(), ..Joined::default() };
        let (mut group, mut made) = (Group::default(), Made::default());
        self.tables.visit(piece, |source, places| {
            let own = |place: &Place| !self.tables.tables[place.table].rules(place.node).is_empty();
            let most = if *self.how == How::BackOff { 1 } else { places.len() };
            group.read(self.tables, places.iter().copied().filter(own).take(most))?;
            group.sort();
            self.make(&group, &mut made)?;
            self.store(source, &group, &made, &mut joined);
            Ok(())
        })?;
        Ok(joined)
    }

    fn make(&self, group: &Group, made: &mut Made) -> Result<()> {
        let tables = self.tables.tables;
        made.rules.clear();
        made.features.clear();
        made.spoken.clear();
        made.counted.clear();
        for family in group.rules.chunk_by(|a, b| group.same(a, b)) {
            if let Some(pair) = family.windows(2).find(|pair| pair[0].table == pair[1].table) {
                let name = &self.names[pair[0].table].0;
                return Err(Error::input(format!("the table {name} has a rule twice")).hint("make it again"));
            }
            if *self.how == How::Intersection && family.len() < tables.len() {
                continue;
            }
            made.starts.clear();
            made.starts.resize(tables.len(), Met::ABSENT);
            made.values.clear();
            for member in family {
                made.starts[member.table] = made.values.len();
                tables[member.table].features(member.rule, &mut made.values);
            }
            let first = family[0];
            let counts = self.counts(family);
            let met = Met { starts: &made.starts, values: &made.values, first: first.table, count: counts[2] };
            let begin = made.features.len();
            self.maker.make(&met, &mut made.features);
            made.rules.push((self.maker.rank(&met, &made.features[begin..]), first, counts));
            if *self.how == How::Voices {
                made.spoken.push(family.iter().map(|member| 1 << member.table).sum());
                let start = made.counted.len();
                made.counted.resize(start + tables.len(), [0.0; 3]);
                for member in family {
                    made.counted[start + member.table] = tables[member.table].counts(member.rule);
                }
            }
        }
        Ok(())
    }

    /// Those of a rule that is taken as it is, otherwise the sums over all tables; unknown if one of these has none.
    fn counts(&self, family: &[Member]) -> [f32; 3] {
        let of = |member: &Member| self.tables.tables[member.table].counts(member.rule);
        match self.how {
            How::FillUp | How::BackOff => of(&family[0]),
            _ if !self.counted => [0.0; 3],
            _ => family.iter().map(of).fold([0.0; 3], |sum, own| [0, 1, 2].map(|at| sum[at] + own[at])),
        }
    }

    fn store(&self, source: &[Symbol], group: &Group, made: &Made, joined: &mut Joined) {
        let mut order: Vec<usize> = (0..made.rules.len()).collect();
        if *self.how == How::Voices {
            // As whoever asks one table after the other meets them.
            order.sort_by_key(|&at| (made.rules[at].1.table, made.rules[at].1.rule));
        } else {
            // Ties are broken by target sides, which are in order.
            order.sort_by(|&a, &b| {
                let ([a, a_too], [b, b_too]) = (made.rules[a].0, made.rules[b].0);
                b.total_cmp(&a).then(b_too.total_cmp(&a_too))
            });
        }
        let source = put(&mut joined.symbols, source);
        for at in order {
            let (_, member, counts) = &made.rules[at];
            joined.rules.push(Stored {
                lhs: member.lhs,
                source,
                target: put(&mut joined.symbols, group.target(member)),
                links: put(&mut joined.links, group.links(member)),
                counts: *counts,
            });
            joined.features.extend_from_slice(&made.features[at * joined.width..(at + 1) * joined.width]);
            if let Some(&spoken) = made.spoken.get(at) {
                let tables = self.tables.tables.len();
                joined.spoken.push(spoken);
                joined.counted.extend_from_slice(&made.counted[at * tables..(at + 1) * tables]);
            }
        }
    }
}
