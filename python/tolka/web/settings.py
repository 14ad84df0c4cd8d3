"""Limits of a page that people come to, as settings of whatever room has one."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class WebSettings(BaseModel):
    """Limits of a page; an unknown key is an error.

    Example:
        >>> WebSettings(session_hours=1.5).body_bytes
        65536
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    requests_per_minute: Annotated[int, Field(ge=1)] = 240  # of one visitor
    joins_per_minute: Annotated[int, Field(ge=1)] = 120  # of one address
    session_hours: Annotated[float, Field(gt=0, le=24 * 90)] = 12.0
    body_bytes: Annotated[int, Field(ge=1024, le=1 << 24)] = 1 << 16
