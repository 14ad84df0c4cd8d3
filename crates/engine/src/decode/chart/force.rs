//! Forced decoding: the derivations of an input that yield a given translation, and no others.
//!
//! The chart is filled without language models, with all rules whose words occur in the reference. A hypothesis stands
//! for a part of the reference, from one word to another, and a combination is taken if the parts in its gaps and its own
//! words follow each other there. What language models say is the same for all derivations of one text; where it does not
//! count the same in all edges, each edge has what it adds to what they say of the parts in its gaps.

use hashbrown::{HashMap, HashTable};

use super::arena::{Arena, NONE, Way};
use super::scoring::{Cell, Cube, Kind};
use super::{ChartDecoder, passes::Promise};
use crate::Result;
use crate::corpus::vocabulary::EOS;
use crate::decode::input::Input;
use crate::decode::options::{Options, Origin, TranslationOption};
use crate::forest::Forest;
use crate::lm::chart::FragmentScorer;

/// A reference, and which part of it each hypothesis of the chart yields.
#[derive(Debug, Default)]
pub struct Reference {
    words: Vec<u32>,
    places: Vec<[u32; 2]>,
    seen: HashTable<u32>,
    /// Whether edges are scored with language models, and what those say of parts: from one word to another, and whether
    /// the sentence begins and ends there; log10.
    by_edges: bool,
    said: HashMap<(u32, u32, bool, bool), Vec<f32>>,
}

impl ChartDecoder<'_> {
    /// The derivations of an input that yield a translation, with what language models say of it; an empty forest if
    /// there is none. All rules of the tables take part, whatever the table limit.
    ///
    /// # Errors
    /// Scores that are not finite numbers.
    pub fn force(&mut self, input: &Input, reference: &str) -> Result<Forest> {
        let ids = self.options.begin_sentence(input)?;
        self.bare.clear();
        if !self.options.scorer().is_single() {
            // Who wins a span, and whether anybody wants it, is a matter of all rules that match it, and rules with
            // gaps match more often where the gaps may be filled with anything.
            self.verdicts = Some(HashMap::new());
            self.first_pass(input, &ids, Promise::Rules);
        }
        let words = self.options.text(reference);
        let by_edges = !self.options.scorer().is_uniform();
        self.reference = Some(Reference { words, by_edges, ..Reference::default() });
        self.first_pass(input, &ids, Promise::Rules);
        let words = self.reference.take().map(|reference| reference.words).unwrap_or_default();
        self.verdicts = None;
        let goal = self.goal.take();
        let mut lm = Vec::new();
        for (at, part) in self.options.model().lms().iter().enumerate() {
            let ids: Vec<u32> = words.iter().map(|&word| self.options.lm_word(at, word)).collect();
            lm.push(part.model.score_sentence(&ids) as f32);
        }
        self.pack(&self.bare, goal, input, &lm)
    }
}

impl Reference {
    /// Whether a word occurs in it.
    pub fn has(&self, word: u32) -> bool {
        self.words.contains(&word)
    }

    /// Takes all combinations of cubes that yield a part of the reference.
    pub fn take_all(&mut self, cubes: &[Cube], options: &Options<'_>, arena: &mut Arena, cell: Cell) {
        self.seen.clear();
        for cube in cubes {
            for number in cube.options.clone() {
                let option = options.get(number);
                let arity = usize::from(option.arity);
                let range = |gap: usize| if gap < arity { cube.tails[gap].clone() } else { 0..1 };
                for one in range(0) {
                    for other in range(1) {
                        let mut tails = [NONE; 2];
                        let mut score = options.bare_score(option, cube.input);
                        for (tail, place) in tails.iter_mut().zip([one, other]).take(arity) {
                            *tail = arena.sorted(place);
                            score += arena.get(*tail).score;
                        }
                        let way = Way { option: number, tails, score, input: cube.input };
                        self.match_part(options, arena, option, way, cube.kind, cell);
                    }
                }
            }
        }
    }

