//! The context-free forest that is searched: all derivations by rules alone, packed by source sides.
//!
//! A hyperedge here is a bundle: a source side over a span with its gaps, and the menu of all its options. There are as many
//! bundles as matches of source sides, not as many as rules. What options score on their own, and so the best below and
//! around each node (max-plus inside and outside, Goodman 1999), needs nothing but the best of each menu.

mod joins;

use std::ops::Range;
use std::time::{Duration, Instant};

use super::context::Print;
use super::menus::Menus;
use super::policy::{Policy, Rest};
use crate::decode::chart::arena::{Arena, NONE, Way};
use crate::decode::chart::scoring::{Cell, Cube, Kind, Scored};
use crate::decode::effort::Effort;
use crate::decode::options::Options;
use crate::lm::state::Fragment;
use joins::Hope;

/// A source side over a span, with what is in its gaps.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    /// The node that it makes.
    pub head: u32,
    /// The nodes in its gaps, [`NONE`] where there is no gap.
    pub tails: [u32; 2],
    /// Its options.
    pub menu: u32,
    /// The score of the input's arcs that its words come from.
    pub input: f32,
    /// Where in the sentence it stands.
    pub kind: Kind,
    /// What it adds to the best in its gaps.
    pub own: f64,
    /// The context-free score of the option that adds it.
    heard: f64,
}

/// A category over a span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The positions that it covers.
    pub span: [u32; 2],
    /// Its category; sequences of translations have that of their first.
    pub category: u8,
    /// Whether it is a sequence.
    pub sequence: bool,
    /// The best score of its derivations.
    pub inside: f64,
    /// The best score of all that completes them.
    pub outside: f64,
}

/// A bundle that may be connected at a slot, by its head or by a gap.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The bundle.
    pub bundle: u32,
    /// [`HEAD`], or the gap.
    pub link: u8,
    /// What the policy says of its branches that stay open and of the input's arcs.
    pub offset: f64,
    /// That and the highest key of its options.
    pub key: f64,
}

/// An action that connects the head of its rule.
pub const HEAD: u8 = 2;

/// Bundles as the chart finds them, and the forest that they make.
#[derive(Debug, Default)]
pub struct Forest {
    /// The options of source sides.
    pub menus: Menus,
    /// Which options the menus are of.
    pub kept: u64,
    /// As they were found: the bundles into the tails of a bundle come before it.
    found: Vec<Bundle>,
    inside: Vec<f64>,
    outside: Vec<f64>,
    depths: Vec<u8>,
    /// What language models know of a node and add to it before they are asked: nothing.
    nothing: (Vec<Fragment>, Vec<f32>),
    /// What language models added so far where gaps meet words.
    hope: Hope,
    /// How long they were asked.
    joining: Duration,
    order: Vec<u32>,
    /// What they are asked about: what it promises, a bundle, an option.
    tried: Vec<(f64, u32, u32)>,
    rank: Vec<u32>,
    /// Nodes and bundles that derivations need, shorter spans first.
    nodes: Vec<Node>,
    bundles: Vec<Bundle>,
    goal: Option<u32>,
    /// The least that a derivation must score.
    worst: f64,
    /// For each node the bundles into it, and those out of it; and all leaves.
    into: Places,
    out: Places,
    leaves: Vec<Place>,
    leaves_sorted: bool,
    /// Of each position the words before and behind it, if the policy sees rules in context.
    pub words: Vec<[Print; 2]>,
}

/// The forest of a sentence, set aside.
#[derive(Debug, Default)]
pub struct Kept {
    nodes: Vec<Node>,
    bundles: Vec<Bundle>,
    ends: Vec<u32>,
    goal: Option<u32>,
    worst: f64,
    words: Vec<[Print; 2]>,
}

impl Kept {
    /// Bytes of it.
    pub fn bytes(&self) -> usize {
        let words = size_of_val(&self.words[..]) + size_of_val(&self.ends[..]);
        size_of_val(&self.nodes[..]) + size_of_val(&self.bundles[..]) + words
    }
}

#[derive(Debug, Default)]
struct Places {
    ends: Vec<u32>,
    places: Vec<Place>,
    sorted: Vec<bool>,
}

/// Which list of places a slot chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Leaves, to begin with.
    Leaves,
    /// Bundles that make a node.
    Into(u32),
    /// Bundles that have it in a gap.
    Out(u32),
}

impl Places {
    fn range(&self, node: u32) -> Range<usize> {
        let begin = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        begin as usize..self.ends[node as usize] as usize
    }
}

/// Sums of the same scores in another order may differ by less than this.
const EQUAL: f64 = 1e-9;

fn sort(places: &mut [Place]) {
    places.sort_unstable_by(|a, b| b.key.total_cmp(&a.key).then((a.bundle, a.link).cmp(&(b.bundle, b.link))));
}

