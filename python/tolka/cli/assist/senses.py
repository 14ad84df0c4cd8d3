"""`tolka assist simulate --task senses`: what answers about the senses of words are worth."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from tolka.cli.conventions import print_json, progress
from tolka.cli.tables import console, new_table, print_table
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.assist.senses import Calibration, SenseSimulation, User
    from tolka.assist.senses.asking import Strategy

_USERS = ("reference", "lexicon")


def simulate_senses_command(
    model: Path,
    source: Path,
    reference: Path,
    *,
    strategy: str = "information",
    user: str = "reference",
    lexicon: Path | None = None,
    errors: float = 0.0,
    questions: int = 4,
    information: float = 0.0,
    scale: float | None = None,
    dev: tuple[Path, Path] | None = None,
    thesaurus: Path | None = None,
    functions: int = 100,
    seed: int = 1,
    threads: int = 0,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Translate, let a simulated person answer, translate again, and compare both with references.

    Args:
        model: A translator's directory.
        source: Text.
        reference: Its translation, line by line.
        strategy: How questions are chosen: information, random or nearest-half.
        user: Who answers: `reference`, an oracle that sees the reference, or `lexicon`, one that has a dictionary besides.
        lexicon: That dictionary, for `lexicon`.
        errors: The share of answers that are wrong.
        questions: For a sentence, at most.
        information: Questions that tell less, in nats, are not asked.
        scale: What scores are multiplied by.
        dev: A text and its translation to find the scale on, if it is not given.
        thesaurus: If given, substitutes are those it has.
        functions: So many most frequent words are neither asked about nor offered.
        seed: Of everything random.
        threads: How many; 0 for one per core.
        json: Whether to print JSON.
        quiet: Whether to leave bars out.

    Raises:
        SettingsError: Settings that do not go together.
    """
    from tolka.assist.senses import SenseModel, calibrate, simulate_senses
    from tolka.corpus import read_lines

    who = _user(user, lexicon, errors, seed)
    if scale is not None and dev is not None:
        raise SettingsError("the scale is both given and to be found", hint="leave --scale or --dev out")
    sources, references = list(read_lines(source)), list(read_lines(reference))
    bars = progress(quiet or json)
    asking = SenseModel.load(model, scale=scale, thesaurus=thesaurus, functions=functions, seed=seed, progress=bars)
    found: Calibration | None = None
    if dev is not None:
        found = calibrate(asking, list(read_lines(dev[0])), list(read_lines(dev[1])), threads=threads)
        asking = asking.with_scale(found.scale)
    result = simulate_senses(
        asking,
        sources,
        references,
        user=who,
        # Checked where it is used.
        strategy=cast("Strategy", strategy),
        questions=questions,
        least=information,
        threads=threads,
        progress=bars,
    )
    if json:
        calibration = {} if found is None else {"calibration": {**asdict(found), "curve": None}}
        for one in calibration.values():
            del one["curve"]
        print_json({**result.to_dict(), "user": user, "errors": errors, "scale": asking.scale, **calibration})
        return
    _print(result)


def _user(name: str, lexicon: Path | None, errors: float, seed: int) -> User:
    from tolka.assist.senses import LexiconUser, NoisyUser, ReferenceUser
    from tolka.combine.oov import read_lexicon

    if name not in _USERS:
        raise SettingsError(f"there is no user {name!r}", hint=f"use {' or '.join(_USERS)}")
    if (lexicon is not None) != (name == "lexicon"):
        what = "a lexicon is what the user called lexicon answers by"
        raise SettingsError(what, hint="give both --user lexicon and --lexicon FILE, or neither")
    user: User = ReferenceUser() if lexicon is None else LexiconUser(read_lexicon(lexicon).pairs)
    return NoisyUser(user, errors, seed=seed) if errors else user


def _print(result: SenseSimulation) -> None:
    table = new_table()
    for head in ("at most a sentence", "asked", "answered", "changed", "BLEU", "gain", "p"):
        table.add_column(head, justify="right")
    rows = [["0", "0", "0", "0.0 %", f"{result.before:.2f}", "", ""]]
    rows += [
        [
            str(one.questions),
            str(one.asked),
            str(one.answered),
            f"{100 * one.changed:.1f} %",
            f"{one.bleu:.2f}",
            f"{one.gain:+.2f}",
            f"{one.p_randomisation:.4f}",
        ]
        for one in result.curve
    ]
    for row in rows:
        table.add_row(*row)
    print_table(table, console())