    /// Takes a combination wherever the reference has it.
    fn match_part(
        &mut self,
        options: &Options<'_>,
        arena: &mut Arena,
        option: &TranslationOption,
        way: Way,
        kind: Kind,
        cell: Cell,
    ) {
        let target = options.target(option);
        let last = self.words.len() as u32;
        // A gap says where the combination must begin; words alone may begin anywhere.
        let gap = target.iter().zip(0_u32..).find_map(|(symbol, at)| symbol.as_nonterminal().map(|gap| (gap, at)));
        let begins = match gap {
            Some((gap, before)) => {
                let [begin, _] = self.places[way.tails[gap as usize] as usize];
                let Some(begin) = begin.checked_sub(before) else { return };
                begin..begin + 1
            }
            None => 0..last,
        };
        for begin in begins {
            let mut at = begin;
            let fits = target.iter().all(|symbol| match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => {
                    at += 1;
                    self.words.get(at as usize - 1) == Some(&word)
                }
                (_, Some(gap)) => {
                    let [from, to] = self.places[way.tails[gap as usize] as usize];
                    let follows = from == at;
                    at = to;
                    follows
                }
                _ => false,
            });
            let starts = option.origin != Origin::GlueFirst || begin == 0;
            if fits && starts && (kind != Kind::Whole || at == last) {
                let way =
                    if self.by_edges { self.rescored(options, arena, option, way, [begin, at], kind) } else { way };
                self.take(arena, option.lhs, [begin, at], way, cell);
            }
        }
    }

    /// A way with what language models say of the words that its edge adds.
    fn rescored(
        &mut self,
        options: &Options<'_>,
        arena: &Arena,
        option: &TranslationOption,
        way: Way,
        place: [u32; 2],
        kind: Kind,
    ) -> Way {
        let mut lm = self.said(options, place, kind != Kind::Inside, kind == Kind::Whole).to_vec();
        let mut score = 0.0;
        for (gap, &tail) in way.tails.iter().enumerate().filter(|(_, tail)| **tail != NONE) {
            let begins = option.origin == Origin::GlueNext && gap == 0;
            let inner = self.said(options, self.places[tail as usize], begins, false);
            lm.iter_mut().zip(inner).for_each(|(all, inner)| *all -= inner);
            score += arena.get(tail).score;
        }
        Way { score: score + options.edge_score(option, &lm, way.input), ..way }
    }

    fn said(&mut self, options: &Options<'_>, place: [u32; 2], begins: bool, ends: bool) -> &[f32] {
        let words = &self.words[place[0] as usize..place[1] as usize];
        self.said.entry((place[0], place[1], begins, ends)).or_insert_with(|| {
            let each = options.model().lms().iter().enumerate().map(|(at, lm)| {
                let model = &*lm.model;
                let new = if begins { FragmentScorer::begin_sentence } else { FragmentScorer::new };
                let mut scorer = new(model);
                words.iter().for_each(|&word| scorer.terminal(options.lm_word(at, word)));
                if ends {
                    scorer.terminal(EOS);
                }
                scorer.finish().0
            });
            each.collect()
        })
    }

    fn take(&mut self, arena: &mut Arena, category: u8, place: [u32; 2], way: Way, cell: Cell) {
        let inner = way.tails.into_iter().filter(|&tail| tail != NONE).map(|tail| arena.get(tail).depth).max();
        let depth = if cell.by_depth { inner.map_or(0, |depth| depth.saturating_add(1)) } else { 0 };
        let hash = |category: u8, depth: u8, [begin, end]: [u32; 2]| {
            let label = u64::from(category) << 8 | u64::from(depth);
            let place = u64::from(begin) << 32 | u64::from(end);
            let mixed = (place ^ label.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        };
        let places = &self.places;
        let same = |&other: &u32| {
            let known = arena.get(other);
            (known.category, known.depth, places[other as usize]) == (category, depth, place)
        };
        if let Some(&known) = self.seen.find(hash(category, depth, place), same) {
            arena.add_way(known, way, &[], true);
            return;
        }
        let new = arena.push((category, depth), cell.span, way, &[], &[]);
        self.places.push(place);
        let places = &self.places;
        self.seen.insert_unique(hash(category, depth, place), new, |&other| {
            let known = arena.get(other);
            hash(known.category, known.depth, places[other as usize])
        });
    }
}
