//! Features of actions in their context: which words, rules and neighbours meet, hashed into tables of weights.
//!
//! They need not follow the forest: a rule is seen with the words that stand beside it by now, with its parent and with what
//! fills the parent's other gap. Each is there once, whatever the order in which a tree grew, so that whole trees have one
//! score. Weights are learnt (Gesmundo & Henderson 2014 wished for such features); all are 0 at first.

use super::forest::{Forest, HEAD, List};
use super::tree::{Action, Slot, Tree};
use crate::decode::chart::arena::NONE;
use crate::decode::input::Input;
use crate::decode::options::{Options, TranslationOption};
use crate::{Error, Result};

/// The tables, by what is hashed into them.
pub const TABLES: [&str; 8] = ["rule", "before", "behind", "first", "last", "join", "parent", "sibling"];
const RULE: usize = 0;
const BEFORE: usize = 1;
const BEHIND: usize = 2;
const FIRST: usize = 3;
const LAST: usize = 4;
const JOIN: usize = 5;
const PARENT: usize = 6;
const SIBLING: usize = 7;
/// How often an action may have a feature of each table.
const TIMES: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 2.0];
/// Between the name of a table and the place in it, in a feature's name.
const MARK: char = '#';
/// Most bits of a place.
pub const MOST_BITS: u32 = 20;
/// The print of what is not there.
const NOTHING: u32 = 0;

/// A number that stands for a word or a rule.
pub type Print = u32;

/// What is known of a rule's target side.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outline {
    /// All of it.
    pub rule: Print,
    /// Where its gaps are.
    shape: Print,
    /// The symbols at its ends: words, or gaps.
    ends: [Print; 2],
    /// The words at its ends, if they are, and those before and behind each gap of the source.
    words: [Print; 2],
    around: [[Print; 2]; 2],
    /// Whether it says nothing at all.
    empty: bool,
}

/// The weights of features in context.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    bits: u32,
    weights: Vec<f64>,
    /// The highest of each table, or 0.
    most: [f64; TABLES.len()],
    /// Prints of target words, by the model's ids.
    prints: Vec<Print>,
}

fn mix(one: u32, other: u32) -> u32 {
    let joined = (u64::from(one) << 32 | u64::from(other)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (joined ^ joined >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 32) as u32
}

/// The print of a word: the same in every model (FNV-1a; Fowler, Noll & Vo).
pub fn print(word: &str) -> Print {
    let hash = word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    mix(hash, word.len() as u32).max(1)
}

impl Context {
    /// No weights yet, for tables of 2 to the power of `bits` places.
    ///
    /// # Errors
    /// More bits than there may be.
    pub fn new<'w>(bits: u32, words: impl Iterator<Item = &'w str>) -> Result<Self> {
        if bits > MOST_BITS {
            return Err(Error::settings(format!("tables of 2^{bits} weights")).hint(format!("use 0 to {MOST_BITS}")));
        }
        let weights = vec![0.0; TABLES.len() << bits];
        Ok(Self { bits, weights, most: [0.0; TABLES.len()], prints: words.map(print).collect() })
    }

    /// How many features there are.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// The feature of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let (table, place) = name.split_once(MARK)?;
        let table = TABLES.iter().position(|known| *known == table)?;
        let place = usize::from_str_radix(place, 16).ok()?;
        (place >> self.bits == 0 && name == feature_name(self.bits, table << self.bits | place))
            .then_some(table << self.bits | place)
    }

    /// Takes other weights.
    pub fn set(&mut self, weights: &[f64]) {
        self.weights.copy_from_slice(weights);
        for (table, most) in self.most.iter_mut().enumerate() {
            *most = weights[table << self.bits..][..1 << self.bits].iter().copied().fold(0.0, f64::max);
        }
    }

    /// The most that features can add to what an option has wherever it stands.
    pub fn bound(&self) -> f64 {
        self.most.iter().zip(TIMES).skip(1).map(|(most, times)| most * times).sum()
    }

    /// The weight of a feature.
    #[inline]
    pub fn weight(&self, feature: u32) -> f64 {
        self.weights[feature as usize]
    }

    #[inline]
    fn place(&self, table: usize, one: Print, other: Print) -> u32 {
        let place = mix(one, other) & ((1 << self.bits) - 1);
        (table << self.bits) as u32 | place
    }

    /// The feature of a rule wherever it stands.
    #[inline]
    pub fn rule(&self, outline: &Outline) -> u32 {
        self.place(RULE, outline.rule, NOTHING)
    }

    fn print_of(&self, options: &Options<'_>, word: u32) -> Print {
        self.prints.get(word as usize).copied().unwrap_or_else(|| print(options.word(word)))
    }

    /// The outline of an option.
    pub fn outline(&self, options: &Options<'_>, option: &TranslationOption) -> Outline {
        let target = options.target(option);
        let mut outline = Outline { empty: target.is_empty(), ..Outline::default() };
        let mut before = NOTHING;
        let mut open: Option<usize> = None;
        for (at, symbol) in target.iter().enumerate() {
            // Gaps have prints of their own, which no word has by chance more often than words do.
            let (own, word) = match (symbol.as_word(), symbol.as_nonterminal()) {
                (Some(word), _) => {
                    let own = self.print_of(options, word);
                    (own, own)
                }
                (_, gap) => (mix(u32::MAX, gap.map_or(0, |gap| gap + 1)), NOTHING),
            };
            outline.rule = mix(outline.rule, own);
            if at == 0 {
                (outline.ends[0], outline.words[0]) = (own, word);
            }
            if let Some(gap) = open.take() {
                outline.around[gap][1] = word;
            }
            if let Some(gap) = symbol.as_nonterminal() {
                outline.shape = mix(outline.shape, own);
                outline.around[usize::from(gap != 0)][0] = before;
                open = Some(usize::from(gap != 0));
            } else if before == NOTHING {
                // A run of words counts once.
                outline.shape = mix(outline.shape, 1);
            }
            before = word;
            (outline.ends[1], outline.words[1]) = (own, word);
        }
        outline.rule = mix(outline.rule, u32::from(option.arity)).max(1);
        outline
    }

    /// Calls for each feature of an action but that of its rule.
    pub fn each(&self, scene: &Scene<'_>, action: &Action, mut found: impl FnMut(u32)) {
        let forest = scene.forest;
        let bundle = forest.bundle(action.bundle);
        let outline = forest.menus.outline(action.entry);
        let mut add = |table: usize, one: Print, other: Print| {
            if one != NOTHING && other != NOTHING {
                found(self.place(table, one, other));
            }
        };
        let [begin, end] = forest.node(bundle.head).span;
        let [before, first] = forest.beside(begin);
        let [last, behind] = forest.beside(end);
        add(BEFORE, before, outline.ends[0]);
        add(BEHIND, behind, outline.ends[1]);
        add(FIRST, first, outline.ends[0]);
        add(LAST, last, outline.ends[1]);
        match action.link {
            HEAD => {
                let [left, right] = scene.beside;
                if outline.empty {
                    add(JOIN, left, right);
                } else {
                    add(JOIN, left, outline.words[0]);
                    add(JOIN, outline.words[1], right);
                }
                if let Some((parent, other)) = scene.parent {
                    relate(parent, scene.gap, outline, &mut add);
                    if let Some(sibling) = other {
                        let [one, two] = if scene.gap == 0 { [outline, sibling] } else { [sibling, outline] };
                        add(SIBLING, mix(parent.shape, one.ends[0]), two.ends[0]);
                        add(SIBLING, mix(parent.shape, one.rule), two.rule);
                    }
                }
            }
            gap => {
                let Some(top) = scene.top else { return };
                let [before, behind] = outline.around[usize::from(gap)];
                let [left, right] = scene.beside;
                if scene.nothing {
                    add(JOIN, before, behind);
                } else {
                    add(JOIN, before, left);
                    add(JOIN, right, behind);
                }
                relate(outline, gap, top, &mut add);
            }
        }
    }

    /// What the features of an action come to, but for that of its rule.
    #[inline]
    pub fn score(&self, scene: &Scene<'_>, action: &Action) -> f64 {
        let mut sum = 0.0;
        self.each(scene, action, |feature| sum += self.weight(feature));
        sum
    }
}

