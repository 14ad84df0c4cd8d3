"""What commands share."""

from concurrent.futures import ThreadPoolExecutor

from tolka.cli.conventions import Bars


def test_bars_may_overlap(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "xterm")
    bars = Bars()

    def work(name: int) -> None:
        with bars.task(str(name), total=100, unit="lines") as advance:
            for _ in range(100):
                advance(1)

    with bars.task("all", total=8) as advance, ThreadPoolExecutor(4) as pool:
        for _ in pool.map(work, range(8)):
            advance(1)
    work(9)
    assert "all" in capsys.readouterr().err
