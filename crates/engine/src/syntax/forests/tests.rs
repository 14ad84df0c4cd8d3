//! Sums against sums over trees one by one, and what is refused.

use proptest::prelude::*;

use super::{Chosen, ConstituentForest, Edge, NONE, Node};
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
#[expect(clippy::needless_range_loop, reason = "the middle is an index of two tables")]
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

/// All trees with up to so many nodes, with their weights, by recursion over whole spellings.
fn all(forest: &ConstituentForest, node: u32, most: usize) -> Vec<(f64, Chosen)> {
    if most == 0 {
        return Vec::new();
    }
    if forest.is_word(node) {
        return vec![(0.0, vec![(node, NONE)])];
    }
    let mut found = Vec::new();
    for edge in forest.edges_of(node) {
        let mut partial = vec![(forest.edges[edge].score, vec![(node, edge as u32)])];
        for &child in forest.children_of(edge) {
            let mut longer = Vec::new();
            for (score, tree) in partial {
                for (more, below) in all(forest, child, most - tree.len().min(most)) {
                    let whole: Chosen = tree.iter().copied().chain(below).collect();
                    if whole.len() <= most {
                        longer.push((score + more, whole));
                    }
                }
            }
            partial = longer;
        }
        found.extend(partial);
    }
    found
}

fn shape(forest: &ConstituentForest, tree: &Chosen) -> Vec<(u32, u32)> {
    let parts = |edge: u32| if edge == NONE { 0 } else { forest.children_of(edge as usize).len() as u32 };
    tree.iter().map(|&(node, edge)| (forest.nodes[node as usize].label, parts(edge))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_best_are_the_best_of_all(forest in small()) {
        prop_assume!(forest.words.len() < 3);
        let mut wanted = all(&forest, forest.root, 9);
        wanted.sort_by(|one, two| two.0.total_cmp(&one.0));
        let mut seen = std::collections::HashSet::new();
        wanted.retain(|(_, tree)| seen.insert(shape(&forest, tree)));
        let found = forest.nbest(200).unwrap();
        prop_assert!((forest.best().unwrap().0 - found[0].0).abs() < 1e-12);
        prop_assert!(found.windows(2).all(|pair| pair[0].0 >= pair[1].0 - 1e-12));
        let shapes: std::collections::HashSet<_> = found.iter().map(|(_, tree)| shape(&forest, tree)).collect();
        prop_assert_eq!(shapes.len(), found.len());
        // What has up to nine nodes is listed, as long as it is better than the last one listed.
        let short: Vec<f64> = found.iter().filter(|(_, tree)| tree.len() <= 9).map(|found| found.0).collect();
        for (one, two) in short.iter().zip(&wanted) {
            prop_assert!((one - two.0).abs() < 1e-9, "{one} {}", two.0);
        }
        if found.len() < 200 {
            prop_assert_eq!(short.len(), wanted.len());
        }
    }

    #[test]
    fn pruning_keeps_what_is_probable(forest in small(), least in 0.0..0.6_f64) {
        let sums = forest.sums().unwrap();
        let kept = sums.edges.iter().filter(|&&expected| expected >= least && expected > 0.0).count();
        if let Some(pruned) = forest.pruned(least).unwrap() {
            prop_assert!(pruned.edges.len() <= kept);
            prop_assert!(pruned.log_inside() <= forest.log_inside() + 1e-9);
        }
        let all = forest.pruned(0.0).unwrap().unwrap();
        prop_assert!((all.log_inside() - forest.log_inside()).abs() < 1e-9);
    }
}

#[test]
fn trees_are_drawn_as_often_as_they_weigh() {
    let forest = built(2, &pair(-1.0, -0.5_f64.ln().abs()), 2).unwrap();
    let drawn = forest.sample(4000, 7).unwrap();
    assert_eq!(drawn, forest.sample(4000, 7).unwrap());
    // Half of the trees leave the circle at each turn.
    let turns: usize = drawn.iter().map(|tree| (tree.len() - 3) / 2).sum();
    assert!((turns as f64 / 4000.0 - 1.0).abs() < 0.1, "{turns}");
    let uses = forest.sums().unwrap().edges[1];
    assert!((uses - 1.0).abs() < 1e-9, "{uses}");
}
