"""Directories of tasks whose dialogues are small enough to be checked by hand."""

import pytest
from tests.assist.readings import ReadingTask

from tolka.assist.tasks import TaskSettings, create_tasks, open_tasks, register

register("readings", "tests.assist.readings:ReadingTask")
SENTENCES = [f"apart sentence number {number}" + " and so on" * (number % 5) for number in range(6)]


@pytest.fixture
def make(tmp_path, clock):
    """Makes directories of tasks, and closes them in the end."""
    made = []

    def make(sentences=SENTENCES, *, known=(), **settings):
        folder = tmp_path / f"tasks{len(made)}"
        settings = {"task": "readings", "tests": {"rate": 0.0}} | settings
        create_tasks(folder, sentences, TaskSettings.from_values(settings), ReadingTask(), tests=known)
        made.append(open_tasks(folder, clock=clock))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def people():
    """Makes people by name."""

    def people(tasks, *names):
        for name in names:
            tasks.invite(name)
        return [tasks.named(name) for name in names]

    return people
