"""Attributes of a layer that are set after it was made and decide what it gives: `conv.stride = (1, 1)`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import LAYERS, SingleInput
from cudnnlint.values import Mismatch, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known, may_equal

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

READ_WHEN_CALLED = frozenset({"ceil_mode", "dilation", "output_padding", "output_size", "padding",
                              "return_indices", "scale_factor", "stride", "strides"})
"""Arguments that a layer keeps under the same name and reads each time it is applied."""


class Untold(SingleInput):
    """What a layer is of which something was set to a value that is not known."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = Unknown(why)

    def infer(self, call: Any) -> Unknown:
        return self.why

    def weights(self, call: Any) -> Unknown:
        return self.why


def reweighted(m: Machine, layer: Any, weight: Any) -> None:
    """A module of PyTorch computes with the weight that it is given, whatever it was made for: `conv.weight =
    nn.Parameter(conv.weight.sum(1, keepdim=True))` takes images of one channel. Of one that is not known only an
    embedding is taken to keep its shape, that of the words which the program counted; an extent that is not known may
    be that of before only where that was not known either, as where an embedding's weight is also that of the last
    layer, and not where heads are pruned, `linear.weight = nn.Parameter(linear.weight[kept])`."""
    layer = layer.extra if isinstance(layer, InstanceV) else layer
    if getattr(layer, "op", None) is None or not layer.path.startswith("torch."):
        return
    if isinstance(weight, Unknown) and layer.path == "torch.nn.Embedding":
        return
    declared = next((each.shape for each in layer.weights if each.name == "weight"), None) \
        if isinstance(layer.weights, tuple) else getattr(layer.extra.get("weight"), "shape", None)
    if not isinstance(declared, tuple) or not isinstance(weight, Tensor) or not isinstance(weight.shape, tuple) \
            or len(weight.shape) != len(declared) or not all(map(_stays, declared, weight.shape)):
        m.heap.touch(layer)
        if (table := _table(layer, weight)) is None:
            layer.become(Untold("its weight was set"))
        else:
            layer.become(table)
            layer.weights = table.variables()


def _table(layer: Any, weight: Any) -> Any:
    """An embedding is what its table is: torch/nn/functional.py: embedding looks at nothing else."""
    shape = weight.shape if layer.path == "torch.nn.Embedding" and isinstance(weight, Tensor) else None
    if not isinstance(shape, tuple) or len(shape) != 2 or not all(map(is_known, shape)) \
            or not hasattr(layer.op, "embedding_dim"):
        return None
    return replace(layer.op, num_embeddings=shape[0], embedding_dim=shape[1])


def _stays(before: Dim, now: Dim) -> bool:
    return may_equal(now, before) and (is_known(now) or not is_known(before))


def reset(layer: Any, name: str, value: Any) -> None:
    """The layer as it is from now on; that of a user's class, and what it only keeps, change nothing."""
    if name not in READ_WHEN_CALLED or name not in layer.arguments or layer.op is None:
        return
    given, why = strip(value), f"{name} was set"
    arguments = {**layer.arguments, name: given}
    made = Unknown(why) if isinstance(given, Unknown) or layer.path not in LAYERS else \
        LAYERS[layer.path].builder(**arguments)
    layer.arguments = arguments
    layer.become(Untold(why) if isinstance(made, Unknown | Mismatch) else made)
