//! The first look: all of the chart under the grammar without variants, to learn which parts of it matter.
//!
//! Values of a cell are multiples of a power of two that the cell knows, so that nothing vanishes however long a sentence
//! is. What is around a cell is kept multiplied by the cell's power, so that products are chances of the whole.

use super::grammar::Grammar;
use super::lexicon::Emission;

/// Values below this share of the largest in their cell are as good as nothing.
const NOTHING: f64 = 1e-200;

/// How much smaller than the threshold of chances things may be that are not known well yet: values of symbols in their cells,
/// weighed by how often the symbols are expected, and chances of what larger parts may be made of.
const BEAM: f64 = 1e-2;

/// Where cells are in a chart: by width, then by begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells(pub usize);

impl Cells {
    /// The number of a cell.
    #[inline]
    pub(super) fn at(self, begin: usize, end: usize) -> usize {
        let width = end - begin - 1;
        // Cells of smaller widths come before: n + (n - 1) + … of them.
        width * self.0 - width * width.saturating_sub(1) / 2 + begin
    }

    /// How many there are.
    pub(super) fn count(self) -> usize {
        self.0 * (self.0 + 1) / 2
    }
}

/// The symbols that matter in each cell: those made of two or of a word, and those that may have a unary rule over them.
#[derive(Debug, Clone, Default)]
pub(super) struct Mask {
    pub(super) lower: Vec<Vec<u32>>,
    pub(super) upper: Vec<Vec<u32>>,
}

struct Chart<'a> {
    grammar: &'a Grammar,
    words: usize,
    cells: Cells,
    symbols: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    exponents: Vec<i32>,
    /// The symbols in the upper storey of each cell that are good enough.
    active: Vec<Vec<u16>>,
    /// How much worse than the best of their cell they may be.
    beam: f64,
}

/// Two to a power.
#[inline]
pub(super) fn power(exponent: i32) -> f64 {
    f64::exp2(f64::from(exponent))
}

/// The symbols whose chance to be in the tree is larger than a threshold, or none if there is no tree.
pub(super) fn look(grammar: &Grammar, emissions: &[Vec<Emission>], threshold: f64) -> Option<Mask> {
    let (words, symbols) = (emissions.len(), grammar.outline().symbols());
    let cells = Cells(words);
    let size = cells.count() * symbols;
    let mut chart = Chart {
        grammar,
        words,
        cells,
        symbols,
        lower: vec![0.0; size],
        upper: vec![0.0; size],
        exponents: vec![0; cells.count()],
        active: vec![Vec::new(); cells.count()],
        beam: threshold * BEAM,
    };
    chart.up(emissions);
    let top = chart.upper[cells.at(0, words) * symbols + grammar.outline().root() as usize];
    (top > 0.0).then(|| chart.down(top, threshold))
}

/// The values of a word's tags.
fn fill(row: &mut [f64], emissions: &[Vec<Emission>], word: usize) {
    emissions[word].iter().for_each(|(tag, values)| row[*tag as usize] = f64::from(values[0]));
}

