"""The stages that recipes can name; each room's stages have a file here."""

from tolka.pipeline.stage import registry
from tolka.pipeline.stages.pack import pack
from tolka.pipeline.stages.prepare import clean, split, stats, tokenise, truecase
from tolka.pipeline.stages.sources import corpus, synth

BUILTIN = registry(corpus, synth, clean, split, tokenise, truecase, stats, pack)

__all__ = ["BUILTIN"]
