//! A forest as one line of JSON; `docs/forest.md` describes the keys.

use std::fmt::{Display, Write};

use super::{Forest, ForestRule, RuleKind};
use crate::grammar::Symbol;

/// The version of the format.
pub const VERSION: u32 = 1;

impl Forest {
    /// One line, without an end of line. The same forest gives the same bytes; numbers have as many digits as they need.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"tolka_forest\": {VERSION}, \"source\": ");
        strings(&mut out, &self.source);
        for (key, names) in [
            ("categories", &self.categories),
            ("features", &self.feature_names),
            ("sparse_features", &self.sparse_names),
        ] {
            let _ = write!(out, ", \"{key}\": ");
            strings(&mut out, names);
        }
        if !self.components.is_empty() {
            out.push_str(", \"components\": ");
            strings(&mut out, &self.components);
        }
        out.push_str(", \"rules\": ");
        list(&mut out, &self.rules, |out, rule| self.rule_json(out, rule));
        out.push_str(", \"nodes\": ");
        list(&mut out, self.labels(), |out, label| {
            let _ = write!(out, "[{}, {}, {}]", label.category, label.begin, label.end);
        });
        out.push_str(", \"edges\": ");
        list(&mut out, 0..self.edges() as u32, |out, edge| self.edge_json(out, edge));
        out.push('}');
        out
    }

    fn rule_json(&self, out: &mut String, rule: &ForestRule) {
        let _ = match rule.kind {
            RuleKind::Other => write!(out, "{{"),
            RuleKind::Grammar { table, rule } => write!(out, "{{\"kind\": \"rule\", \"id\": [{table}, {rule}], "),
            RuleKind::Copied => write!(out, "{{\"kind\": \"copied\", "),
            RuleKind::Given => write!(out, "{{\"kind\": \"given\", "),
            RuleKind::Glue => write!(out, "{{\"kind\": \"glue\", "),
        };
        let _ = write!(out, "\"lhs\": {}", rule.lhs);
        for (key, side) in [("source", &rule.source), ("target", &rule.target)] {
            let _ = write!(out, ", \"{key}\": ");
            list(out, side, |out, symbol| self.symbol_json(out, *symbol));
        }
        if !rule.links.is_empty() {
            out.push_str(", \"links\": ");
            list(out, &rule.links, |out, link| numbers(out, link));
        }
        if rule.spoken != 0 {
            out.push_str(", \"components\": ");
            let own: Vec<u32> = (0..u64::BITS).filter(|m| rule.spoken >> m & 1 == 1).collect();
            numbers(out, &own);
        }
        out.push('}');
    }

    fn symbol_json(&self, out: &mut String, symbol: Symbol) {
        match (symbol.as_word(), symbol.as_nonterminal()) {
            (Some(word), _) => string(out, &self.words[word as usize]),
            (_, Some(gap)) => {
                let _ = write!(out, "{gap}");
            }
            _ => {}
        }
    }

    fn edge_json(&self, out: &mut String, number: u32) {
        let edge = self.edge(number);
        let _ = write!(out, "{{\"head\": {}, \"tails\": ", edge.head);
        list(out, edge.tails(), |out, tail| {
            let _ = write!(out, "{tail}");
        });
        let _ = write!(out, ", \"rule\": {}, \"score\": {}", edge.rule, edge.score);
        let (span, label) = (self.span(number), self.label(edge.head));
        if span != [label.begin, label.end] {
            out.push_str(", \"span\": ");
            numbers(out, &span);
        }
        if !edge.features.is_empty() {
            out.push_str(", \"features\": ");
            numbers(out, edge.features);
        }
        if !edge.sparse.is_empty() {
            out.push_str(", \"sparse\": ");
            list(out, edge.sparse, |out, (name, value)| {
                let _ = write!(out, "[{name}, {value}]");
            });
        }
        out.push('}');
    }
}

fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut String, T)) {
    out.push('[');
    for (at, one) in items.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        item(out, one);
    }
    out.push(']');
}

fn numbers<T: Display>(out: &mut String, values: &[T]) {
    list(out, values, |out, value| {
        let _ = write!(out, "{value}");
    });
}

fn strings(out: &mut String, values: &[String]) {
    list(out, values, |out, value| string(out, value));
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Line ends of Unicode too: a forest is one line whoever reads it.
            c if c < ' ' || matches!(c, '\u{7f}' | '\u{85}' | '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
