//! What is translated: a sentence, or a lattice of alternatives, with what is known of its spans.

use std::collections::BTreeMap;

use super::bounds::{Bounds, Span};
use super::given::{Given, GivenList};
use crate::{Error, Result};

/// Words between positions; a sentence has one word between each position and the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    words: Vec<String>,
    arcs: Vec<Arc>,
    /// For each position its first arc, and an end.
    begins: Vec<u32>,
    given: GivenList,
    bounds: Bounds,
}

/// A word between two positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    /// The index of the word.
    pub word: u32,
    /// Where it begins.
    pub begin: u32,
    /// Where it ends, further on.
    pub end: u32,
    /// A score, a natural logarithm; 0 for a sentence.
    pub score: f32,
}

/// Positions an input may have.
pub const MOST_POSITIONS: usize = 20_000;
/// Arcs a lattice may have.
pub const MOST_ARCS: usize = 200_000;
/// Positions times those that the longest arc covers: what a chart has cells for, whatever its longest span.
pub const MOST_CELLS: usize = 10_000_000;
/// What arcs without a word say, as in Moses and cdec.
pub const EPSILON: &str = "*EPS*";

impl Input {
    /// A tokenised sentence.
    ///
    /// # Errors
    /// A sentence that is too long.
    pub fn sentence(text: &str) -> Result<Self> {
        let words: Vec<String> =
            text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if words.len() > MOST_POSITIONS {
            return Err(Error::limit(format!("a sentence of {} words, more than {MOST_POSITIONS}", words.len()))
                .hint("cut it into sentences"));
        }
        let arcs = (0..words.len() as u32).map(|at| Arc { word: at, begin: at, end: at + 1, score: 0.0 }).collect();
        let begins = (0..=words.len() as u32 + 1).map(|at| at.min(words.len() as u32)).collect();
        Ok(Self { words, arcs, begins, given: GivenList::default(), bounds: Bounds::default() })
    }

    /// A lattice whose arcs are (begin, end, word, score), with the positions 0, 1, …, `last`.
    ///
    /// Arcs without a word ([`EPSILON`]) become part of the words behind them, those at the end of the words before
    /// them; of several ways without words between two positions the best counts, and one without any word does not,
    /// unless there is no other: then the input is empty.
    ///
    /// # Errors
    /// Arcs that run backwards or outside, words that are empty or have blanks, scores that are not finite, an end that
    /// cannot be reached, too many positions or arcs, arcs that are too long for so many positions.
    pub fn lattice(last: u32, arcs: &[(u32, u32, &str, f32)]) -> Result<Self> {
        if last as usize > MOST_POSITIONS {
            return Err(Error::limit(format!("a lattice of {last} positions, more than {MOST_POSITIONS}"))
                .hint("cut it where all paths meet"));
        }
        let many = |count: usize| {
            let what = format!("a lattice of {count} arcs, more than {MOST_ARCS}");
            Err(Error::limit(what).hint("leave out the arcs with the lowest scores"))
        };
        if arcs.len() > MOST_ARCS {
            return many(arcs.len());
        }
        for &(begin, end, word, score) in arcs {
            if begin >= end || end > last {
                return Err(Error::input(format!("an arc from {begin} to {end} in a lattice from 0 to {last}"))
                    .hint("number positions so that every arc runs forwards"));
            }
            if word.is_empty() || word.contains([' ', '\t', '\r', '\n']) {
                return Err(Error::input(format!("an arc from {begin} to {end} has {word:?} for a word"))
                    .hint("give each arc one word without blanks"));
            }
            if !score.is_finite() {
                return Err(Error::input(format!("the score of an arc from {begin} to {end} is not a finite number")));
            }
        }
        let mut sorted = arcs.to_vec();
        let last = if arcs.iter().any(|&(_, _, word, _)| word == EPSILON) {
            match without_epsilons(last, &mut sorted) {
                Some(only_silent) => {
                    if only_silent {
                        0
                    } else {
                        last
                    }
                }
                None => return many(sorted.len()),
            }
        } else {
            last
        };
        let longest = sorted.iter().map(|arc| arc.1 - arc.0).max().unwrap_or(0);
        if last as usize * longest as usize > MOST_CELLS {
            return Err(Error::limit(format!("a lattice of {last} positions with an arc over {longest} of them"))
                .hint("cut it where all paths meet"));
        }
        sorted.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        let mut input = Self {
            words: Vec::with_capacity(sorted.len()),
            arcs: Vec::with_capacity(sorted.len()),
            begins: vec![0; last as usize + 2],
            given: GivenList::default(),
            bounds: Bounds::default(),
        };
        for (begin, end, word, score) in sorted {
            input.arcs.push(Arc { word: input.words.len() as u32, begin, end, score });
            input.words.push(word.to_owned());
            input.begins[begin as usize + 1] += 1;
        }
        for at in 1..input.begins.len() {
            input.begins[at] += input.begins[at - 1];
        }
        if !input.has_path() {
            return Err(Error::input("the end of the lattice cannot be reached from its beginning")
                .hint("give arcs that lead from position 0 to the last one"));
        }
        Ok(input)
    }

