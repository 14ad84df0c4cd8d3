"""How many judges the page bears: real server process, real sessions, answers that are synced to disk.

Each judge answers as fast as the page lets them (or thinks for a while, with --think), on a connection of their own, over
the loopback device. A judge's answer is two requests (the form, and the next question). The peer is the same server, in the same run, answering an
address that does nothing (`/health`), with the same number of connections: the ratio says what a judging request
costs beside the plain cost of HTTP on this machine.

    .venv/bin/python bench/judge/load.py --judges 50 --answers 2000 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import numpy as np

from tolka.judge.campaign import CampaignSettings, Material, create_campaign, open_campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

ITEMS, SEGMENTS = 12, 1000
MOST_JUDGES, MOST_ANSWERS, MOST_SECONDS = 500, 200_000, 600


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--judges", type=int, default=50)
    options.add_argument("--answers", type=int, default=2000, help="in all")
    options.add_argument("--seconds", type=float, default=60, help="stop then, if that is sooner")
    options.add_argument("--think", type=float, default=0, help="seconds a judge thinks before an answer, on average")
    options.add_argument("--database", default="", help="postgresql://… instead of SQLite")
    chosen = options.parse_args()
    judges = min(chosen.judges, MOST_JUDGES)
    answers, seconds = min(chosen.answers, MOST_ANSWERS), min(chosen.seconds, MOST_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Path(folder, "campaign")
        _make(campaign, chosen.database)
        names = [f"judge-{number}" for number in range(judges)]
        with _served(campaign, names) as (process, links):
            before = _cpu(process.pid)
            took, times = asyncio.run(_judge(links, answers, seconds, chosen.think))
            spent = _cpu(process.pid) - before
            peer_took, peer = asyncio.run(_plain(links[0].rpartition("/join/")[0], judges, len(times) // 2))
        with open_campaign(campaign) as opened:
            stored = opened.number()
    given = [one for kind, one in times if kind == "answer"]
    shown = [one for kind, one in times if kind == "question"]
    rate, plain = len(times) / took, len(peer) / peer_took
    result = {
        "bench": "judge/load",
        "database": "postgresql" if chosen.database else "sqlite",
        "judges": judges,
        "think_seconds": chosen.think,
        "acknowledged": len(given),
        "stored": stored,
        "seconds": round(took, 2),
        "requests_per_second": round(rate, 1),
        "answers_per_second": round(len(given) / took, 1),
        "answer_p50_ms": _milliseconds(given, 50),
        "answer_p99_ms": _milliseconds(given, 99),
        "question_p50_ms": _milliseconds(shown, 50),
        "question_p99_ms": _milliseconds(shown, 99),
        "server_cpu_ms_per_request": round(1000 * spent / len(times), 2),
        "plain_requests_per_second": round(plain, 1),
        "plain_p99_ms": _milliseconds(peer, 99),
        # Judges who think leave the server idle, so that a ratio of rates would say nothing.
        "ratio_to_plain": None if chosen.think else round(rate / plain, 3),
    }
    print(json.dumps(result))
    if stored < len(given):
        sys.exit("an acknowledged answer is missing")


def _make(campaign: Path, database: str) -> None:
    rows = (
        {
            "item": f"system-{item}",
            "segment": str(segment),
            "source": f"Satz {segment}",
            "text": f"text {item} of {segment} " * 5,
        }
        for segment in range(SEGMENTS)
        for item in range(ITEMS)
    )
    settings = {
        "database": database,
        "show": {"differences": True},
        "web": {"requests_per_minute": 1_000_000, "joins_per_minute": 1_000_000},
    }
    create_campaign(campaign, Material.of_rows(rows, where="rows"), CampaignSettings.from_values(settings)).close()


@contextmanager
def _served(campaign: Path, names: list[str]) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    invited = [part for name in names for part in ("--invite", name)]
    command = [sys.executable, "-m", "tolka", "judge", "serve", str(campaign), "--port", "0", *invited]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise AssertionError
        links = [process.stdout.readline().strip().partition(": ")[2] for _ in range(len(names) + 1)]
        try:
            yield process, links[:-1]
        finally:
            process.terminate()


async def _judge(links: list[str], answers: int, seconds: float, think: float) -> tuple[float, list[tuple[str, float]]]:
    times: list[tuple[str, float]] = []
    base = links[0].rpartition("/join/")[0]
    clients = [httpx.AsyncClient(base_url=base, timeout=60) for _ in links]
    for client, link in zip(clients, links, strict=True):
        page = (await client.get(link)).text
        await client.post("/join", data={name: _field(page, name) for name in ("form_token", "invitation")})
    start = time.perf_counter()
    asked = iter(range(answers))
    rng = np.random.default_rng(1)

    async def work(client: httpx.AsyncClient) -> None:
        page = (await client.get("/")).text
        for _ in asked:
            if time.perf_counter() - start > seconds:
                return
            await asyncio.sleep(rng.uniform(0, 2 * think))
            fields = {name: _field(page, name) for name in ("form_token", "task", "kind")}
            began = time.perf_counter()
            response = await client.post("/answer", data=fields | {"choice": "left"})
            times.append(("answer", time.perf_counter() - began))
            if response.status_code != httpx.codes.SEE_OTHER:
                raise AssertionError(response.status_code)
            began = time.perf_counter()
            page = (await client.get("/")).text
            times.append(("question", time.perf_counter() - began))

    await asyncio.gather(*(work(client) for client in clients))
    took = time.perf_counter() - start
    for client in clients:
        await client.aclose()
    return took, times


async def _plain(base: str, connections: int, number: int) -> tuple[float, list[float]]:
    times: list[float] = []
    left = iter(range(number))

    async def work() -> None:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            for _ in left:
                began = time.perf_counter()
                await client.get("/health")
                times.append(time.perf_counter() - began)

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(connections)))
    return time.perf_counter() - start, times


def _field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    if found is None:
        raise AssertionError(page)
    return found[1]


def _milliseconds(times: list[float], percent: int) -> float:
    return round(1000 * float(np.percentile(times, percent)), 1)


def _cpu(process: int) -> float:
    """CPU seconds a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
