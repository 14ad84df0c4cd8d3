"""Limits of a page that people come to, as settings of whatever room has one."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _network(value: str) -> str:
    ip_network(value, strict=False)  # its complaint names the value
    return value


Network = Annotated[str, AfterValidator(_network)]
"""An address, or a network of them as 10.0.0.0/8."""


class WebSettings(BaseModel):
    """Limits of a page; an unknown key is an error.

    Example:
        >>> WebSettings(session_hours=1.5).body_bytes
        65536
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    requests_per_minute: Annotated[int, Field(ge=1)] = 240  # of one visitor
    joins_per_minute: Annotated[int, Field(ge=1)] = 120  # wrong tries of one link from one address
    visits_per_minute: Annotated[int, Field(ge=1)] = 2400  # of one address whose visitors are not let in yet
    trusted_proxies: list[Network] = []  # those whose X-Forwarded-For is believed
    session_hours: Annotated[float, Field(gt=0, le=24 * 90)] = 12.0
    body_bytes: Annotated[int, Field(ge=1024, le=1 << 24)] = 1 << 16
