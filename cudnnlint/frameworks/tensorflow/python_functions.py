"""Python called from a graph: TensorFlow knows only the declared dtype of what comes back."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.unknown import Unranked


@FRAMEWORK.on("tensorflow.io.decode_image", "tensorflow.image.decode_image")
def decode_image(c: Call) -> Any:
    """In a graph it may give animations or pictures (tensorflow/python/ops/image_ops_impl.py: decode_image)."""
    m = c.machine
    made = apply_function(m, plain(c.callee).path, c.args, c.kwargs, c.node)
    if m.tracing and isinstance(held := plain(made), Tensor) and isinstance(held.shape, Unknown):
        return held.with_(shape=Unranked("what decode_image gives, which may have 4 axes", graph=True))
    return made


@FRAMEWORK.on("tensorflow.py_function", "tensorflow.numpy_function", "tensorflow.py_func",
              "tensorflow.compat.v1.py_func")
def python_function(c: Call) -> Any:
    """One tensor, or a list of as many as `Tout` has dtypes (tensorflow/python/ops/script_ops.py)."""
    declared, path = strip(c.get(2, "Tout")), plain(c.callee).path
    if isinstance(given := plain(c.get(1, "inp")), Tensor) and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{path.replace('tensorflow', 'tf')} is given {given} as inp, not a list of tensors",
            argument="inp", help="[x], a list of one", error="TypeError \"Expected list for 'input' argument\", or as "
            "many arguments as the tensor has rows"), about=(given,), what=path.rpartition(".")[2], stage="called")

    def one(dtype: Any) -> Any:
        found = as_dtype(dtype, Unknown("Tout"))
        shape = Unranked(f"what {path} gives", graph=c.machine.tracing > 0)
        return Tensor(shape, found, "tf", None, Step(c.span)) if isinstance(found, str) \
            else Unknown(f"what {path} gives")

    if isinstance(declared, list | tuple):
        return wrap([one(dtype) for dtype in declared])
    return one(declared)
