//! Heads, arguments and basic noun phrases by rules (Collins 1999, appendix A): the same as in Python, for forests.

use hashbrown::{HashMap, HashSet};

/// One way to look for a head among the categories of children.
#[derive(Debug, Clone)]
pub struct Search {
    /// From the left, or from the right.
    pub left: bool,
    /// How.
    pub how: How,
    /// Wanted categories.
    pub labels: Vec<String>,
}

/// How a head is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// For each category in turn.
    Each,
    /// For any of the categories.
    Any,
    /// Only the first child from this side.
    End,
}

impl Search {
    fn find(&self, children: &[&str]) -> Option<usize> {
        let last = children.len() - 1;
        let mut places = (0..children.len()).map(|at| if self.left { at } else { last - at });
        match self.how {
            How::Each => self.labels.iter().find_map(|label| places.clone().find(|&at| children[at] == label)),
            How::Any => places.find(|&at| self.labels.iter().any(|label| label == children[at])),
            How::End => places.next().filter(|&at| self.labels.iter().any(|label| label == children[at])),
        }
    }
}

/// The rules.
#[derive(Debug, Clone, Default)]
pub struct HeadRules {
    /// Searches of each category.
    pub searches: HashMap<String, Vec<Search>>,
    /// Whether phrases without a rule have their first child as head, or their last.
    pub other_left: bool,
    /// Categories of conjunctions.
    pub conjunctions: HashSet<String>,
    /// Categories that are arguments of a category.
    pub arguments: HashMap<String, HashSet<String>>,
    /// Categories whose first child after the head is an argument.
    pub after_head: HashSet<String>,
    /// Function tags of what is no argument.
    pub adjuncts: HashSet<String>,
    /// A category, what it is called if it is basic, and the category at the end of others of it that do not matter.
    pub base: Option<[String; 3]>,
}

/// A child as rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Child<'a> {
    /// Its label.
    pub label: &'a str,
    /// Whether it is a word with its tag.
    pub word: bool,
    /// The category of its last child.
    pub last: &'a str,
}

/// The label before its first hyphen; labels that begin with one are whole.
pub fn category(label: &str) -> &str {
    if label.starts_with('-') { label } else { label.split('-').next().unwrap_or(label) }
}

fn functions(label: &str) -> impl Iterator<Item = &str> {
    label.split('-').skip(if label.starts_with('-') { usize::MAX } else { 1 })
}

impl HeadRules {
    /// The category of basic phrases without their mark.
    fn plain<'a>(&'a self, category: &'a str) -> &'a str {
        self.base
            .as_ref()
            .map_or(category, |[base, called, _]| if category == called.as_str() { base.as_str() } else { category })
    }

    /// The place of the head among children.
    pub fn head(&self, parent: &str, children: &[Child<'_>]) -> usize {
        if children.len() < 2 {
            return 0;
        }
        let categories: Vec<&str> = children.iter().map(|child| self.plain(category(child.label))).collect();
        let searches = self.searches.get(self.plain(category(parent))).map_or(&[][..], Vec::as_slice);
        let left = searches.last().map_or(self.other_left, |search| search.left);
        let found = searches.iter().find_map(|search| search.find(&categories));
        let found = found.unwrap_or(if left { 0 } else { children.len() - 1 });
        if found > 1 && self.conjunctions.contains(categories[found - 1]) { found - 2 } else { found }
    }

    /// Which children are arguments.
    pub fn arguments(&self, parent: &str, children: &[Child<'_>], head: usize) -> Vec<bool> {
        let mut found = vec![false; children.len()];
        if children.iter().any(|child| self.conjunctions.contains(category(child.label))) {
            return found;
        }
        let parent = category(parent);
        if let Some(wanted) = self.arguments.get(parent) {
            for (at, child) in children.iter().enumerate().filter(|&(at, child)| at != head && !child.word) {
                let adjunct = functions(child.label).any(|function| self.adjuncts.contains(function));
                found[at] = wanted.contains(category(child.label)) && !adjunct;
            }
        }
        if self.after_head.contains(parent) && children.get(head + 1).is_some_and(|child| !child.word) {
            found[head + 1] = true;
        }
        found
    }

    /// Whether a phrase is basic: of the right category, and without another of it but possessives.
    pub fn is_base(&self, label: &str, children: &[Child<'_>]) -> bool {
        let Some([base, _, unless]) = &self.base else { return false };
        category(label) == base && !children.iter().any(|child| category(child.label) == base && child.last != unless)
    }

    /// The label of a basic phrase.
    pub fn based(&self, label: &str) -> String {
        self.base
            .as_ref()
            .map_or_else(|| label.to_owned(), |[base, called, _]| format!("{called}{}", &label[base.len()..]))
    }
}
