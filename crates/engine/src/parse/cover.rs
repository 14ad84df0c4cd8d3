//! What is known of an input without a complete parse (Galron 2012, section 4.6).

/// What an item covers of its input: spans of one or two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Covered {
    /// Whose.
    pub item: u32,
    /// From and to, on each side; (0, 0) for nothing.
    pub spans: [(u32, u32); 2],
}

impl Covered {
    fn words(&self) -> u32 {
        self.spans.iter().map(|(from, to)| to - from).sum()
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.spans.iter().zip(&other.spans).any(|(a, b)| a.0 < b.1 && b.0 < a.1)
    }
}

/// Few items that cover much, taken greedily: the one with the most words, then the best (the one given first), then no
/// more that overlap it. Several covers have no item in common.
pub fn covers(candidates: &[Covered], number: usize) -> Vec<Vec<Covered>> {
    let mut pool: Vec<Covered> = candidates.iter().filter(|one| one.words() > 0).copied().collect();
    // Stable: of those as large, the better ones stay first.
    pool.sort_by_key(|one| std::cmp::Reverse(one.words()));
    let mut found = Vec::new();
    while found.len() < number && !pool.is_empty() {
        let mut cover: Vec<Covered> = Vec::new();
        pool.retain(|one| {
            let free = !cover.iter().any(|other| other.overlaps(one));
            if free {
                cover.push(*one);
            }
            !free
        });
        cover.sort_by_key(|one| one.spans);
        found.push(cover);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_items_first_and_no_overlaps() {
        let item = |item, source, target| Covered { item, spans: [source, target] };
        let pool = [
            item(0, (0, 1), (2, 3)),
            item(1, (1, 2), (0, 1)),
            // As large as the next, but given first.
            item(2, (0, 2), (0, 3)),
            item(3, (1, 4), (0, 2)),
            item(4, (3, 4), (3, 4)),
            item(5, (0, 0), (0, 0)),
        ];
        let numbers = |cover: &Vec<Covered>| cover.iter().map(|one| one.item).collect::<Vec<_>>();
        let found = covers(&pool, 3);
        assert_eq!(found.iter().map(numbers).collect::<Vec<_>>(), [vec![2, 4], vec![0, 3], vec![1]]);
        assert!(covers(&[], 10).is_empty());
        assert!(covers(&pool, 0).is_empty());
    }
}
