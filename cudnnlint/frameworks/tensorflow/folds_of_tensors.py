"""Functions that call the user's for each row: map_fn, scan, foldl; and those that choose one of several."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.expressions import fork_values
from cudnnlint.interp.graphs.placeholders import rewritten
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.index import getitem
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


def row_of(value: Any) -> Any:
    """A structure with the first row of each tensor."""
    if isinstance(value, Tensor):
        return getitem(value, 0)
    if isinstance(value, list | tuple):
        return type(value)(map(row_of, value))
    return {key: row_of(one) for key, one in value.items()} if isinstance(value, dict) else Unknown("a row")


def stacked(value: Any, rows: Any) -> Any:
    """A structure with a new first axis."""
    if isinstance(value, Tensor) and isinstance(value.shape, tuple):
        return value.with_(shape=(rows, *value.shape))
    if isinstance(value, list | tuple):
        return type(value)(stacked(one, rows) for one in value)
    return {key: stacked(one, rows) for key, one in value.items()} if isinstance(value, dict) else Unknown("rows")


def count(value: Any) -> Any:
    """How many rows the tensors of a structure have; None where they are no tensors with rows."""
    found = tensors(value)
    whole = found and all(isinstance(one.shape, tuple) and one.shape for one in found)
    return found[0].shape[0] if whole else None  # type: ignore[index]


@FRAMEWORK.on("tensorflow.map_fn", "keras.ops.map", "keras.ops.vectorized_map", "tensorflow.vectorized_map",
              "keras.backend.map_fn")
def map_fn(c: Call) -> Any:
    """Apply to one row, stack along the first axis again."""
    rows = strip(c.get(1, "elems"))
    many = count(rows)
    if many is None:
        return Unknown("map_fn over an unknown value")
    in_arrays = getattr(plain(c.callee), "path", "") in ARRAYS
    with rewritten(c.machine) if in_arrays else nullcontext():
        made = strip(c.machine.call(c.get(0, "fn"), [wrap(row_of(rows))], {}, c.node))
    if in_arrays and many != 0:
        _keeps_dtype(c, rows, made)
    return wrap(stacked(made, many))


ARRAYS = ("tensorflow.map_fn", "keras.backend.map_fn")
"""Which keep what they make in arrays whose dtype is settled before the first row."""


def _keeps_dtype(c: Call, rows: Any, made: Any) -> None:
    """Unless they are told, results have the structure and dtypes of the rows (tensorflow/python/ops/map_fn.py)."""
    wanted = next((c.kwargs[name] for name in ("fn_output_signature", "dtype") if c.kwargs.get(name) is not None), None)
    if not isinstance(made, Tensor) or made.kind == "numpy" or len(c.args) > 2:
        return
    if wanted is None and isinstance(rows, list | tuple) and len(rows) > 1:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"the function given to map_fn makes one tensor, {made}, of {len(rows)} that it gets",
            help=f"fn_output_signature=tf.{made.dtype}" if isinstance(made.dtype, str) else "fn_output_signature=",
            error='ValueError "The two structures don\'t have the same nested structure"'),
            about=[made], what="map_fn", inputs=[made])
    told = as_dtype(strip(wanted), Unknown("dtype")) if wanted is not None else \
        rows.dtype if isinstance(rows, Tensor) else None
    if isinstance(told, str) and isinstance(made.dtype, str) and told != made.dtype:
        name = made.dtype
        refuse(c.machine, c.span, Mismatch(
            Problem.DTYPE, f"the function given to map_fn makes {made}, the results are to be {told}",
            help=f"fn_output_signature=tf.{name}; in TensorFlow before 2.3 dtype=tf.{name}",
            error=f'InvalidArgumentError "TensorArray dtype is {told} but Op is trying to write dtype {name}" or in a '
                  'graph "Invalid data types; op elements ... but list elements ..."'),
            about=[made], what="map_fn", inputs=[made])


def same(a: Any, b: Any) -> bool:
    """Whether two structures have the same shapes and dtypes, all of them known."""
    left, right = tensors(a), tensors(b)
    return len(left) == len(right) > 0 and all(
        one.shape == other.shape and one.dtype == other.dtype and isinstance(one.dtype, str)
        and isinstance(one.shape, tuple) and not any(isinstance(dim, Unknown) for dim in one.shape)
        for one, other in zip(left, right, strict=True))


def _folded(c: Call) -> tuple[Any, Any]:
    """(what is carried on, rows), or Unknown where a turn changes its shape."""
    elems, start = strip(c.get(1, "elems")), strip(c.get(2, "initializer"))
    many = count(elems)
    if many is None:
        return Unknown("a fold over an unknown value"), None
    carried = row_of(elems) if start is None else start
    if isinstance(carried, int | float) and not isinstance(carried, bool):
        carried = Tensor((), "int32" if isinstance(carried, int) else "float32")
    made = strip(c.machine.call(c.get(0, "fn"), [wrap(carried), wrap(row_of(elems))], {}, c.node))
    return (made, many) if same(carried, made) else (Unknown("a fold that changes what it carries"), None)


@FRAMEWORK.on("tensorflow.scan")
def scan(c: Call) -> Any:
    """What is carried on, at each step."""
    made, many = _folded(c)
    return made if many is None else wrap(stacked(made, many))


@FRAMEWORK.on("tensorflow.foldl", "tensorflow.foldr", "keras.backend.foldl", "keras.backend.foldr")
def fold(c: Call) -> Any:
    return wrap(_without_content(_folded(c)[0]))


def _without_content(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.with_()
    return type(value)(map(_without_content, value)) if isinstance(value, list | tuple) else value


@FRAMEWORK.on("keras.ops.scan")
def keras_scan(c: Call) -> Any:
    """(carried, outputs) (keras/src/ops/core.py: Scan)."""
    start, rows = strip(c.get(1, "init")), strip(c.get(2, "xs"))
    many = count(rows)
    if many is None:
        return Unknown("keras.ops.scan")
    made = strip(c.machine.call(c.get(0, "f"), [wrap(start), wrap(row_of(rows))], {}, c.node))
    if not isinstance(made, tuple) or len(made) != 2 or not same(start, made[0]):
        return Unknown("keras.ops.scan")
    return wrap((_without_content(made[0]), None if made[1] is None else stacked(made[1], many)))


@FRAMEWORK.on("keras.ops.fori_loop")
def fori_loop(c: Call) -> Any:
    start = strip(c.get(3, "init_val"))
    made = strip(c.machine.call(c.get(2, "body_fun"), [Tensor((), "int32"), wrap(start)], {}, c.node))
    return wrap(_without_content(made)) if same(start, made) else Unknown("keras.ops.fori_loop")


@FRAMEWORK.on("tensorflow.switch_case", "keras.ops.switch")
def switch(c: Call) -> Any:
    """What all branches have in common; keras.ops.switch hands the operands on."""
    branches = plain(c.get(1, "branch_fns", c.get(1, "branches")))
    operands = list(c.args[2:]) if getattr(plain(c.callee), "path", "").startswith("keras.") else []
    listed = branches.items if isinstance(branches, ListV) and not branches.unknown else \
        list(branches) if isinstance(branches, tuple) else \
        list(branches.items.values()) if isinstance(branches, DictV) and not branches.unknown else []
    called = [one[1] if isinstance(one, tuple) and len(one) == 2 else one for one in listed]
    default = c.kwargs.get("default") if not operands else None
    return _any_of(c, [*called, *([default] if default is not None else [])], operands)


@FRAMEWORK.on("tensorflow.case")
def case(c: Call) -> Any:
    pairs = plain(c.get(0, "pred_fn_pairs"))
    listed = pairs.items if isinstance(pairs, ListV) and not pairs.unknown else list(pairs) \
        if isinstance(pairs, tuple) else []
    default = c.get(1, "default")
    called = [one[1] for one in listed if isinstance(one, tuple) and len(one) == 2]
    return _any_of(c, [*called, default] if called and len(called) == len(listed) and default is not None else [], [])


def _any_of(c: Call, functions: list[Any], operands: list[Any]) -> Any:
    m = c.machine
    if not functions:
        return Unknown("one of several functions")

    def branch(function: Any) -> Any:
        return lambda: m.call(function, list(operands), {}, c.node)

    return fork_values(m, [branch(function) for function in functions])
