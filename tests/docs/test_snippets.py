"""Every snippet of README.md and docs/ runs.

A page is one story: its snippets run from top to bottom in one temporary directory. Of the fences, `python` is
executed, `console` has commands behind `$ ` and, below each, what it prints (`…` stands for anything). A fence with a
title is a file of that name. Other fences are prose.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^```(?P<kind>\w*)(?: title=\"(?P<title>[\w.-]+)\")?[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


def snippets(page: Path) -> Iterator[tuple[int, str, str | None, str]]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        yield line, match["kind"], match["title"], match["body"]


def commands(body: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command}\n{more}"
        yield command, expected.rstrip("\n")


def matches(expected: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, printed.rstrip("\n"), re.DOTALL) is not None


def run_console(body: str, where: str, folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    for command, expected in commands(body):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{where}: $ {command}\n{done.stderr}"
        if expected:
            assert matches(expected, done.stdout), f"{where}: $ {command}\nprinted:\n{done.stdout}\nnot:\n{expected}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for line, kind, title, body in snippets(page):
        where = f"{page.relative_to(ROOT)}:{line}"
        if title is not None:
            (tmp_path / title).write_text(body, encoding="utf-8")
        elif kind == "python":
            exec(compile("\n" * (line - 1) + body, page, "exec"), names)  # noqa: S102
        elif kind == "console":
            run_console(body, where, tmp_path)


def test_a_wrong_output_is_noticed(tmp_path: Path):
    with pytest.raises(AssertionError, match="printed"):
        run_console("$ echo one\ntwo\n", "here", tmp_path)
    run_console("$ echo one two three\none … three\n", "here", tmp_path)
