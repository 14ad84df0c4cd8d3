"""Kills processes that save an ensemble that holds its parts; run by test_killed.py.

It runs by itself because it forks, which a process with threads should not. It prints how many saves died.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from tolka.translate.ensemble import open_ensemble, open_part, write_ensemble
from tolka.translate.ensemble.description import EnsembleDescription, EnsemblePart

STEPS = ["open", "mkdir", "link", "fsync", "rename", "replace", "unlink", "rmdir"]


def save(path, models, number):
    """Save an ensemble of two of the models: which, and their weights, depend on the number."""
    places = {"own": models[number % 2], "other": models[2 + number % 3 % 2]}
    parts = [open_part(name, place) for name, place in places.items()]
    entries = [EnsemblePart(part.name, str(part.path), part.key) for part in parts]
    mixture = {"weights": {"own": float(number + 1)}}
    write_ensemble(path, EnsembleDescription(["de", "en"], entries, mixture, inside=True), parts)


def read(path, models):
    """The number of the save an ensemble comes from; all its parts must come from the same one, whole."""
    opened = open_ensemble(path, verify=True)
    number = int(opened.description.mixture["weights"]["own"]) - 1
    wanted = [open_part("", models[number % 2]).key, open_part("", models[2 + number % 3 % 2]).key]
    assert [part.key for part in opened.parts] == wanted
    return number


def fork(child):
    pid = os.fork()
    if not pid:
        try:
            child()
        finally:
            os._exit(1)
    return pid


def kill_at_random(path, models, rounds):
    start = time.perf_counter()
    for number in range(3):
        save(path, models, number)
    time_of_three = time.perf_counter() - start
    chance = random.Random(1)  # noqa: S311
    seen, litter = set(), 0
    for round_ in range(rounds):

        def child(first=round_ * 10_000):
            for number in range(first, first + 10_000):
                save(path, models, number)

        pid = fork(child)
        time.sleep(chance.uniform(0, 2 * time_of_three))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        seen.add(read(path, models))
        litter += len(list(path.iterdir())) > 3
    return len(seen), litter


def dies_at(path, models, step, nth):
    """Save in a process that ends at the nth call of a kind, without any cleaning up; whether it got that far."""
    original = getattr(os, step)
    calls = iter(range(1000))

    def call(*arguments, **options):
        if next(calls) == nth:
            os._exit(9)
        return original(*arguments, **options)

    def child():
        setattr(os, step, call)
        save(path, models, 1)
        os._exit(0)

    status = os.waitstatus_to_exitcode(os.waitpid(fork(child), 0)[1])
    assert status in {0, 9}, status
    return status == 9


def die_at_every_step(path, models):
    died = 0
    for step in STEPS:
        for nth in range(1000):
            save(path, models, 4)
            dead = dies_at(path, models, step, nth)
            assert read(path, models) in {4, 1}
            # Whatever was left, it must be possible to save, and only that ensemble remains.
            save(path, models, 6)
            assert read(path, models) == 6
            assert len(list(path.iterdir())) == 3, sorted(path.iterdir())
            if not dead:
                break
            died += 1
    return died


if __name__ == "__main__":
    base, models = Path(sys.argv[1]), [Path(one) for one in sys.argv[3:]]
    seen, litter = kill_at_random(base / "random", models, int(sys.argv[2]))
    died = die_at_every_step(base / "steps", models)
    print(json.dumps({"seen": seen, "litter": litter, "died": died}))  # noqa: T201
