"""A room of its own, not the judging one: people say in which sense a word is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tolka.errors import InputError
from tolka.web.accounts import Accounts
from tolka.web.store import Store
from tolka.web.tables import stamp
from tolka.web.tasks import Kind, Queue, tables_1

if TYPE_CHECKING:
    from pathlib import Path


class Word(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sentence: str
    word: int = Field(ge=0)
    senses: list[str] = Field(min_length=2)


class Sense(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sense: int | None  # None of them


class Sentence(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    words: list[str]


class Heads(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    heads: list[int]
    sure: float = 1.0


def is_sense_of(word: Word, answer: Sense) -> None:
    if answer.sense is not None and not 0 <= answer.sense < len(word.senses):
        raise InputError(f"the word has {len(word.senses)} senses")


KINDS = (Kind("sense", Word, Sense, is_sense_of), Kind("parse", Sentence, Heads))
BANK = {"sentence": "we sat on the bank", "word": 4, "senses": ["of a river", "for money"]}


@pytest.fixture
def store(tmp_path: Path, database: str):
    store = Store(tmp_path / "senses.db", database, create=True)
    yield store
    store.close()


@pytest.fixture
def queue(store: Store, clock) -> Queue:
    store.migrate([tables_1], stamp(clock()))
    return Queue(store, KINDS, clock=clock, minutes=10)


@pytest.fixture
def people(queue: Queue, clock):
    """Makes people by name."""
    accounts = Accounts(queue.account)

    def people(*names: str):
        with queue.store.writing() as connection:
            return [accounts.invite(connection, name, "helper", stamp(clock()))[0] for name in names]

    return people


@pytest.fixture
def bank() -> dict[str, object]:
    return dict(BANK)


@pytest.fixture
def kinds() -> tuple[Kind, ...]:
    return KINDS
