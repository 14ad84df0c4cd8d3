//! The small form: a reversed trie in packed bits, sorted by word at every node (Heafield 2011, section 3.2).
//!
//! The records of a middle order hold the first word, the probability, the back-off, and where the children begin; those
//! of the highest order the first two. Probabilities have 31 bits (they need no sign) and back-offs 32, or as many as
//! the quantiser was told.

use super::bits::{self, BitWriter};
use super::flags::{Values, values};
use super::ngrams::Ngrams;
use super::quantise::{EXACT_BACKOFFS, codebook, nearest};
use super::search::{Found, Search};
use crate::corpus::vocabulary::UNK;
use crate::files::{Container, ContainerWriter, Section};
use crate::{Error, Result};

/// One order from 2 on.
#[derive(Debug, Clone)]
struct Packed {
    records: Section<u8>,
    count: u64,
    word_bits: u32,
    prob_bits: u32,
    backoff_bits: u32,
    begin_bits: u32,
    /// Codebooks; empty if the values are stored as they are.
    probs: Section<f32>,
    backoffs: Section<f32>,
}

/// A model in packed bits.
#[derive(Debug, Clone)]
pub struct Small {
    /// Probability, back-off, and where the children begin; one more than there are words.
    unigrams: Section<[u32; 3]>,
    orders: Vec<Packed>,
}

const SIGN: u32 = 1 << 31;

impl Small {
    /// Packs a model; `bits` per value if it is to be quantised, 2 to 16.
    ///
    /// # Errors
    /// A model that lacks the context of one of its n-grams, or a number of bits that does not work.
    pub fn build(ngrams: &Ngrams, quantise: Option<u32>) -> Result<Self> {
        if quantise.is_some_and(|bits| !(2..=16).contains(&bits)) {
            return Err(Error::settings("quantising works with 2 to 16 bits"));
        }
        let values = values(ngrams)?;
        let first = &ngrams.levels[0];
        let begin = |index: usize| first.begin.get(index).copied().unwrap_or(0);
        let mut unigrams: Vec<[u32; 3]> =
            (0..first.len()).map(|index| [values.prob[0][index], values.backoff[0][index], begin(index)]).collect();
        unigrams.push([0, 0, begin(first.len())]);
        let orders = (2..=ngrams.order()).map(|n| pack(ngrams, &values, n, quantise)).collect();
        Ok(Self { unigrams: unigrams.into(), orders })
    }

    /// Adds the trie to a file.
    pub(super) fn write(&self, out: &mut ContainerWriter) -> Result<()> {
        out.section("unigrams", &self.unigrams)?;
        for (n, order) in (2..).zip(&self.orders) {
            let shape = [
                order.count,
                order.word_bits.into(),
                order.prob_bits.into(),
                order.backoff_bits.into(),
                order.begin_bits.into(),
            ];
            out.section(&format!("{n}-shape"), &shape)?;
            out.section(&format!("{n}-grams"), &order.records)?;
            out.section(&format!("{n}-probs"), &order.probs)?;
            out.section(&format!("{n}-backoffs"), &order.backoffs)?;
        }
        Ok(())
    }

    /// Takes the trie from a file. Pointers are not followed here: a query checks each before it uses it.
    pub(super) fn open(file: &Container, order: usize, types: usize) -> Result<Self> {
        let unigrams: Section<[u32; 3]> = file.section("unigrams")?;
        if unigrams.len() != types + 1 {
            return Err(file.error("there are not as many unigrams as words"));
        }
        let mut orders = Vec::new();
        for n in 2..=order {
            let shape: &[u64] = file.slice(&format!("{n}-shape"))?;
            let &[count, word_bits, prob_bits, backoff_bits, begin_bits] = shape else {
                return Err(file.error(format!("the shape of the {n}-grams is not five numbers")));
            };
            let packed = Packed {
                records: file.section(&format!("{n}-grams"))?,
                count,
                word_bits: word_bits as u32,
                prob_bits: prob_bits as u32,
                backoff_bits: backoff_bits as u32,
                begin_bits: begin_bits as u32,
                probs: file.section(&format!("{n}-probs"))?,
                backoffs: file.section(&format!("{n}-backoffs"))?,
            };
            let fits = count < u64::from(u32::MAX)
                && [word_bits, prob_bits, backoff_bits, begin_bits].iter().all(|&bits| bits <= 33)
                && word_bits > 0
                && packed.book_fits(prob_bits, &packed.probs, 31)
                && (n == order || packed.book_fits(backoff_bits, &packed.backoffs, 32))
                && bits::size(count + u64::from(n < order), packed.width()) == Some(packed.records.len() as u64)
                && (n < order) == (begin_bits > 0);
            if !fits {
                return Err(file.error(format!("the shape of the {n}-grams does not fit them")));
            }
            orders.push(packed);
        }
        Ok(Self { unigrams, orders })
    }
}

