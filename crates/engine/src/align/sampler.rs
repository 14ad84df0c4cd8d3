//! One Gibbs chain over one direction: Bayesian Model 1, then HMM, then HMM with fertilities.
//!
//! Mermer and Saraçlar 2011 (Bayesian Model 1), Gal and Blunsom 2013 and Östling and Tiedemann 2016 (HMM and fertility).
//! Lexical distributions have Dirichlet priors and are integrated out; a token's partner is drawn given all others:
//!
//! p(a_j = i) ∝ (n(e_i, f_j) + α) / (n(e_i) + α·V) · s(i − a₋) s(a₊ − i) · φ(k_i + 1 | e_i) / φ(k_i | e_i)
//!
//! where counts leave out token j, a₋ and a₊ are the positions of the nearest linked tokens before and after it, and
//! k_i is how many other tokens e_i has. Jump and fertility distributions are set to their posterior means after
//! every sweep: their counts are large, and tables that stand still for a sweep are cheap to read.

use super::bitext::{Bitext, Side};
use super::counts::{PairCounts, hash};
use super::jumps::{Jumps, WIDEST, fold};
use crate::random::Random;

/// Fertilities from here up share one probability.
pub const MOST_CHILDREN: usize = 12;

/// Priors of the sampler.
#[derive(Debug, Clone, Copy)]
pub struct Priors {
    /// α: pseudo-count of each word in a lexical distribution.
    pub lexical: f32,
    /// The same in NULL's distribution.
    pub lexical_null: f32,
    /// Pseudo-count of each jump.
    pub jump: f32,
    /// Pseudo-counts of a word's fertility distribution, together; shaped like the corpus-wide one.
    pub fertility: f32,
    /// p₀.
    pub null: f32,
    /// ρ: how much more probable a link is that the other direction has too; 1 lets directions go their own ways.
    pub agreement: f32,
}

/// What a sweep takes into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Words only.
    Lexical,
    /// And jumps.
    Jumps,
    /// And fertilities.
    Fertility,
}

/// Which side generates: with [`Direction::Forward`] the source explains the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Source words generate target words.
    Forward,
    /// Target words generate source words.
    Backward,
}

/// What a sweep shows to an observer.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'a> {
    /// A token, the weights of its positions before it was drawn, and what turns weights into probabilities.
    Token(usize, &'a [f32], f32),
    /// All tokens of this sentence pair have been shown.
    Pair(usize),
}

/// What a chain has learnt of positions when it ends.
#[derive(Debug)]
pub struct Learnt {
    /// Folded jump weights.
    pub jumps: Vec<f32>,
    /// Fertility ratios, [`MOST_CHILDREN`] for each generating word.
    pub ratios: Vec<f32>,
}

/// The state of a chain.
pub struct Chain<'a> {
    /// The sentence pairs that take part.
    pairs: &'a [u32],
    /// The generating side and the generated one.
    given: &'a Side,
    made: &'a Side,
    priors: Priors,
    stream: u64,
    sweep: u64,
    /// Links of each pair of words.
    counts: PairCounts,
    /// Links of each generating word, and 1 / (links + α·V).
    totals: Vec<u32>,
    inverses: Vec<f32>,
    /// α·V for each generating word.
    base: f32,
    null_counts: Vec<u32>,
    null_total: u32,
    /// Partner of each generated token, 0 for NULL, else position + 1.
    links: Vec<u16>,
    folded: Vec<f32>,
    jumps: Jumps,
    /// φ(k + 1 | e) / φ(k | e) for each generating word and k.
    ratios: Vec<[f32; MOST_CHILDREN]>,
    scratch: Scratch,
}

/// Lanes that are summed side by side.
const LANES: usize = 8;

/// Buffers of the sentence at hand.
#[derive(Default)]
struct Scratch {
    /// NULL and the positions, zero up to a multiple of [`LANES`].
    weights: Vec<f32>,
    factors: Vec<f32>,
    /// Whether the word at a position stands elsewhere in the sentence too.
    repeated: Vec<bool>,
    /// Of the generating words.
    hashes: Vec<u64>,
    /// Positions whose word may be linked to the token's elsewhere.
    likely: Vec<u16>,
    children: Vec<u16>,
    /// The next linked position after each token.
    next: Vec<isize>,
}

