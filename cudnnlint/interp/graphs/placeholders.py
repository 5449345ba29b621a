"""Tensors of a graph under way, which stand for what it is run on: they have no value that Python could take."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_meant, refuse, told_once
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Where
from cudnnlint.values.stack import EVERYWHERE
from cudnnlint.values.unknown import Mapped

EAGERLY = "functions run eagerly"
NUMPY_OF_TENSORFLOW = "tensorflow.experimental.numpy"
"""Set once the program calls a function of it, which goes by NumPy's name here and takes any tensor."""
DYNAMIC = "a layer is dynamic"
"""With one of those a model of Keras 2 runs eagerly (tf_keras/src/engine/base_layer.py: Layer.dynamic)."""
ASKING = ("executing_eagerly", "inside_function")
"""What a program asks that is ready for both."""
TAKING = frozenset({"numpy.shape", "numpy.ndim", "numpy.size", "numpy.isscalar", "numpy.flip", "numpy.rollaxis"})
"""Functions that ask only what a tensor is, or leave it to its own index."""
NUMPY = 'NotImplementedError "Cannot convert a symbolic tf.Tensor" or TypeError "SymbolicTensor"'
OF_KERAS_3 = Where(keras=">=3")
"""Keras 2 has AutoGraph rewrite call(), losses and metrics (tf_keras/src/engine/base_layer.py: Layer.__call__), Keras 3
runs them as they are; only a `tf.function` of the program's own is rewritten there. Neither rewrites train_step()."""
FARTHEST = 256
"""Tensors on the way to one that are looked at."""


@contextmanager
def placeholders(m: Machine, given: Any, as_written: Where | None = None) -> Iterator[None]:
    """What is followed inside becomes a graph, of which these tensors are the inputs.

    as_written  the versions on which Python runs it, without AutoGraph; None where AutoGraph rewrites it
    """
    outer = m.placeholders, m.as_written
    found = tensors(strip(given))
    if found and not m.state.get(EAGERLY) and not m.state.get(DYNAMIC):
        m.placeholders, m.as_written = (*m.placeholders, *found), as_written
    try:
        yield
    finally:
        m.placeholders, m.as_written = outer


@contextmanager
def rewritten(m: Machine) -> Iterator[None]:
    """What is followed inside AutoGraph rewrites, even where a layer of Keras 3 is run as it is written: map_fn() asks
    for that by itself (tensorflow/python/ops/map_fn.py: map_fn; run with TensorFlow 2.21)."""
    outer, m.as_written = m.as_written, None
    try:
        yield
    finally:
        m.as_written = outer


def is_placeholder(m: Machine, tensor: Tensor) -> bool:
    """Whether a tensor is one of those, or made of them in the graph."""
    if not m.placeholders or tensor.kind == "numpy":
        return False
    known = {id(each) for each in m.placeholders}
    steps = {id(each.step) for each in m.placeholders if each.step is not None}
    todo, seen = [tensor], set[int]()
    while todo and len(seen) < FARTHEST:
        one = todo.pop()
        if id(one) in known or (one.step is not None and id(one.step) in steps):
            return True
        if one.step is None or id(one.step) in seen:
            continue
        seen.add(id(one.step))
        todo += [parent for parent in one.step.parents if parent.kind != "numpy"]
    return False


def refuse_value(m: Machine, tensor: Tensor, what: str, span: Span) -> None:
    """`x.numpy()` of a tensor that has no value (tensorflow/python/framework/tensor.py: Tensor.__getattr__;
    keras/src/backend/common/keras_tensor.py: KerasTensor)."""
    symbolic = tensor.kind == "keras" and not m.applying
    if symbolic or is_placeholder(m, tensor):
        _refuse(m, what, tensor, span, 'AttributeError "object has no attribute \'numpy\'" or NotImplementedError')


def refuse_in_numpy(m: Machine, path: str, given: Sequence[Any], display: str, span: Span) -> None:
    """`np.sqrt(x)` of such a tensor (tensorflow/python/framework/tensor.py: Tensor.__array__)."""
    if not m.placeholders or path in TAKING or NUMPY_OF_TENSORFLOW in m.state:
        return
    found = next((tensor for tensor in tensors(given) if is_placeholder(m, tensor)), None)
    if found is not None:
        _refuse(m, display, found, span, NUMPY)


OPENING = frozenset({
    "numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile", "cv2.imread", "PIL.Image.open",
    "pandas.read_csv", "matplotlib.pyplot.imread", "skimage.io.imread", "imageio.imread", "imageio.v2.imread",
    "tifffile.imread", "scipy.io.loadmat", "scipy.io.wavfile.read", "librosa.load", "soundfile.read", "nibabel.load",
    "pydicom.dcmread", "pydicom.read_file", "rasterio.open", "h5py.File", "os.listdir", "os.path.join",
    "os.path.basename", "os.path.exists"})
"""Functions of Python whose first argument is the name of a file."""


def refuse_opening(m: Machine, given: Sequence[Any], display: str, span: Span) -> None:
    """`np.load(path)` in what a dataset maps, to which the path is a tensor without a value."""
    held = [plain(one) for one in given]
    found = next((Tensor(one, one, "tf") if isinstance(one, Mapped) else one for one in held if isinstance(one, Mapped)
                  or (isinstance(one, Tensor) and one.kind != "numpy" and is_placeholder(m, one))), None)
    if found is not None:
        _refuse(m, display, found, span, "TypeError, ValueError or AttributeError of what takes the name of a file")


