//! Hypergraphs grown in any order, against those that were grown in order and against their lists of edges.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::hypergraph::{Hypergraph, NO_NODE};
use super::walk::reachable;
use super::{Edge, Forest, ForestBuilder, ForestRule, NodeLabel};
use crate::grammar::Symbol;

/// Edges: head, tails, score.
type Edges = Vec<(u32, Vec<u32>, i8)>;

/// How many nodes, and edges with tails before their heads; the goal is the last node.
fn acyclic() -> impl Strategy<Value = (u32, Edges)> {
    (1_u32..7).prop_flat_map(|nodes| {
        let edge = (0..nodes).prop_flat_map(|head| {
            let tails = prop::collection::vec(0..head.max(1), if head == 0 { 0..1 } else { 0..3 });
            (Just(head), tails, -9_i8..3)
        });
        (Just(nodes), prop::collection::vec(edge, 0..12))
    })
}

fn any_graph() -> impl Strategy<Value = (u32, Edges)> {
    (1_u32..7).prop_flat_map(|nodes| {
        let edge = (0..nodes, prop::collection::vec(0..nodes, 0..3), -9_i8..3);
        (Just(nodes), prop::collection::vec(edge, 0..12))
    })
}

fn tails(list: &[u32]) -> [u32; 2] {
    [list.first().copied().unwrap_or(NO_NODE), list.get(1).copied().unwrap_or(NO_NODE)]
}

fn graph(nodes: u32, edges: &Edges) -> Hypergraph<u32, i8> {
    let mut graph = Hypergraph::new();
    (0..nodes).for_each(|node| {
        graph.add_node(node);
    });
    for (head, from, score) in edges {
        graph.add_edge(*head, tails(from), *score);
    }
    graph
}

/// A builder with the edges added in their order, nodes by `place`; rules tell edges apart.
fn grow(nodes: u32, edges: &Edges, place: &[u32]) -> ForestBuilder {
    let mut builder = ForestBuilder::new(vec!["X".into()], Vec::new());
    let mut labels = vec![0; nodes as usize];
    (0..nodes).for_each(|node| labels[place[node as usize] as usize] = node);
    for end in labels {
        builder.node(NodeLabel { category: 0, begin: 0, end });
    }
    for (head, from, score) in edges {
        let word = Symbol::word(builder.word(&format!("{head} {from:?} {score}")));
        let source = from.iter().map(|_| Symbol::nonterminal(0)).chain([word]).collect();
        let target = (0..from.len() as u32).map(Symbol::nonterminal).chain([word]).collect();
        let rule = builder.rule(ForestRule { source, target, ..ForestRule::default() });
        let moved: Vec<u32> = from.iter().map(|&tail| place[tail as usize]).collect();
        let (head, tails) = (place[*head as usize], tails(&moved));
        builder.edge(&Edge { head, tails, rule, score: f64::from(*score), features: &[], sparse: &[] }).unwrap();
    }
    builder
}

/// The derivations of a node: what they say, and their scores, by enumeration of edges.
fn derivations(edges: &Edges, node: u32) -> Vec<(Vec<String>, i32)> {
    let mut all = Vec::new();
    for (head, from, score) in edges.iter().filter(|(head, _, _)| *head == node) {
        let mut partial = vec![(Vec::new(), i32::from(*score))];
        for &tail in from {
            let inner = derivations(edges, tail);
            let join = |(words, sum): &(Vec<String>, i32)| -> Vec<(Vec<String>, i32)> {
                inner.iter().map(|(more, score)| ([words.clone(), more.clone()].concat(), sum + score)).collect()
            };
            partial = partial.iter().flat_map(join).collect();
        }
        all.extend(partial.into_iter().map(|(mut words, sum)| {
            words.push(format!("{head} {from:?} {score}"));
            (words, sum)
        }));
    }
    all
}

