"""Every page as a process: what it acknowledged survives kill -9, and a crowd comes in at once."""

import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
from tests.web.pages.people import Hurried, hidden_fields

NAMES = tuple(f"person-{number}" for number in range(4))
QUICK = {"web": {"requests_per_minute": 100_000, "joins_per_minute": 100_000}}


def test_what_was_acknowledged_survives_kill_9(world, tmp_path):
    folder = tmp_path / "page"
    world.make(folder, [f"text {number}" for number in range(200)], **QUICK).close()
    acknowledged: dict[str, dict[str, str]] = {}
    sent: set[str] = set()
    for _round in range(2):
        with world.serve(folder, *NAMES) as (process, links):
            people = [Hurried(links[name], world) for name in NAMES]
            for one in people:
                one.start()
            wanted = time.monotonic() + 60
            while sum(len(one.acknowledged) for one in people) < 40 and time.monotonic() < wanted:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            for one in people:
                one.join()
            for one in people:
                acknowledged |= one.acknowledged
                sent |= one.sent
    assert len(acknowledged) >= 80
    with world.open(folder) as host:
        with host.store.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        rows = world.answers(host)
        times = Counter(task for task, _ in rows)
        assert all(times[task] == 1 for task in acknowledged)
        assert max(times.values()) == 1
        stored = dict(rows)
        assert {task: stored[task] for task in acknowledged} == acknowledged
        # Beyond these, only what was on its way when the server died: at most one answer a person and round.
        assert set(times) <= sent
        assert len(times) - len(acknowledged) <= 2 * len(NAMES)
        world.check(host, rows)


def test_forty_who_join_at_once_from_one_address_come_in(world, tmp_path):
    folder = tmp_path / "crowd"
    world.make(folder, [f"text {number}" for number in range(20)]).close()
    names = tuple(f"person-{number}" for number in range(40))
    with world.serve(folder, *names) as (_process, links):
        together = threading.Barrier(len(names))

        def join(name: str) -> list[int]:
            base, _, _ = links[name].rpartition("/join/")
            with httpx.Client(base_url=base, timeout=60) as client:
                together.wait()
                page = client.get(links[name])
                form = hidden_fields(page.text, "/join")
                return [page.status_code, client.post("/join", data=form).status_code, client.get("/").status_code]

        with ThreadPoolExecutor(len(names)) as crowd:
            assert list(crowd.map(join, names)) == [[200, 303, 200]] * len(names)
