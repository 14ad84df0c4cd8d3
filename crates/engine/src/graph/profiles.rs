//! Distributional profiles: how often which words stand near a phrase (Razmara 2013, sections 5.2.1 and 5.2.2).

use std::sync::Arc;

use rayon::prelude::*;

use super::names::Names;
use super::phrases::{MOST_WORDS, Phrases};
use super::text::{END, Text};
use super::weigh::Measure;
use super::{GROUP, NONE, PIECE};
use crate::{Error, Result};

/// The widest window.
const WIDEST: usize = 100;

/// Which phrases have profiles.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// These, also those that never come.
    These(&'a [&'a str]),
    /// All of up to so many words that come at least so often.
    All {
        /// Words in the longest.
        order: usize,
        /// How often they come.
        least: u64,
    },
}

/// What is counted around a phrase.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// Words before its first and after its last.
    pub window: usize,
    /// Whether it matters where they stand.
    pub positional: bool,
    /// Only so many words, the most frequent; 0 for all.
    pub contexts: usize,
    /// Only words that come at least so often.
    pub least: u64,
}

/// What profiles of the same phrases share.
#[derive(Debug)]
pub struct Shape {
    /// The phrases.
    pub nodes: Names,
    /// The words that are counted, the most frequent first.
    pub contexts: Names,
    /// The window if it matters where words stand, else 0.
    pub places: usize,
    /// How often each phrase comes.
    pub occurrences: Vec<u64>,
    /// For each column how often it would be counted if all words of the text had profiles.
    pub totals: Vec<f64>,
}

impl Shape {
    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.contexts.len() * (2 * self.places).max(1)
    }
}

/// Numbers of profiles, row after row.
#[derive(Debug, Clone)]
pub enum Values {
    /// How often.
    Counts(Vec<u32>),
    /// How much.
    Weights(Vec<f32>),
}

impl Values {
    /// One of them.
    #[inline]
    pub fn get(&self, at: usize) -> f64 {
        match self {
            Self::Counts(counts) => f64::from(counts[at]),
            Self::Weights(weights) => f64::from(weights[at]),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Counts(counts) => counts.len(),
            Self::Weights(weights) => weights.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A sparse row for each phrase.
#[derive(Debug, Clone)]
pub struct Profiles {
    pub(super) shape: Arc<Shape>,
    pub(super) starts: Vec<usize>,
    pub(super) ids: Vec<u32>,
    pub(super) values: Values,
    pub(super) measure: Measure,
}

impl Profiles {
    /// What is the same for profiles of other measures.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where each row begins, and where the last ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all rows, ascending in each.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// What stands in them.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// What the numbers are.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The columns and numbers of a row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + Clone + '_ {
        (self.starts[row]..self.starts[row + 1]).map(|at| (self.ids[at], self.values.get(at)))
    }

    /// Refuses a row that there is none of.
    ///
    /// # Errors
    /// Such a row.
    pub fn check(&self, row: u32) -> Result<usize> {
        if (row as usize) < self.rows() {
            return Ok(row as usize);
        }
        Err(Error::input(format!("there is no node {row}: there are {}, counted from 0", self.rows())))
    }
}

/// The numbers that words have as contexts.
struct Columns {
    names: Names,
    /// For each word of the text its number, or [`NONE`].
    of: Vec<u32>,
    window: usize,
    /// Columns of a word.
    places: usize,
}

impl Columns {
    /// The most frequent words first, so that what is counted most lies together.
    fn new(text: &Text, around: Around) -> Result<Self> {
        let counts = text.counts();
        let mut order: Vec<u32> = (0..counts.len() as u32).filter(|&id| counts[id as usize] >= around.least).collect();
        order.sort_by_key(|&id| std::cmp::Reverse(counts[id as usize]));
        if around.contexts > 0 {
            order.truncate(around.contexts);
        }
        let places = if around.positional { 2 * around.window } else { 1 };
        if order.len().saturating_mul(places) >= NONE as usize {
            let what = format!("{} words at {places} places are more than profiles can tell apart", order.len());
            return Err(Error::limit(what).hint("keep fewer contexts"));
        }
        let (mut names, mut of) = (Names::default(), vec![NONE; counts.len()]);
        for id in order {
            of[id as usize] = names.intern(text.names().get(id));
        }
        Ok(Self { names, of, window: around.window, places })
    }

    /// Hands on the columns of the words around a phrase.
    #[inline]
    fn around(&self, ids: &[u32], start: usize, length: usize, mut found: impl FnMut(u32)) {
        let mut see = |word: u32, place: usize| {
            let column = self.of[word as usize];
            if column != NONE {
                found(if self.places == 1 { column } else { column * self.places as u32 + place as u32 });
            }
        };
        for distance in 1..=self.window {
            match ids[start - distance] {
                END => break,
                word => see(word, self.window - distance),
            }
        }
        for distance in 1..=self.window {
            match ids[start + length - 1 + distance] {
                END => break,
                word => see(word, self.window + distance - 1),
            }
        }
    }

    /// How often each column is counted over all words of the text.
    fn totals(&self, ids: &[u32]) -> Vec<f64> {
        let mut totals = vec![0.0; self.names.len() * self.places];
        for start in (0..ids.len()).filter(|&start| ids[start] != END) {
            self.around(ids, start, 1, |column| totals[column as usize] += 1.0);
        }
        totals
    }
}

/// What a thread counts with.
struct Counter {
    counts: Vec<u32>,
    touched: Vec<u32>,
}

/// What a thread made of some rows.
#[derive(Default)]
pub(super) struct Rows<T> {
    pub lengths: Vec<usize>,
    pub ids: Vec<u32>,
    pub values: Vec<T>,
}

/// Puts rows together that threads make: `make` adds some rows, which may use a scratch that threads keep.
pub(super) fn gathered<T: Send, S: Send>(
    rows: usize,
    scratch: impl Fn() -> S + Sync + Send,
    make: impl Fn(&mut S, usize, &mut Rows<T>) + Sync + Send,
) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut starts, mut ids, mut values) = (vec![0], Vec::new(), Vec::new());
    starts.reserve_exact(rows);
    for group in (0..rows).step_by(GROUP) {
        let pieces: Vec<usize> = (group..rows.min(group + GROUP)).step_by(PIECE).collect();
        let made: Vec<Rows<T>> = pieces
            .into_par_iter()
            .map_init(&scratch, |scratch, piece| {
                let mut made = Rows { lengths: Vec::new(), ids: Vec::new(), values: Vec::new() };
                for row in piece..rows.min(piece + PIECE) {
                    let before = made.ids.len();
                    make(scratch, row, &mut made);
                    made.lengths.push(made.ids.len() - before);
                }
                made
            })
            .collect();
        for mut piece in made {
            for length in piece.lengths {
                starts.push(starts[starts.len() - 1] + length);
            }
            ids.append(&mut piece.ids);
            values.append(&mut piece.values);
        }
    }
    ids.shrink_to_fit();
    values.shrink_to_fit();
    (starts, ids, values)
}

