//! Learning which variants symbols have: split all in two, let them find their ways, put those together again that did not
//! matter, smooth (Petrov, Barrett, Thibaux and Klein 2006).

use super::expectation::{Counts, expect};
use super::level::{Level, Places};
use super::lexicon::Lexicon;
use super::treebank::Treebank;
use crate::random::Random;
use crate::{Error, Result};

/// How variants are learnt.
#[derive(Debug, Clone)]
pub struct Refinement {
    /// How often all states are split.
    pub rounds: usize,
    /// Passes over the trees after each split; half as many after merging.
    pub passes: usize,
    /// Which share of the splits is undone.
    pub merged: f64,
    /// How far a variant's rules are drawn to those of all variants of its symbol.
    pub smoothing: f64,
    /// The same for words.
    pub word_smoothing: f64,
    /// What is drawn to tell two variants apart at first.
    pub seed: u64,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { rounds: 4, passes: 20, merged: 0.5, smoothing: 0.01, word_smoothing: 0.1, seed: 1 }
    }
}

impl Refinement {
    /// Checks the settings.
    ///
    /// # Errors
    /// Says which makes no sense.
    pub fn check(&self) -> Result<()> {
        if self.rounds > 6 {
            return Err(Error::settings(format!("{} rounds of splitting are more than 6", self.rounds)));
        }
        let shares = [("merged", self.merged), ("smoothing", self.smoothing), ("word_smoothing", self.word_smoothing)];
        match shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            Some((name, share)) => Err(Error::settings(format!("{name} must be between 0 and 1, not {share}"))),
            None if self.passes == 0 => Err(Error::settings("at least one pass is needed")),
            None => Ok(()),
        }
    }
}

/// The grammar of the trees as they are, by relative frequency.
///
/// # Errors
/// Trees without a word.
pub fn first_level(treebank: &Treebank) -> Result<Level> {
    let places = Places::new(&treebank.outline, vec![1; treebank.outline.symbols()])?;
    let sizes = [&places.binary, &places.unary, &places.states].map(|places| *places.last().unwrap_or(&0));
    // Without variants all is certain, whatever the probabilities: one pass counts.
    let ones = |size: usize| vec![1.0_f32; size].into();
    let lexicon = lexicon(treebank, &places, |_| vec![1.0])?;
    let level = Level { places, binary: ones(sizes[0]), unary: ones(sizes[1]), kept: ones(sizes[2]), lexicon };
    maximise(treebank, &expect(treebank, &level, None), 0.0, 0.0)
}

/// Splits and merges as often as wanted; tells of each pass and gives the level after each round.
///
/// # Errors
/// Settings that make no sense, or `told` said to stop.
pub fn refine(
    treebank: &Treebank,
    first: Level,
    settings: &Refinement,
    mut told: impl FnMut(usize, usize, f64) -> Result<()>,
) -> Result<Vec<Level>> {
    settings.check()?;
    let mut levels = vec![first];
    for round in 0..settings.rounds {
        let mut random = Random::new([settings.seed, round as u64, 0]);
        let mut level = split(treebank, &levels[round], &mut random)?;
        for pass in 0..settings.passes {
            let counts = expect(treebank, &level, None);
            told(round, pass, counts.log_likelihood)?;
            level = maximise(treebank, &counts, 0.0, 0.0)?;
        }
        let shares = pair_shares(treebank, &expect(treebank, &level, None));
        let counts = expect(treebank, &level, Some(&shares));
        level = maximise(treebank, &merge(treebank, &counts, settings.merged)?, 0.0, 0.0)?;
        for pass in 0..settings.passes.div_ceil(2) {
            let counts = expect(treebank, &level, None);
            told(round, settings.passes + pass, counts.log_likelihood)?;
            level = maximise(treebank, &counts, settings.smoothing, settings.word_smoothing)?;
        }
        levels.push(level);
    }
    Ok(levels)
}

