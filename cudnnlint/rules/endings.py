"""How a model's outputs end, and the loss that each of them goes into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LayerInfo, LossInfo, ModelView
from cudnnlint.rules.ancestry import LONGEST, maker_of
from cudnnlint.rules.outputs import alone, in_order
from cudnnlint.values import Tensor

UNBOUNDED = frozenset({"linear", "relu", "tanh"})
WITH_ACTIVATION = frozenset(f"keras.layers.{name}" for name in (
    "Dense", "Conv1D", "Conv2D", "Conv3D", "Convolution2D", "Conv2DTranspose", "SeparableConv2D", "Activation"))
IDENTITY = "keras.layers.Activation"
"""Which computes nothing if its activation is linear: it is there for its name or its dtype."""
ALONE = {"keras.layers.Softmax": "softmax", "keras.layers.ReLU": "relu"}
FUNCTIONS = {f"{room}{name}": name for name in ("softmax", "sigmoid") for room in (
    "tensorflow.", "tensorflow.nn.", "tensorflow.math.", "tensorflow.compat.v1.nn.", "keras.ops.", "keras.ops.nn.",
    "keras.activations.", "keras.backend.")}
"""Functions that give probabilities."""


def ending_of(layer: LayerInfo) -> str | None:
    """The name of the activation that the output comes from, or None."""
    if layer.path in ALONE:
        return ALONE[layer.path]
    value: Any = layer.arguments.get("activation", "") if layer.path in WITH_ACTIVATION else ""
    if value is None:
        return "linear"
    path = getattr(value, "path", None)
    if isinstance(path, str):
        value = path.rpartition(".")[2]
    return value if isinstance(value, str) and value in (*UNBOUNDED, "softmax", "sigmoid") else None


def last_of(tensor: Tensor) -> LayerInfo | None:
    """The layer that the tensor comes from, within the models and layers of the user's that gave it; before an
    Activation("linear"), which gives what it is given."""
    made = _innermost(tensor)
    return None if made is None else maker_of(made)


def function_of(tensor: Tensor) -> str | None:
    """The activation that a function computes last, at the end of a call() or after the model: "softmax", "sigmoid"."""
    made = _innermost(tensor)
    step = None if made is None else made.step
    return FUNCTIONS.get(step.maker) if step is not None and isinstance(step.maker, str) else None


def _innermost(tensor: Tensor) -> Tensor | None:
    for _ in range(LONGEST):
        step = tensor.step
        inner = None if step is None else step.body if step.body is not None else getattr(step.maker, "outputs", None)
        if isinstance(inner, list | tuple) and len(inner) == 1:
            inner = inner[0]
        if not isinstance(inner, Tensor):
            layer = maker_of(tensor)
            if layer is None or step is None or not step.parents or layer.path != IDENTITY \
                    or ending_of(layer) != "linear":
                return tensor
            inner = step.parents[0]
        tensor = inner
    return None


def pairs(model: ModelView) -> Iterator[tuple[Tensor, LossInfo]]:
    outputs, losses = model.outputs, model.losses
    if isinstance(outputs, list | tuple) and len(outputs) == 1:
        outputs = outputs[0]
    losses = alone(losses) if isinstance(outputs, Tensor) else in_order(losses, outputs)
    if isinstance(outputs, Tensor) and isinstance(losses, LossInfo):
        yield outputs, losses
    elif isinstance(outputs, list | tuple) and isinstance(losses, list | LossInfo):
        each = losses if isinstance(losses, list) else [losses] * len(outputs)
        for output, loss in zip(outputs, each, strict=False):
            if len(each) == len(outputs) and isinstance(output, Tensor) and isinstance(loss, LossInfo):
                yield output, loss


TORCH = {**{f"torch.{room}{name}": name for name in ("softmax", "sigmoid", "log_softmax", "logsigmoid")
            for room in ("", "nn.functional.")},
         **{f"torch.nn.{name}": spoken for name, spoken in (
             ("Softmax", "softmax"), ("Softmax2d", "softmax"), ("Sigmoid", "sigmoid"), ("LogSoftmax", "log_softmax"),
             ("LogSigmoid", "logsigmoid"), ("Linear", "linear"), ("Conv1d", "linear"), ("Conv2d", "linear"),
             ("Conv3d", "linear"))}}
RESHAPING = frozenset({"torch.Tensor.view", "torch.Tensor.contiguous", *(f"torch.{name}" for name in (
    "squeeze", "unsqueeze", "flatten", "reshape", "transpose", "permute", "t"))})
"""Functions that give the same numbers in another shape."""
SAME = RESHAPING | {"operator.getitem"}
PRODUCTS = frozenset({"torch.matmul", "torch.mm", "torch.bmm", "torch.spmm", "torch.sparse.mm", "operator.@"})
LOADER = "torch.utils.data.DataLoader"


def torch_ending(tensor: Tensor) -> str | None:
    """The activation, or "linear", that an output of PyTorch modules comes from, through those of the user's."""
    for _ in range(LONGEST):
        step = tensor.step
        if step is None:
            return None
        layer = maker_of(tensor)
        path = step.maker if isinstance(step.maker, str) else layer.path if layer is not None else ""
        if path in TORCH:
            return TORCH[path]
        same = path in SAME and step.parents
        inner = step.body if isinstance(step.body, Tensor) else step.parents[0] if same else None
        if inner is None:
            return "linear" if path in PRODUCTS and any(_comes_of_weights(one) for one in step.parents) else None
        tensor = inner
    return None


def _comes_of_weights(tensor: Tensor) -> bool:
    """Whether it is what a Linear gave: `adjacency @ self.linear(x)` of a graph convolution."""
    return torch_ending(tensor) == "linear"
