"""The page on which people answer questions about sentences; what all pages share is in `tolka.web`."""

from tolka.errors import MissingExtraError

try:
    import tolka.web  # noqa: F401 (first of all, since it knows which packages there must be)
    from tolka.assist.web.app import create_app
except MissingExtraError:
    raise MissingExtraError("the page for helpers", "judge") from None

__all__ = ["create_app"]
