//! Sparse features: what rules look like, as many small features with names of their own.
//!
//! Templates make the features; which there are depends on the tables. All of them have numbers, so that decoders
//! never spell a name: names are made for n-best lists and forests, and looked up when weights are set. A rule's sparse
//! features depend on nothing but the rule, so they are part of what an option scores on its own.

use hashbrown::HashMap;

use super::model::ModelSource;
use super::options::{Options, TranslationOption};
use crate::corpus::vocabulary::Vocabulary;
use crate::forest::ForestBuilder;
use crate::grammar::{Side, Symbol, Table};
use crate::{Error, Result};

/// Which sparse features there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Templates {
    /// Words that translate each other, `pair:haus~house`, for so many words of each side, those in most rules; other
    /// words are `<rare>`, and words without a link pair with `<none>`. 0 for none.
    pub word_pair: usize,
    /// The order of words and gaps, `shape:w1~1w`.
    pub rule_shape: bool,
    /// How often the rule was counted, `count:2`, `count:4-7`.
    pub rule_count: bool,
}

/// The most words of a side that pairs tell apart.
pub const MOST_PAIR_WORDS: usize = 10_000;

const RARE: &str = "<rare>";
const NONE: &str = "<none>";
/// The classes of words: rare ones, none, and then the frequent ones.
const RARE_CLASS: u32 = 0;
const NONE_CLASS: u32 = 1;

/// Shapes of source sides: words or not before, between and behind gaps, of which there are 0, 1 or 2.
const SOURCE_SHAPES: u32 = 24;
/// Shapes of target sides: words or not in three places, and whether gaps swap.
const TARGET_SHAPES: u32 = 16;
/// Counts below 1, of 1, 2 and 3, and then between powers of 2.
const COUNTS: u32 = 24;

/// Words with classes.
#[derive(Debug, Clone, Default)]
struct Classes {
    /// The names of the classes.
    names: Vec<String>,
    ids: HashMap<String, u32>,
}

impl Classes {
    /// The classes of the words in most rules; ties in the order of words.
    fn new(counts: HashMap<&str, u64>, most: usize) -> Self {
        let mut sorted: Vec<(&str, u64)> = counts.into_iter().collect();
        sorted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let words = sorted.into_iter().map(|(word, _)| word).filter(|word| ![RARE, NONE].contains(word)).take(most);
        let names: Vec<String> = [RARE, NONE].into_iter().chain(words).map(str::to_owned).collect();
        let ids = (0..).zip(&names).map(|(id, name)| (name.clone(), id)).collect();
        Self { names, ids }
    }

    fn len(&self) -> u32 {
        self.names.len() as u32
    }

    /// The class of every word of a vocabulary.
    fn of(&self, words: &Vocabulary) -> Vec<u32> {
        let class = |id| match words.word(id) {
            RARE | NONE => RARE_CLASS,
            word => self.ids.get(word).copied().unwrap_or(RARE_CLASS),
        };
        (0..words.len() as u32).map(class).collect()
    }
}

/// The sparse features of a model.
#[derive(Debug, Clone, Default)]
pub struct Sparse {
    templates: Templates,
    source: Classes,
    target: Classes,
    /// For each table the classes of its words.
    source_of: Vec<Vec<u32>>,
    target_of: Vec<Vec<u32>>,
}

