//! What language models say where the words of a rule meet those of the best in its gaps, asked before trees grow.

use super::super::menus::context_free;
use super::super::policy::Policy;
use super::{Bundle, Forest};
use crate::decode::chart::arena::{Arena, NONE};
use crate::decode::chart::scoring::{Choice, Scored};
use crate::decode::effort::Effort;
use crate::decode::options::Options;

/// What language models add where gaps meet words.
#[derive(Debug, Default)]
pub struct Hope {
    sum: f64,
    joins: f64,
    /// Of what was found and what had been expected, the squares of the differences, and how many there are.
    squares: f64,
    heard: f64,
}

/// How much better than expected the best of a node may be to be worth a question, in standard deviations.
const FAR: f64 = 3.0;

impl Hope {
    /// For each place where they meet.
    fn mean(&self) -> f64 {
        self.sum / self.joins.max(1.0)
    }

    /// How far it is from what was expected; at first anything is possible.
    fn spread(&self) -> f64 {
        if self.heard < 8.0 { f64::INFINITY } else { (self.squares / self.heard).sqrt() }
    }

    /// Learns of so many places, that together were so much better than expected.
    fn hear(&mut self, joins: f64, better: f64) {
        if joins > 0.0 {
            self.sum += better + self.mean() * joins;
            self.joins += joins;
            self.squares += better * better;
            self.heard += 1.0;
        }
    }
}

impl Forest {
    /// Scores the best bundles into a node with the best in their gaps, and gives the node the best of these scores.
    pub(super) fn join(
        &mut self,
        begin: usize,
        node: u32,
        options: &Options<'_>,
        policy: &Policy,
        (arena, scored): (&mut Arena, &mut Scored),
        effort: &mut Effort,
    ) {
        let inside = |tail: u32| if tail == NONE { 0.0 } else { self.inside[tail as usize] };
        let (menus, found) = (&self.menus, &mut self.found[begin..]);
        let joins = |bundle: &Bundle| f64::from(options.get(menus.menu(bundle.menu).best()).joins);
        let hope = self.hope.mean();
        self.order.clear();
        for (at, bundle) in (0..).zip(&mut *found).filter(|(_, bundle)| bundle.head == node) {
            bundle.own += hope * joins(bundle);
            self.order.push(at);
        }
        let promise = |at: u32| {
            let bundle = &found[at as usize];
            bundle.own + inside(bundle.tails[0]) + inside(bundle.tails[1])
        };
        let tries = policy.tries.clamp(1, self.order.len());
        if tries < self.order.len() {
            self.order.select_nth_unstable_by(tries - 1, |&a, &b| promise(b).total_cmp(&promise(a)).then(a.cmp(&b)));
        }
        // Other options of the same source sides are as good as those of worse ones.
        self.tried.clear();
        for &at in &self.order[..tries] {
            let (bundle, promised) = (&found[at as usize], promise(at));
            let menu = menus.menu(bundle.menu);
            for &option in if bundle.tails[0] == NONE { &menu.favourites()[..1] } else { menu.favourites() } {
                let context_free = context_free(policy, options, option);
                self.tried.push((promised + context_free - menu.context_free, at, option));
            }
        }
        let order = |a: &(f64, u32, u32), b: &(f64, u32, u32)| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)));
        if tries < self.tried.len() {
            self.tried.select_nth_unstable_by(tries - 1, order);
            self.tried.truncate(tries);
        }
        self.tried.sort_unstable_by(order);
        let mut best = (f64::NEG_INFINITY, 0);
        let far = FAR * self.hope.spread();
        scored.clear();
        for (number, &(promised, at, option)) in self.tried.iter().enumerate() {
            if promised + far < best.0 {
                break;
            }
            let first = self.tried[..number].iter().all(|other| other.1 != at);
            let bundle = &mut found[at as usize];
            let choice = Choice { option, tails: bundle.tails, input: bundle.input };
            let (score, number) = scored.score(options, arena, choice, bundle.kind, effort);
            if f64::from(score) > best.0 {
                best = (f64::from(score), number);
            }
            let inner = bundle.tails.iter().filter(|&&tail| tail != NONE);
            let own = f64::from(score) - inner.map(|&tail| f64::from(arena.get(tail).score)).sum::<f64>();
            let context_free = context_free(policy, options, option);
            if first {
                let expected = bundle.own + context_free - menus.menu(bundle.menu).context_free;
                self.hope.hear(joins(bundle), own - expected);
            }
            if first || own > bundle.own {
                (bundle.own, bundle.heard) = (own, context_free);
            }
        }
        arena.settle(node, best.0 as f32, scored.states(options, best.1));
        self.inside[node as usize] = best.0;
    }
}
