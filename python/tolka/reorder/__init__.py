"""Pre-ordering: source words put into the order of the target language before decoding."""

from tolka.reorder.analyser import ANALYSERS, CLASSES, Analyser, AnalyserKind, ClassAnalyser, plain
from tolka.reorder.automaton import Action, Automaton, Fragment, State
from tolka.reorder.fragments import Fragments, find_fragments
from tolka.reorder.measure import (
    OrderScores,
    crossing_links,
    invert,
    is_permutation,
    monolingual_bleu,
    score_orders,
)
from tolka.reorder.mistakes import FirstErrors, first_errors
from tolka.reorder.preorderer import BUNDLE as PREORDERER
from tolka.reorder.preorderer import Order, Preorderer, Resumable, Trainable, teach
from tolka.reorder.reference import POLICIES, map_links, reference_order, reference_orders
from tolka.reorder.registry import KINDS, create, from_bundle, load
from tolka.reorder.reordering import Reordering, in_order, keep_together
from tolka.reorder.selection import link_confidence, link_confidences, most_confident, short_enough, subsample

__all__ = [
    "ANALYSERS",
    "CLASSES",
    "KINDS",
    "POLICIES",
    "PREORDERER",
    "Action",
    "Analyser",
    "AnalyserKind",
    "Automaton",
    "ClassAnalyser",
    "FirstErrors",
    "Fragment",
    "Fragments",
    "Order",
    "OrderScores",
    "Preorderer",
    "Reordering",
    "Resumable",
    "State",
    "Trainable",
    "create",
    "crossing_links",
    "find_fragments",
    "first_errors",
    "from_bundle",
    "in_order",
    "invert",
    "is_permutation",
    "keep_together",
    "link_confidence",
    "link_confidences",
    "load",
    "map_links",
    "monolingual_bleu",
    "most_confident",
    "plain",
    "reference_order",
    "reference_orders",
    "score_orders",
    "short_enough",
    "subsample",
    "teach",
]
