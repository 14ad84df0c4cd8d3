"""The judging page: server-rendered, quick, usable by keyboard and on a phone, closed to everyone not invited."""

from tolka.errors import MissingExtraError

try:
    from tolka.judge.web.app import create_app
except MissingExtraError:
    raise MissingExtraError("the judging page", "judge") from None

__all__ = ["create_app"]
