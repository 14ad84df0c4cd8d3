//! The features of options, dense and sparse ones.

use super::{Options, Origin, TranslationOption};

impl Options<'_> {
    /// Adds the features of an option, language models and orientations left out, to a row.
    pub fn add_features(&self, option: &TranslationOption, row: &mut [f32]) {
        let own = self.model.own();
        match option.origin {
            Origin::Rule(..) | Origin::Mixed(_) => {
                for (source, rule) in self.rules_of(option.origin) {
                    let part = &self.model.sources()[source as usize];
                    let columns = 0..part.source.feature_names().len();
                    for column in columns.filter(|&column| part.is_static(column)) {
                        row[part.first_feature + column] += self.walk(source).feature(rule, column);
                    }
                }
                row[own.rules] += 1.0;
                row[own.words] += self.target(option).iter().filter(|symbol| !symbol.is_nonterminal()).count() as f32;
            }
            Origin::Copy(_) => {
                row[own.unknown] += 1.0;
                row[own.rules] += 1.0;
                row[own.words] += 1.0;
            }
            Origin::Given(number) => {
                row[own.given] += self.given[number as usize];
                row[own.rules] += 1.0;
                row[own.words] += self.target(option).len() as f32;
            }
            Origin::GlueFirst => {}
            Origin::GlueNext => row[own.glue] += 1.0,
        }
    }

    /// Adds the sparse features of an option to a list, by number.
    pub fn add_sparse(&self, option: &TranslationOption, found: &mut Vec<(u32, f32)>) {
        if !self.model.sparse().is_empty()
            && let Some((source, rule)) = self.rules_of(option.origin).next()
        {
            self.model.sparse().of_rule(source, &self.model.sources()[source as usize], rule, found);
        }
    }
}
