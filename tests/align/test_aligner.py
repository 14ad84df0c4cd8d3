"""Every model through the same interface: round trips, threads, seeds, hostile input."""

from __future__ import annotations

import math
import random
import time
from contextlib import contextmanager

import pytest

from tolka.align import METHODS, MODELS, Aligner, alignment_error_rate
from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError

LEXICON = {word: word.upper()[::-1] for word in ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"]}


def corpus(pairs: int, seed: int = 1) -> tuple[list[tuple[str, str]], list[list[tuple[int, int]]]]:
    """A language that swaps neighbours now and then, with its true links."""
    dice = random.Random(seed)  # noqa: S311 - a test needs no secrets
    text, gold = [], []
    for _ in range(pairs):
        words = [dice.choice(sorted(LEXICON)) for _ in range(dice.randint(2, 8))]
        order = list(range(len(words)))
        if dice.random() < 0.3:
            at = dice.randrange(len(words) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
        text.append((" ".join(words), " ".join(LEXICON[words[i]] for i in order)))
        gold.append(sorted((i, j) for j, i in enumerate(order)))
    return text, gold


PAIRS, GOLD = corpus(150)
OPTIONS = [
    *({"model": model} for model in MODELS),
    {"model": "ibm1", "agree": True},
    {"model": "hmm", "agree": True},
    {"model": "diagonal", "agree": True},
    *({"model": "gauss", "variant": variant} for variant in ("deficient", "truncated", "integrated")),
]
every_model = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))


@every_model
def test_finds_the_links(options):
    aligner = Aligner(**options).train(PAIRS)
    error = alignment_error_rate(aligner.align(), GOLD).aer
    assert error < (0.25 if options["model"] == "ibm1" else 0.15)


@every_model
def test_same_bytes_for_any_threads(options):
    one, many = (Aligner(**options, threads=threads).train(PAIRS) for threads in (1, 3))
    assert one.posteriors() == many.posteriors()
    assert one.history_ == many.history_
    new = corpus(40, seed=2)[0]
    assert one.posteriors(new) == many.posteriors(new)


@every_model
def test_save_and_load(options, tmp_path):
    aligner = Aligner(**options).train(PAIRS)
    aligner.save(tmp_path / "aligner")
    loaded = Aligner.load(tmp_path / "aligner")
    new = [*corpus(20, seed=3)[0], ("never seen", "words here"), ("", "x"), ("ba", "")]
    assert loaded.posteriors(new) == aligner.posteriors(new)
    assert loaded.model == options["model"]
    again = Aligner(**options).train(PAIRS)
    again.save(tmp_path / "again")
    assert sorted(p.name for p in (tmp_path / "again").iterdir()) == sorted(
        p.name for p in (tmp_path / "aligner").iterdir()
    )


@every_model
def test_new_text_is_aligned_like_training_text(options):
    aligner = Aligner(**options).train(PAIRS)
    text, gold = corpus(60, seed=4)
    assert alignment_error_rate(aligner.align(text), gold).aer < (0.3 if options["model"] == "ibm1" else 0.12)


@every_model
@pytest.mark.parametrize(
    "text",
    [
        [("a", "b")],
        [("a", "b"), ("", "c"), ("d", ""), ("", "")],
        [("a a a a", "b b b")] * 5,
        [("x " * 900, "y " * 1000), ("x", "y")],
        [("<s> <unk> </s> NULL", "<s> |||  \u00a0"), ("\u202e \u0000", "\U0001f600")],
    ],
    ids=["one", "empty sides", "all the same", "long", "odd tokens"],
)
def test_survives_strange_text(options, text):
    aligner = Aligner(**options).train(text)
    for beliefs, (source, target) in zip(aligner.posteriors(), text, strict=True):
        for (i, j), both in beliefs.items():
            assert i < len([word for word in source.split(" ") if word])
            assert j < len([word for word in target.split(" ") if word])
            assert all(math.isfinite(p) and 0 <= p <= 1.001 for p in both)
    assert all(math.isfinite(value) for both in aligner.history_ for value in both)


