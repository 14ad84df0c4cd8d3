//! What comes as plain arrays: forests, pre-orderers, reservoirs.

use tolka_engine::forest::inside::{expected_uses, inside};
use tolka_engine::forest::kbest::KBest;
use tolka_engine::forest::min_merge::MinMerge;
use tolka_engine::forest::ngrams::Ngrams;
use tolka_engine::forest::parts::{Parts, RuleParts, SideSymbol};
use tolka_engine::forest::semiring::LogSum;
use tolka_engine::forest::{Forest, RuleKind};
use tolka_engine::reorder::recurrent::model::Parameters;
use tolka_engine::reorder::recurrent::sentence::Dictionaries;
use tolka_engine::reorder::recurrent::shape::TENSORS;
use tolka_engine::reorder::recurrent::{Cell, Corpus as Sentences, Model as Recurrent, Profile, Shape};
use tolka_engine::reorder::walker::sentence::COLUMNS;
use tolka_engine::reorder::walker::{Corpus, Model, beam, greedy, likelihood};
use tolka_engine::rerank::{Graph, Network, Settings, phrases};

use super::damage::Choices;

/// A number that fits, or now and then one that does not.
fn near(choices: &mut Choices<'_>, below: usize) -> u32 {
    match choices.byte() {
        255 => choices.number() as u32,
        byte => u32::from(byte) % (below.max(1) as u32).saturating_add(u32::from(byte > 240)),
    }
}

fn symbols(choices: &mut Choices<'_>, gaps: u32) -> Vec<SideSymbol> {
    let mut side = vec![SideSymbol::Word(["a", "b", "c"][choices.below(3)].to_owned())];
    side.extend((0..gaps).map(SideSymbol::Gap));
    if choices.byte() > 250 {
        side.push(SideSymbol::Gap(near(choices, 2)));
    }
    if choices.byte().is_multiple_of(2) {
        side.reverse();
    }
    side
}

/// A forest in parts, as they come from JSON.
pub fn forest(bytes: &[u8]) {
    const NO_NODE: u32 = u32::MAX;
    let mut choices = Choices(bytes);
    let mut parts = Parts {
        source: ["x", "y", "z"].map(str::to_owned).to_vec(),
        categories: vec!["X".to_owned(), "S".to_owned()],
        feature_names: vec!["f".to_owned()],
        sparse_names: vec!["s".to_owned()],
        components: vec!["one".to_owned(), "two".to_owned()],
        sparse_begins: vec![0],
        ..Parts::default()
    };
    for gaps in 0..3 {
        let (source, target) = (symbols(&mut choices, gaps), symbols(&mut choices, gaps));
        let links = vec![[near(&mut choices, 1) as u8, near(&mut choices, 1) as u8]; usize::from(gaps == 0)];
        let (kind, lhs) = (RuleKind::Other, near(&mut choices, 2));
        // Nearly always components that there are.
        let spoken =
            if choices.byte() > 250 { u64::from(near(&mut choices, 64)) << 2 } else { choices.below(4) as u64 };
        parts.rules.push(RuleParts { kind, lhs, source, target, links, spoken });
    }
    let nodes = 2 + choices.below(6);
    for _ in 0..nodes {
        let begin = near(&mut choices, 3);
        parts.nodes.push([near(&mut choices, 2), begin, begin.saturating_add(1).saturating_add(near(&mut choices, 2))]);
    }
    for edge in 0..1 + choices.below(20) {
        let head = near(&mut choices, nodes);
        let gaps = if head == 0 { 0 } else { choices.below(3) };
        let mut tail = |wanted: bool| if wanted { near(&mut choices, head as usize) } else { NO_NODE };
        let tails = [tail(gaps > 0), tail(gaps > 1)];
        parts.heads.push(head);
        parts.tails.push(tails);
        parts.edge_rules.push(if choices.byte() > 250 { near(&mut choices, 3) } else { gaps as u32 });
        parts.scores.push(f64::from(choices.value()));
        parts.features.push(choices.value());
        let begin = near(&mut choices, 3);
        parts.spans.push([begin, begin.saturating_add(near(&mut choices, 2))]);
        if edge % 3 == 0 {
            parts.sparse.push((near(&mut choices, 1), choices.value()));
        }
        parts.sparse_begins.push(parts.sparse.len() as u32);
    }
    let Ok(forest) = Forest::from_parts(&parts) else { return };
    inside(&forest, |_, edge| LogSum(edge.score));
    inside(&forest, |_, edge| MinMerge::of(-edge.score));
    let uses = expected_uses(&forest, 0.5);
    let _ = forest.filtered(|edge| uses[edge as usize] > 0.1);
    forest.pruned(1.0).pruned_to(5).to_json();
    for (_, edges) in KBest::new(&forest).list(20).iter().chain(&KBest::unique(&forest).list(20)) {
        let _ = (forest.spell(edges), forest.place(edges), forest.sum_features(edges), forest.sum_sparse(edges));
    }
    let _ = forest.sample(3, 1, 1.0);
    if let Ok(ngrams) = Ngrams::new(&forest, 2) {
        ngrams.expected(1.0);
        ngrams.posteriors(1.0);
        ngrams.best(&vec![1.0; ngrams.ngrams().len()], -0.5);
    }
    let _ = forest.clone().reweight(&[2.0], &[1.0]);
}