/// Those of a forest, by the enumeration of its own edges.
fn derivations_of(forest: &Forest, node: u32) -> Vec<(Vec<String>, i32)> {
    let mut all = Vec::new();
    for number in forest.incoming(node) {
        let edge = forest.edge(number);
        let mut partial = vec![(Vec::new(), edge.score as i32)];
        for tail in edge.tails() {
            let inner = derivations_of(forest, tail);
            let join = |(words, sum): &(Vec<String>, i32)| -> Vec<(Vec<String>, i32)> {
                inner.iter().map(|(more, score)| ([words.clone(), more.clone()].concat(), sum + score)).collect()
            };
            partial = partial.iter().flat_map(join).collect();
        }
        let own = forest.rule(number).target.iter().find_map(|symbol| symbol.as_word()).unwrap();
        all.extend(partial.into_iter().map(|(mut words, sum)| {
            words.push(forest.words()[own as usize].clone());
            (words, sum)
        }));
    }
    all
}

fn count(edges: &Edges, nodes: u32) -> f64 {
    let mut sums = vec![0.0; nodes as usize];
    for node in 0..nodes {
        let into = edges.iter().filter(|(head, _, _)| *head == node);
        sums[node as usize] =
            into.map(|(_, from, _)| from.iter().map(|&tail| sums[tail as usize]).product::<f64>()).sum();
    }
    sums.last().copied().unwrap_or(0.0)
}

