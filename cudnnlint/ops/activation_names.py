"""Which strings name an activation, in which Keras."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.values import Mismatch, Problem, Where

SINCE: Mapping[str, str] = {
    **dict.fromkeys(("elu", "exponential", "gelu", "hard_sigmoid", "leaky_relu", "linear", "log_softmax", "mish",
                     "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "swish",
                     "tanh"), ">=3"),
    **dict.fromkeys(("hard_silu", "hard_swish"), ">=3.0.1"),
    **dict.fromkeys(("celu", "glu", "hard_shrink", "hard_tanh", "log_sigmoid", "soft_shrink", "squareplus",
                     "tanh_shrink"), ">=3.7"),
    **dict.fromkeys(("sparse_plus", "sparsemax", "threshold"), ">=3.8"),
    "sparse_sigmoid": ">=3.10",
}
"""Keras 3's names -> the versions that know them (keras/src/activations/__init__.py: ALL_OBJECTS)."""


def check_activation(value: Any, argument: str = "activation") -> Iterator[Mismatch]:
    """A string that Keras 3 cannot interpret.

    Keras 2, 3.0.0 and 3.0.1 also look the name up among the user's custom objects, so there no name is certainly wrong
    (keras/src/activations/__init__.py: get).
    """
    if not isinstance(value, str):
        return
    if value in SINCE:
        before = SINCE[value].lstrip(">=")
        if before not in ("3", "3.0.1"):
            yield _unknown(value, argument, f"use Keras {before} or newer", Where(keras=f">=3.0.2,<{before}"))
        return
    from difflib import get_close_matches

    close = get_close_matches(value.lower(), SINCE, n=1)
    yield _unknown(value, argument, f'did you mean "{close[0]}"?' if close else
                   "pass the function itself, or a name from keras.activations", Where(keras=">=3.0.2"))


def _unknown(value: str, argument: str, remedy: str, where: Where) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f'{argument} "{value}" is not the name of an activation', help=remedy,
                    error=f'ValueError "Could not interpret activation function identifier: {value}"',
                    argument=argument, where=where)
