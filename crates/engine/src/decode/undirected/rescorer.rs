//! The search among connections: which action is best, at which slot, by the policy (Gesmundo & Henderson 2014, section 2.1).
//!
//! The actions of a slot are looked at in the order of a bound on their scores, and language models are asked until no
//! bound is above what was found: the best action is the same as if all were asked about.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Instant;

use super::carry::{Carry, Said, Scan};
use super::context::Scene;
use super::forest::{Forest, HEAD, List, Place, START};
use super::policy::{LmMode, Order, Policy};
use super::tree::{Action, MOST_KEPT, Slot, Tree, begins_early};
use crate::decode::chart::arena::NONE;
use crate::decode::effort::Effort;
use crate::decode::options::{LN_10, Options};
use crate::learn::Features;
use crate::total::Total;

/// Scores closer than this are equal, and the fixed order decides.
const TIE: f64 = 1e-9;

/// A score as ties see it.
#[inline]
fn rounded(score: f64) -> f64 {
    (score / TIE).round()
}

/// Whether an action comes before another of its slot.
#[inline]
fn precedes(one: &Action, other: &Action) -> bool {
    match rounded(one.score).total_cmp(&rounded(other.score)) {
        Ordering::Equal => (one.bundle, one.link, one.entry) < (other.bundle, other.link, other.entry),
        order => order == Ordering::Greater,
    }
}

/// An entry whose turn comes by its key: its place and itself, the first of equals first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    key: Total,
    next: Reverse<(u32, u32)>,
}

/// Room that searches share.
#[derive(Debug, Default)]
pub struct Room {
    waiting: BinaryHeap<Waiting>,
    carries: Vec<Carry>,
}

/// Where actions are looked for: a forest under a policy.
pub struct Rescorer<'a, 'm> {
    pub options: &'a Options<'m>,
    pub forest: &'a mut Forest,
    pub policy: &'a Policy,
    pub room: &'a mut Room,
    pub effort: &'a mut Effort,
    /// Whether bounds are used; all actions are scored if not.
    pub lazy: bool,
    /// Which slot is next.
    pub order: Order,
    /// How much less than the best derivation of the forest that of an action may promise.
    pub beam: f64,
    /// When what is left must be done in a hurry.
    pub deadline: Option<Instant>,
}