proptest! {
    #[test]
    fn what_grows_in_any_order_is_frozen_to_the_same_derivations(
        (nodes, edges, place, order) in acyclic().prop_flat_map(|(nodes, edges)| {
            let places = Just((0..nodes).collect::<Vec<u32>>()).prop_shuffle();
            let order = Just((0..edges.len()).collect::<Vec<usize>>()).prop_shuffle();
            (Just(nodes), Just(edges), places, order)
        }),
    ) {
        prop_assume!(count(&edges, nodes) < 2000.0);
        let mut wanted = derivations(&edges, nodes - 1);
        wanted.sort();
        let shuffled: Edges = order.iter().map(|&at| edges[at].clone()).collect();
        let forest = grow(nodes, &shuffled, &place).freeze(place[nodes as usize - 1]).unwrap();
        let mut found = forest.goal().map_or_else(Vec::new, |goal| derivations_of(&forest, goal));
        found.sort();
        prop_assert_eq!(&found, &wanted);
        // Tails come before heads, and every edge and rule is in a derivation.
        for edge in 0..forest.edges() as u32 {
            prop_assert!(forest.edge(edge).tails().all(|tail| tail < forest.edge(edge).head));
        }
        let words = |list: &[(Vec<String>, i32)]| list.iter().flat_map(|(words, _)| words.clone()).collect::<std::collections::BTreeSet<_>>();
        prop_assert_eq!(words(&found).len(), forest.rules().len());
        // What is in order stays in it: freezing leaves nodes and edges out, and moves none.
        let identity: Vec<u32> = (0..nodes).collect();
        let frozen = grow(nodes, &edges, &identity).freeze(nodes - 1).unwrap();
        let whole = grow(nodes, &edges, &identity).finish().unwrap();
        prop_assert_eq!(&whole.filtered(|_| true), &frozen);
        let ends: Vec<u32> = (0..frozen.nodes() as u32).map(|node| frozen.label(node).end).collect();
        prop_assert!(ends.is_sorted());
        for node in 0..whole.nodes() as u32 {
            let own: Vec<f64> = whole.incoming(node).map(|edge| whole.edge(edge).score).collect();
            let given = edges.iter().filter(|(head, _, _)| *head == node).map(|(_, _, score)| f64::from(*score));
            prop_assert_eq!(own, given.collect::<Vec<f64>>());
        }
    }

    #[test]
    fn cycles_are_found((nodes, edges) in any_graph()) {
        let graph = graph(nodes, &edges);
        let goal = nodes - 1;
        let needed = graph.needed(goal);
        // The sets by fixed points: derivable from below, then needed from above.
        let mut derivable = vec![false; nodes as usize];
        for _ in 0..nodes {
            for (head, from, _) in &edges {
                derivable[*head as usize] |= from.iter().all(|&tail| derivable[tail as usize]);
            }
        }
        let usable = |from: &[u32]| from.iter().all(|&tail| derivable[tail as usize]);
        let mut wanted = vec![false; nodes as usize];
        wanted[goal as usize] = derivable[goal as usize];
        let mut below = vec![false; nodes as usize];
        below[goal as usize] = true;
        for _ in 0..nodes {
            for (head, from, _) in &edges {
                for &tail in from {
                    wanted[tail as usize] |= wanted[*head as usize] && usable(from);
                    below[tail as usize] |= below[*head as usize];
                }
            }
        }
        prop_assert_eq!(&needed.nodes, &wanted);
        prop_assert_eq!(reachable(&graph, goal), below);
        for (at, (head, from, _)) in edges.iter().enumerate() {
            prop_assert_eq!(needed.edges[at], wanted[*head as usize] && usable(from));
        }
        // A cycle is a path from a node to itself over what is needed.
        let mut above = vec![vec![false; nodes as usize]; nodes as usize];
        for _ in 0..nodes {
            for (_, (head, from, _)) in edges.iter().enumerate().filter(|(at, _)| needed.edges[*at]) {
                for &tail in from {
                    let higher = above[*head as usize].clone();
                    above[tail as usize].iter_mut().zip(higher).for_each(|(own, is)| *own |= is);
                    above[tail as usize][*head as usize] = true;
                }
            }
        }
        let on_cycle = |node: &u32| above[*node as usize][*node as usize];
        match graph.topological(goal) {
            Ok(order) => {
                prop_assert!(!(0..nodes).any(|node| on_cycle(&node)));
                let places: BTreeMap<u32, usize> = order.iter().copied().zip(0..).collect();
                prop_assert_eq!(places.len(), wanted.iter().filter(|&&is| is).count());
                for (at, (head, from, _)) in edges.iter().enumerate().filter(|(at, _)| needed.edges[*at]) {
                    prop_assert!(from.iter().all(|tail| places[tail] < places[head]), "edge {}", at);
                }
            }
            Err(error) => {
                let text = error.to_string();
                let named = (0..nodes).find(|node| text.contains(&format!("node {node} of a hypergraph is made of itself")));
                prop_assert!(named.is_some_and(|node| on_cycle(&node)), "{}", text);
            }
        }
    }

    #[test]
    fn outgoing_is_the_inverse_of_incoming((nodes, edges) in any_graph()) {
        let graph = graph(nodes, &edges);
        let outgoing = graph.outgoing();
        for node in 0..nodes {
            let out: Vec<u32> = (0_u32..).zip(&edges)
                .flat_map(|(at, (_, from, _))| from.iter().filter(|&&tail| tail == node).map(move |_| at))
                .collect();
            prop_assert_eq!(outgoing.of(node), &out[..]);
            for edge in graph.incoming(node) {
                prop_assert_eq!(outgoing.head(edge), node);
                for tail in graph.tails(edge).into_iter().filter(|&tail| tail != NO_NODE) {
                    prop_assert!(outgoing.of(tail).contains(&edge));
                }
            }
        }
    }

    /// Against a list for each node.
    #[test]
    fn edges_stand_where_they_are_put(
        steps in prop::collection::vec((0_u8..3, 0_u32..3, -9_i8..9), 0..30), keep in any::<bool>(),
    ) {
        let mut placed: Hypergraph<(), u32, 1> = Hypergraph::new();
        let mut offered: Hypergraph<i8, i8, 1> = Hypergraph::new();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); 3];
        let mut ways: Vec<Vec<i8>> = vec![Vec::new(); 3];
        // Memory is kept, and nothing else.
        for node in 0..3 {
            placed.add_node(());
            placed.add_edge(node, [0], 7);
        }
        placed.clear();
        for _ in 0..3 {
            placed.add_node(());
            offered.add_node(i8::MIN);
        }
        for (number, &(how, head, score)) in (0_u32..).zip(&steps) {
            let list = &mut lists[head as usize];
            match how {
                0 => {
                    placed.add_edge(head, [number], number);
                    list.push(number);
                }
                1 => {
                    placed.add_first(head, [number], number);
                    list.insert(0, number);
                }
                _ => {
                    placed.add_second(head, [number], number);
                    list.insert(list.len().min(1), number);
                }
            }
            let better = score > *offered.node(head);
            if better {
                *offered.node_mut(head) = score;
            }
            let added = offered.offer(head, [number], score, better, keep);
            prop_assert_eq!(added.is_some(), keep || better);
            let ways = &mut ways[head as usize];
            match (keep, better) {
                (true, true) => ways.insert(0, score),
                (true, false) => ways.insert(1, score),
                (false, true) => *ways = vec![score],
                (false, false) => {}
            }
        }
        for node in 0..3_u32 {
            let found: Vec<u32> = placed.incoming(node).map(|edge| *placed.edge(edge)).collect();
            prop_assert_eq!(placed.first(node), found.first().copied());
            prop_assert_eq!(&found, &lists[node as usize]);
            prop_assert!(placed.incoming(node).all(|edge| placed.tails(edge) == [*placed.edge(edge)]));
            let found: Vec<i8> = offered.incoming(node).map(|edge| *offered.edge(edge)).collect();
            prop_assert_eq!(&found, &ways[node as usize]);
        }
    }
}

