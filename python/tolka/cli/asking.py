"""`tolka translate --ask`: questions in the terminal, one key each."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tolka.assist import Effect, Question
    from tolka.assist.senses import SenseDialogue
    from tolka.translate import Translator

KEYS: dict[str, int | None] = {"1": 0, "2": 1, "n": None}
STOP = "q"
MOST, LEAST = 3, 0.1
"""Questions about a line, and what an answer must be expected to tell, if nothing else is said."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def ask_and_translate(
    translator: Translator, inputs: Sequence[Path], options: Mapping[str, Any], *, quiet: bool
) -> None:
    """Translate line by line, ask about the words of each, and translate again.

    Translations go to standard output, the conversation to standard error; keys come from standard input, and so do the
    lines, if no file is named. Options that are None have their defaults.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise SettingsError(
            "--ask puts questions to a person, and there is no terminal",
            hint="name files instead of piping text, and run it in a terminal",
        )
    from tolka.assist.senses import SenseModel
    from tolka.cli.bars import progress

    named = {"--scale": "scale", "--thesaurus": "thesaurus", "--function-words": "functions"}
    settings = {own: options[name] for name, own in named.items() if options[name] is not None}
    model = SenseModel(translator, **settings, progress=progress(quiet))
    least = LEAST if options["--information"] is None else options["--information"]
    most = options["--questions"] or MOST
    # Reading the table takes a while; nobody should wait for it after a question was promised.
    _ = model.asker
    screen, asking = sys.stderr, True
    for line in _lines(inputs):
        dialogue = model.dialogue(line, least=least, most=most)
        if asking:
            with keys_at_once(sys.stdin.fileno()) as key:
                asking = talk(dialogue, key, screen)
        sys.stdout.write(f"{dialogue.result}\n")
        sys.stdout.flush()


def check_asking(ask: bool, others: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse what does not go together."""
    lone = [name for name, value in options.items() if value is not None]
    if ask and others:
        raise SettingsError(f"--ask and {others[0]} do not go together", hint="give one of them")
    if lone and not ask:
        raise SettingsError(f"{lone[0]} is about questions", hint="add --ask")


def talk(dialogue: SenseDialogue, key: Callable[[], str], screen: TextIO) -> bool:
    """Ask what there is to ask, and say what changed; whether anything may be asked afterwards."""
    if dialogue.question is None:
        return True
    print(f"\n{dialogue.result}", file=screen)
    going = True
    while going and (question := dialogue.question) is not None:
        going = _ask(dialogue, question, key, screen)
    if not dialogue.account():
        return going
    print(_told(dialogue.account()), file=screen, flush=True)
    return going


def _ask(dialogue: SenseDialogue, question: Question, key: Callable[[], str], screen: TextIO) -> bool:
    first, second = question.choices
    print(f"  {_emphasised(question)}", file=screen)
    print(f"  1 {first}   2 {second}   n neither or both   {STOP} stop ", end="", file=screen, flush=True)
    while True:
        pressed = key().casefold()
        if pressed in {STOP, ""}:
            print(STOP, file=screen, flush=True)
            return False
        if pressed in KEYS:
            break
    print(pressed, file=screen, flush=True)
    dialogue.answer(question.id, KEYS[pressed])
    return True


def _emphasised(question: Question) -> str:
    words = question.text.split()
    begin, end = question.focus or (0, 0)
    return " ".join([*words[:begin], f"{_BOLD}{' '.join(words[begin:end])}{_PLAIN}", *words[end:]])


def _told(account: Sequence[Effect]) -> str:
    """What the answers changed, in a line each."""
    changed = [one for one in account if one.changed]
    if not changed:
        return "  nothing changed"
    return "\n".join(f"  {_asked(one.question)}: {one.before} -> {one.after}" for one in changed)


def _asked(question: Question) -> str:
    """The words that were asked about, without the punctuation around them."""
    words = " ".join(question.focused)
    letters = [at for at, letter in enumerate(words) if letter.isalnum()]
    return words[letters[0] : letters[-1] + 1]


def _lines(inputs: Sequence[Path]) -> Iterator[str]:
    from tolka.corpus import read_lines

    if not inputs:
        # A person types; the end of the file ends it.
        for line in sys.stdin:
            yield line.rstrip("\r\n")
    for path in inputs:
        yield from read_lines(path)


@contextmanager
def keys_at_once(descriptor: int) -> Iterator[Callable[[], str]]:
    """A terminal that gives keys as they are pressed and does not show them; Ctrl-C interrupts as ever.

    Gives what reads a key; empty at the end of input.
    """
    try:
        import termios
        import tty
    except ImportError as error:  # pragma: no cover - Windows
        raise SettingsError("--ask needs a terminal of POSIX", hint="run it under WSL") from error
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield lambda: _key(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _key(descriptor: int) -> str:
    pressed = os.read(descriptor, 1)
    # Letters beyond ASCII are several bytes, and so are arrows; none of them is an answer.
    return "" if pressed == b"\x04" else pressed.decode("ascii", "replace")