impl Sparse {
    /// The features of templates over tables.
    ///
    /// # Errors
    /// More words than [`MOST_PAIR_WORDS`], or rules that are not all in tables.
    pub fn new(templates: Templates, sources: &[ModelSource]) -> Result<Self> {
        let mut sparse = Self { templates, ..Self::default() };
        let tables: Option<Vec<&Table>> = sources.iter().map(|part| part.source.as_table()).collect();
        let Some(tables) = tables.filter(|_| !sparse.is_empty()) else {
            if sparse.is_empty() {
                return Ok(sparse);
            }
            return Err(Error::settings("rules that are found on demand have no sparse features")
                .hint("leave sparse features out, or use a table"));
        };
        if templates.word_pair > MOST_PAIR_WORDS {
            let most = templates.word_pair;
            return Err(Error::settings(format!("pairs of {most} words, more than {MOST_PAIR_WORDS}")));
        }
        if templates.word_pair == 0 {
            return Ok(sparse);
        }
        let (mut source, mut target) = (HashMap::new(), HashMap::new());
        let mut symbols = Vec::new();
        for table in &tables {
            for node in 0..table.nodes() as u32 {
                let rules = table.rules(node);
                if rules.is_empty() {
                    continue;
                }
                symbols.clear();
                table.source_of_node(node, &mut symbols);
                for word in symbols.iter().filter_map(|symbol| symbol.as_word()) {
                    *source.entry(table.source_words().word(word)).or_default() += u64::from(rules.end - rules.start);
                }
                let mut sides = table.sides(rules.start);
                symbols.clear();
                rules.map_while(|_| sides.target(&mut symbols)).for_each(drop);
                for word in symbols.iter().filter_map(|symbol| symbol.as_word()) {
                    *target.entry(table.target_words().word(word)).or_default() += 1;
                }
            }
        }
        sparse.source = Classes::new(source, templates.word_pair);
        sparse.target = Classes::new(target, templates.word_pair);
        sparse.source_of = tables.iter().map(|table| sparse.source.of(table.source_words())).collect();
        sparse.target_of = tables.iter().map(|table| sparse.target.of(table.target_words())).collect();
        Ok(sparse)
    }

    /// Whether there are any.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.templates == Templates::default()
    }

    /// The templates.
    pub fn templates(&self) -> Templates {
        self.templates
    }

    fn pairs(&self) -> u32 {
        self.source.len() * self.target.len()
    }

    /// Adds the features of a rule to a list, by number.
    pub fn of_rule(&self, number: u32, part: &ModelSource, rule: u32, found: &mut Vec<(u32, f32)>) {
        let Some(table) = part.source.as_table() else { return };
        let mut source = Vec::new();
        if self.templates.word_pair > 0 || self.templates.rule_shape {
            table.source(rule, &mut source);
        }
        let Side { target, links, .. } = &table.side(rule);
        if self.templates.word_pair > 0 {
            let (sources, targets) = (&self.source_of[number as usize], &self.target_of[number as usize]);
            let mut add = |from: u32, to: u32| found.push((from * self.target.len() + to, 1.0));
            let class = |side: &[Symbol], classes: &[u32], at: u8| {
                side.get(usize::from(at)).and_then(|symbol| symbol.as_word()).map(|word| classes[word as usize])
            };
            for &[from, to] in links {
                if let (Some(from), Some(to)) = (class(&source, sources, from), class(target, targets, to)) {
                    add(from, to);
                }
            }
            for at in (0..source.len() as u8).filter(|at| links.iter().all(|link| link[0] != *at)) {
                class(&source, sources, at).into_iter().for_each(|from| add(from, NONE_CLASS));
            }
            for at in (0..target.len() as u8).filter(|at| links.iter().all(|link| link[1] != *at)) {
                class(target, targets, at).into_iter().for_each(|to| add(NONE_CLASS, to));
            }
        }
        if self.templates.rule_shape {
            found.push((self.pairs() + shape(&source) * TARGET_SHAPES + target_shape(target), 1.0));
        }
        if self.templates.rule_count && table.has_counts() {
            found.push((self.pairs() + SOURCE_SHAPES * TARGET_SHAPES + bucket(table.counts(rule)[2]), 1.0));
        }
    }

    /// A feature's name.
    pub fn name(&self, feature: u32) -> String {
        if feature < self.pairs() {
            let (from, to) = (feature / self.target.len(), feature % self.target.len());
            return format!("pair:{}~{}", self.source.names[from as usize], self.target.names[to as usize]);
        }
        let feature = feature - self.pairs();
        if feature < SOURCE_SHAPES * TARGET_SHAPES {
            let source = feature / TARGET_SHAPES;
            return format!("shape:{}~{}", source_name(source), target_name(source / 8, feature % TARGET_SHAPES));
        }
        format!("count:{}", bucket_name(feature - SOURCE_SHAPES * TARGET_SHAPES))
    }

    /// The number of a feature with a name, if the templates make it.
    pub fn find(&self, name: &str) -> Option<u32> {
        let (template, rest) = name.split_once(':')?;
        match template {
            "pair" if self.templates.word_pair > 0 => {
                // Words may have the sign in them.
                rest.match_indices('~').find_map(|(at, _)| {
                    let (from, to) = (self.source.ids.get(&rest[..at])?, self.target.ids.get(&rest[at + 1..])?);
                    Some(from * self.target.len() + to)
                })
            }
            "shape" if self.templates.rule_shape => {
                let all = self.pairs()..self.pairs() + SOURCE_SHAPES * TARGET_SHAPES;
                // One gap cannot swap.
                let exists = |feature: u32| {
                    let shape = feature - self.pairs();
                    shape / TARGET_SHAPES >= 16 || shape % TARGET_SHAPES < 8
                };
                all.into_iter().find(|&feature| exists(feature) && self.name(feature) == name)
            }
            "count" if self.templates.rule_count => {
                let first = self.pairs() + SOURCE_SHAPES * TARGET_SHAPES;
                (first..first + COUNTS).find(|&feature| self.name(feature) == name)
            }
            _ => None,
        }
    }
}

