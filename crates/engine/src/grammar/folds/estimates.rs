//! From counts to probabilities in lanes.

use hashbrown::HashMap;

use super::super::hiero::ONE;
use super::super::settings::Smoothing;
use super::super::smoothing::{CountOfCounts, Estimate, shares};
use super::group::FoldRule;
use super::lanes::stride;

/// Adjusted counts that are kept ready in all lanes.
const READY: u64 = 1 << 12;

/// How many rules have each count, in the whole text and without each fold.
pub struct FoldCounts {
    smoothing: Smoothing,
    whole: CountOfCounts,
    /// Of each voice: how many more or fewer rules have a count, how many rules are lost, and what is lost of counts.
    changes: Vec<HashMap<u64, i64>>,
    lost: Vec<u64>,
    less: Vec<f64>,
}

impl FoldCounts {
    /// None yet.
    pub fn new(smoothing: Smoothing, voices: usize) -> Self {
        let (changes, lost, less) = (vec![HashMap::new(); voices], vec![0; voices], vec![0.0; voices]);
        Self { smoothing, whole: CountOfCounts::default(), changes, lost, less }
    }

    /// Takes in a rule.
    pub fn add(&mut self, rule: &FoldRule) {
        if self.smoothing == Smoothing::None {
            return;
        }
        self.whole.add(rule.total);
        for &(voice, part) in &rule.parts {
            let (voice, left) = (usize::from(voice), rule.total - part);
            let changes = &mut self.changes[voice];
            *changes.entry(rule.total.div_ceil(ONE)).or_default() -= 1;
            if left == 0 {
                self.lost[voice] += 1;
            } else {
                *changes.entry(left.div_ceil(ONE)).or_default() += 1;
            }
            self.less[voice] += (rule.total / ONE - left / ONE) as f64;
        }
    }

    /// The estimates of all lanes.
    pub fn finish(self) -> Estimates {
        let voices = self.changes.len();
        let mut lanes: Vec<Estimate> = Vec::with_capacity(voices + 1);
        for voice in 0..voices {
            let rules = self.whole.rules() - self.lost[voice];
            let own = self.whole.without(&self.changes[voice], rules, self.less[voice]);
            lanes.push(Estimate::new(self.smoothing, &own));
        }
        lanes.push(Estimate::new(self.smoothing, &self.whole));
        Estimates::new(lanes)
    }
}

/// A sum of adjusted counts that is the same for all lanes but for how each adjusts: shares of the lanes' discounts
/// (Kneser-Ney), or numbers of rules with a count (Good-Turing).
pub type Shares = Vec<(u64, f64)>;

/// The estimates of all lanes.
pub struct Estimates {
    lanes: Vec<Estimate>,
    stride: usize,
    /// What shares are of, in all lanes: the three discounts, or the adjusted counts from 0 on.
    ready: Vec<f64>,
    /// The number of rules (Kneser-Ney), or n1 over the sum of all counts (Good-Turing).
    scale: Vec<f64>,
}

impl Estimates {
    fn new(lanes: Vec<Estimate>) -> Self {
        let stride = stride(lanes.len() - 1);
        let mut made = Self { lanes, stride, ready: Vec::new(), scale: vec![1.0; stride] };
        let rows = match made.lanes[0] {
            Estimate::Frequency => 0,
            Estimate::KneserNey { .. } => 3,
            Estimate::GoodTuring(_) => READY,
        };
        made.ready.resize(rows as usize * stride, 0.0);
        for (at, lane) in made.lanes.iter().enumerate() {
            for row in 0..rows {
                made.ready[row as usize * stride + at] = match lane {
                    Estimate::KneserNey { discounts, .. } => discounts[row as usize],
                    _ if row == 0 => 0.0,
                    _ => lane.adjust(row * ONE),
                };
            }
            match lane {
                Estimate::Frequency => {}
                Estimate::KneserNey { rules, .. } => made.scale[at] = *rules,
                Estimate::GoodTuring(turing) => made.scale[at] = turing.unseen / turing.total,
            }
        }
        made
    }

    /// How many numbers a row of lanes has.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether counts are adjusted at all.
    pub fn adjusts(&self) -> bool {
        !self.ready.is_empty()
    }

    /// What a lane makes of a count, or takes off it.
    pub fn adjust(&self, lane: usize, count: u64) -> f64 {
        if count == 0 { 0.0 } else { self.lanes[lane].adjust(count) }
    }

    /// Adds the adjusted count to shares.
    pub fn share(&self, count: u64, into: &mut Shares) {
        let mut grow = |row: u64, by: f64| match into.iter_mut().find(|(known, _)| *known == row) {
            Some((_, sum)) => *sum += by,
            None => into.push((row, by)),
        };
        match self.lanes[0] {
            Estimate::Frequency => {}
            Estimate::GoodTuring(_) => grow(count / ONE, 1.0),
            Estimate::KneserNey { .. } => {
                (0..).zip(shares(count)).filter(|&(_, share)| share > 0.0).for_each(|(row, share)| grow(row, share));
            }
        }
    }

