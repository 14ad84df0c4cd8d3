//! All best derivations of an item, and which of them is the parser's.
//!
//! An algebra knows values only; how they came about is in the parser's graph of inferences. Together they are the
//! derivation semirings ([`crate::forest::best_ways`]): of the graph only those inferences are looked at that make an item
//! as well as it can be made.

use super::algebra::Algebra;
use super::cost::Cost;
use super::grammar::Grammar;
use super::logic::{Logic, Match};
use super::parser::Parser;
use crate::Result;
use crate::forest::semiring::Semiring;
use crate::forest::walk::{BackwardStar, Needed};

impl<L: Logic, G: Grammar<L>, A: Algebra> Parser<L, G, A> {
    /// Goes on with a search until nothing waits that is as good as an item of the chart. False if a limit was met before.
    pub fn run_ties(&mut self, item: u32) -> bool {
        self.resume();
        let value = self.algebra.product(self.value(item), self.algebra.one(), Cost::NOTHING, Cost::NOTHING);
        while self.next().is_some_and(|next| self.algebra.compare(next, &value).is_le()) {
            if self.is_over() {
                return false;
            }
            let Some(fired) = self.pop() else { break };
            if let Some(new) = self.keep(&fired, false).if_new() {
                self.expand(new);
            }
        }
        true
    }

    /// The sum over all best derivations of an item, as far as the search came ([`Parser::run_ties`]), of the products of
    /// what their inferences are worth. Inferences are named by the edges of [`Parser::graph`].
    ///
    /// # Errors
    /// Best derivations without end: items that are made of each other at no cost.
    pub fn sum_of_best<S: Semiring>(&self, item: u32, worth: impl Fn(u32, Cost) -> S) -> Result<S> {
        let graph = self.graph();
        let mut heads = vec![0; graph.edges()];
        for node in 0..graph.nodes() as u32 {
            graph.incoming(node).for_each(|edge| heads[edge as usize] = node);
        }
        let needed = Needed::of(graph, item, |edge| self.is_best(edge, heads[edge as usize]));
        let mut sums: Vec<S> = vec![S::zero(); graph.nodes()];
        for node in needed.order(graph)? {
            let ways = graph.incoming(node).filter(|&edge| needed.edges[edge as usize]);
            let sum = ways.fold(S::zero(), |sum, edge| {
                let own = worth(edge, graph.edge(edge).1);
                sum.plus(&graph.tails_of(edge).fold(own, |product, tail| product.times(&sums[tail as usize])))
            });
            sums[node as usize] = sum;
        }
        Ok(sums[item as usize].clone())
    }

    fn is_best(&self, edge: u32, head: u32) -> bool {
        let (&(rule, cost), [left, right]) = (self.graph().edge(edge), self.graph().tails(edge));
        let best = self.algebra.product(self.value(head), self.algebra.one(), Cost::NOTHING, Cost::NOTHING);
        let way = self.product_unbound(Match { rule, left, right }, cost);
        self.algebra.compare(&way, &best).is_eq()
    }
}
