"""What Keras 3 runs on, where the program says so."""

from __future__ import annotations

from cudnnlint.interp.devices import runtime
from cudnnlint.interp.graphs.placeholders import NUMPY_OF_TENSORFLOW
from cudnnlint.interp.machine import Machine, plain

PROMOTING = frozenset({"jax", "torch", "numpy", "openvino"})
"""Backends whose tensors of different dtypes go together."""


def promotes(m: Machine, path: str) -> bool:
    """Whether tensors are brought to one dtype, as NumPy does it: those of tf.experimental.numpy, and Keras' where
    KERAS_BACKEND, or what the project requires, says that they are none of TensorFlow's: `0.95 ** ops.arange(3)` (run
    with PyTorch)."""
    if NUMPY_OF_TENSORFLOW in m.state:
        return True
    if not path.startswith(("operator.", "keras.")):
        return False
    backend = plain(runtime(m).items.get("os.environ KERAS_BACKEND"))
    return backend in PROMOTING if isinstance(backend, str) else m.stack.elsewhere
