"""Extents that are None while a model is built from symbolic tensors, where a number is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cudnnlint.interp.graphs.opened_extents import innermost
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.unknown import OpenExtent

SHAPES = {
    "tensorflow.zeros": "shape", "tensorflow.ones": "shape", "tensorflow.fill": "dims", "tensorflow.reshape": "shape",
    "tensorflow.tile": "multiples", "tensorflow.broadcast_to": "shape", "tensorflow.random.normal": "shape",
    "tensorflow.random.uniform": "shape", "keras.ops.zeros": "shape", "keras.ops.ones": "shape",
    "keras.ops.reshape": "newshape", "keras.ops.broadcast_to": "shape", "keras.ops.tile": "repeats",
    "keras.ops.slice": "shape", "keras.ops.image.resize": "size", "keras.random.normal": "shape",
    "numpy.zeros": "shape", "numpy.ones": "shape",
}
"""Functions and the parameter of theirs that takes no None among its numbers
(tensorflow/python/framework/constant_op.py: convert_to_eager_tensor; each was run inside a call())."""
AMOUNTS = {"tensorflow.range": "start", "tensorflow.repeat": "repeats", "tensorflow.one_hot": "depth",
          "tensorflow.eye": "num_rows", "keras.ops.eye": "N", "keras.ops.repeat": "repeats"}
"""Functions and the parameter that is to be one number."""
ASKED = frozenset({"shape", "get_shape", "int_shape", "as_list"})
"""What gives the extents of a tensor as a model is built."""
SPECS = ("compute_output_shape", "compute_output_spec")
"""With one of those, Keras 3 does not run call() as the model is built (keras/src/layers/layer.py:
Layer.compute_output_spec)."""
PLAIN = frozenset({"keras.layers.Layer", "keras.Layer", "keras.Model"})
"""Bases without one of their own."""
KNOWN = "an Input that says all extents, or tf.reduce_prod(tf.shape(x)[1:]) as the model runs"
OUTSIDE = "-1 in a reshape, an Input that says it, or the same in a layer's call(), where keras.ops.shape(x) has it"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
HELP = "tf.shape(x)[i] or keras.ops.shape(x)[i] in place of x.shape[i], or -1 in a reshape"


def refuse_operand(m: Machine, symbol: str, a: Any, b: Any, node: ast.AST) -> None:
    """`x.shape[0] * 2`, `x / x.shape[0]`: Python has no arithmetic with None, and TensorFlow takes none."""
    first = _is_open(a)
    other = b if first else a
    if not (_is_open(other) or isinstance(other, int | float | Tensor)) or isinstance(other, bool) \
            or not _is_certain(m, a if first else b):
        return
    written = _operands(node)
    if written is None or not _is_extent(m, written[0 if first else 1]):
        return
    error = f"TypeError \"unsupported operand type(s) for {symbol}\""
    if isinstance(other, Tensor):
        error = 'ValueError "None values not supported"'
    _refuse(m, ast.unparse(written[0 if first else 1]), symbol, error, m.span(node))


WHOLE = 'ValueError "Cannot convert a partially known TensorShape" or "Tried to convert \'shape\' to a tensor"'
OF_SHAPE = ('TypeError "Failed to convert elements of" or "Expected int32, but got None" or "\'NoneType\' object" or '
            'ValueError "Attempt to convert a value (None)"')


def refuse_argument(m: Machine, path: str, arguments: Mapping[str, Any], node: ast.AST, display: str) -> None:
    """`tf.zeros((x.shape[0], 3))`, `tf.range(x.shape[0])`."""
    name, count = SHAPES.get(path), AMOUNTS.get(path)
    if name is not None:
        value = plain(arguments.get(name))
        if not isinstance(value, list | tuple) or not any(_is_open(each) for each in value):
            return
        value = next(each for each in value if _is_open(each))
        error = OF_SHAPE
    elif count is not None and count in arguments and _is_open(value := plain(arguments[count])):
        error = 'ValueError "None values not supported" or TypeError "must be"'
    else:
        return
    written = next((each for each in _parts(node) if _is_extent(m, each)), None) \
        if _is_certain(m, value, path) else None
    if written is not None:
        _refuse(m, ast.unparse(written), display, error, m.span(node), path=path)
    elif name is not None and _is_certain(m, value, path) and (shape := _shape_given(m, node, name)) is not None:
        _refuse(m, ast.unparse(shape), display, f"{WHOLE} or {OF_SHAPE}", m.span(node), path=path, holds=True)


def _shape_given(m: Machine, node: ast.AST, name: str) -> ast.expr | None:
    """What is written for the parameter, if that is a tensor's whole shape: `tf.zeros(x.shape)`."""
    if not isinstance(node, ast.Call):
        return None
    for given in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == name)):
        asked = _was_given_one(m, given.id) if isinstance(given, ast.Name) else _asks(given)
        value = plain(m.eval(given)) if asked else None
        if isinstance(value, tuple) and any(map(_is_open, value)):
            return given
    return None