/// A rule and what is in its gap.
fn relate(parent: &Outline, gap: u8, child: &Outline, add: &mut impl FnMut(usize, Print, Print)) {
    let gap = u32::from(gap) + 1;
    add(PARENT, mix(parent.rule, gap), child.rule);
    add(PARENT, mix(parent.rule, gap + 2), child.shape.max(1));
    add(PARENT, mix(parent.shape, gap + 4), child.rule);
    add(PARENT, mix(parent.ends[0], gap + 6), child.ends[0]);
}

/// What the actions of a slot see around them.
pub struct Scene<'a> {
    forest: &'a Forest,
    /// Words on either side of a gap, or the first and the last of all.
    beside: [Print; 2],
    /// Whether all there is says nothing.
    nothing: bool,
    /// Into a gap: the rule whose gap it is, and what fills its other one; and which gap.
    parent: Option<(&'a Outline, Option<&'a Outline>)>,
    gap: u8,
    /// The rule at the top of the tree.
    top: Option<&'a Outline>,
}

impl<'a> Scene<'a> {
    /// What there is around a slot.
    pub fn new(context: &Context, options: &Options<'_>, forest: &'a Forest, tree: &Tree, slot: &Slot) -> Self {
        let outline = |step: u32| forest.menus.outline(tree.steps()[step as usize].entry);
        let word = |word: Option<u32>| word.map_or(NOTHING, |word| context.print_of(options, word));
        let beside = tree.beside(slot).map(word);
        let parent = matches!(slot.list, List::Into(_)).then(|| {
            let tails = tree.steps()[slot.owner as usize].tails;
            let other = tails[1 - usize::from(slot.gap)];
            (outline(slot.owner), (other != NONE).then(|| outline(other)))
        });
        let top = matches!(slot.list, List::Out(_)).then(|| outline(tree.top()));
        Self { forest, beside, nothing: tree.is_silent(), parent, gap: slot.gap, top }
    }
}

/// The prints of the words before and behind each position of a sentence; nothing of a lattice.
pub fn beside(input: &Input, found: &mut Vec<[Print; 2]>) {
    found.clear();
    found.resize(input.last() + 1, [NOTHING; 2]);
    if let Some(words) = input.as_sentence() {
        for (at, word) in words.iter().enumerate() {
            let own = print(word);
            (found[at][1], found[at + 1][0]) = (own, own);
        }
        let edge = print("");
        found[0][0] = edge;
        found[words.len()][1] = edge;
    }
}

/// The name of a feature.
pub fn feature_name(bits: u32, feature: usize) -> String {
    format!("{}{MARK}{:x}", TABLES[feature >> bits], feature & ((1 << bits) - 1))
}

/// Whether a name is that of a feature in context.
pub fn is_hashed(name: &str) -> bool {
    name.contains(MARK)
}
