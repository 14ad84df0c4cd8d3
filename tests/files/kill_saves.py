"""Kills processes that save a bundle, at random moments and at every step; run by test_killed_saves.py.

It runs by itself because it forks, which a process with threads should not. It prints how many saves died at which
kind of moment, so that the test can see that they did.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np

from tolka.files import Bundle, Container, save_bundle, write_container
from tolka.files.manifest import inner_name, manifest_hash

STEPS = ["open", "mkdir", "fsync", "rename", "replace", "unlink", "rmdir"]
MODELS = 3
PARTS = 4  # the manifest, two files, and the model inside


def save(path, number):
    """Save a model of two files that holds another one, which is one of a few."""
    text = f"{number} " * 2000
    whole = path.parent / f"inner-{number % MODELS}"
    key = manifest_hash(whole)
    with save_bundle(path, kind="test", settings={"number": number, "key": key}) as out:
        out.file("words.txt").write_text(text)
        write_container(out.file("ids.tlk"), "ids", {"ids": np.frombuffer(text.encode(), np.uint8)})
        place = out.inner("inner", key)
        if place is not None:
            shutil.copytree(whole, place)


def read(path):
    """The number of the save a bundle comes from; all its parts must come from the same one."""
    bundle = Bundle.open(path, kind="test")
    number, key = bundle.settings["number"], bundle.settings["key"]
    text = f"{number} " * 2000
    assert bundle.file("words.txt").read_text() == text
    assert Container.open(bundle.file("ids.tlk"), "ids").bytes("ids").decode() == text
    inner = Bundle.open(path / inner_name("inner", key), kind="inner")
    assert manifest_hash(inner.path) == key
    assert inner.file("number.txt").read_text() == str(number % MODELS)
    return number


def make_inner(base):
    for number in range(MODELS):
        with save_bundle(base / f"inner-{number}", kind="inner") as out:
            out.file("number.txt").write_text(str(number))


def fork(child):
    pid = os.fork()
    if not pid:
        try:
            child()
        finally:
            os._exit(1)
    return pid


def kill_at_random(path, rounds):
    """How many different models were there after a kill, and how many kills left something beside the model."""
    start = time.perf_counter()
    for _ in range(3):
        save(path, 0)
    time_of_three = time.perf_counter() - start
    chance = random.Random(1)  # noqa: S311
    seen, litter = set(), 0
    for number in range(rounds):

        def child(number=number):
            for again in range(1, 100_000):
                save(path, number * 100_000 + again)

        pid = fork(child)
        time.sleep(chance.uniform(0, 2 * time_of_three))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        seen.add(read(path))
        litter += len(list(path.iterdir())) > PARTS
    return len(seen), litter


def dies_at(path, step, nth):
    """Save in a process that ends at the nth call of a kind, without any cleaning up; whether it got that far."""
    original = getattr(os, step)
    calls = iter(range(1000))

    def call(*arguments, **options):
        if next(calls) == nth:
            os._exit(9)
        return original(*arguments, **options)

    def child():
        setattr(os, step, call)
        save(path, 1)
        os._exit(0)

    status = os.waitstatus_to_exitcode(os.waitpid(fork(child), 0)[1])
    assert status in {0, 9}, status
    return status == 9


def die_at_every_step(path, *, is_first):
    """How many steps a save has at which it was ended, as a first save or as one that replaces a model."""
    died = 0
    for step in STEPS:
        for nth in range(1000):
            if not is_first:
                save(path, 0)
            dead = dies_at(path, step, nth)
            if not is_first or (path / "model.toml").exists():
                assert read(path) in {0, 1}
            save(path, 2)  # whatever was left, it must be possible to save, and only that model remains
            assert read(path) == 2
            assert len(list(path.iterdir())) == PARTS, sorted(path.iterdir())
            if is_first:
                shutil.rmtree(path)
            if not dead:
                break
            died += 1
    return died


if __name__ == "__main__":
    base = Path(sys.argv[1])
    make_inner(base)
    seen, litter = kill_at_random(base / "random", int(sys.argv[2]))
    save(base / "random", 7)
    assert len(list((base / "random").iterdir())) == PARTS
    first = die_at_every_step(base / "first", is_first=True)
    again = die_at_every_step(base / "again", is_first=False)
    print(json.dumps({"seen": seen, "litter": litter, "first": first, "again": again}))  # noqa: T201