INTERPRETED = "TypeError \"'NoneType' object cannot be interpreted as an integer\""
OF_INT = 'TypeError "argument must be a string, a bytes-like object or a real number"'
ORDERED = "TypeError \"not supported between instances of\""


def refuse_number_of(m: Machine, value: Any, what: str, error: str, node: ast.AST) -> None:
    """`range(x.shape[0])`, `int(x.shape[1])`, `min(x.shape[1], x.shape[2])`."""
    if not _is_open(plain(value)) or not isinstance(node, ast.Call):
        return
    written = next((each for each in node.args if _is_extent(m, each)), None) if _is_certain(m, value) else None
    if written is not None:
        _refuse(m, ast.unparse(written), what, error, m.span(node))


def refuse_product(m: Machine, items: Sequence[Any], what: str, node: ast.AST) -> None:
    """`np.prod(x.shape[1:])` of several extents, one of which is None."""
    if len(items) < 2 or not any(_is_open(plain(item)) for item in items) or not isinstance(node, ast.Call):
        return
    if not node.args or not _is_certain(m, None):
        return
    written = node.args[0]
    if _was_given_one(m, written.id) if isinstance(written, ast.Name) else _asks(written):
        error = "TypeError \"unsupported operand type(s) for *: 'NoneType'\""
        _refuse(m, ast.unparse(written), what, error, m.span(node), holds=True)


def _is_open(value: Any) -> bool:
    return value is None or type(value) is OpenExtent


def _is_certain(m: Machine, value: Any, path: str = "") -> bool:
    """Whether this is run with the extent None: in a graph that is traced for any batch, as a model is built by the
    call() of a layer or model on symbolic tensors of TensorFlow - other backends of Keras 3 give numbers there
    (keras/src/backend/jax/core.py: compute_output_spec) - or of a tensor of Keras itself."""
    if not m.symbolic and (here := innermost(m)) is not None:
        return not m.trying and m.uncertain <= here.uncertain and _is_tensorflow(m) \
            and not any(frame.forked for frame in m.frames[here.depth:])
    if not m.symbolic and not m.bodies:  # `inputs.shape[0]` of an Input, outside of all that is traced
        return value is None and not m.tracing and is_certain(m) and (
            (path not in OF_THE_TENSOR or path.startswith("keras.ops.")) and not m.placeholders
            if not m.applying else _is_lambda(m))
    if not m.symbolic or not m.bodies or m.trying or m.uncertain > m.bodies[0].uncertain:
        return False
    called = next((place for place, frame in enumerate(m.frames) if frame.function is not None
                   and frame.function.name == "call"), None)
    if called is None or any(frame.forked for frame in m.frames[called:]):  # such as by `if x.shape[0] is None:`
        return False
    return _is_tensorflow(m) and all(
        inside.instance is not None and _is_asked(inside.instance.cls) for inside in m.bodies)


def _is_lambda(m: Machine) -> bool:
    """Whether a Lambda runs its function as the model is built, which Keras 3 does not where output_shape is given
    (keras/src/layers/core/lambda_layer.py: Lambda.compute_output_shape)."""
    return bool(m.placeholders) and all(each.kind == "keras" for each in m.placeholders) and _is_tensorflow(m) \
        and not m.frame.module.source.says("output_shape") and not any(frame.forked for frame in m.frames[-1:])


def _is_tensorflow(m: Machine) -> bool:
    source = m.frame.module.source
    return bool(source.says("tensorflow")) and not source.says("KERAS_BACKEND")


