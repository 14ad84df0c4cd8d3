"""German forms for rewriting: none is changed, but nouns keep their capitals."""

from tolka.assist.rewriting.morphology import Plain

GERMAN = Plain({}, proper=frozenset({"NN", "NNS", "NE", "NNP", "NNPS", "PROPN"}))
