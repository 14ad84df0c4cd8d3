//! What waits to be taken, the best first.

use std::cmp::Ordering;

/// A binary heap whose order is given from outside, since values may live in a store. Of equals, whoever came first.
#[derive(Debug, Clone)]
pub struct Agenda<T> {
    waiting: Vec<(T, u32)>,
    pushed: u32,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Self { waiting: Vec::new(), pushed: 0 }
    }
}

impl<T> Agenda<T> {
    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.pushed = 0;
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Bytes of all that wait.
    pub fn bytes(&self) -> usize {
        self.waiting.len() * size_of::<(T, u32)>()
    }

    /// Adds one.
    pub fn push(&mut self, one: T, compare: impl Fn(&T, &T) -> Ordering) {
        self.waiting.push((one, self.pushed));
        self.pushed = self.pushed.wrapping_add(1);
        let mut at = self.waiting.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !before(&self.waiting[at], &self.waiting[parent], &compare) {
                break;
            }
            self.waiting.swap(at, parent);
            at = parent;
        }
    }

    /// Takes the best.
    pub fn pop(&mut self, compare: impl Fn(&T, &T) -> Ordering) -> Option<T> {
        if self.waiting.is_empty() {
            return None;
        }
        let (best, _) = self.waiting.swap_remove(0);
        let mut at = 0;
        loop {
            let left = 2 * at + 1;
            if left >= self.waiting.len() {
                return Some(best);
            }
            let right = left + 1;
            let smaller = right < self.waiting.len() && before(&self.waiting[right], &self.waiting[left], &compare);
            let child = if smaller { right } else { left };
            if !before(&self.waiting[child], &self.waiting[at], &compare) {
                return Some(best);
            }
            self.waiting.swap(at, child);
            at = child;
        }
    }

    /// The best, which stays.
    pub fn peek(&self) -> Option<&T> {
        self.waiting.first().map(|(best, _)| best)
    }
}

#[inline]
fn before<T>(a: &(T, u32), b: &(T, u32), compare: &impl Fn(&T, &T) -> Ordering) -> bool {
    compare(&a.0, &b.0).then(a.1.cmp(&b.1)).is_lt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_goes_first_and_equals_in_order(numbers in prop::collection::vec((0_u8..5, any::<bool>()), 0..60)) {
            let compare = |a: &(u8, usize), b: &(u8, usize)| a.0.cmp(&b.0);
            let (mut agenda, mut naive) = (Agenda::default(), Vec::new());
            for (place, (number, take)) in numbers.into_iter().enumerate() {
                agenda.push((number, place), compare);
                naive.push((number, place));
                if take {
                    naive.sort_unstable();
                    prop_assert_eq!(agenda.peek().copied(), Some(naive[0]));
                    prop_assert_eq!(agenda.pop(compare), Some(naive.remove(0)));
                }
            }
            naive.sort_unstable();
            let rest: Vec<_> = std::iter::from_fn(|| agenda.pop(compare)).collect();
            prop_assert_eq!(rest, naive);
        }
    }
}
