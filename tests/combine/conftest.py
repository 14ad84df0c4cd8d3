"""Small models to combine."""

import pytest
from tests.combine.small import pairs_of, remade, train


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    """Directories of models by name: `one` and `two` prepare text alike and share a language model, others do not.

    `phrases` has phrases, `cased` another truecaser, `split` splits compounds, `words` takes tokenised text.
    """
    place = tmp_path_factory.mktemp("parts")
    first, second, both = pairs_of(3, 150), pairs_of(4, 150), pairs_of(3, 150) + pairs_of(4, 150)
    made = {
        "one": train(place / "one", first, casing=both, lm=both),
        "two": train(place / "two", second, casing=both, lm=both),
        "phrases": train(place / "phrases", second, kind="phrase", casing=both, lm=both),
        "cased": train(place / "cased", second),
        "split": train(place / "split", second, casing=both, compounds=["Regen Wald", "Hand Tasche", "Haus Dach"]),
    }
    made["words"] = remade(made["one"], place / "words", text_tokenised=True)
    return made


@pytest.fixture(scope="session")
def sentences():
    """Sentences that no part was trained on, with their translations."""
    return pairs_of(11, 25)
