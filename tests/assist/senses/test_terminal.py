"""`tolka translate --ask` in a real terminal, with real keys."""

import os
import pty
import select
import subprocess
import sys
import termios

import pytest

from tolka.translate import Translator

LINES = ["die Tasche ist schwer .", "die Frage ist schwer .", "er sieht die Burg ."]


def _command(model, *arguments):
    return [sys.executable, "-m", "tolka", "translate", str(model), *map(str, arguments)]


def _in_terminal(arguments, keys):
    """What a command shows and how it ends, if a key is pressed at each prompt."""
    terminal, theirs = pty.openpty()
    child = subprocess.Popen(arguments, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    shown, waiting = b"", list(keys)
    while True:
        ready, _, _ = select.select([terminal], [], [], 120)
        assert ready, f"nothing more after {shown!r}"
        try:
            more = os.read(terminal, 4096)
        except OSError:  # The other end is closed.
            break
        if not more:
            break
        shown += more
        if shown.endswith((b"q stop ", b"type>")):
            assert waiting, f"no key for {shown!r}"
            # Keys are taken without a line's end, and not shown by the terminal.
            assert not termios.tcgetattr(terminal)[3] & termios.ICANON
            os.write(terminal, waiting.pop(0))
    os.close(terminal)
    status = child.wait(timeout=120)
    assert not waiting
    return shown.decode().replace("\r\n", "\n"), status


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


def _which(shown, word, *, last=True):
    """The key of a substitute in the prompt."""
    prompts = [line for line in shown.splitlines() if "q stop" in line]
    return b"1" if prompts[-1 if last else 0].split()[1] == word else b"2"


def test_questions_change_translations(models, text):
    options = ("--ask", text, "--function-words", 0, "--questions", 1, "--quiet")
    first, _ = _in_terminal(_command(models["phrase"], *options), [b"q"])
    key = _which(first, "schwierig")
    # Keys that mean nothing are passed over.
    shown, code = _in_terminal(_command(models["phrase"], *options), [b"x" + key, b"n"])
    assert code == 0
    assert "\x1b[1mschwer\x1b[0m" in shown
    assert "schwer: the bag is heavy . -> the bag is difficult ." in shown
    assert "nothing changed" in shown
    translated = [
        line for line in shown.splitlines() if line in {"the bag is difficult .", "the question is difficult ."}
    ]
    assert translated[0] == "the bag is difficult ."
    assert "he sees the castle ." in shown or Translator.load(models["phrase"]).translate(LINES[2]) in shown


def test_stopping(models, text):
    shown, code = _in_terminal(_command(models["hiero"], "--ask", text, "--function-words", 0, "--quiet"), [b"q"])
    assert code == 0
    assert shown.count("q stop") == 1
    for line in Translator.load(models["hiero"]).translate(LINES):
        assert f"{line}\n" in shown


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--ask"], "there is no terminal"),
        (["--ask", "--json"], "--ask and --json do not go together"),
        (["--ask", "--input-format", "plf"], "--ask and --input-format do not go together"),
        (["--questions", "2"], "--questions is about questions; add --ask"),
        (["--scale", "2"], "--scale is about questions; add --ask"),
    ],
)
def test_what_is_refused(models, options, what):
    done = subprocess.run(
        _command(models["phrase"], *options), input="a\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert what in done.stderr
    assert done.stderr.count("\n") == 1