fn pack(ngrams: &Ngrams, values: &Values, n: usize, quantise: Option<u32>) -> Packed {
    let level = &ngrams.levels[n - 1];
    let highest = n == ngrams.order();
    let prob = |index: usize| -f32::from_bits(values.prob[n - 1][index] & !SIGN);
    let backoff = |index: usize| f32::from_bits(values.backoff[n - 1][index]);
    let (mut probs, mut backoffs) = (Vec::new(), Vec::new());
    if let Some(bits) = quantise {
        probs = codebook((0..level.len()).map(prob), bits, &[]);
        if !highest {
            backoffs = codebook((0..level.len()).map(backoff), bits, &EXACT_BACKOFFS);
        }
    }
    let word_bits = bits::width(ngrams.vocabulary.len() as u64 - 1);
    let prob_bits = quantise.unwrap_or(31);
    let backoff_bits = if highest { 0 } else { quantise.unwrap_or(32) };
    let begin_bits = if highest { 0 } else { bits::width(ngrams.levels[n].len() as u64) };
    let mut records = BitWriter::default();
    for index in 0..level.len() {
        records.push(level.words[index].into(), word_bits);
        match quantise {
            Some(_) => records.push(nearest(&probs, 0, prob(index)), prob_bits),
            None => records.push(u64::from(values.prob[n - 1][index] & !SIGN), 31),
        }
        if !highest {
            match quantise {
                Some(_) => records.push(nearest(&backoffs, EXACT_BACKOFFS.len(), backoff(index)), backoff_bits),
                None => records.push(values.backoff[n - 1][index].into(), 32),
            }
            records.push(level.begin[index].into(), begin_bits);
        }
    }
    if !highest {
        // A last record that only says where the children of the one before end.
        records.push(0, word_bits);
        records.push(0, prob_bits);
        records.push(0, backoff_bits);
        records.push(level.begin[level.len()].into(), begin_bits);
    }
    Packed {
        records: records.finish(),
        count: level.len() as u64,
        word_bits,
        prob_bits,
        backoff_bits,
        begin_bits,
        probs: probs.into(),
        backoffs: backoffs.into(),
    }
}

impl Packed {
    #[inline]
    fn width(&self) -> u32 {
        self.word_bits + self.prob_bits + self.backoff_bits + self.begin_bits
    }

    fn book_fits(&self, bits: u64, book: &[f32], plain: u64) -> bool {
        if book.is_empty() { bits == plain || self.count == 0 } else { bits <= 16 && book.len() <= 1 << bits }
    }

    /// The record in `from..to` with this word.
    #[inline]
    fn find(&self, records: &[u8], mut from: u64, mut to: u64, word: u32) -> Option<u64> {
        let width = u64::from(self.width());
        while from < to {
            let middle = from + (to - from) / 2;
            let found = bits::read(records, middle * width, self.word_bits) as u32;
            if found == word {
                return Some(middle);
            }
            if found < word {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        None
    }

    /// The children of a record.
    #[inline]
    fn children(&self, records: &[u8], index: u64) -> (u64, u64) {
        let width = u64::from(self.width());
        let offset = index * width + width - u64::from(self.begin_bits);
        (bits::read(records, offset, self.begin_bits), bits::read(records, offset + width, self.begin_bits))
    }
}

impl Search for Small {
    #[inline]
    fn order(&self) -> usize {
        self.orders.len() + 1
    }

    #[inline]
    fn unigram(&self, word: u32) -> Found {
        let unigrams: &[[u32; 3]] = &self.unigrams;
        let word = if (word as usize) + 1 < unigrams.len() { word } else { UNK };
        let [prob, backoff, begin] = unigrams[word as usize];
        Found {
            prob: -f32::from_bits(prob & !SIGN),
            backoff: f32::from_bits(backoff),
            extends_left: unigrams[word as usize + 1][2] > begin,
            node: word.into(),
        }
    }

    #[inline]
    fn extend(&self, length: usize, node: u64, word: u32) -> Option<Found> {
        let order = self.orders.get(length - 1)?;
        let (from, to) = if length == 1 {
            let unigrams: &[[u32; 3]] = &self.unigrams;
            (u64::from(unigrams.get(node as usize)?[2]), u64::from(unigrams.get(node as usize + 1)?[2]))
        } else {
            let lower = &self.orders[length - 2];
            lower.children(&lower.records, node)
        };
        let records: &[u8] = &order.records;
        // A damaged file may point anywhere: nothing beyond the records is believed.
        let node = order.find(records, from, to.min(order.count), word)?;
        let offset = node * u64::from(order.width()) + u64::from(order.word_bits);
        let stored = bits::read(records, offset, order.prob_bits);
        let prob = if order.probs.is_empty() {
            -f32::from_bits(stored as u32)
        } else {
            order.probs.get(stored as usize).copied().unwrap_or(0.0)
        };
        if order.begin_bits == 0 {
            return Some(Found { prob, backoff: 0.0, extends_left: false, node });
        }
        let stored = bits::read(records, offset + u64::from(order.prob_bits), order.backoff_bits);
        let backoff = if order.backoffs.is_empty() {
            f32::from_bits(stored as u32)
        } else {
            order.backoffs.get(stored as usize).copied().unwrap_or(0.0)
        };
        let (first, end) = order.children(records, node);
        Some(Found { prob, backoff, extends_left: end > first, node })
    }
}
