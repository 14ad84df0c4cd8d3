"""How many lines of localisation sets come back from `tokenise | detokenise` as they were, without and with notation.

    python bench/tokenise/notation.py [--lines 20000] [--differences 10]

Prints one JSON line per set and language: the share of lines that return when text that is not words is cut as Moses does
(`before`) and when it is left whole (`after`), and the share of lines with notation in them (`with_notation`) that return.
White space is made single spaces first. The rest is counted by its cause:

    spaced    white space where the language has none: ` .` and ` / `, mostly where a link was taken out
    tight     none where the language has one: `a,b`, `13%` in German, dashes without spaces
    quotes    apostrophes and quotation marks that open or close otherwise than they seem to

The data is read from TOLKA_DATA (default ../shared/data beside the repository).
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from pathlib import Path

from tolka.corpus import Detokeniser, Tokeniser, read_lines

DATA = Path(os.environ.get("TOLKA_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
SETS = {
    "libreoffice-l10n/multiway/train.ui": ("en", "it", "de", "fr", "cs"),
    "libreoffice-l10n/multiway/train.help": ("en", "it", "de", "fr", "cs"),
    "libreoffice-l10n/en-hi/train": ("en", "hi"),
    "wesnoth-l10n/en-it/train": ("en", "it"),
    "wesnoth-l10n/en-cs/train": ("cs",),
    "gnome-user-docs/en-es/train": ("en", "es"),
    "gnome-user-docs/en-de/train": ("de",),
    "manpages-l10n/en-de/train": ("en", "de"),
    "manpages-l10n/en-fr/train": ("fr",),
    "debian-ddtp/en-it/train": ("en", "it"),
    "debian-guides/en-de/train": ("en", "de"),
}
QUOTES = frozenset("'\"`’“”‘„‚«»‹›‟")  # noqa: RUF001


def cause(text: str, back: str) -> str:
    """Why a line did not return, by the first place where it differs."""
    at = next((at for at, (one, other) in enumerate(zip(text, back, strict=False)) if one != other), len(back))
    if QUOTES & set(text[max(0, at - 1) : at + 2]):
        return "quotes"
    return "spaced" if text[at : at + 1] == " " else "tight"


def measure(name: str, lang: str, most: int, show: int) -> None:
    lines = [
        " ".join(line.split()) for _, line in zip(range(most), read_lines(DATA / f"{name}.{lang}.xz"), strict=False)
    ]
    lines = [line for line in lines if line]
    join = Detokeniser(lang)
    back = {on: join.lines(Tokeniser(lang, notation=on).lines(lines, 1), 1) for on in (False, True)}
    returned = {on: [a == b for a, b in zip(lines, own, strict=True)] for on, own in back.items()}
    noted = [at for at, line in enumerate(lines) if re.search(r"[%$&{}<>=+*_\\|~^#@]|\w[(/\[]|[/)\]]\w", line)]
    causes = Counter(cause(a, b) for a, b in zip(lines, back[True], strict=True) if a != b)
    result = {
        "bench": "notation",
        "data": f"{name}.{lang}",
        "lines": len(lines),
        "before": round(sum(returned[False]) / len(lines), 5),
        "after": round(sum(returned[True]) / len(lines), 5),
        "with_notation": len(noted),
        "with_notation_before": round(sum(returned[False][at] for at in noted) / max(1, len(noted)), 5),
        "with_notation_after": round(sum(returned[True][at] for at in noted) / max(1, len(noted)), 5),
        "rest": {kind: round(count / len(lines), 5) for kind, count in causes.most_common()},
    }
    print(json.dumps(result, ensure_ascii=False), flush=True)
    lost = [(a, b) for a, b in zip(lines, back[True], strict=True) if a != b]
    for one, other in lost[:: max(1, len(lost) // show)][:show] if show else ():
        print(f"    {one}\n    {other}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--differences", type=int, default=0)
    options = parser.parse_args()
    for name, langs in SETS.items():
        for lang in langs:
            measure(name, lang, options.lines, options.differences)


if __name__ == "__main__":
    main()
