//! Sums against sums over trees one by one, and what is refused.

use proptest::prelude::*;

use super::{ConstituentForest, Edge, Node};
use crate::{Kind, Result};

/// Label, first and last word, and for each edge its score and children.
type Plan = (u32, u32, u32, Vec<(f64, Vec<u32>)>);

fn built(words: usize, plan: &[Plan], root: u32) -> Result<ConstituentForest> {
    let (mut nodes, mut edges, mut children) = (Vec::new(), Vec::new(), Vec::new());
    for (node, (label, begin, end, ways)) in plan.iter().enumerate() {
        let first = edges.len() as u32;
        for (score, parts) in ways {
            let begin = children.len() as u32;
            children.extend(parts);
            edges.push(Edge { node: node as u32, children: begin..children.len() as u32, score: *score });
        }
        nodes.push(Node { label: *label, begin: *begin, end: *end, head: *begin, edges: first..edges.len() as u32 });
    }
    let labels = ["A", "B", "C", "T"].map(str::to_owned).to_vec();
    ConstituentForest::new((0..words).map(|word| format!("w{word}")).collect(), labels, nodes, edges, children, root)
}

/// Sums over all trees of up to so many unary steps on a circle: for each node its total, and of edges the uses in whole trees.
fn by_turns(forest: &ConstituentForest) -> (Vec<f64>, Vec<f64>) {
    let count = forest.nodes.len();
    let mut inside = vec![0.0; count];
    let product = |inside: &[f64], edge: usize| {
        forest.edges[edge].score.exp()
            * forest.children_of(edge).iter().map(|&child| inside[child as usize]).product::<f64>()
    };
    for _ in 0..3000 {
        inside = (0..count as u32)
            .map(|node| match forest.is_word(node) {
                true => 1.0,
                false => forest.edges_of(node).map(|edge| product(&inside, edge)).sum(),
            })
            .collect();
    }
    let mut uses = vec![0.0; forest.edges.len()];
    let mut expected = vec![0.0; count];
    for _ in 0..3000 {
        let mut next = vec![0.0; count];
        next[forest.root as usize] = 1.0;
        for (edge, use_) in uses.iter_mut().enumerate() {
            let parent = forest.edges[edge].node as usize;
            *use_ = if inside[parent] > 0.0 { expected[parent] * product(&inside, edge) / inside[parent] } else { 0.0 };
            forest.children_of(edge).iter().for_each(|&child| next[child as usize] += *use_);
        }
        expected = next;
    }
    (inside, uses)
}

