"""Recording a layer never raises anything but NotSized: any argument may be Unknown, any input of any rank."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.memory.record import Recorder
from cudnnlint.ops.kernels.backward import backward
from cudnnlint.ops.kernels.tape import NotSized, Tape
from cudnnlint.ops.protocol import LAYERS, LayerCall
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Stack, Step, Tensor
from cudnnlint.values.tensor import tensors
from tests.test_totality import ABSURD, CANONICAL, STACKS, UNKNOWN, required

HERE = Span("net.py", 1, 0, 1, 0)
PLACES = tuple(Tensor((BATCH, *(8,) * rank), dtype, "keras", None, Step(HERE)) for rank in range(1, 6)
               for dtype in ("float32", "int32"))
MODELLED = [path for path in CANONICAL if path.startswith("keras.")]


def record(path: str, arguments: dict[str, Any], given: Any, stack: Stack) -> bool:
    """Whether the layer could be recorded, and its gradients; any other exception than NotSized fails the test."""
    op = LAYERS[path].builder(**arguments)
    if not hasattr(op, "lower"):
        return False
    call = LayerCall(given, stack=stack)
    out = op.infer(call)
    layer = LayerV(path, "layer", HERE, op, arguments)
    layer.weights = op.weights(call)
    for tensor in tensors(out)[:1]:
        step = Step(HERE, tensors(given), layer, ((given,), {}))
        recorder = Recorder(Tape(), stack)
        try:
            value = recorder.layer(layer, step, tensor.with_(step=step))
            backward(recorder.tape, value)
        except NotSized:
            return False
        return True
    return False


@pytest.mark.parametrize("path", MODELLED)
def test_recording_is_total(path: str) -> None:
    base = required(LAYERS[path].builder)
    choices = [base, *({**base, name: value} for name in base for value in (UNKNOWN, *ABSURD[:8]))]
    for arguments in choices:
        for stack in STACKS[:2]:
            for given in (*PLACES, [PLACES[4], PLACES[4]]):
                record(path, arguments, given, stack)


@pytest.mark.parametrize("path", [f"keras.layers.{name}" for name in (
    "Dense", "Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "DepthwiseConv2D", "SeparableConv2D", "MaxPooling2D",
    "AveragePooling2D", "GlobalAveragePooling2D", "GlobalMaxPooling2D", "BatchNormalization", "LayerNormalization",
    "Dropout", "SpatialDropout2D", "Flatten", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "UpSampling2D",
    "ZeroPadding2D", "Cropping2D", "Rescaling", "LSTM", "GRU", "SimpleRNN", "Add", "Multiply", "Concatenate", "Maximum",
    "Average", "Subtract", "RepeatVector", "Permute", "GaussianNoise", "UnitNormalization", "Identity")])
def test_the_common_layers_are_known(path: str) -> None:
    given: list[Any] = [*PLACES[::2], [PLACES[4], PLACES[4]]]
    assert any(record(path, required(LAYERS[path].builder), one, Stack()) for one in given)
