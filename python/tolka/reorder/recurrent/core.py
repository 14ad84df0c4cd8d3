"""The dense half of a recurrent pre-orderer, in JAX: from sums of features to the probability of the reference order.

Candidates are in the order in which the reference emits them, so that at step t the right one is number t and the free
ones are t, t + 1, and so on. Formulas are those of Miceli Barone (2015), section 4.3.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tolka.errors import MissingExtraError

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
except ModuleNotFoundError:
    raise MissingExtraError("training a recurrent pre-orderer", "neural") from None

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

Arrays = dict[str, "Array"]

_NEVER = -1e9


def next_state(cell: str, matrix: Array, told: Array, state: Array) -> Array:
    """The state after a word, from what the word tells it (eq. 4.4; 4.10 for a GRU, in the names of Cho et al. 2014)."""
    if cell == "rnn":
        return jnp.tanh(told + state @ matrix.T)
    units = state.shape[-1]
    gates = jax.nn.sigmoid(told[..., : 2 * units] + state @ matrix[: 2 * units].T)
    update, reset = gates[..., :units], gates[..., units:]
    last = matrix[2 * units :]
    pushed = (reset * state) @ last.T if cell == "gru" else reset * (state @ last.T)
    return update * state + (1 - update) * jnp.tanh(told[..., 2 * units :] + pushed)


def states(cell: str, dense: Arrays, told: Array) -> Array:
    """The states before every step: batch x steps x units."""
    start = jnp.broadcast_to(dense["start"], (told.shape[0], dense["start"].shape[-1]))

    def move(state: Array, told: Array) -> tuple[Array, Array]:
        return next_state(cell, dense["recurrent"], told, state), state

    return lax.scan(move, start, jnp.swapaxes(told, 0, 1))[1].swapaxes(0, 1)


def inner_states(dense: Arrays, sums: Arrays, facts: Arrays) -> Array:
    """What walks from the last word to candidates have told the inner state (eq. 4.9): batch x steps x words x inner.

    All walks from one word are one visit of the tree, position by position, each from the state of the one before it.
    """
    before, by = facts["before"], facts["by"]
    batch, steps, positions = before.shape
    told = jnp.take_along_axis(sums["steps"], by.reshape(batch, -1, 1), axis=1)
    told = told.reshape(batch, steps, positions, -1)
    start = jnp.zeros_like(told).at[:, :, 0].set(dense["inner_start"][0])

    def visit(reached: Array, position: Array) -> tuple[Array, None]:
        from_where = lax.dynamic_index_in_dim(before, position, 2, keepdims=False)[..., None, None]
        state = jnp.take_along_axis(reached, from_where, axis=2)[:, :, 0]
        here = lax.dynamic_index_in_dim(told, position, 2, keepdims=False)
        state = jnp.tanh(here + state @ dense["inner_recurrent"].T)
        return lax.dynamic_update_index_in_dim(reached, state, position, 2), None

    reached = lax.scan(visit, start, jnp.arange(1, positions))[0]
    return jnp.take_along_axis(reached, facts["ends"][..., None], axis=2)


def scores(cell: str, dense: Arrays, sums: Arrays, facts: Arrays) -> Array:
    """h(j, t) of every candidate at every step (eq. 4.5): batch x steps x words."""
    told, candidates = sums["inputs"], sums["candidates"]
    steps = told.shape[1]
    if "inner_start" in dense:
        inner = inner_states(dense, sums, facts)
        candidates = candidates + inner @ dense["inner_output"].T
        chosen = inner[:, jnp.arange(steps), jnp.arange(steps)]
        told = told + chosen @ dense["inner_input"].T
    state = states(cell, dense, told)
    if "kept" in facts:
        # Units that a sentence goes without (Srivastava et al. 2014), the same at all its steps.
        state = state * facts["kept"][:, None]
    left = jnp.log(jnp.maximum(facts["lengths"][:, None] - jnp.arange(steps), 1).astype(jnp.float32))
    if "scale" in dense:
        told_apart = jnp.sum(jnp.tanh(candidates) * (state * dense["scale"])[:, :, None], axis=-1)
        alpha, bias = dense["offsets"][0]
        offset: Array = alpha * left + bias
        return told_apart + offset[..., None]
    distances = facts["distances"][..., None] / 30
    numbers = dense["scalars"]
    hidden = candidates + left[:, :, None, None] * numbers[0]
    hidden = hidden + jnp.maximum(distances, 0) * numbers[1] + jnp.minimum(distances, 0) * numbers[2]
    together = sums["embeddings"][:, None] * state[:, :, None]
    if "layer_state" not in dense:
        return hidden[..., 0] + jnp.sum(together, axis=-1)
    return jnp.tanh(hidden + together @ dense["layer_state"].T) @ dense["layer_out"][0]


def log_likelihoods(cell: str, dense: Arrays, sums: Arrays, facts: Arrays) -> Array:
    """The natural logarithms of the probabilities of the reference orders (eq. 4.6)."""
    found = scores(cell, dense, sums, facts)
    _, steps, words = found.shape
    lengths = facts["lengths"][:, None]
    step, place = jnp.arange(steps), jnp.arange(words)
    free = (place[None, None] >= step[None, :, None]) & (place[None, None] < lengths[..., None])
    total = jax.nn.logsumexp(jnp.where(free, found, _NEVER), axis=-1)
    right = found[:, step, step]
    # The last word of a sentence is no choice.
    return jnp.sum(jnp.where(step[None] < lengths - 1, right - total, 0.0), axis=-1)


def loss(dense: Arrays, sums: Arrays, facts: Arrays, cell: str) -> Array:
    """What training makes small: the mean of the negated log-likelihoods of the sentences of a batch."""
    sentences = jnp.maximum(jnp.sum(facts["lengths"] > 0), 1)
    return -jnp.sum(log_likelihoods(cell, dense, sums, facts)) / sentences


@cache
def loss_and_gradients(level: int) -> Callable[..., tuple[Array, tuple[Arrays, Arrays]]]:
    """The loss with its gradients by dense tensors and sums, compiled with more or less care.

    On CPUs compiling takes longer than many a training: level 0 takes a third of the usual time, level 1 two thirds, and
    what level 1 makes is as quick as the usual.
    """
    options = {"xla_backend_optimization_level": level} if jax.default_backend() == "cpu" else None
    compiled: Callable[..., tuple[Array, tuple[Arrays, Arrays]]] = jax.jit(
        jax.value_and_grad(loss, argnums=(0, 1)), static_argnums=3, compiler_options=options
    )
    return compiled