/// Forests over up to three words, with two phrases over every span that may go in circles.
fn small() -> impl Strategy<Value = ConstituentForest> {
    let score = -3.0..0.0_f64;
    (1..4_usize, prop::collection::vec((score, any::<u32>()), 60)).prop_map(|(words, dice)| {
        let mut plan: Vec<Plan> = (0..words as u32).map(|word| (3, word, word + 1, Vec::new())).collect();
        let mut over: Vec<Vec<Vec<u32>>> = vec![vec![Vec::new(); words + 1]; words];
        (0..words).for_each(|word| over[word][word + 1].push(word as u32));
        let mut dice = dice.into_iter().cycle();
        let mut roll = move || dice.next().unwrap();
        for width in 1..=words {
            for begin in 0..=words - width {
                let end = begin + width;
                let first = plan.len() as u32;
                for own in 0..2_u32 {
                    let mut ways = Vec::new();
                    for &tag in &over[begin][end] {
                        ways.push((roll().0, vec![tag]));
                    }
                    for middle in begin + 1..end {
                        for &left in &over[begin][middle] {
                            for &right in &over[middle][end] {
                                let (score, kept) = roll();
                                if kept % 3 > 0 || own == 0 {
                                    ways.push((score, vec![left, right]));
                                }
                            }
                        }
                    }
                    for other in 0..2 {
                        let (score, kept) = roll();
                        if kept % 2 == 0 {
                            ways.push((score - 0.8, vec![first + other]));
                        }
                    }
                    plan.push((own, begin as u32, end as u32, ways));
                }
                over[begin][end].extend([first, first + 1]);
            }
        }
        let root = plan.len() as u32 - 2;
        built(words, &plan, root).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_those_of_trees_one_by_one(forest in small()) {
        let (inside, uses) = by_turns(&forest);
        let sums = forest.sums().unwrap();
        for (found, wanted) in forest.inside().iter().zip(inside) {
            prop_assert!((found.exp() - wanted).abs() <= 1e-8 * wanted, "{} {wanted}", found.exp());
        }
        for (found, wanted) in sums.edges.iter().zip(uses) {
            prop_assert!((found - wanted).abs() <= 1e-8 + 1e-6 * wanted, "{found} {wanted}");
        }
        // A node is there as often as one of its edges.
        for (node, &found) in sums.nodes.iter().enumerate().filter(|&(node, _)| !forest.is_word(node as u32)) {
            let own: f64 = sums.edges[forest.edges_of(node as u32)].iter().sum();
            prop_assert!((found - own).abs() < 1e-9);
        }
    }

    #[test]
    fn deltas_add_up(forest in small(), delta in -2.0..0.0_f64) {
        let deltas = vec![delta; forest.edges.len()];
        let zeros = vec![0.0; forest.edges.len()];
        prop_assert_eq!(&forest.reweighted(&zeros).unwrap(), &forest);
        let back: Vec<f64> = deltas.iter().map(|delta| -delta).collect();
        let again = forest.reweighted(&deltas).unwrap().reweighted(&back).unwrap();
        prop_assert!((again.log_inside() - forest.log_inside()).abs() < 1e-9);
    }
}

fn pair(score: f64, around: f64) -> Vec<Plan> {
    vec![
        (3, 0, 1, vec![]),
        (3, 1, 2, vec![]),
        (0, 0, 2, vec![(score, vec![0, 1]), (around, vec![3])]),
        (1, 0, 2, vec![(0.0, vec![2])]),
    ]
}

#[test]
fn circles_that_weigh_too_much_are_refused() {
    assert!((built(2, &pair(-1.0, -0.5_f64.ln().abs()), 2).unwrap().log_inside() - (-1.0 + 2_f64.ln())).abs() < 1e-12);
    for around in [0.0, 1e-30, 3.0] {
        let error = built(2, &pair(-1.0, around), 2).unwrap_err();
        assert!(error.what.contains("weighs 1 or more"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |change: &dyn Fn(&mut Vec<Plan>), root: u32, what: &str| {
        let mut plan = pair(-1.0, -1.0);
        change(&mut plan);
        let error = built(2, &plan, root).unwrap_err();
        assert_eq!(error.kind, Kind::Input);
        assert!(error.what.contains(what), "{error}");
    };
    refused(&|_| (), 9, "no root");
    refused(&|_| (), 0, "not over all words");
    refused(&|plan| plan[0].0 = 9, 2, "label");
    refused(&|plan| plan[1].2 = 3, 2, "none of the sentence");
    refused(&|plan| plan[2].3[0].1 = vec![0, 7], 2, "no node");
    refused(&|plan| plan[2].3[0].1 = vec![0], 2, "leave words out");
    refused(&|plan| plan[2].3[0].1 = vec![0, 0], 2, "leave words out");
    refused(&|plan| plan[2].3[0].1 = vec![], 2, "no children");
    refused(&|plan| plan[2].3[0].0 = f64::NAN, 2, "no logarithm");
    refused(&|plan| plan[2].3[0].0 = f64::INFINITY, 2, "no logarithm");
    refused(&|plan| plan[2].3[0].0 = f64::NEG_INFINITY, 2, "no tree");
    refused(&|plan| drop(plan[2].3.remove(0)), 2, "no tree");
    refused(&|plan| plan[3].3.clear(), 2, "several words but no edge");
    assert!(built(0, &[], 0).unwrap_err().what.contains("no words"));
    assert!(built(1001, &[], 0).unwrap_err().kind == Kind::Limit);
    let forest = built(2, &pair(-1.0, -1.0), 2).unwrap();
    assert!(forest.reweighted(&[0.0]).is_err() && forest.reweighted(&[f64::NAN; 3]).is_err());
    assert!(forest.reweighted(&[f64::NEG_INFINITY; 3]).is_err());
}
