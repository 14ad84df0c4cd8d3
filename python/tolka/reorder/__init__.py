"""Pre-ordering: source words put into the order of the target language before decoding."""

from tolka.reorder.preorderer import Order, Preorderer, Trainable
from tolka.reorder.registry import KINDS, create, load

__all__ = ["KINDS", "Order", "Preorderer", "Trainable", "create", "load"]
