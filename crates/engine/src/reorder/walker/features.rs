//! Features of states, as numbers of hash buckets (Miceli Barone, section 4.2.4).
//!
//! What depends on the tree alone is kept apart from what changes with every step: the former is looked up once per
//! sentence. Three flags of a vertex (emitted, left finished, right finished) make one feature, and, joined with the last
//! action, products with syntax: a linear model cannot learn from them apart when a subtree is done.

use super::sentence::{COLUMNS, POS, RELATION, Sentence};
use super::state::State;

/// Turns features into buckets.
#[derive(Debug, Clone, Copy)]
pub struct Hasher {
    mask: u32,
}

impl Hasher {
    /// So many buckets, as a power of two.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self { mask: ((1_u64 << bits) - 1) as u32 }
    }

    fn bucket(self, template: u32, values: [u32; 3]) -> u32 {
        let mut hash = u64::from(template).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for value in values {
            hash = (hash ^ u64::from(value)).wrapping_mul(0xd6e8_feb8_6659_fd93);
            hash ^= hash >> 29;
        }
        (hash >> 7) as u32 & self.mask
    }
}

/// Collects the buckets of a state's features.
struct Sink<'a> {
    hasher: Hasher,
    template: u32,
    out: &'a mut Vec<u32>,
}

impl Sink<'_> {
    /// The next template's feature.
    fn add(&mut self, values: [u32; 3]) {
        self.out.push(self.hasher.bucket(self.template, values));
        self.template += 1;
    }

    fn one(&mut self, value: u32) {
        self.add([value, 0, 0]);
    }

    fn two(&mut self, first: u32, second: u32) {
        self.add([first, second, 0]);
    }
}

// Where each group of templates begins.
const STATIC: u32 = 0;
const DYNAMIC: u32 = 1000;
const PAIR: u32 = 2000;

/// Stage 1, the part that depends on the tree alone.
pub fn fixed(sentence: &Sentence, v: u32, hasher: Hasher, out: &mut Vec<u32>) {
    let mut sink = Sink { hasher, template: STATIC, out };
    let around = sentence.around(v);
    sink.one(0);
    for &vertex in &around {
        for column in 0..COLUMNS {
            sink.one(sentence.value(column, vertex));
        }
    }
    let (lemma, pos, relation) = (sentence.value(1, v), sentence.value(POS, v), sentence.value(RELATION, v));
    sink.two(lemma, pos);
    sink.two(lemma, relation);
    sink.two(pos, relation);
    for (at, &first) in around.iter().enumerate() {
        for &second in &around[at + 1..] {
            for column in [POS, RELATION] {
                sink.two(sentence.value(column, first), sentence.value(column, second));
            }
        }
    }
    for &other in &around[1..] {
        sink.two(pos, sentence.value(RELATION, other));
        sink.two(relation, sentence.value(POS, other));
    }
}

/// Stage 1, the part that changes with every step.
pub fn changing(sentence: &Sentence, state: &State, hasher: Hasher, out: &mut Vec<u32>) {
    let mut sink = Sink { hasher, template: DYNAMIC, out };
    let v = state.at;
    let around = sentence.around(v);
    for &vertex in &around {
        sink.one(state.flags(vertex));
        sink.one(state.visits(vertex));
    }
    let [first, second] = state.actions.map(u32::from);
    sink.one(first);
    sink.one(second);
    sink.two(first, second);
    for vertex in state.trail {
        sink.one(sentence.value(POS, vertex));
        sink.one(sentence.value(RELATION, vertex));
        sink.one(state.visits(vertex));
    }
    for vertex in state.last {
        sink.one(sentence.value(POS, vertex));
        sink.one(sentence.value(RELATION, vertex));
    }
    let [later, earlier] = state.last;
    for column in [POS, RELATION] {
        let own = sentence.value(column, v);
        sink.two(sentence.value(column, later), own);
        sink.add([sentence.value(column, earlier), sentence.value(column, later), own]);
    }
    // What is finished here and how the walker came, with what is around.
    let here = state.flags(v) << 2 | first;
    let (lemma, pos, relation) = (sentence.value(1, v), sentence.value(POS, v), sentence.value(RELATION, v));
    sink.one(here);
    sink.two(here, lemma);
    sink.two(here, pos);
    sink.two(here, relation);
    sink.add([here, pos, relation]);
    for &other in &around[1..] {
        sink.add([here, relation, sentence.value(RELATION, other)]);
        sink.add([here, pos, sentence.value(POS, other)]);
    }
    for vertex in [state.trail[0], later] {
        sink.add([here, relation, sentence.value(RELATION, vertex)]);
        sink.add([here, pos, sentence.value(POS, vertex)]);
    }
    let head = around[3];
    sink.add([here, state.flags(head), relation]);
    sink.add([here, state.flags(head), sentence.value(RELATION, head)]);
    // Which open children there are, by the nearest on each side and the first of all.
    let next = state.open_children(sentence).next().unwrap_or(super::sentence::END);
    sink.add([here, sentence.value(RELATION, next), relation]);
    sink.add([here, sentence.value(POS, next), pos]);
}

/// Stage 2: two children of the current vertex, the left one first.
pub fn pair(sentence: &Sentence, state: &State, first: u32, second: u32, hasher: Hasher, out: &mut Vec<u32>) {
    let mut sink = Sink { hasher, template: PAIR, out };
    let v = state.at;
    sink.one(0);
    for vertex in [v, first, second] {
        sink.one(state.flags(vertex));
        sink.one(state.visits(vertex));
    }
    sink.add([state.flags(v), state.flags(first), state.flags(second)]);
    sink.one(state.visits(first) * 8 + state.visits(second));
    for a in 0..COLUMNS {
        sink.one(sentence.value(a, first));
        sink.one(sentence.value(a, second));
        for b in 0..COLUMNS {
            sink.two(sentence.value(a, first), sentence.value(b, second));
        }
    }
    for (a, b) in [(first, second), (first, v), (second, v)] {
        sink.one(bin(a, b));
    }
    sink.add([sentence.value(RELATION, first), sentence.value(RELATION, second), state.flags(v)]);
    let vertices = [first, second, v, sentence.head(v), state.last[0], state.last[1], state.trail[0], state.trail[1]];
    for column in [POS, RELATION] {
        let values = vertices.map(|vertex| sentence.value(column, vertex));
        for a in 0..values.len() {
            for b in a + 1..values.len() {
                for c in b + 1..values.len() {
                    sink.add([values[a], values[b], values[c]]);
                }
            }
        }
    }
    for vertex in [first, second] {
        for beside in [sentence.left(vertex), sentence.right(vertex)] {
            for column in 0..COLUMNS {
                sink.one(sentence.value(column, beside));
            }
        }
    }
}

/// The distance between two vertices with its sign, in bins that grow.
fn bin(a: u32, b: u32) -> u32 {
    let far = a.abs_diff(b);
    let size = if far <= 5 { far } else { 5 + far.ilog2() };
    2 * size + u32::from(a < b)
}