/// How often each state is expected: as it is, or made by a unary rule.
fn state_counts(counts: &Counts, treebank: &Treebank) -> (Vec<f64>, Vec<f64>) {
    let places = &counts.places;
    let mut lower = vec![0.0; counts.kept.len()];
    let mut upper = counts.kept.clone();
    for (rule, &[_, _, parent]) in treebank.outline.binary().iter().enumerate() {
        let state = places.states[parent as usize];
        for row in counts.binary[places.binary[rule]..places.binary[rule + 1]].chunks_exact(places.of(parent)) {
            row.iter().zip(&mut lower[state..]).for_each(|(count, sum)| *sum += count);
        }
    }
    for (rule, &[_, parent, _]) in treebank.outline.unary().iter().enumerate() {
        let state = places.states[parent as usize];
        for row in counts.unary[places.unary[rule]..places.unary[rule + 1]].chunks_exact(places.of(parent)) {
            row.iter().zip(&mut upper[state..]).for_each(|(count, sum)| *sum += count);
        }
    }
    (lower, upper)
}

/// The lexicon of what was expected at each meeting of a tag and a word.
fn lexicon(treebank: &Treebank, places: &Places, of: impl Fn(usize) -> Vec<f64>) -> Result<Lexicon> {
    let sizes = |tags: &[u32]| super::level::begins(tags.iter().map(|&tag| places.of(tag)));
    let (word_places, form_places) = (sizes(treebank.words.tags()), sizes(treebank.forms.tags()));
    let mut words = vec![0.0_f64; *word_places.last().unwrap_or(&0)];
    let mut forms = vec![0.0_f64; *form_places.last().unwrap_or(&0)];
    for (number, meeting) in treebank.meetings.iter().enumerate() {
        let counts = of(number);
        for (variant, count) in counts.iter().enumerate() {
            words[word_places[meeting.entry] + variant] += count;
            for &entry in &meeting.form_entries {
                forms[form_places[entry] + variant] += count;
            }
        }
    }
    let small = |counts: Vec<f64>| counts.into_iter().map(|count| count as f32).collect::<Vec<f32>>().into();
    Lexicon::new(treebank.words.clone(), treebank.forms.clone(), &places.variants, small(words), small(forms))
}

/// The probabilities that make what was counted most likely, smoothed.
pub(super) fn maximise(treebank: &Treebank, counts: &Counts, smoothing: f64, word_smoothing: f64) -> Result<Level> {
    let places = counts.places.clone();
    let (lower, upper) = state_counts(counts, treebank);
    let share = |count: f64, sum: f64| if sum > 0.0 { count / sum } else { 0.0 };
    let blocks = |values: &[f64], begins: &[usize], parents: &mut dyn Iterator<Item = u32>, sums: &[f64]| {
        let mut found = vec![0.0_f32; values.len()];
        for (rule, parent) in parents.enumerate() {
            let (size, state) = (places.of(parent), places.states[parent as usize]);
            let block = begins[rule]..begins[rule + 1];
            for (row, out) in values[block.clone()].chunks_exact(size).zip(found[block].chunks_exact_mut(size)) {
                let own: Vec<f64> = row.iter().zip(&sums[state..]).map(|(&count, &sum)| share(count, sum)).collect();
                let mean = own.iter().sum::<f64>() / size as f64;
                for (out, own) in out.iter_mut().zip(own) {
                    let value = (1.0 - smoothing) * own + smoothing * mean;
                    *out = if value < 1e-12 { 0.0 } else { value as f32 };
                }
            }
        }
        found
    };
    let outline = &treebank.outline;
    let binary = blocks(&counts.binary, &places.binary, &mut outline.binary().iter().map(|rule| rule[2]), &lower);
    let unary = blocks(&counts.unary, &places.unary, &mut outline.unary().iter().map(|rule| rule[1]), &upper);
    let mut kept = vec![0.0_f32; upper.len()];
    for pair in places.states.windows(2) {
        let own: Vec<f64> = (pair[0]..pair[1]).map(|state| share(counts.kept[state], upper[state])).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        for (state, own) in (pair[0]..pair[1]).zip(own) {
            kept[state] = ((1.0 - smoothing) * own + smoothing * mean) as f32;
        }
    }
    let lexicon = lexicon(treebank, &places, |number| {
        let own = &counts.words[counts.word_places[number]..counts.word_places[number + 1]];
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter().map(|count| (1.0 - word_smoothing) * count + word_smoothing * mean).collect()
    })?;
    Ok(Level { places, binary: binary.into(), unary: unary.into(), kept: kept.into(), lexicon })
}