    /// The same sentence with translations of some of its spans.
    ///
    /// # Errors
    /// A lattice; see also [`GivenList::new`].
    pub fn with_given(mut self, given: Vec<Given>) -> Result<Self> {
        if !given.is_empty() && !self.is_sentence() {
            return Err(Error::input("translations cannot be given for the spans of a lattice")
                .hint("put them into the lattice's grammar"));
        }
        self.given = GivenList::new(given, self.last())?;
        self.check_bounds()?;
        Ok(self)
    }

    /// The same input with spans that belong together and walls between positions; see [`Bounds`].
    ///
    /// # Errors
    /// Spans that cross others or given translations, a lattice without a path that crosses none; see also
    /// [`Bounds::new`].
    pub fn with_bounds(mut self, spans: Vec<Span>, walls: &[u32]) -> Result<Self> {
        self.bounds = Bounds::new(spans, walls, self.last())?;
        self.check_bounds()?;
        Ok(self)
    }

    fn check_bounds(&self) -> Result<()> {
        if !self.is_constrained() {
            return Ok(());
        }
        if let Some(given) = self.given.spans().iter().find(|given| !self.allows(given.span().start, given.span().end))
        {
            return Err(Error::input(format!(
                "a translation is given for words {} to {}, across the end of a span or a wall",
                given.begin, given.end
            ))
            .hint("give it inside or around the span"));
        }
        if self.has_path() {
            return Ok(());
        }
        Err(Error::input("every path through the lattice crosses the end of a span or a wall")
            .hint("begin and end spans where paths meet"))
    }

