"""Choosing pairs, and weights by perplexities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.combine import naive

from tolka.combine import choose_share, comparable_perplexities, perplexity_weights, select_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.errors import InputError, SettingsError
from tolka.lm import LanguageModel

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ["a b c", "a b d", "b c a"], ["u v", "u w", "v u"]
LARGE = ["x y z", "a b c", "x x", "", "b a q"], ["p q", "u v", "p", "u", "v z"]

texts = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(" ".join), min_size=3, max_size=9)


def domain(name: str, sentences: int, start: int) -> tuple[list[str], list[str]]:
    drawn = Synthetic(seed=1, domain=name).sample(sentences, start=start)
    pairs = [(" ".join(one.tokens["de"]), " ".join(one.tokens["en"])) for one in drawn]
    return [source for source, _ in pairs], [target for _, target in pairs]


@settings(max_examples=40)
@given(texts, texts, st.integers(1, 3), st.integers(1, 2), st.integers(0, 99))
def test_scores_are_those_of_the_definition(
    small: list[str], large: list[str], order: int, least: int, seed: int
) -> None:
    # Each line is there once, and its translation is the line turned round, of as many words.
    small, large = list(dict.fromkeys(small)), [f"{line} {at}" for at, line in enumerate(large)]
    turned = [[line[::-1] for line in lines] for lines in (small, large)]
    found = select_pairs(small, turned[0], large, turned[1], order=order, min_count=least, seed=seed)
    own, seen, unseen = naive.parts(small, large, seed)
    wanted = np.zeros(len(large))
    for turn in (1, -1):
        inside = [line[::turn] for line in small]
        known = {word for line in naive.masked(inside, inside, least) for word in line.split()} | {"<other>"}
        models = [
            LanguageModel.train(naive.masked([line[::turn] for line in part], inside, least), order)
            for part in (own, seen, unseen or seen)
        ]
        for at, line in enumerate(large):
            (masked,) = naive.masked([line[::turn]], inside, least)
            other = models[2 if line in seen else 1]
            wanted[at] += naive.entropy(models[0], masked, known) - naive.entropy(other, masked, known)
    assert found.scores == pytest.approx(wanted[found.indices], abs=1e-4)
    assert list(found.scores) == sorted(found.scores)
    assert sorted(found.indices.tolist()) == list(range(len(large)))


def test_pairs_of_the_small_texts_domain_come_first() -> None:
    small = domain("tech", 400, 0)
    same, other = domain("tech", 500, 1000), domain("home", 1500, 2000)
    large = same[0] + other[0], same[1] + other[1]
    found = select_pairs(*small, *large)
    # Idioms are the same in both.
    assert (found.indices[:400] < 500).mean() > 0.85
    assert (found.indices[-1000:] < 500).mean() < 0.05
    dev = domain("tech", 100, 5000)
    chosen = choose_share(found, large[1], dev[1], shares=(0.05, 0.25, 1.0))
    assert (chosen.share, chosen.number) == (0.25, 500)
    assert min(chosen.perplexities, key=chosen.perplexities.__getitem__) == 0.25
    again = select_pairs(*small, *large, share=0.25, threads=1)
    assert again.indices.tolist() == found.indices[:500].tolist()
    assert (len(again), again.total) == (500, 2000)
    with pytest.raises(SettingsError, match="not all pairs are ranked"):
        choose_share(again, large[1], dev[1], shares=(0.5,))


def test_the_random_part_is_that_of_the_seed() -> None:
    small, large = domain("tech", 40, 0), domain("home", 300, 1000)
    one, two, three = (select_pairs(*small, *large, seed=seed) for seed in (1, 1, 2))
    assert one.scores.tolist() == two.scores.tolist()
    assert one.scores.tolist() != three.scores.tolist()


def test_files_and_empty_sides(tmp_path: Path) -> None:
    paths = []
    for name, lines in zip(("is", "it", "os", "ot"), (*SMALL, *LARGE), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        paths.append(tmp_path / name)
    found = select_pairs(*paths, order=2)
    assert found.indices[-1] == 3
    assert math.isinf(found.scores[-1])
    assert np.isfinite(found.scores[:-1]).all()
    assert found.indices.tolist() == select_pairs(*SMALL, *LARGE, order=2).indices.tolist()
    assert select_pairs(*SMALL, *LARGE, order=2, number=99).total == 5
    assert len(select_pairs(*SMALL, *LARGE, order=2, share=1e-9)) == 1


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"share": 0.5, "number": 3}, "both a share and a number"),
        ({"share": 0.0}, "share cannot be 0.0"),
        ({"share": 1.5}, "share cannot be 1.5"),
        ({"share": math.nan}, "share cannot be nan"),
        ({"number": 0}, "0 pairs"),
        ({"min_count": 0}, "seen 0 times"),
        ({"seed": -1}, "seed cannot be"),
        ({"order": 0}, "order"),
    ],
)
def test_settings_that_make_no_sense(keywords: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        select_pairs(*SMALL, *LARGE, **keywords)


def test_texts_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="small text has 3 source lines and 2"):
        select_pairs(SMALL[0], SMALL[1][:2], *LARGE)
    with pytest.raises(InputError, match="large text has no words"):
        select_pairs(*SMALL, ["", " "], ["", ""])
    with pytest.raises(InputError, match="small text has no words"):
        select_pairs([], [], *LARGE)
    found = select_pairs(*SMALL, *LARGE, order=2)
    with pytest.raises(InputError, match="has 3 lines"):
        choose_share(found, SMALL[0], SMALL[0])
    for shares in ((), (0.0,), (math.nan,), (1.5,)):
        with pytest.raises(SettingsError, match="shares must be"):
            choose_share(found, LARGE[1], SMALL[1], shares=shares)


@settings(max_examples=40)
@given(texts, texts, texts)
def test_perplexities_of_closed_sets_of_words(one: list[str], two: list[str], dev: list[str]) -> None:
    models = {"one": LanguageModel.train(one, 2), "two": LanguageModel.train(two, 2)}
    found = comparable_perplexities(models, dev)
    words = {word for line in (*one, *two, *dev) for word in line.split()}
    predicted = sum(len(line.split()) + 1 for line in dev)
    for name, model in models.items():
        bits = sum(naive.entropy(model, line, words) * (len(line.split()) + 1) for line in dev)
        assert math.log2(found[name]) == pytest.approx(bits / predicted, abs=1e-4)
    weights = perplexity_weights(models, dev)
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["one"] * found["one"] == pytest.approx(weights["two"] * found["two"])


def test_a_model_that_knows_few_words_is_not_the_better_for_it(tmp_path: Path) -> None:
    models = {"few": LanguageModel.train(["a a"], 1), "many": LanguageModel.train(["a b c d e f g h i j"], 1)}
    dev = ["b c d", "e f"]
    weights = perplexity_weights(models, dev)
    assert weights["many"] > weights["few"]
    (tmp_path / "dev").write_text("b c d\ne f\n")
    assert perplexity_weights(models, tmp_path / "dev") == weights
    with pytest.raises(SettingsError, match="no language model"):
        perplexity_weights({}, dev)
    with pytest.raises(SettingsError, match="not one string"):
        perplexity_weights(models, "b c d")
    with pytest.raises(InputError, match="no words"):
        perplexity_weights(models, [""])
