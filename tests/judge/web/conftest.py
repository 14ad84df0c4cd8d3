"""Campaigns whose texts are hostile, visitors of the page, a server of its own and a real browser."""

import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

from tolka.judge.campaign import BlankTest, Campaign, CampaignSettings, Material, create_campaign
from tolka.judge.web import create_app

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


def material(texts: list[str], tests=()) -> Material:
    rows = [
        {"item": item, "segment": str(number), "source": f"source {text}", "reference": text, "text": f"{text} {word}"}
        for number, text in enumerate(texts)
        for item, word in (("system-alpha", "one"), ("system-beta", "two"), ("system-gamma", "three"))
    ]
    return Material.of_rows(rows, where="rows", tests=tests)


@pytest.fixture
def make(tmp_path):
    """Makes campaigns."""
    made: list[Campaign] = []

    def make(texts=("plain",) * 1, *, tests_asked=(), **settings) -> Campaign:
        folder = tmp_path / f"campaign{len(made)}"
        made.append(create_campaign(folder, material(list(texts), tests_asked), CampaignSettings.from_values(settings)))
        return made[-1]

    yield make
    for campaign in made:
        campaign.close()


@dataclass
class Visitor:
    """Someone with a browser that runs no scripts."""

    client: TestClient
    campaign: Campaign
    name: str

    def get(self, path="/", **more):
        return self.client.get(path, follow_redirects=False, **more)

    def post(self, path, data, **more):
        return self.client.post(path, data=data, follow_redirects=False, **more)

    def fields(self, path="/", action="/answer") -> dict[str, str]:
        """The hidden fields of a form on a page."""
        page = self.get(path).text
        form = re.search(rf'<form[^>]*action="{action}"[^>]*>(.*?)</form>', page, re.DOTALL)
        assert form, page
        return {
            unescape(name): unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[1])
        }

    def answer(self, choice="left", **changes):
        return self.post("/answer", self.fields() | {"choice": choice} | changes)


@pytest.fixture
def visit():
    """Lets people come in."""
    opened = []

    def visit(campaign, name="anna", role="judge", *, app=None) -> Visitor:
        app = app or create_app(campaign)
        client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=True)
        client.__enter__()
        opened.append(client)
        visitor = Visitor(client, campaign, name)
        invitation = campaign.invite(name, role)
        fields = visitor.fields(f"/join/{invitation}", "/join")
        assert visitor.post("/join", fields).status_code == 303
        return visitor

    yield visit
    for client in opened:
        client.__exit__(None, None, None)


@contextmanager
def running(folder: Path, *names: str) -> Iterator[tuple[subprocess.Popen, dict[str, str]]]:
    """A server process, and the links it printed."""
    invited = [part for name in names for part in ("--invite", name)]
    command = [sys.executable, "-m", "tolka", "judge", "serve", str(folder), "--port", "0", *invited]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            links = {}
            while "admin" not in links:
                line = process.stdout.readline()
                assert line, "the server ended"
                label, link = line.strip().split(": ", 1)
                links[label.removeprefix("judge ")] = link
            yield process, links
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def serve():
    """Starts servers."""
    return running


BLANK = BlankTest("I ___ the supplier to divert the shipment.", ("wanted", "know", "saw", "seemed"), (0,))


@pytest.fixture
def blank():
    return BLANK


@pytest.fixture
def hostile():
    return list(HOSTILE)