impl Chart<'_> {
    fn up(&mut self, emissions: &[Vec<Emission>]) {
        let grammar = self.grammar;
        let (outline, level) = (grammar.outline(), grammar.coarse());
        let (unary, kept, packed): (&[f32], &[f32], _) = (&level.unary, &level.kept, grammar.packed());
        let mut row = vec![0.0; self.symbols];
        for width in 1..=self.words {
            for begin in 0..=self.words - width {
                let end = begin + width;
                let cell = self.cells.at(begin, end);
                row.fill(0.0);
                let base = if width == 1 {
                    fill(&mut row, emissions, begin);
                    0
                } else {
                    self.combine(begin, end, &mut row)
                };
                let most = row.iter().copied().fold(0.0, f64::max);
                if most <= 0.0 {
                    continue;
                }
                let exponent = most.log2().floor();
                self.exponents[cell] = base + exponent as i32;
                let scale = f64::exp2(-exponent);
                let lower = &mut self.lower[cell * self.symbols..][..self.symbols];
                let upper = &mut self.upper[cell * self.symbols..][..self.symbols];
                for symbol in 0..self.symbols {
                    let value = row[symbol] * scale;
                    if value < NOTHING {
                        continue;
                    }
                    lower[symbol] = value;
                    upper[symbol] += value * f64::from(kept[symbol]);
                    for rule in outline.with_child(symbol as u32) {
                        upper[outline.unary()[rule][1] as usize] += value * f64::from(unary[rule]);
                    }
                }
                let weighed = |symbol: usize| upper[symbol] * packed.expected[symbol];
                let least = (0..self.symbols).map(weighed).fold(0.0, f64::max) * self.beam;
                let good =
                    |symbol: &u16| upper[usize::from(*symbol)] > NOTHING && weighed(usize::from(*symbol)) >= least;
                self.active[cell] = (0..self.symbols as u16).filter(good).collect();
                // The others are nothing to anyone; the root of the whole is above everything.
                if width < self.words {
                    row.fill(0.0);
                    self.active[cell].iter().for_each(|&symbol| row[usize::from(symbol)] = upper[usize::from(symbol)]);
                    upper.copy_from_slice(&row);
                }
            }
        }
    }

    /// Adds what pairs of smaller cells make of a span; gives the power of two of the sums.
    fn combine(&self, begin: usize, end: usize, row: &mut [f64]) -> i32 {
        let (outline, packed) = (self.grammar.outline(), &self.grammar.packed().by_left);
        let splits = (begin + 1..end).map(|middle| (self.cells.at(begin, middle), self.cells.at(middle, end)));
        let splits: Vec<(usize, usize)> =
            splits.filter(|&(one, two)| !self.active[one].is_empty() && !self.active[two].is_empty()).collect();
        let base = splits.iter().map(|&(one, two)| self.exponents[one] + self.exponents[two]).max().unwrap_or(0);
        for (one, two) in splits {
            let factor = power(self.exponents[one] + self.exponents[two] - base);
            let left = &self.upper[one * self.symbols..][..self.symbols];
            let right = &self.upper[two * self.symbols..][..self.symbols];
            for &symbol in &self.active[one] {
                let value = left[usize::from(symbol)] * factor;
                for &(other, parent, p) in &packed[outline.with_left(u32::from(symbol))] {
                    row[usize::from(parent)] += value * right[usize::from(other)] * f64::from(p);
                }
            }
        }
        base
    }

    fn down(&self, top: f64, threshold: f64) -> Mask {
        let (outline, packed, level) = (self.grammar.outline(), self.grammar.packed(), self.grammar.coarse());
        let symbols = self.symbols;
        let mut around = vec![0.0; self.upper.len()];
        around[self.cells.at(0, self.words) * symbols + outline.root() as usize] = 1.0 / top;
        let mut mask =
            Mask { lower: vec![Vec::new(); self.cells.count()], upper: vec![Vec::new(); self.cells.count()] };
        let (unary, kept): (&[f32], &[f32]) = (&level.unary, &level.kept);
        let mut outer = vec![0.0; symbols];
        let mut large: Vec<u32> = Vec::new();
        for width in (1..=self.words).rev() {
            for begin in 0..=self.words - width {
                let end = begin + width;
                let cell = self.cells.at(begin, end);
                let above = &around[cell * symbols..][..symbols];
                let (lower, upper) =
                    (&self.lower[cell * symbols..][..symbols], &self.upper[cell * symbols..][..symbols]);
                let likely = |outer: f64, value: f64| value > 0.0 && outer * value > threshold;
                outer.fill(0.0);
                large.clear();
                for symbol in 0..symbols {
                    if lower[symbol] > 0.0 {
                        outer[symbol] += above[symbol] * f64::from(kept[symbol]);
                        for rule in outline.with_child(symbol as u32) {
                            outer[symbol] += above[outline.unary()[rule][1] as usize] * f64::from(unary[rule]);
                        }
                        if likely(outer[symbol], lower[symbol]) {
                            mask.lower[cell].push(symbol as u32);
                        }
                        if outer[symbol] * lower[symbol] > self.beam && width > 1 {
                            large.push(symbol as u32);
                        }
                    }
                    if likely(above[symbol], upper[symbol]) {
                        mask.upper[cell].push(symbol as u32);
                    }
                }
                if large.is_empty() {
                    continue;
                }
                for middle in begin + 1..end {
                    let (one, two) = (self.cells.at(begin, middle), self.cells.at(middle, end));
                    if self.active[one].is_empty() || self.active[two].is_empty() {
                        continue;
                    }
                    let factor = power(self.exponents[one] + self.exponents[two] - self.exponents[cell]);
                    let [left, right] = [one, two].map(|cell| &self.upper[cell * symbols..][..symbols]);
                    for &parent in &large {
                        let above = outer[parent as usize] * factor;
                        for &(first, second, p) in packed.with_parent(parent) {
                            let (first, second) = (usize::from(first), usize::from(second));
                            let (a, b) = (left[first], right[second]);
                            if a > 0.0 && b > 0.0 {
                                let part = above * f64::from(p);
                                around[one * symbols + first] += part * b;
                                around[two * symbols + second] += part * a;
                            }
                        }
                    }
                }
            }
        }
        mask
    }
}