impl Text {
    /// Counts the words around phrases. Windows end where sentences do.
    ///
    /// # Errors
    /// A text without words, phrases of no or too many words, and settings that make no sense.
    pub fn profiles(&self, which: Which<'_>, around: Around) -> Result<Profiles> {
        self.check()?;
        if around.window == 0 || around.window > WIDEST {
            return Err(Error::settings(format!("the window must be from 1 to {WIDEST}, not {}", around.window)));
        }
        let (phrases, nodes) = match which {
            Which::These(wanted) => Phrases::wanted(self, wanted.iter().copied())?,
            Which::All { order, .. } if order == 0 || order > MOST_WORDS => {
                return Err(Error::settings(format!("the order must be from 1 to {MOST_WORDS}, not {order}")));
            }
            Which::All { order, least } => Phrases::all(self, order, least),
        };
        let columns = Columns::new(self, around)?;
        let (begins, places) = phrases.places(self);
        let ids = self.ids();
        let width = columns.names.len() * columns.places;
        let counter = || Counter { counts: vec![0; width], touched: Vec::new() };
        let (starts, found, counts) = gathered(nodes.len(), counter, |counter, node, rows: &mut Rows<u32>| {
            let Counter { counts, touched } = counter;
            let length = usize::from(phrases.lengths[node]);
            for &start in &places[begins[node]..begins[node + 1]] {
                columns.around(ids, start as usize, length, |column| {
                    let count = &mut counts[column as usize];
                    if *count == 0 {
                        touched.push(column);
                    }
                    *count = count.saturating_add(1);
                });
            }
            touched.sort_unstable();
            rows.values.extend(touched.iter().map(|&column| std::mem::take(&mut counts[column as usize])));
            rows.ids.append(touched);
        });
        let occurrences = begins.windows(2).map(|pair| (pair[1] - pair[0]) as u64).collect();
        let totals = columns.totals(ids);
        let places = if around.positional { around.window } else { 0 };
        let shape = Shape { nodes, contexts: columns.names, places, occurrences, totals };
        Ok(Profiles {
            shape: Arc::new(shape),
            starts,
            ids: found,
            values: Values::Counts(counts),
            measure: Measure::Count,
        })
    }
}
