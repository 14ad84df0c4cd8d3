"""How a question looks: a piece of HTML per question, the layout it goes into on Mechanical Turk, and what its form says."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from tolka.judge.platform.kinds import Compare, Rewrite, Substitute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.judge.platform.kinds import Body, TestItem

# The platform puts the columns `question` and `language` of the table in their places, and its own script makes the form.
LAYOUT = """\
<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<style>
.task { max-width: 44rem; margin: 0 auto; padding: 1rem; font: 1.05rem/1.5 system-ui, sans-serif; color: #1c1c1c; }
.task fieldset { border: 1px solid #767676; border-radius: .5rem; margin: 0 0 1.25rem; padding: .75rem 1rem; }
.task legend { float: left; width: 100%; padding: 0; margin-bottom: .5rem; font-weight: 600; }
.task legend + * { clear: both; }
.task label { display: flex; gap: .6rem; align-items: baseline; padding: .6rem .5rem; border-radius: .4rem; cursor: pointer; }
.task label:hover { background: #eef3f3; }
.task .reference { font-style: italic; margin: .25rem 0 1rem; }
.task mark { background: #ffe9a8; padding: 0 .15em; }
</style>
<crowd-form><div class="task" lang="${language}">${question}</div></crowd-form>
"""


@dataclass(frozen=True)
class Words:
    """What people are told, in their language."""

    tick: str
    nearest: str
    translation: str
    better: str
    instead: str
    rewritten: str
    same: str
    other: str


WORDS = {
    "en": Words(
        "Tick every option that fits the blank; there may be one or several.",
        "Which of the two is nearest in meaning to the text in italics?",
        "Which of the two is the better translation?",
        "Which of the two is better?",
        "Which could better stand in the place of what is marked?",
        "Do these sentences mean the same as the one in italics?",
        "means the same",
        "does not mean the same",
    ),
    "de": Words(
        "Was passt in die Lücke? Bitte alles ankreuzen, was passt; es kann auch mehreres sein.",
        "Welcher der beiden Texte kommt dem kursiven in der Bedeutung am nächsten?",
        "Welche der beiden Übersetzungen ist besser?",
        "Welcher der beiden Texte ist besser?",
        "Was könnte besser an der Stelle des Markierten stehen?",
        "Bedeuten diese Sätze dasselbe wie der kursive?",
        "bedeutet dasselbe",
        "bedeutet nicht dasselbe",
    ),
    "fr": Words(
        "Cochez tout ce qui convient dans la phrase ; il peut y avoir une ou plusieurs réponses.",
        "Lequel des deux textes est le plus proche, par le sens, du texte en italique ?",
        "Laquelle des deux traductions est la meilleure ?",
        "Lequel des deux textes est le meilleur ?",
        "Qu'est-ce qui pourrait le mieux remplacer ce qui est surligné ?",
        "Ces phrases ont-elles le même sens que celle en italique ?",
        "même sens",
        "pas le même sens",
    ),
    "es": Words(
        "Marque todo lo que encaja en la frase; puede haber una o varias respuestas.",
        "¿Cuál de los dos textos se acerca más, por su significado, al texto en cursiva?",
        "¿Cuál de las dos traducciones es mejor?",
        "¿Cuál de los dos textos es mejor?",
        "¿Qué podría sustituir mejor a lo que está marcado?",
        "¿Significan estas frases lo mismo que la que está en cursiva?",
        "significa lo mismo",
        "no significa lo mismo",
    ),
    "it": Words(
        "Segni tutto ciò che va bene nella frase; le risposte possono essere una o più.",
        "Quale dei due testi è più vicino, nel significato, al testo in corsivo?",
        "Quale delle due traduzioni è migliore?",
        "Quale dei due testi è migliore?",
        "Che cosa potrebbe sostituire meglio la parte evidenziata?",
        "Queste frasi significano la stessa cosa di quella in corsivo?",
        "significa la stessa cosa",
        "non significa la stessa cosa",
    ),
}


def question_html(body: Body, language: str = "") -> str:
    """A question as HTML; nothing in it tells the key of the test item, and text in it is only text.

    Args:
        body: The question.
        language: In which people are spoken to; English if it is another than those of `WORDS`.
    """
    words = WORDS.get(language.partition("-")[0].lower(), WORDS["en"])
    test = "" if body.test is None else _test(body.test, words)
    if isinstance(body, Compare):
        return test + _compare(body, words)
    if isinstance(body, Substitute):
        return test + _substitute(body, words)
    return test + _rewrite(body, words)


def answer_of_form(body: Body, fields: Mapping[str, str]) -> dict[str, Any]:
    """What was answered, as far as a form says; whether it is an answer to the question is seen by `read_answer`."""
    found: dict[str, Any] = {}
    if body.test is not None:
        found["ticked"] = [at for at in range(len(body.test.options)) if fields.get(f"tick_{at}")]
    if isinstance(body, Compare):
        return found | {"choice": fields.get("choice", "")}
    if isinstance(body, Substitute):
        chosen = fields.get("chosen", "")
        return found | {"chosen": int(chosen) if chosen in {"0", "1"} else chosen}
    said = [fields.get(f"same_{at}", "") for at in range(len(body.rewrites))]
    return found | {"same": [{"yes": True, "no": False}.get(one, one) for one in said]}


def _test(test: TestItem, words: Words) -> str:
    ticks = "".join(_box("checkbox", f"tick_{at}", "yes", option) for at, option in enumerate(test.options))
    before, _, after = test.text.partition("___")
    text = f"{escape(before)}<strong>____</strong>{escape(after)}"
    return _set(words.tick, f"<p dir=auto>{text}</p>{ticks}")


def _compare(body: Compare, words: Words) -> str:
    shown = "".join(
        f'<p class="{name}" dir="auto">{escape(text)}</p>'
        for name, text in (("source", body.source), ("reference", body.reference))
        if text
    )
    sides = "".join(_box("radio", "choice", side, text) for side, text in (("left", body.left), ("right", body.right)))
    asks = words.translation if body.source else words.better
    if body.reference:
        asks = words.nearest
    return _set(asks, shown + sides)


def _substitute(body: Substitute, words: Words) -> str:
    text = f"{escape(body.before)}<mark>{escape(body.phrase)}</mark>{escape(body.after)}"
    options = "".join(_box("radio", "chosen", str(at), option) for at, option in enumerate(body.options))
    return _set(words.instead, f"<p dir=auto>{text}</p>{options}")


def _rewrite(body: Rewrite, words: Words) -> str:
    rows = "".join(
        f"<p dir=auto>{escape(text)}</p>"
        + _box("radio", f"same_{at}", "yes", words.same)
        + _box("radio", f"same_{at}", "no", words.other)
        for at, text in enumerate(body.rewrites)
    )
    first = f'<p class="reference" dir="auto">{escape(body.sentence)}</p>'
    return _set(words.rewritten, first + rows)


def _set(legend: str, inside: str) -> str:
    return f"<fieldset><legend>{escape(legend)}</legend>{inside}</fieldset>"


def _box(kind: str, name: str, value: str, text: str) -> str:
    required = " required" if kind == "radio" else ""
    return f'<label><input type="{kind}" name="{name}" value="{value}"{required}> <bdi dir="auto">{escape(text)}</bdi></label>'
