"""What the time of multitree systems goes to, and how it grows with pairs and with words.

    python bench/learn/costs.py                                    # Tatoeba, 1,000 pairs
    python bench/learn/costs.py --data europarl --pairs 500 1000 2000 --lengths 10 15 20 25 30

Each system is trained on a sample of training pairs, tuned on the first sentences of the development set, and translates the first ones of the test set,
all in one process and on one thread. Words are the house's tokens, of one case. Prints JSON lines of CPU seconds of the process:

- `stages`: links, parsing, and the tasks of training as they report themselves (`coordinating` are the two searches and labelling), the
  language model, tuning, translating; `shares` of all of it in per cent. Links and parses are made once for all systems.
- `inferences`, of translating: per cent of the time that goes to looking phrases up, to saying what inferences of each kind cost, with how many of
  them there were, and to the rest of the search (agenda, chart, joining texts); by the clock, since a thread's own is too slow to be read
  twice an inference. `bilingual` has the looking up of a phrase's statistics or the classifiers of a pair of phrases, joins those of joins.
- `pairs`, with several `--pairs`: milliseconds a pair for training without links and parses.
- `lengths`, with `--lengths`: the same for as many training pairs as `--each` says whose source has so many words, one fewer or one more, and for
  translating sentences of that length by the system that was trained on most pairs; inferences whose cost was asked for, a sentence.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from data import SOURCES, parser_of, texts_of

from tolka.corpus import Tokeniser
from tolka.lm import LanguageModelTrainer
from tolka.multitree import SYSTEMS, MultitreeTranslator
from tolka.multitree.learnable import linked
from tolka.multitree.parsing import parse_tokens
from tolka.syntax import ConstituencyParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tolka.multitree import MultitreeSettings
    from tolka.syntax import Constituent

MOST_WORDS = 40
ITERATIONS = 5
LOOKED_AT = 20
"""Sentences of a length that are translated."""


class Text(NamedTuple):
    """Pairs with trees, and links if they are trained on."""

    pairs: list[tuple[list[str], list[str]]]
    trees: list[Constituent | None]
    links: list[list[tuple[int, int, float]]]

    def some(self, which: list[int]) -> Text:
        """Only these pairs."""
        return Text(*([part[at] for at in which] if part else [] for part in self))

    @property
    def sources(self) -> list[list[str]]:
        """Its source sentences."""
        return [source for source, _ in self.pairs]


class Clock:
    """CPU seconds of each task; as a `Progress` it is told of tasks."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextmanager
    def task(self, name: str, *, total: int | None = None, unit: str = "") -> Iterator[Callable[[int], None]]:  # noqa: ARG002
        """Time a task until it ends; what follows a comma in its name tells it from others of its kind."""
        began = time.process_time()
        yield lambda _units: None
        name = name.partition(",")[0]
        self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=SOURCES, default="tatoeba")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=["best", "forest-permissive"])
    parser.add_argument("--pairs", type=int, nargs="+", default=[1000])
    parser.add_argument("--lengths", type=int, nargs="*", default=[], help="words of source sentences")
    parser.add_argument("--each", type=int, default=100, help="training pairs of a length")
    parser.add_argument("--sentences", type=int, default=200, help="to translate; half as many to tune on")
    parser.add_argument("--parser", type=Path, help="a parser of English, instead of one trained on GUM")
    parser.add_argument("--keep", type=Path, help="a directory for texts and the parser")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        measure(options, options.keep or Path(place))


