//! Word translation probabilities and the lexical weights of rules (Koehn, Och & Marcu 2003, section 4).

use hashbrown::HashMap;

use super::aligned::Aligned;
use super::symbol::Symbol;

/// Stands for the empty word, to which words without links are linked.
pub const NULL: u32 = u32::MAX;

/// w(e|f) and w(f|e) by relative frequency over the links, the empty word included.
#[derive(Debug, Default)]
pub struct WordTable {
    /// Of a source and a target word: w(target | source), w(source | target).
    pairs: HashMap<u64, (f32, f32)>,
}

/// The id of a symbol that is a word.
#[inline]
fn word(symbol: Symbol) -> u32 {
    symbol.as_word().unwrap_or(NULL)
}

fn pair(source: u32, target: u32) -> u64 {
    u64::from(source) << 32 | u64::from(target)
}

/// Gives each link of a sentence pair as a source word (high half) and a target word (low half); words without links are
/// linked with the empty word.
pub fn each_link(text: &Aligned, k: usize, mut each: impl FnMut(u64)) {
    let (source, target) = (text.bitext.source.sentence(k), text.bitext.target.sentence(k));
    let mut linked = [vec![false; source.len()], vec![false; target.len()]];
    for &(i, j) in text.links(k) {
        each(pair(source[i as usize], target[j as usize]));
        linked[0][i as usize] = true;
        linked[1][j as usize] = true;
    }
    source.iter().zip(&linked[0]).filter(|(_, linked)| !**linked).for_each(|(&word, _)| each(pair(word, NULL)));
    target.iter().zip(&linked[1]).filter(|(_, linked)| !**linked).for_each(|(&word, _)| each(pair(NULL, word)));
}

/// How often a source word (high half) is linked with a target word (low half); words without links are linked with
/// the empty word.
pub fn link_counts(text: &Aligned) -> HashMap<u64, u64> {
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for k in 0..text.len() {
        each_link(text, k, |pair| *counts.entry(pair).or_default() += 1);
    }
    counts
}

impl WordTable {
    /// Counts the links of a text.
    pub fn count(text: &Aligned) -> Self {
        let counts = link_counts(text);
        let mut sources: HashMap<u32, u64> = HashMap::new();
        let mut targets: HashMap<u32, u64> = HashMap::new();
        for (&key, &count) in &counts {
            *sources.entry((key >> 32) as u32).or_default() += count;
            *targets.entry(key as u32).or_default() += count;
        }
        Self::from_counts(counts, |word| sources[&word], |word| targets[&word])
    }

    /// Takes counts of a source word (high half) with a target word (low half), and what each word was counted in all.
    pub fn from_counts(
        counts: impl IntoIterator<Item = (u64, u64)>,
        source_total: impl Fn(u32) -> u64,
        target_total: impl Fn(u32) -> u64,
    ) -> Self {
        let share = |(key, count): (u64, u64)| {
            let forward = count as f64 / source_total((key >> 32) as u32) as f64;
            let backward = count as f64 / target_total(key as u32) as f64;
            (key, (forward as f32, backward as f32))
        };
        Self { pairs: counts.into_iter().map(share).collect() }
    }

    /// w(target | source) and w(source | target); 0 for words never linked.
    #[inline]
    pub fn of(&self, source: u32, target: u32) -> (f32, f32) {
        self.pairs.get(&pair(source, target)).copied().unwrap_or_default()
    }

    /// The words and their probabilities, in order of ids; the empty word is [`NULL`].
    pub fn sorted(&self) -> Vec<(u32, u32, f32, f32)> {
        let mut all: Vec<_> = self.pairs.iter().map(|(&key, &(a, b))| ((key >> 32) as u32, key as u32, a, b)).collect();
        all.sort_unstable_by_key(|&(source, target, ..)| (source, target));
        all
    }

    /// lex(source | target) and lex(target | source) of a rule, given the links between its words as half bytes:
    /// the product over words of the mean of w over the words they are linked with.
    pub fn weights(&self, source: &[Symbol], target: &[Symbol], links: &[u8]) -> (f64, f64) {
        let mut sums = [[(0.0_f64, 0_u32); 16]; 2];
        for &link in links {
            let (i, j) = ((link >> 4) as usize, (link & 15) as usize);
            let (forward, backward) = self.of(word(source[i]), word(target[j]));
            sums[0][i].0 += f64::from(backward);
            sums[0][i].1 += 1;
            sums[1][j].0 += f64::from(forward);
            sums[1][j].1 += 1;
        }
        let product = |symbols: &[Symbol], sums: &[(f64, u32)], null: &dyn Fn(u32) -> f32| -> f64 {
            let terminals = symbols.iter().zip(sums).filter(|(symbol, _)| !symbol.is_nonterminal());
            terminals
                .map(
                    |(symbol, &(sum, links))| {
                        if links == 0 { f64::from(null(word(*symbol))) } else { sum / f64::from(links) }
                    },
                )
                .product()
        };
        (
            product(source, &sums[0], &|word| self.of(word, NULL).1),
            product(target, &sums[1], &|word| self.of(NULL, word).0),
        )
    }
}
