"""Small real stages that the pipeline's tests run, in a diamond: read -> (upper, count) -> join.

As a program (`small.py run|each|again RECIPE WORK [N ...]`) it runs a recipe, or forks a run for each N that is killed
with SIGKILL at its Nth file operation and then one that may finish.
"""

# ruff: noqa: T201 (a program that reports on standard output)

import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Literal

from pydantic import Field

from tolka.files import write_atomic
from tolka.pipeline import InputFile, Recipe, Settings, registry, run, stage

RECIPE = """\
[read]
text = "words.txt"
[upper]
repeat = 2
[count]
inputs = { text = "read" }
[join]
"""


class ReadSettings(Settings):
    text: InputFile


class UpperSettings(Settings):
    repeat: int = Field(default=1, ge=1, le=9)
    how: Literal["upper", "lower"] = "upper"
    suffix: str = Field(default="", max_length=5)
    factor: float = Field(default=1.0, gt=0)
    pause: float = Field(default=0.0, ge=0)
    extra: InputFile | None = None


class CountSettings(Settings):
    only: tuple[str, ...] = ()
    exact: bool = True


class JoinSettings(Settings):
    pass


@stage("read", version=1, settings=ReadSettings, outputs=("text",))
def read(inputs, outputs, settings, progress):
    """Copy a file."""
    shutil.copyfile(inputs["text"], outputs["text"])


@stage("upper", version=1, settings=UpperSettings, inputs=("text",), outputs=("text",))
def upper(inputs, outputs, settings, progress):
    """Write a text in capitals, slowly enough to be killed in the middle."""
    lines = inputs["text"].read_bytes().split(b"\n")
    with outputs["text"].open("wb") as out, progress.task("raising", total=len(lines), unit="lines") as advance:
        for line in lines:
            for _ in range(settings.repeat):
                out.write((line.upper() if settings.how == "upper" else line.lower()) + b"\n")
            out.flush()
            time.sleep(settings.pause)
            advance(1)
        if "extra" in inputs:
            out.write(inputs["extra"].read_bytes())


@stage("count", version=1, settings=CountSettings, inputs=("text",), outputs=("counts",))
def count(inputs, outputs, settings, progress):
    """Count words, into a directory with a file per initial."""
    words = Counter(inputs["text"].read_text().split())
    outputs["counts"].mkdir()
    (outputs["counts"] / "empty" / "inside").mkdir(parents=True)
    for word, times in sorted(words.items()):
        with (outputs["counts"] / f"{word[0]}.txt").open("a") as out:
            out.write(f"{word} {times}\n")


@stage("join", version=1, settings=JoinSettings, inputs=("text", "counts", "absent?"), outputs=("report", "size"))
def join(inputs, outputs, settings, progress):
    """Put both together."""
    counts = {path.name: path.read_text() for path in sorted(inputs["counts"].glob("*.txt"))}
    outputs["report"].write_text(
        json.dumps({"text": inputs["text"].read_text(), "counts": counts, "inputs": [*inputs]})
    )
    outputs["size"].write_text(str(inputs["text"].stat().st_size))


class ClimbSettings(Settings):
    steps: int = Field(default=3, ge=1)
    pause: float = Field(default=0.0, ge=0)


@stage("climb", version=1, settings=ClimbSettings, outputs=("height",), notes=True)
def climb(inputs, outputs, settings, progress):
    """Go up slowly, noting how far it is, and on from there after a stop."""
    done = int(outputs["notes"].read_text()) if outputs["notes"].exists() else 0
    with progress.task("climbing", total=settings.steps, unit="steps") as advance:
        for step in range(done, settings.steps):
            time.sleep(settings.pause)
            with write_atomic(outputs["notes"]) as out:
                out.write(str(step + 1))
            advance(1)
    outputs["height"].write_text(str(settings.steps))


STAGES = registry(read, upper, count, join, climb)


def snapshot(work: Path) -> dict[str, bytes]:
    """Everything a run leaves that later runs or people may use, by name."""
    found = {}
    for top in ("store", "latest", "partial"):
        for folder, _, names in os.walk(work / top, followlinks=True):
            found.update({str(Path(folder, name).relative_to(work)): Path(folder, name).read_bytes() for name in names})
    return found


def _kill_at(number: int) -> None:
    """Kill this process at its `number`th file operation (those that Python audits, and every fsync and write)."""
    seen = 0

    def step() -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(function):
        def call(*arguments):
            step()
            return function(*arguments)

        return call

    def audit(event: str, _arguments: tuple) -> None:
        if event == "open" or event.startswith(("os.", "shutil.", "fcntl.")):
            step()

    os.fsync, os.write = watched(os.fsync), watched(os.write)
    sys.addaudithook(audit)


def _forked(recipe: Path, work: Path, number: int) -> bool:
    """Whether the run in a fork was killed (it must end well otherwise)."""
    child = os.fork()
    if child == 0:
        if number:
            _kill_at(number)
        try:
            run(Recipe.load(recipe, stages=STAGES), work)
        except BaseException as error:  # noqa: BLE001
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


if __name__ == "__main__":
    mode, recipe_, work_, *numbers = sys.argv[1:]
    if mode == "each":  # every kill in a work directory of its own, then a run to the end there
        for number_ in map(int, numbers):
            place = Path(work_, str(number_))
            killed = _forked(Path(recipe_), place, number_)
            if killed:
                assert not _forked(Path(recipe_), place, 0)
            print(place, int(killed))
    elif mode == "again":  # all kills in one work directory, then a run to the end
        print(sum(_forked(Path(recipe_), Path(work_), int(number_)) for number_ in numbers))
        assert not _forked(Path(recipe_), Path(work_), 0)
    else:
        run(Recipe.load(recipe_, stages=STAGES), Path(work_))
