"""What Galron (2012) reports on test sets, in per cent: facts to put beside one's own.

Daniel Galron: Optimizing Machine Translation by Learning to Search. PhD dissertation, New York University, 2012; tables 5.2 (English to
French, Europarl, 9,830 pairs), 5.3 (English to Hindi, EILMT tourism, 10,300 pairs) and 5.12. Other text, tokenisation, parser and aligner
than here: what can be compared are ratios to the phrase-based system (Moses with phrases of up to three words), and the order of systems.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """Precision, recall and F of the General Text Matcher with exponents 1 and 2, BLEU and NIST."""

    p1: float
    r1: float
    f1: float
    p2: float
    r2: float
    f2: float
    bleu: float | None = None
    nist: float | None = None


MOSES = "phrase"
TABLES = {
    "5.2": {
        "straw-man": Published(50.17, 47.15, 48.61, 21.81, 20.50, 21.13, 12.99, 4.6556),
        "single-strict": Published(50.18, 48.55, 49.35, 22.59, 21.86, 22.22, 16.35, 5.2674),
        "single-permissive": Published(51.40, 48.69, 50.01, 23.16, 21.94, 22.53, 16.28, 5.3625),
        "forest-strict": Published(51.03, 49.49, 50.25, 23.23, 22.53, 22.87, 17.78, 5.4180),
        "forest-permissive": Published(51.97, 50.15, 51.05, 23.84, 23.00, 23.41, 18.19, 5.5516),
        "forest-permissive-viterbi": Published(52.04, 48.30, 50.10, 22.85, 21.20, 22.00),
        MOSES: Published(53.25, 53.45, 53.35, 25.85, 25.94, 25.90, 23.33, 5.9237),
    },
    "5.3": {
        "straw-man": Published(52.26, 50.02, 51.12, 20.10, 19.23, 19.66, 12.81, 5.1594),
        "single-strict": Published(53.38, 50.93, 52.13, 20.52, 19.58, 20.04, 13.49, 5.2399),
        "single-permissive": Published(54.66, 52.54, 53.58, 21.56, 20.72, 21.13, 15.61, 5.5114),
        "forest-strict": Published(55.46, 51.61, 53.47, 21.88, 20.36, 21.09, 15.03, 5.4627),
        "forest-permissive": Published(55.35, 53.22, 54.27, 21.74, 20.90, 21.31, 15.74, 5.5559),
        MOSES: Published(54.54, 54.49, 54.51, 23.46, 23.44, 23.45, 20.65, 5.6021),
    },
}
LESION = {"forest-permissive": (0.0234375, 21.47), "forest-permissive-viterbi": (0.01171875, 20.52)}
"""Table 5.12: the penalty that was best, and the mean length of translations. Its scores are in table 5.2 above."""
