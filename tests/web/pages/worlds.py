"""The pages there are: how to make one of hostile texts, what answers it takes, and how it keeps them.

Whatever is attacked or killed here is attacked and killed in each of them.
"""

import json
import re
from html import unescape

from sqlalchemy import select
from tests.assist.readings import ReadingTask
from tests.web.pages.people import running

from tolka.assist.tasks import TaskSettings, create_tasks, open_tasks, register
from tolka.assist.tasks import schema as tasks_schema
from tolka.assist.tasks.outcome import results
from tolka.assist.web import create_app as create_assist
from tolka.judge.campaign import CampaignSettings, Material, create_campaign, open_campaign, schema
from tolka.judge.web import create_app as create_judge

_SAID = {True: "yes", False: "no", None: "unknown"}
register("readings", "tests.assist.readings:ReadingTask")


class Judging:
    """People choose between two texts."""

    name = "judge"
    role = "judge"
    # Refused, whatever the question.
    odd = (
        {"choice": "both"},
        {"choice": ""},
        {"choice": "tie"},
        {"choice": "undecided"},
        {"kind": "blank", "option": "0"},
        {"kind": "blank", "option": "x"},
        {"choice": "left", "milliseconds": "1e9"},
        {"choice": "left", "milliseconds": "\u0661\u0662x"},
    )

    @staticmethod
    def material(texts, tests=()) -> Material:
        rows = [
            {
                "item": item,
                "segment": str(number),
                "source": f"source {text}",
                "reference": text,
                "text": f"{text} {word}",
            }
            for number, text in enumerate(texts)
            for item, word in (("system-alpha", "one"), ("system-beta", "two"), ("system-gamma", "three"))
        ]
        return Material.of_rows(rows, where="rows", tests=tests)

    def make(self, folder, texts, *, known=(), **settings):
        return create_campaign(folder, self.material(texts, known), CampaignSettings.from_values(settings))

    def open(self, folder):
        return open_campaign(folder)

    def app(self, host, **how):
        return create_judge(host, **how)

    def given(self, page, *, other=False):
        """The fields that answer the question on a page."""
        if 'value="blank"' in page:
            return {"option": "1" if other else "0"}
        return {"choice": "right" if other else "left"}

    def answers(self, host):
        """By task, how often it was answered, and what is stored."""
        answer = schema.answer.c
        with host.store.reading() as connection:
            rows = connection.execute(select(answer.task_id, answer.choice).where(answer.kind == "answer")).all()
        return [(row.task_id, {"choice": row.choice}) for row in rows]

    def check(self, host, rows):
        """See to it that what follows from the answers does."""
        assert len(list(host.answers())) == len(rows)

    def serve(self, folder, *names):
        return running(["-m", "tolka", "judge", "serve"], folder, *names, last="admin")


class Assisting:
    """People say whether sentences mean the same, and which word fits better."""

    name = "assist"
    role = "helper"
    odd = (
        {"kind": "rewrite"},
        {"kind": "rewrite", "said_0": "perhaps"},
        {"kind": "rewrite", "said_0": "yes", "said_1": "yes", "said_2": "yes", "said_3": "yes"},
        {"kind": "rewrite", "said_7": "yes"},
        {"kind": "substitute", "choice": "2"},
        {"kind": "substitute", "choice": "both"},
        {"kind": "blank", "option": "0"},
        {"kind": "blank", "option": "x"},
        {"kind": "substitute", "choice": "0", "milliseconds": "1e9"},
        {"kind": "rewrite", "said_0": "yes", "milliseconds": "\u0661\u0662x"},
    )

    def make(self, folder, texts, *, known=(), **settings):
        # Each sentence in each of the three forms that questions have.
        sentences = [f"{text} {form}" for text in texts for form in ("apart", "pair", "word")]
        settings = {"task": "readings", "tests": {"rate": 0.0}} | settings
        create_tasks(folder, sentences, TaskSettings.from_values(settings), ReadingTask(), tests=known)
        return open_tasks(folder)

    def open(self, folder):
        return open_tasks(folder)

    def app(self, host, **how):
        return create_assist(host, **how)

    def given(self, page, *, other=False):
        """The fields that answer the question on a page."""
        if 'name="kind" value="blank"' in page:
            return {"option": "1" if other else "0"}
        if 'name="kind" value="substitute"' in page:
            return {"choice": "1" if other else "0"}
        return dict.fromkeys(set(re.findall(r'name="(said_\d)"', page)), "no" if other else "yes")

    def answers(self, host):
        """By task, how often it was answered, and what is stored, as the form had it."""
        task, answer = tasks_schema.task.c, tasks_schema.answer.c
        wanted = select(answer.task_id, answer.body, task.body.label("shown")).join_from(
            tasks_schema.answer, tasks_schema.task, task.id == answer.task_id
        )
        wanted = wanted.where(answer.kind == "answer")
        with host.store.reading() as connection:
            rows = connection.execute(wanted).all()
        return [(row.task_id, self._form(json.loads(row.body), json.loads(row.shown))) for row in rows]

    def _form(self, said, shown):
        order = shown["order"]
        if isinstance(said, list):
            return {f"said_{at}": _SAID[said[place]] for at, place in enumerate(order)}
        if isinstance(said, dict):
            return {"option": str(order.index(said["ticked"][0]))}
        return {"choice": str(order.index(said))}

    def check(self, host, rows):
        """See to it that what follows from the answers does: each was heard, and where it stands is what is kept."""
        found = list(results(host))
        assert sum(len(one.effects) for one in found) == len(rows)
        assert not any(one.unheard for one in found)
        with host.store.writing() as connection:
            before = connection.execute(select(tasks_schema.standing)).all()
            connection.execute(tasks_schema.standing.delete())
            host.asking.settle_all(connection)
            assert sorted(connection.execute(select(tasks_schema.standing)).all()) == sorted(before)

    def serve(self, folder, *names):
        return running(["-m", "tests.assist.serving", "assist", "serve"], folder, *names, last="serving")


WORLDS = {world.name: world for world in (Judging(), Assisting())}


def text_of(page: str) -> str:
    """What a page says, marks of emphasis taken out."""
    return unescape(re.sub(r"</?mark>", "", page))
