//! What the parts of a switch choose their options from. Rules that several parts have are read once and language models are
//! asked of them once, whichever parts win the cells in which their source side is (Razmara 2013, section 2.3.1).

use std::ops::Range;

use hashbrown::HashMap;

use super::mixed::Gathered;
use super::{LN_10, Options, Origin, Said};
use crate::decode::scorer::Scorer;
use crate::forest::mixture::ALL;

/// By number of gaps and state, what options are chosen from; nothing where a part has a rule twice, and each is asked by itself.
pub type Pools = HashMap<(u32, u32), Option<Range<u32>>>;

/// Room for pools, if the model has parts that choose from them: those of a switch, each a component with one source.
pub fn pools(scorer: &Scorer, sources_of: &[Vec<u32>]) -> Option<Pools> {
    let plan = scorer.plan();
    let alone = plan.parts.iter().flatten().all(|mixture| mixture.only().is_some());
    let chosen = plan.switch.is_some() && alone && sources_of.iter().all(|sources| sources.len() == 1);
    chosen.then(HashMap::new)
}

impl Options<'_> {
    /// Makes the options that are among the best of any component, by what it says of them with language models: what a source
    /// side's options are chosen from. They have no score but those of components.
    pub(super) fn pool(&mut self, gathered: &mut Gathered, key: (u32, u32)) -> Option<Range<u32>> {
        let made = if gathered.doubled { None } else { Some(self.make_pool(gathered)) };
        self.pools.iter_mut().for_each(|pools| _ = pools.insert(key, made.clone()));
        made
    }

    fn make_pool(&mut self, gathered: &mut Gathered) -> Range<u32> {
        self.keep_best(gathered, self.limit.saturating_mul(4));
        let (start, first_state, first_part) = (self.options.len(), self.states.len(), self.parts.len());
        let components = self.scorer.components().len();
        let voice = self.scorer.common_voice(0);
        for (rule, lhs, target) in gathered.kept() {
            let from = self.symbols.len() as u32;
            self.symbols.extend_from_slice(target);
            let (origin, _) = self.note(gathered, rule);
            self.push(origin, lhs, from, Said::Score(0.0), voice);
            self.parts.extend_from_slice(&gathered.scores()[rule * components..][..components]);
        }
        if self.options.len() - start > self.limit {
            let mut made = self.options.split_off(start);
            self.cut(&mut made, self.limit);
            self.options.append(&mut made);
            self.compact(start as u32, first_state);
            self.compact_parts(start as u32, first_part);
        }
        start as u32..self.options.len() as u32
    }

    /// What the options of a source side are chosen from, if they are.
    pub(super) fn pool_of(&mut self, state: u32, arity: u8) -> Option<Range<u32>> {
        let key = (u32::from(arity), state);
        if let Some(pool) = self.pools.as_ref()?.get(&key) {
            return pool.clone();
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.clear();
        self.gather(&mut gathered, ALL, state, arity, |_| true);
        let pool = self.pool(&mut gathered, key);
        self.gathered = gathered;
        pool
    }

    /// Makes the options of a component's source side of what there is to choose from; see [`Options::make`].
    pub(super) fn make_of_pool(
        &mut self,
        component: u32,
        pool: Range<u32>,
        key: (u32, u32),
        voice: usize,
    ) -> Range<u32> {
        let start = self.options.len();
        let weights = self.scorer.components()[component as usize].values();
        for number in pool {
            let option = &self.options[number as usize];
            let spoken = self.spoken(option);
            if spoken >> component & 1 == 0 {
                continue;
            }
            let before = (spoken & ((1 << component) - 1)).count_ones() as usize;
            let Some((source, rule)) = self.rules_of(option.origin).nth(before) else { continue };
            let lms = self.model.lms().iter().enumerate();
            let said = lms.map(|(lm, part)| self.lm_score(option, lm) * LN_10 * weights[part.feature]);
            let score = self.parts(option)[component as usize];
            let estimate = said.fold(score, |sum, said| sum + said);
            let own = super::TranslationOption {
                origin: Origin::Rule(source, rule),
                score,
                estimate,
                voice: voice as u16,
                ..option.clone()
            };
            self.options.push(own);
        }
        let rule = |option: &super::TranslationOption| match option.origin {
            Origin::Rule(_, rule) => rule,
            _ => 0,
        };
        self.options[start..].sort_unstable_by(|a, b| b.estimate.total_cmp(&a.estimate).then(rule(a).cmp(&rule(b))));
        self.options.truncate(start.saturating_add(self.limit));
        let made = start as u32..self.options.len() as u32;
        self.ranges.insert(key, made.clone());
        made
    }
}
