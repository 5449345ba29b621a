"""Functions of TensorFlow and NumPy on symbolic tensors of Keras 3, which are placeholders and no tensors of either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import refuse
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Where
from cudnnlint.values.numpy_int import NUMBERS

TAKING = frozenset({"tensorflow.is_tensor", "tensorflow.divide", "tensorflow.math.divide",
                    "tensorflow.nn.batch_normalization", "numpy.shape", "numpy.ndim",
                    "numpy.size", "numpy.isscalar", "numpy.squeeze", "numpy.flip"})
"""Functions that ask only what it is, or leave it to its own `/`, index or method."""
OTHERWISE = {"concat": "concatenate", "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max",
             "reduce_min": "min", "reduce_prod": "prod", "reduce_any": "any", "reduce_all": "all", "pow": "power",
             "reduce_std": "std", "reduce_variance": "var", "reduce_logsumexp": "logsumexp", "range": "arange",
             "clip_by_value": "clip", "gather": "take", "l2_normalize": "normalize"}
"""What keras.ops calls functions of TensorFlow."""
ROOMS = {"tensorflow.random": "keras.random", "tensorflow.image": "keras.ops.image"}

BACKEND = "keras.backend."
OF_BACKEND = frozenset({
    "abs", "all", "any", "argmax", "argmin", "batch_dot", "batch_flatten", "bias_add", "binary_crossentropy",
    "cast", "categorical_crossentropy", "clip", "concatenate", "cos", "cumprod", "cumsum", "dot", "dropout", "elu",
    "equal", "exp", "expand_dims", "flatten", "foldl", "gather", "greater", "greater_equal", "hard_sigmoid",
    "l2_normalize", "less", "less_equal", "log", "max", "maximum", "mean", "min", "minimum", "ndim", "not_equal",
    "one_hot", "ones_like", "permute_dimensions", "pow", "prod", "relu", "repeat", "repeat_elements", "reshape",
    "resize_images", "reverse", "round", "shape", "sigmoid", "sign", "sin", "softmax", "softplus", "softsign",
    "sparse_categorical_crossentropy", "spatial_2d_padding", "spatial_3d_padding", "sqrt", "square", "squeeze",
    "stack", "std", "stop_gradient", "sum", "switch", "tanh", "temporal_padding", "tile", "transpose", "var",
    "zeros_like"})
"""Functions of tf.keras.backend that refuse it, each tried with Keras 3.15 (keras/src/legacy/backend.py)."""

NO_TENSOR = 'ValueError "A KerasTensor cannot be used as input to a TensorFlow function"'
NO_ARRAY = ('ValueError "A KerasTensor is symbolic: it\'s a placeholder for a shape an a dtype" or TypeError "You '
            'are passing KerasTensor(...), an intermediate Keras symbolic input/output, to a TF API"')
SINCE = Where(keras=">=2.4")
"""Where NumPy's functions refuse it (tf_keras/src/engine/keras_tensor.py: KerasTensor.__array__)."""


def refuse_beside(m: Machine, symbol: str, left: Any, right: Any, span: Span) -> None:
    """An array or number of NumPy on the left of a symbolic tensor: NumPy is asked first, and wants an array of it
    (keras/src/backend/common/keras_tensor.py: KerasTensor.__array__). On the right it is fine."""
    if not isinstance(right, Tensor) or not _of_numpy(left) or m.applying or m.symbolic or m.tracing or m.bodies:
        return
    told = f"NumPy's {left}" if isinstance(left, Tensor) else f"a number of NumPy's, {left:.6g},"
    refuse(m, span, Mismatch(
        Problem.SYMBOLIC, f"{told} {symbol} a symbolic tensor of Keras, {right}", where=Where(keras=">=3"),
        help="the symbolic tensor on the left, or keras.ops" if symbol in ("+", "*") else
        "keras.ops.convert_to_tensor() of what NumPy made",
        error='ValueError "A KerasTensor is symbolic: it\'s a placeholder for a shape an a dtype"'),
        about=tensors([left, right]), what=symbol, inputs=[left, right])


def _of_numpy(value: Any) -> bool:
    """Whether NumPy certainly made it: an array or a number of its own."""
    if isinstance(value, NUMBERS):
        return True
    step = value.step if isinstance(value, Tensor) and value.kind == "numpy" else None
    return step is not None and isinstance(step.maker, str) and step.maker.startswith("numpy.")


def refuse_symbolic(m: Machine, path: str, args: Sequence[Any], kwargs: dict[str, Any], display: str,
                    span: Span) -> None:
    """Tell of a function outside of any layer that is called on what only layers and keras.ops take
    (keras/src/backend/common/keras_tensor.py: KerasTensor.__tf_tensor__, KerasTensor.__array__).
    """
    if m.applying or m.symbolic or m.tracing or m.bodies or path in TAKING:
        return
    of_backend = path.startswith(BACKEND)
    if of_backend and path.removeprefix(BACKEND) not in OF_BACKEND:
        return
    found = next((tensor for tensor in tensors([*args, *kwargs.values()]) if tensor.kind == "keras"), None)
    if found is None:
        return
    name = path.rpartition(".")[2]
    name = OTHERWISE.get(name, name)
    room = ROOMS.get(path.rpartition(".")[0], "keras.ops")
    advice = f"{room}.{name}" if f"{room}.{name}" in FUNCTIONS else "the function of keras.ops"
    of_numpy = not of_backend and not path.startswith("tensorflow.")
    error = NO_ARRAY if of_numpy else f"{NO_TENSOR} or AttributeError" if of_backend else NO_TENSOR
    refuse(m, span, Mismatch(
        Problem.SYMBOLIC, f"{display} on a symbolic tensor of Keras, {found}",
        help=f"{advice}, or a layer whose call() does it", error=error,
        where=SINCE if of_numpy else Where(keras=">=3")),
        about=(found,), what=display, inputs=[*args, *kwargs.values()])