/// Every state but the root's twice, with chances that differ by up to a hundredth.
fn split(treebank: &Treebank, level: &Level, random: &mut Random) -> Result<Level> {
    let outline = &treebank.outline;
    let old = &level.places;
    let times: Vec<u32> =
        (0..outline.symbols() as u32).map(|symbol| if symbol == outline.root() { 1 } else { 2 }).collect();
    let variants = old.variants.iter().zip(&times).map(|(count, times)| count * times).collect();
    let places = Places::new(outline, variants)?;
    let mut noise = |value: f32| value * (1.0 + 0.01 * (2.0 * random.uniform() - 1.0));
    let mut binary = vec![0.0_f32; *places.binary.last().unwrap_or(&0)];
    for (rule, symbols) in outline.binary().iter().enumerate() {
        let [kl, kr, kp] = symbols.map(|symbol| places.of(symbol));
        let [tl, tr, tp] = symbols.map(|symbol| times[symbol as usize] as usize);
        let from = &level.binary[old.binary[rule]..];
        let to = &mut binary[places.binary[rule]..];
        for l in 0..kl {
            for r in 0..kr {
                for p in 0..kp {
                    let source = ((l / tl) * (kr / tr) + r / tr) * (kp / tp) + p / tp;
                    to[(l * kr + r) * kp + p] = noise(from[source]) / (tl * tr) as f32;
                }
            }
        }
    }
    let mut unary = vec![0.0_f32; *places.unary.last().unwrap_or(&0)];
    for (rule, &[child, parent, _]) in outline.unary().iter().enumerate() {
        let [kc, kp] = [child, parent].map(|symbol| places.of(symbol));
        let [tc, tp] = [child, parent].map(|symbol| times[symbol as usize] as usize);
        let from = &level.unary[old.unary[rule]..];
        let to = &mut unary[places.unary[rule]..];
        for c in 0..kc {
            for p in 0..kp {
                to[c * kp + p] = noise(from[(c / tc) * (kp / tp) + p / tp]) / tc as f32;
            }
        }
    }
    let mut kept = Vec::with_capacity(*places.states.last().unwrap_or(&0));
    for (symbol, &times) in times.iter().enumerate() {
        let states = old.states[symbol]..old.states[symbol + 1];
        kept.extend(states.flat_map(|state| std::iter::repeat_n(level.kept[state], times as usize)));
    }
    let [words, forms] = level.lexicon.counts();
    let double = |counts: &[f32]| -> Vec<f32> { counts.iter().flat_map(|&count| [count / 2.0; 2]).collect() };
    let (words, forms) = (double(words), double(forms));
    let lexicon =
        Lexicon::new(treebank.words.clone(), treebank.forms.clone(), &places.variants, words.into(), forms.into())?;
    Ok(Level { places, binary: binary.into(), unary: unary.into(), kept: kept.into(), lexicon })
}

/// The share of each state among the two that were one.
fn pair_shares(treebank: &Treebank, counts: &Counts) -> Vec<f64> {
    let mut shares = vec![1.0; counts.kept.len()];
    let uses = uses(treebank, counts);
    for pair in counts.places.states.windows(2).filter(|pair| pair[1] - pair[0] > 1) {
        for state in (pair[0]..pair[1]).step_by(2) {
            let sum = uses[state] + uses[state + 1];
            let first = if sum > 0.0 { uses[state] / sum } else { 0.5 };
            [shares[state], shares[state + 1]] = [first, 1.0 - first];
        }
    }
    shares
}

