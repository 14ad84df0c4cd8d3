"""Trainings that are stopped, killed even, and go on as if nothing had happened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import FormatError, SettingsError, TolkaError
from tolka.files import Bundle, save_bundle
from tolka.multitree import SYSTEMS, MultitreeSettings, MultitreeTranslator
from tolka.multitree.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tolka.progress import Progress

SINGLE = replace(
    SYSTEMS["single-strict"], epochs=2, partitions=2, prune_pairs=0, most=500, templates="all", coarse=3 / 256
)


class StoppedError(Exception):
    """Somebody pressed a key."""


def contents(path: Path) -> dict[str, bytes]:
    """All files of a model by name."""
    bundle = Bundle.open(path)
    return {"model.toml": (path / "model.toml").read_bytes()} | {
        name: bundle.file(name).read_bytes() for name in bundle.names
    }


def train(settings: MultitreeSettings, checkpoint: Path | None, *, threads: int = 1) -> MultitreeTranslator:
    made, trees, links = pairs(40, 1)
    return MultitreeTranslator(settings, threads=threads).train(made, trees, links=links, checkpoint=checkpoint)


@pytest.mark.parametrize("settings", [SMALL, SINGLE], ids=["forest", "single"])
def test_a_training_that_was_stopped_after_any_iteration_goes_on(
    settings: MultitreeSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(settings, None).save(tmp_path / "whole")
    run = Schedule.run
    made = []

    def one_more(self: Schedule, progress: Progress, **arguments: Any) -> Iterator[dict[str, Any]]:
        for number, row in enumerate(run(self, progress, **arguments)):
            if number:
                raise StoppedError
            made.append(row["iteration"])
            yield row

    monkeypatch.setattr(Schedule, "run", one_more)
    for _ in range(3):
        with pytest.raises(StoppedError):
            train(settings, tmp_path / "checkpoint", threads=2)
    trained = train(settings, tmp_path / "checkpoint")
    assert made == [1, 2, 3, 4]
    trained.save(tmp_path / "parts")
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
    # All is done: nothing is done again.
    train(settings, tmp_path / "checkpoint").save(tmp_path / "again")
    assert made == [1, 2, 3, 4]
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")


CHILD = """
import json, sys
from dataclasses import replace
from tests.multitree.test_checkpoint import SMALL, train
from pathlib import Path
train(replace(SMALL, **json.loads(sys.argv[2])), Path(sys.argv[1])).save(sys.argv[3])
"""


def test_a_training_that_was_killed_goes_on(tmp_path: Path) -> None:
    changed: dict[str, Any] = {"epochs": 3}
    settings = replace(SMALL, **changed)
    train(settings, None).save(tmp_path / "whole")
    command = [sys.executable, "-c", CHILD, str(tmp_path / "c"), json.dumps(changed), str(tmp_path / "made")]
    kills = 0
    while not (tmp_path / "made" / "model.toml").exists():
        before = (tmp_path / "c" / "model.toml").stat().st_mtime_ns if (tmp_path / "c" / "model.toml").exists() else 0
        child = subprocess.Popen(command, stderr=subprocess.PIPE)
        while child.poll() is None and kills < 3:
            place = tmp_path / "c" / "model.toml"
            if place.exists() and place.stat().st_mtime_ns != before:
                # In the middle of what follows.
                time.sleep(0.02 * kills)
                child.send_signal(signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.005)
        _, said = child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), said.decode()
    assert kills
    assert contents(tmp_path / "made") == contents(tmp_path / "whole")


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    settings = replace(SMALL, epochs=1)
    train(settings, tmp_path / "c")
    with pytest.raises(SettingsError, match="is of other pairs or settings"):
        train(replace(settings, seed=2), tmp_path / "c")
    made, trees, links = pairs(40, 1)
    for changed in (
        (made[:-1], trees[:-1], links[:-1]),
        (made, [None] * 40, links),
        (made, trees, [*links[1:], links[1]]),
    ):
        with pytest.raises(SettingsError, match="is of other pairs or settings"):
            MultitreeTranslator(settings).train(changed[0], changed[1], links=changed[2], checkpoint=tmp_path / "c")
    with pytest.raises(SettingsError, match="is of other pairs or settings"):
        MultitreeTranslator(settings).train(made, trees, links=links, text=[["la"]], checkpoint=tmp_path / "c")
    MultitreeTranslator(settings).train(made, trees, links=links).save(tmp_path / "model")
    with pytest.raises(FormatError, match="not multitree-checkpoint"):
        train(settings, tmp_path / "model")


@pytest.mark.parametrize("name", ["state.json", "examples-1.bin", "counts.bin", "lexicon.bin"])
@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1, 2]", b'{"complete": 1, "lexicon": [1], "curve": [], "parts": []}']
)
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    settings = replace(SMALL, epochs=1)
    train(settings, tmp_path / "c")
    there = contents(tmp_path / "c")
    key = Bundle.open(tmp_path / "c").settings["key"]
    with save_bundle(tmp_path / "other", kind="multitree-checkpoint", settings={"key": key}) as out:
        for one in set(there) - {"model.toml"}:
            out.file(one).write_bytes(content if one == name else there[one])
    with pytest.raises(TolkaError):
        train(settings, tmp_path / "other")
    # What is written over in its place is noticed, too.
    file = next((tmp_path / "c").glob("examples-1*"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(FormatError, match="has changed"):
        train(settings, tmp_path / "c")
