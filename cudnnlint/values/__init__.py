"""The abstract domain: what the interpreter computes with. Frozen, total, framework-free."""

from cudnnlint.values.assumption import Assumed, Assumption
from cudnnlint.values.dim import BATCH, FREE, Dim, Symbol
from cudnnlint.values.mismatch import Mismatch, Problem
from cudnnlint.values.stack import EVERYWHERE, Stack, Where
from cudnnlint.values.tensor import DType, Shape, Step, Tensor, is_floating, is_integer, show
from cudnnlint.values.unknown import Unknown

__all__ = [
    "BATCH", "EVERYWHERE", "FREE", "Assumed", "Assumption", "DType", "Dim", "Mismatch", "Problem",
    "Shape", "Stack", "Step", "Symbol", "Tensor", "Unknown", "Where", "is_floating", "is_integer", "show",
]
