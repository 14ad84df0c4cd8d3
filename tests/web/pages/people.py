"""People who come to a page: with a browser that runs no scripts, or as fast as they can; and servers to come to."""

import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx

with warnings.catch_warnings():
    # Starlette would rather have httpx's successor.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

HOSTILE = [
    "<script>window.owned = 1</script>",
    '"><img src=x onerror="window.owned = 1">',
    "<svg/onload=window.owned=1>",
    "</textarea></button></form><iframe srcdoc='<script>parent.owned=1</script>'>",
    "javascript:window.owned=1 {{ 7 * 7 }} {% raw %} ${7*7} &lt;b&gt;",
    "\u202eevil\u202c \x00 \ud7ff \U0001f600 ' onfocus=window.owned=1 autofocus '",
]
ROOT = Path(__file__).parents[3]


def hidden_fields(page: str, action: str = "/answer") -> dict[str, str]:
    """The hidden fields of a form on a page."""
    form = re.search(rf'<form[^>]*action="{action}"[^>]*>(.*?)</form>', page, re.DOTALL)
    assert form, page
    return {
        unescape(name): unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[1])
    }


@dataclass
class Visitor:
    """Someone with a browser that runs no scripts."""

    client: TestClient
    host: Any
    name: str
    world: Any = None

    @property
    def campaign(self):
        return self.host

    def get(self, path="/", **more):
        return self.client.get(path, follow_redirects=False, **more)

    def post(self, path, data, **more):
        return self.client.post(path, data=data, follow_redirects=False, **more)

    def fields(self, path="/", action="/answer") -> dict[str, str]:
        """The hidden fields of a form on a page."""
        return hidden_fields(self.get(path).text, action)

    def answer(self, choice="left", **changes):
        return self.post("/answer", self.fields() | {"choice": choice} | changes)

    def good(self, *, other=False) -> dict[str, str]:
        """Everything that answers the present question, in one of two ways."""
        page = self.get("/").text
        return hidden_fields(page) | self.world.given(page, other=other)


class Hurried(threading.Thread):
    """Answers as fast as it can until the server is gone; remembers what was acknowledged."""

    def __init__(self, link: str, world: Any) -> None:
        super().__init__()
        self.link = link
        self.world = world
        self.acknowledged: dict[str, dict[str, str]] = {}
        self.sent: set[str] = set()

    def run(self) -> None:
        base, _, _ = self.link.rpartition("/join/")
        try:
            with httpx.Client(base_url=base, timeout=60) as client:
                client.post("/join", data=hidden_fields(client.get(self.link).text, "/join"))
                while True:
                    page = client.get("/").text
                    if 'action="/answer"' not in page:
                        return
                    fields = hidden_fields(page)
                    given = self.world.given(page, other=bool(len(self.sent) % 2))
                    self.sent.add(fields["task"])
                    if client.post("/answer", data=fields | given).status_code == 303:
                        self.acknowledged[fields["task"]] = given
        except httpx.TransportError:
            pass


@contextmanager
def running(
    command: list[str], folder: Path, *names: str, last: str
) -> Iterator[tuple[subprocess.Popen, dict[str, str]]]:
    """A server process, and the links it printed.

    Args:
        command: What Python runs, up to the folder.
        folder: What is served.
        names: Who is invited.
        last: The label of the last line it prints.
    """
    invited = [part for name in names for part in ("--invite", name)]
    whole = [sys.executable, *command, str(folder), "--port", "0", *invited]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            links = {}
            while last not in links:
                line = process.stdout.readline()
                assert line, "the server ended"
                label, link = line.strip().split(": ", 1)
                links[label.removeprefix("judge ").removeprefix("helper ")] = link
            yield process, links
        finally:
            process.kill()
            process.wait()
