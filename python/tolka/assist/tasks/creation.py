"""Making a directory of tasks: it is there whole, or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from tolka.assist.tasks import schema
from tolka.assist.tasks.asking import Asking
from tolka.assist.tasks.folder import store_of
from tolka.assist.tasks.known import check_all, stored_form
from tolka.assist.tasks.settings import FILE, HEAD
from tolka.errors import FileError, InputError, LimitError
from tolka.files import write_atomic
from tolka.files.atomic import sync_directory
from tolka.judge.campaign.toml_text import explained
from tolka.judge.platform.items import bank
from tolka.web.host import KEY
from tolka.web.keys import write_key
from tolka.web.migrations import migrate
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from tolka.assist.tasks.known import KnownTest
    from tolka.assist.tasks.settings import TaskSettings
    from tolka.assist.tasks.task import Task
    from tolka.web.store import Store

MOST_SENTENCES = 100_000
MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class Made:
    """What became of the sentences.

    Attributes:
        sentences: How many there are.
        askable: About how many there is something to ask.
        troubles: By number, why nothing could be made of a sentence.
    """

    sentences: int
    askable: int
    troubles: dict[int, str]


def create_tasks(
    directory: Path | str,
    sentences: Iterable[str],
    settings: TaskSettings,
    task: Task,
    *,
    tests: Iterable[KnownTest] = (),
) -> Made:
    """Make a directory of tasks; while it is being made it has another name, so that a killed run leaves none.

    Args:
        directory: The directory, which must not be there yet.
        sentences: What is asked about.
        settings: The settings.
        task: Makes material; with all the models it needs.
        tests: Test questions, besides those that come with tolka for the language in the settings.

    Raises:
        FileError: There is such a directory, or it cannot be written.
        InputError: There are no sentences.
        LimitError: There are too many, or what is kept of one is too large.
    """
    directory = Path(directory)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise FileError("this is there already", path=directory, hint="name another directory")
    language = settings.tests.language
    known = check_all([*tests, *(bank(language) if language else ())])
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    except OSError as error:
        raise FileError(f"cannot make the directory: {error.strerror}", path=directory) from error
    try:
        store = store_of(making, settings, create=True)
        try:
            if store.path is not None:  # it will hold what people answered, and hashes of their invitations
                store.path.touch(0o600)
            made = _fill(store, sentences, settings, task, known)
        finally:
            store.close()
        write_key(making / KEY)
        with write_atomic(making / FILE) as out:
            out.write(explained(settings, HEAD))
        (making / FILE).chmod(0o600)  # the database's address may have a password in it
        _move(making, directory)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    return made


def _move(making: Path, directory: Path) -> None:
    try:
        os.rename(making, directory)  # noqa: PTH104 (over an empty directory, which Path.rename promises less of)
    except OSError as error:
        raise FileError(f"cannot make the directory: {error.strerror}", path=directory) from error
    sync_directory(directory.parent)


def _fill(store: Store, sentences: Iterable[str], settings: TaskSettings, task: Task, tests: list[KnownTest]) -> Made:
    now = stamp(datetime.now(UTC))
    troubles: dict[int, str] = {}
    number = 0
    asking = Asking(store, settings, task)
    with store.writing() as connection:
        migrate(connection, schema.STEPS, now)
        if connection.execute(select(func.count()).select_from(schema.state)).scalar():
            raise FileError("the database holds tasks already", hint="give an empty database")
        connection.execute(schema.state.insert().values(name="tasks", value=secrets.token_hex(8)))
        for number, text in enumerate(sentences, start=1):
            if number > MOST_SENTENCES:
                raise LimitError(f"there may be {MOST_SENTENCES:,} sentences", hint="make several directories")
            trouble = _add(connection, number - 1, text, task)
            if trouble:
                troubles[number - 1] = trouble
            else:
                asking.settle(connection, number - 1)
        if not number:
            raise InputError("there are no sentences to ask about")
        rows = [stored_form(test) for test in tests]
        if rows:
            kept = [{"id": at, "kind": kind, "body": body} for at, (kind, body) in enumerate(rows)]
            connection.execute(schema.test.insert(), kept)
        connection.execute(schema.audit.insert().values(at=now, actor="owner", action="created", detail=""))
        askable = select(func.count()).where(schema.standing.c.question.is_not(None))
        return Made(number, connection.execute(askable).scalar_one(), troubles)


def _add(connection: Connection, number: int, text: str, task: Task) -> str:
    """Keep a sentence and its material; returns what the trouble is, if nothing can be made of it."""
    material: str | None = None
    trouble = ""
    try:
        material = json.dumps(task.prepare(text), ensure_ascii=False, allow_nan=False)
    except (InputError, LimitError) as error:  # one sentence that is too long does not end it for all others
        trouble = error.what
    if material is not None and len(material) > MOST_BYTES:
        what = f"sentence {number + 1}: what is to be kept of it has {len(material):,} letters, and may have {MOST_BYTES:,}"
        raise LimitError(what, hint="prune its forest or search graph")
    values: dict[str, Any] = {"id": number, "text": text, "material": material, "trouble": trouble}
    connection.execute(schema.sentence.insert().values(**values))
    return trouble