impl Forest {
    /// Begins a sentence.
    pub fn begin(&mut self) {
        self.found.clear();
        self.inside.clear();
        self.hope = Hope::default();
        self.joining = Duration::ZERO;
        self.depths.clear();
        self.goal = None;
    }

    /// How long language models were asked for the best below nodes.
    pub fn joining(&self) -> Duration {
        self.joining
    }

    /// Bytes of the bundles found so far.
    pub fn bytes(&self) -> usize {
        // Each is copied once and listed up to three times.
        self.found.len() * (2 * size_of::<Bundle>() + 3 * size_of::<Place>())
    }

    /// Takes the cubes of a cell, without asking which of their combinations are good.
    pub fn take(
        &mut self,
        cubes: &[Cube],
        options: &Options<'_>,
        policy: &Policy,
        (arena, scored): (&mut Arena, &mut Scored),
        cell: Cell,
        effort: &mut Effort,
    ) {
        let first = arena.hypotheses();
        let begin = self.found.len();
        self.nothing.0.resize(arena.lms(), Fragment::EMPTY);
        self.nothing.1.resize(arena.lms(), 0.0);
        for cube in cubes {
            for menu in self.menus.of(options, policy, cube.options.clone()) {
                let known = *self.menus.menu(menu);
                let own = known.context_free + f64::from(cube.input) * policy.arcs;
                let arity = usize::from(known.arity);
                let places = |gap: usize| if gap < arity { cube.tails[gap].clone() } else { 0..1 };
                for one in places(0) {
                    for other in places(1) {
                        let mut tails = [NONE; 2];
                        for (tail, place) in tails.iter_mut().zip([one, other]).take(arity) {
                            *tail = arena.sorted(place);
                        }
                        let inner = &tails[..arity];
                        let score = own + inner.iter().map(|&tail| self.inside[tail as usize]).sum::<f64>();
                        let deepest = inner.iter().map(|&tail| self.depths[tail as usize]).max();
                        let depth = if cell.by_depth { deepest.map_or(0, |depth| depth.saturating_add(1)) } else { 0 };
                        let same = |&node: &u32| {
                            let known_node = arena.get(node);
                            known_node.category == known.lhs && known_node.depth == depth
                        };
                        let head = (first..arena.hypotheses()).find(same).unwrap_or_else(|| {
                            let way = Way { option: 0, tails, score: 0.0, input: 0.0 };
                            self.inside.push(f64::NEG_INFINITY);
                            self.depths.push(depth);
                            arena.push((known.lhs, depth), cell.span, way, &self.nothing.1, &self.nothing.0)
                        });
                        let best = &mut self.inside[head as usize];
                        *best = best.max(score);
                        self.found.push(Bundle {
                            head,
                            tails,
                            menu,
                            input: cube.input,
                            kind: cube.kind,
                            own,
                            heard: known.context_free,
                        });
                    }
                }
            }
        }
        if policy.rest == Rest::Joins {
            let started = Instant::now();
            for node in first..arena.hypotheses() {
                self.join(begin, node, options, policy, (arena, scored), effort);
            }
            self.joining += started.elapsed();
        }
    }

    /// Makes the forest of what derivations of the goal need, leaving out bundles whose derivations all promise `prune`
    /// less than the best.
    pub fn finish(&mut self, arena: &Arena, policy: &Policy, goal: Option<u32>, prune: Option<f64>) {
        self.nodes.clear();
        self.bundles.clear();
        self.leaves.clear();
        self.leaves_sorted = false;
        let Some(goal) = goal else { return };
        self.outside.clear();
        self.outside.resize(self.inside.len(), f64::NEG_INFINITY);
        self.outside[goal as usize] = 0.0;
        let best = self.inside[goal as usize];
        self.worst = prune.map_or(f64::NEG_INFINITY, |beam| best - beam - EQUAL);
        for bundle in self.found.iter().rev() {
            let around = self.outside[bundle.head as usize];
            if around == f64::NEG_INFINITY {
                continue;
            }
            let inside = |tail: u32| if tail == NONE { 0.0 } else { self.inside[tail as usize] };
            let below = bundle.tails.map(inside);
            let inner = bundle.own + below[0] + below[1];
            // The best way to a node that is needed is kept, whatever the last bits of sums say.
            if around + inner < self.worst && inner < self.inside[bundle.head as usize] - EQUAL {
                continue;
            }
            for (gap, &tail) in bundle.tails.iter().enumerate().filter(|(_, tail)| **tail != NONE) {
                let value = &mut self.outside[tail as usize];
                *value = value.max(around + bundle.own + below[1 - gap]);
            }
        }
        self.number(arena, goal);
        self.keep();
        self.list(policy);
    }

