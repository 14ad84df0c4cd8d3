//! Files of classifiers, there and back, and damaged in every way we know.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::tests::{examples, row, settings};
use super::*;
use crate::files::reseal::reseal;
use crate::files::{Container, ContainerWriter, Verify};
use crate::{Kind, Result};

fn bytes(classifiers: &Classifiers) -> Vec<u8> {
    let mut out = ContainerWriter::in_memory(KIND, 1).unwrap();
    classifiers.write(&mut out).unwrap();
    out.into_bytes().unwrap()
}

fn open(bytes: &[u8]) -> Result<Classifiers> {
    Classifiers::from_container(&Container::from_bytes(bytes, Some(KIND), Verify::Full)?)
}

/// Two classifiers: a tree of two tests after an unsplit root, and one without trees.
fn small() -> Classifiers {
    let fields = vec![Field::symbols(0, 2), Field::number(2)];
    let nodes = vec![
        Node::leaf(),
        Node { field: 0, value: 3, yes: 2, no: 3 },
        Node::leaf(),
        Node { field: 1, value: 1_f32.to_bits(), yes: 4, no: 5 },
        Node::leaf(),
        Node::leaf(),
    ];
    let weights = vec![0.5, 0.1, 0.25, 0.2, -1.0, 0.0];
    let snapshots = vec![Snapshot { penalty: 0.2, trees: 1 }, Snapshot { penalty: 0.1, trees: 2 }];
    let one = Ensemble::from_parts(fields.clone(), nodes, weights, vec![0, 1], snapshots).unwrap();
    Classifiers::new(&fields, vec![(9, Ensemble::empty(&fields)), (4, one)]).unwrap()
}

/// Uses everything.
fn exercise(classifiers: &Classifiers) {
    let row = vec![3; slots(classifiers.fields())];
    for (key, trees) in classifiers.iter() {
        assert!(classifiers.get(key).is_some());
        for snapshot in 0..=trees.snapshots.len() {
            assert!(!trees.score(&row, snapshot).is_nan());
            let residual = trees.specialise(snapshot, |field| (field == 0).then_some(&row[..]));
            assert!(!residual.score(&row).is_nan());
        }
        let _ = trees.mass(0);
    }
    let _ = classifiers.mass(0.1);
}

#[test]
fn a_file_is_opened_as_it_was_saved() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.tlk");
    small().save(&path).unwrap();
    let opened = Classifiers::open(&path).unwrap();
    assert_eq!(opened.keys(), [4, 9]);
    let trees = opened.get(4).unwrap();
    assert_eq!(trees.to_ensemble(), small().get(4).unwrap().to_ensemble());
    assert_eq!(trees.score(&[0, 3, 0], 1), 0.75);
    assert_eq!(trees.score(&[0, 0, 2_f32.to_bits()], 1), -0.5);
    assert_eq!(trees.score(&[0, 3, 0], 0), 0.5);
    exercise(&opened);
    let none = Classifiers::new(&[], Vec::new()).unwrap();
    assert!(open(&bytes(&none)).unwrap().is_empty());
    let error = Classifiers::open(&directory.path().join("none")).unwrap_err();
    assert_eq!(error.kind, Kind::File);
}

/// Where a section is in a file.
fn place(bytes: &[u8], name: &str) -> usize {
    let file = Container::from_bytes(bytes, Some(KIND), Verify::Full).unwrap();
    file.sections().iter().find(|section| section.name == name).unwrap().offset as usize
}

