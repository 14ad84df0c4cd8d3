"""What a record says of a word, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tolka.combine.oov.record import Entry


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry for machines."""
    return {
        "word": entry.word,
        "count": entry.count,
        "origin": entry.origin,
        "confidence": round(entry.confidence, 6),
        "translations": [{"text": text, "probability": p} for text, p in entry.translations],
        "neighbours": [
            {
                "text": one.text,
                "similarity": one.similarity,
                "kind": one.kind,
                "role": one.role,
                "labels": [{"text": text, "probability": p} for text, p in one.labels],
            }
            for one in entry.neighbours
        ],
    }


def entry_text(entry: Entry, *, most: int = 10) -> str:
    """An entry in a few lines: its best translations and where they come from.

    Args:
        entry: Of a record.
        most: Translations that are told.

    Example:
        >>> from tolka.combine.oov import Entry
        >>> print(entry_text(Entry("kater", (("tomcat", 0.75), ("cat", 0.25)), 3, 0.25)))
        kater, 3 times in the text, unknown to the model
        translations  tomcat 0.75, cat 0.25
        confidence    0.75: what reached it, less what says that nothing is known
    """
    times = "once" if entry.count == 1 else f"{entry.count:,} times"
    where = f"{times} in the text" if entry.count else "not in the text"
    shown = ", ".join(f"{text} {p:.2f}" for text, p in entry.translations[:most])
    rest = len(entry.translations) - most
    more = f", and {rest} more" if rest > 0 else ""
    lines = [f"{entry.word}, {where}, unknown to the model", f"translations  {shown}{more}"]
    if entry.origin == "lexicon":
        lines.append("origin        a dictionary; neighbours only say which of them come first")
    else:
        lines.append(f"confidence    {entry.confidence:.2f}: what reached it, less what says that nothing is known")
    return "\n".join(lines)