impl Scratch {
    fn begin(&mut self, given: &[u32], links: &[u16]) {
        let len = given.len();
        self.weights.clear();
        self.weights.resize((len + 1).next_multiple_of(LANES), 0.0);
        self.factors.clear();
        self.factors.resize(len, 0.0);
        self.repeated.clear();
        self.repeated.extend(given.iter().map(|word| given.iter().filter(|&other| other == word).count() > 1));
        self.hashes.clear();
        self.hashes.extend(given.iter().map(|&word| hash(word)));
        self.likely.resize(self.likely.len().max(len), 0);
        self.children.clear();
        self.children.resize(len, 0);
        self.next.clear();
        self.next.resize(links.len(), 0);
        let mut after = len as isize;
        for (next, &link) in self.next.iter_mut().zip(links).rev() {
            *next = after;
            if link != 0 {
                after = link as isize - 1;
                self.children[link as usize - 1] += 1;
            }
        }
    }

    /// Draws from the weights; also their sum. Should all have underflowed, NULL is drawn.
    fn draw(&self, uniform: f32, len: usize) -> (usize, f32) {
        let mut lanes = [0f32; LANES];
        for chunk in self.weights.chunks_exact(LANES) {
            for (lane, &weight) in lanes.iter_mut().zip(chunk) {
                *lane += weight;
            }
        }
        let total = add_up(&lanes);
        let mut left = uniform * total;
        for (first, chunk) in self.weights.chunks_exact(LANES).enumerate() {
            let sum = add_up(chunk);
            if left < sum {
                for (within, &weight) in chunk.iter().enumerate() {
                    left -= weight;
                    if left < 0.0 {
                        return (first * LANES + within, total);
                    }
                }
                left = 0.0;
            } else {
                left -= sum;
            }
        }
        // Rounding took us past the end: the last position with any weight, or NULL.
        ((0..=len).rev().find(|&at| self.weights[at] > 0.0).unwrap_or(0), total)
    }
}

/// The sum of [`LANES`] numbers as a tree, which is three steps instead of seven.
#[inline]
fn add_up(lanes: &[f32]) -> f32 {
    let half: [f32; 4] = std::array::from_fn(|at| lanes[at] + lanes[at + 4]);
    (half[0] + half[2]) + (half[1] + half[3])
}

impl<'a> Chain<'a> {
    /// A chain whose tokens start at random partners.
    pub fn new(
        bitext: &'a Bitext,
        pairs: &'a [u32],
        direction: Direction,
        priors: Priors,
        longest: usize,
        stream: u64,
    ) -> Self {
        let (given, made) = match direction {
            Direction::Forward => (&bitext.source, &bitext.target),
            Direction::Backward => (&bitext.target, &bitext.source),
        };
        let base = priors.lexical * made.vocabulary() as f32;
        let mut chain = Self {
            pairs,
            given,
            made,
            priors,
            stream,
            sweep: 0,
            counts: PairCounts::new(std::iter::repeat_n(0, made.vocabulary())),
            totals: vec![0; given.vocabulary()],
            inverses: vec![1.0 / base; given.vocabulary()],
            base,
            null_counts: vec![0; made.vocabulary()],
            null_total: 0,
            links: vec![0; made.tokens()],
            folded: Vec::new(),
            jumps: Jumps::new(&Jumps::initial(), longest),
            ratios: vec![[1.0; MOST_CHILDREN]; given.vocabulary()],
            scratch: Scratch::default(),
        };
        chain.scatter();
        chain
    }

    fn scatter(&mut self) {
        for &k in self.pairs {
            let mut random = Random::new([self.stream, 0, u64::from(k)]);
            let k = k as usize;
            let (given, made) = (self.given.sentence(k), self.made.sentence(k));
            for (j, &word) in made.iter().enumerate() {
                let choice = if random.uniform() < self.priors.null { 0 } else { 1 + random.below(given.len()) };
                self.links[self.made.start(k) + j] = choice as u16;
                if choice == 0 {
                    self.null_counts[word as usize] += 1;
                    self.null_total += 1;
                } else {
                    self.link(given[choice - 1], word);
                }
            }
        }
        self.refresh();
    }