/// How many gaps a side has, and where its words are: before, between and behind them.
fn layout(side: &[Symbol]) -> (u32, u32) {
    let (mut gaps, mut places) = (0, 0);
    for symbol in side {
        match symbol.is_nonterminal() {
            true => gaps += 1,
            false => places |= 1 << gaps,
        }
    }
    (gaps, places)
}

fn shape(source: &[Symbol]) -> u32 {
    let (gaps, places) = layout(source);
    gaps * 8 + places
}

fn target_shape(target: &[Symbol]) -> u32 {
    let swaps = target.iter().find_map(|symbol| symbol.as_nonterminal()) == Some(1);
    layout(target).1 + if swaps { 8 } else { 0 }
}

fn source_name(shape: u32) -> String {
    spelled(shape / 8, shape % 8, false)
}

fn target_name(gaps: u32, shape: u32) -> String {
    spelled(gaps, shape % 8, shape >= 8)
}

fn spelled(gaps: u32, places: u32, swaps: bool) -> String {
    let mut name = String::new();
    for place in 0..=gaps {
        if place > 0 {
            name.push(if (place == 1) == swaps { '2' } else { '1' });
        }
        if places & 1 << place != 0 {
            name.push('w');
        }
    }
    name
}

fn bucket(count: f32) -> u32 {
    match count {
        count if count < 1.0 => 0,
        count if count < 4.0 => count as u32,
        count => (2 + (count as u64).ilog2()).min(COUNTS - 1),
    }
}

fn bucket_name(bucket: u32) -> String {
    match bucket {
        0 => "<1".to_owned(),
        1..=3 => bucket.to_string(),
        _ if bucket == COUNTS - 1 => format!("{}+", 1_u64 << (bucket - 2)),
        _ => format!("{}-{}", 1_u64 << (bucket - 2), (1_u64 << (bucket - 1)) - 1),
    }
}