#[test]
fn wrong_edges_and_goals_are_refused() {
    let mut builder = grow(2, &vec![(0, vec![], 0), (1, vec![0], 0), (0, vec![1], 0)], &[0, 1]);
    let edge = |head: u32, tails: [u32; 2]| Edge { head, tails, rule: 0, score: 0.0, features: &[], sparse: &[] };
    for wrong in [edge(2, [NO_NODE; 2]), edge(0, [5, NO_NODE]), edge(0, [1, NO_NODE])] {
        assert!(builder.edge(&wrong).is_err());
    }
    assert!(builder.freeze(1).unwrap_err().to_string().contains("made of itself"));
    let in_a_ring = || grow(2, &vec![(0, vec![], 0), (1, vec![0], 0), (0, vec![1], 0)], &[0, 1]);
    assert!(in_a_ring().freeze(2).unwrap_err().to_string().contains("not there"));
    assert!(in_a_ring().finish().unwrap_err().to_string().contains("do not come before"));
    // A ring that nothing ends has no derivations, and does no harm.
    let forest = grow(3, &vec![(0, vec![1], 0), (1, vec![0], 0), (2, vec![0], 0), (2, vec![], 1)], &[0, 1, 2]);
    let forest = forest.freeze(2).unwrap();
    assert_eq!((forest.nodes(), forest.edges()), (1, 1));
}

#[test]
fn a_long_chain_is_frozen_without_recursion() {
    let edges: Edges = (0..100_000).map(|node| (node, if node == 0 { vec![] } else { vec![node - 1] }, -1)).collect();
    let place: Vec<u32> = (0..100_000).rev().collect();
    let forest = grow(100_000, &edges, &place).freeze(place[99_999]).unwrap();
    assert_eq!(forest.nodes(), 100_000);
    assert_eq!(forest.label(0).end, 0);
}

#[test]
fn words_keep_the_ids_of_the_model() {
    let mut builder = ForestBuilder::new(vec!["X".into()], Vec::new());
    let [the, house] = [builder.known_word(17, "the"), builder.word("Haus")];
    assert_eq!(builder.known_word(17, "never looked at"), the);
    // A word that came as text first gets its id when that is known.
    assert_eq!(builder.known_word(4, "Haus"), house);
    let new = builder.word("new");
    let forest = builder.finish().unwrap();
    assert_eq!(forest.words(), ["the", "Haus", "new"]);
    assert_eq!(forest.word_ids(), [17, 4, super::NO_WORD]);
    assert_eq!(new, 2);
    let joined = forest.union(&forest).unwrap();
    assert_eq!(joined.word_ids().len(), joined.words().len());
}