impl Rescorer<'_, '_> {
    /// The best action of a tree and the place of its slot among those that are open, `want` actions of which are known;
    /// nothing if nothing is open.
    pub fn choose(&mut self, tree: &mut Tree, want: usize) -> Option<(usize, Action)> {
        let want = want.clamp(if self.order == Order::Margin { 2 } else { 1 }, MOST_KEPT);
        loop {
            let found = tree.slots().iter().filter(|slot| slot.count > 0).map(|slot| slot.best[0].score);
            let best = found.fold(f64::NEG_INFINITY, f64::max);
            let floor = if self.order == Order::Margin || want > 1 { f64::NEG_INFINITY } else { best };
            let open = |slot: &Slot| slot.bound > f64::NEG_INFINITY && slot.bound >= floor - TIE;
            let Some(at) = tree.slots().iter().position(open) else { break };
            self.look(tree, at, floor, want);
        }
        let key = |slot: &Slot| match (self.order, slot.count) {
            (Order::Score, _) => (0.0, rounded(slot.best[0].score)),
            (Order::Margin, 1) => (f64::INFINITY, rounded(slot.best[0].score)),
            (Order::Margin, _) => (rounded(slot.best[0].score - slot.best[1].score), rounded(slot.best[0].score)),
        };
        let known = tree.slots().iter().enumerate().filter(|(_, slot)| slot.count > 0);
        let ahead = |one: &Slot, other: &Slot| {
            let (one, other) = (key(one), key(other));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)).is_gt()
        };
        let best = known.reduce(|best, next| if ahead(next.1, best.1) { next } else { best });
        best.map(|(at, slot)| (at, slot.best[0]))
    }

    /// Looks for the best actions of a slot; those that cannot reach the floor are left alone.
    fn look(&mut self, tree: &mut Tree, at: usize, floor: f64, want: usize) {
        let slot = tree.slots()[at];
        self.forest.prepare(slot.list);
        self.carry(tree, &slot);
        let (shift, least) = (self.shift(&slot), self.forest.least(slot.list, self.beam));
        let limited = self.policy.scored > 0;
        let ceiling = if self.lazy && self.policy.has_bound() && !limited {
            shift + self.slack() + self.policy.seen_at_most()
        } else {
            f64::INFINITY
        };
        let mut waiting = std::mem::take(&mut self.room.waiting);
        waiting.clear();
        let scene = self.scene(tree, &slot);
        let places = self.forest.places(slot.list);
        let mut found = [Action { bundle: NONE, link: START, entry: 0, score: f64::NEG_INFINITY }; MOST_KEPT];
        let (mut count, mut bound, mut next) = (0, f64::NEG_INFINITY, 0);
        let (mut scored, mut queries) = (0, 0);
        loop {
            let ahead = places.get(next).filter(|place| waiting.peek().is_none_or(|top| place.key >= top.key.0));
            let (key, place, entry) = match ahead {
                Some(place) => (
                    place.key,
                    next as u32,
                    self.forest.menus.menu(self.forest.bundle(place.bundle).menu).entries().start,
                ),
                None => match waiting.peek() {
                    Some(&Waiting { key, next: Reverse((place, entry)) }) => (key.0, place, entry),
                    None => break,
                },
            };
            let most = key + ceiling;
            if count == want && most < found[want - 1].score - TIE {
                break;
            }
            if most < floor - TIE || (limited && scored >= self.policy.scored) {
                bound = if limited { f64::NEG_INFINITY } else { most };
                break;
            }
            if ahead.is_some() {
                next += 1;
            } else {
                waiting.pop();
            }
            let here = &places[place as usize];
            let bundle = self.forest.bundle(here.bundle);
            if entry + 1 < self.forest.menus.menu(bundle.menu).entries().end {
                let key = here.offset + self.forest.menus.entry(entry + 1).key;
                waiting.push(Waiting { key: Total(key), next: Reverse((place, entry + 1)) });
            }
            if self.forest.promise(bundle, self.forest.menus.entry(entry).context_free) < least {
                continue;
            }
            scored += 1;
            let (action, asked) = self.action(tree, here, entry, shift, scene.as_ref());
            queries += asked;
            let rank = found[..count].iter().position(|other| precedes(&action, other)).unwrap_or(count);
            if rank < want {
                count = (count + 1).min(want);
                found[rank..count].rotate_right(1);
                found[rank] = action;
            }
        }
        self.room.waiting = waiting;
        self.effort.scored += scored as u64;
        self.effort.queries += queries;
        let slot = &mut tree.slots_mut()[at];
        (slot.best, slot.count, slot.bound) = (found, count, bound);
    }

    /// All actions of a tree with their slots' places, the best first.
    pub fn all(&mut self, tree: &Tree, found: &mut Vec<(usize, Action)>) {
        self.among(tree, found, |_, _| true);
    }

    /// The best action with a bundle and an option that are wanted, even if it promises little.
    pub fn best_of(&mut self, tree: &Tree, wanted: impl Fn(u32, u32) -> bool) -> Option<(usize, Action)> {
        let mut found = Vec::new();
        let beam = std::mem::replace(&mut self.beam, f64::INFINITY);
        self.among(tree, &mut found, wanted);
        self.beam = beam;
        found.first().copied()
    }

    fn among(&mut self, tree: &Tree, found: &mut Vec<(usize, Action)>, wanted: impl Fn(u32, u32) -> bool) {
        found.clear();
        let mut asked = 0;
        for (at, slot) in tree.slots().iter().enumerate() {
            self.forest.prepare(slot.list);
            self.carry(tree, slot);
            let (shift, least) = (self.shift(slot), self.forest.least(slot.list, self.beam));
            let scene = self.scene(tree, slot);
            for place in self.forest.places(slot.list) {
                let bundle = self.forest.bundle(place.bundle);
                for entry in self.forest.menus.menu(bundle.menu).entries() {
                    let known = self.forest.menus.entry(entry);
                    if !wanted(place.bundle, known.option) || self.forest.promise(bundle, known.context_free) < least {
                        continue;
                    }
                    let (action, queries) = self.action(tree, place, entry, shift, scene.as_ref());
                    asked += queries;
                    found.push((at, action));
                }
            }
        }
        self.effort.scored += found.len() as u64;
        self.effort.queries += asked;
        found.sort_by(|(one_slot, one), (other_slot, other)| {
            rounded(other.score)
                .total_cmp(&rounded(one.score))
                .then(one_slot.cmp(other_slot))
                .then_with(|| (one.bundle, one.link, one.entry).cmp(&(other.bundle, other.link, other.entry)))
        });
    }

    /// An option of a bundle as an action with its score, where carries are those of the slot; and how often language models
    /// were asked.
    #[inline]
    fn action(&self, tree: &Tree, place: &Place, entry: u32, shift: f64, scene: Option<&Scene<'_>>) -> (Action, u64) {
        let mut action = Action { bundle: place.bundle, link: place.link, entry, score: 0.0 };
        let mut score = place.offset + self.forest.menus.entry(entry).own + shift;
        let mut queries = 0;
        for lm in 0..self.room.carries.len() {
            let said = self.hear(tree, &action, lm);
            score += self.policy.weigh(lm, &said);
            queries += u64::from(said.queries);
        }
        if let Some((context, scene)) = self.policy.context.as_ref().zip(scene) {
            score += context.score(scene, &action);
        }
        action.score = score;
        (action, queries)
    }

    /// What the actions of a slot see around them, if features are about that.
    fn scene(&self, tree: &Tree, slot: &Slot) -> Option<Scene<'_>> {
        let context = self.policy.context.as_ref()?;
        Some(Scene::new(context, self.options, self.forest, tree, slot))
    }

    /// Whether a tree has more than one action.
    pub fn has_choice(&self, tree: &Tree) -> bool {
        let mut count = 0;
        for slot in tree.slots() {
            let least = self.forest.least(slot.list, self.beam);
            for place in self.forest.places(slot.list) {
                let bundle = self.forest.bundle(place.bundle);
                for entry in self.forest.menus.menu(bundle.menu).entries() {
                    let known = self.forest.menus.entry(entry);
                    count += usize::from(self.forest.promise(bundle, known.context_free) >= least);
                    if count > 1 {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The features of an action: their weighted sum is its score.
    pub fn features(&mut self, tree: &Tree, at: usize, action: &Action, features: &mut Features) {
        let said = self.said(tree, at, action);
        let (policy, slot) = (self.policy, tree.slots()[at]);
        let (bundle, entry) = (self.forest.bundle(action.bundle), self.forest.menus.entry(action.entry));
        let mut add = |place: usize, value: f64| {
            if value != 0.0 {
                features.push((place as u32, value));
            }
        };
        let row = self.forest.menus.row(action.entry, policy.model.len());
        row.iter().enumerate().for_each(|(place, &value)| add(place, f64::from(value)));
        add(policy.input, f64::from(bundle.input));
        for (lm, said) in said.iter().enumerate() {
            add(policy.places.lms[lm], policy.words(said) * std::f64::consts::LN_10);
            if let Some(place) = policy.places.estimates[lm] {
                add(place, f64::from(said.estimate) * std::f64::consts::LN_10);
            }
        }
        let (mut branches, open) = self.forest.branches(bundle, action.link);
        let own = entry.context_free + f64::from(bundle.input) * policy.arcs;
        let filled = self.forest.filled(slot.list);
        add(policy.places.regret, own + branches.iter().sum::<f64>() - filled);
        if policy.relative && slot.list != List::Leaves {
            branches[slot.branch()] -= filled;
        }
        for (place, value) in policy.places.factors.iter().zip(branches) {
            place.iter().for_each(|&place| add(place, value / policy.scale));
        }
        add(policy.places.completed, said.first().map_or(0.0, |said| f64::from(said.completed)));
        add(policy.places.up, f64::from(u8::from(action.link < HEAD)));
        add(policy.places.open, f64::from(open));
        if let Some((context, scene)) = policy.context.as_ref().zip(self.scene(tree, &slot)) {
            let first = policy.places.open as u32 + 1;
            features.push((first + context.rule(self.forest.menus.outline(action.entry)), 1.0));
            context.each(&scene, action, |feature| features.push((first + feature, 1.0)));
        }
    }

    /// What the language models say of an action.
    pub fn said(&mut self, tree: &Tree, at: usize, action: &Action) -> Vec<Said> {
        self.carry(tree, &tree.slots()[at]);
        (0..self.room.carries.len()).map(|lm| self.hear(tree, action, lm)).collect()
    }

    /// What a language model says of an action, where carries are those of its slot.
    #[inline]
    fn hear(&self, tree: &Tree, action: &Action, lm: usize) -> Said {
        let (model, carry) = (&*self.options.model().lms()[lm].model, &self.room.carries[lm]);
        let pieces = self.forest.menus.pieces(self.options, action.entry, lm);
        if action.link == HEAD {
            return Scan::below(model, pieces, carry);
        }
        let bundle = self.forest.bundle(action.bundle);
        let ends = Some(bundle.head) == self.forest.goal();
        let begins = !tree.has_begun() && (ends || begins_early(self.policy, bundle));
        let around = (action.link != START).then_some((usize::from(action.link), carry));
        Scan::above(model, (self.forest.menus.entry(action.entry), pieces), around, [begins, ends])
    }

    fn carry(&mut self, tree: &Tree, slot: &Slot) {
        self.room.carries.clear();
        let lms = self.options.model().lms().len();
        self.room.carries.extend((0..lms).map(|lm| tree.carry(self.options, lm, slot)));
    }

    /// What all actions of a slot have in common.
    fn shift(&self, slot: &Slot) -> f64 {
        let relative = self.policy.relative && slot.list != List::Leaves;
        let factor = if relative { self.policy.factors[slot.branch()] } else { 0.0 };
        -(factor + self.policy.regret) * self.forest.filled(slot.list)
    }

    /// The most that language models can give back of what the words around a slot score now.
    fn slack(&self) -> f64 {
        if self.policy.mode != LmMode::Change {
            return 0.0;
        }
        let each = self.room.carries.iter().zip(&self.policy.lms);
        each.map(|(carry, weight)| -f64::from(carry.old() * LN_10) * weight).sum()
    }

    /// What a tree is worth: what its rules and words score, and the best that what is open can.
    pub fn worth(&self, tree: &Tree) -> f64 {
        let words: f64 = (0..self.policy.lms.len())
            .map(|lm| tree.estimate(lm) * std::f64::consts::LN_10 * self.policy.lms[lm])
            .sum();
        let rules = tree.steps().iter().map(|step| self.policy.step(step, self.forest));
        rules.sum::<f64>() + words + tree.slots().iter().map(|slot| self.open(slot)).sum::<f64>()
    }

    /// What the best that a slot can be filled with counts.
    fn open(&self, slot: &Slot) -> f64 {
        match slot.list {
            List::Leaves => 0.0,
            list => self.policy.factors[slot.branch()] * self.forest.filled(list),
        }
    }

    /// What an action adds to what a tree is worth.
    pub fn gain(&mut self, tree: &Tree, at: usize, action: &Action) -> f64 {
        let all = self.said(tree, at, action);
        let changes = all.iter().zip(&self.policy.lms).map(|(said, weight)| f64::from(said.change()) * weight);
        let words = changes.sum::<f64>() * std::f64::consts::LN_10;
        let (bundle, entry) = (self.forest.bundle(action.bundle), self.forest.menus.entry(action.entry));
        let (branches, _) = self.forest.branches(bundle, action.link);
        let open: f64 = branches.iter().zip(self.policy.factors).map(|(branch, weight)| branch * weight).sum();
        let slot = &tree.slots()[at];
        let seen = self.policy.context.as_ref().zip(self.scene(tree, slot));
        let context = seen.map_or(0.0, |(context, scene)| context.score(&scene, action));
        self.policy.rule(entry, bundle.input) + words + context + open - self.open(slot)
    }

    /// Whether it is late; then it stays so, and is told.
    pub fn is_late(&mut self) -> bool {
        self.effort.hurried |= self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        self.effort.hurried
    }

    /// Connects an action.
    pub fn connect(&mut self, tree: &mut Tree, at: usize, action: Action) {
        tree.connect(self.options, self.forest, self.policy, at, action);
        self.effort.pops += 1;
    }
}