    /// Numbers the nodes that are needed, shorter spans first.
    fn number(&mut self, arena: &Arena, goal: u32) {
        let needed = |&node: &u32| self.outside[node as usize] > f64::NEG_INFINITY;
        self.order.clear();
        self.order.extend((0..self.inside.len() as u32).filter(needed));
        let key = |node: u32| {
            let known = arena.get(node);
            let [begin, end] = known.span;
            (end - begin, begin, node)
        };
        self.order.sort_unstable_by_key(|&node| key(node));
        self.rank.clear();
        self.rank.resize(self.inside.len(), NONE);
        for (rank, &node) in self.order.iter().enumerate() {
            self.rank[node as usize] = rank as u32;
            let known = arena.get(node);
            let (inside, outside) = (self.inside[node as usize], self.outside[node as usize]);
            self.nodes.push(Node { span: known.span, category: known.category, sequence: false, inside, outside });
        }
        self.goal = Some(self.rank[goal as usize]);
    }

    /// Keeps the bundles that are needed, by their heads.
    fn keep(&mut self) {
        let ends = &mut self.into.ends;
        ends.clear();
        ends.resize(self.nodes.len() + 1, 0);
        let (nodes, rank, worst) = (&self.nodes, &self.rank, self.worst);
        let survives = |bundle: &Bundle| {
            let head = rank[bundle.head as usize];
            if head == NONE {
                return None;
            }
            let inside = |tail: u32| match tail {
                NONE => 0.0,
                _ if rank[tail as usize] == NONE => f64::NEG_INFINITY,
                _ => nodes[rank[tail as usize] as usize].inside,
            };
            let inner = bundle.own + inside(bundle.tails[0]) + inside(bundle.tails[1]);
            let node = &nodes[head as usize];
            let kept = node.outside + inner >= worst || inner >= node.inside - EQUAL;
            (kept && inner > f64::NEG_INFINITY).then_some(head)
        };
        for head in self.found.iter().filter_map(survives) {
            ends[head as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let empty = Bundle { head: 0, tails: [NONE; 2], menu: 0, input: 0.0, kind: Kind::Inside, own: 0.0, heard: 0.0 };
        self.bundles.resize(ends[ends.len() - 1] as usize, empty);
        for bundle in &self.found {
            if let Some(head) = survives(bundle) {
                let at = &mut ends[head as usize];
                let tails = bundle.tails.map(|tail| if tail == NONE { NONE } else { rank[tail as usize] });
                self.bundles[*at as usize] = Bundle { head, tails, ..*bundle };
                *at += 1;
            }
        }
        ends.pop();
        for bundle in &self.bundles {
            self.nodes[bundle.head as usize].sequence = bundle.kind != Kind::Inside;
        }
    }

    /// Lists for each node the bundles into it and out of it, and the leaves.
    fn list(&mut self, policy: &Policy) {
        let [mut into, mut out] = [&mut self.into, &mut self.out].map(std::mem::take);
        let mut leaves = std::mem::take(&mut self.leaves);
        for list in [&mut into, &mut out] {
            list.places.clear();
            list.sorted.clear();
            list.sorted.resize(self.nodes.len(), false);
        }
        out.ends.clear();
        out.ends.resize(self.nodes.len() + 1, 0);
        for (number, bundle) in (0..).zip(&self.bundles) {
            into.places.push(self.place(policy, number, HEAD));
            if bundle.tails[0] == NONE {
                leaves.push(self.place(policy, number, START));
            }
            for &tail in bundle.tails.iter().filter(|&&tail| tail != NONE) {
                out.ends[tail as usize + 1] += 1;
            }
        }
        for at in 1..out.ends.len() {
            out.ends[at] += out.ends[at - 1];
        }
        let none = Place { bundle: 0, link: 0, offset: 0.0, key: 0.0 };
        out.places.resize(out.ends[self.nodes.len()] as usize, none);
        for (number, bundle) in (0..).zip(&self.bundles) {
            for (gap, &tail) in (0_u8..).zip(&bundle.tails).filter(|(_, tail)| **tail != NONE) {
                let at = &mut out.ends[tail as usize];
                out.places[*at as usize] = self.place(policy, number, gap);
                *at += 1;
            }
        }
        out.ends.pop();
        (self.into, self.out, self.leaves) = (into, out, leaves);
    }

    fn place(&self, policy: &Policy, number: u32, link: u8) -> Place {
        let bundle = self.bundle(number);
        let (branches, open) = self.branches(bundle, link);
        let mut offset = f64::from(bundle.input) * (policy.model[policy.input] + policy.regret * policy.arcs);
        for (branch, weight) in branches.iter().zip(policy.factors) {
            offset += (weight + policy.regret) * branch;
        }
        offset += policy.open * f64::from(open) + if link < HEAD { policy.up } else { 0.0 };
        Place { bundle: number, link, offset, key: offset + self.menus.menu(bundle.menu).key }
    }

    /// The factors of the branches that a bundle leaves open when it is connected so: of the head, the first and the second
    /// gap, 0 where nothing stays open; and how many there are.
    pub fn branches(&self, bundle: &Bundle, link: u8) -> ([f64; 3], u8) {
        let (mut branches, mut open) = ([0.0; 3], 0);
        if link != HEAD && Some(bundle.head) != self.goal {
            branches[0] = self.node(bundle.head).outside;
            open += 1;
        }
        for (gap, &tail) in bundle.tails.iter().enumerate() {
            if tail != NONE && gap != usize::from(link) {
                branches[1 + gap] = self.node(tail).inside;
                open += 1;
            }
        }
        (branches, open)
    }

    /// The factor of what the actions of a list fill; of the first action the best of all.
    pub fn filled(&self, list: List) -> f64 {
        match list {
            List::Leaves => self.goal.map_or(0.0, |goal| self.node(goal).inside),
            List::Into(node) => self.node(node).inside,
            List::Out(node) => self.node(node).outside,
        }
    }

    /// Sets the forest aside.
    pub fn keep_aside(&self) -> Kept {
        let (nodes, bundles, ends) = (self.nodes.clone(), self.bundles.clone(), self.into.ends.clone());
        Kept { nodes, bundles, ends, goal: self.goal, worst: self.worst, words: self.words.clone() }
    }

    /// Takes a forest that was set aside.
    pub fn take_up(&mut self, kept: &Kept, options: &Options<'_>, policy: &Policy) {
        self.nodes.clone_from(&kept.nodes);
        self.bundles.clone_from(&kept.bundles);
        self.into.ends.clone_from(&kept.ends);
        self.words.clone_from(&kept.words);
        (self.goal, self.worst) = (kept.goal, kept.worst);
        self.weigh(options, policy);
    }

    /// Scores all places by a policy that has learnt.
    pub fn weigh(&mut self, options: &Options<'_>, policy: &Policy) {
        for bundle in &self.bundles {
            self.menus.weigh(options, policy, bundle.menu);
        }
        self.leaves.clear();
        self.leaves_sorted = false;
        if self.goal.is_some() {
            self.list(policy);
        }
    }

    /// Sorts a list of places if it is not, the most promising first.
    pub fn prepare(&mut self, list: List) {
        match list {
            List::Leaves if !self.leaves_sorted => {
                sort(&mut self.leaves);
                self.leaves_sorted = true;
            }
            List::Into(node) if !self.into.sorted[node as usize] => {
                let range = self.into.range(node);
                sort(&mut self.into.places[range]);
                self.into.sorted[node as usize] = true;
            }
            List::Out(node) if !self.out.sorted[node as usize] => {
                let range = self.out.range(node);
                sort(&mut self.out.places[range]);
                self.out.sorted[node as usize] = true;
            }
            _ => {}
        }
    }

    /// A list of places.
    #[inline]
    pub fn places(&self, list: List) -> &[Place] {
        match list {
            List::Leaves => &self.leaves,
            List::Into(node) => &self.into.places[self.into.range(node)],
            List::Out(node) => &self.out.places[self.out.range(node)],
        }
    }

    /// What a derivation with an option of a bundle promises.
    #[inline]
    pub fn promise(&self, bundle: &Bundle, context_free: f64) -> f64 {
        let inside = |tail: u32| if tail == NONE { 0.0 } else { self.nodes[tail as usize].inside };
        // Those that would be better on their own were heard, and were not.
        let own = bundle.own + (context_free - bundle.heard).min(0.0);
        self.nodes[bundle.head as usize].outside + own + inside(bundle.tails[0]) + inside(bundle.tails[1])
    }

    /// What the actions of a list must promise, where derivations may promise so much less than the best: there is always
    /// one that does.
    pub fn least(&self, list: List, beam: f64) -> f64 {
        let best = self.filled(List::Leaves);
        let here = match list {
            List::Leaves => best,
            List::Into(node) | List::Out(node) => self.nodes[node as usize].inside + self.nodes[node as usize].outside,
        };
        here.min((best - beam).max(self.worst)) - EQUAL
    }

    /// The nodes, shorter spans first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The bundles, by their heads.
    pub fn bundles(&self) -> &[Bundle] {
        &self.bundles
    }

    /// A bundle.
    #[inline]
    pub fn bundle(&self, bundle: u32) -> &Bundle {
        &self.bundles[bundle as usize]
    }

    /// The words before and behind a position, if the policy sees rules in context.
    #[inline]
    pub fn beside(&self, position: u32) -> [Print; 2] {
        self.words.get(position as usize).copied().unwrap_or_default()
    }

    /// The node that whole derivations make, if there are any.
    #[inline]
    pub fn goal(&self) -> Option<u32> {
        self.goal
    }
}

/// The link of the first rule: none.
pub const START: u8 = 3;
