//! The search among connections: which action is best, at which slot, by the policy (Gesmundo & Henderson 2014, section 2.1).
//!
//! The actions of a slot are looked at in the order of a bound on their scores, and language models are asked until no
//! bound is above what was found: the best action is the same as if all were asked about.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::carry::{Carry, Said, Scan};
use super::forest::{Forest, HEAD, List, Place, START};
use super::policy::{LmMode, Order, Policy};
use super::tree::{Action, MOST_KEPT, Slot, Tree, begins_early};
use crate::decode::chart::arena::NONE;
use crate::decode::effort::Effort;
use crate::decode::options::{LN_10, Options};
use crate::learn::Features;

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

/// An entry whose turn comes by its key.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    key: f64,
    place: u32,
    entry: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then((other.place, other.entry).cmp(&(self.place, self.entry)))
    }
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
        let ceiling =
            if self.lazy && self.policy.has_bound() && !limited { shift + self.slack() } else { f64::INFINITY };
        let places = self.forest.places(slot.list);
        let waiting = &mut self.room.waiting;
        waiting.clear();
        let mut found = [Action { bundle: NONE, link: START, entry: 0, score: f64::NEG_INFINITY }; MOST_KEPT];
        let (mut count, mut bound, mut next, mut scored) = (0, f64::NEG_INFINITY, 0, 0);
        loop {
            let ahead = places.get(next).filter(|place| waiting.peek().is_none_or(|top| place.key >= top.key));
            let (key, place, entry) = match ahead {
                Some(place) => (
                    place.key,
                    next as u32,
                    self.forest.menus.menu(self.forest.bundle(place.bundle).menu).entries().start,
                ),
                None => match waiting.peek() {
                    Some(top) => (top.key, top.place, top.entry),
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
            let Place { bundle: number, link, offset, .. } = places[place as usize];
            let bundle = self.forest.bundle(number);
            if entry + 1 < self.forest.menus.menu(bundle.menu).entries().end {
                waiting.push(Waiting { key: offset + self.forest.menus.entry(entry + 1).key, place, entry: entry + 1 });
            }
            let known = self.forest.menus.entry(entry);
            if self.forest.promise(bundle, known.context_free) < least {
                continue;
            }
            scored += 1;
            let mut score = offset + known.own + shift;
            for lm in 0..self.options.model().lms().len() {
                let said = said(
                    self.options,
                    self.forest,
                    tree.has_begun(),
                    (number, link),
                    entry,
                    lm,
                    &self.room.carries[lm],
                    self.policy,
                );
                score += self.policy.weigh(lm, &said);
                self.effort.queries += u64::from(said.queries);
            }
            let action = Action { bundle: number, link, entry, score };
            let rank = found[..count].iter().position(|other| precedes(&action, other)).unwrap_or(count);
            if rank < want {
                count = (count + 1).min(want);
                found[rank..count].rotate_right(1);
                found[rank] = action;
            }
        }
        self.effort.scored += scored as u64;
        let slot = &mut tree.slots_mut()[at];
        (slot.best, slot.count, slot.bound) = (found, count, bound);
    }

    /// All actions of a tree with their slots' places, the best first.
    pub fn all(&mut self, tree: &Tree, found: &mut Vec<(usize, Action)>) {
        found.clear();
        for (at, slot) in tree.slots().iter().enumerate() {
            self.forest.prepare(slot.list);
            self.carry(tree, slot);
            let (shift, least) = (self.shift(slot), self.forest.least(slot.list, self.beam));
            for place in self.forest.places(slot.list) {
                let bundle = self.forest.bundle(place.bundle);
                for entry in self.forest.menus.menu(bundle.menu).entries() {
                    let known = self.forest.menus.entry(entry);
                    if self.forest.promise(bundle, known.context_free) < least {
                        continue;
                    }
                    let mut score = place.offset + known.own + shift;
                    for lm in 0..self.options.model().lms().len() {
                        let begun = tree.has_begun();
                        let at = (place.bundle, place.link);
                        let said =
                            said(self.options, self.forest, begun, at, entry, lm, &self.room.carries[lm], self.policy);
                        score += self.policy.weigh(lm, &said);
                        self.effort.queries += u64::from(said.queries);
                    }
                    self.effort.scored += 1;
                    found.push((at, Action { bundle: place.bundle, link: place.link, entry, score }));
                }
            }
        }
        found.sort_by(|(one_slot, one), (other_slot, other)| {
            rounded(other.score)
                .total_cmp(&rounded(one.score))
                .then(one_slot.cmp(other_slot))
                .then_with(|| (one.bundle, one.link, one.entry).cmp(&(other.bundle, other.link, other.entry)))
        });
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
            let words = match policy.mode {
                LmMode::Full | LmMode::Both => said.full,
                LmMode::Again => said.full + said.estimate + said.again,
                LmMode::Change => said.full + said.estimate + said.again - said.before,
            };
            add(policy.places.lms[lm], f64::from(words) * std::f64::consts::LN_10);
            if let Some(place) = policy.places.estimates[lm] {
                add(place, f64::from(said.estimate) * std::f64::consts::LN_10);
            }
        }
        let mut branches = [0.0; 3];
        let mut open = 0.0;
        if action.link != HEAD && Some(bundle.head) != self.forest.goal() {
            branches[0] += self.forest.node(bundle.head).outside;
            open += 1.0;
        }
        for (gap, &tail) in bundle.tails.iter().enumerate().filter(|(_, tail)| **tail != NONE) {
            if gap != usize::from(action.link) {
                branches[1 + gap] += self.forest.node(tail).inside;
                open += 1.0;
            }
        }
        let (which, closed) = match slot.list {
            List::Leaves => (0, self.forest.goal().map_or(0.0, |goal| self.forest.node(goal).inside)),
            List::Into(node) => (1 + usize::from(slot.gap), self.forest.node(node).inside),
            List::Out(node) => (0, self.forest.node(node).outside),
        };
        let own = entry.context_free + f64::from(bundle.input) * policy.arcs;
        add(policy.places.regret, own + branches.iter().sum::<f64>() - closed);
        if policy.relative && slot.list != List::Leaves {
            branches[which] -= closed;
        }
        for (place, value) in policy.places.factors.iter().zip(branches) {
            place.iter().for_each(|&place| add(place, value / policy.scale));
        }
        add(policy.places.completed, said.first().map_or(0.0, |said| f64::from(said.completed)));
        add(policy.places.up, f64::from(u8::from(action.link < HEAD)));
        add(policy.places.open, open);
    }

    /// What the language models say of an action.
    pub fn said(&mut self, tree: &Tree, at: usize, action: &Action) -> Vec<Said> {
        self.carry(tree, &tree.slots()[at]);
        let place = (action.bundle, action.link);
        let each = self.room.carries.iter().enumerate();
        each.map(|(lm, carry)| {
            said(self.options, self.forest, tree.has_begun(), place, action.entry, lm, carry, self.policy)
        })
        .collect()
    }

    fn carry(&mut self, tree: &Tree, slot: &Slot) {
        self.room.carries.clear();
        let lms = self.options.model().lms().len();
        self.room.carries.extend((0..lms).map(|lm| tree.carry(self.options, lm, slot)));
    }

    /// What all actions of a slot have in common.
    fn shift(&self, slot: &Slot) -> f64 {
        let node = |node: u32| self.forest.node(node);
        let (factor, value) = match slot.list {
            List::Leaves => (0.0, self.forest.goal().map_or(0.0, |goal| node(goal).inside)),
            List::Into(at) => (self.policy.factors[1 + usize::from(slot.gap)], node(at).inside),
            List::Out(at) => (self.policy.factors[0], node(at).outside),
        };
        let factor = if self.policy.relative { factor } else { 0.0 };
        -(factor + self.policy.regret) * value
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
        let open = tree.slots().iter().map(|slot| match slot.list {
            List::Leaves => 0.0,
            List::Into(node) => self.policy.factors[1 + usize::from(slot.gap)] * self.forest.node(node).inside,
            List::Out(node) => self.policy.factors[0] * self.forest.node(node).outside,
        });
        self.rules(tree) + words + open.sum::<f64>()
    }

    /// What an action adds to what a tree is worth.
    pub fn gain(&mut self, tree: &Tree, at: usize, action: &Action) -> f64 {
        let slot = tree.slots()[at];
        let all = self.said(tree, at, action);
        let changes = all.iter().zip(&self.policy.lms);
        let words: f64 = changes
            .map(|(said, weight)| f64::from(said.full + said.estimate + said.again - said.before) * weight)
            .sum();
        let (bundle, entry) = (self.forest.bundle(action.bundle), self.forest.menus.entry(action.entry));
        let rule = entry.own - self.policy.regret * entry.context_free
            + f64::from(bundle.input) * self.policy.model[self.policy.input];
        let node = |node: u32| self.forest.node(node);
        let [head, gaps @ ..] = self.policy.factors;
        let mut open = match slot.list {
            List::Leaves => 0.0,
            List::Into(at) => -gaps[usize::from(slot.gap)] * node(at).inside,
            List::Out(at) => -head * node(at).outside,
        };
        if action.link != HEAD && Some(bundle.head) != self.forest.goal() {
            open += head * node(bundle.head).outside;
        }
        for (gap, &tail) in bundle.tails.iter().enumerate().filter(|(_, tail)| **tail != NONE) {
            if gap != usize::from(action.link) {
                open += gaps[gap] * node(tail).inside;
            }
        }
        rule + words * std::f64::consts::LN_10 + open
    }

    /// What the rules of a tree score.
    fn rules(&self, tree: &Tree) -> f64 {
        let each = tree.steps().iter().map(|step| {
            let entry = self.forest.menus.entry(step.entry);
            let input = f64::from(self.forest.bundle(step.bundle).input) * self.policy.model[self.policy.input];
            entry.own - self.policy.regret * entry.context_free + input
        });
        each.sum()
    }

    /// Connects an action.
    pub fn connect(&mut self, tree: &mut Tree, at: usize, action: Action) {
        tree.connect(self.options, self.forest, self.policy, at, action);
        self.effort.pops += 1;
    }
}

/// What a language model says of an option at a slot.
#[allow(clippy::too_many_arguments)]
#[inline]
fn said(
    options: &Options<'_>,
    forest: &Forest,
    begun: bool,
    (number, link): (u32, u8),
    entry: u32,
    lm: usize,
    carry: &Carry,
    policy: &Policy,
) -> Said {
    let model = &*options.model().lms()[lm].model;
    let pieces = forest.menus.pieces(options, entry, lm);
    if link == HEAD {
        return Scan::below(model, pieces, carry);
    }
    let bundle = forest.bundle(number);
    let ends = Some(bundle.head) == forest.goal();
    let begins = !begun && (ends || begins_early(policy, bundle));
    let tree = (link != START).then_some((usize::from(link), carry));
    Scan::above(model, (forest.menus.entry(entry), pieces), tree, [begins, ends])
}