OF_THE_TENSOR = frozenset(f"{library}.{name}" for library in ("tensorflow", "keras.ops")
                          for name in ("reshape", "broadcast_to", "tile", "repeat", "slice", "image.resize"))
"""Functions that are given the symbolic tensor as well: TensorFlow's refuse that anyhow, those of Keras 3 are run when
the model is, with the None (keras/src/ops/numpy.py: Reshape.call; run with Keras 3.0, 3.3, 3.8 and 3.15)."""


def _is_asked(cls: Any) -> bool:
    """Whether call() is what tells the shape that a layer of this class gives."""
    return cls.external_base() in PLAIN and not declares(cls)


def declares(cls: Any) -> bool:
    """Whether a class of the program has a method that tells the shape instead."""
    from cudnnlint.interp.objects import FunctionV

    return any(isinstance(cls.lookup(name), FunctionV) for name in SPECS)


def _operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    return (node.target, node.value) if isinstance(node, ast.AugAssign) else None


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The arguments of a call, and what is written in a tuple or list among them."""
    if isinstance(node, ast.Call):
        for given in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from given.elts if isinstance(given, ast.Tuple | ast.List) else (given,)


def _is_extent(m: Machine, node: ast.expr) -> bool:
    """Whether it is None, and written as an extent of a tensor: `x.shape[0]`, or a name that was given one."""
    if isinstance(node, ast.Subscript):
        held = node.value
        if not _is_open(plain(m.eval(node))):
            return False
        return _was_given_one(m, held.id) if isinstance(held, ast.Name) else _asks(held)
    if not isinstance(node, ast.Name):
        return False
    value = m.eval(node)
    return _is_open(plain(value)) and not assumptions_of(value) and _was_given_one(m, node.id)


def _was_given_one(m: Machine, name: str) -> bool:
    """Whether a name is assigned once, and that an extent."""
    inside = _of_scope(m.frame.function.node if m.frame.function is not None else m.frame.module.source.tree())
    times = sum(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in inside)
    given = sum(isinstance(each, ast.Assign) and any(_gives(target, each.value, name) for target in each.targets)
                for each in inside)
    return times == given == 1


def _of_scope(root: ast.AST) -> list[ast.AST]:
    """What a function or module does itself, without the functions and classes within."""
    found = [root]
    for node in found:  # which grows meanwhile
        found += [child for child in ast.iter_child_nodes(node) if not isinstance(child, SCOPES)]
    return found


def _gives(target: ast.expr, value: ast.expr, name: str) -> bool:
    """`n = x.shape[0]`, `b, d = x.shape`, `h, w = x.shape[0], x.shape[1]`."""
    if not isinstance(target, ast.Tuple | ast.List):
        return isinstance(target, ast.Name) and target.id == name and _asks(value)
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        return any(_gives(part, given, name) for part, given in zip(target.elts, value.elts, strict=True))
    return _asks(value) and any(isinstance(inner, ast.Name) and inner.id == name for inner in target.elts)


def _asks(node: ast.expr) -> bool:
    """`x.shape`, `x.get_shape().as_list()`, `K.int_shape(x)`, or an item of one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    asked = node.func if isinstance(node, ast.Call) else node
    return isinstance(asked, ast.Attribute) and asked.attr in ASKED


def _refuse(m: Machine, written: str, what: str, error: str, span: Span, *, path: str = "",
            holds: bool = False) -> None:
    """`holds`: of `written` one extent is None."""
    here = innermost(m)
    when = "while the model is built"
    if here is not None and not m.symbolic:
        when = here.when
    elif path in OF_THE_TENSOR and not m.symbolic:
        when = "for a symbolic tensor, which fails as the model is run"
    told = f"{what} needs a number, but {written[:40]} is None {when}"
    if holds:
        told = f"{what} needs numbers, but {written[:40]} has None among them {when}"
    outside = here is None and not m.symbolic and not m.applying and m.stack.keras >= (3,)
    wrong = Mismatch(Problem.OPEN_EXTENT, told, error=error, help=OUTSIDE if outside else KNOWN if holds else HELP,
                     facts=(("moment", "when the model is built"),) if when == "while the model is built" else ())
    refuse(m, span, wrong, about=m.placeholders, what=what, inputs=list(m.placeholders))
