"""Training of a parser on a treebank."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tolka.errors import FileError, InputError, SettingsError
from tolka.files import write_atomic
from tolka.syntax.conll_writing import write_conllu
from tolka.syntax.udpipe_work import PROGRAM, udpipe

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tolka.syntax.tree import Tree


@dataclass(frozen=True)
class ParserTraining:
    """What was trained.

    Attributes:
        model: The file.
        bytes: Its size.
        sentences: Trees it was trained on.
        words: Words in them.
        held_out: Trees it was checked on after each round.
        settings: The settings used.
    """

    model: str
    bytes: int
    sentences: int
    words: int
    held_out: int
    settings: dict[str, int | bool]


def train_parser(
    treebank: Iterable[Tree],
    model: str | PathLike[str],
    *,
    held_out: Iterable[Tree] = (),
    iterations: int = 10,
    hidden_layer: int = 200,
    embedding: int = 50,
    tagger_iterations: int = 10,
    lemmas: bool = True,
    seed: int = 1,
    verbose: bool = False,
) -> ParserTraining:
    """Train a tagger and a parser with UDPipe, and write them to a model file that appears whole or not at all.

    Trees may be non-projective: the transition system is `swap` with its lazy static oracle (Nivre, Kuhlmann and Hall,
    2009). The training runs in a process of its own.

    Args:
        treebank: The trees to learn from, each with one root.
        model: Where the model goes.
        held_out: Trees that choose the best round of training.
        iterations: Rounds of the parser.
        hidden_layer: Units of its network.
        embedding: Dimensions of its word embeddings.
        tagger_iterations: Rounds of the tagger.
        lemmas: Learn lemmas too; without them training is quicker.
        seed: Order in which the trees are seen.
        verbose: Let UDPipe tell of its progress on standard error.

    Raises:
        InputError: There is no tree, or a tree has several roots.
        MissingExtraError: ufal.udpipe is not installed.
    """
    udpipe()
    settings: dict[str, int | bool] = {
        "iterations": iterations,
        "hidden_layer": hidden_layer,
        "embedding": embedding,
        "tagger_iterations": tagger_iterations,
    }
    for name, value in settings.items():
        if value < 1:
            raise SettingsError(f"{name} must be at least 1, not {value}")
    settings |= {"lemmas": lemmas, "seed": seed}
    trees, checks = _usable(treebank, "the treebank"), _usable(held_out, "the held-out treebank")
    if not trees:
        raise InputError("there is no tree to learn from", hint="is the treebank empty?")
    random.Random(seed).shuffle(trees)  # noqa: S311 - not a secret
    with TemporaryDirectory(prefix="tolka-parser-") as directory:
        here = Path(directory)
        write_conllu(here / "train.conllu", trees)
        if checks:
            write_conllu(here / "held-out.conllu", checks)
        job = {
            "treebank": str(here / "train.conllu"),
            "held_out": str(here / "held-out.conllu") if checks else "",
            "model": str(here / "model"),
            "tagger": f"models=1;iterations={tagger_iterations};use_lemma={lemmas:d};provide_lemma={lemmas:d}"
            + (";early_stopping=1" if checks else ""),
            "parser": f"iterations={iterations};hidden_layer={hidden_layer};embedding_form={embedding};"
            "transition_system=swap;transition_oracle=static_lazy;single_root=1"
            + (";early_stopping=1" if checks else ""),
        }
        done = subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, "train"],
            input=json.dumps(job) + "\n",
            stdout=subprocess.PIPE,
            stderr=sys.stderr.fileno() if verbose else subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
        if done.stdout:
            raise InputError(json.loads(done.stdout))
        if done.returncode:
            raise FileError("the training process ended before its work was done", hint="is there enough memory?")
        content = (here / "model").read_bytes()
    with write_atomic(str(model), binary=True) as out:
        out.write(content)
    return ParserTraining(str(model), len(content), len(trees), sum(map(len, trees)), len(checks), settings)


def _usable(trees: Iterable[Tree], name: str) -> list[Tree]:
    found = []
    for number, tree in enumerate(trees, 1):
        if len(tree.roots) != 1:
            raise InputError(f"tree {number} of {name} has {len(tree.roots)} roots", hint="UDPipe needs one")
        # Orders and comments are nothing UDPipe learns from.
        found.append(replace(tree, order=None, comments=()))
    return found
