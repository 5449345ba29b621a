"""Arrays of NumPy that become tensors as a whole: rules are told where they go."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import DatasetMade
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.frameworks.tensorflow.placement import device_of
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor

PATHS = ("tensorflow.constant", "tensorflow.convert_to_tensor")


def _converted(path: str) -> Any:
    def convert(c: Call) -> Any:
        given = c.get(0, "value")
        array = plain(given)
        if isinstance(array, Tensor) and array.kind == "numpy" and not c.machine.tracing:
            c.machine.say(DatasetMade, c.span, about=(array,), assumptions=assumptions_of(given), arrays=array,
                          device=device_of(c.machine))
        return apply_function(c.machine, path, c.args, c.kwargs, c.node)

    return convert


for _path in PATHS:
    FRAMEWORK.on(_path)(_converted(_path))
