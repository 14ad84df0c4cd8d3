//! Numbers in rows and columns, packed: in each column a value is its number in a list, or whole if there is no list.

use std::io::{Seek, Write};

use super::codebook::{Coder, MOST_VALUES, width};
use crate::Result;
use crate::files::{Container, ContainerWriter, Growing, Section};

/// Bytes behind the last row, so that eight can be read wherever a value begins.
const SLACK: usize = 8;

/// Packed rows, where they lie in a file.
#[derive(Debug, Clone)]
pub struct Rows {
    columns: Vec<Column>,
    /// The lists, one after another, each as long as its numbers can say.
    values: Vec<f32>,
    /// Bytes of a row.
    width: usize,
    /// Whether each value is the number of one byte in a list of 256.
    bytewise: bool,
    /// Whether each value is a number in a list, and all those of a row can be read at once.
    narrow: bool,
    rows: usize,
    bytes: Section<u8>,
}

/// Values that a byte can number.
const BYTE: usize = 1 << 8;

#[derive(Debug, Clone, Copy)]
struct Column {
    /// Where it begins in a row.
    byte: usize,
    shift: u32,
    mask: u64,
    /// Where its list begins; there is none if values are whole.
    list: Option<usize>,
}

impl Rows {
    /// The rows in the sections of a file that begin with `name`.
    ///
    /// # Errors
    /// Sections that do not fit each other.
    pub fn open(file: &Container, name: &str, columns: usize, rows: usize) -> Result<Self> {
        let lists = file.slice::<u32>(&format!("{name}-lists"))?;
        let mut values = file.slice::<f32>(&format!("{name}-values"))?;
        let bytes = file.section::<u8>(&format!("{name}-rows"))?;
        let wrong =
            |what: &str| file.error(format!("the grammar is not valid: {what}")).hint("make or copy the file again");
        if lists.len() != columns || lists.iter().any(|&list| list as usize > MOST_VALUES) {
            return Err(wrong("its columns have no lists of values"));
        }
        let mut opened =
            Self { columns: Vec::new(), values: Vec::new(), width: 0, bytewise: false, narrow: false, rows, bytes };
        let mut bit = 0;
        for &length in lists {
            let bits = width(length as usize);
            let Some((list, rest)) = values.split_at_checked(length as usize) else {
                return Err(wrong("the lists of values are too short"));
            };
            values = rest;
            if list.iter().any(|value| !value.is_finite()) {
                return Err(wrong("a value is not a finite number"));
            }
            let place = (length > 0).then_some(opened.values.len());
            opened.columns.push(Column { byte: bit / 8, shift: bit as u32 % 8, mask: (1 << bits) - 1, list: place });
            if length > 0 {
                opened.values.extend_from_slice(list);
                // Numbers beyond the list, which only damage makes, are its last.
                opened.values.resize(opened.values.len() + (1 << bits) - list.len(), list[list.len() - 1]);
            }
            bit += bits as usize;
        }
        opened.width = bit.div_ceil(8);
        let is_byte = |column: &Column| column.list.is_some() && column.mask == BYTE as u64 - 1;
        opened.bytewise = opened.columns.iter().all(is_byte);
        opened.narrow = opened.width <= SLACK && opened.columns.iter().all(|column| column.list.is_some());
        let expected = rows.checked_mul(opened.width).and_then(|bytes| bytes.checked_add(SLACK));
        if expected != Some(opened.bytes.len()) || !values.is_empty() {
            return Err(wrong("there are not as many values as rules need"));
        }
        Ok(opened)
    }

