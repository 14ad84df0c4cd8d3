"""One build of tolka against another on the same model: the same answers, and how much faster or slower.

Runs the two in turn, each in a process of its own, and prints one JSON line for each kind of work: CPU seconds of both
(the least of several turns), their ratio, and whether the answers are the same to the byte. `--start` measures what
`tolka translate` of a line and `tolka --version` take from beginning to end instead (medians).

    python bench/translate/against.py MODEL text.de --other ../before/.venv/bin/python [--tables 1 2 11] [--start]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--other", help="another Python that has another tolka")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--tables", type=int, nargs="+", default=[1], help="the model's table so many times over")
    parser.add_argument("--nbest", type=int, default=100, help="the length of lists, of a fifth of the sentences")
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(work(options, int(options.child[0]), int(options.child[1]))))
        return
    pythons = {"this": sys.executable, **({"other": options.other} if options.other else {})}
    if options.start:
        start(options, pythons)
        return
    for tables in options.tables:
        for nbest in (0, options.nbest):
            command = [*sys.argv, "--child", str(tables), str(nbest)]
            found: dict[str, list[tuple[float, str]]] = {name: [] for name in pythons}
            for _ in range(options.turns):
                for name, python in pythons.items():
                    done = subprocess.run([python, *command], capture_output=True, text=True, check=True)
                    found[name].append(tuple(json.loads(done.stdout)))
            least = {name: min(turns)[0] for name, turns in found.items()}
            same = len({digest for turns in found.values() for _, digest in turns}) == 1
            say(tables=tables, nbest=nbest, same=same, **summary(least))


def work(options: argparse.Namespace, tables: int, nbest: int) -> tuple[float, str]:
    """CPU seconds of decoding alone, and a hash of the answers."""
    from tolka import Translator  # noqa: PLC0415
    from tolka.decode import Decoder  # noqa: PLC0415
    from tolka.grammar import Grammar  # noqa: PLC0415
    from tolka.lm import LanguageModel  # noqa: PLC0415

    translator = Translator.load(options.model)
    lines = options.text.read_text(encoding="utf-8").splitlines()[: options.sentences]
    words, decoder = translator.prepare(lines), translator.decoder
    if tables > 1:
        (table,), lms = translator.files.grammars.values(), translator.files.lms
        named = {f"t{number}": Grammar.load(table) for number in range(tables)}
        decoder = Decoder(
            named,
            {name: LanguageModel.load(path) for name, path in lms.items()},
            kind=decoder.kind,
            **decoder.settings,
        )
        own = {f"{name}.{feature}": weight for name in named for feature, weight in translator.weights.items()}
        known = {**translator.weights, **own}
        decoder = decoder.with_weights({name: known[name] for name in decoder.weights if name in known})
    decoder.translate(words[:20], threads=1)
    decoder.nbest(words[:5], 2, threads=1)  # what is loaded later is loaded now
    begun = time.process_time()
    if nbest:
        lists = decoder.nbest(words[: len(words) // 5], nbest, threads=1)
        answers = repr([[(one.text, one.score, sorted(one.features.items())) for one in own] for own in lists])
    else:
        answers = repr(decoder.translate(words, threads=1))
    return time.process_time() - begun, hashlib.sha256(answers.encode()).hexdigest()


def start(options: argparse.Namespace, pythons: dict[str, str]) -> None:
    line = options.text.read_bytes().split(b"\n")[0] + b"\n"
    for arguments in (["translate", str(options.model)], ["--version"]):
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in pythons}
        for _ in range(3 * options.turns):
            for name, python in pythons.items():
                found[name].append(whole([Path(python).with_name("tolka"), *arguments], line))
        for at, measure in enumerate(("cpu", "wall")):
            medians = {name: statistics.median(turn[at] for turn in turns) for name, turns in found.items()}
            say(start=arguments[0], measure=measure, **summary(medians))


def whole(command: list[str | Path], text: bytes) -> tuple[float, float]:
    """CPU and wall seconds of a process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(text)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return used.ru_utime + used.ru_stime, time.perf_counter() - begun


def summary(seconds: dict[str, float]) -> dict[str, float]:
    rounded = {name: round(value, 3) for name, value in seconds.items()}
    return {**rounded, **({"ratio": round(seconds["this"] / seconds["other"], 3)} if "other" in seconds else {})}


def say(**values: object) -> None:
    print(json.dumps({"bench": "against", **values}), flush=True)


if __name__ == "__main__":
    main()