    /// Whether spans belong together or walls stand in the input.
    #[inline]
    pub fn is_constrained(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// Whether a rule, a phrase or a hypothesis may cover exactly these positions.
    #[inline]
    pub fn allows(&self, begin: usize, end: usize) -> bool {
        self.bounds.allow(begin, end)
    }

    /// Spans that belong together, and walls.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Translations that come with the input.
    pub fn given(&self) -> &GivenList {
        &self.given
    }

    /// Whether there is one word, without a score, between each position and the next.
    pub fn is_sentence(&self) -> bool {
        let follows = |(at, arc): (usize, &Arc)| (arc.begin as usize, arc.end as usize, arc.score) == (at, at + 1, 0.0);
        self.arcs.len() == self.last() && self.arcs.iter().enumerate().all(follows)
    }

    /// The last position.
    pub fn last(&self) -> usize {
        self.begins.len() - 2
    }

    /// The words of the arcs.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The words in their order, if this is a sentence.
    pub fn as_sentence(&self) -> Option<&[String]> {
        self.is_sentence().then_some(&self.words)
    }

    /// The arcs that begin at a position.
    #[inline]
    pub fn from(&self, position: usize) -> &[Arc] {
        &self.arcs[self.begins[position] as usize..self.begins[position + 1] as usize]
    }

    /// All arcs, by where they begin.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// Whether there is a way from the first position to the last over arcs that cross no end of a span and no wall.
    fn has_path(&self) -> bool {
        let mut reached = vec![false; self.last() + 1];
        reached[0] = true;
        for arc in &self.arcs {
            let (begin, end) = (arc.begin as usize, arc.end as usize);
            if reached[begin] && self.allows(begin, end) {
                reached[end] = true;
            }
        }
        reached[self.last()]
    }
}

/// Takes arcs without words out of a lattice; says whether there is a way through it, but none with words. `None` if
/// there would be too many arcs.
fn without_epsilons(last: u32, arcs: &mut Vec<(u32, u32, &str, f32)>) -> Option<bool> {
    let mut silent: Vec<Vec<(u32, f32)>> = vec![Vec::new(); last as usize + 1];
    for &(begin, end, _, score) in arcs.iter().filter(|arc| arc.2 == EPSILON) {
        silent[begin as usize].push((end, score));
    }
    arcs.retain(|arc| arc.2 != EPSILON);
    arcs.sort_by_key(|arc| arc.0);
    let mut begins_word = vec![false; last as usize + 1];
    begins_word[0] = true;
    for arc in arcs.iter() {
        begins_word[arc.1 as usize] = true;
    }
    // For each position that a word may begin or end at what can be reached without words, with the best score.
    let own = arcs.len();
    let mut to_end: BTreeMap<u32, f32> = BTreeMap::new();
    let mut pairs = 0;
    for from in (0..=last).filter(|&at| begins_word[at as usize]) {
        let mut open = BTreeMap::from([(from, 0.0_f32)]);
        while let Some((at, score)) = open.pop_first() {
            if at > from {
                pairs += 1;
                let first = arcs[..own].partition_point(|arc| arc.0 < at);
                let behind = arcs[first..own].partition_point(|arc| arc.0 == at);
                for place in first..first + behind {
                    let (_, end, word, own_score) = arcs[place];
                    arcs.push((from, end, word, score + own_score));
                }
            }
            if at == last && from < last {
                to_end.insert(from, score);
            }
            for &(to, more) in &silent[at as usize] {
                let place = open.entry(to).or_insert(f32::NEG_INFINITY);
                *place = place.max(score + more);
            }
            if arcs.len() + pairs > MOST_ARCS {
                return None;
            }
        }
    }
    for place in 0..arcs.len() {
        let (begin, end, word, score) = arcs[place];
        if let Some(more) = to_end.get(&end) {
            arcs.push((begin, last, word, score + more));
        }
        if arcs.len() > MOST_ARCS {
            return None;
        }
    }
    // Of ways that differ in nothing but silence the best is enough.
    arcs.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)).then(b.3.total_cmp(&a.3)));
    arcs.dedup_by_key(|arc| (arc.0, arc.1, arc.2));
    let mut reached = vec![false; last as usize + 1];
    reached[0] = true;
    for arc in arcs.iter() {
        reached[arc.1 as usize] |= reached[arc.0 as usize];
    }
    let only_silent = !reached[last as usize] && to_end.contains_key(&0);
    if only_silent {
        arcs.clear();
    }
    Some(only_silent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::bounds::SpanKind;

    fn plain(input: &Input) -> Vec<(u32, u32, &str, f32)> {
        input
            .arcs()
            .iter()
            .map(|arc| (arc.begin, arc.end, input.words()[arc.word as usize].as_str(), arc.score))
            .collect()
    }

    #[test]
    fn a_sentence_has_no_scores() {
        for score in [0.0, -1.0] {
            let chain = Input::lattice(2, &[(1, 2, "b", score), (0, 1, "a", 0.0)]).unwrap();
            assert_eq!(chain.is_sentence(), score == 0.0);
            assert_eq!(chain.as_sentence().is_some(), chain.is_sentence());
        }
        assert_eq!(Input::lattice(0, &[]).unwrap(), Input::sentence("").unwrap());
        assert_eq!(Input::lattice(2, &[(0, 1, "a", 0.0), (1, 2, "b", 0.0)]).unwrap(), Input::sentence("a b").unwrap());
    }

    #[test]
    fn arcs_without_words_become_part_of_others() {
        let arcs =
            [(0, 1, EPSILON, -1.0), (0, 1, "a", 0.0), (1, 2, "b", -0.5), (2, 3, EPSILON, -2.0), (1, 3, EPSILON, -4.0)];
        let input = Input::lattice(3, &arcs).unwrap();
        let wanted = [
            (0, 1, "a", 0.0),
            (0, 2, "b", -1.5),
            (0, 3, "a", -4.0),
            (0, 3, "b", -3.5),
            (1, 2, "b", -0.5),
            (1, 3, "b", -2.5),
        ];
        assert_eq!(plain(&input), wanted);
        assert_eq!(Input::lattice(2, &[(0, 1, EPSILON, -1.0), (1, 2, EPSILON, 0.0)]).unwrap().last(), 0);
        // Of two ways without words the better one counts.
        let twice = [(0, 1, EPSILON, -3.0), (0, 1, EPSILON, -1.0), (1, 2, "a", 0.0)];
        assert!(plain(&Input::lattice(2, &twice).unwrap()).contains(&(0, 2, "a", -1.0)));
    }

    #[test]
    fn what_is_no_lattice_is_said() {
        let refused = |last: u32, arcs: &[(u32, u32, &str, f32)]| Input::lattice(last, arcs).unwrap_err().to_string();
        assert!(refused(2, &[(1, 1, "a", 0.0)]).contains("from 1 to 1"));
        assert!(refused(2, &[(0, 3, "a", 0.0)]).contains("from 0 to 3"));
        assert!(refused(1, &[(0, 1, "a b", 0.0)]).contains("for a word"));
        assert!(refused(1, &[(0, 1, "a", f32::NAN)]).contains("finite"));
        assert!(refused(2, &[(0, 1, "a", 0.0)]).contains("cannot be reached"));
        assert!(refused(2, &[(0, 1, EPSILON, 0.0)]).contains("cannot be reached"));
        assert!(refused(MOST_POSITIONS as u32 + 1, &[]).contains("positions"));
        assert!(refused(1, &vec![(0, 1, "a", 0.0); MOST_ARCS + 1]).contains("arcs"));
        assert!(refused(10_000, &[(0, 10_000, "a", 0.0)]).contains("an arc over 10000 of them"));
        assert!(Input::lattice(3_000, &[(0, 3_000, "a", 0.0)]).is_ok());
        let silent: Vec<(u32, u32, &str, f32)> =
            (0..900).flat_map(|at| [(at, at + 1, "a", 0.0), (at, at + 1, EPSILON, 0.0)]).collect();
        assert!(refused(900, &silent).contains("arcs"));
    }

    #[test]
    fn bounds_hold_for_paths_and_given_translations() {
        let zone = |begin, end| Span { begin, end, kind: SpanKind::Zone };
        let sentence = Input::sentence("a b c").unwrap();
        assert!(!sentence.is_constrained() && sentence.allows(0, 3));
        let held = sentence.clone().with_bounds(vec![zone(1, 3)], &[]).unwrap();
        assert!(held.is_constrained() && !held.allows(0, 2) && held.allows(0, 3));
        let given = Given { begin: 0, end: 2, targets: vec![(vec!["p".into()], 0.0)], exclusive: false };
        assert!(held.with_given(vec![given.clone()]).unwrap_err().to_string().contains("across"));
        let given = sentence.with_given(vec![given]).unwrap();
        assert!(given.with_bounds(Vec::new(), &[1]).unwrap_err().to_string().contains("across"));
        let lattice = Input::lattice(2, &[(0, 2, "a", 0.0)]).unwrap();
        assert!(lattice.with_bounds(Vec::new(), &[1]).unwrap_err().to_string().contains("every path"));
    }
}
