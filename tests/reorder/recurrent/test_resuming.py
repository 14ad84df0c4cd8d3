"""A training that is stopped at any moment, then run again, makes the very model of one that was not."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tolka.align import write_links
from tolka.reorder import Resumable, create
from tolka.syntax import synthetic_treebank, write_conllu

SETTINGS = {"units": 6, "epochs": 5, "batch_words": 64, "validate_every": 25, "patience": 4, "seed": 5}
KINDS = {
    "gru": {"dropout": 0.3},
    "rnn-lex": {"least_form": 2, "optimiser": "adadelta", "embeddings": 4},
    "fragment-gru": {"inner": 5},
}


class StoppedError(Exception):
    pass


class StopAfter:
    """Progress that has enough after so many sentences."""

    def __init__(self, sentences):
        self.left = sentences

    @contextmanager
    def task(self, *_what, **_more):
        def advance(count):
            self.left -= count
            if self.left < 0:
                raise StoppedError

        yield advance


def text(count=60):
    made = synthetic_treebank(7, 4 * count)
    short = [(tree, order) for tree, order in zip(made.trees, made.orders, strict=True) if 3 < len(tree) <= 8][:count]
    return [tree for tree, _ in short], [order for _, order in short]


def model(kind, **more):
    return create(kind, **SETTINGS, **KINDS.get(kind, {}), **more)


def saved(preorderer, place):
    preorderer.save(place)
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_trainings_end_with_the_same_bytes(kind, tmp_path):
    trees, orders = text()
    whole = model(kind).train(trees, orders)
    assert isinstance(whole, Resumable)
    noted = tmp_path / "noted"
    for after in (20, 40, 41, 90, 150):
        stopped = model(kind)
        with pytest.raises(StoppedError):
            stopped.train(trees, orders, progress=StopAfter(after), checkpoint=noted)
    last = model(kind).train(trees, orders, checkpoint=noted)
    assert last.resumed_ > 100
    assert last.rounds_ == whole.rounds_
    assert saved(last, tmp_path / "last") == saved(whole, tmp_path / "whole")
    # Nothing is left to do.
    again = model(kind).train(trees, orders, checkpoint=noted)
    assert again.resumed_ == whole.rounds_[-1].sentences
    assert saved(again, tmp_path / "again") == saved(whole, tmp_path / "whole")


def test_a_training_that_has_waited_long_enough_is_not_gone_on_with(tmp_path):
    trees, orders = text()
    given = {"rate": 1.0, "patience": 1, "decay": 1.0}
    whole = create("gru", **SETTINGS | given).train(trees, orders, checkpoint=tmp_path / "noted")
    assert whole.rounds_[-1].sentences < SETTINGS["epochs"] * 57
    again = create("gru", **SETTINGS | given).train(trees, orders, checkpoint=tmp_path / "noted")
    assert again.rounds_ == whole.rounds_
    assert saved(again, tmp_path / "again") == saved(whole, tmp_path / "whole")


def test_only_the_same_training_is_gone_on_with(tmp_path):
    trees, orders = text()
    noted = tmp_path / "noted"
    first = model("gru").train(trees, orders, checkpoint=noted)
    assert first.resumed_ == 0
    kept = noted.read_bytes()
    for other, learnt in (
        (model("rnn"), (trees, orders)),
        (model("gru", beam=2), (trees, orders)),
        (model("gru"), (trees[1:], orders[1:])),
        (model("gru"), (trees, [orders[0][::-1], *orders[1:]])),
    ):
        noted.write_bytes(kept)
        assert other.train(*learnt, checkpoint=noted).resumed_ == 0
    for damaged in (b"", b"nothing", kept[:-20], kept[:1000] + b"#" + kept[1001:]):
        noted.write_bytes(damaged)
        again = model("gru").train(trees, orders, checkpoint=noted)
        assert again.resumed_ == 0
        assert again.rounds_ == first.rounds_
    assert noted.read_bytes() == kept


def test_a_killed_command_goes_on(tmp_path):
    made = synthetic_treebank(1, 120)
    write_conllu(tmp_path / "src.conllu", made.trees)
    write_links(tmp_path / "links.txt", made.links)
    command = [sys.executable, "-m", "tolka", "reorder", "train", tmp_path / "src.conllu", tmp_path / "links.txt"]
    command += ["--model", "gru", "--held-out", "20", "--longest", "8", "--quiet"]
    for setting in ("epochs=25", "patience=25", "units=5", "batch_words=64", "validate_every=10"):
        command += ["--set", setting]
    command.append("-o")
    part = tmp_path / "killed.part"
    child = subprocess.Popen([*command, tmp_path / "killed"])
    deadline = time.monotonic() + 120
    while child.poll() is None and not part.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL, "it had ended before it was killed"
    assert not (tmp_path / "killed").exists()
    loud = [one for one in command if one != "--quiet"]
    done = subprocess.run([*loud, tmp_path / "killed"], check=True, capture_output=True, text=True)
    assert "went on behind" in done.stderr
    assert not part.exists()
    subprocess.run([*command, tmp_path / "whole"], check=True)
    assert not (tmp_path / "whole.part").exists()
    found = [{one.name: one.read_bytes() for one in (tmp_path / name).iterdir()} for name in ("killed", "whole")]
    assert found[0] == found[1]
