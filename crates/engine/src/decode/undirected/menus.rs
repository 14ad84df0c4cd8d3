//! Translation options as actions see them: what they score wherever they stand, and the words between their gaps.
//!
//! Made once for an option and kept from sentence to sentence, as the options are. What language models know of an option is
//! found when they are first asked about it, which few options ever are.

use std::cell::OnceCell;
use std::ops::Range;

use super::context::Outline;
use super::policy::{Policy, Rest};
use crate::decode::options::Options;
use crate::grammar::Symbol;
use crate::lm::state::State;

/// An option of a menu.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The option.
    pub option: u32,
    /// Where its pieces and, of a policy that learns, its features are.
    place: u32,
    /// How many gaps it has.
    pub arity: u8,
    /// Whether the second gap of the source comes first in the target.
    pub swapped: bool,
    /// Its score in the context-free forest.
    pub context_free: f64,
    /// What its sparse features come to, whose weights are those of the forest.
    sparse: f64,
    /// What the policy says of it, wherever it stands.
    pub own: f64,
    /// No less than that and what language models can add, but for what a slot adds to all its actions alike; or, if few
    /// actions are looked at, what is expected of it.
    pub key: f64,
}

impl Entry {
    /// The gap of the source at a place of the target.
    #[inline]
    pub fn gap(&self, place: usize) -> usize {
        if self.swapped { 1 - place } else { place }
    }
}

/// The options of a source side that have one left-hand side, by their keys.
#[derive(Debug, Clone, Copy)]
pub struct Menu {
    /// Its left-hand side.
    pub lhs: u8,
    /// How many gaps each has.
    pub arity: u8,
    entries: [u32; 2],
    /// The best score in the context-free forest.
    pub context_free: f64,
    /// The options that have the best, best first, as many as there are.
    favourites: [u32; FAVOURITES],
    /// The highest key.
    pub key: f64,
    /// Of which weights keys are.
    version: u64,
}

/// Options of a source side that language models are asked about where they meet the best in its gaps.
const FAVOURITES: usize = 4;

impl Menu {
    /// The option that is best in the context-free forest.
    #[inline]
    pub fn best(&self) -> u32 {
        self.favourites[0]
    }

    /// The few that are, best first.
    #[inline]
    pub fn favourites(&self) -> &[u32] {
        &self.favourites[..self.entries().len().min(FAVOURITES)]
    }

    /// Its entries.
    #[inline]
    pub fn entries(&self) -> Range<u32> {
        self.entries[0]..self.entries[1]
    }
}

/// What a language model knows of the words before, between or behind the gaps of an option.
#[derive(Debug)]
pub struct Piece {
    /// Their ids.
    pub ids: Vec<u32>,
    /// log10 of their probabilities with nothing known before the piece.
    pub probs: Vec<f32>,
    /// The sum of those of words whose whole context is in the piece, and of the others.
    pub complete: f32,
    /// See there.
    pub incomplete: f32,
    /// What is remembered behind it.
    pub right: State,
}

/// The menus of one worker.
#[derive(Debug, Default)]
pub struct Menus {
    /// For the first option of a source side its menus.
    of: Vec<[u32; 2]>,
    menus: Vec<Menu>,
    entries: Vec<Entry>,
    /// For each place the pieces, those of one language model after those of another.
    pieces: Vec<OnceCell<Box<[Piece]>>>,
    /// For each place the features of the rule, if the policy learns.
    rows: Vec<f32>,
    row: Vec<f32>,
    sparse: Vec<(u32, f32)>,
    /// For each place what its rule looks like, if the policy sees it in context.
    outlines: Vec<Outline>,
}

/// There are no menus of an option.
const NONE: [u32; 2] = [u32::MAX; 2];

impl Menus {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A menu.
    #[inline]
    pub fn menu(&self, menu: u32) -> &Menu {
        &self.menus[menu as usize]
    }

    /// An entry.
    #[inline]
    pub fn entry(&self, entry: u32) -> &Entry {
        &self.entries[entry as usize]
    }

    /// What a language model knows of the pieces of an entry, from left to right.
    #[inline]
    pub fn pieces(&self, options: &Options<'_>, entry: u32, lm: usize) -> &[Piece] {
        let count = usize::from(self.entry(entry).arity) + 1;
        let known = self.entry(entry);
        let all = self.pieces[known.place as usize].get_or_init(|| hear(options, known.option));
        &all[lm * count..][..count]
    }

    /// The menus of the options of a source side, one for each left-hand side.
    pub fn of(&mut self, options: &Options<'_>, policy: &Policy, range: Range<u32>) -> Range<u32> {
        let Some(first) = range.clone().next() else { return 0..0 };
        if let Some(&known) = self.of.get(first as usize)
            && known != NONE
        {
            return known[0]..known[1];
        }
        let (begin, start) = (self.menus.len() as u32, self.entries.len());
        for option in range {
            let entry = self.make(options, policy, option);
            self.entries.push(entry);
            self.pieces.push(OnceCell::new());
            if policy.learns {
                self.rows.extend_from_slice(&self.row);
            }
        }
        let lhs = |entry: &Entry| options.get(entry.option).lhs;
        self.entries[start..]
            .sort_by(|a, b| lhs(a).cmp(&lhs(b)).then(b.key.total_cmp(&a.key)).then(a.option.cmp(&b.option)));
        let mut at = start;
        while let Some(entry) = self.entries.get(at) {
            let own = lhs(entry);
            let count = self.entries[at..].partition_point(|entry| lhs(entry) == own);
            self.menus.push(menu(&self.entries[at..at + count], own, at as u32, policy.version));
            at += count;
        }
        let made = [begin, self.menus.len() as u32];
        if self.of.len() <= first as usize {
            self.of.resize(first as usize + 1, NONE);
        }
        self.of[first as usize] = made;
        made[0]..made[1]
    }

