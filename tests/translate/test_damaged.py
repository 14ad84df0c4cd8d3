"""No damage to a model does more harm than an error: whatever its checksums are made to fit is loaded and used."""

import random
import shutil

import numpy as np
import pytest

from tolka import _engine
from tolka.errors import InternalError, TolkaError
from tolka.translate import Translator

TRIALS = 60


def _damage_sections(path, draw):
    """Changes some elements of a container's sections; its structure, size and checksums stay right."""
    container = _engine.Container.open(path, None, full=True, most_bytes=1 << 30)
    sections = [[name, element, size, bytearray(container.read(name))] for name, element, size, _ in container.sections()]
    # Vocabularies are found out at once; other sections are likelier.
    plain = [one for one in sections if one[3] and "word-" not in one[0]]
    for _, _, size, content in draw.choices(plain, k=draw.randint(1, 3)):
        unit = 4 if size % 4 == 0 and size not in (4, 8) else size
        at = draw.randrange(len(content) // unit) * unit
        other = draw.randrange(len(content) // unit) * unit
        value = draw.choice([0, 1, 2, draw.randrange(256), 1 << 31, 0x7FC00000, (1 << 64) - 1, draw.getrandbits(64)])
        changed = [value.to_bytes(8, "little")[:unit], content[other : other + unit], bytes(content[at : at + unit])[::-1]]
        content[at : at + unit] = draw.choice(changed)
    _write(path, container, sections)


def _write(path, container, sections):
    arrays = [(name, element, size, np.frombuffer(bytes(content), np.uint8)) for name, element, size, content in sections]
    path.unlink()
    _engine.write_container(path, container.kind, container.kind_version, arrays)


def _damage_text(path, draw):
    content = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(content))
        content[at] = draw.choice(b'0-9a"=[]{}.#\n \x00\xff')
    path.unlink()
    path.write_bytes(content)


def _use(place, lines):
    """Everything a person may do with a model; says whether it answered."""
    try:
        translator = Translator.load(place)
        translator.translate(lines)
        translator.nbest(lines, 5)
    except InternalError:
        raise
    except TolkaError:
        return False
    return True


@pytest.mark.parametrize("name", ["hiero", "phrase"])
def test_a_damaged_model_is_an_error_or_an_answer(models, bitext, tmp_path, name):
    lines = [source for source, _ in bitext[1][:3]]
    answered = 0
    for seed in range(TRIALS):
        draw = random.Random(seed)
        place = tmp_path / str(seed)
        shutil.copytree(models[name], place)
        path = draw.choice(sorted(place.iterdir()))
        damage = _damage_sections if path.read_bytes()[:4] == b"\x89TLK" else _damage_text
        damage(path, draw)
        answered += _use(place, lines)
    # Else nothing behind the checks was reached.
    assert 0 < answered < TRIALS
