"""What the stages that search have in common: how, and how hard."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from tolka.errors import SettingsError
from tolka.pipeline.stage import Settings
from tolka.train import defaults
from tolka.translate import Kind  # noqa: TC001 (pydantic reads the annotations)
from tolka.translate.description import STRATEGIES, Strategy, strategy_of
from tolka.translate.searching import Setting, check_search


class SearchSettings(Settings):
    """The kind of model, how it searches, and any setting of `tolka.decode.Decoder`, with `none` for None."""

    kind: Kind = defaults.KIND
    strategy: Strategy | None = None
    search: dict[str, Setting] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """The defaults of the kind are settings like any other, so that they are part of the key."""
        if not isinstance(values, dict) or not isinstance(values.get("search", {}), dict):
            return values
        kind = values.get("kind", defaults.KIND)
        if not isinstance(kind, str) or kind not in STRATEGIES:
            return values
        strategy = strategy_of(kind, values.get("strategy"))
        return {**values, "strategy": strategy, "search": {**defaults.SEARCH[strategy], **values.get("search", {})}}

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            check_search(self.chosen, self.search)
        except SettingsError as error:
            raise ValueError(str(error)) from error
        return self

    @property
    def chosen(self) -> Strategy:
        """The strategy, which is the usual one of the kind unless another is named."""
        return strategy_of(self.kind, self.strategy)
