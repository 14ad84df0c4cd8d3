"""Sentences made to measure: German, English and French from one grammar, with gold links and trees.

Every later room can be tried on text whose truth is known. docs/synthetic.md shows the phenomena and the files.

Example:
    >>> from tolka.corpus.synthetic import Synthetic
    >>> for example in Synthetic(seed=1).sample(1, start=2):
    ...     print(example.raw["de"], "|", example.raw["en"], "|", example.raw["fr"])
    Meine Ingenieurin hat die Skripte geschrieben, die der wichtige Administrator speichert. | My engineer wrote the scripts that the important administrator saves. | Mon ingénieure a écrit les scripts que l'administrateur important enregistre.
"""

from tolka.corpus.synthetic.example import LANGUAGES, PAIRS, Example
from tolka.corpus.synthetic.generator import Seen, Synthetic
from tolka.corpus.synthetic.lexicon import Lexicon, lexicon
from tolka.corpus.synthetic.writer import Written, write

__all__ = ["LANGUAGES", "PAIRS", "Example", "Lexicon", "Seen", "Synthetic", "Written", "lexicon", "write"]
