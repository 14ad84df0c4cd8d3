//! Hierarchies of grammars from a line of text: `filter, filter : cost + cost`.

use super::super::seen::Bilingual;
use super::{Classified, Fertilities, Fuses, InLexicon, Labels, LogLinear, PseudoItg, TreeFilter};
use crate::parse::{Additive, Grammar, Sequential};
use crate::{Error, Result};

/// A grammar that a hierarchy may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Only what is part of a given multitree.
    Tree,
    /// What links and brackets allow, and what they cost.
    Itg,
    /// Only what is in the lexicon.
    Lexicon,
    /// What fuses cost.
    Fuses,
    /// What fertilities cost.
    Fertility,
    /// What classifiers say.
    Classifiers,
    /// What statistics, a language model and classifiers say, each by its weight.
    LogLinear,
    /// What the reference says.
    Labels,
}

const NAMES: [(&str, Part); 8] = [
    ("tree", Part::Tree),
    ("itg", Part::Itg),
    ("lexicon", Part::Lexicon),
    ("fuses", Part::Fuses),
    ("fertility", Part::Fertility),
    ("classifiers", Part::Classifiers),
    ("loglinear", Part::LogLinear),
    ("labels", Part::Labels),
];

/// Filters one after the other, and costs that add up (a sequential composite whose last part is an additive one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// Each may forbid.
    pub filters: Vec<Part>,
    /// What passes costs the sum of these.
    pub costs: Vec<Part>,
}

impl Hierarchy {
    /// Reads `tree, itg, lexicon : itg + fertility`; the filters may be left out with their colon.
    ///
    /// # Errors
    /// A name that is no grammar, or no cost.
    pub fn parse(text: &str) -> Result<Self> {
        let (filters, costs) = text.split_once(':').unwrap_or(("", text));
        let part = |name: &str| {
            let known = NAMES.iter().find(|(known, _)| *known == name.trim());
            known.map(|(_, part)| *part).ok_or_else(|| {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                let what = format!("unknown grammar `{}` in `{text}`", name.trim());
                Error::settings(what).hint(format!("grammars are {}", names.join(", ")))
            })
        };
        let filters = filters.split(',').filter(|name| !name.trim().is_empty()).map(part).collect::<Result<_>>()?;
        Ok(Self { filters, costs: costs.split('+').map(part).collect::<Result<_>>()? })
    }

    /// Puts it together.
    ///
    /// # Errors
    /// A part that is not there.
    pub fn build<'a, L: Bilingual + 'a>(
        &self,
        mut have: impl FnMut(Part) -> Option<AnyPart<'a>>,
    ) -> Result<Built<'a, L>> {
        let mut take = |part: &Part| {
            have(*part).map(AnyPart::boxed::<L>).ok_or_else(|| {
                let name = NAMES.iter().find(|(_, known)| known == part).map_or("", |(name, _)| name);
                Error::settings(format!("a hierarchy has the grammar `{name}`, but there is none"))
            })
        };
        let filters = self.filters.iter().map(&mut take).collect::<Result<Vec<_>>>()?;
        let last = Additive(self.costs.iter().map(&mut take).collect::<Result<Vec<_>>>()?);
        Ok(Sequential { filters, last })
    }
}

/// A hierarchy put together.
pub type Built<'a, L> = Sequential<Additive<Boxed<'a, L>>, Boxed<'a, L>>;
/// Any grammar.
pub type Boxed<'a, L> = Box<dyn Grammar<L> + Send + 'a>;

/// A grammar of a hierarchy.
#[derive(Debug)]
pub enum AnyPart<'a> {
    /// See [`Part::Tree`].
    Tree(TreeFilter),
    /// See [`Part::Itg`].
    Itg(PseudoItg<'a>),
    /// See [`Part::Lexicon`].
    Lexicon(InLexicon<'a>),
    /// See [`Part::Fuses`].
    Fuses(Fuses<'a>),
    /// See [`Part::Fertility`].
    Fertility(Fertilities<'a>),
    /// See [`Part::Classifiers`].
    Classifiers(Box<Classified<'a>>),
    /// See [`Part::LogLinear`].
    LogLinear(Box<LogLinear<'a>>),
    /// See [`Part::Labels`].
    Labels(Box<Labels<'a>>),
}

impl<'a> AnyPart<'a> {
    fn boxed<L: Bilingual + 'a>(self) -> Boxed<'a, L> {
        match self {
            Self::Tree(grammar) => Box::new(grammar),
            Self::Itg(grammar) => Box::new(grammar),
            Self::Lexicon(grammar) => Box::new(grammar),
            Self::Fuses(grammar) => Box::new(grammar),
            Self::Fertility(grammar) => Box::new(grammar),
            Self::Classifiers(grammar) => grammar,
            Self::LogLinear(grammar) => grammar,
            Self::Labels(grammar) => grammar,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_are_read() {
        let read = Hierarchy::parse("tree, itg : itg + fertility").unwrap();
        assert_eq!(read.filters, [Part::Tree, Part::Itg]);
        assert_eq!(read.costs, [Part::Itg, Part::Fertility]);
        assert!(Hierarchy::parse("classifiers").unwrap().filters.is_empty());
        for wrong in ["", "tree :", "tree, tee : itg", "itg + "] {
            assert!(Hierarchy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
