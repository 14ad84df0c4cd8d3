"""The pipeline room: recipes, stages and their cache.

A recipe names stages; each stage is a function of files and settings. What a stage writes is kept under a hash of all
that decided it, so a second run does only what changed and an interrupted run goes on where it was.
"""

from tolka.pipeline.graph import Graph, Link, Node
from tolka.pipeline.log import read_log
from tolka.pipeline.plan import Planned, plan
from tolka.pipeline.recipe import Recipe
from tolka.pipeline.runner import RunResult, StageError, StageResult, run
from tolka.pipeline.stage import InputFile, Settings, Stage, Threads, registry, stage
from tolka.pipeline.stages import BUILTIN
from tolka.pipeline.training import TrainResult, TrainSettings, train, training_recipe

__all__ = [
    "BUILTIN",
    "Graph",
    "InputFile",
    "Link",
    "Node",
    "Planned",
    "Recipe",
    "RunResult",
    "Settings",
    "Stage",
    "StageError",
    "StageResult",
    "Threads",
    "TrainResult",
    "TrainSettings",
    "plan",
    "read_log",
    "registry",
    "run",
    "stage",
    "train",
    "training_recipe",
]
