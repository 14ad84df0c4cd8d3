//! Where patterns match among the children of an edge.

use super::rules::Pattern;

/// What is known of whether a node matches: whether it can, and whether it can fail to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// It can match.
    pub can: bool,
    /// It can fail to match.
    pub can_fail: bool,
}

impl Truth {
    /// Known for sure.
    pub const fn of(matches: bool) -> Self {
        Self { can: matches, can_fail: !matches }
    }
}

/// Who says whether children match tests and rules, by their place.
pub trait Children {
    /// Whether a child passes a test.
    fn test(&self, test: u32, at: usize) -> bool;
    /// Whether a rule matches a child.
    fn named(&self, rule: u32, at: usize) -> Truth;
}

/// Whether a pattern of one node matches the node at a place.
pub fn single(pattern: &Pattern, at: usize, children: &dyn Children) -> Truth {
    match pattern {
        Pattern::Test(test) => Truth::of(children.test(*test, at)),
        Pattern::Named(rule) => children.named(*rule, at),
        Pattern::Not(inner) => {
            let inner = single(inner, at, children);
            Truth { can: inner.can_fail, can_fail: inner.can }
        }
        Pattern::And(all) => all.iter().fold(Truth::of(true), |so_far, one| {
            let one = if so_far.can { single(one, at, children) } else { so_far };
            Truth { can: so_far.can && one.can, can_fail: so_far.can_fail || one.can_fail }
        }),
        Pattern::Or(all) => all.iter().fold(Truth::of(false), |so_far, one| {
            let one = if so_far.can_fail { single(one, at, children) } else { so_far };
            Truth { can: so_far.can || one.can, can_fail: so_far.can_fail && one.can_fail }
        }),
        // No other is of one node.
        Pattern::Star(_) | Pattern::Concat(_) => Truth { can: true, can_fail: true },
    }
}

const BLOCKS: usize = 16;

/// A set of places between children, as bits; a sentence has at most 1,000 words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Places([u64; BLOCKS]);

impl Places {
    const NONE: Self = Self([0; BLOCKS]);

    fn of(place: usize) -> Self {
        let mut found = Self::NONE;
        found.insert(place);
        found
    }

    fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(block, other)| *block |= other);
    }

    fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(block, other)| *block &= other);
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&block| block == 0)
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        (0..BLOCKS).flat_map(move |block| {
            let mut bits = self.0[block];
            std::iter::from_fn(move || {
                let low = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(block * 64 + low)
            })
        })
    }
}

/// The places where a pattern can end that begins at one.
fn ends(pattern: &Pattern, from: usize, count: usize, children: &dyn Children) -> Places {
    match pattern {
        Pattern::Concat(all) => all.iter().fold(Places::of(from), |starts, one| {
            let mut found = Places::NONE;
            starts.iter().for_each(|start| found.add(&ends(one, start, count, children)));
            found
        }),
        Pattern::Star(inner) => {
            let mut found = Places::of(from);
            let mut left = found;
            while let Some(start) = left.iter().next() {
                left.0[start / 64] &= !(1 << (start % 64));
                for end in ends(inner, start, count, children).iter().filter(|&end| !found.has(end)).collect::<Vec<_>>()
                {
                    found.insert(end);
                    left.insert(end);
                }
            }
            found
        }
        Pattern::And(all) if !pattern.is_single() => {
            let mut found = ends(&all[0], from, count, children);
            all[1..].iter().for_each(|one| found.keep(&ends(one, from, count, children)));
            found
        }
        Pattern::Or(all) if !pattern.is_single() => {
            let mut found = Places::NONE;
            all.iter().for_each(|one| found.add(&ends(one, from, count, children)));
            found
        }
        _ if from < count && single(pattern, from, children).can => Places::of(from + 1),
        _ => Places::NONE,
    }
}

/// Whether items can share the children of an edge among them.
pub fn fits(items: &[Pattern], count: usize, children: &dyn Children) -> bool {
    table(items, count, children).is_some_and(|(_, last)| last.has(count))
}

type Table = Vec<Vec<(usize, Places)>>;

/// For each item, where it can begin, and where it can then end; and where the last can end. None if one fits nowhere.
fn table(items: &[Pattern], count: usize, children: &dyn Children) -> Option<(Table, Places)> {
    let mut starts = Places::of(0);
    let mut table = Vec::with_capacity(items.len());
    for item in items {
        let mut next = Places::NONE;
        let mut row = Vec::new();
        for start in starts.iter() {
            let found = ends(item, start, count, children);
            next.add(&found);
            row.push((start, found));
        }
        if next.is_empty() {
            return None;
        }
        table.push(row);
        starts = next;
    }
    Some((table, starts))
}

/// The ways in which items can share the children of an edge among them: where each begins, and where the last ends.
///
/// None if there are more than `most`.
pub fn ways(items: &[Pattern], count: usize, children: &dyn Children, most: usize) -> Option<Vec<Vec<usize>>> {
    let Some((mut table, _)) = table(items, count, children) else { return Some(Vec::new()) };
    let mut good = Places::of(count);
    for row in table.iter_mut().rev() {
        let mut before = Places::NONE;
        for (start, found) in row.iter_mut() {
            found.keep(&good);
            if !found.is_empty() {
                before.insert(*start);
            }
        }
        good = before;
    }
    let mut found = Vec::new();
    let mut stack = if good.has(0) { vec![vec![0]] } else { Vec::new() };
    while let Some(way) = stack.pop() {
        let at = way.len() - 1;
        if at == items.len() {
            if found.len() == most {
                return None;
            }
            found.push(way);
            continue;
        }
        let start = way[at];
        let row = table[at].iter().find(|(one, _)| *one == start);
        for end in row.into_iter().flat_map(|(_, found)| found.iter()).collect::<Vec<_>>().into_iter().rev() {
            let mut longer = way.clone();
            longer.push(end);
            stack.push(longer);
        }
    }
    Some(found)
}
