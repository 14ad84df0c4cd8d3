"""Word senses as a task: what is kept of a sentence is its search graph, and of the model what its questions need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tolka.assist.senses.asking import Asker
from tolka.assist.senses.dialogue import SenseDialogue
from tolka.assist.senses.graph import SearchGraph
from tolka.assist.senses.model import SenseModel
from tolka.assist.senses.substitutes import BackTranslations, Chooser
from tolka.assist.senses.units import Units
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tolka.assist.dialogue import Dialogue
    from tolka.assist.tasks.task import Material, Trust


class SenseTask:
    """Asks which of two words could better stand for a third; see `Task`.

    Args:
        model: What translates and asks; without it there are dialogues of what was prepared before, and their
            translations are the model's words, neither cased nor put together as text.
    """

    name = "senses"
    needs = ("model",)
    takes = ("model",)

    def __init__(self, model: SenseModel | None = None) -> None:
        self.model = model

    @classmethod
    def load(cls, *, model: Path) -> SenseTask:
        """A task that can prepare sentences."""
        return cls(SenseModel.load(model))

    def prepare(self, sentence: str) -> Material:
        """See `Task`."""
        if self.model is None:
            raise SettingsError("sentences are prepared with a model", hint="give one with --model")
        graph = self.model.graphs([sentence])[0]
        if graph is None:
            raise InputError("there is nothing to translate")
        asker, width, exact = self.model.asker, self.model.width, self.model.exact
        chooser = asker.chooser
        targets = {
            unit.target
            for (begin, end), units in Units(graph, width=width, exact=exact).by_span.items()
            for unit in units
            if len(units) > 1 and chooser.is_content(" ".join(graph.source[begin:end]))
        }
        table = asker.chooser.table.part(sorted(targets), graph.source)
        words = {word for rows in table.rows.values() for row in rows for word in row.source.split()}
        return {
            "text": sentence,
            "graph": graph.to_json(),
            "table": {
                target: [[row.source, *row.features, row.count] for row in rows] for target, rows in table.rows.items()
            },
            "counts": table.counts,
            "components": list(table.components),
            "functions": sorted(chooser.functions & (words | set(graph.source))),
            "choosing": {"least": chooser.least, "stems": chooser.stems},
            "asking": {
                "choices": asker.choices,
                "substitutes": asker.number,
                "weight": asker.weight,
                "errors": asker.errors,
                "draws": asker.draws,
                "seed": asker.seed,
            },
            "width": width,
            "exact": exact,
        }

    def dialogue(self, material: Material, trust: Trust) -> Dialogue:
        """See `Task`."""
        table = BackTranslations(
            {target: [_row(row) for row in rows] for target, rows in material["table"].items()},
            material["counts"],
            components=material["components"],
        )
        chooser = Chooser(table, frequent=material["functions"], **material["choosing"])
        text = material["text"]
        return TrustingDialogue(
            SearchGraph.from_json(material["graph"]),
            Asker(chooser, **material["asking"]),
            trust,
            text=text,
            restore=self._restorer(text),
            width=material["width"],
            exact=material["exact"],
        )

    def _restorer(self, text: str) -> Callable[[str], str] | None:
        model = self.model
        return None if model is None else lambda words: model.restored(text, words)


class TrustingDialogue(SenseDialogue):
    """One in which everybody says what they mean as often as they were seen to, and else the other word.

    That comes on top of what is taken for mistakes of whoever answers: words that fit may still lead astray.
    """

    def __init__(self, graph: SearchGraph, asker: Asker, trust: Trust, **settings: Any) -> None:
        self._trust = trust
        super().__init__(graph, asker, **settings)

    def answer(self, question_id: str, answer: Sequence[bool | None] | int | None, *, by: str = "") -> None:
        """See `Dialogue`."""
        right, present = self._trust(by), self._present
        if right is not None and present is not None:
            right = max(right, 0.5)  # nobody is worse than a coin
            self._present = replace(present, share=right * present.share + (1 - right) * (1 - present.share))
        super().answer(question_id, answer, by=by)


def _row(row: Sequence[Any]) -> tuple[str, float, float, float, float, float]:
    source, *numbers = row
    one, two, three, four, count = (float(number) for number in numbers)
    return str(source), one, two, three, four, count
