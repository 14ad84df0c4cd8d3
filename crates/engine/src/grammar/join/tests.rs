//! Joins that no file of another system can ask for; the others are compared with dictionaries in Python.

use super::{How, JoinSettings, join, look_up};
use crate::corpus::vocabulary::Vocabulary;
use crate::files::Verify;
use crate::grammar::{Rule, Symbol, Table, TableBuilder, pattern};

/// A table of rules from one word to another.
fn table(categories: &[&str], words: [&[&str]; 2], rules: &[(u32, u32)]) -> Table {
    let names = categories.iter().map(|&name| name.to_owned()).collect();
    let mut builder = TableBuilder::new(vec!["phrase_ef".to_owned()], names).unwrap();
    for &(source, target) in rules {
        let rule = Rule {
            lhs: 0,
            source: &[Symbol::word(source)],
            target: &[Symbol::word(target)],
            features: &[-1.0],
            links: &[[0, 0]],
            counts: [1.0; 3],
        };
        builder.push(&rule).unwrap();
    }
    let [source, target] = words.map(|words| Vocabulary::from_words(words.iter().copied()).unwrap());
    builder.build(&source, &target).unwrap()
}

fn settings(how: How) -> JoinSettings {
    JoinSettings { how, floor: 1e-6, exact: true }
}

fn joined(tables: [&Table; 2], how: How) -> crate::Result<Vec<(String, String)>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("joined.tbl");
    let tables = [("one".to_owned(), tables[0]), ("two".to_owned(), tables[1])];
    let written = join(&tables, &settings(how), &path, &|_| true)?;
    let made = Table::open(&path, Verify::Full)?;
    assert_eq!(written as usize, made.len());
    Ok((0..made.len() as u32).map(|rule| (pattern::source(&made, rule), pattern::target(&made, rule))).collect())
}

#[test]
fn words_meet_by_their_spelling() {
    let one = table(&["X"], [&["a", "b"], &["u"]], &[(3, 3), (4, 3)]);
    let two = table(&["X", "S"], [&["c", "b"], &["v", "u"]], &[(3, 3), (4, 4)]);
    let all = joined([&one, &two], How::Union).unwrap();
    assert_eq!(all, [("a", "u"), ("b", "u"), ("c", "v")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(joined([&one, &two], How::Intersection).unwrap(), [("b".to_owned(), "u".to_owned())]);
    let rows = look_up(&one, &[&two]).unwrap();
    assert!(rows.features[0][0].is_nan() && rows.features[0][1] == -1.0);
    assert_eq!(rows.counts, [1.0, 1.0]);
}

#[test]
fn a_rule_that_is_there_twice_is_told() {
    let one = table(&["X"], [&["a"], &["u"]], &[(3, 3)]);
    let twice = table(&["X"], [&["a"], &["u"]], &[(3, 3), (3, 3)]);
    for how in [How::Union, How::Intersection, How::FillUp, How::Linear([(); 4].map(|()| vec![0.5; 2]))] {
        assert!(joined([&one, &twice], how).unwrap_err().what.contains("the table two has a rule twice"));
    }
}

#[test]
fn translations_must_be_of_one_category() {
    let one = table(&["X"], [&["a"], &["u"]], &[(3, 3)]);
    let other = table(&["Y", "X"], [&["a"], &["u"]], &[(3, 3)]);
    assert!(joined([&one, &other], How::Union).unwrap_err().what.contains("categories"));
    assert!(look_up(&one, &[&other]).unwrap_err().what.contains("categories"));
}

#[test]
fn work_that_is_stopped_leaves_nothing() {
    let one = table(&["X"], [&["a"], &["u"]], &[(3, 3)]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("joined.tbl");
    let tables = [("one".to_owned(), &one), ("two".to_owned(), &one)];
    assert!(join(&tables, &settings(How::Union), &path, &|_| false).unwrap_err().what.contains("stopped"));
    assert!(!path.exists());
}