@pytest.mark.parametrize("method", METHODS)
def test_every_symmetrisation(method):
    aligner = Aligner(model="ibm1").train(PAIRS)
    links = aligner.align(symmetrise=method, threshold=0.4)
    lines = aligner.lines(symmetrise=method, threshold=0.4)
    assert lines == [" ".join(f"{i}-{j}" for i, j in row) for row in links]
    for line, row in zip(
        aligner.lines(symmetrise=method, threshold=0.4, probabilities=True), aligner.posteriors(), strict=True
    ):
        for item in line.split():
            link, p = item.split(":")
            i, j = map(int, link.split("-"))
            assert float(p) == pytest.approx(sum(row[i, j]) / 2, abs=1e-3)


def test_posterior_threshold_is_what_it_says():
    aligner = Aligner(model="hmm").train(PAIRS)
    for row, beliefs in zip(aligner.align(symmetrise="posterior", threshold=0.3), aligner.posteriors(), strict=True):
        assert row == sorted(link for link, both in beliefs.items() if sum(both) / 2 >= 0.3)


def test_seed_matters_and_repeats():
    text = corpus(30)[0]
    first, same, other = (Aligner(seed=seed).train(text).posteriors() for seed in (5, 5, 6))
    assert first == same
    assert first != other


@pytest.mark.parametrize("model", ["diagonal", "fertility"])
def test_shards_when_memory_is_short(model):
    text, gold = corpus(6000)
    aligner = Aligner(model=model, memory=1 << 20, chains=1 if model == "fertility" else None).train(text)
    assert aligner.shards_ > 1
    assert alignment_error_rate(aligner.align(), gold).aer < 0.15
    new, gold = corpus(60, seed=4)
    assert alignment_error_rate(aligner.align(new), gold).aer < 0.3


def test_one_sentence_is_quick():
    aligner = Aligner().train(PAIRS)
    aligner.align(PAIRS[:1])
    start = time.perf_counter()
    for pair in PAIRS[:50]:
        aligner.align([pair])
    # A tenth of a second each would mean that something is rebuilt for every call.
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "ibm9"}, "ibm9"),
        ({"model": "gauss", "variant": "square"}, "square"),
        ({"model": "hmm", "null": 1.5}, "null"),
        ({"model": "hmm", "null": math.nan}, "null"),
        ({"model": "ibm1", "prior": -1.0}, "prior"),
        ({"model": "ibm1", "iterations": 0}, "iterations"),
        ({"model": "ibm1", "iterations": -1}, "negative"),
        ({"model": "fertility", "chains": 0}, "chains"),
        ({"model": "fertility", "agree": True}, "agreement"),
        ({"model": "fertility", "priors": (0.0, 0.1, 0.1, 0.1)}, "priors"),
        ({"memory": 10}, "memory"),
        ({"longest": 0}, "longest"),
        ({"seed": -1}, "seed"),
    ],
)
def test_refuses_impossible_settings(options, message):
    with pytest.raises(SettingsError, match=message):
        Aligner(**options).train(PAIRS)


def test_refuses_text_without_pairs():
    for text in ([], [("", "a"), ("b", "")]):
        with pytest.raises(InputError, match="both sides"):
            Aligner(model="ibm1").train(text)
    with pytest.raises(InputError, match="pair"):
        Aligner().train(["just a string"])
    with pytest.raises(LimitError, match="1001 tokens"):
        Aligner(model="ibm1").train([("a", "b"), ("a " * 1001, "b")])
    with pytest.raises(InputError, match="nothing yet"):
        Aligner().align([("a", "b")])


def test_refuses_damaged_models(tmp_path):
    with pytest.raises(FileError):
        Aligner.load(tmp_path / "missing")
    Aligner(model="hmm").train(PAIRS).save(tmp_path / "aligner")
    file = next(path for path in (tmp_path / "aligner").iterdir() if path.suffix == ".bin")
    whole = file.read_bytes()
    for broken in (whole[:100], whole[:-1], whole[:2000] + b"\xff" * 64 + whole[2064:]):
        file.write_bytes(broken)
        with pytest.raises(FormatError):
            Aligner.load(tmp_path / "aligner")


class Stop:
    @contextmanager
    def task(self, name, *, total=None, unit=""):  # noqa: ARG002 - the protocol's signature
        def advance(_units):
            raise RuntimeError("enough")

        yield advance


@pytest.mark.parametrize("model", ["ibm1", "hmm", "fertility"])
def test_an_error_in_progress_comes_out(model):
    with pytest.raises(RuntimeError, match="enough"):
        Aligner(model=model).train(PAIRS, progress=Stop())
