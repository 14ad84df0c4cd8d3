"""The stages that recipes can name; each room's stages have a file here."""

from tolka.pipeline.stage import registry
from tolka.pipeline.stages.align import align
from tolka.pipeline.stages.grammar import grammar
from tolka.pipeline.stages.lm import lm
from tolka.pipeline.stages.model import model
from tolka.pipeline.stages.mono import mono
from tolka.pipeline.stages.multitree import constituents, multitree, tree_model
from tolka.pipeline.stages.pack import pack
from tolka.pipeline.stages.prepare import clean, compounds, placeholders, split, stats, tokenise, truecase
from tolka.pipeline.stages.reorder import parse, reorder
from tolka.pipeline.stages.sources import corpus, synth
from tolka.pipeline.stages.tree_tuning import penalty, statistics
from tolka.pipeline.stages.tune import tune

BUILTIN = registry(
    corpus,
    synth,
    clean,
    split,
    tokenise,
    truecase,
    compounds,
    placeholders,
    stats,
    pack,
    mono,
    parse,
    align,
    reorder,
    lm,
    grammar,
    tune,
    model,
    constituents,
    multitree,
    penalty,
    statistics,
    tree_model,
)

__all__ = ["BUILTIN"]
