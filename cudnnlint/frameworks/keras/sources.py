"""keras.utils.get_source_inputs: the inputs that a tensor is computed from."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

NOT_KNOWN = Unknown("inputs of a tensor")


@FRAMEWORK.on("keras.utils.get_source_inputs", "keras.utils.layer_utils.get_source_inputs",
              "keras.engine.get_source_inputs", "keras.engine.topology.get_source_inputs",
              "keras.ops.operation_utils.get_source_inputs")
def get_source_inputs(c: Call) -> Any:
    """Each once, in the order in which layers name them (tf_keras/src/utils/layer_utils.py: get_source_inputs)."""
    tensor = strip(c.get(0, "tensor"))
    if not isinstance(tensor, Tensor) or len(c.args) + len(c.kwargs) > 1:
        return NOT_KNOWN
    found: list[Any] = []
    todo, seen = [tensor], set[int]()
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        step = current.step
        if step is None or step.maker == JOIN or current.kind != "keras":
            return NOT_KNOWN
        if not step.parents:
            if not isinstance(step.maker, LayerV):
                return NOT_KNOWN
            found.append(current)
        todo += reversed(step.parents)
    return ListV(found)
