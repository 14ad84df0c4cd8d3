"""How a question looks on Mechanical Turk: a layout for the project, and one piece of HTML per question to go into it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.judge.platform.kinds import Compare, Rewrite, Substitute

if TYPE_CHECKING:
    from tolka.judge.platform.kinds import Body, TestItem

# The platform puts the columns `question` and `language` of the table in their places, and its own script makes the form.
LAYOUT = """\
<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<style>
.task { max-width: 44rem; margin: 0 auto; padding: 1rem; font: 1.05rem/1.5 system-ui, sans-serif; color: #1c1c1c; }
.task fieldset { border: 1px solid #767676; border-radius: .5rem; margin: 0 0 1.25rem; padding: .75rem 1rem; }
.task legend { font-weight: 600; padding: 0 .3rem; }
.task label { display: block; padding: .6rem .5rem; border-radius: .4rem; cursor: pointer; }
.task label:hover { background: #eef3f3; }
.task .reference { font-style: italic; margin: .25rem 0 1rem; }
.task mark { background: #ffe9a8; padding: 0 .15em; }
</style>
<crowd-form><div class="task" lang="${language}">${question}</div></crowd-form>
"""


def question_html(body: Body) -> str:
    """A question as HTML; nothing in it tells the key of the test item, and text in it is only text."""
    test = "" if body.test is None else _test(body.test)
    if isinstance(body, Compare):
        return test + _compare(body)
    if isinstance(body, Substitute):
        return test + _substitute(body)
    return test + _rewrite(body)


def _test(test: TestItem) -> str:
    ticks = "".join(_box("checkbox", f"tick_{at}", "yes", option) for at, option in enumerate(test.options))
    before, _, after = test.text.partition("___")
    text = f"{escape(before)}<strong>____</strong>{escape(after)}"
    return _set("Tick every word that fits the blank. There may be one or several.", f"<p dir=auto>{text}</p>{ticks}")


def _compare(body: Compare) -> str:
    shown = "".join(
        f'<p class="{name}" dir="auto">{escape(text)}</p>'
        for name, text in (("source", body.source), ("reference", body.reference))
        if text
    )
    sides = "".join(_box("radio", "choice", side, text) for side, text in (("left", body.left), ("right", body.right)))
    asks = "Which of the two is the better translation?" if body.source else "Which of the two is better?"
    if body.reference:
        asks = "Which of the two is nearest in meaning to the text in italics?"
    return _set(asks, shown + sides)


def _substitute(body: Substitute) -> str:
    text = f"{escape(body.before)}<mark>{escape(body.phrase)}</mark>{escape(body.after)}"
    options = "".join(_box("radio", "chosen", str(at), option) for at, option in enumerate(body.options))
    return _set("Which could better stand in the place of what is marked?", f"<p dir=auto>{text}</p>{options}")


def _rewrite(body: Rewrite) -> str:
    rows = "".join(
        f"<p dir=auto>{escape(text)}</p>"
        + _box("radio", f"same_{at}", "yes", "means the same")
        + _box("radio", f"same_{at}", "no", "does not mean the same")
        for at, text in enumerate(body.rewrites)
    )
    first = f'<p class="reference" dir="auto">{escape(body.sentence)}</p>'
    return _set("Do these sentences mean the same as the one in italics?", first + rows)


def _set(legend: str, inside: str) -> str:
    return f"<fieldset><legend>{escape(legend)}</legend>{inside}</fieldset>"


def _box(kind: str, name: str, value: str, text: str) -> str:
    required = " required" if kind == "radio" else ""
    return f'<label><input type="{kind}" name="{name}" value="{value}"{required}> <bdi dir="auto">{escape(text)}</bdi></label>'