/// Adds up features that come more than once, sorted by number.
pub fn add_up(found: &mut Vec<(u32, f32)>) {
    found.sort_unstable_by_key(|&(feature, _)| feature);
    found.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// Numbers of a forest's sparse features for those of the model, so that each name is spelled once.
#[derive(Debug, Default)]
pub struct SparseNames {
    known: HashMap<u32, u32>,
    found: Vec<(u32, f32)>,
}

impl SparseNames {
    /// The sparse features of an option, as the forest numbers them.
    pub fn of(
        &mut self,
        builder: &mut ForestBuilder,
        options: &Options<'_>,
        option: &TranslationOption,
    ) -> &[(u32, f32)] {
        self.found.clear();
        options.add_sparse(option, &mut self.found);
        add_up(&mut self.found);
        for (feature, _) in &mut self.found {
            let name = || builder.sparse_feature(&options.model().sparse().name(*feature));
            *feature = *self.known.entry(*feature).or_insert_with(name);
        }
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{Rule, TableBuilder};

    fn model() -> super::super::Model {
        let source = Vocabulary::from_words(["das", "ha~us", "x"]).unwrap();
        let target = Vocabulary::from_words(["the", "house", "~"]).unwrap();
        let mut builder = TableBuilder::new(vec!["tm".into()], vec!["X".into()]).unwrap();
        let (word, gap) = (|id: u32| Symbol::word(id + 3), Symbol::nonterminal);
        let rules = [
            (vec![word(0)], vec![word(0)], vec![[0, 0]], 1.0),
            (vec![word(0), word(1)], vec![word(0), word(1)], vec![[0, 0], [1, 1]], 5.0),
            (vec![word(1)], vec![word(1), word(2)], vec![[0, 0]], 0.5),
            (vec![gap(0), word(1), gap(0)], vec![gap(1), gap(0), word(0)], Vec::new(), 3e9),
        ];
        for (source, target, links, count) in &rules {
            let rule = Rule { lhs: 0, source, target, features: &[-1.0], links, counts: [1.0, 1.0, *count] };
            builder.push(&rule).unwrap();
        }
        let table = builder.build(&source, &target).unwrap();
        super::super::Model::new(vec![("t".into(), std::sync::Arc::new(table))], Vec::new()).unwrap()
    }

    fn names(templates: Templates) -> Vec<Vec<String>> {
        let model = model();
        let sparse = Sparse::new(templates, model.sources()).unwrap();
        let of = |rule| {
            let mut found = Vec::new();
            sparse.of_rule(0, &model.sources()[0], rule, &mut found);
            for &(feature, _) in &found {
                assert_eq!(sparse.find(&sparse.name(feature)), Some(feature));
            }
            found.into_iter().map(|(feature, _)| sparse.name(feature)).collect()
        };
        (0..4).map(of).collect()
    }

    #[test]
    fn templates_make_names() {
        assert_eq!(
            names(Templates { word_pair: 2, ..Templates::default() }),
            [
                vec!["pair:das~the"],
                vec!["pair:ha~us~house", "pair:<none>~<rare>"],
                vec!["pair:das~the", "pair:ha~us~house"],
                vec!["pair:ha~us~<none>", "pair:<none>~the"],
            ]
        );
        let shapes = names(Templates { rule_shape: true, ..Templates::default() }).concat();
        assert_eq!(shapes, ["shape:w~w", "shape:w~w", "shape:w~w", "shape:1w2~21w"]);
        let counts = names(Templates { rule_count: true, ..Templates::default() }).concat();
        assert_eq!(counts, ["count:1", "count:<1", "count:4-7", "count:2097152+"]);
        assert!(names(Templates::default()).concat().is_empty());
    }

    #[test]
    fn unknown_names_are_not_found() {
        let model = model();
        let all = Templates { word_pair: 2, rule_shape: true, rule_count: true };
        let sparse = Sparse::new(all, model.sources()).unwrap();
        for name in
            ["pair:x~the", "pair:das~~", "pair:das", "shape:ww~w", "shape:1~2", "count:5", "count:", "lm", "a:b"]
        {
            assert_eq!(sparse.find(name), None, "{name}");
        }
        let most = Templates { word_pair: MOST_PAIR_WORDS + 1, ..all };
        assert!(Sparse::new(most, model.sources()).is_err());
    }

    #[test]
    fn features_that_come_twice_add_up() {
        let mut found = vec![(3, 1.0), (1, 1.0), (3, 2.0)];
        add_up(&mut found);
        assert_eq!(found, [(1, 1.0), (3, 3.0)]);
    }
}
