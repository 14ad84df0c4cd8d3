"""Unknown words that nothing can be said of."""

from __future__ import annotations

from tolka.errors import InputError


class NothingFoundError(InputError):
    """There is no unknown word, or none that a translation was found for: nothing is wrong with the text, but nothing is gained."""
