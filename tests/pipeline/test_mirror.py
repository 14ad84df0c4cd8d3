"""Settings of a room as settings of a stage."""

from dataclasses import dataclass, field

import pytest

from tolka.errors import SettingsError
from tolka.pipeline import Recipe, registry, stage
from tolka.pipeline.mirror import mirror, rebuild


@dataclass(frozen=True)
class RoomSettings:
    size: int
    share: int | float = 5
    names: tuple[str, ...] = ()
    words: dict[str, int] = field(default_factory=dict)
    language: str = ""

    def __post_init__(self):
        if self.size < 0:
            raise SettingsError(f"size must not be negative, but is {self.size}", hint="give more")


def node(text):
    def function(inputs, outputs, settings, progress):
        """Do nothing."""

    one = stage("room", version=1, settings=mirror(RoomSettings, without=("language",)), outputs=("o",))(function)
    return Recipe.from_text(text, stages=registry(one)).graph["room"]


def test_fields_types_and_defaults():
    settings = node('[room]\nsize = 3\nnames = ["a", "b"]\n').settings
    assert rebuild(RoomSettings, settings, language="de") == RoomSettings(3, 5, ("a", "b"), {}, "de")
    assert type(node("[room]\nsize = 3\nshare = 0.5\n").settings.share) is float
    assert type(node("[room]\nsize = 3\nshare = 2\n").settings.share) is int


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[room]\nsize = -1\n", "line 1: room: size must not be negative, but is -1; give more"),
        ("[room]\n", "line 1: room.size is missing"),
        ('[room]\nsize = "3"\n', 'line 2: room.size must be a whole number, not "3"'),
        ('[room]\nsize = 3\nlanguage = "de"\n', "line 3: unknown key room.language; did you mean names?"),
    ],
)
def test_complaints(text, message):
    with pytest.raises(SettingsError) as caught:
        node(text)
    assert str(caught.value).startswith(message.partition(";")[0])
    assert message.endswith("names?") or str(caught.value) == message
