"""Which LSTM and GRU configurations cuDNN's fused kernels can run, and which argument keeps them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.ops.flags import flag
from cudnnlint.values import Stack, Unknown

NEEDED: Mapping[str, Callable[[Any], bool | None]] = {
    "activation": lambda value: _is_named(value, "tanh"),
    "recurrent_activation": lambda value: _is_named(value, "sigmoid"),
    "recurrent_dropout": lambda value: _negated(flag(value)),
    "unroll": lambda value: _negated(flag(value)),
    "use_bias": flag,
    "reset_after": flag,
    "use_cudnn": flag,
}
"""Argument -> whether its value allows the fused kernel; None: not known.

keras/src/backend/tensorflow/rnn.py: cudnn_ok; keras/src/layers/rnn/{lstm,gru}.py: inner_loop;
tf_keras/src/layers/rnn/{lstm,gru}.py: _could_use_gpu_kernel. `dropout` does not matter.
"""
DEFAULTS: Mapping[str, Any] = {
    "activation": "tanh", "recurrent_activation": "sigmoid", "recurrent_dropout": 0.0, "unroll": False,
    "use_bias": True, "reset_after": True, "use_cudnn": "auto",
}
ALWAYS = ("CuDNNLSTM", "CuDNNGRU")
FUSED = ("LSTM", "GRU")


def obstacles(layer: Any, stack: Stack) -> tuple[str, ...] | Unknown:
    """The arguments of an LSTM or GRU (its op, or its bound arguments) that keep the fused kernel out.

    >>> obstacles({"activation": "relu", "unroll": True}, Stack())
    ('activation', 'unroll')
    >>> obstacles({"use_cudnn": False}, Stack(keras=(2, 15)))
    ()
    """
    verdicts = {name: allowed(_argument(layer, name)) for name, allowed in NEEDED.items()
                if name != "use_cudnn" or stack.keras >= (3, 2)}
    against = tuple(name for name, verdict in verdicts.items() if verdict is False)
    if not against and (open_ := [name for name, verdict in verdicts.items() if verdict is None]):
        return Unknown(f"{open_[0]} is not known")
    return against


def cudnn_eligible(layer: Any, stack: Stack) -> bool | Unknown:
    """Whether a GPU runs this layer through cuDNN, as far as its arguments decide (masks may still prevent it).

    `layer` is a recurrent op, or the bound arguments of LSTM or GRU by name; absent ones have their defaults.

    >>> cudnn_eligible({"units": 8}, Stack()), cudnn_eligible({"reset_after": False}, Stack())
    (True, False)
    >>> cudnn_eligible({"recurrent_activation": "hard_sigmoid", "use_bias": Unknown()}, Stack())
    False
    >>> cudnn_eligible({"use_bias": Unknown()}, Stack()).why
    'use_bias is not known'
    """
    name = getattr(layer, "name", None)
    if name in ALWAYS:
        return True
    if not isinstance(layer, Mapping) and name not in FUSED:
        return False
    found = obstacles(layer, stack)
    return found if isinstance(found, Unknown) else not found


def _argument(layer: Any, name: str) -> Any:
    default = DEFAULTS[name]
    if isinstance(layer, Mapping):
        return layer.get(name, default)
    if name == "reset_after" and layer.name == "LSTM":
        return True
    return getattr(layer, name, None) if hasattr(layer, name) else getattr(getattr(layer, "cell", None), name, default)


def _is_named(value: Any, name: str) -> bool | None:
    """None where a function was passed, which may be the one of that name."""
    if isinstance(value, str) or value is None:
        return value == name
    return None


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value
