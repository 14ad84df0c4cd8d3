//! The graph that a reservoir runs over: words of a translation and of its source, and what joins them.

use crate::{Error, Result};

/// A translation with its source. Both sides end in `</s>`, which has neither links nor a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Graph<'a> {
    /// Words of the source as rows of its inputs; empty if only the target matters.
    pub source: &'a [u32],
    /// For each source word its head, counted from 1, 0 for none; empty if dependencies do not matter.
    pub heads: &'a [u32],
    /// Words of the target as rows of its inputs.
    pub target: &'a [u32],
    /// Pairs of source and target words, counted from 0.
    pub links: &'a [[u32; 2]],
}

impl Graph<'_> {
    /// Refuses links and heads that lead outside, and words without inputs.
    ///
    /// # Errors
    /// Such a link, head or word.
    pub fn check(&self, source_rows: usize, target_rows: usize) -> Result<()> {
        let words = |side: &[u32], rows: usize| side.iter().all(|&word| (word as usize) < rows);
        if !words(self.source, source_rows) || !words(self.target, target_rows) {
            return Err(Error::input("a word of a graph has no input"));
        }
        // The last vertex of each side is </s>.
        let [source, target] = [self.source.len(), self.target.len()].map(|length| length.saturating_sub(1));
        if let Some([from, to]) =
            self.links.iter().find(|[from, to]| *from as usize >= source || *to as usize >= target)
        {
            let what = format!("the link {from}-{to} leads outside a pair of {source} and {target} words");
            return Err(Error::input(what).hint(
                "give the tokenised source that the decoder saw, or lists of tolka translate --derivations --json",
            ));
        }
        if !self.heads.is_empty() && self.heads.len() != self.source.len() {
            return Err(Error::input("there are not as many heads as source words"));
        }
        if self.heads.iter().any(|&head| head as usize > source) {
            return Err(Error::input("a head leads outside its sentence"));
        }
        Ok(())
    }
}

/// Who is joined with whom, in flat arrays that are used again from graph to graph.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    begins: Vec<usize>,
    members: Vec<u32>,
}

impl Neighbours {
    /// The neighbours of a vertex.
    pub fn of(&self, vertex: usize) -> &[u32] {
        &self.members[self.begins[vertex]..self.begins[vertex + 1]]
    }

    /// From pairs of a vertex and its neighbour, in this order per vertex.
    pub fn fill(&mut self, vertices: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.begins.clear();
        self.begins.resize(vertices + 2, 0);
        for (vertex, _) in pairs.clone() {
            self.begins[vertex as usize + 2] += 1;
        }
        for vertex in 2..self.begins.len() {
            self.begins[vertex] += self.begins[vertex - 1];
        }
        self.members.clear();
        self.members.resize(self.begins[vertices + 1], 0);
        for (vertex, neighbour) in pairs {
            let place = &mut self.begins[vertex as usize + 1];
            self.members[*place] = neighbour;
            *place += 1;
        }
    }
}

/// The links that remain when every word keeps at most `most`, the widest being dropped first; ties go by position.
pub fn prune_links(links: &mut Vec<[u32; 2]>, most: usize, source: usize, target: usize) {
    let mut degrees = [vec![0usize; source], vec![0usize; target]];
    links.sort_unstable_by_key(|&[from, to]| (from.abs_diff(to), from, to));
    links.retain(|&[from, to]| {
        let keep = degrees[0][from as usize] < most && degrees[1][to as usize] < most;
        if keep {
            degrees[0][from as usize] += 1;
            degrees[1][to as usize] += 1;
        }
        keep
    });
    links.sort_unstable();
}

/// The edges from parents (first) to children (second) that remain when every parent keeps its nearest `most` children.
pub fn prune_children(edges: &mut Vec<[u32; 2]>, most: usize) {
    edges.sort_unstable_by_key(|&[parent, child]| (parent, parent.abs_diff(child), child));
    let (mut last, mut count) = (u32::MAX, 0);
    edges.retain(|&[parent, _]| {
        count = if parent == last { count + 1 } else { 1 };
        last = parent;
        count <= most
    });
    edges.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_listed_in_order() {
        let mut found = Neighbours::default();
        found.fill(3, [(2, 5), (0, 1), (2, 4)].into_iter());
        assert_eq!((found.of(0), found.of(1), found.of(2)), (&[1][..], &[][..], &[5, 4][..]));
    }

    #[test]
    fn wide_links_go_first() {
        let mut links = vec![[0, 3], [0, 0], [1, 0], [2, 3]];
        prune_links(&mut links, 1, 4, 4);
        assert_eq!(links, [[0, 0], [2, 3]]);
        let mut edges = vec![[2, 0], [2, 1], [2, 4], [1, 3]];
        prune_children(&mut edges, 2);
        assert_eq!(edges, [[1, 3], [2, 0], [2, 1]]);
    }
}
