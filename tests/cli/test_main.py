"""The command line's conventions: version, exit codes, one-sentence errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import tolka
from tolka.cli.tables import new_table, print_table


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tolka", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == f"tolka {tolka.__version__}\n"


def test_unknown_option_is_wrong_usage():
    done = run("--no-such-option")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_verbose_says_where_wherever_it_stands(tmp_path):
    missing = str(tmp_path / "none")
    for arguments in (("--verbose", "lm", "info", missing), ("lm", "info", missing, "--verbose")):
        done = run(*arguments)
        assert done.returncode == 1
        assert "Traceback" in done.stderr
        assert done.stderr.splitlines()[-1].startswith("tolka: ")
    assert "Traceback" not in run("lm", "info", missing).stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", [["tokenise", "--lang", "de"], ["--help"], ["corpus", "stats", "-"]])
def test_a_full_disk_behind_standard_output_is_one_sentence(command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tolka", *command],
            input=b"das haus\n" * 1000,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert (
        done.stderr.decode() == "tolka: standard output: the disk is full; free some room there, or write to another\n"
    )


def test_a_file_that_may_not_grow_is_named(tmp_path):
    """The limit of the system on a file's size is as good as a full disk."""
    text = tmp_path / "text"
    text.write_text("das haus ist klein\n" * 3000)
    # The limit is set by the program that becomes tolka: this one may have threads, and must not fork.
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-m", "tolka", "lm", "train", str(text), "-o", str(tmp_path / "lm.arpa"), "--order", "2"]
    done = subprocess.run([sys.executable, "-c", limited, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "lm.arpa") in done.stderr
    assert not (tmp_path / "lm.arpa").exists()


@pytest.mark.parametrize("width", [30, 40, 80])
def test_no_number_is_cut_where_it_is_narrow(width, capsys):
    table = new_table()
    for head in ("metric", "score", "baseline", "difference", "95 %"):
        table.add_column(head, no_wrap=True)
    table.add_row("BLEU", "42.03", "32.74", "+9.29", "39.02 to 44.64")
    print_table(table, Console(file=sys.stdout, width=width))
    shown = capsys.readouterr().out
    assert all(number in shown for number in ("42.03", "32.74", "+9.29", "39.02 to 44.64"))


def test_without_colour_there_are_no_escapes_at_all(tmp_path):
    text = tmp_path / "text"
    text.write_text("das haus\n")
    coloured, plain = (run("corpus", "stats", str(text), FORCE_COLOR="1", **more) for more in ({}, {"NO_COLOR": "1"}))
    assert "\x1b[" in coloured.stdout
    assert "\x1b[" not in plain.stdout
    assert "\x1b[" not in run("translate", "--help", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_help_has_room_and_keeps_tags():
    shown = run("translate", "--help", COLUMNS="80").stdout
    assert '<n translation="...">...</n>' in " ".join(shown.split())
    texts = [line[34:] for line in shown.splitlines() if line.startswith(" " * 34)]
    assert max(map(len, texts)) > 40


def test_completion_knows_commands_and_options():
    # The script, since completion is for the name it was installed under.
    program = Path(sys.executable).parent / "tolka"

    def completed(words):
        asked = {"_TOLKA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run([program], capture_output=True, text=True, check=False, env={**os.environ, **asked})
        return done.stdout.split()

    assert completed("tolka tra") == ["train", "translate"]
    assert completed("tolka translate --pop") == ["--pop-limit"]
