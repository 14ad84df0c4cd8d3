"""Learning actions through Python; the loop itself is tested in the engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

import pytest

from tolka.decode import Decoder, SparseFeatures
from tolka.decode.decoder import is_in_context
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files.container import Container, write_container
from tolka.grammar import Extractor
from tolka.learn import Epoch, Learning, learn_actions
from tolka.lm import LanguageModelTrainer

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]
# What the model would not say by itself.
WANTED = ["this house is small", "this small house", "the house", "the is a small house", "is the small"]
HOW = Learning(epochs=4, step="perceptron", rate=0.1, method="better", samples=4, batch=2)


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)
    grammar = Extractor("hiero").extract(SOURCE, TARGET, LINKS, tmp_path_factory.mktemp("grammar") / "g.tbl")
    return Decoder(grammar, lm, kind="undirected", prune=None, narrow=None)


def bleu_plus_one(words: list[str], reference: list[str]) -> float:
    """BLEU of a sentence where all but single words are counted once more (Lin and Och 2004), from 0 to 100."""
    logs = []
    for order in range(1, 5):
        own, wanted = (
            Counter(tuple(side[at : at + order]) for at in range(len(side) - order + 1)) for side in (words, reference)
        )
        more = int(order > 1)
        matches = (own & wanted).total() + more
        if not matches:
            return 0.0
        logs.append(log(matches / (own.total() + more)))
    return 100 * min(1.0, exp(1 - len(reference) / len(words))) * exp(sum(logs) / 4)


def test_what_is_learnt_is_translated(decoder: Decoder) -> None:
    heard: list[Epoch] = []
    how = replace(HOW, epochs=20, rate=1.0)
    learnt = learn_actions(
        decoder, SOURCE, WANTED, learning=how, told=lambda epoch: heard.append(epoch) is None, threads=1
    )
    assert [epoch.number for epoch in heard] == list(range(20))
    assert heard == list(learnt.epochs)
    assert learnt.weights == heard[-1].weights
    assert all(name.startswith("action.") for name in learnt.weights)
    assert max(epoch.reward for epoch in heard) > heard[0].reward + 1
    trained = decoder.with_weights(learnt.weights)
    assert trained.translate(SOURCE) != decoder.translate(SOURCE)
    assert trained.weights["lm"] == decoder.weights["lm"]


def test_it_learns_with_what_it_translates_with(decoder: Decoder) -> None:
    """What forests are scored with and the weights of sparse features are there while a policy learns."""
    (grammar,), (lm,) = decoder.grammars.values(), decoder.lms.values()
    sparse = Decoder(
        grammar,
        lm,
        kind="undirected",
        sparse=SparseFeatures(word_pair=10),
        weights={"pair:das~this": 9.0, "pair:das~the": -9.0},
        beam=1,
        repairs=0,
    )
    [epoch] = learn_actions(sparse, SOURCE, WANTED, learning=replace(HOW, epochs=1, rate=0.0)).epochs
    own = sparse.translate(SOURCE)
    assert own != decoder.translate(SOURCE)
    rewards = [bleu_plus_one(text.split(), wanted.split()) for text, wanted in zip(own, WANTED, strict=True)]
    assert epoch.reward == pytest.approx(sum(rewards) / len(rewards))


def test_little_memory_changes_nothing(decoder: Decoder) -> None:
    found = [learn_actions(decoder, SOURCE, WANTED, learning=HOW, memory=memory).weights for memory in (0, 1 << 30)]
    assert found[0] == found[1]


def test_threads_change_nothing(decoder: Decoder) -> None:
    found = [learn_actions(decoder, SOURCE, WANTED, learning=HOW, threads=threads).weights for threads in (1, 2, 3)]
    assert found[0] == found[1] == found[2]


def test_it_goes_on_where_it_was(decoder: Decoder, tmp_path: Path) -> None:
    whole = learn_actions(decoder, SOURCE, WANTED, learning=HOW).weights
    path = tmp_path / "state"
    learn_actions(decoder, SOURCE, WANTED, learning=HOW, checkpoint=path, told=lambda epoch: epoch.number < 1)
    rest = learn_actions(decoder, SOURCE, WANTED, learning=HOW, checkpoint=path)
    assert [epoch.number for epoch in rest.epochs] == [2, 3]
    assert rest.weights == whole
    # All is done: nothing is learnt again.
    again = learn_actions(decoder, SOURCE, WANTED, learning=HOW, checkpoint=path)
    assert (again.weights, again.epochs) == (whole, ())


def test_checkpoints_of_something_else_are_refused(decoder: Decoder, tmp_path: Path) -> None:
    path = tmp_path / "state"
    learn_actions(decoder, SOURCE, WANTED, learning=HOW, checkpoint=path)
    with pytest.raises(SettingsError, match="of other examples or settings"):
        learn_actions(decoder, SOURCE, TARGET, learning=HOW, checkpoint=path)
    container = Container.open(path)
    sections = {name: container.array(name) for name in ("weights", "moved", "squares", "rates")}
    for damaged in (
        {"note": b"[]", **sections},
        {"note": b"{", **sections},
        {"note": container.bytes("note"), **sections, "moved": sections["moved"][:2]},
    ):
        write_container(path, "learning", damaged)
        with pytest.raises(FormatError, match="damaged"):
            learn_actions(decoder, SOURCE, WANTED, learning=HOW, checkpoint=path)


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        (Learning(epochs=0), "less than one epoch"),
        (Learning(samples=0), "no samples"),
        (Learning(rate=float("nan")), "finite"),
        (Learning(step="hop"), "unknown step"),  # type: ignore[arg-type]
        (Learning(span="all"), "unknown span"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused(decoder: Decoder, how: Learning, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        learn_actions(decoder, SOURCE, WANTED, learning=how)


def test_data_is_checked(decoder: Decoder) -> None:
    with pytest.raises(InputError, match="no sentences"):
        learn_actions(decoder, [], [])
    with pytest.raises(InputError, match="5 sentences but 1 references"):
        learn_actions(decoder, SOURCE, ["one"])
    chart = Decoder(next(iter(decoder.grammars.values())), next(iter(decoder.lms.values())))
    with pytest.raises(SettingsError, match="no actions to learn"):
        learn_actions(chart, SOURCE, TARGET)


def test_an_error_of_the_listener_ends_it(decoder: Decoder) -> None:
    def angry(_: Epoch) -> bool:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learn_actions(decoder, SOURCE, WANTED, learning=HOW, told=angry)


@pytest.mark.parametrize(
    "how",
    [
        {"method": "risk"},
        {"method": "risk", "expert": 1.0},
        {"method": "pairwise"},
        {"method": "pairwise", "step": "passive"},
        {"method": "guided"},
        {"expert": 0.5},
        {"reward": "document"},
        {"reward": "chrf"},
        {"span": "action"},
        {"averaged": False},
        {"scaled": False},
    ],
)
def test_every_way_is_the_same_for_any_number_of_threads(decoder: Decoder, how: dict[str, Any]) -> None:
    learning = replace(HOW, **{"step": "adagrad", **how})
    one, other = (
        learn_actions(decoder, SOURCE, WANTED, learning=learning, threads=threads).weights for threads in (1, 3)
    )
    assert one == other
    assert one != learn_actions(decoder, SOURCE, WANTED, learning=replace(learning, rate=0.0)).weights
    assert all(map(isfinite, one.values()))


def test_features_in_context_are_learnt_and_kept(decoder: Decoder) -> None:
    seen = decoder.with_search("undirected", prune=None, narrow=None, context=8)
    learning = replace(HOW, epochs=20, step="adagrad", rate=1.0)
    learnt = learn_actions(seen, SOURCE, WANTED, learning=learning)
    tables = {name.removeprefix("action.").partition("#")[0] for name in learnt.weights if is_in_context(name)}
    assert {"rule", "before", "behind", "first", "last", "join", "parent"} <= tables
    trained = seen.with_weights(learnt.weights)
    # No rule says "the" for "ein".
    found = ["a house" if text == "the house" else text for text in WANTED]
    assert trained.translate(SOURCE) == found != seen.translate(SOURCE)
    # What was learnt before is forgotten, not mixed with what is learnt now.
    again = trained.with_weights({"action.lm": 1.0})
    assert not any(map(is_in_context, again.weights))
    with pytest.raises(SettingsError, match="set `context` to the bits"):
        decoder.with_weights(learnt.weights)
    with pytest.raises(SettingsError, match="tables of"):
        decoder.with_search("undirected", context=40)
