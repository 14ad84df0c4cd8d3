"""The server as a process: it stops when it is told to; what it outlives is tested for every page in tests/web/pages."""

import signal

import httpx
import pytest

from tolka.judge.campaign import Material, create_campaign


@pytest.fixture
def folder(tmp_path):
    rows = [{"item": item, "segment": str(number), "text": f"{item} {number}"} for item in "abc" for number in range(3)]
    folder = tmp_path / "campaign"
    create_campaign(folder, Material.of_rows(rows, where="rows")).close()
    return folder


def test_serve_stops_when_it_is_told_to(folder, serve):
    with serve(folder) as (process, links):
        assert set(links) == {"judge-1", "admin"}
        assert httpx.get(links["admin"]).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in {0, 130}
    with serve(folder) as (_process, links):
        assert "judge-1" not in links  # that judge has a link, and keeps it