    fn make(&mut self, options: &Options<'_>, policy: &Policy, number: u32) -> Entry {
        let option = options.get(number);
        let score = f64::from(option.score);
        let (mut own, mut sparse) = (score, 0.0);
        if policy.learns || policy.trained.is_some() {
            self.row.clear();
            self.row.resize(options.model().feature_names().len(), 0.0);
            options.add_features(option, &mut self.row);
            if options.weights().has_sparse() {
                self.sparse.clear();
                options.add_sparse(option, &mut self.sparse);
                sparse = f64::from(options.weights().weigh(&self.sparse));
            }
            own = policy.trained.as_deref().map_or(score, |weights| dot(&self.row, weights) + sparse);
        }
        let context_free = context_free(policy, options, number);
        let (place, arity, swapped) = (self.pieces.len() as u32, option.arity, option.swapped);
        let mut entry = Entry { option: number, place, arity, swapped, context_free, sparse, own, key: 0.0 };
        if let Some(context) = &policy.context {
            let outline = context.outline(options, option);
            own += context.weight(context.rule(&outline));
            self.outlines.push(outline);
        }
        entry.weigh(options, policy, own);
        entry
    }

    /// Scores the entries of a menu by a policy that has learnt since.
    pub fn weigh(&mut self, options: &Options<'_>, policy: &Policy, menu: u32) {
        let known = self.menus[menu as usize];
        let Some(weights) = policy.trained.as_deref().filter(|_| known.version != policy.version) else { return };
        let width = weights.len();
        let entries = &mut self.entries[known.entries[0] as usize..known.entries[1] as usize];
        for entry in &mut *entries {
            let row = &self.rows[entry.place as usize * width..][..width];
            let outline = self.outlines.get(entry.place as usize);
            let seen = outline.zip(policy.context.as_ref()).map(|(outline, seen)| seen.weight(seen.rule(outline)));
            entry.weigh(options, policy, dot(row, weights) + entry.sparse + seen.unwrap_or(0.0));
        }
        entries.sort_unstable_by(|a, b| b.key.total_cmp(&a.key).then(a.option.cmp(&b.option)));
        let menu = &mut self.menus[menu as usize];
        (menu.key, menu.version) = (entries[0].key, policy.version);
    }

    /// What an entry's rule looks like, if the policy sees it in context.
    #[inline]
    pub fn outline(&self, entry: u32) -> &Outline {
        &self.outlines[self.entry(entry).place as usize]
    }

    /// The features of an entry's rule, if the policy learns.
    pub fn row(&self, entry: u32, width: usize) -> &[f32] {
        &self.rows[self.entry(entry).place as usize * width..][..width]
    }
}

impl Entry {
    /// Says what the policy says of it, of which `own` is what the rule's features come to.
    fn weigh(&mut self, options: &Options<'_>, policy: &Policy, own: f64) {
        self.own = own + policy.regret * self.context_free;
        let option = options.get(self.option);
        let expected = f64::from(option.estimate - option.score);
        let most = policy.completed.max(0.0) * (options.target(option).len() + policy.reach()) as f64;
        self.key = self.own + if policy.scored > 0 { expected } else { most };
    }
}

/// What an option scores in the context-free forest.
#[inline]
pub fn context_free(policy: &Policy, options: &Options<'_>, option: u32) -> f64 {
    let option = options.get(option);
    f64::from(if policy.rest == Rest::Rules { option.score } else { option.estimate })
}

fn dot(row: &[f32], weights: &[f64]) -> f64 {
    row.iter().zip(weights).map(|(value, weight)| f64::from(*value) * weight).sum()
}

fn menu(entries: &[Entry], lhs: u8, first: u32, version: u64) -> Menu {
    let mut best: [Option<&Entry>; FAVOURITES] = [None; FAVOURITES];
    for entry in entries {
        let ahead = |other: &Option<&Entry>| other.is_none_or(|other| entry.context_free > other.context_free);
        if let Some(rank) = best.iter().position(ahead) {
            best[rank..].rotate_right(1);
            best[rank] = Some(entry);
        }
    }
    Menu {
        lhs,
        arity: entries[0].arity,
        entries: [first, first + entries.len() as u32],
        context_free: best[0].map_or(f64::NEG_INFINITY, |entry| entry.context_free),
        favourites: best.map(|entry| entry.map_or(0, |entry| entry.option)),
        key: entries[0].key,
        version,
    }
}

/// Asks the language models about the pieces of an option.
#[cold]
fn hear(options: &Options<'_>, option: u32) -> Box<[Piece]> {
    let option = options.get(option);
    let mut pieces = Vec::with_capacity((usize::from(option.arity) + 1) * options.model().lms().len());
    for (at, lm) in options.model().lms().iter().enumerate() {
        let context = lm.model.order() - 1;
        for words in options.target(option).split(|symbol| symbol.is_nonterminal()) {
            let ids: Vec<u32> = words
                .iter()
                .filter_map(|symbol: &Symbol| symbol.as_word())
                .map(|word| options.lm_word(at, word))
                .collect();
            let mut piece = Piece {
                probs: Vec::with_capacity(ids.len()),
                ids,
                complete: 0.0,
                incomplete: 0.0,
                right: State::EMPTY,
            };
            for (place, &id) in piece.ids.iter().enumerate() {
                let (prob, next) = lm.model.score(&piece.right, id);
                *(if place < context { &mut piece.incomplete } else { &mut piece.complete }) += prob;
                piece.probs.push(prob);
                piece.right = next;
            }
            pieces.push(piece);
        }
    }
    pieces.into_boxed_slice()
}
