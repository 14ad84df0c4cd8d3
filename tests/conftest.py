"""What all tests share: on a busy machine anything may take long, and no test is about time.

Databases are SQLite and a real PostgreSQL, which runs as long as the tests do.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from hypothesis import settings

from tolka import _engine

settings.register_profile("tolka", deadline=None)
settings.load_profile("tolka")


@dataclass
class Clock:
    """A clock that goes when it is told to."""

    now: datetime = field(default_factory=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL server."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    user = "postgres"
    # PostgreSQL refuses to run as root.
    before = ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="tolka-pg-") as folder:
        if before:
            shutil.chown(folder, user)
        data = f"{folder}/data"

        def run(*command: str) -> None:
            subprocess.run([*before, *command], check=True, capture_output=True, cwd=folder, timeout=120)

        run(f"{programs}/initdb", "-D", data, "-U", user, "-A", "trust", "-N", "--no-locale", "-E", "UTF8")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c shared_buffers=16MB -c fsync=off"
        run(f"{programs}/pg_ctl", "-D", data, "-o", options, "-l", f"{folder}/log", "-w", "start")
        try:
            yield f"postgresql://{user}@/postgres?host={folder}"
        finally:
            run(f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request) -> str:
    """The address of an empty database; empty for SQLite."""
    if request.param == "sqlite":
        return ""
    import psycopg  # noqa: PLC0415

    server = request.getfixturevalue("postgres")
    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture(scope="session")
def browser():
    """A real Chromium."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hammered():
    """What eight threads that share a translator say of texts, each thread of the others' in another order."""

    def hammer(translator, texts, rounds=3):
        begin = Barrier(8)

        def one(thread):
            begin.wait()
            said = {}
            for number in range(rounds):
                for at in range(len(texts)):
                    text = texts[(at * (2 * thread + 1) + thread + number) % len(texts)]
                    said.setdefault(text, set()).add(
                        (translator.translate(text, threads=1), translator.nbest(text, 2, threads=1)[0].words)
                    )
            return said

        # Threads take turns all the time, so that what they share is torn if it can be.
        usual = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(8) as pool:
                return list(pool.map(one, range(8)))
        finally:
            sys.setswitchinterval(usual)

    return hammer


@pytest.fixture(scope="session")
def damage():
    """Damages a file in place, as a generator of random numbers says; of a container the checksums fit."""

    def spoil(path, draw):
        (_damage_sections if path.read_bytes()[:4] == b"\x89TLK" else _damage_text)(path, draw)

    return spoil


def _damage_sections(path, draw):
    """Changes some elements of a container's sections; its structure, size and checksums stay right."""
    container = _engine.Container.open(path, None, full=True, most_bytes=1 << 30)
    sections = [
        [name, element, size, bytearray(container.read(name))] for name, element, size, _ in container.sections()
    ]
    # Vocabularies are found out at once; other sections are likelier.
    full = [one for one in sections if one[3]]
    plain = [one for one in full if "word-" not in one[0]] or full
    for _, _, size, content in draw.choices(plain, k=draw.randint(1, 3)):
        unit = 4 if size % 4 == 0 and size not in (4, 8) else size
        at = draw.randrange(len(content) // unit) * unit
        other = draw.randrange(len(content) // unit) * unit
        value = draw.choice([0, 1, 2, draw.randrange(256), 1 << 31, 0x7FC00000, (1 << 64) - 1, draw.getrandbits(64)])
        changed = [
            value.to_bytes(8, "little")[:unit],
            content[other : other + unit],
            bytes(content[at : at + unit])[::-1],
        ]
        content[at : at + unit] = draw.choice(changed)
    _write(path, container, sections)


def _write(path, container, sections):
    arrays = [
        (name, element, size, np.frombuffer(bytes(content), np.uint8)) for name, element, size, content in sections
    ]
    path.unlink()
    _engine.write_container(path, container.kind, container.kind_version, arrays)


def _damage_text(path, draw):
    content = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(content))
        content[at] = draw.choice(b'0-9a"=[]{}.#\n \x00\xff')
    path.unlink()
    path.write_bytes(content)