#[test]
fn each_check_behind_the_checksums_holds() {
    let refusal = |section: &str, at: usize, put: &[u8]| {
        let mut bytes = bytes(&small());
        let at = place(&bytes, section) + at;
        bytes[at..at + put.len()].copy_from_slice(put);
        reseal(&mut bytes);
        let error = open(&bytes).unwrap_err();
        assert_eq!(error.kind, Kind::Format);
        error.to_string()
    };
    let node = |at: usize, part: usize, value: u32| refusal("tree-nodes", at * 16 + part * 4, &value.to_le_bytes());
    assert!(refusal("tree-fields", 8, &[2]).contains("field 0 is neither"));
    assert!(refusal("tree-fields", 4, &[0]).contains("width"));
    assert!(refusal("tree-fields", 12 + 4, &[2]).contains("field 1 has a width"));
    assert!(refusal("tree-fields", 0, &[255; 4]).contains("beyond the longest row"));
    assert!(refusal("tree-keys", 0, &[9]).contains("not in order"));
    assert!(refusal("tree-begins", 0, &[1]).contains("do not fit each other"));
    assert!(refusal("tree-begins", 24, &[7]).contains("do not fit each other"));
    assert!(refusal("tree-begins", 24, &[5]).contains("classifier 4: tree 1"));
    assert!(refusal("tree-begins", 48, &[5]).contains("do not fit each other"));
    assert!(refusal("tree-roots", 0, &[1]).contains("first tree does not begin"));
    assert!(refusal("tree-roots", 4, &[2]).contains("tree 0: it does not end"));
    assert!(refusal("tree-roots", 4, &[77]).contains("tree 0: it goes beyond"));
    assert!(node(1, 0, 2).contains("node 1 asks field 2, which there is not"));
    assert!(node(1, 1, 0).contains("a test that its field does not allow"));
    assert!(node(3, 1, f32::NAN.to_bits()).contains("a test that its field does not allow"));
    assert!(node(1, 2, 1).contains("not followed by its yes"));
    assert!(node(1, 3, 4).contains("not followed by the no that is due"));
    assert!(node(1, 3, 1).contains("not followed by the no that is due"));
    assert!(node(2, 1, 1).contains("a leaf with a test"));
    assert!(node(5, 0, 0).contains("a test that its field does not allow"));
    assert!(refusal("tree-weights", 8, &f64::NAN.to_le_bytes()).contains("the weight of node 1"));
    assert!(refusal("tree-snapshots", 0, &0.05_f64.to_le_bytes()).contains("snapshots do not fit"));
    assert!(refusal("tree-snapshots", 0, &f64::INFINITY.to_le_bytes()).contains("snapshots do not fit"));
    assert!(refusal("tree-snapshots", 8, &[3]).contains("snapshots do not fit"));
    assert!(refusal("tree-snapshots", 24, &[3]).contains("snapshots do not fit"));
}

proptest! {
    #[test]
    fn scores_are_the_same_after_reading(
        all in vec(examples(20), 1..4), settings in settings(), rows in vec(row(), 1..8),
    ) {
        let keyed: Vec<_> = all.into_iter().enumerate().map(|(at, each)| (at as u64, each)).collect();
        let fields = keyed[0].1.fields;
        let made = train_all(fields, &keyed, &settings, None).unwrap();
        let opened = open(&bytes(&made)).unwrap();
        for ((_, one), (_, other)) in made.iter().zip(opened.iter()) {
            for (row, snapshot) in rows.iter().flat_map(|row| (0..one.snapshots.len()).map(move |at| (row, at))) {
                prop_assert_eq!(one.score(row, snapshot).to_bits(), other.score(row, snapshot).to_bits());
            }
        }
    }

    #[test]
    fn what_opens_can_be_used(
        damage in vec((any::<Index>(), prop_oneof![any::<u32>(), 0..8_u32, Just(u32::MAX)]), 1..5), cut in any::<Index>(),
        cuts in 0..8_u32,
    ) {
        let mut bytes = bytes(&small());
        if cuts == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let words = bytes.len() / 4;
        for (at, value) in damage.into_iter().filter(|_| words > 0) {
            let at = at.index(words) * 4;
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        reseal(&mut bytes);
        match open(&bytes) {
            Ok(classifiers) => exercise(&classifiers),
            Err(error) => prop_assert!(matches!(error.kind, Kind::Format | Kind::Limit), "{error:?}"),
        }
    }
}
