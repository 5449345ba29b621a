"""What Keras 3 runs on, where the program says so."""

from __future__ import annotations

from cudnnlint.interp.devices import runtime
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW
from cudnnlint.interp.machine import Machine, plain

OTHERS = frozenset({"jax", "torch", "numpy", "openvino"})
"""Backends other than TensorFlow, whose tensors of different dtypes go together."""


def runs_elsewhere(m: Machine) -> bool:
    """Whether KERAS_BACKEND, or what the project requires, says that Keras does not run on TensorFlow."""
    backend = plain(runtime(m).items.get("os.environ KERAS_BACKEND"))
    return backend in OTHERS if isinstance(backend, str) else m.stack.elsewhere


def promotes(m: Machine, path: str) -> bool:
    """Whether tensors are brought to one dtype, as NumPy does it: those of tf.experimental.numpy, and Keras' where they
    are none of TensorFlow's: `0.95 ** ops.arange(3)` (run with PyTorch)."""
    return NUMPY_OF_TENSORFLOW in m.state or (path.startswith(("operator.", "keras.")) and runs_elsewhere(m))
