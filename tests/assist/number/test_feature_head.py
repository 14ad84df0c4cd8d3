"""Feature heads: the worked example, both EMs, and all paths of small trees as their twin."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.number.number_twin import distribution, exact_round, printed_round, uniform

from tolka.assist.number import FeatureHead, LeafTable
from tolka.errors import InputError, SettingsError
from tolka.syntax import Constituent, parse_penn

TABLE = LeafTable("number", ("sing", "plur"), {"N-S": ["sing"], "N-P": ["plur"]})
S, P = "(NP (DT a) (N-S b))", "(NP (DT a) (N-P b))"
EXAMPLES = [
    (parse_penn(tree), value)
    for tree, value in [
        (f"(NP {S} (PP (IN of) {P}))", "sing"),
        (f"(NP {P} (PP (IN of) {S}))", "plur"),
        (f"(NP {S} (PP (IN of) {P}))", "plur"),
        (f"(NP {S} (CC and) {S})", "plur"),
        (S, "sing"),
        (P, "plur"),
    ]
]
RULES = [("NP", ("NP", "PP")), ("NP", ("DT", "N")), ("PP", ("IN", "NP")), ("NP", ("NP", "CC", "NP"))]

leaves = st.builds(
    lambda tag, word: Constituent(tag, word=word),
    st.sampled_from(["N-S", "N-P", "DT", "CC"]),
    st.sampled_from(["u", "v", "W"]),
)
trees = st.builds(
    lambda children: Constituent("NP", tuple(children)),
    st.lists(
        st.recursive(
            leaves,
            lambda below: st.builds(
                lambda label, children: Constituent(label, tuple(children)),
                st.sampled_from(["NP", "PP", "NPB-A"]),
                st.lists(below, min_size=1, max_size=3),
            ),
            max_leaves=7,
        ),
        min_size=1,
        max_size=3,
    ),
)
examples = st.lists(st.tuples(trees, st.sampled_from(["sing", "plur"])), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("em", "rounds", "chances"),
    [
        ("printed", 1, [(0.56, 0.44), (0.384615, 0.615385), (0.470588, 0.529412), (0.25, 0.5, 0.25)]),
        (
            "printed",
            2,
            [(0.574820, 0.425180), (0.371429, 0.628571), (0.454445, 0.545555), (0.217391, 0.565217, 0.217391)],
        ),
        ("exact", 1, [(0.539683, 0.460317), (0.474210, 0.525790), (0.528736, 0.471264), (0.25, 0.5, 0.25)]),
        (
            "exact",
            2,
            [(0.572061, 0.427939), (0.431201, 0.568799), (0.552480, 0.447520), (0.160835, 0.678330, 0.160835)],
        ),
    ],
)
def test_the_worked_example(em: str, rounds: int, chances: list[tuple[float, ...]]) -> None:
    model = FeatureHead(em=em, rounds=rounds, leaves=TABLE).train(EXAMPLES)  # type: ignore[arg-type]
    assert model.log_likelihoods_[0] == pytest.approx(-3.651383, abs=1e-6)
    for rule, wanted in zip(RULES, chances, strict=True):
        assert model.chances_[rule] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("em", "log"), [("printed", -3.344880), ("exact", -2.689348)])
def test_likelihood_of_the_worked_example(em: str, log: float) -> None:
    model = FeatureHead(em=em, leaves=TABLE).train(EXAMPLES)  # type: ignore[arg-type]
    assert len(model.log_likelihoods_) == 11
    assert model.log_likelihoods_[-1] == pytest.approx(log, abs=1e-6)


def renamed(tree: Constituent) -> Constituent:
    """The twin knows no marks."""
    label = "NP" if tree.category == "NPB" else tree.label
    return Constituent(label, tuple(map(renamed, tree.children)), tree.word)


@given(examples, st.sampled_from(["exact", "printed"]), st.integers(1, 3))
def test_equals_all_paths_one_by_one(given: list[tuple[Constituent, str]], em: str, rounds: int) -> None:
    model = FeatureHead(em=em, rounds=rounds, leaves=TABLE).train(given)  # type: ignore[arg-type]
    numbered = [(renamed(tree), TABLE.values.index(value)) for tree, value in given]
    chances = uniform([tree for tree, _ in numbered])
    for passed in range(rounds):
        if em == "exact":
            chances, log = exact_round(numbered, chances, TABLE)
            assert model.log_likelihoods_[passed] == pytest.approx(log)
        else:
            chances = printed_round(numbered, chances, TABLE)
    assert set(model.chances_) == set(chances)
    for rule, row in chances.items():
        assert model.chances_[rule] == pytest.approx(row, abs=1e-9)
    for (tree, _), (plain, _) in zip(given, numbered, strict=True):
        assert list(model.distribution(tree).values()) == pytest.approx(distribution(plain, chances, TABLE), abs=1e-9)


@given(examples, st.booleans(), st.integers(1, 5))
def test_exact_em_never_loses_likelihood(given: list[tuple[Constituent, str]], lexicalised: bool, seed: int) -> None:
    model = FeatureHead(
        leaves=TABLE, lexicalised=lexicalised, least=1, shrinkage=0.5, start="random", seed=seed, rounds=15
    ).train(given)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(model.log_likelihoods_))
    for tree, _ in given:
        assert sum(model.distribution(tree).values()) == pytest.approx(1)


def test_the_printed_step_may_lose_likelihood_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    example = [(parse_penn("(NP (NP (N-S a)) (PP (IN of) (NP (N-S a))))"), "plur")]
    log = FeatureHead(em="printed", leaves=TABLE).train(example).log_likelihoods_
    assert log[2] < log[1]
    assert "the likelihood has fallen" in caplog.text


def test_impossible_examples_teach_nothing() -> None:
    odd = (parse_penn("(NP (N-S staff))"), "plur")
    model, without = FeatureHead(leaves=TABLE).train([*EXAMPLES, odd]), FeatureHead(leaves=TABLE).train(EXAMPLES)
    assert model.impossible_ == 1
    assert without.impossible_ == 0
    assert {rule: model.chances_[rule] for rule in RULES} == {rule: without.chances_[rule] for rule in RULES}


def test_words_learn_what_their_tags_do_not_say() -> None:
    joined = [
        (parse_penn(f"(NP (NP (N-S {one})) (CC {sign}) (NP (N-S {other})))"), value)
        for one, other in [("a", "b"), ("b", "c"), ("c", "a")]
        for sign, value in [("and", "plur"), ("or", "sing")]
    ]
    new = {sign: parse_penn(f"(NP (NP (N-S x)) (CC {sign}) (NP (N-S y)))") for sign in ("And", "or")}
    plain = FeatureHead(leaves=TABLE).train([*joined, *EXAMPLES])
    assert plain.predict(new["And"]) == plain.predict(new["or"])
    model = FeatureHead(leaves=TABLE, lexicalised=True).train([*joined, *EXAMPLES])
    assert [model.predict(new[sign]) for sign in new] == ["plur", "sing"]


def test_rare_words_keep_to_their_tags() -> None:
    examples = [(parse_penn(f"(NP (N-S {word}))"), "sing") for word in "abcdefgh"]
    examples.append((parse_penn("(NP (N-S once))"), "plur"))
    model = FeatureHead(leaves=TABLE, lexicalised=True, least=1).train(examples)
    assert model.predict(parse_penn("(NP (N-S once))")) == "sing"
    often = FeatureHead(leaves=TABLE, lexicalised=True).train([*examples, *[examples[-1]] * 20])
    assert often.predict(parse_penn("(NP (N-S ONCE))")) == "plur"


def test_listed_words_say_what_the_table_says() -> None:
    table = LeafTable("number", ("sing", "plur"), {"NN": ["sing"]}, words={("PRP", "they"): ["plur"]})
    examples = [(parse_penn("(NP (PRP they))"), "sing")] * 30
    model = FeatureHead(leaves=table, lexicalised=True).train([*examples, (parse_penn("(NP (NN x))"), "sing")])
    assert model.predict(parse_penn("(NP (PRP They))")) == "plur"


@pytest.mark.parametrize(
    ("backoff", "tree", "wanted"),
    [
        ("heads", "(NP (NNS cats) (JJ old) (NN dog))", "sing"),  # the last noun, as Collins says
        ("heads", "(XX (NNS cats) (NN dog))", "plur"),  # no rule for heads: even, so that the majority wins
        ("endings", "(NP (NN a) (, ,) (NN b) (CC and) (NN c))", "plur"),
        ("heads", "(NP (NN a) (, ,) (NN b) (CC and) (NN c))", "sing"),
    ],
)
def test_unseen_rules_back_off(backoff: str, tree: str, wanted: str) -> None:
    table = LeafTable("number", ("sing", "plur"), {"NN": ["sing"], "NNS": ["plur"], "CC": ["plur"]})
    examples = [(parse_penn("(NP (NN a) (CC and) (NN b))"), "plur"), (parse_penn("(NP (NNS x))"), "plur")]
    model = FeatureHead(leaves=table, backoff=backoff).train(examples)  # type: ignore[arg-type]
    assert model.predict(parse_penn(tree)) == wanted


def test_smoothing_draws_rare_rules_to_the_head() -> None:
    example = [(parse_penn("(NP (NNS cats) (NN food))"), "plur")]
    tree = parse_penn("(NP (NNS dogs) (NN food))")
    assert FeatureHead().train(example).predict(tree) == "plur"
    assert FeatureHead(smoothing=3).train(example).predict(tree) == "sing"


def test_ties_go_to_the_majority() -> None:
    for values in (["sing", "sing", "plur"], ["sing", "plur", "plur"]):
        model = FeatureHead().train([(parse_penn("(NP (DT a))"), value) for value in values])
        assert model.predict(parse_penn("(NP (XX some))")) == values[1]


def test_a_start_by_seed() -> None:
    one, same, other = (
        FeatureHead(leaves=TABLE, start="random", seed=seed, rounds=1).train(EXAMPLES) for seed in (1, 1, 2)
    )
    assert one.chances_ == same.chances_ != other.chances_


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"em": "soft"}, "em 'soft' is unknown"),
        ({"start": "cold"}, "start"),
        ({"backoff": "none"}, "backoff"),
        ({"heads": "first"}, "heads"),
        ({"values": ("masc", "fem")}, "the values are masc, fem"),
        ({"rounds": -1}, "negative"),
        ({"least": 0}, "below 1"),
        ({"shrinkage": 0.0}, "shrinkage"),
        ({"smoothing": float("nan")}, "smoothing"),
        ({"em": "printed", "lexicalised": True}, "exact EM only"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], what: str) -> None:
    with pytest.raises(SettingsError, match=what):
        FeatureHead(**settings)  # type: ignore[arg-type]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="no example"):
        FeatureHead().train([])
    with pytest.raises(InputError, match="example 2 has value 'dual'"):
        FeatureHead().train([(parse_penn("(NP (NN a))"), "sing"), (parse_penn("(NP (NN a))"), "dual")])
    with pytest.raises(InputError, match="not learnt"):
        FeatureHead().predict(parse_penn("(NP (NN a))"))


def test_deep_trees() -> None:
    tree = Constituent("NN", word="x")
    for _ in range(5000):
        tree = Constituent("NP", (Constituent("DT", word="a"), tree))
    model = FeatureHead(rounds=2).train([(tree, "sing")])
    assert model.predict(tree) == "sing"