/// How often each state is expected at a node.
fn uses(treebank: &Treebank, counts: &Counts) -> Vec<f64> {
    let (mut uses, upper) = state_counts(counts, treebank);
    uses.iter_mut().zip(upper.iter().zip(&counts.kept)).for_each(|(uses, (upper, kept))| *uses += upper - kept);
    for (number, meeting) in treebank.meetings.iter().enumerate() {
        let own = &counts.words[counts.word_places[number]..counts.word_places[number + 1]];
        let state = counts.places.states[meeting.tag as usize];
        own.iter().zip(&mut uses[state..]).for_each(|(count, uses)| *uses += count);
    }
    uses
}

/// Makes one of each pair of states whose difference is worth least.
fn merge(treebank: &Treebank, counts: &Counts, merged: f64) -> Result<Counts> {
    let old = &counts.places;
    let mut pairs: Vec<(f64, usize)> = Vec::new();
    for pair in old.states.windows(2).filter(|pair| pair[1] - pair[0] > 1) {
        pairs.extend((pair[0]..pair[1]).step_by(2).map(|state| (counts.losses[state], state)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    pairs.truncate((pairs.len() as f64 * merged).round() as usize);
    let gone: hashbrown::HashSet<usize> = pairs.into_iter().map(|(_, state)| state + 1).collect();
    // For each state which variant of its symbol it becomes.
    let mut becomes = Vec::with_capacity(counts.kept.len());
    let mut variants = Vec::with_capacity(old.variants.len());
    for pair in old.states.windows(2) {
        let mut next = 0_usize;
        for state in pair[0]..pair[1] {
            next += usize::from(!gone.contains(&state));
            becomes.push(next - 1);
        }
        variants.push(next as u32);
    }
    let places = Places::new(&treebank.outline, variants)?;
    let variant = |symbol: u32, number: usize| becomes[old.states[symbol as usize] + number];
    let zeros = |places: &[usize]| vec![0.0; *places.last().unwrap_or(&0)];
    let mut binary = zeros(&places.binary);
    for (rule, &[left, right, parent]) in treebank.outline.binary().iter().enumerate() {
        let [_, kr, kp] = [left, right, parent].map(|symbol| old.of(symbol));
        let (wide, deep) = (places.of(right), places.of(parent));
        for (at, count) in counts.binary[old.binary[rule]..old.binary[rule + 1]].iter().enumerate() {
            let (l, r, p) = (at / kp / kr, at / kp % kr, at % kp);
            let to = (variant(left, l) * wide + variant(right, r)) * deep + variant(parent, p);
            binary[places.binary[rule] + to] += count;
        }
    }
    let mut unary = zeros(&places.unary);
    for (rule, &[child, parent, _]) in treebank.outline.unary().iter().enumerate() {
        let (kp, deep) = (old.of(parent), places.of(parent));
        for (at, count) in counts.unary[old.unary[rule]..old.unary[rule + 1]].iter().enumerate() {
            unary[places.unary[rule] + variant(child, at / kp) * deep + variant(parent, at % kp)] += count;
        }
    }
    let mut kept = zeros(&places.states);
    for symbol in 0..old.variants.len() as u32 {
        for number in 0..old.of(symbol) {
            let state = places.states[symbol as usize] + variant(symbol, number);
            kept[state] += counts.kept[old.states[symbol as usize] + number];
        }
    }
    let word_places = super::level::begins(treebank.meetings.iter().map(|meeting| places.of(meeting.tag)));
    let mut words = zeros(&word_places);
    for (number, meeting) in treebank.meetings.iter().enumerate() {
        let own = &counts.words[counts.word_places[number]..counts.word_places[number + 1]];
        for (at, count) in own.iter().enumerate() {
            words[word_places[number] + variant(meeting.tag, at)] += count;
        }
    }
    let losses = zeros(&places.states);
    Ok(Counts { places, binary, unary, kept, words, word_places, losses, log_likelihood: counts.log_likelihood })
}
