"""The server as a process: what it acknowledged survives kill -9, and it listens where it is told."""

import re
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from sqlalchemy import select

from tolka.judge.campaign import CampaignSettings, Material, create_campaign, open_campaign, schema

JUDGES = tuple(f"judge-{number}" for number in range(4))


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"item": item, "segment": str(number), "text": f"{item} {number}"} for item in "abc" for number in range(200)
    ]
    settings = {"web": {"requests_per_minute": 100_000, "joins_per_minute": 100_000}}
    folder = tmp_path / "campaign"
    create_campaign(folder, Material.of_rows(rows, where="rows"), CampaignSettings.from_values(settings)).close()
    return folder


def field(page: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', page)[1]


class Judge(threading.Thread):
    """Answers as fast as it can until the server is gone; remembers what was acknowledged."""

    def __init__(self, link: str) -> None:
        super().__init__()
        self.link = link
        self.acknowledged: dict[str, str] = {}
        self.sent: set[str] = set()

    def run(self) -> None:
        base, _, _ = self.link.rpartition("/join/")
        try:
            with httpx.Client(base_url=base, timeout=60) as client:
                page = client.get(self.link).text
                client.post("/join", data={name: field(page, name) for name in ("form_token", "invitation")})
                while True:
                    page = client.get("/").text
                    task = field(page, "task")
                    choice = "left" if len(self.sent) % 2 else "right"
                    data = {"form_token": field(page, "form_token"), "task": task, "kind": "compare", "choice": choice}
                    self.sent.add(task)
                    if client.post("/answer", data=data).status_code == 303:
                        self.acknowledged[task] = choice
        except httpx.TransportError:
            pass


def test_what_was_acknowledged_survives_kill_9(folder, serve):
    acknowledged: dict[str, str] = {}
    sent: set[str] = set()
    for _round in range(2):
        with serve(folder, *JUDGES) as (process, links):
            judges = [Judge(links[name]) for name in JUDGES]
            for judge in judges:
                judge.start()
            wanted = time.monotonic() + 60
            while sum(len(judge.acknowledged) for judge in judges) < 40 and time.monotonic() < wanted:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            for judge in judges:
                judge.join()
            for judge in judges:
                acknowledged |= judge.acknowledged
                sent |= judge.sent
    assert len(acknowledged) >= 80
    with open_campaign(folder) as campaign:
        with campaign.store.reading() as connection:
            rows = connection.execute(select(schema.answer.c.task_id, schema.answer.c.choice)).all()
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        times = Counter(row.task_id for row in rows)
        assert all(times[task] == 1 for task in acknowledged)
        assert max(times.values()) == 1
        stored = {row.task_id: row.choice for row in rows}
        assert {task: stored[task] for task in acknowledged} == acknowledged
        # Beyond these, only what was on its way when the server died: at most one answer a judge and round.
        assert set(times) <= sent
        assert len(times) - len(acknowledged) <= 2 * len(JUDGES)
        assert len(list(campaign.answers())) == len(rows)


def test_serve_stops_when_it_is_told_to(folder, serve):
    with serve(folder) as (process, links):
        assert set(links) == {"judge-1", "admin"}
        assert httpx.get(links["admin"]).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in {0, 130}
    with serve(folder) as (_process, links):
        assert "judge-1" not in links  # that judge has a link, and keeps it


def test_forty_who_join_at_once_from_one_address_come_in(tmp_path, serve):
    rows = [{"item": item, "segment": str(n), "text": f"{item} {n}"} for item in "ab" for n in range(3)]
    create_campaign(tmp_path / "crowd", Material.of_rows(rows, where="rows")).close()
    names = tuple(f"judge-{number}" for number in range(40))
    with serve(tmp_path / "crowd", *names) as (_process, links):
        together = threading.Barrier(len(names))

        def join(name: str) -> list[int]:
            base, _, _ = links[name].rpartition("/join/")
            with httpx.Client(base_url=base, timeout=60) as client:
                together.wait()
                page = client.get(links[name])
                form = {name: field(page.text, name) for name in ("form_token", "invitation")}
                return [page.status_code, client.post("/join", data=form).status_code, client.get("/").status_code]

        with ThreadPoolExecutor(len(names)) as crowd:
            assert list(crowd.map(join, names)) == [[200, 303, 200]] * len(names)
