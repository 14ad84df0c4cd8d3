"""`campaign.toml` as text for people: written with an explanation of every setting, and changed in place.

A change touches the value and nothing else, so that comments, order and blank lines stay as somebody left them.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tolka.errors import SettingsError
from tolka.files import to_toml
from tolka.judge.campaign.settings import CampaignSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD = """\
# What this campaign asks, shows, allows and pays. A server reads it when it starts; an unknown key is an error.
# Lines that begin with # are yours to write, too.
"""
# The foundation's own settings say nothing of themselves.
_WEB = {
    "web": "Limits of the page.",
    "web.requests_per_minute": "Requests of one visitor.",
    "web.visits_per_minute": "Requests of one address by people who have not been let in yet.",
    "web.joins_per_minute": "Wrong tries of one link.",
    "web.trusted_proxies": "Addresses or networks of proxies whose X-Forwarded-For is believed.",
    "web.session_hours": "How long a session lasts.",
    "web.body_bytes": "How large a request may be.",
}
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?$")
_LEAST_LINES = 2


def explained(settings: BaseModel, head: str = _HEAD) -> str:
    """The settings as TOML, each with a comment that says what it is.

    Args:
        settings: The settings, whose attributes have docstrings.
        head: What stands above them.

    Example:
        >>> text = explained(CampaignSettings())
        >>> CampaignSettings.from_text(text) == CampaignSettings()
        True
        >>> print(text[text.index("# Share of test"):text.index("[judges]")], end="")
        # Share of test questions among all.
        rate = 0.05
        <BLANKLINE>
        # Whose answers count in the ranking; all are kept. By name: tolka judge leave-out.
    """
    return head + "".join(_explained(settings, ""))


def _explained(table: BaseModel, name: str) -> list[str]:
    lines, tables = [], []
    for key, field in type(table).model_fields.items():
        value = getattr(table, key)
        whole = f"{name}.{key}" if name else key
        if isinstance(value, BaseModel):
            purpose = _WEB.get(whole) or (type(value).__doc__ or "").split("\n")[0]
            tables += [f"\n# {purpose}\n[{whole}]\n", *_explained(value, whole)]
            continue
        purpose = field.description or _WEB.get(whole, "")
        between = "" if name else "\n"
        lines.append(f"{between}{f'# {purpose}{chr(10)}' if purpose else ''}{_line(key, value)}\n")
    return lines + tables


def _line(key: str, value: Any) -> str:
    if isinstance(value, str) and value.count("\n") >= _LEAST_LINES:
        # Paragraphs are easier to read, and to write, as they are.
        text = f'{key} = """\n{value.replace(chr(92), chr(92) * 2).replace(chr(34) * 3, chr(92) + chr(34) * 3)}"""'
        if _read(text) == {key: value}:
            return text
    return to_toml({key: value}).rstrip("\n")


def changed(text: str, values: Mapping[str, Any]) -> str:
    r"""The text with other values of some settings, named as in `ask.target`; all else stays as it is.

    Raises:
        SettingsError: A value makes no sense, or the text is written so that it must be changed by hand.

    Example:
        >>> changed("[ask]  # mine\ntarget = 100  # for now\n", {"ask.target": 300, "title": "New"})
        'title = "New"\n[ask]  # mine\ntarget = 300  # for now\n'
    """
    for name, value in values.items():
        wanted = tomllib.loads(text)
        *tables, key = name.split(".")
        inner: Any = wanted
        for table in tables:
            inner = inner.setdefault(table, {}) if isinstance(inner, dict) else None
        if not isinstance(inner, dict):
            raise SettingsError(f"unknown setting {name}")
        inner[key] = value
        CampaignSettings.from_values(wanted)
        text = _with(text, tables, key, _line(key, value))
        if _read(text) != wanted:
            raise SettingsError(f"{name} is written in a way that only a person can change", hint="edit campaign.toml")
    return text


def _with(text: str, tables: list[str], key: str, line: str) -> str:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start, end = _table(lines, ".".join(tables))
    if start is None:
        return "".join(lines) + f"\n[{'.'.join(tables)}]\n{line}\n"
    at = start
    while at < end:
        taken = _extent(lines, at, end)
        if re.match(rf'\s*("?){re.escape(key)}\1\s*=', lines[at]):
            comment = _comment(lines[at]) if taken == 1 else ""
            return "".join([*lines[:at], f"{line}{comment}\n", *lines[at + taken :]])
        at += taken
    # A new setting stands right after the last of its table.
    while end > start and not lines[end - 1].split("#")[0].strip():
        end -= 1
    return "".join([*lines[:end], f"{line}\n", *lines[end:]])


def _table(lines: list[str], name: str) -> tuple[int | None, int]:
    """Where the lines of a table begin and end; the table without a name is what stands before all others."""
    start: int | None = 0 if not name else None
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at])
        if header is not None:
            if start is not None:
                return start, at
            if header[1] == name:
                start = at + 1
        at += _extent(lines, at, len(lines))
    return start, len(lines)


def _extent(lines: list[str], at: int, end: int) -> int:
    """How many lines the statement takes that begins at one: as many as it needs to be TOML."""
    if "=" in lines[at].split("#")[0]:
        for taken in range(1, end - at + 1):
            if _read("".join(lines[at : at + taken])) is not None:
                return taken
    return 1


def _comment(line: str) -> str:
    """The comment at the end of a line, with the space before it: the part without which it still says the same."""
    whole = _read(line)
    for found in re.finditer(r"\s*#", line):
        if _read(line[: found.start()]) == whole:
            return line[found.start() :].rstrip("\n")
    return ""


def _read(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
