"""Fills the queue of questions ahead of the judges, in a thread of its own, so that nobody waits for a fit."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Self

import numpy as np

from tolka.errors import TolkaError

if TYPE_CHECKING:
    from tolka.judge.campaign.campaign import Campaign

# Pairs chosen at once: judges who are quicker than the fit go through them again.
_BATCH = 40
_log = logging.getLogger(__name__)


def plan(campaign: Campaign) -> None:
    """Fill a campaign's queue from the answers so far, with the strategy its settings name."""
    if campaign.settings.ask.strategy == "random":
        campaign.questions.fill([])


class Planner:
    """Plans anew after every so many answers, while its block runs."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._since = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._over = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.campaign.listeners.append(self.heard)
        self._wake.set()  # the answers of before are worth a fit at once
        self._thread = threading.Thread(target=self._work, name="planner", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.campaign.listeners.remove(self.heard)
        self._over = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def heard(self) -> None:
        """Count an answer."""
        with self._lock:
            self._since += 1
            if self._since < self.campaign.settings.ask.refit_every:
                return
            self._since = 0
        self._wake.set()

    def _work(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._over:
                return
            try:
                plan(self.campaign)
            except (TolkaError, ArithmeticError, np.linalg.LinAlgError):
                # Judges go on with the pairs there are; the next round may succeed.
                _log.exception("planning questions failed")