def refuse_test(m: Machine, value: Any, node: ast.AST) -> None:
    """`if x > 0:` where Python asks such a tensor for its truth (tensorflow/python/framework/tensor.py:
    Tensor.__bool__); AutoGraph leaves `assert` and `bool()` alone."""
    where = EVERYWHERE if isinstance(node, ast.Assert | ast.Call) else m.as_written
    if where is not None and _is_met(m, value):
        _refuse(m, "a condition", plain(value), m.span(node), BOOL, where)


def refuse_turns(m: Machine, value: Any, node: ast.AST, *, rewritten: bool = False) -> bool:
    """`a, b = x`, `[row for row in x]`, which AutoGraph leaves alone, and `for row in x:`, which it rewrites
    (tensorflow/python/framework/tensor.py: Tensor.__iter__). Whether nobody goes through it."""
    where = m.as_written if rewritten else EVERYWHERE
    met = bool(m.placeholders) and where is not None and _is_met(m, value)
    if met and where is not None:
        _refuse(m, "going through the rows", plain(value), m.span(node), ITERATING, where)
    return met


def refuse_number(m: Machine, value: Any, name: str, span: Span) -> None:
    """`int(x)`, `float(x)`, `len(x)` and `range(x)`, which AutoGraph rewrites."""
    if m.as_written is not None and _is_met(m, value):
        _refuse(m, f"{name}()", plain(value), span, f'TypeError "{NUMBERS.get(name, "SymbolicTensor")}"', m.as_written)


def refuse_symbolic(m: Machine, tensor: Tensor, what: str, span: Span) -> None:
    """`if skip:` and `float(x)` of what Input() or a layer gives while a model is put together
    (keras/src/backend/common/keras_tensor.py: KerasTensor; tf_keras/src/engine/keras_tensor.py)."""
    if tensor.kind == "keras" and not (m.placeholders or m.applying or m.symbolic or m.tracing or m.bodies) \
            and is_meant(m) and not m.handlers:
        refuse(m, span, Mismatch(
            Problem.VALUELESS, f"{what} on a symbolic tensor of Keras, {tensor}", error=SYMBOLIC.get(what, CONVERTED),
            help="`is not None` asks whether there is one" if what == "a condition" else HELP),
            about=(tensor,), what=what, inputs=tensor)


SYMBOLIC = {
    "a condition": 'TypeError "A symbolic KerasTensor cannot be used as a boolean." or "Keras symbolic inputs/outputs '
                   'do not implement `__len__`"',
    "going through the rows": 'NotImplementedError "Iterating over a symbolic KerasTensor is not supported." or '
                              'TypeError "Cannot iterate over a Tensor with unknown first dimension."',
    "len()": "TypeError \"object of type 'KerasTensor' has no len()\" or \"Keras symbolic inputs/outputs do not "
             'implement `__len__`"'}
CONVERTED = 'ValueError "A KerasTensor is symbolic" or TypeError "argument must be a string or a real number, not ' \
    "'KerasTensor'\""
BOOL = 'OperatorNotAllowedInGraphError "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"'
ITERATING = 'OperatorNotAllowedInGraphError "Iterating over a symbolic `tf.Tensor` is not allowed"'
NUMBERS = {"len": "len is not well defined for a symbolic Tensor"}


def _is_met(m: Machine, value: Any) -> bool:
    held = plain(value)
    return isinstance(held, Tensor) and held.kind in ("tf", "keras") and is_placeholder(m, held)


def _refuse(m: Machine, what: str, tensor: Tensor, span: Span, error: str, where: Where = EVERYWHERE) -> None:
    if m.trying or any(m.frame.module.source.says(word) for word in ASKING) or _is_declared(m):
        return
    if told_once(m, "graph", where, span):
        return
    kind = "a tensor of a graph" if m.placeholders or m.tracing else "a symbolic tensor of Keras"
    if m.applying and not m.bodies:  # keras/src/layers/core/lambda_layer.py: Lambda.compute_output_shape
        error += ' or NotImplementedError "could not automatically infer"'
    refuse(m, span, Mismatch(Problem.VALUELESS, f"{what} on {kind}, {_shown(tensor)}", error=error, where=where,
                              help=CHOOSING if error == BOOL else HELP),
           about=(tensor,), what=what, inputs=tensor)


def _shown(tensor: Tensor) -> str:
    return "an element of the dataset" if isinstance(tensor.shape, Mapped) else str(tensor)


def _is_declared(m: Machine) -> bool:
    """Whether a layer around this says itself what it gives, so that Keras 3 does not run its call() as the model is
    built (keras/src/layers/layer.py: Layer.compute_output_spec)."""
    from cudnnlint.interp.graphs.open_extents import declares

    return m.symbolic and m.stack.keras >= (3,) and any(
        inside.instance is not None and declares(inside.instance.cls) for inside in m.bodies)


CHOOSING = "tf.where(condition, a, b) chooses element by element, tf.cond() by one value"
HELP = "operations of TensorFlow, or tf.py_function for what only Python can do"
