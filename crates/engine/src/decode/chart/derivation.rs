//! The best translation of a decoded sentence.

use super::ChartDecoder;

impl ChartDecoder<'_> {
    /// The best translation (the yield of the best derivation) and its score, or `None` if the input was empty.
    pub fn best(&self) -> Option<(String, f32)> {
        let goal = self.goal?;
        let mut text = String::new();
        self.spell(goal, &mut text);
        Some((text, self.arena.get(goal).score))
    }

    /// Writes the words of a hypothesis (its yield), without recursion: sequences are as deep as sentences are long.
    fn spell(&self, goal: u32, text: &mut String) {
        // What is still to be written, last first: hypotheses, and words of the options' target sides.
        let mut pending = vec![(goal, 0_usize)];
        while let Some((hypothesis, done)) = pending.pop() {
            let Some(way) = self.arena.best(hypothesis) else { continue };
            let target = self.options.target(self.options.get(way.option));
            let Some(symbol) = target.get(done) else { continue };
            pending.push((hypothesis, done + 1));
            match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(self.options.word(word));
                }
                (_, Some(place)) => pending.push((way.tails[place as usize], 0)),
                _ => {}
            }
        }
    }
}
