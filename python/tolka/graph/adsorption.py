"""Modified Adsorption: labels spread over a graph (Talukdar & Crammer 2009; Razmara 2013, section 5.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import SettingsError
from tolka.graph.checks import check_whole
from tolka.graph.labels import Labels
from tolka.progress import SILENT

if TYPE_CHECKING:
    from tolka.graph.edges import Graph
    from tolka.progress import Progress


@dataclass(frozen=True)
class AdsorptionSettings:
    """What labels are traded for.

    Attributes:
        mu: How much the labels of seeds count, how much those of neighbours, and how much the dummy label where random walks
            are given up. The defaults are those of Junto, the authors' program.
        beta: How many neighbours a walk minds: the greater, the more.
        iterations: Steps that `propagate` takes.
        keep: Labels that a node keeps from step to step, the most probable beside the dummy; 0 for all.
    """

    mu: tuple[float, float, float] = (1.0, 0.01, 0.01)
    beta: float = 2.0
    iterations: int = 10
    keep: int = 0

    def __post_init__(self) -> None:
        check_whole("iterations", self.iterations)
        check_whole("keep", self.keep)
        if not isinstance(self.mu, tuple) or len(self.mu) != 3:  # noqa: PLR2004 seeds, neighbours, dummy
            raise SettingsError(f"mu are three weights, not {self.mu!r}")


_USUAL = AdsorptionSettings()


def propagate(
    graph: Graph,
    seeds: Labels,
    settings: AdsorptionSettings = _USUAL,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Labels:
    """Spread the labels of seeds over a graph, step by step, all nodes at once.

    Seeds are not held fast: what they have in the end is also what their neighbours say. A node that is far from all seeds, or
    a hub, gets much of the dummy label. `Labels.best` reads out what a node has.

    Args:
        graph: The graph.
        seeds: The labels that some nodes have from the start.
        settings: What labels are traded for, and the number of steps.
        threads: Threads to use; 0 means all cores. The result does not depend on it.
        progress: Hears of steps.

    Raises:
        InputError: Seeds of another number of nodes, or probabilities that are negative or not finite.
        SettingsError: Settings that make no sense.

    Example:
        >>> from tolka.graph import Graph
        >>> graph = Graph.of(3, ([0, 1], [1, 2], [0.8, 0.6]))
        >>> labels = propagate(graph, Labels.of(3, {0: {5: 0.7, 9: 0.3}}))
        >>> [(label, round(probability, 6)) for label, probability in labels.best(2)]
        [(5, 0.7), (9, 0.3)]
        >>> round(float(labels.dummy[2]), 6)
        0.090283
    """
    system = _system(graph, seeds, settings)
    threads = check_whole("threads", threads)
    with progress.task("spreading labels", total=settings.iterations, unit="steps") as advance:
        for _ in range(settings.iterations):
            system.step(threads=threads)
            advance(1)
    return Labels(*system.reached())


def solve(
    graph: Graph,
    seeds: Labels,
    settings: AdsorptionSettings = _USUAL,
    *,
    tolerance: float = 1e-10,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Labels:
    """The labels that `propagate` comes to after any number of steps, by conjugate gradients, some labels at a time.

    Every label is solved for at every node: what it takes grows with the number of labels times that of edges. If settings
    `keep` some labels, those are chosen in the end, not on the way.

    Args:
        graph: The graph.
        seeds: The labels that some nodes have from the start.
        settings: What labels are traded for.
        tolerance: How near to it, beside what seeds have; probabilities that are not greater are left out.
        threads: Threads to use; 0 means all cores. The result does not depend on it.
        progress: Hears of labels.

    Raises:
        InputError: As for `propagate`.
        SettingsError: Settings that make no sense.
        LimitError: A tolerance that is not reached.
    """
    system = _system(graph, seeds, settings)
    with progress.task("solving for labels", total=system.labels, unit="labels") as advance:
        return Labels(*system.solve(tolerance=tolerance, threads=check_whole("threads", threads), step=advance))


def objective(
    graph: Graph, seeds: Labels, labels: Labels, settings: AdsorptionSettings = _USUAL, *, threads: int = 0
) -> float:
    """What labels should make as small as can be: how far they are from seeds, from neighbours and from the dummy label.

    Raises:
        InputError: Labels that do not fit, or that no seed has.
        SettingsError: Settings that make no sense.
    """
    arrays = (labels.starts, labels.ids, labels.probabilities, labels.dummy)
    return _system(graph, seeds, settings).objective(arrays, threads=check_whole("threads", threads))


def _system(graph: Graph, seeds: Labels, settings: AdsorptionSettings) -> _engine.LabelSystem:
    arrays = (seeds.starts, seeds.ids, seeds.probabilities, seeds.dummy)
    return _engine.LabelSystem(graph.native, arrays, mu=settings.mu, beta=settings.beta, keep=settings.keep)