/// Offsets of sentences, heads, and a maker of further columns.
fn trees(choices: &mut Choices<'_>) -> (Vec<u64>, Vec<u32>) {
    let (mut offsets, mut heads) = (vec![0], Vec::new());
    for _ in 0..1 + choices.below(3) {
        let words = 1 + choices.below(8);
        for word in 0..words {
            // A chain, unless the bytes say otherwise.
            heads.push(if choices.byte().is_multiple_of(4) { near(choices, words + 1) } else { word as u32 });
        }
        offsets.push(if choices.byte() > 250 { choices.number() } else { heads.len() as u64 });
    }
    (offsets, heads)
}

fn column(choices: &mut Choices<'_>, length: usize) -> Vec<u32> {
    (0..length).map(|_| near(choices, 6)).collect()
}

/// A walker with any weights on any trees.
pub fn walker(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let mut weights = |count: usize| -> Vec<f32> {
        let some: Vec<f32> = (0..37).map(|_| choices.value()).collect();
        (0..count).map(|at| some[at % some.len()]).collect()
    };
    let bits = 8;
    let (first, second) = (weights(3 << bits), weights(1 << bits));
    let model = match Model::from_weights(bits, first, second) {
        Ok(model) => model,
        Err(_) => Model::new(bits).unwrap(),
    };
    let (offsets, heads) = trees(&mut choices);
    let columns: [Vec<u32>; COLUMNS] = std::array::from_fn(|_| column(&mut choices, heads.len()));
    let Ok(corpus) = Corpus::new(&offsets, &heads, columns.each_ref().map(Vec::as_slice)) else { return };
    let found = greedy::orders(&model, corpus);
    let _ = beam::orders(&model, corpus, 4);
    if let Ok(orders) = found {
        likelihood::of_orders(&model, corpus, &orders).unwrap();
    }
    let _ = likelihood::of_orders(&model, corpus, &column(&mut choices, heads.len()));
}

/// A recurrent pre-orderer with any tensors on any trees.
pub fn recurrent(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let shape = Shape {
        cell: [Cell::Simple, Cell::Gated, Cell::GatedAfter][choices.below(3)],
        profile: [Profile::Text, Profile::Released][choices.below(2)],
        units: 1 + choices.below(4),
        inner: choices.below(3),
        forms: choices.below(4),
        layer: 1 + choices.below(2),
        conjoin_only: choices.byte() % 2 == 0,
    };
    let keys = |choices: &mut Choices<'_>| -> Vec<u64> {
        let mut keys: Vec<u64> = (0..choices.below(5)).map(|_| choices.number()).collect();
        keys.sort_unstable();
        keys
    };
    let (words, steps) = (keys(&mut choices), keys(&mut choices));
    let walks = shape.inner > 0;
    let (offsets, heads) = trees(&mut choices);
    let [tags, relations, forms] = std::array::from_fn(|_| column(&mut choices, heads.len()));
    let Ok(corpus) = Sentences::new(offsets, heads, tags, relations, forms) else { return };
    let orders = column(&mut choices, corpus.words(0));
    let learnt = |given| match given {
        Ok(values) => Some(values),
        Err(_) => {
            let orders: Vec<u32> =
                (0..corpus.len()).flat_map(|at| (0..corpus.words(at) as u32).collect::<Vec<_>>()).collect();
            Dictionaries::learn(shape.profile, walks, &corpus, &orders, 1).ok()
        }
    };
    let Some(values) = learnt(Dictionaries::new(shape.profile, walks, words, steps)) else { return };
    let mut tensors = Vec::new();
    for &(tensor, name) in &TENSORS {
        let (rows, columns) = shape.size(tensor, &values);
        let some: Vec<f32> = (0..7).map(|_| choices.value()).collect();
        tensors.push((name.to_owned(), (0..rows * columns).map(|at| some[at % some.len()]).collect::<Vec<f32>>()));
    }
    if choices.byte() > 240 {
        tensors[3].1.pop();
    }
    let Ok(parameters) = Parameters::new(&shape, &values, tensors) else { return };
    let model = Recurrent { shape, values, parameters };
    let _ = model.orders(&corpus, 1 + choices.below(4), 100);
    let _ = model.log_likelihoods(&corpus, &orders);
}

/// A reservoir on any graphs, and phrases on any trees.
pub fn reservoir(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let size = 1 + choices.below(3);
    let matrices = |choices: &mut Choices<'_>, count: usize| -> Vec<Vec<f64>> {
        let numbers = size * size - usize::from(choices.byte() > 250);
        (0..count).map(|_| (0..numbers).map(|_| f64::from(choices.value()) / 64.0).collect()).collect()
    };
    let count = choices.below(6);
    let (source, target) = (matrices(&mut choices, count), matrices(&mut choices, 2 + count / 2));
    let settings =
        Settings { most: 20, bounded: choices.byte() % 2 == 0, prune: count % 2 == 0, ..Settings::default() };
    let (from, to) = (choices.below(5), choices.below(5));
    let (own, other) = (column(&mut choices, from), column(&mut choices, to));
    let heads: Vec<u32> = (0..from).map(|_| near(&mut choices, from + 1)).collect();
    let links: Vec<[u32; 2]> =
        (0..choices.below(6)).map(|_| [near(&mut choices, from), near(&mut choices, to)]).collect();
    let spans: Vec<[u32; 2]> =
        (0..choices.below(4)).map(|_| [near(&mut choices, from), near(&mut choices, from + 1)]).collect();
    let _ = phrases::rows(&[(&heads, &spans)]);
    let Ok(network) = Network::new(size, &source, &target, settings) else { return };
    let mut inputs = || -> Vec<f32> { (0..6 * size).map(|_| choices.value()).collect() };
    let inputs = [inputs(), inputs()];
    let graph = Graph { source: &own, heads: &heads, target: &other, links: &links };
    let _ = network.states([&inputs[0], &inputs[1]], &graph, 0.5);
}
