"""The stages that recipes can name; each room's stages have a file here."""

from tolka.pipeline.stage import registry

BUILTIN = registry()

__all__ = ["BUILTIN"]
