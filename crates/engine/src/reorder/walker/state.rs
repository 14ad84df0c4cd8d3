//! Where a walker is and what it has done; which actions are open to it.

use super::sentence::Sentence;
use crate::syntax::NONE;

/// Kinds of actions, as features know them.
pub const START: u8 = 0;
/// Emit the current word.
pub const EMIT: u8 = 1;
/// Go to the vertex above.
pub const UP: u8 = 2;
/// Go to a vertex below.
pub const DOWN: u8 = 3;

/// The state of a walker, with the memory that features look at.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Where it is.
    pub at: u32,
    /// The child it has come up from, if that was its last step.
    came: u32,
    /// The last two actions, the later first.
    pub actions: [u8; 2],
    /// The last two vertices visited before this one, the later first.
    pub trail: [u32; 2],
    /// The last two words emitted, the later first.
    pub last: [u32; 2],
    /// Which words are emitted.
    pub emitted: Vec<bool>,
    // Emitted words of each subtree; unfinished children on each side; visits.
    done: Vec<u32>,
    open: Vec<[u32; 2]>,
    visits: Vec<u32>,
    count: u32,
}

/// What a step changes beside the number of visits, to undo it.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: u32,
    came: u32,
    actions: [u8; 2],
    trail: [u32; 2],
}

impl State {
    /// Begins at the root of a sentence.
    pub fn start(&mut self, sentence: &Sentence) {
        let tree = &sentence.tree;
        let vertices = tree.vertices();
        self.at = tree.root();
        self.came = NONE;
        self.actions = [START; 2];
        self.trail = [NONE; 2];
        self.last = [NONE; 2];
        self.emitted.clear();
        self.emitted.resize(tree.words(), false);
        self.done.clear();
        self.done.resize(vertices, 0);
        self.visits.clear();
        self.visits.resize(vertices, 0);
        self.visits[self.at as usize] = 1;
        self.open.clear();
        self.open.extend((0..vertices as u32).map(|v| {
            let children = tree.children(v);
            let left = if tree.is_silent(v) { 0 } else { children.partition_point(|&child| child < v) };
            [left as u32, (children.len() - left) as u32]
        }));
        self.count = 0;
    }

    /// How many words are emitted.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Whether the current vertex may be emitted.
    #[must_use]
    pub fn can_emit(&self) -> bool {
        self.emitted.get(self.at as usize) == Some(&false)
    }

    /// Whether the walker may go up: not straight back, and only if something outside the subtree is left to emit.
    #[must_use]
    pub fn can_up(&self, sentence: &Sentence) -> bool {
        let tree = &sentence.tree;
        let left = tree.words() as u32 - self.count;
        tree.parent(self.at) != NONE
            && self.actions[0] != DOWN
            && left > tree.size(self.at) - self.done[self.at as usize]
    }

    /// Whether the walker may go down to a child: not straight back, and only if something is left to emit there.
    #[must_use]
    pub fn can_down(&self, sentence: &Sentence, child: u32) -> bool {
        child != self.came && self.done[child as usize] < sentence.tree.size(child)
    }

    /// The children it may go down to.
    pub fn open_children<'a>(&'a self, sentence: &'a Sentence) -> impl Iterator<Item = u32> + 'a {
        let children = sentence.tree.children(self.at);
        children.iter().copied().filter(|&child| self.can_down(sentence, child))
    }

    /// Whether the vertex is emitted, and all children on its left and on its right are finished.
    #[must_use]
    pub fn flags(&self, v: u32) -> u32 {
        let Some(&[left, right]) = self.open.get(v as usize) else {
            return 8;
        };
        let emitted = self.emitted.get(v as usize).copied().unwrap_or(true);
        u32::from(emitted) | u32::from(left == 0) << 1 | u32::from(right == 0) << 2
    }

    /// How often the vertex was visited, five at most.
    #[must_use]
    pub fn visits(&self, v: u32) -> u32 {
        self.visits.get(v as usize).map_or(6, |&visits| visits.min(5))
    }

    fn act(&mut self, action: u8) {
        self.actions = [action, self.actions[0]];
    }

    /// Goes to the vertex above or to one below.
    pub fn go(&mut self, sentence: &Sentence, to: u32) -> Mark {
        let mark = Mark { at: self.at, came: self.came, actions: self.actions, trail: self.trail };
        let up = sentence.tree.parent(self.at) == to;
        self.act(if up { UP } else { DOWN });
        self.came = if up { self.at } else { NONE };
        self.trail = [self.at, self.trail[0]];
        self.at = to;
        self.visits[to as usize] += 1;
        mark
    }

    /// Undoes a step.
    pub fn undo(&mut self, mark: Mark) {
        self.visits[self.at as usize] -= 1;
        self.at = mark.at;
        self.came = mark.came;
        self.actions = mark.actions;
        self.trail = mark.trail;
    }

    /// Emits the current word.
    pub fn emit(&mut self, sentence: &Sentence) {
        let tree = &sentence.tree;
        let word = self.at;
        self.act(EMIT);
        self.came = NONE;
        self.emitted[word as usize] = true;
        self.last = [word, self.last[0]];
        self.count += 1;
        let mut v = word;
        loop {
            self.done[v as usize] += 1;
            let parent = tree.parent(v);
            if parent == NONE {
                return;
            }
            if self.done[v as usize] == tree.size(v) {
                let side = usize::from(tree.is_silent(parent) || v > parent);
                self.open[parent as usize][side] -= 1;
            }
            v = parent;
        }
    }

    /// The next vertex on the way to a word that is not the current one.
    #[must_use]
    pub fn toward(&self, sentence: &Sentence, word: u32) -> u32 {
        let tree = &sentence.tree;
        if tree.is_within(word, self.at) { tree.branch(self.at, word) } else { tree.parent(self.at) }
    }

    /// Goes to a word and emits it.
    pub fn advance(&mut self, sentence: &Sentence, word: u32) {
        while self.at != word {
            let to = self.toward(sentence, word);
            self.go(sentence, to);
        }
        self.emit(sentence);
    }
}