    #[inline]
    fn link(&mut self, given: u32, made: u32) {
        self.counts.add(given, made);
        self.totals[given as usize] += 1;
        self.inverses[given as usize] = 1.0 / (self.totals[given as usize] as f32 + self.base);
    }

    #[inline]
    fn unlink(&mut self, given: u32, made: u32) {
        self.counts.subtract(given, made);
        self.totals[given as usize] -= 1;
        self.inverses[given as usize] = 1.0 / (self.totals[given as usize] as f32 + self.base);
    }

    /// Redraws the partner of every token once, and tells `observe` what it sees. `other` holds the links of the other
    /// direction, as [`Self::links`] gives them.
    pub fn sweep(&mut self, stage: Stage, other: &[u16], mut observe: impl FnMut(Seen<'_>)) {
        self.sweep += 1;
        let mut scratch = std::mem::take(&mut self.scratch);
        for &k in self.pairs {
            self.sentence(k as usize, stage, other, &mut scratch, &mut observe);
        }
        self.scratch = scratch;
        self.counts.compact();
        self.refresh();
    }

    fn sentence(
        &mut self,
        k: usize,
        stage: Stage,
        other: &[u16],
        scratch: &mut Scratch,
        observe: &mut impl FnMut(Seen<'_>),
    ) {
        let mut random = Random::new([self.stream, self.sweep, k as u64]);
        let (given, made) = (self.given.sentence(k), self.made.sentence(k));
        let start = self.made.start(k);
        let len = given.len();
        let other = &other[self.given.start(k)..self.given.start(k) + len];
        scratch.begin(given, &self.links[start..start + made.len()]);
        for ((factor, &word), &children) in scratch.factors.iter_mut().zip(given).zip(&scratch.children) {
            *factor = self.factor(word, children, stage);
        }
        let mut before = -1isize;
        let null_share = self.priors.null;
        let null_base = self.priors.lexical_null * self.made.vocabulary() as f32;
        let lexical = self.priors.lexical;
        for (j, &word) in made.iter().enumerate() {
            let old = self.links[start + j] as usize;
            if old == 0 {
                self.null_counts[word as usize] -= 1;
                self.null_total -= 1;
            } else {
                self.unlink(given[old - 1], word);
                scratch.children[old - 1] -= 1;
                self.renew(given, old - 1, stage, scratch);
            }
            let weights = &mut scratch.weights[1..=len];
            weights.fill(0.0);
            // First which positions may have a count, without a branch; then the counts of those few.
            if let Some(partners) = self.counts.partners(word) {
                let mut likely = 0;
                for (i, &hash) in scratch.hashes.iter().enumerate() {
                    scratch.likely[likely] = i as u16;
                    likely += usize::from(partners.maybe(hash));
                }
                for &i in &scratch.likely[..likely] {
                    let i = i as usize;
                    weights[i] = partners.count(scratch.hashes[i], given[i]) as f32;
                }
            }
            let null = (self.null_counts[word as usize] as f32 + self.priors.lexical_null)
                / (self.null_total as f32 + null_base);
            if stage == Stage::Lexical {
                for (weight, &factor) in weights.iter_mut().zip(&scratch.factors) {
                    *weight = (*weight + lexical) * factor;
                }
                scratch.weights[0] = null * null_share * len as f32 / (1.0 - null_share);
            } else {
                // The jump to each position and the jump on from it are two windows of one table.
                let onward = scratch.next[j];
                let (to, on) = (self.jumps.row(before, len), self.jumps.onward(onward, len));
                for (((weight, &factor), &to), &on) in weights.iter_mut().zip(&scratch.factors).zip(to).zip(on) {
                    *weight = (*weight + lexical) * factor * (to * on);
                }
                scratch.weights[0] = null * null_share * self.jumps.weight(onward - before);
            }
            let own = j as u16 + 1;
            for (weight, &link) in scratch.weights[1..].iter_mut().zip(other) {
                *weight *= if link == own { self.priors.agreement } else { 1.0 };
            }
            let (choice, total) = scratch.draw(random.uniform(), len);
            if total > 0.0 {
                observe(Seen::Token(j, &scratch.weights[1..=len], 1.0 / total));
            }
            self.links[start + j] = choice as u16;
            if choice == 0 {
                self.null_counts[word as usize] += 1;
                self.null_total += 1;
            } else {
                before = choice as isize - 1;
                self.link(given[choice - 1], word);
                scratch.children[choice - 1] += 1;
                self.renew(given, choice - 1, stage, scratch);
            }
        }
        observe(Seen::Pair(k));
    }

    /// Recomputes the factor of every position that holds the word at `position`.
    #[inline]
    fn renew(&self, given: &[u32], position: usize, stage: Stage, scratch: &mut Scratch) {
        let word = given[position];
        if !scratch.repeated[position] {
            scratch.factors[position] = self.factor(word, scratch.children[position], stage);
            return;
        }
        for ((&other, factor), &children) in given.iter().zip(&mut scratch.factors).zip(&scratch.children) {
            if other == word {
                *factor = self.factor(word, children, stage);
            }
        }
    }

    /// What does not depend on the generated word: 1 / (n(e) + α·V), times the gain in fertility.
    #[inline]
    fn factor(&self, word: u32, children: u16, stage: Stage) -> f32 {
        let inverse = self.inverses[word as usize];
        if stage == Stage::Fertility { inverse * self.gain(word, children) } else { inverse }
    }

    /// Partner of each generated token of the corpus, 0 for NULL, else position + 1.
    pub fn links(&self) -> &[u16] {
        &self.links
    }

    /// The jump and fertility distributions as they stand.
    pub fn learnt(self) -> Learnt {
        Learnt { jumps: self.folded, ratios: self.ratios.into_flattened() }
    }

    fn gain(&self, word: u32, children: u16) -> f32 {
        self.ratios[word as usize][(children as usize).min(MOST_CHILDREN - 1)]
    }

    /// Sets jumps and fertilities to their posterior means given the links.
    fn refresh(&mut self) {
        let mut jumps = vec![0f64; 2 * WIDEST + 1];
        let mut fertilities = vec![[0u32; MOST_CHILDREN + 1]; self.given.vocabulary()];
        let mut children = Vec::new();
        for k in self.pairs.iter().map(|&k| k as usize) {
            let given = self.given.sentence(k);
            let start = self.made.start(k);
            children.clear();
            children.resize(given.len(), 0usize);
            let mut before = -1isize;
            for &link in &self.links[start..start + self.made.sentence(k).len()] {
                if link != 0 {
                    let at = link as isize - 1;
                    jumps[fold(at - before)] += 1.0;
                    before = at;
                    children[at as usize] += 1;
                }
            }
            jumps[fold(given.len() as isize - before)] += 1.0;
            for (&word, &count) in given.iter().zip(&children) {
                fertilities[word as usize][count.min(MOST_CHILDREN)] += 1;
            }
        }
        self.folded = jump_means(&jumps, self.priors);
        self.jumps = Jumps::new(&self.folded, self.jumps.longest());
        self.ratios = fertility_ratios(&fertilities, self.priors);
    }
}

/// Mean jump probabilities, relative to a uniform one so that products stay near 1.
fn jump_means(counts: &[f64], priors: Priors) -> Vec<f32> {
    let total: f64 = counts.iter().sum::<f64>() + f64::from(priors.jump) * counts.len() as f64;
    counts.iter().map(|&n| ((n + f64::from(priors.jump)) / total) as f32).collect()
}

/// φ(k + 1 | e) / φ(k | e) under posterior means, with the corpus-wide fertilities as the shape of the prior.
fn fertility_ratios(counts: &[[u32; MOST_CHILDREN + 1]], priors: Priors) -> Vec<[f32; MOST_CHILDREN]> {
    let mut all = [1e-3f64; MOST_CHILDREN + 1];
    for row in counts {
        for (sum, &n) in all.iter_mut().zip(row) {
            *sum += f64::from(n);
        }
    }
    let total: f64 = all.iter().sum();
    let prior = all.map(|n| (n / total) * f64::from(priors.fertility));
    counts
        .iter()
        .map(|row| {
            std::array::from_fn(|k| {
                let up = f64::from(row[k + 1]) + prior[k + 1];
                let here = f64::from(row[k]) + prior[k];
                (up / here) as f32
            })
        })
        .collect()
}