    /// A value; 0 beyond the end.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f32 {
        self.decode(&self.bytes, row * self.width, &self.columns[column])
    }

    /// The first byte of a row; 0 beyond the end.
    #[inline]
    pub fn first_byte(&self, row: usize) -> u8 {
        self.bytes.get(row * self.width).copied().unwrap_or(0)
    }

    /// Appends the values of a row.
    #[inline]
    pub fn read(&self, row: usize, values: &mut Vec<f32>) {
        let bytes: &[u8] = &self.bytes;
        let start = row * self.width;
        values.extend(self.columns.iter().map(|column| self.decode(bytes, start, column)));
    }

    /// Writes the values of a row over others.
    #[inline]
    pub fn read_into(&self, row: usize, values: &mut [f32]) {
        let bytes: &[u8] = &self.bytes;
        let start = row * self.width;
        values.iter_mut().zip(&self.columns).for_each(|(value, column)| *value = self.decode(bytes, start, column));
    }

    /// The weighted sum of a row.
    #[inline]
    pub fn dot(&self, row: usize, weights: &[f32]) -> f32 {
        let bytes: &[u8] = &self.bytes;
        let start = row * self.width;
        if self.bytewise
            && let Some(codes) = bytes.get(start..start + self.width)
        {
            let lists = self.values.chunks_exact(BYTE);
            return codes
                .iter()
                .zip(lists)
                .zip(weights)
                .map(|((&code, list), weight)| list[usize::from(code)] * weight)
                .sum();
        }
        if self.narrow
            && let Some(window) = bytes.get(start..).and_then(|rest| rest.first_chunk::<SLACK>())
        {
            let window = u64::from_le_bytes(*window);
            let value = |column: &Column| {
                let code = window >> (column.byte as u32 * u8::BITS + column.shift) & column.mask;
                self.values[column.list.unwrap_or(0) + code as usize]
            };
            return self.columns.iter().zip(weights).map(|(column, weight)| value(column) * weight).sum();
        }
        self.columns.iter().zip(weights).map(|(column, weight)| self.decode(bytes, start, column) * weight).sum()
    }

    #[inline]
    fn decode(&self, bytes: &[u8], start: usize, column: &Column) -> f32 {
        let Some(window) = bytes.get(start + column.byte..).and_then(|rest| rest.first_chunk::<8>()) else {
            return 0.0;
        };
        let code = u64::from_le_bytes(*window) >> column.shift & column.mask;
        match column.list {
            Some(list) => self.values[list + code as usize],
            None => f32::from_bits(code as u32),
        }
    }

    /// Whether every value is a finite number.
    pub fn are_finite(&self) -> bool {
        let whole = (0..self.columns.len()).filter(|&column| self.columns[column].list.is_none());
        whole.into_iter().all(|column| (0..self.rows).all(|row| self.get(row, column).is_finite()))
    }
}

/// Writes rows that come piece by piece, row after row, as the sections that [`Rows::open`] reads.
///
/// # Errors
/// What the operating system says.
pub fn write_rows<W: Write + Seek>(
    out: &mut ContainerWriter<W>,
    name: &str,
    coders: &[Coder],
    pieces: impl Iterator<Item = Growing<f32>>,
) -> Result<()> {
    let lists: Vec<u32> = coders.iter().map(|coder| coder.list.len() as u32).collect();
    out.section(&format!("{name}-lists"), &lists)?;
    let values: Vec<f32> = coders.iter().flat_map(|coder| coder.list.iter().copied()).collect();
    out.section(&format!("{name}-values"), &values)?;
    let mut section = out.begin::<u8>(&format!("{name}-rows"))?;
    let mut packed = Vec::new();
    let is_bytes = coders.iter().all(|coder| coder.width() == u8::BITS);
    for piece in pieces {
        piece.each_piece(coders.len(), |rows| {
            packed.clear();
            for row in rows.chunks_exact(coders.len().max(1)) {
                if is_bytes {
                    packed.extend(row.iter().zip(coders).map(|(&value, coder)| coder.code(value) as u8));
                } else {
                    pack(row, coders, &mut packed);
                }
            }
            section.extend(&packed)
        })?;
    }
    section.extend(&[0; SLACK])?;
    section.end()
}

fn pack(row: &[f32], coders: &[Coder], packed: &mut Vec<u8>) {
    let (mut pending, mut held) = (0_u64, 0);
    for (&value, coder) in row.iter().zip(coders) {
        pending |= u64::from(coder.code(value)) << held;
        held += coder.width();
        while held >= 8 {
            packed.push(pending as u8);
            pending >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        packed.push(pending as u8);
    }
}
