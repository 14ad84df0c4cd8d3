"""How many placeholders and tags a model breaks, and its BLEU on the same lines.

    python bench/translate/placeholders.py MODEL SOURCE REFERENCE [--tags]

Translates the lines of SOURCE. A placeholder is broken if it is not in the translation as often as in the line; a line's
tags are broken if they are not there as often, or are not balanced. With `--tags` every third word of a line that has none
is put into <b></b> first, to see where tags go. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from tolka.corpus import read_lines
from tolka.evaluate import evaluate
from tolka.markup import find_placeholders
from tolka.translate import Translator

TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def with_tags(line: str) -> str:
    words = line.split()
    return " ".join(f"<b>{word}</b>" if (at + 1) % 3 == 0 else word for at, word in enumerate(words))


def is_balanced(text: str) -> bool:
    stack: list[str] = []
    for tag in TAG.findall(text):
        name = re.findall(r"\w+", tag)[0]
        if not tag.startswith("</"):
            stack.append(name)
        elif not stack or stack.pop() != name:
            return False
    return not stack


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--tags", action="store_true")
    options = parser.parse_args()
    sources, references = list(read_lines(options.source)), list(read_lines(options.reference))
    if options.tags:
        sources = [line if TAG.search(line) else with_tags(line) for line in sources]
    found = Translator.load(options.model).translate(sources)
    wanted = broken = broken_lines = broken_tags = tagged = 0
    for line, text in zip(sources, found, strict=True):
        # Tags are counted by themselves.
        own, got = (Counter(find_placeholders(TAG.sub(" ", one))) for one in (line, text))
        wanted += own.total()
        broken += (own - got).total() + (got - own).total()
        broken_lines += own != got
        tagged += bool(TAG.search(line))
        broken_tags += Counter(TAG.findall(line)) != Counter(TAG.findall(text)) or not is_balanced(text)
    result = {
        "bench": "placeholders",
        "model": str(options.model),
        "lines": len(sources),
        "placeholders": wanted,
        "broken_placeholders": broken,
        "broken_lines": broken_lines,
        "lines_with_tags": tagged,
        "lines_with_broken_tags": broken_tags,
    }
    if not options.tags:
        scores = evaluate(found, references, metrics=["bleu", "chrf"])
        result |= {score.metric: round(score.score, 2) for score in scores.scores}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