def measure(options: argparse.Namespace, keep: Path) -> None:
    most, place = max(options.pairs), keep / f"costs-{options.data}"
    # Of so many there are enough of each length.
    sampled = texts_of(options.data, most + 100 * options.each * bool(options.lengths), 1000, place)
    trees = ConstituencyParser.load(options.parser or parser_of(options.data, place, keep))
    langs, clock = SOURCES[options.data].langs, Clock()
    train = tokens(sampled.train, langs)
    fits = [at for at, (one, other) in enumerate(train) if max(len(one), len(other)) <= MOST_WORDS]
    chosen = sorted({*fits[:most], *(at for wide in options.lengths for at in near(train, fits, wide, options.each))})
    place_of = {at: number for number, at in enumerate(chosen)}
    text = prepared([train[at] for at in chosen], trees, clock, links=True)
    dev = prepared(tokens(sampled.tune, langs)[: options.sentences // 2], trees, Clock())
    test = tokens(sampled.test, langs)
    sentences = prepared(test[: options.sentences], trees, Clock())
    everywhere = list(range(len(test)))
    wide = {
        words: prepared([test[at] for at in near(test, everywhere, words, LOOKED_AT)], trees, Clock())
        for words in options.lengths
    }
    common = dict(clock.spent)
    for name in options.systems:
        told = {"bench": "learn costs", "data": options.data, "system": name}
        grown = []
        for pairs in sorted(options.pairs):
            some = text.some([place_of[at] for at in fits[:pairs]])
            system, spent = trained(SYSTEMS[name], some)
            grown.append({"pairs": len(some.pairs), "ms": round(1000 * sum(spent.values()) / len(some.pairs), 2)})
        if len(grown) > 1:
            say(told, pairs=grown)
        spent = {task: seconds * len(some.pairs) / len(text.pairs) for task, seconds in common.items()} | spent
        tuned(system, dev, spent)
        began = time.process_time()
        system.translate(sentences.sources, sentences.trees)
        spent["translating"] = time.process_time() - began
        total = sum(spent.values())
        shares = {task: round(100 * seconds / total, 1) for task, seconds in spent.items()}
        say(told, stages={task: round(seconds, 2) for task, seconds in spent.items()}, shares=shares)
        say(told, inferences=inferences(system, sentences))
        lengths = []
        for words, others in wide.items():
            own = text.some([place_of[at] for at in near(train, fits, words, options.each)])
            _, spent = trained(SYSTEMS[name], own)
            lengths.append(
                {
                    "words": words,
                    "pairs": len(own.pairs),
                    "training_ms": round(1000 * sum(spent.values()) / len(own.pairs), 1),
                    **of_length(system, others),
                }
            )
        if lengths:
            say(told, lengths=lengths)


def tokens(both: tuple[Path, Path], langs: tuple[str, str]) -> list[tuple[list[str], list[str]]]:
    """The words of two files, line by line."""
    sides = []
    for path, lang in zip(both, langs, strict=True):
        tokeniser = Tokeniser(lang)
        sides.append([tokeniser.tokenise(line.lower()) for line in path.read_text(encoding="utf-8").split("\n")[:-1]])
    return list(zip(*sides, strict=True))


def near(train: list[tuple[list[str], list[str]]], fits: list[int], wide: int, most: int) -> list[int]:
    """Pairs whose source is about so long, the first ones."""
    return [at for at in fits if abs(len(train[at][0]) - wide) <= 1][:most]


def prepared(
    pairs: list[tuple[list[str], list[str]]], trees: ConstituencyParser, clock: Clock, *, links: bool = False
) -> Text:
    """Pairs with trees, and with links if they are wanted."""
    with clock.task("parsing"):
        parsed, _ = parse_tokens(trees, [source for source, _ in pairs], threads=1)
    if not links:
        return Text(pairs, parsed, [])
    with clock.task("links"):
        return Text(pairs, parsed, linked(pairs, 1))


def trained(settings: MultitreeSettings, text: Text) -> tuple[MultitreeTranslator, dict[str, float]]:
    """A system, and the CPU seconds of each task of its training; what no task has is `rest`."""
    clock, began = Clock(), time.process_time()
    system = MultitreeTranslator(replace(settings, time_limit=None), threads=1)
    system.train(text.pairs, text.trees, links=text.links, progress=clock)
    if settings.weights is not None:
        with tempfile.TemporaryDirectory() as place, clock.task("language model"):
            path = Path(place) / "language.tlm"
            LanguageModelTrainer(order=5).train([" ".join(target) for _, target in text.pairs]).save(path)
            system.with_language(path)
    spent = dict(clock.spent)
    spent["rest of training"] = time.process_time() - began - sum(spent.values())
    return system, spent


def tuned(system: MultitreeTranslator, text: Text, spent: dict[str, float]) -> None:
    """Choose weights, or the penalty."""
    began, wanted = time.process_time(), [target for _, target in text.pairs]
    if system.settings.weights is not None:
        system.tune_weights(text.sources, wanted, text.trees, iterations=ITERATIONS)
    else:
        system.tune(text.sources, wanted, text.trees)
    spent["tuning"] = time.process_time() - began


def inferences(system: MultitreeTranslator, text: Text) -> dict[str, Any]:
    """Per cent of the time of translating, and inferences a sentence."""
    found = system.profile(text.sources, text.trees)
    counts = {kind: round(count / len(text.pairs), 1) for kind, (count, _) in found.scored.items()}
    return {**{name: round(100 * share, 1) for name, share in found.shares.items()}, "a_sentence": counts}


def of_length(system: MultitreeTranslator, some: Text) -> dict[str, Any]:
    """What translating sentences of a length takes."""
    if not some.pairs:
        return {"sentences": 0}
    began = time.process_time()
    found = system.translate(some.sources, some.trees)
    spent = time.process_time() - began
    return {
        "sentences": len(some.pairs),
        "translating_ms": round(1000 * spent / len(some.pairs), 1),
        "scored": round(sum(one.scored for one in found) / len(some.pairs)),
    }


def say(told: dict[str, str], **figures: Any) -> None:
    print(json.dumps({**told, **figures}), flush=True)


if __name__ == "__main__":
    main()
