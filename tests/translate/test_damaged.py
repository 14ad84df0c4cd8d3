"""No damage to a model does more harm than an error: whatever its checksums are made to fit is loaded and used."""

import random
import shutil

import pytest

from tolka.errors import InternalError, TolkaError
from tolka.translate import Translator

TRIALS = 60


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
def test_a_damaged_model_is_an_error_or_an_answer(models, bitext, damage, tmp_path, name):
    lines = [source for source, _ in bitext[1][:3]]
    answered = 0
    for seed in range(TRIALS):
        draw = random.Random(seed)  # noqa: S311 - no secrets here
        place = tmp_path / str(seed)
        shutil.copytree(models[name], place)
        damage(draw.choice(sorted(place.iterdir())), draw)
        answered += _use(place, lines)
    # Else nothing behind the checks was reached.
    assert 0 < answered < TRIALS
