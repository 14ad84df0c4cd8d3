//! Derivations drawn at random, exactly as likely as their scores say.

use super::Forest;
use super::inside::inside;
use super::kbest::Edges;
use super::semiring::LogSum;
use crate::random::Random;
use crate::{Error, Result};

impl Forest {
    /// Draws `count` derivations of the goal, each with a probability proportional to the exponential of its score divided
    /// by `temperature`: edges are drawn from the goal down, by the sums of what is below them (Blunsom & Osborne 2008).
    /// The draws do not depend on how many of them there are. None are drawn from a forest without derivations.
    ///
    /// # Errors
    /// A temperature that is not a positive number.
    pub fn sample(&self, count: usize, seed: u64, temperature: f64) -> Result<Vec<(f64, Edges)>> {
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::settings(format!("a temperature of {temperature} is not a positive number")));
        }
        let sums = inside(self, |_, edge| LogSum(edge.score / temperature));
        let Some(goal) = self.goal().filter(|&goal| sums[goal as usize].0 > f64::NEG_INFINITY) else {
            return Ok(Vec::new());
        };
        let draw = |number: usize| {
            let mut random = Random::new([seed, 0x7361_6d70, number as u64]);
            self.draw(goal, &sums, temperature, &mut random)
        };
        Ok((0..count).map(draw).collect())
    }

    fn draw(&self, goal: u32, sums: &[LogSum], temperature: f64, random: &mut Random) -> (f64, Edges) {
        let (mut score, mut out): (f64, Edges) = (0.0, Vec::new());
        let mut done: Vec<usize> = Vec::new();
        // Nodes to draw an edge for, and edges whose tails are done.
        let mut pending = vec![(goal, None)];
        while let Some((node, drawn)) = pending.pop() {
            let Some(number) = drawn else {
                let number = self.draw_edge(node, sums, temperature, random);
                pending.push((node, Some(number)));
                let edge = self.edge(number);
                score += edge.score;
                let tails: Vec<u32> = edge.tails().collect();
                pending.extend(tails.into_iter().rev().map(|tail| (tail, None)));
                continue;
            };
            let places = done.split_off(done.len() - self.edge(number).tails().count());
            done.push(out.len());
            out.push((number, places));
        }
        (score, out)
    }

    fn draw_edge(&self, node: u32, sums: &[LogSum], temperature: f64, random: &mut Random) -> u32 {
        let point = random.uniform_f64();
        let total = sums[node as usize].0;
        let (mut reached, mut last) = (0.0, self.incoming(node).start);
        for number in self.incoming(node) {
            let edge = self.edge(number);
            let below = edge.tails().fold(edge.score / temperature, |sum, tail| sum + sums[tail as usize].0);
            let share = (below - total).exp();
            if share > 0.0 {
                last = number;
            }
            reached += share;
            if reached > point {
                return number;
            }
        }
        // Rounding may leave the shares a little short of 1.
        last
    }
}