    /// Adds what shares come to in each lane.
    pub fn sum(&self, shares: impl IntoIterator<Item = (u64, f64)>, lanes: &mut [f64]) {
        for (row, share) in shares {
            if let Some(ready) = self.ready.get(row as usize * self.stride..).and_then(|rest| rest.get(..self.stride)) {
                lanes.iter_mut().zip(ready).for_each(|(lane, ready)| *lane += share * ready);
            } else {
                let adjusted = self.lanes.iter().map(|lane| lane.adjust(row * ONE));
                lanes.iter_mut().zip(adjusted).for_each(|(lane, adjusted)| *lane += share * adjusted);
            }
        }
    }

    /// p(s|t) of a rule in each lane, given its counts and adjusted counts, what is known of t, and how many rules have s:
    /// [`Estimate::probability`] in lanes.
    pub fn probabilities(&self, rule: &Counted, given: &Marginals, other: &Marginals, out: &mut [f64]) {
        let lanes = out.iter_mut().zip(&rule.count).zip(&given.total);
        match self.lanes[0] {
            Estimate::Frequency => lanes.for_each(|((out, count), total)| *out = count / total),
            Estimate::GoodTuring(_) => {
                for (lane, ((out, _), total)) in lanes.enumerate() {
                    *out = rule.adjusted[lane] / (given.adjusted[lane] + self.scale[lane] * total);
                }
            }
            Estimate::KneserNey { .. } => {
                for (lane, ((out, count), total)) in lanes.enumerate() {
                    let spread = given.adjusted[lane] / total * other.rules[lane] / self.scale[lane];
                    *out = (count - rule.adjusted[lane]) / total + spread;
                }
            }
        }
    }
}

/// A rule's counts and adjusted counts in lanes.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    pub count: Vec<f64>,
    pub adjusted: Vec<f64>,
}

impl Counted {
    /// Goes to a rule.
    pub fn set(&mut self, rule: &FoldRule, estimates: &Estimates) {
        fill(&mut self.count, estimates.stride, whole(rule.total));
        for &(voice, part) in &rule.parts {
            self.count[usize::from(voice)] = whole(rule.total - part);
        }
        if estimates.adjusts() {
            fill(&mut self.adjusted, estimates.stride, 0.0);
            let mut shares = Shares::new();
            estimates.share(rule.total, &mut shares);
            estimates.sum(shares, &mut self.adjusted);
            for &(voice, part) in &rule.parts {
                self.adjusted[usize::from(voice)] = estimates.adjust(voice.into(), rule.total - part);
            }
        }
    }
}

/// What is known in each lane of all rules with one side.
#[derive(Debug, Clone, Default)]
pub struct Marginals {
    /// The sum of their counts.
    pub total: Vec<f64>,
    /// The sum of their adjusted counts, if counts are adjusted.
    pub adjusted: Vec<f64>,
    /// How many there are, likewise.
    pub rules: Vec<f64>,
}

/// Collects what is known of all rules with one side.
#[derive(Debug, Clone)]
pub struct Collected {
    pub total: u64,
    pub rules: u64,
    pub shares: Shares,
    /// Of each voice, what it lacks of the total, how many rules it lacks, and by how much more its sum of adjusted counts
    /// differs.
    pub parts: Vec<(u64, u64, f64)>,
    /// The voices that lack something.
    pub touched: u64,
}

impl Collected {
    /// Nothing yet.
    pub fn new(voices: usize) -> Self {
        Self { total: 0, rules: 0, shares: Shares::new(), parts: vec![(0, 0, 0.0); voices], touched: 0 }
    }

    /// Takes in a rule's count.
    pub fn add(&mut self, count: u64, estimates: &Estimates) {
        self.total += count;
        self.rules += 1;
        estimates.share(count, &mut self.shares);
    }

    /// Takes in what a voice lacks of a rule.
    pub fn lack(&mut self, voice: u8, count: u64, part: u64, estimates: &Estimates) {
        self.touched |= 1 << voice;
        let voice = usize::from(voice);
        let own = &mut self.parts[voice];
        own.0 += part;
        own.1 += u64::from(part == count);
        if estimates.adjusts() {
            own.2 += estimates.adjust(voice, count - part) - estimates.adjust(voice, count);
        }
    }

    /// The voices that lack something.
    pub fn touched(&self) -> impl Iterator<Item = usize> + use<> {
        let touched = self.touched;
        (0..u64::BITS as usize).filter(move |voice| touched >> voice & 1 == 1)
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        for voice in self.touched() {
            self.parts[voice] = (0, 0, 0.0);
        }
        (self.total, self.rules, self.touched) = (0, 0, 0);
        self.shares.clear();
    }

    /// The same in lanes.
    pub fn lanes(&self, estimates: &Estimates, out: &mut Marginals) {
        fill(&mut out.total, estimates.stride, whole(self.total));
        for voice in self.touched() {
            out.total[voice] = whole(self.total - self.parts[voice].0);
        }
        if estimates.adjusts() {
            fill(&mut out.rules, estimates.stride, self.rules as f64);
            fill(&mut out.adjusted, estimates.stride, 0.0);
            estimates.sum(self.shares.iter().copied(), &mut out.adjusted);
            for voice in self.touched() {
                out.rules[voice] -= self.parts[voice].1 as f64;
                out.adjusted[voice] += self.parts[voice].2;
            }
        }
    }
}

/// A count in units of a tally as a number.
#[inline]
pub fn whole(count: u64) -> f64 {
    count as f64 / ONE as f64
}

#[inline]
fn fill(lanes: &mut Vec<f64>, stride: usize, value: f64) {
    lanes.clear();
    lanes.resize(stride, value);
}
