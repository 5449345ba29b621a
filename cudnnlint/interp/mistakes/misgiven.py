"""Calls of functions of the libraries with arguments that they do not have, too many of them, or one missing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.facts.changes import ARGUMENTS, REMOVED
from cudnnlint.facts.signatures import keywords
from cudnnlint.interp.graphs.placeholders import is_placeholder
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.mistakes.unlisted import tell_of_unlisted
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.torch.numpy_names import FUNCTIONAL, is_python
from cudnnlint.ops.misgiven import misgiven
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Mismatch, Problem

ANY_NUMBER = frozenset({
    "numpy.random.rand", "numpy.random.randn", "numpy.meshgrid", "numpy.einsum", "numpy.atleast_1d",
    "numpy.atleast_2d", "numpy.atleast_3d", "numpy.broadcast_arrays", "tensorflow.meshgrid", "tensorflow.einsum",
    "tensorflow.linalg.einsum", "keras.ops.einsum", "keras.ops.numpy.einsum", "keras.ops.meshgrid",
    "keras.ops.numpy.meshgrid", "numpy.arange", "keras.Variable", "tensorflow.Variable"})
"""Functions of any number of arguments, of which some are listed, and classes."""
LIBRARIES = ("tensorflow.", "numpy.", "keras.ops.")
"""Beginnings of those whose parameters are compared with the library's, but for those of one release only."""


def tell_of_misgiven(m: Machine, path: str, display: str, problems: Sequence[Mismatch], node: ast.AST,
                     args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Of the first; nothing where another version takes what is given."""
    if problems[0].fact("parameters") and not problems[0].fact("twice") and keywords(path) is not None:
        tell_of_unlisted(m, node, path, display, kwargs)
        return
    if path.startswith("torch."):
        _of_torch(m, path, problems, node, args, kwargs)
        return
    if not path.startswith(LIBRARIES) or path in ANY_NUMBER or path in REMOVED or ".v1." in path:
        return
    uncalled = m.uncalled and not problems[0].fact("twice")  # which no other signature takes
    if m.stack.tensorflow < (2,) or uncalled or not is_meant(m) or any(
            _is_of_another(path, problem) for problem in problems):
        return
    refuse(m, m.span(node), _worded(problems[0], path, display), what=display, path=path, stage="called",
           args=tuple(args), kwargs=kwargs)


def tell_of_scalar(m: Machine, shape: Any, values: Sequence[Any], node: ast.AST) -> None:
    """`tf.reshape(x, -1)`, which is taken at once and not in a graph (tensorflow/core/ops/array_ops.cc: Reshape,
    SetOutputShapeForReshape; kernels/reshape_op.h takes a scalar)."""
    given = tensors(list(values)[:1])
    if type(shape) is not int or not given or not is_meant(m):
        return
    inside = m.applying or m.bodies or m.stack.keras < (3,)  # elsewhere Keras 3 has no symbolic tensor for TensorFlow
    if m.tracing or m.symbolic or is_placeholder(m, given[0]) or (given[0].kind == "keras" and inside):
        refuse(m, m.span(node), Mismatch(
            Problem.INVALID_ARGUMENT, f"tf.reshape is given {shape} for its shape in a graph, which takes a list",
            help=f"[{shape}]", error='ValueError "Shape must be rank 1 but is rank 0"', argument="shape"),
            what="tf.reshape", about=given)


def _of_torch(m: Machine, path: str, problems: Sequence[Mismatch], node: ast.AST, args: Sequence[Any],
              kwargs: dict[str, Any]) -> None:
    """Of what Python binds, Python's words; what is compiled has other ones, and may take what is not listed here
    (torch/csrc/utils/python_arg_parser.cpp: FunctionSignature::parse, PythonArgParser::print_error)."""
    problem, compiled = problems[0], not is_python(path)
    if problem.fact("twice") and args and is_meant(m) and not m.uncalled \
            and (given := misgiven(path, {"tensors": args[0]})) is not None:
        refuse(m, m.span(node), given, what=path.rpartition(".")[2], path=path)  # `torch.cat(a, b, dim=1)`
        return
    if m.uncalled or not is_meant(m) or path == "torch.einsum" or (compiled and (
            len(problems) > 1 or (problem.problem is Problem.UNKNOWN_ARGUMENT and (
                not path.startswith(FUNCTIONAL) or problem.argument in ("", "out"))))):
        return
    name, told = path.rpartition(".")[2], problem.message.partition(" ")[2]
    error = ""
    if problem.fact("positional"):
        error = f'TypeError "{name}() takes"'
    elif compiled:
        said = f'got an unexpected keyword argument \'{problem.argument}\'' \
            if problem.problem is Problem.UNKNOWN_ARGUMENT else "missing ... required positional arguments"
        error = f'TypeError "{name}() {said}" or "{name}() received an invalid combination of arguments"'
    refuse(m, m.span(node), replace(problem, message=f"{name}() {told}", error=error), what=name, path=path,
           stage="called", args=tuple(args), kwargs=kwargs)


def _worded(problem: Mismatch, path: str, display: str) -> Mismatch:
    """With the name as people write it. TensorFlow dispatches its functions by their arguments before Python binds
    them, and says less (tensorflow/python/util/dispatch.py: add_dispatch_support)."""
    told, dispatched = problem.message.partition(" ")[2], path.startswith("tensorflow.")
    error, advice = problem.error, problem.help
    if problem.fact("positional"):
        takes = f"{display.rpartition('.')[2]}() takes"
        error = f'TypeError "Too many arguments were given" or "{takes}"' if dispatched else f'TypeError "{takes}"'
        advice = "np.reshape gives an array another shape" if path == "numpy.shape" else \
            "several of one kind are one list or tuple"
    elif problem.problem is Problem.MISSING_ARGUMENT and dispatched:
        error = 'TypeError "Missing required positional argument" or "missing 1 required positional argument"'
    return replace(problem, message=f"{display} {told}", help=advice, error=error)


def _is_of_another(path: str, problem: Mismatch) -> bool:
    """Whether some other version may take it."""
    if problem.problem is not Problem.UNKNOWN_ARGUMENT:
        return False
    name = problem.argument
    older = FUNCTIONS.get(f"tensorflow.compat.v1.{path.removeprefix('tensorflow.')}")
    return bool(name) and (
        bool(problem.fact("versions")) or name in ARGUMENTS.get(path, {}) or path.startswith("numpy.") or (
            older is not None and name in older.builder.__code__.co_varnames))

