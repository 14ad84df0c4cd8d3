"""The combine room: models of diverse sources that translate together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.combine.ensemble import MadeEnsemble, PartState, make_ensemble, part_states, refresh_ensemble
    from tolka.combine.tuning import EnsembleTuneSettings, EnsembleTuning, tune_ensemble

__getattr__, __dir__ = later(
    __name__,
    {
        "EnsembleTuneSettings": "tuning",
        "EnsembleTuning": "tuning",
        "MadeEnsemble": "ensemble",
        "PartState": "ensemble",
        "make_ensemble": "ensemble",
        "part_states": "ensemble",
        "refresh_ensemble": "ensemble",
        "tune_ensemble": "tuning",
    },
)


__all__ = [
    "EnsembleTuneSettings",
    "EnsembleTuning",
    "MadeEnsemble",
    "PartState",
    "make_ensemble",
    "part_states",
    "refresh_ensemble",
    "tune_ensemble",
]
