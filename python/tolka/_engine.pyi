"""The native engine as Python sees it. CI checks this stub against the built module (mypy stubtest)."""

__all__ = [
    "__version__",
]

__version__: str
